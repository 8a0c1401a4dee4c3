"""Matches: blocks, seatings, intervals, who may play, and `zhuoji arena`."""

from __future__ import annotations

import json
import sys
import threading
import time
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from zhuoji_env.arena import LAYOUTS, MatchResult, match, planner, table
from zhuoji_env.arena.panel import FIGURES, MEANINGS, intervals, paired_intervals, panel
from zhuoji_env.arena.play import OUTCOME
from zhuoji_env.arena.stats import interval
from zhuoji_env.arena.tally import Tally, from_lines, to_line
from zhuoji_env.cli import main
from zhuoji_env.engine.layout import (
    DISCARD_WIN,
    DRAW,
    ITEMS,
    PATTERNS,
    ROB_WIN,
    SELF_DRAW,
    VIEW,
)
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.rules import presets

Capture = pytest.CaptureFixture[str]
NAMES = ("random", "hu_first", "shanten", "greedy")


class FirstLegal:
    """An agent of three arguments, as DESIGN's protocol has it."""

    def reset(self, n: int, seed: int) -> None: ...

    def act(
        self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
    ) -> NDArray[np.int64]:
        assert views.dtype == VIEW
        assert np.array_equal(views["legal"][:, None] >> np.arange(58) & 1, legal)
        return legal.argmax(axis=1)


class Watcher(FirstLegal):
    """Asks for observations and checks that they are of the same seats."""

    needs_observations = True
    asked: ClassVar[int] = 0

    def act(
        self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
    ) -> NDArray[np.int64]:
        planes, rows = observations
        assert np.array_equal(planes[:, 0], views["hand"])
        assert len(rows) == len(views)
        Watcher.asked += len(views)
        return super().act(views, legal, None)


class Alone(FirstLegal):
    """Notices two threads at a time."""

    def __init__(self) -> None:
        self.inside = threading.Lock()
        self.threads: set[int] = set()

    def act(
        self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
    ) -> NDArray[np.int64]:
        assert self.inside.acquire(blocking=False), "two threads in one agent"
        self.threads.add(threading.get_ident())
        time.sleep(0.0005)
        self.inside.release()
        return super().act(views, legal, None)


class Cheat(FirstLegal):
    def act(
        self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
    ) -> NDArray[np.int64]:
        return legal.argmin(axis=1)


class Short(FirstLegal):
    def act(
        self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
    ) -> NDArray[np.int64]:
        return legal.argmax(axis=1)[:-1]


def by_hand(a: str, b: str, rules: str, seed: int, block: int, layout: str, draws: int) -> float:
    """One block through Games alone, decision by decision."""
    points = 0
    for seats in LAYOUTS[layout]:
        games = zj.Games(1, rules, seed=seed, purpose="arena", first=block)
        games.reset()
        agents = [zj.baselines.make(a if seat in seats else b, seed=draws) for seat in range(4)]
        while not games.done[0]:
            view = games.view()
            action = agents[games.seat[0]].act(view, None, None, np.array([block]))
            games.step(action)
        points += int(games.scores[0, list(seats)].sum())
    return points / sum(map(len, LAYOUTS[layout]))


