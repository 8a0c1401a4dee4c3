"""R5 to R12: actions, claims, their priority, the empty wall and kongs made late."""

from __future__ import annotations

import pytest

from tests.golden.conftest import Play
from tests.scenario import DULL, Scenario, bill, each, pay

PING = "123456789m333p6p"  # waits for 6p, worth ping_hu alone
PAIRS = "222444m333p66p77s"  # waits for 6p and 7s, da_dui_zi


def throws(seat: int, *kinds: str) -> set[str]:
    return {f"{seat} discard {kind}" for kind in kinds}


# --- R5, R6: the own turn


@pytest.mark.parametrize(("rules", "may_declare"), [("guiyang", True), ("zhuoji", False)])
def test_r6_opening_turn_of_a_complete_hand(play: Play, rules: str, may_declare: bool) -> None:
    """R5, R6: hu, a concealed kong, baoting where it exists, any discard; never pass."""
    # 111m 123m 567p 99p 345s; 13 tiles without 2m wait for it again.
    deal = play(rules, hands={0: "1111m23m567p99p345s"})
    expected = throws(0, "1m", "2m", "3m", "5p", "6p", "7p", "9p", "3s", "4s", "5s")
    expected |= {"0 hu", "0 gang 1m"}
    assert deal.legal() == (expected | {"0 baoting"} if may_declare else expected)


def test_r6_a_replacement_draw_is_a_draw(play: Play) -> None:
    """R6: after the replacement the player may hu, kong again or discard."""
    deal = play("zhuoji", hands={0: "2222m4444m789m33p6p"}, replacements="6p 3p")
    deal.play("0 gang 2m")
    # 4444 789 m 33 66 p: not complete, 2m is gone from the hand.
    assert deal.legal() == {"0 gang 4m"} | throws(0, "4m", "7m", "8m", "9m", "3p", "6p")
    deal.play("0 gang 4m")
    # 789m 333p 66p and two kongs.
    assert deal.legal() == {"0 hu"} | throws(0, "7m", "8m", "9m", "3p", "6p")


