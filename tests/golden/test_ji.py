"""R37 to R43: the flip, where tiles lie, yaoji, zhuo ji, responsibility, four yaoji, ready holders.

In most positions seat 0 draws 6p and wins; the dull seats 2 and 3 hold no m, no 3p, 6p, 1s, 4s, 7s,
and what seat 1 holds is the case. The dealer is seat 3; the hu and its bonus are left aside.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import DULL, Item, Result, RulesSpec, bill, each, pay, position, seat

WINNER = "789m444m333p777s6p"  # 6p: ping_hu; no yaoji
READY = "123456789p777m4s"  # waits for 4s
NOT_READY = "1245789p23568s"  # 12 tiles: one more is the case
JI = ("yao_ji", "charge_ji", "zhuo_ji", "zeren_ji", "wu_gu_ji")
CHARGE_OF_1 = {"seat": 1, "claimed_by": None}
PRESETS = ("guiyang", "zhuoji", "zhuoji_double", "duole")


def drawn(
    settle: Settle,
    rules: RulesSpec,
    second: dict[str, Any],
    *,
    winner: dict[str, Any] | None = None,
    third: dict[str, Any] | None = None,
    **keys: Any,
) -> Result:
    """Seat 0 wins with a drawn 6p; seat 1 is `second`, seat 2 `third`."""
    seats = [winner or seat(WINNER), second, third or seat(DULL), seat(DULL)]
    return settle(position(rules, seats, end="self_draw", winners=[0], tile="6p", dealer=3, **keys))


def ji(*args: Any, **keys: Any) -> list[Item]:
    """The ji entries of such a bill."""
    return drawn(*args, **keys).only(*JI)


# --- R37: the flip


@pytest.mark.parametrize(
    ("indicator", "zhuo"), [("6m", "7m"), ("9m", "1m"), ("2p", "3p"), ("9p", "1p"), ("9s", "1s")]
)
def test_r37_the_next_rank_of_the_same_suit(settle: Settle, indicator: str, zhuo: str) -> None:
    """R37: 9 wraps to 1; every suit its own. guiyang pays 1 for each tile held by anyone."""
    # All hands together hold 7m: 1 + 3, 1m: none, 3p: 3 + 1, 1p: 1 by each of three, 1s: none.
    expected = {
        "7m": bill(each("zhuo_ji", 0, 1), each("zhuo_ji", 1, 3)),
        "1m": [],
        "3p": bill(each("zhuo_ji", 0, 3), each("zhuo_ji", 1, 1)),
        "1p": bill(each("zhuo_ji", 1, 1), each("zhuo_ji", 2, 1), each("zhuo_ji", 3, 1)),
        "1s": [],
    }
    assert ji(settle, "guiyang", seat(READY), indicator=indicator) == expected[zhuo]


def test_r37_without_a_flip_yaoji_keep_their_value(settle: Settle) -> None:
    """R37: the wall is empty: no zhuo ji, a held yaoji 1 as ever."""
    assert ji(settle, "guiyang", seat(NOT_READY + "1s")) == each("yao_ji", 1, 1)


def test_r37_one_flip_however_many_winners(settle: Settle) -> None:
    """R37: two winners; indicator 8m makes 9m the one zhuo ji: 10 each from each."""
    seats = [seat(DULL), seat("789m444m333p777s6p"), seat("123456789m111s6p"), seat(DULL)]
    result = settle(
        position(
            "zhuoji",
            seats,
            end="discard",
            shooter=3,
            winners=[1, 2],
            tile="6p",
            indicator="8m",
        )
    )
    assert result.only("zhuo_ji") == bill(each("zhuo_ji", 1, 10), each("zhuo_ji", 2, 10))


def test_r37_no_flip_and_no_ji_without_a_winner(settle: Settle) -> None:
    """R37, R44: an exhaustive draw pays no ji, not even for yaoji."""
    seats = [seat(NOT_READY + "1s"), seat(DULL), seat(DULL), seat(DULL, river="1s")]
    spot = position("guiyang", seats, end="draw", first_yaoji={"seat": 3, "claimed_by": None})
    assert settle(spot).items == []


# --- R38: where a tile is


def test_r38_melds_are_held(settle: Settle) -> None:
    """R38: a peng counts 3, a kong 4 of the zhuo ji (5m; indicator 4m)."""
    peng = seat("1245789p23s6s", "peng 5m from 2")
    assert ji(settle, "guiyang", peng, indicator="4m") == each("zhuo_ji", 1, 3)
    for kong in ("men 5m", "zhuan_wan 5m", "dian 5m from 2"):
        holder = seat("1245789p23s6s", kong)
        assert ji(settle, "guiyang", holder, indicator="4m") == each("zhuo_ji", 1, 4)


def test_r38_the_winning_tile_belongs_to_the_winner(settle: Settle) -> None:
    """R38: seat 0 holds one 6p and wins with another: two zhuo ji (indicator 5p), 2 x 1."""
    assert ji(settle, "guiyang", seat(DULL), indicator="5p") == each("zhuo_ji", 0, 2)


def test_r38_a_discard_belongs_to_every_winner(settle: Settle) -> None:
    """R38: both winners hold the 6p that was thrown beside one of their own; no river has it."""
    seats = [
        seat(DULL),
        seat("789m444m333p777s6p"),
        seat("123456789m111s6p"),
        seat(DULL),
    ]
    result = settle(
        position(
            "guiyang",
            seats,
            end="discard",
            shooter=3,
            winners=[1, 2],
            tile="6p",
            indicator="5p",
        )
    )
    assert result.only("zhuo_ji") == bill(each("zhuo_ji", 1, 2), each("zhuo_ji", 2, 2))


def test_r38_a_yaoji_won_on_is_held_and_no_charge(settle: Settle) -> None:
    """R38, R39: seat 3's first yaoji is won by seats 1 and 2: 2 held by each, no charge chicken."""
    seats = [
        seat(DULL),
        seat("789m444m333p777s1s"),
        seat("123456789m222m1s"),
        seat("1245789p235689s"),
    ]
    result = settle(position("guiyang", seats, end="discard", shooter=3, winners=[1, 2], tile="1s"))
    assert result.only(*JI) == bill(each("yao_ji", 1, 2), each("yao_ji", 2, 2))


