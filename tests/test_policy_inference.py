"""A policy without torch, as ONNX, and from files that nobody should trust."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

import agents
import zhuoji_env as zj
from agents import export, policy
from agents.inference import TIE, NumpyNetwork, best, shapes
from agents.network import Network, NetworkConfig
from agents.policy import PolicyError, PolicyInfo, load, read_info, save_policy
from zhuoji_env import observation
from zhuoji_env.latency import Decisions, real_play
from zhuoji_env.rules import PRESETS

ROOT = Path(__file__).resolve().parent.parent
# Decisions of each preset that are compared.
EACH = 800
# What issue and README promise of a shipped policy.
SHIPPED_BYTES, AGREEMENT = 1_500_000, 0.995
SMALL = NetworkConfig(channels=16, convolutions=2, hidden=32)
# As `training.selfplay` describes a policy for all presets.
RULES = [zj.Rules.load(name) for name in PRESETS]
NAMES, FINGERPRINTS = ",".join(r.name for r in RULES), ",".join(r.fingerprint for r in RULES)


def saved(path: Path, network: Network, config: NetworkConfig) -> Path:
    """Write a network as a policy for all presets."""
    info = PolicyInfo(NAMES, FINGERPRINTS, observation.VERSION, config, decisions=7)
    save_policy(path, network.state_dict(), info)
    return path


def drawn_network(config: NetworkConfig, seed: int = 0) -> Network:
    """Return a network with random weights and logits so sharp that they settle most decisions."""
    torch.manual_seed(seed)
    network = Network(config).eval()
    with torch.no_grad():
        for head in (network.heads.kind, network.heads.plain):
            head.weight *= 10
    return network


def taught_network(config: NetworkConfig, seen: Decisions) -> Network:
    """Return a network that has learnt a little of what greedy does."""
    torch.manual_seed(1)
    network = Network(config)
    planes, rows = (torch.from_numpy(part) for part in observation.of_views(seen.views))
    wanted = torch.from_numpy(zj.baselines.make("greedy").act(seen.views, seen.legal))
    refused = ~torch.from_numpy(seen.legal)
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    for _ in range(3):
        for part in torch.randperm(len(wanted)).split(256):
            logits = network(planes[part], rows[part]).masked_fill(refused[part], policy.REFUSED)
            loss = torch.nn.functional.cross_entropy(logits, wanted[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return network.eval()


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Keep torch to one thread: for networks so small more only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def seen() -> Decisions:
    """Decisions with a choice, of every preset's play."""
    parts = [real_play(name, EACH) for name in PRESETS]
    return Decisions(
        np.concatenate([part.views for part in parts]),
        np.concatenate([part.legal for part in parts]),
    )


