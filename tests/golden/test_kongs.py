"""R11, R31, R33, R35, R36: what kongs pay, hot shots, robbed kongs, the second price list."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import DULL, Item, RulesSpec, bill, each, pay, position, seat

WINNER = "678999m333p777s6p"  # 6p: ping_hu, 1 or 10
SECOND = "567888m444777s6p"  # 6p: ping_hu, with WINNER_2 beside it
WINNER_2 = "678999m333p111p6p"
# The shooter is ready for its one yaoji: 456p 789p and the melds.
SHOOTER = "456789p1s"


def hot(
    rules: RulesSpec,
    shooter: dict[str, Any],
    turn_kongs: list[str],
    **keys: Any,
) -> dict[str, Any]:
    """Seat 0, the dealer, wins on seat 1's 6p, thrown in the turn of these kongs."""
    seats = [seat(WINNER), shooter, seat(DULL), seat(DULL)]
    return position(
        rules,
        seats,
        end="discard",
        shooter=1,
        winners=[0],
        tile="6p",
        turn_kongs=turn_kongs,
        **keys,
    )


# --- R35: what dou collect


@pytest.mark.parametrize(
    ("preset", "men", "zhuan_wan", "dian"),
    [("guiyang", 2, 3, 1), ("zhuoji", 20, 30, 10), ("duole", 20, 10, 10)],
)
def test_r35_each_kind_of_dou(
    settle: Settle, preset: str, men: int, zhuan_wan: int, dian: int
) -> None:
    """R11, R35: seat 1's three dou: each other pays men and zhuan_wan, feeder seat 2 the dian.

    Seat 1 neither won nor is it ready.
    """
    holder = seat("147p2s", "men 2m", "zhuan_wan 4m", "dian 5m from 2")
    seats = [seat(WINNER), holder, seat(DULL), seat(DULL)]
    result = settle(position(preset, seats, end="self_draw", winners=[0], tile="6p", dealer=3))
    assert result.only("men_dou", "zhuan_wan_dou", "dian_dou") == bill(
        each("men_dou", 1, men), each("zhuan_wan_dou", 1, zhuan_wan), pay("dian_dou", 2, 1, dian)
    )


def test_r35_two_of_a_kind_are_summed(settle: Settle) -> None:
    """R35: two men dou of one holder: 2 x 20 under one entry per payer."""
    seats = [seat(WINNER), seat("1475p258s", "men 2m", "men 4m"), seat(DULL), seat(DULL)]
    result = settle(position("zhuoji", seats, end="self_draw", winners=[0], tile="6p", dealer=3))
    assert result.only("men_dou") == each("men_dou", 1, 2 * 20)


def test_r35_holders_pay_each_other(settle: Settle) -> None:
    """R35: seats 1 and 2 both hold a men dou; each collects from all others, winner included."""
    seats = [
        seat(WINNER),
        seat("1245p235689s", "men 2m"),
        seat("1245p235689s", "men 4m"),
        seat(DULL),
    ]
    result = settle(position("guiyang", seats, end="self_draw", winners=[0], tile="6p", dealer=3))
    assert result.only("men_dou") == bill(each("men_dou", 1, 2), each("men_dou", 2, 2))


def test_r12_r35_a_worthless_dou_collects_nothing(settle: Settle) -> None:
    """R12, R35: a late men dou beside a zhuan_wan of 30."""
    holder = seat("1475p258s", "men 2m late", "zhuan_wan 4m")
    seats = [seat(WINNER), holder, seat(DULL), seat(DULL)]
    result = settle(position("zhuoji", seats, end="self_draw", winners=[0], tile="6p", dealer=3))
    assert result.only("men_dou", "zhuan_wan_dou") == each("zhuan_wan_dou", 1, 30)


