"""Players beyond the library's baselines: `make(spec)` builds any of them.

A spec is a baseline's name, the expert's or that of one of its styles, `search` over the expert,
the name of a policy that is shipped, or the path of a policy file (`.safetensors`) or of its export
(`.onnx`). What a name needs (safetensors, onnxruntime) is imported when it is asked for.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from zhuoji_env import baselines
from zhuoji_env.baselines import Agent
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.specs import POLICY_SUFFIX

__all__ = ["NAMES", "POLICIES", "SHIPPED", "SUFFIXES", "Agent", "make"]

# The expert and its styles: a config of each lies in configs/agents/.
STYLES = ("expert", "fast", "big_hand", "cautious", "kong_loving")
ONNX_SUFFIX = ".onnx"
# How the paths end that are specs.
SUFFIXES = (POLICY_SUFFIX, ONNX_SUFFIX)
SHIPPED = Path(__file__).parent / "policies"
# Trained policies that lie in the checkout, by name; `policy` is the one to play against.
POLICIES = {path.stem: path for path in sorted(SHIPPED.glob(f"*{POLICY_SUFFIX}"))}
NAMES = (*STYLES, "search", *POLICIES)


def make(spec: str, **kwargs: Any) -> Agent:
    """Return the agent of a spec; `kwargs` go to what builds it.

    Raises ZhuojiError for a name that nobody has, or a policy file that cannot be read.
    """
    if spec in baselines.names():
        return baselines.make(spec, **kwargs)
    if spec in STYLES:
        player: Agent = import_module("agents.expert").make(spec, **kwargs)
        return player
    if spec == "search":
        searching: Agent = import_module("agents.search").make(**kwargs)
        return searching
    if spec in POLICIES or spec.endswith(SUFFIXES):
        return _policy(spec, POLICIES.get(spec, Path(spec)), **kwargs)
    if spec == "policy":
        raise ZhuojiError(f"{spec}: agents/{SHIPPED.name}/{spec}{POLICY_SUFFIX} is not there")
    everyone = (*baselines.names(), *NAMES)
    near = get_close_matches(spec, everyone, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise ZhuojiError(
        f"unknown agent {spec!r}; {hint}allowed: {', '.join(everyone)}, or a policy file"
    )


def _policy(spec: str, path: Path, **kwargs: Any) -> Agent:
    try:
        onnx = path.suffix == ONNX_SUFFIX
        reader = import_module("agents.export" if onnx else "agents.policy")
        agent: Agent = reader.load(path, **kwargs)
    except ModuleNotFoundError as error:
        reason = f"a policy file needs the extra zhuoji[train], its export [onnx] ({error})"
        raise ZhuojiError(f"{spec}: {reason}") from error
    return agent
