"""Self-play opponents: frozen copies of the learner beside agents that never change."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import torch
from torch import Tensor

import agents
from agents.network import Network
from agents.policy import PolicyAgent, PolicyInfo
from training.config import SELF
from zhuoji_env.baselines import Agent

Weights = dict[str, Tensor]


class Pool:
    """The learner's opponents and how often each is met.

    `weights` maps names to weights; that of "self" is shared evenly by the newest `size` copies.
    """

    def __init__(self, weights: Mapping[str, float], size: int, info: PolicyInfo) -> None:
        self.info = info
        self._self_weight = weights.get(SELF, 0.0)
        self._fixed: list[tuple[Agent, float]] = [
            (agents.make(name), weight) for name, weight in weights.items() if name != SELF
        ]
        self._copies: deque[PolicyAgent] = deque(maxlen=size)

    def add(self, weights: Weights) -> None:
        """Freeze a copy of the learner, which draws its actions as the learner does."""
        with torch.device("meta"):
            network = Network(self.info.network)
        network.load_state_dict(weights, assign=True)
        self._copies.append(PolicyAgent(network, self.info, name=SELF, sample=True))

    def opponents(self) -> list[tuple[str | Agent, float]]:
        """Return agents and weights as SeatVecEnv takes them."""
        each = self._self_weight / max(1, len(self._copies))
        copies = [(copy, each) for copy in self._copies if self._self_weight]
        return [*self._fixed, *copies]

    def copies(self) -> list[Weights]:
        """Return the frozen copies' weights, oldest first."""
        return [copy.network.state_dict() for copy in self._copies]
