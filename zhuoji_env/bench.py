"""How fast the engine and the environment are: decisions and deals per second, by way of play.

Every scenario plays random legal actions, named opponents as they do, and deals on. Scenarios are
measured in turns, round after round, and medians are reported, so that a noisy machine touches all
of them alike.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import observation, zhuoji_v0
from zhuoji_env.engine import batch
from zhuoji_env.engine.determinize import determinize
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import VIEW
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.envs.vector import SeatVectorEnv
from zhuoji_env.rules.ruleset import Source

SIZES = (1, 64, 1024, 8192)
BENCH_SIZE = 1024
THREADED_SIZE = 8192

Count = tuple[int, int]
Chunk = Callable[[], Count]
"""Plays a while and returns how many decisions were made and how many deals ended."""


@dataclass(frozen=True)
class Scenario:
    """One way of play: its name, what is built at every decision, and a chunk of it."""

    name: str
    tables: int
    threads: int
    builds: str
    chunk: Chunk


@dataclass(frozen=True)
class Result:
    """Medians over the rounds: decisions and deals per second."""

    name: str
    tables: int
    threads: int
    builds: str
    decisions_per_s: float
    deals_per_s: float


def _games(n: int, rules: Source, threads: int = 1) -> tuple[Games, NDArray[np.uint64]]:
    games = Games(n, rules, seed=0, purpose="benchmark", threads=threads)
    games.reset()
    return games, table_seeds(1, n)


def in_kernel(n: int, rules: Source, threads: int = 1, decisions: int = 100) -> Scenario:
    """Random play that never leaves the kernel: the engine's own speed."""
    games, states = _games(n, rules, threads)

    def chunk() -> Count:
        deals = games.each(
            lambda p: batch.play(games.state[p], games.records, games.wins, states[p], decisions)
        )
        return n * decisions, sum(int(d) for d in deals)

    return Scenario("in the kernel", n, threads, "nothing", chunk)


