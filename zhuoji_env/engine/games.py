"""Games: N tables played in lockstep, the one door into the engine."""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zhuoji_env import actions as names
from zhuoji_env.engine import batch, tables
from zhuoji_env.engine.layout import (
    DONE,
    ENDS,
    GAME,
    ITEMS,
    MAX_DISCARDS,
    MAX_MELDS,
    MELDS,
    N_SEATS,
    N_TILES,
    NO_MELD,
    PENG_MELD,
    PHASES,
    RULES,
    UNDEALT,
    VIEW,
    rules_record,
)
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.errors import IllegalAction, ZhuojiError
from zhuoji_env.rules import Rules
from zhuoji_env.rules.ruleset import Source
from zhuoji_env.tiles import N_KINDS, N_RANKS

FORMAT = "zhuoji-games/1"
MAX_STREAK = 999

# What reading a file that is none, or a damaged one, may raise.
_BROKEN = (
    AttributeError,
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OSError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
    BadZipFile,
    zlib.error,
)

# The range of every field of GAME that kernels take for an index or a set of bits.
_SEAT, _MAYBE_SEAT = (0, N_SEATS - 1), (-1, N_SEATS - 1)
_KIND, _MAYBE_KIND = (0, N_KINDS - 1), (-1, N_KINDS - 1)
_PLACE = (-1, MAX_DISCARDS - 1)
_RANGES = {
    "deal": (-1, 1 << 62),
    "dice": (0, 6),
    "dealer": _SEAT,
    "streak": (0, MAX_STREAK),
    "legal": (0, (1 << names.N_ACTIONS) - 1),
    "seat": _SEAT,
    "phase": (0, len(PHASES) - 1),
    "wall": _KIND,
    "head": (0, N_TILES),
    "tail": (0, N_TILES),
    "hand": (0, 4),
    "key": (0, 5**N_RANKS - 1),
    "meld_type": (0, len(MELDS) - 1),
    "meld_kind": _MAYBE_KIND,
    "meld_from": _MAYBE_SEAT,
    "n_melds": (0, MAX_MELDS),
    "discards": _MAYBE_KIND,
    "discard_seat": _MAYBE_SEAT,
    "discard_flag": (0, 31),
    "n_discards": (0, MAX_DISCARDS),
    "river": (0, 4),
    "first_yaoji": _PLACE,
    "first_wu_gu": _PLACE,
    "drawn": _MAYBE_KIND,
    "turn_kongs": (0, (1 << MAX_MELDS) - 1),
    "tile": _MAYBE_KIND,
    "shooter": _MAYBE_SEAT,
    "may_hu": (0, 15),
    "claimer": _MAYBE_SEAT,
    "answer": (0, 4),
    "end": (0, len(ENDS) - 1),
    "winners": (0, 15),
    "indicator": _MAYBE_KIND,
    "next_dealer": _MAYBE_SEAT,
    "next_streak": (0, MAX_STREAK + 1),
}

# How many tables are looked through together, so that the looking takes little memory.
_AT_ONCE = 1024

