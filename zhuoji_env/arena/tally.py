"""What an agent's seats did in each block, counted: all that a panel or a ladder needs of deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.layout import (
    DISCARD_WIN,
    DRAW,
    ITEMS,
    N_SEATS,
    PATTERNS,
    ROB_WIN,
    SELF_DRAW,
)

# Sums over an agent's seats. Points and fan as they are, everything else as counts.
COUNTS = (
    *("seats", "points", "win", "self_draw", "discard_win", "rob_win", "deal_in"),
    *("draw", "ready_at_draw", "fan", "draws_to_win", "baoting", "pengs", "kongs"),
    *("dealt", "points_as_dealer", "win_as_dealer", "points_as_other", "win_as_other"),
    *(f"pattern_{pattern}" for pattern in PATTERNS),
    *(f"points_{item}" for item in ITEMS),
)
PLACE = {name: place for place, name in enumerate(COUNTS)}


class Tally(NamedTuple):
    """One agent's counts over some blocks; a seat of a deal is counted on its own."""

    counts: NDArray[np.int64]  # (blocks, len(COUNTS))
    scores: NDArray[np.int64]  # (seats,) points of each deal of each seat
    score_block: NDArray[np.int64]  # (seats,) the place of its block
    fans: NDArray[np.int64]  # (wins,) fan of each hand won with
    fan_block: NDArray[np.int64]  # (wins,) the place of its block

    @property
    def points(self) -> NDArray[np.float64]:
        """Points per deal of a seat in each block: (blocks,) float64."""
        seats: NDArray[np.int64] = self.counts[:, PLACE["seats"]]
        return self.counts[:, PLACE["points"]] / seats


def tally(
    outcomes: NDArray[np.void], seats: NDArray[np.int8], agent: int, blocks: int = 1
) -> Tally:
    """Count one agent's seats in deals (n,) OUTCOME, blocks one after the other.

    `seats` (n, 4) says who played them.
    """
    mine = seats == agent
    end = outcomes["end"][:, None]
    won = mine & (outcomes["winners"][:, None] >> np.arange(N_SEATS) & 1).astype(bool)
    shot = (outcomes["shooter"][:, None] == np.arange(N_SEATS)) & np.isin(
        end, (DISCARD_WIN, ROB_WIN)
    )
    deals = outcomes["dealer"][:, None] == np.arange(N_SEATS)
    scores = outcomes["scores"]
    columns: dict[str, NDArray[Any]] = {
        "seats": mine,
        "points": scores * mine,
        "win": won,
        "self_draw": won & (end == SELF_DRAW),
        "discard_win": won & (end == DISCARD_WIN),
        "rob_win": won & (end == ROB_WIN),
        "deal_in": mine & shot,
        "draw": mine & (end == DRAW),
        "ready_at_draw": outcomes["ready"] * (mine & (end == DRAW)),
        "fan": outcomes["fan"] * won,
        "draws_to_win": outcomes["draws"] * won,
        "baoting": outcomes["baoting"] * mine,
        "pengs": outcomes["pengs"] * mine,
        "kongs": outcomes["kongs"] * mine,
        "dealt": mine & deals,
        "points_as_dealer": scores * (mine & deals),
        "win_as_dealer": won & deals,
        "points_as_other": scores * (mine & ~deals),
        "win_as_other": won & ~deals,
    }
    for place, pattern in enumerate(PATTERNS):
        columns[f"pattern_{pattern}"] = won & (outcomes["pattern"] == place)
    for place, item in enumerate(ITEMS):
        columns[f"points_{item}"] = outcomes["money"][:, :, place] * mine
    counts = np.stack([columns[name].sum(axis=1, dtype=np.int64) for name in COUNTS], axis=1)
    per_block = len(outcomes) // blocks
    return Tally(
        counts=counts.reshape(blocks, per_block, len(COUNTS)).sum(axis=1),
        scores=scores[mine].astype(np.int64),
        score_block=np.nonzero(mine)[0] // per_block,
        fans=outcomes["fan"][won].astype(np.int64),
        fan_block=np.nonzero(won)[0] // per_block,
    )


def to_line(one: Tally) -> dict[str, Any]:
    """Return a tally of one block as JSON takes it; counts of 0 are left out."""
    counts = {name: int(n) for name, n in zip(COUNTS, one.counts[0], strict=True) if n}
    return {"counts": counts, "scores": one.scores.tolist(), "fans": one.fans.tolist()}


def from_lines(lines: Sequence[Mapping[str, Any]], places: Sequence[int], blocks: int) -> Tally:
    """Return the tally over some blocks of lines that `to_line` wrote, line i in block places[i].

    Lines of the same block are added up. Raises KeyError, TypeError or ValueError for anything
    else.
    """
    counts = np.zeros((blocks, len(COUNTS)), np.int64)
    for place, line in zip(places, lines, strict=True):
        for name, n in line["counts"].items():
            counts[place, PLACE[name]] += n
    scores, score_block = _flat([line["scores"] for line in lines], places)
    fans, fan_block = _flat([line["fans"] for line in lines], places)
    return Tally(counts, scores, score_block, fans, fan_block)


def _flat(
    lists: Sequence[Sequence[int]], places: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return some blocks' numbers one after the other, and the place of each one's block."""
    values = np.array([value for one in lists for value in one], np.int64)
    return values, np.repeat(np.array(places, np.int64), [len(one) for one in lists])
