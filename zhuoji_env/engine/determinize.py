"""Full tables consistent with what one seat knows, for search.

Worlds are uniform over the deals of the unseen tiles to the other hands and the wall, given that
every baoting hand is ready (R29): those hands are drawn from all ready ones by how often the unseen
tiles deal them (engine.ready), independently for each such seat and kept with the chance that makes
the draw a joint one; the rest is shuffled. What players chose is not weighed: a world in which
somebody let a win go is as likely as another, and its player is marked in it (R19). Which of a
seat's four equal tiles were dealt, and whether an added kong's tile was in hand (R12), is drawn as
if each tile a seat kept were as likely dealt as drawn. Answers already given to a claim that the
viewer is asked about are unknown to it and are asked for again (R9: the order changes nothing).
"""

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.arguments import whole
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.hand import hand_waits
from zhuoji_env.engine.kernel import Record, Wins, kernel
from zhuoji_env.engine.layout import DONE, GAME, VIEW, rules_of
from zhuoji_env.engine.ready import (
    HAND,
    N_CLASSES,
    Keys,
    Weights,
    list_combinations,
    list_keys,
    sort_keys,
)
from zhuoji_env.engine.turn import add_tile, remove_tiles
from zhuoji_env.engine.worlds import (
    draw_ready,
    draw_world,
    fill_pool,
    keep_chance,
    uniform,
    write_known,
)

N_GROUPS = (HAND + 1) * N_CLASSES
# All unseen: 999 combinations, and 286,550 keys of up to 13 tiles a suit; fewer are never more.
MAX_COMBINATIONS = 1000
MAX_KEYS = 286_600
# Tries at the ready hands of one world. One in a few dozen succeeds even with three such seats.
TRIES = 10_000_000
GAVE_UP = -1
NO_READY_HANDS = "no ready hands fit the view: its baoting seats cannot be ready"


@kernel
def _plan(
    views: Record,
    wins: Wins,
    combinations: NDArray[np.int32],
    totals: Weights,
    starts: NDArray[np.int64],
    keys: Keys,
    running: Weights,
) -> int:
    """List the ready hands of the unseen tiles; return how many combinations of groups."""
    v = views[0]
    sums = np.zeros((3, N_GROUPS), np.float64)
    listed = np.empty(MAX_KEYS, np.int32)
    weights = np.empty(MAX_KEYS, np.float64)
    groups = np.empty(MAX_KEYS, np.int32)
    for suit in range(3):
        n = list_keys(v.unseen, suit, wins, listed, weights, groups, sums[suit])
        sort_keys(n, listed, weights, groups, starts[suit], keys[suit], running[suit])
    return int(list_combinations(sums, combinations, totals))


@kernel
def _draw(
    views: Record,
    templates: Record,
    games: Record,
    rules: Record,
    wins: Wins,
    seeds: NDArray[np.uint64],
    combinations: NDArray[np.int32],
    totals: Weights,
    n_combinations: int,
    starts: NDArray[np.int64],
    keys: Keys,
    running: Weights,
) -> int:
    """Draw the worlds of one view into `games`; return GAVE_UP if no ready hands could be drawn."""
    v = views[0]
    write_known(v, templates[0])
    pool = np.empty(108, np.int8)
    all_unseen = np.empty(108, np.int8)
    n_all = fill_pool(v, all_unseen)
    suit_keys = np.zeros(3, np.int64)
    taken = np.empty(27, np.int8)
    hands = np.empty((3, 27), np.int8)
    for i in range(games.shape[0]):
        games[i] = templates[0]
        g = games[i]
        r = rules[0]
        state = seeds[i]
        dealt = 0
        n = n_all
        pool[:] = all_unseen
        if n_combinations:
            tries = 0
            whole = False
            while not whole and tries < TRIES:
                tries += 1
                whole = True
                taken[:] = 0
                for place in range(3):
                    if v.baoting[1 + place]:
                        hand = hands[place]
                        state = draw_ready(
                            state, combinations, totals, n_combinations, starts, keys, running, hand
                        )
                        state, u = uniform(state)
                        if u >= keep_chance(v.unseen, taken, hand):
                            whole = False
                            break
                        taken += hand
                whole = whole and _deal_ready(v, g, r, hands, wins)
            if not whole:
                return GAVE_UP
            n = 0
            for kind in range(27):
                for _ in range(v.unseen[kind] - taken[kind]):
                    pool[n] = kind
                    n += 1
            for place in range(3):
                if v.baoting[1 + place]:
                    dealt |= 1 << ((v.seat + 1 + place) & 3)
        draw_world(v, g, r, pool, n, state, dealt, suit_keys, wins)
    return int(games.shape[0])


