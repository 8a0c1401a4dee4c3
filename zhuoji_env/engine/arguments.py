"""What callers hand to `Games`, checked: each fault is a ValueError that says what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zhuoji_env.engine.layout import N_TILES
from zhuoji_env.rules import Rules
from zhuoji_env.rules.ruleset import Source

MAX_STREAK = 999


def whole(name: str, value: Any, low: int, high: int | None = None) -> None:
    """Refuse what is not a whole number in low..high."""
    allowed = f"{low} or more" if high is None else f"{low}..{high}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name} is {value!r}; allowed: a whole number, {allowed}")
    if int(value) < low or (high is not None and int(value) > high):
        raise ValueError(f"{name} is {value}; allowed: {allowed}")


def whole_numbers(name: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return integers of one shape as int64."""
    array = np.asarray(values)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} are {array.dtype} of shape {array.shape}; allowed: integers of shape {shape}"
        )
    return array.astype(np.int64)


def mask(where: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Return a mask of tables: (n,) bool."""
    array = np.asarray(where)
    if array.dtype != np.bool_ or array.shape != (n,):
        raise ValueError(
            f"where is {array.dtype} of shape {array.shape}; allowed: bool of shape {(n,)}"
        )
    return array


def buffer(name: str, array: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Refuse what a kernel cannot write into as it stands."""
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
        told = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else repr(array)[:60]
        kind = dtype.name if dtype.names is None else "such records"
        raise ValueError(f"{name} is {told}; allowed: an array of {kind} of shape {shape}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{name} is not contiguous and writeable; allowed: an array that is")


def rulesets(source: Source | Sequence[Source]) -> list[Rules]:
    """Return a list of rulesets from one or several."""
    if isinstance(source, list | tuple):
        if not source:
            raise ValueError("rules is an empty list; allowed: one ruleset or more")
        return [Rules.load(one) for one in source]
    return [Rules.load(source)]  # type: ignore[arg-type]


def rules_index(index: ArrayLike, n: int, n_rules: int) -> NDArray[np.int32]:
    """Return each table\'s ruleset: (n,) int32."""
    array = np.asarray(index)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise ValueError(f"rules_index is {array.dtype} {array.shape}; allowed: integers ({n},)")
    if array.min() < 0 or array.max() >= n_rules:
        raise ValueError(f"rules_index has values outside 0..{n_rules - 1}")
    return array.astype(np.int32)


def walls(given: ArrayLike | None, n: int) -> NDArray[np.int8]:
    """Return walls (n, 108) int8 from one or n of them; (0, 108) for None."""
    if given is None:
        return np.zeros((0, N_TILES), np.int8)
    array = np.asarray(given)
    if array.ndim == 1:
        array = np.broadcast_to(array, (n, *array.shape))
    if array.shape != (n, N_TILES) or array.dtype.kind not in "iu":
        raise ValueError(
            f"walls are {array.dtype} of shape {array.shape}; "
            f"allowed: integers of shape ({n}, {N_TILES})"
        )
    full = np.repeat(np.arange(27), 4)
    for i, wall in enumerate(np.sort(array, axis=1)):
        if not np.array_equal(wall, full):
            raise ValueError(f"wall {i} is not {N_TILES} tiles with four of each kind")
    return np.ascontiguousarray(array, np.int8)


def per_table(
    what: str, values: ArrayLike | None, n: int, default: int, low: int, high: int
) -> NDArray[np.int64]:
    """Return one value a table: (n,) int64, from one or n of them, the default for None."""
    if values is None:
        return np.full(n, default, np.int64)
    array = np.asarray(values)
    if array.shape not in ((), (n,)) or array.dtype.kind not in "iu":
        raise ValueError(f"{what}s are {array.dtype} {array.shape}; allowed: integers ({n},)")
    if array.size and (array.min() < low or array.max() > high):
        raise ValueError(f"a {what} is outside {low}..{high}")
    return np.broadcast_to(array, (n,)).astype(np.int64)
