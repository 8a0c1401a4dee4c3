"""Kernels over a shard's tables: who sits where, forced moves, draws, and what a deal came to.

Every draw is a function of the table's seed and a count of its own, never of the batch.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.engine.batch import nth_bit, redeal
from zhuoji_env.engine.distance import lowering_kinds, pairs_distance, standard_distance
from zhuoji_env.engine.kernel import Record, Wins, kernel
from zhuoji_env.engine.layout import DONE, ITEMS, N_SEATS
from zhuoji_env.engine.turn import act
from zhuoji_env.engine.view import write_view
from zhuoji_env.engine.wall import GAMMA, MIX1, mix
from zhuoji_env.observation import N_ORACLE

Tables = Any

# The bill's items in groups that a critic tells apart.
GROUPS = {
    "hu": ("hu", "dealer"),
    "dou": ("dian_dou", "men_dou", "zhuan_wan_dou"),
    "ji": ("yao_ji", "wu_gu_ji", "zhuo_ji"),
    "charge": ("charge_ji", "zeren_ji"),
    "cha_jiao": ("cha_jiao",),
    "rest": ("bao", "bao_ji", "men_yao", "re_pao", "sha_bao"),
}
N_GROUPS = len(GROUPS)
# Rows of the truth that the critic sees: the oracle's planes, and two for each other seat.
N_OTHERS = N_SEATS - 1
TRUTH = N_ORACLE + 2 * N_OTHERS
GROUP_OF = np.array(
    [next(g for g, items in enumerate(GROUPS.values()) if item in items) for item in ITEMS]
)

# What is kept of a finished deal.
ENDED = np.dtype(
    [
        ("table", np.int32),  # its place in the shard
        ("deal", np.int64),
        ("rules", np.int32),
        ("end", np.int8),
        ("winners", np.uint8),
        ("shooter", np.int8),
        ("ready", np.uint8, (N_SEATS,)),
        ("who", np.int8, (N_SEATS,)),
        ("scores", np.int32, (N_SEATS,)),  # points
        ("items", np.int32, (N_SEATS, N_GROUPS)),  # points, which sum to the scores
    ]
)

# Who plays a seat: the learner, a past copy, or agent j as AGENT + j.
LEARNER, PAST, AGENT = 0, 1, 2
# Families of draws, apart from each other and from the walls'.
SEATING, ACTIONS = np.uint64(0xA5EA7), np.uint64(0xAC710)
S11 = np.uint64(11)
TO_UNIT = 2.0**-53


@kernel
def uniform(seed: Any, family: Any, count: Any) -> float:
    """Return a number in [0, 1): a function of a table's seed, a family of draws and a count."""
    state = mix(mix(seed + GAMMA) ^ mix(family * MIX1 + GAMMA)) + np.uint64(count) * GAMMA
    return float(np.int64(mix(state) >> S11) * TO_UNIT)


@kernel
def seat_deal(
    g: Record,
    shares: NDArray[np.float64],
    past_seats: NDArray[np.int64],
    agent_seats: NDArray[np.int64],
    who: NDArray[np.int8],
) -> None:
    """Draw who plays the seats of a table's deal; `shares` add up to 1, in the order of `who`."""
    count = np.uint64(g.deal) << np.uint64(2)
    who[:] = LEARNER
    kind = 0
    left = uniform(g.seed, SEATING, count) - shares[0]
    while left >= 0 and kind < shares.shape[0] - 1:
        kind += 1
        left -= shares[kind]
    if kind == LEARNER:
        return
    numbers = past_seats if kind == PAST else agent_seats
    seats = numbers[int(uniform(g.seed, SEATING, count + np.uint64(1)) * numbers.shape[0])]
    first = int(uniform(g.seed, SEATING, count + np.uint64(2)) * 4)
    # Seats side by side or, for two, across: every seat is as likely to be one of them.
    apart = 2 if seats == 2 and uniform(g.seed, SEATING, count + np.uint64(3)) < 1 / 3 else 1
    for i in range(seats):
        who[(first + i * apart) & 3] = kind


@kernel
def note_end(g: Record, base: int, groups: NDArray[np.int64], out: Record) -> None:
    """Write what a finished deal came to, but for table and seating."""
    out.deal = g.deal
    out.rules = g.rules
    out.end = g.end
    out.winners = g.winners
    out.shooter = g.shooter
    out.ready[:] = g.ready
    out.scores[:] = g.scores
    out.items[:] = 0
    for item in range(g.bill.shape[0]):
        for payer in range(4):
            for payee in range(4):
                points = base * g.bill[item, payer, payee]
                if points:
                    out.items[payee, groups[item]] += points
                    out.items[payer, groups[item]] -= points


