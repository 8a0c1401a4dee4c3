"""The house variants: each switch on, against the same situation with it off."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import (
    DULL,
    DULL_MP,
    DULL_MS,
    Item,
    Result,
    RulesSpec,
    bill,
    each,
    pay,
    position,
    seat,
)

WINNER = "789m444m333p777s6p"  # 6p: ping_hu, beside dull seats
# Beside seats that are dull in m and s: 6m makes ping_hu; one 8p.
WINNER_P = "789p333m444777s6m"
WITHOUT_8P = "123p333m444777s6m"
FIRST_OF_1 = {"seat": 1, "claimed_by": None}


def ji(preset: str, **switches: Any) -> RulesSpec:
    return {"preset": preset, "ji": switches}


def drawn(
    settle: Settle,
    rules: RulesSpec,
    *seats: dict[str, Any],
    dull: str = DULL,
    tile: str = "6p",
    **keys: Any,
) -> Result:
    """The first seat draws its winning tile; the rest is dull. Seat 3 deals."""
    filled = [*seats, *(seat(dull) for _ in range(4 - len(seats)))]
    keys = {"dealer": 3} | keys
    return settle(position(rules, filled, end="self_draw", winners=[0], tile=tile, **keys))


# --- more kinds of zhuo ji. The winner holds 444m 7m 8m 9m; zhuoji pays 10 for each held.


@pytest.mark.parametrize(
    ("switches", "indicator", "tiles"),
    [
        # indicator 7m: zhuo ji 8m
        ({}, "7m", 1),
        ({"ben": True}, "7m", 1 + 1),  # and 7m
        ({"yao_bai": True}, "5m", 0 + 3),  # 6m, none; and 4m
        ({"ben": True, "yao_bai": True}, "8m", 1 + 1 + 1),  # 9m, 8m, 7m
        # 1 wraps to 9, 9 to 1
        ({"yao_bai": True}, "1m", 0 + 1),  # 2m, none; and 9m
        ({"ben": True}, "9m", 0 + 1),  # 1m, none; and 9m
    ],
)
def test_ji_ben_and_yao_bai(
    settle: Settle, switches: dict[str, bool], indicator: str, tiles: int
) -> None:
    """ji.ben, ji.yao_bai: the indicator's own kind, and the rank below it."""
    result = drawn(settle, ji("zhuoji", **switches), seat(WINNER), indicator=indicator)
    assert result.only("zhuo_ji") == each("zhuo_ji", 0, 10 * tiles)


@pytest.mark.parametrize(("switch", "indicator"), [("ben", "1s"), ("yao_bai", "2s")])
def test_ji_ben_and_yao_bai_make_gold(settle: Settle, switch: str, indicator: str) -> None:
    """R40: gold whenever yaoji is among the zhuo ji kinds: double 2 x 10, add 10 and 10."""
    # 123s 444s 777s 333m 66m; indicator 1s: 2s too; indicator 2s: 3s too; one of each is held.
    keys: dict[str, Any] = {"dull": DULL_MP, "tile": "6m", "indicator": indicator}
    winner = seat("123444777s333m6m")
    result = drawn(settle, ji("duole", **{switch: True}), winner, **keys)
    assert result.only("yao_ji", "zhuo_ji") == bill(
        each("yao_ji", 0, 2 * 10), each("zhuo_ji", 0, 10)
    )
    result = drawn(settle, ji("zhuoji", **{switch: True}), winner, **keys)
    assert result.only("yao_ji", "zhuo_ji") == bill(
        each("yao_ji", 0, 10), each("zhuo_ji", 0, 10 + 10)
    )


# --- wu gu


def wu_gu(settle: Settle, rules: RulesSpec, river: str = "", **keys: Any) -> list[Item]:
    """The winner holds one 8p; its river may hold more."""
    result = drawn(settle, rules, seat(WINNER_P, river=river), dull=DULL_MS, tile="6m", **keys)
    return result.only("wu_gu_ji", "charge_ji", "zhuo_ji")


OWN_FIRST_8P = {"seat": 0, "claimed_by": None}