T = TypeVar("T")


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
        if n < 1:
            raise ValueError(f"n is {n}; allowed: 1 or more tables")
        self.rules = _load_rules(rules)
        self.state: NDArray[np.void] = np.zeros(n, GAME)
        self.state["phase"] = UNDEALT
        self.state["deal"] = -1
        self.state["seed"] = table_seeds(seed, n, purpose, first)
        if rules_index is not None:
            self.state["rules"] = _rules_index(rules_index, n, len(self.rules))
        self._prepare(threads)

    def _prepare(self, threads: int) -> None:
        if threads < 1:
            raise ValueError(f"threads is {threads}; allowed: 1 or more")
        self.records: NDArray[np.void] = np.zeros(len(self.rules), RULES)
        for i, rules in enumerate(self.rules):
            self.records[i] = rules_record(rules)
        self.threads = threads
        self.wins = tables.wins()
        n = len(self.state)
        bounds = np.linspace(0, n, min(threads, n) + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(threads) if len(self._parts) > 1 else None

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
        return list(self._pool.map(job, self._parts))

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
        R2 names the dealer. `seed` starts the tables' seeds anew. Raises ValueError, changing
        nothing, for a wall that is not four of each kind, a seat outside 0..3, a streak below 1.
        """
        picked = np.arange(len(self)) if where is None else np.flatnonzero(self._mask(where))
        n = len(picked)
        wall_array = _walls(walls, n)
        dealer_array = _per_table("dealer", dealers, n, -1, 0, N_SEATS - 1).astype(np.int8)
        streak_array = _per_table("streak", streaks, n, 1, 1, MAX_STREAK).astype(np.int32)
        if seed is not None:
            self.state["seed"][picked] = table_seeds(seed, len(self))[picked]
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
            mask = self._mask(where)
            if np.any(mask & ~done):
                raise ValueError(f"table {int(np.argmax(mask & ~done))} has not finished its deal")
        self.each(lambda p: batch.next_deal(self.state[p], self.records, self.wins, mask[p]))

    def step(self, actions: ArrayLike) -> int:
        """Play one action at every table and return how many tables are done.

        `actions` is (N,) integers; tables that are done ignore theirs. Raises IllegalAction,
        naming table, seat, action and the legal set, before anything changes.
        """
        chosen = np.asarray(actions)
        if chosen.shape != self.state.shape or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"actions are {chosen.dtype} of shape {chosen.shape}; "
                f"allowed: integers of shape {self.state.shape}"
            )
        if chosen.dtype != np.int64:
            chosen = chosen.astype(np.int64)
        if self._pool is None:
            done = int(batch.checked_step(self.state, self.records, self.wins, chosen))
            if done < 0:
                raise self._illegal(-1 - done, chosen)
            return done
        bad = batch.first_illegal(self.state, chosen)
        if bad != batch.ALL_FINE:
            raise self._illegal(bad, chosen)
        return sum(
            self.each(lambda p: batch.step(self.state[p], self.records, self.wins, chosen[p]))
        )

    def sample(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Pick a uniformly random legal action per table: (N,) int64, 0 where done.

        `states` (N,) uint64 are the tables' generators, moved on in place.
        """
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
        if out is None:
            out = np.zeros(len(self), VIEW)
        given = self.state["seat"] if seats is None else np.asarray(seats, np.int8)
        viewers, seen = np.ascontiguousarray(given), out
        self.each(lambda p: batch.views(self.state[p], self.records, viewers[p], seen[p]))
        return seen

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
        """Write every table to a file, whole or not at all."""
        rules = json.dumps([r.to_dict() for r in self.rules])
        target = Path(path)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez_compressed(
                    file, format=np.array(FORMAT), state=self.state, rules=np.array(rules)
                )
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: str | Path, threads: int = 1) -> Games:
        """Read tables that `save` wrote.

        ZhuojiError if the file is not such a file, or holds tables that no play leads to.
        """
        try:
            with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                if str(file["format"]) != FORMAT or file["state"].dtype != GAME:
                    raise ZhuojiError(f"{path}: not a {FORMAT} file of this version")
                state, rules = file["state"], json.loads(str(file["rules"]))
        except _BROKEN as error:
            if isinstance(error, FileNotFoundError | ZhuojiError):
                raise
            raise ZhuojiError(f"{path}: not a {FORMAT} file") from error
        if not isinstance(rules, list) or not all(isinstance(one, dict) for one in rules):
            raise ZhuojiError(f"{path}: rules are no list of rulesets")
        if fault := _fault(state, len(rules)):
            raise ZhuojiError(f"{path}: {fault}")
        games = cls.__new__(cls)
        games.state = state
        games.rules = [Rules.load(tree) for tree in rules]
        games._prepare(threads)
        return games

    # Errors

    def _mask(self, where: ArrayLike) -> NDArray[np.bool_]:
        mask = np.asarray(where)
        if mask.dtype != np.bool_ or mask.shape != self.state.shape:
            raise ValueError(
                f"where is {mask.dtype} of shape {mask.shape}; "
                f"allowed: bool of shape {self.state.shape}"
            )
        return mask

    def _illegal(self, i: int, actions: NDArray[np.int64]) -> IllegalAction:
        g = self.state[i]
        legal = [a for a in range(names.N_ACTIONS) if int(g["legal"]) >> a & 1]
        return IllegalAction(
            table=i,
            seat=int(g["seat"]),
            action=int(actions[i]),
            legal=legal,
        )


def _load_rules(source: Source | Sequence[Source]) -> list[Rules]:
    if isinstance(source, list | tuple):
        if not source:
            raise ValueError("rules is an empty list; allowed: one ruleset or more")
        return [Rules.load(one) for one in source]
    return [Rules.load(source)]  # type: ignore[arg-type]


