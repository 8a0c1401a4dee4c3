"""Fit the expert's parameters by CMA-ES: matches on common walls, and walls of their own to judge.

    python -m training.tune_expert --out runs/tune --generations 60

Every generation draws new walls from the tuning family and plays each candidate on the same ones
against each opponent under each ruleset; its fitness is the mean margin in units of the per-deal
standard deviation of greedy self-play. Now and then the distribution's mean is kept as a candidate
for the end, when all that were kept meet on the selection walls. The best of them plays the blind
walls, once, and is written with what it came to. `log.jsonl` has every generation: --resume goes on
from it as if there had been no break. (CMA-ES: Hansen 2016, arXiv:1604.00772; the `cmaes` library.)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from cmaes import CMA
from numpy.typing import NDArray
from rich.console import Console

import zhuoji_env as zj
from agents.expert import Expert, Parameters, parameters
from training.arguments import arg, parser
from zhuoji_env import specs
from zhuoji_env.arena.contest import deviation
from zhuoji_env.arena.match import MatchResult
from zhuoji_env.baselines import Agent
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.writing import write_whole

# Walls of the arena's family, one seed a generation; selection and blind walls lie far off.
TUNE, SELECT, BLIND = 1_000_000, 2_000_000, 3_000_000
INTERRUPTED, BAD_INPUT = 130, 2
# Deals of greedy self-play from which sigma is taken.
SIGMA_DEALS = 4096
# CMA-ES takes its steps from the better half of a generation.
LEAST_POPULATION = 4


@dataclass(frozen=True)
class Args:
    """Everything that decides a run."""

    config: str = arg("configs/agents/expert.yaml", "Parameters to start from.")
    out: str = arg("runs/tune", "Folder of log.jsonl and tuned.yaml.")
    fit: str = arg("", "Names of the parameters to fit, by commas; all if empty.")
    rules: str = arg("guiyang,zhuoji,duole", "Rulesets that are played.")
    against: str = arg("greedy,expert", "Opponents, specs by commas.")
    generations: int = arg(60, "Generations.")
    population: int = arg(16, "Candidates of a generation.")
    blocks: int = arg(150, "Blocks of each match while tuning; each is four deals.")
    spread: float = arg(0.08, "First standard deviation, in shares of a parameter's range.")
    keep_every: int = arg(10, "Generations between candidates for the end.")
    select_blocks: int = arg(1500, "Blocks of each match that chooses among those.")
    blind_blocks: int = arg(3000, "Blocks of each match at the end.")
    seed: int = arg(1, "Seed of the search's own draws, and added to those of the walls.")
    threads: int = arg(2, "Threads of a match.")

    @staticmethod
    def parse(given: Sequence[str] | None = None) -> tuple[Args, bool]:
        """Read arguments and whether to resume; exits with a message if they are wrong."""
        made = parser(
            Args, "training.tune_expert", "Fit the expert's parameters by CMA-ES on common walls."
        )
        made.add_argument("--resume", action="store_true", help="Go on from the folder's log.")
        read = vars(made.parse_args(given))
        resume = read.pop("resume")
        return Args(**read), resume


@dataclass(frozen=True)
class Task:
    """What a candidate is asked to do."""

    args: Args
    start: Parameters
    names: list[str]
    rules: list[zj.Rules]
    against: list[Agent]
    # Points: the per-deal standard deviation of greedy self-play under each ruleset.
    units: list[float]

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Lowest and highest value of each parameter that is fitted, (names, 2)."""
        ranges = {one.name: one.metadata for one in fields(Parameters)}
        return np.array([[ranges[name]["low"], ranges[name]["high"]] for name in self.names])

    def scaled(self) -> NDArray[np.float64]:
        """Return where the search starts, 0..1 for each parameter's range."""
        low, high = self.bounds.T
        now = np.array([getattr(self.start, name) for name in self.names])
        where: NDArray[np.float64] = (now - low) / (high - low)
        return where

    def parameters(self, point: NDArray[np.float64]) -> Parameters:
        """Return the parameters of a point of the search."""
        low, high = self.bounds.T
        values = low + np.clip(point, 0, 1) * (high - low)
        rounded = {
            name: round(float(value), 4) for name, value in zip(self.names, values, strict=True)
        }
        return replace(self.start, **rounded)

    def matches(self, chosen: Parameters, blocks: int, seed: int) -> list[MatchResult]:
        """Play an expert against every opponent under every ruleset."""
        return [
            zj.arena.match(
                Expert(chosen),
                other,
                rules=rules,
                blocks=blocks,
                seed=seed,
                threads=self.args.threads,
            )
            for rules in self.rules
            for other in self.against
        ]

    def margin(self, chosen: Parameters, blocks: int, seed: int) -> float:
        """Return the mean margin of an expert over its matches, in units of sigma a deal."""
        units = np.repeat(self.units, len(self.against))
        means = [result.mean for result in self.matches(chosen, blocks, seed)]
        return float(np.mean(np.array(means) / units))