class TestBlocks:
    @pytest.mark.boundscheck
    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("rules", ["guiyang", "zhuoji"])
    def test_a_block_is_one_wall_and_dealer_dealt_for_every_seating(
        self, layout: str, rules: str
    ) -> None:
        result = match("greedy", "hu_first", rules, blocks=6, seed=5, layout=layout)
        draws = int(np.random.SeedSequence([5, 2]).generate_state(1)[0])
        expected = [by_hand("greedy", "hu_first", rules, 5, k, layout, draws) for k in range(6)]
        assert result.per_block.tolist() == expected
        assert result.mean == np.mean(expected)
        assert result.deals == 6 * len(LAYOUTS[layout])

    def test_seatings_name_every_seat_equally_often(self) -> None:
        counts = {name: np.bincount(np.concatenate(s)).tolist() for name, s in LAYOUTS.items()}
        assert counts == {
            "one-vs-three": [1] * 4,
            "three-vs-one": [3] * 4,
            "two-vs-two": [3] * 4,
            "swap": [4] * 4,
        }

    def test_walls_are_the_arenas_own(self) -> None:
        families = {p: set(table_seeds(0, 100, p).tolist()) for p in ("free", "training", "arena")}
        assert not families["arena"] & (families["free"] | families["training"])

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("name", NAMES)
    def test_equals_end_every_block_at_zero(self, name: str, layout: str) -> None:
        result = match(name, name, blocks=20, seed=1, layout=layout)
        assert np.array_equal(result.per_block, np.zeros(20))
        assert (result.mean, result.low, result.high) == (0, 0, 0)

    @pytest.mark.parametrize("layout", ["two-vs-two", "swap"])
    @pytest.mark.parametrize(("a", "b"), [("greedy", "random"), ("shanten", "hu_first")])
    def test_sides_swapped_are_the_negative(self, a: str, b: str, layout: str) -> None:
        there = match(a, b, "duole", blocks=15, seed=2, layout=layout)
        back = match(b, a, "duole", blocks=15, seed=2, layout=layout)
        assert np.any(there.per_block != 0)
        assert np.array_equal(there.per_block, -back.per_block)
        assert there.panel["a"] == back.panel["b"]

    def test_one_against_three_is_three_against_one_seen_from_the_other_side(self) -> None:
        one = match("greedy", "shanten", blocks=15, seed=2)
        three = match("shanten", "greedy", blocks=15, seed=2, layout="three-vs-one")
        assert np.allclose(one.per_block, -3 * three.per_block)

    @settings(deadline=None, max_examples=15)
    @given(
        pair=st.sampled_from([("greedy", "random"), ("shanten", "hu_first")]),
        layout=st.sampled_from(list(LAYOUTS)),
        tables=st.integers(1, 50),
        threads=st.integers(1, 3),
    )
    def test_the_result_depends_on_neither_tables_nor_threads(
        self, pair: tuple[str, str], layout: str, tables: int, threads: int
    ) -> None:
        plain = match(*pair, blocks=7, seed=3, layout=layout)
        other = match(*pair, blocks=7, seed=3, layout=layout, tables=tables, threads=threads)
        assert plain.to_dict(per_block=True) == other.to_dict(per_block=True)

    def test_a_longer_match_begins_with_the_shorter(self) -> None:
        short = match("greedy", "random", blocks=5, seed=8)
        long = match("greedy", "random", blocks=9, seed=8)
        assert np.array_equal(long.per_block[:5], short.per_block)
        assert not np.array_equal(
            match("greedy", "random", blocks=5, seed=9).per_block, short.per_block
        )

    def test_two_rulesets_share_walls_and_dealers(self) -> None:
        house = zj.Rules.load({"preset": "guiyang", "deal": {"first_dealer": "dice"}})
        pair = match("greedy", "random", ("guiyang", house), blocks=12, seed=4)
        # The rulesets differ in who deals first alone, and the second takes the first's dealers.
        assert np.array_equal(pair.first.per_block, pair.second.per_block)
        assert (pair.mean, pair.low, pair.high) == (0, 0, 0)
        priced = match("greedy", "random", ("guiyang", "duole"), blocks=12, seed=4)
        assert np.array_equal(priced.per_block, priced.first.per_block - priced.second.per_block)
        assert priced.first.per_block.tolist() == pair.first.per_block.tolist()
        assert priced.to_dict()["second"]["rules"] == "duole"

    def test_two_rulesets_are_paired_in_every_figure(self) -> None:
        result = match("greedy", "shanten", ("guiyang", "duole"), blocks=40, seed=4)
        for side, gaps in result.panel.items():
            for key, gap in gaps.items():
                one, other = result.first.panel[side][key], result.second.panel[side][key]
                if gap is None:
                    assert one is None or other is None
                else:
                    assert one is not None and other is not None
                    assert gap.mean == one - other
                    assert gap.low <= gap.mean <= gap.high or key in ("cvar", "fan_95")
        points = result.panel["a"]["points"]
        assert points is not None
        assert points == pytest.approx((result.mean, result.low, result.high), rel=0.2)
        told = json.loads(json.dumps(result.to_dict()))
        assert told["panel"]["a"]["points"]["mean"] == points.mean

    def test_one_ruleset_twice_differs_in_nothing(self) -> None:
        result = match("greedy", "shanten", ("guiyang", "guiyang"), blocks=8, seed=4)
        for gaps in result.panel.values():
            assert all(gap is None or gap == (0, 0, 0) for gap in gaps.values())

    def test_progress_comes_to_its_end(self) -> None:
        told: list[tuple[int, int]] = []
        match("random", "random", blocks=3, progress=lambda k, n: told.append((k, n)))
        assert told[-1] == (12, 12)
        assert [k for k, _ in told] == sorted(k for k, _ in told)
        told.clear()
        rules = ("guiyang", "duole")
        match("random", "random", rules, blocks=3, progress=lambda k, n: told.append((k, n)))
        assert told[-1] == (24, 24)


