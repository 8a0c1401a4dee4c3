"""What a search changes, and what that is worth in the true worlds: for reading and for running.

    python -m training.search_gain --rules guiyang --base greedy --deals 256

The base plays whole deals from all four seats, and a search looks over its shoulder at every
decision with a choice. Where it would play another action, both are played on from the true hands,
which it has not seen, everybody going on as the rollout policy does; the difference is what the
search has gained, one step deep. To tell it from luck, the tiles that nobody has drawn yet are
shuffled some times over, alike for both actions. Beside it stands what the search expected: what is
missing is the price of choosing the best of noisy figures, and of worlds unlike the true one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from scipy.stats import t as students_t

import zhuoji_env as zj
from agents.search import Search, make
from agents.search.worlds import outcomes
from training.arguments import arg, parser
from zhuoji_env import specs
from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.asking import Player
from zhuoji_env.engine.wall import FREE
from zhuoji_env.errors import ZhuojiError

BAD_INPUT = 2
# What an action is called in the table, by where its ids begin.
SORTS = {0: "discard", PENG: "peng", GANG: "gang", HU: "hu", BAOTING: "baoting", PASS: "pass"}

# Beyond so many standard errors changes are told together.
SURE = 5


@dataclass(frozen=True)
class Args:
    """Everything that decides a measurement; equal arguments give equal figures."""

    rules: str = arg("guiyang", "Ruleset that is played: a preset's name or a YAML file.")
    base: str = arg("greedy", "Policy that plays and is searched over: a spec.")
    rollout: str = arg(
        "greedy", "Policy that plays on, in the worlds and in the true game: a spec."
    )
    worlds: int = arg(240, "Worlds drawn for a decision.")
    candidates: int = arg(6, "Actions compared at a decision.")
    errors: float = arg(2.0, "Standard errors that convince the search.")
    belief: int = arg(1, "1 for worlds that are likely, 0 for worlds as the tiles fall.")
    walls: int = arg(16, "Orders of the undrawn tiles in which a change is played out.")
    deals: int = arg(256, "Deals played.")
    tables: int = arg(64, "Deals played at once.")
    seed: int = arg(1, "Seed of walls and draws, in the family of training.")

    @staticmethod
    def parse(given: Sequence[str] | None = None) -> Args:
        """Read arguments such as `--deals 32`; exits with a message if they are wrong."""
        told = "What a search changes, and what that is worth in the true worlds."
        return Args(**vars(parser(Args, "training.search_gain", told).parse_args(given)))


# An action that a search put in another's place, in points.
CHANGE = np.dtype(
    [
        ("deal", np.int64),
        ("base", np.int64),
        ("action", np.int64),
        ("expected", np.float64),
        ("error", np.float64),  # standard error of what was expected
        ("gained", np.float64),
    ]
)


@dataclass
class Found:
    """What has been measured so far."""

    changes: list[NDArray[np.void]] = field(default_factory=list)
    decisions: int = 0
    deals: int = 0
    squares: float = 0.0  # of the points of all seats
    seconds: float = 0.0  # spent searching


def play(args: Args, first: int, n: int, search: Search, base: Player, found: Found) -> None:
    """Play deals first..first + n - 1 and measure every change that the search proposes."""
    games = zj.Games(n, args.rules, args.seed, purpose="training", first=first)
    games.reset()
    numbers = games.state["number"].astype(np.int64)
    rollout = Player(args.rollout, specs.make(args.rollout))
    rollout.reset(n, args.seed)
    actions = np.zeros(n, np.int64)
    while True:
        live = np.flatnonzero(~games.done)
        if not len(live):
            break
        views, legal = games.view()[live], games.legal[live]
        choosing = legal.sum(axis=1) > 1
        began = time.perf_counter()
        verdict = search.judge(views, legal, numbers[live])
        found.seconds += time.perf_counter() - began
        found.decisions += int(choosing.sum())
        changed = np.flatnonzero(verdict.action != verdict.base)
        if len(changed):
            forks = live[changed]
            futures = shuffled(games[forks], args.walls, np.random.default_rng(args.seed))
            places = np.arange(len(futures))
            new, old = (
                outcomes(futures, places, np.tile(action[changed], args.walls), rollout)
                for action in (verdict.action, verdict.base)
            )
            rows = np.zeros(len(changed), CHANGE)
            rows["deal"], rows["expected"] = numbers[forks], verdict.gap[changed]
            rows["error"] = verdict.error[changed]
            rows["base"], rows["action"] = verdict.base[changed], verdict.action[changed]
            rows["gained"] = (new - old).reshape(args.walls, -1).mean(axis=0)
            found.changes.append(rows)
        actions[live] = base.ask(views, legal, numbers[live])
        games.step(actions)
    found.deals += n
    found.squares += float((games.scores.astype(np.float64) ** 2).sum())


def shuffled(games: zj.Games, times: int, rng: np.random.Generator) -> zj.Games:
    """Return so many copies of a batch, one after the other, their undrawn tiles shuffled."""
    futures = games[np.tile(np.arange(len(games)), times)]
    for g in futures.state:
        rng.shuffle(g["wall"][g["head"] : g["tail"]])
        g["seed"] = rng.integers(0, int(FREE) + 1, dtype=np.uint64)
    return futures


def mean(values: NDArray[np.float64], deals: NDArray[np.int64]) -> tuple[float, float]:
    """Return a mean and half its 95% t-interval, deals being independent and their values not."""
    average = float(values.mean())
    each = np.bincount(np.unique(deals, return_inverse=True)[1], weights=values - average)
    n = len(each)
    if n < 2:
        return average, float("inf")
    error = float(np.sqrt((each**2).sum() * n / (n - 1)) / len(values))
    return average, error * float(students_t.ppf(0.975, n - 1))


def sort(action: int) -> str:
    """Return what sort of action it is."""
    return SORTS[max(start for start in SORTS if start <= action)]


def report(args: Args, found: Found) -> list[str]:
    """Return the figures as lines of text."""
    rows = np.concatenate([np.zeros(0, CHANGE), *found.changes])
    sigma = float(np.sqrt(found.squares / (4 * found.deals)))
    lines = [
        f"{found.deals} deals, {found.decisions} decisions with a choice, "
        f"{1000 * found.seconds / found.decisions:.1f} ms each; "
        f"standard deviation of a seat's points {sigma:.2f}",
        f"changed {len(rows)}, {100 * len(rows) / found.decisions:.2f}% of them",
    ]
    if not len(rows):
        return lines
    sorts = np.array([f"{sort(r['base'])} to {sort(r['action'])}" for r in rows])
    sure = np.minimum(np.abs(rows["expected"]) / np.maximum(rows["error"], 1e-9), SURE).astype(int)
    groups = {"all": np.ones(len(rows), np.bool_)}
    groups |= {name: sorts == name for name in np.unique(sorts)}
    groups |= {f"{z} errors or more": sure >= z for z in np.unique(sure)}
    lines.append(f"{'':<20} {'changes':>7} {'expected':>9}   gained in the true worlds")
    for name, mask in groups.items():
        part = rows[mask]
        gained, half = mean(part["gained"], part["deal"])
        lines.append(
            f"{name:<20} {len(part):>7} {part['expected'].mean():>+9.3f}   "
            f"{gained:+.3f} +- {half:.3f}"
        )
    per_deal = rows["gained"].sum() / (4 * found.deals)
    lines.append(f"a deal and seat: {per_deal:+.3f} points if changes did not bear on each other")
    return lines


def main(given: Sequence[str] | None = None) -> Found:
    """Measure, print, and return what was found; what stands when interrupted is printed too."""
    args = Args.parse(given)
    print("  ".join(f"{name} {value}" for name, value in asdict(args).items()))
    uniform: dict[str, Any] = {} if args.belief else {"belief": None}
    search = make(
        **uniform,
        base=args.base,
        rollout=args.rollout,
        worlds=args.worlds,
        candidates=args.candidates,
        errors=args.errors,
    )
    search.reset(args.tables, args.seed)
    base = Player(args.base, specs.make(args.base))
    base.reset(args.tables, args.seed)
    found = Found()
    try:
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("deals", total=args.deals)
            for first in range(0, args.deals, args.tables):
                n = min(args.tables, args.deals - first)
                play(args, first, n, search, base, found)
                bar.advance(task, n)
    except KeyboardInterrupt:
        print(f"interrupted after {found.deals} of {args.deals} deals")
    if found.deals:
        print("\n".join(report(args, found)))
    return found


def run(given: Sequence[str] | None = None) -> int:
    """Run from a command line; return the exit code."""
    try:
        main(given)
    except ZhuojiError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(run())
