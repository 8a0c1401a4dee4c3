"""Tables on disk: written whole or not at all, and read with every field checked."""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import actions as names
from zhuoji_env.engine import tables
from zhuoji_env.engine.arguments import MAX_STREAK
from zhuoji_env.engine.layout import (
    ENDS,
    GAME,
    MAX_DISCARDS,
    MAX_MELDS,
    MELDS,
    N_SEATS,
    N_TILES,
    NO_MELD,
    PENG_MELD,
    PHASES,
    UNDEALT,
)
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules
from zhuoji_env.tiles import N_KINDS, N_RANKS

FORMAT = "zhuoji-games/1"

# What reading a file that is none, or a damaged one, may raise.
_BROKEN = (
    AttributeError,
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OSError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
    BadZipFile,
    zlib.error,
)

# The range of every field of GAME that kernels take for an index or a set of bits.
_SEAT, _MAYBE_SEAT = (0, N_SEATS - 1), (-1, N_SEATS - 1)
_KIND, _MAYBE_KIND = (0, N_KINDS - 1), (-1, N_KINDS - 1)
_PLACE = (-1, MAX_DISCARDS - 1)
_RANGES = {
    "deal": (-1, 1 << 62),
    "dice": (0, 6),
    "dealer": _SEAT,
    "streak": (0, MAX_STREAK),
    "legal": (0, (1 << names.N_ACTIONS) - 1),
    "seat": _SEAT,
    "phase": (0, len(PHASES) - 1),
    "wall": _KIND,
    "head": (0, N_TILES),
    "tail": (0, N_TILES),
    "hand": (0, 4),
    "key": (0, 5**N_RANKS - 1),
    "meld_type": (0, len(MELDS) - 1),
    "meld_kind": _MAYBE_KIND,
    "meld_from": _MAYBE_SEAT,
    "n_melds": (0, MAX_MELDS),
    "discards": _MAYBE_KIND,
    "discard_seat": _MAYBE_SEAT,
    "discard_flag": (0, 31),
    "n_discards": (0, MAX_DISCARDS),
    "river": (0, 4),
    "first_yaoji": _PLACE,
    "first_wu_gu": _PLACE,
    "drawn": _MAYBE_KIND,
    "turn_kongs": (0, (1 << MAX_MELDS) - 1),
    "tile": _MAYBE_KIND,
    "shooter": _MAYBE_SEAT,
    "may_hu": (0, 15),
    "claimer": _MAYBE_SEAT,
    "answer": (0, 4),
    "end": (0, len(ENDS) - 1),
    "winners": (0, 15),
    "indicator": _MAYBE_KIND,
    "next_dealer": _MAYBE_SEAT,
    "next_streak": (0, MAX_STREAK + 1),
}

# How many tables are looked through together, so that the looking takes little memory.
_AT_ONCE = 1024


def save(path: str | Path, state: NDArray[np.void], rulesets: list[Rules]) -> None:
    """Write a GAME array and its rulesets; OSError where that cannot be."""
    rules = json.dumps([r.to_dict() for r in rulesets])
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, format=np.array(FORMAT), state=state, rules=np.array(rules))
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: str | Path) -> tuple[NDArray[np.void], list[Rules]]:
    """Read what `save` wrote; ZhuojiError if it is no such file or no play leads to its tables."""
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            if str(file["format"]) != FORMAT or file["state"].dtype != GAME:
                raise ZhuojiError(f"{path}: not a {FORMAT} file of this version")
            state, rules = file["state"], json.loads(str(file["rules"]))
    except _BROKEN as error:
        if isinstance(error, FileNotFoundError | ZhuojiError):
            raise
        raise ZhuojiError(f"{path}: not a {FORMAT} file") from error
    if not isinstance(rules, list) or not all(isinstance(one, dict) for one in rules):
        raise ZhuojiError(f"{path}: rules are no list of rulesets")
    if fault := _fault(state, len(rules)):
        raise ZhuojiError(f"{path}: {fault}")
    return state, [Rules.load(tree) for tree in rules]


def _fault(state: NDArray[np.void], n_rules: int) -> str | None:
    """What is wrong with a GAME array from outside, None if nothing is."""
    if state.ndim != 1 or not len(state):
        return f"tables of shape {state.shape}; allowed: one axis of 1 or more"
    for name, (low, high) in {"rules": (0, n_rules - 1), **_RANGES}.items():
        values = state[name].reshape(len(state), -1)
        wrong = (values < low) | (values > high)
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            return f"table {i}: {name} is {values[i, j]}; allowed: {low}..{high}"
    for start in range(0, len(state), _AT_ONCE):
        part = state[start : start + _AT_ONCE]
        for what, broken in _broken(part).items():
            wrong = broken & (part["phase"] != UNDEALT)
            if wrong.any():
                return f"table {start + np.argmax(wrong)}: {what}"
    return None


def _broken(state: NDArray[np.void]) -> dict[str, NDArray[np.bool_]]:
    """Which tables' fields contradict each other, by the contradiction: (N,) bool each."""
    hand = state["hand"].astype(np.int64)
    keys = hand.reshape(-1, N_SEATS, 3, N_RANKS) @ np.array(tables.POW5, np.int64)
    bits = np.int64(1) << np.arange(N_KINDS)
    kinds = np.arange(N_KINDS)
    place = np.arange(N_TILES)
    undrawn = (place >= state["head"][:, None]) & (place < state["tail"][:, None])
    melds = np.arange(MAX_MELDS) < state["n_melds"][..., None]
    sizes = np.where(state["meld_type"] == PENG_MELD, 3, 4) * melds
    total = hand.sum(axis=1) + state["river"].sum(axis=1)
    total += ((state["wall"][..., None] == kinds) & undrawn[..., None]).sum(axis=1)
    total += ((state["meld_kind"][..., None] == kinds) * sizes[..., None]).sum(axis=(1, 2))
    return {
        "key does not follow from hand": (keys != state["key"]).any(axis=(1, 2)),
        "held does not follow from hand": ((hand > 0) @ bits != state["held"]).any(axis=1),
        "quad does not follow from hand": ((hand == 4) @ bits != state["quad"]).any(axis=1),
        "melds are not what n_melds says": (
            melds & ((state["meld_type"] == NO_MELD) | (state["meld_kind"] < 0))
        ).any(axis=(1, 2)),
        # A tile that was robbed or won on is in no hand and no river.
        "the tiles are not four of each kind": (total > 4).any(axis=1)
        | (total.sum(axis=1) < N_TILES - 1),
    }
