"""Variance reduction: what luck is, that it has mean 0, and that scores without it are unbiased."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import zhuoji_env as zj
from zhuoji_env.arena import LAYOUTS, book, match, plan, report, standings, table
from zhuoji_env.arena.contest import Contest, entrants
from zhuoji_env.arena.field import Field
from zhuoji_env.arena.ladder import ladder
from zhuoji_env.arena.luck import FLIP, FOURTH, KEPT, LEVELS, YAO, controls, without
from zhuoji_env.cli import main
from zhuoji_env.engine.layout import PENG_MELD
from zhuoji_env.tiles import YAOJI, show

ALONE = np.array([[0, 1, 1, 1]], np.int8)
BLOCKS = 10_000
FOUR = ("greedy", "shanten", "hu_first", "random")


class Zero(NamedTuple):
    """Deals of greedy against itself: seat 0's points have mean 0, by symmetry."""

    points: NDArray[np.float64]
    luck: NDArray[np.float64]


@pytest.fixture(scope="module", params=["guiyang", "zhuoji"])
def zero(request: pytest.FixtureRequest) -> Zero:
    contest = Contest(entrants(("greedy", "greedy")), ALONE, seed=3, luck=True)
    outcomes = contest.play(zj.Rules.load(request.param), np.arange(BLOCKS))
    luck = controls(outcomes["luck"], contest.all_seats(BLOCKS), 0, BLOCKS)
    return Zero(outcomes["scores"][:, 0].astype(float), luck)


