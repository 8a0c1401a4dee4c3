"""What callers hand to the faces, checked: each fault says what is given and what is allowed."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import tiles
from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError


def one_of(what: str, given: Any, allowed: tuple[str | None, ...]) -> None:
    """Raise ValueError for what is not among the allowed."""
    if given not in allowed:
        raise ValueError(f"{what} is {given!r}; allowed: {', '.join(map(repr, allowed))}")


def count(what: str, given: Any) -> int:
    """Return a number of tables or deals; ValueError unless it is an integer above 0."""
    if not _is_integer(given) or given < 1:
        raise ValueError(f"{what} is {given!r}; allowed: an integer, 1 or more")
    return int(given)


def number(given: Any) -> float:
    """Return a number as a float, NaN for what is none or is beyond float32."""
    real = isinstance(given, int | float | np.integer | np.floating)
    fits = real and not isinstance(given, bool) and abs(given) <= float(np.finfo(np.float32).max)
    return float(given) if fits else np.nan


def exact_scale(scale: Any) -> float:
    """Keep 24 bits of a scale: points x scale, and sums of them, then fit a double exactly.

    ValueError unless what is kept is above 0.
    """
    kept = float(np.float32(number(scale)))
    if not kept > 0:
        raise ValueError(f"reward_scale is {scale!r}; allowed: a number above 0")
    return kept


def seed(given: Any) -> int | None:
    """Return a seed or None; ValueError for anything else."""
    if given is None:
        return None
    if not _is_integer(given) or given < 0:
        raise ValueError(f"seed is {given!r}; allowed: an integer, 0 or more, or None")
    return int(given)


def seats(given: Any, shape: tuple[int, ...]) -> NDArray[np.int8] | None:
    """Return seats, one or of a shape, or None; ValueError if they are not."""
    if given is None:
        return None
    array = np.asarray(given)
    fits = array.shape in ((), shape) and array.dtype.kind in "iu"
    if not fits or np.any((array < 0) | (array >= N_SEATS)):
        raise ValueError(f"seat is {given!r}; allowed: 0..{N_SEATS - 1}, or None for any")
    return array.astype(np.int8)


def wall(given: Any) -> NDArray[np.int_] | None:
    """Return a wall's kinds from mpsz text or a sequence; the engine checks that it is a wall."""
    if given is None:
        return None
    if isinstance(given, str):
        try:
            given = tiles.parse(given)
        except ValueError as error:
            raise ValueError(f"wall: {error}") from None
    array = np.asarray(given)
    if array.ndim != 1:
        raise ValueError(f"wall is of shape {array.shape}; allowed: 108 kinds, or mpsz text")
    return array


def options(given: Any) -> dict[str, Any]:
    """Return reset options, none for None; ValueError for what is no mapping."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"options are {given!r}; allowed: a mapping, or None")
    return dict(given)


def action(given: Any, due: str) -> int:
    """Return an action as an int; ZhuojiError, beginning with `due`, for what is no integer."""
    try:
        if isinstance(given, bool):
            raise TypeError
        return operator.index(given)
    except TypeError:
        raise ZhuojiError(f"{due} 0..{N_ACTIONS - 1} is due, {given!r} given") from None


def batch(given: Any, n: int) -> NDArray[np.int64]:
    """Return n actions as (n,) int64, a new array; ValueError for other shapes and dtypes."""
    array = np.asarray(given)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"actions are {array.dtype} of shape {array.shape}; allowed: integers of shape ({n},)"
        )
    return array.astype(np.int64)


def _is_integer(given: Any) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)
