"""What is drawn at random: whole rulesets, damaged JSON, and lively play."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from zhuoji_env import actions
from zhuoji_env.engine.games import Games
from zhuoji_env.rules import PRESETS, Rules
from zhuoji_env.rules.schema import Switch, nest, switches

HIGHEST = 130
"""Switches are drawn up to here: the bills stay readable, and nothing depends on the range."""

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=6,
)


def value_of(switch: Switch) -> st.SearchStrategy[Any]:
    """Any value of a switch, small numbers the likeliest."""
    if switch.choices:
        return st.sampled_from(switch.choices)
    if switch.type == "true or false":
        return st.booleans()
    numbers = st.integers(switch.low, min(switch.high, HIGHEST))
    return numbers | st.none() if switch.nullable else numbers


@st.composite
def rules_values(draw: st.DrawFn) -> str | dict[str, Any]:
    """The `rules` of a record: a preset's name, or a preset and overrides."""
    preset = draw(st.sampled_from(sorted(PRESETS)))
    if draw(st.booleans()):
        return preset
    picked = draw(st.lists(st.sampled_from(switches()), max_size=20, unique_by=lambda s: s.path))
    flat = {switch.path: draw(value_of(switch)) for switch in picked}
    if flat.get("ji.wu_gu_charge") and not flat.get("ji.wu_gu"):
        flat["ji.wu_gu"] = 2
    elif flat.get("ji.wu_gu") == 0:
        flat["ji.wu_gu_charge"] = 0
    return {"preset": preset, **nest(flat)}


@st.composite
def rulesets(draw: st.DrawFn) -> Rules:
    """A checked ruleset."""
    return Rules.load(draw(rules_values()))


@st.composite
def damaged(draw: st.DrawFn, sound: dict[str, Any]) -> Any:
    """A JSON value with one thing dropped, doubled, replaced or added somewhere."""
    value = copy.deepcopy(sound)
    node: Any = value
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return draw(JSON_VALUES)
        key = draw(st.sampled_from(keys))
        deeper = isinstance(node[key], (dict, list)) and draw(st.booleans())
        if not deeper:
            break
        node = node[key]
    _damage(draw, node, key)
    return value


def _damage(draw: st.DrawFn, node: Any, key: Any) -> None:
    how = draw(st.sampled_from(["drop", "replace", "add", "cut", "double"]))
    inner = node[key]
    if how == "drop":
        del node[key]
    elif how == "add" and isinstance(node, dict):
        node[draw(st.text(max_size=6))] = draw(JSON_VALUES)
    elif how == "cut" and isinstance(inner, (str, list)) and inner:
        node[key] = inner[: draw(st.integers(0, len(inner) - 1))]
    elif how == "double" and isinstance(inner, (str, list)):
        node[key] = inner * 2
    else:
        node[key] = draw(JSON_VALUES)


@st.composite
def damaged_text(draw: st.DrawFn, sound: dict[str, Any]) -> bytes:
    """The bytes of a JSON text with a few of them cut out or written over."""
    data = json.dumps(sound).encode()
    start = draw(st.integers(0, len(data) - 1))
    end = draw(st.integers(start, min(len(data), start + 40)))
    return data[:start] + draw(st.binary(max_size=6)) + data[end:]


def lively(games: Games, states: NDArray[np.uint64]) -> NDArray[np.int64]:
    """An action a table: hu, a gang or baoting where one is legal, else any; (N,) int64.

    Play at random alone ends nearly every deal on an empty wall.
    """
    chosen = games.sample(states)
    legal = games.legal
    for first, last in ((actions.BAOTING, actions.BAOTING), (actions.GANG, actions.HU - 1)):
        can = legal[:, first : last + 1]
        chosen = np.where(can.any(axis=1), first + can.argmax(axis=1), chosen)
    return np.where(legal[:, actions.HU], actions.HU, chosen)
