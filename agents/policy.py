"""A policy file as an agent: a network's weights as safetensors, and what they were trained for.

The file's metadata names its format, the observation version, the rules it was trained on and the
network's size. Nothing in it is executed: a file is numbers and a few strings. It is played without
torch (`agents.inference`); with torch where that is asked for, or where a learner hands over the
network it is training.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from agents.inference import Floats, Inference, NumpyNetwork, best, draw, shapes
from agents.size import NetworkConfig
from zhuoji_env import observation
from zhuoji_env.baselines import draw_state
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.wall import below
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.writing import write_whole

if TYPE_CHECKING:
    from torch import Tensor

    from agents.network import Network

FORMAT = "zhuoji-policy/1"
# A refused action's logit: low enough never to be chosen, finite so that nothing turns into NaN.
REFUSED = -1e9
_RESOLUTION = 1 << 24
# Sizes of a network that files from before them lack, and what those have.
LATER = {"value": 1, "prepared": 0}
KEYS = {field.name for field in fields(NetworkConfig)}
# The largest file that is read: ten times what is shipped, too little to fill a memory.
LARGEST = 16 << 20
DTYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
BACKENDS = ("numpy", "torch")


class PolicyError(ZhuojiError):
    """A policy file that cannot be read, or was made for other observations."""


@dataclass(frozen=True)
class PolicyInfo:
    """What a policy file says of itself."""

    # Names and fingerprints of the rulesets it was trained on, each joined by commas.
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


class TorchNetwork:
    """A network as torch computes it, weights that change included."""

    def __init__(self, network: Network) -> None:
        self.network = network.eval()

    def logits(self, planes: NDArray[np.int8], rows: Floats) -> Floats:
        """Return unmasked logits (N, 58) of planes (N, P, 27) and globals (N, G)."""
        import torch

        shown = (torch.from_numpy(np.ascontiguousarray(part)) for part in (planes, rows))
        with torch.inference_mode():
            raw: Floats = self.network(*shown).numpy()
        return raw


class PolicyAgent:
    """A network at many tables: the likeliest legal action, or one drawn by weight (`sample`)."""

    needs_observations = True
    thread_safe = True

    def __init__(
        self,
        network: Network | Inference,
        info: PolicyInfo,
        *,
        name: str = "policy",
        sample: bool = False,
        seed: int = 0,
    ) -> None:
        self.network: Any = network
        self.inference = network if isinstance(network, Inference) else TorchNetwork(network)
        self.info, self.name, self.sample = info, name, sample
        self.reset(0, seed)

    def reset(self, n: int, seed: int) -> None:
        """Take a new seed, which `sample` draws from; nothing is kept per table."""
        self._seed = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]

    def act(
        self,
        views: NDArray[np.void],
        legal: NDArray[np.bool_],
        observations: Any,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return one legal action per view, (k,) int64."""
        planes, rows = observation.of_views(views) if observations is None else observations[:2]
        logits = self.inference.logits(planes, rows)
        if legal.shape != logits.shape:
            raise ValueError(f"legal is of shape {legal.shape}; allowed: {logits.shape}")
        if self.sample:
            numbers = np.zeros(len(views), np.int64) if tables is None else tables
            draws = np.empty(len(views), np.float32)
            _draws(views, numbers, self._seed, draws)
            return drawn(np.where(legal, logits, np.float32(REFUSED)), draws)
        actions = np.empty(len(views), np.int64)
        best(logits, np.ascontiguousarray(legal), actions)
        return actions


