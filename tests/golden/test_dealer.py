"""R45 to R47: who deals next, and the streak."""

from __future__ import annotations

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import DULL, Result, RulesSpec, position, seat

FIRST = "123456789m333p6p"  # waits for 6p
SECOND = "123456m444777s6p"  # waits for 6p, beside FIRST
TRIO = (FIRST, "222444m888p777s6p", "345678s789m111p6p")
READY = ("123456789m333p6p", "123456789m777s4s", "123456789m1112p", "123456789m8889s")


def after_discard(
    settle: Settle, rules: RulesSpec, dealer: int, shooter: int, winners: list[int], streak: int = 1
) -> Result:
    """Seat `shooter` throws 6p to one, two or three winners."""
    hands = TRIO if len(winners) == 3 else (FIRST, SECOND)
    seats = [seat(hands[winners.index(s)]) if s in winners else seat(DULL) for s in range(4)]
    return settle(
        position(
            rules,
            seats,
            end="discard",
            shooter=shooter,
            winners=winners,
            tile="6p",
            dealer=dealer,
            streak=streak,
        )
    )


def after_draw(
    settle: Settle, rules: RulesSpec, dealer: int, ready: list[int], streak: int = 1
) -> Result:
    """An exhaustive draw with these seats ready."""
    seats = [seat(READY[ready.index(s)]) if s in ready else seat(DULL) for s in range(4)]
    return settle(position(rules, seats, end="draw", dealer=dealer, streak=streak))


# --- R45


@pytest.mark.parametrize("preset", ["guiyang", "zhuoji", "duole"])
@pytest.mark.parametrize("winner", [0, 1, 3])
def test_r45_one_winner_deals(settle: Settle, preset: str, winner: int) -> None:
    """R45: whoever won, from whomever. Seat 0 dealt."""
    assert after_discard(settle, preset, 0, 2, [winner]).next_dealer == winner


def test_r45_a_self_drawn_winner_deals(settle: Settle) -> None:
    """R45: seat 2 drew its tile."""
    seats = [seat(DULL), seat(DULL), seat(FIRST), seat(DULL)]
    spot = position("zhuoji", seats, end="self_draw", winners=[2], tile="6p", dealer=1)
    result = settle(spot)
    assert (result.next_dealer, result.next_streak) == (2, 1)


@pytest.mark.parametrize(
    ("dealer", "shooter", "winners", "next_dealer"),
    [
        # counter-clockwise from the dealer: 0, 1, 2, 3
        (0, 3, [1, 2], 1),
        (0, 1, [2, 3], 2),
        (0, 2, [3, 1], 1),
        # from 1: 1, 2, 3, 0
        (1, 2, [3, 0], 3),
        (1, 3, [0, 2], 2),
        # from 3: 3, 0, 1, 2
        (3, 0, [1, 2], 1),
        # the dealer itself is at distance 0
        (0, 1, [2, 0], 0),
        (2, 0, [1, 2], 2),
        (3, 1, [2, 3], 3),
    ],
)
def test_r45_the_first_of_two_winners_from_the_dealer(
    settle: Settle, dealer: int, shooter: int, winners: list[int], next_dealer: int
) -> None:
    """R45: counted from the dealer, not from the shooter."""
    assert after_discard(settle, "zhuoji", dealer, shooter, winners).next_dealer == next_dealer


@pytest.mark.parametrize(
    ("dealer", "shooter", "winners"), [(0, 3, [0, 1, 2]), (3, 3, [0, 1, 2]), (1, 0, [1, 2, 3])]
)
@pytest.mark.parametrize("preset", ["guiyang", "zhuoji"])
def test_r45_after_three_winners_the_shooter_deals(
    settle: Settle, preset: str, dealer: int, shooter: int, winners: list[int]
) -> None:
    """R45: even where the dealer is among the winners."""
    result = after_discard(settle, preset, dealer, shooter, winners, streak=2)
    assert result.next_dealer == shooter
    assert result.next_streak == (3 if dealer == shooter else 1)


