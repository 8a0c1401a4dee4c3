"""A ladder: every meeting of a field, block by block, into one file that can be gone on with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena import book, contest, entrants
from zhuoji_env.arena.book import Book, Writer
from zhuoji_env.arena.contest import TABLES, Contest
from zhuoji_env.arena.field import Field, Meeting
from zhuoji_env.arena.luck import controls
from zhuoji_env.arena.play import OUTCOME, Progress
from zhuoji_env.arena.tally import tally
from zhuoji_env.errors import ZhuojiError


def ladder(
    field: Field,
    out: str | Path,
    *,
    blocks: int | None = None,
    threads: int = 1,
    tables: int = TABLES,
    progress: Progress | None = None,
) -> Book:
    """Play what is missing of a field's blocks and return all that the file then holds.

    `blocks` stands in for the field's count; more than a file has are added to it. A block is
    written as soon as its last deal has ended, and its result follows from the field and its
    number alone: a run that was killed goes on where it stood. Raises ZhuojiError.
    """
    wanted = field.blocks if blocks is None else blocks
    contest.check(blocks=(wanted, 2), threads=(threads, 1), tables=(tables, 1))
    for spec in field.agents.values():
        try:
            entrants.make(spec)
        except ZhuojiError as error:
            raise ZhuojiError(f"{field.where}: {error}" if field.where else str(error)) from error
    with book.opened(Path(out), field) as writer:
        rest = [
            (place, meeting, writer.book.missing(place, meeting, wanted))
            for place in range(len(field.rules))
            for meeting in field.meetings
        ]
        total = sum(len(numbers) for _, _, numbers in rest) * len(field.seats)
        ended = 0
        for place, meeting, numbers in rest:
            specs = tuple(field.agents[name] for name in meeting)
            games = Contest(
                contest.entrants(specs),
                field.seats,
                field.seed,
                threads=threads,
                tables=tables,
                luck=field.reduce,
            )
            games.play(
                field.rules[place],
                numbers,
                progress=contest.later(progress, ended, total),
                landed=_Blocks(writer, place, meeting, numbers, field.seats).landed,
            )
            ended += len(numbers) * len(field.seats)
        return writer.book


class _Blocks:
    """Puts a meeting's deals together to blocks, and writes each that is whole."""

    def __init__(
        self,
        writer: Writer,
        rules: int,
        meeting: Meeting,
        numbers: NDArray[np.int64],
        seats: NDArray[np.int8],
    ) -> None:
        self._writer, self._rules, self._meeting = writer, rules, meeting
        self._numbers, self._seats = numbers, seats
        self._outcomes: dict[int, NDArray[np.void]] = {}
        self._ended: Counter[int] = Counter()

    def landed(self, deals: NDArray[np.int64], outcomes: NDArray[np.void]) -> None:
        """Take deals that have ended."""
        per_block = len(self._seats)
        for deal, outcome in zip(deals.tolist(), outcomes, strict=True):
            place, within = divmod(deal, per_block)
            held = self._outcomes.setdefault(place, np.zeros(per_block, OUTCOME))
            held[within] = outcome
            self._ended[place] += 1
            if self._ended[place] == per_block:
                self._write(int(self._numbers[place]), self._outcomes.pop(place))

    def _write(self, number: int, outcomes: NDArray[np.void]) -> None:
        agents = range(len(self._meeting))
        tallies = [tally(outcomes, self._seats, k) for k in agents]
        luck = [controls(outcomes["luck"], self._seats, k, 1)[0] for k in agents]
        self._writer.append(self._rules, self._meeting, number, tallies, luck)