def test_r6_the_added_kong(play: Play) -> None:
    """R6: a tile in hand may be added to an own peng on a later turn."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "6p", 1: "66p1245789p235s6s"},
        draws="1m 2m 3m 6p",
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 1p")
    deal.play("2 discard 1m", "3 discard 2m", "0 discard 3m")
    assert "1 gang 6p" in deal.legal()
    assert "1 discard 6p" in deal.legal()


def test_r7_after_a_peng_only_a_discard(play: Play) -> None:
    """R7: no hu although the hand is complete, no kong of the third tile or of four in hand."""
    # With the peng of 6p: 6p over, 1111m, 23m, 77s 7s: nothing but a discard all the same.
    deal = play("zhuoji", hands={0: DULL + "6p", 1: "666p1111m23m777s4s"})
    deal.play("0 discard 6p")
    assert deal.legal() == {"1 peng", "1 gang 6p", "1 pass"}
    deal.play("1 peng")
    assert deal.legal() == throws(1, "6p", "1m", "2m", "3m", "7s", "4s")


def test_r7_a_complete_hand_after_a_peng_cannot_win(play: Play) -> None:
    """R7, R16: without a passport it may peng its winning tile, but not win with it then."""
    # 123m 456m 789m 33p 66p waits for 3p and 6p; ping_hu, no dou.
    deal = play("zhuoji", hands={0: DULL + "6p", 1: "123456789m33p66p"})
    deal.play("0 discard 6p")
    assert deal.legal() == {"1 peng", "1 pass"}
    deal.play("1 peng")
    assert deal.legal() == throws(1, *(f"{rank}m" for rank in range(1, 10)), "3p")


# --- R8, R9: claims


def test_r8_no_chi(play: Play) -> None:
    """R5, R8: the next player who could only run the tile up to a sequence is not asked."""
    deal = play("zhuoji", hands={0: DULL + "6p", 1: "57p57p22m44m123s99s"})
    deal.play("0 discard 6p")
    assert deal.seat == 1
    assert not any("pass" in action for action in deal.legal())


def test_r8_declining_a_peng_never_bars_a_later_one(play: Play) -> None:
    """R8: seat 2 lets 6p go and may still peng the next 6p before drawing."""
    deal = play("zhuoji", hands={0: DULL + "6p", 2: "66p1245789p235s6s"}, draws="6p")
    deal.play("0 discard 6p")
    assert deal.legal() == {"2 peng", "2 pass"}
    deal.play("2 pass", "1 discard 6p")
    assert deal.legal() == {"2 peng", "2 pass"}


def test_r8_peng_takes_the_turn_past_the_seats_between(play: Play) -> None:
    """R8: after seat 3's peng of seat 0's discard, seat 3 discards and seat 0 draws."""
    deal = play("zhuoji", hands={0: DULL + "6p", 3: "66p1245789p235s6s"}, draws="4s")
    deal.play("0 discard 6p", "3 peng")
    assert deal.seat == 3
    deal.play("3 discard 1p")
    assert deal.seat == 0
    assert "0 discard 4s" in deal.legal()


# 6p thrown by seat 0 under passport off: who holds what against it.
OPEN_RULES = {"preset": "guiyang", "win": {"passport": False}}
OPEN_SINGLE = {"preset": "guiyang", "win": {"passport": False, "multiple": False}}
HAS_PAIR = "66p1245789p235s6s"
WAITS_36 = "123456789m33p45p"
WAITS_69 = "123456789m78p44s"
PAIR_AND_WAIT = "123456789m33p66p"
TRIPLE_AND_WAIT = "123456m99m666p45p"


def thrown(play: Play, rules: object, **hands: str) -> Scenario:
    """Seat 0 deals and throws 6p; hands by name s1, s2, s3."""
    given = {int(name[1:]): hand for name, hand in hands.items()}
    return play(rules, hands={0: DULL + "6p", **given}).play("0 discard 6p")


def test_r9_hu_is_asked_first_in_order_then_the_peng(play: Play) -> None:
    """R9: seats 2 and 3 may hu and are asked in that order; seat 1's pair only after them."""
    deal = thrown(play, OPEN_RULES, s1=HAS_PAIR, s2=WAITS_36, s3=WAITS_69)
    assert deal.legal() == {"2 hu", "2 pass"}
    deal.play("2 pass")
    assert deal.legal() == {"3 hu", "3 pass"}
    deal.play("3 pass")
    assert deal.legal() == {"1 peng", "1 pass"}
    deal.play("1 peng")
    assert deal.seat == 1


def test_r9_all_hu_are_honoured_together(play: Play) -> None:
    """R9 win.multiple: both win; nobody asks seat 1 about its pair any more."""
    deal = thrown(play, OPEN_RULES, s1=HAS_PAIR, s2=WAITS_36, s3=WAITS_69)
    result = deal.play("2 hu", "3 hu").result()
    assert result.winners == [2, 3]
    # ping_hu 1 each, the dealer (streak 1) being the shooter: 1 + 1 to each.
    assert result.only("hu", "dealer") == bill(
        pay("hu", 0, 2, 1), pay("hu", 0, 3, 1), pay("dealer", 0, 2, 1), pay("dealer", 0, 3, 1)
    )


def test_r9_without_multiple_the_first_in_order_wins(play: Play) -> None:
    """R9 win.multiple false: all are asked all the same, the second hu is void."""
    deal = thrown(play, OPEN_SINGLE, s1=HAS_PAIR, s2=WAITS_36, s3=WAITS_69)
    deal.play("2 hu")
    assert deal.legal() == {"3 hu", "3 pass"}
    result = deal.play("3 hu").result()
    assert result.winners == [2]
    assert result.only("hu") == pay("hu", 0, 2, 1)


