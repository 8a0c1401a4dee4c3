"""How many blocks a match needs for an interval of some width, from a pilot run."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from zhuoji_env.arena import contest, entrants, stats
from zhuoji_env.arena.luck import LEAST_BLOCKS
from zhuoji_env.arena.match import MatchResult, match
from zhuoji_env.arena.play import Progress
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules.ruleset import Source

# Beyond what any run will play.
_MOST = 10**12


@dataclass(frozen=True)
class Plan:
    """What a match of two agents needs for a 95% interval of mean ± `half_width` points per deal.

    `blocks` follow from `deviation`, the pilot's standard deviation over blocks; `fewest` and
    `most` from the ends of that deviation's own 95% interval (of normal blocks). `seconds` is how
    long they take at the pilot's pace. `reduced` says that the deviation is that of scores without
    luck, which a longer match fits a little better than its pilot.
    """

    half_width: float
    reduced: bool
    pilot: int
    deviation: float
    blocks: int
    fewest: int
    most: int
    deals: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        return {"format": "zhuoji-plan/1", **asdict(self)}


def plan(
    a: entrants.Source,
    b: entrants.Source,
    half_width: float,
    rules: Source = "guiyang",
    pilot: int = 100,
    seed: int = 0,
    *,
    layout: str = "one-vs-three",
    threads: int = 1,
    reduce: bool = False,
    progress: Progress | None = None,
) -> Plan:
    """Play a pilot of some blocks and return what the match itself needs; arguments as `match`."""
    if not (half_width > 0 and math.isfinite(half_width)):
        raise ZhuojiError(f"half width is {half_width}; allowed: more than 0")
    least = LEAST_BLOCKS if reduce else 2
    contest.check(pilot=(pilot, least))

    def play(blocks: int, progress: Progress | None = None) -> MatchResult:
        return match(
            a, b, rules, blocks, seed,
            layout=layout, threads=threads, reduce=reduce, progress=progress,
        )  # fmt: skip

    # Kernels are compiled, policies loaded and the like before time is taken.
    play(least)
    began = perf_counter()
    result = play(pilot, progress)
    pace = (perf_counter() - began) / pilot
    deviation = float(result.per_block.std(ddof=1))
    if result.reduced is not None:
        deviation *= result.reduced.ratio
    chi2 = stats.need_scipy().chi2
    spread = [
        deviation * math.sqrt((pilot - 1) / chi2.ppf(share, pilot - 1))
        for share in ((1 + stats.LEVEL) / 2, (1 - stats.LEVEL) / 2)
    ]
    blocks, fewest, most = (max(least, blocks_for(half_width, one)) for one in (deviation, *spread))
    return Plan(
        half_width=half_width,
        reduced=reduce,
        pilot=pilot,
        deviation=deviation,
        blocks=blocks,
        fewest=fewest,
        most=most,
        deals=blocks * result.deals // pilot,
        seconds=blocks * pace,
    )


def blocks_for(half_width: float, deviation: float) -> int:
    """Return the fewest blocks, 2 or more, whose t-interval is no wider than mean ± half width."""
    t = stats.need_scipy().t

    def wide(n: int) -> bool:
        quantile = float(t.ppf((1 + stats.LEVEL) / 2, n - 1))
        return quantile * deviation / math.sqrt(n) > half_width

    low, high = 1, 2
    while wide(high):
        if high > _MOST:
            raise ZhuojiError(f"half width is {half_width}; that takes more than {_MOST} blocks")
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return high
