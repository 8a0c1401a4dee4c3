"""Kernels that fill a table from one seat's VIEW: what it knows, then a draw of what it does not.

A world is made in two steps. `write_known` copies everything that the view says into a template,
once per view; `draw_world` deals the unseen tiles to the other hands and the wall, and works out
what follows from them and from the public history: waits, marks, late kongs, who may claim.
"""

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import HU, PENG
from zhuoji_env.engine.hand import POW5, hand_waits, patterns_of, waits_of
from zhuoji_env.engine.kernel import Int, Record, Wins, kernel
from zhuoji_env.engine.layout import (
    CLAIM,
    CLAIM_SHIFT,
    CLAIMER_SHIFT,
    DRAWN_FLAG,
    MEN,
    N_TILES,
    PENG_MELD,
    ROB,
    SAID_PASS,
    TURN,
    UNCLAIMED,
    ZHUAN_WAN,
)
from zhuoji_env.engine.ready import Keys, Weights, find
from zhuoji_env.engine.turn import (
    LATE_PASSPORT,
    PASSED_FREE,
    add_tile,
    begin_turn,
    clear,
    entitled,
)
from zhuoji_env.engine.wall import FREE, GAMMA, below, mix


@kernel
def absolute(seat: Int, viewer: Int) -> Int:
    """Return the absolute seat of one counted from the viewer; -1 stays -1."""
    return (seat + viewer) & 3 if seat >= 0 else -1


@kernel
def write_known(v: Record, g: Record) -> None:
    """Write into a table everything that a view says; other hands and the wall stay empty."""
    me = v.seat
    clear(g)
    g.seed = 0
    g.number = 0
    g.deal = 0
    g.dice[:] = 0
    g.dealer = absolute(v.dealer, me)
    g.streak = v.streak
    write_open_tiles(v, g)
    begin_turn(g, me)
    g.seat = me
    g.phase = v.phase
    g.legal = v.legal
    g.drawn = v.drawn
    g.drawn_bits = v.drawn_bits
    g.replacement = v.replacement
    g.declared = v.declared
    for kind in range(27):
        for _ in range(v.hand[kind]):
            add_tile(g, me, kind)
    g.waits[me] = v.waits
    g.marked[me] = v.marked
    g.dealt_quad[me] = v.dealt_quad
    actor = me
    if v.phase == CLAIM or v.phase == ROB:
        actor = absolute(v.shooter, me)
        g.tile = v.tile
        g.shooter = actor
    # R31: the kongs laid since the last discard but the one in question are this turn's.
    made = v.n_discards - (1 if v.phase == CLAIM else 0)
    for i in range(g.n_melds[actor]):
        if g.kong_at[actor, i] == made:
            g.turn_kongs |= 1 << i


@kernel
def write_open_tiles(v: Record, g: Record) -> None:
    """Write melds, discards, rivers and what follows from them alone."""
    me = v.seat
    kongs = 0
    for place in range(4):
        q = absolute(place, me)
        g.baoting[q] = v.baoting[place]
        g.let_go[q] = v.let_go[place]
        n = v.n_melds[place]
        g.n_melds[q] = n
        g.acted[q] = n > 0
        g.any_meld = g.any_meld or n > 0
        for i in range(n):
            g.meld_type[q, i] = v.meld_type[place, i]
            g.meld_kind[q, i] = v.meld_kind[place, i]
            g.meld_from[q, i] = absolute(v.meld_from[place, i], me)
            g.meld_late[q, i] = v.meld_late[place, i]
            g.meld_at[q, i] = v.meld_at[place, i]
            g.kong_at[q, i] = v.kong_at[place, i]
            if v.meld_type[place, i] == PENG_MELD:
                g.peng[q] |= 1 << v.meld_kind[place, i]
            else:
                kongs += 1
        for kind in range(27):
            g.river[q, kind] = v.river[place, kind]
    g.tail = N_TILES - kongs
    g.head = g.tail - v.wall_left
    g.n_discards = v.n_discards
    for i in range(v.n_discards):
        seat, flag = absolute(v.discard_seat[i], me), v.discard_flag[i]
        g.discards[i] = v.discards[i]
        g.discard_seat[i] = seat
        if (flag >> CLAIM_SHIFT) & 3 != UNCLAIMED:
            claimer = absolute((flag >> CLAIMER_SHIFT) & 3, me)
            flag = (flag & ((1 << CLAIMER_SHIFT) - 1)) | claimer << CLAIMER_SHIFT
        g.discard_flag[i] = flag
        passed = v.passed[i]
        g.passed[i] = passed << me
        g.acted[seat] = True
        g.discarded[seat] = True
        g.n_draws[seat] += 1  # asked for only while nobody has melded (tian_hu, di_hu)
    g.first_yaoji = v.first_yaoji
    g.first_wu_gu = v.first_wu_gu
    if v.phase == TURN:
        g.n_draws[me] += 1


