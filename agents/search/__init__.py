"""`search`: any policy bettered by looking one step ahead in worlds that its view allows."""

from __future__ import annotations

from typing import Any

from agents.search.agent import Search
from agents.search.settings import defaults, settings
from zhuoji_env import specs

__all__ = ["Search", "make"]


def make(*, seed: int = 0, **changes: Any) -> Search:
    """Return a search as configs/agents/search.yaml has it, but for `changes` to what it says.

    `base` and `rollout` may be Agents as well as specs. Raises ZhuojiError for a setting that does
    not exist or is out of range.
    """
    given = {**defaults(), **changes}
    base, rollout = (specs.resolve(given.pop(role)) for role in ("base", "rollout"))
    return Search(base, rollout, settings(given), seed)
