"""From a spec to a player: names, `module:factory`, policy files, agents and their factories."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import baselines, observation
from zhuoji_env.baselines import Agent
from zhuoji_env.errors import ZhuojiError

Source = str | Agent | Callable[[], Agent]


def make(spec: str) -> Agent:
    """Return the agent of a spec: a name, `module:factory`, or a policy file's path.

    A module may lie in the working directory. Names and paths beyond the baselines are looked up
    in `agents.make`, where this library is a checkout that has it. Raises ZhuojiError, saying what
    is allowed.
    """
    module, colon, factory = spec.partition(":")
    if colon and factory.isidentifier():
        return _from_factory(spec, module, factory)
    if spec in baselines.names():
        return baselines.make(spec)
    if not _has_agents():
        allowed = ", ".join(baselines.names())
        raise ZhuojiError(
            f"unknown agent {spec!r}; allowed: {allowed}, module:factory "
            "(other names and policy files need a checkout of the project)"
        )
    agent: Agent = import_module("agents").make(spec)
    return agent


def _has_agents() -> bool:
    """Whether `agents` is the checkout's own room: other distributions use the name as well."""
    root = Path(__file__).resolve().parents[2]
    # In site-packages, where a wheel puts this library, another's `agents` may lie beside it.
    if not (root / "pyproject.toml").is_file():
        return False
    found = find_spec("agents")
    return bool(found and found.origin and Path(found.origin).resolve().parents[1] == root)


def _from_factory(spec: str, module: str, factory: str) -> Agent:
    # The `zhuoji` command, unlike `python -m`, does not look in the folder it is called from.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        build = getattr(import_module(module), factory)
    except ModuleNotFoundError as error:
        raise ZhuojiError(f"agent {spec!r}: {error}") from error
    except AttributeError as error:
        raise ZhuojiError(f"agent {spec!r}: {module} has no {factory!r}") from error
    if not callable(build):
        raise ZhuojiError(f"agent {spec!r}: {factory} is {type(build).__name__}, not callable")
    return _checked(build(), spec)


def _checked(agent: Any, name: str) -> Agent:
    if not isinstance(agent, Agent) or isinstance(agent, type):
        raise ZhuojiError(f"agent {name!r}: {type(agent).__name__} has no reset and act")
    return agent


class Player:
    """An agent as one thread of a match sees it."""

    def __init__(self, name: str, agent: Agent, lock: Lock | None) -> None:
        self.name = name
        self._agent = agent
        self._guard = lock or nullcontext()
        self._shows = getattr(agent, "needs_observations", False)
        parameters = signature(agent.act).parameters.values()
        self._numbered = any(p.name == "tables" or p.kind is p.VAR_KEYWORD for p in parameters)

    def reset(self, n: int, seed: int) -> None:
        """Begin a run at up to n tables."""
        with self._guard:
            self._agent.reset(n, seed)

    def ask(
        self, views: NDArray[np.void], legal: NDArray[np.bool_], tables: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the agent's actions, (k,) int64; ZhuojiError if that is not what it gives."""
        shown = observation.of_views(views) if self._shows else None
        more = {"tables": tables} if self._numbered else {}
        with self._guard:
            actions = np.asarray(self._agent.act(views, legal, shown, **more))
        if actions.shape != (len(views),) or actions.dtype.kind not in "iu":
            raise ZhuojiError(
                f"agent {self.name!r} gave {actions.dtype} of shape {actions.shape}; "
                f"allowed: integers of shape ({len(views)},)"
            )
        return actions


class Entrant:
    """A named agent in a match, which hands out a player for each thread.

    A spec or a factory is built anew for each; a given Agent is shared, and asked by one thread at
    a time unless it says `thread_safe = True`. Raises ZhuojiError as `make` does.
    """

    def __init__(self, source: Source) -> None:
        self.name = _name(source)
        self._lock: Lock | None = None
        if isinstance(source, str):
            self._build: Callable[[], Agent] = lambda: make(source)
        elif isinstance(source, Agent) and not isinstance(source, type):
            self._build = lambda: source
            self._lock = None if getattr(source, "thread_safe", False) else Lock()
        elif callable(source):
            self._build = lambda: _checked(source(), self.name)
        else:
            raise ZhuojiError(
                f"an agent is {type(source).__name__}; allowed: a spec, an Agent or its factory"
            )
        self._first: Agent | None = self._build()

    def player(self) -> Player:
        """Return a player for one more thread."""
        agent, self._first = self._first or self._build(), None
        return Player(self.name, agent, self._lock)


def _name(source: object) -> str:
    if isinstance(source, str):
        return source
    for given in (getattr(source, "name", None), getattr(source, "__name__", None)):
        if isinstance(given, str):
            return given
    return type(source).__name__
