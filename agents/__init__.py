"""Players beyond the library's baselines: `make(spec)` builds any of them.

A spec is a baseline's name, or the path of a policy file (`.safetensors`). What a name needs
(torch for a policy) is imported when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from zhuoji_env import baselines
from zhuoji_env.baselines import Agent
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.specs import POLICY_SUFFIX

__all__ = ["Agent", "make"]


def make(spec: str, **kwargs: Any) -> Agent:
    """Return the agent of a spec; `kwargs` go to what builds it.

    Raises ZhuojiError for a name that nobody has, or a policy file that cannot be read.
    """
    if spec.endswith(POLICY_SUFFIX):
        try:
            policy = import_module("agents.policy")
        except ModuleNotFoundError as error:
            reason = f"a policy file needs the extra zhuoji[train] ({error})"
            raise ZhuojiError(f"{spec}: {reason}") from error
        agent: Agent = policy.load(Path(spec), **kwargs)
        return agent
    return baselines.make(spec, **kwargs)
