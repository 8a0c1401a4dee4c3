"""Self-play with MaskablePPO, from the first update to the match at the end.

    python -m training.sb3 --config configs/sb3/quick.yaml --seed 1 --out runs/sb3-quick

The learner sits in one seat of every table; the other three are frozen copies of itself or
baselines. Rewards are the settlement's points and nothing else. The run's folder gets
`policy.safetensors` and `untrained.safetensors` (their paths are agents' specs),
`checkpoint.safetensors` (for --resume; Ctrl-C leaves one too), `curve.png`, `curve.csv`,
`matches.json`, `args.yaml`, and TensorBoard events in `tb/`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure

import agents
from agents.network import NetworkConfig
from agents.policy import PolicyInfo, save_policy
from training import checkpoint, report
from training.checkpoint import Checkpoint, CheckpointError
from training.config import Args, parse
from training.maskable import PackedRolloutBuffer, Policy, set_up_torch
from training.pool import Pool
from training.progress import Beside
from zhuoji_env import observation
from zhuoji_env.arena.match import MatchResult, match
from zhuoji_env.envs.sb3 import SeatVecEnv
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules
from zhuoji_env.writing import write_whole

INTERRUPTED = 130
BAD_INPUT = 2


@dataclass
class Run:
    """The parts of a run in progress."""

    args: Args
    rules: Rules
    model: MaskablePPO
    pool: Pool
    untrained: dict[str, Any]
    curve: list[dict[str, Any]]
    resumed: int
    beside: Beside

    @property
    def folder(self) -> Path:
        """Where the run writes."""
        return Path(self.args.out)

    @property
    def policy(self) -> Policy:
        """The learner's policy."""
        policy = self.model.policy
        assert isinstance(policy, Policy)
        return policy


def reward_scale(rules: Rules, unit: float) -> float:
    """Return what points are multiplied by: `unit` plain hands of this ruleset make 1."""
    return 1.0 / (unit * rules.codes["base"] * rules.codes["hand.ping_hu"])


def network_config(args: Args) -> NetworkConfig:
    """Return the size of a run's network."""
    return NetworkConfig(args.channels, args.convolutions, args.hidden)


def set_up(args: Args, resume: bool, console: Console) -> Run:
    """Build a run, from its checkpoint if it is resumed."""
    rules = Rules.load(args.rules)
    kept = _kept(args, rules) if resume else None
    resumed = kept.resumed + 1 if kept else 0
    seed = int(np.random.SeedSequence([args.seed, resumed]).generate_state(1)[0])
    set_up_torch(args.threads)
    info = PolicyInfo(rules.name, rules.fingerprint, observation.VERSION, network_config(args))
    pool = Pool(args.opponents, args.pool, info)
    env = SeatVecEnv(
        args.tables,
        rules=rules,
        opponents="random",
        seed=seed,
        reward_scale=reward_scale(rules, args.reward_unit),
    )
    model = _model(args, env, seed)
    policy = model.policy
    assert isinstance(policy, Policy)
    if kept:
        policy.load_network_weights(kept.weights)
        checkpoint.restore_optimizer(policy.optimizer, kept.optimizer)
        model.num_timesteps = kept.decisions
    untrained = kept.untrained if kept else policy.network_weights()
    for weights in kept.copies if kept else [untrained]:
        pool.add(weights)
    env.set_opponents(pool.opponents())
    curve = kept.curve if kept else []
    run: Run
    beside = Beside(args, pool, curve, kept.updates if kept else 0, lambda: save(run), console)
    run = Run(args, rules, model, pool, untrained, curve, resumed, beside)
    return run


def _kept(args: Args, rules: Rules) -> Checkpoint:
    path = Path(args.out) / "checkpoint.safetensors"
    kept = checkpoint.read(path)
    if kept.fingerprint != rules.fingerprint:
        raise CheckpointError(
            f"{path}: made with rules {kept.args.get('rules')!r} as {kept.fingerprint}, "
            f"{args.rules!r} given, which is {rules.fingerprint}; allowed: the same switches"
        )
    for name in ("seed", "channels", "convolutions", "hidden", "reward_unit"):
        if kept.args.get(name) != getattr(args, name):
            raise CheckpointError(
                f"{path}: made with {name} {kept.args.get(name)!r}, "
                f"{getattr(args, name)!r} given; allowed: the same"
            )
    return kept