@pytest.mark.parametrize(
    ("requires_ting", "hand", "collects"),
    [(False, "1475p258s", True), (True, "1475p258s", False), (True, "456789p4s", True)],
)
def test_r35_requires_ting(settle: Settle, requires_ting: bool, hand: str, collects: bool) -> None:
    """R35 dou.requires_ting: a holder neither ready nor winning collects nothing."""
    rules = {"preset": "zhuoji", "dou": {"requires_ting": requires_ting}}
    holder = seat(hand, "men 2m", "dian 4m from 0")
    seats = [seat(WINNER), holder, seat(DULL), seat(DULL)]
    result = settle(position(rules, seats, end="self_draw", winners=[0], tile="6p", dealer=3))
    expected = bill(each("men_dou", 1, 20), pay("dian_dou", 0, 1, 10)) if collects else []
    assert result.only("men_dou", "dian_dou") == expected


def test_r35_a_winner_counts_as_ready(settle: Settle) -> None:
    """R35 dou.requires_ting: the winner collects for its dou."""
    rules = {"preset": "zhuoji", "dou": {"requires_ting": True}}
    seats = [seat("789m333p777s6p", "men 2m"), seat(DULL), seat(DULL), seat(DULL)]
    result = settle(position(rules, seats, end="discard", shooter=1, winners=[0], tile="6p"))
    assert result.only("men_dou") == each("men_dou", 0, 20)


def test_r35_nothing_without_a_winner(settle: Settle) -> None:
    """R35, R44: no dou at an exhaustive draw."""
    seats = [seat("147p2s", "men 2m", "zhuan_wan 4m", "dian 5m from 2"), *[seat(DULL)] * 3]
    assert settle(position("zhuoji", seats, end="draw")).items == []


def test_r11_r35_played(play: Play) -> None:
    """R11: a dian of 6p fed by seat 0, a zhuan_wan of 5m, and the win on its replacement."""
    deal = play(
        "guiyang",
        hands={0: DULL + "6p", 1: "666p55m789m444s7s3p"},
        draws="5m 4m 4m 4m 5m",
        replacements="3p 7s",
        indicator="9s",
    )
    deal.play("0 discard 6p", "1 gang 6p", "1 discard 3p")
    deal.play("2 discard 5m", "1 peng", "1 discard 3p").coast(discards=3)
    result = deal.play("1 gang 5m", "1 hu").result()
    # 789m 444s 77s and two kongs: ping_hu 1 (gang_shang_hua 0), the dealer 1 more.
    # Indicator 9s: yaoji, which nobody has.
    assert result.items == bill(
        each("hu", 1, 1 + 0),
        pay("dealer", 0, 1, 1),
        pay("dian_dou", 0, 1, 1),
        each("zhuan_wan_dou", 1, 3),
    )
    assert result.scores == [-(1 + 1 + 1 + 3), 3 * 1 + 1 + 1 + 3 * 3, -4, -4]


# --- R31: hot shots

MEN_AND_ZHUAN_WAN = ("men 2m", "zhuan_wan 4m")


