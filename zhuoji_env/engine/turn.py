"""How a deal is played: draw, discard, claims, kongs, baoting (R3–R12, R16–R19, R29, R33)."""

import numpy as np

from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine.bill import settle
from zhuoji_env.engine.hand import POW5, full_hand_patterns, hand_waits, waits_of
from zhuoji_env.engine.kernel import Int, Record, Wins, kernel
from zhuoji_env.engine.layout import (
    AFTER_PENG,
    CLAIM,
    CLAIM_SHIFT,
    CLAIMED_GANG,
    CLAIMED_HU,
    CLAIMED_PENG,
    CLAIMER_SHIFT,
    DIAN,
    DISCARD_WIN,
    DRAW,
    DRAWN_FLAG,
    MEN,
    N_TILES,
    NO_ANSWER,
    NO_END,
    PENG_MELD,
    ROB,
    ROB_WIN,
    SAID_GANG,
    SAID_HU,
    SAID_PASS,
    SAID_PENG,
    SELF_DRAW,
    TURN,
    ZHUAN_WAN,
)
from zhuoji_env.tiles import WU_GU, YAOJI

# Values of switches, as RULES packs them.
PASSED_FREE, PASSED_FORBID = 0, 1
LATE_FULL, LATE_PASSPORT, LATE_FORBID = 0, 1, 2


