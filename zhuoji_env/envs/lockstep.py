"""Kernels that move some tables of a batch on while the others wait for somebody to decide."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import DONE
from zhuoji_env.engine.turn import act
from zhuoji_env.engine.view import write_view

Tables = Any
Wins = NDArray[np.uint32]


@kernel
def only_bit(bits: int) -> int:
    """Return the place of the one set bit, -1 if there are none or several."""
    if bits == 0 or bits & (bits - 1):
        return -1
    place = 0
    while not bits >> place & 1:
        place += 1
    return place


@kernel
def skip_forced(games: Tables, rules: Tables, wins: Wins, rows: NDArray[np.int64]) -> None:
    """Play forced moves at the tables `rows` until somebody has a choice or the deal is done."""
    for i in rows:
        g = games[i]
        forced = only_bit(g.legal)
        while g.phase != DONE and forced >= 0:
            act(g, rules[g.rules], forced, wins)
            forced = only_bit(g.legal)


@kernel
def step_rows(
    games: Tables, rules: Tables, wins: Wins, rows: NDArray[np.int64], actions: NDArray[np.int64]
) -> int:
    """Play actions[j] at table rows[j] and return -1; if some j is not legal, only return that."""
    for j in range(rows.shape[0]):
        action = actions[j]
        if action < 0 or action >= N_ACTIONS or not games[rows[j]].legal >> action & 1:
            return j
    for j in range(rows.shape[0]):
        g = games[rows[j]]
        act(g, rules[g.rules], actions[j], wins)
    return -1


@kernel
def view_rows(
    games: Tables,
    rules: Tables,
    rows: NDArray[np.int64],
    seats: NDArray[np.int8],
    views: Tables,
    legal: NDArray[np.bool_],
) -> None:
    """Write the view of seats[j] at table rows[j] and its legal actions."""
    for j in range(rows.shape[0]):
        g = games[rows[j]]
        write_view(g, seats[j], rules[g.rules], views[j])
        bits = views[j].legal
        for a in range(N_ACTIONS):
            legal[j, a] = bits >> a & 1
