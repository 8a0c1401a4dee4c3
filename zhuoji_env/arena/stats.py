"""Means with intervals; scipy does the statistics, so the extra [arena] is needed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.errors import ZhuojiError

LEVEL = 0.95
METHODS = ("t", "bootstrap")
RESAMPLES = 2000
# Resampled values held in memory at once.
_CHUNK = 1 << 22


class Interval(NamedTuple):
    """A mean and the ends of its confidence interval."""

    mean: float
    low: float
    high: float


def need_scipy() -> Any:
    """Return scipy.stats; ZhuojiError says how to get it."""
    try:
        from scipy import stats
    except ModuleNotFoundError as error:
        raise ZhuojiError("intervals need scipy: pip install 'zhuoji[arena]'") from error
    return stats


def interval(values: NDArray[np.float64], method: str = "t", seed: int = 0) -> Interval:
    """Return the mean of independent values (n,), n > 1, with its 95% interval.

    `t` is Student's interval, `bootstrap` the percentiles of resampled means, drawn from `seed`.
    Equal values have an interval of no width.
    """
    stats = need_scipy()
    if method not in METHODS:
        raise ZhuojiError(f"unknown interval {method!r}; allowed: {', '.join(METHODS)}")
    if len(values) < 2:
        raise ZhuojiError(f"{len(values)} values have no interval; allowed: 2 or more")
    mean = float(values.mean())
    if np.all(values == values[0]):
        return Interval(mean, mean, mean)
    if method == "t":
        half = float(stats.sem(values) * stats.t.ppf((1 + LEVEL) / 2, len(values) - 1))
        return Interval(mean, mean - half, mean + half)
    drawn = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, _CHUNK // len(values)),
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(mean, float(drawn.low), float(drawn.high))
