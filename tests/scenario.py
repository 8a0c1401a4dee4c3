"""Situations written down: deals with an arranged wall, positions to settle, and expected bills.

Either implementation can be asked: ``"engine"`` through the library's public names, ``"referee"``
through ``tests/referee.py``. Nothing here knows a rule beyond the order of the deal (RULES R3, R4)
and what a draw follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from zhuoji_env import actions, tiles

COPIES = 4
N_SEATS = 4
WALL = COPIES * tiles.N_KINDS
HAND = 13
OPENING = 53

RulesSpec = str | dict[str, Any]
Item = tuple[str, int, int, int]

DULL = "1245789p235689s"
"""Thirteen tiles without a pair, a yaoji or a wait; three seats can hold it at once.

All of m, and 3p, 6p, 1s, 4s, 7s, stay free for the seat that the situation is about.
"""
DULL_MS = "1245789m235689s"
DULL_MP = "1245789m235689p"


class Table(Protocol):
    """One deal at one table of either implementation."""

    def seat(self) -> int: ...

    def legal(self) -> set[int]: ...

    def step(self, action: int) -> None: ...

    def done(self) -> bool: ...

    def result(self, record: dict[str, Any]) -> dict[str, Any]: ...


class EngineTable:
    def __init__(self, rules: RulesSpec, wall: list[int], dealer: int, streak: int) -> None:
        import zhuoji_env as zj

        self._games = zj.Games(1, rules=zj.Rules.load(rules), seed=0)
        walls = np.array([wall], dtype=np.int8)
        self._games.reset(walls=walls, dealers=np.array([dealer]), streaks=np.array([streak]))

    def seat(self) -> int:
        return int(self._games.seat[0])

    def legal(self) -> set[int]:
        return {int(a) for a in np.flatnonzero(self._games.legal[0])}

    def step(self, action: int) -> None:
        self._games.step(np.array([action]))

    def done(self) -> bool:
        return bool(self._games.done[0])

    def result(self, record: dict[str, Any]) -> dict[str, Any]:
        import zhuoji_env as zj

        result: dict[str, Any] = zj.replay(record).to_dict()["result"]
        played = [(str(item), *map(int, rest)) for item, *rest in self._games.bill(0)]
        replayed = [tuple(entry) for entry in result["items"]]
        assert sorted(played) == replayed, f"bill as played {played}, as replayed {replayed}"
        return result


class RefereeTable:
    def __init__(self, rules: RulesSpec, wall: list[int], dealer: int, streak: int) -> None:
        from tests.referee import Referee

        self._referee = Referee(complete(rules), wall, dealer, streak)

    def seat(self) -> int:
        return int(self._referee.seat)

    def legal(self) -> set[int]:
        return set(self._referee.legal())

    def step(self, action: int) -> None:
        self._referee.step(action)

    def done(self) -> bool:
        return bool(self._referee.done)

    def result(self, record: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self._referee.result()
        return result


TABLES: dict[str, type[EngineTable] | type[RefereeTable]] = {
    "engine": EngineTable,
    "referee": RefereeTable,
}


def complete(rules: RulesSpec) -> dict[str, Any]:
    """Every switch of a ruleset as a nested dict."""
    from zhuoji_env.rules import Rules

    nested: dict[str, Any] = Rules.load(rules).to_dict()
    return nested


class Result:
    """A `result` object of FORMATS.md; its scores are checked against its items."""

    def __init__(self, raw: dict[str, Any], base: int) -> None:
        self.end: str = raw["end"]
        self.winners: list[int] = raw["winners"]
        self.shooter: int | None = raw["shooter"]
        self.tile: str | None = raw["tile"]
        self.indicator: str | None = raw["indicator"]
        self.ready: list[bool] = raw["ready"]
        self.items: list[Item] = [(i, a, b, fan) for i, a, b, fan in raw["items"]]
        self.scores: list[int] = raw["scores"]
        self.next_dealer: int = raw["next_dealer"]
        self.next_streak: int = raw["next_streak"]
        received = [
            base * sum(fan * ((payee == s) - (payer == s)) for _, payer, payee, fan in self.items)
            for s in range(N_SEATS)
        ]
        assert self.scores == received, f"scores {self.scores} of a bill that gives {received}"

    def only(self, *items: str) -> list[Item]:
        """The bill's entries of these items."""
        return [entry for entry in self.items if entry[0] in items]


def pay(item: str, payer: int, payee: int, fan: int) -> list[Item]:
    """One transfer in fan; none at 0."""
    return [(item, payer, payee, fan)] if fan else []


def each(item: str, payee: int, fan: int) -> list[Item]:
    """The same from each other seat."""
    return [entry for s in range(N_SEATS) if s != payee for entry in pay(item, s, payee, fan)]


