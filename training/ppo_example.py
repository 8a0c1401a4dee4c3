"""Masked PPO in one file, for reading: one network learns from all four seats of many tables.

    python -m training.ppo_example --updates 300 --out runs/ppo_example

It needs nothing but torch and `zj.Games`. Every update plays one whole deal at each table, prices
each decision by what its seat was paid in the end, and takes PPO's gradient steps; at the end the
policy is saved as an agent's file and meets a baseline in the arena. `training.sb3` is the way to
train in earnest: it adds frozen opponents, checkpoints and curves.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from agents.policy import REFUSED, PolicyAgent, PolicyInfo, save_policy
from zhuoji_env import observation


def arg(default: Any, meaning: str) -> Any:
    """Return a dataclass field that explains itself on the command line."""
    return field(default=default, metadata={"help": meaning})


@dataclass(frozen=True)
class Args:
    """Everything that decides a run."""

    rules: str = arg("guiyang", "Ruleset that is played: a preset's name or a YAML file.")
    seed: int = arg(1, "Seed of walls, first weights, draws and the order of minibatches.")
    out: str = arg("runs/ppo_example", "Folder that the policy is written into.")
    updates: int = arg(300, "Updates; each plays one deal at every table.")
    tables: int = arg(256, "Tables played at once.")
    epochs: int = arg(2, "Passes over the decisions of one update.")
    batch_size: int = arg(2048, "Decisions per gradient step.")
    learning_rate: float = arg(2e-3, "Adam's step at the start; it falls to 0 on a straight line.")
    trace: float = arg(0.95, "Decay of the advantage estimate along a seat's decisions (lambda).")
    clip: float = arg(0.2, "How far a probability may move from the one that was played with.")
    entropy: float = arg(0.01, "Weight of the policy's entropy in the loss.")
    value_weight: float = arg(0.5, "Weight of the value's squared error in the loss.")
    grad_norm: float = arg(0.5, "Longest gradient that is taken whole.")
    reward_unit: float = arg(10.0, "Plain hands (base x hand.ping_hu points) worth a reward of 1.")
    channels: int = arg(32, "Features of a tile kind in the network.")
    hidden: int = arg(128, "Features of the whole table in the network.")
    against: str = arg("greedy", "Opponent of the match at the end: a spec as the arena takes it.")
    blocks: int = arg(100, "Walls of that match, each played from four seats; 0 for no match.")
    threads: int = arg(1, "Threads of torch.")

    @staticmethod
    def parse(given: Sequence[str] | None = None) -> Args:
        """Read arguments such as `--updates 10`; exits with a message if they are wrong."""
        parser = argparse.ArgumentParser(
            prog="python -m training.ppo_example",
            description="Masked PPO from all four seats, in one readable file.",
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        for one in fields(Args):
            flag = "--" + one.name.replace("_", "-")
            kind = type(one.default)
            parser.add_argument(flag, type=kind, default=one.default, help=one.metadata["help"])
        return Args(**vars(parser.parse_args(given)))


@dataclass(frozen=True)
class Decisions:
    """M decisions in the order of play, those of all tables and seats together."""

    planes: Tensor  # (M, P, 27) int8
    rows: Tensor  # (M, G) float32
    legal: Tensor  # (M, 58) bool
    action: Tensor  # (M, 1) int64
    log_prob: Tensor  # (M, 1) float32, of the action when it was played
    value: Tensor  # (M,) float32, what the network expected then
    table: Tensor  # (M,) int64
    seat: Tensor  # (M,) int64

    def __len__(self) -> int:
        return len(self.action)


def judge(network: Network, planes: Tensor, rows: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log-probabilities (M, 58) of actions, none left for illegal ones, and values."""
    features = network.encoder(planes, rows)
    logits = network.heads.logits(features).masked_fill(~legal, REFUSED)
    return logits.log_softmax(1), network.heads.value(features).squeeze(1)


@torch.no_grad()
def play_deals(games: zj.Games, network: Network) -> Decisions:
    """Play the deal that stands at every table to its end; moves without a choice are not kept."""
    asked: list[dict[str, Tensor]] = []
    while not games.done.all():
        legal = games.legal
        # A move without a choice, and whatever a finished table is given, needs no network.
        actions = legal.argmax(axis=1)
        choosing = np.flatnonzero(legal.sum(axis=1) > 1)
        if len(choosing):
            planes, rows = map(torch.from_numpy, observation.of_views(games.view()[choosing]))
            mask = torch.from_numpy(legal[choosing])
            log_probs, value = judge(network, planes, rows, mask)
            action = log_probs.exp().multinomial(1)
            actions[choosing] = action.squeeze(1).numpy()
            asked.append(
                {
                    "planes": planes,
                    "rows": rows,
                    "legal": mask,
                    "action": action,
                    "log_prob": log_probs.gather(1, action),
                    "value": value,
                    "table": torch.from_numpy(choosing),
                    "seat": torch.from_numpy(games.seat[choosing].astype(np.int64)),
                }
            )
        games.step(actions)
    return Decisions(**{name: torch.cat([step[name] for step in asked]) for name in asked[0]})