def test_r38_a_robbed_tile_belongs_to_the_robber(settle: Settle) -> None:
    """R38, R33: seat 1's peng of yaoji stays at three, the fourth is the robber's.

    The first yaoji came from seat 0: zeren 1 on top.
    """
    seats = [
        seat(DULL),
        seat("1245789p235s", "peng 1s from 0"),
        seat("123456m789m33m23s"),
        seat(DULL),
    ]
    result = settle(
        position(
            "guiyang",
            seats,
            end="rob",
            shooter=1,
            winners=[2],
            tile="1s",
            first_yaoji={"seat": 0, "claimed_by": 1},
        )
    )
    assert result.only(*JI) == bill(
        each("yao_ji", 1, 3), each("yao_ji", 2, 1), pay("zeren_ji", 0, 1, 1)
    )


def test_r38_a_claimed_discard_leaves_the_river(play: Play) -> None:
    """R38: seat 0's 5m became seat 1's peng: three zhuo ji of seat 1, none in a river."""
    deal = play(
        "guiyang",
        hands={0: DULL + "5m", 1: "55m1245789p2356s", 2: "789m444s333p777s6p"},
        draws="6p",
        indicator="4m",
    )
    result = deal.play("0 discard 5m", "1 peng", "1 discard 1p", "2 hu").result()
    assert result.only("zhuo_ji") == each("zhuo_ji", 1, 3)


# --- R39: yaoji


@pytest.mark.parametrize(
    ("preset", "held"), [("guiyang", 1), ("zhuoji", 10), ("zhuoji_double", 20), ("duole", 10)]
)
def test_r39_held(settle: Settle, preset: str, held: int) -> None:
    """R39 ji.yao_held: the winner's 111s: three times."""
    winner = seat("789m444m333p111s6p")
    assert ji(settle, preset, seat(DULL), winner=winner) == each("yao_ji", 0, 3 * held)


