"""What the hand comes to after a kong, and after a peng with its discard."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.expert.danger import write_danger
from agents.expert.gains import SEATS, has_discarded, hot_loss, kongs_to_come
from agents.expert.hands import DOU, LAID, SUITS, add
from agents.expert.kernel import kernel
from agents.expert.money import PAYERS, ji_thrown
from agents.expert.progress import ROUNDS
from agents.expert.routes import standing

Record = Any


@kernel
def after_kong(
    v: Record, p: Record, w: Record, kind: int, taken: int, fan: float, needs: Any, wins: Any
) -> float:
    """Return what the hand comes to with a kong laid and its replacement tile to be drawn.

    `taken` tiles leave the hand; `fan` is what the kong collects, and what a hot shot would void.
    """
    hand, pace = w.hand, w.pace
    suits, dou, rounds = hand[SUITS], hand[DOU], pace[ROUNDS]
    add(hand, kind, -taken)
    if taken > 1:
        hand[LAID] += 1
        hand[SUITS] |= 1 << (kind // 9)
    hand[DOU] = 1
    pace[ROUNDS] = (v.wall_left - 1) // SEATS + 1
    worth = standing(v, p, hand, w.unseen, pace, w.work, w.grid, needs, wins)
    late = has_discarded(v)
    worth += w.dou_pay * kongs_to_come(v, hand, pace[ROUNDS], late, w.unseen, p)
    # R31: the discard that follows is a hot one; the safest tile of the hand is thrown.
    write_danger(v, p, True, False, hot_loss(v, fan, w.unseen), w.ways, w.hot)
    least = np.inf
    for other in range(27):
        if hand[other] > 0:
            least = min(least, w.hot[other])
    if least < np.inf:
        worth -= p.fear * least
    pace[ROUNDS] = rounds
    hand[SUITS], hand[DOU] = suits, dou
    if taken > 1:
        hand[LAID] -= 1
    add(hand, kind, taken)
    return float(worth)


@kernel
def after_peng(v: Record, p: Record, w: Record, needs: Any, wins: Any) -> float:
    """Return what the hand comes to with a peng laid and its best discard made."""
    tile, hand, pace = v.tile, w.hand, w.pace
    suits, rounds = hand[SUITS], pace[ROUNDS]
    add(hand, tile, -2)
    hand[LAID] += 1
    hand[SUITS] |= 1 << (tile // 9)
    pace[ROUNDS] = v.wall_left // SEATS
    write_danger(v, p, False, False, 0.0, w.ways, w.danger)
    # The fourth copy would make it a kong.
    fourth = hand[tile] + v.unseen[tile] * min(1.0, pace[ROUNDS] / w.unseen)
    hope = min(1.0, fourth) * PAYERS * v.rules.dou_zhuan_wan * min(1.0, pace[ROUNDS])
    best = -np.inf
    for kind in range(27):
        if hand[kind] == 0:
            continue
        add(hand, kind, -1)
        worth = standing(v, p, hand, w.unseen, pace, w.work, w.grid, needs, wins)
        worth += w.dou_pay * kongs_to_come(v, hand, pace[ROUNDS], True, w.unseen, p)
        if kind != tile:
            worth += w.dou_pay * hope
        worth += w.ji_pay * ji_thrown(v, kind, w.unseen, p) - p.fear * w.danger[kind]
        best = max(best, worth)
        add(hand, kind, 1)
    pace[ROUNDS] = rounds
    hand[SUITS] = suits
    hand[LAID] -= 1
    add(hand, tile, 2)
    return best
