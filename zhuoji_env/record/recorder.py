"""Recorder: notes what is played at the tables of a batch, for whoever plays over `Games`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zhuoji_env import actions, tiles
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import DONE, MAX_DISCARDS, MAX_MELDS, N_SEATS, TURN, UNDEALT
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.record.deal import CARRIED, FORMAT
from zhuoji_env.record.result import results

# R9: a discard or an added kong asks each of the other three at most once; then there are baoting
# and the hu that ends the deal.
MAX_DECISIONS = (MAX_DISCARDS + N_SEATS * MAX_MELDS) * N_SEATS + N_SEATS + 1


class Recorder:
    """Notes every decision at every table of a batch and gives the deals as records.

        recorder = Recorder(games)
        while not games.done.all():
            recorder.step(choose(games))
        records = [recorder.record(i) for i in range(len(games))]

    Passes and forced moves are decisions like the rest: every step must go through `step`, or be
    told to `note` just before it. A table that is reset or dealt on begins a new record by itself.
    Raises ZhuojiError where a deal is already under way, as its first decisions are not known.
    """

    def __init__(self, games: Games) -> None:
        self.games = games
        fresh = _fresh(games)
        under_way = ~(fresh | np.isin(games.phase, (DONE, UNDEALT)))
        if np.any(under_way):
            raise ZhuojiError(f"table {int(np.argmax(under_way))}: its deal is already under way")
        self._noted = np.zeros((len(games), MAX_DECISIONS, 2), np.int8)
        self._n = np.zeros(len(games), np.int64)
        self._known = fresh
        self._rules = [rules.to_overrides() for rules in games.rules]

    def step(self, chosen: ArrayLike) -> int:
        """Note (N,) actions and play them: as `Games.step`, errors included."""
        taken = np.asarray(chosen)
        live = self.note(taken)
        try:
            return self.games.step(taken)
        except ValueError:
            self._n[live] -= 1
            raise

    def note(self, chosen: ArrayLike) -> NDArray[np.intp]:
        """Note (N,) actions that are about to be played; returns the tables that are in play."""
        taken = np.broadcast_to(np.asarray(chosen), self._n.shape)
        fresh = _fresh(self.games)
        self._n[fresh] = 0
        self._known |= fresh
        live = np.flatnonzero(~self.games.done)
        self._noted[live, self._n[live], 0] = self.games.seat[live]
        self._noted[live, self._n[live], 1] = taken[live]
        self._n[live] += 1
        return live

    def record(self, i: int, **carried: Any) -> dict[str, Any]:
        """The record of a table's deal so far, with its result once the deal has ended.

        `carried` are the optional keys `seed`, `agents` (four names) and `note`. Raises ZhuojiError
        for a deal of which nothing was noted.
        """
        g = self.games.state[i]
        fresh = bool(_fresh(self.games)[i])
        if not (self._known[i] or fresh):
            raise ZhuojiError(f"table {i}: its deal was not noted from its beginning")
        if unknown := set(carried) - set(CARRIED):
            raise ZhuojiError(f"key {min(unknown)!r} is unknown; allowed: {', '.join(CARRIED)}")
        noted = self._noted[i, : 0 if fresh else self._n[i]].tolist()
        record = {
            "format": FORMAT,
            "rules": self._rules[g["rules"]],
            "dealer": int(g["dealer"]),
            "streak": int(g["streak"]),
            "dice": g["dice"][: self.games.rules[g["rules"]].deal.dice].tolist(),
            "wall": tiles.show_wall(g["wall"]),
            "actions": [f"{seat} {actions.NAMES[action]}" for seat, action in noted],
            **carried,
        }
        if g["phase"] == DONE:
            record["result"] = results(self.games.state[i : i + 1])[0]
        return record


def _fresh(games: Games) -> NDArray[np.bool_]:
    """Which tables stand before the first decision of their deal: (N,) bool."""
    state = games.state
    untouched = (state["n_discards"] == 0) & ~state["any_meld"] & ~state["baoting"].any(axis=1)
    fresh: NDArray[np.bool_] = untouched & (state["phase"] == TURN)
    return fresh