@pytest.fixture(scope="module", params=["drawn", "taught"])
def file(
    request: pytest.FixtureRequest, seen: Decisions, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A policy file: of random weights, or of a network that was trained for a moment."""
    taught = request.param == "taught"
    network = taught_network(SMALL, seen) if taught else drawn_network(SMALL)
    return saved(tmp_path_factory.mktemp(request.param) / "p.safetensors", network, SMALL)


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A policy file to be spoilt."""
    return saved(tmp_path / "sound.safetensors", drawn_network(SMALL), SMALL)


def are_legal(actions: NDArray[np.int64], legal: NDArray[np.bool_]) -> bool:
    """Whether each action is allowed."""
    return bool(legal[np.arange(len(actions)), actions].all())


# The same by every backend


def test_numpy_and_torch_choose_alike(file: Path, seen: Decisions) -> None:
    mine, theirs = (
        load(file, backend=name).act(seen.views, seen.legal, None) for name in policy.BACKENDS
    )
    assert are_legal(mine, seen.legal)
    assert len(np.unique(mine)) > 30, "of which there is something to compare"
    assert (mine == theirs).mean() >= AGREEMENT


@pytest.mark.slow
def test_onnxruntime_chooses_alike(file: Path, seen: Decisions, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "p.onnx"
    assert export.main([str(file), "--out", str(out)]) == 0
    mine, theirs = load(file), agents.make(str(out))
    assert isinstance(theirs, policy.PolicyAgent) and theirs.info == mine.info
    actions = theirs.act(seen.views, seen.legal, None)
    assert (mine.act(seen.views, seen.legal, None) == actions).mean() >= AGREEMENT
    for n in (0, 1, 7):
        assert np.array_equal(theirs.act(seen.views[:n], seen.legal[:n], None), actions[:n])


@pytest.mark.boundscheck
@settings(deadline=None, max_examples=15)
@given(
    config=st.builds(
        NetworkConfig,
        channels=st.integers(1, 20),
        convolutions=st.integers(1, 4),
        hidden=st.integers(1, 20),
        value=st.integers(0, 1),
    ),
    seed=st.integers(0, 100),
)
def test_networks_of_any_size_have_torchs_logits(config: NetworkConfig, seed: int) -> None:
    network = drawn_network(config, seed)
    weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    assert {name: array.shape for name, array in weights.items()} == shapes(config)
    rng = np.random.default_rng(seed)
    planes = rng.integers(-3, 4, (5, config.planes, 27), dtype=np.int8)
    rows = rng.normal(size=(5, config.globals)).astype(np.float32)
    with torch.inference_mode():
        wanted = network(torch.from_numpy(planes), torch.from_numpy(rows)).numpy()
    found = NumpyNetwork(config, weights).logits(planes, rows)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-3)


def test_a_decision_is_the_same_to_the_last_bit_in_any_batch(file: Path, seen: Decisions) -> None:
    network = load(file).network
    planes, rows = observation.of_views(seen.views[:200])
    whole = network.logits(planes, rows)
    for part in (slice(0, 1), slice(7, 8), slice(3, 40), slice(None, None, -1), slice(50, 50)):
        assert np.array_equal(network.logits(planes[part], rows[part]), whole[part])


@pytest.mark.parametrize("backend", policy.BACKENDS)
@pytest.mark.parametrize("sample", [False, True])
def test_actions_are_the_same_in_any_batch(
    file: Path, seen: Decisions, backend: str, sample: bool
) -> None:
    agent = load(file, backend=backend, sample=sample, seed=3)
    order = np.random.default_rng(0).permutation(len(seen.views))[:600]
    views, legal = seen.views[order], seen.legal[order]
    whole = agent.act(views, legal, None)
    assert are_legal(whole, legal)
    for n, parts in ((1, 100), (7, 20), (200, 3)):
        for i in range(parts):
            part = slice(n * i, n * (i + 1))
            assert np.array_equal(agent.act(views[part], legal[part], None), whole[part])


def test_of_actions_as_good_as_alike_the_lowest_is_taken() -> None:
    logits = np.zeros((4, 58), np.float32)
    legal = np.zeros((4, 58), np.bool_)
    legal[:, [3, 20, 41]] = True
    logits[:, 2] = 99  # which is not allowed
    logits[1, 41] = 1
    logits[2, [20, 41]] = 1, 1 + TIE / 2
    logits[3, [20, 41]] = 1, 1 + 2 * TIE
    out = np.empty(4, np.int64)
    best(logits, legal, out)
    assert out.tolist() == [3, 41, 20, 41]


def test_observations_of_other_shapes_are_refused(sound: Path, seen: Decisions) -> None:
    agent = load(sound)
    views, legal = seen.views[:3], seen.legal[:3]
    with pytest.raises(ValueError, match="planes and globals are of shapes"):
        agent.act(views, legal, observation.of_views(views, rows="cheap"))
    with pytest.raises(ValueError, match="legal is of shape"):
        agent.act(views, seen.legal[:2], None)


# Without torch

PLAY = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "onnx", "onnxruntime"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
import numpy as np
import agents
from agents.policy import PolicyError, load
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.engine.layout import VIEW

path, views, out = sys.argv[1:]
seen = np.fromfile(views, VIEW)
legal = seen["legal"][:, None] >> np.arange(58) & 1 == 1
np.save(out, [agents.make(path, sample=s).act(seen, legal, None) for s in (False, True)])
for refused in (lambda: load(path, backend="torch"), lambda: agents.make("p.onnx")):
    try:
        refused()
    except ZhuojiError as error:
        print(error)
assert "torch" not in sys.modules
"""


def test_it_plays_where_there_is_no_torch(sound: Path, seen: Decisions, tmp_path: Path) -> None:
    views, legal = seen.views[:300], seen.legal[:300]
    views.tofile(tmp_path / "views")
    done = subprocess.run(
        [sys.executable, "-c", PLAY, sound, tmp_path / "views", tmp_path / "out.npy"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert "backend 'torch' needs the extra zhuoji[train]" in told[0]
    assert told[1].startswith("p.onnx:")
    found = np.load(tmp_path / "out.npy")
    for sample, actions in zip((False, True), found, strict=True):
        assert np.array_equal(actions, load(sound, sample=sample).act(views, legal, None))


# What is shipped


def test_the_shipped_policy_has_a_name(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "POLICIES", {"policy": sound})
    agent = agents.make("policy", sample=True)
    assert isinstance(agent, policy.PolicyAgent) and agent.sample
    monkeypatch.setattr(agents, "POLICIES", {})
    with pytest.raises(zj.ZhuojiError, match=r"agents/policies/policy.safetensors is not there"):
        agents.make("policy")


def test_names_are_those_of_files_that_are_there() -> None:
    assert {"policy"} & set(agents.NAMES) == {"policy"} & set(agents.POLICIES)
    assert set(agents.POLICIES) <= set(agents.NAMES)
    assert all(path.parent == agents.SHIPPED for path in agents.POLICIES.values())


def test_shipped_policies_are_small_current_and_play_every_preset(tmp_path: Path) -> None:
    size = NetworkConfig(channels=64, convolutions=2, hidden=256)
    made = saved(tmp_path / "made.safetensors", drawn_network(size), size)
    for path in (made, *agents.POLICIES.values()):
        assert path.stat().st_size <= SHIPPED_BYTES
        info = read_info(path)
        assert info.observation == observation.VERSION
        assert len(info.rules.split(",")) == len(info.fingerprint.split(","))
        agent = agents.make(str(path))
        for name in PRESETS:
            some = real_play(name, 100)
            assert are_legal(agent.act(some.views, some.legal, None), some.legal)


def test_the_policy_that_is_shipped_knows_the_four_presets() -> None:
    info = read_info(agents.POLICIES["policy"])
    assert info.rules == "guiyang,zhuoji,zhuoji_double,duole"
    assert info.fingerprint == ",".join(
        zj.Rules.load(name).fingerprint for name in info.rules.split(",")
    )


def test_rulesets_come_back_as_they_went(sound: Path) -> None:
    info = read_info(sound)
    assert (info.rules, info.fingerprint) == (NAMES, FINGERPRINTS)
    assert (info.network, info.decisions) == (SMALL, 7)


# Files that nobody should trust


class Payload:
    """What a pickle would run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.folder / "was here"),)


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps(Payload(path.parent)))


