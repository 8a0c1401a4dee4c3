"""Whole runs of the native trainer: what they leave, and what they survive."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from rich.console import Console
from safetensors.torch import load_file

import agents
import zhuoji_env as zj
from agents.policy import PolicyError, read_info
from training.selfplay import checkpoint, rulesets
from training.selfplay.checkpoint import BEFORE, NEWEST, Checkpoint, CheckpointError
from training.selfplay.collect import LocalCollector
from training.selfplay.config import Config, build
from training.selfplay.run import BAD_INPUT, clear, kept_for, learn, main, train
from training.selfplay.session import GaveUp, Run
from zhuoji_env import observation

pytestmark = pytest.mark.usefixtures("one_thread", "quick_sigma")

TINY: dict[str, Any] = {
    "rules": ["guiyang", "zhuoji"],
    "decisions": 3000,
    "tables": 8,
    "shards": 2,
    "steps": 20,
    "channels": 4,
    "hidden": 8,
    "critic_channels": 4,
    "critic_hidden": 8,
    "batch_size": 128,
    "learning_rate": 3e-3,
    "opponents": {"current": 0.5, "past": 0.3, "greedy": 0.2},
    "past": 2,
    "past_every": 2,
    "checkpoint_every": 1,
    "strength_every": 1000,
    "strength_blocks": 50,
    "final_blocks": 50,
    "final_against": ["random", "untrained"],
    "threads": 1,
}


def tiny(folder: Path, **changed: Any) -> Config:
    """Return the settings of a tiny run into a folder."""
    return build({**TINY, "out": str(folder), **changed}, "test")


def begun(folder: Path, **changed: Any) -> Run:
    """Return a run with its first checkpoint written, as `train` has it."""
    run = Run(tiny(folder, **changed), LocalCollector, None)
    run.save()
    return run


class Quiet:
    """Keeps what a run says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def update(self, row: dict[str, Any]) -> None:
        pass

    def strength(self, found: Any, decisions: int) -> None:
        pass


def weights(run: Run) -> dict[str, torch.Tensor]:
    """Return all that was learnt, under names of its parts."""
    parts = {"actor": run.learner.actor, "average": run.learner.average, "c": run.learner.critic}
    return {f"{p}.{k}": v for p, net in parts.items() for k, v in net.state_dict().items()}


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    """Whether weights are the same, bit for bit."""
    return one.keys() == other.keys() and all(torch.equal(v, other[k]) for k, v in one.items())


# What a run leaves


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny run that came to its end."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    patch = pytest.MonkeyPatch()
    patch.setattr(rulesets, "SIGMA_DEALS", 40)
    config = tiny(folder, bfloat16=True, threads=2, strength_every=4)
    assert train(config, False, Console(quiet=True)) == 0
    patch.undo()
    return folder


