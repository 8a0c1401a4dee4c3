"""Tables brought to a state that was written down: decisions played back, positions settled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.bill import settle, won
from zhuoji_env.engine.hand import POW5, full_hand_patterns, hand_waits
from zhuoji_env.engine.kernel import kernel
from zhuoji_env.engine.layout import DONE, SELF_DRAW
from zhuoji_env.engine.turn import act, add_tile

Tables = Any
Record = Any
Wins = NDArray[np.uint32]


@kernel
def play_back(
    games: Tables,
    rules: Tables,
    wins: Wins,
    decisions: NDArray[np.int8],
    starts: NDArray[np.int64],
    played: NDArray[np.int64],
) -> None:
    """Play decisions starts[i]..starts[i+1]-1 at table i up to the first wrong one.

    `decisions` is (D, 3): seat, action, and the tile in question or -1 where none was named.
    `played` (N,) is told how many were right; the table stands where the wrong one was met.
    """
    for i in range(games.shape[0]):
        g = games[i]
        played[i] = starts[i + 1] - starts[i]
        for j in range(starts[i], starts[i + 1]):
            seat, action, tile = decisions[j, 0], decisions[j, 1], decisions[j, 2]
            if g.phase == DONE or seat != g.seat or not g.legal >> action & 1:
                played[i] = j - starts[i]
                break
            if tile >= 0 and tile != g.tile:
                played[i] = j - starts[i]
                break
            act(g, rules[g.rules], action, wins)


@kernel
def settle_positions(
    games: Tables, rules: Tables, wins: Wins, incomplete: NDArray[np.uint8]
) -> None:
    """Settle tables whose tiles and ends were set from outside.

    Each table's `hand` holds the concealed tiles without the winning one; keys, waits and the like
    follow from it. `incomplete` (N,) is told the winners (bits) whose hand the tile does not
    complete; such a table is not settled.
    """
    for i in range(games.shape[0]):
        g = games[i]
        r = rules[g.rules]
        for seat in range(4):
            take_stock(g, seat)
            g.waits[seat] = hand_waits(g, seat, r, wins)
        incomplete[i] = 0
        for seat in range(4):
            if won(g, seat) and full_hand_patterns(g, seat, g.tile, r, wins) == 0:
                incomplete[i] |= 1 << seat
        if incomplete[i] == 0:
            if g.end == SELF_DRAW:
                add_tile(g, g.seat, g.tile)
            settle(g, r, wins)


@kernel
def take_stock(g: Record, seat: int) -> None:
    """Work out a seat's keys and bits from the counts of its hand."""
    g.key[seat] = 0
    g.held[seat] = 0
    g.quad[seat] = 0
    for kind in range(27):
        n = g.hand[seat, kind]
        g.key[seat, kind // 9] += n * POW5[kind % 9]
        if n:
            g.held[seat] |= 1 << kind
        if n == 4:
            g.quad[seat] |= 1 << kind
