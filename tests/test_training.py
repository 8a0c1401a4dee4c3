"""Training end to end with a tiny budget, and the policy file it leaves."""

from __future__ import annotations

import csv
import io
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from stable_baselines3.common.vec_env import VecEnv
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import agents
import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from agents.policy import (
    REFUSED,
    PolicyAgent,
    PolicyError,
    PolicyInfo,
    drawn,
    load,
    read_info,
    save_policy,
)
from training import checkpoint, config, maskable, report, sb3
from training.config import Args, ConfigError
from training.progress import Beside, Statistics
from zhuoji_env import observation
from zhuoji_env.arena.match import match
from zhuoji_env.envs.sb3 import SeatVecEnv

ROOT = Path(__file__).resolve().parent.parent
TINY = {
    "tables": "8",
    "steps": "4",
    "batch-size": "16",
    "epochs": "3",
    "decisions": "96",
    "channels": "4",
    "convolutions": "2",
    "hidden": "8",
    "pool": "2",
    "snapshot-every": "1",
    "checkpoint-every": "1",
    "threads": "1",
    "blocks": "2",
    "against": "random",
}


def command(folder: Path, **changed: str) -> list[str]:
    """Return the arguments of a tiny run."""
    values = {**TINY, "out": str(folder), **{k.replace("_", "-"): v for k, v in changed.items()}}
    return [part for key, value in values.items() for part in (f"--{key}", value)]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny run that came to its end."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    assert sb3.main(command(folder)) == 0
    return folder


def chances(agent: PolicyAgent, views: Any, legal: Any) -> Any:
    """The weight of every action at each view, (n, 58)."""
    logits = torch.from_numpy(agent.inference.logits(*observation.of_views(views)))
    return logits.masked_fill(~torch.from_numpy(legal), REFUSED).softmax(1).numpy()


def positions(n: int = 64, seed: int = 0) -> zj.Games:
    """Return tables in the midst of random play."""
    games = zj.Games(n, seed=seed)
    games.reset()
    states = np.arange(1, n + 1, dtype=np.uint64)
    for _ in range(30):
        games.step(games.sample(states))
    return games[~games.done]


def small_policy(seed: int = 0, **kwargs: Any) -> PolicyAgent:
    """Return an agent with random weights, larger than training begins with."""
    torch.manual_seed(seed)
    size = NetworkConfig(channels=4, convolutions=2, hidden=8)
    network = Network(size)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    info = PolicyInfo("guiyang", "f" * 12, observation.VERSION, size, decisions=7)
    return PolicyAgent(network, info, **kwargs)


# A run from beginning to end


