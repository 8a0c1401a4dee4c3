"""A policy file's network without torch: numpy arrays and one compiled kernel.

Positions go through it one by one and every sum has one order, without a library of matrices: a
position's logits are the same to the last bit whatever batch it came in. Most planes are
nought at most kinds, and what is nought is skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from agents.size import NetworkConfig
from zhuoji_env import observation
from zhuoji_env.actions import BAOTING, GANG, HU, N_ACTIONS, PASS, PENG
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.tiles import N_KINDS

Floats = NDArray[np.float32]

RANKS, TAPS = 9, 3
PLACES = N_KINDS // RANKS * (RANKS + 2)
# What planes are divided by, so that each is about 1: its highest value, but for ji, which are
# worth a few plain hands and only under strange rules a hundred. Planes beyond are counts of tiles.
_HIGHEST = [4.0 if c.name.startswith("ji_") else c.high for c in observation.PLANES]
_COUNT = 4.0
# The plane of 1 + the distance that a discard leaves, and what is further than any.
LEFT, FAR_LEFT = [c.name for c in observation.PLANES].index("left"), 99
# A kind's own actions, discard and gang, and those that no kind has.
PER_KIND = 2
PLAIN = (PENG, HU, BAOTING, PASS)
# Two kinds that stand alike in two suits have equal logits, and the last bits of those are another
# matter in another library: the lowest of the actions this near to the best is taken, by all.
TIE = np.float32(1e-4)


def plane_shares(planes: int) -> Floats:
    """Return what a network that prepares its planes multiplies each by: (planes,) float32."""
    highest = _HIGHEST[:planes] + [_COUNT] * (planes - len(_HIGHEST))
    return (1 / np.array(highest)).astype(np.float32)


def shapes(size: NetworkConfig) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of each of a network's weights, all of them float32."""
    c, h = size.channels, size.hidden
    found: dict[str, tuple[int, ...]] = {}
    for i in range(size.convolutions):
        rows = c if i else size.planes + size.prepared
        found[f"encoder.convolutions.{i}.weight"] = (c, rows, 1, TAPS)
        found[f"encoder.convolutions.{i}.bias"] = (c,)
    layers = {
        "encoder.table": (2 * c + size.globals, h),
        "encoder.back": (h, c),
        "heads.kind": (c, PER_KIND),
        "heads.plain": (h, len(PLAIN)),
    }
    if size.value:
        layers |= {"heads.critic.0": (h, h), "heads.critic.2": (h, 1)}
    for name, (a, b) in layers.items():
        found |= {f"{name}.weight": (b, a), f"{name}.bias": (b,)}
    return found