@pytest.mark.slow
def test_a_run_leaves_what_it_promises(finished: Path) -> None:
    assert {path.name for path in finished.iterdir()} == {
        *("checkpoint.safetensors", "checkpoint.before.safetensors", "config.yaml"),
        *("curve.csv", "curve.png", "matches.json", "policy.safetensors", "report.md", "tb"),
        "untrained.safetensors",
    }
    assert (finished / "curve.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads((finished / "matches.json").read_text())
    met = [(match["rules_name"], match["b"]) for match in told]
    assert met == [(r, b) for r in ("guiyang", "zhuoji") for b in ("random", "untrained")]
    text = (finished / "report.md").read_text()
    for said in ("| guiyang | random |", "decisions/s", "seed: 1", "torch 2", "zhuoji: "):
        assert said in text
    info = read_info(finished / "policy.safetensors")
    assert info.rules == "guiyang,zhuoji" and info.decisions >= 3000
    settings = yaml.safe_load((finished / "config.yaml").read_text())
    assert build(settings, "kept") == tiny(finished, bfloat16=True, threads=2, strength_every=4)
    assert any((finished / "tb").iterdir())


@pytest.mark.slow
def test_its_policy_plays_in_the_arena(finished: Path) -> None:
    agent = agents.make(str(finished / "policy.safetensors"))
    assert zj.arena.match(agent, "random", rules="zhuoji", blocks=2).deals == 8


@pytest.mark.slow
def test_a_run_is_not_overwritten(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = finished / "config.yaml"
    before = (finished / NEWEST).read_bytes()
    assert main(["--config", str(settings)]) == BAD_INPUT
    assert "--resume" in capsys.readouterr().err
    assert main(["--config", str(settings), "--resume", "--tables", "9"]) == BAD_INPUT
    assert "made with tables 8, 9 given" in capsys.readouterr().err
    assert (finished / NEWEST).read_bytes() == before


def test_a_run_gives_way_where_it_is_said(tmp_path: Path) -> None:
    begun(tmp_path).save()
    kept = {name: (tmp_path / name).read_bytes() for name in checkpoint.NAMES}
    wrong = tiny(tmp_path, replace=True, begin_from=str(tmp_path / "nobody.safetensors"))
    with pytest.raises(PolicyError, match=r"nobody\.safetensors: cannot be read"):
        train(wrong, False, Console(quiet=True))
    assert {name: (tmp_path / name).read_bytes() for name in checkpoint.NAMES} == kept
    clear(tmp_path)
    assert not (tmp_path / NEWEST).exists() and not (tmp_path / BEFORE).exists()


@pytest.mark.parametrize("setting", ["against", "final_against"])
def test_who_is_not_there_is_said_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str
) -> None:
    nobody = "untrained" if setting == "against" else "untrainde"
    flags = [f"--{setting.replace('_', '-')}", f"[{nobody}]", "--out", str(tmp_path / "run")]
    assert main(flags) == BAD_INPUT
    assert f"unknown agent '{nobody}'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_another_trainers_run_is_not_gone_on_from(tmp_path: Path) -> None:
    checkpoint.write(tmp_path, Checkpoint({"imitate": {}}, {}, []))
    with pytest.raises(CheckpointError, match="has another trainer's run"):
        kept_for(tiny(tmp_path))


def test_a_checkpoint_of_other_tables_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(tmp_path)
    run.save()
    kept_for(run.config)
    monkeypatch.setattr(observation, "VERSION", observation.VERSION + 1)
    with pytest.raises(CheckpointError, match="its tables and observations are"):
        kept_for(run.config)


def test_a_run_goes_on_without_the_file_that_it_began_from(tmp_path: Path) -> None:
    begun(tmp_path / "first", channels=6)
    source = tmp_path / "first" / "policy.safetensors"
    run = begun(tmp_path / "second", begin_from=str(source))
    run.one_update()
    run.save()
    source.unlink()
    resumed = Run(run.config, LocalCollector, checkpoint.read(run.folder)[0])
    assert equal(weights(resumed), weights(run))
    assert resumed.info.network.channels == 6


@pytest.mark.slow
def test_a_policy_file_is_begun_from(finished: Path, tmp_path: Path) -> None:
    path = finished / "policy.safetensors"
    run = Run(tiny(tmp_path, begin_from=str(path), channels=16), LocalCollector, None)
    assert equal(dict(run.learner.actor.state_dict()), load_file(path))
    assert run.info.network == read_info(path).network


# What it survives


def test_a_broken_off_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    whole = begun(tmp_path / "whole")
    for _ in range(6):
        whole.one_update()
    part = begun(tmp_path / "part")
    for _ in range(3):
        part.one_update()
    part.save()
    part.one_update()
    resumed = Run(part.config, LocalCollector, checkpoint.read(part.folder)[0])
    assert resumed.updates == 3
    for _ in range(3):
        resumed.one_update()
    assert equal(weights(resumed), weights(whole))
    assert resumed.decisions == whole.decisions
    copies = zip(resumed.league.copies, whole.league.copies, strict=True)
    assert all(equal(dict(one), dict(other)) for one, other in copies)


# Kills itself as a power cut would: at a write's beginning, half-way, or between its renamings.
KILLER = """
import os, signal, sys
how, after = sys.argv[1], int(sys.argv[2])
def die():
    os.kill(os.getpid(), signal.SIGKILL)
left = [after]
def due(path):
    if "checkpoint" not in str(path):
        return False
    left[0] -= 1
    return left[0] < 0
sync, rename = os.fsync, os.replace
def fsync(file):
    if how == "half" and due(os.readlink(f"/proc/self/fd/{file}")):
        os.ftruncate(file, os.fstat(file).st_size // 2)
        die()
    sync(file)
def replace(old, new):
    if how == "rename" and due(new):
        die()
    rename(old, new)
os.fsync, os.replace = fsync, replace
from training.selfplay import rulesets
rulesets.SIGMA_DEALS = 40
from training.selfplay.run import main
sys.exit(main(sys.argv[3:]))
"""


def launch(folder: Path, how: str, after: int, resume: bool) -> subprocess.Popen[bytes]:
    """Begin a tiny run in a process of its own."""
    settings = folder.parent / "tiny.yaml"
    settings.write_text(yaml.safe_dump({**TINY, "final_against": []}))
    command = [sys.executable, "-c", KILLER, how, str(after), "--config", str(settings)]
    command += ["--out", str(folder), *(["--resume"] if resume else [])]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=Path.cwd())


