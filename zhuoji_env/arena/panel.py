"""The panel of a match: what each agent's seats won, lost and did, as rates over their deals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena.play import MONEY
from zhuoji_env.engine.layout import DISCARD_WIN, DRAW, N_SEATS, ROB_WIN, SELF_DRAW

Figures = dict[str, float | None]

# Key -> what it says; the order in which reports list them.
MEANINGS = {
    "points": "points per deal",
    "win": "deals won",
    "self_draw": "deals won by self-draw",
    "discard_win": "deals won on a discard",
    "rob_win": "deals won by robbing a kong",
    "deal_in": "deals lost as the shooter, robbed kongs included",
    "draw": "deals that ended in an exhaustive draw",
    "ready_at_draw": "of those, ready at the end",
    "mean_fan": "fan of the hands won with",
    "baoting": "deals in which baoting was declared",
    "pengs": "pengs per deal",
    "kongs": "kongs per deal",
    **{f"points_{what}": f"points per deal from {what}" for what in MONEY},
}


def panel(outcomes: NDArray[np.void], seats: NDArray[np.int8], agent: int) -> Figures:
    """Return one agent's figures over all its seats; None where there was nothing to count.

    `outcomes` (n,) OUTCOME records, `seats` (n, 4) who played them.
    """
    mine = seats == agent
    end = outcomes["end"][:, None]
    won = (outcomes["winners"][:, None] >> np.arange(N_SEATS) & 1).astype(bool)
    shot = (outcomes["shooter"][:, None] == np.arange(N_SEATS)) & np.isin(
        end, (DISCARD_WIN, ROB_WIN)
    )
    drawn = np.broadcast_to(end == DRAW, mine.shape)
    figures = {
        "points": _mean(outcomes["scores"], mine),
        "win": _mean(won, mine),
        "self_draw": _mean(won & (end == SELF_DRAW), mine),
        "discard_win": _mean(won & (end == DISCARD_WIN), mine),
        "rob_win": _mean(won & (end == ROB_WIN), mine),
        "deal_in": _mean(shot, mine),
        "draw": _mean(drawn, mine),
        "ready_at_draw": _mean(outcomes["ready"], mine & drawn),
        "mean_fan": _mean(outcomes["fan"], mine & won),
        "baoting": _mean(outcomes["baoting"], mine),
        "pengs": _mean(outcomes["pengs"], mine),
        "kongs": _mean(outcomes["kongs"], mine),
    }
    for i, what in enumerate(MONEY):
        figures[f"points_{what}"] = _mean(outcomes["money"][:, :, i], mine)
    return figures


def _mean(values: NDArray[np.generic], where: NDArray[np.bool_]) -> float | None:
    picked = values[where]
    return float(picked.mean()) if len(picked) else None