def test_r9_without_multiple_the_second_wins_if_the_first_passes(play: Play) -> None:
    """R9 win.multiple false: the first hu in order, not the first who could."""
    deal = thrown(play, OPEN_SINGLE, s1=HAS_PAIR, s2=WAITS_36, s3=WAITS_69)
    assert deal.play("2 pass", "3 hu").result().winners == [3]


def test_r9_order_of_play_is_from_the_shooter(play: Play) -> None:
    """R9: on seat 2's discard seat 3 is asked before seat 1."""
    deal = play(
        OPEN_RULES,
        dealer=2,
        hands={2: DULL + "6p", 1: WAITS_36, 3: WAITS_69},
    )
    deal.play("2 discard 6p")
    assert deal.seat == 3
    result = deal.play("3 hu", "1 hu").result()
    assert result.winners == [3, 1]


def test_r9_a_peng_of_the_first_round_is_void_if_anyone_wins(play: Play) -> None:
    """R9: seat 1, asked once among hu, peng and pass, takes peng; seat 3 wins over it."""
    deal = thrown(play, OPEN_RULES, s1=PAIR_AND_WAIT, s3=WAITS_69)
    assert deal.legal() == {"1 hu", "1 peng", "1 pass"}
    result = deal.play("1 peng", "3 hu").result()
    assert result.winners == [3]


def test_r9_a_peng_of_the_first_round_stands_if_nobody_wins(play: Play) -> None:
    """R9: seat 3 passes, and seat 1 is not asked again."""
    deal = thrown(play, OPEN_RULES, s1=PAIR_AND_WAIT, s3=WAITS_69)
    deal.play("1 peng", "3 pass")
    assert deal.legal() == throws(1, *(f"{rank}m" for rank in range(1, 10)), "3p")


def test_r9_a_gang_of_the_first_round_is_void_if_anyone_wins(play: Play) -> None:
    """R9: any hu beats gang."""
    deal = thrown(play, OPEN_RULES, s1=TRIPLE_AND_WAIT, s3=WAITS_69)
    assert deal.legal() == {"1 hu", "1 gang 6p", "1 peng", "1 pass"}
    result = deal.play("1 gang 6p", "3 hu").result()
    assert result.winners == [3]
    assert result.only("dian_dou") == []


def test_r9_a_player_who_can_only_pass_is_not_asked(play: Play) -> None:
    """R9: nobody wants 6p, seat 1 draws at once."""
    deal = thrown(play, OPEN_RULES)
    assert deal.seat == 1
    assert "1 pass" not in deal.legal()


# --- R10: the empty wall. The 55th and last draw falls to seat (0 + 55) mod 4 = 3.


def test_r10_the_last_discard_cannot_be_claimed_by_peng(play: Play) -> None:
    """R10: seat 1's pair is not asked, the deal is a draw."""
    deal = play("zhuoji", hands={0: DULL + "9m", 1: HAS_PAIR}, replacements="6p")
    deal.coast(discards=55)
    assert deal.seat == 3
    deal.play("3 discard 6p")
    result = deal.result()
    assert (result.end, result.winners, result.tile, result.indicator) == ("draw", [], None, None)


def test_r10_the_last_discard_can_be_won(play: Play) -> None:
    """R10, R37: with 66p and a wait, only hu and pass are left; no tile is there to be turned."""
    deal = play("zhuoji", hands={0: DULL + "9m", 2: PAIRS}, draws="1s", replacements="6p")
    deal.coast(discards=55)
    deal.play("3 discard 6p")
    assert deal.legal() == {"2 hu", "2 pass"}
    result = deal.play("2 hu").result()
    assert result.indicator is None
    # da_dui_zi 50. The charge chicken lies with seat 1, which is not ready; no flip, no zhuo ji.
    assert result.items == pay("hu", 3, 2, 50)


def test_r10_no_gang_of_the_last_discard(play: Play) -> None:
    """R10: three 6p in hand do not claim the last 6p."""
    deal = play("zhuoji", hands={0: DULL + "9m", 1: "666p1245789p235s"}, replacements="6p")
    deal.coast(discards=55).play("3 discard 6p")
    assert deal.done


