"""The update: masked PPO with an entropy floor and a pull to the actor's own moving average.

The regularised policy gradient of arXiv 2502.08938: a clipped surrogate, an entropy term, and a
divergence from a slowly moving copy of the policy. The critic is a network apart that sees the
hidden truth; advantages are differences in sigma, whatever its bins, brought to deviation 1.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import Network
from agents.policy import REFUSED
from training.schedule import falling
from training.selfplay.collect import one_thread
from training.selfplay.config import Config, ConfigError
from training.selfplay.critic import Critic
from training.selfplay.rows import Batch
from training.selfplay.shard import precision
from training.selfplay.tables import trace
from zhuoji_env.actions import N_ACTIONS

# The learning rate is steered within these factors, by this much an update.
LEAST_SCALE, STEER = 1 / 16, 1.25
# The entropy's weight is raised or lowered by this factor an update, up to this many times.
ENTROPY_STEP, MOST_ENTROPY = 1.15, 32.0
ADAM_EPSILON = 1e-5
CPU = torch.device("cpu")

# What a gradient step tells, in this order.
FIGURES = ("loss", "entropy", "kl", "clipped", "from_average")


class NotFinite(ArithmeticError):
    """A loss or gradient that is no number."""


@dataclass
class Steering:
    """What is adapted from update to update."""

    # The entropy's weight, and a factor of the learning rate, both from what updates came to.
    entropy: float
    scale: float = 1.0
    # A factor of the learning rate that every roll-back halves.
    caution: float = 1.0


@dataclass
class Played:
    """An update's decisions as tensors, on the learner's device but for rewards and `last`."""

    planes: Tensor  # (M, P, 27) int8
    rows: Tensor  # (M, G) float32
    truth: Tensor  # (M, TRUTH, 27) int8
    legal: Tensor  # (M,) int64 bits
    action: Tensor  # (M, 1) int64
    log_prob: Tensor  # (M,) float32
    reward: Tensor  # (M,) float32, sigma
    items: Tensor  # (M, G) float32, sigma
    last: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.action)

    @classmethod
    def of(cls, batches: Sequence[Batch], device: torch.device = CPU) -> Played:
        """Join the shards' batches."""

        def joined(name: str) -> Tensor:
            array = np.concatenate([getattr(b.rows, name) for b in batches])
            return torch.from_numpy(array).to(device)

        return cls(
            planes=joined("planes"),
            rows=joined("globals"),
            truth=joined("truth"),
            legal=joined("legal"),
            action=joined("action")[:, None],
            log_prob=joined("log_prob"),
            reward=torch.from_numpy(np.concatenate([b.reward for b in batches])),
            items=torch.from_numpy(np.concatenate([b.items for b in batches])).to(device),
            last=np.concatenate([b.last for b in batches]),
        )


def mask(bits: Tensor) -> Tensor:
    """Return legal actions (M, 58) bool of their bits (M,)."""
    return (bits[:, None] >> torch.arange(N_ACTIONS, device=bits.device) & 1).bool()


def log_policy(actor: Network, planes: Tensor, rows: Tensor, legal: Tensor) -> Tensor:
    """Return the log-probabilities (M, 58) of actions; illegal ones have none left."""
    logits: Tensor = actor(planes, rows).float()
    return logits.masked_fill(~legal, REFUSED).log_softmax(1)


def device_of(config: Config) -> torch.device:
    """Return where the update is computed; ConfigError if a GPU is asked for and there is none."""
    found = torch.cuda.is_available()
    if config.device == "cuda" and not found:
        raise ConfigError("device is 'cuda': torch finds no GPU; allowed: 'cpu' or 'auto'")
    return torch.device("cuda" if found and config.device != "cpu" else "cpu")