@kernel
def fill_pool(v: Record, pool: NDArray[np.int8]) -> Int:
    """List the tiles that the view does not show, kind by kind; return how many."""
    n = 0
    for kind in range(27):
        for _ in range(v.unseen[kind]):
            pool[n] = kind
            n += 1
    return n


@kernel
def uniform(state: Int) -> tuple[Int, float]:
    """Return the next state and a uniform number in [0, 1)."""
    state = state + GAMMA
    return state, float(mix(state) >> np.uint64(11)) / 9007199254740992.0


@kernel
def draw_ready(
    state: Int,
    combinations: NDArray[np.int32],
    totals: Weights,
    n: Int,
    starts: NDArray[np.int64],
    keys: Keys,
    running: Weights,
    out: NDArray[np.int8],
) -> Int:
    """Draw one ready hand of the pool (engine.ready) as counts into `out` (27,)."""
    state, u = uniform(state)
    row = find(totals, 0, n, u * totals[n - 1])
    for suit in range(3):
        group = combinations[row, suit]
        first, last = starts[suit, group], starts[suit, group + 1]
        state, u = uniform(state)
        key = keys[suit, find(running[suit], first, last, u * running[suit, last - 1])]
        for rank in range(9):
            out[9 * suit + rank] = key % 5
            key //= 5
    return state


@kernel
def keep_chance(pool: NDArray[np.int8], taken: NDArray[np.int8], hand: NDArray[np.int8]) -> float:
    """Return the chance to keep a hand drawn as if nothing were taken of the pool.

    C(u - t, h) / C(u, h) for each kind: keeping with it makes independent draws a joint one.
    """
    chance = 1.0
    for kind in range(27):
        u, t, h = pool[kind], taken[kind], hand[kind]
        if h > u - t:
            return 0.0
        for i in range(h):
            chance *= (u - t - i) / (u - i)
    return chance


@kernel
def deal_unseen(g: Record, me: Int, pool: NDArray[np.int8], n: Int, dealt: Int, state: Int) -> Int:
    """Shuffle the unseen tiles, deal them to the hands that `dealt` (bits) lack, then the wall."""
    for i in range(n - 1, 0, -1):
        state, j = below(state, i + 1)
        kept = pool[i]
        pool[i] = pool[j]
        pool[j] = kept
    at = 0
    for place in range(1, 4):
        q = absolute(place, me)
        if not dealt >> q & 1:
            for _ in range(13 - 3 * g.n_melds[q]):
                add_tile(g, q, pool[at])
                at += 1
    for i in range(g.head, g.tail):
        g.wall[i] = pool[at]
        at += 1
    return state


@kernel
def fill_drawn_wall(g: Record) -> None:
    """Fill the drawn places of the wall with the tiles that are not in it, in order of kind.

    Where they were drawn is past; what matters is that the wall holds four of each.
    """
    left = np.full(27, 4, np.int8)
    for i in range(g.head, g.tail):
        left[g.wall[i]] -= 1
    kind = 0
    for i in range(N_TILES):
        if g.head <= i < g.tail:
            continue
        while left[kind] == 0:
            kind += 1
        g.wall[i] = kind
        left[kind] -= 1


