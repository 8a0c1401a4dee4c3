"""Rigged deals: walls and biased random policies that make rare situations frequent.

A theme deals planned hands and plans some draws; the rest of the wall is random. The policy that
comes with it plays at random too, but leans towards the plan: it keeps the planned tiles, throws
what others wait for, and takes or declines wins as the theme needs. `random_rules` and
`turned_once` give the rulesets to play them under.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.referee import (
    BAOTING,
    BLOWER,
    GANG,
    HU,
    PASS,
    PENG,
    PRESETS,
    SEATS,
    WU_GU,
    YAOJI,
    Referee,
    Rules,
    count,
)

NINE_S, SEVEN_P = 26, 15  # the indicators that make yaoji and 8p zhuo ji


class ShortError(Exception):
    """A plan asked for tiles that are no longer in the pool."""


@dataclass
class Policy:
    """How seats lean. Probabilities of taking what is legal, and by seat which tiles to hold."""

    hu_self: float = 0.9
    hu_claim: float = 0.9
    hu_rob: float = 0.9
    gang: float = 0.8
    peng: float = 0.3
    peng_first: float = 0.2  # peng although gang is legal too
    baoting: float = 0.5
    chaos: float = 0.02  # any legal action at all
    patience: int = 108  # no wins while more tiles than this are undrawn
    decline: frozenset[int] = frozenset()  # kinds seldom won on while no river shows one
    keep: list[list[int]] = field(default_factory=lambda: [[0] * 27 for _ in SEATS])
    throw: list[list[int]] = field(default_factory=lambda: [[] for _ in SEATS])
    hot: list[list[int]] = field(default_factory=lambda: [[] for _ in SEATS])  # after a kong


@dataclass
class Rigged:
    """A deal to play: what `Referee` and the engine start from, and how to play it."""

    theme: str
    wall: list[int]
    dealer: int
    streak: int
    policy: Policy


def choose(policy: Policy, referee: Referee, rng: Random) -> int:
    """An action of `referee.seat` that leans towards the plan."""
    legal = referee.legal()
    if len(legal) == 1 or rng.random() < policy.chaos:
        return rng.choice(sorted(legal))
    if HU in legal and rng.random() < _hu_chance(policy, referee):
        return HU
    gangs = sorted(action for action in legal if GANG <= action < HU)
    if PENG in legal and gangs and rng.random() < policy.peng_first:
        return PENG
    if gangs and rng.random() < policy.gang:
        return rng.choice(gangs)
    if PENG in legal and rng.random() < policy.peng:
        return PENG
    if BAOTING in legal and rng.random() < policy.baoting:
        return BAOTING
    if PASS in legal:
        return PASS
    return _discard(policy, referee, rng, sorted(action for action in legal if action < PENG))


def _hu_chance(policy: Policy, referee: Referee) -> float:
    if referee.wall_left > policy.patience:
        return 0.0
    if referee.phase == "turn":
        return policy.hu_self
    if referee.phase == "rob":
        return policy.hu_rob
    shown = any(referee.tile in river for river in referee.rivers)
    return 0.1 if referee.tile in policy.decline and not shown else policy.hu_claim


def _discard(policy: Policy, referee: Referee, rng: Random, kinds: list[int]) -> int:
    seat = referee.seat
    wanted = policy.hot[seat] if referee.turn_kongs else policy.throw[seat]
    planned = [kind for kind in wanted if kind in kinds]
    if planned and rng.random() < 0.9:
        return planned[0]
    hand, keep = referee.hands[seat], policy.keep[seat]
    weights = [1.0 if hand[kind] > keep[kind] else 0.001 for kind in kinds]
    return rng.choices(kinds, weights)[0]


# --------------------------------------------------------------------------------------------------
# Hands to plan with


def _group(rng: Random, suits: Sequence[int], triplets: float) -> list[int]:
    suit = rng.choice(suits) * 9
    if rng.random() < triplets:
        return [suit + rng.randrange(9)] * 3
    low = suit + rng.randrange(7)
    return [low, low + 1, low + 2]


def _group_with(rng: Random, tile: int, triplets: float) -> list[int]:
    """A group of three that contains a tile."""
    if rng.random() < triplets:
        return [tile] * 3
    rank = tile % 9
    low = tile - rank + rng.choice([r for r in (rank - 2, rank - 1, rank) if 0 <= r <= 6])
    return [low, low + 1, low + 2]


def whole_hand(rng: Random, pattern: str, tile: int, kongs: int = 0) -> list[int]:
    """A random hand of a pattern that contains `tile`, less three tiles for each kong declared."""
    suits = [tile // 9] if pattern.startswith("qing") else [0, 1, 2]
    if pattern in ("qi_dui", "qing_qi_dui", "long_qi_dui", "qing_long_bei"):
        quads = 0 if pattern.endswith("qi_dui") and not pattern.startswith("long") else 1
        kinds = [suit * 9 + rank for suit in suits for rank in range(9)]
        kinds.remove(tile)
        pairs = [tile, *rng.sample(kinds, 6 - quads)]
        return [kind for kind in [*pairs, *rng.choices(pairs[:2], k=quads)] for _ in range(2)]
    triplets = 1.0 if pattern in ("da_dui_zi", "qing_da_dui") else 0.15
    groups = 4 - kongs
    if rng.random() < 0.2:
        hand = [tile, tile]
    else:
        pair = rng.choice(suits) * 9 + rng.randrange(9)
        hand = [pair, pair, *_group_with(rng, tile, triplets)]
        groups -= 1
    for _ in range(groups):
        hand += _group(rng, suits, triplets)
    return hand


class Plan:
    """A wall in the making."""

    def __init__(self, rng: Random, rules: Rules) -> None:
        self.rng, self.rules = rng, rules
        self.pool = [4] * 27
        self.dealer = rng.randrange(4)
        self.hands: list[list[int]] = [[], [], [], []]
        self.opening: int | None = None  # wall[52]
        self.head: dict[int, int] = {}  # n-th draw after the opening -> kind
        self.tail: dict[int, int] = {}  # n-th replacement -> kind
        self.shift = 0  # how many draws earlier the plan's claims make each seat's turns come
        self.policy = Policy()

    def seat(self, place: int) -> int:
        """The seat `place` steps after the dealer."""
        return (self.dealer + place) % 4

    def take(self, *kinds: int) -> None:
        for kind in kinds:
            if not self.pool[kind]:
                raise ShortError
            self.pool[kind] -= 1

    def give(self, seat: int, *kinds: int, keep: bool = True) -> None:
        """Deal tiles to a seat; a fourteenth comes with its first draw."""
        for kind in kinds:
            if len(self.hands[seat]) < 13:
                self.take(kind)
                self.hands[seat].append(kind)
            else:
                self.draw(seat, 0, kind)
            self.policy.keep[seat][kind] += keep

    def draw(self, seat: int, turn: int, kind: int) -> None:
        """Plan a seat's draw of its n-th turn, if nobody claims before it."""
        place = (seat - self.dealer) % 4
        if place or turn:
            self.at(place - 1 + 4 * turn + self.shift, kind)
        elif self.opening is None:
            self.take(kind)
            self.opening = kind
        else:
            raise ShortError

    def at(self, number: int, kind: int) -> None:
        """Plan the n-th draw after the opening, from the head."""
        if number in self.head or number < 0:
            raise ShortError
        self.take(kind)
        self.head[number] = kind

    def replacement(self, number: int, kind: int) -> None:
        """Plan the n-th draw from the tail."""
        if number in self.tail:
            raise ShortError
        self.take(kind)
        self.tail[number] = kind

    def salt(self, kind: int, low: int, high: int) -> None:
        """Put what is left of a kind among the draws low..high, to be turned as the indicator."""
        places = [n for n in range(low, high) if n not in self.head]
        for number in self.rng.sample(places, min(self.pool[kind], len(places))):
            self.at(number, kind)

    def ready(self, seat: int, tile: int, pattern: str = "ping_hu", kongs: int = 0) -> None:
        """Deal what lacks only `tile`; room is left for `kongs` quads."""
        self.give(seat, *self.lacking(tile, pattern, kongs))

    def lacking(self, tile: int, pattern: str = "ping_hu", kongs: int = 0) -> list[int]:
        """A hand that lacks only `tile`, of tiles that are left."""
        for _ in range(40):
            hand = whole_hand(self.rng, pattern, tile, kongs)
            hand.remove(tile)
            if all(n <= have for n, have in zip(count(hand), self.pool, strict=True)):
                return hand
        raise ShortError

    def spare_kind(self, number: int = 4, but: Sequence[int] = ()) -> int:
        """A random kind of which `number` tiles are left."""
        kinds = [k for k in range(27) if self.pool[k] >= number and k not in but]
        if not kinds:
            raise ShortError
        return self.rng.choice(kinds)

    def quad(self, seat: int, kind: int | None = None) -> int:
        """Deal four of a kind, to be declared."""
        kind = self.spare_kind() if kind is None else kind
        self.give(seat, *[kind] * 4)
        return kind

    def wall(self) -> list[int]:
        rest = [kind for kind in range(27) for _ in range(self.pool[kind])]
        self.rng.shuffle(rest)
        hands = []
        for place in range(4):
            hand = self.hands[self.seat(place)]
            hand = hand + [rest.pop() for _ in range(13 - len(hand))]
            self.rng.shuffle(hand)
            hands.append(hand)
        opening = rest.pop() if self.opening is None else self.opening
        laps = [hands[place][4 * lap :][:4] for lap in range(3) for place in range(4)]
        wall = [kind for lap in laps for kind in lap] + [hand[12] for hand in hands] + [opening]
        planned = {53 + n: kind for n, kind in self.head.items()}
        planned |= {107 - n: kind for n, kind in self.tail.items()}
        if len(planned) < len(self.head) + len(self.tail):
            raise ShortError
        return wall + [planned[n] if n in planned else rest.pop() for n in range(53, 108)]


