"""From a spec to an agent: names, `module:factory`, policy files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeGuard

from zhuoji_env import baselines
from zhuoji_env.baselines import Agent
from zhuoji_env.errors import ZhuojiError

POLICY_SUFFIX = ".safetensors"


def make(spec: str) -> Agent:
    """Return the agent of a spec: a name, `module:factory`, or a policy file's path.

    A module may lie in the working directory. A policy file is read by `agents.make`, where this
    library is a checkout that has it. Raises ZhuojiError, saying what is allowed.
    """
    module, colon, factory = spec.partition(":")
    if colon and factory.isidentifier():
        return _from_factory(spec, module, factory)
    if spec in baselines.names():
        return baselines.make(spec)
    if not _has_agents():
        raise _unknown(spec, ())
    agents = import_module("agents")
    if not spec.endswith(agents.SUFFIXES) and spec not in agents.NAMES:
        raise _unknown(spec, agents.NAMES)
    agent: Agent = agents.make(spec)
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


def _unknown(spec: str, of_checkout: tuple[str, ...]) -> ZhuojiError:
    module, dot, factory = spec.rpartition(".")
    known = (*baselines.names(), *of_checkout)
    near = get_close_matches(spec, known, n=1)
    if dot and _is_module(module) and factory.isidentifier():
        near = near or [f"{module}:{factory}"]
    hint = f"did you mean {near[0]}? " if near else ""
    files = "or a policy file" if of_checkout else "or, in a checkout of the project, a policy file"
    return ZhuojiError(
        f"unknown agent {spec!r}; {hint}allowed: {', '.join(known)}, module:factory, {files}"
    )


def _is_module(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _from_factory(spec: str, module: str, factory: str) -> Agent:
    if not _is_module(module):
        allowed = "a module's dotted name before the colon, as in mine:Mine"
        raise ZhuojiError(f"agent {spec!r}: {module!r} given; allowed: {allowed}")
    # The `zhuoji` command, unlike `python -m`, does not look in the folder it is called from.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    loaded = _foreign(spec, lambda: import_module(module))
    if not hasattr(loaded, factory):
        raise ZhuojiError(f"agent {spec!r}: {module} has no {factory!r}")
    build = getattr(loaded, factory)
    if not callable(build):
        raise ZhuojiError(f"agent {spec!r}: {factory} is {type(build).__name__}, not callable")
    return checked(_foreign(spec, build), spec)


def _foreign(spec: str, call: Callable[[], Any]) -> Any:
    """Run what others wrote for a spec; whatever it raises becomes a ZhuojiError of one line."""
    try:
        return call()
    except ZhuojiError as error:
        raise ZhuojiError(f"agent {spec!r}: {error}") from error
    except Exception as error:
        reason = " ".join(str(error).split())
        raise ZhuojiError(f"agent {spec!r}: {type(error).__name__}: {reason}") from error
