"""What a hand of 13 tiles comes to by its routes: basic, triplets, seven pairs, one suit (R13).

Every route says how many tiles it lacks, what helps it now, and what its win pays; `progress` does
the rest. Pure triplets and pure pairs are the same routes within one suit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.expert.hands import (
    ALL_SUITS,
    DOU,
    KEY,
    LAID,
    SUIT,
    SUITS,
    Hand,
    all_held,
    claimable,
    copies_of,
)
from agents.expert.kernel import kernel
from agents.expert.money import PAYERS, at_a_draw, declared, from_all, from_one, weighed
from agents.expert.progress import MOST, along, earn, without_win
from agents.expert.sets import pairs_worth, triplets_worth
from zhuoji_env.engine.distance import (
    N_MELDS,
    entry_of,
    lowering_in,
    lowering_kinds,
    need,
    standard_distance,
)
from zhuoji_env.engine.hand import PING_HU, POW5, best_pattern, pattern_fan, patterns_of, waits_of
from zhuoji_env.engine.tables import NEED_BITS, PAIR_SLOT

Record = Any
Floats = NDArray[np.float64]

# Tiles that a seat does not see at its first draw; what helps on average was told for so many.
FULL = 95.0


@kernel
def ready_worth(
    v: Record,
    p: Record,
    hand: Hand,
    frozen: bool,
    unseen: float,
    pace: Floats,
    work: Floats,
    wins: Any,
) -> float:
    """Return what a ready hand comes to with its own waits; `frozen`: it is baoting."""
    k0, k1, k2, laid = hand[KEY], hand[KEY + 1], hand[KEY + 2], hand[LAID]
    waits = waits_of(k0, k1, k2, laid, wins)
    drawn, drawn_pay, claimed, claimed_pay, most = 0.0, 0.0, 0.0, 0.0, 0.0
    for kind in range(27):
        if not waits >> kind & 1 or all_held(v, hand, kind):
            continue
        more = POW5[kind % 9]
        bits = patterns_of(
            k0 + (more if kind < 9 else 0),
            k1 + (more if 9 <= kind < 18 else 0),
            k2 + (more if kind >= 18 else 0),
            hand[SUITS],
            laid,
            kind,
            v.rules,
            wins,
        )
        if bits == 0:
            continue
        fan = float(pattern_fan(best_pattern(bits, v.rules), v.rules))
        if frozen:
            fan = declared(fan, v)
        most = max(most, fan)
        fan = weighed(fan, v, p)
        copies = float(v.unseen[kind])
        drawn += copies
        drawn_pay += copies * from_all(v, fan + v.rules.hand_zi_mo)
        # R16, R17: what may be won on a discard.
        open_to = frozen or hand[DOU] or not v.rules.win_passport or bits != 1 << PING_HU
        share = copies if open_to else p.late_dou * copies
        claimed += share
        claimed_pay += share * from_one(v, fan, -1)
    if most == 0.0:
        return -np.inf
    if drawn > 0.0:
        drawn_pay /= drawn
    if claimed > 0.0:
        claimed_pay /= claimed
    work[0, 1] = drawn / unseen
    work[1, 1] = min(1.0, PAYERS * p.win_rate * claimed / unseen)
    return along(1, work[0], work[1], drawn_pay, claimed_pay, at_a_draw(most, p), pace, work[2])


@kernel
def by_lacking(lacking: int, one: float, two: float, three: float, more: float) -> float:
    """Return what is told of hands that lack so many tiles."""
    if lacking == 1:
        return one
    if lacking == 2:
        return two
    return three if lacking == 3 else more


@kernel
def help_of(lacking: int, p: Record) -> float:
    """Return the copies that help a basic hand on average."""
    return by_lacking(lacking, p.help_1, p.help_2, p.help_3, p.help_4)


@kernel
def basic_worth(
    v: Record,
    p: Record,
    hand: Hand,
    lacking: int,
    unseen: float,
    pace: Floats,
    work: Floats,
    needs: Any,
) -> float:
    """Return what the basic route comes to, lacking 2 or more."""
    bits = lowering_kinds(hand[KEY], hand[KEY + 1], hand[KEY + 2], hand[LAID], False, needs)
    now = float(copies_of(v, bits))
    draw, claim = work[0], work[1]
    broad = (max(now, p.no_help) / (help_of(lacking, p) * unseen / FULL)) ** p.carry
    for one in range(1, lacking):
        copies = help_of(one, p) * broad * unseen / FULL
        draw[one] = min(1.0, copies / unseen)
        claim[one] = PAYERS * p.peng_rate * p.claimable * draw[one]
    draw[lacking] = now / unseen
    claim[lacking] = min(1.0, PAYERS * p.peng_rate * claimable(v, hand, bits) / unseen)
    free = 1.0 if hand[DOU] or not v.rules.win_passport else p.late_dou
    claim[1] = min(1.0, PAYERS * p.win_rate * free * draw[1])
    fan = float(v.rules.hand_ping_hu)
    return earn(v, p, lacking, fan, fan, pace, work)


@kernel
def suit_share(lacking: int, p: Record) -> float:
    """Return the share of a suit's unseen copies that helps a pure hand on average."""
    return by_lacking(lacking, p.suit_1, p.suit_2, p.suit_3, p.suit_4)


