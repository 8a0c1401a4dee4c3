"""The baselines: golden decisions, DESIGN's greedy word by word, and what every agent promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from tests import decisions, plain_hands
from zhuoji_env import actions, baselines, tiles
from zhuoji_env.actions import HU, PASS
from zhuoji_env.engine.layout import CLAIM, TURN, VIEW

DEALS = decisions.load()


def one(name: str, view: NDArray[np.void], **kwargs: Any) -> str:
    """What a baseline does in one view, as an action string."""
    return actions.NAMES[int(baselines.make(name, **kwargs).act(view, None, None)[0])]


def view_of(
    hand: str,
    *,
    legal: list[str] | None = None,
    melds: str = "",
    tile: str = "",
    rivers: tuple[str, ...] = (),
    unseen: dict[str, int] | None = None,
) -> NDArray[np.void]:
    """A view written down: by default an own turn with every discard legal."""
    view = np.zeros(1, VIEW)
    v = view[0]
    counts = tiles.counts(tiles.parse(hand))
    v["hand"] = counts
    v["key"] = [int(counts[9 * s : 9 * s + 9] @ 5 ** np.arange(9)) for s in range(3)]
    v["tile"] = tiles.parse_one(tile) if tile else -1
    v["phase"] = CLAIM if tile else TURN
    v["n_melds"][0] = len(melds) // 2
    for q, river in enumerate(rivers):
        v["river"][q] = tiles.counts(tiles.parse(river))
    v["unseen"] = 4 - counts - v["river"].sum(axis=0)
    for name, n in (unseen or {}).items():
        v["unseen"][tiles.parse_one(name)] = n
    v["rules"]["hand_qi_dui"] = 7
    names = (
        legal
        if legal is not None
        else [f"discard {tiles.NAMES[k]}" for k in np.flatnonzero(counts)]
    )
    v["legal"] = sum(1 << actions.parse(name) for name in names)
    return view


def played(
    rules: str = "guiyang", n: int = 64, seed: int = 3, stray: float = 0.3
) -> NDArray[np.void]:
    """Views of many decisions, with play partly random."""
    rng = np.random.default_rng(seed)
    games = zj.Games(n, rules, seed=seed)
    games.reset()
    greedy, states = baselines.make("greedy"), rng.integers(0, 2**63, n).astype(np.uint64)
    seen = []
    while not games.done.all():
        views = games.view()
        seen.append(views[~games.done])
        chosen = np.where(
            rng.random(n) < stray, games.sample(states), greedy.act(views, games.legal, None)
        )
        games.step(chosen)
    return np.concatenate(seen)


@pytest.fixture(scope="module")
def seen() -> NDArray[np.void]:
    return played()


class TestGolden:
    @pytest.mark.boundscheck
    @pytest.mark.parametrize("place", range(len(DEALS)))
    def test_decisions_have_not_changed(self, place: int) -> None:
        deal = DEALS[place]
        views = decisions.views(deal)
        assert [actions.NAMES[a] for a in baselines.make("greedy").act(views, None, None)] == deal[
            "greedy"
        ]
        assert [decisions.names(int(bits)) for bits in baselines.candidates(views)] == deal["near"]

    def test_there_are_enough_of_every_sort(self) -> None:
        taken = [text.split()[0] for deal in DEALS for text in deal["greedy"]]
        assert len(taken) >= 300
        assert {verb: taken.count(verb) > 1 for verb in taken} == dict.fromkeys(
            ("discard", "peng", "gang", "hu", "baoting", "pass"), True
        )
        assert sum(len(near) > 1 for deal in DEALS for near in deal["near"]) >= 300

    @pytest.mark.parametrize("place", range(1, len(DEALS), 4))
    def test_every_complete_shape_listed_says_the_same(self, place: int) -> None:
        deal = DEALS[place]
        for view, action, near in zip(
            decisions.views(deal), deal["greedy"], deal["near"], strict=True
        ):
            assert plain_hands.choice(view) == (set(near), action)


class TestGreedy:
    def test_hu_whenever_legal(self) -> None:
        view = view_of("123m456p789s11122s", legal=["hu", "baoting", "discard 1s", "gang 1s"])
        assert {one(name, view) for name in ("greedy", "shanten", "hu_first")} == {"hu"}

    def test_baoting_whenever_legal(self) -> None:
        view = view_of("123m456p789s11229s", legal=["baoting", "discard 9s"])
        assert one("greedy", view) == one("shanten", view) == "baoting"

    def test_smallest_distance_first(self) -> None:
        assert one("greedy", view_of("123m456p789s1122s9m")) == "discard 9m"

    def test_then_the_most_unseen_copies(self) -> None:
        # Without 4m the hand waits for 1m and 3m, without 1m for 3m and 4m.
        pair = view_of("222m333p444s666s14m", unseen={"1m": 3, "4m": 0})
        assert one("greedy", pair) == "discard 4m"
        pair = view_of("222m333p444s666s14m", unseen={"1m": 1, "4m": 2})
        assert one("greedy", pair) == "discard 1m"

    def test_then_a_tile_in_more_rivers(self) -> None:
        tied = {"1m": 2, "5p": 2}
        hand = "222m333p444s666s1m5p"
        assert one("greedy", view_of(hand, unseen=tied)) == "discard 1m"
        rivers = ("", "5p", "", "")
        assert one("greedy", view_of(hand, unseen=tied, rivers=rivers)) == "discard 5p"
        # Two in one river are one river.
        rivers = ("1m", "55p", "", "1m")
        assert one("greedy", view_of(hand, unseen=tied, rivers=rivers)) == "discard 1m"

    def test_gang_where_the_distance_does_not_grow(self) -> None:
        # 111s 123s stand and wait for a pair; without the fourth 1s, 23s wait as well.
        every = ["gang 1s", "discard 1s", "discard 5m", "discard 9p"]
        assert one("greedy", view_of("111123s456p789m5m9p", legal=every)) == "discard 5m"
        four = view_of("123m456p234s5m1111p", legal=["gang 1p", "discard 5m", "discard 1p"])
        assert one("greedy", four) == "gang 1p"

    def test_no_gang_that_breaks_seven_pairs(self) -> None:
        hand = "1111m3355m77p9922s8p"
        view = view_of(hand, legal=["gang 1m", "discard 8p", "discard 1m"])
        assert one("greedy", view) == "discard 8p"

    def test_peng_where_the_distance_shrinks(self) -> None:
        claim = ["peng", "pass"]
        assert one("greedy", view_of("123m1m456p55s79s99p", legal=claim, tile="5s")) == "peng"
        # Ready already; the peng would leave it ready, no nearer.
        assert one("greedy", view_of("123m456p789s55s77m", legal=claim, tile="5s")) == "pass"

    def test_gang_comes_before_peng(self) -> None:
        claim = ["peng", "gang 5s", "pass"]
        assert one("greedy", view_of("123m456p555s79s12m", legal=claim, tile="5s")) == "gang 5s"

    def test_a_missing_pattern_is_no_aim(self) -> None:
        hand = "1111m3355m77p9922s8p"
        view = view_of(hand, legal=["gang 1m", "discard 8p", "discard 1m"])
        view["rules"]["hand_qi_dui"] = -1
        assert one("greedy", view) == "gang 1m"


class TestShanten:
    def test_draws_from_the_nearest_discards_alone(self, seen: NDArray[np.void]) -> None:
        near = baselines.candidates(seen)
        chosen = np.stack(
            [baselines.make("shanten", seed=s).act(seen, None, None) for s in range(40)]
        )
        assert np.all(near >> chosen & 1)
        for bits, column in zip(near[::50], chosen.T[::50], strict=True):
            if bin(int(bits)).count("1") == 2:
                assert len(set(column)) == 2

    def test_is_greedy_but_for_ties(self, seen: NDArray[np.void]) -> None:
        near = baselines.candidates(seen)
        alone = (near & (near - 1)) == 0
        greedy = baselines.make("greedy").act(seen, None, None)
        assert np.all(near >> greedy & 1)
        assert np.array_equal(baselines.make("shanten").act(seen, None, None)[alone], greedy[alone])


class TestRandom:
    def test_every_legal_action_is_as_likely(self) -> None:
        view = np.repeat(view_of("147m258p369s1478m"), 26_000)
        drawn = baselines.make("random", seed=1).act(view, None, None, np.arange(len(view)))
        counts = np.bincount(drawn, minlength=58)
        legal = int(view["legal"][0])
        n = bin(legal).count("1")
        expected = np.array([len(view) / n if legal >> a & 1 else 0 for a in range(58)])
        assert np.all(np.abs(counts - expected) <= 5 * np.sqrt(expected))

    def test_hu_first_differs_in_hu_alone(self, seen: NDArray[np.void]) -> None:
        hu = (seen["legal"] >> HU & 1).astype(bool)
        first = baselines.make("hu_first", seed=9).act(seen, None, None)
        assert hu.any()
        assert np.all(first[hu] == HU)
        assert np.array_equal(
            first[~hu], baselines.make("random", seed=9).act(seen, None, None)[~hu]
        )


class TestAgents:
    @pytest.mark.parametrize("name", baselines.names())
    @settings(deadline=None, max_examples=20)
    @given(data=st.data())
    def test_a_decision_does_not_depend_on_its_batch(self, name: str, data: st.DataObject) -> None:
        views = played(n=4, seed=data.draw(st.integers(0, 1000)))
        tables = np.arange(len(views)) % 7
        agent = baselines.make(name, seed=5)
        whole = agent.act(views, None, None, tables)
        order = np.array(data.draw(st.permutations(range(len(views)))))
        part = order[: data.draw(st.integers(1, len(views)))]
        assert np.array_equal(agent.act(views[part], None, None, tables[part]), whole[part])

    @pytest.mark.parametrize("name", ["random", "hu_first", "shanten"])
    def test_seeds_and_tables_tell_draws_apart(self, name: str, seen: NDArray[np.void]) -> None:
        agent = baselines.make(name)
        agent.reset(64, 1)
        first = agent.act(seen, None, None)
        numbered = agent.act(seen, None, None, np.ones(len(seen), np.int64))
        agent.reset(64, 2)
        assert not np.array_equal(agent.act(seen, None, None), first)
        assert not np.array_equal(numbered, first)
        agent.reset(8, 1)
        assert np.array_equal(agent.act(seen, None, None), first)

    @pytest.mark.parametrize("name", baselines.names())
    @pytest.mark.parametrize("rules", decisions.PRESETS)
    def test_only_legal_actions(self, name: str, rules: str) -> None:
        views = played(rules, n=16)
        assert np.all(views["legal"] >> baselines.make(name).act(views, None, None) & 1)

    def test_they_are_agents(self) -> None:
        assert all(isinstance(zj.baselines.make(name), zj.Agent) for name in baselines.names())

    def test_the_unknown_is_refused_with_the_list(self) -> None:
        with pytest.raises(
            zj.ZhuojiError, match="'gredy'; allowed: random, hu_first, shanten, greedy"
        ):
            baselines.make("gredy")

    def test_a_view_of_something_else_is_refused(self) -> None:
        views: Any = np.zeros(3)
        with pytest.raises(ValueError, match=r"see Games\.view"):
            baselines.make("greedy").act(views, None, None)

    def test_nobody_to_act_passes(self) -> None:
        assert baselines.make("greedy").act(np.zeros(1, VIEW), None, None)[0] == PASS
