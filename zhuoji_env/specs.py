"""From a spec to an agent: names, `module:factory`, policy files."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeGuard

from zhuoji_env import baselines
from zhuoji_env.baselines import Agent
from zhuoji_env.errors import ZhuojiError


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


def resolve(given: Any) -> Agent:
    """Return the agent of a spec, or the one given; ZhuojiError for what is neither."""
    if isinstance(given, str):
        return make(given)
    if not is_agent(given):
        raise ZhuojiError(f"an opponent is {given!r}; allowed: a spec or an Agent")
    return given


def is_agent(given: Any) -> TypeGuard[Agent]:
    """Whether it is an agent, which a class is not."""
    return isinstance(given, Agent) and not isinstance(given, type)


def checked(given: Any, name: str) -> Agent:
    """Return what a factory has made; ZhuojiError if it is no agent."""
    if not is_agent(given):
        raise ZhuojiError(f"agent {name!r}: {type(given).__name__} has no reset and act")
    return given


def _has_agents() -> bool:
    """Whether `agents` is the checkout's own room: other distributions use the name as well."""
    root = Path(__file__).resolve().parents[1]
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
    return checked(build(), spec)
