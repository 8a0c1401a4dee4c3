"""The calculator: positions (`zhuoji-position/1` of docs/formats.md) to bills, and single hands."""

from zhuoji_env.calculator.ending import position_of
from zhuoji_env.calculator.explanation import Line
from zhuoji_env.calculator.hands import fan, shanten, waits
from zhuoji_env.calculator.position import Position
from zhuoji_env.calculator.resettling import Resettled, Resettlement, resettle, resettle_all
from zhuoji_env.calculator.settling import Settlement, settle, settle_all

__all__ = [
    "Line",
    "Position",
    "Resettled",
    "Resettlement",
    "Settlement",
    "fan",
    "position_of",
    "resettle",
    "resettle_all",
    "settle",
    "settle_all",
    "shanten",
    "waits",
]
