"""R16 to R20: the passport, its waivers, being ready, passing a win, gang-shang-hua."""

from __future__ import annotations

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import DULL, RulesSpec, Scenario, bill, each, pay, position, seat

PING = "123456789m333p6p"  # waits for 6p: ping_hu alone
DA_DUI = "222444m333p777s6p"  # waits for 6p: da_dui_zi
TWO_WAITS = "222444m333p66p77s"  # waits for 6p and 7s: da_dui_zi
PING_36 = "123456789m33p45p"  # waits for 3p and 6p: ping_hu alone


def passed(value: str) -> RulesSpec:
    return {"preset": "guiyang", "win": {"passed": value}}


def asked(deal: Scenario, seat: int) -> bool:
    return f"{seat} hu" in deal.legal()


# --- R16: the passport


@pytest.mark.parametrize("rules", ["guiyang", "zhuoji", "zhuoji_double", "duole"])
def test_r16_a_plain_hand_without_a_dou_may_not_win_on_a_discard(play: Play, rules: str) -> None:
    """R16: seat 1 completes ping_hu with 6p and is not even asked."""
    deal = play(rules, hands={0: DULL + "6p", 1: PING}, draws="4s").play("0 discard 6p")
    assert deal.seat == 1
    assert "1 discard 4s" in deal.legal()


def test_r16_no_passport_needed_where_it_is_off(play: Play) -> None:
    """R16 win.passport false: any complete hand may win."""
    rules = {"preset": "guiyang", "win": {"passport": False}}
    deal = play(rules, hands={0: DULL + "6p", 1: PING}).play("0 discard 6p")
    assert deal.legal() == {"1 hu", "1 pass"}


def test_r16_a_higher_pattern_needs_none(play: Play) -> None:
    """R16: da_dui_zi wins on any discard: 5 + 1 to a non-dealer from the dealer."""
    deal = play("guiyang", hands={0: DULL + "6p", 1: DA_DUI}, indicator="9m")
    deal.play("0 discard 6p")
    assert deal.legal() == {"1 hu", "1 pass"}
    # Indicator 9m: nobody holds 1m, nobody has a yaoji.
    assert deal.play("1 hu").result().items == bill(pay("hu", 0, 1, 5), pay("dealer", 0, 1, 1))


@pytest.mark.parametrize(
    ("hand", "tile"),
    [("22446688m3366p4s", "4s"), ("1234567892355m", "4m"), ("222446688m3366p", "2m")],
)
def test_r16_every_higher_pattern(play: Play, hand: str, tile: str) -> None:
    """R16: seven pairs, one suit and the dragon win without a dou."""
    deal = play("guiyang", hands={0: DULL + tile, 1: hand}).play(f"0 discard {tile}")
    assert asked(deal, 1)


def test_r16_self_draw_is_always_allowed(play: Play) -> None:
    """R16: the same plain hand wins with the 6p it draws."""
    deal = play("guiyang", hands={0: DULL + "4s", 1: PING}, draws="6p").play("0 discard 4s")
    assert asked(deal, 1)


def test_r16_a_declared_dou_is_the_passport(play: Play) -> None:
    """R16: seat 1 kongs 2m, throws the replacement, and wins plainly on 6p."""
    deal = play(
        "guiyang",
        hands={0: DULL + "4s", 1: "2222m456789m333p"},
        draws="6p 6p",
        replacements="4s",
    )
    deal.play("0 discard 4s", "1 gang 2m", "1 discard 4s", "2 discard 6p")
    assert deal.legal() == {"1 hu", "1 pass"}


def test_r16_a_peng_is_no_passport(play: Play) -> None:
    """R16: 333p melded, 6p single: the plain hand is not asked."""
    deal = play(
        "guiyang",
        hands={0: DULL + "3p", 1: "123456789m33p6p4s"},
        draws="6p",
    )
    deal.play("0 discard 3p", "1 peng", "1 discard 4s", "2 discard 6p")
    assert deal.seat == 3
    assert not any("pass" in action for action in deal.legal())