def off(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many standard errors the means are from 0."""
    return np.abs(values.mean(axis=0)) / (values.std(axis=0) / len(values) ** 0.5)


@pytest.mark.slow
class TestUnbiased:
    def test_every_control_has_mean_zero(self, zero: Zero) -> None:
        assert zero.luck.shape == (BLOCKS, KEPT + FLIP)
        assert np.all(zero.luck.std(axis=0) > 0)
        assert np.all(off(zero.luck) < 4)

    def test_the_mean_stays_zero_and_the_deviation_falls(self, zero: Zero) -> None:
        left = without(zero.points, zero.luck)
        assert off(zero.points[:, None]) < 4
        assert off(left[:, None]) < 4
        assert left.std() <= 0.9 * zero.points.std()

    def test_the_fit_takes_no_mean_away(self, zero: Zero) -> None:
        shifted = without(zero.points + 5, zero.luck)
        assert np.allclose(shifted, without(zero.points, zero.luck) + 5)

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_matches_gain_too(self, layout: str) -> None:
        result = match("greedy", "shanten", blocks=800, seed=1, layout=layout, reduce=True)
        reduced = result.reduced
        assert reduced is not None
        assert reduced.ratio <= 0.9
        assert reduced.high - reduced.low <= 0.9 * (result.high - result.low)
        assert abs(reduced.mean - result.mean) < result.high - result.low


def draw_luck(state: NDArray[np.void], luck: NDArray[np.float64]) -> None:
    """Add a table's last draw to its seats' luck, tile by tile."""
    g = state[0]
    seat, drawn = int(g["seat"]), int(g["drawn"])
    hand = g["hand"][seat].copy()
    hand[drawn] -= 1
    melds = int(g["n_melds"][seat])
    tiles = [kind for kind in range(27) for _ in range(hand[kind])]
    now = zj.shanten(show(tiles), melds=melds)
    pool = [drawn, *g["wall"][g["head"] : g["tail"]].tolist()]
    pengs = {
        int(k)
        for k, t in zip(g["meld_kind"][seat], g["meld_type"][seat], strict=True)
        if t == PENG_MELD
    }
    brought = np.zeros((27, KEPT))
    for kind in set(pool):
        if hand[kind] < 4:
            nearer = zj.shanten(show([*tiles, kind]), melds=melds) < now
            brought[kind, min(now, LEVELS - 1)] = nearer
        brought[kind, YAO] = kind == YAOJI
        brought[kind, FOURTH] = hand[kind] == 3 or kind in pengs
    luck[seat] += brought[drawn] - brought[pool].mean(axis=0)


class TestLuck:
    @pytest.mark.parametrize("rules", ["guiyang", "zhuoji", "guiyang_street"])
    def test_it_is_what_each_tile_would_have_brought(self, rules: str) -> None:
        contest = Contest(entrants(("greedy", "greedy")), ALONE, seed=6, luck=True)
        told = contest.play(zj.Rules.load(rules), np.arange(4))["luck"]
        greedy = zj.baselines.make("greedy")
        for block in range(4):
            games = zj.Games(1, rules, seed=6, purpose="arena", first=block)
            games.reset()
            luck, draws = np.zeros((4, KEPT)), int(games.state["n_draws"].sum())
            while not games.done[0]:
                before, action = games.copy(), greedy.act(games.view(), None, None)
                games.step(action)
                if int(games.state["n_draws"].sum()) > draws:
                    draws = int(games.state["n_draws"].sum())
                    draw_luck(games.state, luck)
            head, tail = int(games.state["head"][0]), int(games.state["tail"][0])
            if games.state["indicator"][0] >= 0:
                flips = []
                for place in range(head, tail):
                    other = before.copy()
                    wall = other.state["wall"][0]
                    wall[[head, place]] = wall[[place, head]]
                    other.step(action)
                    flips.append(other.scores[0].copy())
                luck[:, FLIP] = games.scores[0] - np.mean(flips, axis=0)
            assert np.allclose(told[block], luck)

    def test_without_being_asked_for_it_is_none(self) -> None:
        contest = Contest(entrants(("greedy", "greedy")), ALONE, seed=6)
        assert not contest.play(zj.Rules.load("guiyang"), np.arange(3))["luck"].any()
        assert match("greedy", "random", blocks=3).reduced is None

    @settings(deadline=None, max_examples=5)
    @given(tables=st.integers(1, 60), threads=st.integers(1, 3))
    def test_it_depends_on_neither_tables_nor_threads(self, tables: int, threads: int) -> None:
        plain = match("greedy", "shanten", blocks=50, seed=3, reduce=True)
        other = match(
            "greedy", "shanten", blocks=50, seed=3, reduce=True, tables=tables, threads=threads
        )
        assert plain.to_dict(per_block=True) == other.to_dict(per_block=True)
        bare = match("greedy", "shanten", blocks=50, seed=3)
        assert np.array_equal(plain.per_block, bare.per_block)

    def test_equals_stay_at_zero(self) -> None:
        assert match("greedy", "greedy", blocks=50, reduce=True).reduced == (0, 0, 0, 1)

    def test_a_value_has_no_part_in_its_own_fit(self) -> None:
        rng = np.random.default_rng(1)
        luck, values = rng.normal(size=(60, 2)), rng.normal(size=60)
        left = without(values, luck)
        values[7] += 100
        again = without(values, luck)
        assert again[7] == pytest.approx(left[7] + 100)
        # Its own fold's others, whose fit it is left out of as well.
        assert again[2] == left[2]
        assert again[8] != left[8]

    def test_the_command_says_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        args = ["arena", "--a", "greedy", "--b", "shanten", "--blocks", "50", "--reduce"]
        assert main(args) == 0
        assert "without the luck of draws and flips: " in capsys.readouterr().out
        assert main([*args, "--json"]) == 0
        result = match("greedy", "shanten", blocks=50, reduce=True)
        assert result.reduced is not None
        assert json.loads(capsys.readouterr().out)["reduced"] == result.reduced._asdict()

    def test_few_blocks_are_refused(self) -> None:
        with pytest.raises(zj.ZhuojiError, match="blocks is 49; allowed: 50 or more"):
            match("greedy", "random", blocks=49, reduce=True)
        with pytest.raises(zj.ZhuojiError, match="blocks is 49; allowed: 50 or more"):
            table(FOUR, blocks=49, reduce=True)
        with pytest.raises(zj.ZhuojiError, match="pilot is 49; allowed: 50 or more"):
            plan("greedy", "random", 0.5, pilot=49, reduce=True)


class TestTablesAndPlans:
    def test_an_open_table_gains_too(self) -> None:
        plain, less = (table(FOUR, blocks=300, seed=4, reduce=r) for r in (False, True))
        assert plain.reduced is None
        assert less.reduced is not None
        assert less.points == plain.points
        for points, reduced in zip(less.points, less.reduced, strict=True):
            assert reduced.ratio <= 0.9
            assert reduced.low < reduced.mean < reduced.high
            assert abs(reduced.mean - points.mean) < points.high - points.low
            assert reduced.high - reduced.low < 0.9 * (points.high - points.low)

    def test_each_agent_of_a_table_is_told_its_own(self) -> None:
        told, turned = (
            table(agents, blocks=50, seed=1, reduce=True).to_dict()["agents"]
            for agents in (FOUR, FOUR[::-1])
        )
        for one, other in zip(told, turned[::-1], strict=True):
            assert one["agent"] == other["agent"]
            assert one["reduced"] == pytest.approx(other["reduced"])

    def test_a_plan_takes_the_deviation_without_luck(self) -> None:
        plain = plan("greedy", "shanten", 0.3, pilot=200, seed=2)
        less = plan("greedy", "shanten", 0.3, pilot=200, seed=2, reduce=True)
        result = match("greedy", "shanten", blocks=200, seed=2, reduce=True)
        assert result.reduced is not None
        assert (plain.reduced, less.reduced) == (False, True)
        assert less.deviation == pytest.approx(plain.deviation * result.reduced.ratio)
        assert less.blocks < 0.9 * plain.blocks

    def test_a_plan_is_one_that_can_be_played(self) -> None:
        assert plan("greedy", "greedy", 1.0, pilot=50, reduce=True).blocks == 50

    def test_the_commands_say_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        args = ["arena", "--agents", ",".join(FOUR), "--blocks", "50", "--reduce"]
        assert main(args) == 0
        assert capsys.readouterr().out.count("without the luck of draws and flips: ") == 4
        width = ["--half-width", "0.5", "--pilot", "50", "--reduce"]
        assert main(["arena", "plan", "--a", "greedy", "--b", "random", *width]) == 0
        assert " points per deal without luck, of 50 blocks" in capsys.readouterr().out


class TestLadders:
    PAIR = Field({"greedy": "greedy", "shanten": "shanten"}, blocks=60, seed=2, reduce=True)

    def test_two_agents_are_a_match(self, tmp_path: Path) -> None:
        kept = ladder(self.PAIR, tmp_path / "x.jsonl", threads=2)
        (one,) = (s for s in standings(kept, 0).agents if s.agent == "greedy")
        result = match(
            "greedy", "shanten", blocks=60, seed=2, layout="swap", interval="bootstrap", reduce=True
        )
        assert one.reduced is not None
        assert one.reduced == pytest.approx(result.reduced)

    def test_everybodys_points_are_reduced(self, tmp_path: Path) -> None:
        field = Field({name: name for name in FOUR[:3]}, blocks=200, seed=1, reduce=True)
        kept = ladder(field, tmp_path / "x.jsonl")
        said = standings(kept, 0)
        for one, told in zip(said.agents, said.to_dict()["agents"], strict=True):
            points = one.panel["points"]
            assert points is not None
            assert one.reduced is not None
            assert one.reduced.ratio < (0.9 if one.agent == "greedy" else 1)
            assert abs(one.reduced.mean - points.mean) < points.high - points.low
            assert told["reduced"] == one.reduced._asdict()
            page = report.markdown(report.parts(kept, [said]))
            assert f"{one.reduced.mean:+.3f}" in page

    def test_it_is_gone_on_with(self, tmp_path: Path) -> None:
        out, whole = tmp_path / "x.jsonl", tmp_path / "whole.jsonl"
        ladder(self.PAIR, whole)
        ladder(self.PAIR, out, blocks=7)
        content = out.read_bytes()
        out.write_bytes(content[:-100])
        ladder(self.PAIR, out, threads=2, tables=9)
        assert sorted(out.read_bytes().splitlines()) == sorted(whole.read_bytes().splitlines())

    def test_few_blocks_have_none(self, tmp_path: Path) -> None:
        kept = ladder(self.PAIR, tmp_path / "x.jsonl", blocks=49)
        assert [one.reduced for one in standings(kept, 0).agents] == [None, None]

    @pytest.mark.parametrize("luck", [None, [[0.0]], "x"])
    def test_a_block_without_its_luck_is_refused(self, tmp_path: Path, luck: Any) -> None:
        out = tmp_path / "x.jsonl"
        ladder(self.PAIR, out, blocks=2)
        head, line = out.read_text().splitlines()[:2]
        out.write_text(f"{head}\n{json.dumps({**json.loads(line), 'luck': luck})}\n")
        with pytest.raises(zj.ZhuojiError, match="line 2: not a block of a ladder"):
            book.read(out)

    def test_a_file_of_old_has_no_luck(self, tmp_path: Path) -> None:
        out = tmp_path / "x.jsonl"
        ladder(Field({"a": "greedy", "b": "random"}, seed=1), out, blocks=2)
        head, *rest = out.read_text().splitlines()
        old = {key: value for key, value in json.loads(head).items() if key != "reduce"}
        out.write_text("\n".join([json.dumps(old), *rest]) + "\n")
        before = out.read_bytes()
        ladder(Field({"a": "greedy", "b": "random"}, seed=1), out, blocks=2)
        assert out.read_bytes() == before
        assert standings(book.read(out), 0).agents[0].reduced is None

    def test_the_command_says_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        field = tmp_path / "f.yaml"
        field.write_text("agents: [random, greedy]\nblocks: 50\nreduce: true\n")
        assert main(["arena", "ladder", str(field), "--out", str(tmp_path / "x.jsonl")]) == 0
        assert capsys.readouterr().out.count("  without luck ") == 2
