"""Self-play from the first update to the matches at the end.

    python -m training.selfplay --config configs/selfplay/guiyang.yaml --out runs/guiyang
    python -m training.selfplay --config configs/selfplay/guiyang.yaml --out runs/guiyang --resume

The run's folder gets `policy.safetensors` (its path is an agent's spec) and
`untrained.safetensors`, `checkpoint.safetensors` with the one before it, `curve.png`, `curve.csv`,
`matches.json`, `report.md`, `config.yaml`, and TensorBoard events in `tb/`. Ctrl-C ends the run
after the update under way and leaves a checkpoint.
"""

from __future__ import annotations

import json
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import yaml
from rich.console import Console

import agents
import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from agents.policy import PolicyInfo, load, save_policy, write_whole
from training.report import table as match_table
from training.selfplay import checkpoint, report, show
from training.selfplay.checkpoint import Checkpoint, CheckpointError
from training.selfplay.collect import Collector, LocalCollector, ShardPlan, Weights
from training.selfplay.config import CURRENT, PAST, Config, ConfigError, parse
from training.selfplay.critic import Critic, begin, begin_critic
from training.selfplay.league import League
from training.selfplay.learn import Learner, NotFinite, Steering
from training.selfplay.rulesets import rulesets, sigma
from training.selfplay.show import Show
from training.selfplay.strength import agent, final_matches, strengths
from zhuoji_env import observation
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules

INTERRUPTED, BAD_INPUT = 130, 2
# First policies play evenly.
FIRST_ACTOR = {"heads.kind": 0.01, "heads.plain": 0.01}
# Settings that a resumed run may have otherwise; all others are the run's own.
FREE = {
    *("out", "decisions", "checkpoint_every", "strength_every", "strength_blocks", "against"),
    *("final_blocks", "final_against", "rollbacks", "lowest_entropy", "highest_kl"),
}
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
        size, first = _first_actor(config)
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
        self.collector = make_collector(self._plans(size), config.threads)
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

    def measure(self) -> list[Any]:
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
        kept = Checkpoint(facts, parts, self.collector.state())
        self.folder.mkdir(parents=True, exist_ok=True)
        checkpoint.write(self.folder, kept)
        self.save_policy(learner.average.state_dict())
        save_policy(self.folder / f"{UNTRAINED}.safetensors", self.untrained, self.info)
        report.write_curve(self.folder / "curve.csv", self.curve)

    def save_policy(self, weights: Weights) -> None:
        """Write some weights as the run's policy."""
        info = PolicyInfo(**{**vars(self.info), "decisions": self.decisions})
        save_policy(self.folder / "policy.safetensors", weights, info)

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
        self.updates, self.decisions = facts["updates"], facts["decisions"]
        self.rollbacks, self.seconds = facts["rollbacks"], facts["seconds"]
        self.curve, self.strengths = facts["curve"], facts["strengths"]


def _first_actor(config: Config) -> tuple[NetworkConfig, Weights | None]:
    """Return the actor's size, and the weights it begins with if a file has them."""
    if not config.begin_from:
        size = NetworkConfig(config.channels, config.convolutions, config.hidden, value=0)
        return size, None
    policy = load(config.begin_from)
    size, weights = policy.info.network, policy.network.state_dict()
    kept = {name: w for name, w in weights.items() if not name.startswith("heads.critic.")}
    return NetworkConfig(**{**vars(size), "value": 0}), kept


def _copied(weights: Weights) -> dict[str, Any]:
    return {name: tensor.detach().clone() for name, tensor in weights.items()}


def kept_for(config: Config) -> tuple[Checkpoint, str]:
    """Return the checkpoint that a run goes on from, and a word if it is not the newest.

    CheckpointError if it was made with other settings than those that may change.
    """
    folder = Path(config.out)
    kept, fault = checkpoint.read(folder)
    old, new = kept.facts["config"], config.model_dump()
    for name in new:
        if name not in FREE and old.get(name) != new[name]:
            raise CheckpointError(
                f"{folder}: made with {name} {old.get(name)!r}, {new[name]!r} given; "
                "allowed: the same"
            )
    found = ",".join(r.fingerprint for r in rulesets(config).rules)
    if found != kept.facts["fingerprint"]:
        raise CheckpointError(
            f"{folder}: made with rules {kept.facts['fingerprint']}, which now are {found}; "
            "allowed: the same switches"
        )
    return kept, fault


