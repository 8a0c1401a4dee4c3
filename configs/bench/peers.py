"""Random play here and in two other mahjong environments, measured side by side in one run.

    make bench                                      # or, with the [bench] extra installed:
    python configs/bench/peers.py [--rounds 7] [--json]

Each contender plays uniformly random legal actions through its own public Python interface, on
one core, some half a second a turn. Turns are interleaved, so that a slow minute of the machine
hits everybody, and the medians count. A decision is one call for an action by one seat. RiichiEnv
(Rust, riichi mahjong) runs with its event log off, its fastest setting, and builds lists of legal
actions but no observation arrays; RLCard (Python) builds its observation and legal actions at
every decision, as our AEC face does.
"""

from __future__ import annotations

import argparse
import json
import random
from importlib.metadata import version

import rlcard
from riichienv import RiichiEnv

from zhuoji_env import bench
from zhuoji_env.bench import Count, Result, Scenario


def riichi(decisions: int) -> Scenario:
    """RiichiEnv: single rounds, every seat that is asked answering at random."""
    rng = random.Random(0)
    env = RiichiEnv(game_mode="4p-red-single", skip_mjai_logging=True, seed=0)

    def chunk() -> Count:
        made = deals = 0
        while made < decisions:
            observations = env.reset()
            while not env.done():
                answers = {
                    seat: rng.choice(observation.legal_actions())
                    for seat, observation in observations.items()
                }
                made += len(answers)
                observations = env.step(answers)
            deals += 1
        return made, deals

    return Scenario(f"riichienv {version('riichienv')}", 1, 1, "lists of legal actions", chunk)


def card(decisions: int) -> Scenario:
    """RLCard's mahjong environment, stepped by hand."""
    rng = random.Random(0)
    env = rlcard.make("mahjong", config={"seed": 0})

    def chunk() -> Count:
        made = deals = 0
        while made < decisions:
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                made += 1
            deals += 1
        return made, deals

    return Scenario(f"rlcard {version('rlcard')}", 1, 1, "observation and legal actions", chunk)


def measure(rounds: int) -> list[tuple[Result, Result, int]]:
    """Return (ours, the peer's, how many times its speed is asked of ours) per comparison."""
    ours_batch, theirs_rust, ours_aec, theirs_python = bench.measure(
        [
            bench.stepping(bench.BENCH_SIZE, "guiyang", steps=2000),
            riichi(30_000),
            bench.aec("guiyang", wrapped=False, decisions=15_000),
            card(3_000),
        ],
        rounds,
    )
    return [(ours_batch, theirs_rust, 40), (ours_aec, theirs_python, 5)]


def main() -> None:
    """Measure and print a table, or JSON alone."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="turns of each contender")
    parser.add_argument("--json", action="store_true", help="print JSON alone")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("--rounds must be at least 1")

    comparisons = measure(args.rounds)
    if args.json:
        found = []
        for ours, peer, aim in comparisons:
            ratio = ours.decisions_per_s / peer.decisions_per_s
            results = dict(zip(("ours", "peer"), bench.as_dicts([ours, peer]), strict=True))
            found.append({**results, "ratio": ratio, "aim": aim})
        print(json.dumps(found, indent=2))
        return
    print(f"random play, one core, medians of {args.rounds} turns")
    print(f"{'':24}{'tables':>8}  {'builds':32}{'decisions/s':>12}{'deals/s':>10}")
    for ours, peer, aim in comparisons:
        for result in (ours, peer):
            print(
                f"{result.name:24}{result.tables:8}  {result.builds:32}"
                f"{result.decisions_per_s:12,.0f}{result.deals_per_s:10,.0f}"
            )
        ratio = ours.decisions_per_s / peer.decisions_per_s
        print(f"  {ours.name} is {ratio:.1f} times {peer.name} (aim: {aim})")


if __name__ == "__main__":
    main()
