"""Ladders: fields, the file that a killed run goes on with, ratings, reports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from zhuoji_env.arena import book, match, ratings, report
from zhuoji_env.arena.book import Book
from zhuoji_env.arena.field import Field, load_field
from zhuoji_env.arena.ladder import ladder
from zhuoji_env.arena.panel import FIGURES, figures
from zhuoji_env.arena.tally import COUNTS
from zhuoji_env.cli import main

ROOT = Path(__file__).parent.parent
THREE = {"random": "random", "shanten": "shanten", "greedy": "greedy"}

SLOW = """
import os, time
from zhuoji_env.baselines import make

class Slow:
    def __init__(self):
        self.inner = make("greedy")
    def reset(self, n, seed):
        self.inner.reset(n, seed)
    def act(self, views, legal, observations):
        time.sleep(float(os.environ.get("SLOW", "0")))
        return self.inner.act(views, legal, observations)
"""


def lines(path: Path) -> list[str]:
    """The finished lines of a file."""
    return path.read_text().splitlines() if path.exists() else []


def told(
    rules: int, agents: tuple[str, ...], block: int, points: tuple[int, ...]
) -> dict[str, Any]:
    """A made-up block of sixteen seats each, `points` their sums."""
    tallies = [
        {"counts": {"seats": 16, "points": 16 * p, "dealt": 4}, "scores": [p] * 16, "fans": []}
        for p in points
    ]
    return {"rules": rules, "agents": list(agents), "block": block, "tallies": tallies}


def made_up(agents: tuple[str, ...], blocks: list[dict[str, Any]]) -> Book:
    header = {**Field({name: "greedy" for name in agents}).identity(), "version": "1"}
    made = Book(Path("made.jsonl"), header)
    for line in blocks:
        made.add(line)
    return made


class TestField:
    def test_the_shipped_fields_load(self) -> None:
        paths = sorted((ROOT / "configs" / "arena").glob("*.yaml"))
        assert paths
        for path in paths:
            assert load_field(path).meetings

    def test_files_of_rules_lie_beside_the_field(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        beside, elsewhere = tmp_path / "fields", tmp_path / "elsewhere"
        for folder, base in ((beside, 3), (elsewhere, 4)):
            (folder / "house").mkdir(parents=True)
            for file in ("mine.yaml", "bare", "house/own.yaml"):
                (folder / file).write_text(f"preset: guiyang\nbase: {base}\n")
        monkeypatch.chdir(elsewhere)
        for file in ("mine.yaml", "bare", "house/own.yaml", str(beside / "mine.yaml")):
            (beside / "field.yaml").write_text(f"agents: [greedy, random]\nrules: ['{file}']")
            assert [rules.base for rules in load_field(beside / "field.yaml").rules] == [3]

    def test_everyone_meets_everyone(self) -> None:
        four = {**THREE, "hu_first": "hu_first"}
        assert len(Field(THREE).meetings) == 3
        assert Field(four, layout="open").meetings == [tuple(four)]
        assert len(Field({**four, "again": "greedy"}, layout="open").meetings) == 5

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("agents: [greedy]", "agents are 1; allowed: 2 or more in layout swap"),
            ("agents: [greedy, greedy]", "a spec is given twice"),
            ("agents: [greedy, random]\nlayout: open", "allowed: 4 or more in layout open"),
            ("agents: [greedy, random]\nlayout: one-vs-three", "allowed: swap, two-vs-two, open"),
            (
                "agents: [greedy, random]\nrule: [duole]",
                "unknown key 'rule'; did you mean rules? allowed: agents, rules, layout, blocks",
            ),
            ("agents: [greedy, random]\nblocks: 1", "blocks: 1 given; allowed: a whole number, 2"),
            ("agents: [greedy, random]\nblocks: six", "blocks: 'six' given; allowed: a whole"),
            ("agents: [greedy, random]\nseed: true", "seed: true given; allowed: a whole number"),
            ("agents: [greedy, random]\nlayout: 2", "layout: 2 given; allowed: swap, two-vs-two"),
            ("agents: [greedy, random]\nreduce: 1", "reduce: 1 given; allowed: true or false"),
            ("agents: [greedy, random]\nrules: duole", "rules: 'duole' given; allowed: a list of"),
            ("agents: [greedy, random]\nrules: []", "rules: a list given; allowed: a list of"),
            ("agents: [greedy, random]\nrules: [3]", "rules: 3 given; allowed: a list of"),
            ("agents: [greedy, random]\nrules: [a.yaml]", "a.yaml: cannot be read"),
            ("agents: greedy", "agents: 'greedy' given; allowed: a list of specs, or names"),
            ("agents: [greedy, 3]", "agents: 3 given; allowed: a list of specs, or names"),
            ("agents: {one: greedy, two: null}", "agents: null given; allowed: a list of specs"),
            ("agents: [greedy, randon]", "unknown agent 'randon'; did you mean random? allowed:"),
            ("agents: [greedy, random]\nrules: [guiyan]", "unknown preset guiyan"),
            ("agents: [greedy, random]\nrules: [duole, duole]", "a ruleset is given twice"),
            ("blocks: 3", "agents is missing; allowed: a list of specs, or names with a spec"),
        ],
    )
    def test_a_bad_field_is_one_line(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, reason: str
    ) -> None:
        path = tmp_path / "field.yaml"
        path.write_text(text)
        assert main(["arena", "ladder", str(path), "--out", str(tmp_path / "out.jsonl")]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"zhuoji: {path}: ") and err.count("\n") == 1
        assert reason in err
        assert not (tmp_path / "out.jsonl").exists()


class TestFile:
    def test_a_meeting_is_the_match_of_the_two(self, tmp_path: Path) -> None:
        kept = ladder(Field(THREE, blocks=6, seed=3), tmp_path / "a.jsonl")
        held = kept.blocks[0, ("random", "greedy")]
        result = match("random", "greedy", blocks=6, seed=3, layout="swap")
        points = [held[k][0]["counts"].get("points", 0) / 16 for k in range(6)]
        assert points == result.per_block.tolist()
        pair = ladder(
            Field({"random": "random", "greedy": "greedy"}, blocks=6, seed=3), tmp_path / "b.jsonl"
        )
        assert figures(pair.tally(0, "random")) == result.panel["a"]

    def test_neither_threads_nor_pauses_change_a_line(self, tmp_path: Path) -> None:
        field = Field(THREE, blocks=8, seed=1)
        ladder(field, tmp_path / "whole.jsonl")
        ladder(field, tmp_path / "parts.jsonl", blocks=3, threads=2, tables=5)
        ladder(field, tmp_path / "parts.jsonl", threads=3, tables=7)
        whole, parts = lines(tmp_path / "whole.jsonl"), lines(tmp_path / "parts.jsonl")
        assert whole[0] == parts[0]
        assert sorted(whole) == sorted(parts)
        before = (tmp_path / "parts.jsonl").read_bytes()
        ladder(field, tmp_path / "parts.jsonl")
        assert (tmp_path / "parts.jsonl").read_bytes() == before

    @pytest.mark.slow
    def test_kill_9_loses_nothing_and_counts_nothing_twice(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "slow.py").write_text(SLOW)
        (tmp_path / "field.yaml").write_text(
            "agents: {slow: 'slow:Slow', random: random, greedy: greedy}\nblocks: 40\nseed: 5\n"
        )
        out = tmp_path / "killed.jsonl"
        command = [sys.executable, "-m", "zhuoji_env", "arena", "ladder", "field.yaml"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "SLOW": "0.02"}
        for _ in range(3):
            before = lines(out)
            run = subprocess.Popen(
                [*command, "--out", str(out)], cwd=tmp_path, env=environment,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
            while len(lines(out)) < len(before) + 6 and run.poll() is None:
                time.sleep(0.002)
            run.send_signal(signal.SIGKILL)
            assert run.wait() == -signal.SIGKILL, "the run had ended before it could be killed"
            assert lines(out)[: len(before)] == before
        monkeypatch.chdir(tmp_path)
        field = load_field("field.yaml")
        assert len(lines(out)) < 1 + 3 * 40
        kept = ladder(field, out)
        ladder(field, tmp_path / "whole.jsonl")
        assert sorted(lines(out)) == sorted(lines(tmp_path / "whole.jsonl"))
        assert {len(held) for held in kept.blocks.values()} == {40}

    @settings(
        deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(cut=st.integers(0, 10_000))
    def test_a_line_cut_anywhere_is_played_again(self, tmp_path: Path, cut: int) -> None:
        field = Field({"random": "random", "greedy": "greedy"}, blocks=3, seed=2)
        whole, out = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
        if not whole.exists():
            ladder(field, whole)
        content = whole.read_bytes()
        out.write_bytes(content[: cut % len(content)])
        ladder(field, out)
        assert sorted(out.read_bytes().splitlines()) == sorted(content.splitlines())

    def test_a_block_that_stands_twice_counts_once(self) -> None:
        once = made_up(("a", "b"), [told(0, ("a", "b"), 0, (1, -1))])
        once.add(told(0, ("a", "b"), 0, (5, -5)))
        assert once.tally(0, "a").points.tolist() == [1.0]

    @pytest.mark.parametrize(
        ("other", "key"),
        [
            (Field(THREE, seed=2), "seed"),
            (Field(THREE, layout="two-vs-two"), "layout"),
            (Field({**THREE, "greedy": "hu_first"}), "agents"),
            (Field(THREE, rules=(zj.Rules.load("duole"),)), "rules"),
            (Field(THREE, reduce=True), "reduce"),
        ],
    )
    def test_another_fields_file_is_refused(self, tmp_path: Path, other: Field, key: str) -> None:
        out = tmp_path / "out.jsonl"
        ladder(Field(THREE), out, blocks=2)
        before = out.read_bytes()
        verb = "are" if key in ("agents", "rules") else "is"
        with pytest.raises(zj.ZhuojiError, match=f"its {key} {verb} not this field's"):
            ladder(other, out, blocks=2)
        assert out.read_bytes() == before

    def test_a_policy_that_was_trained_on_is_another_agent(self, tmp_path: Path) -> None:
        path = tmp_path / "agent.bin"
        path.write_bytes(b"one")
        field = Field({"a": str(path), "b": "greedy"})
        one = field.identity()
        path.write_bytes(b"two")
        assert field.identity() != one

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "it has no finished line"),
            (b"{}\n", "line 1: not a zhuoji-ladder/1 file"),
            (b"[1]\n", "line 1: not a zhuoji-ladder/1 file"),
            (b"\xff\n", "line 1: not a zhuoji-ladder/1 file"),
        ],
    )
    def test_what_is_no_ladder_is_refused(
        self, tmp_path: Path, content: bytes, reason: str
    ) -> None:
        path = tmp_path / "x.jsonl"
        path.write_bytes(content)
        with pytest.raises(zj.ZhuojiError, match=reason):
            book.read(path)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"agents": ["a", "nobody"]},
            {"tallies": []},
            {"rules": 7},
            {"block": "x"},
            {"tallies": [{"counts": {"luck": 1}, "scores": [], "fans": []}] * 2},
        ],
    )
    def test_a_bad_block_names_its_line(self, tmp_path: Path, wrong: dict[str, Any]) -> None:
        header = {"format": book.FORMAT, "version": "1", **Field({"a": "x", "b": "y"}).identity()}
        path = tmp_path / "x.jsonl"
        good = told(0, ("a", "b"), 0, (1, -1))
        rows = [header, good, {**good, **wrong}]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        with pytest.raises(zj.ZhuojiError, match="line 3: not a block of a ladder"):
            book.read(path)

    def test_two_runs_do_not_write_one_file(self, tmp_path: Path) -> None:
        pytest.importorskip("fcntl")
        out = tmp_path / "out.jsonl"
        with (
            book.opened(out, Field(THREE)),
            pytest.raises(zj.ZhuojiError, match="another run is writing it"),
        ):
            ladder(Field(THREE), out)


class TestRatings:
    def test_two_agents_strengths_are_the_odds_of_a_block(self) -> None:
        blocks = [told(0, ("a", "b"), k, (1, -1) if k < 7 else (-2, 2)) for k in range(10)]
        said = ratings.standings(made_up(("a", "b"), blocks), 0)
        a, b = said.agents
        assert a.agent == "a"
        gap = a.strength.mean - b.strength.mean
        assert gap == pytest.approx(400 * np.log10((7 + 1) / (3 + 1)))
        assert said.cross[0][1] is not None and said.cross[1][0] is not None
        assert said.cross[0][1].mean == pytest.approx((7 - 6) / 10)
        assert said.cross[1][0].mean == -said.cross[0][1].mean
        assert said.cross[0][0] is None

    @given(
        won=st.lists(st.integers(0, 30), min_size=12, max_size=12),
        lost=st.lists(st.integers(0, 30), min_size=12, max_size=12),
    )
    @settings(deadline=None, max_examples=30)
    def test_strengths_expect_the_wins_that_were_seen(
        self, won: list[int], lost: list[int]
    ) -> None:
        wins = np.zeros((1, 4, 4))
        upper = np.triu_indices(4, 1)
        wins[0][upper], wins[0].T[upper] = won[:6], lost[:6]
        met = wins + wins.transpose(0, 2, 1)
        power = 10 ** (ratings.bradley_terry(wins, met)[0] / 400)
        others = 1 - np.eye(4)
        apart = met[0] + 2 * ratings.PRIOR * others
        expected = (apart * power[:, None] / (power[:, None] + power[None])).sum(axis=1)
        seen = (wins[0] + ratings.PRIOR * others).sum(axis=1)
        assert expected == pytest.approx(seen, rel=1e-4)

    def test_what_is_not_transitive_is_said(self) -> None:
        pairs = (("rock", "paper", -1), ("rock", "scissors", 1), ("paper", "scissors", -1))
        blocks = [told(0, (a, b), k, (p, -p)) for a, b, p in pairs for k in range(5)]
        said = ratings.standings(made_up(("rock", "paper", "scissors"), blocks), 0)
        assert [one.strength.mean for one in said.agents] == pytest.approx([0, 0, 0], abs=1e-6)
        ((names, sure),) = said.cycles
        assert sure
        assert set(zip(names, names[1:] + names[:1], strict=True)) == {
            ("rock", "scissors"),
            ("scissors", "paper"),
            ("paper", "rock"),
        }

    def test_the_better_agent_stands_above(self, tmp_path: Path) -> None:
        kept = ladder(Field(THREE, blocks=40, seed=1), tmp_path / "a.jsonl")
        said = ratings.standings(kept, 0)
        assert said.agents[-1].agent == "random"
        assert min(one.skill.mu for one in said.agents) == said.agents[-1].skill.mu
        assert said.agents[0].strength.low > said.agents[-1].strength.high
        assert said.cycles == ()
        again = ratings.standings(book.read(tmp_path / "a.jsonl"), 0)
        assert again.to_dict() == said.to_dict()

    def test_four_at_an_open_table(self, tmp_path: Path) -> None:
        field = Field({**THREE, "hu": "hu_first"}, layout="open", blocks=3, seed=1)
        said = ratings.standings(ladder(field, tmp_path / "a.jsonl"), 0)
        assert {one.deals for one in said.agents} == {3 * 24}
        points = [one.figures["points"] for one in said.agents]
        assert sum(p or 0.0 for p in points) == pytest.approx(0)
        middle = said.cross[0][1]
        assert middle is not None
        assert middle.mean == pytest.approx(((points[0] or 0) - (points[1] or 0)) / 2)

    def test_one_block_has_no_interval(self) -> None:
        with pytest.raises(zj.ZhuojiError, match="1 blocks under guiyang; allowed: 2 or more"):
            ratings.standings(made_up(("a", "b"), [told(0, ("a", "b"), 0, (1, -1))]), 0)

    def test_without_openskill_it_says_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        blocks = [told(0, ("a", "b"), k, (1, -1)) for k in range(2)]
        monkeypatch.setitem(sys.modules, "openskill.models", None)
        with pytest.raises(zj.ZhuojiError, match=r"pip install 'zhuoji\[arena\]'"):
            ratings.standings(made_up(("a", "b"), blocks), 0)


class _Tags(HTMLParser):
    """Counts the tags of a page, and checks that what is opened is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.links: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    field = Field(
        {"<b>": "random", "a|b_c": "shanten", "greedy": "greedy"},
        rules=(zj.Rules.load("guiyang"), zj.Rules.load("zhuoji")),
        blocks=4,
        seed=1,
    )
    path = tmp_path_factory.mktemp("report") / "ladder.jsonl"
    ladder(field, path)
    return path


