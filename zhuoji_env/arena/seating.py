"""Who sits where: the deals of a block under each layout."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError

_SEATS = tuple(range(N_SEATS))
_ONE, _TWO, _THREE = (tuple(combinations(_SEATS, k)) for k in (1, 2, 3))

# Layout -> the seats of a in each deal of a block; b has the others.
LAYOUTS: dict[str, tuple[tuple[int, ...], ...]] = {
    "one-vs-three": _ONE,
    "three-vs-one": _THREE,
    "two-vs-two": _TWO,
    "swap": _ONE + _THREE,
}
# Those in which both have as many seats, so that one's points are the other's losses.
EVEN = ("swap", "two-vs-two")
OPEN = "open"


def block_seats(layout: str) -> NDArray[np.int8]:
    """Return who plays each seat of each deal of a block: (deals, 4) int8, 0 for a, 1 for b."""
    if layout not in LAYOUTS:
        raise ZhuojiError(f"unknown layout {layout!r}; allowed: {', '.join(LAYOUTS)}")
    who = np.ones((len(LAYOUTS[layout]), N_SEATS), np.int8)
    for deal, seats in enumerate(LAYOUTS[layout]):
        who[deal, list(seats)] = 0
    return who


def open_seats() -> NDArray[np.int8]:
    """Return who plays each seat of an open table's block: (24, 4) int8, every order of four."""
    return np.array(list(permutations(_SEATS)), np.int8)
