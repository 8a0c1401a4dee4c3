"""Matches: blocks, seatings, intervals, who may play, and `zhuoji arena`."""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from zhuoji_env.arena import LAYOUTS, MatchResult, match
from zhuoji_env.arena.panel import MEANINGS, panel
from zhuoji_env.arena.play import OUTCOME
from zhuoji_env.arena.stats import interval
from zhuoji_env.cli import main
from zhuoji_env.engine.layout import DISCARD_WIN, DRAW, ITEMS, ROB_WIN, SELF_DRAW, VIEW
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

    @pytest.mark.parametrize(("a", "b"), [("greedy", "random"), ("shanten", "hu_first")])
    def test_sides_swapped_are_the_negative(self, a: str, b: str) -> None:
        there = match(a, b, "duole", blocks=15, seed=2, layout="two-vs-two")
        back = match(b, a, "duole", blocks=15, seed=2, layout="two-vs-two")
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

    def test_progress_comes_to_its_end(self) -> None:
        told: list[tuple[int, int]] = []
        match("random", "random", blocks=3, progress=lambda k, n: told.append((k, n)))
        assert told[-1] == (12, 12)
        assert [k for k, _ in told] == sorted(k for k, _ in told)
        told.clear()
        rules = ("guiyang", "duole")
        match("random", "random", rules, blocks=3, progress=lambda k, n: told.append((k, n)))
        assert told[-1] == (24, 24)


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
            ("gredy", "unknown agent 'gredy'; allowed: random, hu_first, shanten, greedy"),
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
        assert out.splitlines()[-1].startswith("guiyang less duole: ")

    @pytest.mark.parametrize(
        ("args", "reason"),
        [
            (("--a", "gredy", "--b", "random"), "unknown agent 'gredy'; allowed: random, hu_first"),
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
