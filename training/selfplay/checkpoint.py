"""Checkpoints: all that a run needs to go on as if nothing had happened, never a pickle.

One safetensors file with a digest of its own, written whole or not at all; the one before it is
kept, and taken up where the newest cannot be read.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from zhuoji_env.errors import ZhuojiError
from zhuoji_env.writing import write_whole

FORMAT = "zhuoji-selfplay/1"
NEWEST, BEFORE = NAMES = "checkpoint.safetensors", "checkpoint.before.safetensors"
# Observations are mostly zeros: the least effort takes them to a tenth.
EFFORT = 1

Weights = dict[str, Tensor]
Arrays = dict[str, NDArray[Any]]


class CheckpointError(ZhuojiError):
    """A checkpoint that cannot be read or belongs to another kind of run."""


@dataclass
class Checkpoint:
    """A run as it stood after some update."""

    # Numbers and texts: settings, counters, steering, curve.
    facts: dict[str, Any]
    # Tensors by name, of each part: actor, average, critic, untrained, optimizer, past0, ...
    parts: dict[str, Weights]
    # The state of each shard, in order.
    shards: list[Arrays]


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> Weights:
    """Return an optimiser's state as named tensors."""
    state = optimizer.state_dict()["state"]
    return {f"{i}.{name}": value for i, named in state.items() for name, value in named.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Weights) -> None:
    """Give an optimiser the state that `optimizer_tensors` took."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = value.clone()
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def write(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint beside the one before it; OSError where that cannot be.

    A crash at any moment leaves at least one of the two whole.
    """
    tensors = {
        f"{part}/{name}": tensor.detach().to("cpu", copy=True).contiguous()
        for part, weights in checkpoint.parts.items()
        for name, tensor in weights.items()
    }
    kinds: dict[str, Any] = {}
    for number, arrays in enumerate(checkpoint.shards):
        for name, array in arrays.items():
            key = f"shard{number}/{name}"
            kinds[key] = [array.dtype.str, array.shape]
            packed = zlib.compress(np.ascontiguousarray(array).tobytes(), EFFORT)
            tensors[key] = torch.from_numpy(np.frombuffer(packed, np.uint8).copy())
    described = {
        "format": FORMAT,
        "facts": json.dumps(checkpoint.facts),
        "arrays": json.dumps(kinds),
    }
    described["digest"] = _digest(tensors, described)
    data = save(tensors, described)
    newest, before, draft = folder / NEWEST, folder / BEFORE, folder / f".{NEWEST}.next"
    for left in folder.glob(f".*{NEWEST}*"):
        # What a killed run left of a write.
        left.unlink()
    try:
        write_whole(draft, data)
        if newest.exists():
            os.replace(newest, before)
        os.replace(draft, newest)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def begun(folder: Path) -> bool:
    """Return whether a folder has a run."""
    return any((folder / name).exists() for name in NAMES)


def read(folder: Path) -> tuple[Checkpoint, str]:
    """Return the newest checkpoint that can be read, and what was wrong with a newer one.

    CheckpointError, naming both, if neither can.
    """
    faults: list[str] = []
    for path in (folder / name for name in NAMES):
        try:
            return _read(path), "; ".join(faults)
        except CheckpointError as error:
            faults.append(str(error))
    raise CheckpointError("; ".join(faults))


def _read(path: Path) -> Checkpoint:
    try:
        data = path.read_bytes()
        tensors = load(data)
        described = _metadata(data)
    except (SafetensorError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CheckpointError(f"{path}: cannot be read: {reason}") from error
    if described.get("format") != FORMAT:
        raise CheckpointError(f"{path}: not a {FORMAT} file")
    if described.pop("digest", None) != _digest(tensors, described):
        raise CheckpointError(f"{path}: is damaged: its digest differs")
    kinds = json.loads(described["arrays"])
    parts: dict[str, Weights] = {}
    shards: dict[int, Arrays] = {}
    for key, tensor in tensors.items():
        part, _, name = key.partition("/")
        if key in kinds:
            dtype, shape = kinds[key]
            unpacked = zlib.decompress(tensor.numpy().tobytes())
            array = np.frombuffer(unpacked, np.dtype(dtype)).reshape(shape).copy()
            shards.setdefault(int(part.removeprefix("shard")), {})[name] = array
        else:
            parts.setdefault(part, {})[name] = tensor
    ordered = [shards[i] for i in range(len(shards))]
    return Checkpoint(json.loads(described["facts"]), parts, ordered)


def _metadata(data: bytes) -> dict[str, str]:
    """Return the strings of a safetensors file: its header follows its length, eight bytes."""
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    described: dict[str, str] = header.get("__metadata__", {})
    return described


def _digest(tensors: Mapping[str, Tensor], described: Mapping[str, str]) -> str:
    """Return a digest over every tensor and every string."""
    digest = hashlib.sha256()
    for key in sorted(described):
        digest.update(f"{key}={described[key]}".encode())
    for key in sorted(tensors):
        tensor = tensors[key].reshape(-1).contiguous().view(torch.uint8)
        digest.update(f"{key}{tuple(tensors[key].shape)}{tensors[key].dtype}".encode())
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()
