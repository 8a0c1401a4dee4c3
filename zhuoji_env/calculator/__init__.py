"""The calculator: positions (`zhuoji-position/1` of FORMATS.md) to bills, and single hands."""

from zhuoji_env.calculator.ending import position_of
from zhuoji_env.calculator.hands import fan, shanten, waits
from zhuoji_env.calculator.position import Position
from zhuoji_env.calculator.settling import Settlement, settle, settle_all

__all__ = [
    "Position",
    "Settlement",
    "fan",
    "position_of",
    "settle",
    "settle_all",
    "shanten",
    "waits",
]