class TestOpenTable:
    def test_a_block_is_every_order_of_the_four(self) -> None:
        result = table(NAMES, blocks=3, seed=5)
        assert result.deals == 3 * 24
        draws = int(np.random.SeedSequence([5, 2]).generate_state(1)[0])
        points = np.zeros(4)
        for order in permutations(range(4)):
            games = zj.Games(1, seed=5, purpose="arena", first=2)
            games.reset()
            agents = [zj.baselines.make(NAMES[k], seed=draws) for k in order]
            while not games.done[0]:
                action = agents[games.seat[0]].act(games.view(), None, None, np.array([2]))
                games.step(action)
            points[list(order)] += games.scores[0]
        assert result.per_block[2].tolist() == (points / 24).tolist()

    def test_the_points_of_a_block_add_up_to_zero(self) -> None:
        result = table(NAMES, "zhuoji", blocks=10, seed=1)
        assert np.allclose(result.per_block.sum(axis=1), 0)
        assert [points.mean for points in result.points] == result.per_block.mean(axis=0).tolist()
        assert result.points[3].low > result.points[0].high

    def test_equals_end_every_block_at_zero(self) -> None:
        assert not np.any(table(["greedy"] * 4, blocks=4).per_block)

    def test_neither_threads_nor_the_order_of_names_matter(self) -> None:
        there = table(NAMES, blocks=3, seed=2)
        back = table(NAMES[::-1], blocks=3, seed=2, threads=2, tables=7)
        assert np.array_equal(there.per_block, back.per_block[:, ::-1])
        assert there.panels == back.panels[::-1]

    def test_three_are_refused(self) -> None:
        with pytest.raises(zj.ZhuojiError, match="an open table has 3 agents; allowed: 4"):
            table(NAMES[:3], blocks=2)


class TestPlan:
    def test_the_blocks_it_names_are_the_fewest(self) -> None:
        for half_width, deviation in ((0.05, 1.3), (0.5, 0.2), (10, 0.1), (1, 0)):
            blocks = planner.blocks_for(half_width, deviation)
            assert blocks >= 2
            halves = [self.half(n, deviation) for n in (blocks - 1, blocks)]
            assert halves[1] <= half_width
            assert blocks == 2 or halves[0] > half_width

    def half(self, n: int, deviation: float) -> float:
        from scipy import stats

        return stats.t.ppf(0.975, n - 1) * deviation / n**0.5 if n > 1 else float("inf")

    def test_a_pilot_says_what_a_match_needs(self) -> None:
        told = planner.plan("greedy", "random", 0.2, pilot=40, seed=1)
        pilot = match("greedy", "random", blocks=40, seed=1).per_block
        assert told.deviation == pytest.approx(pilot.std(ddof=1))
        assert told.fewest < told.blocks < told.most
        assert told.deals == 4 * told.blocks
        assert told.seconds > 0
        longer = match("greedy", "random", blocks=told.most, seed=2)
        assert (longer.high - longer.low) / 2 < 0.2

    @pytest.mark.parametrize("width", [0, -1, float("nan"), 1e-9])
    def test_what_no_match_reaches_is_refused(self, width: float) -> None:
        with pytest.raises(zj.ZhuojiError, match="half width is"):
            planner.plan("greedy", "random", width, pilot=3)


