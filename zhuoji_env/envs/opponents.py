"""Who sits at the seats that are not the learner's, asked in batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.asking import Player, name_of
from zhuoji_env.baselines import Agent
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.specs import resolve

Opponent = str | Agent
N_OTHERS = N_SEATS - 1
# Draws are told apart by the number of the deal, so that a table's seed alone settles its play.
SEED = 0


class Opponents:
    """One opponent for all three places, or three: next in order of play, across, before.

    Equal opponents are asked together. Raises ZhuojiError for what is neither a spec nor an agent,
    ValueError for another number of them.
    """

    def __init__(self, given: Opponent | Sequence[Opponent], n: int) -> None:
        several = isinstance(given, Sequence) and not isinstance(given, str)
        three: list[Opponent] = list(given) if several else [given] * N_OTHERS  # type: ignore[list-item, arg-type]
        if len(three) != N_OTHERS:
            raise ValueError(f"opponents are {len(three)}; allowed: one, or {N_OTHERS}")
        self.players: list[Player] = []
        known: dict[str | int, int] = {}
        self.places = np.empty(N_OTHERS, np.int64)
        for place, opponent in enumerate(three):
            key = opponent if isinstance(opponent, str) else id(opponent)
            if key not in known:
                known[key] = len(self.players)
                self.players.append(Player(name_of(opponent), resolve(opponent)))
            self.places[place] = known[key]
        self.reset(n)

    def reset(self, n: int) -> None:
        """Begin anew at up to n tables."""
        for player in self.players:
            player.reset(n, SEED)

    def act(
        self,
        views: NDArray[np.void],
        legal: NDArray[np.bool_],
        places: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Return (k,) int64 actions of the opponents at `places` (k,), 0 next to 2 before."""
        if len(self.players) == 1:
            return self.players[0].ask(views, legal, numbers)
        actions = np.empty(len(views), np.int64)
        whose = self.places[places]
        for i, player in enumerate(self.players):
            at = np.flatnonzero(whose == i)
            if len(at):
                actions[at] = player.ask(views[at], legal[at], numbers[at])
        return actions