def _model(args: Args, env: SeatVecEnv, seed: int) -> MaskablePPO:
    span = args.learning_rate - args.final_learning_rate
    return MaskablePPO(
        Policy,
        env,
        learning_rate=lambda remaining: args.final_learning_rate + span * max(remaining, 0.0),
        n_steps=args.steps,
        batch_size=args.batch_size,
        n_epochs=args.epochs,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        clip_range=args.clip,
        ent_coef=args.entropy,
        vf_coef=args.value_weight,
        rollout_buffer_class=PackedRolloutBuffer,
        policy_kwargs={"network": network_config(args)},
        seed=seed,
        device="cpu",
    )


def save(run: Run) -> None:
    """Write the checkpoint, the policy as it stands, and the curve."""
    folder, weights = run.folder, run.policy.network_weights()
    checkpoint.write(
        folder / "checkpoint.safetensors",
        Checkpoint(
            args=run.args.to_dict(),
            fingerprint=run.rules.fingerprint,
            decisions=run.model.num_timesteps,
            updates=run.beside.updates,
            resumed=run.resumed,
            curve=run.curve,
            weights=weights,
            untrained=run.untrained,
            copies=run.pool.copies(),
            optimizer=checkpoint.optimizer_tensors(run.policy.optimizer),
        ),
    )
    described = vars(run.pool.info)
    trained = PolicyInfo(**{**described, "decisions": run.model.num_timesteps})
    save_policy(folder / "policy.safetensors", weights, trained)
    save_policy(folder / "untrained.safetensors", run.untrained, run.pool.info)
    report.write_curve(folder / "curve.csv", run.curve)


def learn(run: Run) -> bool:
    """Train to the end; return False if the keyboard interrupted it. Saves either way."""
    left = run.args.decisions - run.model.num_timesteps
    finished = True
    try:
        if left > 0:
            run.model.learn(left, callback=run.beside, reset_num_timesteps=False)
    except KeyboardInterrupt:
        finished = False
    finally:
        run.beside.stop()
        save(run)
    return finished


def play_matches(run: Run) -> list[MatchResult]:
    """Play the policy against the baselines and its untrained self: paired blocks, new walls."""
    args, folder = run.args, run.folder
    policy = agents.make(str(folder / "policy.safetensors"))
    others = [agents.make(name) for name in against(args)]
    others.append(agents.make(str(folder / "untrained.safetensors")))
    return [match(policy, b, rules=run.rules, blocks=args.blocks, seed=args.seed) for b in others]


def against(args: Args) -> list[str]:
    """Return the names of the opponents at the end."""
    return [name for name in args.against.split(",") if name]


def begin(args: Args, resume: bool, console: Console) -> Run:
    """Set a run up and its folder; whatever is wrong with the arguments is said now."""
    for name in against(args):
        agents.make(name)
    run = set_up(args, resume, console)
    text = yaml.safe_dump(args.to_dict(), sort_keys=False, allow_unicode=True)
    write_whole(run.folder / "args.yaml", text.encode())
    events = run.folder / "tb"
    if not resume:
        for stale in events.glob("events.out.tfevents.*"):
            stale.unlink()
    run.model.set_logger(configure(str(events), ["tensorboard"]))
    return run


def train(args: Args, resume: bool, console: Console) -> int:
    """Train, draw the curve, play the matches and print their table; return the exit code."""
    run = begin(args, resume, console)
    console.print(
        f"training on {run.rules.name}, seed {args.seed}, into {run.folder}", soft_wrap=True
    )
    began = time.perf_counter()
    finished = learn(run)
    spent = time.perf_counter() - began
    if run.curve:
        title = f"{run.rules.name}, seed {args.seed}: MaskablePPO self-play"
        report.draw_curve(run.folder / "curve.png", run.curve, title)
    if not finished:
        console.print(
            f"interrupted; the same arguments with --resume go on from {run.folder}",
            soft_wrap=True,
        )
        return INTERRUPTED
    speeds = ", ".join(f"{name} {speed:,.0f}" for name, speed in run.beside.speeds().items())
    console.print(
        f"{run.model.num_timesteps:,} decisions; {spent:.0f} s; per second: {speeds}",
        highlight=False,
        soft_wrap=True,
    )
    results = play_matches(run)
    report.write_matches(run.folder / "matches.json", results)
    console.print(report.table(results))
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


if __name__ == "__main__":
    sys.exit(main())