@pytest.mark.parametrize(
    ("void", "burn", "surcharge"), list(product(["turn", "all"], [True, False], [True, False]))
)
def test_r31_every_combination_of_the_switches(
    settle: Settle, void: str, burn: bool, surcharge: bool
) -> None:
    """R31: guiyang's prices; men 2m is of this turn, zhuan_wan 4m of an earlier one.

    Seat 2's river holds the charge chicken, which all others pay whatever burns.
    """
    rules = {
        "preset": "guiyang",
        "re_pao": {"void": void, "burn_ji": burn, "surcharge": surcharge},
    }
    seats = [seat(WINNER), seat(SHOOTER, *MEN_AND_ZHUAN_WAN), seat(DULL, river="1s"), seat(DULL)]
    result = settle(
        position(
            rules,
            seats,
            end="discard",
            shooter=1,
            winners=[0],
            tile="6p",
            turn_kongs=["men 2m"],
            first_yaoji={"seat": 2, "claimed_by": None},
        )
    )
    earlier_dou: list[Item] = [] if void == "all" else each("zhuan_wan_dou", 1, 3)
    yaoji: list[Item] = [] if burn else each("yao_ji", 1, 1)
    re_pao: list[Item] = pay("re_pao", 1, 0, 3 * 2) if surcharge else []
    assert result.items == bill(
        pay("hu", 1, 0, 1),
        pay("dealer", 1, 0, 1),
        each("charge_ji", 2, 2),
        earlier_dou,
        yaoji,
        re_pao,
    )


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        # void all, burn, no surcharge
        ("guiyang", bill(pay("hu", 1, 0, 1), pay("dealer", 1, 0, 1))),
        # void turn, burn, surcharge 3 x 20; the zhuan_wan of an earlier turn 30
        (
            "zhuoji",
            bill(
                pay("hu", 1, 0, 10),
                pay("dealer", 1, 0, 10),
                pay("re_pao", 1, 0, 3 * 20),
                each("zhuan_wan_dou", 1, 30),
            ),
        ),
        # void turn, no burn (the shooter is ready: its yaoji 10), surcharge 3 x 20, zhuan_wan 10
        (
            "duole",
            bill(
                pay("hu", 1, 0, 10),
                pay("re_pao", 1, 0, 3 * 20),
                each("zhuan_wan_dou", 1, 10),
                each("yao_ji", 1, 10),
            ),
        ),
    ],
)
def test_r31_each_preset(settle: Settle, preset: str, expected: list[Item]) -> None:
    """R31: the table of the presets."""
    spot = hot(preset, seat(SHOOTER, *MEN_AND_ZHUAN_WAN), ["men 2m"])
    assert settle(spot).items == expected


@pytest.mark.parametrize(
    ("turn_kongs", "fan"),
    [
        (["men 2m"], 3 * 20),
        (["zhuan_wan 4m"], 3 * 30),
        (["dian 5m from 3"], 1 * 10),
        (["men 2m", "zhuan_wan 4m"], 3 * 20 + 3 * 30),
        (["dian 5m from 3", "men 2m", "zhuan_wan 4m"], 1 * 10 + 3 * 20 + 3 * 30),
    ],
)
def test_r31_surcharge_of_every_dou_of_the_turn(
    settle: Settle, turn_kongs: list[str], fan: int
) -> None:
    """R31: what each would have collected in all; the others of the shooter's dou are paid."""
    shooter = seat("789p1s", "men 2m", "zhuan_wan 4m", "dian 5m from 3")
    kept = {
        "men 2m": each("men_dou", 1, 20),
        "zhuan_wan 4m": each("zhuan_wan_dou", 1, 30),
        "dian 5m from 3": pay("dian_dou", 3, 1, 10),
    }
    paid = [items for meld, items in kept.items() if meld not in turn_kongs]
    assert settle(hot("zhuoji", shooter, turn_kongs)).items == bill(
        pay("hu", 1, 0, 10), pay("dealer", 1, 0, 10), pay("re_pao", 1, 0, fan), *paid
    )


def test_r31_surcharge_at_duoles_prices(settle: Settle) -> None:
    """R31: 60 / 30 / 10."""
    shooter = seat("789p1s", "men 2m", "zhuan_wan 4m", "dian 5m from 3")
    spot = hot("duole", shooter, ["men 2m", "zhuan_wan 4m", "dian 5m from 3"])
    assert settle(spot).only("re_pao") == pay("re_pao", 1, 0, 60 + 30 + 10)


@pytest.mark.parametrize("meld", ["men 2m late", "zhuan_wan 2m late"])
def test_r31_a_worthless_dou_makes_a_hot_shot_all_the_same(settle: Settle, meld: str) -> None:
    """R12, R31: no surcharge, but the shooter's yaoji burns; its zhuan_wan 4m is of before."""
    spot = hot("zhuoji", seat(SHOOTER, meld, "zhuan_wan 4m"), [meld])
    assert settle(spot).items == bill(
        pay("hu", 1, 0, 10), pay("dealer", 1, 0, 10), each("zhuan_wan_dou", 1, 30)
    )


def test_r31_a_worthless_dou_voids_all_in_guiyang(settle: Settle) -> None:
    """R31 void all: a late kong's hot shot takes the earlier zhuan_wan dou with it."""
    rules = {"preset": "guiyang", "dou": {"dealt_late": "passport"}}
    spot = hot(rules, seat(SHOOTER, "men 2m late", "zhuan_wan 4m"), ["men 2m late"])
    assert settle(spot).items == bill(pay("hu", 1, 0, 1), pay("dealer", 1, 0, 1))