@pytest.mark.parametrize(
    ("preset", "charge", "river"),
    [("guiyang", 2, 1), ("zhuoji", 20, 0), ("zhuoji_double", 10, 10), ("duole", 20, 10)],
)
def test_r39_river_and_charge_chicken(settle: Settle, preset: str, charge: int, river: int) -> None:
    """R39: of three yaoji in ready seat 1's river the deal's first is the charge chicken."""
    second = seat(READY, river="1s1s1s")
    assert ji(settle, preset, second, first_yaoji=CHARGE_OF_1) == bill(
        each("charge_ji", 1, charge), each("yao_ji", 1, 2 * river)
    )


def test_r39_first_of_the_deal_not_of_each_player(settle: Settle) -> None:
    """R39: seat 1 threw the first (2), seat 2 the second (1)."""
    items = ji(
        settle,
        "guiyang",
        seat(READY, river="1s"),
        third=seat(DULL, river="1s"),
        first_yaoji=CHARGE_OF_1,
    )
    assert items == bill(each("charge_ji", 1, 2), each("yao_ji", 2, 1))


def test_r39_no_charge_chicken_once_the_first_was_claimed(settle: Settle) -> None:
    """R39: seat 2's later yaoji in the river is an ordinary one: 1. (zeren: R41.)"""
    items = ji(
        settle,
        "guiyang",
        seat("1245789p235s", "peng 1s from 3"),
        third=seat(DULL, river="1s"),
        first_yaoji={"seat": 3, "claimed_by": 1},
    )
    assert items == bill(each("yao_ji", 1, 3), each("yao_ji", 2, 1), pay("zeren_ji", 3, 1, 1))


def test_r39_played(play: Play) -> None:
    """R39: seat 0 throws the charge chicken, seat 1 the second, the winner seat 2 holds two."""
    deal = play(
        "guiyang",
        hands={0: DULL + "1s", 2: "11s444m789m333p66p"},
        draws="1s 6p",
        indicator="9m",
    )
    # 11s 66p 444m 789m 333p: the win with 6p.
    deal.play("0 discard 1s", "2 pass", "1 discard 1s", "2 pass", "2 hu")
    # Zhuo ji 1m: none.
    assert deal.result().only(*JI) == bill(
        each("charge_ji", 0, 2), each("yao_ji", 1, 1), each("yao_ji", 2, 2)
    )


def test_r39_played_the_first_yaoji_won_on(play: Play) -> None:
    """R38, R39: no charge chicken: the winner holds three yaoji with the one thrown."""
    deal = play("guiyang", hands={0: DULL + "1s", 2: "11s444m777m333p66p"}, indicator="9m")
    result = deal.play("0 discard 1s", "2 hu").result()
    # da_dui_zi 5 + 1 from the dealer; 3 x 1 from each.
    assert result.items == bill(pay("hu", 0, 2, 5), pay("dealer", 0, 2, 1), each("yao_ji", 2, 3))


# --- R40: zhuo ji


@pytest.mark.parametrize(
    ("preset", "held", "river"),
    [("guiyang", 1, 1), ("zhuoji", 10, 0), ("zhuoji_double", 10, 0), ("duole", 10, 10)],
)
def test_r40_held_and_river(settle: Settle, preset: str, held: int, river: int) -> None:
    """R40: indicator 6m: ready seat 1 holds 777m, the winner one 7m; indicator 4m: the winner's
    river has two 5m."""
    assert ji(settle, preset, seat(READY), indicator="6m") == bill(
        each("zhuo_ji", 0, held), each("zhuo_ji", 1, 3 * held)
    )
    winner = seat(WINNER, river="5m5m")
    assert ji(settle, preset, seat(READY), winner=winner, indicator="4m") == each(
        "zhuo_ji", 0, 2 * river
    )


# winner: 111s held and 1s the charge chicken in the own river; indicator 9s.
GOLD = {
    # double: 3 x 2 x yao_held, 2 x charge, no zhuo_ji
    "guiyang": bill(each("yao_ji", 0, 3 * 2 * 1), each("charge_ji", 0, 2 * 2)),
    "duole": bill(each("yao_ji", 0, 3 * 2 * 10), each("charge_ji", 0, 2 * 20)),
    # add: the prices of R39, and zhuo_held for three, zhuo_river (0) for the one in the river
    "zhuoji": bill(each("yao_ji", 0, 3 * 10), each("charge_ji", 0, 20), each("zhuo_ji", 0, 3 * 10)),
    "zhuoji_double": bill(
        each("yao_ji", 0, 3 * 20), each("charge_ji", 0, 10), each("zhuo_ji", 0, 3 * 10)
    ),
}


