"""# The vector faces for Gymnasium: many tables, one batch

`SeatVectorEnv` is `zhuoji/Seat-v0` many times over, one learner a table:

    import gymnasium

    envs = gymnasium.make_vec("zhuoji_env:zhuoji/Seat-v0", num_envs=256, opponents="greedy")
    observations, infos = envs.reset(seed=0)
    actions = observations["action_mask"].argmax(axis=1)
    observations, rewards, terminations, truncations, infos = envs.step(actions)

`SelfPlayVectorEnv` asks for every seat's decisions, one a table and step, for self-play.

Both follow Gymnasium's VectorEnv: `single_observation_space` and `single_action_space` are those of
`zhuoji/Seat-v0`; the step after an episode has ended deals the next one, ignores its action and
rewards 0 (`AutoresetMode.NEXT_STEP`, in `metadata`). Every array returned is the caller's own.
Masks are never empty: where an episode is over they allow pass alone.

Table i begins from seed s + i after `reset(seed=s)`, or from `seed[i]` of a list (None goes on with
the table's own walls), and plays as a single environment with that seed does. Reset options are
those of `zhuoji/Seat-v0`; `dealer`, `streak` and `seat` may be one for all or one a table.

Infos are arrays, each with a mask of the same name and a leading underscore, as Gymnasium has them:
`seat` (N,) always, and where a deal has ended `bill` and `results`, where an action was replaced
`illegal` and `played`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.envs import arguments
from zhuoji_env.envs.opponents import Opponent
from zhuoji_env.envs.single import OPTIONS, Observation, known_options, observation_space, paid
from zhuoji_env.envs.tables import LearnerTables, Tables
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules.ruleset import Source

Rewards = NDArray[np.float64]
Flags = NDArray[np.bool_]
Seeds = int | Sequence[int | None] | None


class TablesVectorEnv(VectorEnv[Observation, ArrayLike, NDArray[Any]]):
    """What both faces share; `tables` is how they play."""

    options: ClassVar[tuple[str, ...]]
    # Gymnasium declares it so.
    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(self, tables: Tables, reward_scale: float) -> None:
        self.num_envs = len(tables)
        self.reward_scale = arguments.exact_scale(reward_scale)
        self.single_observation_space = observation_space()
        self.single_action_space = Discrete(N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.tables = tables
        self._all = np.arange(self.num_envs)
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._seeded = np.zeros(self.num_envs, np.bool_)

    @property
    def games(self) -> Games:
        """The tables themselves."""
        return self.tables.games

    def reset(
        self,
        *,
        seed: Seeds = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode at every table; ValueError, changing nothing, for a bad seed or option.

        `seed` s gives table i the seed s + i; a list gives each its own, None for going on.
        """
        given = known_options(options, self.options)
        self.tables.deal(self._all, self._table_seeds(seed), **given)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._seeded[:] = True
        self._ended[:] = False
        self.tables.advance()
        return self.tables.observe(), self._seats()

    def step(self, actions: ArrayLike) -> tuple[Observation, Rewards, Flags, Flags, dict[str, Any]]:
        """Play (N,) integers; IllegalAction, with nothing changed, unless `illegal="random"`."""
        if not self._seeded.all():
            raise ZhuojiError("no episode is running: call reset()")
        given, tables = arguments.batch(actions, self.num_envs), self.tables
        fresh, going = np.flatnonzero(self._ended), np.flatnonzero(~self._ended)
        played = tables.play(going, given[going])
        if len(fresh):
            tables.deal(fresh)
        tables.advance()
        points, told = tables.collect(going)
        self._ended = tables.over & ~self._ended
        infos = self._seats()
        for i, results in told.items():
            infos = self._add_info(infos, paid(results), i)
        for j in np.flatnonzero(played != given[going]):
            swap = {"illegal": int(given[going[j]]), "played": int(played[j])}
            infos = self._add_info(infos, swap, int(going[j]))
        rewards = self._rewards(going, points)
        truncations = np.zeros(self.num_envs, np.bool_)
        return tables.observe(), rewards, self._ended.copy(), truncations, infos

    def _rewards(self, rows: NDArray[np.int64], points: NDArray[np.int64]) -> Rewards:
        """Return everybody's rewards from the points (k, 4) paid at some tables."""
        raise NotImplementedError

    def _seats(self) -> dict[str, Any]:
        there = np.ones(self.num_envs, np.bool_)
        return {"seat": self.tables.seats.astype(np.int64), "_seat": there}

    def _table_seeds(self, seed: Seeds) -> dict[int, int]:
        """Return the seeds of those tables that begin anew."""
        if seed is None:
            each: list[int | None] = [None] * self.num_envs
        elif isinstance(seed, Sequence | np.ndarray):
            each = [arguments.seed(one) for one in seed]
        else:
            first = arguments.seed(seed) or 0
            each = [first + i for i in range(self.num_envs)]
        if len(each) != self.num_envs:
            raise ValueError(f"seeds are {len(each)}; allowed: one, or {self.num_envs}")
        for i in np.flatnonzero(~self._seeded):
            if each[i] is None:
                each[i] = int(self.np_random.integers(2**63))
        return {i: int(table_seeds(s, 1)[0]) for i, s in enumerate(each) if s is not None}


