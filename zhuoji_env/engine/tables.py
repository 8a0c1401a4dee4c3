"""Per-suit look-up tables, indexed by the base-5 key of a suit's nine counts.

The key of counts c0..c8 is the sum of c_r * 5**r. `wins()` says what a suit is and what one more
tile makes of it; `needs()` how many tiles it lacks for m melds and p pairs.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.kernel import kernel

N_KEYS = 5**9
POW5 = tuple(5**r for r in range(9))

# Entry of `wins()`: bits 0-8 ranks whose addition gives melds alone, 9-17 melds and a pair; then
TO_PAIR = 9
MELDS, MELDS_PAIR, TRIPLETS, TRIPLETS_PAIR, EVEN, HAS_QUAD = (1 << b for b in range(18, 24))
ODD_SHIFT = 24  # bits 24-27: how many ranks are held an odd number of times

# Entry of `needs()`: ten numbers of four bits, first 0..4 melds, then 0..4 melds and a pair.
NEED_BITS = 4
PAIR_SLOT = 5


@kernel
def _build_wins(table: NDArray[np.uint32], pow5: NDArray[np.int64]) -> None:
    for key in range(table.shape[0]):
        melds = key == 0
        triplets = key == 0
        pair = False
        triplets_pair = False
        quad = False
        odd = 0
        for r in range(9):
            c = key // pow5[r] % 5
            if c >= 3:
                rest = table[key - 3 * pow5[r]]
                melds |= rest & MELDS != 0
                triplets |= rest & TRIPLETS != 0
            if r < 7 and c >= 1 and key // pow5[r + 1] % 5 >= 1 and key // pow5[r + 2] % 5 >= 1:
                melds |= table[key - pow5[r] - pow5[r + 1] - pow5[r + 2]] & MELDS != 0
            if c >= 2:
                rest = table[key - 2 * pow5[r]]
                pair |= rest & MELDS != 0
                triplets_pair |= rest & TRIPLETS != 0
            quad |= c == 4
            odd += c & 1
        entry = odd << ODD_SHIFT
        entry |= MELDS if melds else 0
        entry |= MELDS_PAIR if pair else 0
        entry |= TRIPLETS if triplets else 0
        entry |= TRIPLETS_PAIR if triplets_pair else 0
        entry |= EVEN if odd == 0 else 0
        entry |= HAS_QUAD if quad else 0
        table[key] = entry
    for key in range(table.shape[0]):
        entry = table[key]
        for r in range(9):
            if key // pow5[r] % 5 < 4:
                more = table[key + pow5[r]]
                if more & MELDS:
                    entry |= 1 << r
                if more & MELDS_PAIR:
                    entry |= 1 << (r + TO_PAIR)
        table[key] = entry


@kernel
def _build_needs(
    table: NDArray[np.uint64], held: NDArray[np.uint16], pow5: NDArray[np.int64]
) -> None:
    # held[key] bit m: the suit contains m melds; bit 5 + m: m melds and a pair.
    for key in range(table.shape[0]):
        bits = 1
        for r in range(9):
            c = key // pow5[r] % 5
            if c >= 3:
                rest = held[key - 3 * pow5[r]]
                bits |= (rest & 0b01111) << 1 | (rest & 0b0111100000) << 1
            if r < 7 and c >= 1 and key // pow5[r + 1] % 5 >= 1 and key // pow5[r + 2] % 5 >= 1:
                rest = held[key - pow5[r] - pow5[r + 1] - pow5[r + 2]]
                bits |= (rest & 0b01111) << 1 | (rest & 0b0111100000) << 1
            if c >= 2:
                bits |= (held[key - 2 * pow5[r]] & 0b11111) << PAIR_SLOT
        held[key] = bits
    best = np.empty(10, np.int64)
    for key in range(table.shape[0] - 1, -1, -1):
        best[:] = 15
        for r in range(9):
            if key // pow5[r] % 5 < 4:
                more = table[key + pow5[r]]
                for s in range(10):
                    need = 1 + np.int64((more >> np.uint64(NEED_BITS * s)) & np.uint64(15))
                    best[s] = min(best[s], need)
        entry = np.uint64(0)
        for s in range(10):
            if not (held[key] >> s) & 1:
                entry |= np.uint64(best[s]) << np.uint64(NEED_BITS * s)
        table[key] = entry


@cache
def wins() -> NDArray[np.uint32]:
    """Return the (5**9,) uint32 table of what each suit is; built on first use, read-only."""
    table = np.zeros(N_KEYS, np.uint32)
    _build_wins(table, np.array(POW5, np.int64))
    table.flags.writeable = False
    return table


@cache
def needs() -> NDArray[np.uint64]:
    """Return the (5**9,) uint64 table of tiles lacking; built on first use, read-only.

    Needs are exact up to 14, which four melds and a pair from an empty suit take.
    """
    table = np.zeros(N_KEYS, np.uint64)
    _build_needs(table, np.zeros(N_KEYS, np.uint16), np.array(POW5, np.int64))
    table.flags.writeable = False
    return table
