"""Positions settled: the same bill as played, every refusal, and single hands."""

from __future__ import annotations

import copy
import doctest
import json
from collections import Counter
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from tests import referee, rigging
from tests.strategies import damaged, damaged_text, lively, rulesets
from zhuoji_env import actions, tiles
from zhuoji_env.calculator import hands, position_of, settle_all
from zhuoji_env.engine.layout import DISCARD_WIN, DRAW, SELF_DRAW
from zhuoji_env.record import replay, results
from zhuoji_env.rules import PRESETS

# The position of FORMATS.md.
EXAMPLE: dict[str, Any] = {
    "format": "zhuoji-position/1",
    "rules": "zhuoji",
    "dealer": 1,
    "streak": 1,
    "seats": [
        {"hand": "123456789m123s5p", "melds": [], "river": ""},
        {"hand": "89m147p15s", "melds": ["zhuan_wan 6p", "men 2p"], "river": ""},
        {"hand": "777s444s33m88m", "melds": ["peng 9p from 3"], "river": ""},
        {"hand": "12579m358p25689s", "melds": [], "river": "1s"},
    ],
    "end": "discard",
    "shooter": 1,
    "winners": [2],
    "tile": "3m",
    "indicator": "2m",
    "first_yaoji": {"seat": 3, "claimed_by": None},
    "turn_kongs": ["men 2p"],
}
ITEMS = [
    ["dealer", 1, 2, 10],
    ["hu", 1, 2, 50],
    ["re_pao", 1, 2, 60],
    ["yao_ji", 1, 0, 10],
    ["yao_ji", 2, 0, 10],
    ["yao_ji", 3, 0, 10],
    ["zhuan_wan_dou", 0, 1, 30],
    ["zhuan_wan_dou", 2, 1, 30],
    ["zhuan_wan_dou", 3, 1, 30],
    ["zhuo_ji", 0, 2, 30],
    ["zhuo_ji", 1, 0, 10],
    ["zhuo_ji", 1, 2, 30],
    ["zhuo_ji", 2, 0, 10],
    ["zhuo_ji", 3, 0, 10],
    ["zhuo_ji", 3, 2, 30],
]


def example(*path_and_value: Any, **changes: Any) -> dict[str, Any]:
    """The example with keys changed, or with the value at a path changed."""
    spot = {**copy.deepcopy(EXAMPLE), **changes}
    if path_and_value:
        *path, last, value = path_and_value
        node: Any = spot
        for key in path:
            node = node[key]
        node[last] = value
    return spot


def finished(rules: Any, seed: int, n: int) -> zj.Games:
    games = zj.Games(n, rules=rules, seed=seed)
    games.reset()
    states = np.arange(n, dtype=np.uint64) + np.uint64(seed)
    while not games.done.all():
        games.step(lively(games, states))
    return games


# Bills


def test_the_example_of_the_format() -> None:
    result = zj.settle(EXAMPLE).to_dict()
    assert result == {
        "end": "discard",
        "winners": [2],
        "shooter": 1,
        "tile": "3m",
        "indicator": "2m",
        "ready": [True, False, True, False],
        "items": ITEMS,
        "scores": [0, -80, 160, -80],
        "next_dealer": 2,
        "next_streak": 1,
    }
    assert zj.settle(json.dumps(EXAMPLE)).to_dict() == result


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_the_end_of_a_played_deal_settles_to_its_result(preset: str) -> None:
    games = finished(preset, seed=11, n=1500)
    ends = [json.dumps(position_of(games, i)) for i in range(len(games))]
    assert [settled.to_dict() for settled in settle_all(ends)] == results(games.state)
    assert set(games.state["end"].tolist()) >= {SELF_DRAW, DISCARD_WIN, DRAW}


@settings(max_examples=60, deadline=None)
@given(rules=rulesets(), seed=st.integers(0, 2**32))
def test_it_does_under_any_rules(rules: zj.Rules, seed: int) -> None:
    games = finished(rules, seed, n=40)
    ends = [position_of(games, i) for i in range(len(games))]
    assert [settled.to_dict() for settled in settle_all(ends)] == results(games.state)