@pytest.mark.slow
def test_a_run_leaves_what_it_promises(finished: Path) -> None:
    assert {path.name for path in finished.iterdir()} == {
        "args.yaml",
        "checkpoint.safetensors",
        "curve.csv",
        "curve.png",
        "matches.json",
        "policy.safetensors",
        "tb",
        "untrained.safetensors",
    }
    assert (finished / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert config.read(finished / "args.yaml").decisions == 96
    rows = list(csv.DictReader((finished / "curve.csv").read_text().splitlines()))
    assert [int(row["decisions"]) for row in rows] == [32, 64, 96]
    matches = json.loads((finished / "matches.json").read_text())
    assert [match["b"] for match in matches] == ["random", "untrained"]


@pytest.mark.slow
def test_a_run_writes_tensorboard_events(finished: Path) -> None:
    events = EventAccumulator(str(finished / "tb"))
    events.Reload()
    scalars = set(events.Tags()["scalars"])
    assert {"deals/win_rate", "train/value_loss", "decisions_per_second/collect"} <= scalars


@pytest.mark.slow
def test_training_changes_the_policy_and_says_for_what(finished: Path) -> None:
    first = load_file(finished / "untrained.safetensors")
    last = load_file(finished / "policy.safetensors")
    assert first.keys() == last.keys()
    assert not all(torch.equal(first[name], last[name]) for name in first)
    info = read_info(finished / "policy.safetensors")
    rules = zj.Rules.load("guiyang")
    assert (info.rules, info.fingerprint) == ("guiyang", rules.fingerprint)
    assert (info.observation, info.decisions) == (observation.VERSION, 96)
    assert info.network == NetworkConfig(channels=4, convolutions=2, hidden=8)


@pytest.mark.slow
def test_equal_arguments_give_equal_policies(finished: Path, tmp_path: Path) -> None:
    for seed, equal in (("1", True), ("2", False)):
        folder = tmp_path / seed
        assert sb3.main(command(folder, seed=seed, against="")) == 0
        one, other = (load_file(f / "policy.safetensors") for f in (finished, folder))
        assert all(torch.equal(one[name], other[name]) for name in one) is equal


@pytest.mark.slow
def test_a_finished_run_can_be_taken_further(tmp_path: Path) -> None:
    assert sb3.main(command(tmp_path, against="")) == 0
    before = checkpoint.read(tmp_path / "checkpoint.safetensors")
    assert sb3.main([*command(tmp_path, decisions="160", against=""), "--resume"]) == 0
    after = checkpoint.read(tmp_path / "checkpoint.safetensors")
    assert (after.decisions, after.updates, after.resumed) == (160, 5, 1)
    assert [row["decisions"] for row in after.curve] == [32, 64, 96, 128, 160]
    assert after.curve[:3] == before.curve
    assert len(after.copies) == 2
    for name, tensor in before.untrained.items():
        assert torch.equal(after.untrained[name], tensor)
    steps = {int(value) for key, value in after.optimizer.items() if key.endswith(".step")}
    # 3 epochs of 2 minibatches in each of the 5 updates: Adam's memory was kept.
    assert steps == {30}
    assert any(not torch.equal(after.weights[k], w) for k, w in before.weights.items())


@pytest.mark.slow
def test_an_interrupted_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    step = Beside._on_step

    def interrupt(self: Beside) -> bool:
        if self.num_timesteps >= 48:
            raise KeyboardInterrupt
        return step(self)

    with monkeypatch.context() as patched:
        patched.setattr(Beside, "_on_step", interrupt)
        assert sb3.main(command(tmp_path)) == sb3.INTERRUPTED
    assert "--resume" in capsys.readouterr().out
    kept = checkpoint.read(tmp_path / "checkpoint.safetensors")
    assert (kept.decisions, kept.updates) == (48, 1)
    agents.make(str(tmp_path / "policy.safetensors"))
    assert sb3.main([*command(tmp_path, against=""), "--resume"]) == 0
    assert checkpoint.read(tmp_path / "checkpoint.safetensors").decisions >= 96


@pytest.mark.slow
def test_resuming_another_run_is_refused(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for changed in ({"channels": "5"}, {"rules": "zhuoji"}):
        assert sb3.main([*command(finished, **changed), "--resume"]) == sb3.BAD_INPUT
        said = capsys.readouterr().err
        assert next(iter(changed)) in said and said.count("\n") == 1


@pytest.mark.slow
def test_rules_are_the_same_by_their_switches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house, moved = tmp_path / "house.yaml", tmp_path / "moved.yaml"
    house.write_text("preset: guiyang\nji: {wu_gu: 2}\n")
    run = command(tmp_path / "run", rules=str(house), against="")
    assert sb3.main(run) == 0
    moved.write_text(house.read_text())
    again = command(tmp_path / "run", rules=str(moved), against="")
    assert sb3.main([*again, "--resume"]) == 0
    house.write_text("preset: guiyang\nji: {wu_gu: 3}\n")
    capsys.readouterr()
    assert sb3.main([*run, "--resume"]) == sb3.BAD_INPUT
    said = capsys.readouterr().err
    assert zj.Rules.load(house).fingerprint in said and zj.Rules.load(moved).fingerprint in said
    assert "allowed: the same switches" in said and said.count("\n") == 1


def test_resuming_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sb3.main([*command(tmp_path / "none"), "--resume"]) == sb3.BAD_INPUT
    assert "checkpoint.safetensors" in capsys.readouterr().err


@pytest.mark.slow
def test_learning_raises_what_pays(tmp_path: Path) -> None:
    """With hu worth taking and seldom offered, a short run makes it likelier than it was."""
    arguments = command(
        tmp_path,
        tables="256",
        steps="16",
        batch_size="512",
        decisions="60000",
        channels="16",
        hidden="32",
        learning_rate="0.003",
        opponents="greedy=1",
        snapshot_every="100",
        checkpoint_every="100",
        against="",
    )
    assert sb3.main(arguments) == 0
    games = zj.Games(4096, seed=5)
    games.reset()
    greedy = agents.make("greedy")
    found = []
    while not games.done.all():
        views, legal = games.view(), games.legal
        can = legal[:, 55] & (legal.sum(1) > 1)
        found.append(views[can])
        games.step(greedy.act(views, legal, None))
    views = np.concatenate(found)
    legal = views["legal"][:, None] >> np.arange(58) & 1 == 1
    chance = {}
    for name in ("untrained", "policy"):
        agent = load(tmp_path / f"{name}.safetensors")
        chance[name] = float(chances(agent, views, legal)[:, 55].mean())
    assert chance["policy"] > chance["untrained"] + 0.1, chance


# The seam with MaskablePPO


def test_the_policy_file_plays_as_the_learner_does(tmp_path: Path) -> None:
    args = config.parse(command(tmp_path))[0]
    run = sb3.set_up(args, False, Console())
    weights = {k: torch.randn_like(v) for k, v in run.policy.network_weights().items()}
    run.policy.load_network_weights(weights)
    save_policy(tmp_path / "policy.safetensors", run.policy.network_weights(), run.pool.info)
    agent = agents.make(str(tmp_path / "policy.safetensors"))
    games = positions()
    planes, rows = games.observe()
    mine, _ = run.model.predict(
        observation.stack(planes, rows), deterministic=True, action_masks=games.legal
    )
    actions = agent.act(games.view(), games.legal, (planes, rows))
    assert np.array_equal(mine, actions)
    assert len(set(actions.tolist())) > 5


def test_packed_observations_give_the_same_values(tmp_path: Path) -> None:
    run = sb3.set_up(config.parse(command(tmp_path))[0], False, Console())
    games = positions()
    whole = observation.stack(*games.observe())
    assert maskable.pack(whole).shape == (len(games), maskable.PACKED)
    a, b = (
        run.policy.predict_values(torch.from_numpy(shown))
        for shown in (whole, maskable.pack(whole))
    )
    torch.testing.assert_close(a, b)


def test_an_untrained_policy_is_nearly_uniform(tmp_path: Path) -> None:
    run = sb3.set_up(config.parse(command(tmp_path))[0], False, Console())
    games = positions()
    legal = games.legal
    shown = torch.from_numpy(observation.stack(*games.observe()))
    probs: Any = run.policy.get_distribution(shown, legal).distribution.probs  # type: ignore[union-attr]
    even = legal / legal.sum(1, keepdims=True)
    np.testing.assert_allclose(probs.detach().numpy(), even, atol=0.05)


def test_the_reward_unit_is_a_multiple_of_the_rulesets_plain_hand() -> None:
    assert sb3.reward_scale(zj.Rules.load("guiyang"), 10) == 1 / 10
    assert sb3.reward_scale(zj.Rules.load("zhuoji"), 10) == 1 / 100
    assert sb3.reward_scale(zj.Rules.load({"preset": "guiyang", "base": 5}), 10) == 1 / 50


def test_frozen_copies_stay_frozen_and_the_oldest_goes(tmp_path: Path) -> None:
    run = sb3.set_up(config.parse(command(tmp_path))[0], False, Console())
    first = run.pool.copies()[0]
    kept = {name: tensor.clone() for name, tensor in first.items()}
    run.policy.load_network_weights({k: v + 1 for k, v in run.policy.network_weights().items()})
    assert all(torch.equal(first[name], tensor) for name, tensor in kept.items())
    for _ in range(2):
        run.pool.add(run.policy.network_weights())
    assert len(run.pool.copies()) == 2
    assert not any(
        torch.equal(c["heads.kind.weight"], kept["heads.kind.weight"]) for c in run.pool.copies()
    )
    weights = [weight for _, weight in run.pool.opponents()]
    assert sum(weights) == pytest.approx(1)


def test_statistics_count_the_learners_deals() -> None:
    statistics = Statistics()
    base = {"opponents": "greedy", "winners": [], "shooter": None, "ready": [True] * 4}
    statistics.add({**base, "seat": 1, "scores": [0, 3, -3, 0], "end": "draw"})
    statistics.add({**base, "seat": 0, "scores": [-4, 4, 0, 0], "end": "discard", "shooter": 0})
    statistics.add({**base, "seat": 2, "scores": [0, 0, 0, 0], "end": "rob", "winners": [2]})
    row = statistics.take()
    assert row["points"] == {"greedy": [-1, 3]}
    counts = ("deals", "win", "deal_in", "draw", "ready_at_draw")
    assert [row[name] for name in counts] == [3, 1, 1, 1, 1]
    assert statistics.take()["deals"] == 0


def test_the_curve_is_averaged_over_deals() -> None:
    curve = [
        {"decisions": 10 * i, "points": {"greedy": [float(i), 2]} if i != 2 else {}}
        for i in range(1, 5)
    ]
    decisions, points = report.smoothed(curve, "greedy", width=2)
    assert decisions.tolist() == [10, 30, 40]
    assert points.tolist() == [1 / 2, 4 / 4, 7 / 4]


def test_the_table_of_matches_fits_a_terminal() -> None:
    results = [match("hu_first", name, blocks=3, seed=1) for name in ("greedy", "random")]
    text = io.StringIO()
    Console(file=text, width=80).print(report.table(results))
    shown = text.getvalue()
    assert "…" not in shown
    for result in results:
        row = next(line for line in shown.splitlines() if line.split()[:1] == [result.b])
        assert f"{result.mean:+.2f}" in row and f"{result.low:+.2f} .. {result.high:+.2f}" in row


# The policy file


def test_a_policy_file_comes_back_as_it_went(tmp_path: Path) -> None:
    agent = small_policy()
    path = tmp_path / "deep" / "a.safetensors"
    save_policy(path, agent.network.state_dict(), agent.info)
    back = load(path)
    assert back.info == agent.info and back.name == "a"
    games = positions()
    legal, shown = games.legal, games.observe()
    actions = agent.act(games.view(), legal, shown)
    assert np.array_equal(back.act(games.view(), legal, shown), actions)
    assert np.array_equal(back.act(games.view(), legal, None), actions), "or it looks for itself"
    assert actions.dtype == np.int64 and legal[np.arange(len(games)), actions].all()


def test_sampling_is_legal_follows_the_weights_and_its_seed() -> None:
    agent = small_policy(sample=True, seed=1)
    games = positions(256)
    views, legal, shown = games.view(), games.legal, games.observe()
    first = agent.act(views, legal, shown)
    assert legal[np.arange(len(games)), first].all()
    assert np.array_equal(agent.act(views, legal, shown), first)
    agent.reset(256, 2)
    assert not np.array_equal(agent.act(views, legal, shown), first)
    one, n = views[:1].repeat(20_000), 20_000
    many = agent.act(one, legal[:1].repeat(n, 0), None, np.arange(n))
    found = np.bincount(many, minlength=58) / n
    np.testing.assert_allclose(found, chances(agent, views[:1], legal[:1])[0], atol=0.02)


def test_actions_do_not_depend_on_the_batch() -> None:
    agent = small_policy(sample=True)
    games = positions(64)
    views, legal = games.view(), games.legal
    whole = agent.act(views, legal, None)
    halves = [agent.act(views[p], legal[p], None) for p in (slice(0, 20), slice(20, None))]
    assert np.array_equal(np.concatenate(halves), whole)


@settings(deadline=None)
@given(
    logits=st.lists(st.floats(-80, 80, width=32), min_size=58, max_size=58),
    legal=st.lists(st.booleans(), min_size=58, max_size=58).filter(any),
    draw=st.floats(0, 1, exclude_max=True, width=32),
)
def test_no_draw_is_ever_illegal(logits: list[float], legal: list[bool], draw: float) -> None:
    mask = torch.tensor([legal])
    shown = torch.tensor([logits], dtype=torch.float32).masked_fill(~mask, -1e9)
    (action,) = drawn(shown, np.array([draw], np.float32))
    assert legal[action]


def test_the_highest_draw_finds_an_action() -> None:
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(5000, 58, generator=generator).masked_fill(torch.arange(58) > 50, -1e9)
    highest = np.full(5000, np.nextafter(np.float32(1), np.float32(0)))
    assert drawn(logits, highest).max() <= 50


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 20)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"weights": [1, 2, 3]}))