def set_up(args: Args) -> Task:
    """Return the task; whatever is wrong with the arguments is said now."""
    if args.population < LEAST_POPULATION:
        raise ZhuojiError(f"--population {args.population}; allowed: {LEAST_POPULATION} or more")
    start = parameters.load(Path(args.config))
    known = [one.name for one in fields(Parameters)]
    names = [name for name in args.fit.split(",") if name] or known
    for name in names:
        if name not in known:
            raise ZhuojiError(f"--fit {name!r}; allowed: {', '.join(known)}")
    rules = [zj.Rules.load(name) for name in args.rules.split(",")]
    against = [specs.make(name) for name in args.against.split(",")]
    units = [deviation(one, SIGMA_DEALS, TUNE + args.seed) for one in rules]
    return Task(args, start, names, rules, against, units)


def read_log(path: Path, args: Args) -> list[dict[str, Any]]:
    """Return the rows of a run's log; a row cut off by a crash is left out."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    if rows and rows[0]["args"] != _lasting(args):
        raise ZhuojiError(f"{path}: made with {rows[0]['args']}; allowed: the same arguments")
    return rows


def _lasting(args: Args) -> dict[str, Any]:
    """Return the arguments that a resumed run must share."""
    free = ("out", "generations", "threads", "select_blocks", "blind_blocks")
    return {name: value for name, value in asdict(args).items() if name not in free}


def search(task: Task, rows: list[dict[str, Any]], path: Path, console: Console) -> list[Any]:
    """Run the generations and return the points that were kept."""
    args = task.args
    n = len(task.names)
    optimizer = CMA(
        mean=task.scaled().clip(0.001, 0.999),
        sigma=args.spread,
        bounds=np.tile([0.0, 1.0], (n, 1)),
        population_size=args.population,
        seed=args.seed,
    )
    kept = [task.scaled()]
    for generation in range(args.generations):
        points = [optimizer.ask() for _ in range(args.population)]
        if generation < len(rows):
            margins = rows[generation]["margins"]
        else:
            seed = TUNE + 1000 * args.seed + generation
            margins = [task.margin(task.parameters(point), args.blocks, seed) for point in points]
            row = {"args": _lasting(args), "generation": generation, "margins": margins}
            rows.append(row)
            write_whole(path, "".join(json.dumps(one) + "\n" for one in rows).encode())
            console.print(
                f"generation {generation + 1}/{args.generations}  margin mean "
                f"{np.mean(margins):+.4f}  best {max(margins):+.4f}",
                highlight=False,
            )
        optimizer.tell([(point, -m) for point, m in zip(points, margins, strict=True)])
        if (generation + 1) % args.keep_every == 0 or generation + 1 == args.generations:
            kept.append(optimizer.mean.copy())
    return kept


def finish(task: Task, kept: list[Any], console: Console) -> Path:
    """Choose among what was kept, play the blind walls, write the config and return its path."""
    args = task.args
    seed = SELECT + args.seed
    margins = []
    for i, point in enumerate(kept):
        margins.append(task.margin(task.parameters(point), args.select_blocks, seed))
        console.print(f"kept {i}: margin {margins[i]:+.4f} on the selection walls", highlight=False)
    chosen = task.parameters(kept[int(np.argmax(margins))])
    units = np.repeat(task.units, len(task.against))
    lines = [
        "# Fitted by " + command(args),
        "# Margins on blind walls, in points a deal and in sigma of greedy self-play:",
    ]
    results = task.matches(chosen, args.blind_blocks, BLIND + args.seed)
    for result, unit in zip(results, units, strict=True):
        told = (
            f"{result.rules.name} against {result.b}: {result.mean:+.3f} "
            f"({result.low:+.3f} .. {result.high:+.3f}), {result.mean / unit:+.4f} sigma"
        )
        console.print(told, highlight=False)
        lines.append(f"#   {told}")
    values = asdict(chosen)
    text = "\n".join(lines) + "\n" + yaml.safe_dump(values, sort_keys=False)
    path = Path(args.out) / "tuned.yaml"
    write_whole(path, text.encode())
    return path


def command(args: Args) -> str:
    """Return the command line of a run."""
    told = [
        f"--{one.name.replace('_', '-')} {getattr(args, one.name)}"
        for one in fields(Args)
        if getattr(args, one.name) != one.default
    ]
    return " ".join(["python -m training.tune_expert", *told])


def main(given: Sequence[str] | None = None) -> int:
    """Run from a command line; return the exit code."""
    args, resume = Args.parse(given)
    console = Console(soft_wrap=True)
    try:
        task = set_up(args)
        path = Path(args.out) / "log.jsonl"
        if path.exists() and not resume:
            raise ZhuojiError(f"{path}: is there already; allowed: --resume, or another --out")
        rows = read_log(path, args)
        kept = search(task, rows, path, console)
        console.print(f"wrote {finish(task, kept, console)}")
    except KeyboardInterrupt:
        console.print("interrupted; the same command with --resume goes on")
        return INTERRUPTED
    except ZhuojiError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main())
