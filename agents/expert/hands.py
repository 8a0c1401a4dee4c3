"""A hand as the expert takes it apart: counts, keys, melds; and what of it is still unseen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.expert.kernel import kernel
from agents.expert.money import has_dou
from zhuoji_env.engine.hand import POW5
from zhuoji_env.engine.layout import PENG_MELD

Record = Any
Hand = NDArray[np.int64]

# `hand` (N_HAND,): counts of the 27 kinds, then the suits' keys, the melds laid, their suits (bits)
# and whether a kong is among them.
KEY, LAID, SUITS, DOU = 27, 30, 31, 32
N_HAND = 33
ALL_SUITS = (1 << 27) - 1
SUIT = (1 << 9) - 1


@kernel
def load(v: Record, hand: Hand) -> None:
    """Lay the viewer's tiles out as `hand` has them."""
    for kind in range(27):
        hand[kind] = v.hand[kind]
    hand[KEY], hand[KEY + 1], hand[KEY + 2] = v.key[0], v.key[1], v.key[2]
    hand[LAID] = v.n_melds[0]
    suits = 0
    for i in range(v.n_melds[0]):
        suits |= 1 << (v.meld_kind[0, i] // 9)
    hand[SUITS] = suits
    hand[DOU] = 1 if has_dou(v, 0) else 0


@kernel
def add(hand: Hand, kind: int, copies: int) -> None:
    """Put tiles of one kind into a hand; with copies below 0, take them out."""
    hand[kind] += copies
    hand[KEY + kind // 9] += copies * POW5[kind % 9]


@kernel
def copies_of(v: Record, bits: int) -> int:
    """Return the unseen copies of some kinds."""
    copies = 0
    for kind in range(27):
        if bits >> kind & 1:
            copies += v.unseen[kind]
    return copies


@kernel
def claimable(v: Record, hand: Hand, bits: int) -> int:
    """Return the unseen copies of those among some kinds of which the hand holds two."""
    copies = 0
    for kind in range(27):
        if bits >> kind & 1 and hand[kind] >= 2:
            copies += v.unseen[kind]
    return copies


@kernel
def best_singles(v: Record, hand: Hand, bits: int, n: int) -> float:
    """Return the unseen copies of the n odd tiles of which most are left."""
    total = 0.0
    for copies in range(3, 0, -1):
        for kind in range(27):
            if n > 0 and bits >> kind & 1 and hand[kind] & 1 and v.unseen[kind] == copies:
                total += copies
                n -= 1
    return total


@kernel
def all_held(v: Record, hand: Hand, kind: int) -> bool:
    """R18: whether the viewer holds all four of a kind, in hand or with a peng of it."""
    if hand[kind] == 4:
        return True
    for i in range(v.n_melds[0]):
        if v.meld_kind[0, i] == kind:
            return bool(v.meld_type[0, i] != PENG_MELD or hand[kind] == 1)
    return False