# --------------------------------------------------------------------------------------------------
# Themes

HIGHER = ("da_dui_zi", "qi_dui", "qing_yi_se")
PATTERNS = (
    "ping_hu",
    "da_dui_zi",
    "qi_dui",
    "long_qi_dui",
    "qing_yi_se",
    "qing_da_dui",
    "qing_qi_dui",
    "qing_long_bei",
)


def _indicators(plan: Plan) -> None:
    """Make the indicators likely that mean something under the plan's rules."""
    ji, kinds = plan.rules["ji"], [NINE_S]
    kinds += [SEVEN_P] if ji["wu_gu"] else []
    kinds += [BLOWER] if ji["chui_feng"] else []
    low = plan.rng.randrange(8)
    plan.salt(plan.rng.choice(kinds), low, low + 8)


def _entitled(plan: Plan, seat: int, tile: int) -> None:
    """A hand that may win on a plain discard: a higher pattern, or one with a dou to declare."""
    if plan.rng.random() < 0.5:
        plan.ready(seat, tile, kongs=1)
        plan.quad(seat)
    else:
        plan.ready(seat, tile, plan.rng.choice(HIGHER))


def _random(plan: Plan) -> None:
    """Nothing planned; everybody grabs."""
    plan.policy = Policy(peng=0.7, gang=0.9, baoting=0.9)