def bill(*parts: list[Item]) -> list[Item]:
    """A bill as FORMATS.md sorts it: equal (item, payer, payee) summed."""
    total: Counter[tuple[str, int, int]] = Counter()
    for part in parts:
        for item, payer, payee, fan in part:
            total[item, payer, payee] += fan
    return sorted((*key, fan) for key, fan in total.items())


def seat(hand: str, *melds: str, river: str = "", baoting: bool = False) -> dict[str, Any]:
    """One seat of a position; checks that hand and melds make 13 tiles."""
    concealed = len(tiles.parse(hand))
    if concealed + 3 * len(melds) != HAND:
        raise ValueError(f"hand {hand} with {len(melds)} melds: {concealed} concealed tiles")
    entry: dict[str, Any] = {"hand": hand, "melds": list(melds), "river": river}
    return entry | {"baoting": True} if baoting else entry


def position(
    rules: RulesSpec,
    seats: Sequence[dict[str, Any]],
    *,
    end: str,
    winners: Sequence[int] = (),
    tile: str | None = None,
    shooter: int | None = None,
    dealer: int = 0,
    streak: int = 1,
    indicator: str | None = None,
    first_yaoji: dict[str, int | None] | None = None,
    **extras: Any,
) -> dict[str, Any]:
    """A ``zhuoji-position/1`` object; without an indicator the deal ended on an empty wall.

    extras are the optional keys: turn_kongs, on_replacement, marked, opening, first_wu_gu.
    """
    shown = Counter(tiles.parse((tile or "") + (indicator or "")))
    for entry in seats:
        shown.update(tiles.parse(entry["hand"] + entry["river"]))
        for meld in entry["melds"]:
            kind, of = meld.split()[:2]
            shown.update(tiles.parse(of) * (3 if kind == "peng" else COPIES))
    _at_most_four(shown)
    return {
        "format": "zhuoji-position/1",
        "rules": rules,
        "dealer": dealer,
        "streak": streak,
        "seats": list(seats),
        "end": end,
        "shooter": shooter,
        "winners": list(winners),
        "tile": tile,
        "indicator": indicator,
        "first_yaoji": first_yaoji,
        **extras,
    }


def settle(implementation: str, spot: dict[str, Any]) -> Result:
    """The bill of a position, by "engine" or "referee"."""
    if implementation == "engine":
        import zhuoji_env as zj

        raw = zj.settle(spot).to_dict()
    else:
        from tests import referee

        raw = referee.settle(spot)
    return Result(raw, complete(spot["rules"])["base"])


@dataclass(frozen=True)
class Layout:
    """Where the named tiles of a deal lie: hands by seat, draws from the head, and so on (mpsz)."""

    dealer: int
    hands: dict[int, str]
    draws: str
    replacements: str
    indicator: str | None

    def wall(self) -> list[int]:
        """108 kinds from the head; places that nothing names are filled in order of kind."""
        wall: list[int | None] = [None] * WALL
        for distance in range(N_SEATS):
            owner = (self.dealer + distance) % N_SEATS
            places = hand_places(distance)
            hand = tiles.parse(self.hands[owner])
            if len(hand) != len(places):
                raise ValueError(
                    f"seat {owner}: {len(hand)} tiles in {self.hands[owner]!r}, "
                    f"{len(places)} are dealt"
                )
            for place, kind in zip(places, hand, strict=True):
                wall[place] = kind
        head = tiles.parse(self.draws + (self.indicator or ""))
        tail = tiles.parse(self.replacements)
        if OPENING + len(head) + len(tail) > WALL:
            raise ValueError(f"{len(head)} draws and {len(tail)} replacements do not fit the wall")
        wall[OPENING : OPENING + len(head)] = head
        for i, kind in enumerate(tail):
            wall[WALL - 1 - i] = kind
        named = Counter(kind for kind in wall if kind is not None)
        _at_most_four(named)
        rest = (k for k in range(tiles.N_KINDS) for _ in range(COPIES - named[k]))
        return [next(rest) if kind is None else kind for kind in wall]


def hand_places(distance: int) -> list[int]:
    """Wall places dealt to the seat this far from the dealer, the dealer's 14th last (R3)."""
    places = [16 * turn + 4 * distance + i for turn in range(3) for i in range(4)] + [48 + distance]
    return [*places, 52] if distance == 0 else places


