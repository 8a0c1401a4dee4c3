"""Kernels over a whole batch: check, step, deal, sample, view; Python is crossed once per call."""

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.engine.kernel import Int, Record, Wins, kernel
from zhuoji_env.engine.layout import DONE, UNDEALT
from zhuoji_env.engine.turn import act, deal_tiles
from zhuoji_env.engine.view import write_view
from zhuoji_env.engine.wall import below, throw

Tables = Record  # an array of records
ALL_FINE = -1


@kernel
def first_illegal(games: Tables, actions: NDArray[np.int64]) -> int:
    """Return the first live table whose action is not legal, ALL_FINE if there is none."""
    for i in range(games.shape[0]):
        g = games[i]
        if g.phase != DONE:
            action = actions[i]
            if action < 0 or action >= N_ACTIONS or not g.legal >> action & 1:
                return i
    return ALL_FINE


@kernel
def step(games: Tables, rules: Tables, wins: Wins, actions: NDArray[np.int64]) -> int:
    """Play one action at every live table and return how many tables are done."""
    done = 0
    for i in range(games.shape[0]):
        g = games[i]
        if g.phase != DONE:
            act(g, rules[g.rules], actions[i], wins)
        if g.phase == DONE:
            done += 1
    return done


@kernel
def checked_step(games: Tables, rules: Tables, wins: Wins, actions: NDArray[np.int64]) -> int:
    """Return -1 - i for the first illegal table i, changing nothing; else step."""
    bad = first_illegal(games, actions)
    if bad != ALL_FINE:
        return -1 - bad
    return step(games, rules, wins, actions)


@kernel
def next_deal(games: Tables, rules: Tables, wins: Wins, where: NDArray[np.bool_]) -> None:
    """Begin the next deal at the tables named, carrying dealer and streak on (R45–R47)."""
    for i in range(games.shape[0]):
        if where[i]:
            redeal(games[i], rules[games[i].rules], wins)


@kernel
def redeal(g: Record, r: Record, wins: Wins) -> None:
    """Deal the next wall of a finished table."""
    g.dealer = g.next_dealer
    g.streak = g.next_streak
    g.deal += 1
    throw_dice(g, r)
    deal_tiles(g, r, wins)


@kernel
def throw_dice(g: Record, r: Record) -> Int:
    """Throw the dice and shuffle the wall of the table's deal (R2); return a uniform seat."""
    die, second, seat = throw(g.seed, g.deal, g.wall)
    g.dice[0] = die
    g.dice[1] = second if r.deal_dice == 2 else 0
    return seat


@kernel
def first_deal(
    games: Tables,
    rules: Tables,
    wins: Wins,
    tables: NDArray[np.int64],
    walls: NDArray[np.int8],
    dealers: NDArray[np.int8],
    streaks: NDArray[np.int32],
) -> None:
    """Begin a session at some tables; no `walls`, or a dealer of -1, leaves it to chance (R2)."""
    for j in range(tables.shape[0]):
        g = games[tables[j]]
        r = rules[g.rules]
        g.deal += 1
        seat = throw_dice(g, r)
        if walls.shape[0]:
            g.wall[:] = walls[j]
        if dealers[j] >= 0:
            g.dealer = dealers[j]
        elif r.deal_first_dealer == 0:
            g.dealer = seat
        else:
            g.dealer = (g.dice[0] + g.dice[1] - 1) & 3
        g.streak = streaks[j]
        deal_tiles(g, r, wins)


@kernel
def expand_legal(games: Tables, out: NDArray[np.bool_]) -> None:
    """Write the legal actions of every table as (N, 58) bool."""
    for i in range(games.shape[0]):
        bits = games[i].legal
        for a in range(N_ACTIONS):
            out[i, a] = bits >> a & 1


@kernel
def nth_bit(bits: int, n: int) -> int:
    """Return the place of the n-th set bit, n counted from 0."""
    for _ in range(n):
        bits &= bits - 1
    place = 0
    while not bits >> place & 1:
        place += 1
    return place


@kernel
def count_bits(bits: int) -> int:
    """Return how many bits are set."""
    n = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


@kernel
def sample(games: Tables, states: NDArray[np.uint64], out: NDArray[np.int64]) -> None:
    """Pick a uniformly random legal action at every table; finished tables get 0."""
    for i in range(games.shape[0]):
        bits = games[i].legal
        out[i] = 0
        if bits:
            states[i], n = below(states[i], count_bits(bits))
            out[i] = nth_bit(bits, n)


@kernel
def play(
    games: Tables, rules: Tables, wins: Wins, states: NDArray[np.uint64], decisions: int
) -> int:
    """Play random decisions at every table, dealing on; return how many deals ended."""
    deals = 0
    for i in range(games.shape[0]):
        g = games[i]
        if g.phase == UNDEALT:
            continue
        for _ in range(decisions):
            states[i], n = below(states[i], count_bits(g.legal))
            act(g, rules[g.rules], nth_bit(g.legal, n), wins)
            if g.phase == DONE:
                deals += 1
                redeal(g, rules[g.rules], wins)
    return deals


@kernel
def views(games: Tables, rules: Tables, seats: NDArray[np.int8], out: Tables) -> None:
    """Write the view of one seat of every table."""
    for i in range(games.shape[0]):
        write_view(games[i], seats[i], rules[games[i].rules], out[i])
