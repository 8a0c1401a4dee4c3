"""The tuning script, run with a tiny budget: what it writes, and that a break changes nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from agents.expert import Parameters, parameters
from training import tune_expert

TINY = [
    *("--rules", "guiyang", "--against", "greedy", "--fit", "fear,kong", "--generations", "3"),
    *("--population", "4", "--blocks", "2", "--keep-every", "2", "--threads", "1"),
    *("--select-blocks", "2", "--blind-blocks", "2"),
]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune_expert, "deviation", lambda rules, deals, seed: 6.5)


def tuned(out: Path, *more: str) -> Parameters:
    assert tune_expert.main([*TINY, "--out", str(out), *more]) == 0
    return parameters.load(out / "tuned.yaml")


def test_it_fits_what_it_is_asked_to_and_says_how(tmp_path: Path) -> None:
    found = asdict(tuned(tmp_path))
    start = asdict(parameters.load(parameters.CONFIGS / "expert.yaml"))
    assert {name for name in found if found[name] != start[name]} <= {"fear", "kong"}
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["generation"] for row in rows] == [0, 1, 2]
    assert len({margin for row in rows for margin in row["margins"]}) > 1
    head = (tmp_path / "tuned.yaml").read_text()
    assert "--fit fear,kong --rules guiyang --against greedy --generations 3" in head
    assert "guiyang against greedy: " in head


def test_a_break_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tuned(tmp_path / "whole")
    play = tune_expert.Task.margin
    played: list[int] = []

    def margin(task: tune_expert.Task, chosen: Parameters, blocks: int, seed: int) -> float:
        if len(played) == 5:
            raise KeyboardInterrupt
        played.append(seed)
        return play(task, chosen, blocks, seed)

    broken = tmp_path / "broken"
    monkeypatch.setattr(tune_expert.Task, "margin", margin)
    assert tune_expert.main([*TINY, "--out", str(broken)]) == tune_expert.INTERRUPTED
    monkeypatch.setattr(tune_expert.Task, "margin", play)
    assert tuned(broken, "--resume") == whole
    logs = [(path / "log.jsonl").read_text() for path in (tmp_path / "whole", broken)]
    assert logs[0] == logs[1]


def test_tuning_selection_and_blind_walls_are_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[tuple[int, int]] = []
    play = tune_expert.Task.matches

    def matches(task: tune_expert.Task, chosen: Parameters, blocks: int, seed: int) -> object:
        seeds.append((blocks, seed))
        return play(task, chosen, blocks, seed)

    monkeypatch.setattr(tune_expert.Task, "matches", matches)
    tuned(tmp_path, "--select-blocks", "3", "--blind-blocks", "4")
    tune, select, blind = ({seed for n, seed in seeds if n == blocks} for blocks in (2, 3, 4))
    assert len(tune) == 3
    assert (len(select), len(blind)) == (1, 1)
    assert not tune & select | tune & blind | select & blind


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--fit", "feer"], "--fit 'feer'; allowed: others_end"),
        (["--against", "greedi"], "unknown agent 'greedi'"),
        (["--rules", "guiyan"], "guiyan"),
        (["--config", "no.yaml"], "no.yaml: cannot be read"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: list[str], said: str
) -> None:
    given = [*TINY, "--out", str(tmp_path), *wrong]
    assert tune_expert.main(given) == tune_expert.BAD_INPUT
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_log_of_other_arguments_is_not_gone_on_with(tmp_path: Path) -> None:
    tuned(tmp_path)
    other = [*TINY, "--out", str(tmp_path), "--seed", "2", "--resume"]
    assert tune_expert.main(other) == tune_expert.BAD_INPUT


def test_a_log_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tuned(tmp_path)
    before = (tmp_path / "log.jsonl").read_bytes()
    assert tune_expert.main([*TINY, "--out", str(tmp_path)]) == tune_expert.BAD_INPUT
    assert "is there already; allowed: --resume, or another --out" in capsys.readouterr().err
    assert (tmp_path / "log.jsonl").read_bytes() == before


def test_a_generation_has_four_or_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [*TINY, "--out", str(tmp_path), "--population", "3"]
    assert tune_expert.main(given) == tune_expert.BAD_INPUT
    assert "--population 3; allowed: 4 or more" in capsys.readouterr().err
