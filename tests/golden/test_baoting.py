"""R29 and R30: declaring a ready hand, the frozen hand, and what it is worth."""

from __future__ import annotations

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import DULL, RulesSpec, Scenario, bill, each, pay, position, seat

PING = "123456789m333p6p"  # waits for 6p
TWO_WAITS = "222444m333p66p77s"  # waits for 6p and 7s
# Ready after 5m (123m 678m 444s 777s, 6p), 8m (123m 567m 444s 777s, 6p) or 6p (5678m).
DEALT = "1235678m444777s6p"


def declares(deal: Scenario, seat: int) -> bool:
    return f"{seat} baoting" in deal.legal()


def declared(play: Play, rules: RulesSpec = "guiyang", **wall: str) -> Scenario:
    """Seat 1 holds PING, draws 9s first, declares and throws it."""
    draws = "9s " + wall.pop("draws", "")
    deal = play(rules, hands={0: DULL + "4s", 1: PING}, draws=draws, **wall)
    return deal.play("0 discard 4s", "1 baoting", "1 discard 9s")


# --- R29


def test_r29_only_discards_that_leave_the_hand_ready(play: Play) -> None:
    """R29: of the dealer's nine kinds three leave it ready; declaring is no discard yet."""
    deal = play("guiyang", hands={0: DEALT})
    assert declares(deal, 0)
    assert "0 discard 1m" in deal.legal()
    deal.play("0 baoting")
    assert deal.legal() == {"0 discard 5m", "0 discard 8m", "0 discard 6p"}


def test_r29_a_complete_hand_may_declare_instead_of_winning(play: Play) -> None:
    """R29: hand complete or not; after the declaration there is no hu, only the discard."""
    deal = play("guiyang", hands={0: "123456789m333p66p"})
    assert {"0 hu", "0 baoting"} <= deal.legal()
    deal.play("0 baoting")
    # Any tile of a complete hand leaves a wait for that tile.
    assert deal.legal() == {f"0 discard {r}m" for r in range(1, 10)} | {
        "0 discard 3p",
        "0 discard 6p",
    }


def test_r29_not_without_a_ready_hand(play: Play) -> None:
    """R29: no discard of a dull hand leaves it ready."""
    assert not declares(play("guiyang", hands={0: DULL + "6p"}), 0)


def test_r29_a_discard_that_waits_for_a_fifth_tile_only(play: Play) -> None:
    """R18, R29: with 9s gone it waits for 1m alone and holds four; 1m goes."""
    # 1111m 345678m 777s 9s: 1m gone leaves 111m 345678m 777s 9s, which waits for 9s.
    deal = play("guiyang", hands={0: "1111m345678m777s9s"}).play("0 baoting")
    assert deal.legal() == {"0 discard 1m"}


def test_r29_on_the_first_draw_of_the_others(play: Play) -> None:
    """R29: seat 1 on its first draw, not on its second."""
    deal = play("guiyang", hands={0: DULL + "4s", 1: PING}, draws="9s 7s 7s 7s 9m")
    deal.play("0 discard 4s")
    assert declares(deal, 1)
    deal.play("1 discard 9s").coast(discards=3)
    assert deal.seat == 1
    assert not declares(deal, 1)


def test_r29_not_after_an_own_peng(play: Play) -> None:
    """R29: seat 1's first draw comes after its peng; it has melded and discarded."""
    deal = play(
        "guiyang",
        hands={0: DULL + "6p", 1: "66p123456789m33p"},
        draws="7s 7s 7s 4s",
    )
    deal.play("0 discard 6p", "1 peng")
    assert not declares(deal, 1)
    deal.play("1 discard 3p").coast(discards=3)
    assert deal.seat == 1
    assert not declares(deal, 1)