@pytest.mark.parametrize("theme", sorted(rigging.THEMES))
def test_rigged_deals_end_settle_and_replay_alike(theme: str) -> None:
    rng = Random(theme)
    for rules in [*referee.PRESETS.values(), *(rigging.random_rules(rng) for _ in range(6))]:
        deal = rigging.rigged(theme, rng, rules)
        table = referee.Referee(rules, deal.wall, deal.dealer, deal.streak, Counter())
        played = []
        while not table.done:
            action = rigging.choose(deal.policy, table, rng)
            played.append(f"{table.seat} {actions.show(action)}")
            table.step(action)
        record = {
            "format": "zhuoji-deal/1",
            "rules": referee.overrides(rules),
            "dealer": deal.dealer,
            "streak": deal.streak,
            "wall": tiles.show_wall(deal.wall),
            "actions": played,
            "result": table.result(),
        }
        done = replay(record)
        assert done.verify()
        mine, theirs = position_of(done.games, done.table), table.position()
        # Marks of those who have not won are paid for by nobody, under `free` nobody's are.
        marked = mine.pop("marked", [])
        if rules["win"]["passed"] != "free":
            assert marked == [seat for seat in theirs["winners"] if seat in theirs["marked"]]
        del theirs["marked"]
        assert {**mine, "rules": None} == {**theirs, "rules": None}
        mine["marked"] = theirs["marked"] = marked
        assert zj.settle(mine).to_dict() == zj.settle(theirs).to_dict() == table.result()


@pytest.mark.parametrize(
    ("meld", "zeren_on", "is_paid"),
    [
        ("peng 1s from 3", "peng", True),
        ("zhuan_wan 1s", "peng", True),
        ("dian 1s from 3", "peng", False),
        ("dian 1s from 3", "peng_gang", True),
    ],
)
def test_how_the_first_yaoji_was_claimed(meld: str, zeren_on: str, is_paid: bool) -> None:
    """R41: a peng counts even if a kong was added later, a gang where the ruleset says so."""
    spot = example(
        rules={"preset": "guiyang", "ji": {"zeren_on": zeren_on}},
        first_yaoji={"seat": 3, "claimed_by": 1},
        turn_kongs=[],
    )
    spot["seats"][0]["hand"] = "123456789m235s5p"
    spot["seats"][1] = {"hand": "89m147p56s", "melds": ["men 2p", meld], "river": ""}
    spot["seats"][3]["river"] = ""
    paid = [item for item in zj.settle(spot).to_dict()["items"] if item[0] == "zeren_ji"]
    assert paid == ([["zeren_ji", 3, 1, 1]] if is_paid else [])


def test_many_at_once_are_as_each_alone_in_any_order() -> None:
    rules: list[Any] = [
        "guiyang",
        "zhuoji",
        {"preset": "duole", "ji": {"wu_gu": 3, "wu_gu_charge": 5}},
    ]
    games = zj.Games(60, rules=rules, rules_index=np.arange(60) % 3, seed=4)
    games.reset()
    states = np.arange(60, dtype=np.uint64)
    while not games.done.all():
        games.step(lively(games, states))
    order = np.random.default_rng(0).permutation(60)
    ends = [position_of(games, int(i)) for i in order]
    told = [settled.to_dict() for settled in settle_all(ends)]
    assert told == [results(games.state)[i] for i in order]
    assert told == [zj.settle(end).to_dict() for end in ends]


def test_the_sound_ones_before_a_bad_one_are_settled() -> None:
    short = example("seats", 0, "hand", "1m")
    made = settle_all([EXAMPLE, EXAMPLE, short, EXAMPLE])
    assert [next(made).result["scores"] for _ in range(2)] == [[0, -80, 160, -80]] * 2
    with pytest.raises(zj.PositionError, match=r"^seats\[0\]\.hand: 1 tiles"):
        next(made)
    made = settle_all([EXAMPLE, example(tile="9m", indicator="2m"), short])
    next(made)
    with pytest.raises(zj.PositionError, match=r"^winners: seat 2's hand is not complete with 9m"):
        next(made)


def test_a_running_deal_has_no_end() -> None:
    games = zj.Games(2, seed=1)
    games.reset()
    with pytest.raises(zj.PositionError, match=r"^table 1: the deal has not ended"):
        position_of(games, 1)


def test_winners_come_in_order_of_play_from_the_shooter() -> None:
    spot = example("seats", 0, "hand", "12789m123s77788p")
    spot["winners"] = [0, 2]
    assert zj.settle(spot).to_dict()["winners"] == [2, 0]


def test_what_may_be_left_out() -> None:
    spot = example(turn_kongs=[])
    told = zj.settle(spot).to_dict()
    del spot["turn_kongs"]
    assert zj.settle(spot).to_dict() == told
    del spot["streak"], spot["seats"][0]["melds"], spot["seats"][0]["river"]
    assert zj.settle(spot).to_dict() == told