def _four_yaoji(plan: Plan) -> None:
    """A seat with all four yaoji, declared early or late; others wait for what it throws."""
    rng, holder, tile = plan.rng, plan.rng.randrange(4), plan.spare_kind()
    plan.give(holder, *[YAOJI] * 4)
    plan.policy.hot[holder] = [tile]
    case = rng.choice(["ready", "ready and hot", "hot later", "drawn", "early"])
    if case == "ready":
        plan.ready(holder, plan.spare_kind(2, [tile]), kongs=1)
    elif case == "ready and hot":
        *hand, last = plan.lacking(plan.spare_kind(2, [tile]), kongs=1)
        plan.give(holder, *hand)
        plan.draw(holder, 0, tile)
        plan.replacement(0, last)
    elif case == "hot later":
        second = plan.spare_kind(4, [tile])
        plan.give(holder, *[second] * 3)
        plan.draw(holder, rng.randrange(1, 3), second)
        plan.replacement(1, tile)
    elif case == "drawn":
        plan.hands[holder].remove(YAOJI)
        plan.pool[YAOJI] += 1
        plan.draw(holder, rng.randrange(3), YAOJI)
    for seat in rng.sample([s for s in SEATS if s != holder], rng.randint(1, 2)):
        plan.ready(seat, tile, rng.choice(["ping_hu", *HIGHER]))
    if plan.pool[tile] and case != "hot later":
        plan.at(rng.randrange(4, 12), tile)
        plan.policy.throw = [[tile] for _ in SEATS]
    plan.policy.gang = rng.choice([0.25, 0.9])
    _indicators(plan)


