"""Tiles and actions: notation both ways, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhuoji_env import actions, tiles
from zhuoji_env.errors import IllegalAction, ZhuojiError

KINDS = st.lists(st.integers(0, 26), max_size=108)


def test_kind_ids_are_those_of_the_formats_page() -> None:
    assert tiles.parse("19m19p19s") == [0, 8, 9, 17, 18, 26]
    assert tiles.parse("1s") == [tiles.YAOJI] == [18]
    assert tiles.parse("8p") == [tiles.WU_GU] == [16]
    assert len(tiles.NAMES) == tiles.N_KINDS == 27


def test_a_run_shares_its_suit_letter_and_keeps_its_order() -> None:
    assert tiles.parse("321m55p1s") == [2, 1, 0, 13, 13, 18]
    assert tiles.parse("") == []


def test_every_kind_has_a_chinese_face() -> None:
    assert (tiles.FACES[0], tiles.FACES[13], tiles.FACES[18], tiles.FACES[19]) == (
        "一万",
        "五筒",
        "幺鸡",
        "二条",
    )
    assert len(set(tiles.FACES)) == 27


@pytest.mark.parametrize(
    ("text", "piece", "position"),
    [
        ("12m0p", "'0'", 4),
        ("1m2z", "'z'", 4),
        ("m", "suit 'm'", 1),
        ("1mp", "suit 'p'", 3),
        ("1m23", "'23'", 3),
        ("1m 2p", "' '", 3),
        ("5M", "'M'", 2),
        ("５m", "'５'", 1),
        ("1" * 50, "'111111111...'", 1),
    ],
)
def test_a_bad_piece_is_named_with_its_position(text: str, piece: str, position: int) -> None:
    with pytest.raises(ValueError) as caught:
        tiles.parse(text)
    assert f"{piece} at position {position} " in str(caught.value)


def test_what_is_no_string_is_refused() -> None:
    with pytest.raises(ValueError, match="not int"):
        tiles.parse(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not NoneType"):
        actions.parse(None)  # type: ignore[arg-type]


def test_exactly_one_tile() -> None:
    assert tiles.parse_one("9s") == 26
    for text in ("", "12m"):
        with pytest.raises(ValueError, match="one tile expected"):
            tiles.parse_one(text)


@given(KINDS)
def test_show_sorts_and_parses_back(kinds: list[int]) -> None:
    text = tiles.show(kinds)
    assert tiles.parse(text) == sorted(kinds)
    assert sum(char in "mps" for char in text) == len({kind // 9 for kind in kinds})


@given(KINDS)
def test_a_wall_keeps_its_order(kinds: list[int]) -> None:
    text = tiles.show_wall(kinds)
    assert len(text) == 2 * len(kinds)
    assert tiles.parse(text) == kinds


@given(KINDS)
def test_counts(kinds: list[int]) -> None:
    counted = tiles.counts(kinds)
    assert counted.dtype == np.int8
    assert counted.tolist() == [kinds.count(kind) for kind in range(27)]


def test_action_ids_are_those_of_the_design() -> None:
    assert actions.N_ACTIONS == 58
    assert [actions.show(a) for a in (0, 26, 27, 28, 54, 55, 56, 57)] == [
        "discard 1m",
        "discard 9s",
        "peng",
        "gang 1m",
        "gang 9s",
        "hu",
        "baoting",
        "pass",
    ]
    assert (actions.DISCARD, actions.PENG, actions.GANG) == (0, 27, 28)
    assert (actions.HU, actions.BAOTING, actions.PASS) == (55, 56, 57)


@pytest.mark.parametrize("action", range(58))
def test_an_action_parses_back(action: int) -> None:
    assert actions.parse(actions.show(action)) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chi 1m", "unknown action 'chi 1m'; allowed: discard, gang, peng, hu, baoting, pass"),
        ("", "unknown action ''"),
        ("Discard 1m", "unknown action"),
        ("discard", "discard needs one tile such as 5p, '' given"),
        ("discard 10m", "discard needs one tile such as 5p, '10m' given"),
        ("gang 5p5p", "gang needs one tile such as 5p, '5p5p' given"),
        ("discard  5p", "discard needs one tile such as 5p, ' 5p' given"),
        ("peng 5p", "peng takes no tile, '5p' given"),
        ("pass ", "pass takes no tile"),
        ("x" * 1000, "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"),
    ],
)
def test_a_bad_action_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        actions.parse(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("action", [-1, 58])
def test_an_action_out_of_range_has_no_name(action: int) -> None:
    with pytest.raises(ValueError, match=r"allowed: 0\.\.57"):
        actions.show(action)


def test_an_illegal_action_names_table_seat_action_and_the_legal_set() -> None:
    error = IllegalAction(table=3, seat=1, action=13, legal=[27, 57])
    assert str(error) == "table 3, seat 1: discard 5p is not legal; legal: peng, pass"
    assert isinstance(error, ZhuojiError)
    assert isinstance(error, ValueError)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.table, copy.seat, copy.action, copy.legal) == (3, 1, 13, (27, 57))
    assert str(copy) == str(error)


def test_an_illegal_action_may_be_no_action_at_all() -> None:
    assert "action 99 is not legal; legal: nothing" in str(IllegalAction(0, 0, 99, []))
