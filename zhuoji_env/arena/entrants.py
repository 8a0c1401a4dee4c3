"""Who takes part in a match: a player for each thread, from a spec, an agent or its factory."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from zhuoji_env.asking import Player, name_of
from zhuoji_env.baselines import Agent
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.specs import checked, is_agent, make

__all__ = ["Entrant", "Player", "Source", "make"]

Source = str | Agent | Callable[[], Agent]


class Entrant:
    """A named agent in a match, which hands out a player for each thread.

    A spec or a factory is built anew for each; a given Agent is shared, and asked by one thread at
    a time unless it says `thread_safe = True`. Raises ZhuojiError as `specs.make` does.
    """

    def __init__(self, source: Source) -> None:
        self.name = name_of(source)
        self._lock: Lock | None = None
        if isinstance(source, str):
            self._build: Callable[[], Agent] = lambda: make(source)
        elif is_agent(source):
            self._build = lambda: source
            self._lock = None if getattr(source, "thread_safe", False) else Lock()
        elif callable(source):
            self._build = lambda: checked(source(), self.name)
        else:
            raise ZhuojiError(
                f"an agent is {type(source).__name__}; allowed: a spec, an Agent or its factory"
            )
        self._first: Agent | None = self._build()

    def player(self) -> Player:
        """Return a player for one more thread."""
        agent, self._first = self._first or self._build(), None
        return Player(self.name, agent, self._lock)
