"""Distances and greedy's choice the slow way: every complete shape is listed and compared.

Shares nothing with the engine but the VIEW records that `choice` reads and the names of actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import actions

SUIT = 9
FAR = 99
Counts = tuple[int, ...]


@cache
def shapes(melds: int, pairs: int) -> NDArray[np.int8]:
    """Every way of m melds and p pairs (of any kinds, four at most of one) in a suit: (n, 9)."""
    unit = np.eye(SUIT, dtype=np.int8)
    blocks = [3 * row for row in unit] + [unit[r] + unit[r + 1] + unit[r + 2] for r in range(7)]
    built = {
        tuple(
            sum((blocks[b] for b in chosen), np.zeros(SUIT, np.int8))
            + sum((2 * unit[r] for r in doubled), np.zeros(SUIT, np.int8))
        )
        for chosen in combinations_with_replacement(range(len(blocks)), melds)
        for doubled in combinations_with_replacement(range(SUIT), pairs)
    }
    rows = np.array(sorted(built), np.int8).reshape(-1, SUIT)
    return rows[rows.max(axis=1, initial=0) <= 4]


@cache
def lacks(suit: Counts, melds: int, pairs: int) -> int:
    """Tiles that a suit lacks of the nearest such shape."""
    missing = np.clip(shapes(melds, pairs) - np.array(suit, np.int8), 0, None)
    return int(missing.sum(axis=1).min(initial=FAR))


def distance(hand: Sequence[int], melds: int, seven_pairs: bool = True) -> int:
    """Distance to a win of a hand (27 counts) beside some melds, the least over both shapes."""
    suits = [tuple(int(c) for c in hand[9 * s : 9 * s + 9]) for s in range(3)]
    least = FAR
    for shares in product(range(5 - melds), repeat=3):
        if sum(shares) == 4 - melds:
            for paired in range(3):
                parts = zip(suits, shares, range(3), strict=True)
                least = min(least, sum(lacks(c, m, int(s == paired)) for c, m, s in parts))
    if melds == 0 and seven_pairs:
        least = min(least, 7 - sum(c // 2 for suit in suits for c in suit))
    return least - 1


def without(hand: Sequence[int], kind: int, n: int = 1) -> list[int]:
    left = list(hand)
    left[kind] -= n
    return left


def lowering(hand: Sequence[int], melds: int, seven_pairs: bool = True) -> list[int]:
    """Kinds that bring a hand without its drawn tile nearer."""
    now = distance(hand, melds, seven_pairs)
    return [
        kind
        for kind in range(27)
        if hand[kind] < 4 and distance(without(hand, kind, -1), melds, seven_pairs) < now
    ]


def choice(view: Any) -> tuple[set[str], str]:
    """DESIGN's greedy, word by word: the actions that shanten draws from, and greedy's own."""
    legal = {actions.NAMES[a] for a in range(actions.N_ACTIONS) if int(view["legal"]) >> a & 1}
    for verb in ("hu", "baoting"):
        if verb in legal:
            return {verb}, verb
    hand, melds = [int(c) for c in view["hand"]], int(view["n_melds"][0])
    now = max(distance(hand, melds), 0)
    gangs = []
    for name in legal:
        if name.startswith("gang"):
            kind = actions.parse(name) - actions.GANG
            added = hand[kind] == 1
            after = distance(without(hand, kind, hand[kind]), melds if added else melds + 1)
            if after <= now:
                gangs.append((after, kind, name))
    if gangs:
        name = min(gangs)[2]
        return {name}, name
    if "pass" in legal:
        peng = "peng" in legal and nearer_by_peng(hand, melds, int(view["tile"]), now)
        name = "peng" if peng else "pass"
        return {name}, name
    return discards(view, hand, melds, legal)


def nearer_by_peng(hand: list[int], melds: int, kind: int, now: int) -> bool:
    left = without(hand, kind, 2)
    return now > min(distance(without(left, k), melds + 1) for k in range(27) if left[k])


def discards(view: Any, hand: list[int], melds: int, legal: set[str]) -> tuple[set[str], str]:
    """The discards that leave the least distance, and among them greedy's."""
    kinds = sorted(actions.parse(name) for name in legal if name.startswith("discard"))
    left = {kind: distance(without(hand, kind), melds) for kind in kinds}
    nearest = [kind for kind in kinds if left[kind] == min(left.values())]
    names = {actions.NAMES[kind] for kind in nearest}
    if len(nearest) == 1:
        return names, actions.NAMES[nearest[0]]

    def rank(kind: int) -> tuple[int, int, int]:
        drawn = lowering(without(hand, kind), melds)
        copies = sum(int(view["unseen"][k]) for k in drawn)
        rivers = sum(int(view["river"][q][kind]) > 0 for q in range(4))
        return -copies, -rivers, kind

    return names, actions.NAMES[min(nearest, key=rank)]