def test_r10_no_kong_on_an_empty_wall(play: Play) -> None:
    """R4, R10: seat 3 draws its fourth 6p as the last tile and may only discard."""
    deal = play("zhuoji", hands={0: DULL + "9m", 3: "666p1245789p235s"}, replacements="6p")
    deal.coast(discards=55)
    kinds = ["6p", *(f"{r}p" for r in (1, 2, 4, 5, 7, 8, 9)), *(f"{r}s" for r in (2, 3, 5))]
    assert deal.legal() == throws(3, *kinds)


def test_r10_a_kong_while_one_tile_is_left(play: Play) -> None:
    """R4: seat 2 kongs with one undrawn tile, replaces with it, and the wall is empty."""
    deal = play("zhuoji", hands={0: DULL + "9m", 2: "666p1245789p235s"}, replacements="9m 6p")
    # The dealer's discard and those of wall[53] to wall[105]: 1 + 53.
    deal.coast(discards=54)
    assert "2 gang 6p" in deal.legal()
    deal.play("2 gang 6p", "2 discard 9m")
    assert deal.result().end == "draw"


# --- R12: late kongs. Seat 0 deals; indicator 9m makes 1m the zhuo ji, which nobody holds.

LATE_ADDED = {
    value: {"preset": "zhuoji", "dou": {"late_added": value}}
    for value in ("full", "passport", "forbid")
}


@pytest.mark.parametrize(
    ("rules", "ping_hu", "bonus", "men"), [("zhuoji", 10, 10, 0), ("guiyang", 1, 1, 2)]
)
def test_r12_a_dealt_four_declared_late(
    play: Play, rules: str, ping_hu: int, bonus: int, men: int
) -> None:
    """R12 dealt_late: after the first discard it collects nothing (zhuoji) or in full (guiyang);
    either way it is the passport for a plain ping_hu."""
    deal = play(
        rules,
        hands={0: "2222m456789m333p9s"},
        draws="7s 7s 7s 6p 6p",
        replacements="4s",
        indicator="9m",
    )
    deal.play("0 discard 9s").coast(discards=3)
    deal.play("0 gang 2m", "0 discard 4s", "1 discard 6p")
    assert deal.legal() == {"0 hu", "0 pass"}
    result = deal.play("0 hu").result()
    assert result.items == bill(
        pay("hu", 1, 0, ping_hu), pay("dealer", 1, 0, bonus), each("men_dou", 0, men)
    )


def test_r12_a_dealt_four_declared_in_the_first_turn(play: Play) -> None:
    """R12: seat 1 kongs in its first turn, before its first discard: paid in full."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "4s", 1: "2222m456789m333p"},
        draws="6p",
        replacements="6p",
    )
    result = deal.play("0 discard 4s", "1 gang 2m", "1 hu").result()
    assert result.only("men_dou") == each("men_dou", 1, 20)


@pytest.mark.parametrize(
    ("rules", "v", "bonus", "men"), [("zhuoji", 10 + 10, 10, 0), ("guiyang", 1 + 0, 1, 2)]
)
def test_r12_the_dealers_fourteenth_tile_is_dealt_too(
    play: Play, rules: str, v: int, bonus: int, men: int
) -> None:
    """R12: wall[52] makes the four; declared on the second turn it is late."""
    deal = play(
        rules,
        hands={0: "222m456789m333p9s2m"},
        draws="7s 7s 7s 6p",
        replacements="6p",
        indicator="9m",
    )
    deal.play("0 discard 9s").coast(discards=3)
    result = deal.play("0 gang 2m", "0 hu").result()
    # A plain hand on a replacement tile: ping_hu + gang_shang_hua.
    assert result.items == bill(each("hu", 0, v), each("dealer", 0, bonus), each("men_dou", 0, men))


def test_r12_a_first_turn_by_peng_makes_it_late(play: Play) -> None:
    """R12: seat 1's first turn came by peng, it had no chance to kong: worth nothing in zhuoji."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "6p", 1: "2222m66p789m333p7s"},
        draws="7s 7s 7s 4s",
        replacements="4s",
        indicator="9m",
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 7s").coast(discards=3)
    result = deal.play("1 gang 2m", "1 hu").result()
    # 789m 333p 44s 666p 2222m: ping_hu 10 + 10, the dealer pays 10 more, no men dou.
    assert result.items == bill(each("hu", 1, 10 + 10), pay("dealer", 0, 1, 10))