def test_r16_four_undeclared_tiles_are_no_dou(play: Play) -> None:
    """R16: 2222m34567m333p6p waits for 6p with four 2m in hand, no passport."""
    deal = play("guiyang", hands={0: DULL + "6p", 1: "2222m34567m333p6p"})
    deal.play("0 discard 6p")
    assert deal.seat == 1
    assert not any("pass" in action for action in deal.legal())


def test_r16_an_absent_pattern_waives_nothing(play: Play) -> None:
    """R14, R16: 112233445566m 3p is seven pairs too; where they do not exist it is only ping_hu."""
    hands = {0: DULL + "3p", 1: "112233445566m3p"}
    assert asked(play("guiyang", hands=hands).play("0 discard 3p"), 1)
    rules = {"preset": "guiyang", "hand": {"qi_dui": None, "long_qi_dui": None}}
    assert not asked(play(rules, hands=hands).play("0 discard 3p"), 1)


# --- R17: waivers

KONG_HAND = "5555m1245789p235s"  # the dealer's opening 14
NO_FIVES = "123789m444s333p6p"  # waits for 6p: ping_hu alone


def test_r17_a_hot_shot_waives_it(play: Play) -> None:
    """R17a: the dealer kongs and throws 6p in the same turn."""
    deal = play("guiyang", hands={0: KONG_HAND, 1: NO_FIVES}, replacements="6p")
    deal.play("0 gang 5m", "0 discard 6p")
    assert deal.legal() == {"1 hu", "1 pass"}


def test_r17_a_later_turns_discard_is_not_hot(play: Play) -> None:
    """R17a: the kong was in the turn before."""
    deal = play(
        "guiyang", hands={0: KONG_HAND, 1: NO_FIVES}, replacements="7s", draws="7s 7s 7s 6p"
    )
    deal.play("0 gang 5m", "0 discard 7s").coast(discards=3).play("0 discard 6p")
    assert deal.seat == 1
    assert not any("pass" in action for action in deal.legal())


def test_r17_a_robbed_kong_waives_it(play: Play) -> None:
    """R17b: seat 3 may not take the discarded 6p, but may rob the fourth."""
    deal = play(
        "guiyang",
        hands={0: DULL + "6p", 1: "66p1245789p2358s", 3: PING_36},
        draws="7s 7s 7s 6p",
    )
    deal.play("0 discard 6p")
    assert deal.legal() == {"1 peng", "1 pass"}
    deal.play("1 peng", "1 discard 1p").coast(discards=3).play("1 gang 6p")
    assert deal.legal() == {"3 hu", "3 pass"}


def test_r17_a_baoting_winner_needs_none(play: Play) -> None:
    """R17c: seat 1 declared on its first draw."""
    deal = play("guiyang", hands={0: DULL + "4s", 1: PING}, draws="9s 6p")
    deal.play("0 discard 4s", "1 baoting", "1 discard 9s", "2 discard 6p")
    assert deal.legal() == {"1 hu", "1 pass"}


def test_r17_the_discard_of_a_baoting_player_needs_none(play: Play) -> None:
    """R17d: with the very discard that completes the declaration, 6p."""
    deal = play("guiyang", hands={0: "1235678m444777s6p", 1: PING})
    deal.play("0 baoting", "0 discard 6p")
    assert deal.legal() == {"1 hu", "1 pass"}


# --- R18: ready


def ready(settle: Settle, hand: str, *melds: str) -> bool:
    """Whether seat 0 counts as ready at an exhaustive draw."""
    seats = [seat(hand, *melds), seat(DULL), seat(DULL), seat(DULL)]
    return settle(position("zhuoji", seats, end="draw")).ready[0]


def test_r18_ready(settle: Settle) -> None:
    """R18: PING waits for 6p; a dull hand for nothing."""
    assert ready(settle, PING)
    assert not ready(settle, DULL)


def test_r18_holding_all_four_of_the_wait_is_not_ready(settle: Settle) -> None:
    """R18: 1111m 345m 678m 777s waits for a fifth 1m alone; three of them and 6p for 6p."""
    assert not ready(settle, "1111m345678m777s")
    assert ready(settle, "111m345678m777s6p")


def test_r18_tiles_in_melds_are_held_too(settle: Settle) -> None:
    """R18: a single 1m waits for 1m, three of which lie in the player's own peng."""
    assert not ready(settle, "345678m777s1m", "peng 1m from 1")
    assert ready(settle, "345678m777s9m", "peng 1m from 1")