@kernel
def add_tile(g: Record, seat: int, kind: int) -> None:
    """Put one tile into a hand."""
    g.hand[seat, kind] += 1
    g.key[seat, kind // 9] += POW5[kind % 9]
    g.held[seat] |= 1 << kind
    if g.hand[seat, kind] == 4:
        g.quad[seat] |= 1 << kind


@kernel
def remove_tiles(g: Record, seat: int, kind: int, n: int) -> None:
    """Take n equal tiles out of a hand."""
    g.hand[seat, kind] -= n
    g.key[seat, kind // 9] -= n * POW5[kind % 9]
    g.quad[seat] &= ~(1 << kind)
    if g.hand[seat, kind] == 0:
        g.held[seat] &= ~(1 << kind)


@kernel
def lay_meld(g: Record, seat: int, kind: int, meld: int, feeder: int, late: bool) -> int:
    """Lay a meld before a seat and return its place."""
    place = g.n_melds[seat]
    g.meld_type[seat, place] = meld
    g.meld_kind[seat, place] = kind
    g.meld_from[seat, place] = feeder
    g.meld_late[seat, place] = late
    g.meld_at[seat, place] = g.n_discards
    g.kong_at[seat, place] = -1 if meld == PENG_MELD else g.n_discards
    g.n_melds[seat] = place + 1
    g.acted[seat] = True
    g.any_meld = True
    return int(place)


@kernel
def clear(g: Record) -> None:
    """Empty a table of everything but its seed, deal number, rules, wall, dealer and streak."""
    g.legal = 0
    g.head = 0
    g.tail = N_TILES
    g.hand[:] = 0
    g.key[:] = 0
    g.held[:] = 0
    g.quad[:] = 0
    g.meld_type[:] = 0
    g.meld_kind[:] = -1
    g.meld_from[:] = -1
    g.meld_late[:] = False
    g.meld_at[:] = -1
    g.kong_at[:] = -1
    g.n_melds[:] = 0
    g.peng[:] = 0
    g.discards[:] = -1
    g.discard_seat[:] = -1
    g.discard_flag[:] = 0
    g.passed[:] = 0
    g.n_discards = 0
    g.river[:] = 0
    g.first_yaoji = -1
    g.first_wu_gu = -1
    g.declared = False
    g.tile = -1
    g.shooter = -1
    g.may_hu = 0
    g.claimer = -1
    g.answer[:] = NO_ANSWER
    g.waits[:] = 0
    g.baoting[:] = False
    g.marked[:] = False
    g.let_go[:] = 0
    g.acted[:] = False
    g.discarded[:] = False
    g.dealt_quad[:] = 0
    g.n_draws[:] = 0
    g.any_meld = False
    g.end = NO_END
    g.winners = 0
    g.indicator = -1
    g.ready[:] = False
    g.pattern[:] = -1
    g.fan[:] = 0
    g.scores[:] = 0
    g.next_dealer = -1
    g.next_streak = 0
    g.bill[:] = 0


@kernel
def deal_tiles(g: Record, r: Record, wins: Wins) -> None:
    """Deal from the wall in place (R3) and begin the dealer's opening turn."""
    clear(g)
    for batch in range(3):
        for place in range(4):
            seat = (g.dealer + place) & 3
            for i in range(4):
                add_tile(g, seat, g.wall[16 * batch + 4 * place + i])
    for place in range(4):
        add_tile(g, (g.dealer + place) & 3, g.wall[48 + place])
    g.head = 52
    for seat in range(4):
        g.waits[seat] = hand_waits(g, seat, r, wins)
    # R3, R14: the dealer's 14th tile, wall[52], is drawn like any other.
    begin_turn(g, g.dealer)
    draw(g, r, g.dealer, False, wins)
    # R12: dealt all four, in 13 tiles or in the dealer's 14.
    g.dealt_quad[:] = g.quad


@kernel
def begin_turn(g: Record, seat: int) -> None:
    """Begin a seat's turn by draw or claim: no kong declared, nothing drawn (R31)."""
    g.seat = seat
    g.drawn = -1
    g.drawn_bits = 0
    g.replacement = False
    g.turn_kongs = 0
    g.declared = False
    g.tile = -1
    g.shooter = -1
    g.may_hu = 0
    g.claimer = -1


@kernel
def draw(g: Record, r: Record, seat: int, replacement: bool, wins: Wins) -> None:
    """Draw from the head, or after a kong from the tail (R4), and offer the turn (R6)."""
    if replacement:
        g.tail -= 1
        kind = g.wall[g.tail]
    else:
        kind = g.wall[g.head]
        g.head += 1
    add_tile(g, seat, kind)
    g.drawn = kind
    g.drawn_bits |= 1 << kind
    g.replacement = replacement
    g.n_draws[seat] += 1
    # R19: until the own next draw, replacement draws included.
    g.marked[seat] = False
    g.let_go[seat] = 0
    g.seat = seat
    g.phase = TURN
    g.legal = own_turn(g, r, seat, wins)


@kernel
def own_turn(g: Record, r: Record, seat: int, wins: Wins) -> Int:
    """Return the legal actions (bits) of a seat after its draw (R6)."""
    legal = np.int64(0)
    if g.waits[seat] >> g.drawn & 1:
        legal |= 1 << HU
    if g.baoting[seat]:
        # R29: hu, or discard the tile just drawn.
        return legal | 1 << np.int64(g.drawn)
    legal |= np.int64(g.held[seat])
    if g.head < g.tail:
        # R4, R10: a kong needs an undrawn tile.
        added = g.peng[seat] & g.held[seat]
        if r.dou_late_added == LATE_FORBID:
            added &= g.drawn_bits
        legal |= np.int64(g.quad[seat] | added) << GANG
    if r.baoting_enabled and not g.acted[seat] and ready_discards(g, r, seat, wins):
        legal |= 1 << BAOTING
    return legal


@kernel
def ready_discards(g: Record, r: Record, seat: int, wins: Wins) -> int:
    """Return the kinds (bits) whose discard leaves the seat ready (R18, R29)."""
    ready = 0
    for kind in range(27):
        if g.held[seat] >> kind & 1:
            suit = kind // 9
            less = POW5[kind % 9]
            key0 = g.key[seat, 0] - (less if suit == 0 else 0)
            key1 = g.key[seat, 1] - (less if suit == 1 else 0)
            key2 = g.key[seat, 2] - (less if suit == 2 else 0)
            if waits_of(key0, key1, key2, g.n_melds[seat], wins):
                # The shape waits for something: ask the exact question of R18.
                remove_tiles(g, seat, kind, 1)
                if hand_waits(g, seat, r, wins):
                    ready |= 1 << kind
                add_tile(g, seat, kind)
    return ready


@kernel
def entitled(g: Record, r: Record, seat: int, wins: Wins) -> bool:
    """Whether a seat whom the tile in question completes may win on it (R16, R17, R19)."""
    if g.marked[seat] and r.win_passed == PASSED_FORBID:
        return False
    if not r.win_passport or g.phase == ROB or g.turn_kongs:
        # R17a, R17b: a hot shot and a robbed kong waive the passport.
        return True
    if g.baoting[seat] or g.baoting[g.shooter]:
        return True  # R17c, R17d
    for i in range(g.n_melds[seat]):
        if g.meld_type[seat, i] != PENG_MELD:
            return True  # R16: a declared dou of one's own, worth anything or nothing
    # R16: any pattern but ping_hu needs no passport.
    return full_hand_patterns(g, seat, g.tile, r, wins) != 1


@kernel
def discard(g: Record, r: Record, seat: int, kind: int, wins: Wins) -> None:
    """Discard a tile and ask who claims it (R8)."""
    remove_tiles(g, seat, kind, 1)
    place = g.n_discards
    g.discards[place] = kind
    g.discard_seat[place] = seat
    g.discard_flag[place] = DRAWN_FLAG if kind == g.drawn else 0
    g.n_discards = place + 1
    g.river[seat, kind] += 1
    if kind == YAOJI and g.first_yaoji < 0:
        g.first_yaoji = place
    elif kind == WU_GU and g.first_wu_gu < 0:
        g.first_wu_gu = place
    g.acted[seat] = True
    g.discarded[seat] = True
    g.declared = False
    if kind != g.drawn:
        # Else the hand is the one before the draw, whose waits stand.
        g.waits[seat] = hand_waits(g, seat, r, wins)
    offer(g, r, seat, kind, CLAIM, wins)


@kernel
def offer(g: Record, r: Record, seat: int, kind: int, phase: int, wins: Wins) -> None:
    """Lay a tile open and poll who may take it: a discard (R8), or that of an added kong (R33)."""
    g.tile = kind
    g.shooter = seat
    g.phase = phase
    g.claimer = -1
    may_hu = 0
    for place in range(1, 4):
        q = (seat + place) & 3
        if g.waits[q] >> kind & 1 and entitled(g, r, q, wins):
            may_hu |= 1 << q
        # R10: on an empty wall only hu. R29: a baoting hand is frozen.
        if phase == CLAIM and g.hand[q, kind] >= 2 and g.head < g.tail and not g.baoting[q]:
            g.claimer = q
    g.may_hu = may_hu
    g.answer[:] = NO_ANSWER
    poll(g, r, wins)


@kernel
def poll(g: Record, r: Record, wins: Wins) -> None:
    """Ask the next seat of R9's polling, or resolve the claim when all have answered."""
    taken = False
    for place in range(1, 4):
        q = (g.shooter + place) & 3
        if g.may_hu >> q & 1 and g.answer[q] == NO_ANSWER:
            # R9: first every player who may hu, each among all their options.
            g.seat = q
            g.legal = 1 << HU | 1 << PASS | (meld_options(g, q) if q == g.claimer else 0)
            return
        taken |= g.answer[q] >= SAID_PENG
    q = g.claimer
    if q >= 0 and not taken and g.answer[q] == NO_ANSWER:
        g.seat = q
        g.legal = 1 << PASS | meld_options(g, q)
        return
    resolve(g, r, wins)


@kernel
def meld_options(g: Record, seat: int) -> Int:
    """Return peng and, with three in hand, gang of the discard in question (bits, R8)."""
    options = np.int64(1) << PENG
    if g.hand[seat, g.tile] == 3:
        options |= np.int64(1) << (GANG + g.tile)
    return options


@kernel
def answer(g: Record, r: Record, action: int, wins: Wins) -> None:
    """Take a polled seat's answer (R9)."""
    seat = g.seat
    if g.phase == CLAIM:
        note_declined(g, seat, action)
    if action == HU:
        g.answer[seat] = SAID_HU
    else:
        if action == PASS:
            g.answer[seat] = SAID_PASS
        else:
            g.answer[seat] = SAID_PENG if action == PENG else SAID_GANG
        # R19: a win that could have been taken was passed, by pass, peng or gang.
        if g.may_hu >> seat & 1 and r.win_passed != PASSED_FREE:
            g.marked[seat] = True
    poll(g, r, wins)


@kernel
def note_declined(g: Record, seat: int, action: int) -> None:
    """Note what a polled seat declined on the last discard: a win, a peng or gang."""
    declined = 0
    if action != HU and g.legal >> HU & 1:
        declined |= 1 << seat
    if action in (HU, PASS) and g.legal >> PENG & 1:
        declined |= 1 << (4 + seat)
    g.passed[g.n_discards - 1] |= declined


@kernel
def resolve(g: Record, r: Record, wins: Wins) -> None:
    """Carry out what the polled seats said (R9): hu before gang and peng."""
    winners = 0
    for place in range(1, 4):
        q = (g.shooter + place) & 3
        if g.answer[q] == SAID_HU and (winners == 0 or r.win_multiple):
            winners |= 1 << q
    rob = g.phase == ROB
    if winners:
        if not rob:
            claim_discard(g, CLAIMED_HU, 0)
        finish(g, r, ROB_WIN if rob else DISCARD_WIN, winners, wins)
        return
    for place in range(1, 4):
        g.let_go[(g.shooter + place) & 3] |= 1 << g.tile
    if rob:
        complete_added_kong(g, r, wins)
    elif g.claimer >= 0 and g.answer[g.claimer] == SAID_PENG:
        take_peng(g)
    elif g.claimer >= 0 and g.answer[g.claimer] == SAID_GANG:
        take_gang(g, r, wins)
    elif g.head == g.tail:
        # R10, R44: the wall is empty and nobody won on the last discard.
        finish(g, r, DRAW, 0, wins)
    else:
        seat = (g.shooter + 1) & 3
        begin_turn(g, seat)
        draw(g, r, seat, False, wins)


@kernel
def claim_discard(g: Record, claim: int, claimer: int) -> None:
    """Take the last discard out of its river (R38)."""
    g.river[g.shooter, g.tile] -= 1
    g.discard_flag[g.n_discards - 1] |= claim << CLAIM_SHIFT | claimer << CLAIMER_SHIFT


@kernel
def take_peng(g: Record) -> None:
    """Peng the tile in question; the claimer then discards (R7)."""
    seat, kind, feeder = g.claimer, g.tile, g.shooter
    claim_discard(g, CLAIMED_PENG, seat)
    remove_tiles(g, seat, kind, 2)
    lay_meld(g, seat, kind, PENG_MELD, feeder, False)
    g.peng[seat] |= 1 << kind
    g.waits[seat] = 0
    begin_turn(g, seat)
    g.phase = AFTER_PENG
    g.legal = np.int64(g.held[seat])


@kernel
def take_gang(g: Record, r: Record, wins: Wins) -> None:
    """Claim the tile in question for a dian kong (R8, R11); its turn begins with it (R31)."""
    seat, kind, feeder = g.claimer, g.tile, g.shooter
    claim_discard(g, CLAIMED_GANG, seat)
    remove_tiles(g, seat, kind, 3)
    place = lay_meld(g, seat, kind, DIAN, feeder, False)
    begin_turn(g, seat)
    after_kong(g, r, seat, place, wins)


@kernel
def after_kong(g: Record, r: Record, seat: int, place: int, wins: Wins) -> None:
    """Note a kong of this turn and draw its replacement (R4)."""
    g.turn_kongs |= 1 << place
    g.waits[seat] = hand_waits(g, seat, r, wins)
    draw(g, r, seat, True, wins)


@kernel
def declare_kong(g: Record, r: Record, seat: int, kind: int, wins: Wins) -> None:
    """Declare a concealed or an added kong on the own turn (R6, R11)."""
    if g.quad[seat] >> kind & 1:
        # R12: dealt all four and not declared before the own first discard.
        late = g.dealt_quad[seat] >> kind & 1 and g.discarded[seat]
        remove_tiles(g, seat, kind, 4)
        worthless = late and r.dou_dealt_late == LATE_PASSPORT
        place = lay_meld(g, seat, kind, MEN, -1, worthless)
        after_kong(g, r, seat, place, wins)
        return
    remove_tiles(g, seat, kind, 1)
    g.waits[seat] = hand_waits(g, seat, r, wins)
    g.acted[seat] = True
    offer(g, r, seat, kind, ROB, wins)


@kernel
def complete_added_kong(g: Record, r: Record, wins: Wins) -> None:
    """Turn a peng into a zhuan_wan kong that nobody robbed (R11, R12)."""
    seat, kind = g.shooter, g.tile
    place = 0
    while g.meld_kind[seat, place] != kind:
        place += 1
    late = g.drawn_bits >> kind & 1 == 0
    g.meld_type[seat, place] = ZHUAN_WAN
    g.kong_at[seat, place] = g.n_discards
    g.meld_late[seat, place] = late and r.dou_late_added == LATE_PASSPORT
    g.peng[seat] &= ~(1 << kind)
    g.tile = -1
    g.shooter = -1
    after_kong(g, r, seat, place, wins)


@kernel
def finish(g: Record, r: Record, end: int, winners: int, wins: Wins) -> None:
    """End the deal and settle it."""
    g.end = end
    g.winners = winners
    g.legal = 0
    settle(g, r, wins)


@kernel
def act(g: Record, r: Record, action: int, wins: Wins) -> None:
    """Play one legal action of the seat to act."""
    if g.phase == CLAIM or g.phase == ROB:
        answer(g, r, action, wins)
        return
    seat = g.seat
    if action < PENG:
        discard(g, r, seat, action, wins)
    elif action == HU:
        g.tile = g.drawn
        finish(g, r, SELF_DRAW, 1 << seat, wins)
    elif action == BAOTING:
        # R29: frozen from the declaration on; only a discard that leaves the hand ready.
        g.baoting[seat] = True
        g.declared = True
        g.legal = np.int64(ready_discards(g, r, seat, wins))
    else:
        declare_kong(g, r, seat, action - GANG, wins)