def _rules_index(index: ArrayLike, n: int, n_rules: int) -> NDArray[np.int32]:
    array = np.asarray(index)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise ValueError(f"rules_index is {array.dtype} {array.shape}; allowed: integers ({n},)")
    if array.min() < 0 or array.max() >= n_rules:
        raise ValueError(f"rules_index has values outside 0..{n_rules - 1}")
    return array.astype(np.int32)


def _walls(walls: ArrayLike | None, n: int) -> NDArray[np.int8]:
    if walls is None:
        return np.zeros((0, N_TILES), np.int8)
    array = np.asarray(walls)
    if array.ndim == 1:
        array = np.broadcast_to(array, (n, *array.shape))
    if array.shape != (n, N_TILES) or array.dtype.kind not in "iu":
        raise ValueError(
            f"walls are {array.dtype} of shape {array.shape}; "
            f"allowed: integers of shape ({n}, {N_TILES})"
        )
    full = np.repeat(np.arange(27), 4)
    for i, wall in enumerate(np.sort(array, axis=1)):
        if not np.array_equal(wall, full):
            raise ValueError(f"wall {i} is not {N_TILES} tiles with four of each kind")
    return np.ascontiguousarray(array, np.int8)


def _per_table(
    what: str, values: ArrayLike | None, n: int, default: int, low: int, high: int
) -> NDArray[np.int64]:
    if values is None:
        return np.full(n, default, np.int64)
    array = np.asarray(values)
    if array.shape not in ((), (n,)) or array.dtype.kind not in "iu":
        raise ValueError(f"{what}s are {array.dtype} {array.shape}; allowed: integers ({n},)")
    if array.size and (array.min() < low or array.max() > high):
        raise ValueError(f"a {what} is outside {low}..{high}")
    return np.broadcast_to(array, (n,)).astype(np.int64)


def _fault(state: NDArray[np.void], n_rules: int) -> str | None:
    """What is wrong with a GAME array from outside, None if nothing is."""
    if state.ndim != 1 or not len(state):
        return f"tables of shape {state.shape}; allowed: one axis of 1 or more"
    for name, (low, high) in {"rules": (0, n_rules - 1), **_RANGES}.items():
        values = state[name].reshape(len(state), -1)
        wrong = (values < low) | (values > high)
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            return f"table {i}: {name} is {values[i, j]}; allowed: {low}..{high}"
    for start in range(0, len(state), _AT_ONCE):
        part = state[start : start + _AT_ONCE]
        for what, broken in _broken(part).items():
            wrong = broken & (part["phase"] != UNDEALT)
            if wrong.any():
                return f"table {start + np.argmax(wrong)}: {what}"
    return None


def _broken(state: NDArray[np.void]) -> dict[str, NDArray[np.bool_]]:
    """Which tables' fields contradict each other, by the contradiction: (N,) bool each."""
    hand = state["hand"].astype(np.int64)
    keys = hand.reshape(-1, N_SEATS, 3, N_RANKS) @ np.array(tables.POW5, np.int64)
    bits = np.int64(1) << np.arange(N_KINDS)
    kinds = np.arange(N_KINDS)
    place = np.arange(N_TILES)
    undrawn = (place >= state["head"][:, None]) & (place < state["tail"][:, None])
    melds = np.arange(MAX_MELDS) < state["n_melds"][..., None]
    sizes = np.where(state["meld_type"] == PENG_MELD, 3, 4) * melds
    total = hand.sum(axis=1) + state["river"].sum(axis=1)
    total += ((state["wall"][..., None] == kinds) & undrawn[..., None]).sum(axis=1)
    total += ((state["meld_kind"][..., None] == kinds) * sizes[..., None]).sum(axis=(1, 2))
    return {
        "key does not follow from hand": (keys != state["key"]).any(axis=(1, 2)),
        "held does not follow from hand": ((hand > 0) @ bits != state["held"]).any(axis=1),
        "quad does not follow from hand": ((hand == 4) @ bits != state["quad"]).any(axis=1),
        "melds are not what n_melds says": (
            melds & ((state["meld_type"] == NO_MELD) | (state["meld_kind"] < 0))
        ).any(axis=(1, 2)),
        # A tile that was robbed or won on is in no hand and no river.
        "the tiles are not four of each kind": (total > 4).any(axis=1)
        | (total.sum(axis=1) < N_TILES - 1),
    }
