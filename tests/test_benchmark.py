"""The benchmark: its scores, the file that it goes on with, tables, its command and its page."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from tests import gauntlets
from tests.gauntlets import PRESETS, changed
from zhuoji_env.arena import (
    benchmark,
    gauntlet,
    scores,
    scoretable,
    stats,
)
from zhuoji_env.arena.benchmark import PART
from zhuoji_env.arena.contest import Contest, entrants
from zhuoji_env.arena.gauntlet import Gauntlet
from zhuoji_env.arena.scores import SEATS, Card
from zhuoji_env.cli import main

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmark.md"
SHIPPED = gauntlet.load()
MINE = ("--agent", "greedy", "--gauntlet", "FILE")
FREEZE = ("freeze", "--gauntlet", "FILE")
Capture = pytest.CaptureFixture[str]

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


@pytest.fixture(scope="module")
def small() -> Gauntlet:
    return gauntlets.small()


@pytest.fixture(scope="module")
def kept(small: Gauntlet, tmp_path_factory: pytest.TempPathFactory) -> Card:
    return benchmark("greedy", tmp_path_factory.mktemp("kept") / "greedy.jsonl", against=small)


@pytest.fixture
def file(small: Gauntlet, tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(small.text())
    return path


def parts(path: Path) -> list[dict[str, Any]]:
    """What was played, part by part, but for the time it took."""
    told = [json.loads(line) for line in path.read_text().splitlines()]
    played = [{k: v for k, v in line.items() if k != "seconds"} for line in told if "first" in line]
    return sorted(played, key=lambda part: (part["rules"], part["member"], part["first"]))


class TestScores:
    def test_a_score_is_the_mean_over_opponents(self, small: Gauntlet, kept: Card) -> None:
        for score in kept.scores():
            rows = []
            for member in small.members:
                games = Contest(entrants(("greedy", member)), SEATS, 7, purpose="benchmark")
                outcomes = games.play(zj.Rules.load(score.rules), np.arange(6))
                rows.append(games.tallies(outcomes)[0].points)
                assert score.members[member] == stats.interval(rows[-1])
            assert score.points == stats.interval(np.mean(rows, axis=0))
            sigma = small.rules[score.rules].sigma
            told = score.to_dict()
            assert told["sigmas"]["mean"] == score.points.mean / sigma
            assert told["deals"] == 6 * 4 * 2
        assert [score.rules for score in kept.scores()] == PRESETS
        assert kept.whole

    def test_a_member_ends_at_zero_against_itself(self, small: Gauntlet, tmp_path: Path) -> None:
        card = benchmark("shanten", tmp_path / "x.jsonl", against=small, rules=["duole"])
        (score,) = card.scores()
        assert score.members["shanten"] == stats.Interval(0, 0, 0)
        assert score.members["hu_first"].low > 0

    @settings(
        deadline=None, max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(threads=st.integers(1, 3), tables=st.integers(1, 40), number=st.integers(0, 10**6))
    def test_neither_threads_nor_tables_matter(
        self, small: Gauntlet, kept: Card, tmp_path: Path, threads: int, tables: int, number: int
    ) -> None:
        out = tmp_path / f"{threads}-{tables}-{number}.jsonl"
        out.unlink(missing_ok=True)
        card = benchmark("greedy", out, against=small, threads=threads, tables=tables)
        assert parts(out) == parts(kept.path)
        assert card.scores() == kept.scores()

    def test_agents_and_factories_are_scored_alike(
        self, small: Gauntlet, kept: Card, tmp_path: Path
    ) -> None:
        agent = benchmark(zj.baselines.make("greedy"), tmp_path / "a.jsonl", against=small)
        factory = benchmark(
            partial(zj.baselines.make, "greedy"), tmp_path / "f.jsonl", against=small
        )
        assert agent.scores() == factory.scores() == kept.scores()

    def test_the_file_says_what_and_when(self, kept: Card, small: Gauntlet) -> None:
        told = kept.to_dict()
        assert told == scores.read(kept.path).to_dict()
        assert told == json.loads(kept.path.read_text().splitlines()[-1])["result"]
        assert told["agent"] == {"name": "greedy", "spec": "greedy"}
        assert (told["gauntlet"], told["fingerprint"]) == ("small/1", small.fingerprint)
        assert (told["seed"], told["blocks"], told["whole"]) == (7, 6, True)
        (run,) = told["runs"]
        assert list(run["versions"]) == ["zhuoji", "python", "numpy", "numba"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", run["began"])
        assert told["seconds"] > 0
        for score in told["scores"]:
            assert score["rules_fingerprint"] == zj.Rules.load(score["rules"]).fingerprint

    def test_a_quick_look_says_that_it_is_one(self, small: Gauntlet, tmp_path: Path) -> None:
        out = tmp_path / "x.jsonl"
        assert not benchmark("greedy", out, against=small, blocks=2).whole
        quick = benchmark("greedy", out, against=small, rules=["duole"])
        assert [score.whole for score in quick.scores()] == [False, True]
        assert not quick.whole
        assert benchmark("greedy", out, against=small).whole

    @pytest.mark.parametrize(
        ("wrong", "reason"),
        [
            ({"blocks": 7}, "blocks is 7; allowed in small/1: 2..6"),
            ({"blocks": 1}, "blocks is 1; allowed in small/1: 2..6"),
            ({"rules": ["zhuoji"]}, "rules are 'zhuoji'; allowed in small/1: guiyang, duole"),
            ({"threads": 0}, "threads is 0; allowed: 1 or more"),
            ({"agent": "gredy"}, "unknown agent 'gredy'; did you mean greedy?"),
        ],
    )
    def test_bad_arguments_are_refused(
        self, small: Gauntlet, tmp_path: Path, wrong: dict[str, Any], reason: str
    ) -> None:
        given_: dict[str, Any] = {"agent": "greedy", "against": small, **wrong}
        with pytest.raises(zj.ZhuojiError, match=re.escape(reason)):
            benchmark(out=tmp_path / "x.jsonl", **given_)
        assert not list(tmp_path.iterdir())


class TestFile:
    def test_pauses_change_nothing(self, small: Gauntlet, kept: Card, tmp_path: Path) -> None:
        out = tmp_path / "x.jsonl"
        benchmark("greedy", out, against=small, blocks=2, rules=["duole"])
        benchmark("greedy", out, against=small, blocks=4, threads=2)
        card = benchmark("greedy", out, against=small)
        assert card.scores() == kept.scores()
        assert len(card.runs) == 3
        before = out.read_bytes()
        benchmark("greedy", out, against=small)
        assert out.read_bytes() == before

    def test_parts_are_of_a_bounded_length(self, small: Gauntlet, tmp_path: Path) -> None:
        long = changed(small, blocks=2 * PART + 50)
        out, whole = tmp_path / "x.jsonl", tmp_path / "whole.jsonl"
        benchmark("random", out, against=long, rules=["duole"], blocks=PART + 30)
        benchmark("random", out, against=long, rules=["duole"])
        firsts = [part["first"] for part in parts(out) if part["member"] == "shanten"]
        assert firsts == [0, PART, PART + 30, 2 * PART]
        benchmark("random", whole, against=long, rules=["duole"])
        assert [len(part["points"]) for part in parts(whole)] == 2 * [PART, PART, 50]
        assert scores.read(out).held == scores.read(whole).held

    @pytest.mark.slow
    def test_kill_9_loses_nothing_and_counts_nothing_twice(
        self, small: Gauntlet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "unhurried.py").write_text(SLOW)
        (tmp_path / "long.json").write_text(changed(small, blocks=4 * PART).text())
        out = tmp_path / "killed.jsonl"
        command = [sys.executable, "-m", "zhuoji_env", "benchmark", "--agent", "unhurried:Slow"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "SLOW": "0.02"}
        for _ in range(2):
            before = out.read_bytes() if out.exists() else b""
            run = subprocess.Popen(
                [*command, "--gauntlet", "long.json", "--out", str(out)],
                cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            while not out.exists() or len(parts_of(out)) < len(parts_of(before)) + 1:
                assert run.poll() is None, "the run had ended before it could be killed"
                time.sleep(0.002)
            run.send_signal(signal.SIGKILL)
            assert run.wait() == -signal.SIGKILL, "the run had ended before it could be killed"
            assert out.read_bytes().startswith(before)
        monkeypatch.chdir(tmp_path)
        long = gauntlet.load("long.json")
        card = benchmark("unhurried:Slow", out, against=long)
        plain = benchmark("greedy", tmp_path / "whole.jsonl", against=long)
        assert card.held == plain.held
        assert card.scores() == plain.scores()
        assert len(card.runs) == 3
        assert sum(len(part["points"]) for part in parts(out)) == 2 * 2 * 4 * PART

    @settings(
        deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(cut=st.integers(0, 10_000))
    def test_a_file_cut_anywhere_is_gone_on_with(
        self, small: Gauntlet, kept: Card, tmp_path: Path, cut: int
    ) -> None:
        content = kept.path.read_bytes()
        out = tmp_path / "cut.jsonl"
        out.write_bytes(content[: cut % len(content)])
        assert benchmark("greedy", out, against=small).scores() == kept.scores()
        assert parts(out) == parts(kept.path)

    def test_another_agents_or_benchmarks_file_is_refused(
        self, small: Gauntlet, kept: Card
    ) -> None:
        before = kept.path.read_bytes()
        with pytest.raises(zj.ZhuojiError, match=r"its agent is another \(name greedy"):
            benchmark("random", kept.path, against=small)
        with pytest.raises(zj.ZhuojiError, match="it is of small/1; take another file"):
            benchmark("greedy", kept.path, against=changed(small, seed=8))
        assert kept.path.read_bytes() == before

    def test_an_agent_that_was_rewritten_is_another(
        self, small: Gauntlet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module, out = tmp_path / "rewritten.py", tmp_path / "x.jsonl"
        module.write_text(SLOW)
        monkeypatch.chdir(tmp_path)
        benchmark("rewritten:Slow", out, against=small, blocks=2)
        module.write_text(SLOW + "\n")
        with pytest.raises(zj.ZhuojiError, match="its agent was then another"):
            benchmark("rewritten:Slow", out, against=small)

    @pytest.mark.parametrize("content", [b"words", b"words\n", b"{}\n", b"[1]\n", b"\xff\n"])
    def test_another_sort_of_file_stays_as_it_is(
        self, small: Gauntlet, tmp_path: Path, content: bytes
    ) -> None:
        path = tmp_path / "notes.txt"
        path.write_bytes(content)
        with pytest.raises(zj.ZhuojiError, match="not a zhuoji-benchmark/1 file"):
            benchmark("greedy", path, against=small)
        assert path.read_bytes() == content

    @pytest.mark.parametrize(
        "wrong",
        [
            {"member": "greedy"},
            {"rules": "zhuoji"},
            {"first": -1},
            {"points": 7 * [0]},
            {"points": None},
            {"seconds": "x"},
        ],
    )
    def test_a_bad_line_is_named(self, kept: Card, tmp_path: Path, wrong: dict[str, Any]) -> None:
        head, run, part = kept.path.read_text().splitlines()[:3]
        path = tmp_path / "x.jsonl"
        path.write_text(f"{head}\n{run}\n{json.dumps({**json.loads(part), **wrong})}\n")
        with pytest.raises(zj.ZhuojiError, match="line 3: not a line of a benchmark"):
            scores.read(path)


def parts_of(given: Path | bytes) -> list[bytes]:
    """The finished lines of parts."""
    content = given if isinstance(given, bytes) else given.read_bytes()
    return [line for line in content.splitlines(True) if b'"first":' in line and b"\n" in line]


class TestTable:
    def test_the_best_stands_first(self, small: Gauntlet, kept: Card, tmp_path: Path) -> None:
        other = benchmark("random", tmp_path / "x.jsonl", against=small, blocks=3)
        text = scoretable.markdown([other, kept])
        rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| greedy")]
        assert text.index("| greedy") < text.index("| random")
        score = kept.scores()[0]
        ends = score.in_sigmas(score.points)
        assert rows[0][1] == f"{ends.mean:+.3f} ± {(ends.high - ends.low) / 2:.3f}"
        assert "*" not in "".join(rows[0])
        assert all("*" in line for line in text.splitlines() if line.startswith("| random"))

    def test_what_does_not_compare_is_refused(
        self, small: Gauntlet, kept: Card, tmp_path: Path
    ) -> None:
        other = changed(small, seed=8)
        card = benchmark("random", tmp_path / "x.jsonl", against=other, blocks=2)
        for cards, reason in (
            ([kept, card], "allowed: one benchmark"),
            ([kept, kept], "greedy is given 2 times; allowed: once"),
            ([], "no result files"),
        ):
            with pytest.raises(zj.ZhuojiError, match=reason):
                scoretable.markdown(cards)

    def test_a_page_keeps_all_but_its_table(self, kept: Card, tmp_path: Path) -> None:
        page = tmp_path / "page.md"
        page.write_text(f"before\n{scoretable.BEGIN}\nold\n{scoretable.END}\nafter\n")
        for _ in range(2):
            scoretable.write([kept], page)
            text = page.read_text()
            assert text.startswith(f"before\n{scoretable.BEGIN}\n\n`small/1`")
            assert text.endswith(f"\n{scoretable.END}\nafter\n")
            assert "old" not in text
        page.write_text("bare")
        with pytest.raises(zj.ZhuojiError, match="has no place for the scores"):
            scoretable.write([kept], page)
        assert page.read_text() == "bare"


class TestCommand:
    def run(self, capsys: Capture, *args: str) -> str:
        assert main(["benchmark", *args]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    def test_it_scores_and_tells(self, capsys: Capture, kept: Card, file: Path) -> None:
        out = str(file.with_name("x.jsonl"))
        args = ("--agent", "greedy", "--gauntlet", str(file), "--out", out)
        printed = self.run(capsys, *args).splitlines()
        assert f"against small/1, fingerprint {kept.gauntlet.fingerprint}; " in printed[0]
        score = kept.scores()[0]
        assert printed[1].startswith("  guiyang, 6 blocks")
        assert f"{score.points.mean:+.3f} ({score.points.low:+.3f} .. " in printed[1]
        assert [line.split()[0] for line in printed[2:4]] == ["hu_first", "shanten"]
        assert printed[-1].startswith(f"written: {out}, ")
        assert not any("not the benchmark" in line for line in printed)
        told = json.loads(self.run(capsys, *args, "--json"))
        assert told == {**scores.read(out).to_dict(), "file": out}

    def test_less_is_not_the_benchmark(self, capsys: Capture, file: Path) -> None:
        out = str(file.with_name("x.jsonl"))
        args = ("--agent", "greedy", "--gauntlet", str(file), "--out", out)
        printed = self.run(capsys, *args, "--blocks", "2", "--rules", "duole")
        assert "a quick look, not the benchmark, which is 6 blocks of each preset" in printed
        printed = self.run(capsys, *args, "--rules", "duole")
        assert "a part of the benchmark, without guiyang" in printed

    def test_the_file_is_named_after_the_agent(
        self, capsys: Capture, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(file.parent)
        (file.parent / "lent.py").write_text(SLOW)
        self.run(capsys, "--agent", "lent:Slow", "--gauntlet", str(file), "--blocks", "2")
        assert Path("benchmark-lent-Slow.jsonl").exists()

    def test_tables(self, capsys: Capture, kept: Card, tmp_path: Path) -> None:
        assert self.run(capsys, "table", str(kept.path)) == scoretable.markdown([kept])
        told = json.loads(self.run(capsys, "table", str(kept.path), "--json"))
        assert told == {"format": "zhuoji-benchmarks/1", "agents": [kept.to_dict()]}
        page = tmp_path / "page.md"
        page.write_text(f"{scoretable.BEGIN}{scoretable.END}")
        said = self.run(capsys, "table", str(kept.path), "--page", str(page))
        assert said == f"written: {page}\n"
        assert scoretable.markdown([kept]) in page.read_text()

    def test_freezing_anew_needs_a_new_name(
        self, capsys: Capture, file: Path, monkeypatch: pytest.MonkeyPatch, small: Gauntlet
    ) -> None:
        monkeypatch.setattr(gauntlet, "freeze", partial(gauntlet.freeze, sigma_deals=100))
        freeze = ("freeze", "--gauntlet", str(file))
        assert main(["benchmark", *freeze, "small/1"]) == 2
        assert "small/1 is frozen already" in capsys.readouterr().err
        assert gauntlet.load(file) == small
        args = ("--members", "greedy,random", "--rules", "zhuoji", "--blocks", "9")
        told = json.loads(self.run(capsys, *freeze, "small/2", *args, "--json"))
        new = gauntlet.load(file)
        assert told == {**new.model_dump(), "fingerprint": new.fingerprint}
        assert (list(new.members), list(new.rules)) == (["greedy", "random"], ["zhuoji"])
        assert (new.seed, new.blocks) == (7, 9)
        new.check()

    @pytest.mark.parametrize(
        ("args", "reason"),
        [
            ((), "a benchmark needs --agent"),
            ((*MINE, "--agent", "gredy"), "unknown agent 'gredy'; did you mean greedy?"),
            ((*MINE, "--rules", "nix"), "rules are 'nix'; allowed in small/1: guiyang, duole"),
            ((*MINE, "--blocks", "1"), "blocks is 1; allowed in small/1: 2..6"),
            ((*MINE, "--blocks", "x"), "Invalid value for '--blocks'"),
            (("--agent", "greedy", "--gauntlet", "no.json"), "no.json: No such file"),
            (("--agent", "greedy", "table", "x"), "--agent stands without table"),
            ((*MINE, "--rules", "duole", "--out", "no/x"), "no/x: No such file"),
            (("table", "no.jsonl"), "no.jsonl: No such file"),
            ((*FREEZE, "new/1", "--members", "nobody"), "unknown agent 'nobody'"),
            ((*FREEZE, "new/1", "--rules", "nix"), "rules are nix; allowed: guiyang, "),
            ((*FREEZE, "new/1", "--members", "greedy,greedy"), "allowed: each once"),
        ],
    )
    def test_bad_input_is_one_line(
        self, capsys: Capture, file: Path, args: tuple[str, ...], reason: str
    ) -> None:
        frozen = file.read_bytes()
        given_ = [str(file) if arg == "FILE" else arg for arg in args]
        assert main(["benchmark", *given_, "--json"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("zhuoji: ") and err.count("\n") == 1
        assert reason in err
        assert file.read_bytes() == frozen

    @pytest.mark.parametrize("command", [[], ["table"], ["freeze"]])
    def test_help(self, capsys: Capture, command: list[str]) -> None:
        assert main(["benchmark", *command, "--help"]) == 0
        assert "--json" in capsys.readouterr().out


class TestPage:
    def test_the_agent_of_the_page_is_scored(
        self, capsys: Capture, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.S | re.M)
        assert len(code.splitlines()) <= 32
        monkeypatch.chdir(file.parent)
        Path("mine.py").write_text(code)
        assert main(["benchmark", "--agent", "mine:Lonely", "--gauntlet", str(file)]) == 0
        assert capsys.readouterr().out.startswith("mine:Lonely against small/1")
        for score in scores.read("benchmark-mine-Lonely.jsonl").scores():
            assert score.members["hu_first"].mean > 0

    def test_its_table_is_of_the_gauntlet_as_it_is(self) -> None:
        text = PAGE.read_text()
        assert scoretable.BEGIN in text and scoretable.END in text
        assert f"`{SHIPPED.name}`, fingerprint `{SHIPPED.fingerprint}`" in text
        assert all(re.search(rf"^\| {re.escape(spec)} \|", text, re.M) for spec in SHIPPED.members)
