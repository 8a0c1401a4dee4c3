"""zhuoji bench: every way of play runs, is counted right, and is printed."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from zhuoji_env import bench, cli, latency
from zhuoji_env.engine.batch import count_bits


def small() -> list[bench.Scenario]:
    return [
        bench.in_kernel(8, "guiyang", decisions=50),
        bench.in_kernel(8, "guiyang", threads=2, decisions=50),
        bench.stepping(4, "zhuoji", steps=60),
        bench.stepping(4, "zhuoji", masks=False, steps=60),
        bench.watching(600, "duole", None),
        bench.watching(600, "duole", "cheap"),
        bench.watching(600, "duole", "all", oracle=True, threads=2),
        bench.aec("guiyang", wrapped=False, decisions=150),
        bench.aec("guiyang", wrapped=True, decisions=150),
        bench.seats(16, "zhuoji", "random", steps=20),
        bench.sb3_seats(16, "zhuoji", "random", steps=20),
    ]


def test_every_way_of_play_counts_decisions_and_deals() -> None:
    for scenario in small():
        decisions, deals = scenario.chunk()
        assert decisions >= 150
        decisions, deals = scenario.chunk()
        # A deal of random play takes some 65 decisions, and never more than 300.
        assert deals >= decisions // (300 * scenario.tables)
        assert deals < decisions / 14


def test_medians_of_all_scenarios_in_order() -> None:
    ticks: list[None] = []
    entries = small()[:3]
    results = bench.measure(entries, rounds=2, progress=lambda: ticks.append(None))
    assert [r.name for r in results] == [e.name for e in entries]
    assert all(r.decisions_per_s > r.deals_per_s > 0 for r in results)
    assert len(ticks) == 6


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench, "scenarios", lambda rules: small()[:2])
    monkeypatch.setattr(bench, "starts", lambda: {"cold_start_s": 31.25, "warm_start_s": 2.0})
    assert cli.main(["bench", "--rounds", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [r["threads"] for r in told["results"]] == [1, 2]
    assert told["cold_start_s"] == 31.25
    assert cli.main(["bench", "--rounds", "1"]) == 0
    printed = capsys.readouterr().out
    assert "in the kernel" in printed
    assert "cold start, Python to first step: 31.2 s" in printed


def test_every_size_and_face_is_measured() -> None:
    told = {(s.name, s.tables, s.threads, s.builds) for s in bench.scenarios()}
    for n in bench.SIZES:
        assert ("Games.step", n, 1, "masks") in told
    names = {name for name, *_ in told}
    assert names == {
        "in the kernel",
        "Games.step",
        "AEC raw_env",
        "AEC env",
        "SeatVectorEnv, greedy",
        "SB3 SeatVecEnv, greedy",
        "determinize",
    }


def test_bits_are_counted() -> None:
    assert [count_bits(n) for n in (0, 1, 6, (1 << 58) - 1)] == [0, 1, 2, 58]


class Watching:
    """Notes how it is asked."""

    needs_observations = True
    asked: ClassVar[list[tuple[int, Any]]] = []

    def reset(self, n: int, seed: int) -> None:
        pass

    def act(
        self, views: NDArray[np.void], legal: NDArray[np.bool_], observations: Any
    ) -> NDArray[np.int64]:
        assert (views["legal"] == legal @ (1 << np.arange(58))).all()
        assert (legal.sum(axis=1) > 1).all()
        self.asked.append((len(views), observations))
        return legal.argmax(axis=1)


def test_agents_are_asked_in_batches_and_one_at_a_time() -> None:
    decisions = latency.real_play("zhuoji", 300)
    assert len(decisions.views) == 300
    assert len(np.unique(decisions.views["n_discards"])) > 30
    result = latency.measure("tests.test_bench:Watching", decisions, seconds=0.2)
    sizes = [n for n, _ in Watching.asked]
    assert set(sizes) == {latency.FEWEST, result.batch, 1}
    assert sizes.count(1) == result.singles
    assert all(len(shown[0]) == n for n, shown in Watching.asked)
    assert 0 < result.p50_ms <= result.p99_ms
    assert result.decisions_per_s > 0


def test_agents_from_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["bench", "--agents", "greedy,random", "--seconds", "0.1"]
    assert cli.main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [r["agent"] for r in told["agents"]] == ["greedy", "random"]
    assert cli.main(asked) == 0
    assert "p99 ms" in capsys.readouterr().out
    assert cli.main(["bench", "--agents", "greedy,nobody"]) == 2
    assert "nobody" in capsys.readouterr().err