class TestStrength:
    @pytest.mark.parametrize("rules", presets())
    def test_the_baselines_stand_in_their_order(self, rules: str) -> None:
        assert match("greedy", "random", rules, blocks=100, seed=1).low > 0
        assert match("shanten", "hu_first", rules, blocks=100, seed=1).low > 0
        assert match("greedy", "shanten", rules, blocks=300, seed=1).low > 0


@pytest.fixture(scope="module")
def result() -> MatchResult:
    return match("greedy", "shanten", "zhuoji", blocks=200, seed=6)


class TestPanel:
    def test_shares_add_up(self, result: MatchResult) -> None:
        for figures in result.panel.values():
            assert set(figures) == set(MEANINGS)
            known = {key: value or 0.0 for key, value in figures.items()}
            ways = known["self_draw"] + known["discard_win"] + known["rob_win"]
            assert known["win"] == pytest.approx(ways)
            money = sum(known[f"points_{what}"] for what in ITEMS)
            assert known["points"] == pytest.approx(money)

    def test_both_sides_tell_of_the_same_deals(self, result: MatchResult) -> None:
        a, b = ({k: v or 0.0 for k, v in result.panel[s].items()} for s in "ab")
        assert a["points"] == pytest.approx(result.mean)
        assert a["points"] + 3 * b["points"] == pytest.approx(0)
        assert a["draw"] == b["draw"]
        # Every deal is drawn or won; more than one may win on a tile.
        assert a["win"] + 3 * b["win"] + a["draw"] >= 1
        assert a["self_draw"] + 3 * b["self_draw"] <= 1 - a["draw"]

    def test_figures_of_deals_told_one_by_one(self) -> None:
        result = match("greedy", "greedy", blocks=10, seed=7)
        games = zj.Games(10, seed=7, purpose="arena")
        games.reset()
        greedy = zj.baselines.make("greedy")
        while not games.done.all():
            games.step(greedy.act(games.view(), None, None))
        state, figures = games.state, result.panel["a"]
        drawn = state["end"] == DRAW
        shot = np.isin(state["end"], (DISCARD_WIN, ROB_WIN))
        won = state["winners"][:, None] >> np.arange(4) & 1
        assert figures["draw"] == pytest.approx(drawn.mean())
        assert figures["win"] == pytest.approx(won.mean())
        assert figures["self_draw"] == pytest.approx((state["end"] == SELF_DRAW).mean() / 4)
        assert figures["deal_in"] == pytest.approx(shot.mean() / 4)
        assert figures["mean_fan"] == pytest.approx(state["fan"][won == 1].mean())
        assert figures["points"] == 0
        assert figures["turn"] == pytest.approx(state["n_draws"][won == 1].mean())
        for place, pattern in enumerate(PATTERNS):
            share = (state["pattern"][won == 1] == place).mean()
            assert figures[f"pattern_{pattern}"] == pytest.approx(share)
        dealers = state["scores"][np.arange(10), state["dealer"]]
        assert figures["dealer_points"] == pytest.approx(dealers.mean())
        assert figures["other_points"] == pytest.approx(-dealers.mean() / 3)
        assert figures["dealer_win"] == pytest.approx(won[np.arange(10), state["dealer"]].mean())
        fans = np.sort(state["fan"][won == 1])
        assert figures["fan_95"] == fans[int(np.ceil(0.95 * len(fans))) - 1]
        # Forty seats, each four times: the worst 5% are the two worst of them.
        assert figures["cvar"] == pytest.approx(np.sort(state["scores"].ravel())[:2].mean())

    def test_the_worst_deals_are_taken_in_part(self) -> None:
        deals = np.zeros(10, OUTCOME)
        deals["scores"][:, 0] = [-9, -4, -1, *range(7)]
        seats = np.tile(np.array([0, 1, 1, 1], np.int8), (10, 1))
        # Half a deal of ten.
        assert panel(deals, seats, 0)["cvar"] == -9
        deals = np.repeat(deals, 3)
        seats = np.repeat(seats, 3, axis=0)
        deals["scores"][:2, 0] = -12, -10
        # One and a half of thirty.
        assert panel(deals, seats, 0)["cvar"] == pytest.approx((-12 - 10 / 2) / 1.5)

    def test_every_figure_has_an_interval_around_it(self, result: MatchResult) -> None:
        told = intervals(result.tallies[0], seed=1)
        assert list(told) == list(FIGURES)
        for key, cell in told.items():
            if cell is None:
                assert result.panel["a"][key] is None
            else:
                assert cell.mean == result.panel["a"][key]
                assert cell.low <= cell.high
        points = told["points"]
        assert points is not None
        assert points == pytest.approx((result.mean, result.low, result.high), rel=0.2)
        assert intervals(result.tallies[0], seed=1) == told
        assert paired_intervals(result.tallies[0], result.tallies[0])["win"] == (0, 0, 0)

    def test_a_tally_comes_back_from_its_lines(self) -> None:
        result = match("greedy", "shanten", blocks=5, seed=6, layout="swap")
        for one in result.tallies:
            parts = [
                Tally(
                    one.counts[[k]],
                    *(x for v, b in ((one.scores, one.score_block), (one.fans, one.fan_block))
                      for x in (v[b == k], np.zeros((b == k).sum(), np.int64))),
                )
                for k in range(5)
            ]  # fmt: skip
            lines = json.loads(json.dumps([to_line(part) for part in parts]))
            back = from_lines(lines, range(5), 5)
            assert all(np.array_equal(x, y) for x, y in zip(one, back, strict=True))
            doubled = from_lines(lines * 2, [*range(5)] * 2, 5)
            assert np.array_equal(doubled.counts, 2 * one.counts)

    def test_nothing_to_count_is_none(self) -> None:
        drawn = np.zeros(2, OUTCOME)
        drawn["end"] = DRAW
        figures = panel(drawn, np.zeros((2, 4), np.int8), 0)
        assert (figures["win"], figures["draw"], figures["ready_at_draw"]) == (0, 1, 0)
        assert figures["mean_fan"] is None
        drawn["end"] = SELF_DRAW
        assert panel(drawn, np.zeros((2, 4), np.int8), 0)["ready_at_draw"] is None


