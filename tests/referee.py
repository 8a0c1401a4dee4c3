"""The referee: a second, plain-Python reading of RULES.md that shares nothing with the engine.

It is written to be read beside the rules: every step cites its clause, nothing is tuned but the
one cache that keeps the win test affordable. `Referee` plays a deal decision by decision, `settle`
prices a `zhuoji-position/1` of FORMATS.md, `perft` counts action sequences. Seats are 0..3, kinds
0..26.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

Rules = dict[str, Any]

SEATS = range(4)
KINDS = range(27)
WU_GU, BLOWER, YAOJI = 16, 13, 18  # 8p, 5p, 1s
PENG, GANG, HU, BAOTING, PASS = 27, 28, 55, 56, 57
KONGS = ("men", "zhuan_wan", "dian")

COVERAGE: Counter[str] = Counter()
"""How often each line of COVERAGE.md was reached by referees given no counter of their own."""


# --------------------------------------------------------------------------------------------------
# Rules: the tables of RULES.md, transcribed

_PRESET_NAMES = ("guiyang", "zhuoji", "zhuoji_double", "duole")
_PRESET_TABLE = """
base                          1                1            1            1
dealer_bonus                  1                10           10           0
deal.dice                     2                2            2            1
deal.first_dealer             uniform          dice         dice         dice
win.multiple                  true             true         true         true
win.passport                  true             true         true         true
win.passed                    forbid           pays_three   pays_three   pays_three
win.triple                    discarder_pays   winners_pay  winners_pay  winners_pay
win.foul_forfeits             false            false        false        false
win.double_dealer             counter_clockwise *
win.dealer_counts_first       true             true         true         true
hand.ping_hu                  1                10           10           10
hand.da_dui_zi                5                50           50           30
hand.qi_dui                   7                60           60           40
hand.long_qi_dui              10               100          100          50
hand.qing_yi_se               10               100          100          50
hand.qing_da_dui              15               150          150          80
hand.qing_qi_dui              17               150          150          90
hand.qing_long_bei            20               200          200          100
hand.dragon_needs_winning_tile  false          true         true         false
hand.gang_shang_hua           0                10           10           10
hand.zi_mo                    0                0            0            0
hand.tian_hu                  0                0            0            0
hand.di_hu                    0                0            0            0
baoting.enabled               true             false        false        false
baoting.value                 10               100          100          50
baoting.combine               max              max          max          max
baoting.sha_bao               0                0            0            0
re_pao.void                   all              turn         turn         turn
re_pao.burn_ji                true             true         true         false
re_pao.surcharge              false            true         true         true
re_pao.on_rob                 false            false        false        false
dou.men                       2                20           20           20
dou.zhuan_wan                 3                30           30           10
dou.dian                      1                10           10           10
dou.requires_ting             false            false        false        false
dou.table                     false            false        false        false
dou.dealt_late                full             passport     passport     full
dou.late_added                full             full         full         full
ji.yao_held                   1                10           20           10
ji.yao_river                  1                0            10           10
ji.charge                     2                20           10           20
ji.zhuo_held                  1                10           10           10
ji.zhuo_river                 1                0            0            10
ji.gold                       double           add          add          double
ji.zeren                      1                0            0            0
ji.zeren_on                   peng_gang        peng_gang    peng_gang    peng_gang
ji.men_yao                    null             80           null         null
ji.requires_ting              false            true         true         true
ji.ben                        false            false        false        false
ji.yao_bai                    false            false        false        false
ji.wu_gu                      0                0            0            0
ji.wu_gu_charge               0                0            0            0
ji.xing_qi                    0                0            0            0
ji.chui_feng                  false            false        false        false
ji.bao                        false            false        false        false
dealer.on_draw                stay             ready        ready        ready
"""


def _value(word: str) -> Any:
    """One cell of the table: a number, true, false, null or a word."""
    if word.isdigit():
        return int(word)
    return {"true": True, "false": False, "null": None}.get(word, word)


def _presets() -> dict[str, Rules]:
    presets: dict[str, Rules] = {name: {"name": name} for name in _PRESET_NAMES}
    for line in _PRESET_TABLE.split("\n")[1:-1]:
        path, *cells = line.split()
        *section, key = path.split(".")
        cells = cells[:1] * 4 if cells[1:] == ["*"] else cells
        for name, cell in zip(_PRESET_NAMES, cells, strict=True):
            place = presets[name].setdefault(section[0], {}) if section else presets[name]
            place[key] = _value(cell)
    return presets


PRESETS: dict[str, Rules] = _presets()


def merged(spec: str | Rules) -> Rules:
    """A whole ruleset from a preset's name or from `{"preset": name, ...nested overrides}`."""
    if isinstance(spec, str):
        return PRESETS[spec]
    base = PRESETS[spec["preset"]]
    rules = {key: dict(val) if isinstance(val, dict) else val for key, val in base.items()}
    for key, value in spec.items():
        if key != "preset":
            rules[key] = {**rules[key], **value} if isinstance(value, dict) else value
    return rules


def overrides(rules: Rules) -> str | Rules:
    """The inverse of `merged`: a preset's name, or a preset and what to change in it."""
    if rules == PRESETS.get(rules["name"]):
        return str(rules["name"])
    base = PRESETS[rules["name"] if rules["name"] in PRESETS else "guiyang"]
    spec: Rules = {"preset": base["name"]}
    for key, value in rules.items():
        if isinstance(value, dict):
            changed = {k: v for k, v in value.items() if v != base[key][k]}
            if changed:
                spec[key] = changed
        elif key != "name" and value != base[key]:
            spec[key] = value
    return spec


# --------------------------------------------------------------------------------------------------
# Tiles and actions as text


def tile_name(kind: int) -> str:
    return f"{kind % 9 + 1}{'mps'[kind // 9]}"


def parse_tiles(text: str) -> list[int]:
    """Kinds of an mpsz string, in its order: `"12m5p"` is `[0, 1, 13]`."""
    kinds: list[int] = []
    ranks: list[int] = []
    for sign in text:
        if sign.isdigit():
            ranks.append(int(sign))
        else:
            kinds += ["mps".index(sign) * 9 + rank - 1 for rank in ranks]
            ranks = []
    if ranks:
        raise ValueError(f"ranks without a suit in {text!r}")
    return kinds


def count(kinds: Iterable[int]) -> list[int]:
    counts = [0] * 27
    for kind in kinds:
        counts[kind] += 1
    return counts