def advantages(decisions: Decisions, rewards: NDArray[np.float32], trace: float) -> Tensor:
    """Return generalised advantages (M,), undiscounted, from the rewards (N, 4) of the deals.

    A seat's decisions form a chain of their own, whatever the others do in between. Going back
    through it, `after` is what the seat looks forward to: the payment behind the last decision,
    before that the value of the decision that follows.
    """
    after = rewards.copy()
    running = np.zeros_like(after)
    values = decisions.value.numpy()
    places = zip(decisions.table.tolist(), decisions.seat.tolist(), strict=True)
    out = np.empty_like(values)
    for m, place in reversed(list(enumerate(places))):
        running[place] = after[place] - values[m] + trace * running[place]
        after[place] = values[m]
        out[m] = running[place]
    return torch.from_numpy(out)


def improve(
    network: Network,
    optimizer: torch.optim.Optimizer,
    played: Decisions,
    advantage: Tensor,
    args: Args,
) -> dict[str, float]:
    """Take PPO's gradient steps on one update's decisions and return what they looked like."""
    targets = advantage + played.value
    scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    sums: dict[str, list[float]] = {"entropy": [], "value_loss": [], "clipped": [], "kl": []}
    for _ in range(args.epochs):
        order = torch.randperm(len(played))
        for start in range(0, len(played), args.batch_size):
            batch = order[start : start + args.batch_size]
            log_probs, value = judge(
                network, played.planes[batch], played.rows[batch], played.legal[batch]
            )
            now = log_probs.gather(1, played.action[batch])
            moved = (now - played.log_prob[batch]).squeeze(1)
            ratio = moved.exp()
            kept = ratio.clamp(1 - args.clip, 1 + args.clip)
            gain = torch.min(ratio * scaled[batch], kept * scaled[batch]).mean()
            entropy = -(log_probs.exp() * log_probs).sum(1).mean()
            value_loss = (value - targets[batch]).square().mean()
            loss = args.value_weight * value_loss - gain - args.entropy * entropy
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), args.grad_norm)
            optimizer.step()
            sums["entropy"].append(entropy.item())
            sums["value_loss"].append(value_loss.item())
            sums["clipped"].append((ratio != kept).float().mean().item())
            sums["kl"].append((ratio.detach() - 1 - moved.detach()).mean().item())
    return {name: float(np.mean(values)) for name, values in sums.items()}


def train(args: Args) -> tuple[Network, int]:
    """Train a network from nothing and return it with the number of decisions it learnt from."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    rules = zj.Rules.load(args.rules)
    scale = 1 / (args.reward_unit * rules.codes["base"] * rules.codes["hand.ping_hu"])
    games = zj.Games(args.tables, rules=rules, seed=args.seed, threads=args.threads)
    network = Network(NetworkConfig(args.channels, hidden=args.hidden))
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
    total = 0
    for update in range(args.updates):
        began = time.perf_counter()
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - update / args.updates)
        # Dealer and streak matter to what is paid, so every deal begins a session of its own.
        games.reset()
        played = play_deals(games, network)
        rewards = (games.scores * scale).astype(np.float32)
        figures = improve(network, optimizer, played, advantages(played, rewards, args.trace), args)
        total += len(played)
        figures["won"] = float((games.state["winners"] > 0).mean())
        figures["points"] = float(np.abs(games.scores).mean())
        speed = len(played) / (time.perf_counter() - began)
        shown = "  ".join(f"{name} {value:.3f}" for name, value in figures.items())
        print(f"update {update + 1}  decisions {total}  {shown}  decisions/s {speed:.0f}")
    return network, total


def main(given: Sequence[str] | None = None) -> Path:
    """Train, save the policy, play the match, and return the policy's path."""
    args = Args.parse(given)
    print("  ".join(f"{name} {value}" for name, value in asdict(args).items()))
    network, decisions = train(args)
    rules = zj.Rules.load(args.rules)
    size = network.encoder.config
    info = PolicyInfo(rules.name, rules.fingerprint, observation.VERSION, size, decisions)
    path = Path(args.out) / "policy.safetensors"
    save_policy(path, network.state_dict(), info)
    print(f"saved {path}")
    if args.blocks:
        agent = PolicyAgent(network, info)
        result = zj.arena.match(agent, args.against, rules=rules, blocks=args.blocks)
        interval = f"[{result.low:+.2f}, {result.high:+.2f}]"
        print(f"{result.mean:+.2f} points a deal against three {args.against}, 95% {interval}")
    return path


if __name__ == "__main__":
    main()
