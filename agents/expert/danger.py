"""What a discard may cost: how ready other seats look, what they wait for, what they are paid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.expert.kernel import kernel
from agents.expert.money import declared, has_dou
from zhuoji_env.engine.turn import PASSED_FREE

Record = Any
Floats = NDArray[np.float64]


@kernel
def ways_to_wait(v: Record, kind: int, p: Record) -> float:
    """Return in how many ways unseen tiles could wait for a kind, weighted."""
    u = v.unseen
    n = float(u[kind])
    ways = p.single_way * n + p.pair_way * n * (n - 1.0) / 2.0
    rank = kind % 9
    if rank >= 2:
        ways += float(u[kind - 2]) * u[kind - 1]
    if 1 <= rank <= 7:
        ways += float(u[kind - 1]) * u[kind + 1]
    if rank <= 6:
        ways += float(u[kind + 1]) * u[kind + 2]
    return float(ways)


@kernel
def let_go_by(v: Record, seat: int) -> int:
    """Return the kinds (bits) that a seat would not or may not win on now.

    R19: what it has let go since its last draw. R29: a baoting hand never changes, so all that was
    discarded since its own first discard.
    """
    bits = np.int64(0)
    if v.rules.win_passed != PASSED_FREE:
        bits = np.int64(v.let_go[seat])
    if v.baoting[seat]:
        since = False
        for i in range(v.n_discards):
            since = since or v.discard_seat[i] == seat
            if since:
                bits |= np.int64(1) << v.discards[i]
    return int(bits)


@kernel
def seems_ready(v: Record, seat: int, p: Record) -> float:
    """Return the chance that a seat is ready."""
    if v.baoting[seat]:
        return 1.0
    thrown = 0
    for i in range(v.n_discards):
        thrown += 1 if v.discard_seat[i] == seat else 0
    chance = p.ready_first + p.ready_discard * thrown + p.ready_meld * v.n_melds[seat]
    return float(min(p.most_ready, chance))


@kernel
def suit_of_melds(v: Record, seat: int) -> int:
    """Return the one suit of a seat's melds, -1 if there is none or more than one."""
    suit = -1
    for i in range(v.n_melds[seat]):
        here = v.meld_kind[seat, i] // 9
        if suit >= 0 and here != suit:
            return -1
        suit = here
    return int(suit)


@kernel
def write_danger(
    v: Record, p: Record, waived: bool, shown: bool, lost: float, ways: Floats, out: Floats
) -> None:
    """Write what it is expected to cost that each kind is won on, in fan; `out` (27,).

    `waived`: no passport is asked, as of a hot shot and a robbed kong. `shown`: the viewer is
    baoting. `lost` is what goes besides the hand. `ways` (30,) is scratch.
    """
    r = v.rules
    in_suit = ways[27:30]
    in_suit[:] = 0.0
    for kind in range(27):
        out[kind] = 0.0
        ways[kind] = ways_to_wait(v, kind, p)
        in_suit[kind // 9] += ways[kind]
    in_all = max(1.0, in_suit[0] + in_suit[1] + in_suit[2])
    for seat in range(1, 4):
        n = v.n_melds[seat]
        ready = seems_ready(v, seat, p)
        safe = let_go_by(v, seat)
        suit = suit_of_melds(v, seat)
        all_triplets = min(1.0, p.triplets * n)
        pairs = p.higher if n == 0 else 0.0
        bonus = r.dealer_bonus * v.streak if v.dealer == 0 or v.dealer == seat else 0
        frozen = v.baoting[seat] or shown
        # R16, R17: whether a basic hand may win on a discard.
        basic = 1.0 if frozen or waived or not r.win_passport or has_dou(v, seat) else 0.0
        for kind in range(27):
            if safe >> kind & 1:
                continue
            pure = 0.0
            if suit >= 0 and kind // 9 == suit:
                pure = min(1.0, p.one_suit * n)
            fans = all_triplets * max(0, r.hand_da_dui_zi) + pairs * max(0, r.hand_qi_dui)
            higher = min(1.0, all_triplets + pairs)
            fans += basic * (1.0 - higher) * r.hand_ping_hu
            chance = basic * (1.0 - higher) + higher
            if frozen:
                fans = max(fans, declared(fans, v))
            share = min(1.0, p.wait_kinds * ways[kind] / in_all)
            cost = (1.0 - pure) * share * (fans + chance * (bonus + lost))
            if pure > 0.0:
                share = min(1.0, p.wait_kinds * ways[kind] / max(1.0, in_suit[suit]))
                cost += pure * share * (max(0, r.hand_qing_yi_se) + bonus + lost)
            out[kind] += ready * cost
