"""Worlds for search: consistent with the view, uniform, and without a trace of the truth."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import zhuoji_env as zj
from tests.hidden import redealt
from tests.test_games import PRESETS, tiles_of
from zhuoji_env import tiles
from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine.layout import ROB, rules_of
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.engine.worlds import keep_chance

VARIANTS: tuple[Any, ...] = (
    *PRESETS,
    {"preset": "zhuoji", "baoting": {"enabled": True}, "dou": {"late_added": "passport"}},
    {"preset": "duole", "hand": {"qi_dui": None, "qing_qi_dui": None}},
)


def undecided(seed: int, steps: int, keen: bool) -> zj.Games:
    """Tables in the middle of play; keen seats declare baoting and pass wins."""
    games = zj.Games(12, list(VARIANTS), seed=seed, rules_index=np.arange(12) % len(VARIANTS))
    games.reset()
    states = table_seeds(seed, 12)
    for _ in range(steps):
        actions = games.sample(states)
        actions[games.legal_bits >> (BAOTING if keen else HU) & 1 == 1] = BAOTING if keen else HU
        if games.step(actions):
            games.next_deal()
    return games


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**9), steps=st.integers(0, 160), keen=st.booleans())
def test_a_world_looks_to_its_viewer_as_the_truth_does(seed: int, steps: int, keen: bool) -> None:
    games = undecided(seed, steps, keen)
    views = games.view()
    worlds = zj.determinize(views, 2, seed)
    assert len(worlds) == 2 * len(games)
    again = worlds.view(seats=np.repeat(games.seat, 2))
    assert again.tobytes() == np.repeat(views, 2).tobytes()
    assert (tiles_of(worlds) == 4).all()
    assert (np.sort(worlds.state["wall"], axis=1) == np.repeat(np.arange(27), 4)).all()
    for g in worlds.state:
        for seat in range(4):
            assert not g["baoting"][seat] or seat == g["seat"] or g["waits"][seat]
    states = table_seeds(seed, len(worlds))
    for _ in range(500):
        if worlds.step(worlds.sample(states)) == len(worlds):
            break
    assert worlds.done.all()
    assert (worlds.scores.sum(axis=1) == 0).all()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**9), steps=st.integers(0, 120))
def test_no_trace_of_what_is_hidden(seed: int, steps: int) -> None:
    games = undecided(seed, steps, keen=False)
    rng = np.random.default_rng(seed)
    for i in range(len(games)):
        table = games[[i]]
        other = redealt(table, int(table.seat[0]), rng)
        other.state["seed"] += 1
        other.state["deal"] += 1
        worlds = zj.determinize(table.view(), 2, 7)
        assert zj.determinize(other.view(), 2, 7).state.tobytes() == worlds.state.tobytes()


def last_tiles(left: int, seed: int) -> zj.Games:
    """A deal played until so few tiles are undrawn, somebody to act on their own turn."""
    games = zj.Games(1, "zhuoji", seed=seed)
    games.reset()
    states = table_seeds(seed, 1)
    while True:
        g = games.state[0]
        if g["tail"] - g["head"] <= left and g["phase"] == 1:
            return games
        actions = games.sample(states)
        if games.step(actions):
            games.next_deal()


def test_the_wall_is_uniform_over_the_unseen_tiles() -> None:
    games = last_tiles(2, 3)
    view = games.view()
    worlds = zj.determinize(view, 40_000, 1)
    first = worlds.state["wall"][np.arange(len(worlds)), worlds.state["head"].astype(int)]
    seen = np.bincount(first, minlength=27)
    unseen = view["unseen"][0].astype(float)
    held = unseen > 0
    assert (seen[~held] == 0).all()
    expected = unseen[held] / unseen.sum() * len(worlds)
    assert chisquare(seen[held], expected).pvalue > 1e-4


def baoting_view(unseen: dict[str, int], baoting: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A view in which some of the others are baoting and the rest hold one tile beside melds."""
    games = undecided(1, 0, keen=False)[[0]]
    view = games.view()
    v = view[0]
    v["unseen"] = 0
    for tile, n in unseen.items():
        v["unseen"][tiles.parse_one(tile)] = n
    v["baoting"][list(baoting)] = 1
    for place in {1, 2, 3} - set(baoting):
        v["n_melds"][place] = 4
        v["meld_type"][place] = 1
        v["meld_kind"][place] = (20, 21, 22, 23)
    held = sum(13 if place in baoting else 1 for place in (1, 2, 3))
    v["wall_left"] = sum(unseen.values()) - held
    return view


