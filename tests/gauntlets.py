"""A small gauntlet, quickly played, for the tests of the benchmark."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from zhuoji_env.arena import gauntlet
from zhuoji_env.arena.gauntlet import Gauntlet

PRESETS = ["guiyang", "duole"]


@cache
def small() -> Gauntlet:
    """Two opponents, two presets, and few enough blocks to play them all."""
    return gauntlet.freeze(
        "small/1", ["hu_first", "shanten"], PRESETS, seed=7, blocks=6, sigma_deals=2000
    )


def changed(given: Gauntlet, **values: Any) -> Gauntlet:
    """A gauntlet with some of its values replaced."""
    return Gauntlet.model_validate_json(json.dumps({**given.model_dump(), **values}))