def test_ji_wu_gu_held_and_in_the_river(settle: Settle) -> None:
    """ji.wu_gu: 2 for each, the first thrown one too where there is no wu_gu_charge."""
    rules = ji("zhuoji", wu_gu=2)
    assert wu_gu(settle, rules) == each("wu_gu_ji", 0, 2)
    assert wu_gu(settle, rules, "8p8p", first_wu_gu=OWN_FIRST_8P) == each("wu_gu_ji", 0, 2 + 2 * 2)


def test_ji_wu_gu_off(settle: Settle) -> None:
    """Without ji.wu_gu an 8p is nothing."""
    assert wu_gu(settle, "zhuoji", "8p8p") == []


def test_ji_wu_gu_charge(settle: Settle) -> None:
    """ji.wu_gu_charge: the deal's first thrown 8p is worth 4 instead of 2 (item charge_ji)."""
    rules = ji("zhuoji", wu_gu=2, wu_gu_charge=4)
    assert wu_gu(settle, rules, "8p8p", first_wu_gu=OWN_FIRST_8P) == bill(
        each("charge_ji", 0, 4), each("wu_gu_ji", 0, 2 + 2)
    )


def test_ji_wu_gu_charge_claimed(settle: Settle) -> None:
    """ji.wu_gu_charge: the first was claimed by seat 1, so there is none; no zeren for 8p."""
    rules = ji("guiyang", wu_gu=2, wu_gu_charge=4)
    seats = [
        seat(WITHOUT_8P, river="8p"),
        seat("1245789m235s", "peng 8p from 2"),
    ]
    result = drawn(
        settle,
        rules,
        *seats,
        dull=DULL_MS,
        tile="6m",
        first_wu_gu={"seat": 2, "claimed_by": 1},
    )
    assert result.only("wu_gu_ji", "charge_ji", "zeren_ji") == bill(
        each("wu_gu_ji", 0, 2), each("wu_gu_ji", 1, 3 * 2)
    )


def test_ji_wu_gu_indicated_double(settle: Settle) -> None:
    """ji.wu_gu with gold double, indicator 7p: all doubled, R40 adds nothing for 8p."""
    rules = ji("zhuoji", wu_gu=2, wu_gu_charge=4, gold="double")
    assert wu_gu(settle, rules, "8p8p", indicator="7p", first_wu_gu=OWN_FIRST_8P) == bill(
        each("charge_ji", 0, 2 * 4), each("wu_gu_ji", 0, 2 * 2 + 2 * 2)
    )


def test_ji_wu_gu_indicated_add(settle: Settle) -> None:
    """ji.wu_gu with gold add, indicator 7p: R40's 10 for the held one on top (0 in the river)."""
    rules = ji("zhuoji", wu_gu=2, wu_gu_charge=4)
    assert wu_gu(settle, rules, "8p8p", indicator="7p", first_wu_gu=OWN_FIRST_8P) == bill(
        each("charge_ji", 0, 4), each("wu_gu_ji", 0, 2 + 2), each("zhuo_ji", 0, 10)
    )


def test_ji_wu_gu_among_the_zhuo_ji_by_another_switch(settle: Settle) -> None:
    """R40: ji.ben with indicator 8p makes 8p a zhuo ji kind: doubled; 9p is paid 10."""
    rules = ji("duole", wu_gu=2, ben=True)
    assert wu_gu(settle, rules, indicator="8p") == bill(
        each("wu_gu_ji", 0, 2 * 2), each("zhuo_ji", 0, 10)
    )


def test_ji_wu_gu_needs_a_ready_hand_where_ji_do(settle: Settle) -> None:
    """R43: seat 1's 8p counts in guiyang, not in zhuoji."""
    seats = [seat(WITHOUT_8P), seat("1245789m23568s8p")]
    for preset, fan in (("guiyang", 2), ("zhuoji", 0)):
        result = drawn(settle, ji(preset, wu_gu=2), *seats, dull=DULL_MS, tile="6m")
        assert result.only("wu_gu_ji") == each("wu_gu_ji", 1, fan)


