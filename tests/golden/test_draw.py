"""R44: the exhaustive draw and cha jiao.

Four hands that can be ready side by side, and the dull one that is not; all are plain: 1 or 10.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden.conftest import Play, Settle
from tests.scenario import DULL, Item, Result, RulesSpec, bill, pay, position, seat

READY = (
    "123456789m333p6p",  # 6p
    "123456789m777s4s",  # 4s
    "123456789m1112p",  # 2p, 3p
    "123456789m8889s",  # 7s, 9s
)
DEARER = "222444m333p7778s"  # 8s: da_dui_zi; 6s, 9s: ping_hu


def drawn(settle: Settle, rules: RulesSpec, *seats: dict[str, Any], **keys: Any) -> Result:
    """An exhaustive draw of these seats, the rest dull."""
    filled = [*seats, *(seat(DULL) for _ in range(4 - len(seats)))]
    return settle(position(rules, filled, end="draw", **keys))


def cha_jiao(payers: list[int], payees: list[int], fan: int) -> list[Item]:
    return bill(*(pay("cha_jiao", a, b, fan) for a in payers for b in payees))


@pytest.mark.parametrize(("preset", "fan"), [("guiyang", 1), ("zhuoji", 10), ("duole", 10)])
@pytest.mark.parametrize("ready", range(5))
def test_r44_who_is_not_ready_pays_who_is(
    settle: Settle, preset: str, fan: int, ready: int
) -> None:
    """R44: none or all four: nothing; else each that is not pays each that is its ping_hu."""
    result = drawn(settle, preset, *map(seat, READY[:ready]))
    assert result.ready == [s < ready for s in range(4)]
    expected = cha_jiao(list(range(ready, 4)), list(range(ready)), fan)
    assert result.items == expected
    assert (result.end, result.winners, result.shooter) == ("draw", [], None)
    assert (result.tile, result.indicator) == (None, None)
    # What a ready seat gets: one payment from each that is not; and the other way round.
    assert result.scores == [(4 - ready) * fan] * ready + [-ready * fan] * (4 - ready)


@pytest.mark.parametrize(("preset", "fan"), [("guiyang", 5), ("zhuoji", 50), ("duole", 30)])
def test_r44_the_greatest_fan_over_the_waits(settle: Settle, preset: str, fan: int) -> None:
    """R44: 222444m 333p 7778s wins plainly with 6s or 9s and as da_dui_zi with 8s."""
    assert drawn(settle, preset, seat(DEARER)).items == cha_jiao([1, 2, 3], [0], fan)


def test_r44_others_tiles_do_not_spoil_a_wait(settle: Settle) -> None:
    """R18, R44: the three other 8s lie in the dull hands: still 50."""
    assert DULL.endswith("689s")
    assert drawn(settle, "zhuoji", seat(DEARER)).items == cha_jiao([1, 2, 3], [0], 50)


def test_r18_r44_a_wait_held_four_times_is_none(settle: Settle) -> None:
    """R18, R44: 222444m 333p 7777s could only pair a fifth 7s: not ready, it pays."""
    result = drawn(settle, "zhuoji", seat("222444m333p7777s"), seat("123456789m6668p"))
    assert result.ready == [False, True, False, False]
    assert result.items == cha_jiao([0, 2, 3], [1], 10)


@pytest.mark.parametrize(
    ("preset", "on_the_four", "on_a_pair"), [("zhuoji", 100, 60), ("guiyang", 10, 10)]
)
def test_r14_r44_a_dragon_is_priced_by_its_wait(
    settle: Settle, preset: str, on_the_four: int, on_a_pair: int
) -> None:
    """R14, R44: waiting for the fourth 2m, or for a second 6p beside four 2m."""
    result = drawn(settle, preset, seat("222446688m3366p"))
    assert result.items == cha_jiao([1, 2, 3], [0], on_the_four)
    result = drawn(settle, preset, seat("2222446688m336p"))
    assert result.items == cha_jiao([1, 2, 3], [0], on_a_pair)


@pytest.mark.parametrize(("combine", "fan"), [("max", 10), ("add", 1 + 10), ("replace", 10)])
def test_r30_r44_a_baoting_players_price(settle: Settle, combine: str, fan: int) -> None:
    """R30, R44: baoting counts."""
    rules = {"preset": "guiyang", "baoting": {"combine": combine}}
    result = drawn(settle, rules, seat(READY[0], baoting=True))
    assert result.items == cha_jiao([1, 2, 3], [0], fan)


def test_r44_nothing_else_counts(settle: Settle) -> None:
    """R44: none of R20, R21, R36, zi_mo, tian_hu, di_hu, no dou, no ji and no ji.bao.

    The ready dealer, at a streak of 4, has a men dou, three yaoji and the charge chicken.
    """
    rules = {
        "preset": "zhuoji",
        "hand": {"zi_mo": 7, "tian_hu": 7, "di_hu": 7},
        "dou": {"table": True},
        "ji": {"bao": True},
    }
    result = drawn(
        settle,
        rules,
        seat("789m333p111s4s", "men 2m", river="1s"),
        streak=4,
        first_yaoji={"seat": 0, "claimed_by": None},
    )
    assert result.items == cha_jiao([1, 2, 3], [0], 10)


def test_r44_points_are_base_times_fan(settle: Settle) -> None:
    """R26, R44: base 2."""
    result = drawn(settle, {"preset": "zhuoji", "base": 2}, seat(READY[0]))
    assert result.scores == [2 * 30, -20, -20, -20]


def test_r44_entitlement_does_not_matter(settle: Settle) -> None:
    """R16, R44: the plain hand has no passport and is paid."""
    assert drawn(settle, "guiyang", seat(READY[0])).items == cha_jiao([1, 2, 3], [0], 1)


def test_r44_played(play: Play) -> None:
    """R44, R46: seat 1 waits for 4s and passes every one: 10 from each of three; seat 1 deals."""
    deal = play("zhuoji", hands={0: DULL + "9m", 1: READY[1]}, draws="1s")
    result = deal.coast().result()
    assert (result.end, result.next_dealer, result.next_streak) == ("draw", 1, 1)
    assert result.items == cha_jiao([0, 2, 3], [1], 10)
