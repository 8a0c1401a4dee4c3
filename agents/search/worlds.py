"""Worlds and what becomes of them: drawn from a view, forked for each action, played to the end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.belief import believed
from agents.search.settings import Belief
from zhuoji_env import Games, determinize
from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.arena.play import gather
from zhuoji_env.asking import Player
from zhuoji_env.baselines import draw_state
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import GAME, N_SEATS, VIEW, rules_of
from zhuoji_env.rules import Rules

Views = NDArray[np.void]
Points = NDArray[np.float64]


@kernel
def _states(views: Any, numbers: NDArray[np.int64], seed: Any, out: NDArray[np.uint64]) -> None:
    for i in range(views.shape[0]):
        out[i] = draw_state(views[i], seed, numbers[i])


class Supply:
    """Worlds of some views: a function of seed, number and view, and of how many are taken.

    `worlds` of a view are drawn at once, if `whole` or because a baoting seat makes the first cost
    as much as all; else as many as are asked for.
    """

    def __init__(
        self,
        views: Views,
        numbers: NDArray[np.int64],
        seed: np.uint64,
        worlds: int,
        belief: Belief | None,
        whole: bool,
    ) -> None:
        self.views, self.belief = views, belief
        self._at_once = np.where(whole | views["baoting"].any(axis=1), worlds, 0)
        states = np.empty(len(views), np.uint64)
        _states(views, numbers, seed, states)
        self._draws = [np.random.default_rng(int(state)) for state in states]
        self._kept: list[NDArray[np.void]] = [np.zeros(0, GAME) for _ in views]
        rules = [rules_of(view["rules"]) for view in views]
        self.rules: list[Rules] = list(dict.fromkeys(rules))
        self._index = [self.rules.index(one) for one in rules]

    def take(self, which: NDArray[np.int64], n: int) -> Games:
        """Return the next n worlds of some views, view by view."""
        worlds = Games(len(which) * n, self.rules)
        for place, i in enumerate(which):
            while len(self._kept[i]) < n:
                drawn = self._draw(i, max(n - len(self._kept[i]), int(self._at_once[i])))
                drawn["rules"] = self._index[i]
                self._kept[i] = np.concatenate([self._kept[i], drawn])
            worlds.state[place * n : place * n + n] = self._kept[i][:n]
            self._kept[i] = self._kept[i][n:]
        return worlds

    def _draw(self, i: int, n: int) -> NDArray[np.void]:
        view, rng = self.views[i : i + 1], self._draws[i]
        if self.belief is None:
            return determinize(view, n, rng).state
        starts = determinize(view, -(-n // self.belief.share), rng)
        return believed(view, starts, self.belief, rng)[:n]


def play_out(games: Games, policy: Player) -> None:
    """Play every table to the end of its deal, each seat by what the policy makes of its view.

    A policy that draws at random draws the same in the same world, whatever was played before.
    """
    n = len(games)
    worlds = games.state["seed"].astype(np.int64)
    deals, seats = np.zeros(n, np.int64), np.zeros((1, N_SEATS), np.int8)
    starts, order = np.zeros(2, np.int64), np.empty(n, np.int64)
    views, legal = np.empty(n, VIEW), np.empty((n, N_ACTIONS), np.bool_)
    actions = np.zeros(n, np.int64)
    while True:
        gather(games.state, games.records, deals, seats, starts, order, views, legal)
        live = order[: starts[1]]
        if not len(live):
            return
        actions[live] = policy.ask(views[: len(live)], legal[: len(live)], worlds[live])
        games.step(actions)


def outcomes(
    worlds: Games, forks: NDArray[np.int64], actions: NDArray[np.int64], policy: Player
) -> Points:
    """Return what the acting seat is paid after each action, (k,) points: forks name the worlds."""
    seats = worlds.seat[forks].astype(np.int64)
    games = worlds[forks]
    games.step(actions)
    play_out(games, policy)
    points: Points = games.scores[np.arange(len(forks)), seats].astype(np.float64)
    return points