def test_r29_not_after_an_own_kong(play: Play) -> None:
    """R29: before the kong of the first turn it may, on the replacement draw it may not."""
    deal = play(
        "guiyang",
        hands={0: DULL + "4s", 1: "2222m456789m333p"},
        draws="6p",
        replacements="9s",
    )
    deal.play("0 discard 4s")
    assert declares(deal, 1)
    deal.play("1 gang 2m")
    assert not declares(deal, 1)


def test_r29_a_peng_of_somebody_else_changes_nothing(play: Play) -> None:
    """R29: seat 3's peng passes over seat 1; its first draw comes a round later and counts."""
    deal = play(
        "guiyang",
        hands={0: DULL + "4s", 1: PING, 3: "44s1245789p2356s"},
        draws="7s 9m",
    )
    deal.play("0 discard 4s", "3 peng", "3 discard 1p", "0 discard 7s")
    assert deal.seat == 1
    assert declares(deal, 1)


@pytest.mark.parametrize("preset", ["zhuoji", "zhuoji_double", "duole"])
def test_r29_off(play: Play, preset: str) -> None:
    """R29 baoting.enabled: false in the other presets, and a switch like any."""
    assert not declares(play(preset, hands={0: DEALT}), 0)
    rules = {"preset": preset, "baoting": {"enabled": True}}
    assert declares(play(rules, hands={0: DEALT}), 0)


def test_r29_a_switch_turns_it_off_in_guiyang(play: Play) -> None:
    """R29 baoting.enabled."""
    rules = {"preset": "guiyang", "baoting": {"enabled": False}}
    assert not declares(play(rules, hands={0: DEALT}), 0)


def test_r29_frozen_the_drawn_tile_is_thrown(play: Play) -> None:
    """R29: a useless draw leaves one discard, a fourth 3p no kong, the wait hu or discard."""
    deal = declared(play, draws="7s 7s 7s 3p 7s 4s 4s 6p").coast(discards=3)
    assert deal.legal() == {"1 discard 3p"}
    deal.play("1 discard 3p").coast(discards=3)
    assert deal.legal() == {"1 hu", "1 discard 6p"}


def test_r29_frozen_no_peng_and_no_gang(play: Play) -> None:
    """R29: of 6p only hu or pass although it holds 66p; nobody is asked about 2m (222m held)."""
    deal = play("guiyang", hands={0: DULL + "4s", 1: TWO_WAITS}, draws="9s 2m 6p")
    deal.play("0 discard 4s", "1 baoting", "1 discard 9s", "2 discard 2m")
    assert deal.seat == 3
    deal.play("3 discard 6p")
    assert deal.legal() == {"1 hu", "1 pass"}


def test_r19_r29_passing_marks_a_baoting_player(play: Play) -> None:
    """R19, R29: after passing 6p the 7s of the same round is not offered (forbid)."""
    deal = play("guiyang", hands={0: DULL + "4s", 1: TWO_WAITS}, draws="9s 6p 7s")
    deal.play("0 discard 4s", "1 baoting", "1 discard 9s", "2 discard 6p", "1 pass")
    deal.play("3 discard 7s")
    assert deal.seat == 0


# --- R30


def test_r30_self_draw_of_a_baoting_player(play: Play) -> None:
    """R30: max(1, 10) from each, 1 more from the dealer; indicator 9p: zhuo ji 1p."""
    deal = declared(play, draws="7s 7s 7s 6p", indicator="9p").coast(discards=3)
    result = deal.play("1 hu").result()
    # The three dull hands hold one 1p each: 1 from each other seat.
    assert result.items == bill(
        each("hu", 1, 10),
        pay("dealer", 0, 1, 1),
        *(each("zhuo_ji", dull, 1) for dull in (0, 2, 3)),
    )


def test_r30_won_on_the_declarations_own_discard(play: Play) -> None:
    """R29, R30: from the declaration on, that turn's discard included: 10 + 1, the dealer pays."""
    deal = play("guiyang", hands={0: DEALT, 1: PING}, indicator="9s")
    result = deal.play("0 baoting", "0 discard 6p", "1 hu").result()
    assert result.items == bill(pay("hu", 0, 1, 10), pay("dealer", 0, 1, 1))
    assert result.ready == [True, True, False, False]


