"""What an explanation is made of: its lines, and the facts of a settled position they tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from zhuoji_env import tiles
from zhuoji_env.calculator.explanation.words import Words
from zhuoji_env.calculator.melds import Meld
from zhuoji_env.calculator.position import First, Position
from zhuoji_env.engine.layout import DISCARD_WIN, N_SEATS, ROB_WIN, SELF_DRAW
from zhuoji_env.rules import Rules
from zhuoji_env.tiles import N_RANKS

SEATS = range(N_SEATS)
FIVE_DOTS = 13

Entry = tuple[int, int, int]
"""Payer, payee, fan."""


@dataclass(frozen=True)
class Line:
    """One line of an explanation.

    `item` is a row of the bill, None for a note beside it; `clause` such as R35; `entries` are
    the (payer, payee, fan > 0) that it accounts for, none where nothing is paid.
    """

    item: str | None
    clause: str
    words: str
    entries: tuple[Entry, ...] = ()

    @property
    def change(self) -> list[int]:
        """Fan that each seat gains or loses by it."""
        change = [0] * N_SEATS
        for payer, payee, fan in self.entries:
            change[payer] -= fan
            change[payee] += fan
        return change

    def to_dict(self) -> dict[str, Any]:
        """The line as JSON: its keys are the fields'."""
        entries = [list(entry) for entry in self.entries]
        return {
            "item": self.item,
            "clause": self.clause,
            "words": self.words,
            "entries": entries,
        }

    def __str__(self) -> str:
        return f"{self.words} ({self.clause})"


class Account:
    """A settled position under explanation: its facts, and the lines told so far.

    `patterns` are the winners' best patterns (places in `layout.PATTERNS`), by seat.
    """

    def __init__(
        self,
        position: Position,
        result: dict[str, Any],
        patterns: Sequence[int],
        best_wait: Callable[[int], tuple[int, int]],
        words: Words,
    ) -> None:
        self.position = position
        self.result = result
        self.patterns = patterns
        self.best_wait = best_wait
        self.words = words
        self.ready: list[bool] = result["ready"]
        self.winners: list[int] = result["winners"]
        self.zhuo = _zhuo_kinds(position)
        self.lines: list[Line] = []

    @property
    def rules(self) -> Rules:
        return self.position.rules

    # Telling

    def tell(
        self, item: str | None, clause: str, words: str, entries: Iterable[Entry] = ()
    ) -> None:
        """Add a line; entries of no fan are left out, as the bill does."""
        paid = tuple(entry for entry in entries if entry[2] > 0)
        self.lines.append(Line(item, clause, words, paid))

    def say(self, key: str, **values: object) -> str:
        """A phrase of the language."""
        return self.words.phrases[key].format(**values)

    def seat(self, seat: int | None) -> str:
        """A seat's name."""
        return self.say("seat", n=seat)

    def seats(self, seats: Sequence[int]) -> str:
        """Some seats' names."""
        return self.words.join.join(map(self.seat, seats))

    def tile(self, kind: int | None) -> str:
        """A tile's name."""
        assert kind is not None
        return self.words.tiles[kind]

    def total(self, terms: Sequence[str], fan: int) -> str:
        """A sum in words: its terms, and what they come to where that is not plain."""
        return self.words.plus.join(terms) + self.say("equals", fan=fan)

    def paid_by_each(self, fan: int) -> str:
        """What three seats pay, in words."""
        return self.say("each_pays" if fan else "nothing", fan=fan)

    # Facts

    def fouls(self, seat: int) -> bool:
        """R25: a marked player took hu on another's tile."""
        p = self.position
        marked = seat in p.marked and seat in self.winners
        return marked and p.end != SELF_DRAW and self.rules.win.passed == "pays_three"

    def is_hot(self) -> bool:
        """R31: the discard won on was thrown in the turn of a kong."""
        return self.position.end == DISCARD_WIN and self.position.turn_kongs != 0

    def burns(self, seat: int) -> bool:
        """R31 or re_pao.on_rob falls on this seat."""
        robbed = self.position.end == ROB_WIN and self.rules.re_pao.on_rob
        return seat == self.position.shooter and (self.is_hot() or robbed)

    def burning(self) -> tuple[str, str]:
        """The clause and the name of what burns."""
        if self.position.end == ROB_WIN:
            return "R33", self.say("burnt_by_rob")
        return "R31", self.say("burnt_by_shot")

    def is_blown(self) -> bool:
        """ji.chui_feng: the indicator 5p voids every ji."""
        return self.rules.ji.chui_feng and self.position.indicator == FIVE_DOTS

    def forfeits(self, seat: int) -> bool:
        """win.foul_forfeits takes this seat's dou and ji."""
        return self.rules.win.foul_forfeits and self.fouls(seat)

    def held(self, seat: int, kind: int) -> int:
        """R38: how many of a kind a seat holds, the tile won on included."""
        p = self.position
        n = p.seats[seat].hand[kind]
        n += sum(meld.size for meld in p.seats[seat].melds if meld.kind == kind)
        return n + (seat in self.winners and p.tile == kind)

    def is_doubled(self, kind: int) -> bool:
        """R40: gold doubles the price of a standing ji."""
        return kind in self.zhuo and self.rules.ji.gold == "double"

    def each(self, payee: int, fan: int) -> list[Entry]:
        """Entries of three seats that pay one the same."""
        return [(payer, payee, fan) for payer in SEATS if payer != payee]


def is_charge(first: First | None, seat: int) -> bool:
    """R39: the deal's first of a kind was this seat's discard and stayed unclaimed."""
    return first is not None and first.claimer is None and first.seat == seat


def kong_name(account: Account, meld: Meld) -> str:
    """A kong in words."""
    kind = account.words.melds[meld.type]
    return account.say("kong", kind=kind, tile=account.tile(meld.kind))


def _zhuo_kinds(p: Position) -> list[int]:
    """R40: the zhuo ji kinds, house variants included."""
    ji = p.rules.ji
    kinds = set()
    if p.indicator is not None:
        suit, rank = p.indicator - p.indicator % N_RANKS, p.indicator % N_RANKS
        kinds.add(suit + (rank + 1) % N_RANKS)
        if ji.ben:
            kinds.add(p.indicator)
        if ji.yao_bai:
            kinds.add(suit + (rank - 1) % N_RANKS)
    if ji.xing_qi:
        kinds.update(range(ji.xing_qi - 1, tiles.N_KINDS, N_RANKS))
    return sorted(kinds)
