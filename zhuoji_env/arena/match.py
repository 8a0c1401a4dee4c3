"""A match of two agents over blocks, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena import entrants, stats
from zhuoji_env.arena.entrants import Entrant
from zhuoji_env.arena.panel import Figures, panel
from zhuoji_env.arena.play import Deals, Progress, play
from zhuoji_env.arena.seating import block_seats
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules
from zhuoji_env.rules.ruleset import Source

TABLES = 512
A, B = 0, 1


@dataclass(frozen=True)
class MatchResult:
    """What a match came to, in points per deal of a seat of agent a.

    `mean` with its 95% interval `low`..`high` over the independent blocks; `per_block` (blocks,)
    float64; `panel["a"]` and `panel["b"]` the figures of `arena.panel.MEANINGS`.
    """

    a: str
    b: str
    rules: Rules
    layout: str
    blocks: int
    deals: int
    seed: int
    interval: str
    mean: float
    low: float
    high: float
    per_block: NDArray[np.float64]
    panel: dict[str, Figures]

    def to_dict(self, per_block: bool = False) -> dict[str, Any]:
        """Return everything as JSON takes it; the blocks only if asked."""
        told: dict[str, Any] = {
            "format": "zhuoji-match/1",
            "a": self.a,
            "b": self.b,
            "rules": self.rules.to_overrides(),
            "rules_name": self.rules.name,
            "rules_fingerprint": self.rules.fingerprint,
            "layout": self.layout,
            "blocks": self.blocks,
            "deals": self.deals,
            "seed": self.seed,
            "interval": self.interval,
            "level": stats.LEVEL,
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "panel": self.panel,
        }
        if per_block:
            told["per_block"] = self.per_block.tolist()
        return told


@dataclass(frozen=True)
class PairedResult:
    """The same blocks under two rulesets: `first`, `second`, and first less second per block."""

    first: MatchResult
    second: MatchResult
    mean: float
    low: float
    high: float
    per_block: NDArray[np.float64]

    def to_dict(self, per_block: bool = False) -> dict[str, Any]:
        """Return everything as JSON takes it; the blocks only if asked."""
        told: dict[str, Any] = {
            "format": "zhuoji-paired-match/1",
            "first": self.first.to_dict(per_block),
            "second": self.second.to_dict(per_block),
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
        }
        if per_block:
            told["per_block"] = self.per_block.tolist()
        return told


@overload
def match(
    a: entrants.Source,
    b: entrants.Source,
    rules: Source = ...,
    blocks: int = ...,
    seed: int = ...,
    *,
    layout: str = ...,
    interval: str = ...,
    threads: int = ...,
    tables: int = ...,
    progress: Progress | None = ...,
) -> MatchResult: ...


@overload
def match(
    a: entrants.Source,
    b: entrants.Source,
    rules: tuple[Source, Source],
    blocks: int = ...,
    seed: int = ...,
    *,
    layout: str = ...,
    interval: str = ...,
    threads: int = ...,
    tables: int = ...,
    progress: Progress | None = ...,
) -> PairedResult: ...


def match(
    a: entrants.Source,
    b: entrants.Source,
    rules: Source | tuple[Source, Source] = "guiyang",
    blocks: int = 2000,
    seed: int = 0,
    *,
    layout: str = "one-vs-three",
    interval: str = "t",
    threads: int = 1,
    tables: int = TABLES,
    progress: Progress | None = None,
) -> MatchResult | PairedResult:
    """Play a against b and return the points per deal of a's seats, with a 95% interval.

    `a`, `b` are specs (`random`, `module:factory`, a policy file), Agents, or factories of them. A
    block is one wall and one dealer with streak 1, dealt anew for each seating of `layout`:
    `one-vs-three` a in each seat against three b, `three-vs-one` the other way about, `two-vs-two`
    all six ways of sharing the table. Walls come from the arena's own family of `seed`; both
    agents get the same seed, and the blocks' numbers as `tables`, so that equal agents end every
    block at 0 and two against two with the sides swapped is exactly the negative.

    `rules` may be a pair: the same walls and dealers under two rulesets. `interval` is `t` or
    `bootstrap`. The result is the same for any number of `threads`, and of `tables` that each
    plays at once; `progress(ended, deals)` is called now and then. Raises ZhuojiError.
    """
    for what, value, least in (
        ("blocks", blocks, 2),
        ("threads", threads, 1),
        ("tables", tables, 1),
    ):
        if value < least:
            raise ZhuojiError(f"{what} is {value}; allowed: {least} or more")
    if seed < 0:
        raise ZhuojiError(f"seed is {seed}; allowed: 0 or more")
    if interval not in stats.METHODS:
        raise ZhuojiError(f"unknown interval {interval!r}; allowed: {', '.join(stats.METHODS)}")
    stats.need_scipy()
    seats = block_seats(layout)
    first = Entrant(a)
    contest = _Contest(
        entrants=(first, first if a is b else Entrant(b)),
        layout=layout,
        seats=np.tile(seats, (blocks, 1)),
        blocks=blocks,
        seed=seed,
        interval=interval,
        threads=threads,
        tables=tables,
    )
    if not isinstance(rules, tuple):
        return contest.run(Rules.load(rules), None, progress)[0]
    one, other = (Rules.load(source) for source in rules)
    half, whole = _halves(progress)
    result, dealers = contest.run(one, None, half)
    against, _ = contest.run(other, dealers, whole)
    difference = result.per_block - against.per_block
    return PairedResult(
        result, against, *stats.interval(difference, interval, seed), per_block=difference
    )


def _halves(progress: Progress | None) -> tuple[Progress | None, Progress | None]:
    """Return the progress of the two halves of a job."""
    if progress is None:
        return None, None
    return (lambda k, n: progress(k, 2 * n)), (lambda k, n: progress(n + k, 2 * n))


@dataclass(frozen=True)
class _Contest:
    """A match but for its rules."""

    entrants: tuple[Entrant, Entrant]
    layout: str
    seats: NDArray[np.int8]
    blocks: int
    seed: int
    interval: str
    threads: int
    tables: int

    def run(
        self, rules: Rules, dealers: NDArray[np.int8] | None, progress: Progress | None
    ) -> tuple[MatchResult, NDArray[np.int8]]:
        """Play under one ruleset; return the result and each deal's dealer."""
        n = len(self.seats)
        per_block = n // self.blocks
        numbers = np.arange(self.blocks)
        outcomes = play(
            Deals(
                seeds=np.repeat(table_seeds(self.seed, self.blocks, "arena"), per_block),
                numbers=np.repeat(numbers, per_block),
                seats=self.seats,
                dealers=np.full(n, -1, np.int8) if dealers is None else dealers,
            ),
            self.entrants,
            rules,
            seed=self._agents_seed(),
            threads=self.threads,
            tables=self.tables,
            progress=progress,
        )
        mine = self.seats == A
        points = np.where(mine, outcomes["scores"], 0).sum(axis=1).reshape(self.blocks, -1)
        scores = points.sum(axis=1) / mine[:per_block].sum()
        mean, low, high = stats.interval(scores, self.interval, self.seed)
        result = MatchResult(
            a=self.entrants[A].name,
            b=self.entrants[B].name,
            rules=rules,
            layout=self.layout,
            blocks=self.blocks,
            deals=n,
            seed=self.seed,
            interval=self.interval,
            mean=mean,
            low=low,
            high=high,
            per_block=scores,
            panel={
                "a": panel(outcomes, self.seats, A),
                "b": panel(outcomes, self.seats, B),
            },
        )
        return result, outcomes["dealer"].copy()

    def _agents_seed(self) -> int:
        """Return the seed of the agents' draws, apart from that of the walls."""
        return int(np.random.SeedSequence([self.seed, len(self.entrants)]).generate_state(1)[0])
