"""R21 to R26: who pays the hu, the dealer's bonus, three winners, fouls, the base.

Positions end on an empty wall, so that no ji is turned; dull seats hold nothing that pays.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import DULL, RulesSpec, bill, each, pay, position, seat

PING = "123456789m333p6p"  # 6p: ping_hu, 1 or 10
SECOND = "123456m444777s6p"  # 6p: ping_hu
DA_DUI = "222444m333p777s6p"  # 6p: da_dui_zi, 5 or 50
# Three hands that wait for 6p beside one dull one.
TRIO = (PING, "222444m888p777s6p", "345678s789m111p6p")
TRIO_ZHUOJI = (10, 50, 10)
TRIO_GUIYANG = (1, 5, 1)


def one_winner(rules: RulesSpec, hand: str, winner: int, **keys: Any) -> dict[str, Any]:
    seats = [seat(hand if s == winner else DULL) for s in range(4)]
    return position(rules, seats, winners=[winner], tile="6p", **keys)


def trio(rules: RulesSpec, **keys: Any) -> dict[str, Any]:
    """Seat 0 throws 6p, which seats 1, 2 and 3 all win."""
    seats = [seat(DULL), *map(seat, TRIO)]
    return position(rules, seats, end="discard", shooter=0, winners=[1, 2, 3], tile="6p", **keys)


# --- R21 to R23


@pytest.mark.parametrize(
    ("rules", "v", "unit"), [("guiyang", 1, 1), ("zhuoji", 10, 10), ("duole", 10, 0)]
)
@pytest.mark.parametrize("streak", [1, 3])
def test_r21_r22_self_draw_of_another_seat(
    settle: Settle, rules: str, v: int, unit: int, streak: int
) -> None:
    """R21, R22: all three pay v, the dealer (seat 2) its bonus times the streak more."""
    result = settle(one_winner(rules, PING, 0, end="self_draw", dealer=2, streak=streak))
    assert result.items == bill(each("hu", 0, v), pay("dealer", 2, 0, unit * streak))


@pytest.mark.parametrize(("rules", "v", "unit"), [("guiyang", 5, 1), ("zhuoji", 50, 10)])
@pytest.mark.parametrize("streak", [1, 4])
def test_r21_r22_self_draw_of_the_dealer(
    settle: Settle, rules: str, v: int, unit: int, streak: int
) -> None:
    """R21, R22: every payment is one with the dealer."""
    result = settle(one_winner(rules, DA_DUI, 0, end="self_draw", dealer=0, streak=streak))
    assert result.items == bill(each("hu", 0, v), each("dealer", 0, unit * streak))


@pytest.mark.parametrize(
    ("dealer", "bonus"),
    [(0, 10 * 2), (3, 10 * 2), (1, 0), (2, 0)],
)
def test_r21_r23_discard(settle: Settle, dealer: int, bonus: int) -> None:
    """R21, R23: the shooter (seat 3) alone pays, more if it or the winner (seat 0) deals."""
    result = settle(
        one_winner("zhuoji", DA_DUI, 0, end="discard", shooter=3, dealer=dealer, streak=2)
    )
    assert result.items == bill(pay("hu", 3, 0, 50), pay("dealer", 3, 0, bonus))


def test_r23_two_winners_are_paid_by_the_shooter(settle: Settle) -> None:
    """R23: v(w) to each; the bonus only where the dealer (seat 1) is a side of the payment."""
    seats = [seat(DULL), seat(PING), seat(DULL), seat(SECOND)]
    result = settle(
        position("guiyang", seats, end="discard", shooter=2, winners=[3, 1], tile="6p", dealer=1)
    )
    assert result.items == bill(pay("hu", 2, 1, 1), pay("dealer", 2, 1, 1), pay("hu", 2, 3, 1))
    assert result.winners == [3, 1]
    assert result.scores == [0, 2, -3, 1]


def test_r22_played(play: Play) -> None:
    """R22: seat 2 draws its tile: 10 from each, 10 x 5 more from the dealer, seat 0."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "4s", 2: PING},
        draws="7s 6p",
        indicator="9m",
        streak=5,
    )
    result = deal.play("0 discard 4s", "1 discard 7s", "2 hu").result()
    assert (result.end, result.winners, result.shooter) == ("self_draw", [2], None)
    # Zhuo ji is 1m; the winner holds one: 10 from each.
    assert result.items == bill(
        each("hu", 2, 10), pay("dealer", 0, 2, 10 * 5), each("zhuo_ji", 2, 10)
    )
    # 30 + 50 + 30; the dealer 10 + 50 + 10, the others 10 + 10.
    assert result.scores == [-70, -20, 110, -20]