COMBINE = {
    # combine: (a ping_hu of 1, a qing_long_bei of 20), baoting.value 10
    "max": (max(1, 10), max(20, 10)),
    "add": (1 + 10, 20 + 10),
    "replace": (10, 10),
}
LONG_BEI = "1113355667788m"


@pytest.mark.parametrize("who", ["winner", "shooter", "both"])
@pytest.mark.parametrize("combine", COMBINE)
def test_r30_combine(settle: Settle, combine: str, who: str) -> None:
    """R30: once, whether the winner, the shooter or both are baoting. Seat 2 deals: no bonus."""
    rules = {"preset": "guiyang", "baoting": {"combine": combine}}
    for hand, tile, v in zip((PING, LONG_BEI), ("6p", "1m"), COMBINE[combine], strict=True):
        seats = [
            seat(hand, baoting=who != "shooter"),
            seat("456789p345678s7s", baoting=who != "winner"),
            seat(DULL),
            seat(DULL),
        ]
        result = settle(
            position(rules, seats, end="discard", shooter=1, winners=[0], tile=tile, dealer=2)
        )
        assert result.items == pay("hu", 1, 0, v)


@pytest.mark.parametrize(("preset", "value"), [("guiyang", 10), ("zhuoji", 100), ("duole", 50)])
def test_r30_value_of_each_preset(settle: Settle, preset: str, value: int) -> None:
    """R30 baoting.value: each preset's qing_yi_se."""
    rules = {"preset": preset, "baoting": {"enabled": True}}
    seats = [seat(PING, baoting=True), seat(DULL), seat(DULL), seat(DULL)]
    result = settle(
        position(rules, seats, end="discard", shooter=1, winners=[0], tile="6p", dealer=2)
    )
    assert result.items == pay("hu", 1, 0, value)


def test_r30_a_baoting_bystander_changes_nothing(settle: Settle) -> None:
    """R30: neither winner nor shooter: seat 0 gets its 1."""
    seats = [seat(PING), seat(DULL), seat("456789p345678s7s", baoting=True), seat(DULL)]
    result = settle(
        position("guiyang", seats, end="discard", shooter=1, winners=[0], tile="6p", dealer=3)
    )
    assert result.items == pay("hu", 1, 0, 1)


def test_r30_a_self_draw_from_a_baoting_player(settle: Settle) -> None:
    """R30: paying a self-draw is not being won on: 1 from each."""
    seats = [seat(PING), seat("456789p345678s7s", baoting=True), seat(DULL), seat(DULL)]
    result = settle(position("guiyang", seats, end="self_draw", winners=[0], tile="6p", dealer=3))
    assert result.items == bill(each("hu", 0, 1), pay("dealer", 3, 0, 1))


def test_r30_only_the_baoting_one_of_two_winners(settle: Settle) -> None:
    """R30: 10 to the declared hand, 1 to the other."""
    seats = [
        seat(PING, baoting=True),
        seat(DULL),
        seat("123456m444777s6p"),
        seat(DULL),
    ]
    result = settle(
        position("guiyang", seats, end="discard", shooter=1, winners=[2, 0], tile="6p", dealer=3)
    )
    assert result.items == bill(pay("hu", 1, 0, 10), pay("hu", 1, 2, 1))


def test_r30_a_robbing_baoting_player(settle: Settle) -> None:
    """R30, R33: three shares of 10, and one of the dealer's bonus."""
    seats = [
        seat("123456789m33p45p", baoting=True),
        seat("1245789p235s", "peng 6p from 2"),
        seat(DULL),
        seat(DULL),
    ]
    result = settle(
        position("guiyang", seats, end="rob", shooter=1, winners=[0], tile="6p", dealer=3)
    )
    assert result.items == bill(pay("hu", 1, 0, 3 * 10), pay("dealer", 1, 0, 1))
