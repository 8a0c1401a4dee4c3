"""Checkpoints: everything a run needs to go on, as one safetensors file, never a pickle.

Resumed runs go on with the same weights, optimiser, pool and curve on walls not seen before; they
are not the run that would have been without the break.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from zhuoji_env.errors import ZhuojiError
from zhuoji_env.writing import write_whole

FORMAT = "zhuoji-checkpoint/1"
Weights = dict[str, Tensor]


class CheckpointError(ZhuojiError):
    """A checkpoint that cannot be read or belongs to another kind of run."""


@dataclass
class Checkpoint:
    """A run as it stood after some update."""

    # The run's arguments, as plain values.
    args: dict[str, Any]
    # That of its rules: a name or a path may come to stand for others.
    fingerprint: str
    decisions: int
    updates: int
    # Times the run has been taken up again; walls and draws follow from it.
    resumed: int
    # One row an update, see training.progress.
    curve: list[dict[str, Any]]
    weights: Weights
    # The network as it was before the first update.
    untrained: Weights
    # Frozen copies of the learner, oldest first.
    copies: list[Weights]
    # Adam's moments and step counts, by "<parameter number>.<name>".
    optimizer: Weights


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> Weights:
    """Return an optimiser's state as named tensors."""
    state = optimizer.state_dict()["state"]
    return {
        f"{number}.{name}": value
        for number, values in state.items()
        for name, value in values.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Weights) -> None:
    """Give an optimiser the state that `optimizer_tensors` took."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def write(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, whole or not at all."""
    parts = {
        "weights": checkpoint.weights,
        "untrained": checkpoint.untrained,
        "optimizer": checkpoint.optimizer,
        **{f"copy{i}": copy for i, copy in enumerate(checkpoint.copies)},
    }
    tensors = {
        f"{part}/{name}": tensor.detach().clone().contiguous()
        for part, weights in parts.items()
        for name, tensor in weights.items()
    }
    counters = ("args", "fingerprint", "decisions", "updates", "resumed", "curve")
    described = {name: json.dumps(getattr(checkpoint, name)) for name in counters}
    write_whole(path, save(tensors, {"format": FORMAT, **described}))


def read(path: Path) -> Checkpoint:
    """Return a checkpoint; CheckpointError says why if it cannot be read."""
    try:
        with safe_open(path, framework="pt") as file:
            described = file.metadata() or {}
            names = file.keys()
            tensors = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path}: cannot be read: {error}") from error
    if described.pop("format", None) != FORMAT:
        raise CheckpointError(f"{path}: not a {FORMAT} file")
    parts: dict[str, Weights] = {}
    for key, tensor in tensors.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[name] = tensor
    try:
        return Checkpoint(
            weights=parts.pop("weights"),
            untrained=parts.pop("untrained"),
            optimizer=parts.pop("optimizer", {}),
            copies=[parts[name] for name in sorted(parts)],
            **{name: json.loads(text) for name, text in described.items()},
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: does not describe a run: {error}") from error