def hand_name(counts: Sequence[int]) -> str:
    """`"123m55p"` of 27 counts."""
    text = ""
    for suit in range(3):
        ranks = "".join(str(r + 1) * counts[suit * 9 + r] for r in range(9))
        text += ranks + "mps"[suit] if ranks else ""
    return text


def action_name(action: int) -> str:
    """The verb and tile of a deal record: `"discard 9m"`, `"gang 5p"`, `"hu"`."""
    if action < PENG:
        return f"discard {tile_name(action)}"
    if GANG <= action < HU:
        return f"gang {tile_name(action - GANG)}"
    return {PENG: "peng", HU: "hu", BAOTING: "baoting", PASS: "pass"}[action]


def parse_action(text: str) -> int:
    """The inverse of `action_name`."""
    verb, *tile = text.split()
    if verb == "discard":
        return parse_tiles(tile[0])[0]
    if verb == "gang":
        return GANG + parse_tiles(tile[0])[0]
    return {"peng": PENG, "hu": HU, "baoting": BAOTING, "pass": PASS}[verb]


class Meld(NamedTuple):
    """A declared peng or kong. `late`: a kong that R12 makes worthless."""

    verb: str  # peng, men, zhuan_wan, dian
    kind: int
    feeder: int | None = None  # whose discard it was, of a peng or a dian dou
    late: bool = False

    @property
    def is_kong(self) -> bool:
        return self.verb in KONGS

    @property
    def size(self) -> int:
        return 4 if self.is_kong else 3

    def __str__(self) -> str:
        origin = f" from {self.feeder}" if self.verb in ("peng", "dian") else ""
        return f"{self.verb} {tile_name(self.kind)}{origin}{' late' if self.late else ''}"

    @classmethod
    def parse(cls, text: str) -> Meld:
        verb, tile, *rest = text.split()
        feeder = int(rest[rest.index("from") + 1]) if "from" in rest else None
        return cls(verb, parse_tiles(tile)[0], feeder, "late" in rest)


# --------------------------------------------------------------------------------------------------
# Hands (R13-R15, R18)


@cache
def splits(suit: tuple[int, ...], pair: bool, sequences: bool) -> bool:
    """Whether one suit splits into triplets, sequences (where allowed) and, if asked, one pair."""
    if sum(suit) % 3 != (2 if pair else 0):
        return False
    rank = next((r for r in range(9) if suit[r]), None)
    if rank is None:
        return True

    def without(*taken: int) -> tuple[int, ...]:
        return tuple(n - taken.count(r) for r, n in enumerate(suit))

    if suit[rank] >= 3 and splits(without(rank, rank, rank), pair, sequences):
        return True
    if pair and suit[rank] >= 2 and splits(without(rank, rank), False, sequences):
        return True
    if sequences and rank <= 6 and suit[rank + 1] and suit[rank + 2]:
        return splits(without(rank, rank + 1, rank + 2), pair, sequences)
    return False


def is_standard(suits: list[tuple[int, ...]], sequences: bool) -> bool:
    """R13: groups of three and one pair over the three suits."""
    if sorted(sum(suit) % 3 for suit in suits) != [0, 0, 2]:
        return False
    return all(splits(suit, sum(suit) % 3 == 2, sequences) for suit in suits)


