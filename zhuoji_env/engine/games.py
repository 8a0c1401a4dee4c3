"""Games: N tables played in lockstep, the one door into the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zhuoji_env import actions as names
from zhuoji_env.engine import arguments as given
from zhuoji_env.engine import batch, storage, tables
from zhuoji_env.engine.layout import (
    DONE,
    GAME,
    ITEMS,
    N_SEATS,
    RULES,
    UNDEALT,
    VIEW,
    rules_record,
)
from zhuoji_env.engine.wall import seeds_in, table_seeds
from zhuoji_env.errors import IllegalAction, ZhuojiError
from zhuoji_env.rules.ruleset import Source

MAX_TABLES = 1 << 30

T = TypeVar("T")
_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)


class Games:
    """N tables in lockstep over one GAME array.

    `rules` is one ruleset or a list of them with `rules_index` (N,) naming each table's. Table i's
    seed follows from (`seed`, `purpose`, `first` + i) and its walls from that seed and the number
    of the deal (R2), whatever N and `threads`. Raises RulesError or ValueError.
    """

    # Set by zhuoji_env.observation, which stands above the engine and reads VIEW records.
    observer: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        n: int,
        rules: Source | Sequence[Source] = "guiyang",
        seed: int = 0,
        *,
        rules_index: ArrayLike | None = None,
        purpose: str = "free",
        first: int = 0,
        threads: int = 1,
    ) -> None:
        given.whole("n", n, 1, MAX_TABLES)
        given.whole("seed", seed, 0)
        given.whole("first", first, 0, MAX_TABLES)
        given.whole("threads", threads, 1)
        self.rules = given.rulesets(rules)
        self.state: NDArray[np.void] = np.zeros(n, GAME)
        self.state["phase"] = UNDEALT
        self.state["deal"] = -1
        self.state["number"] = np.arange(first, first + n)
        self.state["seed"] = table_seeds(seed, n, purpose, first)
        if rules_index is not None:
            self.state["rules"] = given.rules_index(rules_index, n, len(self.rules))
        self._prepare(threads)

    def _prepare(self, threads: int) -> None:
        self.records: NDArray[np.void] = np.zeros(len(self.rules), RULES)
        for i, rules in enumerate(self.rules):
            self.records[i] = rules_record(rules)
        self.threads = threads
        self.wins = tables.wins()
        n = len(self.state)
        self._shape = (n,)
        bounds = np.linspace(0, n, min(threads, n) + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(threads - 1) if len(self._parts) > 1 else None

    def __len__(self) -> int:
        return len(self.state)

    def __getstate__(self) -> dict[str, Any]:
        return {"state": self.state, "rules": self.rules, "threads": self.threads}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.state, self.rules = kept["state"], kept["rules"]
        self._prepare(kept["threads"])

    def each(self, job: Callable[[slice], T]) -> list[T]:
        """Run a job on every thread's slice of the tables and return what the jobs returned.

        Kernels release the GIL; a job that raises raises here.
        """
        if self._pool is None:
            return [job(slice(0, len(self.state)))]
        # The calling thread takes a part itself: one thread less to wake up and wait for.
        others = [self._pool.submit(job, part) for part in self._parts[1:]]
        try:
            first = job(self._parts[0])
        finally:
            wait(others)
        return [first, *(other.result() for other in others)]

    # What stands

    @property
    def seat(self) -> NDArray[np.int8]:
        """Who acts: (N,) int8, a view of the state."""
        seat: NDArray[np.int8] = self.state["seat"]
        return seat

    @property
    def phase(self) -> NDArray[np.int8]:
        """The phase, an index into `layout.PHASES`: (N,) int8, a view of the state."""
        phase: NDArray[np.int8] = self.state["phase"]
        return phase

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which tables' deals have ended: (N,) bool."""
        done: NDArray[np.bool_] = self.state["phase"] == DONE
        return done

    @property
    def legal_bits(self) -> NDArray[np.int64]:
        """The legal actions, bit a for action a: (N,) int64, a view of the state."""
        bits: NDArray[np.int64] = self.state["legal"]
        return bits

    @property
    def legal(self) -> NDArray[np.bool_]:
        """The legal actions: (N, 58) bool, a new array; all False where a deal has ended."""
        out = np.empty((len(self.state), names.N_ACTIONS), np.bool_)
        if self._pool is None:
            batch.expand_legal(self.state, out)
        else:
            self.each(lambda p: batch.expand_legal(self.state[p], out[p]))
        return out

    @property
    def scores(self) -> NDArray[np.int32]:
        """Points of the finished deals, zero until done: (N, 4) int32, a view of the state."""
        scores: NDArray[np.int32] = self.state["scores"]
        return scores

    @property
    def bills(self) -> NDArray[np.int32]:
        """Fan by item (`layout.ITEMS`), payer and payee: (N, 16, 4, 4) int32, a view."""
        bills: NDArray[np.int32] = self.state["bill"]
        return bills

    def bill(self, i: int) -> list[tuple[str, int, int, int]]:
        """Return a table's bill as (item, payer, payee, fan), sorted."""
        table = self.bills[i]
        return [(ITEMS[t], int(p), int(q), int(table[t, p, q])) for t, p, q in np.argwhere(table)]

    # What happens

    def reset(
        self,
        where: ArrayLike | None = None,
        *,
        walls: ArrayLike | None = None,
        dealers: ArrayLike | None = None,
        streaks: ArrayLike | None = None,
        seed: int | None = None,
    ) -> None:
        """Begin a new session at every table, or at those of the (N,) bool mask `where`.

        `walls` (n, 108), `dealers` (n,) and `streaks` (n,) hold for this deal at the n tables reset
        (one value is taken for all); without them the next wall of each table's seed is dealt and
        R2 names the dealer. `seed` spawns the tables' seeds anew, for the same purpose. Raises
        ValueError, changing nothing, for a wall that is not four of each kind, a seat outside 0..3,
        a streak below 1.
        """
        picked = (
            np.arange(len(self)) if where is None else np.flatnonzero(given.mask(where, len(self)))
        )
        n = len(picked)
        wall_array = given.walls(walls, n)
        dealer_array = given.per_table("dealer", dealers, n, -1, 0, N_SEATS - 1).astype(np.int8)
        streak_array = given.per_table("streak", streaks, n, 1, 1, given.MAX_STREAK).astype(
            np.int32
        )
        if seed is not None:
            given.whole("seed", seed, 0)
            old, numbers = self.state["seed"][picked], self.state["number"][picked]
            self.state["seed"][picked] = seeds_in(old, seed, numbers)
            self.state["deal"][picked] = -1
        batch.first_deal(
            self.state, self.records, self.wins, picked, wall_array, dealer_array, streak_array
        )

    def next_deal(self, where: ArrayLike | None = None) -> None:
        """Begin the next deal, dealer and streak carried on (R45–R47), at all finished tables.

        `where` (N,) bool picks among them; ValueError if it picks a table that is not done.
        """
        done = self.done
        if where is None:
            mask = done
        else:
            mask = given.mask(where, len(self))
            if np.any(mask & ~done):
                raise ValueError(f"table {int(np.argmax(mask & ~done))} has not finished its deal")
        self.each(lambda p: batch.next_deal(self.state[p], self.records, self.wins, mask[p]))

    def step(self, actions: ArrayLike) -> int:
        """Play one action at every table and return how many tables are done.

        `actions` is (N,) integers; tables that are done ignore theirs. Raises IllegalAction,
        naming table, seat, action and the legal set, before anything changes.
        """
        chosen = self._fitting(actions, _INT64)
        if chosen is None:
            chosen = given.whole_numbers("actions", actions, self.state.shape)
        if self._pool is None:
            done = int(batch.checked_step(self.state, self.records, self.wins, chosen))
            if done < 0:
                raise self._illegal(-1 - done, actions)
            return done
        bad = batch.first_illegal(self.state, chosen)
        if bad != batch.ALL_FINE:
            raise self._illegal(bad, actions)
        return sum(
            self.each(lambda p: batch.step(self.state[p], self.records, self.wins, chosen[p]))
        )

    def sample(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Pick a uniformly random legal action per table: (N,) int64, 0 where done.

        `states` (N,) uint64 are the tables' generators, moved on in place.
        """
        if self._fitting(states, _UINT64) is None:
            given.buffer("states", states, self.state.shape, _UINT64)
        out = np.empty(len(self), np.int64)
        if self._pool is None:
            batch.sample(self.state, states, out)
        else:
            self.each(lambda p: batch.sample(self.state[p], states[p], out[p]))
        return out

    # What is seen

    def view(
        self, out: NDArray[np.void] | None = None, *, seats: ArrayLike | None = None
    ) -> NDArray[np.void]:
        """Return (N,) VIEW records of what the acting seat may see, written into `out` if given.

        `seats` (N,) asks for other seats' views; a seat that is not to act sees no legal action.
        """
        seen = np.zeros(len(self), VIEW) if out is None else out
        given.buffer("out", seen, self.state.shape, VIEW)
        viewers = self.viewers(seats)
        self.each(lambda p: batch.views(self.state[p], self.records, viewers[p], seen[p]))
        return seen

    def viewers(self, seats: ArrayLike | None = None) -> NDArray[np.int8]:
        """Return seats to look from, the acting ones by default: (N,) int8.

        ValueError if one is not 0..3.
        """
        if seats is None:
            return np.ascontiguousarray(self.state["seat"])
        return given.per_table("seat", seats, len(self), 0, 0, N_SEATS - 1).astype(np.int8)

    def observe(self, out: Any = None, **kwargs: Any) -> Any:
        """Return planes (N, P, 27) int8 and globals (N, G) float32 for the acting seats.

        See `zhuoji_env.observation.observe` for the arguments and the named rows.
        """
        return Games.observer(self, out, **kwargs)

    # Copies

    def copy(self) -> Games:
        """Return an independent copy of every table."""
        return self[np.ones(len(self), np.bool_)]

    def __getitem__(self, where: ArrayLike | slice) -> Games:
        """Return an independent copy of some tables: a mask, indices (repeats fork) or a slice."""
        picked = self.state[where if isinstance(where, slice) else np.asarray(where)]
        other = Games.__new__(Games)
        other.state = np.atleast_1d(picked).copy()
        other.rules = self.rules
        other._prepare(self.threads)
        return other

    def save(self, path: str | Path) -> None:
        """Write every table to a file, whole or not at all; OSError where that cannot be."""
        storage.save(path, self.state, self.rules)

    @classmethod
    def load(cls, path: str | Path, threads: int = 1) -> Games:
        """Read tables that `save` wrote.

        ZhuojiError if the file is not such a file, or holds tables that no play leads to;
        FileNotFoundError if there is none.
        """
        games = cls.__new__(cls)
        games.state, games.rules = storage.load(path)
        games._prepare(threads)
        return games

    # Errors

    def _fitting(self, array: Any, dtype: np.dtype[Any]) -> NDArray[Any] | None:
        """Return an array if it is (N,) of a dtype as it stands (a cheap look), else None."""
        if array.__class__ is np.ndarray and array.dtype is dtype and array.shape == self._shape:
            fitting: NDArray[Any] = array
            return fitting
        return None

    def _illegal(self, i: int, actions: ArrayLike) -> ZhuojiError:
        g = self.state[i]
        if g["phase"] == UNDEALT:
            return ZhuojiError(f"table {i} has not been dealt: call reset() first")
        legal = [a for a in range(names.N_ACTIONS) if int(g["legal"]) >> a & 1]
        return IllegalAction(
            table=i,
            seat=int(g["seat"]),
            action=int(np.asarray(actions)[i]),
            legal=legal,
        )
