"""Means with intervals; scipy does the statistics, so the extra [arena] is needed."""

from __future__ import annotations

from collections.abc import Iterator
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


def resampled(n: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield how often each of n blocks is drawn in each resample: (r, n), RESAMPLES rows in all.

    The draws follow from (n, seed) alone, so that whatever is weighted by them is paired.
    """
    rng = np.random.default_rng(seed)
    at_once = max(1, _CHUNK // n)
    for start in range(0, RESAMPLES, at_once):
        r = min(at_once, RESAMPLES - start)
        drawn = rng.integers(0, n, (r, n)) + n * np.arange(r)[:, None]
        yield np.bincount(drawn.ravel(), minlength=r * n).reshape(r, n).astype(np.float64)


def percentiles(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of the 95% intervals of resampled values (r, k): (2, k), NaN left out.

    A column of NaN alone has NaN for its ends.
    """
    ends: NDArray[np.float64] = np.full((2, drawn.shape[1]), np.nan)
    for place, column in enumerate(drawn.T):
        known = column[~np.isnan(column)]
        if len(known):
            ends[:, place] = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return ends