def test_r18_another_wait_keeps_it_ready(settle: Settle) -> None:
    """R18: four 1m held, but 111m 123m 789m 333p 7s waits for 7s."""
    assert ready(settle, "111123m789m333p7s")


def test_r18_tiles_of_others_do_not_matter(settle: Settle) -> None:
    """R18: the other three 6p lie in a peng of seat 1."""
    seats = [seat(PING), seat("124578p2356s", "peng 6p from 2"), seat(DULL), seat(DULL)]
    assert settle(position("zhuoji", seats, end="draw")).ready == [True, False, False, False]


def test_r18_entitlement_does_not_matter(settle: Settle) -> None:
    """R16, R18: a plain hand without a passport is ready."""
    assert ready(settle, PING_36)


# --- R19: passing a win. Seat 3 waits for 6p and 7s with da_dui_zi and holds pairs of both.


def two_waits(play: Play, rules: RulesSpec) -> Scenario:
    deal = play(rules, hands={0: DULL + "6p", 3: TWO_WAITS}, draws="7s 9m 8m 7s")
    deal.play("0 discard 6p")
    assert deal.legal() == {"3 hu", "3 peng", "3 pass"}
    return deal


@pytest.mark.parametrize(("value", "may_win"), [("free", 1), ("forbid", 0), ("pays_three", 1)])
def test_r19_after_passing_a_win(play: Play, value: str, may_win: bool) -> None:
    """R19: seat 3 lets 6p go; seat 1 throws 7s before seat 3 has drawn."""
    deal = two_waits(play, passed(value)).play("3 pass", "1 discard 7s")
    assert deal.seat == 3
    assert deal.legal() == {"3 peng", "3 pass"} | ({"3 hu"} if may_win else set())


@pytest.mark.parametrize("value", ["forbid", "pays_three"])
def test_r19_the_own_draw_lifts_the_mark(play: Play, value: str) -> None:
    """R19: after seat 3's draw the next 7s, thrown by seat 0, may be won without a foul."""
    deal = two_waits(play, passed(value)).play("3 pass", "1 discard 7s", "3 pass")
    deal.play("2 discard 9m", "3 discard 8m", "0 discard 7s")
    assert deal.legal() == {"3 hu", "3 peng", "3 pass"}
    result = deal.play("3 hu").result()
    assert result.only("hu", "bao", "dealer") == bill(pay("hu", 0, 3, 5), pay("dealer", 0, 3, 1))


@pytest.mark.parametrize(("value", "may_win"), [("free", 1), ("forbid", 0), ("pays_three", 1)])
def test_r19_a_peng_instead_of_a_win_marks(play: Play, value: str, may_win: bool) -> None:
    """R19: seat 3 pengs its winning 6p, throws 2m, and sees 7s before its next draw."""
    deal = play(passed(value), hands={0: DULL + "6p", 3: TWO_WAITS}, draws="7s")
    # 22m 444m 333p 77s and 666p wait for 2m and 7s.
    deal.play("0 discard 6p", "3 peng", "3 discard 2m", "0 discard 7s")
    assert deal.seat == 3
    assert deal.legal() == {"3 peng", "3 pass"} | ({"3 hu"} if may_win else set())


def test_r19_a_foul_after_a_peng_instead_of_a_win(play: Play) -> None:
    """R19, R25: taking the 7s all the same is a foul: 5 to each of the other three."""
    deal = play(passed("pays_three"), hands={0: DULL + "6p", 3: TWO_WAITS}, draws="7s")
    deal.play("0 discard 6p", "3 peng", "3 discard 2m", "0 discard 7s")
    result = deal.play("3 hu").result()
    assert result.only("hu", "bao", "dealer") == bill(
        pay("bao", 3, 0, 5), pay("bao", 3, 1, 5), pay("bao", 3, 2, 5)
    )