def test_r31_the_surcharge_is_never_men_yao(settle: Settle) -> None:
    """R31, R42: a men dou of yaoji: 3 x 20, not 3 x 80; void and burned it pays nothing else."""
    spot = hot("zhuoji", seat("456789p258s6s", "men 1s"), ["men 1s"])
    assert settle(spot).items == bill(
        pay("hu", 1, 0, 10), pay("dealer", 1, 0, 10), pay("re_pao", 1, 0, 3 * 20)
    )


def test_r31_the_surcharge_needs_no_ready_hand(settle: Settle) -> None:
    """R31: R35's conditions do not matter: the shooter is not ready and pays 60."""
    rules = {"preset": "zhuoji", "dou": {"requires_ting": True}}
    spot = hot(rules, seat("1475p258s2s9s6s", "men 2m"), ["men 2m"])
    assert settle(spot).only("re_pao") == pay("re_pao", 1, 0, 60)


def test_r31_each_winner_gets_the_surcharge(settle: Settle) -> None:
    """R31: two winners, 60 to each."""
    seats = [seat(WINNER_2), seat(SHOOTER, *MEN_AND_ZHUAN_WAN), seat(SECOND), seat(DULL)]
    result = settle(
        position(
            "zhuoji",
            seats,
            end="discard",
            shooter=1,
            winners=[2, 0],
            tile="6p",
            dealer=3,
            turn_kongs=["men 2m"],
        )
    )
    assert result.items == bill(
        pay("hu", 1, 0, 10),
        pay("hu", 1, 2, 10),
        pay("re_pao", 1, 0, 60),
        pay("re_pao", 1, 2, 60),
        each("zhuan_wan_dou", 1, 30),
    )


@pytest.mark.parametrize("marked", [[], [2]])
def test_r31_with_three_winners_and_with_a_foul(settle: Settle, marked: list[int]) -> None:
    """R24, R25, R31: winners pay the discarder 10, 50, 10, and get 60 each; a foul gets nothing."""
    seats = [
        seat("1245789p235s", "men 9s"),
        seat("123456789m333p6p"),
        seat("222444m888p777s6p"),
        seat("345678s789m111p6p"),
    ]
    result = settle(
        position(
            "zhuoji",
            seats,
            end="discard",
            shooter=0,
            winners=[1, 2, 3],
            tile="6p",
            turn_kongs=["men 9s"],
            marked=marked,
        )
    )
    others = [pay("hu", 1, 0, 10), pay("hu", 3, 0, 10)]
    others += [pay("re_pao", 0, 1, 60), pay("re_pao", 0, 3, 60)]
    if marked:
        second = [pay("bao", 2, payee, 50) for payee in (0, 1, 3)]
    else:
        second = [pay("hu", 2, 0, 50), pay("re_pao", 0, 2, 60)]
    assert result.items == bill(*others, *second)


def test_r31_burned_ji_still_pay_others(settle: Settle) -> None:
    """R31: the shooter's charge chicken collects nothing; the winner's 111s cost it 3 x 10."""
    seats = [
        seat("678999m333p111s6p"),
        seat("456789p7s", *MEN_AND_ZHUAN_WAN, river="1s"),
        seat(DULL),
        seat(DULL),
    ]
    result = settle(
        position(
            "zhuoji",
            seats,
            end="discard",
            shooter=1,
            winners=[0],
            tile="6p",
            turn_kongs=["zhuan_wan 4m"],
            first_yaoji={"seat": 1, "claimed_by": None},
        )
    )
    assert result.only("yao_ji", "charge_ji") == each("yao_ji", 0, 3 * 10)


PLAIN = "123789m444s333p6p"  # waits for 6p: ping_hu