class TestIntervals:
    def test_students(self) -> None:
        # t(0.975, 3) = 3.182446; the standard error is sqrt(5/3) / 2.
        mean, low, high = interval(np.array([1.0, 2.0, 3.0, 4.0]))
        half = 3.182446 * (5 / 3) ** 0.5 / 2
        assert (mean, low, high) == pytest.approx((2.5, 2.5 - half, 2.5 + half))

    def test_bootstrap(self) -> None:
        values = np.random.default_rng(0).normal(3, 2, 400)
        boot = interval(values, "bootstrap", seed=1)
        student = interval(values)
        assert boot.mean == student.mean
        assert (boot.low, boot.high) == pytest.approx((student.low, student.high), abs=0.05)
        assert boot == interval(values, "bootstrap", seed=1)
        assert boot != interval(values, "bootstrap", seed=2)

    def test_equal_values_have_no_width(self) -> None:
        assert interval(np.full(5, 2.0)) == interval(np.full(5, 2.0), "bootstrap") == (2, 2, 2)

    def test_without_scipy_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "scipy", None)
        with pytest.raises(zj.ZhuojiError, match=r"pip install 'zhuoji\[arena\]'"):
            match("random", "random", blocks=2)


class TestEntrants:
    def test_a_spec_a_factory_and_an_agent_are_the_same(self) -> None:
        ways: list[Any] = [f"{__name__}:FirstLegal", FirstLegal, FirstLegal()]
        results = [match(way, "greedy", blocks=4, seed=1, threads=2) for way in ways]
        assert len({tuple(r.per_block) for r in results}) == 1
        assert [r.a for r in results] == [ways[0], "FirstLegal", "FirstLegal"]

    def test_a_factory_may_lie_in_the_working_directory(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "players_of_my_own.py").write_text(
            "from zhuoji_env.baselines import make\n\ndef player():\n    return make('greedy')\n"
        )
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
        mine = match("players_of_my_own:player", "random", blocks=3)
        assert mine.per_block.tolist() == match("greedy", "random", blocks=3).per_block.tolist()

    def test_observations_come_where_they_are_asked_for(self) -> None:
        before = Watcher.asked
        watched = match(Watcher(), "greedy", blocks=3, seed=1)
        assert Watcher.asked > before
        assert np.array_equal(
            watched.per_block, match(FirstLegal(), "greedy", blocks=3, seed=1).per_block
        )

    def test_a_shared_agent_is_asked_by_one_thread_at_a_time(self) -> None:
        agent = Alone()
        match(agent, agent, blocks=20, threads=3, tables=4)
        assert len(agent.threads) > 1

    @pytest.mark.parametrize("threads", [1, 2])
    def test_an_illegal_action_names_the_agent(self, threads: int) -> None:
        with pytest.raises(
            zj.ZhuojiError, match=r"agent 'Cheat', deal \d+: .* is not legal; legal:"
        ):
            match("greedy", Cheat(), blocks=2, threads=threads)

    def test_actions_of_the_wrong_shape_are_refused(self) -> None:
        with pytest.raises(zj.ZhuojiError, match=r"agent 'Short' gave int64 of shape"):
            match(Short(), "greedy", blocks=2)

    @pytest.mark.parametrize(
        ("spec", "reason"),
        [
            ("gredy", "unknown agent 'gredy'; did you mean greedy? allowed: random, hu_first"),
            ("no_such_module:x", "No module named 'no_such_module'"),
            ("json:nothing", "json has no 'nothing'"),
            ("sys:path", "path is list, not callable"),
            ("os:getcwd", "str has no reset and act"),
            (3, "an agent is int; allowed: a spec, an Agent or its factory"),
            (dict, "dict has no reset and act"),
        ],
    )
    def test_what_is_no_agent_is_refused(self, spec: Any, reason: str) -> None:
        with pytest.raises(zj.ZhuojiError) as caught:
            match(spec, "random", blocks=2)
        assert reason in str(caught.value)

    @pytest.mark.parametrize(
        ("wrong", "reason"),
        [
            ({"blocks": 1}, "blocks is 1; allowed: 2 or more"),
            ({"seed": -1}, "seed is -1; allowed: 0 or more"),
            ({"threads": 0}, "threads is 0; allowed: 1 or more"),
            ({"tables": 0}, "tables is 0; allowed: 1 or more"),
            ({"layout": "one"}, "unknown layout 'one'; allowed: one-vs-three"),
            ({"interval": "z"}, "unknown interval 'z'; allowed: t, bootstrap"),
            ({"rules": "guiyan"}, "unknown preset guiyan"),
        ],
    )
    def test_bad_arguments_are_refused(self, wrong: dict[str, Any], reason: str) -> None:
        with pytest.raises(zj.ZhuojiError) as caught:
            match("random", "random", **{"blocks": 2, **wrong})
        assert reason in str(caught.value)


