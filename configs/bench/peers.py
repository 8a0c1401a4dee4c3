"""Random play here and in two other mahjong environments, measured side by side in one run.

    make bench                                      # or, with the [bench] extra installed:
    python configs/bench/peers.py [--rounds 5] [--seconds 2] [--json]

Each contender plays whole deals with uniformly random legal actions through its own public
Python interface, on one core. The rounds are interleaved, so that a slow minute of the machine
hits everybody, and the median of the rounds counts. A decision is one call for an action by one
seat. RiichiEnv (Rust, riichi mahjong) runs with its event log off, its fastest setting, and
builds no observation arrays; RLCard (Python, Chinese official tiles) builds its observation and
legal actions at every decision, as our AEC face does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

# NumPy's thread pools would lend a contender the second core.
os.environ.setdefault("OMP_NUM_THREADS", "1")

N_TABLES = 1024


@dataclass(frozen=True)
class Played:
    """One round of one contender."""

    decisions: int
    deals: int
    seconds: float


Play = Callable[[float], Played]


def riichienv() -> Play:
    """RiichiEnv: single rounds, every asked seat answering at random."""
    from riichienv import RiichiEnv

    rng = random.Random(0)
    env = RiichiEnv(game_mode="4p-red-single", skip_mjai_logging=True, seed=0)

    def play(seconds: float) -> Played:
        decisions = deals = 0
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            observations = env.reset()
            while not env.done():
                answers = {
                    seat: rng.choice(observation.legal_actions())
                    for seat, observation in observations.items()
                }
                decisions += len(answers)
                observations = env.step(answers)
            deals += 1
        return Played(decisions, deals, spent)

    return play


def rlcard() -> Play:
    """RLCard's mahjong environment: observation and legal actions at every decision."""
    import rlcard

    rng = random.Random(0)
    env = rlcard.make("mahjong", config={"seed": 0})

    def play(seconds: float) -> Played:
        decisions = deals = 0
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                decisions += 1
            deals += 1
        return Played(decisions, deals, spent)

    return play


def games_step() -> Play:
    """Ours: `Games.step` over 1024 tables, masks built, finished tables dealt anew."""
    import numpy as np

    import zhuoji_env as zj

    games = zj.Games(N_TABLES, rules="guiyang", seed=0, purpose="benchmark")
    games.reset()
    generators = np.arange(N_TABLES, dtype=np.uint64)

    def play(seconds: float) -> Played:
        decisions = deals = 0
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            # The mask array itself is part of the work that is timed.
            assert games.legal.any()
            done = games.step(games.sample(generators))
            decisions += N_TABLES
            if done:
                deals += done
                games.next_deal()
        return Played(decisions, deals, spent)

    return play


def aec() -> Play:
    """Ours: PettingZoo's AEC loop over `raw_env`, observation and mask at every decision."""
    from zhuoji_env import zhuoji_v0

    rng = random.Random(0)
    env = zhuoji_v0.raw_env(rules="guiyang")
    env.reset(seed=0)

    def play(seconds: float) -> Played:
        decisions = deals = 0
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                env.step(rng.choice(observation["action_mask"].nonzero()[0]))
                decisions += 1
            deals += 1
        return Played(decisions, deals, spent)

    return play


CONTENDERS: dict[str, Callable[[], Play]] = {
    f"zhuoji Games.step, {N_TABLES} tables": games_step,
    "zhuoji AEC raw_env": aec,
    f"riichienv {version('riichienv')}": riichienv,
    f"rlcard {version('rlcard')} mahjong": rlcard,
}
GAMES, AEC, RIICHIENV, RLCARD = CONTENDERS
# (ours, the peer, how many times its speed the project asks of ours)
DUELS = ((GAMES, RIICHIENV, 40), (AEC, RLCARD, 5))
WARM_UP = 0.2


def measure(rounds: int, seconds: float) -> dict[str, dict[str, float]]:
    """Return each contender's medians: decisions per second, deals per second."""
    plays = {name: make() for name, make in CONTENDERS.items()}
    for play in plays.values():
        play(WARM_UP)
    played: dict[str, list[Played]] = {name: [] for name in plays}
    for _ in range(rounds):
        for name, play in plays.items():
            played[name].append(play(seconds))
    return {
        name: {
            "decisions_per_s": statistics.median(p.decisions / p.seconds for p in done),
            "deals_per_s": statistics.median(p.deals / p.seconds for p in done),
        }
        for name, done in played.items()
    }


def main() -> None:
    """Measure, print a table (JSON alone with --json)."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds per contender")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds per round")
    parser.add_argument("--json", action="store_true", help="print JSON alone")
    args = parser.parse_args()
    if args.rounds < 1 or args.seconds <= 0:
        parser.error("--rounds must be at least 1 and --seconds above 0")

    medians = measure(args.rounds, args.seconds)
    speed = {name: median["decisions_per_s"] for name, median in medians.items()}
    ratios = [
        {"ours": ours, "peer": peer, "ratio": speed[ours] / speed[peer], "aim": aim}
        for ours, peer, aim in DUELS
    ]
    if args.json:
        print(json.dumps({"medians": medians, "ratios": ratios}, indent=2))
        return
    print(f"random play, one core, median of {args.rounds} interleaved rounds")
    print(f"{'':34}{'decisions/s':>14}{'deals/s':>12}")
    for name, median in medians.items():
        print(f"{name:34}{median['decisions_per_s']:14,.0f}{median['deals_per_s']:12,.0f}")
    for duel in ratios:
        print(f"{duel['ours']} : {duel['peer']} = {duel['ratio']:.1f} (aim {duel['aim']})")


if __name__ == "__main__":
    main()
