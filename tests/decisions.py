"""Golden decisions: deals with what `greedy` and `shanten` would do beside each action.

`tests/data/decisions.jsonl` holds one deal a line, a `zhuoji-deal/1` record without a result and
two lists as long as its actions: `greedy`, the action that greedy takes, and `near`, those that
shanten draws from. `python -m tests.decisions` writes the file anew, should the definition change.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zhuoji_env as zj
from zhuoji_env import actions, baselines, tiles

FILE = Path(__file__).parent / "data" / "decisions.jsonl"
PRESETS = ("guiyang", "zhuoji", "zhuoji_double", "duole")
# How the deals are played: the share of decisions that are random, the rest being greedy's.
STRAY = (0.0, 0.05, 0.3)
# Deals in which greedy declares baoting and then has a choice of discards.
BAOTING_DEALS = (1055, 1363)


def names(bits: int) -> list[str]:
    """Action names of a set of actions (bits)."""
    return [actions.NAMES[a] for a in range(actions.N_ACTIONS) if bits >> a & 1]


def deal(rules: str, seed: int, stray: float) -> dict[str, Any]:
    """Play one deal, greedy with strays, and note every decision."""
    rng = np.random.default_rng(seed)
    games = zj.Games(1, rules, seed=seed)
    games.reset()
    state = games.state[0]
    record: dict[str, Any] = {
        "format": "zhuoji-deal/1",
        "rules": rules,
        "dealer": int(state["dealer"]),
        "streak": 1,
        "dice": [int(d) for d in state["dice"] if d],
        "wall": tiles.show_wall(state["wall"]),
        "actions": [],
        "greedy": [],
        "near": [],
    }
    greedy = baselines.make("greedy")
    while not games.done[0]:
        view = games.view()
        best = int(greedy.act(view, games.legal, None)[0])
        record["greedy"].append(actions.NAMES[best])
        record["near"].append(names(int(baselines.candidates(view)[0])))
        played = int(rng.choice(np.flatnonzero(games.legal[0]))) if rng.random() < stray else best
        record["actions"].append(f"{games.seat[0]} {actions.NAMES[played]}")
        games.step(np.array([played]))
    return record


def views(record: dict[str, Any]) -> NDArray[np.void]:
    """The view at every decision of a record: (n,) VIEW."""
    games = zj.Games(1, record["rules"], seed=0)
    wall = np.array(tiles.parse(record["wall"]))
    games.reset(walls=wall, dealers=record["dealer"], streaks=record["streak"])
    seen = []
    for text in record["actions"]:
        seen.append(games.view()[0])
        games.step(np.array([actions.parse(text.split(maxsplit=1)[1])]))
    return np.array(seen)


def load() -> list[dict[str, Any]]:
    """The golden deals."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    deals = [
        deal(rules, 100 * i + j, stray)
        for i, rules in enumerate(PRESETS)
        for j, stray in enumerate(STRAY)
    ]
    deals += [deal("guiyang", seed, 0.05) for seed in BAOTING_DEALS]
    text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in deals)
    FILE.write_text(text, encoding="utf-8")