def _rob(plan: Plan) -> None:
    """A peng, then its fourth tile; others wait for it."""
    rng = plan.rng
    tile = plan.spare_kind()
    feeder_place, konger_place, next_draw = rng.choice([(0, 1, 3), (0, 2, 3), (0, 3, 3), (1, 0, 4)])
    feeder, konger = plan.seat(feeder_place), plan.seat(konger_place)
    plan.give(feeder, tile)
    plan.policy.throw[feeder] = [tile]
    plan.give(konger, tile, tile)
    if rng.random() < 0.4:
        plan.give(konger, tile)
        plan.policy.peng_first = 0.95
    else:
        plan.at(next_draw, tile)
    if rng.random() < 0.4 and len(plan.hands[konger]) < 9:
        plan.quad(konger)
    robbers = rng.sample([s for s in SEATS if s != konger], rng.randint(1, 3))
    for seat in robbers:
        plan.ready(seat, tile)
    plan.policy.peng, plan.policy.gang, plan.policy.hu_self = 0.9, 0.95, 0.1
    plan.policy.decline = frozenset([tile])


def _foul_rob(plan: Plan) -> None:
    """Robbers who have just passed their hand's other wait."""
    rng = plan.rng
    suit, low = rng.randrange(3) * 9, rng.randrange(6)
    tile, other = suit + low, suit + low + 3
    if rng.random() < 0.5:
        tile, other = other, tile
    konger, feeder = plan.seat(1), plan.seat(0)
    plan.shift = -1
    plan.give(konger, tile, tile)
    plan.give(feeder, tile)
    plan.policy.throw[feeder] = [tile, other]
    robbers = [plan.seat(2), plan.seat(3)]
    for seat in robbers if rng.random() < 0.7 else [rng.choice(robbers)]:
        _two_waits(plan, seat, suit + low + 1)
        plan.quad(seat)
    plan.draw(feeder, 1, other)
    plan.draw(konger, 1, tile)
    plan.policy.peng, plan.policy.gang, plan.policy.baoting = 0.95, 0.95, 0.05
    plan.policy.decline = frozenset([tile, other])


def _two_waits(plan: Plan, seat: int, low: int) -> None:
    """Ten tiles that wait on both ends of (low, low + 1)."""
    plan.give(seat, low, low + 1)
    for _ in range(60):
        pair = plan.spare_kind(2)
        hand = [pair, pair, *_group(plan.rng, [0, 1, 2], 0.2), *_group(plan.rng, [0, 1, 2], 0.2)]
        if all(n <= have for n, have in zip(count(hand), plan.pool, strict=True)):
            plan.give(seat, *hand)
            return
    raise ShortError


