"""The `result` object of docs/formats.md, from finished tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env import tiles
from zhuoji_env.engine.layout import DISCARD_WIN, ENDS, ITEMS, N_SEATS, ROB_WIN, SELF_DRAW

COLUMNS = (
    "end",
    "winners",
    "shooter",
    "seat",
    "tile",
    "indicator",
    "ready",
    "scores",
    "next_dealer",
    "next_streak",
)


def results(state: NDArray[np.void]) -> list[dict[str, Any]]:
    """One `result` a table of a GAME array whose deals have ended."""
    columns = zip(*(state[name].tolist() for name in COLUMNS), strict=True)
    return [_result(row, items) for row, items in zip(columns, _bills(state), strict=True)]


def in_order(winners: int, start: int) -> list[int]:
    """Seats given as bits, in order of play from `start`, who comes last."""
    order = [(start + place) % N_SEATS for place in range(1, N_SEATS + 1)]
    return [seat for seat in order if winners >> seat & 1]


def _result(row: tuple[Any, ...], items: list[list[Any]]) -> dict[str, Any]:
    """Of one table's `COLUMNS`."""
    end, winners, shooter, seat, tile, indicator, ready, scores, next_dealer, next_streak = row
    won_on = end in (DISCARD_WIN, ROB_WIN)
    return {
        "end": ENDS[end],
        "winners": in_order(winners, shooter if won_on else seat),
        "shooter": shooter if won_on else None,
        "tile": tiles.NAMES[tile] if won_on or end == SELF_DRAW else None,
        "indicator": tiles.NAMES[indicator] if indicator >= 0 else None,
        "ready": [bool(one) for one in ready],
        "items": items,
        "scores": scores,
        "next_dealer": next_dealer,
        "next_streak": next_streak,
    }


def _bills(state: NDArray[np.void]) -> list[list[list[Any]]]:
    """Every table's entries [item, payer, payee, fan], sorted, as ITEMS is."""
    bills: list[list[list[Any]]] = [[] for _ in state]
    places = np.nonzero(state["bill"])
    fan = state["bill"][places].tolist()
    for i, item, payer, payee, n in zip(*(axis.tolist() for axis in places), fan, strict=True):
        bills[i].append([ITEMS[item], payer, payee, n])
    return bills