@pytest.mark.parametrize("preset", PRESETS)
def test_r40_golden_chicken(settle: Settle, preset: str) -> None:
    """R40 ji.gold as each preset has it."""
    winner = seat("789m444m333p111s6p", river="1s")
    items = ji(
        settle,
        preset,
        seat(DULL),
        winner=winner,
        indicator="9s",
        first_yaoji={"seat": 0, "claimed_by": None},
    )
    assert items == GOLD[preset]


def test_r40_gold_the_other_way_round(settle: Settle) -> None:
    """R40: guiyang with add: 3 x 1, charge 2, and zhuo 1 for all four, the charge chicken too;
    zhuoji with double: 3 x 20, charge 40."""
    winner = seat("789m444m333p111s6p", river="1s")
    keys: dict[str, Any] = {"winner": winner, "indicator": "9s"}
    keys["first_yaoji"] = {"seat": 0, "claimed_by": None}
    add = {"preset": "guiyang", "ji": {"gold": "add"}}
    assert ji(settle, add, seat(DULL), **keys) == bill(
        each("yao_ji", 0, 3 * 1), each("charge_ji", 0, 2), each("zhuo_ji", 0, 3 * 1 + 1 * 1)
    )
    double = {"preset": "zhuoji", "ji": {"gold": "double"}}
    assert ji(settle, double, seat(DULL), **keys) == bill(
        each("yao_ji", 0, 3 * 2 * 10), each("charge_ji", 0, 2 * 20)
    )


def test_r40_river_yaoji_doubled(settle: Settle) -> None:
    """R40 double: an ordinary river yaoji 2 x 1 beside the charge chicken 2 x 2."""
    items = ji(
        settle,
        "guiyang",
        seat(READY, river="1s1s"),
        indicator="9s",
        first_yaoji=CHARGE_OF_1,
    )
    assert items == bill(each("yao_ji", 1, 2 * 1), each("charge_ji", 1, 2 * 2))


# --- R41: responsibility


def peng_of_yaoji(settle: Settle, rules: RulesSpec, meld: str, **keys: Any) -> list[Item]:
    """Seat 1 claimed the deal's first yaoji, thrown by seat 3."""
    holder = seat("1245789p235s", meld)
    return ji(settle, rules, holder, first_yaoji={"seat": 3, "claimed_by": 1}, **keys)


@pytest.mark.parametrize(
    ("zeren_on", "meld", "tiles", "owed"),
    [
        ("peng_gang", "peng 1s from 3", 3, 1),
        ("peng_gang", "zhuan_wan 1s", 4, 1),
        ("peng_gang", "dian 1s from 3", 4, 1),
        ("peng", "peng 1s from 3", 3, 1),
        ("peng", "zhuan_wan 1s", 4, 1),
        ("peng", "dian 1s from 3", 4, 0),
    ],
)
def test_r41_the_discarder_pays_more(
    settle: Settle, zeren_on: str, meld: str, tiles: int, owed: int
) -> None:
    """R41: guiyang, 1 more from seat 3; a peng counts although a kong was added later."""
    rules = {"preset": "guiyang", "ji": {"zeren_on": zeren_on}}
    assert peng_of_yaoji(settle, rules, meld) == bill(
        each("yao_ji", 1, tiles), pay("zeren_ji", 3, 1, owed)
    )


@pytest.mark.parametrize("preset", ["zhuoji", "zhuoji_double", "duole"])
def test_r41_nothing_elsewhere(settle: Settle, preset: str) -> None:
    """R41: ji.zeren is 0 in the other presets."""
    items = peng_of_yaoji(settle, preset, "peng 1s from 3")
    assert [entry for entry in items if entry[0] == "zeren_ji"] == []


def test_r41_never_doubled(settle: Settle) -> None:
    """R40, R41: gold doubles the three yaoji to 2 each, the responsibility stays 1."""
    items = peng_of_yaoji(settle, "guiyang", "peng 1s from 3", indicator="9s")
    assert items == bill(each("yao_ji", 1, 3 * 2), pay("zeren_ji", 3, 1, 1))


