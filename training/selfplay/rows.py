"""Decisions as arrays, and the batch of an update."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.selfplay.tables import TRUTH
from zhuoji_env import observation
from zhuoji_env.tiles import N_KINDS

Arrays = dict[str, NDArray[Any]]


@dataclass
class Rows:
    """Decisions in the order of play; every array has one row each."""

    planes: NDArray[np.int8]  # (M, P, 27)
    globals: NDArray[np.float32]  # (M, G)
    truth: NDArray[np.int8]  # (M, TRUTH, 27), for the critic alone
    legal: NDArray[np.int64]  # (M,) bits
    action: NDArray[np.int64]  # (M,)
    log_prob: NDArray[np.float32]  # (M,) of the action as it was played
    table: NDArray[np.int32]  # (M,) the table's place in its shard
    seat: NDArray[np.int8]  # (M,)
    deal: NDArray[np.int64]  # (M,) number of the deal at its table

    def __len__(self) -> int:
        return len(self.action)

    def arrays(self) -> Arrays:
        """Return the arrays by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def take(self, where: NDArray[Any] | slice) -> Rows:
        """Return some rows: a mask, indices or a slice."""
        return Rows(**{name: array[where] for name, array in self.arrays().items()})

    def put(self, start: int, rows: Rows) -> None:
        """Overwrite rows from `start` on."""
        for name, array in self.arrays().items():
            array[start : start + len(rows)] = getattr(rows, name)

    @classmethod
    def empty(cls, n: int) -> Rows:
        """Return n rows, not yet written."""
        return cls(
            planes=np.empty((n, observation.N_PLANES, N_KINDS), np.int8),
            globals=np.empty((n, observation.N_GLOBALS), np.float32),
            truth=np.empty((n, TRUTH, N_KINDS), np.int8),
            legal=np.empty(n, np.int64),
            action=np.empty(n, np.int64),
            log_prob=np.empty(n, np.float32),
            table=np.empty(n, np.int32),
            seat=np.empty(n, np.int8),
            deal=np.empty(n, np.int64),
        )


@dataclass
class Batch:
    """Whole trajectories, one a seat and deal, end to end, and the deals that ended."""

    rows: Rows
    # (M,) the last decision of its trajectory
    last: NDArray[np.bool_]
    # (M,) float32 what the deal paid the seat, and (M, G) by group of items, in sigma
    reward: NDArray[np.float32]
    items: NDArray[np.float32]
    # (D,) ENDED records of every deal, whoever played
    deals: NDArray[np.void]
