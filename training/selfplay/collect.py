"""The seam between learning and playing: who plays the shards, and where.

A collector plays every shard once an update. What a shard gives does not depend on where it is
played, nor on the others, so that all collectors give the same batches: to the last bit, on equal
machines, if each shard is played by a thread that `one_thread` has set up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from training.selfplay.rows import Arrays, Batch
from training.selfplay.shard import Shard, ShardPlan, Weights

__all__ = ["Arrays", "Batch", "Collector", "LocalCollector", "Shard", "ShardPlan", "Weights"]


class Collector(Protocol):
    """Plays all shards once an update, wherever they are."""

    def collect(self, weights: Weights, past: Sequence[Weights]) -> list[Batch]:
        """Return the shards' batches in their order, played with `weights` by the learner.

        `past` has the weights that past copies play with, one a shard.
        """

    def state(self) -> list[Arrays]:
        """Return each shard's state, in their order."""

    def load_state(self, state: Sequence[Arrays]) -> None:
        """Take up a state that `state` returned."""

    def close(self) -> None:
        """Let go of what plays the shards; nothing is collected after."""


def one_thread() -> None:
    """Keep torch to one thread in this thread: no result then depends on how a sum is shared."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)


@dataclass
class LocalCollector:
    """All shards in this process, on as many threads; each is played by one of them."""

    plans: Sequence[ShardPlan]
    threads: int = 1
    shards: list[Shard] = field(init=False)

    def __post_init__(self) -> None:
        self.shards = [Shard(plan) for plan in self.plans]
        self._pool = ThreadPoolExecutor(self.threads, initializer=one_thread)

    def _each(self, job: Callable[..., Any], *arguments: Sequence[Any]) -> list[Any]:
        return list(self._pool.map(job, *arguments))

    def collect(self, weights: Weights, past: Sequence[Weights]) -> list[Batch]:
        """Return the shards' batches in their order."""
        return self._each(lambda shard, other: shard.collect(weights, other), self.shards, past)

    def state(self) -> list[Arrays]:
        """Return each shard's state, in their order."""
        return [shard.state() for shard in self.shards]

    def load_state(self, state: Sequence[Arrays]) -> None:
        """Take up a state that `state` returned."""
        for shard, kept in zip(self.shards, state, strict=True):
            shard.load_state(kept)

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown()
