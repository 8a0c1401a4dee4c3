"""Zhuoji: Guiyang zhuoji mahjong as a fast reinforcement-learning environment.

    import zhuoji_env as zj

    games = zj.Games(1024, rules="guiyang", seed=0)
    games.reset()
"""

from zhuoji_env.engine.games import Games
from zhuoji_env.errors import (
    IllegalAction,
    PositionError,
    RecordError,
    RulesError,
    ZhuojiError,
)
from zhuoji_env.rules import Rules

__version__ = "0.1.0"

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
