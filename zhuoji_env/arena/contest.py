"""Blocks: the same wall, dealer and streak, dealt anew for each seating of the same agents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena.entrants import Entrant, Source
from zhuoji_env.arena.play import Deals, Landed, Progress, play
from zhuoji_env.arena.tally import Tally, tally
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules

TABLES = 512


def check(**given: tuple[int, int]) -> None:
    """Raise ZhuojiError for the first name whose (value, least) is a value below the least."""
    for what, (value, least) in given.items():
        if value < least:
            raise ZhuojiError(f"{what} is {value}; allowed: {least} or more")


def entrants(sources: tuple[Source, ...]) -> tuple[Entrant, ...]:
    """Return an entrant for each source; the same Agent twice is one entrant."""
    made = {id(source): Entrant(source) for source in sources}
    return tuple(made[id(source)] for source in sources)


def later(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return the progress of one part of a job of `total` deals, `before` of them ended."""
    if progress is None:
        return None
    return lambda ended, _: progress(before + ended, total)


@dataclass(frozen=True)
class Contest:
    """Agents and their seatings; a block is what `seats` (deals, 4) int8 says, on one wall.

    Block k's wall, dice and dealer follow from `seed`, `purpose` and k alone, whatever the agents
    and rules.
    """

    entrants: tuple[Entrant, ...]
    seats: NDArray[np.int8]
    seed: int
    threads: int = 1
    tables: int = TABLES
    luck: bool = False
    purpose: str = "arena"

    def play(
        self,
        rules: Rules,
        numbers: NDArray[np.int64],
        *,
        dealers: NDArray[np.int8] | None = None,
        progress: Progress | None = None,
        landed: Landed | None = None,
    ) -> NDArray[np.void]:
        """Play the blocks of some numbers: (len(numbers) * deals,) OUTCOME, block by block.

        `dealers`, one a deal, stand in for R2's.
        """
        per_block = len(self.seats)
        n = len(numbers) * per_block
        walls = table_seeds(self.seed, int(numbers.max(initial=-1)) + 1, self.purpose)[numbers]
        return play(
            Deals(
                seeds=np.repeat(walls, per_block),
                numbers=np.repeat(numbers, per_block),
                seats=self.all_seats(len(numbers)),
                dealers=np.full(n, -1, np.int8) if dealers is None else dealers,
            ),
            self.entrants,
            rules,
            seed=self._agents_seed(),
            threads=self.threads,
            tables=self.tables,
            progress=progress,
            landed=landed,
            luck=self.luck,
        )

    def tallies(self, outcomes: NDArray[np.void]) -> tuple[Tally, ...]:
        """Return each agent's tally of whole blocks' outcomes."""
        blocks = len(outcomes) // len(self.seats)
        seats = self.all_seats(blocks)
        return tuple(tally(outcomes, seats, k, blocks) for k in range(len(self.entrants)))

    def all_seats(self, blocks: int) -> NDArray[np.int8]:
        """Return who plays each seat of some blocks: (blocks * deals, 4) int8."""
        return np.tile(self.seats, (blocks, 1))

    def _agents_seed(self) -> int:
        """Return the seed of the agents' draws, apart from that of the walls."""
        # The 2 is the count of agents when there were but matches of two; their results stand.
        return int(np.random.SeedSequence([self.seed, 2]).generate_state(1)[0])


def deviation(rules: Rules, deals: int, seed: int, purpose: str = "arena") -> float:
    """Return the standard deviation of a seat's points per deal when greedy plays all four."""
    seats = np.zeros((1, N_SEATS), np.int8)
    alone = Contest(entrants(("greedy",)), seats, seed, purpose=purpose)
    return float(alone.play(rules, np.arange(deals))["scores"].std())