class Replica:
    """Actor and critic of one thread: the learner's own weights, gradients apart."""

    def __init__(self, config: Config, actor: Network, critic: Critic, average: Network) -> None:
        self.config, self.average = config, average
        self.actor, self.critic = copy.deepcopy(actor), copy.deepcopy(critic)
        self.parameters = [*self.actor.parameters(), *self.critic.parameters()]
        self.device = self.parameters[0].device
        originals = (*actor.parameters(), *critic.parameters())
        for mine, original in zip(self.parameters, originals, strict=True):
            mine.data = original.data

    def differentiate(
        self, played: Played, advantage: Tensor, at: Tensor, entropy: float | None
    ) -> Tensor:
        """Leave the gradients of some decisions' mean loss; return their mean figures.

        `entropy` is the weight of the actor's; None fits the critic alone.
        """
        for parameter in self.parameters:
            parameter.grad = None
        planes, rows = played.planes[at], played.rows[at]
        with precision(self.config.bfloat16, self.device.type):
            logits, items = self.critic(planes, played.truth[at], rows)
        target = self.critic.bins.targets(played.reward[at]).to(self.device)
        value_loss = -(target * logits.log_softmax(1)).sum(1).mean()
        loss = value_loss + self.config.item_weight * (items - played.items[at]).square().mean()
        figures = torch.zeros(len(FIGURES))
        if entropy is not None:
            legal = mask(played.legal[at])
            with precision(self.config.bfloat16, self.device.type):
                now = log_policy(self.actor, planes, rows, legal)
                with torch.no_grad():
                    slow = log_policy(self.average, planes, rows, legal)
            acting, figures[1:] = self._acting(now, slow, played, advantage[at], at, entropy)
            loss = loss + acting
        figures[0] = loss.detach()
        loss.backward()
        return figures

    def _acting(
        self,
        now: Tensor,
        slow: Tensor,
        played: Played,
        advantage: Tensor,
        at: Tensor,
        weight: float,
    ) -> tuple[Tensor, Tensor]:
        """Return the actor's loss, and its figures in the order of FIGURES."""
        config = self.config
        moved = now.gather(1, played.action[at]).squeeze(1) - played.log_prob[at]
        ratio = moved.exp()
        kept = ratio.clamp(1 - config.clip, 1 + config.clip)
        gain = torch.min(ratio * advantage, kept * advantage).mean()
        probs = now.exp()
        entropy = -(probs * now).sum(1).mean()
        apart = (probs * (now - slow)).sum(1).mean()
        loss = config.pull * apart - gain - weight * entropy
        kl, clipped = (ratio - 1 - moved).mean(), (ratio != kept).float().mean()
        return loss, torch.stack([entropy, kl, clipped, apart]).detach()


