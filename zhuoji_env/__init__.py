"""Zhuoji: Guiyang zhuoji mahjong as a fast reinforcement-learning environment.

    import zhuoji_env as zj

    games = zj.Games(1024, rules="guiyang", seed=0)
    games.reset()

Names that need the compiled engine are loaded when first used, so that the rest stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import zhuoji_env.envs  # noqa: F401 - fills the registries of PettingZoo and Gymnasium
from zhuoji_env.errors import (
    IllegalAction,
    PositionError,
    RecordError,
    RulesError,
    ZhuojiError,
)
from zhuoji_env.rules import Rules

if TYPE_CHECKING:
    from zhuoji_env import arena, baselines
    from zhuoji_env.baselines import Agent
    from zhuoji_env.calculator import fan, resettle, settle, shanten, waits
    from zhuoji_env.engine.determinize import determinize
    from zhuoji_env.engine.games import Games
    from zhuoji_env.record import Recorder, replay

__version__ = "0.1.0"

# Public name -> module that has it. Games comes with its observer, which stands above the engine.
_LAZY = {
    "Agent": "zhuoji_env.baselines",
    "Games": "zhuoji_env.observation",
    "determinize": "zhuoji_env.engine.determinize",
    "Recorder": "zhuoji_env.record",
    "fan": "zhuoji_env.calculator",
    "replay": "zhuoji_env.record",
    "resettle": "zhuoji_env.calculator",
    "settle": "zhuoji_env.calculator",
    "shanten": "zhuoji_env.calculator",
    "waits": "zhuoji_env.calculator",
}

# Modules that `import zhuoji_env` alone makes reachable.
_ROOMS = ("arena", "baselines")

__all__ = [
    "Agent",
    "Games",
    "IllegalAction",
    "PositionError",
    "RecordError",
    "Recorder",
    "Rules",
    "RulesError",
    "ZhuojiError",
    "__version__",
    "arena",
    "baselines",
    "determinize",
    "fan",
    "replay",
    "resettle",
    "settle",
    "shanten",
    "waits",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
