"""Kernels that write the dear rows: distances to each route, and how dangerous a discard is.

The danger of kind k against another seat is an estimate, 0..100: how many ways unseen tiles could
wait for k (runs, pairs, a single tile), relative to the most dangerous kind, times how near the
seat looks to ready (baoting: at once; else by its melds and discards). A kind that the seat has let
go since its last draw counts as none where R19 marks who passes: if it was a win, taking it now is
forbidden or a foul. (A hot shot may still waive the passport that it lacked.)
"""

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.distance import (
    N_MELDS,
    distances_left,
    entry_of,
    lowering_kinds,
    need,
    pairs_distance,
    standard_distance,
)
from zhuoji_env.engine.kernel import Int, Record, kernel
from zhuoji_env.engine.tables import PAIR_SLOT
from zhuoji_env.engine.turn import PASSED_FREE
from zhuoji_env.observation.channels import FAR_SHOWN, GLOBAL_AT, PERCENT, PLANE_AT
from zhuoji_env.observation.writing import Globals, Planes

Needs = NDArray[np.uint64]

ADVANCE, LEFT = PLANE_AT["advance"], PLANE_AT["left"]
DANGER, LET_GO = PLANE_AT["danger_next"], PLANE_AT["let_go_next"]
G_ROUTES = GLOBAL_AT["to_standard"]

# How ready a seat looks, in %: of each meld, of each discard.
READY_MELD, READY_DISCARD = 18, 4
# Weights of the ways to wait: a pair of k for a triplet, a single k for the pair; a run is 1.
PAIR_WAY, SINGLE_WAY = 3, 2


@kernel
def route_distance(lacking: Int) -> Int:
    """Return 1 + the distance of a hand that lacks some tiles, at most FAR_SHOWN."""
    return min(FAR_SHOWN, lacking)


@kernel
def triplets_lacking(v: Record) -> Int:
    """Return the tiles that the hand lacks of triplets and a pair."""
    n = N_MELDS - v.n_melds[0]
    held = 0
    left = n
    pair = 0
    for size in (3, 2, 1):
        for kind in range(27):
            count = min(3, v.hand[kind])
            if count != size:
                continue
            if left > 0:
                held += size
                left -= 1
            elif pair == 0:
                pair = min(2, size)
    return 3 * n + 2 - held - pair


@kernel
def suit_lacking(v: Record, suit: int, needs: Needs) -> Int:
    """Return the tiles that the hand lacks of a basic hand in one suit; FAR_SHOWN if closed."""
    for i in range(v.n_melds[0]):
        if v.meld_kind[0, i] // 9 != suit:
            return FAR_SHOWN
    return need(entry_of(v.key[suit], needs), PAIR_SLOT + N_MELDS - v.n_melds[0])


@kernel
def write_routes(v: Record, needs: Needs, out: Globals) -> None:
    """Write how far the hand is from each route."""
    k0, k1, k2, n = v.key[0], v.key[1], v.key[2], v.n_melds[0]
    pairs = pairs_distance(k0, k1, k2) + 1 if n == 0 else FAR_SHOWN
    out[G_ROUTES] = route_distance(standard_distance(k0, k1, k2, n, needs) + 1) / FAR_SHOWN
    out[G_ROUTES + 1] = route_distance(pairs) / FAR_SHOWN
    out[G_ROUTES + 2] = route_distance(triplets_lacking(v)) / FAR_SHOWN
    for suit in range(3):
        out[G_ROUTES + 3 + suit] = route_distance(suit_lacking(v, suit, needs)) / FAR_SHOWN


@kernel
def write_progress(v: Record, needs: Needs, left: NDArray[np.int8], planes: Planes) -> None:
    """Write which kinds advance the hand and what distance each legal discard leaves."""
    k0, k1, k2, n = v.key[0], v.key[1], v.key[2], v.n_melds[0]
    pairs_open = v.rules.hand_qi_dui >= 0
    bits = lowering_kinds(k0, k1, k2, n, pairs_open, needs)
    for kind in range(27):
        planes[ADVANCE, kind] = bits >> kind & 1
    if v.legal & ((1 << 27) - 1):
        distances_left(k0, k1, k2, n, pairs_open, needs, left)
        for kind in range(27):
            if v.legal >> kind & 1:
                planes[LEFT, kind] = route_distance(left[kind] + 1)


@kernel
def ways_to_wait(v: Record, kind: int) -> Int:
    """Return in how many ways unseen tiles could wait for a kind, weighted."""
    u = v.unseen
    n = np.int64(u[kind])
    ways = SINGLE_WAY * n + PAIR_WAY * (n * (n - 1) // 2)
    rank = kind % 9
    if rank >= 2:
        ways += np.int64(u[kind - 2]) * u[kind - 1]
    if 1 <= rank <= 7:
        ways += np.int64(u[kind - 1]) * u[kind + 1]
    if rank <= 6:
        ways += np.int64(u[kind + 1]) * u[kind + 2]
    return ways


@kernel
def write_danger(v: Record, ways: NDArray[np.int64], planes: Planes) -> None:
    """Write how dangerous each kind is against each other seat."""
    most = 1
    for kind in range(27):
        ways[kind] = ways_to_wait(v, kind)
        most = max(most, ways[kind])
    thrown = np.int64(0)  # one byte a seat
    for i in range(v.n_discards):
        thrown += 1 << (8 * v.discard_seat[i])
    for place in range(3):
        seat = 1 + place
        ready = READY_MELD * v.n_melds[seat] + READY_DISCARD * ((thrown >> (8 * seat)) & 255)
        ready = PERCENT if v.baoting[seat] else min(PERCENT, ready)
        let_go = np.int64(v.let_go[seat]) if v.rules.win_passed != PASSED_FREE else 0
        for kind in range(27):
            if not let_go >> kind & 1:
                planes[DANGER + place, kind] = ready * ways[kind] // most
