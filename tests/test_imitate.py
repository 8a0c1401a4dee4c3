"""Imitation: what is streamed is the teacher's, what is fitted comes nearer it, runs go on."""

from __future__ import annotations

import json
import os
import shlex
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

import agents
import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from agents.policy import load, read_info
from training.imitate import report
from training.imitate.args import FREE, Args, ArgsError, build, command, parse
from training.imitate.learn import KINDS, NotFinite, Student, judged
from training.imitate.run import HELD_OUT, Run, main, teacher
from training.imitate.stream import Decisions, Plan, Stream, answers
from training.selfplay import rulesets
from training.selfplay.checkpoint import BEFORE, NEWEST, CheckpointError, read
from training.selfplay.critic import begin
from training.selfplay.run import BAD_INPUT, INTERRUPTED
from training.selfplay.tables import LEARNER
from zhuoji_env import observation
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.rules import Rules

SIZE = NetworkConfig(channels=4, convolutions=1, hidden=8, value=0)
RULES = (Rules.load("guiyang"), Rules.load("duole"))
pytestmark = pytest.mark.usefixtures("one_thread", "quick_sigma")

TINY: dict[str, Any] = {
    "rules": "guiyang,zhuoji",
    "deals": 40,
    "channels": 4,
    "convolutions": 1,
    "hidden": 8,
    "tables": 8,
    "steps": 20,
    "batch_size": 64,
    "bfloat16": False,
    "held_out": 4,
    "judge_every": 2,
    "checkpoint_every": 1,
    "blocks": 2,
    "against": "random",
    "match_rules": "guiyang",
    "threads": 2,
}


def tiny(folder: Path, **changed: Any) -> Args:
    """Return the arguments of a tiny run into a folder."""
    return build({**TINY, "out": str(folder), **changed})


def given_as_flags(args: Args) -> list[str]:
    """Return the flags that say the same."""
    return shlex.split(command(args))[3:]


def student(seed: int = 1, gain: float = 0.3) -> Network:
    """Return a network that tells positions apart."""
    network = Network(SIZE)
    begin(network, seed, {"heads.kind": gain, "heads.plain": gain})
    return network.eval()


def plan(**changed: Any) -> Plan:
    """Return a small stream's plan with everybody at the tables."""
    given: dict[str, Any] = {
        "rules": RULES,
        "rules_index": tuple(i % 2 for i in range(24)),
        "seed": 5,
        "first": 0,
        "shares": (0.3, 0.4, 0.3),
        "strays": ("greedy",),
        "bfloat16": False,
    }
    return Plan(**{**given, **changed})


