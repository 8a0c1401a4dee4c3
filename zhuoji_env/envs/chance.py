"""What chance decides in a face beyond the wall: a function of the table's seed and its deal alone.

The learner's seat, the opponents' draws and what is played for an illegal action are therefore the
same for any number of tables, and in a batch as at a table alone.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.engine.draws import pick
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.engine.wall import GAMMA, MIX1, MIX2, below, mix

Tables = Any
Rows = NDArray[np.int64]
ONE = np.uint64(1)


@kernel
def number_deals(games: Tables, rows: Rows, out: NDArray[np.int64]) -> None:
    """Write a number of the deal in progress, 0 or more, at the tables `rows`."""
    for i in rows:
        g = games[i]
        # Other words than the wall's own draws, which begin at the same state.
        state = mix(g.seed + GAMMA) ^ mix(np.uint64(g.deal) * MIX1 + GAMMA)
        out[i] = np.int64(mix(state ^ MIX2) >> ONE)


@kernel
def draw_seats(numbers: NDArray[np.int64], rows: Rows, out: NDArray[np.int8]) -> None:
    """Write a uniformly random seat of each numbered deal at the tables `rows`."""
    for i in rows:
        _, seat = below(mix(np.uint64(numbers[i])), N_SEATS)
        out[i] = seat


@kernel
def replace_illegal(
    games: Tables,
    rows: Rows,
    actions: NDArray[np.int64],
    numbers: NDArray[np.int64],
    decisions: NDArray[np.int64],
) -> None:
    """Put a random legal action where actions[j] is not legal at table rows[j]."""
    for j in range(rows.shape[0]):
        i = rows[j]
        bits = games[i].legal
        if actions[j] < 0 or actions[j] >= N_ACTIONS or not bits >> actions[j] & 1:
            word = np.uint64(decisions[i]) * MIX1 + GAMMA
            actions[j] = pick(bits, mix(np.uint64(numbers[i]) ^ mix(word)))
