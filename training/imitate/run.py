"""Imitation from the first round to the matches at the end.

    python -m training.imitate --teacher expert --deals 50000 --out runs/imitate
    python -m training.imitate --teacher expert --deals 50000 --out runs/imitate --resume

The run's folder gets `policy.safetensors` (an agent's spec, and what `begin_from` of
`training.selfplay` takes), `checkpoint.safetensors` with the one before it, `curve.csv`,
`curve.json`, `matches.json` and `report.md`. Ctrl-C ends the run after the round under way and
leaves a checkpoint.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

import agents
import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from agents.policy import PolicyInfo, save_policy
from training.imitate import report
from training.imitate.args import FREE, Args, ArgsError, command, parse
from training.imitate.learn import Judged, Student
from training.imitate.report import Show
from training.imitate.stream import Decisions, Plan, Stream, Teacher
from training.report import table, write_matches
from training.selfplay import checkpoint
from training.selfplay.checkpoint import Checkpoint, CheckpointError
from training.selfplay.collect import one_thread
from training.selfplay.critic import begin
from training.selfplay.run import BAD_INPUT, INTERRUPTED, ctrl_c
from training.selfplay.session import FIRST_ACTOR
from zhuoji_env import observation
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules
from zhuoji_env.writing import write_whole

# Tables of the held-out decisions are numbered from here on, those of the streams from 0.
HELD_OUT = 1 << 24
# Decisions per held-out table: past the end of its first deal, so that all moments are there.
HELD_OUT_STEPS = 64
# Walls of the matches at the end.
MATCH_SEED = 303


class Run:
    """A run in progress; `one_round` takes it on."""

    def __init__(self, args: Args, kept: Checkpoint | None = None) -> None:
        self.args, self.folder = args, Path(args.out)
        self.rules = tuple(Rules.load(name) for name in args.named("rules"))
        self.teacher = teacher(args.teacher)
        self.size = NetworkConfig(args.channels, args.convolutions, args.hidden, value=0)
        network = Network(self.size)
        begin(network, args.seed, FIRST_ACTOR)
        self.student = Student(args, network)
        self.streams = [Stream(self._plan(k), self.teacher) for k in range(args.streams)]
        self._pool = ThreadPoolExecutor(args.threads, initializer=one_thread)
        plan = Plan(self.rules, _spread(self.rules, args.held_out), args.seed, HELD_OUT)
        self.held_out = Stream(plan, self.teacher).collect(HELD_OUT_STEPS)[0]
        self.rounds = self.decisions = self.deals = 0
        self.seconds = 0.0
        self.curve: list[dict[str, Any]] = []
        if kept:
            self.restore(kept)

    def _plan(self, number: int) -> Plan:
        args, strays = self.args, self.args.named("strays")
        shares = [1 - args.student - args.stray, args.student]
        return Plan(
            rules=self.rules,
            rules_index=_spread(self.rules, args.tables),
            seed=args.seed,
            first=number * args.tables,
            shares=(*shares, *(args.stray / len(strays) for _ in strays)),
            strays=tuple(strays),
            bfloat16=args.bfloat16,
        )

    def one_round(self) -> dict[str, Any]:
        """Collect a round of decisions and learn from them; return the round's row of the curve."""
        args, began = self.args, time.perf_counter()
        network = self.student.network
        played = list(self._pool.map(lambda s: s.collect(args.steps, network), self.streams))
        decisions = Decisions.joined([rows for rows, _ in played])
        collected = time.perf_counter() - began
        if args.keep:
            write_decisions(Path(args.keep) / f"round-{self.rounds:06d}.npz", decisions)
        loss = self.student.learn(decisions, self.rounds, self.deals / args.deals)
        spent = time.perf_counter() - began
        self.rounds += 1
        self.deals += sum(deals for _, deals in played)
        self.decisions += len(decisions)
        self.seconds += spent
        row: dict[str, Any] = {
            "round": self.rounds,
            "deals": self.deals,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "speed": len(decisions) / spent,
            "collecting": collected / spent,
            "loss": loss,
        }
        if self.rounds % args.judge_every == 0 or self.done:
            row |= asdict(self.judge())
        self.curve.append(row)
        return row

    @property
    def done(self) -> bool:
        """Whether all deals are played."""
        return self.deals >= self.args.deals

    def judge(self) -> Judged:
        """Compare the student with its teacher on the held-out decisions."""
        return self.student.judge(self.held_out)

    def save(self) -> None:
        """Write the checkpoint, the policy as it stands, and the curve."""
        facts = {
            "imitate": self.args.model_dump(),
            "fingerprint": self._fingerprint(),
            "rounds": self.rounds,
            "deals": self.deals,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "curve": self.curve,
        }
        weights = self.student.network.state_dict()
        parts = {
            "network": weights,
            "optimizer": checkpoint.optimizer_tensors(self.student.optimizer),
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        streams = [stream.state() for stream in self.streams]
        checkpoint.write(self.folder, Checkpoint(facts, parts, streams))
        info = PolicyInfo(
            rules=",".join(r.name for r in self.rules),
            fingerprint=self._fingerprint(),
            observation=observation.VERSION,
            network=self.size,
            decisions=self.decisions,
        )
        save_policy(self.folder / "policy.safetensors", weights, info)
        report.write_curve(self.folder, self.curve)

    def _fingerprint(self) -> str:
        return ",".join(r.fingerprint for r in self.rules)

    def restore(self, kept: Checkpoint) -> None:
        """Take up a checkpoint; CheckpointError if another run made it."""
        facts = kept.facts
        old, new = facts.get("imitate", {}), self.args.model_dump()
        for name in new:
            if name not in FREE and old.get(name) != new[name]:
                raise CheckpointError(
                    f"{self.folder}: made with {name} {old.get(name)!r}, {new[name]!r} given; "
                    "allowed: the same"
                )
        if facts["fingerprint"] != self._fingerprint():
            raise CheckpointError(
                f"{self.folder}: made with rules {facts['fingerprint']}, which now are "
                f"{self._fingerprint()}; allowed: the same switches"
            )
        self.student.network.load_state_dict(kept.parts["network"])
        checkpoint.restore_optimizer(self.student.optimizer, kept.parts.get("optimizer", {}))
        for stream, state in zip(self.streams, kept.shards, strict=True):
            stream.load_state(state)
        self.rounds, self.deals = facts["rounds"], facts["deals"]
        self.decisions, self.seconds = facts["decisions"], facts["seconds"]
        self.curve = facts["curve"]


def teacher(name: str) -> Teacher:
    """Return the agent of a spec; ArgsError if it prices no actions."""
    found = zj.specs.make(name)
    if not isinstance(found, Teacher):
        raise ArgsError(
            f"--teacher {name!r} gives no scores of actions; allowed: {', '.join(agents.NAMES)}, "
            "or an agent with `scores`"
        )
    return found


def _spread(rules: Sequence[Rules], tables: int) -> tuple[int, ...]:
    return tuple(i % len(rules) for i in range(tables))


def write_decisions(path: Path, decisions: Decisions) -> None:
    """Write a round's VIEW records, the teacher's actions and scores (in ping_hu) as npz."""
    data = io.BytesIO()
    kept = {name: getattr(decisions, name) for name in ("views", "action", "scores")}
    np.savez_compressed(data, **kept)
    write_whole(path, data.getvalue())


def learn(run: Run, seen: Show) -> bool:
    """Go on to the end, saving now and then; return False if the keyboard interrupted it."""
    with ctrl_c() as interrupted:
        while not run.done and not interrupted():
            seen.update(run.one_round())
            if run.rounds % run.args.checkpoint_every == 0:
                run.save()
        run.save()
    return run.done


def finish(run: Run, console: Console) -> None:
    """Play the matches and write what the reader gets."""
    args = run.args
    policy = agents.make(str(run.folder / "policy.safetensors"))
    others = [zj.specs.make(name) for name in args.named("against")]
    matches = []
    for rules in args.named("match_rules") if others else []:
        results = [
            zj.arena.match(policy, b, rules, args.blocks, MATCH_SEED, threads=args.threads)
            for b in others
        ]
        console.print(table(results))
        matches += results
    write_matches(run.folder / "matches.json", matches)
    judged = run.judge()
    facts = {
        "decisions": f"{run.decisions:,} of {run.deals:,} deals in {run.rounds:,} rounds",
        "time": f"{run.seconds:,.0f} s of collecting and learning",
        "speed": f"{run.decisions / max(run.seconds, 1e-9):,.0f} decisions/s",
        "agreement": f"{judged.agreement:.2%} of {len(run.held_out):,} held-out decisions",
        "regret": f"{judged.regret:.4f} ping_hu a decision, by the teacher's own scores",
    }
    report.write_report(run.folder / "report.md", args, facts, judged, matches)
    for name, told in facts.items():
        console.print(f"{name}: {told}", highlight=False)


def imitate(args: Args, resume: bool, console: Console) -> int:
    """Fit, play the matches and report; return the exit code."""
    for name in (*args.named("strays"), *args.named("against")):
        zj.specs.make(name)
    for name in args.named("match_rules"):
        Rules.load(name)
    rules = len(args.named("rules"))
    if not rules:
        raise ArgsError("--rules names none; allowed: presets or YAML files by commas")
    if min(args.tables, args.held_out) < rules:
        raise ArgsError(
            f"--tables {args.tables} and --held-out {args.held_out} for {rules} rulesets; "
            "allowed: a table of each or more"
        )
    folder = Path(args.out)
    kept, fault = checkpoint.read(folder) if resume else (None, "")
    if not resume and checkpoint.begun(folder):
        raise ArgsError(f"{folder} has a run already; allowed: --resume, or another --out")
    torch.set_num_threads(1)
    run = Run(args, kept)
    if fault:
        console.print(f"{fault}; going on from the checkpoint before it", soft_wrap=True)
    console.print(command(args), soft_wrap=True, highlight=False)
    with Show(console, args.deals, run.deals) as seen:
        finished = learn(run, seen)
    if not finished:
        console.print("interrupted; the same command with --resume goes on", soft_wrap=True)
        return INTERRUPTED
    finish(run, console)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run from a command line; return the exit code."""
    try:
        return imitate(*parse(argv), Console())
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ZhuojiError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
