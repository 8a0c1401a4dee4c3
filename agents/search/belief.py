"""Worlds as they are likely to be, given what the others threw away.

`zj.determinize` deals the unseen tiles as they fall, whatever the players chose. But a hand that
has been played for ten draws is far nearer to a win than one just dealt, and lacks what goes with
the tiles it threw. From uniform worlds this walks on by swapping unseen tiles between the other
hands and the wall (Metropolis), a hand being likelier

- the nearer it is to a win, the more so the more discards its seat has made (`keen`);
- the better its latest discards make sense: those that would leave the least distance if it held
  the tile besides are as likely as each other, any other discard is `odd` times as likely. That is
  exact for the last discard and those before it as long as the seat threw what it had drawn, and
  near enough for a few more.

Hands of baoting seats stay as they were drawn, ready.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.settings import Belief
from zhuoji_env import Games
from zhuoji_env.engine import tables as suit_tables
from zhuoji_env.engine.distance import distances_left, pairs_distance, standard_distance
from zhuoji_env.engine.hand import POW5
from zhuoji_env.engine.kernel import Int, Record, kernel
from zhuoji_env.engine.layout import GAME, N_SEATS, N_TILES, ROB
from zhuoji_env.engine.turn import add_tile
from zhuoji_env.engine.wall import below
from zhuoji_env.engine.worlds import draw_world, uniform, write_known

Needs = NDArray[np.uint64]

# Discards of a seat that are judged, from the last one back.
LATEST = 4

# What is known of another seat.
SEAT = np.dtype(
    [
        ("n_melds", np.int64),
        ("pairs", np.bool_),  # seven pairs would win
        ("pull", np.float64),  # what a step of distance costs, in logarithms
        ("n_thrown", np.int64),
        ("thrown", np.int64, (LATEST,)),  # its latest discards since its last meld
    ]
)


@kernel
def _likely(
    hand: NDArray[np.int64], seat: Any, place: Int, odd: float, needs: Needs, left: NDArray[np.int8]
) -> float:
    """Return the logarithm of how likely a seat (a row of SEAT) is to hold a hand."""
    s = seat[place]
    key = np.zeros(3, np.int64)
    for kind in range(27):
        key[kind // 9] += hand[kind] * POW5[kind % 9]
    far = standard_distance(key[0], key[1], key[2], s.n_melds, needs)
    if s.pairs:
        far = min(far, pairs_distance(key[0], key[1], key[2]))
    total = float(-s.pull * far)
    for i in range(s.n_thrown):
        kind = s.thrown[i]
        suit, more = kind // 9, POW5[kind % 9]
        distances_left(
            key[0] + (more if suit == 0 else 0),
            key[1] + (more if suit == 1 else 0),
            key[2] + (more if suit == 2 else 0),
            s.n_melds,
            s.pairs,
            needs,
            left,
        )
        near, others, least = 0, 0, 127
        for k in range(27):
            if hand[k] > 0 or k == kind:
                if left[k] < least:
                    others += near
                    near, least = 0, left[k]
                if left[k] == least:
                    near += 1
                else:
                    others += 1
        total += np.log((1.0 if left[kind] == least else odd) / (near + odd * others))
    return total


@kernel
def _look_at(v: Record, r: Record, keen: float, seat: Any) -> None:
    """Write what a view says of the other seats, (4,) SEAT by place."""
    for place in range(1, N_SEATS):
        s = seat[place]
        s.n_melds = v.n_melds[place]
        s.pairs = v.n_melds[place] == 0 and r.hand_qi_dui >= 0
        s.pull, s.n_thrown = 0.0, 0
        laid = 0
        for i in range(v.n_melds[place]):
            laid = max(laid, v.meld_at[place, i], v.kong_at[place, i])
        # Who tries a kong has drawn since the last discard; a baoting seat has no choice.
        judged = not (v.baoting[place] or (v.phase == ROB and v.shooter == place))
        for at in range(v.n_discards - 1, -1, -1):
            if v.discard_seat[at] == place:
                s.pull += keen
                if judged and at >= laid and s.n_thrown < LATEST:
                    s.thrown[s.n_thrown] = v.discards[at]
                    s.n_thrown += 1


@kernel
def _line_up(
    v: Record,
    g: Record,
    hands: NDArray[np.int64],
    tiles: NDArray[np.int64],
    owner: NDArray[np.int64],
) -> tuple[int, int]:
    """Write the hands of a world, and its unseen tiles in a row: those free to swap, the wall's.

    Returns how many are free, and how many tiles there are; the wall's have the owner 0.
    """
    n = 0
    for place in range(1, N_SEATS):
        q = (v.seat + place) & 3
        for kind in range(27):
            hands[place, kind] = g.hand[q, kind]
            if not v.baoting[place]:
                for _ in range(g.hand[q, kind]):
                    tiles[n], owner[n] = kind, place
                    n += 1
    free = n
    for i in range(g.head, g.tail):
        tiles[n], owner[n] = g.wall[i], 0
        n += 1
    return free, n


@kernel
def _swap(hands: NDArray[np.int64], a: Int, x: Int, b: Int, y: Int) -> None:
    """Give a's tile x for b's tile y; the wall, 0, keeps no count worth reading."""
    hands[a, x] -= 1
    hands[a, y] += 1
    hands[b, y] -= 1
    hands[b, x] += 1


@kernel
def _walk(
    state: Int,
    swaps: Int,
    free: Int,
    n: Int,
    hands: NDArray[np.int64],
    tiles: NDArray[np.int64],
    owner: NDArray[np.int64],
    scores: NDArray[np.float64],
    seat: Any,
    odd: float,
    needs: Needs,
    left: NDArray[np.int8],
) -> Int:
    """Try some swaps of a free tile with any other."""
    for _ in range(swaps if free else 0):
        state, i = below(state, free)
        state, j = below(state, n)
        a, b, x, y = owner[i], owner[j], tiles[i], tiles[j]
        if a == b or x == y:
            continue
        _swap(hands, a, x, b, y)
        one = _likely(hands[a], seat, a, odd, needs, left)
        two = _likely(hands[b], seat, b, odd, needs, left) if b else 0.0
        state, u = uniform(state)
        # 1 - u is never 0.
        if np.log(1.0 - u) < one + two - scores[a] - scores[b]:
            tiles[i], tiles[j] = y, x
            scores[a], scores[b] = one, two
        else:
            _swap(hands, a, y, b, x)
    return state


@kernel
def _believe(
    views: Any,
    template: Any,
    starts: Any,
    games: Any,
    rules: Any,
    wins: Any,
    seeds: NDArray[np.uint64],
    seat: Any,
    keen: float,
    odd: float,
    first: int,
    between: int,
    needs: Needs,
) -> None:
    """Walk from each of the `starts` and write its share of the `games`."""
    v = views[0]
    write_known(v, template[0])
    _look_at(v, rules[0], keen, seat)
    left, pool = np.empty(27, np.int8), np.empty(N_TILES, np.int8)
    tiles, owner = np.empty(N_TILES, np.int64), np.empty(N_TILES, np.int64)
    hands, scores = np.zeros((N_SEATS, 27), np.int64), np.zeros(N_SEATS)
    keys = np.zeros(3, np.int64)
    share = games.shape[0] // starts.shape[0]
    for w in range(games.shape[0]):
        if w % share == 0:
            state = seeds[w // share]
            free, n = _line_up(v, starts[w // share], hands, tiles, owner)
            for place in range(1, N_SEATS):
                scores[place] = _likely(hands[place], seat, place, odd, needs, left)
        state = _walk(
            state,
            between if w % share else first,
            free,
            n,
            hands,
            tiles,
            owner,
            scores,
            seat,
            odd,
            needs,
            left,
        )
        games[w] = template[0]
        for place in range(1, N_SEATS):
            for kind in range(27):
                for _ in range(hands[place, kind]):
                    add_tile(games[w], (v.seat + place) & 3, kind)
        for i in range(free, n):
            pool[i - free] = tiles[i]
        state = draw_world(v, games[w], rules[0], pool, n - free, state, 0b1111, keys, wins)


def believed(
    view: NDArray[np.void], starts: Games, belief: Belief, rng: np.random.Generator
) -> NDArray[np.void]:
    """Return `belief.share` likely worlds from each start, all of one `view` (1,)."""
    out = np.zeros(len(starts) * belief.share, GAME)
    seeds = rng.integers(0, 1 << 63, len(starts), dtype=np.uint64)
    _believe(
        *(
            view,
            np.zeros(1, GAME),
            starts.state,
            out,
            starts.records,
            starts.wins,
            seeds,
            np.zeros(N_SEATS, SEAT),
        ),
        *(belief.keen, belief.odd, belief.first, belief.between, suit_tables.needs()),
    )
    # Neighbours on a walk are alike; in every part of the worlds all walks are to have a share.
    return rng.permutation(out)
