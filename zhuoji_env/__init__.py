"""Zhuoji: Guiyang zhuoji mahjong as a fast reinforcement-learning environment.

    import zhuoji_env as zj

    games = zj.Games(1024, rules="guiyang", seed=0)
    games.reset()

Names that need the compiled engine are loaded when first used, so that the rest stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from zhuoji_env.errors import (
    IllegalAction,
    PositionError,
    RecordError,
    RulesError,
    ZhuojiError,
)
from zhuoji_env.rules import Rules

if TYPE_CHECKING:
    from zhuoji_env.engine.games import Games

__version__ = "0.1.0"

# Public name -> module that has it. Games comes with its observer, which stands above the engine.
_LAZY = {
    "Games": "zhuoji_env.observation",
}

__all__ = [
    "Games",
    "IllegalAction",
    "PositionError",
    "RecordError",
    "Rules",
    "RulesError",
    "ZhuojiError",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
