"""How strong a policy is: matches in the arena, in sigma of each ruleset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

import zhuoji_env as zj
from agents.policy import PolicyAgent, PolicyInfo
from training.selfplay.shard import network
from zhuoji_env.arena.match import MatchResult, match
from zhuoji_env.baselines import Agent
from zhuoji_env.rules import Rules

# Walls of the matches on the way, the same each time, and of those at the end.
ON_THE_WAY, AT_THE_END = 101, 202


@dataclass(frozen=True)
class Strength:
    """Sigma a deal of a policy against three of another, with a 95% interval."""

    rules: str
    against: str
    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        interval = f"{self.low:+.3f} .. {self.high:+.3f}"
        return f"{self.rules}, three {self.against}: {self.mean:+.3f} sigma ({interval})"


def agent(info: PolicyInfo, weights: Mapping[str, Tensor], name: str) -> PolicyAgent:
    """Return an agent with a copy of some weights."""
    copied = {key: tensor.detach().to("cpu", copy=True) for key, tensor in weights.items()}
    return PolicyAgent(network(info.network, copied), info, name=name)


def strengths(
    policy: Agent,
    against: Sequence[str],
    rules: Sequence[tuple[Rules, float]],
    blocks: int,
    threads: int,
) -> list[Strength]:
    """Return the strength against each opponent under each ruleset, given with its sigma.

    The luck of draws and flips is taken out (`arena.luck`), which leaves the mean unbiased.
    """
    found = []
    for ruleset, sigma in rules:
        for name in against:
            result = match(
                *(policy, zj.specs.make(name), ruleset, blocks, ON_THE_WAY),
                threads=threads,
                reduce=True,
            )
            assert result.reduced is not None
            mean, low, high, _ = result.reduced
            found.append(Strength(ruleset.name, name, mean / sigma, low / sigma, high / sigma))
    return found


def final_matches(
    policy: Agent, others: Sequence[Agent], rules: Rules, blocks: int, threads: int
) -> list[MatchResult]:
    """Play the matches at the end under one ruleset."""
    return [match(policy, b, rules, blocks, AT_THE_END, threads=threads) for b in others]