def gone(path: Path) -> None:
    path.unlink()


def rewritten(
    metadata: dict[str, str] | None = None,
    weights: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> Callable[[Path], None]:
    """Return what changes a file's metadata or weights and leaves it well-formed."""

    def change(path: Path) -> None:
        with safe_open(path, framework="pt") as file:
            described = dict(file.metadata())
        changed = {**described, **(metadata or {})}
        save_file(weights(load_file(path)), path, {k: v for k, v in changed.items() if v})

    return change


def size(**changed: Any) -> dict[str, str]:
    """Return metadata of a network of another size."""
    base = {"channels": 4, "convolutions": 2, "hidden": 8}
    rows = {"planes": observation.N_PLANES, "globals": observation.N_GLOBALS}
    return {"network": json.dumps({**base, **rows, **changed})}


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (cut, "not a safetensors file"),
        (noise, "not a safetensors file"),
        (empty, "not a safetensors file"),
        (pickled, "not a safetensors file"),
        (gone, "cannot be read"),
        (rewritten({"format": "other/1"}), "format is 'other/1'"),
        (rewritten({"format": ""}), "format is None"),
        (rewritten({"observation": "999"}), "observation version 999"),
        (rewritten({"network": ""}), "does not describe a policy"),
        (rewritten({"network": "[1]"}), "does not describe a policy"),
        (rewritten({"network": "{"}), "does not describe a policy"),
        (rewritten({"decisions": "many"}), "does not describe a policy"),
        (rewritten(size(channels=10**9)), "channels is 1000000000"),
        (rewritten(size(channels=True)), "channels is True"),
        (rewritten(size(depth=3)), "depth"),
        (rewritten(size(channels=5)), "weights 'encoder"),
        (rewritten(size(planes=3)), "3 planes"),
        (rewritten(weights=lambda w: {k: v for k, v in w.items() if "back" not in k}), "missing"),
        (rewritten(weights=lambda w: {**w, "more": torch.ones(2)}), "no such weights"),
        (rewritten(weights=lambda w: {k: v.double() for k, v in w.items()}), "float64"),
        (rewritten(weights=lambda w: {k: v * np.nan for k, v in w.items()}), "finite"),
    ],
)
def test_a_spoilt_policy_file_is_refused(
    tmp_path: Path, spoil: Callable[[Path], None], reason: str
) -> None:
    path = tmp_path / "policy.safetensors"
    agent = small_policy()
    save_policy(path, agent.network.state_dict(), agent.info)
    spoil(path)
    with pytest.raises(PolicyError) as raised:
        agents.make(str(path))
    said = str(raised.value)
    assert reason in said and str(path) in said and "\n" not in said


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "policy.safetensors"
    agent = small_policy()
    save_policy(path, agent.network.state_dict(), agent.info)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="disk full"):
        save_policy(path, small_policy(1).network.state_dict(), agent.info)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_spoilt_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    save_file({"weights/a": torch.ones(1)}, path, {"format": checkpoint.FORMAT})
    with pytest.raises(checkpoint.CheckpointError, match="does not describe a run"):
        checkpoint.read(path)
    save_file({"a": torch.ones(1)}, path, {"format": "other"})
    with pytest.raises(checkpoint.CheckpointError, match="not a zhuoji-checkpoint/1"):
        checkpoint.read(path)
    noise(path)
    with pytest.raises(checkpoint.CheckpointError, match="cannot be read"):
        checkpoint.read(path)


