"""The luck of draws and flips, and what is left of a match without it.

Whatever has been played, the next tile drawn is any of those left in the wall with equal chances,
and so is the tile flipped after a win (R37); no agent knows which. So what a draw brings, less what
the wall's tiles bring on average, has mean 0, and so have the points under the tile flipped, less
their mean over all that it could have been: control variates whose mean is known, as in AIVAT
(Burch et al. 2018). What a block scores is regressed on the sums of both sides, and the fit of a
block comes from other blocks alone, so that the estimate stays unbiased. The luck of the opening
hands needs no control: in a block each agent plays each of them as often as any other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena import stats
from zhuoji_env.engine.bill import settle
from zhuoji_env.engine.distance import Needs, distance_of, lowering_kinds
from zhuoji_env.engine.kernel import Wins, kernel
from zhuoji_env.engine.layout import TURN
from zhuoji_env.tiles import N_KINDS, N_RANKS, YAOJI

# What is kept of a seat's luck. Draws that bring the hand nearer to a win, told apart by the
# distance before them: 0 (they win), 1, 2, and further; yaoji drawn; fourth tiles drawn, which a
# kong takes; and the points of the flip.
LEVELS = 4
YAO, FOURTH, FLIP = LEVELS, LEVELS + 1, LEVELS + 2
KEPT = FLIP + 1
# One side's and the other's; what the flip brings one it takes from the other, and stands once.
CONTROLS = KEPT + FLIP
FOLDS = 5
LEAST_BLOCKS = 50

Tables = Any


class Reduced(NamedTuple):
    """Points per deal without luck: the mean with its 95% interval, and what that gained.

    `ratio` is the standard deviation over blocks divided by that of the plain scores.
    """

    mean: float
    low: float
    high: float
    ratio: float


@kernel
def note_draws(
    games: Tables, seen: NDArray[np.int64], luck: NDArray[np.float64], needs: Needs
) -> None:
    """Add the luck of each table's last draw if it is not among the `seen` (tables,) draws.

    `luck` is (tables, 4, KEPT).
    """
    for i in range(games.shape[0]):
        g = games[i]
        n = int(g.n_draws[0]) + g.n_draws[1] + g.n_draws[2] + g.n_draws[3]
        if n == seen[i]:
            continue
        seen[i] = n
        if g.phase == TURN and g.drawn >= 0:
            note_draw(g, luck[i, g.seat], needs)


@kernel
def note_draw(g: Tables, luck: NDArray[np.float64], needs: Needs) -> None:
    """Add what the draw just made brings its seat, less its mean over the tiles it was among."""
    key0, key1, key2 = int(g.key[g.seat, 0]), int(g.key[g.seat, 1]), int(g.key[g.seat, 2])
    unit = 5 ** (int(g.drawn) % N_RANKS)
    suit = g.drawn // N_RANKS
    if suit == 0:
        key0 -= unit
    elif suit == 1:
        key1 -= unit
    else:
        key2 -= unit
    n_melds = g.n_melds[g.seat]
    nearer = lowering_kinds(key0, key1, key2, n_melds, True, needs)
    level = min(distance_of(key0, key1, key2, n_melds, needs), LEVELS - 1)
    luck[level] += surprise(g, nearer)
    luck[YAO] += surprise(g, 1 << YAOJI)
    fourth = int(g.peng[g.seat])
    for kind in range(N_KINDS):
        if g.hand[g.seat, kind] - (kind == g.drawn) == 3:
            fourth |= 1 << kind
    luck[FOURTH] += surprise(g, fourth)


@kernel
def surprise(g: Tables, kinds: int) -> float:
    """Return 1 if the tile drawn is of some kinds (bits), less the chance that it was to be."""
    came = kinds >> g.drawn & 1
    chances = came
    for place in range(g.head, g.tail):
        chances += kinds >> g.wall[place] & 1
    return float(came - chances / (g.tail - g.head + 1))


@kernel
def note_flips(
    games: Tables,
    rules: Tables,
    wins: Wins,
    tables: NDArray[np.int64],
    scratch: Tables,
    luck: NDArray[np.float64],
) -> None:
    """Write the luck of the flip at some finished tables; `scratch` (1,) GAME is overwritten.

    `luck` is (tables, 4, KEPT).
    """
    for i in tables:
        g = games[i]
        if g.indicator < 0:
            continue
        of_kind = np.zeros(N_KINDS, np.int64)
        for place in range(g.head, g.tail):
            of_kind[g.wall[place]] += 1
        scratch[0] = games[i]
        other = scratch[0]
        mean = np.zeros(4)
        for kind in range(N_KINDS):
            if of_kind[kind]:
                other.wall[g.head] = kind
                settle(other, rules[g.rules], wins)
                for seat in range(4):
                    mean[seat] += other.scores[seat] * of_kind[kind] / (g.tail - g.head)
        for seat in range(4):
            luck[i, seat, FLIP] = g.scores[seat] - mean[seat]


def controls(
    luck: NDArray[np.float64], seats: NDArray[np.int8], agent: int, blocks: int
) -> NDArray[np.float64]:
    """Return the luck per seat of an agent's and that of its tables' others, block by block.

    `luck` (n, 4, KEPT) and `seats` (n, 4) of deals: (blocks, CONTROLS).
    """
    mine = (seats == agent)[:, :, None]
    others = (luck[:, :, :FLIP] * ~mine).sum(axis=1)
    sides = np.concatenate([(luck * mine).sum(axis=1), others], axis=1)
    counted = mine.reshape(blocks, -1).sum(axis=1, keepdims=True)
    summed = sides.reshape(blocks, -1, CONTROLS).sum(axis=1)
    per_seat: NDArray[np.float64] = summed / counted
    return per_seat


def without(values: NDArray[np.float64], luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values (n,) less what controls (n, k) of mean 0 explain of them.

    Each fold's coefficients are fitted to the other folds, so that no value has a part in its own.
    """
    left = values.copy()
    fold = np.arange(len(values)) % FOLDS
    for one in range(FOLDS):
        others = np.column_stack([np.ones(np.sum(fold != one)), luck[fold != one]])
        slopes = np.linalg.lstsq(others, values[fold != one], rcond=None)[0][1:]
        left[fold == one] -= luck[fold == one] @ slopes
    return left


def reduced(
    points: NDArray[np.float64], left: NDArray[np.float64], interval: str, seed: int
) -> Reduced:
    """Return what points per deal (n,) come to, `left` (n,) being what is left without luck.

    `interval` and `seed` as `stats.interval` has them.
    """
    plain = float(points.std())
    ratio = float(left.std()) / plain if plain else 1.0
    return Reduced(*stats.interval(left, interval, seed), ratio)
