"""Self-play from the first update to the matches at the end.

    python -m training.selfplay --config configs/selfplay/guiyang.yaml --out runs/guiyang
    python -m training.selfplay --config configs/selfplay/guiyang.yaml --out runs/guiyang --resume

The run's folder gets `policy.safetensors` (its path is an agent's spec) and
`untrained.safetensors`, `checkpoint.safetensors` with the one before it, `curve.png`, `curve.csv`,
`matches.json`, `report.md`, `config.yaml`, and TensorBoard events in `tb/`. Ctrl-C ends the run
after the update under way and leaves a checkpoint.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import torch
import yaml
from rich.console import Console

import agents
import zhuoji_env as zj
from training.report import table as match_table
from training.report import write_matches
from training.selfplay import checkpoint, report
from training.selfplay.checkpoint import Checkpoint, CheckpointError
from training.selfplay.collect import LocalCollector
from training.selfplay.config import Config, ConfigError, build, parse
from training.selfplay.learn import NotFinite
from training.selfplay.ray_collector import RayCollector
from training.selfplay.rulesets import rulesets
from training.selfplay.session import UNTRAINED, MakeCollector, Run, layout
from training.selfplay.show import Show
from training.selfplay.strength import agent, final_matches, strengths
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.writing import write_whole

INTERRUPTED, BAD_INPUT = 130, 2
EVENTS = "tb"
# Settings that a resumed run may have otherwise; all others are the run's own.
FREE = {
    *(
        "out",
        "replace",
        "decisions",
        "checkpoint_every",
        "strength_every",
        "strength_blocks",
        "against",
    ),
    *("final_blocks", "final_against", "rollbacks", "lowest_entropy", "highest_kl"),
    # Whoever plays the shards, the batches are the same.
    *("collector", "workers", "ray_address"),
    "device",
}


def kept_for(config: Config) -> tuple[Checkpoint, str]:
    """Return the checkpoint that a run goes on from, and a word if it is not the newest.

    CheckpointError if it was made with other settings than those that may change.
    """
    folder = Path(config.out)
    kept, fault = checkpoint.read(folder)
    if "config" not in kept.facts:
        raise CheckpointError(f"{folder}: has another trainer's run; allowed: one of self-play")
    # A setting that is younger than the run has had its default all along.
    old, new = {**build({}, "defaults").model_dump(), **kept.facts["config"]}, config.model_dump()
    for name in new:
        if name not in FREE and old[name] != new[name]:
            raise CheckpointError(
                f"{folder}: made with {name} {old[name]!r}, {new[name]!r} given; allowed: the same"
            )
    found = ",".join(r.fingerprint for r in rulesets(config).rules)
    if found != kept.facts["fingerprint"]:
        raise CheckpointError(
            f"{folder}: made with rules {kept.facts['fingerprint']}, which now are {found}; "
            "allowed: the same switches"
        )
    # A checkpoint that does not say was made before these were noted.
    made, now = kept.facts.get("layout", layout()), layout()
    if made != now:
        raise CheckpointError(
            f"{folder}: its tables and observations are {made}, this library's {now}; "
            "allowed: the same"
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
    write_matches(folder / "matches.json", [result for result, _ in matches])
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


def clear(folder: Path) -> None:
    """Make way for a new run."""
    kept = (folder / name for name in (*checkpoint.NAMES, f"{UNTRAINED}.safetensors"))
    for path in (*kept, *(folder / EVENTS).glob("events.out.tfevents.*")):
        path.unlink(missing_ok=True)


def collector_of(config: Config) -> MakeCollector:
    """Return what makes the collector that the settings name."""
    if config.collector == "local":
        return LocalCollector
    return lambda plans, _: RayCollector(plans, config.workers, config.ray_address)


def train(config: Config, resume: bool, console: Console) -> int:
    """Train, choose, play the matches and report; return the exit code."""
    last = (name for name in config.final_against if name != UNTRAINED)
    for name in (*config.against, *config.agents(), *last):
        zj.specs.make(name)
    folder = Path(config.out)
    kept, fault = kept_for(config) if resume else (None, "")
    if not (resume or config.replace) and checkpoint.begun(folder):
        raise ConfigError(
            f"{folder} has a run already; allowed: --resume, another `out`, or `replace`"
        )
    # Threads of our own share the work, see `learn` and `collect`.
    torch.set_num_threads(1)
    run = Run(config, collector_of(config), kept)
    if kept is None:
        # Not before all that is asked for is known to be there.
        clear(folder)
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
    shown = Show(console, folder / EVENTS, config.decisions, run.decisions)
    with closing(run.collector), shown as seen:
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