def test_r31_played_after_a_dian(play: Play) -> None:
    """R11, R31: the claim begins the turn: seat 1 gangs 5m and its replacement 6p is won on."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "5m", 1: "555m1245789p235s", 2: PLAIN},
        replacements="6p",
        indicator="5s",
    )
    result = deal.play("0 discard 5m", "1 gang 5m", "1 discard 6p", "2 hu").result()
    # dian 1 x 10 on top of ping_hu; the dou itself is void, its feeder pays nothing.
    # Zhuo ji 6s: the winner has none and nobody else is ready.
    assert result.items == bill(pay("hu", 1, 2, 10), pay("re_pao", 1, 2, 10))
    assert result.scores == [0, -20, 20, 0]


def test_r31_played_chain_of_two(play: Play) -> None:
    """R31: a dian and the men dou that its replacement completes belong to one turn: 10 + 60."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "5m", 1: "555m777s1245p235s", 2: PLAIN},
        replacements="7s 6p",
        indicator="5s",
    )
    deal.play("0 discard 5m", "1 gang 5m", "1 gang 7s", "1 discard 6p")
    result = deal.play("2 hu").result()
    assert result.items == bill(pay("hu", 1, 2, 10), pay("re_pao", 1, 2, 1 * 10 + 3 * 20))


def test_r31_played_after_an_added_kong(play: Play) -> None:
    """R31: zhuan_wan 3 x 30; the men dou of an earlier turn is still paid 20 by each."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "4m", 1: "55m7777s1245p235s", 2: PLAIN},
        draws="4m 5m 6m 6m 6m 5m",
        replacements="4m 6p",
        indicator="5s",
    )
    deal.play("0 discard 4m", "1 gang 7s", "1 discard 4m")
    deal.play("2 discard 5m", "1 peng", "1 discard 4m").coast(discards=3)
    result = deal.play("1 gang 5m", "1 discard 6p", "2 hu").result()
    assert result.items == bill(
        pay("hu", 1, 2, 10), pay("re_pao", 1, 2, 3 * 30), each("men_dou", 1, 20)
    )


def test_r31_a_kong_of_an_earlier_turn_is_not_hot(play: Play) -> None:
    """R31: seat 1's men dou of its first turn is paid; its 6p of the second is an ordinary shot."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "4s", 1: "5555m1245789p23s", 2: "222444m333p777s6p"},
        draws="8m 8m 8m 8m 6p",
        replacements="9m",
        indicator="5s",
    )
    deal.play("0 discard 4s", "1 gang 5m", "1 discard 9m").coast(discards=3)
    result = deal.play("1 discard 6p", "2 hu").result()
    assert result.items == bill(pay("hu", 1, 2, 50), each("men_dou", 1, 20))


# --- R33: robbed kongs. Seat 1 holds a peng of 6p and adds the fourth.

ROBBERS = {
    0: "123456789m33p45p",
    2: "123456789m78p44s",
    3: "123456789m57p99s",
}


@pytest.mark.parametrize(
    ("rules", "v", "bonus"), [("guiyang", 1, 1), ("zhuoji", 10, 10), ("duole", 10, 0)]
)
@pytest.mark.parametrize(("dealer", "shares"), [(3, 3), (1, 1), (0, 1), (2, 1)])
def test_r33_the_robbed_player_pays_all_three_shares(
    settle: Settle, rules: str, v: int, bonus: int, dealer: int, shares: int
) -> None:
    """R33: 3 v, and the bonus in every share that has the dealer on a side: all three if the
    winner, seat 3, deals, else one."""
    seats = [seat(DULL), seat("1245789p235s", "peng 6p from 0"), seat(DULL), seat(ROBBERS[0])]
    result = settle(
        position(
            rules, seats, end="rob", shooter=1, winners=[3], tile="6p", dealer=dealer, streak=2
        )
    )
    assert result.items == bill(pay("hu", 1, 3, 3 * v), pay("dealer", 1, 3, shares * bonus * 2))