def test_tuples_and_numpy_integers_are_taken() -> None:
    spot = example(winners=(np.int64(2),), dealer=np.int8(1), seats=tuple(EXAMPLE["seats"]))
    assert zj.settle(spot).to_dict()["items"] == ITEMS


# Refusals

SEATS = EXAMPLE["seats"]
CLAIMED = {"hand": "777s444s33m88m", "melds": ["peng 1s from 0"]}
NO_KONG = "on_replacement: true given; allowed: false, as the winner, seat 0, has no kong"
OTHERS_MELD = "opening: true given; allowed: false, as seat 1 has 'peng 6p from 2'"


def drawn(who: int = 0, opening: bool = False, on_replacement: bool = False, **seat: Any) -> Any:
    """Seat 0 wins by itself on 2m, with something changed in a seat."""
    hands = ["444m333p777s2m888s", "1245789p235s11m6s", "1245789p235s11m6s", "13579m258p369s14s"]
    seats: list[dict[str, Any]] = [{"hand": hand} for hand in hands]
    seats[2] = {"hand": "1379m2458p1469s9m"}
    seats[who] |= seat
    return {
        "format": "zhuoji-position/1",
        "rules": "guiyang",
        "dealer": 0,
        "seats": seats,
        "end": "self_draw",
        "winners": [0],
        "tile": "2m",
        "opening": opening,
        "on_replacement": on_replacement,
    }