# --- R24


@pytest.mark.parametrize("rules", ["zhuoji", "zhuoji_double", "duole"])
def test_r24_three_winners_pay_the_discarder(settle: Settle, rules: str) -> None:
    """R24 winners_pay: each pays v(w), without a dealer bonus although seat 0 deals."""
    fan = (10, 30, 10) if rules == "duole" else TRIO_ZHUOJI
    result = settle(trio(rules, dealer=0, streak=2))
    assert result.items == bill(*(pay("hu", w, 0, v) for w, v in zip((1, 2, 3), fan, strict=True)))


def test_r24_three_winners_paid_by_the_discarder(settle: Settle) -> None:
    """R24 discarder_pays (guiyang): as R23, each with the bonus of the dealer who threw it."""
    result = settle(trio("guiyang", dealer=0, streak=2))
    parts = [pay("hu", 0, w, v) for w, v in zip((1, 2, 3), TRIO_GUIYANG, strict=True)]
    parts += [pay("dealer", 0, w, 1 * 2) for w in (1, 2, 3)]
    assert result.items == bill(*parts)
    assert result.scores == [-(1 + 5 + 1 + 3 * 2), 3, 7, 3]


def test_r24_two_winners_are_not_three(settle: Settle) -> None:
    """R24: with two winners the shooter pays in zhuoji as anywhere."""
    seats = [seat(DULL), seat(PING), seat(DULL), seat(SECOND)]
    result = settle(
        position("zhuoji", seats, end="discard", shooter=2, winners=[3, 1], tile="6p", dealer=0)
    )
    assert result.items == bill(pay("hu", 2, 1, 10), pay("hu", 2, 3, 10))


def test_r24_played(play: Play) -> None:
    """R24: seat 0 throws 6p to three higher hands."""
    hands = {
        0: DULL + "6p",
        1: "222444m888p777s6p",  # da_dui_zi 50
        2: "1133557799m33p6p",  # qi_dui 60
        3: "666888m111p444s6p",  # da_dui_zi 50
    }
    deal = play("zhuoji", hands=hands, indicator="9s")
    result = deal.play("0 discard 6p", "1 hu", "2 hu", "3 hu").result()
    # Indicator 9s: yaoji, which nobody has.
    assert result.items == bill(pay("hu", 1, 0, 50), pay("hu", 2, 0, 60), pay("hu", 3, 0, 50))
    assert result.winners == [1, 2, 3]


# --- R25: fouls


def test_r25_a_marked_winner_pays_three(settle: Settle) -> None:
    """R25: 50 to each of the other three, no bonus, and nothing from the shooter."""
    result = settle(one_winner("zhuoji", DA_DUI, 2, end="discard", shooter=0, dealer=0, marked=[2]))
    assert result.items == each_from(2, "bao", 50)
    assert result.scores == [50, 50, -150, 50]
    # It is a winner for every other purpose: it deals next.
    assert result.winners == [2]
    assert result.next_dealer == 2


def each_from(payer: int, item: str, fan: int) -> list[tuple[str, int, int, int]]:
    return bill(*(pay(item, payer, payee, fan) for payee in range(4) if payee != payer))


@pytest.mark.parametrize(("passed", "fouls"), [("pays_three", True), ("free", False)])
def test_r25_only_where_passing_is_a_foul(settle: Settle, passed: str, fouls: bool) -> None:
    """R19, R25: under free a mark has no consequence: 50, and 10 of the dealer's."""
    rules = {"preset": "zhuoji", "win": {"passed": passed}}
    result = settle(one_winner(rules, DA_DUI, 2, end="discard", shooter=0, dealer=0, marked=[2]))
    plain = bill(pay("hu", 0, 2, 50), pay("dealer", 0, 2, 10))
    assert result.items == (each_from(2, "bao", 50) if fouls else plain)


