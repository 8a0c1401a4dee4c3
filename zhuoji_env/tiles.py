"""The 27 kinds of tile and their notation (R1, docs/formats.md).

Kind ids: 0-8 are 1m-9m (characters), 9-17 are 1p-9p (dots), 18-26 are 1s-9s (bamboo).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

N_KINDS = 27
N_RANKS = 9
SUITS = "mps"
RANKS = "123456789"
NAMES: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
YAOJI = 18
WU_GU = 16

_NUMERALS = "一二三四五六七八九"
_FACES = tuple(numeral + suit for suit in "万筒条" for numeral in _NUMERALS)
FACES: tuple[str, ...] = (*_FACES[:YAOJI], "幺鸡", *_FACES[YAOJI + 1 :])
"""Chinese face of each kind: 一万 .. 九万, 一筒 .. 九筒, 幺鸡, 二条 .. 九条."""


def parse(text: str) -> list[int]:
    """Kinds of an mpsz string, in the order written: ``parse("123m55p") == [0, 1, 2, 13, 13]``.

    A run of ranks shares the suit letter that ends it; the empty string is no tile. Raises
    ValueError naming the offending piece and its position, counted from 1.
    """
    if not isinstance(text, str):
        raise ValueError(f"tiles are a string such as '123m55p', not {type(text).__name__}")
    kinds: list[int] = []
    run = 0
    for i, char in enumerate(text):
        if char in RANKS:
            continue
        if char not in SUITS:
            raise ValueError(
                f"{char!r} at position {i + 1} is neither a rank 1-9 nor a suit m, p or s"
            )
        if run == i:
            raise ValueError(f"suit {char!r} at position {i + 1} has no rank before it")
        first = SUITS.index(char) * N_RANKS
        kinds.extend(first + RANKS.index(rank) for rank in text[run:i])
        run = i + 1
    if run < len(text):
        piece = text[run:] if len(text) - run <= N_RANKS else text[run : run + N_RANKS] + "..."
        raise ValueError(f"{piece!r} at position {run + 1} lacks its suit letter m, p or s")
    return kinds


def parse_one(text: str) -> int:
    """Kind of exactly one tile, such as ``"5p"``; ValueError otherwise."""
    kinds = parse(text)
    if len(kinds) != 1:
        raise ValueError(f"one tile expected, such as 5p; {len(kinds)} given")
    return kinds[0]


def show(kinds: Iterable[int]) -> str:
    """Compact mpsz of some kinds, sorted by suit and rank: ``show([13, 0, 13]) == "1m55p"``."""
    ordered = sorted(kinds)
    text = ""
    for s, suit in enumerate(SUITS):
        ranks = "".join(NAMES[kind][0] for kind in ordered if kind // N_RANKS == s)
        text += ranks + suit if ranks else ""
    return text


def show_wall(kinds: Iterable[int]) -> str:
    """Every tile written in full, in the order given: ``show_wall([3, 18]) == "4m1s"``."""
    return "".join(NAMES[kind] for kind in kinds)


def counts(kinds: Sequence[int] | npt.NDArray[np.integer]) -> npt.NDArray[np.int8]:
    """How many tiles of each kind: (27,) int8."""
    return np.bincount(np.asarray(kinds, dtype=np.intp), minlength=N_KINDS).astype(np.int8)