def test_ji_wu_gu_played(play: Play) -> None:
    """ji.wu_gu_charge: seat 0 throws the first 8p; the winner seat 1 holds 888p, 3 x 2."""
    deal = play(
        ji("guiyang", wu_gu=2, wu_gu_charge=4),
        hands={
            0: DULL_MS + "8p",
            1: "888p333m444777s6m",
            2: DULL_MS,
            3: DULL_MS,
        },
        draws="6m",
        indicator="9p",
    )
    result = deal.play("0 discard 8p", "1 pass", "1 hu").result()
    # 888p 333m 444s 777s 66m: da_dui_zi 5; zhuo ji 1p: none.
    assert result.items == bill(
        each("hu", 1, 5),
        pay("dealer", 0, 1, 1),
        each("charge_ji", 0, 4),
        each("wu_gu_ji", 1, 3 * 2),
    )


# --- xing qi


@pytest.mark.parametrize(("indicator", "tiles"), [(None, 5), ("2p", 5 + 3), ("6m", 5)])
def test_ji_xing_qi(settle: Settle, indicator: str | None, tiles: int) -> None:
    """ji.xing_qi 7: 7m and 777s of the winner, flip or no flip; a kind counts once.

    The winner has 7m, 777s and 7p. Indicator 2p adds 333p; 6m names 7m, which is one already.
    """
    winner = seat("789m567p333p777s6p")
    result = drawn(settle, ji("zhuoji", xing_qi=7), winner, indicator=indicator)
    assert result.only("zhuo_ji") == each("zhuo_ji", 0, 10 * tiles)


def test_ji_xing_qi_in_the_river(settle: Settle) -> None:
    """ji.xing_qi: priced by R40: 10 in duole's river, 0 in zhuoji's."""
    for preset, fan in (("duole", 10), ("zhuoji", 0)):
        winner = seat("789m444m333p123s6p", river="5m5m")
        result = drawn(settle, ji(preset, xing_qi=5), winner)
        assert result.only("zhuo_ji") == each("zhuo_ji", 0, 2 * fan)


def test_ji_xing_qi_1_makes_yaoji_gold(settle: Settle) -> None:
    """ji.xing_qi 1: always gold: double 2 x 10, add 10 + 10; no flip needed."""
    winner = seat("789m444m333p123s6p")
    result = drawn(settle, ji("duole", xing_qi=1), winner)
    assert result.only("yao_ji", "zhuo_ji") == each("yao_ji", 0, 2 * 10)
    result = drawn(settle, ji("zhuoji", xing_qi=1), winner)
    assert result.only("yao_ji", "zhuo_ji") == bill(each("yao_ji", 0, 10), each("zhuo_ji", 0, 10))


def test_ji_xing_qi_8_and_wu_gu(settle: Settle) -> None:
    """ji.xing_qi 8 makes 8p a zhuo ji kind: with double 2 x 2 and nothing of R40."""
    assert wu_gu(settle, ji("duole", xing_qi=8, wu_gu=2)) == each("wu_gu_ji", 0, 2 * 2)


# --- chui feng


def blown(settle: Settle, rules: RulesSpec, indicator: str) -> list[Item]:
    """Seat 1 holds the peng of the first yaoji, from seat 2; the winner three 6p and an 8p."""
    return drawn(
        settle,
        rules,
        seat("678p333m444777s6p"),
        seat("1245789m235s", "peng 1s from 2"),
        dull=DULL_MS,
        indicator=indicator,
        first_yaoji={"seat": 2, "claimed_by": 1},
    ).only("yao_ji", "zhuo_ji", "zeren_ji", "charge_ji", "wu_gu_ji")


def test_ji_chui_feng(settle: Settle) -> None:
    """ji.chui_feng: indicator 5p voids yaoji, zhuo ji (6p), zeren and wu gu alike."""
    assert blown(settle, ji("guiyang", chui_feng=True, wu_gu=2), "5p") == []
    # Off: three yaoji, three 6p (of 678p and the pair), one 8p.
    assert blown(settle, ji("guiyang", wu_gu=2), "5p") == bill(
        each("yao_ji", 1, 3),
        pay("zeren_ji", 2, 1, 1),
        each("zhuo_ji", 0, 3),
        each("wu_gu_ji", 0, 2),
    )


def test_ji_chui_feng_only_5p(settle: Settle) -> None:
    """ji.chui_feng: any other indicator leaves the ji; 5m makes 6m the zhuo ji, nobody's."""
    assert blown(settle, ji("guiyang", chui_feng=True), "5m") == bill(
        each("yao_ji", 1, 3), pay("zeren_ji", 2, 1, 1)
    )


