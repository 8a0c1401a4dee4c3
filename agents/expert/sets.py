"""The routes of sets: seven pairs, and triplets with a pair, of all kinds or of one suit (R13)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.expert.hands import LAID, Hand, best_singles
from agents.expert.kernel import kernel
from agents.expert.money import PAYERS, at_a_draw, from_all, from_one, weighed
from agents.expert.progress import MOST, along_triplets, earn, room
from zhuoji_env.engine.distance import N_MELDS, N_PAIRS

Record = Any
Floats = NDArray[np.float64]


@kernel
def pairs_worth(
    v: Record,
    p: Record,
    hand: Hand,
    bits: int,
    fan: float,
    long_fan: float,
    unseen: float,
    pace: Floats,
    work: Floats,
) -> float:
    """Return what seven pairs of some kinds come to; -inf if they are too far."""
    pairs, quads = 0, 0
    for kind in range(27):
        if bits >> kind & 1:
            pairs += hand[kind] // 2
            quads += hand[kind] // 4
    lacking = N_PAIRS - pairs
    if lacking < 1 or lacking > MOST - 1:
        return -np.inf
    if quads > 0 and not v.rules.hand_dragon_needs_winning_tile:
        fan = max(fan, long_fan)
    draw, claim = work[0], work[1]
    for one in range(1, lacking + 1):
        draw[one] = min(1.0, best_singles(v, hand, bits, 2 * one - 1) / unseen)
        claim[one] = 0.0
    claim[1] = min(1.0, PAYERS * p.win_rate * draw[1])
    return earn(v, p, lacking, fan, weighed(fan, v, p), pace, work)


@kernel
def triplets_worth(
    v: Record,
    p: Record,
    hand: Hand,
    bits: int,
    fan: float,
    unseen: float,
    pace: Floats,
    grid: Floats,
) -> float:
    """Return what triplets and a pair of some kinds come to; -inf if they are too far."""
    triplets, pairs = hand[LAID], 0
    of_pairs, of_singles, singles, last = 0.0, 0.0, 0, 0.0
    for kind in range(27):
        if not bits >> kind & 1:
            continue
        if hand[kind] >= 3:
            triplets += 1
        elif hand[kind] == 2:
            pairs += 1
            of_pairs += v.unseen[kind]
        elif hand[kind] == 1:
            singles += 1
            of_singles += v.unseen[kind]
            last = max(last, float(v.unseen[kind]))
    wanting = N_MELDS - triplets
    if wanting < 0 or (wanting == 0 and pairs > 0):
        return -np.inf
    lacking = max(wanting, 2 * wanting - pairs + 1)
    if lacking > MOST - 1:
        return -np.inf
    most = room(wanting)
    if pairs > most:
        of_pairs *= most / pairs
        pairs = most
    mean = of_singles / singles if singles > 0 else 0.0
    # A pair to come has one copy less to grow from than its single had.
    from_pair = of_pairs / pairs if pairs > 0 else max(mean - 1.0, 0.0)
    pays = weighed(fan, v, p)
    return along_triplets(
        wanting,
        pairs,
        from_pair / unseen,
        of_singles / unseen,
        last / unseen,
        PAYERS * p.peng_rate,
        PAYERS * p.win_rate,
        from_all(v, pays + v.rules.hand_zi_mo),
        from_one(v, pays, -1),
        at_a_draw(fan, p),
        pace,
        grid,
    )