class Scenario:
    """One deal on an arranged wall, played by action strings such as ``"2 discard 9m"``.

    hands: mpsz by seat, 14 tiles for the dealer (the last is wall[52]); a seat left out holds one
    of the dull hands. draws: tiles from the head in the order drawn. replacements: tiles from the
    tail, in the order drawn. indicator: the tile that follows the draws. Spaces are ignored.
    """

    def __init__(
        self,
        implementation: str,
        rules: RulesSpec,
        *,
        hands: dict[int, str],
        dealer: int = 0,
        streak: int = 1,
        draws: str = "",
        replacements: str = "",
        indicator: str | None = None,
    ) -> None:
        dealt = {s: text.replace(" ", "") for s, text in hands.items()}
        layout = Layout(
            dealer,
            _with_dull(dealt, draws + replacements + (indicator or "")),
            draws.replace(" ", ""),
            replacements.replace(" ", ""),
            indicator,
        )
        self._start(implementation, rules, layout.wall(), dealer, streak)

    @classmethod
    def on_wall(
        cls, implementation: str, rules: RulesSpec, wall: str, *, dealer: int, streak: int = 1
    ) -> Scenario:
        """The same on a whole wall in mpsz."""
        deal = cls.__new__(cls)
        deal._start(implementation, rules, tiles.parse(wall), dealer, streak)
        return deal

    def _start(
        self, implementation: str, rules: RulesSpec, wall: list[int], dealer: int, streak: int
    ) -> None:
        self.rules = rules
        self.wall = wall
        self.dealer = dealer
        self.streak = streak
        self.actions: list[str] = []
        self.drawn: int | None = wall[OPENING - 1]
        self._head = OPENING
        self._tail = WALL
        self._turned_by = "baoting"
        self._table = TABLES[implementation](rules, list(wall), dealer, streak)

    @property
    def seat(self) -> int:
        return self._table.seat()

    @property
    def done(self) -> bool:
        return self._table.done()

    def legal(self) -> set[str]:
        """What the seat to act may do, as action strings; empty once the deal is over."""
        if self.done:
            return set()
        return {f"{self.seat} {actions.show(a)}" for a in self._table.legal()}

    def play(self, *texts: str) -> Scenario:
        """Play these; AssertionError says which one could not be played and what could."""
        for text in texts:
            legal = self.legal()
            assert text in legal, f"{text!r} after {self.actions}; legal: {sorted(legal)}"
            verb = text.split()[1]
            self._table.step(actions.parse(text.split(maxsplit=1)[1]))
            self.actions.append(text)
            if verb not in ("pass", "hu"):
                self._turned_by = verb
            if not self.done and not any(a.endswith(" pass") for a in self.legal()):
                self._draw()
        return self

    def _draw(self) -> None:
        if self._turned_by == "discard":
            self.drawn = self.wall[self._head]
            self._head += 1
        elif self._turned_by == "gang":
            self._tail -= 1
            self.drawn = self.wall[self._tail]
        elif self._turned_by == "peng":
            self.drawn = None

    def coast(self, discards: int = WALL) -> Scenario:
        """Everybody passes and discards what they drew, this many times or to the end."""
        while not self.done:
            if f"{self.seat} pass" in self.legal():
                self.play(f"{self.seat} pass")
            elif discards == 0:
                break
            else:
                assert self.drawn is not None, f"seat {self.seat} has just made a peng"
                self.play(f"{self.seat} discard {tiles.NAMES[self.drawn]}")
                discards -= 1
        return self

    def record(self) -> dict[str, Any]:
        """The deal so far as a ``zhuoji-deal/1`` object without a result."""
        return {
            "format": "zhuoji-deal/1",
            "rules": self.rules,
            "dealer": self.dealer,
            "streak": self.streak,
            "dice": [1, 1][: complete(self.rules)["deal"]["dice"]],
            "wall": tiles.show_wall(self.wall),
            "actions": list(self.actions),
        }

    def result(self) -> Result:
        """The finished deal's result; AssertionError while it runs."""
        assert self.done, f"not over after {self.actions}; legal: {sorted(self.legal())}"
        return Result(self._table.result(self.record()), complete(self.rules)["base"])


def _with_dull(hands: dict[int, str], elsewhere: str) -> dict[int, str]:
    filled = dict(hands)
    for owner in range(N_SEATS):
        if owner not in filled:
            used = Counter(tiles.parse("".join(filled.values()) + elsewhere.replace(" ", "")))
            filled[owner] = _dull(owner, used)
    return filled


def _dull(owner: int, used: Counter[int]) -> str:
    for text in (DULL, DULL_MS, DULL_MP):
        if all(used[kind] < COPIES for kind in tiles.parse(text)):
            return text
    chosen: list[int] = []
    for kind in range(tiles.N_KINDS):
        rank = kind % tiles.N_RANKS
        run = rank > 1 and kind - 1 in chosen and kind - 2 in chosen
        if used[kind] < COPIES and kind != tiles.YAOJI and not run:
            chosen.append(kind)
    if len(chosen) < HAND:
        raise ValueError(f"seat {owner}: no dull hand is left, name its tiles")
    return tiles.show(chosen[-HAND:])


def _at_most_four(count: Counter[int]) -> None:
    excess = {tiles.NAMES[kind]: n for kind, n in count.items() if n > COPIES}
    if excess:
        raise ValueError(f"more than four of a kind: {excess}")
