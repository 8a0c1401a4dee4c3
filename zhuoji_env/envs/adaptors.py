"""Small wrappers around the AEC environment for libraries that read it their own way.

    from tianshou.env import PettingZooEnv
    env = PettingZooEnv(ForTianshou(zhuoji_v0.env()))

    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    env = PettingZooEnv(ForRLlib(zhuoji_v0.env()))

Neither library is imported here. TorchRL's wrapper takes the environment as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from pettingzoo.utils import BaseWrapper


# PettingZoo ships no types, which leaves its base class Any.
class ForTianshou(BaseWrapper[str, dict[str, Any], int]):  # type: ignore[misc]
    """The environment with empty infos.

    Tianshou keeps infos in a `Batch`, whose attributes are their keys: a deal's `result` has an
    "items", which would hide the method of that name.
    """

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """An empty info for every agent."""
        return {agent: {} for agent in self.env.infos}


class ForRLlib(BaseWrapper[str, dict[str, Any], int]):  # type: ignore[misc]
    """The environment with "observations" (C * 27,) float32 beside "action_mask" (58,) int8.

    RLlib's action masking module wants that key, and its default networks a flat observation: a
    Box of three dimensions is to them an image with its channels last.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.observation_spaces = {agent: _flat(env, agent) for agent in env.possible_agents}

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees, the observation flat."""
        seen = self.env.observe(agent)
        return {"observations": seen["observation"].ravel(), "action_mask": seen["action_mask"]}

    def observation_space(self, agent: str) -> Dict:
        """Return an agent's space, the same object at every call."""
        return self.observation_spaces[agent]


def _flat(env: Any, agent: str) -> Dict:
    space = env.observation_space(agent)
    box = space["observation"]
    flat = Box(box.low.ravel(), box.high.ravel(), dtype=np.float32)
    return Dict({"observations": flat, "action_mask": space["action_mask"]})