def stamp(path: Path) -> int | None:
    """Return when a file was written, None while there is none."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


@pytest.mark.slow
def test_a_killed_run_ends_as_the_one_that_was_not(tmp_path: Path) -> None:
    whole = launch(tmp_path / "whole", "never", 0, False)
    assert whole.wait() == 0
    folder, rng = tmp_path / "killed", random.Random(5)
    # Renamings are three a checkpoint: the draft's own, the old one's, the new one's.
    kills = [("half", 2), ("rename", 4), ("rename", 5), ("moment", 0), ("moment", 0)]
    for number, (how, after) in enumerate(kills):
        process = launch(folder, how, after, resume=number > 0)
        if how == "moment":
            before = stamp(folder / NEWEST)
            while process.poll() is None and stamp(folder / NEWEST) == before:
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.3))
            process.kill()
        assert process.wait() == -signal.SIGKILL
    last = launch(folder, "never", 0, True)
    assert last.wait() == 0
    policies = [load_file(f / "policy.safetensors") for f in (folder, tmp_path / "whole")]
    assert equal(*policies)
    one, other = (checkpoint.read(f)[0] for f in (folder, tmp_path / "whole"))
    for part, tensors in other.parts.items():
        assert equal(one.parts[part], tensors), part
    for mine, theirs in zip(one.shards, other.shards, strict=True):
        assert all(mine[name].tobytes() == theirs[name].tobytes() for name in theirs)


def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.one_update()
    run.save()
    newest = tmp_path / NEWEST
    whole = newest.read_bytes()
    for spoilt in (whole[: len(whole) // 2], whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:], b""):
        newest.write_bytes(spoilt)
        kept, fault = checkpoint.read(tmp_path)
        assert kept.facts["updates"] == 0 and str(newest) in fault
    newest.unlink()
    assert checkpoint.read(tmp_path)[0].facts["updates"] == 0
    (tmp_path / BEFORE).write_bytes(b"nothing")
    with pytest.raises(CheckpointError) as raised:
        checkpoint.read(tmp_path)
    assert NEWEST in str(raised.value) and BEFORE in str(raised.value)


def test_a_checkpoint_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, os.replace

    def fsync(number: int) -> None:
        done.append(f"sync {os.fstat(number).st_ino}")
        sync(number)

    def replace(old: Path, new: Path) -> None:
        if new.name == NEWEST:
            done.append(f"name {old.stat().st_ino}")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    checkpoint.write(tmp_path, Checkpoint({}, {}, []))
    assert len(done) == 2 and done[1] == done[0].replace("sync", "name")


def test_a_full_disk_leaves_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(tmp_path)
    run.one_update()

    def full(file: int) -> None:
        os.ftruncate(file, 100)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run.save()
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert checkpoint.read(tmp_path)[0].facts["updates"] == 0


def test_a_full_disk_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "checkpoint.safetensors")

    monkeypatch.setattr(checkpoint, "write", full)
    settings = tmp_path / "tiny.yaml"
    settings.write_text(yaml.safe_dump(TINY))
    assert main(["--config", str(settings), "--out", str(tmp_path / "run")]) == BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith("error: ") and "No space left" in said and said.count("\n") == 1


def test_a_loss_that_is_no_number_is_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, seen = begun(tmp_path, decisions=1200), Quiet()
    update = run.learner.update
    calls = []

    def poisoned(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            with torch.no_grad():
                run.learner.critic.value.bias[0] = np.nan
        return update(*arguments)

    monkeypatch.setattr(run.learner, "update", poisoned)
    assert learn(run, seen)  # type: ignore[arg-type]
    assert len(seen.said) == 1 and "learning rate halved" in seen.said[0]
    assert run.rollbacks == 1 and run.learner.steering.caution == 0.5
    assert all(torch.isfinite(tensor).all() for tensor in weights(run).values())


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"highest_kl": 1e-9}, "KL"), ({"lowest_entropy": 9.0}, "entropy")],
)
def test_a_run_out_of_its_bands_gives_up(
    tmp_path: Path, settings: dict[str, float], said: str
) -> None:
    run, seen = begun(tmp_path, rollbacks=2, **settings), Quiet()
    with pytest.raises(GaveUp, match=f"{said} .*rolled back 2 times already"):
        learn(run, seen)  # type: ignore[arg-type]
    assert len(seen.said) == 2 and run.learner.steering.caution == 0.25
    assert checkpoint.read(tmp_path)[0].facts["updates"] == run.updates - 1


def test_ctrl_c_ends_after_the_update_under_way(tmp_path: Path) -> None:
    run, seen = begun(tmp_path), Quiet()
    update = run.one_update

    def interrupted() -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        return update()

    run.one_update = interrupted  # type: ignore[method-assign]
    assert not learn(run, seen)  # type: ignore[arg-type]
    assert checkpoint.read(tmp_path)[0].facts["updates"] == 1
