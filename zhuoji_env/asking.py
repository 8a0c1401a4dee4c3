"""How an agent is asked for its actions: given what it wants, and its answer checked."""

from __future__ import annotations

from contextlib import nullcontext
from inspect import signature
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import observation
from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.baselines import Agent
from zhuoji_env.errors import ZhuojiError


def legal_of(views: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return the legal actions of views, (n, 58) bool."""
    return (views["legal"][:, None] >> np.arange(N_ACTIONS) & 1).astype(bool)


class Player:
    """An agent as those who ask it see it, one at a time where there is a lock."""

    def __init__(self, name: str, agent: Agent, lock: Lock | None = None) -> None:
        self.name = name
        self.agent = agent
        self._guard = lock or nullcontext()
        self._shows = getattr(agent, "needs_observations", False)
        parameters = signature(agent.act).parameters.values()
        self._numbered = any(p.name == "tables" or p.kind is p.VAR_KEYWORD for p in parameters)

    def reset(self, n: int, seed: int) -> None:
        """Begin a run at up to n tables."""
        with self._guard:
            self.agent.reset(n, seed)

    def ask(
        self,
        views: NDArray[np.void],
        legal: NDArray[np.bool_],
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return the agent's actions, (k,) int64; ZhuojiError if that is not what it gives.

        Observations are made if it wants them, and `tables` handed on if it takes them.
        """
        shown = observation.of_views(views) if self._shows else None
        more = {"tables": tables} if self._numbered and tables is not None else {}
        with self._guard:
            actions = np.asarray(self.agent.act(views, legal, shown, **more))
        if actions.shape != (len(views),) or actions.dtype.kind not in "iu":
            raise ZhuojiError(
                f"agent {self.name!r} gave {actions.dtype} of shape {actions.shape}; "
                f"allowed: integers of shape ({len(views)},)"
            )
        return actions.astype(np.int64, copy=False)


def name_of(source: object) -> str:
    """Return a spec itself, or what an agent or its factory is called."""
    if isinstance(source, str):
        return source
    for given in (getattr(source, "name", None), getattr(source, "__name__", None)):
        if isinstance(given, str):
            return given
    return type(source).__name__
