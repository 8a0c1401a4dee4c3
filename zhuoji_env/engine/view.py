"""What one seat may see: GAME to VIEW, seats made relative to the viewer."""

from zhuoji_env.engine.kernel import Record, kernel
from zhuoji_env.engine.layout import (
    AFTER_PENG,
    CLAIM,
    CLAIM_SHIFT,
    CLAIMER_SHIFT,
    DISCARD_WIN,
    DONE,
    PENG_MELD,
    ROB,
    ROB_WIN,
    TURN,
    UNCLAIMED,
)


@kernel
def relative(seat: int, viewer: int) -> int:
    """Return a seat counted from the viewer in order of play; -1 stays -1."""
    return (seat - viewer) & 3 if seat >= 0 else -1


@kernel
def write_view(g: Record, seat: int, r: Record, v: Record) -> None:
    """Write what `seat` sees of a table; every field of the view is written."""
    acts = g.seat == seat and (
        g.phase == TURN or g.phase == AFTER_PENG or g.phase == CLAIM or g.phase == ROB
    )
    v.legal = g.legal if acts else 0
    v.seat = seat
    v.phase = g.phase
    v.dealer = relative(g.dealer, seat)
    v.streak = g.streak
    v.wall_left = g.tail - g.head
    v.hand[:] = g.hand[seat]
    v.key[:] = g.key[seat]
    own_draw = acts and g.phase == TURN
    v.drawn = g.drawn if own_draw else -1
    v.drawn_bits = g.drawn_bits if own_draw else 0
    v.replacement = g.replacement and own_draw
    asked = g.phase == CLAIM or g.phase == ROB
    v.tile = g.tile if asked else -1
    v.shooter = relative(g.shooter, seat) if asked else -1
    v.hot = g.turn_kongs != 0 and g.phase != DONE
    v.waits = g.waits[seat]
    v.declared = g.declared
    v.marked = g.marked[seat]
    v.dealt_quad = g.dealt_quad[seat]
    v.first_yaoji = g.first_yaoji
    v.first_wu_gu = g.first_wu_gu
    for kind in range(27):
        v.unseen[kind] = 4 - g.hand[seat, kind]
    for place in range(4):
        q = (seat + place) & 3
        v.baoting[place] = g.baoting[q]
        v.let_go[place] = g.let_go[q]
        write_melds(g, q, seat, place, v)
        for kind in range(27):
            n = g.river[q, kind]
            v.river[place, kind] = n
            v.unseen[kind] -= n
    won_on = g.phase == DONE and (g.end == DISCARD_WIN or g.end == ROB_WIN)
    if g.phase == ROB or won_on:
        v.unseen[g.tile] -= 1  # it lies open, in no hand and no river
    write_discards(g, seat, v)
    v.rules = r


@kernel
def write_melds(g: Record, q: int, viewer: int, place: int, v: Record) -> None:
    """Write one seat's melds, which are open to all but for R12's worth of others' kongs."""
    n = g.n_melds[q]
    v.n_melds[place] = n
    v.n_hand[place] = 13 - 3 * n
    if q == g.seat and (g.drawn >= 0 or g.phase == AFTER_PENG) and g.tile < 0:
        v.n_hand[place] += 1
    for i in range(4):
        v.meld_type[place, i] = g.meld_type[q, i]
        kind = g.meld_kind[q, i]
        v.meld_kind[place, i] = kind
        v.meld_from[place, i] = relative(g.meld_from[q, i], viewer)
        v.meld_at[place, i] = g.meld_at[q, i]
        v.kong_at[place, i] = g.kong_at[q, i]
        v.meld_late[place, i] = g.meld_late[q, i] and q == viewer
        if i < n:
            v.unseen[kind] -= 3 if g.meld_type[q, i] == PENG_MELD else 4


@kernel
def write_discards(g: Record, viewer: int, v: Record) -> None:
    """Write the discards of the deal in order, seats relative."""
    n = g.n_discards
    v.n_discards = n
    v.discards[:] = g.discards
    for i in range(n):
        v.discard_seat[i] = relative(g.discard_seat[i], viewer)
        flag = g.discard_flag[i]
        if (flag >> CLAIM_SHIFT) & 3 != UNCLAIMED:
            claimer = relative((flag >> CLAIMER_SHIFT) & 3, viewer)
            flag = (flag & ((1 << CLAIMER_SHIFT) - 1)) | claimer << CLAIMER_SHIFT
        v.discard_flag[i] = flag
        v.passed[i] = (g.passed[i] >> viewer) & 0b10001
    v.discard_seat[n:] = -1
    v.discard_flag[n:] = 0
    v.passed[n:] = 0
