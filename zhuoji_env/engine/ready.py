"""Drawing ready hands: 13 tiles of a pool, uniform among all that are one tile short of a win.

A suit's keys are grouped by their size and by what the suit is to a hand (its class); the classes
of three suits decide whether a hand is ready. Each key weighs as many times as the pool can deal
it, so that choosing sizes and classes first, then a key of each suit, is exact.
"""

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.hand import POW5
from zhuoji_env.engine.kernel import Int, Wins, kernel
from zhuoji_env.engine.tables import MELDS, MELDS_PAIR, ODD_SHIFT, TO_PAIR

HAND = 13
N_CLASSES = 48
RANK_BITS = 511
# C(n, k) for pools of up to four
CHOOSE = (
    (1, 0, 0, 0, 0),
    (1, 1, 0, 0, 0),
    (1, 2, 1, 0, 0),
    (1, 3, 3, 1, 0),
    (1, 4, 6, 4, 1),
)

Weights = NDArray[np.float64]
Keys = NDArray[np.int32]


@kernel
def class_of(entry: Int) -> Int:
    """Return what a suit is to a hand: melds, melds and a pair, one short of either, odd counts."""
    code = 0
    code |= 1 if entry & MELDS else 0
    code |= 2 if entry & MELDS_PAIR else 0
    code |= 4 if entry & RANK_BITS else 0
    code |= 8 if (entry >> TO_PAIR) & RANK_BITS else 0
    odd: Int = min(2, np.int64(entry) >> ODD_SHIFT)
    return code | odd << 4


@kernel
def is_ready(a: Int, b: Int, c: Int) -> bool:
    """Whether suits of three classes make a ready hand of 13 (as hand.waits_of asks it)."""
    if (a >> 4) + (b >> 4) + (c >> 4) == 1:
        return True
    ma, mb, mc = a & 1, b & 1, c & 1
    pa, pb, pc = a >> 1 & 1, b >> 1 & 1, c >> 1 & 1
    if (mb and mc and a & 8) or (ma and mc and b & 8) or (ma and mb and c & 8):
        return True
    return bool(
        (a & 4 and ((mb and pc) or (pb and mc)))
        or (b & 4 and ((ma and pc) or (pa and mc)))
        or (c & 4 and ((ma and pb) or (pa and mb)))
    )


@kernel
def next_key(counts: NDArray[np.int64], pool: NDArray[np.int8], suit: int, too_many: bool) -> bool:
    """Move a suit's counts on to the next that the pool can deal; False after the last.

    With `too_many` tiles, all that only add to the lowest ranks held are passed over.
    """
    rank = 0
    if too_many:
        while counts[rank] == 0:
            rank += 1
        counts[rank] = 0
        rank += 1
    while rank < 9:
        if counts[rank] < pool[9 * suit + rank]:
            counts[rank] += 1
            return True
        counts[rank] = 0
        rank += 1
    return False


@kernel
def list_keys(
    pool: NDArray[np.int8],
    suit: int,
    wins: Wins,
    keys: Keys,
    weights: Weights,
    groups: NDArray[np.int32],
    sums: Weights,
) -> Int:
    """List a suit's keys of up to 13 tiles with their weights and groups; return how many.

    A group is size x N_CLASSES + class; `sums` gathers the weights by group.
    """
    counts = np.zeros(9, np.int64)
    n = 0
    more = True
    while more:
        size = 0
        key = 0
        weight = 1.0
        for rank in range(9):
            c = counts[rank]
            size += c
            key += c * POW5[rank]
            weight *= CHOOSE[pool[9 * suit + rank]][c]
        if size <= HAND:
            group = size * N_CLASSES + class_of(wins[key])
            keys[n] = key
            weights[n] = weight
            groups[n] = group
            sums[group] += weight
            n += 1
        more = next_key(counts, pool, suit, size > HAND)
    return n


@kernel
def sort_keys(
    n: int,
    keys: Keys,
    weights: Weights,
    groups: NDArray[np.int32],
    starts: NDArray[np.int64],
    sorted_keys: Keys,
    running: Weights,
) -> None:
    """Sort a suit's keys by group, with running sums of weights within each."""
    starts[:] = 0
    for i in range(n):
        starts[groups[i] + 1] += 1
    for group in range(starts.shape[0] - 1):
        starts[group + 1] += starts[group]
    fill = starts.copy()
    for i in range(n):
        at = fill[groups[i]]
        fill[groups[i]] += 1
        sorted_keys[at] = keys[i]
        before = running[at - 1] if at > starts[groups[i]] else 0.0
        running[at] = before + weights[i]


@kernel
def list_combinations(sums: Weights, combinations: NDArray[np.int32], running: Weights) -> Int:
    """List the groups of three suits that make a ready hand, with running weights.

    `combinations` has room for a number of rows; returns how many there are, listed or not.
    """
    n = 0
    total = 0.0
    for size0 in range(HAND + 1):
        for class0 in range(N_CLASSES):
            g0 = size0 * N_CLASSES + class0
            if sums[0, g0] == 0.0:
                continue
            for size1 in range(HAND + 1 - size0):
                for class1 in range(N_CLASSES):
                    g1 = size1 * N_CLASSES + class1
                    if sums[1, g1] == 0.0:
                        continue
                    size2 = HAND - size0 - size1
                    for class2 in range(N_CLASSES):
                        g2 = size2 * N_CLASSES + class2
                        if sums[2, g2] > 0.0 and is_ready(class0, class1, class2):
                            total += sums[0, g0] * sums[1, g1] * sums[2, g2]
                            if n < combinations.shape[0]:
                                combinations[n, 0] = g0
                                combinations[n, 1] = g1
                                combinations[n, 2] = g2
                                running[n] = total
                            n += 1
    return n


@kernel
def find(running: Weights, first: Int, last: Int, target: float) -> Int:
    """Return the first place in first..last-1 whose running weight exceeds the target."""
    low, high = first, last - 1
    while low < high:
        middle = (low + high) // 2
        if running[middle] > target:
            high = middle
        else:
            low = middle + 1
    return low