def stepping(
    n: int, rules: Source, threads: int = 1, masks: bool = True, steps: int | None = None
) -> Scenario:
    """`Games.step`, actions sampled in a kernel; with `masks` the (N, 58) array is built too."""
    games, states = _games(n, rules, threads)
    rounds = steps or max(100, 50_000 // n)

    def chunk() -> Count:
        deals = 0
        for _ in range(rounds):
            if masks:
                _ = games.legal
            done = games.step(games.sample(states))
            if done:
                deals += done
                games.next_deal()
        return n * rounds, deals

    return Scenario("Games.step", n, threads, "masks" if masks else "legal bits", chunk)


def watching(
    n: int, rules: Source, rows: observation.Rows | None, oracle: bool = False, threads: int = 1
) -> Scenario:
    """`Games.step` with the acting seat's view, or with rows of its observation, every decision."""
    games, states = _games(n, rules, threads)
    views = np.zeros(n, VIEW)
    shown = games.observe(rows=rows or "cheap", oracle=oracle)
    rounds = max(100, 50_000 // n)

    def chunk() -> Count:
        deals = 0
        for _ in range(rounds):
            if rows:
                games.observe(shown, rows=rows, oracle=oracle)
            else:
                games.view(views)
            done = games.step(games.sample(states))
            if done:
                deals += done
                games.next_deal()
        return n * rounds, deals

    builds = f"{rows} rows{', hidden truth' if oracle else ''}" if rows else "views"
    return Scenario("Games.step", n, threads, f"legal bits, {builds}", chunk)


def determinizing(n: int, rules: Source) -> Scenario:
    """`zj.determinize`: worlds of one view in mid-deal, nobody baoting; a world is a decision."""
    games, states = _games(64, rules)
    for _ in range(40):
        games.step(games.sample(states))
    quiet = ~games.done & ~games.state["baoting"].any(axis=1)
    view = games.view()[np.flatnonzero(quiet)[0]]
    seeds = iter(range(1 << 62))

    def chunk() -> Count:
        return len(determinize(view, n, next(seeds))), 0

    return Scenario("determinize", n, 1, "worlds", chunk)


def aec(rules: Source, wrapped: bool, decisions: int = 2000) -> Scenario:
    """The AEC loop through `last()`: observation and mask at every decision."""
    env = (zhuoji_v0.env if wrapped else zhuoji_v0.raw_env)(rules=rules)
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def chunk() -> Count:
        made = deals = 0
        while made < decisions:
            shown, _, termination, truncation, _ = env.last()
            if termination or truncation:
                deals += 1
                env.reset()
                continue
            legal = np.flatnonzero(shown["action_mask"])
            env.step(legal[int(rng.integers(len(legal)))])
            made += 1
        return made, deals

    name = "AEC env" if wrapped else "AEC raw_env"
    return Scenario(name, 1, 1, "observation and mask", chunk)


def seats(n: int, rules: Source, opponents: str = "greedy", steps: int = 40) -> Scenario:
    """Gymnasium's vector face; the decisions counted are the learners' alone."""
    envs = SeatVectorEnv(n, rules, opponents)
    shown, _ = envs.reset(seed=0)
    masks = shown["action_mask"]
    rng = np.random.default_rng(0)

    def chunk() -> Count:
        nonlocal masks
        made = deals = 0
        fresh = 0
        for _ in range(steps):
            shown, _, over, _, _ = envs.step(_random_legal(masks, rng))
            masks = shown["action_mask"]
            made += n - fresh
            fresh = int(over.sum())
            deals += fresh
        return made, deals

    return Scenario(f"SeatVectorEnv, {opponents}", n, 1, "observations, masks", chunk)


def sb3_seats(n: int, rules: Source, opponents: str = "greedy", steps: int = 40) -> Scenario:
    """The face for stable-baselines3, which must be installed; decisions as in `seats`."""
    from zhuoji_env.envs.sb3 import SeatVecEnv

    envs = SeatVecEnv(n, rules, opponents)
    envs.reset()
    rng = np.random.default_rng(0)

    def chunk() -> Count:
        deals = 0
        for _ in range(steps):
            _, _, over, _ = envs.step(_random_legal(envs.action_masks(), rng))
            deals += int(over.sum())
        return n * steps, deals

    return Scenario(f"SB3 SeatVecEnv, {opponents}", n, 1, "observations, masks", chunk)


def _random_legal(masks: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    weights = rng.random(masks.shape, np.float32)
    chosen: NDArray[np.int64] = (weights * masks).argmax(1)
    return chosen


def scenarios(rules: Source = "guiyang") -> list[Scenario]:
    """Return every scenario of `zhuoji bench`."""
    sb3 = [sb3_seats] if find_spec("stable_baselines3") else []
    return [
        in_kernel(BENCH_SIZE, rules),
        *(stepping(n, rules) for n in SIZES),
        stepping(1, rules, masks=False),
        stepping(BENCH_SIZE, rules, masks=False),
        watching(BENCH_SIZE, rules, None),
        watching(BENCH_SIZE, rules, "cheap"),
        watching(BENCH_SIZE, rules, "all"),
        watching(BENCH_SIZE, rules, "all", oracle=True),
        determinizing(BENCH_SIZE, rules),
        aec(rules, wrapped=False),
        aec(rules, wrapped=True),
        *(face(BENCH_SIZE, rules) for face in (seats, *sb3)),
        in_kernel(THREADED_SIZE, rules, threads=2),
        in_kernel(THREADED_SIZE, rules, threads=1),
        stepping(THREADED_SIZE, rules, threads=2),
        watching(THREADED_SIZE, rules, "all", threads=2),
        watching(THREADED_SIZE, rules, "all", threads=1),
    ]


def measure(
    entries: list[Scenario], rounds: int = 5, progress: Callable[[], None] | None = None
) -> list[Result]:
    """Measure scenarios in turns and return the medians; `progress` is called after each chunk."""
    rates: list[list[tuple[float, float]]] = [[] for _ in entries]
    for entry in entries:
        entry.chunk()  # compiles, and fills the caches
    for _ in range(rounds):
        for entry, rate in zip(entries, rates, strict=True):
            start = time.perf_counter()
            decisions, deals = entry.chunk()
            spent = time.perf_counter() - start
            rate.append((decisions / spent, deals / spent))
            if progress is not None:
                progress()
    return [
        Result(
            entry.name,
            entry.tables,
            entry.threads,
            entry.builds,
            statistics.median(r[0] for r in rate),
            statistics.median(r[1] for r in rate),
        )
        for entry, rate in zip(entries, rates, strict=True)
    ]


_FIRST_STEP = """
import numpy as np
import zhuoji_env as zj
games = zj.Games(1024)
games.reset()
games.step(np.argmax(games.legal, axis=1))
"""


@contextmanager
def _empty_cache() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        yield {**os.environ, "NUMBA_CACHE_DIR": folder}


def starts() -> dict[str, float]:
    """Return seconds from starting Python to the first step, on an empty and on a full cache."""
    with _empty_cache() as environment:
        return {f"{what}_start_s": _start(environment) for what in ("cold", "warm")}


def _start(environment: dict[str, str]) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", _FIRST_STEP], env=environment, check=True)
    return time.perf_counter() - begun


def as_dicts(results: list[Result]) -> list[dict[str, float | int | str]]:
    """Return results as plain dicts, as `zhuoji bench --json` prints them."""
    return [asdict(result) for result in results]
