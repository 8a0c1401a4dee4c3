"""The search itself: sequential halving over actions, in worlds that all of them share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import Sizes, by_time, by_worlds
from agents.search.candidates import NONE, Views, shortlist
from agents.search.settings import Settings
from agents.search.worlds import Points, Supply, outcomes
from zhuoji_env.asking import Player, name_of
from zhuoji_env.baselines import Agent

Actions = NDArray[np.int64]


class Field:
    """The actions compared at some views, and their gaps to the base's own, column 0.

    All actions of a view that still stand have been played in the same `worlds` worlds. The sums
    are of whole points, so that they are exact.
    """

    def __init__(self, actions: Actions) -> None:
        self.actions = actions  # (n, k) int64, NONE beyond the last
        self.stands: NDArray[np.bool_] = actions != NONE
        self.worlds = 0
        self._sums = np.zeros(actions.shape)
        self._squares = np.zeros(actions.shape)

    def open(self) -> NDArray[np.int64]:
        """Return the views at which more than one action stands."""
        return np.flatnonzero(self.stands.sum(axis=1) > 1)

    def add(self, rows: NDArray[np.int64], columns: NDArray[np.int64], points: Points) -> None:
        """Add a round: points (pairs, worlds) of actions that stand, view by view."""
        first = np.searchsorted(rows, rows)  # column 0 is the first of its view
        gaps = points - points[first]
        self._sums[rows, columns] += gaps.sum(axis=1)
        self._squares[rows, columns] += (gaps**2).sum(axis=1)
        self.worlds += points.shape[1]

    def gaps(self) -> tuple[Points, Points]:
        """Return mean gaps (n, k) in points, -inf for what has been dropped, and their errors."""
        n = max(self.worlds, 1)
        means = self._sums / n
        variances = np.maximum(self._squares / n - means**2, 0) * n / max(n - 1, 1)
        return np.where(self.stands, means, -np.inf), np.sqrt(variances / n)

    def halve(self, errors: float) -> None:
        """Drop the worse half of the actions, and those clearly worse than the base's own.

        The base's own stays.
        """
        means, spread = self.gaps()
        means[:, 0] = np.inf
        rank = np.argsort(np.argsort(-means, axis=1, kind="stable"), axis=1)
        kept = np.maximum((self.stands.sum(axis=1) + 1) // 2, 2)
        self.stands &= (rank < kept[:, None]) & (means > -errors * spread)

    def verdict(self, errors: float) -> Verdict:
        """Prefer the action of the largest gap that exceeds so many errors, else the base's own."""
        means, spread = self.gaps()
        means[(means <= errors * spread) & (np.arange(means.shape[1]) > 0)] = -np.inf
        rows, best = np.arange(len(means)), means.argmax(axis=1)
        return Verdict(
            self.actions[:, 0], self.actions[rows, best], means[rows, best], spread[rows, best]
        )


class Verdict(NamedTuple):
    """What a search makes of n views."""

    base: Actions  # (n,) what the base would do
    action: Actions  # (n,) what is better, or the same
    gap: Points  # (n,) points by which it seems better
    error: Points  # (n,) standard error of the gap


class Search:
    """A base policy, bettered one step deep by play-outs; it reads VIEW records alone.

    At each view with a choice the likeliest actions are played in worlds drawn from what the view
    leaves open, everybody plays on by `rollout`, and the base's own action stands unless another
    is paid more by so many standard errors of the paired difference. Without a time limit an
    action is a function of seed, view and table number alone.
    """

    needs_observations = False

    def __init__(self, base: Agent, rollout: Agent, settings: Settings, seed: int = 0) -> None:
        self.settings = settings
        self.name = f"search({name_of(base)})"
        self.thread_safe = all(getattr(one, "thread_safe", False) for one in (base, rollout))
        self._base, self._rollout = (Player(name_of(one), one) for one in (base, rollout))
        self.reset(0, seed)

    def reset(self, n: int, seed: int) -> None:
        """Take a new seed (0 or more); nothing is kept per table."""
        self._base.reset(n, seed)
        self._rollout.reset(n, seed)
        self._seed = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]

    def act(
        self,
        views: Views,
        legal: NDArray[np.bool_],
        observations: Any = None,
        tables: NDArray[np.int64] | None = None,
    ) -> Actions:
        """Return an action per view, (k,) int64."""
        return self.judge(views, legal, tables).action

    def judge(
        self, views: Views, legal: NDArray[np.bool_], tables: NDArray[np.int64] | None = None
    ) -> Verdict:
        """Return what the base would do, what is better, and by how much as far as it seems."""
        numbers = np.zeros(len(views), np.int64) if tables is None else tables
        base = self._base.ask(views, legal, numbers)
        found = Verdict(base, base.copy(), np.zeros(len(views)), np.zeros(len(views)))
        choosing = np.flatnonzero(legal.sum(axis=1) > 1)
        at_once = max(1, self.settings.tables // (self.settings.worlds * 2))
        for first in range(0, len(choosing), at_once):
            part = choosing[first : first + at_once]
            better = self._compare(views[part], numbers[part], base[part])
            for whole, piece in zip(found, better, strict=True):
                whole[part] = piece
        return found

    def _compare(self, views: Views, numbers: NDArray[np.int64], base: Actions) -> Verdict:
        """Return the verdict on some views with a choice."""
        sizes = self._sizes(len(views))
        given = self.settings
        field = Field(shortlist(self._base.agent, views, base, given.candidates))
        whole = given.milliseconds is None
        supply = Supply(views, numbers, self._seed, given.worlds, given.belief, whole)
        for stage in range(given.stages):
            for n in sizes(stage):
                self._round(field, supply, n)
            if stage < given.stages - 1:
                field.halve(given.errors)
            if not len(field.open()):
                break
        return field.verdict(given.errors)

    def _sizes(self, n: int) -> Sizes:
        given = self.settings
        if given.milliseconds is None:
            return by_worlds(given.worlds, given.stages)
        return by_time(n * given.milliseconds / 1000, given.stages, given.worlds)

    def _round(self, field: Field, supply: Supply, n: int) -> None:
        """Play every action that stands in n more worlds of its view."""
        which = field.open()
        at, columns = np.nonzero(field.stands[which])
        worlds = supply.take(which, n)
        forks = (at[:, None] * n + np.arange(n)).ravel()
        actions = np.repeat(field.actions[which[at], columns], n)
        points = outcomes(worlds, forks, actions, self._rollout)
        field.add(which[at], columns, points.reshape(-1, n))
