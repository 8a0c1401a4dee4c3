"""The fitting: cross-entropy on what the teacher does, or on its scores softened, by Adam."""

from __future__ import annotations

import copy
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import Network
from agents.policy import REFUSED
from training.imitate.args import Args
from training.imitate.stream import Decisions, answers
from training.schedule import falling
from training.selfplay.collect import one_thread
from training.selfplay.shard import precision
from zhuoji_env.actions import BAOTING, DISCARD, GANG, HU, N_ACTIONS, PASS, PENG
from zhuoji_env.errors import ZhuojiError

# Kinds of actions in the order of their ids, and where each begins.
KINDS = {"discard": DISCARD, "peng": PENG, "gang": GANG, "hu": HU, "baoting": BAOTING, "pass": PASS}
BOUNDS = (*KINDS.values(), N_ACTIONS)
# Decisions that are judged at once.
CHUNK = 2048


class NotFinite(ZhuojiError):
    """A loss or gradient that is no number."""


@dataclass(frozen=True)
class Judged:
    """How like its teacher a student is."""

    # Share of decisions that are the teacher's, of all and by the kind of the teacher's action,
    # kinds that it never took left out.
    agreement: float
    by_kind: dict[str, float]
    # Decisions of each kind.
    counts: dict[str, int]
    # What the teacher's scores say that the student's choice loses a decision, in ping_hu.
    regret: float


@dataclass
class _Lessons:
    """A round's decisions as tensors."""

    planes: Tensor  # (M, P, 27) int8
    rows: Tensor  # (M, G) float32
    scores: Tensor  # (M, 58) float32
    action: Tensor  # (M,) int64

    @classmethod
    def of(cls, given: Decisions) -> _Lessons:
        """Share the memory of some decisions."""
        arrays = (given.planes, given.globals, given.scores, given.action)
        return cls(*map(torch.from_numpy, arrays))

    def target(self, at: Tensor, temperature: float) -> Tensor:
        """Return what is fitted, (M, 58): one at the action, or the scores' softmax."""
        if temperature:
            return (self.scores[at] / temperature).softmax(1)
        return nn.functional.one_hot(self.action[at], N_ACTIONS).float()


class Student:
    """A network, its optimiser, and threads that share each batch.

    Every thread takes the gradient of its own part with one thread of torch, so that what they sum
    does not depend on how busy the machine is.
    """

    def __init__(self, args: Args, network: Network) -> None:
        self.args, self.network = args, network
        self.parameters = list(network.parameters())
        self.optimizer = torch.optim.Adam(self.parameters, lr=args.learning_rate, fused=True)
        self._replicas = [_sharing(network) for _ in range(args.threads)]
        self._pool = ThreadPoolExecutor(args.threads, initializer=one_thread)

    def learning_rate(self, progress: float) -> float:
        """Return Adam's step when a share `progress` of the run is done: a falling cosine."""
        args = self.args
        return falling(args.learning_rate, args.final_learning_rate, progress)

    def learn(self, decisions: Decisions, number: int, progress: float) -> float:
        """Learn from a round's decisions, in an order drawn for its number; return their mean loss.

        NotFinite if the loss or its gradient is no number.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate(progress)
        lessons = _Lessons.of(decisions)
        key = np.random.SeedSequence([self.args.seed, number])
        order = np.random.Generator(np.random.Philox(key)).permutation(len(decisions))
        pieces = np.array_split(order, max(1, round(len(order) / self.args.batch_size)))
        steps = [self._step(lessons, piece) for piece in pieces]
        return float(np.average(steps, weights=[len(piece) for piece in pieces]))

    def _step(self, lessons: _Lessons, at: NDArray[np.int64]) -> float:
        """Take one gradient step; return its loss."""
        parts = [torch.from_numpy(part) for part in np.array_split(at, len(self._replicas))]
        jobs = [
            self._pool.submit(self._differentiate, replica, lessons, part, len(at))
            for replica, part in zip(self._replicas, parts, strict=True)
        ]
        loss = sum(job.result() for job in jobs)
        shared = zip(*(replica.parameters() for replica in self._replicas), strict=True)
        for parameter, copies in zip(self.parameters, shared, strict=True):
            parameter.grad = torch.stack([one.grad for one in copies]).sum(0)
        norm = float(nn.utils.clip_grad_norm_(self.parameters, self.args.grad_norm))
        if not math.isfinite(norm) or not math.isfinite(loss):
            raise NotFinite(
                f"the loss is {loss}, its gradient {norm} long; the last good checkpoint is in "
                f"{self.args.out}: --resume goes on, with a lower --learning-rate if it comes back"
            )
        self.optimizer.step()
        return loss

    def _differentiate(self, replica: Network, lessons: _Lessons, at: Tensor, n: int) -> float:
        """Leave the gradients of some of a batch's n decisions; return their part of its loss."""
        replica.zero_grad()
        with precision(self.args.bfloat16):
            logits = replica(lessons.planes[at], lessons.rows[at]).float()
        refused = lessons.scores[at] == -torch.inf
        log_policy = logits.masked_fill(refused, REFUSED).log_softmax(1)
        target = lessons.target(at, self.args.temperature)
        loss: Tensor = -(target * log_policy).sum() / n
        torch.autograd.backward(loss)
        return float(loss.detach())

    def judge(self, decisions: Decisions) -> Judged:
        """Compare the network with the teacher on decisions of tables it has not learnt from."""
        starts = range(0, len(decisions), CHUNK)
        parts = [decisions.take(slice(start, start + CHUNK)) for start in starts]
        return judged(decisions, np.concatenate(list(self._pool.map(self._answers, parts))))

    def _answers(self, rows: Decisions) -> NDArray[np.int64]:
        with torch.inference_mode(), precision(self.args.bfloat16):
            return answers(self.network, rows)


def judged(decisions: Decisions, chosen: NDArray[np.int64]) -> Judged:
    """Compare chosen actions (M,) with the teacher's."""
    same = chosen == decisions.action
    rows = np.arange(len(decisions))
    lost = decisions.scores[rows, decisions.action] - decisions.scores[rows, chosen]
    shares: dict[str, float] = {}
    counts: dict[str, int] = {}
    for name, (start, end) in zip(KINDS, pairwise(BOUNDS), strict=True):
        kind = (decisions.action >= start) & (decisions.action < end)
        counts[name] = int(kind.sum())
        if counts[name]:
            shares[name] = float(same[kind].mean())
    return Judged(float(same.mean()), shares, counts, float(lost.mean()))


def _sharing(network: Network) -> Network:
    """Return a network with the same weights in the same memory, and gradients of its own."""
    replica = copy.deepcopy(network)
    for mine, original in zip(replica.parameters(), network.parameters(), strict=True):
        mine.data = original.data
    return replica