def test_a_baoting_hand_is_uniform_among_the_ready_ones() -> None:
    unseen = {"1m": 4, "2m": 4, "3m": 3, "5p": 3, "6p": 2, "9s": 2}
    view = baoting_view(unseen, (1,))
    worlds = zj.determinize(view, 40_000, 5)
    q = (int(view["seat"][0]) + 1) % 4
    drawn = Counter(map(tuple, worlds.state["hand"][:, q].tolist()))
    ways: dict[tuple[int, ...], int] = {}
    kinds = [tiles.parse_one(tile) for tile in unseen]
    for counts in product(*(range(n + 1) for n in unseen.values())):
        hand = np.zeros(27, int)
        hand[kinds] = counts
        if hand.sum() == 13 and zj.waits(tiles.show(np.repeat(np.arange(27), hand).tolist())):
            ways[tuple(hand.tolist())] = prod(map(comb, unseen.values(), counts))
    assert set(drawn) <= set(ways)
    assert len(ways) > 20
    # Rare hands together, so that every class is expected often enough for the test to hold.
    common = [hand for hand, n in ways.items() if n * 40_000 / sum(ways.values()) >= 10]
    seen = [drawn[hand] for hand in common]
    expected = [ways[hand] * 40_000 / sum(ways.values()) for hand in common]
    seen.append(40_000 - sum(seen))
    expected.append(40_000 - sum(expected))
    if expected[-1] < 10:
        seen[-2:], expected[-2:] = [sum(seen[-2:])], [sum(expected[-2:])]
    assert chisquare(seen, expected).pvalue > 1e-4


def test_two_baoting_hands_are_drawn_jointly() -> None:
    """By symmetry both seats' hands are distributed alike, whichever is drawn first."""
    view = baoting_view(dict.fromkeys(tiles.NAMES, 3), (1, 3))
    worlds = zj.determinize(view, 5_000, 5)
    seat = int(view["seat"][0])
    one, other = (worlds.state["hand"][:, (seat + k) % 4].mean(axis=0) for k in (1, 3))
    assert np.abs(one - other).max() < 0.1
    assert (worlds.state["waits"][:, [(seat + 1) % 4, (seat + 3) % 4]] != 0).all()


@settings(deadline=None)
@given(u=st.integers(0, 4), t=st.integers(0, 4), h=st.integers(0, 4))
def test_the_chance_to_keep_a_hand(u: int, t: int, h: int) -> None:
    if t > u or h > u:
        return
    pool, taken, hand = (np.zeros(27, np.int8) for _ in range(3))
    pool[5], taken[5], hand[5] = u, t, h
    assert keep_chance(pool, taken, hand) == pytest.approx(comb(u - t, h) / comb(u, h))


def test_no_ready_hand_fits() -> None:
    view = baoting_view({"1m": 1, "4m": 1, "7m": 1, "1p": 4, "4p": 4, "7p": 4, "1s": 2}, (1,))
    view["unseen"] = 0
    for tile in ("1m", "4m", "7m", "1p", "4p", "7p", "1s", "4s", "7s", "9m", "9p", "2m", "9s"):
        view["unseen"][0, tiles.parse_one(tile)] = 1
    view["unseen"][0, tiles.parse_one("5s")] = 1
    view["unseen"][0, tiles.parse_one("8p")] = 1
    view["unseen"][0, tiles.parse_one("8m")] = 1
    view["wall_left"] = 1
    with pytest.raises(ValueError, match="no ready hands fit"):
        zj.determinize(view, 1, 0)


@pytest.mark.parametrize(
    ("change", "n", "message"),
    [({}, 0, "n is 0"), ({"legal": 0}, 1, "nothing to decide"), ({"phase": 5}, 1, "nothing to")],
)
def test_what_cannot_be_determinized(change: dict[str, int], n: int, message: str) -> None:
    view = undecided(1, 5, keen=False)[[0]].view()
    for name, value in change.items():
        view[name] = value
    with pytest.raises(ValueError, match=message):
        zj.determinize(view, n, 0)


def robbed_position(late_added: str) -> np.ndarray[Any, Any]:
    """A view of somebody who may rob a kong added with a tile of unknown origin."""
    rules = {
        "preset": "guiyang",
        "dou": {"late_added": late_added},
        "win": {"passport": False},
    }
    games = zj.Games(400, rules, seed=5)
    games.reset()
    states = table_seeds(5, 400)
    gangs = ((1 << 27) - 1) << GANG
    while True:
        asked = np.flatnonzero(games.phase == ROB)
        if len(asked):
            return games.view()[asked[:1]]
        actions = games.sample(states)
        legal = games.legal_bits
        for i in np.flatnonzero(legal & (gangs | 1 << PENG)):
            bits = int(legal[i]) & (gangs | 1 << PENG)
            actions[i] = bits.bit_length() - 1
        if games.step(actions):
            games.next_deal()


@pytest.mark.parametrize(
    ("late_added", "low", "high"),
    [("full", 0.0, 0.0), ("forbid", 0.0, 0.0), ("passport", 0.5, 0.99)],
)
def test_an_added_kong_comes_late_as_often_as_its_tile_was_held(
    late_added: str, low: float, high: float
) -> None:
    view = robbed_position(late_added)
    worlds = zj.determinize(view, 2000, 3)
    while (worlds.phase == ROB).any():
        worlds.step(np.where(worlds.phase == ROB, PASS, worlds.legal.argmax(axis=1)))
    shooter = (int(view["seat"][0]) + int(view["shooter"][0])) % 4
    added = worlds.state["meld_kind"][:, shooter] == view["tile"][0]
    late = worlds.state["meld_late"][:, shooter][added].mean()
    assert low <= late <= high


def test_rules_survive_the_view() -> None:
    for variant in VARIANTS:
        games = zj.Games(1, variant)
        games.reset()
        assert rules_of(games.view()[0]["rules"]) == zj.Rules.load(variant)
    games = zj.Games(1, "duole")
    games.reset()
    assert zj.determinize(games.view(), 1, 0).rules[0].name == "duole"
