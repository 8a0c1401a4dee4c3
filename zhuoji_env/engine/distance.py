"""How far a hand is from a win: the distance (shanten) and the kinds of tile that lower it.

The distance is one less than the tiles lacking from the nearest complete shape: -1 complete, 0
ready, 1 one tile from ready. Shapes are melds and a pair, and seven pairs (R13; four of a kind are
two pairs) for a hand without melds. A hand is given as its three suits' base-5 keys, with or
without the drawn tile: a hand with it is as far as its best discard leaves it.
"""

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.tables import NEED_BITS, PAIR_SLOT

N_MELDS = 4
N_PAIRS = 7
# No need is greater: four melds and a pair from nothing take 14 tiles.
FAR = 15
NOT_HELD = 127

Needs = NDArray[np.uint64]


@kernel
def need(entry: int, slot: int) -> int:
    """Return one number of a packed needs entry: slot m for m melds, 5 + m with a pair."""
    return (entry >> (NEED_BITS * slot)) & FAR


@kernel
def entry_of(key: int, needs: Needs) -> int:
    """Return a suit's needs entry as a signed number, which its ten numbers fit."""
    return int(np.int64(needs[key]))


@kernel
def combine(x: int, y: int, n: int) -> int:
    """Return the needs entry of two suits together, for up to n melds; the rest is not set."""
    entry = 0
    for m in range(n + 1):
        melds, pair = FAR, FAR
        for i in range(m + 1):
            here, there = need(x, i), need(y, m - i)
            melds = min(melds, here + there)
            pair = min(pair, need(x, PAIR_SLOT + i) + there, here + need(y, PAIR_SLOT + m - i))
        entry |= melds << (NEED_BITS * m) | pair << (NEED_BITS * (PAIR_SLOT + m))
    return entry


@kernel
def lacking(x: int, y: int, n: int) -> int:
    """Return the tiles that two entries together lack of n melds and a pair."""
    least = FAR
    for i in range(n + 1):
        least = min(
            least,
            need(x, PAIR_SLOT + i) + need(y, n - i),
            need(x, i) + need(y, PAIR_SLOT + n - i),
        )
    return least


@kernel
def pairs_in(key: int) -> int:
    """Return the pairs of one suit, four of a kind being two."""
    pairs = 0
    while key:
        pairs += key % 5 // 2
        key //= 5
    return pairs


@kernel
def standard_distance(key0: int, key1: int, key2: int, n_melds: int, needs: Needs) -> int:
    """Return the distance to melds and a pair, `n_melds` of them laid already."""
    n = N_MELDS - n_melds
    two = combine(entry_of(key0, needs), entry_of(key1, needs), n)
    return lacking(two, entry_of(key2, needs), n) - 1


@kernel
def pairs_distance(key0: int, key1: int, key2: int) -> int:
    """Return the distance of a hand without melds to seven pairs."""
    return N_PAIRS - 1 - pairs_in(key0) - pairs_in(key1) - pairs_in(key2)


@kernel
def distance_of(key0: int, key1: int, key2: int, n_melds: int, needs: Needs) -> int:
    """Return the distance to a win in shape, the least over both shapes."""
    far = standard_distance(key0, key1, key2, n_melds, needs)
    if n_melds == 0:
        far = min(far, pairs_distance(key0, key1, key2))
    return far


@kernel
def critical(x: int, others: int, n: int, least: int) -> int:
    """Return the slots of a suit (a bit at each one's number) by which a hand lacks so few."""
    slots = 0
    for i in range(n + 1):
        if need(x, i) + need(others, PAIR_SLOT + n - i) == least:
            slots |= 1 << (NEED_BITS * i)
        if need(x, PAIR_SLOT + i) + need(others, n - i) == least:
            slots |= 1 << (NEED_BITS * (PAIR_SLOT + i))
    return slots


@kernel
def lowering_in(key: int, slots: int, pairs: bool, needs: Needs) -> int:
    """Return the ranks (bits) of one suit whose addition lowers a need at one of some slots.

    `pairs`: so does any that completes a pair.
    """
    bits = 0
    now = entry_of(key, needs)
    rest, step = key, 1
    for rank in range(9):
        count = rest % 5
        # One tile more lowers each of the ten needs by 0 or 1, so that no difference borrows.
        if count < 4 and (
            (pairs and count & 1) or (now - entry_of(key + step, needs)) & slots != 0
        ):
            bits |= 1 << rank
        rest //= 5
        step *= 5
    return bits


@kernel
def lowering_kinds(
    key0: int, key1: int, key2: int, n_melds: int, pairs_open: bool, needs: Needs
) -> int:
    """Return the kinds (bits) that lower the distance of a hand without its drawn tile.

    At distance 0 they are its waits in shape, four of a kind in hand left out. `pairs_open` says
    whether seven pairs count; they never do with melds.
    """
    n = N_MELDS - n_melds
    x0, x1, x2 = entry_of(key0, needs), entry_of(key1, needs), entry_of(key2, needs)
    y0, y1, y2 = combine(x1, x2, n), combine(x0, x2, n), combine(x0, x1, n)
    least = lacking(x0, y0, n)
    pairs = False
    if pairs_open and n_melds == 0:
        lack_pairs = pairs_distance(key0, key1, key2) + 1
        pairs = lack_pairs <= least
        least = min(least, lack_pairs)
    bits = lowering_in(key0, critical(x0, y0, n, least), pairs, needs)
    bits |= lowering_in(key1, critical(x1, y1, n, least), pairs, needs) << 9
    bits |= lowering_in(key2, critical(x2, y2, n, least), pairs, needs) << 18
    return bits


@kernel
def distances_left_in(
    key: int, others: int, pairs: int, n: int, needs: Needs, out: NDArray[np.int8]
) -> None:
    """Write the distance that each discard of one suit leaves; `out` (9,), NOT_HELD if none.

    `pairs` is the whole hand's number of pairs, or far below 0 where seven pairs do not count.
    """
    rest, step = key, 1
    for rank in range(9):
        count = rest % 5
        if count == 0:
            out[rank] = NOT_HELD
        else:
            lack = lacking(entry_of(key - step, needs), others, n)
            out[rank] = min(lack, N_PAIRS - pairs + (count & 1 ^ 1)) - 1
        rest //= 5
        step *= 5


@kernel
def distances_left(
    key0: int,
    key1: int,
    key2: int,
    n_melds: int,
    pairs_open: bool,
    needs: Needs,
    out: NDArray[np.int8],
) -> None:
    """Write the distance that the discard of each kind leaves; `out` (27,), NOT_HELD if none."""
    n = N_MELDS - n_melds
    pairs = -FAR
    if pairs_open and n_melds == 0:
        pairs = pairs_in(key0) + pairs_in(key1) + pairs_in(key2)
    x0, x1, x2 = entry_of(key0, needs), entry_of(key1, needs), entry_of(key2, needs)
    distances_left_in(key0, combine(x1, x2, n), pairs, n, needs, out[:9])
    distances_left_in(key1, combine(x0, x2, n), pairs, n, needs, out[9:18])
    distances_left_in(key2, combine(x0, x1, n), pairs, n, needs, out[18:])