@pytest.mark.parametrize("winners", [[2, 0], [2, 3, 0]])
def test_r33_every_robber_is_paid(settle: Settle, winners: list[int]) -> None:
    """R24, R33: robbed kongs are not affected by winners_pay: seat 1 pays 3 x 10 to each.

    Seat 0 deals: all three shares of seat 0 carry its bonus, one share of the others.
    """
    seats = [
        seat(ROBBERS[0]),
        seat("1245789p235s", "peng 6p from 0"),
        seat(ROBBERS[2]),
        seat(ROBBERS[3] if 3 in winners else DULL),
    ]
    result = settle(
        position("zhuoji", seats, end="rob", shooter=1, winners=winners, tile="6p", dealer=0)
    )
    parts = [pay("hu", 1, w, 3 * 10) for w in winners]
    parts += [pay("dealer", 1, w, (3 if w == 0 else 1) * 10) for w in winners]
    assert result.items == bill(*parts)
    assert result.winners == winners


def test_r33_played(play: Play) -> None:
    """R31, R33: the peng stays a peng; the men dou of the same turn is paid, without surcharge."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "6p", 1: "66p777s1247p2359s", 3: ROBBERS[0]},
        draws="4s 4s 4s 7s",
        replacements="6p",
        indicator="5s",
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 1p").coast(discards=3)
    deal.play("1 gang 7s", "1 gang 6p")
    assert deal.legal() == {"3 hu", "3 pass"}
    result = deal.play("3 hu").result()
    assert (result.end, result.shooter, result.winners, result.tile) == ("rob", 1, [3], "6p")
    # Three shares of 10; of them the dealer's, seat 0's, carries 10 more. Zhuo ji 6s: none.
    assert result.items == bill(
        pay("hu", 1, 3, 3 * 10), pay("dealer", 1, 3, 10), each("men_dou", 1, 20)
    )
    assert result.scores == [-20, -30 - 10 + 60, -20, 40 - 20]


def test_r33_nobody_robs(play: Play) -> None:
    """R33: passed, the kong stands, its player draws the replacement and is asked nothing else."""
    deal = play(
        "zhuoji",
        hands={0: DULL + "6p", 1: "66p1245789p2358s", 3: ROBBERS[0]},
        draws="4s 4s 4s 6p",
        replacements="7s",
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 1p").coast(discards=3)
    deal.play("1 gang 6p", "3 pass")
    assert deal.seat == 1
    assert "1 discard 7s" in deal.legal()


WAITS_4S = "123456789m33p56s"
NO_PASSPORT = {"preset": "zhuoji", "win": {"passport": False}}


def test_r33_a_concealed_kong_cannot_be_robbed(play: Play) -> None:
    """R33: seat 3 waits for 4s and is not asked when seat 1 kongs four of them."""
    hands = {0: DULL + "8m", 1: "4444s1245789p23s", 3: WAITS_4S}
    deal = play(NO_PASSPORT, hands=hands, draws="8m", replacements="9m")
    deal.play("0 discard 8m", "1 gang 4s")
    assert deal.seat == 1
    assert "1 discard 9m" in deal.legal()


def test_r33_a_claimed_kong_cannot_be_robbed(play: Play) -> None:
    """R33: seat 3 may win the discarded 4s; having passed, it is not asked about the kong."""
    hands = {0: DULL + "4s", 1: "444s1245789p235s", 3: WAITS_4S}
    deal = play(NO_PASSPORT, hands=hands, replacements="9m").play("0 discard 4s")
    assert deal.legal() == {"3 hu", "3 pass"}
    deal.play("3 pass", "1 gang 4s")
    assert deal.seat == 1
    assert "1 discard 9m" in deal.legal()


def test_r33_is_no_hot_shot(settle: Settle) -> None:
    """R31, R33: the men dou of that turn stays valid, the robbed player's yaoji does not burn."""
    seats = [seat(DULL), seat("345789p1s", "peng 6p from 0", "men 7s"), seat(DULL)]
    seats.append(seat(ROBBERS[0]))
    result = settle(
        position(
            "zhuoji",
            seats,
            end="rob",
            shooter=1,
            winners=[3],
            tile="6p",
            dealer=2,
            turn_kongs=["men 7s"],
        )
    )
    assert result.items == bill(
        pay("hu", 1, 3, 3 * 10),
        pay("dealer", 1, 3, 10),
        each("men_dou", 1, 20),
        each("yao_ji", 1, 10),
    )