def test_r45_a_robbed_player_is_the_shooter(settle: Settle) -> None:
    """R33, R45: three rob seat 1's kong, it deals; after two, the first counted from seat 2."""
    robbers = {0: "123456789m33p45p", 2: "123456789m78p44s", 3: "123456789m57p99s"}
    for winners, next_dealer in (([2, 3, 0], 1), ([3, 0], 3)):
        seats = [seat(robbers[s] if s in winners else DULL) for s in (0, 2, 3)]
        seats.insert(1, seat("1245789p235s", "peng 6p from 0"))
        spot = position("zhuoji", seats, end="rob", shooter=1, winners=winners, tile="6p", dealer=2)
        assert settle(spot).next_dealer == next_dealer


# --- R46


@pytest.mark.parametrize("ready", [[], [0], [1, 2], [0, 1, 3], [0, 1, 2, 3]])
def test_r46_stay(settle: Settle, ready: list[int]) -> None:
    """R46 stay (guiyang): the same dealer, whoever is ready."""
    result = after_draw(settle, "guiyang", 2, ready, streak=3)
    assert (result.next_dealer, result.next_streak) == (2, 4)


@pytest.mark.parametrize("preset", ["zhuoji", "duole"])
@pytest.mark.parametrize(
    ("dealer", "ready", "next_dealer"),
    [
        # nobody or everybody: the dealer
        (2, [], 2),
        (2, [0, 1, 2, 3], 2),
        # exactly three: the one who is not
        (0, [0, 1, 2], 3),
        (3, [0, 1, 3], 2),
        (1, [0, 2, 3], 1),
        # one or two, the dealer among them: the dealer
        (0, [0], 0),
        (2, [1, 2], 2),
        # one or two others: the nearest counter-clockwise from the dealer
        (0, [3], 3),
        (0, [1, 3], 1),
        (2, [1, 3], 3),
        (2, [0, 1], 0),
        (3, [1, 2], 1),
    ],
)
def test_r46_ready(
    settle: Settle, preset: str, dealer: int, ready: list[int], next_dealer: int
) -> None:
    """R46 ready: by the number of ready hands."""
    result = after_draw(settle, preset, dealer, ready, streak=2)
    assert result.next_dealer == next_dealer
    # R47
    assert result.next_streak == (3 if next_dealer == dealer else 1)


@pytest.mark.parametrize(("on_draw", "next_dealer"), [("stay", 2), ("ready", 0)])
def test_r46_a_switch(settle: Settle, on_draw: str, next_dealer: int) -> None:
    """R46 dealer.on_draw: seat 0 alone is ready, seat 2 deals."""
    for preset in ("guiyang", "zhuoji"):
        rules = {"preset": preset, "dealer": {"on_draw": on_draw}}
        assert after_draw(settle, rules, 2, [0]).next_dealer == next_dealer


# --- R47


@pytest.mark.parametrize(("winner", "next_streak"), [(2, 5), (1, 1), (0, 1)])
def test_r47_streak(settle: Settle, winner: int, next_streak: int) -> None:
    """R47: a winning dealer's fourth deal is followed by a fifth, a new dealer starts at 1."""
    result = after_discard(settle, "zhuoji", 2, 3, [winner], streak=4)
    assert (result.next_dealer, result.next_streak) == (winner, next_streak)


def test_r47_played(play: Play) -> None:
    """R47: the dealer, seat 3, wins with its opening 14 in its second deal: a third follows."""
    deal = play("zhuoji", dealer=3, streak=2, hands={3: FIRST + "6p"})
    result = deal.play("3 hu").result()
    assert (result.next_dealer, result.next_streak) == (3, 3)
    # R21: the bonus is that of the second deal.
    assert {fan for _, _, _, fan in result.only("dealer")} == {10 * 2}