@kernel
def _place(kind: int) -> int:
    """Return a kind's row where every suit has a margin, a rank wide, on both sides."""
    return int(kind // RANKS * (RANKS + 2) + kind % RANKS + 1)


@kernel
def _add_rows(x: Any, weight: Floats, at: NDArray[np.int64], to: Floats) -> None:
    """Add x @ weight to `to`, noughts skipped, four rows at a time; `at` (len(x),) is scratch."""
    n = 0
    for i in range(x.shape[0]):
        if x[i] != 0:
            at[n] = i
            n += 1
    k = 0
    while k + 4 <= n:
        i, i1, i2, i3 = at[k], at[k + 1], at[k + 2], at[k + 3]
        a, a1, a2, a3 = np.float32(x[i]), np.float32(x[i1]), np.float32(x[i2]), np.float32(x[i3])
        w, w1, w2, w3 = weight[i], weight[i1], weight[i2], weight[i3]
        for j in range(to.shape[0]):
            to[j] = to[j] + a * w[j] + a1 * w1[j] + a2 * w2[j] + a3 * w3[j]
        k += 4
    for rest in range(k, n):
        a, w = np.float32(x[at[rest]]), weight[at[rest]]
        for j in range(to.shape[0]):
            to[j] += a * w[j]


@kernel
def _begin(bias: Floats, out: Floats) -> None:
    """Write the bias to every place of `out`, flat (PLACES * C,)."""
    n = bias.shape[0]
    for place in range(PLACES):
        out[place * n : (place + 1) * n] = bias


@kernel
def _linear(x: Floats, layer: tuple[Floats, Floats], at: NDArray[np.int64], out: Floats) -> None:
    """Write x @ weight + bias; weight is (in, out)."""
    out[:] = layer[1]
    _add_rows(x, layer[0], at, out)


@kernel
def _rectify(x: Floats) -> None:
    for j in range(x.shape[0]):
        x[j] = max(x[j], np.float32(0))


@kernel
def _pool(kinds: Floats, rows: Floats, out: Floats) -> None:
    """Write the kinds' mean, their maximum, and the globals."""
    n, c = kinds.shape
    out[: 2 * c] = 0
    out[2 * c :] = rows
    for kind in range(n):
        for j in range(c):
            out[j] += kinds[kind, j]
            # Rectified once or more, none is below nought.
            out[c + j] = max(out[c + j], kinds[kind, j])
    for j in range(c):
        out[j] /= np.float32(n)


@kernel
def _encode(
    planes: Any,
    first: Floats,
    more: Floats,
    biases: Floats,
    at: NDArray[np.int64],
    x: Floats,
    y: Floats,
) -> None:
    """Write the kinds' features after all convolutions to x (27, C).

    What one number gives to its neighbours and itself lies side by side, in the weights and in y
    (PLACES * C,), which like `at` is scratch.
    """
    c = x.shape[1]
    for layer in range(1 + more.shape[0]):
        _begin(biases[layer], y)
        for kind in range(N_KINDS):
            begin = (_place(kind) - 1) * c
            to = y[begin : begin + TAPS * c]
            if layer == 0:
                _add_rows(planes[:, kind], first, at, to)
            else:
                _add_rows(x[kind], more[layer - 1], at, to)
        for kind in range(N_KINDS):
            begin = _place(kind) * c
            for j in range(c):
                value = max(y[begin + j], np.float32(0))
                x[kind, j] = value if layer == 0 else x[kind, j] + value


@kernel
def _price(x: Floats, back: Floats, kind_weight: Floats, kind_bias: Floats, out: Floats) -> None:
    """Write the logits of every kind's discard and gang."""
    for kind in range(N_KINDS):
        discard, gang = kind_bias[0], kind_bias[1]
        for j in range(x.shape[1]):
            value = max(x[kind, j] + back[j], np.float32(0))
            discard += value * kind_weight[j, 0]
            gang += value * kind_weight[j, 1]
        out[kind] = discard
        out[GANG + kind] = gang


@kernel
def _forward(
    planes: Any,
    rows: Floats,
    convolutions: tuple[Floats, Floats, Floats],
    layers: tuple[tuple[Floats, Floats], ...],
    out: Floats,
) -> None:
    first, more, biases = convolutions
    table, back, of_kind, of_table = layers
    channels = biases.shape[1]
    x = np.empty((N_KINDS, channels), np.float32)
    y = np.empty(PLACES * channels, np.float32)
    # As many as the longest sum has terms.
    at = np.empty(max(planes.shape[1], table[0].shape[0], table[0].shape[1]), np.int64)
    pooled = np.empty(table[0].shape[0], np.float32)
    features = np.empty(table[0].shape[1], np.float32)
    handed = np.empty(channels, np.float32)
    plain = np.empty(of_table[0].shape[1], np.float32)
    for i in range(planes.shape[0]):
        _encode(planes[i], first, more, biases, at, x, y)
        _pool(x, rows[i], pooled)
        _linear(pooled, table, at, features)
        _rectify(features)
        _linear(features, back, at, handed)
        _price(x, handed, of_kind[0], of_kind[1], out[i])
        _linear(features, of_table, at, plain)
        out[i, PENG], out[i, HU], out[i, BAOTING], out[i, PASS] = plain


@runtime_checkable
class Inference(Protocol):
    """What computes a network's logits."""

    def logits(self, planes: NDArray[np.int8], rows: Floats) -> Floats:
        """Return unmasked logits (N, 58) of planes (N, P, 27) and globals (N, G)."""


class NumpyNetwork:
    """A network that computes logits; its arrays are its own."""

    def __init__(self, size: NetworkConfig, weights: Mapping[str, Floats]) -> None:
        n, c = size.convolutions, size.channels
        self._rows = size.planes, size.globals
        # The tap that looks one rank down gives to the rank above: so they lie backwards.
        taps = [
            weights[f"encoder.convolutions.{i}.weight"][:, :, 0, ::-1].transpose(1, 2, 0)
            for i in range(n)
        ]
        first, *more = (np.ascontiguousarray(tap).reshape(-1, TAPS * c) for tap in taps)
        self._prepares = bool(size.prepared)
        if self._prepares:
            # Dividing the planes is the same as dividing their weights.
            first = first * np.append(plane_shares(size.planes), np.float32(1))[:, None]
        biases = [weights[f"encoder.convolutions.{i}.bias"] for i in range(n)]
        self._convolutions = (
            first,
            np.array(more, np.float32).reshape(n - 1, c, TAPS * c),
            np.stack(biases),
        )
        names = ("encoder.table", "encoder.back", "heads.kind", "heads.plain")
        self._layers = tuple(
            (np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"].copy())
            for name in names
        )

    def logits(self, planes: NDArray[np.int8], rows: Floats) -> Floats:
        """Return unmasked logits (N, 58) of planes (N, P, 27) and globals (N, G)."""
        wanted = ((len(rows), self._rows[0], N_KINDS), (len(rows), self._rows[1]))
        if (planes.shape, rows.shape) != wanted:
            raise ValueError(
                f"planes and globals are of shapes {planes.shape} and {rows.shape}; "
                f"allowed: {wanted[0]} and {wanted[1]}"
            )
        out = np.empty((len(rows), N_ACTIONS), np.float32)
        if self._prepares:
            left = planes[:, LEFT]
            least = np.where(left > 0, left, FAR_LEFT).min(axis=1, keepdims=True)
            nearest = (left == least).astype(planes.dtype)
            planes = np.concatenate([planes, nearest[:, None]], axis=1)
        planes, rows = np.ascontiguousarray(planes), np.ascontiguousarray(rows)
        _forward(planes, rows, self._convolutions, self._layers, out)
        return out


@kernel
def best(logits: Floats, legal: NDArray[np.bool_], out: NDArray[np.int64]) -> None:
    """Write each row's action: of the legal ones within TIE of the likeliest, the lowest."""
    for i in range(logits.shape[0]):
        most = np.float32(-np.inf)
        for a in range(N_ACTIONS):
            if legal[i, a]:
                most = max(most, logits[i, a])
        out[i] = PASS
        for a in range(N_ACTIONS - 1, -1, -1):
            if legal[i, a] and logits[i, a] >= most - TIE:
                out[i] = a


@kernel
def draw(logits: Floats, draws: Floats, out: NDArray[np.int64]) -> None:
    """Write the action at which each row's softmax, summed up, passes its draw in 0..1."""
    weights = np.empty(N_ACTIONS)
    for i in range(logits.shape[0]):
        most = logits[i].max()
        total = 0.0
        for a in range(N_ACTIONS):
            weights[a] = np.exp(np.float64(logits[i, a] - most))
            total += weights[a]
        # Summed in the same order, the whole is passed by every draw below 1.
        passed, a = weights[0], 0
        while passed <= draws[i] * total:
            a += 1
            passed += weights[a]
        out[i] = a
