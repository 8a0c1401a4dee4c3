"""Shards played elsewhere and ahead of time: the same batches, whatever is lost on the way."""

from __future__ import annotations

import socket
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.shards import plan, same, weights
from tests.test_selfplay_runs import TINY, equal
from tests.test_selfplay_runs import weights as learnt
from training.selfplay import checkpoint, ray_collector, rulesets
from training.selfplay.ahead import Ahead
from training.selfplay.collect import Batch, Collector, LocalCollector
from training.selfplay.config import ConfigError, build
from training.selfplay.ray_collector import ClusterError, RayCollector, versions
from training.selfplay.run import BAD_INPUT, kept_for, main
from training.selfplay.session import Run

PLANS = [plan(8 * i, tables=8, steps=60) for i in range(3)]
PAST = [weights(2), weights(3), weights(2)]
TOKEN = uuid.uuid4().hex
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}


@pytest.fixture(autouse=True)
def _as_a_run_has_it(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(rulesets, "SIGMA_DEALS", 40)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    # Else Ray looks for a token in the home folder, or leaves one there.
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", TOKEN)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def updates(collector: Collector, count: int, first: int = 0) -> list[list[Batch]]:
    """Return some updates' batches, each played with weights of its own."""
    return [collector.collect(weights(10 + first + i), PAST) for i in range(count)]


@pytest.fixture(scope="module")
def local() -> list[list[Batch]]:
    """Return four updates' batches as they are played here."""
    found = updates(LocalCollector(PLANS), 4)
    assert all(len(batch.rows) for batch in found[-1])
    return found


def alike(one: Sequence[Sequence[Batch]], other: Sequence[Sequence[Batch]]) -> bool:
    """Whether updates have the same batches, bit for bit."""
    return len(one) == len(other) and all(
        len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
        for a, b in zip(one, other, strict=True)
    )


def run_of(folder: Path, collector: Any = LocalCollector, **changed: Any) -> Run:
    """Return a tiny run whose shards a collector plays."""
    settings = {**TINY, "tables": 4, "steps": 90, "out": str(folder), **changed}
    return Run(build(settings, "test"), collector, None)


# Ahead


def test_ahead_hands_out_batches_of_the_weights_before(local: list[list[Batch]]) -> None:
    collector = Ahead(LocalCollector(PLANS))
    given = [collector.collect(weights(10), PAST), *updates(collector, 3)]
    collector.close()
    # What is handed out first is of the only weights there were; all others are an update old.
    assert same(given[0][0], local[0][0])
    plain = LocalCollector(PLANS)
    order = [10, 10, 10, 11]
    assert alike(given, [plain.collect(weights(seed), PAST) for seed in order])


@pytest.mark.parametrize("staleness", [0, 1])
def test_a_run_ahead_goes_on_as_if_nothing_had_happened(tmp_path: Path, staleness: int) -> None:
    whole, part = (run_of(tmp_path / name, staleness=staleness) for name in ("whole", "part"))
    for _ in range(5):
        whole.one_update()
    for _ in range(3):
        part.one_update()
    part.save()
    part.one_update()
    resumed = Run(part.config, LocalCollector, checkpoint.read(part.folder)[0])
    part.restore(checkpoint.read(part.folder)[0])
    for run in (resumed, part):
        for _ in range(2):
            run.one_update()
        assert equal(learnt(run), learnt(whole))
        assert run.decisions == whole.decisions > 0
    for run in (whole, part, resumed):
        run.collector.close()


def test_ahead_learns_otherwise_than_in_step(tmp_path: Path) -> None:
    in_step, ahead = (run_of(tmp_path, staleness=staleness) for staleness in (0, 1))
    for run in (in_step, ahead):
        for _ in range(3):
            run.one_update()
        run.collector.close()
    assert not equal(learnt(in_step), learnt(ahead))


def test_a_collection_that_fails_is_said_when_its_batches_are_asked_for() -> None:
    class Failing(LocalCollector):
        def collect(self, *_: Any) -> list[Batch]:
            raise ClusterError("gone")

    collector = Ahead(Failing(PLANS[:1]))
    with pytest.raises(ClusterError, match="gone"):
        collector.collect(weights(1), PAST[:1])
    collector.load_state(LocalCollector(PLANS[:1]).state())
    assert collector.order is None
    collector.close()


def test_who_plays_the_shards_may_change_with_a_resumed_run(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    run.save()
    assert kept_for(run.config.model_copy(update={"collector": "ray"}))[1] == ""
    with pytest.raises(checkpoint.CheckpointError, match="staleness 0, 1 given"):
        kept_for(run.config.model_copy(update={"staleness": 1}))


# Ray


@pytest.fixture
def ray_here() -> Iterator[Any]:
    """Give Ray, and see to it that none is left running."""
    import ray

    yield ray
    ray.shutdown()


@pytest.fixture
def cluster(ray_here: Any) -> Iterator[Any]:
    """Give a cluster of two nodes of one core each."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    made.second = made.add_node(**NODE)
    yield made
    ray_here.shutdown()
    made.shutdown()


@pytest.mark.slow
def test_workers_give_what_is_played_here_whatever_is_lost(
    cluster: Any, ray_here: Any, local: list[list[Batch]], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = RayCollector(PLANS, 1, cluster.address)
    assert alike(updates(one, 2), local[:2])
    one.close()
    two = RayCollector(PLANS, 2, cluster.address)
    given = updates(two, 1)
    kept = two.state()
    # A worker is killed while it plays: another takes its place.
    ask = RayCollector._ask

    def ask_and_kill(self: RayCollector, place: Any, *arguments: Any) -> None:
        ask(self, place, *arguments)
        if not killed:
            killed.append(place.number)
            ray_here.kill(place.actor)

    killed: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(RayCollector, "_ask", ask_and_kill)
        given += updates(two, 1, first=1)
    assert two.replaced == len(killed) == 1
    # A node is lost, and one comes in its stead.
    cluster.remove_node(cluster.second)
    given += updates(two, 1, first=2)
    cluster.add_node(**NODE)
    given += updates(two, 1, first=3)
    assert two.replaced == 2
    assert alike(given, local)
    # What a checkpoint kept is gone on from.
    two.load_state(kept)
    assert alike(updates(two, 1, first=1), local[1:2])
    two.close()


@pytest.mark.slow
@pytest.mark.parametrize("staleness", [0, 1])
def test_a_run_that_loses_a_node_ends_as_the_one_here(
    cluster: Any, tmp_path: Path, staleness: int
) -> None:
    def on_ray(plans: Any, _: int) -> RayCollector:
        return RayCollector(plans, 2, cluster.address)

    here = run_of(tmp_path / "here", staleness=staleness)
    there = run_of(tmp_path / "there", on_ray, staleness=staleness)
    for update in range(4):
        here.one_update()
        if update == 2:
            cluster.remove_node(cluster.second)
        there.one_update()
    assert equal(learnt(there), learnt(here))
    assert there.decisions == here.decisions > 0
    for run in (here, there):
        run.collector.close()


@pytest.mark.slow
def test_ray_is_begun_here_where_no_address_is_given(
    ray_here: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--collector", "ray", "--workers", "1", "--out", str(tmp_path / "run")]
    for name, value in {**TINY, "decisions": 1, "final_against": []}.items():
        arguments += [f"--{name.replace('_', '-')}", str(value)]
    assert main(arguments) == 0, capsys.readouterr().err
    assert not ray_here.is_initialized()
    assert (tmp_path / "run" / "policy.safetensors").exists()


# What is said where it cannot be


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("address", ["127.0.0.1:{port}", "nowhere"])
def test_an_address_without_a_cluster_is_said_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    given = address.format(port=free_port())
    arguments = ["--collector", "ray", "--ray-address", given, "--out", str(tmp_path / "run")]
    assert main(arguments) == BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith(f"error: no Ray cluster at '{given}'") and said.count("\n") == 1


def test_ray_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match="Ray is not installed; allowed: 'local'"):
        RayCollector(PLANS)


def test_a_worker_needs_a_shard() -> None:
    with pytest.raises(ConfigError, match="workers are more than shards"):
        build({"collector": "ray", "shards": 2, "workers": 3}, "test")


def test_a_node_with_other_versions_is_refused() -> None:
    ray_collector._check(0, versions())
    with pytest.raises(ClusterError, match=r"worker 1: its node has torch 1\.0; allowed: "):
        ray_collector._check(1, {**versions(), "torch": "1.0"})


@pytest.mark.slow
def test_workers_that_cannot_play_are_said(
    cluster: Any, ray_here: Any, local: list[list[Batch]], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "no worker came up within 0.01 s; the cluster has 2 cores"
    hurried = RayCollector(PLANS, 1, cluster.address, patience=0.01)
    with pytest.raises(ClusterError, match=said):
        updates(hurried, 1)
    hurried.close()
    collector = RayCollector(PLANS, 1, cluster.address)
    kept = collector.state()
    collector.load_state([*kept[:2], {}])
    with pytest.raises(ClusterError, match="worker 0: KeyError: 'games'"):
        updates(collector, 1)
    # What had been played of the update that failed does not count.
    collector.load_state(kept)
    assert alike(updates(collector, 1), local[:1])
    hire = RayCollector._hire

    def doomed(self: RayCollector) -> tuple[Any, Any]:
        actor, asked = hire(self)
        ray_here.kill(actor)
        return actor, asked

    monkeypatch.setattr(RayCollector, "_hire", doomed)
    ray_here.kill(collector._places[0].actor)
    with pytest.raises(ClusterError, match="worker 0 was lost 4 times in a row"):
        updates(collector, 1)
    collector.close()
