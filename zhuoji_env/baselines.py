"""The Agent protocol, and the opponents that come with the library.

    random    any legal action
    hu_first  hu when it is legal, else any legal action
    shanten   hu, then baoting, whenever legal; gang where the distance to a win does not grow, peng
              where it shrinks; a discard that leaves the least distance; ties at random
    greedy    shanten with its ties settled: most unseen copies over the kinds that would lower the
              distance, then a tile already in more rivers, then the lowest kind

Where that leaves room, this is how `shanten` and `greedy` read it:

- The distance is that of shapes (`engine.distance`), the least over melds-and-pair and seven pairs;
  seven pairs count for a hand without melds where the ruleset has them (R14).
- Seats with a tile too many (own turn, after a peng) are as far as their best discard leaves them,
  so a peng shrinks the distance if hand and meld are nearer *after* the discard that R7 demands.
  A gang is judged before its replacement tile.
- Gang comes before peng on the same tile. Of several gangs the one that leaves the least distance
  is declared, then that of the lowest kind.
- "Would lower" is asked of the hand after the discard. A tile is in a river if its owner's seat,
  one's own included, has one unclaimed there; the number of such rivers counts, not of tiles.
- Hu is taken literally: fouls (R25) and three-fold wins that cost money (R24) too.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine import tables as suit_tables
from zhuoji_env.engine.batch import nth_bit
from zhuoji_env.engine.distance import (
    distances_left,
    lowering_kinds,
    pairs_distance,
    standard_distance,
)
from zhuoji_env.engine.draws import draw_state, pick
from zhuoji_env.engine.hand import POW5
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import VIEW
from zhuoji_env.errors import ZhuojiError

__all__ = ["Agent", "Baseline", "candidates", "draw_state", "make", "names"]

Views = NDArray[np.void]
Actions = NDArray[np.int64]
Record = Any
Needs = NDArray[np.uint64]

RANDOM, HU_FIRST, SHANTEN, GREEDY = range(4)
STYLES = {"random": RANDOM, "hu_first": HU_FIRST, "shanten": SHANTEN, "greedy": GREEDY}
DISCARDS = (1 << PENG) - 1


@runtime_checkable
class Agent(Protocol):
    """A player of many tables at once.

    `reset(n, seed)` begins a run of up to n tables. `act` takes any subset of them, those where the
    agent is to act: `views` (k,) VIEW records, `legal` (k, 58) bool, `observations` None, or what
    `Games.observe` gives for these seats if the agent has `needs_observations = True`. It returns
    (k,) int64 actions.

    What an agent does is a function of its seed and of each view alone – never of the batch that
    the view came in, of earlier calls or of the order of tables – so that a match gives the same
    result for any batch size and number of threads, and any number of tables may be forked or
    saved. A view holds all that its seat has seen of the deal; no memory is needed. An agent that
    draws at random mixes (seed, table, view) into its draws: `act` may take a fourth argument
    `tables` (k,) int64, numbers that tell tables apart where the same view may come up at several,
    such as play-outs from one position. An agent whose `act` may be called by several threads at
    once says so with `thread_safe = True`.
    """

    def reset(self, n: int, seed: int) -> None:
        """Begin a run of up to n tables; equal seeds, equal play."""

    def act(self, views: Views, legal: NDArray[np.bool_], observations: Any) -> Actions:
        """Return one legal action per view: (k,) int64."""


@kernel
def distance_without(v: Record, kind: int, copies: int, n_melds: int, needs: Needs) -> int:
    """Return the standard distance with some tiles of one kind out of the hand."""
    less = copies * POW5[kind % 9]
    return int(
        standard_distance(
            v.key[0] - (less if kind < 9 else 0),
            v.key[1] - (less if 9 <= kind < 18 else 0),
            v.key[2] - (less if kind >= 18 else 0),
            n_melds,
            needs,
        )
    )


@kernel
def pairs_open(v: Record) -> bool:
    """Whether seven pairs would win."""
    return bool(v.n_melds[0] == 0 and v.rules.hand_qi_dui >= 0)


@kernel
def distance_now(v: Record, needs: Needs) -> int:
    """Return the distance of the hand as it stands, with a tile too many after its discard."""
    far = standard_distance(v.key[0], v.key[1], v.key[2], v.n_melds[0], needs)
    if pairs_open(v):
        far = min(far, pairs_distance(v.key[0], v.key[1], v.key[2]))
    return int(max(far, 0))


@kernel
def claim(v: Record, needs: Needs) -> int:
    """Return gang, peng or pass of another's tile."""
    n = v.n_melds[0] + 1
    if v.legal >> PENG & 1:
        now = distance_now(v, needs)
        if v.legal >> (GANG + v.tile) & 1 and distance_without(v, v.tile, 3, n, needs) <= now:
            return int(GANG + v.tile)
        if max(distance_without(v, v.tile, 2, n, needs), 0) < now:
            return PENG
    return PASS


@kernel
def own_gang(v: Record, needs: Needs) -> int:
    """Return the best gang of the own turn that does not add to the distance, -1 for none."""
    gangs = v.legal >> GANG & DISCARDS
    if gangs == 0:
        return -1
    best, least = -1, distance_now(v, needs)
    for kind in range(27):
        if gangs >> kind & 1:
            if v.hand[kind] == 4:
                left = distance_without(v, kind, 4, v.n_melds[0] + 1, needs)
            else:
                left = distance_without(v, kind, 1, v.n_melds[0], needs)
            if left < least or (left == least and best < 0):
                best, least = GANG + kind, left
    return int(best)


