"""Numbers that must not move from release to release: walls of seeds, and perft."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import zhuoji_env as zj
from tests import referee
from zhuoji_env import tiles
from zhuoji_env.engine.perft import perft

DATA = Path(__file__).parent / "data"
WALLS = json.loads((DATA / "walls.json").read_text())
PERFT = json.loads((DATA / "perft.json").read_text())
BOTH, ENGINE = 4, 6


@pytest.mark.parametrize("golden", WALLS, ids=lambda golden: f"seed {golden['seed']}")
def test_the_first_deal_of_a_seed(golden: dict[str, object]) -> None:
    games = zj.Games(1, "zhuoji", seed=int(str(golden["seed"])))
    games.reset()
    g = games.state[0]
    assert tiles.show_wall(g["wall"].tolist()) == golden["wall"]
    assert g["dice"].tolist() == golden["dice"]
    assert g["dealer"] == golden["dealer"]


@pytest.mark.parametrize("golden", PERFT, ids=lambda golden: f"{golden['rules']} {golden['seed']}")
def test_perft(golden: dict[str, object]) -> None:
    counts = golden["counts"]
    assert isinstance(counts, list)
    assert len(counts) == ENGINE
    games = zj.Games(1, str(golden["rules"]), seed=int(str(golden["seed"])))
    games.reset()
    assert [perft(games, 0, depth) for depth in range(1, ENGINE + 1)] == counts
    g = games.state[0]
    other = referee.Referee(games.rules[0].to_dict(), g["wall"].tolist(), int(g["dealer"]), 1)
    assert [referee.perft(other, depth) for depth in range(1, BOTH + 1)] == counts[:BOTH]


def test_perft_counts_nothing_past_the_end() -> None:
    games = zj.Games(1)
    games.reset(walls=list(range(27)) * 4)
    with pytest.raises(ValueError, match="depth is 0"):
        perft(games, 0, 0)
    while not games.done[0]:
        games.step(games.legal.argmax(axis=1))
    assert perft(games, 0, 1) == 0
