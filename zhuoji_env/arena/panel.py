"""The panel of a match: what each agent's seats won, lost and did, as rates over their deals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena.stats import Interval, percentiles, resampled
from zhuoji_env.arena.tally import PLACE, Tally, tally
from zhuoji_env.engine.layout import ITEMS, PATTERNS

Figures = dict[str, float | None]

TAIL = 0.05
HIGH_FAN = 0.95
# Far below the weight of a hand, far above what a product of floats is off by.
_ROUNDING = 1e-6


class Figure(NamedTuple):
    """One figure: a quotient of two of a tally's counts, or what is said of it below."""

    meaning: str
    top: str = ""
    bottom: str = "seats"
    share: bool = False

    @property
    def signed(self) -> bool:
        """Whether it is an income, which may be a loss."""
        return self.meaning.startswith("points")


def _share(meaning: str, top: str, bottom: str = "seats") -> Figure:
    return Figure(meaning, top, bottom, share=True)


# In the order in which reports list them.
FIGURES = {
    "points": Figure("points per deal", "points"),
    "win": _share("deals won", "win"),
    "self_draw": _share("deals won by self-draw", "self_draw"),
    "discard_win": _share("deals won on a discard", "discard_win"),
    "rob_win": _share("deals won by robbing a kong", "rob_win"),
    "deal_in": _share("deals lost as the shooter, robbed kongs included", "deal_in"),
    "draw": _share("deals that ended in an exhaustive draw", "draw"),
    "ready_at_draw": _share("of those, ready at the end", "ready_at_draw", "draw"),
    "mean_fan": Figure("fan of the hands won with", "fan", "win"),
    "fan_95": Figure("their 95th percentile"),
    "turn": Figure("turn of winning, in the winner's own draws", "draws_to_win", "win"),
    "baoting": _share("deals in which baoting was declared", "baoting"),
    "pengs": Figure("pengs per deal", "pengs"),
    "kongs": Figure("kongs per deal", "kongs"),
    "cvar": Figure("points per deal in the worst 5% of deals (CVaR)"),
    "dealer_points": Figure("points per deal as the dealer", "points_as_dealer", "dealt"),
    "other_points": Figure("points per deal as another seat", "points_as_other", "not_dealt"),
    "dealer_win": _share("deals won as the dealer", "win_as_dealer", "dealt"),
    "other_win": _share("deals won as another seat", "win_as_other", "not_dealt"),
    **{f"pattern_{p}": _share(f"of the hands won with: {p}", f"pattern_{p}", "win")
       for p in PATTERNS},
    **{f"points_{item}": Figure(f"points per deal from {item}", f"points_{item}")
       for item in ITEMS},
}  # fmt: skip
MEANINGS = {key: figure.meaning for key, figure in FIGURES.items()}


def panel(outcomes: NDArray[np.void], seats: NDArray[np.int8], agent: int) -> Figures:
    """Return one agent's figures over all its seats; None where there was nothing to count.

    `outcomes` (n,) OUTCOME records, `seats` (n, 4) who played them.
    """
    return figures(tally(outcomes, seats, agent))


def figures(counted: Tally) -> Figures:
    """Return the figures of a tally; None where there was nothing to count."""
    (values,) = _values(counted, np.ones((1, len(counted.counts))))
    return {key: _known(value) for key, value in zip(FIGURES, values, strict=True)}


def intervals(counted: Tally, seed: int = 0) -> dict[str, Interval | None]:
    """Return every figure with its 95% interval, bootstrapped over the blocks."""
    drawn = [_values(counted, weights) for weights in resampled(len(counted.counts), seed)]
    return _intervals(figures(counted), np.concatenate(drawn))


def paired_intervals(first: Tally, second: Tally, seed: int = 0) -> dict[str, Interval | None]:
    """Return every figure of the first less the second's, with its 95% interval.

    Block k of both is the same wall, so each resample draws the same blocks of both.
    """
    drawn = [
        _values(first, weights) - _values(second, weights)
        for weights in resampled(len(first.counts), seed)
    ]
    one, other = figures(first), figures(second)
    gaps = {key: _gap(one[key], other[key]) for key in FIGURES}
    return _intervals(gaps, np.concatenate(drawn))


def _gap(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _intervals(plain: Figures, drawn: NDArray[np.float64]) -> dict[str, Interval | None]:
    ends = percentiles(drawn)
    return {
        key: None if value is None else Interval(value, *map(float, ends[:, place]))
        for place, (key, value) in enumerate(plain.items())
    }


def _values(counted: Tally, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the figures under some weights of the blocks: (r, len(FIGURES)) of (r, blocks)."""
    sums = weights @ counted.counts
    out = np.full((len(weights), len(FIGURES)), np.nan)
    for place, (key, figure) in enumerate(FIGURES.items()):
        if key == "cvar":
            out[:, place] = _worst(counted.scores, counted.score_block, weights)
        elif key == "fan_95":
            out[:, place] = _quantile(counted.fans, counted.fan_block, weights)
        else:
            bottom = _bottom(sums, figure.bottom)
            top = sums[:, PLACE[figure.top]]
            np.divide(top, bottom, out=out[:, place], where=bottom > 0)
    return out


def _bottom(sums: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    if name == "not_dealt":
        rest: NDArray[np.float64] = sums[:, PLACE["seats"]] - sums[:, PLACE["dealt"]]
        return rest
    column: NDArray[np.float64] = sums[:, PLACE[name]]
    return column


def _masses(
    values: NDArray[np.int64], blocks: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the k different values, sorted, and the weight up to and with each: (r, k)."""
    levels, place = np.unique(values, return_inverse=True)
    n, k = weights.shape[1], len(levels)
    held = np.bincount(blocks * k + place, minlength=n * k).reshape(n, k)
    return levels, np.cumsum(weights @ held, axis=1)


def _worst(
    scores: NDArray[np.int64], blocks: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the mean of the lowest TAIL of the scores, a deal on the edge in part."""
    out = np.full(len(weights), np.nan)
    if len(scores) == 0:
        return out
    levels, up_to = _masses(scores, blocks, weights)
    mass = TAIL * up_to[:, -1]
    taken = np.diff(np.minimum(up_to, mass[:, None]), prepend=0.0)
    np.divide(taken @ levels, mass, out=out, where=mass > 0)
    return out


def _quantile(
    fans: NDArray[np.int64], blocks: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the least fan that at least HIGH_FAN of the hands do not exceed."""
    if len(fans) == 0:
        return np.full(len(weights), np.nan)
    levels, up_to = _masses(fans, blocks, weights)
    enough = up_to >= HIGH_FAN * up_to[:, -1:] - _ROUNDING
    return np.where(up_to[:, -1] > 0, levels[enough.argmax(axis=1)], np.nan)