# --- R36: the second price list


def table(preset: str, **hand: int) -> RulesSpec:
    return {"preset": preset, "dou": {"table": True}, "hand": hand}


THREE_DOU = ("men 2m", "zhuan_wan 4m", "dian 5m from 2")


@pytest.mark.parametrize(
    ("preset", "v", "bonus"),
    [
        # 333p 66p and three kongs: da_dui_zi; one unit per dou, one more for the men.
        ("zhuoji", 50 + 3 * 10 + 10, 10),
        ("guiyang", 5 + 3 * 1 + 1, 1),
        ("duole", 30 + 3 * 10 + 10, 0),
    ],
)
def test_r36_a_winners_dou_raise_v(settle: Settle, preset: str, v: int, bonus: int) -> None:
    """R36: v grows, and no dou of the winner is paid under R35."""
    seats = [seat("333p6p", *THREE_DOU), seat(DULL), seat(DULL), seat(DULL)]
    result = settle(position(table(preset), seats, end="self_draw", winners=[0], tile="6p"))
    assert result.items == bill(each("hu", 0, v), each("dealer", 0, bonus))


def test_r36_off(settle: Settle) -> None:
    """R35, R36: the same hand without the table: 50, and 20, 30 and 10 for the dou."""
    seats = [seat("333p6p", *THREE_DOU), seat(DULL), seat(DULL), seat(DULL)]
    result = settle(position("zhuoji", seats, end="self_draw", winners=[0], tile="6p"))
    assert result.items == bill(
        each("hu", 0, 50),
        each("dealer", 0, 10),
        each("men_dou", 0, 20),
        each("zhuan_wan_dou", 0, 30),
        pay("dian_dou", 2, 0, 10),
    )


def test_r36_the_unit_is_ping_hu(settle: Settle) -> None:
    """R36: with ping_hu at 4 a men dou is two units of 4."""
    seats = [seat("789m333p777s6p", "men 2m"), seat(DULL), seat(DULL), seat(DULL)]
    spot = position(
        table("guiyang", ping_hu=4),
        seats,
        end="discard",
        shooter=1,
        winners=[0],
        tile="6p",
        dealer=2,
    )
    assert settle(spot).items == pay("hu", 1, 0, 4 + 2 * 4)


def test_r36_a_worthless_dou_adds_nothing(settle: Settle) -> None:
    """R12, R36: only dou worth something count."""
    seats = [seat("789m333p6p", "men 2m late", "zhuan_wan 4m"), *[seat(DULL)] * 3]
    spot = position(
        table("zhuoji"), seats, end="discard", shooter=1, winners=[0], tile="6p", dealer=2
    )
    assert settle(spot).items == pay("hu", 1, 0, 10 + 10)


def test_r36_others_dou_are_paid_as_ever(settle: Settle) -> None:
    """R36: the loser's men dou collects 20 from each, the winner's raises its hand by 20."""
    seats = [
        seat("789m333p777s6p", "men 2m"),
        seat("1245p235689s", "men 4m"),
        seat(DULL),
        seat(DULL),
    ]
    spot = position(
        table("zhuoji"), seats, end="discard", shooter=1, winners=[0], tile="6p", dealer=2
    )
    assert settle(spot).items == bill(pay("hu", 1, 0, 10 + 20), each("men_dou", 1, 20))


def test_r30_r36_on_top_of_baotings_floor(settle: Settle) -> None:
    """R30, R36: the pattern fan becomes 10 by the baoting shooter, the zhuan_wan dou adds 1."""
    seats = [
        seat("789m333p777s6p", "zhuan_wan 2m"),
        seat("456789p345678s9s", baoting=True),
        seat(DULL),
        seat(DULL),
    ]
    spot = position(
        table("guiyang"), seats, end="discard", shooter=1, winners=[0], tile="6p", dealer=2
    )
    assert settle(spot).items == pay("hu", 1, 0, max(1, 10) + 1)