# Arguments


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "sb3").glob("*.yaml")), ids=str)
def test_shipped_configs_are_read(path: Path) -> None:
    args, resume = config.parse(["--config", str(path), "--seed", "9"])
    assert args.seed == 9 and not resume
    zj.Rules.load(args.rules)
    # What a run collects between updates falls into whole minibatches.
    assert args.tables * args.steps % args.batch_size == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("decisons: 5", "unknown key 'decisons'"),
        ("decisions: many", "decisions is 'many'; allowed: int"),
        ("decisions: 0", "decisions is 0"),
        ("gamma: 1.5", "gamma is 1.5"),
        ("gamma: .nan", "gamma is nan"),
        ("seed: true", "seed is True; allowed: int"),
        ("opponents: {self: -1}", "opponents are"),
        ("opponents: {self: a}", "opponents are"),
        ("opponents: {self: 0}", "opponents are"),
        ("opponents: greedy", "allowed: dict"),
        ("- 1", "allowed: a mapping"),
        ("a: [", "cannot be read"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(
    tmp_path: Path, text: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        config.read(path)
    assert sb3.main(["--config", str(path)]) == sb3.BAD_INPUT
    said = capsys.readouterr().err
    assert reason in said and said.count("\n") == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"rules": "nowhere"},
        {"opponents": "nobody=1"},
        {"against": "nobody"},
        {"opponents": "self=0"},
        {"channels": "100000"},
    ],
)
def test_what_does_not_exist_is_said_before_training(
    tmp_path: Path, changed: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert sb3.main(command(tmp_path / "run", **changed)) == sb3.BAD_INPUT
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_every_argument_has_a_sentence_and_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        config.parse(["--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    assert "Without --config and --resume, a new run of the default length begins" in " ".join(
        shown.split()
    )
    for name, field in Args.__dataclass_fields__.items():
        assert f"--{name.replace('_', '-')}" in shown
        assert field.metadata["help"].endswith(".")


def test_the_environment_is_a_vec_env() -> None:
    assert issubclass(SeatVecEnv, VecEnv)