REFUSED: list[tuple[dict[str, Any], str]] = [
    (example(format="zhuoji-deal/1"), "format: 'zhuoji-deal/1' given; allowed: \"zhuoji-position"),
    (example(rules="x"), f"rules: 'x' given; allowed: {', '.join(PRESETS)}"),
    (example(rules={"preset": "zhuoji", "ji": 3}), "rules: ji: 3 given; allowed: a mapping of"),
    (example(dealer=4), "dealer: 4 given; allowed: a seat 0..3"),
    (example(streak=0), "streak: 0 given; allowed: 1..999"),
    (example(seats=SEATS[:3]), "seats: 3 given; allowed: a list of four seats"),
    (example(seats={}), "seats: a mapping given; allowed: a list of four seats"),
    (example("seats", 2, 5), "seats[2]: 5 given; allowed: an object of hand, melds, river"),
    (
        example("seats", 2, "rivers", ""),
        "seats[2]: unknown key 'rivers'; did you mean seats[2].riv",
    ),
    (
        example("seats", 1, "hand", "89m147p1s"),
        "seats[1].hand: 6 tiles with 2 melds given; allowed",
    ),
    (example("seats", 1, "hand", "89x"), "seats[1].hand: 'x' at position 3 is neither"),
    (example("seats", 1, "hand", None), "seats[1].hand: null given; allowed: tiles such as"),
    (example("seats", 3, "river", "1"), "seats[3].river: '1' at position 1 lacks its suit letter"),
    (
        example("seats", 2, "melds", 0, "peng 9p"),
        "seats[2].melds[0]: 'peng 9p' given; allowed: peng",
    ),
    (
        example("seats", 2, "melds", 0, "peng 9p from 2"),
        "seats[2].melds[0]: 'peng 9p from 2' is fr",
    ),
    (
        example("seats", 1, "melds", 0, "dian 6p from 1"),
        "seats[1].melds[0]: 'dian 6p from 1' is fr",
    ),
    (
        example("seats", 2, "melds", 0, "peng 9p from 3 late"),
        "seats[2].melds[0]: 'peng 9p from 3 l",
    ),
    (example("seats", 2, "melds", ["men 1m"] * 5), "seats[2].melds: 5 given; allowed: 0..4"),
    (example("seats", 0, "baoting", True), "seats[0].baoting: true given; allowed: false, as baot"),
    (example("seats", 0, "baoting", 1), "seats[0].baoting: 1 given; allowed: true or false"),
    (example("seats", 3, "river", "1s33m"), "seats: 6 of 3m in hands, melds, rivers, tile and ind"),
    (
        example(indicator="2p"),
        "seats: 5 of 2p in hands, melds, rivers, tile and indicator; allowed",
    ),
    (example(end="win"), "end: 'win' given; allowed: one of self_draw, discard, rob, draw"),
    (example(end=None), "end: null given; allowed: one of self_draw, discard, rob, draw"),
    (example(shooter=None), "shooter: null given; allowed: a seat 0..3"),
    (example(shooter=2, turn_kongs=[]), "winners: seat 2 is the shooter; allowed: other seats"),
    (example(winners=[]), "winners: none given; allowed: one to three, as end is discard"),
    (example(winners=[2, 2]), "winners: a seat is named twice in [2, 2]; allowed: each seat once"),
    (example(winners=[2, 4]), "winners[1]: 4 given; allowed: a seat 0..3"),
    (example(winners=2), "winners: 2 given; allowed: a list of seats 0..3"),
    (example(winners=[0]), "winners: seat 0's hand is not complete with 3m (R15)"),
    (
        example(winners=[0, 2], rules={"preset": "zhuoji", "win": {"multiple": False}}),
        "winners: [0, 2] given; allowed: one, as win.multiple is false",
    ),
    (example(tile=None), "tile: null given; allowed: the tile won on, as end is discard"),
    (example(tile="0m"), "tile: '0m' given; allowed: a tile such as 5p, or null"),
    (example(tile="3m4m"), "tile: '3m4m' given; allowed: a tile such as 5p, or null"),
    (
        example(end="self_draw"),
        "shooter: 1 given; allowed: null, as end is self_draw",
    ),
    (
        example(end="self_draw", shooter=None),
        "turn_kongs: kongs given; allowed: none where nobody shot or was robbed",
    ),
    (
        example(end="self_draw", shooter=None, turn_kongs=[], winners=[0, 2]),
        "winners: [0, 2] given; allowed: one seat, as end is self_draw",
    ),
    (
        example(end="draw", shooter=None, turn_kongs=[], winners=[]),
        "tile: '3m' given; allowed: null, as end is draw",
    ),
    (
        example(end="draw", shooter=None, turn_kongs=[], tile=None),
        "winners: [2] given; allowed: none, as end is draw",
    ),
    (
        example(end="draw", shooter=None, turn_kongs=[], tile=None, winners=[]),
        "indicator: '2m' given; allowed: null, as end is draw",
    ),
    (example(end="rob"), "shooter: seat 1 was robbed of 3m, but has no peng"),
    (example(first_yaoji=None), "first_yaoji: null or missing, but seat 3 has a 1s in its river"),
    (
        example(first_yaoji={"seat": 0, "claimed_by": None}),
        "first_yaoji: unclaimed, but seat 0 has no 1s in its river",
    ),
    (
        example(first_yaoji={"seat": 3, "claimed_by": 3}),
        "first_yaoji.claimed_by: 3 given; allowed: another seat than 3",
    ),
    (
        example(first_yaoji={"seat": 3, "claimed_by": 2}),
        "first_yaoji.claimed_by: seat 2 has no claimed meld of 1s from 3",
    ),
    (example(first_yaoji={"claimed_by": 2}), "first_yaoji.seat is missing; allowed: a seat 0..3"),
    (example(first_yaoji=3), "first_yaoji: 3 given; allowed: an object of seat, claimed_by"),
    (
        example("seats", 3, "river", "1s8p") | {"rules": {"preset": "zhuoji", "ji": {"wu_gu": 1}}},
        "first_wu_gu: null or missing, but seat 3 has a 8p in its river",
    ),
    (
        example("seats", 2, CLAIMED, first_yaoji=None),
        "first_yaoji: null or missing, but seat 2's 'peng 1s from 0' was claimed from a discard",
    ),
    (
        example("seats", 2, {**CLAIMED, "melds": ["zhuan_wan 1s"]}, first_yaoji=None),
        "first_yaoji: null or missing, but seat 2's 'zhuan_wan 1s' was claimed from a discard",
    ),
    (example(turn_kongs=["men 3p"]), "turn_kongs[0]: 'men 3p' is not among the kongs of the shoot"),
    (example(turn_kongs=["men 2p late"]), "turn_kongs[0]: 'men 2p late' is not among the kongs of"),
    (example(turn_kongs=["men 2p"] * 2), "turn_kongs[1]: 'men 2p' is given twice"),
    (
        example(turn_kongs=["men"]),
        "turn_kongs[0]: 'men' given; allowed: peng T from S, dian T from",
    ),
    (example(turn_kongs="men 2p"), "turn_kongs: 'men 2p' given; allowed: a list of kongs"),
    (example(on_replacement=True), "on_replacement: true given; allowed: false, as end is discard"),
    (example(opening=True), "opening: true given; allowed: false, as end is discard"),
    (example(opening=0), "opening: 0 given; allowed: true or false"),
    (drawn(melds=["peng 6p from 1"], hand="444m333p777s2m", on_replacement=True), NO_KONG),
    (drawn(on_replacement=True), NO_KONG),
    (
        drawn(melds=["men 6p"], hand="444m333p777s2m", opening=True),
        "opening: true given; allowed: f",
    ),
    (drawn(1, melds=["peng 6p from 2"], hand="1245789p235s", opening=True), OTHERS_MELD),
    (
        drawn(river="9s", opening=True),
        "opening: true given; allowed: false, as the winner, seat 0,",
    ),
    (
        drawn(1, melds=["men 6p"], hand="1245789p235s", baoting=True),
        "seats[1].baoting: true given; allowed: false beside melds such as 'men 6p'",
    ),
    (example(marked=[1.0]), "marked[0]: 1.0 given; allowed: a seat 0..3"),
    (example(turn_kong=[]), "unknown key 'turn_kong'; did you mean turn_kongs? allowed: format,"),
]


