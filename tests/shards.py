"""Small shards and settings of the native trainer, for its tests."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch

from agents.network import Network, NetworkConfig
from training.selfplay.collect import Batch, Shard, ShardPlan, Weights
from training.selfplay.config import Config, build
from training.selfplay.critic import begin
from zhuoji_env.rules import Rules

SIZE = NetworkConfig(channels=8, convolutions=2, hidden=16, value=0)
TINY = {
    "tables": 24,
    "shards": 2,
    "steps": 24,
    "channels": 8,
    "hidden": 16,
    "critic_channels": 8,
    "critic_hidden": 16,
    "batch_size": 128,
    "bfloat16": False,
}
RULES = (Rules.load("guiyang"), Rules.load("zhuoji"))
SIGMA = (6.5, 61.0)


def tiny(**changed: Any) -> Config:
    """Return the settings of a tiny run."""
    return build({**TINY, **changed}, "test")


def plan(first: int = 0, tables: int = 24, **changed: Any) -> ShardPlan:
    """Return a small shard's plan, in float32 and both rulesets, with everybody at the tables."""
    given: dict[str, Any] = {
        "rules": RULES,
        "sigma": SIGMA,
        "rules_index": tuple(i % 2 for i in range(tables)),
        "seed": 3,
        "first": first,
        "steps": 40,
        "network": SIZE,
        "bfloat16": False,
        "agents": ("greedy",),
        "shares": (0.5, 0.3, 0.2),
        "past_seats": (1, 2),
        "agent_seats": (1, 2, 3),
    }
    return ShardPlan(**{**given, **changed})


def weights(seed: int, gain: float = 0.3) -> Weights:
    """Return an actor's weights that tell positions apart."""
    actor = Network(SIZE)
    begin(actor, seed, {"heads.kind": gain, "heads.plain": gain})
    return {name: tensor.detach() for name, tensor in actor.state_dict().items()}


def same(one: Batch, other: Batch) -> bool:
    """Whether two batches are the same, bit for bit."""
    pairs = [(one.rows.arrays()[name], other.rows.arrays()[name]) for name in one.rows.arrays()]
    for name in ("last", "reward", "items", "deals"):
        pairs.append((getattr(one, name), getattr(other, name)))
    return all(a.tobytes() == b.tobytes() and a.shape == b.shape for a, b in pairs)


@lru_cache
def three_updates() -> tuple[list[Batch], Shard]:
    """Return three updates of one shard, and the shard as it stands then."""
    torch.set_num_threads(1)
    shard = Shard(plan())
    return [shard.collect(weights(1), weights(2)) for _ in range(3)], shard
