"""An agent's own chance: every draw is a function of its seed, the table and what its seat sees."""

from typing import Any

import numpy as np

from zhuoji_env.engine.batch import count_bits, nth_bit
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.wall import GAMMA, below, mix

Record = Any


@kernel
def draw_state(v: Record, seed: Any, table: int) -> Any:
    """Return the generator (uint64) of one decision: a function of seed, table and view."""
    place = v.seat | v.phase << 2 | v.declared << 5 | (v.tile + 1) << 6
    place |= np.int64(v.n_discards) << 12 | np.int64(v.wall_left) << 20
    state = mix(seed + GAMMA)
    for word in (table, place, v.key[0] | np.int64(v.key[1]) << 32, np.int64(v.key[2])):
        state = mix((state ^ np.uint64(word)) + GAMMA)
    return state


@kernel
def pick(bits: int, state: Any) -> int:
    """Return a uniformly random one of some actions (bits)."""
    _, n = below(state, count_bits(bits))
    return int(nth_bit(bits, n))
