"""What every legal action comes to, in fan, and which is best."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.expert.danger import write_danger
from agents.expert.kernel import kernel
from agents.expert.money import (
    PAYERS,
    declared,
    dou_fan,
    from_all,
    from_one,
    has_dou,
    ji_claimed,
    ji_held,
    ji_river,
    ji_thrown,
    own_dou,
    weighed,
)
from agents.expert.progress import ELAPSED, END, IF_NOT, LOSS, RISE, ROUNDS, without_win
from agents.expert.routes import DOU, KEY, LAID, N_HAND, SUITS, add, ready_worth, standing
from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine.bill import PAYS_THREE
from zhuoji_env.engine.hand import best_pattern, pattern_fan, patterns_of
from zhuoji_env.engine.layout import AFTER_PENG, DIAN, MEN, PENG_MELD, ROB, TURN, ZHUAN_WAN
from zhuoji_env.tiles import YAOJI

Record = Any
Hand = NDArray[np.int64]
Floats = NDArray[np.float64]

SEATS = 4
# Tiles drawn one at a time after the deal.
DRAWS = 55.0
LATE_IS_PASSPORT = 1


@kernel
def load(v: Record, hand: Hand) -> None:
    """Lay the viewer's tiles out as `routes` takes them."""
    for kind in range(27):
        hand[kind] = v.hand[kind]
    hand[KEY], hand[KEY + 1], hand[KEY + 2] = v.key[0], v.key[1], v.key[2]
    hand[LAID] = v.n_melds[0]
    suits = 0
    for i in range(v.n_melds[0]):
        suits |= 1 << (v.meld_kind[0, i] // 9)
    hand[SUITS] = suits
    hand[DOU] = 1 if has_dou(v, 0) else 0


@kernel
def set_pace(v: Record, p: Record, pace: Floats) -> None:
    """Say how the rest of the deal goes; rounds are counted from after the own discard."""
    unit = float(v.rules.hand_ping_hu)
    before = v.shooter if v.shooter > 0 else 0
    pace[ROUNDS] = (v.wall_left + before) // SEATS
    pace[ELAPSED] = (DRAWS - v.wall_left) / SEATS
    pace[LOSS] = p.loss * unit
    pace[IF_NOT] = PAYERS * p.others_ready * p.ready_fan * unit
    pace[END] = p.others_end
    for seat in range(1, SEATS):
        pace[END] += p.others_melds * v.n_melds[seat] + p.others_baoting * v.baoting[seat]
    pace[RISE] = p.others_rise


@kernel
def kongs_to_come(v: Record, hand: Hand, rounds: float, unseen: float, p: Record) -> float:
    """Return what triplets in hand and pengs may yet collect as kongs, R35."""
    fan = 0.0
    for kind in range(27):
        if hand[kind] == 4:
            fan += PAYERS * v.rules.dou_men * min(1.0, rounds)
        elif hand[kind] == 3 and v.unseen[kind] > 0:
            draw = min(1.0, rounds / unseen)
            fan += draw * PAYERS * v.rules.dou_men
            fan += min(1.0 - draw, PAYERS * p.peng_rate * draw) * v.rules.dou_dian
    for i in range(v.n_melds[0]):
        if v.meld_type[0, i] == PENG_MELD:
            left = hand[v.meld_kind[0, i]] + v.unseen[v.meld_kind[0, i]]
            chance = 1.0 if hand[v.meld_kind[0, i]] else min(1.0, left * rounds / unseen)
            fan += chance * PAYERS * v.rules.dou_zhuan_wan * min(1.0, rounds)
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
        if held:
            fan += held * ji_held(v, kind, unseen)
        if v.river[0, kind]:
            fan += v.river[0, kind] * ji_river(v, kind, unseen)
    return fan


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
def made_sure(v: Record, dou_pay: float, ji_pay: float, unseen: float) -> float:
    """Return what a win adds to what is collected anyway: it is now collected for certain."""
    # R36: with the table a winner's own dou stand in the hand's fan.
    dou = 0.0 if v.rules.dou_table else (1.0 - dou_pay) * own_dou(v)
    return float(dou + (1.0 - ji_pay) * own_ji(v, unseen))


@kernel
def kong_pays(v: Record, kind: int, meld: int, unseen: float) -> float:
    """Return what declaring a kong adds to what is collected from all, R12, R35, R42."""
    late = 0
    if meld == MEN and v.rules.dou_dealt_late == LATE_IS_PASSPORT:
        late = v.dealt_quad >> kind & 1 and v.river[0].sum() > 0
    elif meld == ZHUAN_WAN and v.rules.dou_late_added == LATE_IS_PASSPORT:
        late = 0 if v.drawn_bits >> kind & 1 else 1
    fan = dou_fan(meld, late, v)
    if meld == MEN and kind == YAOJI and v.rules.ji_men_yao >= 0 and not late:
        fan = max(fan, PAYERS * v.rules.ji_men_yao - 4.0 * ji_held(v, kind, unseen))
    return fan


@kernel
def write_scores(
    v: Record,
    p: Record,
    needs: Any,
    wins: Any,
    hand: Hand,
    pace: Floats,
    work: Floats,
    grid: Floats,
    danger: Floats,
    ways: Floats,
    out: Floats,
) -> None:
    """Write what every legal action comes to, -inf for the rest; `out` (58,) fan."""
    out[:] = -np.inf
    legal = v.legal
    load(v, hand)
    set_pace(v, p, pace)
    unseen = 0.0
    for kind in range(27):
        unseen += v.unseen[kind]
    unseen = max(1.0, unseen)
    rounds = pace[ROUNDS]
    _, alive = without_win(pace)
    paid = 1.0 - alive
    dou_pay = p.kong * paid * (p.ting if v.rules.dou_requires_ting else 1.0)
    ji_pay = p.ji * paid * (p.ting if v.rules.ji_requires_ting else 1.0)
    frozen = bool(v.baoting[0])
    if legal >> HU & 1:
        out[HU] = win_pays(v, p, hand, wins) + made_sure(v, dou_pay, ji_pay, unseen)
    if legal & ((1 << PENG) - 1):
        write_danger(v, p, ways, danger)
    if v.phase == TURN or v.phase == AFTER_PENG:
        for kind in range(27):
            if not legal >> kind & 1:
                continue
            add(hand, kind, -1)
            cost = p.fear * danger[kind] - ji_pay * ji_thrown(v, kind, unseen, p)
            if frozen:
                worth = p.baoting * ready_worth(v, p, hand, True, unseen, pace, work, wins)
            else:
                worth = standing(v, p, hand, unseen, pace, work, grid, needs, wins)
            hope = dou_pay * kongs_to_come(v, hand, rounds, unseen, p)
            out[kind] = worth + hope - cost
            if legal >> BAOTING & 1:
                worth = p.baoting * ready_worth(v, p, hand, True, unseen, pace, work, wins)
                out[BAOTING] = max(out[BAOTING], worth - cost)
            add(hand, kind, 1)
        for kind in range(27):
            if not legal >> (GANG + kind) & 1:
                continue
            if v.hand[kind] == 4:
                gain = dou_pay * kong_pays(v, kind, MEN, unseen)
                taken = 4
            else:
                gain = dou_pay * kong_pays(v, kind, ZHUAN_WAN, unseen)
                gain -= p.fear * PAYERS * danger[kind]
                taken = 1
            out[GANG + kind] = gain + after_kong(
                v, p, hand, kind, taken, unseen, dou_pay, pace, work, grid, needs, wins
            )
    elif legal >> PASS & 1:
        hope = dou_pay * kongs_to_come(v, hand, rounds, unseen, p)
        if frozen:
            worth = p.baoting * ready_worth(v, p, hand, True, unseen, pace, work, wins)
        else:
            worth = standing(v, p, hand, unseen, pace, work, grid, needs, wins)
        out[PASS] = worth + hope
        if legal >> PENG & 1:
            out[PENG] = ji_pay * ji_claimed(v, v.tile, False, unseen) + after_peng(
                v,
                p,
                hand,
                unseen,
                dou_pay,
                ji_pay,
                pace,
                work,
                grid,
                danger,
                ways,
                needs,
                wins,
            )
        if v.tile >= 0 and legal >> (GANG + v.tile) & 1:
            gain = dou_pay * kong_pays(v, v.tile, DIAN, unseen)
            gain += ji_pay * ji_claimed(v, v.tile, True, unseen)
            out[GANG + v.tile] = gain + after_kong(
                v, p, hand, v.tile, 3, unseen, dou_pay, pace, work, grid, needs, wins
            )
    if legal >> HU & 1 and out[HU] > 0.0:
        out[HU] /= p.patience


@kernel
def after_kong(
    v: Record,
    p: Record,
    hand: Hand,
    kind: int,
    taken: int,
    unseen: float,
    dou_pay: float,
    pace: Floats,
    work: Floats,
    grid: Floats,
    needs: Any,
    wins: Any,
) -> float:
    """Return what the hand comes to with a kong laid and its replacement tile to be drawn."""
    suits, dou, rounds = hand[SUITS], hand[DOU], pace[ROUNDS]
    add(hand, kind, -taken)
    if taken > 1:
        hand[LAID] += 1
        hand[SUITS] |= 1 << (kind // 9)
    hand[DOU] = 1
    pace[ROUNDS] = (v.wall_left - 1) // SEATS + 1
    worth = standing(v, p, hand, unseen, pace, work, grid, needs, wins)
    worth += dou_pay * kongs_to_come(v, hand, pace[ROUNDS], unseen, p)
    pace[ROUNDS] = rounds
    hand[SUITS], hand[DOU] = suits, dou
    if taken > 1:
        hand[LAID] -= 1
    add(hand, kind, taken)
    return worth


@kernel
def after_peng(
    v: Record,
    p: Record,
    hand: Hand,
    unseen: float,
    dou_pay: float,
    ji_pay: float,
    pace: Floats,
    work: Floats,
    grid: Floats,
    danger: Floats,
    ways: Floats,
    needs: Any,
    wins: Any,
) -> float:
    """Return what the hand comes to with a peng laid and its best discard made."""
    tile = v.tile
    suits, rounds = hand[SUITS], pace[ROUNDS]
    add(hand, tile, -2)
    hand[LAID] += 1
    hand[SUITS] |= 1 << (tile // 9)
    pace[ROUNDS] = v.wall_left // SEATS
    write_danger(v, p, ways, danger)
    # The fourth copy would make it a kong.
    fourth = hand[tile] + v.unseen[tile] * min(1.0, pace[ROUNDS] / unseen)
    hope = min(1.0, fourth) * PAYERS * v.rules.dou_zhuan_wan * min(1.0, pace[ROUNDS])
    best = -np.inf
    for kind in range(27):
        if hand[kind] == 0:
            continue
        add(hand, kind, -1)
        worth = standing(v, p, hand, unseen, pace, work, grid, needs, wins)
        worth += dou_pay * (kongs_to_come(v, hand, pace[ROUNDS], unseen, p) + hope)
        if kind == tile:
            worth -= dou_pay * hope
        worth += ji_pay * ji_thrown(v, kind, unseen, p) - p.fear * danger[kind]
        best = max(best, worth)
        add(hand, kind, 1)
    pace[ROUNDS] = rounds
    hand[SUITS] = suits
    hand[LAID] -= 1
    add(hand, tile, 2)
    return best


@kernel
def score(views: Any, p: Any, needs: Any, wins: Any, out: Floats) -> None:
    """Write what every legal action comes to at each view; `out` (n, 58) fan, -inf if illegal."""
    hand = np.zeros(N_HAND, np.int64)
    pace = np.zeros(8)
    work = np.zeros((3, 8))
    grid = np.zeros((5, 9))
    danger = np.zeros(27)
    ways = np.zeros(30)
    for i in range(views.shape[0]):
        write_scores(
            views[i],
            p[0],
            needs,
            wins,
            hand,
            pace,
            work,
            grid,
            danger,
            ways,
            out[i],
        )
