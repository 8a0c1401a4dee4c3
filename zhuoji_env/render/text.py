"""A table, and the bill of a finished deal, as text that a person can follow.

Without a `seat` the text is a spectator's: every hand is open. With one it shows what that seat
may see: hidden hands are backs, nobody learns who is asked for a claim, what was answered, or
which kongs of others are late. At the end winners' hands are open, in an exhaustive draw all (R44).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

import numpy as np

from zhuoji_env import actions as names
from zhuoji_env import tiles as kinds
from zhuoji_env.engine.bill import zhuo_kinds
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import (
    AFTER_PENG,
    CLAIM,
    CLAIM_SHIFT,
    DISCARD_WIN,
    DONE,
    DRAW,
    MELDS,
    N_SEATS,
    PATTERNS,
    ROB,
    ROB_WIN,
    SELF_DRAW,
    TURN,
    UNCLAIMED,
    UNDEALT,
)
from zhuoji_env.render.words import LANGUAGES, Words

TILES = ("mpsz", "faces")
_BACKS = {"mpsz": "#", "faces": "■"}
_LABEL = 8
_ITEM = 26


def table(
    games: Games,
    i: int = 0,
    *,
    tiles: str = "mpsz",
    language: str = "en",
    seat: int | None = None,
    events: Sequence[tuple[int, int]] = (),
) -> str:
    """Return table `i` as text; a finished deal's bill follows it.

    `tiles` is "mpsz" or "faces", `language` "en" or "zh", `seat` the viewer (None: a spectator who
    sees all). `events` are (seat, action) as they happened, shown to a spectator. Raises
    ValueError for an unknown table, style, language or seat.
    """
    page = Page(games, i, tiles, language, seat)
    if page.phase == UNDEALT:
        return page.words.undealt
    lines = [page.header()]
    for q in range(N_SEATS):
        lines += page.seat_lines(q)
    lines.append(page.words.legend)
    if events and seat is None:
        lines.append(page.events(events))
    lines += page.bill_lines() if page.phase == DONE else [page.question()]
    return "\n".join(lines)


def bill(games: Games, i: int = 0, *, tiles: str = "mpsz", language: str = "en") -> str:
    """Return the settlement of table `i` in words; ValueError while its deal is not over."""
    page = Page(games, i, tiles, language, None)
    if page.phase != DONE:
        raise ValueError(f"table {i} has not finished its deal: there is no bill yet")
    return "\n".join(page.bill_lines())


def session(deal: int, deals: int, scores: Sequence[int], *, language: str = "en") -> str:
    """Return the head line of deal `deal` (from 1) of a session, with the points so far."""
    w = _words(language)
    return w.session.format(deal=deal, deals=deals, scores=_scores(w, scores))


def _words(language: str) -> Words:
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r} is unknown; allowed: {', '.join(LANGUAGES)}")
    return LANGUAGES[language]


def _scores(words: Words, scores: Iterable[int]) -> str:
    return words.join.join(f"{words.seats[q]} {int(n):+d}" for q, n in enumerate(scores))


class Page:
    """One table, one viewer, one style, one language."""

    def __init__(self, games: Games, i: int, tiles: str, language: str, viewer: int | None) -> None:
        if tiles not in TILES:
            raise ValueError(f"tiles {tiles!r} is unknown; allowed: {', '.join(TILES)}")
        if viewer is not None and viewer not in range(N_SEATS):
            raise ValueError(f"seat {viewer!r} is unknown; allowed: 0..{N_SEATS - 1} or None")
        if not 0 <= i < len(games):
            raise ValueError(f"table {i} does not exist; allowed: 0..{len(games) - 1}")
        self.games = games
        self.i = i
        self.words = _words(language)
        self.faces = tiles == "faces"
        self.back = _BACKS[tiles]
        self.viewer = viewer
        self.g = games.state[i]
        self.phase = int(self.g["phase"])
        self.actor = int(self.g["seat"])

    # Who sees what

    def sees(self, q: int) -> bool:
        """Whether the hand of seat q lies open to the viewer."""
        if self.viewer is None or self.viewer == q:
            return True
        won = int(self.g["winners"]) >> q & 1
        return self.phase == DONE and (int(self.g["end"]) == DRAW or bool(won))

    def sees_actor(self) -> bool:
        """Who holds the turn is public; who is asked for a claim is not (R9)."""
        return self.phase in (TURN, AFTER_PENG) or self.viewer in (None, self.actor)

    # Tiles and lists

    def tile(self, kind: int) -> str:
        return kinds.FACES[kind] if self.faces else kinds.NAMES[kind]

    def row(self, some: Iterable[int]) -> str:
        """Tiles in the order given."""
        return " ".join(map(self.tile, some))

    def sorted_row(self, some: Iterable[int]) -> str:
        """Tiles in order of kind, compact where the style allows."""
        return self.row(sorted(some)) if self.faces else kinds.show(some)

    def listing(self, entries: Sequence[str]) -> str:
        if len(entries) < 2:
            return "".join(entries)
        return self.words.join.join(entries[:-1]) + self.words.last_join + entries[-1]

    def who(self, q: int) -> str:
        return self.words.seats[q]

    # The table

    def header(self) -> str:
        g = self.g
        rules = self.games.rules[int(g["rules"])]
        wall = int(g["tail"]) - int(g["head"])
        clauses = [self.words.header.format(rules=rules.name, wall=wall)]
        if dice := " ".join(str(die) for die in g["dice"] if die):
            clauses.append(self.words.dice.format(dice=dice))
        return self.words.clause.join(clauses)

    def seat_lines(self, q: int) -> list[str]:
        w, g = self.words, self.g
        title = [w.seat.format(seat=self.who(q), agent=f"player_{q}")]
        if int(g["dealer"]) == q:
            title.append(w.dealer.format(streak=int(g["streak"])))
        if g["baoting"][q]:
            title.append(w.baoting)
        if g["marked"][q] and self.viewer in (None, q) and self.phase != DONE:
            title.append(w.marked)
        mark = ">" if self.phase != DONE and self.actor == q and self.sees_actor() else " "
        parts = ((w.hand, self.hand(q)), (w.melds, self.melds(q)), (w.river, self.river(q)))
        return [
            f"{mark} {w.clause.join(title)}",
            *(f"    {pad(label, _LABEL)}{text or w.nothing}" for label, text in parts),
        ]

    def hand(self, q: int) -> str:
        g = self.g
        held = np.repeat(np.arange(kinds.N_KINDS), g["hand"][q]).tolist()
        if not self.sees(q):
            return self.back * len(held)
        extra = self.extra_tile(q)
        if extra in held and len(held) % 3 == 2:
            held.remove(extra)
        text = self.sorted_row(held) + (f" + {self.tile(extra)}" if extra >= 0 else "")
        waits = int(g["waits"][q])
        if waits and not (self.phase == AFTER_PENG and self.actor == q):
            waited = self.row(k for k in range(kinds.N_KINDS) if waits >> k & 1)
            text += self.words.clause + self.words.waits.format(tiles=waited)
        return text

    def extra_tile(self, q: int) -> int:
        """The tile shown apart: the one just drawn, or the one won on; -1 for none."""
        g = self.g
        if self.phase == TURN and self.actor == q:
            return int(g["drawn"])
        won = self.phase == DONE and int(g["winners"]) >> q & 1
        return int(g["tile"]) if won else -1

    def melds(self, q: int) -> str:
        return self.words.join.join(self.meld(q, place) for place in range(self.g["n_melds"][q]))

    def meld(self, q: int, place: int) -> str:
        """One meld, by its place among those of seat q."""
        w, g = self.words, self.g
        feeder = int(g["meld_from"][q, place])
        text = (w.meld if feeder < 0 else w.fed_meld).format(
            meld=w.meld_names[MELDS[int(g["meld_type"][q, place])]],
            tile=self.tile(int(g["meld_kind"][q, place])),
            feeder=self.who(feeder),
        )
        late = g["meld_late"][q, place] and self.viewer in (None, q)
        return f"{text} {w.late}" if late else text

    def river(self, q: int) -> str:
        """Every discard of a seat in order, those that were claimed in parentheses."""
        g = self.g
        n = int(g["n_discards"])
        shown = []
        for kind, seat, flag in zip(
            g["discards"][:n], g["discard_seat"][:n], g["discard_flag"][:n], strict=True
        ):
            if seat == q:
                text = self.tile(int(kind))
                claimed = int(flag) >> CLAIM_SHIFT & 3 != UNCLAIMED
                shown.append(f"({text})" if claimed else text)
        return " ".join(shown)

    def events(self, events: Sequence[tuple[int, int]]) -> str:
        w = self.words
        told = [
            w.event.format(seat=self.who(seat), action=self.action(action))
            for seat, action in events
        ]
        return w.last.format(events=w.join.join(told))

    def action(self, action: int) -> str:
        verb, _, tile = names.show(action).partition(" ")
        word = self.words.actions[verb]
        return f"{word} {self.tile(kinds.parse_one(tile))}" if tile else word

    def question(self) -> str:
        """Whose turn it is or who is asked, about what, and what they may do."""
        w, g = self.words, self.g
        tile, shooter, drawn = int(g["tile"]), int(g["shooter"]), int(g["drawn"])
        actor = self.who(self.actor)
        if self.phase in (CLAIM, ROB):
            pattern = w.discarded if self.phase == CLAIM else w.added
            clauses = [pattern.format(tile=self.tile(tile), shooter=self.who(shooter))]
            if self.sees_actor():
                clauses.append(w.asked.format(seat=actor))
        elif self.phase == AFTER_PENG:
            clauses = [w.after_peng.format(seat=actor)]
        else:
            clauses = [w.own_turn.format(seat=actor)]
            if g["declared"]:
                clauses.append(w.owes)
            elif self.sees(self.actor):
                drew = w.drew_replacement if g["replacement"] else w.drew
                clauses.append(drew.format(tile=self.tile(drawn)))
        if self.sees(self.actor):
            clauses.append(w.may.format(actions=self.options()))
        return w.clause.join(clauses)

    def options(self) -> str:
        """The legal actions; discards are listed only where not every tile may go."""
        g = self.g
        legal = [a for a in range(names.N_ACTIONS) if int(g["legal"]) >> a & 1]
        discards = [a for a in legal if a < names.PENG]
        shown = [self.action(a) for a in legal if a >= names.PENG]
        if discards:
            word = self.words.actions["discard"]
            every = len(discards) == np.count_nonzero(g["hand"][self.actor])
            shown.insert(0, word if every else f"{word} {self.row(discards)}")
        return self.words.join.join(shown)

    # The bill

    def bill_lines(self) -> list[str]:
        w, g = self.words, self.g
        lines = [*self.outcome(), w.ready.format(seats=self.seats_where(g["ready"]))]
        lines += self.payments() or [w.free]
        points = w.points.format(scores=_scores(w, g["scores"]))
        base = self.games.rules[int(g["rules"])].base
        lines.append(points if base == 1 else f"{points}{w.clause}{w.base.format(base=base)}")
        lines.append(
            w.next_dealer.format(seat=self.who(int(g["next_dealer"])), streak=int(g["next_streak"]))
        )
        return lines

    def seats_where(self, flags: Iterable[object]) -> str:
        return self.listing([self.who(q) for q, on in enumerate(flags) if on]) or self.words.nobody

    def outcome(self) -> list[str]:
        """How the deal ended, and the flip (R37)."""
        w, g = self.words, self.g
        end, tile, shooter = int(g["end"]), int(g["tile"]), int(g["shooter"])
        if end == DRAW:
            return [w.draw]
        pattern = {SELF_DRAW: w.self_draw, DISCARD_WIN: w.win, ROB_WIN: w.rob}[end]
        first = 0 if end == SELF_DRAW else shooter
        lines = []
        for q in ((first + place) % N_SEATS for place in range(N_SEATS)):
            if int(g["winners"]) >> q & 1:
                name = w.patterns[PATTERNS[int(g["pattern"][q])]]
                value = w.value.format(pattern=name, fan=int(g["fan"][q]))
                lines.append(
                    pattern.format(
                        winner=self.who(q),
                        tile=self.tile(tile),
                        shooter=self.who(shooter),
                        value=value,
                    )
                )
        lines.append(self.flip())
        return lines

    def flip(self) -> str:
        w, g = self.words, self.g
        indicator = int(g["indicator"])
        text = w.indicator.format(tile=self.tile(indicator)) if indicator >= 0 else w.no_flip
        bits = int(zhuo_kinds(g, self.games.records[int(g["rules"])]))
        if bits:
            shown = self.row(k for k in range(kinds.N_KINDS) if bits >> k & 1)
            text += w.clause + w.zhuo_ji.format(tiles=shown)
        return text

    def payments(self) -> list[str]:
        """The bill's items; seats that pay one seat the same for the same are told together."""
        w = self.words
        groups: dict[tuple[str, int, int], list[int]] = {}
        for item, payer, payee, fan in self.games.bill(self.i):
            groups.setdefault((item, payee, fan), []).append(payer)
        lines = []
        for (item, payee, fan), payers in groups.items():
            label = pad(w.items[item], _ITEM)
            if len(payers) == 1:
                told = w.pays.format(payer=self.who(payers[0]), payee=self.who(payee), fan=fan)
            else:
                listed = self.listing([self.who(q) for q in payers])
                told = w.each_pays.format(payers=listed, payee=self.who(payee), fan=fan)
            lines.append(f"  {label}{told}")
        return lines


def pad(text: str, width: int) -> str:
    """Pad to a width in terminal cells, where a Chinese character takes two."""
    cells = sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
    return text + " " * max(1, width - cells)