@kernel
def advance(
    games: Tables,
    rules: Tables,
    wins: Wins,
    groups: NDArray[np.int64],
    shares: NDArray[np.float64],
    past_seats: NDArray[np.int64],
    agent_seats: NDArray[np.int64],
    who: NDArray[np.int8],
    actions: NDArray[np.int64],
    ended: Tables,
) -> int:
    """Play an action (none if negative) at every table, then go on to its next real choice.

    Moves without a choice are played, finished deals noted in `ended` and dealt on; a table ends
    at most one deal a call. Returns how many deals ended.
    """
    n = 0
    for i in range(games.shape[0]):
        g = games[i]
        r = rules[g.rules]
        if actions[i] >= 0:
            act(g, r, actions[i], wins)
        fresh = True
        while True:
            if g.phase == DONE:
                if not fresh:
                    break
                fresh = False
                note_end(g, r.base, groups, ended[n])
                ended[n].table = i
                ended[n].who[:] = who[i]
                n += 1
                redeal(g, r, wins)
                seat_deal(g, shares, past_seats, agent_seats, who[i])
            elif g.legal & (g.legal - 1) == 0:
                act(g, r, nth_bit(g.legal, 0), wins)
            else:
                break
    return n


@kernel
def gather(
    games: Tables,
    rules: Tables,
    who: NDArray[np.int8],
    counts: NDArray[np.int64],
    starts: NDArray[np.int64],
    order: NDArray[np.int64],
    views: Tables,
    draws: NDArray[np.float64],
) -> None:
    """Write the views of the acting seats side by side, the learner's first, and their draws.

    Rows starts[k] to starts[k + 1] are player k's; `order` names each row's table.
    """
    starts[:] = 0
    for i in range(games.shape[0]):
        if games[i].phase != DONE:
            starts[who[i, games[i].seat] + 1] += 1
    for k in range(1, starts.shape[0]):
        starts[k] += starts[k - 1]
    fill = starts.copy()
    for i in range(games.shape[0]):
        g = games[i]
        if g.phase != DONE:
            k = who[i, g.seat]
            row = fill[k]
            fill[k] = row + 1
            order[row] = i
            write_view(g, g.seat, rules[g.rules], views[row])
            draws[row] = uniform(g.seed, ACTIONS, counts[i])
            counts[i] += 1


@kernel
def choose(
    logits: NDArray[np.float32],
    legal: NDArray[np.int64],
    draws: NDArray[np.float64],
    actions: NDArray[np.int64],
    log_probs: NDArray[np.float32],
) -> None:
    """Draw an action from the softmax over the legal logits and write its log-probability."""
    for i in range(logits.shape[0]):
        top = -np.inf
        for a in range(logits.shape[1]):
            if legal[i] >> a & 1:
                top = max(top, float(logits[i, a]))
        total = 0.0
        for a in range(logits.shape[1]):
            if legal[i] >> a & 1:
                total += np.exp(logits[i, a] - top)
        left = draws[i] * total
        for a in range(logits.shape[1]):
            if legal[i] >> a & 1:
                actions[i] = a
                left -= np.exp(logits[i, a] - top)
                if left < 0:
                    break
        log_probs[i] = logits[i, actions[i]] - top - np.log(total)


@kernel
def write_standing(
    games: Tables,
    rules: Tables,
    seats: NDArray[np.int8],
    needs: NDArray[np.uint64],
    out: NDArray[np.int8],
) -> None:
    """Write how far each other seat is from a win, on all kinds, and which kinds bring it nearer.

    `out` (M, TRUTH, 27): its last rows are written, after those of the oracle.
    """
    for i in range(games.shape[0]):
        g = games[i]
        pairs_open = rules[g.rules].hand_qi_dui >= 0
        for place in range(N_OTHERS):
            seat = (seats[i] + 1 + place) & 3
            k0, k1, k2, n = g.key[seat, 0], g.key[seat, 1], g.key[seat, 2], g.n_melds[seat]
            bits = lowering_kinds(k0, k1, k2, n, pairs_open, needs)
            far = standard_distance(k0, k1, k2, n, needs)
            if n == 0 and pairs_open:
                far = min(far, pairs_distance(k0, k1, k2))
            for kind in range(27):
                out[i, N_ORACLE + place, kind] = bits >> kind & 1
                out[i, N_ORACLE + N_OTHERS + place, kind] = far


@kernel
def trace(
    values: NDArray[np.float32],
    rewards: NDArray[np.float32],
    last: NDArray[np.bool_],
    decay: float,
    out: NDArray[np.float32],
) -> None:
    """Write undiscounted generalised advantages of trajectories that lie end to end.

    `last` marks each trajectory's last decision, `rewards` what its deal paid, in every row.
    """
    after = 0.0
    running = 0.0
    for m in range(values.shape[0] - 1, -1, -1):
        if last[m]:
            after = rewards[m]
            running = 0.0
        running = after - values[m] + decay * running
        after = values[m]
        out[m] = running
