"""What a win and kongs bring the viewer: what hu pays now, what a kong adds, what may yet come."""

from __future__ import annotations

from typing import Any

from agents.expert.hands import KEY, LAID, SUITS, Hand, add
from agents.expert.kernel import kernel
from agents.expert.money import (
    PAYERS,
    declared,
    dou_fan,
    from_all,
    from_one,
    ji_held,
    ji_river,
    prices_men_yao,
    weighed,
    yao_fan,
)
from zhuoji_env.engine.bill import PAYS_THREE, VOID_ALL
from zhuoji_env.engine.hand import best_pattern, pattern_fan, patterns_of
from zhuoji_env.engine.layout import MEN, PENG_MELD, ROB, ZHUAN_WAN
from zhuoji_env.tiles import YAOJI

Record = Any

SEATS = 4
# Values of dou.dealt_late and dou.late_added, as RULES packs them.
FULL_DOU, PASSPORT = 0, 1


@kernel
def nobody_melded(v: Record) -> bool:
    """Whether no seat has laid a meld."""
    return bool(v.n_melds[0] + v.n_melds[1] + v.n_melds[2] + v.n_melds[3] == 0)


@kernel
def win_pays(v: Record, p: Record, hand: Hand, wins: Any) -> float:
    """Return what taking hu now pays, R20–R25, R33; below 0 for a foul."""
    r = v.rules
    others = v.tile >= 0
    tile = v.tile if others else v.drawn
    if others:
        add(hand, tile, 1)
    bits = patterns_of(
        hand[KEY], hand[KEY + 1], hand[KEY + 2], hand[SUITS], hand[LAID], tile, r, wins
    )
    if others:
        add(hand, tile, -1)
    fan = float(pattern_fan(best_pattern(bits, r), r))
    if v.baoting[0] or (others and v.phase != ROB and v.baoting[v.shooter]):
        fan = declared(fan, v)
    if r.dou_table:
        for i in range(v.n_melds[0]):
            if v.meld_type[0, i] != PENG_MELD and not v.meld_late[0, i]:
                fan += r.hand_ping_hu * (2 if v.meld_type[0, i] == MEN else 1)
    if not others:
        fan += r.hand_zi_mo
        if v.replacement:
            fan += r.hand_gang_shang_hua
        if nobody_melded(v):
            if v.n_discards == 0:
                fan += r.hand_tian_hu
            elif v.n_discards < SEATS:
                fan += r.hand_di_hu
        return from_all(v, weighed(fan, v, p))
    extra = 0.0
    if v.phase != ROB and v.baoting[v.shooter]:
        extra = float(r.baoting_sha_bao)
    if v.marked and r.win_passed == PAYS_THREE:
        return extra - PAYERS * fan  # R25
    fan = weighed(fan, v, p)
    if v.phase == ROB:
        return from_all(v, fan)  # R33: one pays all three shares
    return extra + from_one(v, fan, v.shooter)


@kernel
def own_dou(v: Record) -> float:
    """Return what the own kongs collect if somebody wins, R35 and R42."""
    fan = 0.0
    for i in range(v.n_melds[0]):
        if v.meld_type[0, i] == MEN and v.meld_kind[0, i] == YAOJI and prices_men_yao(v):
            fan += 0.0 if v.meld_late[0, i] else PAYERS * v.rules.ji_men_yao
        else:
            fan += dou_fan(v.meld_type[0, i], v.meld_late[0, i], v)
    return fan


@kernel
def own_ji(v: Record, unseen: float) -> float:
    """Return what the own chickens collect from all, in hand, melds and river."""
    fan = 0.0
    for kind in range(27):
        held = int(v.hand[kind])
        for i in range(v.n_melds[0]):
            if v.meld_kind[0, i] == kind:
                held += 3 if v.meld_type[0, i] == PENG_MELD else 4
                if kind == YAOJI and v.meld_type[0, i] == MEN and not v.meld_late[0, i]:
                    fan -= 4.0 * yao_fan(v, unseen) if prices_men_yao(v) else 0.0
        if held:
            fan += held * ji_held(v, kind, unseen)
        if v.river[0, kind]:
            fan += v.river[0, kind] * ji_river(v, kind, unseen)
    return fan


