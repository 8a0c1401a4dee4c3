"""Distance to a win: against every complete shape listed, known hands, and the engine's waits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from tests import plain_hands
from zhuoji_env import tiles
from zhuoji_env.engine import tables
from zhuoji_env.engine.distance import (
    NOT_HELD,
    distance_of,
    distances_left,
    lowering_kinds,
    pairs_distance,
    standard_distance,
)
from zhuoji_env.engine.layout import DONE, PENG_MELD

FIVES = 5 ** np.arange(9)


def keys(hand: NDArray[np.integer]) -> tuple[int, int, int]:
    first, second, third = (int(hand[9 * s : 9 * s + 9] @ FIVES) for s in range(3))
    return first, second, third


def distance(text: str, melds: int = 0) -> int:
    return int(distance_of(*keys(tiles.counts(tiles.parse(text))), melds, tables.needs()))


def kinds(bits: int) -> list[int]:
    return [kind for kind in range(27) if bits >> kind & 1]


@st.composite
def hands(draw: st.DrawFn) -> tuple[NDArray[np.integer], int]:
    """A hand of 13 tiles less its melds, from one, two or three suits, and how many melds."""
    melds = draw(st.integers(0, 4))
    suits = draw(st.integers(1, 3))
    wall = np.repeat(np.arange(9 * suits), 4)
    picked = np.random.default_rng(draw(st.integers(0, 2**32))).permutation(wall)
    return tiles.counts(picked[: 13 - 3 * melds]), melds


@pytest.mark.parametrize(
    ("text", "melds", "expected"),
    [
        ("123m456p789s11122s", 0, -1),
        ("123m456p789s1122s", 0, 0),
        ("1112345678999m", 0, 0),
        ("1122334455667m", 0, 0),
        ("1111m2222p3333s1p", 0, 0),  # six pairs, four of a kind being two
        ("1133557799m1122p", 0, -1),
        ("1111m2222m3333p44p", 0, -1),
        ("19m28p37s1m5p55s99p1s", 0, 3),  # seven pairs: four held
        ("147m147p147s2589m", 0, 4),
        ("147m258p369s1478m", 0, 3),
        ("1m", 4, 0),
        ("11m", 4, -1),
        ("1m2p", 4, 0),
        ("1111m", 3, 1),  # 111m stands, and its pair can not be another 1m
        ("12m56p9s7m4s", 2, 2),
    ],
)
def test_known_hands(text: str, melds: int, expected: int) -> None:
    assert distance(text, melds) == expected


@settings(deadline=None, max_examples=150)
@given(hands())
def test_every_complete_shape_listed_says_the_same(
    case: tuple[NDArray[np.integer], int],
) -> None:
    hand, melds = case
    held = [int(c) for c in hand]
    needs = tables.needs()
    assert distance_of(*keys(hand), melds, needs) == plain_hands.distance(held, melds)
    for pairs in (False, True):
        found = kinds(lowering_kinds(*keys(hand), melds, pairs, needs))
        assert found == plain_hands.lowering(held, melds, pairs)


@settings(deadline=None, max_examples=100)
@given(hands(), st.booleans())
def test_distances_left_are_those_of_the_smaller_hands(
    case: tuple[NDArray[np.integer], int], pairs: bool
) -> None:
    hand, melds = case
    left = np.zeros(27, np.int8)
    distances_left(*keys(hand), melds, pairs, tables.needs(), left)
    for kind in range(27):
        if hand[kind] == 0:
            assert left[kind] == NOT_HELD
        else:
            smaller = hand.copy()
            smaller[kind] -= 1
            expected = standard_distance(*keys(smaller), melds, tables.needs())
            if pairs and melds == 0:
                expected = min(expected, pairs_distance(*keys(smaller)))
            assert left[kind] == expected


@settings(deadline=None, max_examples=100)
@given(hands())
def test_a_tile_more_lowers_by_one_or_not_at_all(case: tuple[NDArray[np.integer], int]) -> None:
    hand, melds = case
    needs = tables.needs()
    now = distance_of(*keys(hand), melds, needs)
    lowering = kinds(lowering_kinds(*keys(hand), melds, True, needs))
    for kind in np.flatnonzero(hand < 4):
        more = hand.copy()
        more[kind] += 1
        assert distance_of(*keys(more), melds, needs) == now - (kind in lowering)


def test_at_distance_0_the_lowering_kinds_are_the_waits() -> None:
    games = zj.Games(64, rules="guiyang", seed=4)
    games.reset()
    greedy = zj.baselines.make("greedy")
    ready = 0
    while not games.done.all():
        games.step(greedy.act(games.view(), games.legal, None))
        for g in games.state:
            for seat in range(4):
                if g["hand"][seat].sum() % 3 != 1:
                    continue
                melds = int(g["n_melds"][seat])
                own = g["hand"][seat].astype(int)
                for i in range(melds):
                    peng = g["meld_type"][seat, i] == PENG_MELD
                    own[g["meld_kind"][seat, i]] += 3 if peng else 4
                key = keys(g["hand"][seat])
                assert list(key) == g["key"][seat].tolist()
                far = distance_of(*key, melds, tables.needs())
                bits = lowering_kinds(*key, melds, True, tables.needs())
                waits = [k for k in kinds(bits) if own[k] < 4] if far == 0 else []
                if g["phase"] != DONE:
                    assert waits == kinds(int(g["waits"][seat]))
                    ready += bool(waits)
    assert ready > 1000