@kernel
def draw_origins(g: Record, r: Record, q: Int, state: Int) -> Int:
    """Draw which of another seat's fours were dealt to it, and which kongs came late (R12).

    Every tile that a seat kept is as likely to have been dealt as drawn.
    """
    if r.dou_dealt_late == LATE_PASSPORT:
        for kind in range(27):
            if g.quad[q] >> kind & 1:
                state, dealt = draw_dealt(g, q, g.n_discards, state)
                if dealt:
                    g.dealt_quad[q] |= 1 << kind
        for i in range(g.n_melds[q]):
            if g.meld_type[q, i] == MEN:
                state, dealt = draw_dealt(g, q, g.kong_at[q, i], state)
                if dealt:
                    g.dealt_quad[q] |= 1 << g.meld_kind[q, i]
                    g.meld_late[q, i] = had_discarded(g, q, g.kong_at[q, i])
    if r.dou_late_added == LATE_PASSPORT:
        for i in range(g.n_melds[q]):
            if g.meld_type[q, i] == ZHUAN_WAN:
                state, in_time = draw_in_time(g, q, i, g.kong_at[q, i], state)
                g.meld_late[q, i] = not in_time
    return state


@kernel
def draw_in_time(g: Record, q: Int, i: Int, until: Int, state: Int) -> tuple[Int, bool]:
    """Draw whether the tile added to a seat's meld i was drawn in that very turn (R12).

    It lay in the hand when the peng was made, or came with one of the draws since that were kept;
    only the last of these, the turn's own, is in time.
    """
    places = 13 - 3 * i
    for j in range(g.meld_at[q, i] + 1, until):
        if g.discard_seat[j] == q and not g.discard_flag[j] & DRAWN_FLAG:
            places += 1
    state, place = below(state, places + 1)
    return state, place == 0


@kernel
def draw_robbed_origin(g: Record, r: Record, state: Int) -> Int:
    """Draw whether the added kong that may be robbed is in time, as its completion will ask."""
    q = g.shooter
    in_time = True
    if r.dou_late_added == LATE_PASSPORT:
        for i in range(g.n_melds[q]):
            if g.meld_kind[q, i] == g.tile:
                state, in_time = draw_in_time(g, q, i, g.n_discards, state)
    if in_time:
        g.drawn_bits |= 1 << g.tile
    return state


@kernel
def had_discarded(g: Record, q: Int, before: Int) -> bool:
    """Whether a seat had made a discard before so many discards of the deal."""
    for i in range(before):
        if g.discard_seat[i] == q:
            return True
    return False


@kernel
def draw_dealt(g: Record, q: Int, until: Int, state: Int) -> tuple[Int, bool]:
    """Draw whether four equal tiles of a seat were all dealt, the seat's draws `until` known."""
    dealt = 14 if q == g.dealer else 13
    kept = 0
    for i in range(until):
        if g.discard_seat[i] == q and not g.discard_flag[i] & DRAWN_FLAG:
            kept += 1
    kept = max(0, kept - 1) if q == g.dealer else kept
    chance = 1.0
    for i in range(4):
        chance *= (dealt - i) / (dealt + kept - i)
    state, u = uniform(state)
    return state, u < chance