def _hot_shot(plan: Plan) -> None:
    """A chain of kongs, then the discard that others wait for."""
    rng, tile = plan.rng, plan.spare_kind()
    shooter = plan.seat(rng.randrange(1, 4))
    plan.give(shooter, tile)
    plan.policy.hot[shooter] = [tile]
    start = rng.choice(["men", "dian", "zhuan_wan", "late"])
    if start != "men":
        kind = plan.spare_kind(4, [tile])
        feeder = plan.seat(0)
        plan.give(feeder, kind)
        plan.policy.throw[feeder] = [kind]
        plan.give(shooter, *[kind] * (2 if start == "zhuan_wan" else 3))
        if start == "zhuan_wan":
            plan.at(3, kind)
        plan.policy.peng_first = 0.95 if start == "late" else 0.05
    for number in range(rng.randint(start == "men", 3 if start == "men" else 2)):
        if rng.random() < 0.5 and len(plan.hands[shooter]) <= 9:
            plan.quad(shooter)
        else:
            kind = plan.spare_kind(4, [tile])
            plan.give(shooter, *[kind] * 3)
            plan.replacement(number, kind)
    waiting = rng.sample([s for s in SEATS if s != shooter], rng.choice([1, 1, 2, 3]))
    for seat in waiting:
        plan.ready(seat, tile, rng.choice(["ping_hu", "ping_hu", *HIGHER]))
    plan.policy.gang = rng.choice([0.6, 0.95])
    plan.policy.peng = 0.95
    _indicators(plan)


def _hot_foul(plan: Plan) -> None:
    """A passed win, then the same tile again from a hot shooter before the passer's next draw."""
    rng, tile = plan.rng, plan.spare_kind()
    first, shooter = plan.seat(0), plan.seat(1)
    plan.give(first, tile)
    plan.policy.throw[first] = [tile]
    plan.give(shooter, tile)
    plan.policy.hot[shooter] = [tile]
    plan.quad(shooter)
    for seat in (plan.seat(2), plan.seat(3)):
        plan.ready(seat, tile, rng.choice(HIGHER))
    if rng.random() < 0.5:
        plan.ready(first, tile)
    plan.policy.decline = frozenset([tile])
    plan.policy.gang = 0.95


def _several(plan: Plan) -> None:
    """Two or three seats wait on one kind that is thrown more than once."""
    rng, tile = plan.rng, plan.spare_kind()
    waiting = rng.sample(list(SEATS), rng.choice([2, 3, 3, 4]))
    for seat in waiting:
        if rng.random() < 0.3:
            plan.ready(seat, tile)
        else:
            _entitled(plan, seat, tile)
    for _ in range(min(plan.pool[tile], rng.randint(1, 3))):
        plan.draw(rng.randrange(4), rng.randrange(1, 3), tile)
    plan.policy.throw = [[tile] for _ in SEATS]
    plan.policy.hu_self = 0.2
    plan.policy.hu_claim = rng.choice([0.6, 0.95])
    plan.policy.peng = 0.1
    plan.policy.baoting = rng.choice([0.05, 0.9])
    _indicators(plan)


def _foul(plan: Plan) -> None:
    """A tile that three wait for, thrown by each of two seats in a row."""
    rng, tile = plan.rng, plan.spare_kind()
    turn, one_suit = rng.randrange(1, 3), rng.randrange(4)
    plan.draw(plan.seat(0), turn, tile)
    plan.draw(plan.seat(1), turn, tile)
    plan.policy.throw = [[tile] for _ in SEATS]
    for place in (0, 2, 3):
        if place == one_suit:
            plan.ready(plan.seat(place), tile, "qing_yi_se")
        else:
            plan.ready(plan.seat(place), tile, kongs=1)
            plan.quad(plan.seat(place))
    plan.policy.decline = frozenset([tile])
    plan.policy.hu_self, plan.policy.hu_claim = 0.0, 0.95
    plan.policy.gang = 0.95
    plan.policy.baoting = plan.policy.peng = 0.05


def _baoting(plan: Plan) -> None:
    """Ready hands declared on the first turn, and shots on and by them."""
    rng = plan.rng
    for seat in rng.sample(list(SEATS), rng.randint(1, 4)):
        tile = plan.spare_kind(2)
        plan.ready(seat, tile, rng.choice(["ping_hu", rng.choice(PATTERNS)]))
        plan.draw(rng.randrange(4), rng.randrange(1, 4), tile)
    plan.policy.baoting = 0.9
    plan.policy.peng = 0.1


