"""Counting legal action sequences from a position, an oracle for the rules (as chess's perft)."""

import numpy as np

from zhuoji_env.engine.batch import count_bits, nth_bit
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.kernel import Int, Record, Wins, kernel
from zhuoji_env.engine.layout import GAME
from zhuoji_env.engine.turn import act


@kernel
def _count(stack: Record, rules: Record, wins: Wins, tried: Record, depth: int) -> Int:
    # stack[d] is the position after d actions, tried[d] how many of its actions have been counted.
    total = 0
    at = 0
    tried[0] = 0
    while at >= 0:
        g = stack[at]
        n = count_bits(g.legal)
        if at == depth - 1:
            total += n
            at -= 1
        elif tried[at] == n:
            at -= 1
        else:
            action = nth_bit(g.legal, tried[at])
            tried[at] += 1
            stack[at + 1] = stack[at]
            act(stack[at + 1], rules[g.rules], action, wins)
            at += 1
            tried[at] = 0
    return total


def perft(games: Games, i: int, depth: int) -> int:
    """Return the number of legal action sequences of exactly `depth` actions from table i.

    A deal that ends sooner contributes nothing. ValueError for a depth below 1.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}; allowed: 1 or more")
    stack = np.zeros(depth, GAME)
    stack[0] = games.state[i]
    tried = np.zeros(depth, np.int64)
    return int(_count(stack, games.records, games.wins, tried, depth))