class TestCommand:
    def run(self, capsys: Capture, *args: str) -> str:
        assert main(["arena", *args]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    def test_json_is_the_result(self, capsys: Capture) -> None:
        args = ("--a", "greedy", "--b", "random", "--blocks", "10", "--seed", "1")
        told = json.loads(self.run(capsys, *args, "--threads", "2", "--json", "--per-block"))
        result = match("greedy", "random", blocks=10, seed=1)
        assert told == result.to_dict(per_block=True)
        assert told["per_block"] == result.per_block.tolist()
        assert "per_block" not in json.loads(self.run(capsys, *args, "--json"))

    def test_the_table_has_the_interval_and_the_panel(self, capsys: Capture) -> None:
        lines = self.run(capsys, "--a", "greedy", "--b", "random", "--blocks", "10").splitlines()
        result = match("greedy", "random", blocks=10)
        assert lines[0] == (
            "greedy against random: one-vs-three, guiyang, seed 0, 10 blocks, 40 deals"
        )
        assert (
            f"{result.mean:+.3f}, 95% interval {result.low:+.3f} .. {result.high:+.3f}" in lines[1]
        )
        assert lines[2].split() == ["greedy", "random"]
        assert len(lines) == 3 + len(MEANINGS)
        assert lines[4].split()[0] == f"{result.panel['a']['win']:.2%}"

    def test_two_rulesets(self, capsys: Capture) -> None:
        args = ("--a", "greedy", "--b", "random", "--blocks", "4", "--rules", "guiyang")
        out = self.run(capsys, *args, "--rules", "duole")
        rows = out.splitlines()
        assert "guiyang less duole, bootstrapped 95% intervals:" in rows
        assert rows[-1].startswith("guiyang less duole: ")
        assert rows[-1].endswith(" (t, over pairs of blocks)")
        again = self.run(capsys, *args, "--rules", "duole", "--interval", "bootstrap")
        assert again.splitlines()[-1].endswith(" (bootstrap, over pairs of blocks)")

    def test_an_open_table(self, capsys: Capture) -> None:
        args = ("--agents", ",".join(NAMES), "--blocks", "3", "--seed", "2")
        told = json.loads(self.run(capsys, *args, "--json", "--per-block"))
        assert told == table(NAMES, blocks=3, seed=2).to_dict(per_block=True)
        printed = self.run(capsys, *args).splitlines()
        assert printed[4].startswith("points per deal of greedy: ")
        assert printed[5].split() == list(NAMES)

    def test_a_plan(self, capsys: Capture) -> None:
        args = ("plan", "--a", "greedy", "--b", "random", "--half-width", "0.5", "--pilot", "5")
        told = json.loads(self.run(capsys, *args, "--json"))
        assert told["blocks"] == planner.blocks_for(0.5, told["deviation"])
        assert f"{told['blocks']} blocks" in self.run(capsys, *args)

    @pytest.mark.parametrize(
        ("args", "reason"),
        [
            (("--a", "greedy"), "a match needs --a and --b"),
            (("--agents", "greedy,random"), "an open table has 2 agents; allowed: 4"),
            (("--agents", "greedy", "--layout", "swap"), "without --a, --b and --layout"),
            (("--agents", "greedy", *(2 * ("--rules", "duole"))), "allowed with --agents: once"),
            (("--a", "greedy", "report", "x.jsonl"), "stand after report"),
            (("report", "missing.jsonl"), "missing.jsonl: No such file"),
            (("--a", "gredy", "--b", "random"), "unknown agent 'gredy'; did you mean greedy?"),
            (("--a", "greedy", "--b", "random", "--layout", "x"), "unknown layout 'x'; allowed:"),
            (
                ("--a", "greedy", "--b", "random", "--blocks", "0"),
                "blocks is 0; allowed: 2 or more",
            ),
            (("--a", "greedy", "--b", "random", "--rules", "nix"), "unknown preset nix"),
            (("--a", "greedy", "--b", "random", *(3 * ("--rules", "duole"))), "given 3 times"),
            (("--a", "greedy", "--b", "none.safetensors"), "none.safetensors: cannot be read"),
        ],
    )
    @pytest.mark.parametrize("as_json", [[], ["--json"]])
    def test_bad_input_is_one_line(
        self, capsys: Capture, args: tuple[str, ...], reason: str, as_json: list[str]
    ) -> None:
        assert main(["arena", *args, *as_json]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("zhuoji: ") and err.count("\n") == 1
        assert reason in err