def test_r12_a_drawn_fourth_tile_is_never_late(play: Play) -> None:
    """R12: dealt three, drew the fourth, waited a turn: a men dou of 20 from each."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "4s", 1: "222m456789m333p4s"},
        draws="2m 7s 7s 7s 6p",
        replacements="6p",
        indicator="9m",
    )
    deal.play("0 discard 4s", "1 discard 4s").coast(discards=3)
    result = deal.play("1 gang 2m", "1 hu").result()
    assert result.items == bill(
        each("hu", 1, 10 + 10), pay("dealer", 0, 1, 10), each("men_dou", 1, 20)
    )


def third_tile_kept(play: Play, late_added: str) -> Scenario:
    """Seat 1 pengs 6p with two of its three, and draws 7s on its next turn."""
    deal = play(
        LATE_ADDED[late_added],
        hands={0: DULL + "6p", 1: "666p456789m33p7s9s"},
        draws="1m 1m 1m 7s",
        replacements="7s",
        indicator="8m",
    )
    return deal.play("0 discard 6p", "1 peng", "1 discard 9s").coast(discards=3)


@pytest.mark.parametrize(("late_added", "zhuan_wan"), [("full", 30), ("passport", 0)])
def test_r12_an_added_kong_of_an_earlier_tile(play: Play, late_added: str, zhuan_wan: int) -> None:
    """R12 late_added: the third 6p was in hand before this turn."""
    result = third_tile_kept(play, late_added).play("1 gang 6p", "1 hu").result()
    # 456m 789m 33p 777s and the kong, on a replacement: 10 + 10. Indicator 8m: zhuo ji 9m, of
    # which the winner holds one: 10 from each.
    assert result.items == bill(
        each("hu", 1, 10 + 10),
        pay("dealer", 0, 1, 10),
        each("zhuan_wan_dou", 1, zhuan_wan),
        each("zhuo_ji", 1, 10),
    )


def test_r12_an_added_kong_of_an_earlier_tile_forbidden(play: Play) -> None:
    """R12 late_added forbid: not legal."""
    legal = third_tile_kept(play, "forbid").legal()
    assert "1 gang 6p" not in legal
    assert "1 discard 6p" in legal


def test_r12_a_replacement_draw_belongs_to_the_turn(play: Play) -> None:
    """R12: the fourth 6p came as the replacement of this turn's men dou, so it is not late."""
    deal = play(
        LATE_ADDED["forbid"],
        hands={0: DULL + "6p", 1: "66p222m789m333p4s9s"},
        draws="1m 1m 1m 2m",
        replacements="6p 4s",
        indicator="3m",
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 9s").coast(discards=3)
    result = deal.play("1 gang 2m", "1 gang 6p", "1 hu").result()
    # 789m 333p 44s and two kongs: 10 + 10. Zhuo ji 4m, nobody's.
    assert result.items == bill(
        each("hu", 1, 10 + 10),
        pay("dealer", 0, 1, 10),
        each("men_dou", 1, 20),
        each("zhuan_wan_dou", 1, 30),
    )


def test_r12_the_turns_draw_may_be_added_after_another_kong(play: Play) -> None:
    """R12: 6p drawn, four 2m declared first, 6p added then: still drawn in this very turn."""
    deal = play(
        LATE_ADDED["forbid"],
        hands={0: DULL + "6p", 1: "66p2222m789m33p4s9s"},
        draws="1m 1m 1m 6p",
        replacements="3p",
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 9s").coast(discards=3)
    deal.play("1 gang 2m")
    assert "1 gang 6p" in deal.legal()