class TestReport:
    def test_the_page_stands_alone(self, kept: Path, tmp_path: Path) -> None:
        out = tmp_path / "report.html"
        assert main(["arena", "report", str(kept), "--out", str(out)]) == 0
        page = out.read_text(encoding="utf-8")
        tags = _Tags(page)
        assert tags.links == []
        assert "script" not in tags.seen and "http" not in page and "url(" not in page
        assert "<b>" not in page and "&lt;b&gt;" in page
        assert tags.seen.count("svg") == 2 * 3
        assert page.count("rgba(") == 2 * 6

    def test_markdown_tells_the_same(self, kept: Path, tmp_path: Path) -> None:
        said = report.write(book.read(kept), tmp_path / "report.md")
        text = (tmp_path / "report.md").read_text(encoding="utf-8")
        for one in said:
            for agent in one.agents:
                assert f"{agent.strength.mean:+.0f}" in text
        for figure in FIGURES.values():
            assert report._plain(figure.meaning) in text
        tables = [t.splitlines() for t in text.split("\n\n") if t.startswith("|")]
        for rows in tables:
            bars = {row.replace("\\|", "").count("|") for row in rows}
            assert len(bars) == 1

    def test_a_waterfall_ends_at_the_points(self, kept: Path) -> None:
        said = ratings.standings(book.read(kept), 0)
        for one in said.agents:
            steps = report._income(one)
            assert sum(value for _, value in steps) == pytest.approx(one.figures["points"])

    def test_json_has_the_standings(
        self, kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = str(tmp_path / "r.md")
        assert main(["arena", "report", str(kept), "--out", out, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [one["rules"]["name"] for one in told["standings"]] == ["guiyang", "zhuoji"]
        assert set(told["standings"][0]["agents"][0]["panel"]) == set(FIGURES)

    def test_another_suffix_is_refused(
        self, kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "report.pdf"
        assert main(["arena", "report", str(kept), "--out", str(out)]) == 2
        assert "allowed: .html, .md" in capsys.readouterr().err
        assert not out.exists()

    def test_the_command_plays_and_tells(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        field, out = tmp_path / "f.yaml", tmp_path / "o.jsonl"
        field.write_text("agents: [random, greedy]\nblocks: 9\n")
        assert main(["arena", "ladder", str(field), "--out", str(out), "--blocks", "3"]) == 0
        printed = capsys.readouterr().out.splitlines()
        assert printed[0].startswith("guiyang, 3 blocks")
        assert printed[1].split()[0] == "greedy"
        assert len(lines(out)) == 1 + 3


def test_counts_are_named_once() -> None:
    assert len(set(COUNTS)) == len(COUNTS)
