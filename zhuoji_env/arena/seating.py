"""Who sits where: the deals of a block under each layout."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError

_SEATS = tuple(range(N_SEATS))

# Layout -> the seats of a in each deal of a block; b has the others.
LAYOUTS: dict[str, tuple[tuple[int, ...], ...]] = {
    "one-vs-three": tuple(combinations(_SEATS, 1)),
    "three-vs-one": tuple(combinations(_SEATS, 3)),
    "two-vs-two": tuple(combinations(_SEATS, 2)),
}


def block_seats(layout: str) -> NDArray[np.int8]:
    """Return who plays each seat of each deal of a block: (deals, 4) int8, 0 for a, 1 for b."""
    if layout not in LAYOUTS:
        raise ZhuojiError(f"unknown layout {layout!r}; allowed: {', '.join(LAYOUTS)}")
    who = np.ones((len(LAYOUTS[layout]), N_SEATS), np.int8)
    for deal, seats in enumerate(LAYOUTS[layout]):
        who[deal, list(seats)] = 0
    return who