@contextmanager
def ctrl_c() -> Iterator[Callable[[], bool]]:
    """Give a look at whether Ctrl-C was pressed; pressed again, it interrupts at once."""
    pressed = False

    def note(*_: object) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def learn(run: Run, seen: Show) -> bool:
    """Train to the end, saving now and then; return False if the keyboard interrupted it."""
    config = run.config
    with ctrl_c() as interrupted:
        while run.decisions < config.decisions and not interrupted():
            try:
                row = run.one_update()
                fault = run.out_of_band(row["figures"]) if row["figures"] else None
            except NotFinite as error:
                fault = str(error)
            if fault:
                seen.say(run.roll_back(fault))
                continue
            if row["figures"]:
                seen.update(row)
            if run.updates % config.strength_every == 0:
                seen.strength(run.measure(), run.decisions)
            if run.updates % config.checkpoint_every == 0:
                run.save()
        run.save()
        return run.decisions >= config.decisions


def finish(run: Run, console: Console) -> None:
    """Choose the stronger policy, play the matches, and write what the reader gets."""
    config, folder, learner = run.config, run.folder, run.learner
    candidates = {"moving average": learner.average, "last weights": learner.actor}
    found = {
        name: strengths(
            agent(run.info, network.state_dict(), name),
            config.against[:1],
            run.measured(),
            2 * config.strength_blocks,
            config.threads,
        )
        for name, network in candidates.items()
    }
    means = {name: sum(s.mean for s in those) / len(those) for name, those in found.items()}
    best = max(means, key=means.__getitem__)
    run.save_policy(candidates[best].state_dict())
    policy = agents.make(str(folder / "policy.safetensors"))
    others = [
        agents.make(str(folder / "untrained.safetensors"))
        if name == UNTRAINED
        else zj.specs.make(name)
        for name in config.final_against
    ]
    matches = []
    for rules, unit in run.measured() if others else []:
        results = final_matches(policy, others, rules, config.final_blocks, config.threads)
        matches += [(result, unit) for result in results]
        console.print(match_table(results))
    told = json.dumps([result.to_dict() for result, _ in matches], indent=2)
    write_whole(folder / "matches.json", told.encode())
    title = f"{run.info.rules}, seed {config.seed}: self-play"
    report.draw_curve(folder / "curve.png", run.curve, run.strengths, title)
    facts = {
        "decisions": f"{run.decisions:,} in {run.updates:,} updates",
        "time": f"{run.seconds:,.0f} s of collecting and learning",
        "speed": f"{run.decisions / max(run.seconds, 1e-9):,.0f} decisions/s",
        "roll-backs": run.rollbacks,
        "policy": f"{best}; " + ", ".join(f"{k} {v:+.3f} sigma" for k, v in means.items()),
    }
    units = {rules.name: unit for rules, unit in run.measured()}
    report.write_report(folder / "report.md", config, facts, units, matches)
    console.print(f"{facts['decisions']}; {facts['time']}; {facts['speed']}", highlight=False)


def train(
    config: Config,
    resume: bool,
    console: Console,
    make_collector: MakeCollector = LocalCollector,
) -> int:
    """Train, choose, play the matches and report; return the exit code."""
    for name in (*config.against, *config.agents(), *config.final_against):
        if name != UNTRAINED:
            zj.specs.make(name)
    folder = Path(config.out)
    kept, fault = kept_for(config) if resume else (None, "")
    if not resume and (folder / checkpoint.NEWEST).exists():
        raise ConfigError(f"{folder} has a run already; allowed: --resume, or another `out`")
    # Threads of our own share the work, see `learn` and `collect`.
    torch.set_num_threads(1)
    run = Run(config, make_collector, kept)
    if fault:
        console.print(f"{fault}; going on from the checkpoint before it", soft_wrap=True)
    folder.mkdir(parents=True, exist_ok=True)
    settings = yaml.safe_dump(config.model_dump(), sort_keys=False, allow_unicode=True)
    write_whole(folder / "config.yaml", settings.encode())
    if kept is None:
        # There is always a checkpoint to roll back to.
        run.save()
    console.print(
        f"training on {run.info.rules}, seed {config.seed}, into {folder}", soft_wrap=True
    )
    with Show(console, folder / "tb", config.decisions, run.decisions) as seen:
        finished = learn(run, seen)
    if not finished:
        text = f"interrupted; the same settings with --resume go on from {folder}"
        console.print(text, soft_wrap=True)
        return INTERRUPTED
    finish(run, console)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run from a command line; return the exit code."""
    try:
        return train(*parse(argv), Console())
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ZhuojiError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
