"""Shards played by Ray actors, on as many machines as a cluster has.

The driver has every shard's state as it came back with the shard's last batch. A worker keeps the
shards that it has played, so that a state travels only to a worker that did not play the shard's
last update. A worker that is lost loses nothing therefore: its shard goes again, from the same
state and with the same weights, to its replacement or, until there is one, to another worker; what
the lost one may have played of it is never asked for. Batches and states are taken up when an
update is whole, so that none counts twice.
"""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from training.selfplay.collect import one_thread
from training.selfplay.rows import Arrays, Batch
from training.selfplay.shard import Shard, ShardPlan, Weights
from zhuoji_env import observation
from zhuoji_env.errors import ZhuojiError

Numbers = dict[str, NDArray[Any]]
# Packages that the last bit of a batch depends on.
DECISIVE = ("zhuoji", "torch", "numpy", "numba")
# Losses of one worker in a row, without a batch between, after which the collector gives up.
MOST_LOSSES = 3
# Seconds to wait for an answer at an address: Ray itself would ask for many minutes.
REACH = 10.0
# Seconds to wait for a first worker: it imports torch, and a node may first have to come up.
PATIENCE = 120.0


class ClusterError(ZhuojiError):
    """A cluster that is not there, or whose workers cannot play."""


def versions() -> dict[str, str]:
    """Return what must be the same on every node."""
    found = {name: version(name) for name in DECISIVE}
    python = ".".join(platform.python_version_tuple()[:2])
    return {**found, "python": python, "observation": str(observation.VERSION)}


class Worker:
    """What runs in an actor: it plays shards, and keeps those that it has played."""

    def __init__(self, plans: Sequence[ShardPlan]) -> None:
        self._plans = plans
        self._shards: dict[int, Shard] = {}

    def versions(self) -> dict[str, str]:
        """Return what must be the same on every node."""
        return versions()

    def collect(
        self, number: int, state: Arrays | None, weights: Numbers, past: Numbers
    ) -> tuple[Batch, Arrays]:
        """Play a shard on, from a state or from where it stands; return its batch and state."""
        one_thread()
        if number not in self._shards:
            self._shards[number] = Shard(self._plans[number])
        shard = self._shards[number]
        if state is not None:
            shard.load_state(state)
        return shard.collect(_tensors(weights), _tensors(past)), shard.state()


@dataclass
class _Place:
    """One worker's place: the actor that has it now, and what is asked of it."""

    number: int
    actor: Any
    # The reply that is awaited; at first that of `versions`.
    asked: Any
    live: bool = False
    # The shard whose batch is awaited.
    shard: int | None = None
    losses: int = 0


