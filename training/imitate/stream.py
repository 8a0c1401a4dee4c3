"""Decisions straight from the engine: tables in lockstep, and what the teacher would do at each.

Most deals are the teacher's own. In a share of them the student, as it then is, or somebody else
sits at some seats: the teacher names what it would have done there, and so the student learns what
to do after its own mistakes (DAgger: Ross, Gordon, Bagnell 2011, arXiv 1011.0686). Moves without a
choice are played and not learnt from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray

import zhuoji_env as zj
from agents.network import Network
from training.selfplay import tables as kernels
from training.selfplay.rows import Arrays
from training.selfplay.shard import precision
from training.selfplay.tables import AGENT, ENDED, PAST
from zhuoji_env import observation
from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.asking import Player
from zhuoji_env.engine.layout import VIEW
from zhuoji_env.rules import Rules
from zhuoji_env.tiles import N_KINDS

# Who sits where is drawn by the self-play trainer's kernels: its learner is the teacher here, its
# past copy the student. How many seats those take who are not the teacher, each as likely:
STUDENT_SEATS, STRAY_SEATS = np.array([1, 2, 3, 4]), np.array([1, 2, 3])
STUDENT = PAST


@runtime_checkable
class Teacher(Protocol):
    """An agent that prices every action; it takes the first of the greatest scores."""

    def scores(self, views: NDArray[np.void]) -> NDArray[np.float64]:
        """Return what each action comes to, (n, 58) in fan, -inf for illegal ones."""


@dataclass(frozen=True)
class Plan:
    """What makes a stream; its decisions follow from it and the student's weights."""

    rules: tuple[Rules, ...]
    # Ruleset of each table.
    rules_index: tuple[int, ...]
    seed: int
    # Number of the first table, which its seeds follow from.
    first: int
    # Shares of deals: the teacher's own, with the student, then with each of the strays.
    shares: tuple[float, ...] = (1.0, 0.0)
    strays: tuple[str, ...] = ()
    bfloat16: bool = True


@dataclass
class Decisions:
    """Decisions and what the teacher makes of them; every array has one row each."""

    views: NDArray[np.void]  # (M,) VIEW
    planes: NDArray[np.int8]  # (M, P, 27)
    globals: NDArray[np.float32]  # (M, G)
    scores: NDArray[np.float32]  # (M, 58) in units of ping_hu, -inf for illegal actions
    action: NDArray[np.int64]  # (M,) the teacher's

    def __len__(self) -> int:
        return len(self.action)

    def take(self, where: NDArray[Any] | slice) -> Decisions:
        """Return some rows: a mask, indices or a slice."""
        return Decisions(**{f.name: getattr(self, f.name)[where] for f in fields(self)})

    @classmethod
    def empty(cls, n: int) -> Decisions:
        """Return n rows, not yet written."""
        return cls(
            views=np.empty(n, VIEW),
            planes=np.empty((n, observation.N_PLANES, N_KINDS), np.int8),
            globals=np.empty((n, observation.N_GLOBALS), np.float32),
            scores=np.empty((n, N_ACTIONS), np.float32),
            action=np.empty(n, np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Decisions]) -> Decisions:
        """Return the rows of several."""
        return cls(
            **{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)}
        )


class Stream:
    """Some tables and what is under way at them."""

    def __init__(self, plan: Plan, teacher: Teacher) -> None:
        self.plan, self.teacher = plan, teacher
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
        # `gather` draws for players that sample; nobody here does.
        self._counts: NDArray[np.int64] = np.zeros(n, np.int64)
        self._draws: NDArray[np.float64] = np.zeros(n, np.float64)
        self._shares = np.array(plan.shares, np.float64)
        self._strays = [Player(name, zj.specs.make(name)) for name in plan.strays]
        for player in self._strays:
            player.reset(n, plan.seed)
        self._order: NDArray[np.int64] = np.zeros(n, np.int64)
        self._starts: NDArray[np.int64] = np.zeros(len(plan.shares) + 1, np.int64)
        self._actions: NDArray[np.int64] = np.full(n, -1)
        self._ended: NDArray[np.void] = np.zeros(n, ENDED)
        self.games.reset()
        for i in range(n):
            seating = (self._shares, STUDENT_SEATS, STRAY_SEATS)
            kernels.seat_deal(self.games.state[i], *seating, self.who[i])

    def state(self) -> Arrays:
        """Return all that a stream needs to go on between two rounds."""
        games = self.games.state.view(np.uint8).reshape(len(self.games), -1)
        return {"games": games.copy(), "who": self.who.copy()}

    def load_state(self, state: Arrays) -> None:
        """Take up a state that `state` returned."""
        games = np.ascontiguousarray(state["games"])
        self.games.state[:] = games.reshape(-1).view(self.games.state.dtype)
        self.who[:] = state["who"]

    def collect(self, steps: int, student: Network | None = None) -> tuple[Decisions, int]:
        """Play `steps` choices at every table; return the decisions and how many deals ended.

        `student` plays where it sits; a plan that seats it needs one.
        """
        out = Decisions.empty(steps * len(self.games))
        filled = deals = 0
        with torch.inference_mode(), precision(self.plan.bfloat16):
            for _ in range(steps):
                deals += self._advance()
                filled += self._decide(student, out, filled)
        deals += self._advance()
        self._actions[:] = -1
        return out.take(slice(filled)), deals

    def _advance(self) -> int:
        """Play the actions that stand and go on to the next choices; return how many deals end."""
        games = self.games
        n: int = kernels.advance(
            *(games.state, games.records, games.wins, kernels.GROUP_OF),
            *(self._shares, STUDENT_SEATS, STRAY_SEATS),
            *(self.who, self._actions, self._ended),
        )
        return n

    def _decide(self, student: Network | None, out: Decisions, filled: int) -> int:
        """Ask the teacher at every table and act for whoever sits there; return the rows filled."""
        games, starts, order = self.games, self._starts, self._order
        views = out.views[filled : filled + len(games)]
        kernels.gather(
            *(games.state, games.records, self.who, self._counts),
            *(starts, order, views, self._draws),
        )
        n = int(starts[-1])
        rows = out.take(slice(filled, filled + n))
        observation.of_views(rows.views, (rows.planes, rows.globals))
        scores = self.teacher.scores(rows.views)
        rows.action[:] = scores.argmax(1)
        rows.scores[:] = scores / rows.views["rules"]["hand_ping_hu"][:, None]
        played = rows.action.copy()
        if starts[STUDENT + 1] > starts[STUDENT]:
            assert student is not None
            mine = rows.take(slice(starts[STUDENT], starts[STUDENT + 1]))
            played[starts[STUDENT] : starts[STUDENT + 1]] = answers(student, mine)
        for k, player in enumerate(self._strays):
            at = slice(starts[AGENT + k], starts[AGENT + k + 1])
            if at.stop > at.start:
                theirs = rows.views[at]
                legal = rows.scores[at] > -np.inf
                played[at] = player.ask(theirs, legal, self.plan.first + order[at])
        self._actions[:] = -1
        self._actions[order[:n]] = played
        return n


def answers(student: Network, rows: Decisions) -> NDArray[np.int64]:
    """Return the student's likeliest legal actions, (M,) int64."""
    logits = student(torch.from_numpy(rows.planes), torch.from_numpy(rows.globals)).float()
    legal = torch.from_numpy(rows.scores > -np.inf)
    best: NDArray[np.int64] = logits.masked_fill(~legal, -torch.inf).argmax(1).numpy()
    return best
