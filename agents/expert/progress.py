"""Hand progress: what a hand that lacks some tiles earns over the draws that are left.

A dynamic programme over rounds, as expected-value solvers of other mahjongs run it: the chance of
lacking 1, 2, … tiles moves on with every draw and every claim, and leaks as others win. A round is
the others' discards and then the own draw; what is paid for is a win, the end by another's win,
and the readiness that an exhaustive draw asks for (R44). All amounts are in fan.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.expert.kernel import kernel
from agents.expert.money import at_a_draw, from_all, from_one

Record = Any
Floats = NDArray[np.float64]

# Lacking more, a hand is as good as lost: nobody counts on it.
MOST = 7
# How `pace` lays out what a round is.
ROUNDS, ELAPSED, LOSS, IF_NOT, END, RISE, TOP = range(7)
N_PACE = 7


@kernel
def ends(pace: Floats, t: int) -> float:
    """Return the chance that another seat wins in round t from now."""
    return float(min(pace[TOP], pace[END] + pace[RISE] * (pace[ELAPSED] + t)))


@kernel
def without_win(pace: Floats) -> tuple[float, float]:
    """Return what a hand that never wins comes to, and the chance that nobody wins."""
    alive, worth = 1.0, 0.0
    for t in range(int(pace[ROUNDS])):
        gone = alive * ends(pace, t)
        worth -= gone * pace[LOSS]
        alive -= gone
    return worth - alive * pace[IF_NOT], alive


@kernel
def along(
    lacking: int,
    draw: Floats,
    claim: Floats,
    self_draw: float,
    discard: float,
    if_ready: float,
    pace: Floats,
    at: Floats,
) -> float:
    """Return what a hand comes to that lacks some tiles.

    `draw`, `claim` (MOST + 1,): the chance to lack one less by the own draw, by others' discards
    of a round, when lacking that many; the last one wins, paid `self_draw` or `discard`.
    `at` (MOST + 1,) is scratch.
    """
    at[:] = 0.0
    at[lacking] = 1.0
    alive, worth = 1.0, 0.0
    for t in range(int(pace[ROUNDS])):
        won = at[1] * claim[1]
        worth += won * discard
        at[1] -= won
        for one in range(2, lacking + 1):
            moved = at[one] * claim[one]
            at[one] -= moved
            at[one - 1] += moved
        alive = 0.0
        for one in range(1, lacking + 1):
            alive += at[one]
        gone = ends(pace, t)
        worth -= alive * gone * pace[LOSS]
        for one in range(1, lacking + 1):
            at[one] *= 1.0 - gone
        alive *= 1.0 - gone
        won = at[1] * draw[1]
        worth += won * self_draw
        at[1] -= won
        alive -= won
        for one in range(2, lacking + 1):
            moved = at[one] * draw[one]
            at[one] -= moved
            at[one - 1] += moved
    return float(worth + at[1] * if_ready - (alive - at[1]) * pace[IF_NOT])


@kernel
def earn(
    v: Record, p: Record, lacking: int, fan: float, pays: float, pace: Floats, work: Floats
) -> float:
    """Return what a hand comes to whose route pays the same whatever completes it.

    `fan` is the route's, `pays` the same by taste; `work` (3, MOST + 1) has the chances of draws
    and of claims, as `along` takes them, and scratch.
    """
    return along(
        lacking,
        work[0],
        work[1],
        from_all(v, pays + v.rules.hand_zi_mo),
        from_one(v, pays, -1),
        at_a_draw(fan, p),
        pace,
        work[2],
    )


@kernel
def room(triplets: int) -> int:
    """Return how many pairs a hand has tiles for that wants some triplets and a pair."""
    return (1 + 3 * triplets) // 2


@kernel
def along_triplets(
    triplets: int,
    pairs: int,
    from_pair: float,
    from_single: float,
    last: float,
    peng: float,
    win: float,
    self_draw: float,
    discard: float,
    if_ready: float,
    pace: Floats,
    at: Floats,
) -> float:
    """Return what a hand comes to that needs `triplets` more and a pair, holding `pairs`.

    `from_pair` is the chance per draw that one pair grows, `from_single` that some single does,
    `last` that the one single does which lacks its pair when all triplets stand. A round's discards
    bring `peng` times what a pair awaits, and `win` times what a ready hand does.
    `at` (5, 9) is scratch: the chance of each (triplets wanting, pairs held).
    """
    at[:] = 0.0
    at[triplets, pairs] = 1.0
    worth = 0.0
    for t in range(int(pace[ROUNDS])):
        gone = 1.0 - ends(pace, t)
        alive = 0.0
        for m in range(triplets + 1):
            for p in range(8):
                now = at[m, p]
                if now == 0.0:
                    continue
                if (m == 1 and p == 2) or m == 0:
                    won = now * min(1.0, win * (2.0 * from_pair if m else last))
                    worth += won * discard
                    at[m, p] = now - won
                elif p > 0:
                    moved = now * min(1.0, peng * p * from_pair)
                    at[m, p] = now - moved
                    at[m - 1, min(p - 1, room(m - 1))] += moved
        for m in range(triplets + 1):
            for p in range(8):
                alive += at[m, p]
                at[m, p] *= gone
        worth -= alive * (1.0 - gone) * pace[LOSS]
        for m in range(triplets + 1):
            for p in range(7, -1, -1):
                now = at[m, p]
                if now == 0.0:
                    continue
                if (m == 1 and p == 2) or m == 0:
                    won = now * (2.0 * from_pair if m else last)
                    worth += won * self_draw
                    at[m, p] = now - won
                    continue
                grown = 0.0
                if p > 0:
                    grown = now * min(1.0, p * from_pair)
                    at[m - 1, min(p - 1, room(m - 1))] += grown
                doubled = now * from_single if p < room(m) else 0.0
                at[m, p + 1] += doubled
                at[m, p] -= grown + doubled
    ready = at[1, 2]
    alive = 0.0
    for m in range(triplets + 1):
        for p in range(8):
            alive += at[m, p]
    for p in range(8):
        ready += at[0, p]
    return float(worth + ready * if_ready - (alive - ready) * pace[IF_NOT])
