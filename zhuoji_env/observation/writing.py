"""Kernels that write the cheap rows: planes and globals of one VIEW."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine.kernel import Record, kernel
from zhuoji_env.engine.layout import (
    AFTER_PENG,
    CLAIM,
    CLAIM_SHIFT,
    CLAIMED_HU,
    CLAIMER_SHIFT,
    PENG_MELD,
    ROB,
    TURN,
    UNCLAIMED,
)
from zhuoji_env.observation.channels import (
    FAN_SCALE,
    FULL_WALL,
    GLOBAL_AT,
    MAX_JI,
    MAX_STREAK_SHOWN,
    N_RECENT,
    N_SWITCHES,
    ORACLE_TILES,
    PERCENT,
    PLANE_AT,
)
from zhuoji_env.rules.schema import switches
from zhuoji_env.tiles import WU_GU, YAOJI

Planes = NDArray[np.int8]
Globals = NDArray[np.float32]

HAND, DRAWN, WAITS, TILE = (PLANE_AT[n] for n in ("hand", "drawn", "waits", "tile"))
UNSEEN, ZHUO_CHANCE = PLANE_AT["unseen"], PLANE_AT["zhuo_chance"]
JI_HELD, JI_RIVER = PLANE_AT["ji_held"], PLANE_AT["ji_river"]
MAY_DISCARD, MAY_GANG = PLANE_AT["may_discard"], PLANE_AT["may_gang"]
MELD, RIVER, RECENT = (PLANE_AT[f"{n}_self"] for n in ("peng", "river", "recent"))
DRAWN_RIVER, CLAIMED = PLANE_AT["drawn_river_self"], PLANE_AT["claimed_self"]
LET_GO = PLANE_AT["let_go_next"]
# One byte a seat: the recency of its next older discard.
ALL_RECENT = sum(N_RECENT << (8 * seat) for seat in range(4))
# Keeps a product that ought to be whole from falling below.
ROUNDING = 1e-9

G_WALL, G_STREAK, G_DEALER = (GLOBAL_AT[n] for n in ("wall_left", "streak", "dealer_self"))
G_PHASE, G_SHOOTER = GLOBAL_AT["phase_turn"], GLOBAL_AT["shooter_next"]
G_BAOTING, G_MELDS, G_DOU = (GLOBAL_AT[f"{n}_self"] for n in ("baoting", "melds", "dou"))
G_DECLARED, G_MARKED, G_HOT = (GLOBAL_AT[n] for n in ("declared", "marked", "hot"))
G_REPLACEMENT, G_READY = GLOBAL_AT["replacement"], GLOBAL_AT["ready"]
G_PASSPORT, G_YAOJI_NONE = GLOBAL_AT["passport"], GLOBAL_AT["yaoji_none"]
G_CHARGE, G_ZEREN, G_MAY_PENG = (GLOBAL_AT[n] for n in ("charge_self", "zeren_self", "may_peng"))
G_RULES = GLOBAL_AT[f"rule_{switches()[0].path}"]


def rules_scale() -> NDArray[np.float32]:
    """Return what each switch's code is multiplied by in the globals: (S,) float32.

    Enumerations and ranges are divided by their greatest code; fan (a zero here) by 20 x
    `hand.ping_hu`, and cut at 1; null is -1.
    """
    scale = [0.0 if s.high >= 1000 else 1.0 / max(s.high, 1) for s in switches()]
    return np.array(scale, np.float32)


@kernel
def write_ji(v: Record, planes: Planes) -> None:
    """Write the price of each standing ji (yaoji, wu_gu, xing_qi; R39, R40) and the flip's odds."""
    r = v.rules
    unit = r.hand_ping_hu
    unseen = 0
    for kind in range(27):
        unseen += v.unseen[kind]
    share = PERCENT / max(1, unseen)
    for kind in range(27):
        held = 0
        river = 0
        standing = False
        if kind == YAOJI:
            held, river = r.ji_yao_held, r.ji_yao_river
            standing = True
        elif kind == WU_GU and r.ji_wu_gu:
            held, river = r.ji_wu_gu, r.ji_wu_gu
            standing = True
        weekday = r.ji_xing_qi and kind % 9 == r.ji_xing_qi - 1
        if weekday:
            if standing and r.ji_gold == 0:
                held, river = 2 * held, 2 * river
            else:
                held, river = held + r.ji_zhuo_held, river + r.ji_zhuo_river
        if held or river:
            planes[JI_HELD, kind] = min(MAX_JI, held // unit)
            planes[JI_RIVER, kind] = min(MAX_JI, river // unit)
        if weekday:
            planes[ZHUO_CHANCE, kind] = PERCENT
        elif v.wall_left > 0:
            # Every unseen tile is as likely at the head: its indicators are the ranks beside it.
            suit, rank = 9 * (kind // 9), kind % 9
            ways = v.unseen[suit + (rank + 8) % 9]
            ways += v.unseen[kind] if r.ji_ben else 0
            ways += v.unseen[suit + (rank + 1) % 9] if r.ji_yao_bai else 0
            planes[ZHUO_CHANCE, kind] = np.int64(ways * share + ROUNDING)


@kernel
def write_discards(v: Record, planes: Planes) -> None:
    """Write what each seat threw: the latest in order, thrown as drawn, taken by others."""
    latest = ALL_RECENT
    for i in range(v.n_discards - 1, -1, -1):
        seat, kind, flag = v.discard_seat[i], v.discards[i], v.discard_flag[i]
        recency = (latest >> (8 * seat)) & 255
        if recency > 0:
            if planes[RECENT + seat, kind] == 0:
                planes[RECENT + seat, kind] = recency
            latest -= 1 << (8 * seat)
        planes[DRAWN_RIVER + seat, kind] += flag & 1
        if (flag >> CLAIM_SHIFT) & 3 != UNCLAIMED:
            planes[CLAIMED + seat, kind] += 1


@kernel
def write_planes(v: Record, planes: Planes) -> None:
    """Write the cheap planes of a view; the rest is left at zero."""
    planes[:] = 0
    for kind in range(27):
        n = v.hand[kind]
        planes[HAND, kind] = n
        for i in range(n):
            planes[HAND + 1 + i, kind] = 1
        planes[WAITS, kind] = v.waits >> kind & 1
        planes[UNSEEN, kind] = v.unseen[kind]
        planes[MAY_DISCARD, kind] = v.legal >> kind & 1
        planes[MAY_GANG, kind] = v.legal >> (GANG + kind) & 1
        for seat in range(4):
            planes[RIVER + seat, kind] = v.river[seat, kind]
        for place in range(3):
            planes[LET_GO + place, kind] = v.let_go[1 + place] >> kind & 1
    if v.drawn >= 0:
        planes[DRAWN, v.drawn] = 1
    if v.tile >= 0:
        planes[TILE, v.tile] = 1
    for seat in range(4):
        for i in range(v.n_melds[seat]):
            planes[MELD + 4 * (v.meld_type[seat, i] - PENG_MELD) + seat, v.meld_kind[seat, i]] = 1
    write_discards(v, planes)
    write_ji(v, planes)


@kernel
def write_first_yaoji(v: Record, out: Globals) -> None:
    """Write where the deal's first yaoji went (R39, R41)."""
    if v.first_yaoji < 0:
        out[G_YAOJI_NONE] = 1.0
        return
    flag = v.discard_flag[v.first_yaoji]
    claim = (flag >> CLAIM_SHIFT) & 3
    if claim == UNCLAIMED:
        out[G_CHARGE + v.discard_seat[v.first_yaoji]] = 1.0
    elif claim != CLAIMED_HU:
        out[G_ZEREN + ((flag >> CLAIMER_SHIFT) & 3)] = 1.0


@kernel
def write_globals(
    v: Record, codes: NDArray[np.int32], scale: NDArray[np.float32], out: Globals
) -> None:
    """Write the cheap globals of a view; the rest is left at zero."""
    out[:] = 0.0
    out[G_WALL] = v.wall_left / FULL_WALL
    out[G_STREAK] = min(1.0, v.streak / MAX_STREAK_SHOWN)
    out[G_DEALER + v.dealer] = 1.0
    phases = (TURN, AFTER_PENG, CLAIM, ROB)
    for i in range(4):
        out[G_PHASE + i] = 1.0 if v.phase == phases[i] else 0.0
    if v.shooter > 0:
        out[G_SHOOTER + v.shooter - 1] = 1.0
    own_dou = 0
    for seat in range(4):
        out[G_BAOTING + seat] = v.baoting[seat]
        out[G_MELDS + seat] = v.n_melds[seat] / 4.0
        dou = 0
        for i in range(v.n_melds[seat]):
            dou += 1 if v.meld_type[seat, i] != PENG_MELD else 0
        out[G_DOU + seat] = dou / 4.0
        own_dou += dou if seat == 0 else 0
    out[G_DECLARED] = v.declared
    out[G_MARKED] = v.marked
    out[G_HOT] = v.hot
    out[G_REPLACEMENT] = v.replacement
    out[G_READY] = 1.0 if v.waits else 0.0
    out[G_PASSPORT] = 1.0 if own_dou or v.baoting[0] or not v.rules.win_passport else 0.0
    write_first_yaoji(v, out)
    out[G_MAY_PENG] = v.legal >> PENG & 1
    out[G_MAY_PENG + 1] = v.legal >> HU & 1
    out[G_MAY_PENG + 2] = v.legal >> BAOTING & 1
    out[G_MAY_PENG + 3] = v.legal >> PASS & 1
    fan = np.float32(1.0 / (FAN_SCALE * v.rules.hand_ping_hu))
    for i in range(N_SWITCHES):
        code = codes[i]
        value = np.float32(code) * (scale[i] if scale[i] > 0 else fan)
        out[G_RULES + i] = np.float32(-1.0) if code < 0 else min(np.float32(1.0), value)


@kernel
def write_oracle(games: Any, seats: NDArray[np.int8], out: Planes) -> None:
    """Write the hidden truth of some tables: other hands, their waits, the next tiles."""
    out[:] = 0
    for i in range(games.shape[0]):
        g = games[i]
        for place in range(3):
            q = (seats[i] + 1 + place) & 3
            for kind in range(27):
                out[i, place, kind] = g.hand[q, kind]
                out[i, 3 + place, kind] = g.waits[q] >> kind & 1
        for j in range(min(ORACLE_TILES, g.tail - g.head)):
            out[i, 6 + j, g.wall[g.head + j]] = 1
