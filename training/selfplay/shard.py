"""A shard: some tables, played on from update to update, a pure function of weights and its state.

A shard plays `steps` real choices at each of its tables. All four seats learn where the league
gives them none else; moves without a choice ask no network. A deal that the update ends in the
midst of is carried: its decisions wait, with the probabilities they were played with, and join the
batch of the update in which it ends. So every return is what was paid, none is cut short or guessed
by the critic; the price is that some decisions are an update old, seldom two, which PPO's ratio
accounts for. A run's first batch has its short deals alone; the long ones come with the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from training.selfplay import tables as kernels
from training.selfplay.rows import Arrays, Batch, Rows
from training.selfplay.tables import ENDED
from zhuoji_env import observation
from zhuoji_env.asking import Player, legal_of
from zhuoji_env.engine import tables as lookup
from zhuoji_env.engine.layout import VIEW
from zhuoji_env.observation.writing import write_oracle
from zhuoji_env.rules import Rules

Weights = Mapping[str, Tensor]


@dataclass(frozen=True)
class ShardPlan:
    """What makes a shard; plain values, so that it may be sent to another process."""

    rules: tuple[Rules, ...]
    # Points of one sigma, by ruleset.
    sigma: tuple[float, ...]
    # Ruleset of each table.
    rules_index: tuple[int, ...]
    seed: int
    # Number of the first table, which its seeds follow from.
    first: int
    steps: int
    network: NetworkConfig
    bfloat16: bool
    # Names of the agents among the opponents.
    agents: tuple[str, ...]
    # Shares of deals: current, past, then each agent; they add up to 1.
    shares: tuple[float, ...]
    past_seats: tuple[int, ...]
    agent_seats: tuple[int, ...]


class Shard:
    """Some tables and what is under way at them."""

    def __init__(self, plan: ShardPlan) -> None:
        self.plan = plan
        n = len(plan.rules_index)
        self.games = zj.Games(
            n,
            rules=list(plan.rules),
            rules_index=np.array(plan.rules_index),
            seed=plan.seed,
            purpose="training",
            first=plan.first,
        )
        self.who: NDArray[np.int8] = np.zeros((n, 4), np.int8)
        self.counts: NDArray[np.int64] = np.zeros(n, np.int64)
        self.open = Rows.empty(0)
        self._shares = np.array(plan.shares, np.float64)
        self._past_seats = np.array(plan.past_seats)
        self._agent_seats = np.array(plan.agent_seats)
        self._players = [Player(name, zj.specs.make(name)) for name in plan.agents]
        for player in self._players:
            player.reset(n, plan.seed)
        self._views: NDArray[np.void] = np.zeros(n, VIEW)
        self._draws: NDArray[np.float64] = np.zeros(n, np.float64)
        self._order: NDArray[np.int64] = np.zeros(n, np.int64)
        self._starts: NDArray[np.int64] = np.zeros(len(plan.shares) + 1, np.int64)
        self._actions: NDArray[np.int64] = np.full(n, -1)
        self._ended: NDArray[np.void] = np.zeros(n, ENDED)
        self.games.reset()
        for i in range(n):
            g, who = self.games.state[i], self.who[i]
            kernels.seat_deal(g, self._shares, self._past_seats, self._agent_seats, who)

    def state(self) -> Arrays:
        """Return all that a shard needs to go on."""
        kept: Arrays = {
            "games": self.games.state.view(np.uint8).reshape(len(self.games), -1),
            "who": self.who,
            "counts": self.counts,
        }
        return {
            **{name: array.copy() for name, array in kept.items()},
            **{f"open.{name}": array for name, array in self.open.arrays().items()},
        }

    def load_state(self, state: Arrays) -> None:
        """Take up a state that `state` returned."""
        games = np.ascontiguousarray(state["games"])
        self.games.state[:] = games.reshape(-1).view(self.games.state.dtype)
        self.who[:], self.counts[:] = state["who"], state["counts"]
        self.open = Rows(**{f.name: state[f"open.{f.name}"] for f in fields(Rows)})

    def collect(self, weights: Weights, past: Weights) -> Batch:
        """Play `steps` choices at every table and return the trajectories that ended."""
        plan = self.plan
        learner, other = network(plan.network, weights), network(plan.network, past)
        rows = Rows.empty(len(self.open) + plan.steps * len(self.games))
        rows.put(0, self.open)
        filled = len(self.open)
        deals = []
        with torch.inference_mode(), precision(plan.bfloat16):
            for _ in range(plan.steps):
                deals.append(self._advance())
                filled = self._decide(learner, other, rows, filled)
        deals.append(self._advance())
        self._actions[:] = -1
        return self._close(rows.take(slice(filled)), np.concatenate(deals))

    def _advance(self) -> NDArray[np.void]:
        """Play the actions that stand and go on to the next choices; return the ended deals."""
        games = self.games
        n = kernels.advance(
            games.state,
            games.records,
            games.wins,
            kernels.GROUP_OF,
            self._shares,
            self._past_seats,
            self._agent_seats,
            self.who,
            self._actions,
            self._ended,
        )
        return self._ended[:n].copy()

    def _decide(self, learner: Network, past: Network, rows: Rows, filled: int) -> int:
        """Let each player choose at its seats; return how many rows are filled then."""
        games, starts, order, views = self.games, self._starts, self._order, self._views
        kernels.gather(
            *(games.state, games.records, self.who, self.counts),
            *(starts, order, views, self._draws),
        )
        self._actions[:] = -1
        end = starts[1]
        at = order[:end]
        mine = rows.take(slice(filled, filled + end))
        mine.table[:], mine.seat[:], mine.deal[:] = at, games.seat[at], games.state["deal"][at]
        mine.legal[:] = views["legal"][:end]
        state = games.state[at]
        write_oracle(state, mine.seat, mine.truth)
        kernels.write_standing(state, games.records, mine.seat, lookup.needs(), mine.truth)
        observation.of_views(views[:end], (mine.planes, mine.globals))
        choose(learner, mine.planes, mine.globals, mine.legal, self._draws[:end], mine)
        self._actions[at] = mine.action
        if starts[2] > end:
            self._play_past(past, slice(end, starts[2]))
        for k, player in enumerate(self._players):
            self._play_agent(player, slice(starts[2 + k], starts[3 + k]))
        return filled + int(end)

    def _play_past(self, past: Network, rows: slice) -> None:
        views = self._views[rows]
        shown = observation.of_views(views)
        legal = np.ascontiguousarray(views["legal"])
        out = _Choice(np.empty(len(views), np.int64), np.empty(len(views), np.float32))
        choose(past, *shown, legal, self._draws[rows], out)
        self._actions[self._order[rows]] = out.action

    def _play_agent(self, player: Player, rows: slice) -> None:
        views = self._views[rows]
        if len(views):
            at = self._order[rows]
            self._actions[at] = player.ask(views, legal_of(views), self.plan.first + at)

    def _close(self, rows: Rows, deals: NDArray[np.void]) -> Batch:
        """Split rows into trajectories that ended and those that go on."""
        over = self.games.state["deal"][rows.table] != rows.deal
        self.open = rows.take(~over)
        ended = rows.take(np.flatnonzero(over)[_by_trajectory(rows, over)])
        deals = deals[np.lexsort((deals["deal"], deals["table"]))]
        # Rows and deals are both in the order of tables, then of deals at each.
        changes = np.diff(ended.deal, prepend=-1) | np.diff(ended.table, prepend=-1)
        key = _key(deals["table"], deals["deal"])
        place = np.searchsorted(key, _key(ended.table, ended.deal))
        new = (changes != 0) | (np.diff(ended.seat, prepend=-1) != 0)
        last = np.append(new[1:], True)[: len(ended)]
        sigma = np.array(self.plan.sigma)[deals["rules"][place]]
        seat = ended.seat
        return Batch(
            rows=ended,
            last=last,
            reward=(deals["scores"][place, seat] / sigma).astype(np.float32),
            items=(deals["items"][place, seat] / sigma[:, None]).astype(np.float32),
            deals=deals,
        )


def _key(table: NDArray[Any], deal: NDArray[Any]) -> NDArray[np.int64]:
    """Return numbers that order (table, deal); a table plays far fewer than 2^40 deals."""
    key: NDArray[np.int64] = table.astype(np.int64) << 40 | deal
    return key


def _by_trajectory(rows: Rows, where: NDArray[np.bool_]) -> NDArray[np.int64]:
    order: NDArray[np.int64] = np.lexsort((rows.seat[where], rows.deal[where], rows.table[where]))
    return order


@dataclass
class _Choice:
    """Where a choice is written: (M,) each."""

    action: NDArray[np.int64]
    log_prob: NDArray[np.float32]


def choose(
    actor: Network,
    planes: NDArray[np.int8],
    rows: NDArray[np.float32],
    legal: NDArray[np.int64],
    draws: NDArray[np.float64],
    out: _Choice | Rows,
) -> None:
    """Write actions drawn from an actor's softmax, and their log-probabilities, into `out`."""
    if len(planes):
        logits = actor(torch.from_numpy(planes), torch.from_numpy(rows)).float().numpy()
        kernels.choose(logits, legal, draws, out.action, out.log_prob)


def network(size: NetworkConfig, weights: Weights) -> Network:
    """Return a network that plays with some weights, which it shares."""
    with torch.device("meta"):
        built = Network(size)
    built.load_state_dict(dict(weights), assign=True)
    return built.eval()


def precision(bfloat16: bool, device: str = "cpu") -> Any:
    """Return the context that networks are evaluated in."""
    return torch.autocast(device, torch.bfloat16) if bfloat16 else nullcontext()