@dataclass
class RayCollector:
    """All shards in actors of one core each; `close` when done.

    `address` is a cluster's as `ray start` tells it, or "auto" for the one this machine is a node
    of; none starts Ray here. ClusterError if there is no Ray or no cluster there, if no worker
    comes up within `patience` seconds, or if one is lost again and again.
    """

    plans: Sequence[ShardPlan]
    workers: int = 2
    address: str = ""
    patience: float = PATIENCE
    # Workers replaced so far.
    replaced: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        try:
            import ray
        except ImportError as error:
            raise ClusterError(
                "collector 'ray': Ray is not installed; allowed: 'local', or ray by "
                "`pip install -c constraints.txt -e '.[train,distributed]'`"
            ) from error
        self._ray = ray
        self._connected_here = not ray.is_initialized()
        if self._connected_here:
            _connect(ray, self.address, self.workers)
        self._states = [Shard(plan).state() for plan in self.plans]
        # Which place has a shard as the driver has its state.
        self._holder: dict[int, Any] = {}
        self._sent_plans = ray.put(list(self.plans))
        self._places = [_Place(i, *self._hire()) for i in range(self.workers)]

    def _hire(self) -> tuple[Any, Any]:
        actor = self._ray.remote(num_cpus=1)(Worker).remote(self._sent_plans)
        return actor, actor.versions.remote()

    def collect(self, weights: Weights, past: Sequence[Weights]) -> list[Batch]:
        """Return the shards' batches in their order; their arrays cannot be written to."""
        ray = self._ray
        sent, distinct = ray.put(_numbers(weights)), {id(w): w for w in past}
        copies = {key: ray.put(_numbers(w)) for key, w in distinct.items()}
        waiting = list(range(len(self.plans)))
        done: dict[int, tuple[Batch, Arrays]] = {}
        try:
            while len(done) < len(self.plans):
                for place in self._places:
                    shard = self._next(place, waiting)
                    if shard is not None:
                        waiting.remove(shard)
                        self._ask(place, shard, sent, copies[id(past[shard])])
                self._take_one(waiting, done)
        except BaseException as error:
            # Workers may be ahead of the states here.
            self._holder.clear()
            for place in self._places:
                place.shard = None
            if isinstance(error, ray.exceptions.RayError):
                raise ClusterError(f"Ray: {_first_line(error)}") from error
            raise
        self._states = [done[i][1] for i in range(len(done))]
        return [done[i][0] for i in range(len(done))]

    def _next(self, place: _Place, waiting: Sequence[int]) -> int | None:
        """Return the shard to ask of a place: one of its own, or of a place that has nobody."""
        if not place.live or place.asked is not None:
            return None
        home = [self._places[shard % self.workers] for shard in waiting]
        own = [s for s, h in zip(waiting, home, strict=True) if h is place]
        orphans = [s for s, h in zip(waiting, home, strict=True) if not h.live]
        return next(iter(own + orphans), None)

    def _ask(self, place: _Place, shard: int, weights: Any, past: Any) -> None:
        held = self._holder.get(shard) is place.actor
        state = None if held else self._states[shard]
        place.shard = shard
        place.asked = place.actor.collect.remote(shard, state, weights, past)

    def _take_one(self, waiting: list[int], done: dict[int, tuple[Batch, Arrays]]) -> None:
        """Wait for one reply and take it up; a worker that is lost is replaced."""
        ray = self._ray
        asked = [place.asked for place in self._places if place.asked is not None]
        ready, _ = ray.wait(asked, num_returns=1, timeout=self.patience)
        if not ready:
            if not any(place.live for place in self._places):
                raise ClusterError(
                    f"no worker came up within {self.patience:g} s; the cluster has "
                    f"{ray.cluster_resources().get('CPU', 0):g} cores, of which "
                    f"{ray.available_resources().get('CPU', 0):g} are free; a worker needs one"
                )
            return
        place = next(place for place in self._places if place.asked == ready[0])
        shard, place.asked, place.shard = place.shard, None, None
        try:
            reply = ray.get(ready[0])
        except ray.exceptions.RayTaskError as error:
            raise ClusterError(
                f"worker {place.number}: {type(error.cause).__name__}: {_first_line(error.cause)}"
            ) from error
        except ray.exceptions.RayError as error:
            if shard is not None:
                waiting.append(shard)
            self._replace(place, error)
            return
        if not place.live:
            _check(place.number, reply)
            place.live = True
        elif shard is not None:
            done[shard], place.losses = reply, 0
            self._holder[shard] = place.actor

    def _replace(self, place: _Place, error: Exception) -> None:
        place.losses += 1
        if place.losses > MOST_LOSSES:
            raise ClusterError(
                f"worker {place.number} was lost {place.losses} times in a row: "
                f"{_first_line(error)}"
            ) from error
        # It may be but out of reach: it must not go on beside its replacement.
        self._ray.kill(place.actor)
        self.replaced += 1
        place.live = False
        place.actor, place.asked = self._hire()

    def state(self) -> list[Arrays]:
        """Return each shard's state, in their order."""
        return list(self._states)

    def load_state(self, state: Sequence[Arrays]) -> None:
        """Take up a state that `state` returned."""
        self._states = list(state)
        self._holder.clear()

    def close(self) -> None:
        """Let the workers go, and Ray with them if it was begun here.

        Batches and states that were handed out must not be read after: they lie in Ray's memory.
        """
        if self._connected_here:
            self._ray.shutdown()
            return
        for place in self._places:
            self._ray.kill(place.actor)


def _connect(ray: Any, address: str, workers: int) -> None:
    """Join the cluster at an address, or start Ray here; ClusterError if that cannot be."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Workers ask for no accelerator; Ray need not hide one from them, nor warn that it may not.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    host, _, port = address.rpartition(":")
    try:
        if host and port.isdigit():
            socket.create_connection((host, int(port)), REACH).close()
        if address:
            ray.init(address=address, **quiet)
        else:
            ray.init(address="local", num_cpus=workers, include_dashboard=False, **quiet)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        where = f"no Ray cluster at {address!r}" if address else "Ray cannot be started here"
        raise ClusterError(
            f"{where} ({_first_line(error)}); allowed: the address that `ray start --head` tells, "
            "with its token (docs/scaling.md), 'auto' on a node of a cluster, or none to start Ray "
            "here"
        ) from error


def _check(number: int, theirs: dict[str, str]) -> None:
    """ClusterError if a worker's versions are not this process's."""
    for name, ours in versions().items():
        if theirs.get(name) != ours:
            raise ClusterError(
                f"worker {number}: its node has {name} {theirs.get(name)}; allowed: {ours}, as "
                "where the learner runs"
            )


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _numbers(weights: Weights) -> Numbers:
    return {name: tensor.detach().numpy() for name, tensor in weights.items()}


def _tensors(numbers: Numbers) -> Weights:
    """Return tensors of their own: what Ray hands out must not be written to."""
    return {name: torch.from_numpy(np.array(array)) for name, array in numbers.items()}