def test_r41_only_the_deals_first(settle: Settle) -> None:
    """R41: seat 2 threw the first (a charge chicken); the peng of a later one owes nothing."""
    items = ji(
        settle,
        "guiyang",
        seat("1245789p235s", "peng 1s from 3"),
        third=seat(DULL, river="1s"),
        first_yaoji={"seat": 2, "claimed_by": None},
    )
    assert items == bill(each("yao_ji", 1, 3), each("charge_ji", 2, 2))


def test_r41_r43_falls_with_the_claimers_ji(settle: Settle) -> None:
    """R41: where ji require a ready hand, the claimer that is not ready gets neither."""
    rules = {"preset": "guiyang", "ji": {"requires_ting": True}}
    assert peng_of_yaoji(settle, rules, "peng 1s from 3") == []


def test_r31_r41_falls_when_the_claimers_ji_burn(settle: Settle) -> None:
    """R31, R41: the claimer throws a hot shot; guiyang burns its ji, responsibility included."""
    shooter = seat("1245p235s", "peng 1s from 3", "men 7m")
    seats = [seat("444m123m333p777s6p"), shooter, seat(DULL), seat(DULL)]
    result = settle(
        position(
            "guiyang",
            seats,
            end="discard",
            shooter=1,
            winners=[0],
            tile="6p",
            turn_kongs=["men 7m"],
            first_yaoji={"seat": 3, "claimed_by": 1},
        )
    )
    assert result.items == bill(pay("hu", 1, 0, 1), pay("dealer", 1, 0, 1))


def test_r41_the_discarder_may_be_the_winner(settle: Settle) -> None:
    """R41: the winner, seat 0, threw it: it pays like any."""
    holder = seat("1245789p235s", "peng 1s from 0")
    items = ji(settle, "guiyang", holder, first_yaoji={"seat": 0, "claimed_by": 1})
    assert items == bill(each("yao_ji", 1, 3), pay("zeren_ji", 0, 1, 1))


@pytest.mark.parametrize(("claim", "dian"), [("2 peng", 0), ("2 gang 1s", 1)])
def test_r41_played(play: Play, claim: str, dian: int) -> None:
    """R38, R41: seat 2 claims the dealer's 1s; seat 3 draws its tile and wins."""
    deal = play(
        "guiyang",
        hands={0: DULL + "1s", 2: "111s1245789p235s", 3: "789m444s333p777s6p"},
        draws="6p",
        replacements="9m",
        indicator="9m",
    )
    deal.play("0 discard 1s", claim, "2 discard 1p", "3 hu")
    # The peng leaves its third 1s in hand: four held yaoji either way.
    assert deal.result().items == bill(
        each("hu", 3, 1),
        pay("dealer", 0, 3, 1),
        each("yao_ji", 2, 4),
        pay("zeren_ji", 0, 2, 1),
        pay("dian_dou", 0, 2, dian),
    )


# --- R42: four yaoji

MEN_YAO = "456m789m333p6p"  # the winner beside a men dou of yaoji: 6p makes ping_hu
FOUR = ("men_dou", "men_yao", *JI)


def four(settle: Settle, rules: RulesSpec, meld: str = "men 1s", **keys: Any) -> list[Item]:
    """What the winner's four yaoji bring."""
    winner = seat(MEN_YAO, meld)
    return drawn(settle, rules, seat(DULL), winner=winner, **keys).only(*FOUR)


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("zhuoji", each("men_yao", 0, 80)),
        ("duole", bill(each("men_dou", 0, 20), each("yao_ji", 0, 4 * 10))),
        ("zhuoji_double", bill(each("men_dou", 0, 20), each("yao_ji", 0, 4 * 20))),
        ("guiyang", bill(each("men_dou", 0, 2), each("yao_ji", 0, 4 * 1))),
    ],
)
def test_r42_a_men_dou_of_yaoji(settle: Settle, preset: str, expected: list[Item]) -> None:
    """R42 ji.men_yao: 80 in zhuoji instead of 20 + 4 x 10; the ordinary sum elsewhere."""
    assert four(settle, preset) == expected