def test_r19_the_replacement_of_a_gang_lifts_the_mark(play: Play) -> None:
    """R19: gang instead of a win marks, and the kong's own replacement draw lifts it at once."""
    # 111 22 45 666 789 p: 6p makes 456p; after the gang 45p waits for 3p, in one suit.
    deal = play(
        passed("forbid"),
        hands={0: "1245789m235689s6p", 3: "1112245666789p"},
        replacements="9m",
        draws="3p",
    )
    deal.play("0 discard 6p")
    assert deal.legal() == {"3 hu", "3 gang 6p", "3 peng", "3 pass"}
    deal.play("3 gang 6p", "3 discard 9m", "0 discard 3p")
    assert deal.legal() == {"3 hu", "3 pass"}


@pytest.mark.parametrize(("value", "may_win"), [("free", 1), ("forbid", 0), ("pays_three", 1)])
def test_r19_passing_a_robbery_marks(play: Play, value: str, may_win: bool) -> None:
    """R19, R33: seat 3 does not rob 6p; the kong's hot shot 3p would complete it too."""
    deal = play(
        passed(value),
        hands={0: DULL + "6p", 1: "66p1245789p2358s", 3: PING_36},
        draws="7s 7s 7s 6p",
        replacements="3p",
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 1p").coast(discards=3)
    deal.play("1 gang 6p", "3 pass", "1 discard 3p")
    assert deal.legal() == {"3 peng", "3 pass"} | ({"3 hu"} if may_win else set())


def test_r19_not_being_entitled_is_not_passing(play: Play) -> None:
    """R19: without a passport seat 3 is not asked for 6p; a hot shot of 6p then is no foul."""
    deal = play(
        passed("pays_three"),
        hands={0: DULL + "6p", 1: "555m1245789p235s", 3: NO_FIVES},
        draws="5m",
        replacements="6p",
    )
    deal.play("0 discard 6p", "1 gang 5m", "1 discard 6p")
    assert deal.legal() == {"3 hu", "3 pass"}
    result = deal.play("3 hu").result()
    # guiyang: ping_hu 1 from the shooter, nobody the dealer; the shooter's men dou is void.
    assert result.only("hu", "bao", "dealer", "men_dou") == pay("hu", 1, 3, 1)


# --- R20: gang-shang-hua


@pytest.mark.parametrize(
    ("rules", "v", "bonus", "men"),
    [
        ("guiyang", 1 + 0, 1, 2),
        ("zhuoji", 10 + 10, 10, 20),
        ("duole", 10 + 10, 0, 20),
        ({"preset": "guiyang", "hand": {"gang_shang_hua": 3}}, 1 + 3, 1, 2),
    ],
)
def test_r20_a_win_on_the_replacement_tile(
    play: Play, rules: RulesSpec, v: int, bonus: int, men: int
) -> None:
    """R20: the dealer kongs four 2m of the opening 14 and draws its 6p from the tail."""
    deal = play(rules, hands={0: "2222m456789m333p6p"}, replacements="6p", indicator="9m")
    result = deal.play("0 gang 2m", "0 hu").result()
    assert result.items == bill(each("hu", 0, v), each("dealer", 0, bonus), each("men_dou", 0, men))


def test_r20_not_on_a_later_draw(play: Play) -> None:
    """R20: the kong of an earlier turn adds nothing to a win on an ordinary draw."""
    deal = play(
        "zhuoji",
        hands={0: "2222m456789m333p6p"},
        replacements="4s",
        draws="7s 7s 7s 6p",
        indicator="9m",
    )
    deal.play("0 gang 2m", "0 discard 4s").coast(discards=3)
    result = deal.play("0 hu").result()
    assert result.items == bill(each("hu", 0, 10), each("dealer", 0, 10), each("men_dou", 0, 20))


def test_r20_adds_to_the_greatest_pattern(settle: Settle) -> None:
    """R20: da_dui_zi 50 + 10 on a replacement tile; its zhuan_wan dou 30 from each."""
    seats = [seat("444m333p777s6p", "zhuan_wan 2m"), seat(DULL), seat(DULL), seat(DULL)]
    result = settle(
        position(
            "zhuoji", seats, end="self_draw", winners=[0], tile="6p", dealer=1, on_replacement=True
        )
    )
    assert result.items == bill(
        each("hu", 0, 50 + 10), pay("dealer", 1, 0, 10), each("zhuan_wan_dou", 0, 30)
    )
