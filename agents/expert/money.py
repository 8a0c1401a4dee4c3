"""What things are worth under the ruleset in play, in fan: wins, kongs, chickens."""

from __future__ import annotations

from typing import Any

from agents.expert.kernel import kernel
from zhuoji_env.engine.bill import GOLD_DOUBLE, ZEREN_PENG_GANG, with_baoting
from zhuoji_env.engine.layout import DIAN, MEN, NO_MELD, PENG_MELD, ZHUAN_WAN
from zhuoji_env.tiles import WU_GU, YAOJI

Record = Any

# Each of the other seats pays.
PAYERS = 3


@kernel
def from_all(v: Record, fan: float) -> float:
    """Return what a self-draw pays: R22 with R21's bonus."""
    bonus = v.rules.dealer_bonus * v.streak
    return float(PAYERS * fan + bonus * (PAYERS if v.dealer == 0 else 1))


@kernel
def from_one(v: Record, fan: float, shooter: int) -> float:
    """Return what a win on a discard pays, R23 with R21's bonus; `shooter` -1 for anybody."""
    bonus = float(v.rules.dealer_bonus * v.streak)
    if v.dealer == 0 or shooter == v.dealer:
        return fan + bonus
    return fan + (bonus / PAYERS if shooter < 0 else 0.0)


@kernel
def weighed(fan: float, v: Record, p: Record) -> float:
    """Return a win's fan by taste: what it has above a basic hand counts `big` times."""
    basic = float(v.rules.hand_ping_hu)
    return basic + (fan - basic) * p.big if fan > basic else fan


@kernel
def declared(fan: float, v: Record) -> float:
    """R30: the fan of a hand that is baoting, or is won off one."""
    return float(with_baoting(int(fan), v.rules))


@kernel
def dou_fan(meld: int, late: int, v: Record) -> float:
    """Return what a kong collects from all together, R35 and R12."""
    if late:
        return 0.0
    if meld == MEN:
        return float(PAYERS * v.rules.dou_men)
    if meld == ZHUAN_WAN:
        return float(PAYERS * v.rules.dou_zhuan_wan)
    return float(v.rules.dou_dian) if meld == DIAN else 0.0


@kernel
def has_dou(v: Record, seat: int) -> bool:
    """Whether a seat has a declared kong, the passport of R16."""
    for i in range(v.n_melds[seat]):
        if v.meld_type[seat, i] != PENG_MELD and v.meld_type[seat, i] != NO_MELD:
            return True
    return False


@kernel
def chance_of(v: Record, kind: int, unseen: float) -> float:
    """Return the chance that a kind is among the zhuo ji, R37 and the house's variants."""
    suit, rank = 9 * (kind // 9), kind % 9
    copies = float(v.unseen[suit + (rank + 8) % 9])
    if v.rules.ji_ben:
        copies += v.unseen[kind]
    if v.rules.ji_yao_bai:
        copies += v.unseen[suit + (rank + 1) % 9]
    chance = min(1.0, copies / unseen)
    return 1.0 if v.rules.ji_xing_qi == rank + 1 else chance


@kernel
def ji_price(v: Record, kind: int, unseen: float, yao: float, zhuo: float) -> float:
    """Return what one tile collects from all as a chicken, given a yaoji's and a zhuo ji's fan."""
    chance = chance_of(v, kind, unseen)
    standing = kind == YAOJI or (kind == WU_GU and v.rules.ji_wu_gu > 0)
    price = 0.0
    if standing:
        price = yao if kind == YAOJI else float(v.rules.ji_wu_gu)
    if standing and v.rules.ji_gold == GOLD_DOUBLE:
        return PAYERS * price * (1.0 + chance)
    return float(PAYERS * (price + chance * zhuo))


@kernel
def ji_held(v: Record, kind: int, unseen: float) -> float:
    """Return what one tile collects from all together as a chicken in hand, R39 and R40."""
    return ji_price(v, kind, unseen, float(v.rules.ji_yao_held), float(v.rules.ji_zhuo_held))


@kernel
def ji_river(v: Record, kind: int, unseen: float) -> float:
    """Return the same of a tile in the own river, other than a charge chicken."""
    return ji_price(v, kind, unseen, float(v.rules.ji_yao_river), float(v.rules.ji_zhuo_river))


@kernel
def prices_men_yao(v: Record) -> bool:
    """R42: whether a concealed kong of yaoji has a price of its own."""
    return bool(v.rules.ji_men_yao >= 0 and not v.rules.dou_table)


@kernel
def yao_fan(v: Record, unseen: float) -> float:
    """Return what a held yaoji collects from all by R39 alone, which R42 pays otherwise."""
    doubled = chance_of(v, YAOJI, unseen) if v.rules.ji_gold == GOLD_DOUBLE else 0.0
    return float(PAYERS * v.rules.ji_yao_held * (1.0 + doubled))


@kernel
def claimed_chance(v: Record, kind: int, unseen: float) -> float:
    """Return the chance that another seat holds two of a kind and takes it by peng."""
    n = float(v.unseen[kind])
    some = 0.0
    for seat in range(1, 4):
        share = v.n_hand[seat] / unseen
        some += n * (n - 1.0) / 2.0 * share * share
    return min(1.0, some)


@kernel
def ji_thrown(v: Record, kind: int, unseen: float, p: Record) -> float:
    """Return what discarding a tile does to the own chickens: the river's price less the hand's.

    R39: the deal's first yaoji is the charge chicken if nobody claims it; R41: whoever takes it by
    peng is paid for it.
    """
    lies = ji_river(v, kind, unseen)
    first = (kind == YAOJI and v.first_yaoji < 0) or (
        kind == WU_GU and v.first_wu_gu < 0 and v.rules.ji_wu_gu_charge > 0
    )
    if first:
        price = float(v.rules.ji_charge if kind == YAOJI else v.rules.ji_wu_gu_charge)
        chance = chance_of(v, kind, unseen)
        taken = min(1.0, claimed_chance(v, kind, unseen) * p.peng_rate)
        if v.rules.ji_gold == GOLD_DOUBLE:
            lies = (1.0 - taken) * PAYERS * price * (1.0 + chance)
        else:
            lies = (1.0 - taken) * PAYERS * (price + chance * v.rules.ji_zhuo_river)
        if kind == YAOJI:
            lies -= taken * v.rules.ji_zeren
    return lies - ji_held(v, kind, unseen)


@kernel
def ji_claimed(v: Record, kind: int, gang: bool, unseen: float) -> float:
    """Return what the own chickens gain by a claimed tile: its price, and R41's for the first."""
    gain = ji_held(v, kind, unseen)
    last = v.n_discards - 1
    pays = not gang or v.rules.ji_zeren_on == ZEREN_PENG_GANG
    if kind == YAOJI and v.first_yaoji == last and last >= 0 and pays:
        gain += v.rules.ji_zeren
    return gain


@kernel
def at_a_draw(fan: float, p: Record) -> float:
    """R44: what the seats that are not ready pay a ready hand."""
    return float(PAYERS * (1.0 - p.others_ready) * fan)
