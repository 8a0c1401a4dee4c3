"""Sessions of deals at many tables: what the Gymnasium faces, single and vector, stand on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zhuoji_env import observation
from zhuoji_env.actions import N_ACTIONS, PASS
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import DONE, N_SEATS, VIEW
from zhuoji_env.envs import arguments, chance, lockstep
from zhuoji_env.envs.opponents import Opponent, Opponents
from zhuoji_env.errors import IllegalAction
from zhuoji_env.record.result import results
from zhuoji_env.rules.ruleset import Source

Rows = NDArray[np.int64]
# The seeds of tables by their numbers, and results by table.
Seeds = Mapping[int, int]
Told = dict[int, list[dict[str, Any]]]
ILLEGAL = ("raise", "random")


class Tables:
    """N tables, each at a session of `deals` deals, dealer and streak carried on (R45–R47).

    `deal`, then `advance`; again and again `play`, `advance` and `collect`. `over` (N,) bool says
    where the session has ended; `finished`, if `watched`, is a copy of the tables dealt on in the
    last advance. With `skip_forced` moves without a choice are played unasked. `illegal` is
    "raise", or "random": a random legal action is played instead.
    """

    def __init__(
        self,
        n: int,
        rules: Source | Sequence[Source],
        rules_index: ArrayLike | None,
        deals: int,
        illegal: str,
        skip_forced: bool,
    ) -> None:
        self.deals = arguments.count("deals", deals)
        arguments.one_of("illegal", illegal, ILLEGAL)
        self.games = Games(n, rules, rules_index=rules_index)
        self.illegal = illegal
        self.skip_forced = skip_forced
        self.over = np.zeros(n, np.bool_)
        self.watched = False
        self.finished: Games | None = None
        self._left = np.zeros(n, np.int64)
        self._due = np.zeros((n, N_SEATS), np.int64)
        self._told: Told = {}
        self._numbers = np.zeros(n, np.int64)
        self._decisions = np.zeros(n, np.int64)
        self._views: NDArray[np.void] = np.zeros(n, VIEW)
        self._shown = observation.of_views(self._views)

    def __len__(self) -> int:
        return len(self.games)

    @property
    def seats(self) -> NDArray[np.int8]:
        """Whose decisions are asked for: (N,) int8."""
        return self.games.seat

    # What happens

    def deal(
        self,
        rows: Rows,
        seeds: Seeds | None = None,
        *,
        walls: ArrayLike | None = None,
        dealers: ArrayLike | None = None,
        streaks: ArrayLike | None = None,
    ) -> None:
        """Begin sessions at some tables, where `seeds` names them from these table seeds.

        ValueError, changing nothing, for a wall, dealer or streak that cannot be.
        """
        state = self.games.state
        kept = state["seed"].copy(), state["deal"].copy()
        if seeds:
            at = list(seeds)
            state["seed"][at], state["deal"][at] = np.array(list(seeds.values()), np.uint64), -1
        try:
            self.games.reset(self._mask(rows), walls=walls, dealers=dealers, streaks=streaks)
        except ValueError:
            state["seed"], state["deal"] = kept
            raise
        self.over[rows] = False
        self.finished = None
        self._left[rows] = self.deals
        self._decisions[rows] = 0
        self.collect(rows)
        self._begin(rows)

    def play(self, rows: Rows, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Play actions[j] at table rows[j] and return what was played; or raise IllegalAction.

        Where a session ended before it had a decision to ask for, pass alone is legal.
        """
        ended = self.over[rows]
        live, chosen = rows[~ended], actions[~ended]
        if self.illegal == "random":
            chance.replace_illegal(self.games.state, live, chosen, self._numbers, self._decisions)
        elif np.any(ended & (actions != PASS)):
            raise self._illegal(rows, actions, int(np.argmax(ended & (actions != PASS))))
        self._step(live, chosen)
        self._decisions[rows] += 1
        self.finished = None
        played = np.full(len(rows), PASS)
        played[~ended] = chosen
        return played

    def advance(self) -> None:
        """Play on to the next decision that is asked for, or the session's end, at every table."""
        while True:
            ended = np.flatnonzero((self.games.phase == DONE) & ~self.over)
            if len(ended):
                self._end(ended)
            if not self._move() and not len(ended):
                return

    def collect(self, rows: Rows) -> tuple[NDArray[np.int64], Told]:
        """Hand over points and results of deals that ended at some tables since they were asked.

        Points (k, 4) int64, and by table the results in order.
        """
        points = self._due[rows]
        self._due[rows] = 0
        told = {}
        if self._told:
            told = {i: self._told.pop(i) for i in rows.tolist() if i in self._told}
        return points, told

    def _move(self) -> bool:
        """Have others decide where they are to act; False if there is nobody to ask."""
        return False

    def _step(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        games = self.games
        bad = lockstep.step_rows(games.state, games.records, games.wins, rows, actions)
        if bad >= 0:
            raise self._illegal(rows, actions, bad)
        self._skip(rows)

    def _skip(self, rows: Rows) -> None:
        if self.skip_forced:
            games = self.games
            lockstep.skip_forced(games.state, games.records, games.wins, rows)

    def _begin(self, rows: Rows) -> None:
        """Go on where tiles have just been dealt."""
        chance.number_deals(self.games.state, rows, self._numbers)
        self._skip(rows)

    def _end(self, rows: Rows) -> None:
        """Pay, tell, and deal on or end the session."""
        games = self.games
        self._due[rows] += games.scores[rows]
        for i, result in zip(rows.tolist(), results(games.state[rows]), strict=True):
            self._told.setdefault(i, []).append(result)
        self._left[rows] -= 1
        more = self._left[rows] > 0
        self.over[rows[~more]] = True
        again = rows[more]
        if len(again):
            if self.watched:
                self.finished = games[again]
            games.next_deal(self._mask(again))
            self._begin(again)

    def _mask(self, rows: Rows) -> NDArray[np.bool_]:
        where = np.zeros(len(self), np.bool_)
        where[rows] = True
        return where

    def _illegal(self, rows: Rows, actions: NDArray[np.int64], j: int) -> IllegalAction:
        i = int(rows[j])
        legal = np.flatnonzero(self.legal()[i]).tolist()
        return IllegalAction(i, int(self.games.seat[i]), int(actions[j]), legal)

    # What is shown

    def legal(self) -> NDArray[np.bool_]:
        """The legal actions: (N, 58) bool, a new array; pass alone where the session is over."""
        legal = self.games.legal
        legal[self.over, PASS] = True
        return legal

    def observe(self) -> dict[str, NDArray[Any]]:
        """Return new arrays: "observation" (N, C, 3, 9) and "action_mask" (N, 58) int8."""
        self.games.view(self._views, seats=self.seats)
        planes, rows = observation.of_views(self._views, self._shown)
        return {
            "observation": observation.stack(planes, rows),
            "action_mask": self.legal().view(np.int8),
        }


class LearnerTables(Tables):
    """Tables with one learner at each, whose decisions alone are asked for.

    `seat` is where it sits; None draws a seat for every session.
    """

    def __init__(
        self,
        n: int,
        rules: Source | Sequence[Source],
        rules_index: ArrayLike | None,
        deals: int,
        illegal: str,
        skip_forced: bool,
        opponents: Opponent | Sequence[Opponent],
        seat: int | None,
    ) -> None:
        super().__init__(n, rules, rules_index, deals, illegal, skip_forced)
        self.seat = arguments.seats(seat, ())
        self.opponents = Opponents(opponents, n)
        self._learners = np.zeros(n, np.int8)
        self._legal = np.zeros((n, N_ACTIONS), np.bool_)
        self._asked: NDArray[np.void] = np.zeros(n, VIEW)

    @property
    def seats(self) -> NDArray[np.int8]:
        """The learners' seats: (N,) int8."""
        return self._learners

    def deal(
        self,
        rows: Rows,
        seeds: Seeds | None = None,
        *,
        walls: ArrayLike | None = None,
        dealers: ArrayLike | None = None,
        streaks: ArrayLike | None = None,
        seats: ArrayLike | None = None,
    ) -> None:
        """Begin sessions as `Tables.deal` does, the learners at `seats`, (k,) or one for all."""
        given = self.seat if seats is None else arguments.seats(seats, rows.shape)
        super().deal(rows, seeds, walls=walls, dealers=dealers, streaks=streaks)
        if given is None:
            chance.draw_seats(self._numbers, rows, self._learners)
        else:
            self._learners[rows] = given
        if seeds and len(seeds) == len(self):
            self.opponents.reset(len(self))

    def _move(self) -> bool:
        games = self.games
        rows = np.flatnonzero((games.seat != self._learners) & (games.phase != DONE))
        n = len(rows)
        if not n:
            return False
        views, legal, seats = self._asked[:n], self._legal[:n], games.seat[rows]
        lockstep.view_rows(games.state, games.records, rows, seats, views, legal)
        places = (seats - self._learners[rows]) % N_SEATS - 1
        self._step(rows, self.opponents.act(views, legal, places, self._numbers[rows]))
        return True
