"""`search` reads the view alone, whatever the batch; its budgets, halving, worlds and finds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from agents.search import Search, budget, make
from agents.search.agent import Field
from agents.search.belief import believed
from agents.search.candidates import NONE, quick_look, shortlist
from agents.search.settings import Belief
from agents.search.worlds import outcomes
from tests.hidden import redealt
from tests.test_determinize import undecided
from tests.test_games import tiles_of
from training import search_gain
from zhuoji_env.actions import BAOTING, HU, PASS
from zhuoji_env.asking import Player
from zhuoji_env.engine import tables as suit_tables
from zhuoji_env.engine.distance import distance_of

Views = NDArray[np.void]
SMALL: dict[str, Any] = {"base": "greedy", "worlds": 14, "candidates": 4}


def small(**changes: Any) -> Search:
    return make(**{**SMALL, **changes})


def positions(steps: int = 24, seed: int = 5) -> zj.Games:
    """Tables in mid-deal that greedy has played to, under several rulesets."""
    games = zj.Games(12, ["guiyang", "zhuoji", "duole"], seed=seed, rules_index=np.arange(12) % 3)
    games.reset()
    greedy = zj.baselines.make("greedy")
    for _ in range(steps):
        games.step(greedy.act(games.view(), games.legal))
    return games[~games.done]


class Timid:
    """Never wins: passes or throws away what it has drawn."""

    name = "timid"

    def reset(self, n: int, seed: int) -> None:
        pass

    def act(self, views: Views, legal: NDArray[np.bool_], observations: Any) -> NDArray[np.int64]:
        return np.where(legal[:, PASS], PASS, legal.argmax(axis=1))


class TestWhatItDecides:
    def test_only_what_is_legal_and_the_only_move_where_there_is_one(self) -> None:
        games = zj.Games(12, ["guiyang", "zhuoji", "duole"], rules_index=np.arange(12) % 3)
        games.reset()
        search, greedy = small(worlds=6), zj.baselines.make("greedy")
        for step in range(60):
            views, legal = games.view(), games.legal
            base = greedy.act(views, legal)
            if step % 6 == 0:
                verdict = search.judge(views, legal)
                live = ~games.done
                assert legal[live, verdict.action[live]].all()
                assert (verdict.base == base).all()
                forced = legal.sum(axis=1) < 2
                assert (verdict.action[forced] == base[forced]).all()
                same = verdict.action == base
                assert (verdict.gap[same] == 0).all()
                assert (verdict.gap[~same] > 2 * verdict.error[~same]).all()
            games.step(base)

    def test_whatever_the_batch_and_the_order(self) -> None:
        games = positions()
        views, legal = games.view(), games.legal
        numbers = np.arange(len(views)) // 2
        search = small(errors=0.0)
        together = search.act(views, legal, None, numbers)
        greedy = zj.baselines.make("greedy").act(views, legal)
        assert (together != greedy).any()
        rows = np.random.default_rng(0).permutation(len(views))
        assert (search.act(views[rows], legal[rows], None, numbers[rows]) == together[rows]).all()
        for i in range(len(views)):
            one = slice(i, i + 1)
            assert search.act(views[one], legal[one], None, numbers[one]) == together[one]
        crowded = small(errors=0.0, tables=60)
        assert (crowded.act(views, legal, None, numbers) == together).all()

    def test_seed_and_table_number_matter(self) -> None:
        games = positions()
        views, legal = games.view(), games.legal
        search = small(errors=0.0)
        once = search.judge(views, legal).gap
        assert (search.judge(views, legal).gap == once).all()
        assert (search.judge(views, legal, np.ones(len(views), np.int64)).gap != once).any()
        search.reset(12, 1)
        assert (search.judge(views, legal).gap != once).any()

    @settings(max_examples=6)
    @given(seed=st.integers(0, 10**9), steps=st.integers(0, 70))
    def test_nothing_hidden_shows(self, seed: int, steps: int) -> None:
        games = undecided(seed, steps, keen=False)
        rng = np.random.default_rng(seed)
        others = [redealt(games[[i]], int(games.seat[i]), rng) for i in range(len(games))]
        search = small(worlds=6, errors=0.0)
        truth = search.judge(games.view(), games.legal)
        anew = search.judge(
            np.concatenate([other.view() for other in others]),
            np.concatenate([other.legal for other in others]),
        )
        assert [part.tobytes() for part in truth] == [part.tobytes() for part in anew]

    def test_a_win_that_the_base_lets_go_is_taken(self) -> None:
        games = zj.Games(200, "zhuoji", seed=3)
        games.reset()
        greedy = zj.baselines.make("greedy")
        while True:
            offered = np.flatnonzero((games.legal_bits >> HU & 1 == 1) & ~games.done)
            views = games.view()
            late = offered[views["wall_left"][offered] < 12]
            if len(late):
                break
            actions = greedy.act(views, games.legal)
            actions[offered] = Timid().act(views[offered], games.legal[offered], None)
            games.step(actions)
        rows = late[:1]
        verdict = small(base=Timid(), rollout=Timid(), worlds=60).judge(
            views[rows], games.legal[rows]
        )
        assert verdict.base[0] != HU
        assert verdict.action[0] == HU

    def test_the_base_stands_where_nothing_is_proved(self) -> None:
        games = positions()
        verdict = small(errors=1e9).judge(games.view(), games.legal)
        assert (verdict.action == verdict.base).all()

    def test_it_stops_when_all_is_decided(self, monkeypatch: pytest.MonkeyPatch) -> None:
        games = positions()
        search = small()
        search.settings = search.settings.model_copy(update={"errors": -1e9, "stages": 9})
        asked: list[int] = []

        def sizes(stage: int) -> list[int]:
            asked.append(stage)
            return [5]

        monkeypatch.setattr(search, "_sizes", lambda n: sizes)
        verdict = search.judge(games.view(), games.legal)
        assert asked == [0]
        assert (verdict.action == verdict.base).all()

    @pytest.mark.slow
    def test_a_match_is_the_same_for_any_threads(self) -> None:
        def factory() -> Search:
            return small(worlds=6)

        one, two = (
            zj.arena.match(factory, "greedy", blocks=2, seed=4, threads=threads)
            for threads in (1, 2)
        )
        assert (one.per_block == two.per_block).all()


class TestShortlist:
    def test_the_base_first_then_by_the_scores_it_offers(self) -> None:
        games = positions()
        views, legal = games.view(), games.legal
        chosen = np.array([np.flatnonzero(row)[-1] for row in legal])

        class Scoring(Timid):
            def scores(self, views: Views) -> NDArray[np.float64]:
                return np.tile(np.arange(58.0), (len(views), 1))

        listed = shortlist(Scoring(), views, chosen, 5)
        for row, may, first in zip(listed, legal, chosen, strict=True):
            expected = [first, *(a for a in np.flatnonzero(may)[::-1] if a != first)][:5]
            assert [a for a in row if a != NONE] == expected

    def test_the_quick_look_puts_greedys_discard_first(self) -> None:
        games = positions()
        views, legal = games.view(), games.legal
        greedy = zj.baselines.make("greedy").act(views, legal)
        looks = quick_look(views)
        assert (np.isfinite(looks) == legal).all()
        discards = greedy < 27
        assert discards.any()
        best = looks[:, :27].max(axis=1)
        assert (looks[np.arange(len(views)), greedy] >= best)[discards].all()


class TestBudget:
    @given(worlds=st.integers(2, 5000), stages=st.integers(1, 5))
    def test_all_worlds_are_played_ever_more_a_stage(self, worlds: int, stages: int) -> None:
        sizes = budget.by_worlds(worlds, stages)
        rounds = [sum(sizes(stage)) for stage in range(stages)]
        assert sum(rounds) == worlds
        assert all(a <= b for a, b in pairwise(rounds))

    @given(
        milliseconds=st.integers(1, 500),
        per_world=st.floats(0.01, 3),
        per_round=st.floats(0.01, 20),
        stages=st.integers(1, 4),
    )
    def test_the_clock_is_over_by_no_more_than_a_round(
        self, milliseconds: int, per_world: float, per_round: float, stages: int
    ) -> None:
        now = 100.0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("time.perf_counter", lambda: now)
            sizes = budget.by_time(milliseconds / 1000, stages, at_once=64)
            spent = []
            for stage in range(stages):
                for n in sizes(stage):
                    assert 1 <= n <= 64
                    spent.append((per_round + per_world * n) / 1000)
                    now += spent[-1]
        assert spent
        assert sum(spent[:-1]) <= milliseconds / 1000
        # What the last takes is foreseen from the ones before, but for the first of all.
        if len(spent) > 1:
            assert now - 100 <= milliseconds / 1000 + max(spent)


class TestField:
    def test_gaps_and_errors_are_those_of_paired_differences(self) -> None:
        rng = np.random.default_rng(1)
        field = Field(np.array([[3, 5, 7], [1, 2, NONE]]))
        at, columns = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1])
        points = rng.integers(-9, 9, (5, 40)).astype(float)
        field.add(at, columns, points[:, :10])
        field.add(at, columns, points[:, 10:])
        means, errors = field.gaps()
        for pair, base in ((1, 0), (2, 0), (4, 3)):
            gaps = points[pair] - points[base]
            place = at[pair], columns[pair]
            assert means[place] == pytest.approx(gaps.mean())
            assert errors[place] == pytest.approx(gaps.std(ddof=1) / 40**0.5)
        assert means[1, 2] == -np.inf

    def test_the_worse_half_and_the_hopeless_are_dropped_never_the_base(self) -> None:
        field = Field(np.array([[0, 1, 2, 3, 4, 5], [0, 1, 2, NONE, NONE, NONE]]))
        at, columns = np.nonzero(field.stands)
        noise = np.tile([1.0, -1.0], 8)
        worth = np.array([0, 3, -5, 2, 1, -5, 0, -5, -6])
        field.add(at, columns, worth[:, None] + np.where(columns[:, None] > 0, noise, 0))
        field.halve(2.0)
        assert field.stands.tolist() == [
            [True, True, False, True, False, False],
            [True, False, False, False, False, False],
        ]
        assert field.open().tolist() == [0]
        verdict = field.verdict(2.0)
        assert verdict.action.tolist() == [1, 0]
        assert verdict.gap.tolist() == [3, 0]


class TestWorlds:
    def test_a_policy_draws_the_same_in_the_same_world(self) -> None:
        games = positions()
        worlds = zj.determinize(games.view(), 3, 1)
        forks = np.tile(np.arange(len(worlds)), 2)
        actions = worlds.legal.argmax(axis=1)[forks]
        points = outcomes(worlds, forks, actions, Player("shanten", zj.baselines.make("shanten")))
        one, other = np.split(points, 2)
        assert (one == other).all()
        assert one.any()

    def test_points_are_the_acting_seats(self) -> None:
        games = positions()
        rows = np.arange(len(games))
        actions = games.legal.argmax(axis=1)
        greedy = zj.baselines.make("greedy")
        points = outcomes(games, rows, actions, Player("greedy", greedy))
        played, seats = games.copy(), games.seat.copy()
        played.step(actions)
        while not played.done.all():
            played.step(greedy.act(played.view(), played.legal))
        assert (points == played.scores[rows, seats]).all()


BELIEF = Belief(keen=0.4, odd=0.3, first=60, between=10, share=5)


def far(worlds: zj.Games, seat: int) -> float:
    """The mean distance of the hands that do not act."""
    needs = suit_tables.needs()
    return float(
        np.mean(
            [
                distance_of(*map(int, g["key"][q]), int(g["n_melds"][q]), needs)  # type: ignore
                for g in worlds.state
                for q in range(4)
                if q != seat
            ]
        )
    )


class TestBelief:
    @settings(max_examples=12)
    @given(seed=st.integers(0, 10**9), steps=st.integers(0, 120), keen=st.booleans())
    def test_a_likely_world_looks_to_its_viewer_as_the_truth_does(
        self, seed: int, steps: int, keen: bool
    ) -> None:
        games = undecided(seed, steps, keen)
        for i in range(len(games)):
            table = games[[i]]
            view = table.view()
            starts = zj.determinize(view, 2, seed)
            worlds = starts[np.repeat([0, 1], BELIEF.share)]
            worlds.state = believed(view, starts, BELIEF, np.random.default_rng(seed))
            assert worlds.view(seats=np.repeat(table.seat, len(worlds))).tobytes() == (
                np.repeat(view, len(worlds)).tobytes()
            )
            assert (tiles_of(worlds) == 4).all()
            seats = np.arange(4) != table.seat[0]
            ready = worlds.state["waits"][:, seats] != 0
            assert ready[worlds.state["baoting"][:, seats] == 1].all()

    def test_hands_are_nearer_to_a_win_than_as_the_tiles_fall(self) -> None:
        games = zj.Games(1, "zhuoji", seed=8)
        games.reset()
        greedy = zj.baselines.make("greedy")
        for _ in range(28):
            games.step(greedy.act(games.view(), games.legal))
        view, seat = games.view(), int(games.seat[0])
        worlds = zj.determinize(view, 60, 1)
        likely = worlds[np.repeat(np.arange(60), 5)]
        likely.state = believed(view, worlds, BELIEF, np.random.default_rng(1))
        indifferent = Belief(keen=0, odd=1, first=60, between=10, share=5)
        plain = likely.copy()
        plain.state = believed(view, worlds, indifferent, np.random.default_rng(1))
        assert far(likely, seat) < far(worlds, seat) - 0.5
        assert abs(far(plain, seat) - far(worlds, seat)) < 0.2


class TestSettings:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"worlds": 1}, "worlds is 1"),
            ({"world": 5}, "world is 5"),
            ({"errors": -1.0}, "errors is -1.0"),
            ({"milliseconds": 0.0}, "milliseconds is 0.0"),
            ({"belief": {"keen": -1}}, "belief.keen is -1"),
            ({"base": "greedi"}, "greedi"),
        ],
    )
    def test_what_is_wrong_is_said_in_one_line(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(zj.ZhuojiError, match=message) as caught:
            make(**changes)
        assert "\n" not in str(caught.value)

    def test_a_time_limit_plays_too(self) -> None:
        games = positions()
        search = make(milliseconds=20.0, worlds=16, belief=None)
        legal = games.legal
        assert legal[np.arange(len(games)), search.act(games.view(), legal)].all()


class TestGain:
    def test_the_script_runs(self, capsys: pytest.CaptureFixture[str]) -> None:
        few = ["--deals", "3", "--tables", "2", "--worlds", "14", "--walls", "2"]
        found = search_gain.main([*few, "--errors", "0.5", "--rules", "zhuoji"])
        assert found.deals == 3
        rows = np.concatenate(found.changes)
        assert (rows["base"] != rows["action"]).all()
        assert (rows["expected"] > 0).all()
        told = capsys.readouterr().out
        assert f"changed {len(rows)}," in told
        assert "gained in the true worlds" in told

    @pytest.mark.parametrize("wrong", [("--base", "greedi"), ("--worlds", "1")])
    def test_what_is_wrong_is_one_line(
        self, wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert search_gain.run(["--deals", "2", *wrong]) == search_gain.BAD_INPUT
        said = capsys.readouterr().err
        assert said.startswith("error: ") and said.count("\n") == 1

    def test_only_what_nobody_has_drawn_is_shuffled(self) -> None:
        games = positions()
        futures = search_gain.shuffled(games, 2, np.random.default_rng(0))
        assert (tiles_of(futures) == 4).all()
        twice = np.tile(np.arange(len(games)), 2)
        same = games[twice]
        assert (futures.view() == same.view()).all()
        assert (futures.state["hand"] == same.state["hand"]).all()
        for g, old in zip(futures.state, same.state, strict=True):
            drawn = np.r_[0 : g["head"], g["tail"] : 108]
            assert (g["wall"][drawn] == old["wall"][drawn]).all()
            assert (g["wall"] != old["wall"]).any()

    def test_a_mean_over_clusters(self) -> None:
        values, deals = np.array([1.0, 3.0, 8.0]), np.array([4, 4, 9])
        average, half = search_gain.mean(values, deals)
        assert average == 4
        # Residuals by deal are -4 and 4: error sqrt(32 * 2 / 1) / 3, t of one degree 12.706.
        assert half == pytest.approx(12.7062 * 8 / 3, rel=1e-4)

    def test_sorts(self) -> None:
        told = [search_gain.sort(a) for a in (0, 26, 27, 28, 54, HU, BAOTING, PASS)]
        assert told == ["discard", "discard", "peng", "gang", "gang", "hu", "baoting", "pass"]
