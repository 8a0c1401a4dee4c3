"""R13 to R15: patterns, their fan, and what completes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import DULL, RulesSpec, bill, each, pay, position, seat

# 13 tiles and the winning one; the table of R13-R15 by preset.
HANDS = {
    "ping_hu": ("123456789m333p6p", "6p"),
    "da_dui_zi": ("222444m333p777s6p", "6p"),
    "qi_dui": ("22446688m3366p4s", "4s"),
    "long_qi_dui": ("222446688m3366p", "2m"),
    "qing_yi_se": ("1234567892355m", "4m"),
    "qing_da_dui": ("1113335557779m", "9m"),
    "qing_qi_dui": ("1133557799224m", "4m"),
    "qing_long_bei": ("1113355667788m", "1m"),
}
FAN = {
    "guiyang": (1, 5, 7, 10, 10, 15, 17, 20),
    "zhuoji": (10, 50, 60, 100, 100, 150, 150, 200),
    "zhuoji_double": (10, 50, 60, 100, 100, 150, 150, 200),
    "duole": (10, 30, 40, 50, 50, 80, 90, 100),
}
DEALER_BONUS = {"guiyang": 1, "zhuoji": 10, "zhuoji_double": 10, "duole": 0}
DEARER = {"preset": "guiyang", "hand": {"dragon_needs_winning_tile": True}}
CHEAPER = {"preset": "zhuoji", "hand": {"dragon_needs_winning_tile": False}}


def drawn_by_seat_0(rules: RulesSpec, hand: str, tile: str, *melds: str) -> dict[str, Any]:
    """Seat 0 draws its winning tile on an empty wall; the others hold nothing. Seat 1 deals."""
    seats = [seat(hand, *melds), seat(DULL), seat(DULL), seat(DULL)]
    return position(rules, seats, end="self_draw", winners=[0], tile=tile, dealer=1)


def value(settle: Settle, rules: RulesSpec, hand: str, tile: str, *melds: str) -> int:
    """v(w) of such a win: what seat 2 pays under `hu`."""
    result = settle(drawn_by_seat_0(rules, hand, tile, *melds))
    (fan,) = {fan for _, payer, _, fan in result.only("hu") if payer == 2}
    return fan


@pytest.mark.parametrize("preset", FAN)
@pytest.mark.parametrize("pattern", HANDS)
def test_r13_r14_each_pattern_in_each_preset(settle: Settle, preset: str, pattern: str) -> None:
    """R13, R14: the fan of the table; the four of a dragon is won on, so that zhuoji pays it."""
    hand, tile = HANDS[pattern]
    fan = FAN[preset][list(HANDS).index(pattern)]
    result = settle(drawn_by_seat_0(preset, hand, tile))
    assert result.items == bill(each("hu", 0, fan), pay("dealer", 1, 0, DEALER_BONUS[preset]))


def test_r13_melds_count_as_triplets(settle: Settle) -> None:
    """R13: a peng and a kong are a triplet each: 444m 777s 222m 333p 66p is da_dui_zi."""
    assert value(settle, "guiyang", "222m333p6p", "6p", "peng 4m from 2", "men 7s") == 5


def test_r13_one_suit_with_melds(settle: Settle) -> None:
    """R13: all melds and the hand in one suit: qing_da_dui 15, qing_yi_se 10 with a sequence."""
    melds = ("peng 4m from 2", "dian 7m from 1")
    assert value(settle, "guiyang", "222m333m6m", "6m", *melds) == 15
    assert value(settle, "guiyang", "123m999m6m", "6m", *melds) == 10


def test_r13_a_meld_of_another_suit_spoils_one_suit(settle: Settle) -> None:
    """R13: with 333p melded the same hand in m is da_dui_zi 5, or ping_hu 1 with a sequence."""
    melds = ("peng 3p from 2", "dian 7m from 1")
    assert value(settle, "guiyang", "222m444m6m", "6m", *melds) == 5
    assert value(settle, "guiyang", "123m999m6m", "6m", *melds) == 1


def test_r13_seven_pairs_have_no_melds(play: Play) -> None:
    """R13: 1111m 22446688m 33p is a dragon; with the four as a kong it is not."""
    deal = play("guiyang", hands={0: "1111m22446688m33p"}, replacements="3p")
    assert "0 hu" in deal.legal()
    deal.play("0 gang 1m")
    assert "0 hu" not in deal.legal()


def test_r14_the_greatest_pattern_counts(settle: Settle) -> None:
    """R14: 112233 445566m 33p is four sequences and a pair (1) and seven pairs (7): 7."""
    assert value(settle, "guiyang", "112233445566m3p", "3p") == 7
    assert value(settle, "zhuoji", "112233445566m3p", "3p") == 60
    assert value(settle, "duole", "112233445566m3p", "3p") == 40


def test_r14_the_greatest_even_if_the_dragon_is_cheaper(settle: Settle) -> None:
    """R14: a dragon at 3 fan is still seven pairs at 7."""
    cheap = {"preset": "guiyang", "hand": {"long_qi_dui": 3}}
    assert value(settle, cheap, *HANDS["long_qi_dui"]) == 7


def test_r14_one_two_or_three_fours_the_same(settle: Settle) -> None:
    """R13: long_qi_dui with three fours pays what it pays with one."""
    assert value(settle, "guiyang", "222244446666m3p", "3p") == 10


@pytest.mark.parametrize(
    ("rules", "on_the_four", "on_a_pair"),
    [("zhuoji", 100, 60), (CHEAPER, 100, 100), ("guiyang", 10, 10), (DEARER, 10, 7)],
)
def test_r14_a_dragon_may_need_its_winning_tile(
    settle: Settle, rules: RulesSpec, on_the_four: int, on_a_pair: int
) -> None:
    """R14 dragon_needs_winning_tile: 2222 44 66 88m 33 66p won with 2m, or with 6p."""
    assert value(settle, rules, "222446688m3366p", "2m") == on_the_four
    assert value(settle, rules, "2222446688m336p", "6p") == on_a_pair


@pytest.mark.parametrize(
    ("rules", "on_the_four", "on_a_pair"),
    [("zhuoji", 200, 150), (CHEAPER, 200, 200), ("guiyang", 20, 20), (DEARER, 20, 17)],
)
def test_r14_a_one_suit_dragon_too(
    settle: Settle, rules: RulesSpec, on_the_four: int, on_a_pair: int
) -> None:
    """R14: 1111 33 55 66 77 88 99m won with 1m, or with 9m."""
    assert value(settle, rules, "1113355667799m", "1m") == on_the_four
    assert value(settle, rules, "1111335566779m", "9m") == on_a_pair


def test_r14_any_of_two_fours_will_do(settle: Settle) -> None:
    """R14: 2222 4444m 66 88m 33p won with the fourth 4m: 100; with 8m: 60."""
    assert value(settle, "zhuoji", "22224446688m33p", "4m") == 100
    assert value(settle, "zhuoji", "2222444466m8m33p", "8m") == 60


@pytest.mark.parametrize(
    ("dealt", "fan"), [("222446688m3366p" + "2m", 100), ("2222446688m336p" + "6p", 60)]
)
def test_r14_the_dealers_winning_tile_is_the_last_dealt(play: Play, dealt: str, fan: int) -> None:
    """R14: in the opening 14 the winning tile is wall[52]."""
    result = play("zhuoji", hands={0: dealt}, indicator="9m").play("0 hu").result()
    # Indicator 9m: nobody holds the zhuo ji 1m. The dealer's first deal: 10 x 1 from each.
    assert result.items == bill(each("hu", 0, fan), each("dealer", 0, 10))
    assert result.tile == dealt[-2:]


def test_r14_a_null_dragon_is_seven_pairs(settle: Settle) -> None:
    """R14: without long_qi_dui the hand still satisfies qi_dui."""
    rules = {"preset": "guiyang", "hand": {"long_qi_dui": None}}
    assert value(settle, rules, *HANDS["long_qi_dui"]) == 7


def test_r14_a_null_pattern_leaves_the_next_best(settle: Settle) -> None:
    """R14: without seven pairs of any kind 112233 445566m 33p is ping_hu;."""
    no_pairs = {"preset": "guiyang", "hand": {"qi_dui": None, "long_qi_dui": None}}
    assert value(settle, no_pairs, "112233445566m3p", "3p") == 1
    no_qing = {"preset": "guiyang", "hand": {"qing_da_dui": None}}
    # 111 333 555 777 99m is then qing_yi_se 10 (a ping_hu shape in one suit), above da_dui_zi 5.
    assert value(settle, no_qing, *HANDS["qing_da_dui"]) == 10


@pytest.mark.parametrize("pattern", ["qi_dui", "long_qi_dui"])
def test_r15_a_hand_of_null_patterns_is_not_complete(play: Play, pattern: str) -> None:
    """R14, R15: where seven pairs do not exist, the dealer cannot win with them."""
    hand, tile = HANDS[pattern]
    assert "0 hu" in play("guiyang", hands={0: hand + tile}).legal()
    without = {"preset": "guiyang", "hand": {"qi_dui": None, "long_qi_dui": None}}
    assert "0 hu" not in play(without, hands={0: hand + tile}).legal()


@pytest.mark.parametrize("pattern", HANDS)
def test_r15_any_pattern_completes(play: Play, pattern: str) -> None:
    """R15: each of the eight may be won with the opening 14."""
    hand, tile = HANDS[pattern]
    assert "0 hu" in play("zhuoji", hands={0: hand + tile}).legal()


@pytest.mark.parametrize(
    "hand",
    [
        "22446688m3366p4s7s",  # six pairs
        "123456789m3336p9s",  # four melds, no pair
        "222444m333p77s66p9s",  # three triplets, two pairs
        "12356789m333p66p7s",
        "1289m1289p11223s9s",
    ],
)
def test_r15_an_incomplete_hand_cannot_win(play: Play, hand: str) -> None:
    """R15: one tile short of every pattern, or further."""
    assert "0 hu" not in play("zhuoji", hands={0: hand}).legal()