# --- bao ji

OWES = "1245789p23568s1s"  # not ready, one yaoji in hand


def owed(settle: Settle, rules: RulesSpec, **keys: Any) -> Result:
    """Seat 0 wins, seat 2 is ready, seat 1 is not and has a yaoji in hand and the charge chicken
    in its river; seat 3 is dull."""
    return drawn(
        settle,
        rules,
        seat(WINNER),
        seat(OWES, river="1s"),
        seat("123456789p777m4s"),
        first_yaoji=FIRST_OF_1,
        **keys,
    )


@pytest.mark.parametrize(
    ("preset", "fan"), [("guiyang", 1 + 2), ("zhuoji", 10 + 20), ("zhuoji_double", 20 + 10)]
)
def test_ji_bao(settle: Settle, preset: str, fan: int) -> None:
    """ji.bao: seat 1 pays the winner and ready seat 2 its own yaoji at R39's prices."""
    assert owed(settle, ji(preset, bao=True)).only("bao_ji") == bill(
        pay("bao_ji", 1, 0, fan), pay("bao_ji", 1, 2, fan)
    )
    assert owed(settle, preset).only("bao_ji") == []


def test_ji_bao_is_independent_of_what_the_payer_collects(settle: Settle) -> None:
    """ji.bao: in guiyang seat 1 collects 1 and 2 from each for the same two tiles."""
    result = owed(settle, ji("guiyang", bao=True))
    assert result.only("yao_ji", "charge_ji") == bill(each("yao_ji", 1, 1), each("charge_ji", 1, 2))
    assert owed(settle, ji("zhuoji", bao=True)).only("yao_ji", "charge_ji") == []


def test_ji_bao_with_gold(settle: Settle) -> None:
    """ji.bao: doubled by `double` (2 x 10 + 2 x 20), R40 never (zhuoji's add: 10 + 20)."""
    for preset, fan in (("duole", 2 * 10 + 2 * 20), ("zhuoji", 10 + 20)):
        assert owed(settle, ji(preset, bao=True), indicator="9s").only("bao_ji") == bill(
            pay("bao_ji", 1, 0, fan), pay("bao_ji", 1, 2, fan)
        )


def test_ji_bao_though_blown_away(settle: Settle) -> None:
    """ji.bao, ji.chui_feng: the wind does not lift the debt."""
    rules = ji("zhuoji", bao=True, chui_feng=True)
    assert owed(settle, rules, indicator="5p").only("bao_ji") == bill(
        pay("bao_ji", 1, 0, 30), pay("bao_ji", 1, 2, 30)
    )


def test_ji_bao_of_melds_and_never_zeren(settle: Settle) -> None:
    """ji.bao: three yaoji of a peng, 3 x 1 to the winner; R41 is no part of it."""
    rules = ji("guiyang", bao=True)
    result = drawn(
        settle,
        rules,
        seat(WINNER),
        seat("1245789p235s", "peng 1s from 3"),
        first_yaoji={"seat": 3, "claimed_by": 1},
    )
    assert result.only("bao_ji") == pay("bao_ji", 1, 0, 3)


def test_ji_bao_of_four_yaoji(settle: Settle) -> None:
    """ji.bao: R39's 4 x 10, never R42's 80, and its own men dou collects 20 all the same."""
    result = drawn(settle, ji("zhuoji", bao=True), seat(WINNER), seat("1245789p235s", "men 1s"))
    assert result.only("bao_ji", "men_dou", "men_yao") == bill(
        pay("bao_ji", 1, 0, 4 * 10), each("men_dou", 1, 20)
    )


def test_ji_bao_of_wu_gu(settle: Settle) -> None:
    """ji.bao, ji.wu_gu: seat 1's 8p in hand 2, and the first thrown 8p in its river 4."""
    result = drawn(
        settle,
        ji("zhuoji", bao=True, wu_gu=2, wu_gu_charge=4),
        seat(WITHOUT_8P),
        seat("1245789m23568s8p", river="8p"),
        dull=DULL_MS,
        tile="6m",
        first_wu_gu=FIRST_OF_1,
    )
    assert result.only("bao_ji") == pay("bao_ji", 1, 0, 2 + 4)