@kernel
def suit_worth(
    v: Record,
    p: Record,
    hand: Hand,
    suit: int,
    unseen: float,
    pace: Floats,
    work: Floats,
    needs: Any,
) -> float:
    """Return what the one-suit route comes to; -inf if it is closed or too far."""
    slot = PAIR_SLOT + N_MELDS - hand[LAID]
    key = hand[KEY + suit]
    lacking = need(entry_of(key, needs), slot)
    if lacking < 1 or lacking > MOST:
        return -np.inf
    bits = lowering_in(key, 15 << (NEED_BITS * slot), False, needs) << (9 * suit)
    in_suit = float(copies_of(v, SUIT << (9 * suit)))
    draw, claim = work[0], work[1]
    for one in range(1, lacking):
        draw[one] = suit_share(one, p) * in_suit / unseen
        claim[one] = PAYERS * p.peng_rate * p.claimable * draw[one]
    draw[lacking] = copies_of(v, bits) / unseen
    claim[lacking] = min(1.0, PAYERS * p.peng_rate * claimable(v, hand, bits) / unseen)
    claim[1] = min(1.0, PAYERS * p.win_rate * draw[1])
    fan = float(v.rules.hand_qing_yi_se)
    return earn(v, p, lacking, fan, weighed(fan, v, p), pace, work)


@kernel
def standing(
    v: Record,
    p: Record,
    hand: Hand,
    unseen: float,
    pace: Floats,
    work: Floats,
    grid: Floats,
    needs: Any,
    wins: Any,
) -> float:
    """Return what a hand comes to by its best route, and by some of what the others add."""
    r = v.rules
    laid, suits = hand[LAID], hand[SUITS]
    none, _ = without_win(pace)
    best, rest = 0.0, 0.0
    lacking = standard_distance(hand[KEY], hand[KEY + 1], hand[KEY + 2], laid, needs) + 1
    gain = ready_worth(v, p, hand, False, unseen, pace, work, wins) - none
    if gain > best:
        best, rest = gain, rest + best
    if 2 <= lacking <= MOST:
        gain = basic_worth(v, p, hand, lacking, unseen, pace, work, needs) - none
        if gain > best:
            best, rest = gain, rest + best
        else:
            rest += max(gain, 0.0)
    pure = -1
    if suits == 0:
        # The suit of which most is held; a second one is never near.
        held = -1
        for suit in range(3):
            n = 0
            for kind in range(9 * suit, 9 * suit + 9):
                n += hand[kind]
            if n > held:
                held, pure = n, suit
    elif suits == 1:
        pure = 0
    elif suits == 2:
        pure = 1
    elif suits == 4:
        pure = 2
    for route in range(5):
        gain = 0.0
        if route == 0 and pure >= 0 and r.hand_qing_yi_se >= 0:
            gain = suit_worth(v, p, hand, pure, unseen, pace, work, needs) - none
        elif route == 1 and laid == 0 and r.hand_qi_dui >= 0:
            fan, long_fan = float(r.hand_qi_dui), float(r.hand_long_qi_dui)
            gain = pairs_worth(v, p, hand, ALL_SUITS, fan, long_fan, unseen, pace, work) - none
        elif route == 2 and r.hand_da_dui_zi >= 0:
            fan = float(r.hand_da_dui_zi)
            gain = triplets_worth(v, p, hand, ALL_SUITS, fan, unseen, pace, grid) - none
        elif route == 3 and laid == 0 and r.hand_qing_qi_dui >= 0:
            bits = SUIT << (9 * pure)
            fan, long_fan = float(r.hand_qing_qi_dui), float(r.hand_qing_long_bei)
            gain = pairs_worth(v, p, hand, bits, fan, long_fan, unseen, pace, work) - none
        elif route == 4 and pure >= 0 and r.hand_qing_da_dui >= 0:
            fan = float(r.hand_qing_da_dui)
            gain = triplets_worth(v, p, hand, SUIT << (9 * pure), fan, unseen, pace, grid) - none
        if gain > best:
            best, rest = gain, rest + best
        else:
            rest += max(gain, 0.0)
    return float(none + best + p.other_routes * rest)