@kernel
def _deal_ready(v: Record, g: Record, r: Record, hands: NDArray[np.int8], wins: Wins) -> bool:
    """Deal the ready hands; take them back if one is not ready under these rules (R14)."""
    ready = True
    for place in range(3):
        if v.baoting[1 + place]:
            q = (v.seat + 1 + place) & 3
            for kind in range(27):
                for _ in range(hands[place, kind]):
                    add_tile(g, q, kind)
            ready = ready and hand_waits(g, q, r, wins) != 0
    if not ready:
        for place in range(3):
            if v.baoting[1 + place]:
                for kind in range(27):
                    if hands[place, kind]:
                        remove_tiles(g, (v.seat + 1 + place) & 3, kind, hands[place, kind])
    return ready


def determinize(view: NDArray[np.void] | np.void, n: int, rng: np.random.Generator | int) -> Games:
    """Return n full tables consistent with what the acting seat of a view knows.

    `view` is one VIEW record, or an array of V of them: then V x n tables, view by view. `rng` is a
    generator or a seed. The tables carry nothing of the true hidden tiles or chance. Raises
    ValueError if n is below 1 or a view's seat has nothing to decide.
    """
    views = np.atleast_1d(np.asarray(view, VIEW))
    whole("n", n, 1)
    if np.any(views["legal"] == 0) or np.any(views["phase"] == DONE):
        raise ValueError("a view's seat has nothing to decide; allowed: views of acting seats")
    generator = np.random.default_rng(rng)
    rules = [rules_of(v["rules"]) for v in views]
    unique = list(dict.fromkeys(rules))
    index = [unique.index(r) for r in rules]
    games = Games(len(views) * n, unique)
    for i, which in enumerate(index):
        part = slice(i * n, (i + 1) * n)
        _draw_worlds(views[i : i + 1], games, part, which, generator)
    games.state["rules"] = np.repeat(index, n)
    return games


def _draw_worlds(
    view: NDArray[np.void], games: Games, part: slice, rules: int, rng: np.random.Generator
) -> None:
    seeds = rng.integers(0, 1 << 63, part.stop - part.start, dtype=np.uint64)
    plan = _empty_plan()
    n_combinations = 0
    if view["baoting"][0, 1:].any():
        plan = _full_plan()
        n_combinations = _plan(view, games.wins, *plan)
        if n_combinations == 0:
            raise ValueError(NO_READY_HANDS)
    done = _draw(
        view,
        np.zeros(1, GAME),
        games.state[part],
        games.records[rules : rules + 1],
        games.wins,
        seeds,
        plan[0],
        plan[1],
        n_combinations,
        *plan[2:],
    )
    if done == GAVE_UP:
        raise ValueError(NO_READY_HANDS)


Plan = tuple[NDArray[np.int32], Weights, NDArray[np.int64], Keys, Weights]


def _full_plan() -> Plan:
    return (
        np.empty((MAX_COMBINATIONS, 3), np.int32),
        np.empty(MAX_COMBINATIONS),
        np.empty((3, N_GROUPS + 1), np.int64),
        np.empty((3, MAX_KEYS), np.int32),
        np.empty((3, MAX_KEYS)),
    )


def _empty_plan() -> Plan:
    return (
        np.empty((0, 3), np.int32),
        np.empty(0),
        np.empty((3, 0), np.int64),
        np.empty((3, 0), np.int32),
        np.empty((3, 0)),
    )


__all__ = ["determinize"]