class Learner:
    """Actor, its moving average, critic and optimiser.

    On a CPU a gradient step's decisions are shared by `threads`, each with one thread of torch:
    they wait for each other once a step, and what they sum does not depend on how busy the machine
    is.
    """

    def __init__(self, config: Config, actor: Network, critic: Critic) -> None:
        self.config, self.device = config, device_of(config)
        self.actor, self.critic = actor.to(self.device), critic.to(self.device)
        self.average = copy.deepcopy(actor).requires_grad_(False)
        self.steering = Steering(entropy=config.entropy)
        self.parameters = [*actor.parameters(), *critic.parameters()]
        self.optimizer = torch.optim.Adam(
            self.parameters, lr=config.learning_rate, eps=ADAM_EPSILON, fused=True
        )
        threads = config.threads if self.device.type == "cpu" else 1
        self._replicas = [Replica(config, actor, critic, self.average) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads, initializer=one_thread)

    def learning_rate(self, progress: float) -> float:
        """Return Adam's step when a share `progress` of the run is done: a falling cosine."""
        config, steering = self.config, self.steering
        planned = falling(config.learning_rate, config.final_learning_rate, progress)
        return planned * steering.scale * steering.caution

    def update(self, batches: Sequence[Batch], number: int, progress: float) -> dict[str, float]:
        """Learn from an update's decisions; return its figures. NotFinite if it went wrong."""
        config, played = self.config, Played.of(batches, self.device)
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate(progress)
        advantage, explained = self._judge(played)
        acting = number >= config.critic_first
        steps = []
        for epoch in range(config.epochs):
            key = np.random.SeedSequence([config.seed, number, epoch])
            order = np.random.Generator(np.random.Philox(key)).permutation(len(played))
            pieces = max(1, round(len(played) / config.batch_size))
            for piece in np.array_split(order, pieces):
                steps.append(self._step(played, advantage, piece, acting))
        figures = dict(zip(FIGURES, torch.stack(steps).mean(0).tolist(), strict=True))
        figures |= {
            "explained": explained,
            "learning_rate": self.learning_rate(progress),
            "entropy_weight": self.steering.entropy,
        }
        if acting:
            self._steer(figures)
        return figures

    def _judge(self, played: Played) -> tuple[Tensor, float]:
        """Return advantages (M,), of mean 0 and deviation 1, and the variance explained."""
        value = torch.cat(
            list(
                self._pool.map(
                    lambda start: self._expected(played, start),
                    range(0, len(played), self.config.batch_size),
                )
            )
        ).cpu()
        advantage = torch.empty_like(value)
        trace(
            *(value.numpy(), played.reward.numpy(), played.last),
            *(self.config.trace, advantage.numpy()),
        )
        explained = 0.0
        # One decision has no deviation.
        if len(played) > 1:
            spread = played.reward.var()
            if spread > 0:
                explained = 1 - float((played.reward - value).var() / spread)
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        return advantage.to(self.device), explained

    @torch.no_grad()
    def _expected(self, played: Played, start: int) -> Tensor:
        at = slice(start, start + self.config.batch_size)
        with precision(self.config.bfloat16, self.device.type):
            return self.critic.expected(played.planes[at], played.truth[at], played.rows[at])

    def _step(
        self, played: Played, advantage: Tensor, at: NDArray[np.int64], acting: bool
    ) -> Tensor:
        """Take one gradient step; return its mean figures in the order of FIGURES."""
        weight = self.steering.entropy if acting else None
        replicas = self._replicas[: len(at)]
        parts = [torch.from_numpy(part) for part in np.array_split(at, len(replicas))]
        jobs = [
            self._pool.submit(replica.differentiate, played, advantage, part, weight)
            for replica, part in zip(replicas, parts, strict=True)
        ]
        shares = [len(part) / len(at) for part in parts]
        told = torch.stack([s * job.result() for s, job in zip(shares, jobs, strict=True)]).sum(0)
        for i, parameter in enumerate(self.parameters):
            parameter.grad = _sum([r.parameters[i].grad for r in replicas], shares)
        # Apart, so that neither network's surprises shorten the other's step.
        networks = (self.actor, self.critic)
        norms = [
            float(nn.utils.clip_grad_norm_(net.parameters(), self.config.grad_norm))
            for net in networks
        ]
        if not (math.isfinite(sum(norms)) and torch.isfinite(told).all()):
            raise NotFinite(f"the loss is {float(told[0])}, its gradients {norms} long")
        self.optimizer.step()
        if acting:
            with torch.no_grad():
                pairs = zip(self.average.parameters(), self.actor.parameters(), strict=True)
                for slow, fast in pairs:
                    slow.lerp_(fast, 1 - self.config.average)
        return told

    def _steer(self, figures: dict[str, float]) -> None:
        """Adapt the learning rate to the divergence, and the entropy's weight to its floor."""
        config, steering = self.config, self.steering
        if figures["kl"] > config.target_kl * 1.5:
            steering.scale = max(LEAST_SCALE, steering.scale / STEER)
        elif figures["kl"] < config.target_kl / 1.5:
            steering.scale = min(1.0, steering.scale * STEER)
        if figures["entropy"] < config.entropy_floor:
            most = MOST_ENTROPY * config.entropy
            steering.entropy = min(most, steering.entropy * ENTROPY_STEP)
        else:
            steering.entropy = max(config.entropy, steering.entropy / ENTROPY_STEP)


def _sum(gradients: Sequence[Tensor | None], shares: Sequence[float]) -> Tensor | None:
    """Return the weighted sum of the replicas' gradients; None where there are none."""
    given = [share * g for share, g in zip(shares, gradients, strict=True) if g is not None]
    return torch.stack(given).sum(0) if given else None