@kernel
def could_have_won(
    g: Record,
    r: Record,
    q: Int,
    keys: NDArray[np.int64],
    n_melds: Int,
    kind: Int,
    free: bool,
    wins: Wins,
) -> bool:
    """Whether a hand of such keys could have won on a tile that was let go (R15–R17)."""
    if not waits_of(keys[0], keys[1], keys[2], n_melds, wins) >> kind & 1:
        return False
    suits = 0
    for i in range(n_melds):
        suits |= 1 << (g.meld_kind[q, i] // 9)
    add = POW5[kind % 9]
    suit = kind // 9
    bits = patterns_of(
        keys[0] + (add if suit == 0 else 0),
        keys[1] + (add if suit == 1 else 0),
        keys[2] + (add if suit == 2 else 0),
        suits,
        n_melds,
        kind,
        r,
        wins,
    )
    if bits == 0:
        return False
    if bits != 1 or free or not r.win_passport or g.baoting[q]:
        return True
    for i in range(n_melds):
        if g.meld_type[q, i] != PENG_MELD:
            return True
    return False


@kernel
def is_marked(g: Record, r: Record, q: Int, keys: NDArray[np.int64], wins: Wins) -> bool:
    """R19: whether another seat let a win go since its own last draw, as its hand would have it.

    Walks the discards back to that draw, undoing a peng (and its discard) on the way.
    """
    for suit in range(3):
        keys[suit] = g.key[q, suit]
    n = g.n_melds[q]
    left = np.int64(g.let_go[q])
    last = g.n_discards - 1
    if g.phase == CLAIM:
        last -= 1  # the tile in question has not been let go yet
    for i in range(last, -1, -1):
        seat, kind = g.discard_seat[i], g.discards[i]
        if seat != q:
            hot = False
            for m in range(g.n_melds[seat]):
                hot = hot or g.kong_at[seat, m] == i
            if could_have_won(g, r, q, keys, n, kind, hot or g.baoting[seat] != 0, wins):
                return True
            left &= ~(1 << kind)
            continue
        if not (n > 0 and g.meld_type[q, n - 1] == PENG_MELD and g.meld_at[q, n - 1] == i):
            break  # this turn began with its draw
        keys[kind // 9] += POW5[kind % 9]
        n -= 1
        peng = g.meld_kind[q, n]
        keys[peng // 9] += 2 * POW5[peng % 9]
    # What was let go and not discarded was an added kong that could have been robbed (R33).
    for kind in range(27):
        if left >> kind & 1 and could_have_won(g, r, q, keys, n, kind, True, wins):
            return True
    return False


@kernel
def set_claims(g: Record, r: Record, v: Record, wins: Wins) -> None:
    """Work out who else may claim the tile in question, and what they have said (R9)."""
    me = v.seat
    if g.phase == CLAIM and v.legal >> PENG & 1:
        g.claimer = me
    may_hu = 0
    for place in range(1, 4):
        q = (g.shooter + place) & 3
        if q == me:
            may_hu |= 1 << q if v.legal >> HU & 1 else 0
            continue
        if g.waits[q] >> g.tile & 1 and entitled(g, r, q, wins):
            may_hu |= 1 << q
            if not v.legal >> HU & 1:
                # The viewer is asked in the second round: in the first, nobody took the win.
                g.answer[q] = SAID_PASS
                g.marked[q] = r.win_passed != PASSED_FREE
        if g.phase == CLAIM and g.hand[q, g.tile] >= 2 and g.head < g.tail and not g.baoting[q]:
            g.claimer = q
    g.may_hu = may_hu


@kernel
def draw_world(
    v: Record,
    g: Record,
    r: Record,
    pool: NDArray[np.int8],
    n: Int,
    state: Int,
    dealt: Int,
    keys: NDArray[np.int64],
    wins: Wins,
) -> Int:
    """Finish one world; `pool` holds what is left to deal, `dealt` who has a ready hand already."""
    me = v.seat
    state = deal_unseen(g, me, pool, n, dealt, state)
    fill_drawn_wall(g)
    for place in range(1, 4):
        q = absolute(place, me)
        g.waits[q] = hand_waits(g, q, r, wins)
        state = draw_origins(g, r, q, state)
    if r.win_passed != PASSED_FREE:
        for place in range(1, 4):
            q = absolute(place, me)
            if g.let_go[q]:
                g.marked[q] = is_marked(g, r, q, keys, wins)
    if g.phase == ROB:
        state = draw_robbed_origin(g, r, state)
    if g.phase == CLAIM or g.phase == ROB:
        set_claims(g, r, v, wins)
    g.seed = mix(state) & FREE
    return state
