"""What every legal action comes to, in fan."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.expert.claims import after_kong, after_peng
from agents.expert.danger import write_danger
from agents.expert.gains import (
    SEATS,
    has_discarded,
    hot_loss,
    kong_pays,
    kongs_to_come,
    made_sure,
    win_pays,
)
from agents.expert.hands import N_HAND, add, load
from agents.expert.kernel import kernel
from agents.expert.money import PAYERS, ji_claimed, ji_thrown
from agents.expert.progress import (
    ELAPSED,
    END,
    IF_NOT,
    LOSS,
    MOST,
    N_PACE,
    RISE,
    ROUNDS,
    TOP,
    without_win,
)
from agents.expert.routes import ready_worth, standing
from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine.layout import AFTER_PENG, DIAN, MEN, TURN, ZHUAN_WAN

Record = Any
Floats = NDArray[np.float64]

# Tiles drawn one at a time after the deal.
DRAWS = 55.0
DISCARDS = (1 << PENG) - 1

# What is reckoned once for a view, and scratch.
WORK = np.dtype(
    [
        ("hand", np.int64, (N_HAND,)),
        ("pace", np.float64, (N_PACE,)),
        ("unseen", np.float64),
        # The tastes for kongs and for chickens, times the chances to be paid for them.
        ("dou_pay", np.float64),
        ("ji_pay", np.float64),
        ("danger", np.float64, (27,)),
        # The same where passports are waived: of a hot shot, or of a kong that is robbed.
        ("hot", np.float64, (27,)),
        ("ways", np.float64, (30,)),
        ("work", np.float64, (3, MOST + 1)),
        ("grid", np.float64, (5, 9)),
    ]
)


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
    pace[TOP] = p.most_ends


@kernel
def prepare(v: Record, p: Record, w: Record) -> None:
    """Reckon what all actions of a view share."""
    load(v, w.hand)
    set_pace(v, p, w.pace)
    unseen = 0.0
    for kind in range(27):
        unseen += v.unseen[kind]
    w.unseen = max(1.0, unseen)
    _, alive = without_win(w.pace)
    paid = 1.0 - alive
    w.dou_pay = p.kong * paid * (p.ting if v.rules.dou_requires_ting else 1.0)
    w.ji_pay = p.ji * paid * (p.ting if v.rules.ji_requires_ting else 1.0)


@kernel
def worth_of(v: Record, p: Record, w: Record, discarded: bool, needs: Any, wins: Any) -> float:
    """Return what the hand in `w` comes to: its routes and its kongs to come.

    R29: a hand that is baoting has its waits alone, and declares no kong.
    """
    if v.baoting[0]:
        return frozen_worth(v, p, w, wins)
    worth = standing(v, p, w.hand, w.unseen, w.pace, w.work, w.grid, needs, wins)
    hope = kongs_to_come(v, w.hand, w.pace[ROUNDS], discarded, w.unseen, p)
    return worth + float(w.dou_pay) * hope


@kernel
def frozen_worth(v: Record, p: Record, w: Record, wins: Any) -> float:
    """Return what the hand in `w` comes to as a baoting one; -inf if it is not ready."""
    none, _ = without_win(w.pace)
    gain = ready_worth(v, p, w.hand, True, w.unseen, w.pace, w.work, wins) - none
    return float(none + p.baoting * gain)


@kernel
def write_discards(v: Record, p: Record, w: Record, needs: Any, wins: Any, out: Floats) -> None:
    """Write what discards come to, and baoting with the best of those that leave a ready hand."""
    lost = hot_loss(v, 0.0, w.unseen) if v.hot else 0.0
    write_danger(v, p, bool(v.hot), bool(v.baoting[0]), lost, w.ways, w.danger)
    may_declare = v.legal >> BAOTING & 1
    if may_declare:
        # R17, R30: from the declaration on, all may win off it, and for more.
        write_danger(v, p, bool(v.hot), True, lost, w.ways, w.hot)
    for kind in range(27):
        if not v.legal >> kind & 1:
            continue
        add(w.hand, kind, -1)
        gain = w.ji_pay * ji_thrown(v, kind, w.unseen, p)
        out[kind] = worth_of(v, p, w, True, needs, wins) + gain - p.fear * w.danger[kind]
        if may_declare:
            worth = frozen_worth(v, p, w, wins) + gain - p.fear * w.hot[kind]
            out[BAOTING] = max(out[BAOTING], worth)
        add(w.hand, kind, 1)


@kernel
def write_own_kongs(v: Record, p: Record, w: Record, needs: Any, wins: Any, out: Floats) -> None:
    """Write what concealed and added kongs come to."""
    for kind in range(27):
        if not v.legal >> (GANG + kind) & 1:
            continue
        meld, taken = (MEN, 4) if v.hand[kind] == 4 else (ZHUAN_WAN, 1)
        fan = kong_pays(v, kind, meld, w.unseen)
        worth = w.dou_pay * fan + after_kong(v, p, w, kind, taken, fan, needs, wins)
        if meld == ZHUAN_WAN:
            # R33: whoever robs it is paid three shares, R17 without a passport.
            write_danger(v, p, True, False, 0.0, w.ways, w.hot)
            worth -= p.fear * PAYERS * w.hot[kind]
        out[GANG + kind] = worth


@kernel
def write_claims(v: Record, p: Record, w: Record, needs: Any, wins: Any, out: Floats) -> None:
    """Write what passing, peng and gang of another's tile come to."""
    out[PASS] = worth_of(v, p, w, has_discarded(v), needs, wins)
    if v.legal >> PENG & 1:
        gain = w.ji_pay * ji_claimed(v, v.tile, False, w.unseen)
        out[PENG] = gain + after_peng(v, p, w, needs, wins)
    if v.legal >> (GANG + v.tile) & 1:
        fan = kong_pays(v, v.tile, DIAN, w.unseen)
        gain = w.dou_pay * fan + w.ji_pay * ji_claimed(v, v.tile, True, w.unseen)
        out[GANG + v.tile] = gain + after_kong(v, p, w, v.tile, 3, fan, needs, wins)


@kernel
def write_scores(v: Record, p: Record, w: Record, needs: Any, wins: Any, out: Floats) -> None:
    """Write what every legal action comes to, -inf for the rest; `out` (58,) fan."""
    out[:] = -np.inf
    prepare(v, p, w)
    if v.phase == TURN or v.phase == AFTER_PENG:
        if v.legal & DISCARDS:
            write_discards(v, p, w, needs, wins, out)
        write_own_kongs(v, p, w, needs, wins, out)
    elif v.legal >> PASS & 1:
        write_claims(v, p, w, needs, wins, out)
    if v.legal >> HU & 1:
        sure = made_sure(v, p, w.dou_pay, w.ji_pay, w.unseen)
        worth = win_pays(v, p, w.hand, wins) + sure
        out[HU] = worth / p.patience if worth > 0.0 else worth


@kernel
def score(views: Any, p: Any, work: Any, needs: Any, wins: Any, out: Floats) -> None:
    """Write what every legal action comes to at each view; `out` (n, 58) fan, -inf if illegal."""
    for i in range(views.shape[0]):
        write_scores(views[i], p[0], work[0], needs, wins, out[i])
