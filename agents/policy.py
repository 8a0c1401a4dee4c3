"""A policy file as an agent: a network's weights as safetensors, and what they were trained for.

The file's metadata names its format, the observation version, the rules it was trained on and the
network's size. Nothing in it is executed: a file is numbers and a few strings.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from agents.network import Network, NetworkConfig
from zhuoji_env import observation
from zhuoji_env.baselines import draw_state
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.wall import below
from zhuoji_env.errors import ZhuojiError

FORMAT = "zhuoji-policy/1"
# A refused action's logit: low enough never to be chosen, finite so that nothing turns into NaN.
REFUSED = -1e9
_RESOLUTION = 1 << 24
# Sizes of a network that files from before them lack; those have the default.
LATER = {"value"}


class PolicyError(ZhuojiError):
    """A policy file that cannot be read, or was made for other observations."""


@dataclass(frozen=True)
class PolicyInfo:
    """What a policy file says of itself."""

    # Name and fingerprint of the ruleset it was trained on.
    rules: str
    fingerprint: str
    # `observation.VERSION` at the time.
    observation: int
    network: NetworkConfig
    # Decisions it was trained on.
    decisions: int = 0


@kernel
def _draws(views: Any, numbers: NDArray[np.int64], seed: Any, out: NDArray[np.float32]) -> None:
    for i in range(views.shape[0]):
        _, n = below(draw_state(views[i], seed, numbers[i]), _RESOLUTION)
        out[i] = n / _RESOLUTION


class PolicyAgent:
    """A network at many tables: the likeliest legal action, or one drawn by weight (`sample`)."""

    needs_observations = True
    thread_safe = True

    def __init__(
        self,
        network: Network,
        info: PolicyInfo,
        *,
        name: str = "policy",
        sample: bool = False,
        seed: int = 0,
    ) -> None:
        self.network, self.info, self.name, self.sample = network.eval(), info, name, sample
        self.reset(0, seed)

    def reset(self, n: int, seed: int) -> None:
        """Take a new seed, which `sample` draws from; nothing is kept per table."""
        self._seed = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]

    def logits(self, observations: observation.Arrays, legal: NDArray[np.bool_]) -> Tensor:
        """Return logits (k, 58) of planes and globals, refused actions at REFUSED."""
        planes, rows = (torch.from_numpy(np.ascontiguousarray(part)) for part in observations)
        with torch.inference_mode():
            raw: Tensor = self.network(planes, rows)
            return raw.masked_fill(~torch.from_numpy(legal), REFUSED)

    def act(
        self,
        views: NDArray[np.void],
        legal: NDArray[np.bool_],
        observations: Any,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return one legal action per view, (k,) int64."""
        shown = observation.of_views(views) if observations is None else observations[:2]
        logits = self.logits(shown, legal)
        if not self.sample:
            best: NDArray[np.int64] = logits.argmax(1).numpy()
            return best
        numbers = np.zeros(len(views), np.int64) if tables is None else tables
        draws = np.empty(len(views), np.float32)
        _draws(views, numbers, self._seed, draws)
        return drawn(logits, draws)


def drawn(logits: Tensor, draws: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the action at which the softmax's running sum passes each draw in 0..1: (k,) int64."""
    with torch.inference_mode():
        sums = torch.softmax(logits, 1).cumsum(1)
        # Rounding leaves the whole a little off 1; strictly below it a legal action is found.
        whole = sums[:, -1:]
        at = torch.from_numpy(draws)[:, None] * whole
        at = at.minimum(whole.nextafter(torch.zeros(1)))
        found: NDArray[np.int64] = (sums <= at).sum(1).numpy()
    return found


def save_policy(path: str | Path, weights: Mapping[str, Tensor], info: PolicyInfo) -> None:
    """Write a policy file, whole or not at all; `weights` is a Network's state dict."""
    described = {
        "format": FORMAT,
        "rules": info.rules,
        "rules_fingerprint": info.fingerprint,
        "observation": str(info.observation),
        "network": json.dumps(asdict(info.network)),
        "decisions": str(info.decisions),
    }
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    write_whole(Path(path), save(tensors, described))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        draft.write_bytes(data)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def read_info(path: str | Path) -> PolicyInfo:
    """Return what a policy file says of itself; PolicyError if it is no such file."""
    return _read(Path(path), tensors=False)[0]


def load(path: str | Path, *, sample: bool = False, seed: int = 0) -> PolicyAgent:
    """Return the agent of a policy file; `seed` (0 or more) is what `sample` draws from.

    Raises PolicyError, naming file and reason, if it is not a policy file, its observations are
    not this version's, or its weights do not fit its network.
    """
    path = Path(path)
    info, tensors = _read(path)
    with torch.device("meta"):
        network = Network(info.network)
    expected = {name: _shape(tensor) for name, tensor in network.state_dict().items()}
    found = {name: _shape(tensor) for name, tensor in tensors.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise PolicyError(
                f"{path}: weights {name!r} are {found.get(name, 'missing')}; "
                f"allowed: {expected.get(name, 'no such weights')}"
            )
        if not torch.isfinite(tensors[name]).all():
            raise PolicyError(f"{path}: weights {name!r} are not all finite numbers")
    network.load_state_dict(tensors, assign=True)
    return PolicyAgent(network, info, name=path.stem, sample=sample, seed=seed)


def _shape(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {tuple(tensor.shape)}"


def _read(path: Path, *, tensors: bool = True) -> tuple[PolicyInfo, dict[str, Tensor]]:
    try:
        with safe_open(path, framework="pt") as file:
            described = file.metadata() or {}
            info = _info(path, described)
            names = file.keys() if tensors else []
            weights = {name: file.get_tensor(name) for name in names}
    except SafetensorError as error:
        raise PolicyError(f"{path}: not a safetensors file ({error})") from error
    except (IsADirectoryError, FileNotFoundError, PermissionError) as error:
        raise PolicyError(f"{path}: cannot be read ({type(error).__name__})") from error
    return info, weights


def _info(path: Path, described: Mapping[str, str]) -> PolicyInfo:
    if described.get("format") != FORMAT:
        raise PolicyError(f"{path}: format is {described.get('format')!r}; allowed: {FORMAT!r}")
    version = described.get("observation")
    if version != str(observation.VERSION):
        raise PolicyError(
            f"{path}: made for observation version {version}; "
            f"allowed: {observation.VERSION}, the version of this library"
        )
    try:
        size = json.loads(described["network"])
        known = {field.name for field in fields(NetworkConfig)}
        if not known - LATER <= set(size) <= known:
            raise ValueError(f"network has the keys {sorted(size)}")
        network = NetworkConfig(**size)
        info = PolicyInfo(
            rules=described["rules"],
            fingerprint=described["rules_fingerprint"],
            observation=int(version),
            network=network,
            decisions=int(described["decisions"]),
        )
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise PolicyError(f"{path}: metadata does not describe a policy: {error}") from error
    if (network.planes, network.globals) != (observation.N_PLANES, observation.N_GLOBALS):
        raise PolicyError(
            f"{path}: reads {network.planes} planes and {network.globals} globals; "
            f"allowed: {observation.N_PLANES} and {observation.N_GLOBALS}"
        )
    return info