def drawn(logits: Any, draws: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the action at which the softmax's running sum passes each draw in 0..1: (k,) int64.

    `logits` (k, 58) are an array or a tensor, refused actions at REFUSED.
    """
    actions = np.empty(len(draws), np.int64)
    draw(np.ascontiguousarray(logits, np.float32), draws, actions)
    return actions


def save_policy(path: str | Path, weights: Mapping[str, Tensor], info: PolicyInfo) -> None:
    """Write a policy file, whole or not at all; `weights` is a Network's state dict."""
    arrays = {
        name: np.ascontiguousarray(tensor.detach().cpu().numpy())
        for name, tensor in weights.items()
    }
    write_whole(Path(path), save(arrays, describe(info)))


def describe(info: PolicyInfo) -> dict[str, str]:
    """Return what `read_header` reads: a file's metadata."""
    return {
        "format": FORMAT,
        "rules": info.rules,
        "rules_fingerprint": info.fingerprint,
        "observation": str(info.observation),
        "network": json.dumps(asdict(info.network)),
        "decisions": str(info.decisions),
    }


def read_info(path: str | Path) -> PolicyInfo:
    """Return what a policy file says of itself; PolicyError if it is no such file."""
    return _read(Path(path), tensors=False)[0]


def load(
    path: str | Path, *, sample: bool = False, seed: int = 0, backend: str = "numpy"
) -> PolicyAgent:
    """Return the agent of a policy file; `seed` (0 or more) is what `sample` draws from.

    The `numpy` backend plays alike to the last bit for any batch and needs no torch; `torch` is
    for comparison. Raises PolicyError, naming file and reason, if it is not a policy file, its
    observations are not this version's, or its weights do not fit its network.
    """
    path = Path(path)
    if backend not in BACKENDS:
        raise PolicyError(f"{path}: backend is {backend!r}; allowed: {', '.join(BACKENDS)}")
    info, weights = _read(path)
    network: Network | NumpyNetwork
    if backend == "torch":
        network = _torch_network(path, info.network, weights)
    else:
        network = NumpyNetwork(info.network, weights)
    return PolicyAgent(network, info, name=path.stem, sample=sample, seed=seed)


def _torch_network(path: Path, size: NetworkConfig, weights: Mapping[str, Floats]) -> Network:
    try:
        import torch
    except ModuleNotFoundError as error:
        raise PolicyError(f"{path}: backend 'torch' needs the extra zhuoji[train]") from error
    from agents.network import Network

    with torch.device("meta"):
        network = Network(size)
    tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
    network.load_state_dict(tensors, assign=True)
    return network


def _read(path: Path, *, tensors: bool = True) -> tuple[PolicyInfo, dict[str, Floats]]:
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            raise PolicyError(f"{path}: cannot be read (not a file)")
        if status.st_size > LARGEST:
            raise PolicyError(f"{path}: {status.st_size} bytes; allowed: up to {LARGEST}")
        with safe_open(path, framework="np") as file:
            info = read_header(path, file.metadata() or {})
            weights = _weights(path, file, shapes(info.network)) if tensors else {}
    except SafetensorError as error:
        raise PolicyError(f"{path}: not a safetensors file ({line(error)})") from error
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read ({type(error).__name__})") from error
    return info, weights


def line(said: object) -> str:
    """Return what a file may have had a word in as one line."""
    return " ".join(str(said).split())


def _weights(path: Path, file: Any, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Floats]:
    """Read the weights; nothing is read before its type and shape are known to be right."""
    parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
    found = {
        name: f"{DTYPES.get(part.get_dtype(), part.get_dtype())} {tuple(part.get_shape())}"
        for name, part in parts.items()
    }
    expected = {name: f"float32 {shape}" for name, shape in shapes.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise PolicyError(
                f"{path}: weights {name!r} are {found.get(name, 'missing')}; "
                f"allowed: {expected.get(name, 'no such weights')}"
            )
    weights = {name: file.get_tensor(name) for name in sorted(expected)}
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise PolicyError(f"{path}: weights {name!r} are not all finite numbers")
    return weights


def read_header(path: Path, described: Mapping[str, str]) -> PolicyInfo:
    """Return what a file's metadata says; PolicyError if that is no policy, or for another size."""
    if described.get("format") != FORMAT:
        raise PolicyError(f"{path}: format is {described.get('format')!r}; allowed: {FORMAT!r}")
    version = described.get("observation")
    if version != str(observation.VERSION):
        raise PolicyError(
            f"{path}: made for observation version {line(version)}; "
            f"allowed: {observation.VERSION}, the version of this library"
        )
    try:
        size = json.loads(described["network"])
        if not KEYS - LATER.keys() <= set(size) <= KEYS:
            raise ValueError(f"network has the keys {sorted(size)}")
        info = PolicyInfo(
            rules=described["rules"],
            fingerprint=described["rules_fingerprint"],
            observation=observation.VERSION,
            network=NetworkConfig(**LATER | size),
            decisions=int(described["decisions"]),
        )
    except (KeyError, ValueError, TypeError, RecursionError, ZhuojiError) as error:
        reason = line(error)
        raise PolicyError(f"{path}: metadata does not describe a policy: {reason}") from error
    rows = (info.network.planes, info.network.globals)
    if rows != (observation.N_PLANES, observation.N_GLOBALS):
        raise PolicyError(
            f"{path}: reads {rows[0]} planes and {rows[1]} globals; "
            f"allowed: {observation.N_PLANES} and {observation.N_GLOBALS}"
        )
    return info