def torch_saved(path: Path) -> None:
    torch.save({"weights": Payload(path.parent)}, path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def too_large(path: Path) -> None:
    os.truncate(path, policy.LARGEST + 1)


def forged(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Return what changes the header alone and leaves the numbers as they are."""

    def spoil(path: Path) -> None:
        raw = path.read_bytes()
        end = 8 + int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8:end])
        change(header)
        told = json.dumps(header).encode()
        path.write_bytes(len(told).to_bytes(8, "little") + told + raw[end:])

    return spoil


def long_header(path: Path) -> None:
    path.write_bytes((1 << 62).to_bytes(8, "little") + path.read_bytes()[8:])


def huge(header: dict[str, Any]) -> None:
    """Ask for terabytes, sizes and shapes agreeing."""
    size = {**json.loads(header["__metadata__"]["network"]), "hidden": 1 << 40}
    header["__metadata__"]["network"] = json.dumps(size)
    header["encoder.back.weight"]["shape"] = [SMALL.channels, 1 << 40]


def wide(header: dict[str, Any]) -> None:
    """Ask for the widest network that a header may describe."""
    size = {**json.loads(header["__metadata__"]["network"]), "hidden": 4096, "channels": 4096}
    header["__metadata__"]["network"] = json.dumps(size)


def outside(header: dict[str, Any]) -> None:
    header["heads.plain.bias"]["data_offsets"] = [1 << 40, (1 << 40) + 16]


def two_lines(header: dict[str, Any]) -> None:
    header["__metadata__"]["observation"] = "9\nerror: nothing is wrong"


def poisoned(value: float) -> Callable[[Path], None]:
    """Return what puts one such number among the weights."""

    def spoil(path: Path) -> None:
        weights, info = load_file(path), read_info(path)
        weights["encoder.back.weight"][3, 3] = value
        save_file(weights, path, policy.describe(info))

    return spoil


@pytest.mark.parametrize("backend", policy.BACKENDS)
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (pickled, "not a safetensors file"),
        (torch_saved, "not a safetensors file"),
        (a_folder, "cannot be read"),
        (a_pipe, "cannot be read"),
        (too_large, "bytes; allowed: up to 16777216"),
        (long_header, "not a safetensors file"),
        (forged(huge), "not a safetensors file"),
        (forged(wide), "allowed: float32 (4096,"),
        (forged(outside), "not a safetensors file"),
        (forged(two_lines), "observation version 9 error"),
        (forged(lambda header: header.pop("__metadata__")), "format is None"),
        (poisoned(np.nan), "not all finite"),
        (poisoned(-np.inf), "not all finite"),
    ],
)
def test_a_malicious_file_is_refused_and_nothing_is_run(
    sound: Path, spoil: Callable[[Path], None], reason: str, backend: str
) -> None:
    spoil(sound)
    with pytest.raises(PolicyError) as raised:
        agents.make(str(sound), backend=backend)
    said = str(raised.value)
    assert reason in said and str(sound) in said and "\n" not in said
    assert [path.name for path in sound.parent.iterdir()] == [sound.name]


def test_an_unknown_backend_is_refused(sound: Path) -> None:
    with pytest.raises(PolicyError, match="backend is 'jax'; allowed: numpy, torch"):
        load(sound, backend="jax")


def test_what_cannot_be_exported_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "p.onnx"
    assert export.main([str(tmp_path / "none.safetensors"), "--out", str(out)]) == 2
    assert "none.safetensors: cannot be read" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("data", [b"", b"x" * 100])
def test_what_is_no_model_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "p.onnx"
    with pytest.raises(PolicyError, match="cannot be read"):
        agents.make(str(path))
    path.write_bytes(data)
    with pytest.raises(PolicyError, match="not an ONNX model"):
        agents.make(str(path))