@pytest.mark.parametrize("marked", [[], [2]])
def test_ji_bao_though_burned_and_to_every_winner(settle: Settle, marked: list[int]) -> None:
    """ji.bao, R25, R31: the hot shooter's yaoji burns, it owes 10 to both winners all the same,
    the fouling one too."""
    seats = [
        seat(WINNER),
        seat("1245p23568s1s", "men 6m"),
        seat("111222789m123p6p"),
        seat(DULL),
    ]
    result = settle(
        position(
            ji("zhuoji", bao=True),
            seats,
            end="discard",
            shooter=1,
            winners=[2, 0],
            tile="6p",
            turn_kongs=["men 6m"],
            marked=marked,
        )
    )
    assert result.only("bao_ji", "yao_ji") == bill(pay("bao_ji", 1, 0, 10), pay("bao_ji", 1, 2, 10))


# --- extra fan of the hand


def hand(preset: str, **switches: int) -> RulesSpec:
    return {"preset": preset, "hand": switches}


def test_hand_zi_mo_on_a_self_draw(settle: Settle) -> None:
    """hand.zi_mo 2 in guiyang: 1 + 2 from each."""
    result = drawn(settle, hand("guiyang", zi_mo=2), seat(WINNER))
    assert result.items == bill(each("hu", 0, 1 + 2), pay("dealer", 3, 0, 1))


def test_hand_zi_mo_on_a_replacement_too(settle: Settle) -> None:
    """hand.zi_mo with R20: 10 + 10 + 5."""
    winner = seat("444m333p777s6p", "men 7m")
    result = drawn(settle, hand("duole", zi_mo=5), winner, on_replacement=True)
    # 7777m 444m 333p 777s 66p: da_dui_zi 30.
    assert result.only("hu") == each("hu", 0, 30 + 10 + 5)


def test_hand_zi_mo_not_on_others_tiles(settle: Settle) -> None:
    """hand.zi_mo: neither on a discard nor on a robbed kong."""
    rules = hand("guiyang", zi_mo=2)
    seats = [seat(WINNER), seat(DULL), seat(DULL), seat(DULL)]
    result = settle(
        position(rules, seats, end="discard", shooter=1, winners=[0], tile="6p", dealer=3)
    )
    assert result.items == pay("hu", 1, 0, 1)
    robber = seat("123456789m33p45p")
    seats = [robber, seat("1245789p235s", "peng 6p from 2"), seat(DULL), seat(DULL)]
    result = settle(position(rules, seats, end="rob", shooter=1, winners=[0], tile="6p", dealer=3))
    assert result.only("hu") == pay("hu", 1, 0, 3 * 1)


@pytest.mark.parametrize(
    ("dealer", "opening", "extra"), [(0, True, 30), (1, True, 7), (0, False, 0), (1, False, 0)]
)
def test_hand_tian_hu_and_di_hu(settle: Settle, dealer: int, opening: bool, extra: int) -> None:
    """hand.tian_hu 30 for the dealer, hand.di_hu 7 for another seat, `opening` saying which win."""
    rules = hand("guiyang", tian_hu=30, di_hu=7, zi_mo=2)
    result = drawn(settle, rules, seat(WINNER), dealer=dealer, opening=opening)
    assert result.only("hu") == each("hu", 0, 1 + 2 + extra)


BOTH = hand("zhuoji", tian_hu=30, di_hu=7)
COMPLETE = "789m444m333p777s6p"


def test_hand_tian_hu_played(play: Play) -> None:
    """hand.tian_hu: the dealer's opening 14: 10 + 30."""
    result = play(BOTH, hands={0: COMPLETE + "6p"}).play("0 hu").result()
    assert result.only("hu") == each("hu", 0, 10 + 30)


def test_hand_tian_hu_not_after_a_kong(play: Play) -> None:
    """hand.tian_hu: a win on the replacement is none on the opening 14: 10 + gang_shang_hua 10."""
    deal = play(BOTH, hands={0: "2222m789m444s333p6p"}, replacements="6p")
    assert deal.play("0 gang 2m", "0 hu").result().only("hu") == each("hu", 0, 10 + 10)