@pytest.mark.parametrize(("spot", "reason"), REFUSED, ids=[reason[:40] for _, reason in REFUSED])
def test_what_is_refused(spot: dict[str, Any], reason: str) -> None:
    with pytest.raises(zj.PositionError) as refused:
        zj.settle(spot)
    assert str(refused.value).startswith(reason)


def test_what_is_refused_in_draws_alone_settles_without_it() -> None:
    assert zj.settle(drawn(opening=True)).to_dict()["winners"] == [0]
    kong = drawn(melds=["men 6p"], hand="444m333p777s2m", on_replacement=True)
    assert zj.settle(kong).to_dict()["winners"] == [0]
    assert zj.settle(drawn(1, baoting=True)).to_dict()["winners"] == [0]


@pytest.mark.parametrize("key", ["format", "rules", "dealer", "seats", "end"])
def test_what_must_be_there(key: str) -> None:
    spot = example()
    del spot[key]
    with pytest.raises(zj.PositionError, match=f"^{key} is missing; allowed: "):
        zj.settle(spot)


@pytest.mark.parametrize("spot", [None, [], "", "[]", "3", b"\xff", 3])
def test_what_is_no_position(spot: Any) -> None:
    with pytest.raises(zj.PositionError):
        zj.settle(spot)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=damaged(EXAMPLE))
def test_a_damaged_position_is_settled_or_refused(value: Any) -> None:
    try:
        scores = zj.settle(value).result["scores"]
    except zj.PositionError as refused:
        assert str(refused)
    else:
        assert sum(scores) == 0


@settings(max_examples=300, deadline=None)
@given(text=damaged_text(EXAMPLE))
def test_a_damaged_text_is_settled_or_refused(text: bytes) -> None:
    try:
        zj.settle(text)
    except zj.PositionError as refused:
        assert "\n" not in str(refused)


# Single hands

LAID = ["peng 1p", "peng 9p from 3", "men 2s", "dian 7s from 0"]


def test_the_examples_in_the_docstrings() -> None:
    done = doctest.testmod(hands)
    assert done.attempted >= 9
    assert done.failed == 0


def some_hand(rng: np.random.Generator, size: int, suits: int) -> list[int]:
    return sorted(int(k) for k in rng.permutation(np.repeat(np.arange(9 * suits), 4))[:size])


@pytest.mark.parametrize(
    "rules", ["guiyang", "zhuoji", {"preset": "duole", "hand": {"qi_dui": None}}]
)
def test_waits_fan_and_shanten_agree_with_the_referee(rules: Any) -> None:
    rng = np.random.default_rng(0)
    ruleset = zj.Rules.load(rules).to_dict()
    n_waiting = 0
    for suits in (1, 1, 1, 2, 3) * 12:
        hand = some_hand(rng, 13, suits)
        count = referee.count(hand)
        theirs = referee.waits(count, [], ruleset)
        text = tiles.show(hand)
        mine = zj.waits(text, rules=rules)
        assert mine == [tiles.NAMES[kind] for kind in theirs]
        n_waiting += bool(mine)
        if mine and ruleset["hand"]["qi_dui"] is not None:
            assert zj.shanten(text) == 0
        for name in mine:
            tile = tiles.parse_one(name)
            names = referee.patterns(referee.plus(count, tile), [], tile, ruleset)
            worth = max(ruleset["hand"][pattern] for pattern in names)
            assert zj.fan(text, winning=name, rules=rules) == worth
            full = tiles.show([*hand, tile])
            assert zj.fan(full, winning=name, rules=rules) == worth
            assert zj.shanten(full) == -1
        for tile in set(range(27)) - set(theirs):
            if count[tile] < 4:
                assert zj.fan(text, winning=tiles.NAMES[tile], rules=rules) == 0
    assert n_waiting > 5


