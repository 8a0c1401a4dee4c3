"""Who sits at the seats that are not the learner's, asked in batch."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import baselines, observation
from zhuoji_env.baselines import Agent
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError

Opponent = str | Agent
N_OTHERS = N_SEATS - 1
# Draws are told apart by the number of the deal, so that a table's seed alone settles its play.
SEED = 0


def resolve(opponent: Opponent) -> Agent:
    """Return the agent of a spec (a name, `module:factory`, a policy file), or the one given.

    Raises ZhuojiError, saying what is allowed.
    """
    if not isinstance(opponent, str):
        if isinstance(opponent, type) or not isinstance(opponent, Agent):
            raise ZhuojiError(f"an opponent is {opponent!r}; allowed: a spec or an Agent")
        return opponent
    if opponent in baselines.names():
        return baselines.make(opponent)
    # Specs of players beyond the library's own are the arena's to read, and it stands above.
    agent: Agent = import_module("zhuoji_env.arena.entrants").make(opponent)
    return agent


class Opponents:
    """One opponent for all three places, or three: next in order of play, across, before.

    Equal opponents are asked together. Raises ZhuojiError for what is neither a spec nor an agent,
    ValueError for another number of them.
    """

    def __init__(self, given: Opponent | Sequence[Opponent], n: int) -> None:
        several = isinstance(given, Sequence) and not isinstance(given, str)
        three: list[Opponent] = list(given) if several else [given] * N_OTHERS  # type: ignore[list-item, arg-type]
        if len(three) != N_OTHERS:
            raise ValueError(f"opponents are {len(three)}; allowed: one, or {N_OTHERS}")
        self.agents: list[Agent] = []
        known: dict[str | int, int] = {}
        self.places = np.empty(N_OTHERS, np.int64)
        for place, opponent in enumerate(three):
            key = opponent if isinstance(opponent, str) else id(opponent)
            if key not in known:
                known[key] = len(self.agents)
                self.agents.append(resolve(opponent))
            self.places[place] = known[key]
        self._numbered = [_takes_numbers(agent) for agent in self.agents]
        self.reset(n)

    def reset(self, n: int) -> None:
        """Begin anew at up to n tables."""
        for agent in self.agents:
            agent.reset(n, SEED)

    def act(
        self,
        views: NDArray[np.void],
        legal: NDArray[np.bool_],
        places: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Return (k,) int64 actions of the opponents at `places` (k,), 0 next to 2 before."""
        if len(self.agents) == 1:
            return self._ask(0, views, legal, numbers)
        actions = np.empty(len(views), np.int64)
        whose = self.places[places]
        for i in range(len(self.agents)):
            at = np.flatnonzero(whose == i)
            if len(at):
                actions[at] = self._ask(i, views[at], legal[at], numbers[at])
        return actions

    def _ask(
        self,
        i: int,
        views: NDArray[np.void],
        legal: NDArray[np.bool_],
        numbers: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        agent = self.agents[i]
        shown = observation.of_views(views) if getattr(agent, "needs_observations", False) else None
        more = {"tables": numbers} if self._numbered[i] else {}
        actions = np.asarray(agent.act(views, legal, shown, **more))
        if actions.shape != (len(views),) or actions.dtype.kind not in "iu":
            name = getattr(agent, "name", type(agent).__name__)
            raise ZhuojiError(
                f"agent {name!r} gave {actions.dtype} of shape {actions.shape}; "
                f"allowed: integers of shape ({len(views)},)"
            )
        return actions.astype(np.int64, copy=False)


def _takes_numbers(agent: Agent) -> bool:
    parameters = signature(agent.act).parameters.values()
    return any(p.name == "tables" or p.kind is p.VAR_KEYWORD for p in parameters)
