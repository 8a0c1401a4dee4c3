"""Worlds as they are likely to be, given what the others threw away.

`zj.determinize` deals the unseen tiles as they fall, whatever the players chose. But a hand that
has been played for ten draws is far nearer to a win than one just dealt, and lacks what goes with
the tiles it threw. From uniform worlds this walks on by swapping unseen tiles between the other hands
and the wall (Metropolis), a hand being likelier

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
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import GAME, N_SEATS, ROB
from zhuoji_env.engine.turn import add_tile
from zhuoji_env.engine.wall import below
from zhuoji_env.engine.worlds import draw_world, uniform, write_known

Record = Any
State = Any
Needs = NDArray[np.uint64]

# Discards of a seat that are judged, from the last one back.
LATEST = 4


@kernel
def _list_discards(v: Record, kinds: NDArray[np.int64]) -> None:
    """Write each other seat's latest discards since its last meld, (4, LATEST); -1 for none."""
    kinds[:] = -1
    for place in range(1, N_SEATS):
        laid = -1
        for i in range(v.n_melds[place]):
            laid = max(laid, v.meld_at[place, i], v.kong_at[place, i])
        # Who tries a kong has drawn since the last discard; a baoting seat has no choice.
        if v.baoting[place] or (v.phase == ROB and v.shooter == place):
            continue
        n = 0
        for at in range(v.n_discards - 1, max(laid, 0) - 1, -1):
            if v.discard_seat[at] == place and n < LATEST:
                kinds[place, n] = v.discards[at]
                n += 1


@kernel
def _likely(
    hand: NDArray[np.int64],
    n_melds: int,
    qi_dui: bool,
    kinds: NDArray[np.int64],
    pull: float,
    odd: float,
    needs: Needs,
    left: NDArray[np.int8],
) -> float:
    """Return the logarithm of how likely a seat is to hold a hand; `pull` weighs its distance."""
    key = np.zeros(3, np.int64)
    for kind in range(27):
        key[kind // 9] += hand[kind] * POW5[kind % 9]
    pairs = qi_dui and n_melds == 0
    far = standard_distance(key[0], key[1], key[2], n_melds, needs)
    if pairs:
        far = min(far, pairs_distance(key[0], key[1], key[2]))
    total = -pull * far
    for i in range(kinds.shape[0]):
        kind = kinds[i]
        if kind < 0:
            break
        suit, more = kind // 9, POW5[kind % 9]
        distances_left(
            key[0] + (more if suit == 0 else 0),
            key[1] + (more if suit == 1 else 0),
            key[2] + (more if suit == 2 else 0),
            n_melds,
            pairs,
            needs,
            left,
        )
        near, other, least = 0, 0, 127
        for k in range(27):
            if hand[k] > 0 or k == kind:
                if left[k] < least:
                    other += near
                    near, least = 0, left[k]
                if left[k] == least:
                    near += 1
                else:
                    other += 1
        total += np.log((1.0 if left[kind] == least else odd) / (near + odd * other))
    return total


@kernel
def _believe(
    views: Any,
    template: Any,
    starts: Any,
    games: Any,
    rules: Any,
    wins: Any,
    seeds: NDArray[np.uint64],
    keen: float,
    odd: float,
    first: int,
    between: int,
    needs: Needs,
) -> None:
    """Walk from each of the `starts` and write its share of the `games`."""
    v = views[0]
    me = v.seat
    write_known(v, template[0])
    left = np.empty(27, np.int8)
    kinds = np.empty((N_SEATS, LATEST), np.int64)
    _list_discards(v, kinds)
    qi_dui = rules[0].hand_qi_dui >= 0
    pulls = np.zeros(N_SEATS)
    for i in range(v.n_discards):
        pulls[v.discard_seat[i]] += keen
    # Unseen tiles in a row: those of seats that are free to swap, the wall's, then the rest.
    tiles = np.empty(108, np.int64)
    owner = np.empty(108, np.int64)
    hands = np.zeros((N_SEATS, 27), np.int64)
    scores = np.zeros(N_SEATS)
    keys = np.zeros(3, np.int64)
    pool = np.empty(108, np.int8)
    share = games.shape[0] // starts.shape[0]
    for c in range(starts.shape[0]):
        s = starts[c]
        state = seeds[c]
        n = 0
        for place in range(1, N_SEATS):
            q = (me + place) & 3
            for kind in range(27):
                hands[place, kind] = s.hand[q, kind]
                if not v.baoting[place]:
                    for _ in range(s.hand[q, kind]):
                        tiles[n] = kind
                        owner[n] = place
                        n += 1
            scores[place] = _likely(
                hands[place], v.n_melds[place], qi_dui, kinds[place], pulls[place], odd, needs, left
            )
        held = n
        for i in range(s.head, s.tail):
            tiles[n] = s.wall[i]
            owner[n] = 0
            n += 1
        for k in range(share):
            for _ in range((first if k == 0 else between) if held else 0):
                state, i = below(state, held)
                state, j = below(state, n)
                a, b = owner[i], owner[j]
                x, y = tiles[i], tiles[j]
                if a == b or x == y:
                    continue
                hands[a, x] -= 1
                hands[a, y] += 1
                hands[b, y] -= 1
                hands[b, x] += 1
                one = _likely(hands[a], v.n_melds[a], qi_dui, kinds[a], pulls[a], odd, needs, left)
                two = 0.0
                if b:
                    two = _likely(
                        hands[b], v.n_melds[b], qi_dui, kinds[b], pulls[b], odd, needs, left
                    )
                state, u = uniform(state)
                if np.log(u + 1e-300) < one + two - scores[a] - scores[b]:
                    tiles[i], tiles[j] = y, x
                    scores[a], scores[b] = one, two
                else:
                    hands[a, x] += 1
                    hands[a, y] -= 1
                    hands[b, y] += 1
                    hands[b, x] -= 1
            w = c * share + k
            games[w] = template[0]
            g = games[w]
            for place in range(1, N_SEATS):
                for kind in range(27):
                    for _ in range(hands[place, kind]):
                        add_tile(g, (me + place) & 3, kind)
            for i in range(held, n):
                pool[i - held] = tiles[i]
            state = draw_world(v, g, rules[0], pool, n - held, state, 0b1111, keys, wins)


def believed(
    view: NDArray[np.void], starts: Games, belief: Belief, rng: np.random.Generator
) -> NDArray[np.void]:
    """Return `belief.share` likely worlds from each start, all of one `view` (1,)."""
    out = np.zeros(len(starts) * belief.share, GAME)
    seeds = rng.integers(0, 1 << 63, len(starts), dtype=np.uint64)
    _believe(
        *(view, np.zeros(1, GAME), starts.state, out, starts.records, starts.wins, seeds),
        *(belief.keen, belief.odd, belief.first, belief.between, suit_tables.needs()),
    )
    # Neighbours on a walk are alike; in every part of the worlds all walks are to have a share.
    return rng.permutation(out)