def test_a_tile_more_lowers_the_distance_by_one_at_most() -> None:
    rng = np.random.default_rng(1)
    for suits in (1, 2, 3) * 10:
        hand = some_hand(rng, 13, suits)
        far = zj.shanten(tiles.show(hand))
        nearer = [
            zj.shanten(tiles.show([*hand, kind])) for kind in range(27) if hand.count(kind) < 4
        ]
        assert min(nearer) == far - 1
        assert max(nearer) == far


def test_a_number_of_melds_may_be_numpys() -> None:
    assert zj.shanten("123m55p", melds=np.int64(3)) == zj.shanten("123m55p", melds=3) == -1
    with pytest.raises(zj.PositionError, match=r"^melds: .* given; allowed: 0\.\.4$"):
        zj.shanten("123m55p", melds=np.float64(3))  # type: ignore[arg-type]


def test_the_winning_tile_of_a_dragon() -> None:
    dragon = "1111m22446688m55p"
    assert zj.fan(dragon, winning="1m", rules="zhuoji") == 100
    assert zj.fan(dragon, winning="5p", rules="zhuoji") == 60
    assert zj.fan(dragon, rules="zhuoji") == 60
    assert zj.fan("22446688m55p1111m", rules="zhuoji") == 100
    assert zj.fan(dragon, winning="5p", rules="guiyang") == 10


def test_kinds_that_one_holds_all_four_of_are_no_waits() -> None:
    assert zj.waits("5m", LAID) == ["5m"]
    assert zj.waits("1p", LAID) == []
    assert zj.waits("2s3s5m5m", ["men 1s", "peng 9p", "men 2m"]) == ["4s"]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: zj.fan("123m"), "hand: 3 tiles with 0 melds given; allowed: 14"),
        (lambda: zj.fan("1m", LAID), "hand: 1 tiles with 4 melds given; allowed: 2"),
        (lambda: zj.fan("123m", LAID, "5p"), "hand: 3 tiles with 4 melds given; allowed: 1 or 2"),
        (lambda: zj.fan("15m", LAID, "5p"), "winning: 5p is not among the 2 tiles of the hand"),
        (lambda: zj.fan("1m", LAID, "5x"), "winning: '5x' given; allowed: a tile such as 5p"),
        (lambda: zj.fan("1m", LAID, cast(Any, 5)), "winning: 5 given; allowed: a tile such as 5p"),
        (lambda: zj.fan("1p", LAID, "1p"), "hand: 5 of 1p given; allowed: 4"),
        (lambda: zj.waits("1m", ["peng"]), "melds[0]: 'peng' given; allowed: peng T from S"),
        (lambda: zj.waits("1m", "peng 1p"), "melds: allowed: a list of up to 4 melds"),
        (lambda: zj.waits("1m", [*LAID, "men 1s"]), "melds: allowed: a list of up to 4 melds"),
        (lambda: zj.waits("11m", LAID), "hand: 2 tiles with 4 melds given; allowed: 1"),
        (lambda: zj.waits("11111m22223333m"), "hand: 5 of 1m given; allowed: 4"),
        (lambda: zj.waits("12"), "hand: '12' at position 1 lacks its suit letter m, p or s"),
        (
            lambda: zj.waits(cast(Any, None)),
            "hand: tiles are a string such as '123m55p', not NoneType",
        ),
        (lambda: zj.shanten("1m"), "hand: 1 tiles given; allowed: 13 or 14"),
        (lambda: zj.shanten("1m", melds=5), "melds: 5 given; allowed: 0..4"),
        (lambda: zj.shanten("1m", melds=True), "melds: true given; allowed: 0..4"),
        (lambda: zj.shanten("11111m22223333m"), "hand: 5 of 1m given; allowed: 4"),
    ],
)
def test_hands_that_are_none(call: Any, reason: str) -> None:
    with pytest.raises(zj.PositionError) as refused:
        call()
    assert str(refused.value).startswith(reason)