def test_r25_marks_of_others_do_not_matter(settle: Settle) -> None:
    """R25: the marked player must be the winner."""
    result = settle(one_winner("zhuoji", DA_DUI, 2, end="discard", shooter=0, marked=[1, 3]))
    assert result.items == bill(pay("hu", 0, 2, 50), pay("dealer", 0, 2, 10))


def test_r25_the_other_of_two_winners_is_paid(settle: Settle) -> None:
    """R25: seat 1's foul pays the shooter, a dull seat and the other winner alike."""
    seats = [seat(DULL), seat(PING), seat(DULL), seat(SECOND)]
    result = settle(
        position("zhuoji", seats, end="discard", shooter=2, winners=[3, 1], tile="6p", marked=[1])
    )
    assert result.items == bill(each_from(1, "bao", 10), pay("hu", 2, 3, 10))


@pytest.mark.parametrize("triple", ["winners_pay", "discarder_pays"])
def test_r25_before_r24(settle: Settle, triple: str) -> None:
    """R24, R25: of three winners seat 2 fouls (50 to each of three); the other two follow R24."""
    rules = {"preset": "zhuoji", "win": {"triple": triple}}
    result = settle(trio(rules, dealer=3, marked=[2]))
    foul = each_from(2, "bao", 50)
    if triple == "winners_pay":
        assert result.items == bill(foul, pay("hu", 1, 0, 10), pay("hu", 3, 0, 10))
    else:
        assert result.items == bill(
            foul, pay("hu", 0, 1, 10), pay("hu", 0, 3, 10), pay("dealer", 0, 3, 10)
        )


def test_r25_the_foul_is_priced_with_the_dou_table(settle: Settle) -> None:
    """R25, R36: v(w) of the foul is the same v(w): 50 + two units for the men dou."""
    rules = {"preset": "zhuoji", "dou": {"table": True}}
    seats = [seat(DULL), seat(DULL), seat("444m333p777s6p", "men 2m"), seat(DULL)]
    result = settle(
        position(rules, seats, end="discard", shooter=0, winners=[2], tile="6p", marked=[2])
    )
    assert result.items == each_from(2, "bao", 50 + 2 * 10)


def test_r25_a_foul_still_collects_dou_and_ji(settle: Settle) -> None:
    """R25: the fouling winner's men dou (20) and its three 1s (10 each) are paid as ever."""
    seats = [seat(DULL), seat(DULL), seat("444m111s333p6p", "men 2m"), seat(DULL)]
    result = settle(
        position("zhuoji", seats, end="discard", shooter=0, winners=[2], tile="6p", marked=[2])
    )
    assert result.items == bill(
        each_from(2, "bao", 50), each("men_dou", 2, 20), each("yao_ji", 2, 3 * 10)
    )


def test_r25_a_foul_on_a_robbed_kong(settle: Settle) -> None:
    """R25, R33: a marked robber pays three; the robbed player owes it nothing."""
    seats = [
        seat(DULL),
        seat("1245789p235s", "peng 6p from 0"),
        seat(DULL),
        seat("123456789m33p45p"),
    ]
    result = settle(
        position("zhuoji", seats, end="rob", shooter=1, winners=[3], tile="6p", marked=[3])
    )
    assert result.items == each_from(3, "bao", 10)


# --- R26


@pytest.mark.parametrize("base", [1, 5])
def test_r26_points_are_base_times_fan(settle: Settle, base: int) -> None:
    """R26: the bill stays in fan; 50 + 10 fan at a base of 5 are 300 points."""
    rules = {"preset": "zhuoji", "base": base}
    result = settle(one_winner(rules, DA_DUI, 0, end="discard", shooter=3, dealer=3))
    assert result.items == bill(pay("hu", 3, 0, 50), pay("dealer", 3, 0, 10))
    assert result.scores == [60 * base, 0, 0, -60 * base]