@pytest.mark.parametrize(
    ("meld", "dou"), [("zhuan_wan 1s", each("zhuan_wan_dou", 0, 30)), ("dian 1s from 2", None)]
)
def test_r42_only_a_concealed_kong(settle: Settle, meld: str, dou: list[Item] | None) -> None:
    """R42: zhuan_wan 30 and dian 10 (its feeder) with 4 x 10 each."""
    winner = seat(MEN_YAO, meld)
    result = drawn(
        settle, "zhuoji", seat(DULL), winner=winner, first_yaoji={"seat": 2, "claimed_by": 0}
    )
    assert result.only(*FOUR, "zhuan_wan_dou", "dian_dou") == bill(
        each("yao_ji", 0, 4 * 10), dou or pay("dian_dou", 2, 0, 10)
    )


def test_r42_four_undeclared_yaoji_are_no_dou(settle: Settle) -> None:
    """R42: 1111s in the hand (111s 123s): 4 x 10."""
    winner = seat("111123s789m444m6p")
    assert ji(settle, "zhuoji", seat(DULL), winner=winner) == each("yao_ji", 0, 4 * 10)


def test_r42_a_worthless_dou_leaves_the_ji(settle: Settle) -> None:
    """R12, R42: declared late: the four yaoji alone, 4 x 10."""
    assert four(settle, "zhuoji", "men 1s late") == each("yao_ji", 0, 4 * 10)


def test_r36_r42_a_dou_priced_by_the_table_leaves_the_ji(settle: Settle) -> None:
    """R36, R42: the men dou is in v(w); the four yaoji alone."""
    rules = {"preset": "zhuoji", "dou": {"table": True}}
    assert four(settle, rules) == each("yao_ji", 0, 4 * 10)


def test_r40_r42_gold_add_comes_on_top(settle: Settle) -> None:
    """R42: indicator 9s: 80 and R40's 4 x 10."""
    assert four(settle, "zhuoji", indicator="9s") == bill(
        each("men_yao", 0, 80), each("zhuo_ji", 0, 4 * 10)
    )


def test_r40_r42_gold_double_leaves_the_80(settle: Settle) -> None:
    """R42: double leaves the 80 as it is; where the dou is worthless the four are doubled."""
    rules = {"preset": "zhuoji", "ji": {"gold": "double"}}
    assert four(settle, rules, indicator="9s") == each("men_yao", 0, 80)
    assert four(settle, rules, "men 1s late", indicator="9s") == each("yao_ji", 0, 4 * 2 * 10)


def holder_of_four(
    settle: Settle, rules: RulesSpec, hand: str, *melds: str, **keys: Any
) -> list[Item]:
    """The same of a loser, seat 1."""
    second = seat(hand, "men 1s", *melds)
    return drawn(settle, rules, second, **keys).only(*FOUR)


def test_r42_a_ready_loser_collects_80(settle: Settle) -> None:
    """R42: whoever holds it."""
    assert holder_of_four(settle, "zhuoji", "123456789p4s") == each("men_yao", 1, 80)


def test_r42_r43_not_ready_the_dou_alone(settle: Settle) -> None:
    """R42, R43: ji need a ready hand, dou do not: 20."""
    assert holder_of_four(settle, "zhuoji", "1245789p235s") == each("men_dou", 1, 20)


def test_r35_r42_dou_withheld_the_ji_alone(settle: Settle) -> None:
    """R35, R42: dou need a ready hand, ji do not: 4 x 10."""
    rules = {
        "preset": "zhuoji",
        "dou": {"requires_ting": True},
        "ji": {"requires_ting": False},
    }
    assert holder_of_four(settle, rules, "1245789p235s") == each("yao_ji", 1, 4 * 10)


def test_r42_neither(settle: Settle) -> None:
    """R35, R43: both need a ready hand."""
    rules = {"preset": "zhuoji", "dou": {"requires_ting": True}}
    assert holder_of_four(settle, rules, "1245789p235s") == []


def test_r42_blown_away_the_dou_alone(settle: Settle) -> None:
    """R42, ji.chui_feng: indicator 5p voids every ji: 20."""
    rules = {"preset": "zhuoji", "ji": {"chui_feng": True}}
    assert four(settle, rules, indicator="5p") == each("men_dou", 0, 20)


