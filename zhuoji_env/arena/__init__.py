"""Agents against agents: fair, repeatable matches with error bars.

import zhuoji_env as zj

result = zj.arena.match("greedy", "random", rules="guiyang", blocks=500, seed=1)
print(result.mean, result.low, result.high)
"""

from zhuoji_env.arena.benchmark import benchmark
from zhuoji_env.arena.field import Field, load_field
from zhuoji_env.arena.ladder import ladder
from zhuoji_env.arena.match import MatchResult, PairedResult, match
from zhuoji_env.arena.planner import Plan, plan
from zhuoji_env.arena.ratings import Standings, standings
from zhuoji_env.arena.seating import LAYOUTS
from zhuoji_env.arena.table import TableResult, table

__all__ = [
    "LAYOUTS",
    "Field",
    "MatchResult",
    "PairedResult",
    "Plan",
    "Standings",
    "TableResult",
    "benchmark",
    "ladder",
    "load_field",
    "match",
    "plan",
    "standings",
    "table",
]