def patterns(hand: Sequence[int], melds: Sequence[Meld], tile: int, rules: Rules) -> list[str]:
    """R13-R14: the patterns that a whole hand (with its winning `tile`) satisfies under `rules`."""
    suits = [tuple(hand[9 * s : 9 * s + 9]) for s in range(3)]
    one_suit = len({s for s in range(3) if any(suits[s])} | {m.kind // 9 for m in melds}) == 1
    found = []
    if is_standard(suits, sequences=True):
        found += ["ping_hu", "qing_yi_se"]
    if is_standard(suits, sequences=False):
        found += ["da_dui_zi", "qing_da_dui"]
    if not melds and all(n % 2 == 0 for n in hand):
        found += ["qi_dui", "qing_qi_dui"]
        # R14: where the dragon needs its winning tile, that tile must be one of a held quad.
        if hand[tile] == 4 or (4 in hand and not rules["hand"]["dragon_needs_winning_tile"]):
            found += ["long_qi_dui", "qing_long_bei"]
    # R14: a pattern whose value is null does not exist.
    return [
        name
        for name in found
        if rules["hand"][name] is not None and (one_suit or not name.startswith("qing"))
    ]


def best_pattern(hand: Sequence[int], melds: Sequence[Meld], tile: int, rules: Rules) -> str:
    """R14: the pattern of greatest fan of a complete hand."""
    return max(patterns(hand, melds, tile, rules), key=lambda name: int(rules["hand"][name]))


def plus(hand: Sequence[int], kind: int, number: int = 1) -> list[int]:
    """The counts with `number` more (or fewer) of a kind."""
    changed = list(hand)
    changed[kind] += number
    return changed


def holds(hand: Sequence[int], melds: Sequence[Meld], kind: int) -> int:
    """R38: tiles of a kind in a hand and its melds."""
    return hand[kind] + sum(m.size for m in melds if m.kind == kind)


def waits(hand: Sequence[int], melds: Sequence[Meld], rules: Rules) -> list[int]:
    """R18: the kinds, not all four of them held, that would complete the hand."""
    return [
        kind
        for kind in KINDS
        if holds(hand, melds, kind) < 4 and patterns(plus(hand, kind), melds, kind, rules)
    ]


# --------------------------------------------------------------------------------------------------
# The end of a deal and its bill (R20-R26, R30-R47)


class First(NamedTuple):
    """The deal's first discarded yaoji (or 8p): R39, R41."""

    seat: int
    claimer: int | None = None  # by peng or gang; None: nobody, or it was won on
    how: str = ""  # "", peng, gang, hu


@dataclass
class End:
    """Everything that a settlement looks at; hands are concealed tiles without the winning tile."""

    rules: Rules
    dealer: int
    streak: int
    hands: list[list[int]]
    melds: list[list[Meld]]
    rivers: list[list[int]]
    baoting: list[bool]
    marked: list[bool]
    end: str
    shooter: int | None = None
    winners: tuple[int, ...] = ()
    tile: int | None = None
    indicator: int | None = None
    yaoji: First | None = None
    wu_gu: First | None = None
    turn_kongs: tuple[int, ...] = ()
    on_replacement: bool = False
    opening: bool = False

    @classmethod
    def parse(cls, position: dict[str, Any]) -> End:
        """From a `zhuoji-position/1`, taken at its word (no refusals)."""
        rules = merged(position["rules"])
        seats = position["seats"]
        melds = [[Meld.parse(text) for text in seat["melds"]] for seat in seats]
        shooter, dealer = position["shooter"], position["dealer"]
        start = dealer if shooter is None else shooter
        won = [name for name in ("tile", "indicator") if position.get(name) is not None]
        tiles = {name: parse_tiles(position[name])[0] for name in won}
        return cls(
            rules=rules,
            dealer=dealer,
            streak=position["streak"],
            hands=[count(parse_tiles(seat["hand"])) for seat in seats],
            melds=melds,
            rivers=[parse_tiles(seat["river"]) for seat in seats],
            baoting=[bool(seat.get("baoting", False)) for seat in seats],
            marked=[seat in position.get("marked", []) for seat in SEATS],
            end=position["end"],
            shooter=shooter,
            winners=tuple(sorted(position["winners"], key=lambda w: (w - start) % 4)),
            tile=tiles.get("tile"),
            indicator=tiles.get("indicator"),
            yaoji=_parse_first(position.get("first_yaoji"), melds, YAOJI),
            wu_gu=_parse_first(position.get("first_wu_gu"), melds, WU_GU),
            turn_kongs=tuple(Meld.parse(text).kind for text in position.get("turn_kongs", [])),
            on_replacement=position.get("on_replacement", False),
            opening=position.get("opening", False),
        )

    def dump(self) -> dict[str, Any]:
        """The `zhuoji-position/1` of this end."""
        position: dict[str, Any] = {
            "format": "zhuoji-position/1",
            "rules": overrides(self.rules),
            "dealer": self.dealer,
            "streak": self.streak,
            "seats": [self._dump_seat(seat) for seat in SEATS],
            "end": self.end,
            "shooter": self.shooter,
            "winners": list(self.winners),
            "tile": None if self.tile is None else tile_name(self.tile),
            "indicator": None if self.indicator is None else tile_name(self.indicator),
            "first_yaoji": _dump_first(self.yaoji),
            "marked": [seat for seat in SEATS if self.marked[seat]],
        }
        if self.rules["ji"]["wu_gu"]:
            position["first_wu_gu"] = _dump_first(self.wu_gu)
        if self.shooter is not None:
            own = {meld.kind: str(meld) for meld in self.melds[self.shooter]}
            position["turn_kongs"] = [own[kind] for kind in self.turn_kongs]
        if self.end == "self_draw":
            position["on_replacement"] = self.on_replacement
            position["opening"] = self.opening
        return position

    def _dump_seat(self, seat: int) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "hand": hand_name(self.hands[seat]),
            "melds": [str(meld) for meld in self.melds[seat]],
            "river": "".join(tile_name(kind) for kind in self.rivers[seat]),
        }
        if self.baoting[seat]:
            shown["baoting"] = True
        return shown


def _parse_first(first: dict[str, Any] | None, melds: list[list[Meld]], kind: int) -> First | None:
    if first is None:
        return None
    claimer = first["claimed_by"]
    if claimer is None:
        return First(first["seat"])
    claims = [meld.verb for meld in melds[claimer] if meld.kind == kind]
    return First(first["seat"], claimer, "gang" if claims == ["dian"] else "peng")


def _dump_first(first: First | None) -> dict[str, Any] | None:
    if first is None or first.how == "hu":
        return None
    return {"seat": first.seat, "claimed_by": first.claimer}


def others(seat: int) -> list[int]:
    """The other seats in order of play."""
    return [(seat + step) % 4 for step in (1, 2, 3)]


class Settlement:
    """The bill of an `End`, clause by clause."""

    def __init__(self, end: End, coverage: Counter[str]) -> None:
        self.end = end
        self.rules = end.rules
        self.winners = end.winners
        self.cover = coverage
        self.items: Counter[tuple[str, int, int]] = Counter()
        self.waits = [waits(end.hands[s], end.melds[s], end.rules) for s in SEATS]
        self.ready = [s in end.winners or bool(self.waits[s]) for s in SEATS]
        # R31: the discard was won in the turn in which its shooter declared a kong.
        self.hot = end.end == "discard" and bool(end.turn_kongs)
        # R25: a marked player who takes hu on another's tile.
        pays_three = self.rules["win"]["passed"] == "pays_three" and end.shooter is not None
        self.fouls = {w for w in end.winners if pays_three and end.marked[w]}
        self.burns = self.hot or (end.end == "rob" and self.rules["re_pao"]["on_rob"])
        self.blown = self.rules["ji"]["chui_feng"] and end.indicator == BLOWER

    def result(self) -> dict[str, Any]:
        """The `result` object of FORMATS.md."""
        end = self.end
        self.cover[f"end {end.end}"] += 1
        if end.winners:
            self._pay_win()
        else:
            self._pay_cha_jiao()
        for item, _, _ in self.items:
            self.cover[f"item {item}"] += 1
        scores = [0, 0, 0, 0]
        for (_, payer, payee), fan in self.items.items():
            scores[payer] -= self.rules["base"] * fan  # R26
            scores[payee] += self.rules["base"] * fan
        dealer = self._next_dealer()
        self.cover["R47 same dealer" if dealer == end.dealer else "R47 new dealer"] += 1
        return {
            "end": end.end,
            "winners": list(end.winners),
            "shooter": end.shooter,
            "tile": None if end.tile is None else tile_name(end.tile),
            "indicator": None if end.indicator is None else tile_name(end.indicator),
            "ready": self.ready,
            "items": [[*key, fan] for key, fan in sorted(self.items.items())],
            "scores": scores,
            "next_dealer": dealer,
            "next_streak": end.streak + 1 if dealer == end.dealer else 1,  # R47
        }

    def _pay(self, item: str, payer: int, payee: int, fan: int) -> None:
        if fan:
            self.items[item, payer, payee] += fan

    def _pay_win(self) -> None:
        self.cover[f"{self.end.end} by {len(self.winners)}"] += 1
        self.cover["R37 no flip" if self.end.indicator is None else "R37 flip"] += 1
        for winner in self.winners:
            self._pay_hu(winner)
        if self.end.end == "discard":
            self._pay_shot()
        self._cover_burns()
        self.paid_dou = {(s, m) for s in SEATS for m in self.end.melds[s] if self._is_paid(s, m)}
        self._pay_dou()
        self._pay_ji()
        if self.rules["ji"]["bao"]:
            self._pay_bao_ji()

    # The hu item

    def _bonus(self, seat: int, other: int) -> int:
        """R21."""
        if self.end.dealer in (seat, other):
            return int(self.rules["dealer_bonus"] * self.end.streak)
        return 0

    def _worth(self, winner: int) -> int:
        """v(w): the hand fan of a winner."""
        end, hand = self.end, self.rules["hand"]
        assert end.tile is not None
        whole = plus(end.hands[winner], end.tile)
        name = best_pattern(whole, end.melds[winner], end.tile, self.rules)
        self.cover[f"pattern {name}"] += 1
        fan = self._with_baoting(hand[name], winner)
        if end.end == "self_draw":
            fan += hand["zi_mo"]
            if end.on_replacement:  # R20
                self.cover["R20 gang_shang_hua"] += bool(hand["gang_shang_hua"])
                fan += hand["gang_shang_hua"]
            if end.opening:
                special = "tian_hu" if winner == end.dealer else "di_hu"
                self.cover[special] += bool(hand[special])
                fan += hand[special]
        return fan + self._table(winner)

    def _with_baoting(self, fan: int, winner: int) -> int:
        """R30: the pattern fan where the winner, or the shooter of the discard, is baoting."""
        end, baoting = self.end, self.rules["baoting"]
        shot = end.end == "discard" and end.shooter is not None and end.baoting[end.shooter]
        if not (end.baoting[winner] or shot):
            return fan
        if self.winners:
            self.cover["R30 winner baoting"] += end.baoting[winner]
            self.cover["R30 shooter baoting"] += shot
        self.cover[f"R30 {baoting['combine']}"] += 1
        value = int(baoting["value"])
        return {"max": max(fan, value), "add": fan + value, "replace": value}[baoting["combine"]]

    def _table(self, winner: int) -> int:
        """R36: a winner's own dou, priced into the hand."""
        if not self.rules["dou"]["table"]:
            return 0
        worth = [m for m in self.end.melds[winner] if m.is_kong and not m.late]
        self.cover["R36 table"] += bool(worth)
        units = len(worth) + sum(m.verb == "men" for m in worth)
        return int(units * self.rules["hand"]["ping_hu"])

    def _pay_hu(self, winner: int) -> None:
        end, worth = self.end, self._worth(winner)
        if end.shooter is None:  # R22
            for seat in others(winner):
                self._pay("hu", seat, winner, worth)
                self._pay("dealer", seat, winner, self._bonus(winner, seat))
        elif winner in self.fouls:  # R25, and it precedes R24
            self.cover[f"R25 foul, {end.end} by {len(self.winners)}"] += 1
            self.cover["R25 foul on a hot shot"] += self.hot
            for seat in others(winner):
                self._pay("bao", winner, seat, worth)
        elif end.end == "rob":  # R33: all three shares, the bonus of each share's own seat
            self._pay("hu", end.shooter, winner, 3 * worth)
            shares = sum(self._bonus(winner, seat) for seat in others(winner))
            self._pay("dealer", end.shooter, winner, shares)
        elif len(self.winners) == 3 and self.rules["win"]["triple"] == "winners_pay":  # R24
            self.cover["R24 winners_pay"] += 1
            self.cover["R24 winners_pay on a hot shot"] += self.hot
            self._pay("hu", winner, end.shooter, worth)
        else:  # R23
            self._pay("hu", end.shooter, winner, worth)
            self._pay("dealer", end.shooter, winner, self._bonus(winner, end.shooter))

    def _pay_shot(self) -> None:
        """R31's surcharge and sha_bao, which hang on the discard that was won."""
        end, shooter = self.end, self.end.shooter
        assert shooter is not None
        if end.baoting[shooter]:
            for winner in self.winners:  # neither R24 nor R25 lifts it
                self._pay("sha_bao", shooter, winner, self.rules["baoting"]["sha_bao"])
        if not self.hot:
            return
        self.cover[f"R31 hot shot, {len(end.turn_kongs)} kong(s)"] += 1
        if not self.rules["re_pao"]["surcharge"]:
            return
        for meld in end.melds[shooter]:
            if meld.kind in end.turn_kongs:
                payers = 1 if meld.verb == "dian" else 3
                fan = 0 if meld.late else payers * self.rules["dou"][meld.verb]
                for winner in set(self.winners) - self.fouls:
                    self.cover[f"R31 surcharge {meld.verb}{' late' if meld.late else ''}"] += 1
                    self._pay("re_pao", shooter, winner, fan)

    # Dou

    def _cover_burns(self) -> None:
        if self.hot:
            self.cover[f"R31 void {self.rules['re_pao']['void']}"] += 1
            self.cover["R31 burn_ji"] += self.rules["re_pao"]["burn_ji"]
        elif self.burns:
            self.cover["re_pao.on_rob"] += 1
        if self.rules["win"]["foul_forfeits"] and self.fouls:
            self.cover["win.foul_forfeits"] += 1

    def _forfeits(self, seat: int) -> bool:
        """`win.foul_forfeits`: a fouling winner collects no dou and no ji."""
        return self.rules["win"]["foul_forfeits"] and seat in self.fouls

    def _is_void(self, seat: int, meld: Meld) -> bool:
        """R31: a shooter's dou after a hot shot (`re_pao.on_rob`: a robbed player's)."""
        if not self.burns or seat != self.end.shooter:
            return False
        return self.rules["re_pao"]["void"] == "all" or meld.kind in self.end.turn_kongs

    def _is_paid(self, seat: int, meld: Meld) -> bool:
        """R35: whether a kong is paid for as a dou."""
        if not meld.is_kong:
            return False
        if meld.late:  # R12
            self.cover[f"R12 worthless {meld.verb}"] += 1
            return False
        if self._is_void(seat, meld) or self._forfeits(seat):
            return False
        if self.rules["dou"]["table"] and seat in self.winners:  # R36
            return False
        if self.rules["dou"]["requires_ting"] and not self.ready[seat]:
            self.cover["dou.requires_ting withholds"] += 1
            return False
        return True

    def _pay_dou(self) -> None:
        """R35, but for R42's."""
        for seat, meld in self.paid_dou:
            if self._is_men_yao(seat, meld):
                continue
            payers = others(seat) if meld.verb != "dian" else [meld.feeder]
            for payer in payers:
                assert payer is not None
                self._pay(f"{meld.verb}_dou", payer, seat, self.rules["dou"][meld.verb])

    def _is_men_yao(self, seat: int, meld: Meld) -> bool:
        """R42: a men dou of yaoji priced as one, because both its dou and its holder's ji count."""
        return (
            meld.verb == "men"
            and meld.kind == YAOJI
            and self.rules["ji"]["men_yao"] is not None
            and (seat, meld) in self.paid_dou
            and self._ji_counts(seat)
        )

    # Ji

    def _is_burned(self, seat: int) -> bool:
        """R31: all of the shooter's ji."""
        return self.burns and self.rules["re_pao"]["burn_ji"] and seat == self.end.shooter

    def _ji_counts(self, seat: int) -> bool:
        """Whether a seat collects for its ji: R31, R43, chui_feng, foul_forfeits."""
        withheld = self.rules["ji"]["requires_ting"] and not self.ready[seat]
        return not (withheld or self.blown or self._is_burned(seat) or self._forfeits(seat))

    def _zhuo_kinds(self) -> set[int]:
        """R37 and the house variants: every kind that is a zhuo ji."""
        ji, indicator = self.rules["ji"], self.end.indicator
        kinds = {suit * 9 + ji["xing_qi"] - 1 for suit in range(3)} if ji["xing_qi"] else set()
        if indicator is not None:
            suit, rank = divmod(indicator, 9)
            kinds.add(suit * 9 + (rank + 1) % 9)
            if ji["ben"]:
                kinds.add(indicator)
            if ji["yao_bai"]:
                kinds.add(suit * 9 + (rank - 1) % 9)
        return kinds

    def _held(self, seat: int, kind: int) -> int:
        """R38: held tiles of a kind; the tile won on belongs to every winner."""
        won = int(seat in self.winners and kind == self.end.tile)
        return holds(self.end.hands[seat], self.end.melds[seat], kind) + won

    def _is_charge(self, seat: int, first: First | None) -> bool:
        """R39: the deal's first one lies, unclaimed, in this seat's river."""
        return first is not None and first.seat == seat and first.how == ""

    def _doubled(self, kind: int) -> int:
        """R40 `gold: double`: 2 for a kind that is indicated, else 1."""
        return 2 if self.rules["ji"]["gold"] == "double" and kind in self._zhuo_kinds() else 1

    def _yao_prices(self, seat: int) -> dict[str, int]:
        """R39: what each payer owes for a seat's yaoji, by item."""
        ji, times = self.rules["ji"], self._doubled(YAOJI)
        charge = self._is_charge(seat, self.end.yaoji)
        river = self.end.rivers[seat].count(YAOJI) - charge
        fan = self._held(seat, YAOJI) * ji["yao_held"] + river * ji["yao_river"]
        return {"yao_ji": times * fan, "charge_ji": times * charge * ji["charge"]}

    def _wu_gu_prices(self, seat: int) -> dict[str, int]:
        """`ji.wu_gu`, `ji.wu_gu_charge`: the same for a seat's 8p."""
        ji, times = self.rules["ji"], self._doubled(WU_GU)
        if not ji["wu_gu"]:
            return {}
        charge = bool(ji["wu_gu_charge"]) and self._is_charge(seat, self.end.wu_gu)
        number = self._held(seat, WU_GU) + self.end.rivers[seat].count(WU_GU) - charge
        return {
            "wu_gu_ji": times * number * ji["wu_gu"],
            "charge_ji": times * charge * ji["wu_gu_charge"],
        }

    def _zhuo_price(self, seat: int) -> int:
        """R40: what each payer owes for a seat's zhuo ji."""
        ji, fan = self.rules["ji"], 0
        for kind in self._zhuo_kinds():
            priced_already = kind == YAOJI or (kind == WU_GU and ji["wu_gu"])
            if not (priced_already and ji["gold"] == "double"):
                river = self.end.rivers[seat].count(kind)
                fan += self._held(seat, kind) * ji["zhuo_held"] + river * ji["zhuo_river"]
        return fan

    def _zeren(self) -> tuple[int, int] | None:
        """R41: who owes for the responsibility chicken, and to whom."""
        first = self.end.yaoji
        if first is None or first.claimer is None:
            return None
        if first.how == "gang" and self.rules["ji"]["zeren_on"] == "peng":
            self.cover["R41 not on gang"] += bool(self.rules["ji"]["zeren"])
            return None
        return first.seat, first.claimer

    def _pay_ji(self) -> None:
        self._cover_ji()
        for seat in SEATS:
            prices: Counter[str] = Counter()
            kongs = [m for m in self.end.melds[seat] if self._is_men_yao(seat, m)]
            if kongs:  # R42: in place of the dou and of the four R39 prices
                prices["men_yao"] = self.rules["ji"]["men_yao"]
            else:
                prices.update(self._yao_prices(seat))
            prices.update(self._wu_gu_prices(seat))
            prices["zhuo_ji"] = self._zhuo_price(seat)
            if not self._ji_counts(seat):
                self._cover_lost(seat, sum(prices.values()))
                continue
            for item, fan in prices.items():
                for payer in others(seat):
                    self._pay(item, payer, seat, fan)
        self._pay_zeren()

    def _pay_zeren(self) -> None:
        owed, fan = self._zeren(), self.rules["ji"]["zeren"]
        if owed is None or not fan:
            return
        self.cover["R41 claimed first yaoji"] += 1
        payer, payee = owed
        if self._ji_counts(payee):
            self._pay("zeren_ji", payer, payee, fan)  # never doubled
        else:
            self.cover["R41 lost with the claimer's ji"] += 1

    def _pay_bao_ji(self) -> None:
        """`ji.bao`: who is neither ready nor a winner pays for their own yaoji and 8p."""
        for payer in SEATS:
            if self.ready[payer]:
                continue
            fan = sum(self._yao_prices(payer).values()) + sum(self._wu_gu_prices(payer).values())
            if fan:
                self.cover["ji.bao although burned"] += self._is_burned(payer)
                self.cover["ji.bao although chui_feng"] += self.blown
            for payee in SEATS:
                if self.ready[payee]:
                    self._pay("bao_ji", payer, payee, fan)

    def _cover_lost(self, seat: int, fan: int) -> None:
        if not fan:
            return
        if self._is_burned(seat):
            self.cover["R31 burned ji lost"] += 1
        elif not self._forfeits(seat):
            self.cover["R43 or chui_feng ji lost"] += 1

    def _cover_ji(self) -> None:
        ji, kinds = self.rules["ji"], self._zhuo_kinds()
        self.cover["ji.xing_qi"] += bool(ji["xing_qi"])
        self.cover["ji.chui_feng voids"] += self.blown
        if YAOJI in kinds:
            self.cover[f"R40 gold {ji['gold']}"] += 1
        if WU_GU in kinds and ji["wu_gu"]:
            self.cover[f"ji.wu_gu indicated, {ji['gold']}"] += 1
        for first in (self.end.yaoji, self.end.wu_gu if ji["wu_gu"] else None):
            self.cover["R39 first yaoji or 8p won on"] += first is not None and first.how == "hu"
        if ji["men_yao"] is not None:
            for seat in SEATS:
                for meld in self.end.melds[seat]:
                    if meld.verb == "men" and meld.kind == YAOJI:
                        self._cover_men_yao(seat, meld, YAOJI in kinds)

    def _cover_men_yao(self, seat: int, meld: Meld, gold: bool) -> None:
        """Which of R42's cases a declared men dou of yaoji is."""
        dou, ji = (seat, meld) in self.paid_dou, self._ji_counts(seat)
        if dou and ji:
            self.cover["R42 with gold" if gold else "R42 without gold"] += 1
        elif dou and self._is_burned(seat):
            self.cover["R42 dou alone, ji burned"] += 1
        elif dou:
            line = "R42 dou alone, ji blown away" if self.blown else "R42 dou alone, ji not ready"
            self.cover[line] += 1
        elif ji and meld.late:
            self.cover["R42 ji alone, dou late"] += 1
        elif ji and self._is_void(seat, meld):
            self.cover["R42 ji alone, dou void"] += 1
        elif ji:
            self.cover["R42 ji alone, dou in the table or withheld"] += 1

    # Exhaustive draw and the next dealer

    def _pay_cha_jiao(self) -> None:
        """R44."""
        self.cover[f"R44 {sum(self.ready)} ready"] += 1
        for payee in SEATS:
            if not self.ready[payee]:
                continue
            hand, melds = self.end.hands[payee], self.end.melds[payee]
            best = 0
            for tile in self.waits[payee]:
                name = best_pattern(plus(hand, tile), melds, tile, self.rules)
                best = max(best, self._with_baoting(self.rules["hand"][name], payee))
            for payer in SEATS:
                if not self.ready[payer]:
                    self._pay("cha_jiao", payer, payee, best)

    def _next_dealer(self) -> int:
        """R45, R46."""
        end = self.end
        if len(self.winners) == 1:
            return self.winners[0]
        if len(self.winners) == 2:
            return self._dealer_of_two()
        if len(self.winners) == 3:
            assert end.shooter is not None
            self.cover["R45 three winners"] += 1
            return end.shooter
        return self._dealer_of_draw()

    def _dealer_of_two(self) -> int:
        win, dealer = self.rules["win"], self.end.dealer
        if win["double_dealer"] == "shooter":
            assert self.end.shooter is not None
            self.cover["R45 two winners, shooter"] += 1
            return self.end.shooter
        counts_first = win["dealer_counts_first"]
        if dealer in self.winners:
            line = f"R45 two winners, dealer among them, counts first {counts_first}"
        else:
            line = "R45 two winners, neither the dealer"
        self.cover[line] += 1
        order = [dealer, *others(dealer)] if counts_first else [*others(dealer), dealer]
        return next(seat for seat in order if seat in self.winners)

    def _dealer_of_draw(self) -> int:
        dealer, number = self.end.dealer, sum(self.ready)
        on_draw = self.rules["dealer"]["on_draw"]
        if on_draw == "stay" or number in (0, 4):
            self.cover[f"R46 {on_draw}, dealer stays with {number} ready"] += 1
            return dealer
        if number == 3:
            self.cover["R46 three ready"] += 1
            return self.ready.index(False)
        self.cover["R46 dealer ready" if self.ready[dealer] else "R46 nearest ready"] += 1
        return next(seat for seat in [dealer, *others(dealer)] if self.ready[seat])


def settle(position: dict[str, Any], coverage: Counter[str] | None = None) -> dict[str, Any]:
    """The `result` object of a `zhuoji-position/1`, taken at its word."""
    return Settlement(End.parse(position), COVERAGE if coverage is None else coverage).result()


# --------------------------------------------------------------------------------------------------
# The play of a deal (R3-R12, R16-R19, R29, R33)


class Referee:
    """One deal, decision by decision in the order of R9's polling protocol.

    `rivers` holds unclaimed discards; while a tile is in question (phases "claim" and "rob") it is
    in `tile` and in nobody's hand, meld or river. `marked` is R19's marks as they stood before that
    tile.
    """

    def __init__(
        self,
        rules: Rules,
        wall: Sequence[int],
        dealer: int,
        streak: int = 1,
        coverage: Counter[str] | None = None,
    ) -> None:
        if sorted(wall) != sorted(list(KINDS) * 4):
            raise ValueError("a wall is 108 tiles, four of each kind (R1)")
        self.rules = rules
        self.wall = tuple(wall)
        self.dealer, self.streak = dealer, streak
        self.cover = COVERAGE if coverage is None else coverage
        self.hands = [count(self._opening_tiles(seat)) for seat in SEATS]
        self.head, self.tail = 53, 108
        # R12: the kinds of which a player was dealt all four.
        self.dealt_four = [[k for k in KINDS if hand[k] == 4] for hand in self.hands]
        self.melds: list[list[Meld]] = [[], [], [], []]
        self.rivers: list[list[int]] = [[], [], [], []]
        self.marked = [False] * 4
        self.baoting = [False] * 4
        self.has_discarded = [False] * 4
        self.firsts: dict[int, First | None] = {YAOJI: None, WU_GU: None}
        self.winners: tuple[int, ...] = ()
        self.end = ""
        self._result: dict[str, Any] | None = None
        # R6, R14: the opening 14 count as a draw, its winning tile is wall[52].
        self._begin_turn(dealer, self.wall[52])

    def _opening_tiles(self, seat: int) -> list[int]:
        """R3: three rounds of four, one more each, and one more for the dealer."""
        place = (seat - self.dealer) % 4
        tiles = [tile for lap in range(3) for tile in self.wall[16 * lap + 4 * place :][:4]]
        tiles.append(self.wall[48 + place])
        return [*tiles, self.wall[52]] if place == 0 else tiles

    def _begin_turn(self, seat: int, drawn: int | None = None) -> None:
        """R31: a turn runs from the draw or claim that begins it to its discard."""
        self.seat = self.turn_seat = seat
        self.phase = "turn"
        self.turn_kongs: list[int] = []
        self.drawn = drawn
        self.turn_draws = [] if drawn is None else [drawn]
        self.on_replacement = False
        self.declaring = False  # baoting was declared in this turn
        self.tile: int | None = None
        self.is_first = False  # the tile in question is the deal's first yaoji or 8p
        self.options: dict[int, set[int]] = {}
        self.to_ask: list[int] = []  # R9: first round
        self.later: int | None = None  # R9: who is asked after it
        self.answers: dict[int, int] = {}
        self._legal: set[int] | None = None

    @property
    def done(self) -> bool:
        return self.phase == "done"

    @property
    def wall_left(self) -> int:
        """Undrawn tiles."""
        return self.tail - self.head

    def copy(self) -> Referee:
        """An independent copy; the wall, the rules and the coverage counter are shared."""
        twin = Referee.__new__(Referee)
        twin.__dict__.update(self.__dict__)
        twin.hands = [hand[:] for hand in self.hands]
        twin.melds = [melds[:] for melds in self.melds]
        twin.rivers = [river[:] for river in self.rivers]
        for name in ("marked", "baoting", "has_discarded", "turn_kongs", "turn_draws", "to_ask"):
            setattr(twin, name, getattr(self, name)[:])
        twin.firsts, twin.answers = dict(self.firsts), dict(self.answers)
        return twin

    # What is legal

    def legal(self) -> set[int]:
        """The action ids open to `seat`; empty when the deal is done."""
        if self._legal is None:
            self._legal = self._find_legal()
        return self._legal

    def _find_legal(self) -> set[int]:
        if self.phase == "done":
            return set()
        if self.phase in ("claim", "rob"):
            return self.options[self.seat]
        hand = self.hands[self.seat]
        discards = {kind for kind in KINDS if hand[kind]}
        if self.phase == "after_peng":  # R7
            return discards
        if self.declaring:  # R29: only a discard that leaves them ready
            return self._ready_discards()
        assert self.drawn is not None
        hu = {HU} if patterns(hand, self.melds[self.seat], self.drawn, self.rules) else set()
        if self.baoting[self.seat]:  # R29: frozen
            return hu | {self.drawn}
        return discards | hu | self._own_gangs() | self._own_baoting()

    def _own_gangs(self) -> set[int]:
        """R6, R10, R12: concealed and added kongs."""
        if not self.wall_left:
            return set()
        hand = self.hands[self.seat]
        gangs = {GANG + kind for kind in KINDS if hand[kind] == 4}
        for meld in self.melds[self.seat]:
            if meld.verb == "peng" and hand[meld.kind]:
                if self._is_late_added(meld.kind) and self._late_added == "forbid":
                    self.cover["R12 late_added forbid"] += 1
                else:
                    gangs.add(GANG + meld.kind)
        return gangs

    @property
    def _late_added(self) -> str:
        return str(self.rules["dou"]["late_added"])

    def _is_late_added(self, kind: int) -> bool:
        """R12: the added tile was not drawn in this very turn (it is the only fourth one)."""
        return kind not in self.turn_draws

    def _own_baoting(self) -> set[int]:
        """R29: on the first own draw, with nothing discarded or melded."""
        seat = self.seat
        if not self.rules["baoting"]["enabled"] or self.has_discarded[seat] or self.melds[seat]:
            return set()
        return {BAOTING} if self._ready_discards() else set()

    def _ready_discards(self) -> set[int]:
        hand, melds = self.hands[self.seat], self.melds[self.seat]
        return {k for k in KINDS if hand[k] and waits(plus(hand, k, -1), melds, self.rules)}

    # Claims

    def _may_hu(self, seat: int) -> bool:
        """R8, R16, R17, R19: whether a seat may take hu on the tile in question."""
        assert self.tile is not None
        melds = self.melds[seat]
        names = patterns(plus(self.hands[seat], self.tile), melds, self.tile, self.rules)
        if not names:
            return False
        if self.marked[seat] and self.rules["win"]["passed"] == "forbid":
            self.cover["R19 forbid"] += 1
            return False
        if names != ["ping_hu"]:
            self.cover["R16 higher pattern"] += 1
            return True
        if any(meld.is_kong for meld in melds):
            self.cover["R16 has a passport"] += 1
            return True
        if not self.rules["win"]["passport"]:
            self.cover["R16 passport off"] += 1
            return True
        waivers = {
            "R17a hot shot waives": self.phase == "claim" and bool(self.turn_kongs),
            "R17b rob waives": self.phase == "rob",
            "R17c baoting winner waives": self.baoting[seat],
            "R17d baoting shooter waives": self.baoting[self.turn_seat],
        }
        for line, holds_here in waivers.items():
            self.cover[line] += holds_here
        self.cover["R16 no passport"] += not any(waivers.values())
        return any(waivers.values())

    def _meld_claims(self, seat: int) -> set[int]:
        """R8, R10, R29: peng and gang of the discard."""
        assert self.tile is not None
        number = self.hands[seat][self.tile]
        if number < 2 or self.baoting[seat]:
            return set()
        if not self.wall_left:
            self.cover["R10 no peng or gang on the last discard"] += 1
            return set()
        return {PENG, GANG + self.tile} if number == 3 else {PENG}

    def _ask(self, phase: str, tile: int) -> None:
        """R9: open the polling on a discard or on an added kong."""
        self.phase, self.tile = phase, tile
        self.options, self.answers = {}, {}
        self.to_ask, self.later = [], None
        for seat in others(self.turn_seat):
            melds = self._meld_claims(seat) if phase == "claim" else set()
            if self._may_hu(seat):
                self.options[seat] = {HU, PASS} | melds
                self.to_ask.append(seat)
            elif melds:
                self.options[seat] = {PASS} | melds
                self.later = seat
        self._ask_next()

    def _ask_next(self) -> None:
        if self.to_ask:
            self.seat = self.to_ask.pop(0)
        elif self.later is not None and all(a == PASS for a in self.answers.values()):
            self.seat, self.later = self.later, None
        else:
            self._resolve()

    def _resolve(self) -> None:
        """R9: all answers are in."""
        passed = [s for s, a in self.answers.items() if a != HU and HU in self.options[s]]
        for seat in passed:
            verb = action_name(self.answers[seat]).split()[0]
            self.cover[f"R19 passed by {verb}{' on a rob' if self.phase == 'rob' else ''}"] += 1
        takers = [s for s in others(self.turn_seat) if self.answers.get(s) == HU]
        claims = [(s, a) for s, a in self.answers.items() if a not in (HU, PASS)]
        if takers:
            self.cover["R9 gang or peng void by another's hu"] += bool(claims)
            if not self.rules["win"]["multiple"]:
                self.cover["R9 multiple off"] += len(takers) > 1
                takers = takers[:1]
            if self.is_first:
                self._claim_first(None, "hu")
            self._finish("discard" if self.phase == "claim" else "rob", tuple(takers))
            return
        for seat in passed:  # R19
            self.marked[seat] = True
        if self.phase == "rob":
            self._add_kong()
        elif claims:
            self._take(*claims[0])
        else:
            assert self.tile is not None
            self.rivers[self.turn_seat].append(self.tile)
            self._draw_next()

    def _claim_first(self, claimer: int | None, how: str) -> None:
        assert self.tile is not None
        self.firsts[self.tile] = First(self.turn_seat, claimer, how)

    def _take(self, seat: int, action: int) -> None:
        """R8: a peng or a dian dou."""
        kind, feeder, first = self.tile, self.turn_seat, self.is_first
        assert kind is not None
        verb = "peng" if action == PENG else "dian"
        if first:
            self._claim_first(seat, "peng" if action == PENG else "gang")
        self.hands[seat][kind] -= 2 if action == PENG else 3
        self.melds[seat].append(Meld(verb, kind, feeder))
        self._begin_turn(seat)
        if action == PENG:
            self.phase = "after_peng"
        else:
            self.turn_kongs.append(kind)
            self._draw(replacement=True)

    # Turns

    def step(self, action: int) -> None:
        """Take one decision of `seat`; ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"seat {self.seat} may not {action_name(action)} in {self.phase}")
        self._legal = None
        self.cover[f"action {action_name(action).split()[0]}"] += 1
        if self.phase in ("claim", "rob"):
            self.answers[self.seat] = action
            self._ask_next()
        elif action == HU:
            self._finish("self_draw", (self.seat,))
        elif action == BAOTING:
            self.cover[f"R29 baoting {'dealer' if self.seat == self.dealer else 'other'}"] += 1
            self.baoting[self.seat] = self.declaring = True
        elif action >= GANG:
            self._own_gang(action - GANG)
        else:
            self._discard(action)

    def _draw_next(self) -> None:
        """R10: the next seat draws, or the deal ends in an exhaustive draw."""
        if not self.wall_left:
            self.tile = None
            self._finish("draw", ())
            return
        self._begin_turn((self.turn_seat + 1) % 4)
        self._draw(replacement=False)

    def _draw(self, replacement: bool) -> None:
        """R3 from the head, R4 from the tail."""
        if replacement:
            self.tail -= 1
            kind = self.wall[self.tail]
        else:
            kind = self.wall[self.head]
            self.head += 1
        self.hands[self.seat][kind] += 1
        self.drawn, self.on_replacement = kind, replacement
        self.turn_draws.append(kind)
        self.cover["R19 mark lifted by a draw"] += self.marked[self.seat]
        self.marked[self.seat] = False

    def _discard(self, kind: int) -> None:
        self.hands[self.seat][kind] -= 1
        self.has_discarded[self.seat] = True
        self.is_first = kind in self.firsts and self.firsts[kind] is None
        if self.is_first:
            self.firsts[kind] = First(self.seat)
        self._ask("claim", kind)

    def _own_gang(self, kind: int) -> None:
        """R6, R11: a concealed kong at once, an added one when nobody robs it."""
        seat, hand = self.seat, self.hands[self.seat]
        if hand[kind] == 4:
            hand[kind] = 0
            self.melds[seat].append(Meld("men", kind, None, self._is_worthless_men(kind)))
            self.turn_kongs.append(kind)
            self._draw(replacement=True)
        else:
            hand[kind] -= 1
            self.is_first = False
            self._ask("rob", kind)

    def _is_worthless_men(self, kind: int) -> bool:
        """R12 dealt_late: dealt all four, and the seat has discarded before this kong."""
        if kind not in self.dealt_four[self.seat] or not self.has_discarded[self.seat]:
            return False
        switch = self.rules["dou"]["dealt_late"]
        self.cover[f"R12 dealt_late {switch}"] += 1
        return bool(switch == "passport")

    def _add_kong(self) -> None:
        """R11, R12: nobody robbed; the peng becomes a zhuan_wan dou."""
        seat, kind = self.turn_seat, self.tile
        assert kind is not None
        late = self._is_late_added(kind)
        if late:
            self.cover[f"R12 late_added {self._late_added}"] += 1
        place = next(i for i, meld in enumerate(self.melds[seat]) if meld.kind == kind)
        self.melds[seat][place] = Meld(
            "zhuan_wan", kind, None, late and self._late_added == "passport"
        )
        self.turn_kongs.append(kind)
        self.seat, self.phase, self.tile = seat, "turn", None
        self._draw(replacement=True)

    # The end

    def _finish(self, end: str, winners: tuple[int, ...]) -> None:
        self.end, self.winners = end, winners
        if end == "self_draw":
            self.tile = self.drawn
            assert self.tile is not None
            self.hands[self.seat][self.tile] -= 1
        self.phase = "done"

    def _is_opening(self) -> bool:
        """tian_hu and di_hu: a self-drawn win on a seat's first draw, no meld made by anyone."""
        return self.end == "self_draw" and not self.has_discarded[self.seat] and not any(self.melds)

    def _end(self) -> End:
        """What the settlement looks at. R37: the flip is the wall's head tile, if there is one."""
        if not self.done:
            raise ValueError("the deal is not done")
        return End(
            rules=self.rules,
            dealer=self.dealer,
            streak=self.streak,
            hands=self.hands,
            melds=self.melds,
            rivers=self.rivers,
            baoting=self.baoting,
            marked=self.marked,
            end=self.end,
            shooter=self.turn_seat if self.end in ("discard", "rob") else None,
            winners=self.winners,
            tile=self.tile,
            indicator=self.wall[self.head] if self.winners and self.wall_left else None,
            yaoji=self.firsts[YAOJI],
            wu_gu=self.firsts[WU_GU],
            turn_kongs=tuple(self.turn_kongs),
            on_replacement=self.end == "self_draw" and self.on_replacement,
            opening=self._is_opening(),
        )

    def position(self) -> dict[str, Any]:
        """The `zhuoji-position/1` of a finished deal."""
        return self._end().dump()

    def result(self) -> dict[str, Any]:
        """The `result` object of FORMATS.md of a finished deal."""
        if self._result is None:
            self._result = Settlement(self._end(), self.cover).result()
        return self._result


def perft(referee: Referee, depth: int) -> int:
    """The number of legal action sequences of exactly `depth` actions from here.

    As in chess, a deal that ends sooner contributes nothing; depth 0 is one (empty) sequence.
    """
    if depth == 0:
        return 1
    actions = referee.legal()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        child = referee.copy()
        child.step(action)
        total += perft(child, depth - 1)
    return total