def _exhaust(plan: Plan) -> None:
    """Nobody wins; none to all are ready when the wall is gone."""
    rng = plan.rng
    for seat in rng.sample(list(SEATS), rng.randint(0, 4)):
        plan.ready(seat, plan.spare_kind(), rng.choice(["ping_hu", rng.choice(PATTERNS)]))
    plan.policy.patience, plan.policy.chaos = 0, 0.004
    plan.policy.hu_self = plan.policy.hu_claim = 0.1
    plan.policy.peng, plan.policy.gang = rng.choice([(0.0, 0.0), (0.0, 0.5)])
    plan.policy.peng_first = 0.0


def _torn(plan: Plan) -> None:
    """A seat that may win on a tile, peng it or gang it, beside others who may win on it."""
    rng, tile = plan.rng, plan.spare_kind()
    torn, *rest = rng.sample(list(SEATS), 4)
    if rng.random() < 0.5:
        plan.give(torn, tile, tile)
        second = plan.spare_kind(2, [tile])
        plan.give(torn, second, second)
        for _ in range(3):
            plan.give(torn, *[plan.spare_kind(3, [tile, second])] * 3)
    else:
        suit, rank = tile // 9 * 9, min(tile % 9, 6)
        tile = suit + rank
        plan.give(torn, tile, tile, tile, tile + 1, tile + 2)
        pair = suit + rng.randrange(9)
        plan.give(torn, pair, pair, *_group(rng, [suit // 9], 0.1), *_group(rng, [suit // 9], 0.1))
    for seat in rng.sample(rest, rng.randint(1, 2)):
        _entitled(plan, seat, tile)
    plan.draw(rng.choice(rest), 1, tile)
    plan.policy.throw = [[tile] if seat in rest else [] for seat in SEATS]
    plan.policy.hu_claim, plan.policy.peng, plan.policy.gang = 0.5, 0.9, 0.9


def _last_tile(plan: Plan) -> None:
    """Wins on the last tile of the wall, which leave nothing to flip."""
    rng, tile = plan.rng, plan.spare_kind()
    for seat in rng.sample(list(SEATS), rng.randint(1, 3)):
        plan.ready(seat, tile, rng.choice(HIGHER))
    plan.replacement(0, tile)
    plan.policy.patience, plan.policy.chaos = 2, 0.004
    plan.policy.throw = [[tile] for _ in SEATS]
    plan.policy.gang = plan.policy.peng = plan.policy.peng_first = 0.0


def _opening(plan: Plan) -> None:
    """tian_hu and di_hu, and the same hands spoilt by a kong before them."""
    rng, place = plan.rng, plan.rng.randrange(4)
    seat, tile = plan.seat(place), plan.spare_kind()
    kongs = int(rng.random() < 0.2)
    plan.ready(seat, tile, "ping_hu" if kongs else rng.choice(PATTERNS), kongs)
    if kongs:
        plan.quad(seat)
        plan.replacement(0, tile)
    else:
        plan.draw(seat, 0, tile)
    if rng.random() < 0.2:
        plan.quad(plan.seat(rng.randrange(4)))
    plan.policy.baoting = 0.2


def _passport(plan: Plan) -> None:
    """Plain hands with and without a dou, on discards."""
    rng = plan.rng
    for seat in rng.sample(list(SEATS), 3):
        tile, kongs = plan.spare_kind(2), rng.randint(0, 1)
        plan.ready(seat, tile, kongs=kongs)
        if kongs:
            plan.quad(seat)
        plan.draw(rng.randrange(4), rng.randrange(1, 4), tile)
    plan.policy.baoting = rng.choice([0.0, 0.5])
    plan.policy.hu_self = 0.3
    plan.policy.peng = 0.1


def _first_ji(plan: Plan) -> None:
    """The first yaoji (or 8p) thrown at once, and claimed by peng, gang or hu."""
    rng, kind = plan.rng, plan.rng.choice([YAOJI, YAOJI, WU_GU])
    thrower, claimer, winner = rng.sample(list(SEATS), 3)
    plan.give(thrower, kind)
    plan.policy.throw[thrower] = [kind]
    how = rng.choice(["peng", "gang", "gang", "hu"])
    if how == "hu":
        plan.ready(winner, kind, rng.choice(HIGHER))
    else:
        plan.give(claimer, *[kind] * (3 if how == "gang" else 2))
        own = plan.spare_kind(2, [kind])
        plan.ready(winner, own, rng.choice(HIGHER))
        plan.draw(rng.randrange(4), rng.randrange(1, 4), own)
        plan.policy.throw = [[kind, own] if s != winner else [kind] for s in SEATS]
    if how != "hu" and rng.random() < 0.5:
        second = plan.spare_kind(4)
        plan.give(claimer, *[second] * 3)
        plan.give(claimer, own)
        plan.replacement(rng.randrange(2), second)
        plan.policy.hot[claimer] = [own]
    plan.policy.peng = 0.95
    plan.policy.gang = rng.choice([0.2, 0.95])
    _indicators(plan)


def _pattern(plan: Plan) -> None:
    """One seat is ready with a hand of any pattern and soon meets its tile."""
    rng, pattern = plan.rng, plan.rng.choice(PATTERNS)
    seat, tile = rng.randrange(4), plan.spare_kind()
    plan.ready(seat, tile, pattern)
    for turn in rng.sample(range(1, 6), 2):
        if plan.pool[tile]:
            plan.draw(rng.randrange(4), turn, tile)
    plan.policy.throw = [[tile] if s != seat else [] for s in SEATS]
    plan.policy.peng, plan.policy.baoting = 0.1, 0.3
    _indicators(plan)


THEMES: dict[str, Callable[[Plan], None]] = {
    "random": _random,
    "four_yaoji": _four_yaoji,
    "rob": _rob,
    "foul_rob": _foul_rob,
    "hot_shot": _hot_shot,
    "hot_foul": _hot_foul,
    "several": _several,
    "foul": _foul,
    "baoting": _baoting,
    "exhaust": _exhaust,
    "torn": _torn,
    "last_tile": _last_tile,
    "opening": _opening,
    "passport": _passport,
    "first_ji": _first_ji,
    "pattern": _pattern,
}


def rigged(theme: str, rng: Random, rules: Rules) -> Rigged:
    """A deal of a theme, with the policy that goes with it."""
    while True:
        plan = Plan(rng, rules)
        try:
            THEMES[theme](plan)
            wall = plan.wall()
        except ShortError:
            continue
        streak = rng.choice([1, 1, 1, 2, 3])
        return Rigged(theme, wall, plan.dealer, streak, plan.policy)


# --------------------------------------------------------------------------------------------------
# Rulesets

FAN = (0, 1, 3, 10, 47)
PATTERN_FAN = (None, 1, 5, 20, 130)
ON_OFF = (False, True)

VALUES: dict[str, tuple[Any, ...]] = {
    "base": (1, 2, 5),
    "dealer_bonus": (0, 1, 10),
    "deal.dice": (1, 2),
    "deal.first_dealer": ("uniform", "dice"),
    "win.multiple": ON_OFF,
    "win.passport": ON_OFF,
    "win.passed": ("free", "forbid", "pays_three"),
    "win.triple": ("discarder_pays", "winners_pay"),
    "win.foul_forfeits": ON_OFF,
    "win.double_dealer": ("counter_clockwise", "shooter"),
    "win.dealer_counts_first": ON_OFF,
    "hand.ping_hu": (1, 2, 10),
    "hand.da_dui_zi": PATTERN_FAN,
    "hand.qi_dui": PATTERN_FAN,
    "hand.long_qi_dui": PATTERN_FAN,
    "hand.qing_yi_se": PATTERN_FAN,
    "hand.qing_da_dui": PATTERN_FAN,
    "hand.qing_qi_dui": PATTERN_FAN,
    "hand.qing_long_bei": PATTERN_FAN,
    "hand.dragon_needs_winning_tile": ON_OFF,
    "hand.gang_shang_hua": FAN,
    "hand.zi_mo": FAN,
    "hand.tian_hu": FAN,
    "hand.di_hu": FAN,
    "baoting.enabled": ON_OFF,
    "baoting.value": FAN,
    "baoting.combine": ("max", "add", "replace"),
    "baoting.sha_bao": FAN,
    "re_pao.void": ("turn", "all"),
    "re_pao.burn_ji": ON_OFF,
    "re_pao.surcharge": ON_OFF,
    "re_pao.on_rob": ON_OFF,
    "dou.men": FAN,
    "dou.zhuan_wan": FAN,
    "dou.dian": FAN,
    "dou.requires_ting": ON_OFF,
    "dou.table": ON_OFF,
    "dou.dealt_late": ("full", "passport"),
    "dou.late_added": ("full", "passport", "forbid"),
    "ji.yao_held": FAN,
    "ji.yao_river": FAN,
    "ji.charge": FAN,
    "ji.zhuo_held": FAN,
    "ji.zhuo_river": FAN,
    "ji.gold": ("double", "add"),
    "ji.zeren": FAN,
    "ji.zeren_on": ("peng", "peng_gang"),
    "ji.men_yao": (None, 0, 31, 80),
    "ji.requires_ting": ON_OFF,
    "ji.ben": ON_OFF,
    "ji.yao_bai": ON_OFF,
    "ji.wu_gu": FAN,
    "ji.wu_gu_charge": FAN,
    "ji.xing_qi": tuple(range(10)),
    "ji.chui_feng": ON_OFF,
    "ji.bao": ON_OFF,
    "dealer.on_draw": ("stay", "ready"),
}


def value_at(rules: Rules, path: str) -> Any:
    section, _, key = path.rpartition(".")
    return rules[section][key] if section else rules[key]


def with_value(rules: Rules, path: str, value: Any) -> Rules:
    """A copy with one switch set (and the switch it cannot do without)."""
    changed = deepcopy(rules)
    section, _, key = path.rpartition(".")
    (changed[section] if section else changed)[key] = value
    if changed["ji"]["wu_gu_charge"] and not changed["ji"]["wu_gu"]:
        changed["ji"]["wu_gu"] = 3
    return changed


def random_rules(rng: Random) -> Rules:
    """A whole ruleset, every switch drawn from its range."""
    rules: Rules = deepcopy(PRESETS["guiyang"])
    rules["name"] = "random"
    for path, values in VALUES.items():
        section, _, key = path.rpartition(".")
        (rules[section] if section else rules)[key] = rng.choice(values)
    if not rules["ji"]["wu_gu"]:
        rules["ji"]["wu_gu_charge"] = 0
    return rules


def turned_once(preset: str) -> list[tuple[str, Rules]]:
    """A preset with each switch changed once to every other value in `VALUES`."""
    rules = PRESETS[preset]
    return [
        (f"{preset} {path}={value}", with_value(rules, path, value))
        for path, values in VALUES.items()
        for value in values
        if value != value_at(rules, path)
    ]


def focused() -> list[tuple[str, Rules]]:
    """Themes with the rulesets that make them matter where two switches must meet."""
    zhuoji, guiyang = PRESETS["zhuoji"], PRESETS["guiyang"]
    blown = with_value(zhuoji, "ji.chui_feng", True)
    fouls = with_value(zhuoji, "win.foul_forfeits", True)
    peng_only = with_value(guiyang, "ji.zeren_on", "peng")
    return [
        ("four_yaoji", zhuoji),
        ("four_yaoji", blown),
        ("four_yaoji", with_value(blown, "ji.bao", True)),
        ("four_yaoji", with_value(zhuoji, "re_pao.burn_ji", False)),
        ("four_yaoji", with_value(zhuoji, "dou.table", True)),
        ("hot_shot", with_value(zhuoji, "dou.late_added", "passport")),
        ("hot_foul", fouls),
        ("foul", with_value(fouls, "win.passport", False)),
        ("first_ji", peng_only),
        ("first_ji", with_value(guiyang, "ji.requires_ting", True)),
        ("baoting", with_value(guiyang, "baoting.sha_bao", 10)),
    ]