def hot_four(settle: Settle, burn: bool, turn_kongs: list[str]) -> list[Item]:
    """Ready seat 1 holds men dou of 1s and 6m and throws a hot shot; void is `turn`."""
    rules = {"preset": "zhuoji", "re_pao": {"burn_ji": burn, "surcharge": False}}
    seats = [seat(WINNER), seat("123456p4s", "men 1s", "men 6m"), seat(DULL), seat(DULL)]
    result = settle(
        position(
            rules,
            seats,
            end="discard",
            shooter=1,
            winners=[0],
            tile="6p",
            turn_kongs=turn_kongs,
        )
    )
    return result.only(*FOUR)


def test_r31_r42_void_dou_leaves_the_ji(settle: Settle) -> None:
    """R42: the four yaoji were declared in the hot turn, ji do not burn: 4 x 10, 6m 20."""
    assert hot_four(settle, False, ["men 1s"]) == bill(
        each("men_dou", 1, 20), each("yao_ji", 1, 4 * 10)
    )


def test_r31_r42_burned_ji_leave_the_dou(settle: Settle) -> None:
    """R42: the hot turn's kong is 6m, ji burn: the earlier dou of 1s alone, 20."""
    assert hot_four(settle, True, ["men 6m"]) == each("men_dou", 1, 20)


def test_r31_r42_void_and_burned(settle: Settle) -> None:
    """R42: neither; 6m 20."""
    assert hot_four(settle, True, ["men 1s"]) == each("men_dou", 1, 20)


def test_r31_r42_neither_void_nor_burned(settle: Settle) -> None:
    """R42: both count: 80, and 6m is void."""
    assert hot_four(settle, False, ["men 6m"]) == each("men_yao", 1, 80)


def test_r42_played(play: Play) -> None:
    """R42: the dealer kongs four yaoji of its opening 14 and wins on the replacement."""
    deal = play("zhuoji", hands={0: "1111s456789m333p6p"}, replacements="6p", indicator="9s")
    result = deal.play("0 gang 1s", "0 hu").result()
    # 10 + 10, the dealer's 10, 80, and indicator 9s (add) 4 x 10.
    assert result.items == bill(
        each("hu", 0, 20), each("dealer", 0, 10), each("men_yao", 0, 80), each("zhuo_ji", 0, 40)
    )
    assert result.scores == [3 * 150, -150, -150, -150]


# --- R43: ready holders


@pytest.mark.parametrize("preset", ["zhuoji", "zhuoji_double", "duole"])
def test_r43_a_loser_that_is_not_ready_collects_no_ji(settle: Settle, preset: str) -> None:
    """R43: neither held nor river yaoji, charge chicken nor zhuo ji (indicator 4s: 5s)."""
    second = seat(NOT_READY + "1s", river="1s")
    assert ji(settle, preset, second, indicator="4s", first_yaoji=CHARGE_OF_1) == []


def test_r43_not_in_guiyang(settle: Settle) -> None:
    """R43 off: yaoji 1, charge chicken 2, one 5s each with seats 1, 2 and 3."""
    second = seat(NOT_READY + "1s", river="1s")
    assert ji(settle, "guiyang", second, indicator="4s", first_yaoji=CHARGE_OF_1) == bill(
        each("yao_ji", 1, 1),
        each("charge_ji", 1, 2),
        each("zhuo_ji", 1, 1),
        each("zhuo_ji", 2, 1),
        each("zhuo_ji", 3, 1),
    )


def test_r43_a_switch(settle: Settle) -> None:
    """R43 ji.requires_ting: off in zhuoji, on in guiyang."""
    second = seat(NOT_READY + "1s")
    off = {"preset": "zhuoji", "ji": {"requires_ting": False}}
    on = {"preset": "guiyang", "ji": {"requires_ting": True}}
    assert ji(settle, off, second) == each("yao_ji", 1, 10)
    assert ji(settle, on, second) == []


def test_r43_ready_losers_collect_from_all(settle: Settle) -> None:
    """R43: ready seat 1's river: the winner pays like the others."""
    second = seat(READY, river="1s")
    assert ji(settle, "zhuoji", second, first_yaoji=CHARGE_OF_1) == each("charge_ji", 1, 20)
