"""The stable-baselines3 face: one learner at each of many tables, opponents played in batch.

    from zhuoji_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv(num_envs=256, rules="guiyang", opponents={"greedy": 1, "random": 1}, seed=0)
    model = MaskablePPO(policy, env)

An episode is one deal. The learner's seat is drawn anew for every deal; its three opponents are
one agent, drawn by weight. A reward is what the deal paid (points x `reward_scale`), given at
the end of the deal in the step of the learner's last decision, whoever ended it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn

from zhuoji_env import observation
from zhuoji_env.actions import N_ACTIONS, PASS
from zhuoji_env.asking import Player, name_of
from zhuoji_env.baselines import Agent
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import DONE, N_SEATS, VIEW
from zhuoji_env.envs import arguments, lockstep
from zhuoji_env.errors import IllegalAction, ZhuojiError
from zhuoji_env.record.result import results
from zhuoji_env.rules.ruleset import Source
from zhuoji_env.specs import resolve

# A spec, an agent, or several of them with weights.
Opponents = str | Agent | Mapping[str, float] | Sequence[tuple[str | Agent, float]]


class SeatVecEnv(VecEnv):
    """N tables with a learner at each: a VecEnv with action masks for MaskablePPO.

    Observations are (N, C, 3, 9) float32 as `observation.stack` makes them, for the learners'
    seats; actions (N,) integers 0..57; `action_masks()` is (N, 58) bool and never empty. Every
    array returned is a copy. A finished deal is dealt anew in the same step: `infos[i]` then has
    `terminal_observation`, `terminal_action_mask` (pass alone), `episode` (r, l, t as Monitor
    writes them) and `deal` (what happened and the bill). A deal that ends before its learner's
    first decision is no episode and is dealt again.

    `opponents` are agents or their specs (a name, `module:factory`, a policy file), with weights;
    `carry_on` hands dealer and streak on from deal to deal (R45-R47) instead of beginning a session
    with each; `skip_forced` plays moves without a choice unasked; `reward_scale` is kept to
    float32's 24 bits. Equal seeds and actions give equal results. Raises IllegalAction, before
    anything changes, and ValueError, ZhuojiError or RulesError for bad arguments.
    """

    def __init__(
        self,
        num_envs: int = 256,
        rules: Source | Sequence[Source] = "guiyang",
        opponents: Opponents = "greedy",
        seed: int = 0,
        *,
        reward_scale: float = 1.0,
        skip_forced: bool = True,
        carry_on: bool = False,
        rules_index: NDArray[np.int_] | None = None,
    ) -> None:
        num_envs = arguments.count("num_envs", num_envs)
        self.rules, self.rules_index = rules, rules_index
        self.reward_scale = arguments.exact_scale(reward_scale)
        self.skip_forced, self.carry_on = skip_forced, carry_on
        self.render_mode = None
        low, high = observation.bounds()
        box = spaces.Box(low, high, dtype=np.float32)
        super().__init__(num_envs, box, spaces.Discrete(N_ACTIONS))
        self._players: list[Player] = []
        self._seat = np.zeros(num_envs, np.int8)
        self._agent = np.zeros(num_envs, np.int64)
        self._length = np.zeros(num_envs, np.int64)
        self._views: NDArray[np.void] = np.zeros(num_envs, VIEW)
        self._legal = np.zeros((num_envs, N_ACTIONS), np.bool_)
        self._actions: NDArray[np.int64] | None = None
        self._running = False
        self._began = time.perf_counter()
        self._begin(seed)
        self.set_opponents(opponents)
        self._seeds = [seed] * num_envs

    def _begin(self, seed: int) -> None:
        self._seed = seed
        self.games = Games(
            self.num_envs, self.rules, seed, rules_index=self.rules_index, purpose="training"
        )
        self._rng = np.random.default_rng(seed)
        self._reset_players(self._players)

    def _reset_players(self, players: Iterable[Player]) -> None:
        for player in players:
            words = self._rng.integers(2**31)
            player.reset(self.num_envs, int(words))

    def set_opponents(self, opponents: Opponents) -> None:
        """Change who is played against.

        Deals in progress go on with the agent they began with if it is still among them, else
        with one drawn from the new ones.
        """
        players, weights = _weighted(opponents)
        places = {id(player.agent): i for i, player in enumerate(players)}
        kept = np.array([places.get(id(player.agent), -1) for player in self._players], np.int64)
        known = {id(player.agent) for player in self._players}
        self._reset_players(player for player in players if id(player.agent) not in known)
        self._agent = kept[self._agent] if len(kept) else np.full(self.num_envs, -1)
        self._players, self._weights = players, weights
        lost = np.flatnonzero(self._agent < 0)
        self._agent[lost] = self._draw_agents(len(lost))

    def _draw_agents(self, n: int) -> NDArray[np.int64]:
        return self._rng.choice(len(self._players), size=n, p=self._weights)

    # Play

    def reset(self) -> NDArray[np.float32]:
        """Deal at every table and return the learners' first observations.

        After `seed(s)`, and the first time, everything begins from that seed; otherwise the
        tables' next walls are dealt.
        """
        if self._seeds[0] is not None:
            self._begin(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._actions = None
        self._running = True
        self._deal(np.arange(self.num_envs), carry_on=False)
        self._until_learners_wait()
        return self._observe()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Begin from this seed at the next reset."""
        first = arguments.seed(seed)
        if first is None:
            first = int(np.random.default_rng().integers(2**31))
        self._seeds = [first] * self.num_envs
        return self._seeds

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the learners' actions, (N,) integers."""
        if not self._running:
            raise ZhuojiError("no episode is running: call reset()")
        self._actions = arguments.batch(actions, self.num_envs)

    def step_wait(self) -> VecEnvStepReturn:
        """Play until every table waits for its learner again or has ended its deal."""
        if self._actions is None:
            raise RuntimeError("step_wait() needs a step_async() first")
        actions, self._actions = self._actions, None
        self._play(np.arange(self.num_envs), actions)
        self._length += 1
        rewards = np.zeros(self.num_envs, np.float32)
        dones = np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._until_learners_wait(rewards, dones, infos)
        return self._observe(), rewards, dones, infos

    def _play(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        games = self.games
        bad = lockstep.step_rows(games.state, games.records, games.wins, rows, actions)
        if bad >= 0:
            i = int(rows[bad])
            legal = np.flatnonzero(games.legal[i])
            raise IllegalAction(i, int(games.seat[i]), int(actions[bad]), legal.tolist())
        if self.skip_forced:
            lockstep.skip_forced(games.state, games.records, games.wins, rows)

    def _until_learners_wait(
        self,
        rewards: NDArray[np.float32] | None = None,
        dones: NDArray[np.bool_] | None = None,
        infos: list[dict[str, Any]] | None = None,
    ) -> None:
        games = self.games
        while True:
            over = np.flatnonzero(games.phase == DONE)
            if len(over):
                if rewards is not None and dones is not None and infos is not None:
                    # A deal begun in this very step and over already is not an episode.
                    ended = over[~dones[over]]
                    dones[ended] = True
                    scores = games.scores[ended, self._seat[ended]]
                    rewards[ended] = scores * self.reward_scale
                    self._report(ended, rewards, infos)
                self._deal(over, self.carry_on)
                continue
            rows = np.flatnonzero(games.seat != self._seat)
            if not len(rows):
                return
            self._play(rows, self._choose(rows))

    def _choose(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the opponents' actions at the tables `rows`."""
        games, n = self.games, len(rows)
        views, legal = self._views[:n], self._legal[:n]
        seats = games.seat[rows]
        lockstep.view_rows(games.state, games.records, rows, seats, views, legal)
        if len(self._players) == 1:
            return self._players[0].ask(views, legal)
        actions = np.empty(n, np.int64)
        whose = self._agent[rows]
        for i, player in enumerate(self._players):
            at = np.flatnonzero(whose == i)
            if len(at):
                actions[at] = player.ask(views[at], legal[at])
        return actions

    def _deal(self, rows: NDArray[np.int64], carry_on: bool) -> None:
        games = self.games
        where = np.zeros(self.num_envs, np.bool_)
        where[rows] = True
        if carry_on:
            games.next_deal(where)
        else:
            games.reset(where)
        self._seat[rows] = self._rng.integers(N_SEATS, size=len(rows))
        self._agent[rows] = self._draw_agents(len(rows))
        self._length[rows] = 0
        if self.skip_forced:
            lockstep.skip_forced(games.state, games.records, games.wins, rows)

    def _report(
        self,
        rows: NDArray[np.int64],
        rewards: NDArray[np.float32],
        infos: list[dict[str, Any]],
    ) -> None:
        if not len(rows):
            return
        views = np.zeros(len(rows), VIEW)
        legal = np.zeros((len(rows), N_ACTIONS), np.bool_)
        games, seats = self.games, self._seat[rows]
        lockstep.view_rows(games.state, games.records, rows, seats, views, legal)
        shown = observation.stack(*observation.of_views(views))
        legal[:, PASS] = True
        elapsed = round(time.perf_counter() - self._began, 6)
        told = results(games.state[rows])
        for j, i in enumerate(rows.tolist()):
            infos[i] = {
                "terminal_observation": shown[j].copy(),
                "terminal_action_mask": legal[j].copy(),
                "TimeLimit.truncated": False,
                "episode": {"r": float(rewards[i]), "l": int(self._length[i]), "t": elapsed},
                "deal": self._deal_info(i, told[j]),
            }

    def _deal_info(self, i: int, result: dict[str, Any]) -> dict[str, Any]:
        g = self.games.state[i]
        return {
            "seat": int(self._seat[i]),
            "dealer": int(g["dealer"]),
            "streak": int(g["streak"]),
            "opponents": self._players[self._agent[i]].name,
            "end": result["end"],
            "winners": sorted(result["winners"]),
            "shooter": result["shooter"],
            "ready": result["ready"],
            "scores": result["scores"],
            "bill": [tuple(item) for item in result["items"]],
        }

    # What is shown

    def _observe(self) -> NDArray[np.float32]:
        planes, rows = observation.observe(self.games, seats=self._seat)
        return observation.stack(planes, rows)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learners' legal actions: (N, 58) bool, at least one in each row."""
        return self.games.legal

    # The rest of the VecEnv contract

    def close(self) -> None:
        """Nothing is held open."""

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method and return its row of each table asked for (`action_masks` has rows)."""
        rows = getattr(self, method_name)(*args, **kwargs)
        return [rows[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute once for each table asked for."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute, which all tables share."""
        if indices is not None:
            raise ValueError(f"{attr_name} is shared by all tables; allowed: indices=None")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """Return whether the tables are wrapped; episodes are reported as Monitor reports them."""
        return [wrapper_class.__name__ == "Monitor" for _ in self._get_indices(indices)]


def _weighted(opponents: Opponents) -> tuple[list[Player], NDArray[np.float64]]:
    """Return the players and their shares, which add up to 1."""
    if isinstance(opponents, str | Agent):
        pairs: list[Any] = [(opponents, 1.0)]
    elif isinstance(opponents, Mapping):
        pairs = list(opponents.items())
    elif isinstance(opponents, Sequence) and all(_is_pair(pair) for pair in opponents):
        pairs = list(opponents)
    else:
        raise ZhuojiError(
            f"opponents are {opponents!r}; allowed: a spec or an Agent, or a mapping or pairs of "
            "them and their weights"
        )
    weights = np.array([arguments.number(weight) for _, weight in pairs])
    if not len(weights) or not np.all(np.isfinite(weights) & (weights >= 0)) or not weights.sum():
        raise ValueError(
            f"opponents weigh {[weight for _, weight in pairs]}; "
            "allowed: numbers of 0 or more, not all 0"
        )
    players = [Player(name_of(who), resolve(who)) for who, _ in pairs]
    return players, weights / weights.sum()


def _is_pair(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2