def test_hand_tian_hu_not_on_the_second_turn(play: Play) -> None:
    """hand.tian_hu, di_hu: neither for the dealer's first draw proper."""
    deal = play(BOTH, hands={0: COMPLETE + "9m"}, draws="1m 1m 1m 6p")
    deal.play("0 discard 9m").coast(discards=3)
    assert deal.play("0 hu").result().only("hu") == each("hu", 0, 10)


@pytest.mark.parametrize("winner", [1, 3])
def test_hand_di_hu_played(play: Play, winner: int) -> None:
    """hand.di_hu: on the own first draw, no meld made by anyone: 10 + 7."""
    draws = "1m 1m 6p" if winner == 3 else "6p"
    deal = play(BOTH, hands={0: DULL + "9m", winner: COMPLETE}, draws=draws)
    deal.play("0 discard 9m").coast(discards=winner - 1)
    assert deal.play(f"{winner} hu").result().only("hu") == each("hu", winner, 10 + 7)


def test_hand_di_hu_not_after_somebodys_meld(play: Play) -> None:
    """hand.di_hu: seat 1's peng came before seat 3's first draw: 10."""
    deal = play(
        BOTH,
        hands={0: DULL + "5m", 1: "55m1245789p2356s", 3: COMPLETE},
        draws="1m 6p",
    )
    deal.play("0 discard 5m", "1 peng", "1 discard 1p").coast(discards=1)
    assert deal.play("3 hu").result().only("hu") == each("hu", 3, 10)


def test_hand_di_hu_not_after_an_own_kong(play: Play) -> None:
    """hand.di_hu: the replacement is no first draw, and the kong a meld: 10 + 10."""
    deal = play(
        BOTH,
        hands={0: DULL + "9m", 1: "2222m789m444s333p"},
        draws="6p",
        replacements="6p",
    )
    deal.play("0 discard 9m", "1 gang 2m")
    assert deal.play("1 hu").result().only("hu") == each("hu", 1, 10 + 10)


def test_hand_di_hu_not_on_the_second_draw(play: Play) -> None:
    """hand.di_hu: first draw only."""
    deal = play(BOTH, hands={0: DULL + "9m", 1: COMPLETE}, draws="1m 1m 1m 2m 6p")
    deal.play("0 discard 9m").coast(discards=4)
    assert deal.play("1 hu").result().only("hu") == each("hu", 1, 10)


# --- sha bao


def sha_bao(preset: str, fan: int) -> RulesSpec:
    return {"preset": preset, "baoting": {"enabled": True, "sha_bao": fan}}


def test_baoting_sha_bao(settle: Settle) -> None:
    """baoting.sha_bao 4: on top of max(1, 10) from the baoting shooter."""
    seats = [seat(WINNER), seat("456789p345678s9s", baoting=True), seat(DULL), seat(DULL)]
    keys: dict[str, Any] = {"end": "discard", "shooter": 1, "winners": [0], "tile": "6p"}
    spot = position(sha_bao("guiyang", 4), seats, dealer=3, **keys)
    assert settle(spot).items == bill(pay("hu", 1, 0, 10), pay("sha_bao", 1, 0, 4))


def test_baoting_sha_bao_only_on_their_own_discard(settle: Settle) -> None:
    """baoting.sha_bao: not on a self-draw, not on a third seat's discard, not if only the winner
    is baoting."""
    rules = sha_bao("guiyang", 4)
    declared = seat("456789p345678s9s", baoting=True)
    assert drawn(settle, rules, seat(WINNER), declared).only("sha_bao") == []
    for seats in (
        [seat(WINNER), declared, seat(DULL), seat(DULL)],
        [seat(WINNER, baoting=True), seat(DULL), seat(DULL), seat(DULL)],
    ):
        spot = position(rules, seats, end="discard", shooter=2, winners=[0], tile="6p")
        assert settle(spot).only("sha_bao") == []