class SeatVectorEnv(TablesVectorEnv):
    """N tables of `zhuoji/Seat-v0`, with its arguments, rewards (N,) float64.

    `rules` may be several rulesets, `rules_index` (N,) then says each table's.
    """

    options = OPTIONS

    def __init__(
        self,
        num_envs: int = 256,
        rules: Source | Sequence[Source] = "guiyang",
        opponents: Opponent | Sequence[Opponent] = "greedy",
        deals: int = 1,
        seat: int | None = None,
        illegal: str = "raise",
        skip_forced: bool = True,
        reward_scale: float = 1.0,
        rules_index: ArrayLike | None = None,
    ) -> None:
        tables = LearnerTables(
            num_envs, rules, rules_index, deals, illegal, skip_forced, opponents, seat
        )
        super().__init__(tables, reward_scale)

    def _rewards(self, rows: NDArray[np.int64], points: NDArray[np.int64]) -> Rewards:
        rewards = np.zeros(self.num_envs)
        own = points[np.arange(len(rows)), self.tables.seats[rows]]
        rewards[rows] = own * self.reward_scale
        return rewards


class SelfPlayVectorEnv(TablesVectorEnv):
    """N tables of which every seat is played by the caller: one decision a table and step.

    Observation and masks are the acting seat's; `infos["seat"]` (N,) says which it is and
    `infos["table"]` (N,) the table's number. `rewards` is (N, 4) float64: all four seats are paid
    in the step that ends a deal, and 0 in others, so that what a decision led to is the sum of its
    seat's column up to that seat's next decision or the end. Each row adds up to 0. Wrappers of
    Gymnasium's that take a reward a table to be one number do not fit.
    """

    options = OPTIONS[:-1]

    def __init__(
        self,
        num_envs: int = 256,
        rules: Source | Sequence[Source] = "guiyang",
        deals: int = 1,
        illegal: str = "raise",
        skip_forced: bool = True,
        reward_scale: float = 1.0,
        rules_index: ArrayLike | None = None,
    ) -> None:
        tables = Tables(num_envs, rules, rules_index, deals, illegal, skip_forced)
        super().__init__(tables, reward_scale)

    def _seats(self) -> dict[str, Any]:
        there = np.ones(self.num_envs, np.bool_)
        return {**super()._seats(), "table": self._all.copy(), "_table": there}

    def _rewards(self, rows: NDArray[np.int64], points: NDArray[np.int64]) -> Rewards:
        rewards = np.zeros((self.num_envs, N_SEATS))
        rewards[rows] = points * self.reward_scale
        return rewards
