"""How fast agents decide, on one core: in batches, and one decision at a time.

The decisions are those of real play in which there is a choice; forced moves would flatter. They
are asked for as anybody asks, `agent.act(views, legal, observations)`, and what an agent that reads
observations needs is made within the time that is measured.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import observation, specs
from zhuoji_env.baselines import Agent, make
from zhuoji_env.engine.games import Games
from zhuoji_env.rules.ruleset import Source

# Decisions of a batch, as many as a match's tables ask for at once; fewer for an agent so slow that
# a batch would take most of its time.
BATCH = 1024
FEWEST = 16
# Decisions asked for one at a time; fewer if time runs out.
SINGLES = 4096
# The play that the decisions come from: some two deals at each table.
TABLES, STEPS = 256, 150


@dataclass(frozen=True)
class Latency:
    """How fast an agent decides; a batch is of `batch` decisions, `singles` were timed alone."""

    agent: str
    batch: int
    decisions_per_s: float  # median over batches
    singles: int
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True)
class Decisions:
    """Decisions with a choice, in the order they came up in: views (n,), legal (n, 58)."""

    views: NDArray[np.void]
    legal: NDArray[np.bool_]

    def ask(self, agent: Agent, first: int, n: int) -> float:
        """Ask for n decisions, counted on from the start past the end; return the seconds spent."""
        at = np.arange(first, first + n) % len(self.views)
        views, legal = self.views[at], self.legal[at]
        begun = time.perf_counter()
        wants = getattr(agent, "needs_observations", False)
        agent.act(views, legal, observation.of_views(views) if wants else None)
        return time.perf_counter() - begun


def real_play(rules: Source, n: int = SINGLES) -> Decisions:
    """Return n decisions of `greedy` at four seats, drawn from all stages of many deals."""
    games = Games(TABLES, rules, seed=0, purpose="benchmark")
    games.reset()
    agent = make("greedy")
    views, legal = [], []
    for _ in range(STEPS):
        seen, may = games.view(), games.legal
        open_ = may.sum(axis=1) > 1
        views.append(seen[open_])
        legal.append(may[open_])
        games.step(agent.act(seen, may))
        games.next_deal()
    found = np.concatenate(views)
    picked = np.random.default_rng(0).permutation(len(found))[:n]
    return Decisions(found[picked], np.concatenate(legal)[picked])


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and those it starts, to one core where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def measure(spec: str, decisions: Decisions, seconds: float = 10.0) -> Latency:
    """Measure one agent for about so many seconds; raises ZhuojiError for what is no agent."""
    with one_core():
        agent = specs.make(spec)
        agent.reset(BATCH, 0)
        decisions.ask(agent, 0, FEWEST)  # compiles, and fills the caches
        spent = decisions.ask(agent, 0, FEWEST)
        batch = int(np.clip(seconds / 6 * FEWEST / max(spent, 1e-9), FEWEST, BATCH))
        rates: list[float] = []
        end = time.perf_counter() + seconds / 2
        while not rates or time.perf_counter() < end:
            rates.append(batch / decisions.ask(agent, len(rates) * batch, batch))
        singles: list[float] = []
        end = time.perf_counter() + seconds / 2
        while not singles or (len(singles) < SINGLES and time.perf_counter() < end):
            singles.append(decisions.ask(agent, len(singles), 1))
    p50, p99 = np.percentile(singles, (50, 99)) * 1000
    return Latency(spec, batch, float(np.median(rates)), len(singles), float(p50), float(p99))


def measure_all(agents: Sequence[str], rules: Source, seconds: float = 10.0) -> Iterator[Latency]:
    """Measure agents by spec, one after the other, at the same decisions."""
    for spec in agents:
        specs.make(spec)  # a spec that nobody has is told before anything is measured
    decisions = real_play(rules)
    for spec in agents:
        yield measure(spec, decisions, seconds)