@pytest.mark.parametrize("marked", [[], [2]])
def test_baoting_sha_bao_whatever_r24_and_r25_say(settle: Settle, marked: list[int]) -> None:
    """baoting.sha_bao: three winners who pay the discarder, or a foul, still receive it."""
    seats = [
        seat("222444555777p9p", baoting=True),
        seat("123456789m333p6p"),
        seat("222444m888p777s6p"),
        seat("345678s789m111p6p"),
    ]
    result = settle(
        position(
            sha_bao("zhuoji", 4),
            seats,
            end="discard",
            shooter=0,
            winners=[1, 2, 3],
            tile="6p",
            marked=marked,
        )
    )
    # R30: max(10 or 50, 100) for all three.
    second = [pay("bao", 2, s, 100) for s in (0, 1, 3)] if marked else [pay("hu", 2, 0, 100)]
    assert result.items == bill(
        pay("hu", 1, 0, 100),
        pay("hu", 3, 0, 100),
        *second,
        *(pay("sha_bao", 0, w, 4) for w in (1, 2, 3)),
    )


# --- re_pao.on_rob


@pytest.mark.parametrize(("void", "burn"), list(product(["turn", "all"], [True, False])))
def test_re_pao_on_rob(settle: Settle, void: str, burn: bool) -> None:
    """re_pao.on_rob: the men dou of this turn, or all dou, and the ji burn; no surcharge.

    Seat 1 is ready; it added its 6p after the men dou of 7s, the zhuan_wan of 3p is older.
    """
    rules = {
        "preset": "zhuoji",
        "re_pao": {"on_rob": True, "void": void, "burn_ji": burn, "surcharge": True},
    }
    assert robbed(settle, rules) == bill(
        pay("hu", 1, 3, 3 * 10),
        pay("dealer", 1, 3, 10),
        [] if void == "all" else each("zhuan_wan_dou", 1, 30),
        [] if burn else each("yao_ji", 1, 10),
    )


def test_re_pao_on_rob_off(settle: Settle) -> None:
    """R33: without it nothing is void and nothing burns."""
    rules = {"preset": "zhuoji", "re_pao": {"on_rob": False, "void": "all", "burn_ji": True}}
    assert robbed(settle, rules) == bill(
        pay("hu", 1, 3, 3 * 10),
        pay("dealer", 1, 3, 10),
        each("men_dou", 1, 20),
        each("zhuan_wan_dou", 1, 30),
        each("yao_ji", 1, 10),
    )


def robbed(settle: Settle, rules: RulesSpec) -> list[Item]:
    seats = [
        seat(DULL),
        seat("789p1s", "zhuan_wan 3p", "peng 6p from 0", "men 7s"),
        seat(DULL),
        seat("123456789m78p44s"),
    ]
    return settle(
        position(
            rules,
            seats,
            end="rob",
            shooter=1,
            winners=[3],
            tile="6p",
            dealer=2,
            turn_kongs=["men 7s"],
        )
    ).items


def test_re_pao_on_rob_played(play: Play) -> None:
    """re_pao.on_rob: guiyang's void all and burn: seat 1's men dou of 7s and its 1s pay nothing."""
    rules = {"preset": "guiyang", "re_pao": {"on_rob": True}}
    deal = play(
        rules,
        hands={0: DULL + "6p", 1: "66p777s1247p239s1s", 3: "123456789m33p45p"},
        draws="4s 4s 4s 7s",
        replacements="6p",
        indicator="9m",
    )
    deal.play("0 discard 6p", "1 peng", "1 discard 1p").coast(discards=3)
    result = deal.play("1 gang 7s", "1 gang 6p", "3 hu").result()
    # Zhuo ji 1m: the robber's one.
    assert result.items == bill(
        pay("hu", 1, 3, 3 * 1), pay("dealer", 1, 3, 1), each("zhuo_ji", 3, 1)
    )


# --- win.foul_forfeits


def foul(settle: Settle, rules: dict[str, Any]) -> list[Item]:
    """Marked seat 2 wins with a men dou of 2m, the peng of the first yaoji, and the zhuo ji 4m."""
    seats = [
        seat(DULL),
        seat(DULL),
        seat("444m333p6p", "men 2m", "peng 1s from 1"),
        seat(DULL),
    ]
    return settle(
        position(
            rules,
            seats,
            end="discard",
            shooter=0,
            winners=[2],
            tile="6p",
            marked=[2],
            indicator="3m",
            first_yaoji={"seat": 1, "claimed_by": 2},
        )
    ).items


