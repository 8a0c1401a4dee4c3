"""A match of two agents over blocks, and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena import contest, entrants, stats
from zhuoji_env.arena.contest import TABLES, Contest
from zhuoji_env.arena.luck import LEAST_BLOCKS, Reduced, controls, reduced, without
from zhuoji_env.arena.panel import Figures, figures, paired_intervals
from zhuoji_env.arena.play import Progress
from zhuoji_env.arena.seating import block_seats
from zhuoji_env.arena.stats import Interval
from zhuoji_env.arena.tally import Tally
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules
from zhuoji_env.rules.ruleset import Source

A, B = 0, 1


@dataclass(frozen=True)
class MatchResult:
    """What a match came to, in points per deal of a seat of agent a.

    `mean` with its 95% interval `low`..`high` over the independent blocks; `per_block` (blocks,)
    float64; `panel["a"]` and `panel["b"]` the figures of `arena.panel.MEANINGS`; `tallies` what
    they were counted from, a's and b's; `reduced` the same less luck, if asked.
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
    tallies: tuple[Tally, ...] = field(repr=False, compare=False)
    reduced: Reduced | None = None

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
        if self.reduced is not None:
            told["reduced"] = self.reduced._asdict()
        if per_block:
            told["per_block"] = self.per_block.tolist()
        return told


@dataclass(frozen=True)
class PairedResult:
    """The same blocks under two rulesets: `first`, `second`, and first less second per block.

    `panel["a"]` and `panel["b"]` have the same of every figure of `arena.panel.MEANINGS`, with a
    95% interval bootstrapped over pairs of blocks; None where either has none.
    """

    first: MatchResult
    second: MatchResult
    mean: float
    low: float
    high: float
    per_block: NDArray[np.float64]
    panel: dict[str, dict[str, Interval | None]]

    def to_dict(self, per_block: bool = False) -> dict[str, Any]:
        """Return everything as JSON takes it; the blocks only if asked."""
        told: dict[str, Any] = {
            "format": "zhuoji-paired-match/2",
            "first": self.first.to_dict(per_block),
            "second": self.second.to_dict(per_block),
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "panel": {
                side: {key: gap and gap._asdict() for key, gap in gaps.items()}
                for side, gaps in self.panel.items()
            },
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
    reduce: bool = ...,
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
    reduce: bool = ...,
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
    reduce: bool = False,
    progress: Progress | None = None,
) -> MatchResult | PairedResult:
    """Play a against b and return the points per deal of a's seats, with a 95% interval.

    `a`, `b` are specs (`random`, `module:factory`, a policy file), Agents, or factories of them. A
    block is one wall and one dealer with streak 1, dealt anew for each seating of `layout`:
    `one-vs-three` a in each seat against three b, `three-vs-one` the other way about, `swap` both,
    `two-vs-two` all six ways of sharing the table. Walls come from the arena's own family of
    `seed`; both agents get the same seed, and the blocks' numbers as `tables`, so that equal agents
    end every block at 0 and `swap` or `two-vs-two` with the sides exchanged is exactly the
    negative.

    `reduce` takes the luck of draws and flips out of the scores as well (`arena.luck`): `reduced`
    estimates the same mean without bias. It takes 50 blocks or more.

    `rules` may be a pair: the same walls and dealers under two rulesets. `interval` is `t` or
    `bootstrap`. The result is the same for any number of `threads`, and of `tables` that each
    plays at once; `progress(ended, deals)` is called now and then. Raises ZhuojiError.
    """
    contest.check(blocks=(blocks, 2), threads=(threads, 1), tables=(tables, 1), seed=(seed, 0))
    if interval not in stats.METHODS:
        raise ZhuojiError(f"unknown interval {interval!r}; allowed: {', '.join(stats.METHODS)}")
    if reduce:
        contest.check(blocks=(blocks, LEAST_BLOCKS))
    stats.need_scipy()
    games = _Match(
        Contest(
            contest.entrants((a, b)),
            block_seats(layout),
            seed=seed,
            threads=threads,
            tables=tables,
            luck=reduce,
        ),
        layout,
        blocks,
        interval,
    )
    if not isinstance(rules, tuple):
        return games.run(Rules.load(rules), None, progress)[0]
    one, other = (Rules.load(source) for source in rules)
    half, whole = _halves(progress)
    result, dealers = games.run(one, None, half)
    against, _ = games.run(other, dealers, whole)
    difference = result.per_block - against.per_block
    gaps = [
        paired_intervals(*pair, seed) for pair in zip(result.tallies, against.tallies, strict=True)
    ]
    return PairedResult(
        result,
        against,
        *stats.interval(difference, interval, seed),
        per_block=difference,
        panel={"a": gaps[A], "b": gaps[B]},
    )


def _halves(progress: Progress | None) -> tuple[Progress | None, Progress | None]:
    """Return the progress of the two halves of a job."""
    if progress is None:
        return None, None
    return (lambda k, n: progress(k, 2 * n)), (lambda k, n: progress(n + k, 2 * n))


@dataclass(frozen=True)
class _Match:
    """A match but for its rules."""

    contest: Contest
    layout: str
    blocks: int
    interval: str

    def run(
        self, rules: Rules, dealers: NDArray[np.int8] | None, progress: Progress | None
    ) -> tuple[MatchResult, NDArray[np.int8]]:
        """Play under one ruleset; return the result and each deal's dealer."""
        outcomes = self.contest.play(
            rules, np.arange(self.blocks), dealers=dealers, progress=progress
        )
        tallies = self.contest.tallies(outcomes)
        scores = tallies[A].points
        seed = self.contest.seed
        mean, low, high = stats.interval(scores, self.interval, seed)
        result = MatchResult(
            a=self.contest.entrants[A].name,
            b=self.contest.entrants[B].name,
            rules=rules,
            layout=self.layout,
            blocks=self.blocks,
            deals=len(outcomes),
            seed=seed,
            interval=self.interval,
            mean=mean,
            low=low,
            high=high,
            per_block=scores,
            panel={"a": figures(tallies[A]), "b": figures(tallies[B])},
            tallies=tallies,
            reduced=self._reduced(outcomes, scores) if self.contest.luck else None,
        )
        return result, outcomes["dealer"].copy()

    def _reduced(self, outcomes: NDArray[np.void], scores: NDArray[np.float64]) -> Reduced:
        seats = self.contest.all_seats(self.blocks)
        left = without(scores, controls(outcomes["luck"], seats, A, self.blocks))
        return reduced(scores, left, self.interval, self.contest.seed)
