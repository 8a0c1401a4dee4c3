"""A run in progress: its networks, league, shards and counters, and how they are kept."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.network import Network, NetworkConfig
from agents.policy import PolicyInfo, load, save_policy
from training.selfplay import checkpoint, report, show
from training.selfplay.ahead import Ahead, Order
from training.selfplay.checkpoint import Checkpoint
from training.selfplay.collect import Collector, ShardPlan, Weights
from training.selfplay.config import CURRENT, PAST, Config
from training.selfplay.critic import Critic, begin, begin_critic
from training.selfplay.league import League
from training.selfplay.learn import Learner, Steering
from training.selfplay.rulesets import rulesets, sigma
from training.selfplay.strength import Strength, agent, strengths
from zhuoji_env import observation
from zhuoji_env.engine.layout import GAME
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules

# First policies play evenly.
FIRST_ACTOR = {"heads.kind": 0.01, "heads.plain": 0.01}
UNTRAINED = "untrained"
MakeCollector = Callable[[Sequence[ShardPlan], int], Collector]


class GaveUp(ZhuojiError):
    """A run that left its bands too often."""


class Run:
    """A run in progress; `one_update` takes it on."""

    def __init__(
        self, config: Config, make_collector: MakeCollector, kept: Checkpoint | None
    ) -> None:
        self.config = config
        self.folder = Path(config.out)
        self.played = rulesets(config)
        facts = kept.facts if kept else {}
        self.sigma: list[float] = facts.get("sigma") or [sigma(r) for r in self.played.rules]
        size, first = _first_actor(config, resumed=kept is not None)
        rules = self.played.rules
        self.info = PolicyInfo(
            rules=",".join(r.name for r in rules),
            fingerprint=",".join(r.fingerprint for r in rules),
            observation=observation.VERSION,
            network=size,
        )
        actor, critic = Network(size), Critic(config)
        begin(actor, config.seed, FIRST_ACTOR)
        begin_critic(critic, config.seed + 1)
        if first is not None:
            actor.load_state_dict(dict(first))
        self.learner = Learner(config, actor, critic)
        self.untrained = _copied(actor.state_dict())
        self.league = League(config.past, config.seed)
        self.league.add(self.untrained, 0)
        made = make_collector(self._plans(size), config.threads)
        self.ahead = Ahead(made) if config.staleness else None
        self.collector = self.ahead or made
        self.updates = self.decisions = self.rollbacks = 0
        self.seconds = 0.0
        self.curve: list[dict[str, Any]] = []
        self.strengths: list[dict[str, Any]] = []
        if kept:
            self.restore(kept)

    def _plans(self, size: NetworkConfig) -> list[ShardPlan]:
        config, n = self.config, self.config.tables
        names = (CURRENT, PAST, *config.agents())
        total = sum(config.opponents.values())
        index = self.played.index(n * config.shards)
        return [
            ShardPlan(
                rules=self.played.rules,
                sigma=tuple(self.sigma),
                # Every shard gets tables of every ruleset.
                rules_index=index[shard :: config.shards],
                seed=config.seed,
                first=shard * n,
                steps=config.steps,
                network=size,
                bfloat16=config.bfloat16,
                agents=tuple(config.agents()),
                shares=tuple(config.opponents.get(name, 0.0) / total for name in names),
                past_seats=tuple(config.past_seats),
                agent_seats=tuple(config.agent_seats),
            )
            for shard in range(config.shards)
        ]

    # What it does

    def one_update(self) -> dict[str, Any]:
        """Collect and learn once; return the update's row of the curve."""
        config, began = self.config, time.perf_counter()
        weights = _copied(self.learner.actor.state_dict())
        past = [self.league.meet(self.updates, shard) for shard in range(config.shards)]
        batches = self.collector.collect(weights, past)
        collected = time.perf_counter() - began
        decisions = sum(len(batch.rows) for batch in batches)
        figures = {}
        if decisions:
            progress = self.decisions / config.decisions
            figures = self.learner.update(batches, self.updates, progress)
        self.updates += 1
        self.decisions += decisions
        if self.updates % config.past_every == 0:
            self.league.add(self.learner.actor.state_dict(), self.updates)
        spent = time.perf_counter() - began
        self.seconds += spent
        row = {
            "update": self.updates,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "speed": decisions / spent,
            "collecting": collected / spent,
            "figures": figures,
            **show.dealt(batches, show.players(config.agents()), self.sigma),
        }
        if figures:
            self.curve.append(row)
        return row

    def out_of_band(self, figures: dict[str, float]) -> str | None:
        """Say what is wrong with an update's figures; None if nothing is."""
        config = self.config
        wrong = [name for name, value in figures.items() if not math.isfinite(value)]
        if wrong:
            return f"{', '.join(wrong)} not finite"
        if figures["kl"] > config.highest_kl:
            return f"KL {figures['kl']:.3f} above {config.highest_kl}"
        if figures["entropy"] < config.lowest_entropy and self.updates > config.critic_first:
            return f"entropy {figures['entropy']:.3f} below {config.lowest_entropy}"
        return None

    def roll_back(self, reason: str) -> str:
        """Go back to the last good checkpoint with half the learning rate; say so.

        GaveUp if that was done as often as it may be.
        """
        rollbacks, at = self.rollbacks + 1, self.updates
        if rollbacks > self.config.rollbacks:
            raise GaveUp(
                f"update {at}: {reason}; rolled back {self.rollbacks} times already, which is what "
                f"`rollbacks` allows; the last good checkpoint is in {self.folder}"
            )
        caution = self.learner.steering.caution / 2
        self.restore(checkpoint.read(self.folder)[0])
        self.rollbacks, self.learner.steering.caution = rollbacks, caution
        return f"update {at}: {reason}; back to update {self.updates}, learning rate halved"

    def measure(self) -> list[Strength]:
        """Measure the strength of the moving average, and note it beside the curve."""
        config = self.config
        found = strengths(
            agent(self.info, self.learner.average.state_dict(), "policy"),
            config.against,
            self.measured(),
            config.strength_blocks,
            config.threads,
        )
        self.strengths += [{"decisions": self.decisions, **asdict(one)} for one in found]
        return found

    def measured(self) -> list[tuple[Rules, float]]:
        """Return the rulesets that strength is measured in, with their sigma: one an entry."""
        places, at = [], 0
        for entry in self.config.rules:
            places.append(at)
            at += entry.variants
        return [(self.played.rules[i], self.sigma[i]) for i in places]

    # What it keeps

    def save(self) -> None:
        """Write the checkpoint, the policies as they stand, and the curve."""
        learner = self.learner
        facts = {
            "config": self.config.model_dump(),
            "fingerprint": self.info.fingerprint,
            "layout": layout(),
            "sigma": self.sigma,
            "updates": self.updates,
            "decisions": self.decisions,
            "rollbacks": self.rollbacks,
            "seconds": self.seconds,
            "steering": asdict(learner.steering),
            "curve": self.curve,
            "strengths": self.strengths,
        }
        parts = {
            "actor": learner.actor.state_dict(),
            "average": learner.average.state_dict(),
            "critic": learner.critic.state_dict(),
            "optimizer": checkpoint.optimizer_tensors(learner.optimizer),
            UNTRAINED: self.untrained,
            **{f"past{i}": copy for i, copy in enumerate(self.league.copies)},
        }
        if self.ahead and self.ahead.order:
            ordered, facts["met"] = self.ahead.order.parts()
            parts |= ordered
        kept = Checkpoint(facts, parts, self.collector.state())
        self.folder.mkdir(parents=True, exist_ok=True)
        checkpoint.write(self.folder, kept)
        self.save_policy(learner.average.state_dict())
        save_policy(self.folder / f"{UNTRAINED}.safetensors", self.untrained, self.info)
        report.write_curve(self.folder / "curve.csv", self.curve)

    def save_policy(self, weights: Weights) -> None:
        """Write some weights as the run's policy."""
        info = PolicyInfo(**{**vars(self.info), "decisions": self.decisions})
        save_policy(self.folder / "policy.safetensors", _copied(weights), info)

    def restore(self, kept: Checkpoint) -> None:
        """Take up a checkpoint."""
        facts, parts, learner = kept.facts, kept.parts, self.learner
        learner.actor.load_state_dict(parts["actor"])
        learner.average.load_state_dict(parts["average"])
        learner.critic.load_state_dict(parts["critic"])
        checkpoint.restore_optimizer(learner.optimizer, parts.get("optimizer", {}))
        learner.steering = Steering(**facts["steering"])
        self.untrained = parts[UNTRAINED]
        self.league.copies = [
            parts[f"past{i}"] for i in range(sum(name.startswith("past") for name in parts))
        ]
        self.collector.load_state(kept.shards)
        if self.ahead and "met" in facts:
            self.ahead.begin(Order.of(parts, facts["met"]))
        self.updates, self.decisions = facts["updates"], facts["decisions"]
        self.rollbacks, self.seconds = facts["rollbacks"], facts["seconds"]
        self.curve, self.strengths = facts["curve"], facts["strengths"]


def layout() -> dict[str, Any]:
    """Return what tells apart the tables and observations that a checkpoint may hold."""
    digest = hashlib.sha256(repr(GAME.descr).encode()).hexdigest()[:12]
    return {"table": digest, "observation": observation.VERSION}


def _first_actor(config: Config, resumed: bool) -> tuple[NetworkConfig, Weights | None]:
    """Return the actor's size, and the weights it begins with if a file has them."""
    if not config.begin_from:
        size = NetworkConfig(config.channels, config.convolutions, config.hidden, value=0)
        return size, None
    # A run's own copy: what it began from may since have changed, or be gone.
    own = Path(config.out) / f"{UNTRAINED}.safetensors"
    policy = load(own if resumed and own.exists() else config.begin_from, backend="torch")
    size, weights = policy.info.network, policy.network.state_dict()
    kept = {name: w for name, w in weights.items() if not name.startswith("heads.critic.")}
    return NetworkConfig(**{**vars(size), "value": 0}), kept


def _copied(weights: Weights) -> dict[str, Any]:
    return {name: tensor.detach().to("cpu", copy=True) for name, tensor in weights.items()}