def same(one: Decisions, other: Decisions) -> bool:
    """Whether some decisions are the same, bit for bit."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in vars(one)]
    return all(a.tobytes() == b.tobytes() and a.shape == b.shape for a, b in pairs)


@pytest.fixture(scope="module")
def streamed() -> tuple[Decisions, int]:
    """A few thousand decisions of teacher, student and greedy."""
    return Stream(plan(), teacher("expert")).collect(120, student())


# What is streamed


def test_every_target_is_the_teachers(streamed: tuple[Decisions, int]) -> None:
    rows, _ = streamed
    expert = agents.make("expert")
    legal = (rows.views["legal"][:, None] >> np.arange(58) & 1).astype(bool)
    assert np.array_equal(rows.action, expert.act(rows.views, legal, None))
    assert legal[np.arange(len(rows)), rows.action].all()
    assert np.array_equal(rows.scores > -np.inf, legal)
    unit = rows.views["rules"]["hand_ping_hu"][:, None]
    scores = teacher("expert").scores(rows.views)
    np.testing.assert_allclose(rows.scores * unit, scores, rtol=1e-5)


def test_what_is_seen_is_the_view(streamed: tuple[Decisions, int]) -> None:
    rows, _ = streamed
    planes, globals_ = observation.of_views(rows.views)
    assert np.array_equal(planes, rows.planes) and np.array_equal(globals_, rows.globals)


def test_moves_without_a_choice_are_left_out(streamed: tuple[Decisions, int]) -> None:
    rows, deals = streamed
    assert (np.bitwise_count(rows.views["legal"]) > 1).all()
    assert len(rows) >= 100 * 24 and deals >= 24


def test_both_rulesets_are_streamed(streamed: tuple[Decisions, int]) -> None:
    rows, _ = streamed
    for rules in RULES:
        mine = rows.views["rules"] == zj.Games(1, rules=rules).records[0]
        assert 0.4 < mine.mean() < 0.6, rules.name


def test_only_the_teachers_deals_without_others() -> None:
    stream = Stream(plan(shares=(1.0, 0.0), strays=()), teacher("expert"))
    rows, deals = stream.collect(80)
    assert deals >= 24 and (stream.who == LEARNER).all()
    again = Stream(plan(shares=(0.0, 1.0), strays=()), teacher("expert"))
    others, _ = again.collect(80, student())
    assert (again.who != LEARNER).any(axis=1).all()
    assert not np.array_equal(others.action[: len(rows)], rows.action[: len(others)])


def test_the_student_meets_its_own_mistakes() -> None:
    """With the student at every seat, a table goes where its own actions lead."""

    class Played(Stream):
        played: list[np.ndarray[Any, Any]]

        def _advance(self) -> int:
            self.played.append(self._actions.copy())
            return super()._advance()

    stream = Played(plan(shares=(0.0, 1.0), strays=()), teacher("expert"))
    stream.played = []
    stream.who[:] = 1
    network = student()
    rows, _ = stream.collect(1, network)
    chosen = answers(network, rows)
    assert np.array_equal(stream.played[1][stream._order[: len(rows)]], chosen)
    assert (chosen != rows.action).any()


@settings(max_examples=6, deadline=None)
@given(steps=st.lists(st.integers(1, 30), min_size=2, max_size=3), seed=st.integers(0, 99))
def test_a_stream_goes_on_from_its_state(steps: list[int], seed: int) -> None:
    network = student()
    one, other = (Stream(plan(seed=seed), teacher("expert")) for _ in range(2))
    for number in steps:
        there = one.collect(number, network)
        fresh = Stream(plan(seed=seed), teacher("expert"))
        fresh.load_state(other.state())
        here, other = fresh.collect(number, network), fresh
        assert same(there[0], here[0]) and there[1] == here[1]


def test_walls_are_trainings_and_held_out_ones_are_others(tmp_path: Path) -> None:
    tried = Run(tiny(tmp_path))
    seeds = np.concatenate([stream.games.state["seed"] for stream in tried.streams])
    assert np.array_equal(np.sort(seeds), np.sort(table_seeds(1, 16, "training")))
    apart = table_seeds(1, 4, "training", HELD_OUT)
    assert not np.isin(apart, seeds).any()
    assert len(tried.held_out) >= 4 * 60


# The fitting


def test_the_target_is_the_action_or_the_scores_softened(streamed: tuple[Decisions, int]) -> None:
    from training.imitate.learn import _Lessons

    rows, _ = streamed
    lessons, at = _Lessons.of(rows), torch.arange(len(rows))
    hard = lessons.target(at, 0.0)
    assert torch.equal(hard.argmax(1), lessons.action) and torch.equal(hard.sum(1), at * 0.0 + 1)
    soft = lessons.target(at, 0.5).numpy()
    np.testing.assert_allclose(soft.sum(1), 1, rtol=1e-5)
    assert (soft[rows.scores == -np.inf] == 0).all() and (soft[rows.scores > -np.inf] >= 0).all()
    ratio = soft[:, :27].max(1) / soft.max(1)
    gap = rows.scores[:, :27].max(1) - rows.scores.max(1)
    np.testing.assert_allclose(ratio, np.exp(gap / 0.5), rtol=1e-3, atol=1e-30)


@pytest.mark.parametrize("temperature", [0.0, 0.2])
def test_fitting_comes_nearer_the_teacher(
    tmp_path: Path, streamed: tuple[Decisions, int], temperature: float
) -> None:
    args = tiny(tmp_path, temperature=temperature, learning_rate=1e-2)
    fitted = Student(args, student(gain=0.01))
    before = fitted.judge(streamed[0])
    losses = [fitted.learn(streamed[0], number, 0.0) for number in range(4)]
    after = fitted.judge(streamed[0])
    assert losses[-1] < 0.9 * losses[0]
    assert after.agreement > before.agreement + 0.15 and after.regret < 0.7 * before.regret


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_sum_to_the_whole_batchs_gradient(
    tmp_path: Path, streamed: tuple[Decisions, int], threads: int
) -> None:
    network = student()
    args = tiny(tmp_path, threads=threads, temperature=0.0, batch_size=10**6, grad_norm=1e9)
    Student(args, network).learn(streamed[0], 0, 0.0)
    alone = student()
    planes, globals_ = map(torch.from_numpy, (streamed[0].planes, streamed[0].globals))
    refused = torch.from_numpy(streamed[0].scores == -np.inf)
    logits = alone(planes, globals_).masked_fill(refused, -1e9)
    torch.nn.functional.cross_entropy(logits, torch.from_numpy(streamed[0].action)).backward()
    for mine, whole in zip(network.parameters(), alone.parameters(), strict=True):
        assert mine.grad is not None and whole.grad is not None
        torch.testing.assert_close(mine.grad, whole.grad, atol=1e-5, rtol=1e-3)


def test_agreement_is_by_kind_and_regret_by_the_scores(streamed: tuple[Decisions, int]) -> None:
    rows = streamed[0]
    whole = judged(rows, rows.action)
    assert whole.agreement == 1 and whole.regret == 0 and set(whole.by_kind.values()) == {1.0}
    assert sum(whole.counts.values()) == len(rows) and whole.counts["discard"] > len(rows) / 2
    worst = np.where(rows.scores == -np.inf, np.inf, rows.scores).argmin(1)
    least = judged(rows, worst)
    gap = rows.scores.max(1) - rows.scores[np.arange(len(rows)), worst]
    assert least.regret == pytest.approx(float(gap.mean()), rel=1e-4)
    only = rows.action < KINDS["peng"]
    mixed = judged(rows, np.where(only, rows.action, worst))
    assert mixed.by_kind["discard"] == 1 and mixed.by_kind["pass"] < 0.5


def test_the_step_falls_from_first_to_last(tmp_path: Path) -> None:
    fitted = Student(tiny(tmp_path, learning_rate=1e-2, final_learning_rate=1e-4), student())
    rates = [fitted.learning_rate(p) for p in (0.0, 0.5, 1.0, 1.2)]
    assert rates == pytest.approx([1e-2, 5.05e-3, 1e-4, 1e-4])


# Whole runs


def test_a_run_leaves_a_policy_and_a_report(tmp_path: Path) -> None:
    args = tiny(tmp_path / "run", keep=str(tmp_path / "kept"))
    assert main(given_as_flags(args)) == 0
    left = {path.name for path in (tmp_path / "run").iterdir()}
    files = {"policy.safetensors", NEWEST, BEFORE, "report.md", "curve.csv", "matches.json"}
    assert left == {*files, "curve.json"}
    info = read_info(tmp_path / "run" / "policy.safetensors")
    curve = json.loads((tmp_path / "run" / "curve.json").read_text())
    assert info.rules == "guiyang,zhuoji" and info.network.value == 0
    assert info.decisions == curve[-1]["decisions"] > 1000 and curve[-1]["deals"] >= 40
    assert 0 < curve[-1]["agreement"] < 1 and "discard" in curve[-1]["by_kind"]
    told = (tmp_path / "run" / "report.md").read_text()
    assert command(args) in told and "| discard |" in told and "| guiyang | random |" in told
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == len(curve)
    first = np.load(kept[0])
    assert np.array_equal(first["action"], first["scores"].argmax(1))


def test_nothing_is_kept_unless_asked(tmp_path: Path) -> None:
    tried = Run(tiny(tmp_path))
    tried.one_round()
    assert not list(tmp_path.iterdir())


def test_the_policy_is_the_network_that_was_fitted(tmp_path: Path) -> None:
    tried = Run(tiny(tmp_path))
    tried.one_round()
    tried.save()
    policy = load(tmp_path / "policy.safetensors")
    assert policy.info.network == tried.size and policy.info.fingerprint.count(",") == 1
    written = load_file(tmp_path / "policy.safetensors")
    fitted = tried.student.network.state_dict()
    assert written.keys() == fitted.keys()
    assert all(torch.equal(written[name], fitted[name]) for name in written)
    rows = tried.held_out
    chosen = policy.act(rows.views, rows.scores > -np.inf, (rows.planes, rows.globals))
    # What nearly ties may fall either way: the policy file is played by other arithmetic.
    assert (chosen == answers(tried.student.network, rows)).mean() > 0.97


def test_a_resumed_run_is_the_one_that_was_not_broken_off(tmp_path: Path) -> None:
    whole = Run(tiny(tmp_path / "whole"))
    for _ in range(4):
        whole.one_round()
    whole.save()
    for _ in range(2):
        kept = read(tmp_path / "broken")[0] if (tmp_path / "broken").exists() else None
        part = Run(tiny(tmp_path / "broken"), kept)
        part.one_round()
        part.one_round()
        part.save()
    one, other = (load_file(tmp_path / f / "policy.safetensors") for f in ("whole", "broken"))
    assert all(torch.equal(one[name], other[name]) for name in one)
    timed = ("seconds", "speed", "collecting")
    curves = [
        [{k: v for k, v in row.items() if k not in timed} for row in r.curve] for r in (whole, part)
    ]
    assert curves[0] == curves[1] and len(curves[0]) == 4


def test_ctrl_c_leaves_a_checkpoint_to_go_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    args, one_round = tiny(tmp_path), Run.one_round

    def interrupted(self: Run) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        return one_round(self)

    monkeypatch.setattr(Run, "one_round", interrupted)
    assert main(given_as_flags(args)) == INTERRUPTED
    assert "--resume goes on" in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.setattr(rulesets, "SIGMA_DEALS", 40)
    assert read(tmp_path)[0].facts["rounds"] == 1
    assert main([*given_as_flags(args), "--resume"]) == 0


def test_a_loss_that_is_no_number_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    args, kept = tiny(tmp_path), Run.save

    def poisoned(self: Run) -> None:
        kept(self)
        with torch.no_grad():
            next(iter(self.student.network.parameters())).fill_(np.nan)

    monkeypatch.setattr(Run, "save", poisoned)
    assert main(given_as_flags(args)) == BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith("error: the loss is nan") and said.count("\n") == 1
    assert read(tmp_path)[0].facts["rounds"] == 1
    policy = load_file(tmp_path / "policy.safetensors")
    assert all(torch.isfinite(tensor).all() for tensor in policy.values())


def test_a_poisoned_network_takes_no_step(tmp_path: Path, streamed: tuple[Decisions, int]) -> None:
    network = student()
    fitted = Student(tiny(tmp_path), network)
    with torch.no_grad():
        network.heads.plain.bias[0] = np.nan
    before = network.heads.kind.weight.clone()
    with pytest.raises(NotFinite, match=str(tmp_path)):
        fitted.learn(streamed[0], 0, 0.0)
    assert torch.equal(network.heads.kind.weight, before)


def test_a_broken_write_keeps_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = Run(tiny(tmp_path))
    tried.one_round()
    tried.save()
    tried.one_round()

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        tried.save()
    monkeypatch.undo()
    assert read(tmp_path)[0].facts["rounds"] == 1


# Arguments


def test_every_argument_says_what_it_is() -> None:
    for name, field in Args.model_fields.items():
        assert field.description and field.description.endswith("."), name
    assert set(Args.model_fields) >= FREE


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--deals", "0"], "--deals is '0': Input should be greater"),
        (["--deals", "many"], "--deals is 'many'"),
        (["--teacher", "nobody"], "unknown agent 'nobody'"),
        (["--teacher", "greedy"], "--teacher 'greedy' gives no scores of actions; allowed: expert"),
        (["--rules", "guiyan"], "guiyan"),
        (["--rules", ","], "--rules names none"),
        (["--tables", "3"], "--tables 3 and --held-out 256 for 4 rulesets"),
        (["--strays", "nobody"], "unknown agent 'nobody'"),
        (["--student", "0.8", "--stray", "0.4"], "student and stray add up to more than 1"),
        (["--strays", ""], "stray is above 0 and strays names nobody"),
        (["--learning-rate", "1e-9"], "final_learning_rate is above learning_rate"),
        (["--temperature", "-1"], "--temperature is '-1'"),
        (["--resume"], "cannot be read"),
    ],
)
def test_bad_arguments_get_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], said: str
) -> None:
    assert main(["--out", str(tmp_path / "run"), *flags]) == BAD_INPUT
    told = capsys.readouterr().err
    assert told.startswith("error: ") and said in told and told.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_folder_with_a_run_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = Run(tiny(tmp_path))
    tried.save()
    assert main(given_as_flags(tiny(tmp_path))) == BAD_INPUT
    assert "has a run already; allowed: --resume" in capsys.readouterr().err
    # As a kill between the renamings of a write leaves it.
    (tmp_path / NEWEST).rename(tmp_path / BEFORE)
    assert main(given_as_flags(tiny(tmp_path))) == BAD_INPUT
    with pytest.raises(CheckpointError, match="made with seed 1, 2 given"):
        Run(tiny(tmp_path, seed=2), read(tmp_path)[0])


def test_the_command_says_the_arguments_again(tmp_path: Path) -> None:
    args = tiny(tmp_path, temperature=0.25, against="", rules="my rules.yaml")
    assert parse(given_as_flags(args)) == (args, False)
    with pytest.raises(ArgsError, match="unknwon"):
        build({"unknwon": 1})


def test_the_curve_is_written_with_gaps_where_nothing_was_judged(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"round": 1}, {"round": 2, "by_kind": {"peng": 0.5}}]
    report.write_curve(tmp_path, rows)
    assert (tmp_path / "curve.csv").read_text() == "round,agreement_peng\n1,\n2,0.5\n"
