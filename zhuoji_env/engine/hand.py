"""What a hand is: patterns and their fan (R13–R15), waits and readiness (R18)."""

import numpy as np

from zhuoji_env.engine.kernel import Int, Record, Wins, kernel
from zhuoji_env.engine.layout import PENG_MELD
from zhuoji_env.engine.tables import (
    EVEN,
    HAS_QUAD,
    MELDS,
    MELDS_PAIR,
    ODD_SHIFT,
    TO_PAIR,
    TRIPLETS,
    TRIPLETS_PAIR,
)

PING_HU, DA_DUI_ZI, QI_DUI, LONG_QI_DUI = 0, 1, 2, 3
QING_YI_SE, QING_DA_DUI, QING_QI_DUI, QING_LONG_BEI = 4, 5, 6, 7

# Powers of five as scalars: a kernel reads a tuple global as a constant.
POW5 = (1, 5, 25, 125, 625, 3125, 15625, 78125, 390625)


@kernel
def pattern_fan(pattern: int, r: Record) -> int:
    """Return the fan of one pattern under a ruleset, NULL where it does not exist."""
    if pattern == PING_HU:
        return int(r.hand_ping_hu)
    if pattern == DA_DUI_ZI:
        return int(r.hand_da_dui_zi)
    if pattern == QI_DUI:
        return int(r.hand_qi_dui)
    if pattern == LONG_QI_DUI:
        return int(r.hand_long_qi_dui)
    if pattern == QING_YI_SE:
        return int(r.hand_qing_yi_se)
    if pattern == QING_DA_DUI:
        return int(r.hand_qing_da_dui)
    if pattern == QING_QI_DUI:
        return int(r.hand_qing_qi_dui)
    return int(r.hand_qing_long_bei)


@kernel
def patterns_of(
    key0: int,
    key1: int,
    key2: int,
    meld_suits: int,
    n_melds: int,
    winning: int,
    r: Record,
    wins: Wins,
) -> int:
    """Return the patterns of R13 that a full hand satisfies, one bit each; 0 if incomplete.

    The keys include the winning tile; `meld_suits` has a bit per suit of the melds. Patterns whose
    value is null are left out (R14).
    """
    e0, e1, e2 = wins[key0], wins[key1], wins[key2]
    suits = meld_suits | (1 if key0 else 0) | (2 if key1 else 0) | (4 if key2 else 0)
    one_suit = suits == 1 or suits == 2 or suits == 4
    bits = 0
    pairs = (1 if e0 & MELDS_PAIR else 0) + (1 if e1 & MELDS_PAIR else 0)
    pairs += 1 if e2 & MELDS_PAIR else 0
    melds = (1 if e0 & MELDS else 0) + (1 if e1 & MELDS else 0) + (1 if e2 & MELDS else 0)
    if pairs == 1 and melds == 2:
        bits |= 1 << PING_HU
        if one_suit:
            bits |= 1 << QING_YI_SE
        # The triplet flags of a suit imply its meld flags, so that counting them is enough.
        triplets = (
            (1 if e0 & (TRIPLETS | TRIPLETS_PAIR) else 0)
            + (1 if e1 & (TRIPLETS | TRIPLETS_PAIR) else 0)
            + (1 if e2 & (TRIPLETS | TRIPLETS_PAIR) else 0)
        )
        if triplets == 3:
            bits |= 1 << DA_DUI_ZI
            if one_suit:
                bits |= 1 << QING_DA_DUI
    if n_melds == 0 and e0 & e1 & e2 & EVEN:
        bits |= 1 << QI_DUI
        if one_suit:
            bits |= 1 << QING_QI_DUI
        dragon = (e0 | e1 | e2) & HAS_QUAD != 0
        if dragon and r.hand_dragon_needs_winning_tile:
            # R14: the winning tile must be one of a held quad.
            key = key0 if winning < 9 else (key1 if winning < 18 else key2)
            dragon = key // POW5[winning % 9] % 5 == 4
        if dragon:
            bits |= 1 << LONG_QI_DUI
            if one_suit:
                bits |= 1 << QING_LONG_BEI
    for pattern in range(8):
        if bits >> pattern & 1 and pattern_fan(pattern, r) < 0:
            bits &= ~(1 << pattern)
    return bits