@kernel
def made_sure(v: Record, p: Record, dou_pay: float, ji_pay: float, unseen: float) -> float:
    """Return what a win adds to what is collected anyway: it is now collected for certain.

    `dou_pay`, `ji_pay`: the tastes for kongs and chickens times the chances to be paid for them.
    """
    # R36: with the table a winner's own dou stand in the hand's fan.
    dou = 0.0 if v.rules.dou_table else (p.kong - dou_pay) * own_dou(v)
    return float(dou + (p.ji - ji_pay) * own_ji(v, unseen))


@kernel
def has_discarded(v: Record) -> bool:
    """Whether the viewer has made a discard in this deal, claimed or not."""
    found = False
    for i in range(v.n_discards):
        found = found or v.discard_seat[i] == 0
    return bool(found)


@kernel
def dealt_is_late(v: Record, kind: int, discarded: bool) -> bool:
    """R12: whether a four of a kind declared from now on is worth nothing, as it was dealt."""
    return bool(discarded and v.rules.dou_dealt_late == PASSPORT and v.dealt_quad >> kind & 1)


@kernel
def kong_pays(v: Record, kind: int, meld: int, unseen: float) -> float:
    """Return what declaring a kong adds to what is collected from all, R12, R35, R42."""
    late = meld == MEN and dealt_is_late(v, kind, has_discarded(v))
    if meld == ZHUAN_WAN and v.rules.dou_late_added == PASSPORT:
        late = not v.drawn_bits >> kind & 1
    if meld == MEN and kind == YAOJI and prices_men_yao(v) and not late:
        return float(PAYERS * v.rules.ji_men_yao - 4.0 * yao_fan(v, unseen))
    return dou_fan(meld, 1 if late else 0, v)


@kernel
def kongs_to_come(
    v: Record, hand: Hand, rounds: float, discarded: bool, unseen: float, p: Record
) -> float:
    """Return what triplets in hand and pengs may yet collect as kongs, R12 and R35.

    `discarded`: the viewer's first discard is made by then.
    """
    fan = 0.0
    soon = min(1.0, rounds)
    for kind in range(27):
        if hand[kind] == 4 and not dealt_is_late(v, kind, discarded):
            fan += PAYERS * v.rules.dou_men * soon
        elif hand[kind] == 3 and v.unseen[kind] > 0:
            draw = min(1.0, rounds / unseen)
            fan += draw * PAYERS * v.rules.dou_men
            fan += min(1.0 - draw, PAYERS * p.peng_rate * draw) * v.rules.dou_dian
    for i in range(v.n_melds[0]):
        if v.meld_type[0, i] == PENG_MELD:
            kind = v.meld_kind[0, i]
            chance = min(1.0, v.unseen[kind] * rounds / unseen)
            if hand[kind]:
                # R12: the fourth has been drawn before, so that its kong would be a late one.
                chance = 1.0 if v.rules.dou_late_added == FULL_DOU else 0.0
            fan += chance * PAYERS * v.rules.dou_zhuan_wan * soon
    return fan


@kernel
def hot_loss(v: Record, added: float, unseen: float) -> float:
    """Return what a hot shot takes from the viewer besides the hand, R31.

    `added` is what a kong collects that is yet to be declared in this turn.
    """
    r = v.rules
    of_turn = added
    before = 0.0
    for i in range(v.n_melds[0]):
        fan = dou_fan(v.meld_type[0, i], v.meld_late[0, i], v)
        if v.kong_at[0, i] == v.n_discards:
            of_turn += fan
        else:
            before += fan
    lost = of_turn + (before if r.re_pao_void == VOID_ALL else 0.0)
    if r.re_pao_surcharge:
        lost += of_turn
    if r.re_pao_burn_ji:
        lost += own_ji(v, unseen)
    return float(lost)
