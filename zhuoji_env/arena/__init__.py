"""Agents against agents: fair, repeatable matches with error bars.

import zhuoji_env as zj

result = zj.arena.match("greedy", "random", rules="guiyang", blocks=500, seed=1)
print(result.mean, result.low, result.high)
"""

from zhuoji_env.arena.match import MatchResult, PairedResult, match
from zhuoji_env.arena.seating import LAYOUTS
from zhuoji_env.arena.table import TableResult, table

__all__ = ["LAYOUTS", "MatchResult", "PairedResult", "TableResult", "match", "table"]
