"""The scenario builder: where named tiles land, and what it refuses."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scenario import (
    DULL,
    DULL_MP,
    DULL_MS,
    WALL,
    Layout,
    Scenario,
    bill,
    each,
    hand_places,
    pay,
    position,
    seat,
)
from zhuoji_env import tiles

LEGAL_WALL = {kind: 4 for kind in range(tiles.N_KINDS)}
PING = "123456789m333p6p"
FOUR_DULL = {0: DULL + "6p", 1: DULL, 2: DULL, 3: DULL}


def scenario(**keys: object) -> Scenario:
    return Scenario("referee", "guiyang", **({"hands": {0: DULL + "6p"}} | keys))  # type: ignore[arg-type]


def test_every_place_of_the_opening_is_dealt_once() -> None:
    """R3: 14 + 13 + 13 + 13 places are wall[0..52]; the dealer's last is wall[52]."""
    places = [place for distance in range(4) for place in hand_places(distance)]
    assert sorted(places) == list(range(53))
    assert [len(hand_places(distance)) for distance in range(4)] == [14, 13, 13, 13]
    assert hand_places(0)[-1] == 52


@pytest.mark.parametrize("dealer", range(4))
def test_named_tiles_lie_where_they_are_dealt(dealer: int) -> None:
    """Hands from the dealer on, draws and indicator from the head, replacements from the tail."""
    deal = scenario(
        dealer=dealer,
        hands={dealer: DULL + "6p", (dealer + 1) % 4: PING},
        draws="4s 7s",
        replacements="1s 6p",
        indicator="1s",
    )
    wall = [tiles.NAMES[kind] for kind in deal.wall]
    assert Counter(deal.wall) == LEGAL_WALL
    assert [wall[place] for place in hand_places(0)] == [
        tiles.NAMES[k] for k in tiles.parse(DULL + "6p")
    ]
    assert [wall[place] for place in hand_places(1)] == [tiles.NAMES[k] for k in tiles.parse(PING)]
    assert wall[53:56] == ["4s", "7s", "1s"]
    assert wall[107:105:-1] == ["1s", "6p"]


def test_the_rest_is_the_same_every_time() -> None:
    """Unnamed places are filled deterministically."""
    assert scenario(draws="4s").wall == scenario(draws="4s").wall


@given(st.permutations(sorted(LEGAL_WALL) * 4), st.integers(0, 3))
def test_any_opening_can_be_named(shuffled: list[int], dealer: int) -> None:
    """A layout that names all four hands of a wall gives those hands on a legal wall."""
    hands = {
        (dealer + distance) % 4: tiles.show_wall(shuffled[place] for place in hand_places(distance))
        for distance in range(4)
    }
    wall = Layout(dealer, hands, "", "", None).wall()
    assert wall[:53] == shuffled[:53]
    assert Counter(wall) == LEGAL_WALL


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"hands": {0: DULL}}, "seat 0: 13 tiles"),
        ({"hands": {0: DULL + "6p", 1: DULL + "6p"}}, "seat 1: 14 tiles"),
        ({"draws": "6p6p6p6p"}, "more than four of a kind: {'6p': 5}"),
        ({"draws": "1s", "replacements": "1s1s1s", "indicator": "1s"}, "'1s': 5"),
        ({"hands": FOUR_DULL, "draws": "9m" * 30, "replacements": "6p" * 26}, "do not fit"),
    ],
)
def test_impossible_situations_are_refused(keys: dict[str, object], says: str) -> None:
    """With what is wrong, and where."""
    with pytest.raises(ValueError, match=says):
        scenario(**keys)


@pytest.mark.parametrize("hand", [DULL, DULL_MS, DULL_MP])
def test_dull_hands(hand: str) -> None:
    """Thirteen different tiles, no yaoji, and no wait."""
    kinds = tiles.parse(hand)
    assert len(set(kinds)) == len(kinds) == 13
    assert tiles.YAOJI not in kinds
    assert not any(scenario(hands={0: hand + name}).legal() & {"0 hu"} for name in tiles.NAMES)


def test_play_says_what_could_be_played() -> None:
    """A wrong action names itself, what went before, and the legal ones."""
    deal = scenario().play("0 discard 6p")
    with pytest.raises(AssertionError, match=r"'1 hu' after \['0 discard 6p'\]; legal: \['1 disc"):
        deal.play("1 hu")
    with pytest.raises(AssertionError, match="'0 discard 1p'"):
        deal.play("0 discard 1p")


def test_coast_throws_what_was_drawn() -> None:
    """Draws go round from seat 1, in the order named; the first tile thrown is wall[52]."""
    deal = scenario(draws="4s 7s 1s").coast(discards=4)
    assert deal.actions == ["0 discard 6p", "1 discard 4s", "2 discard 7s", "3 discard 1s"]


def test_coast_follows_replacements() -> None:
    """After a kong the drawn tile is the tail's."""
    deal = scenario(hands={0: "1111m1245789p235s"}, replacements="9s", draws="4s")
    deal.play("0 gang 1m").coast(discards=2)
    assert deal.actions[1:] == ["0 discard 9s", "1 discard 4s"]


def test_a_record_of_the_deal() -> None:
    """The record holds everything a replay needs."""
    deal = scenario(draws="4s", streak=3).play("0 discard 6p")
    record = deal.record()
    assert record["format"] == "zhuoji-deal/1"
    assert (record["rules"], record["dealer"], record["streak"]) == ("guiyang", 0, 3)
    assert tiles.parse(record["wall"]) == deal.wall
    assert len(deal.wall) == WALL
    assert record["actions"] == ["0 discard 6p"]


def test_bills_are_summed_and_sorted() -> None:
    """Equal (item, payer, payee) make one entry; nothing at 0 fan is written."""
    assert bill(each("men_dou", 1, 20), pay("men_dou", 3, 1, 20), pay("hu", 2, 0, 0)) == [
        ("men_dou", 0, 1, 20),
        ("men_dou", 2, 1, 20),
        ("men_dou", 3, 1, 40),
    ]


def test_positions_are_checked() -> None:
    """Hand sizes with melds, and at most four of a kind over hands, melds, rivers and tiles."""
    with pytest.raises(ValueError, match="13 concealed tiles"):
        seat(DULL, "men 6p")
    seats = [seat("1245789p235s", "men 6p"), seat(DULL), seat(DULL), seat(PING)]
    with pytest.raises(ValueError, match="'6p': 5"):
        position("zhuoji", seats, end="draw")