@kernel
def best_pattern(bits: int, r: Record) -> int:
    """Return the pattern of the greatest fan among some (R14), the higher one among equals."""
    best = -1
    best_fan = -1
    for pattern in range(8):
        if bits >> pattern & 1:
            fan = pattern_fan(pattern, r)
            if fan >= best_fan:
                best, best_fan = pattern, fan
    return best


@kernel
def full_hand_patterns(g: Record, seat: int, tile: int, r: Record, wins: Wins) -> int:
    """Return the patterns of a seat's 13 tiles and one more; `tile` must not be in its hand yet."""
    key0, key1, key2 = g.key[seat, 0], g.key[seat, 1], g.key[seat, 2]
    add = POW5[tile % 9]
    if tile < 9:
        key0 += add
    elif tile < 18:
        key1 += add
    else:
        key2 += add
    suits = 0
    for i in range(g.n_melds[seat]):
        suits |= 1 << (g.meld_kind[seat, i] // 9)
    return patterns_of(key0, key1, key2, suits, g.n_melds[seat], tile, r, wins)


@kernel
def waits_of(key0: int, key1: int, key2: int, n_melds: int, wins: Wins) -> int:
    """Return the kinds (bits) that complete a 13-tile hand in shape: basic or seven pairs."""
    e0, e1, e2 = wins[key0], wins[key1], wins[key2]
    bits = 0
    m0, m1, m2 = e0 & MELDS != 0, e1 & MELDS != 0, e2 & MELDS != 0
    p0, p1, p2 = e0 & MELDS_PAIR != 0, e1 & MELDS_PAIR != 0, e2 & MELDS_PAIR != 0
    if m1 and m2:
        bits |= (e0 >> TO_PAIR) & 511
    if m0 and m2:
        bits |= ((e1 >> TO_PAIR) & 511) << 9
    if m0 and m1:
        bits |= ((e2 >> TO_PAIR) & 511) << 18
    if (m1 and p2) or (p1 and m2):
        bits |= e0 & 511
    if (m0 and p2) or (p0 and m2):
        bits |= (e1 & 511) << 9
    if (m0 and p1) or (p0 and m1):
        bits |= (e2 & 511) << 18
    if n_melds == 0 and (e0 >> ODD_SHIFT) + (e1 >> ODD_SHIFT) + (e2 >> ODD_SHIFT) == 1:
        for suit in range(3):
            key = key0 if suit == 0 else (key1 if suit == 1 else key2)
            for rank in range(9):
                if (key // POW5[rank] % 5) & 1:
                    bits |= 1 << (9 * suit + rank)
    return bits


@kernel
def hand_waits(g: Record, seat: int, r: Record, wins: Wins) -> Int:
    """Return the kinds (bits) that complete a seat's 13 tiles, own quads left out (R18)."""
    bits: Int = waits_of(g.key[seat, 0], g.key[seat, 1], g.key[seat, 2], g.n_melds[seat], wins)
    if bits == 0:
        return 0
    bits &= ~np.int64(g.quad[seat])
    for i in range(g.n_melds[seat]):
        kind = g.meld_kind[seat, i]
        # R18: a kong holds all four; a peng does with its fourth tile in hand.
        if g.meld_type[seat, i] != PENG_MELD or g.held[seat] >> kind & 1:
            bits &= ~(1 << kind)
    if r.hand_qi_dui < 0 and g.n_melds[seat] == 0:
        # R14, R15: without qi_dui, a shape of seven pairs may complete nothing.
        for kind in range(27):
            if bits >> kind & 1 and full_hand_patterns(g, seat, kind, r, wins) == 0:
                bits &= ~(1 << kind)
    return bits
