"""Chance: the dice and the wall of deal d of a table are a pure function of (table seed, d)."""

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.kernel import Int, kernel
from zhuoji_env.engine.layout import N_TILES

# Who may draw walls from a seed. The purpose is the top two bits of every table seed, so that the
# families never share one.
PURPOSES = ("free", "training", "arena", "benchmark")
PURPOSE_SHIFT = 62
FREE = np.uint64((1 << PURPOSE_SHIFT) - 1)
"""All bits of a seed but its purpose's, which are zero in the family of seeds free to use."""

# splitmix64 (Steele, Lea, Flood 2014)
_GAMMA, _MIX1, _MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
GAMMA, MIX1, MIX2 = np.uint64(_GAMMA), np.uint64(_MIX1), np.uint64(_MIX2)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOW32 = np.uint64(0xFFFFFFFF)


@kernel
def mix(z: Int) -> Int:
    """Return splitmix64's finaliser of a uint64."""
    z = (z ^ (z >> S30)) * MIX1
    z = (z ^ (z >> S27)) * MIX2
    return z ^ (z >> S31)


@kernel
def below(state: Int, n: int) -> tuple[Int, Int]:
    """Return the next state and a uniform integer in 0..n-1, without bias (Lemire 2019)."""
    bound = np.uint64(n)
    while True:
        state = state + GAMMA
        product = (mix(state) >> S32) * bound
        low = product & LOW32
        if low >= bound or low >= (np.uint64(1 << 32) - bound) % bound:
            return state, np.int64(product >> S32)


@kernel
def throw(seed: Int, deal: int, wall: NDArray[np.int8]) -> tuple[Int, Int, Int]:
    """Shuffle the wall of one deal (R2) in place; return two dice and a uniform seat."""
    state = mix(seed + GAMMA) ^ mix(np.uint64(deal) * MIX1 + GAMMA)
    state, die = below(state, 6)
    state, second = below(state, 6)
    state, seat = below(state, 4)
    for i in range(N_TILES):
        wall[i] = i // 4
    for i in range(N_TILES - 1, 0, -1):
        state, j = below(state, i + 1)
        kept = wall[i]
        wall[i] = wall[j]
        wall[j] = kept
    return die + 1, second + 1, seat


def table_seeds(seed: int, n: int, purpose: str = "free", first: int = 0) -> NDArray[np.uint64]:
    """Return the seeds of tables first..first+n-1: (n,) uint64, of one purpose's own family.

    A table's seed depends on (seed, purpose, its number) alone. Raises ValueError for an unknown
    purpose.
    """
    if purpose not in PURPOSES:
        raise ValueError(f"purpose {purpose!r} is unknown; allowed: {', '.join(PURPOSES)}")
    family = np.uint64(PURPOSES.index(purpose) << PURPOSE_SHIFT)
    return seeds_in(family, seed, np.arange(first, first + n))


def seeds_in(
    family: NDArray[np.uint64] | np.uint64, seed: int, numbers: NDArray[np.integer]
) -> NDArray[np.uint64]:
    """Return the seeds of tables by number, in the families that some seeds (or one) belong to."""
    word = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    with np.errstate(over="ignore"):
        z = word + (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(_GAMMA)
        z = (z ^ (z >> S30)) * np.uint64(_MIX1)
        z = (z ^ (z >> S27)) * np.uint64(_MIX2)
        z = z ^ (z >> S31)
    seeds: NDArray[np.uint64] = (z & FREE) | (family & ~FREE)
    return seeds
