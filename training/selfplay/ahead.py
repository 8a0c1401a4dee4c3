"""Collecting one update ahead: the shards are played on while the learner learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from training.selfplay.collect import Collector
from training.selfplay.rows import Arrays, Batch
from training.selfplay.shard import Weights


class Order(NamedTuple):
    """What a collection is played with: the learner's weights, and the past copy of each shard."""

    weights: Weights
    past: Sequence[Weights]

    def parts(self) -> tuple[dict[str, dict[str, Tensor]], list[int]]:
        """Return the weights by name, each once, and the number of the copy that a shard meets."""
        copies = list({id(copy): copy for copy in self.past}.values())
        number = {id(copy): i for i, copy in enumerate(copies)}
        met = {f"met{i}": dict(copy) for i, copy in enumerate(copies)}
        return {"ordered": dict(self.weights), **met}, [number[id(copy)] for copy in self.past]

    @classmethod
    def of(cls, parts: Mapping[str, Weights], met: Sequence[int]) -> Order:
        """Return the order that `parts` took apart."""
        return cls(parts["ordered"], [parts[f"met{i}"] for i in met])


@dataclass
class _Begun:
    order: Order
    # The shards' states before it.
    state: list[Arrays]
    batches: Future[list[Batch]]


class Ahead:
    """A collector that begins the next update's collection as it hands out an update's batches.

    So batches are of the weights before the last update; those of the first two updates are both
    of the first weights. When a collection ends has no say in what is learnt from it. `state` is
    as it was before the collection under way, which `order` is what to begin anew with.
    """

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._begun: _Begun | None = None
        self._thread = ThreadPoolExecutor(1)

    @property
    def order(self) -> Order | None:
        """Return what the collection under way is played with; None if there is none."""
        return self._begun.order if self._begun else None

    def begin(self, order: Order) -> None:
        """Begin a collection, which the next `collect` returns."""
        state = self._collector.state()
        batches = self._thread.submit(self._collector.collect, order.weights, order.past)
        self._begun = _Begun(order, state, batches)

    def collect(self, weights: Weights, past: Sequence[Weights]) -> list[Batch]:
        """Return the batches under way, and begin the next with these weights."""
        if self._begun is None:
            self.begin(Order(weights, past))
        assert self._begun is not None
        batches = self._begun.batches.result()
        self.begin(Order(weights, past))
        return batches

    def state(self) -> list[Arrays]:
        """Return each shard's state, in their order, before the collection under way."""
        return self._begun.state if self._begun else self._collector.state()

    def load_state(self, state: Sequence[Arrays]) -> None:
        """Take up a state that `state` returned; what is under way is dropped."""
        if self._begun is not None:
            # Wait: the shards are in its hands. Its failure matters no more.
            self._begun.batches.exception()
            self._begun = None
        self._collector.load_state(state)

    def close(self) -> None:
        """Wait for the collection under way, and close the collector."""
        self._thread.shutdown()
        self._collector.close()