def test_win_foul_forfeits(settle: Settle) -> None:
    """win.foul_forfeits: the foul's 5 to each of three stays, dou and ji of its own go."""
    fouls = {"passed": "pays_three"}
    bao = [pay("bao", 2, payee, 5) for payee in (0, 1, 3)]
    assert foul(settle, {"preset": "guiyang", "win": fouls | {"foul_forfeits": True}}) == bill(*bao)
    assert foul(settle, {"preset": "guiyang", "win": fouls}) == bill(
        *bao,
        each("men_dou", 2, 2),
        each("yao_ji", 2, 3),
        pay("zeren_ji", 1, 2, 1),
        each("zhuo_ji", 2, 3),
    )


def test_win_foul_forfeits_leaves_v(settle: Settle) -> None:
    """win.foul_forfeits, R36: the table's fan stays in v(w): 5 + 1 + 1 for the men dou."""
    rules = {
        "preset": "guiyang",
        "win": {"passed": "pays_three", "foul_forfeits": True},
        "dou": {"table": True},
    }
    assert foul(settle, rules) == bill(*(pay("bao", 2, payee, 5 + 2) for payee in (0, 1, 3)))


def test_win_foul_forfeits_touches_nobody_else(settle: Settle) -> None:
    """win.foul_forfeits: an honest second winner keeps its dou, a foul pays others' as ever."""
    rules = {"preset": "zhuoji", "win": {"foul_forfeits": True}}
    seats = [
        seat(DULL),
        seat("789m333p777s6p", "men 4m"),
        seat("123789m555m6p", "men 6m"),
        seat(DULL),
    ]
    spot = position(
        rules, seats, end="discard", shooter=0, winners=[1, 2], tile="6p", marked=[2], dealer=3
    )
    assert settle(spot).items == bill(
        pay("hu", 0, 1, 10),
        *(pay("bao", 2, payee, 10) for payee in (0, 1, 3)),
        each("men_dou", 1, 20),
    )


# --- the next dealer


def next_dealer(
    settle: Settle, win: dict[str, Any], dealer: int, shooter: int, winners: list[int]
) -> int:
    hands = ("123456789m333p6p", "123456m444777s6p", "")
    if len(winners) == 3:
        hands = ("123456789m333p6p", "222444m888p777s6p", "345678s789m111p6p")
    seats = [seat(hands[winners.index(s)]) if s in winners else seat(DULL) for s in range(4)]
    spot = position(
        {"preset": "zhuoji", "win": win},
        seats,
        end="discard",
        shooter=shooter,
        winners=winners,
        tile="6p",
        dealer=dealer,
    )
    return settle(spot).next_dealer


@pytest.mark.parametrize(("double_dealer", "expected"), [("counter_clockwise", 1), ("shooter", 3)])
def test_win_double_dealer(settle: Settle, double_dealer: str, expected: int) -> None:
    """win.double_dealer: after two winners the first from the dealer (seat 0), or the shooter."""
    assert next_dealer(settle, {"double_dealer": double_dealer}, 0, 3, [1, 2]) == expected


def test_win_double_dealer_is_for_two_winners(settle: Settle) -> None:
    """win.double_dealer: one winner deals, and after three the shooter, whatever it says."""
    win = {"double_dealer": "shooter"}
    assert next_dealer(settle, win, 0, 3, [2]) == 2
    assert next_dealer(settle, {"double_dealer": "counter_clockwise"}, 0, 3, [0, 1, 2]) == 3


@pytest.mark.parametrize(("first", "expected"), [(True, 0), (False, 2)])
def test_win_dealer_counts_first(settle: Settle, first: bool, expected: int) -> None:
    """win.dealer_counts_first: the winning dealer, seat 0, at distance 0, or after seat 2."""
    assert next_dealer(settle, {"dealer_counts_first": first}, 0, 1, [2, 0]) == expected


def test_win_dealer_counts_first_only_for_a_winning_dealer(settle: Settle) -> None:
    """win.dealer_counts_first: two other winners are counted as ever; one winner deals."""
    win = {"dealer_counts_first": False}
    assert next_dealer(settle, win, 0, 1, [2, 3]) == 2
    assert next_dealer(settle, win, 0, 1, [0]) == 0