@kernel
def near(v: Record, needs: Needs, left: NDArray[np.int8]) -> int:
    """Return the actions (bits) among which `shanten` picks; `left` (27,) is scratch."""
    if v.legal >> HU & 1:
        return 1 << HU
    if v.legal >> BAOTING & 1:
        return 1 << BAOTING
    if v.legal >> PASS & 1:
        return 1 << claim(v, needs)
    gang = own_gang(v, needs)
    if gang >= 0:
        return 1 << gang
    discards = v.legal & DISCARDS
    if discards & (discards - 1) == 0:
        return int(discards)
    distances_left(v.key[0], v.key[1], v.key[2], v.n_melds[0], pairs_open(v), needs, left)
    bits, least = np.int64(0), 127
    for kind in range(27):
        if discards >> kind & 1:
            if left[kind] < least:
                bits, least = np.int64(0), left[kind]
            if left[kind] == least:
                bits |= 1 << kind
    return int(bits)


@kernel
def unseen_after(v: Record, kind: int, needs: Needs) -> int:
    """Return the unseen copies of the kinds that would lower the distance after a discard."""
    less = POW5[kind % 9]
    bits = lowering_kinds(
        v.key[0] - (less if kind < 9 else 0),
        v.key[1] - (less if 9 <= kind < 18 else 0),
        v.key[2] - (less if kind >= 18 else 0),
        v.n_melds[0],
        pairs_open(v),
        needs,
    )
    copies = 0
    for other in range(27):
        if bits >> other & 1:
            copies += v.unseen[other]
    return copies


@kernel
def best_discard(v: Record, bits: int, needs: Needs) -> int:
    """Return greedy's choice among discards (bits) that leave the same distance."""
    best, most, most_rivers = -1, -1, -1
    for kind in range(27):
        if bits >> kind & 1:
            copies = unseen_after(v, kind, needs)
            rivers = 0
            for place in range(4):
                rivers += 1 if v.river[place, kind] > 0 else 0
            if copies > most or (copies == most and rivers > most_rivers):
                best, most, most_rivers = kind, copies, rivers
    return best


@kernel
def decide(
    views: Any, numbers: NDArray[np.int64], seed: Any, style: int, needs: Needs, out: Actions
) -> None:
    """Write each view's action; PASS where a view has no legal action."""
    left = np.empty(27, np.int8)
    for i in range(views.shape[0]):
        v = views[i]
        bits = v.legal
        if style >= SHANTEN:
            bits = near(v, needs, left)
        elif style == HU_FIRST and bits >> HU & 1:
            bits = 1 << HU
        if bits & (bits - 1) == 0:
            out[i] = nth_bit(bits, 0) if bits else PASS
        elif style == GREEDY:
            out[i] = best_discard(v, bits, needs)
        else:
            out[i] = pick(bits, draw_state(v, seed, numbers[i]))


@kernel
def write_near(views: Any, needs: Needs, out: NDArray[np.int64]) -> None:
    """Write each view's `near`."""
    left = np.empty(27, np.int8)
    for i in range(views.shape[0]):
        out[i] = near(views[i], needs, left) if views[i].legal else 0


def candidates(views: Views) -> NDArray[np.int64]:
    """Return the actions among which `shanten` picks at random: (n,) int64, bit a for action a."""
    out = np.empty(len(views), np.int64)
    write_near(views, suit_tables.needs(), out)
    return out


class Baseline:
    """One of the library's own agents; `make` builds it. It reads VIEW records alone."""

    needs_observations: ClassVar[bool] = False
    thread_safe: ClassVar[bool] = True

    def __init__(self, name: str, seed: int = 0) -> None:
        self.name = name
        self._style = STYLES[name]
        self.reset(0, seed)

    def reset(self, n: int, seed: int) -> None:
        """Take a new seed (0 or more); n does not matter, as nothing is kept per table."""
        if seed < 0:
            raise ValueError(f"seed {seed} is negative; allowed: 0 or more")
        self._seed = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]

    def act(
        self,
        views: Views,
        legal: NDArray[np.bool_] | None = None,
        observations: Any = None,
        tables: NDArray[np.int64] | None = None,
    ) -> Actions:
        """Return an action per view, (k,) int64; legality is read from the views themselves."""
        if views.dtype != VIEW or views.ndim != 1:
            raise ValueError(
                f"views are {views.dtype.kind!r} of shape {views.shape}; see Games.view"
            )
        out = np.empty(len(views), np.int64)
        numbers = np.zeros(len(views), np.int64) if tables is None else tables
        decide(views, numbers, self._seed, self._style, suit_tables.needs(), out)
        return out

    def __repr__(self) -> str:
        return f"<Baseline {self.name}>"


def names() -> tuple[str, ...]:
    """Names that `make` knows."""
    return tuple(STYLES)


def make(name: str, **kwargs: Any) -> Baseline:
    """Return a baseline by name; `seed` (default 0) is what its draws start from.

    Raises ZhuojiError for an unknown name.
    """
    if name not in STYLES:
        raise ZhuojiError(f"unknown agent {name!r}; allowed: {', '.join(STYLES)}")
    return Baseline(name, **kwargs)
