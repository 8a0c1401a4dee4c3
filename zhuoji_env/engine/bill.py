"""What a finished deal pays, and who deals next (R20–R26, R30, R31, R33, R35–R47, house variants).

`settle` reads a table whose `end`, `winners`, `tile`, `shooter` and `waits` stand, and writes the
indicator, the bill, the scores and the next dealer.
"""

from zhuoji_env.engine.hand import best_pattern, full_hand_patterns, pattern_fan
from zhuoji_env.engine.kernel import Int, Record, Wins, kernel
from zhuoji_env.engine.layout import (
    BAO,
    BAO_JI,
    CHA_JIAO,
    CHARGE_JI,
    CLAIM_SHIFT,
    CLAIMED_GANG,
    CLAIMED_PENG,
    CLAIMER_SHIFT,
    DEALER,
    DIAN,
    DIAN_DOU,
    DISCARD_WIN,
    DONE,
    DRAW,
    HU_ITEM,
    MEN,
    MEN_DOU,
    MEN_YAO,
    PENG_MELD,
    RE_PAO,
    ROB_WIN,
    SELF_DRAW,
    SHA_BAO,
    UNCLAIMED,
    WU_GU_JI,
    YAO_JI,
    ZEREN_JI,
    ZHUAN_WAN,
    ZHUAN_WAN_DOU,
    ZHUO_JI,
)
from zhuoji_env.tiles import WU_GU, YAOJI

FIVE_DOTS = 13

# Values of switches, as RULES packs them.
PAYS_THREE = 2
WINNERS_PAY = 1
COMBINE_MAX, COMBINE_ADD = 0, 1
VOID_ALL = 1
GOLD_DOUBLE = 0
ZEREN_PENG_GANG = 1
SHOOTER_DEALS = 1
DRAW_READY = 1


@kernel
def charge(g: Record, item: int, payer: int, payee: int, fan: int) -> None:
    """Add a transfer in fan to the bill."""
    if payer != payee and fan > 0:
        g.bill[item, payer, payee] += fan


@kernel
def collect(g: Record, item: int, payee: int, fan: int) -> None:
    """Let each other seat pay one seat the same fan."""
    for payer in range(4):
        charge(g, item, payer, payee, fan)


@kernel
def won(g: Record, seat: int) -> bool:
    """Whether a seat is among the winners."""
    return bool(g.winners >> seat & 1)


@kernel
def n_winners(g: Record) -> Int:
    """Return how many have won."""
    return (g.winners & 1) + (g.winners >> 1 & 1) + (g.winners >> 2 & 1) + (g.winners >> 3 & 1)


@kernel
def fouls(g: Record, r: Record, seat: int) -> bool:
    """R25: a marked player took hu on another's tile."""
    return bool(
        r.win_passed == PAYS_THREE and g.marked[seat] and won(g, seat) and g.end != SELF_DRAW
    )


@kernel
def settle(g: Record, r: Record, wins: Wins) -> None:
    """Write the whole settlement of a finished deal into the table."""
    g.phase = DONE
    g.bill[:] = 0
    g.indicator = -1
    for seat in range(4):
        g.ready[seat] = won(g, seat) or g.waits[seat] != 0
    if g.end == DRAW:
        cha_jiao(g, r, wins)
    else:
        if g.head < g.tail:
            g.indicator = g.wall[g.head]  # R37
        for seat in range(4):
            if won(g, seat):
                value_of_winner(g, r, seat, wins)
        for seat in range(4):
            if won(g, seat):
                pay_hu(g, r, seat)
        if g.end == DISCARD_WIN and g.turn_kongs and r.re_pao_surcharge:
            surcharge(g, r)
        pay_dou(g, r)
        pay_ji(g, r)
    score(g, r)
    next_dealer(g, r)


@kernel
def score(g: Record, r: Record) -> None:
    """R26: points are base x (received - paid)."""
    g.scores[:] = 0
    for item in range(g.bill.shape[0]):
        for payer in range(4):
            for payee in range(4):
                points = r.base * g.bill[item, payer, payee]
                g.scores[payee] += points
                g.scores[payer] -= points


@kernel
def with_baoting(fan: int, r: Record) -> Int:
    """R30: the pattern fan where somebody concerned is baoting."""
    if r.baoting_combine == COMBINE_MAX:
        return max(fan, r.baoting_value)
    if r.baoting_combine == COMBINE_ADD:
        return fan + int(r.baoting_value)
    return int(r.baoting_value)


@kernel
def value_of_winner(g: Record, r: Record, w: int, wins: Wins) -> None:
    """Write a winner's pattern and v(w): R14, R20, R30, R36 and the house's extra fan."""
    tile = g.tile
    if g.end == SELF_DRAW:
        # The patterns are asked of the 13 tiles and the winning one.
        g.key[w, tile // 9] -= 5 ** (tile % 9)
    bits = full_hand_patterns(g, w, tile, r, wins)
    if g.end == SELF_DRAW:
        g.key[w, tile // 9] += 5 ** (tile % 9)
    pattern = best_pattern(bits, r)
    fan = pattern_fan(pattern, r)
    if g.baoting[w] or (g.end == DISCARD_WIN and g.baoting[g.shooter]):
        fan = with_baoting(fan, r)
    if g.end == SELF_DRAW:
        fan += r.hand_zi_mo
        if g.replacement:
            fan += r.hand_gang_shang_hua  # R20
        if g.n_draws[w] == 1 and not g.any_meld:
            fan += r.hand_tian_hu if w == g.dealer else r.hand_di_hu
    if r.dou_table:
        # R36: one unit per dou worth something, one more per men dou.
        for i in range(g.n_melds[w]):
            if g.meld_type[w, i] != PENG_MELD and not g.meld_late[w, i]:
                fan += r.hand_ping_hu * (2 if g.meld_type[w, i] == MEN else 1)
    g.pattern[w] = pattern
    g.fan[w] = fan


@kernel
def bonus(g: Record, r: Record, a: int, b: int) -> int:
    """R21: the dealer bonus between two seats."""
    return int(r.dealer_bonus * g.streak) if g.dealer == a or g.dealer == b else 0


@kernel
def pay_hu(g: Record, r: Record, w: int) -> None:
    """Pay one winner the hand: R21–R25, R33, sha_bao."""
    shooter = g.shooter
    v = g.fan[w]
    if g.end == SELF_DRAW:
        for q in range(4):
            if q != w:
                charge(g, HU_ITEM, q, w, v)  # R22
                charge(g, DEALER, q, w, bonus(g, r, q, w))
        return
    if g.end == DISCARD_WIN and g.baoting[shooter]:
        charge(g, SHA_BAO, shooter, w, r.baoting_sha_bao)
    if fouls(g, r, w):
        for q in range(4):
            charge(g, BAO, w, q, v)  # R25
    elif g.end == ROB_WIN:
        # R33: the robbed player pays all three shares of a self-draw.
        charge(g, HU_ITEM, shooter, w, 3 * v)
        for q in range(4):
            if q != w:
                charge(g, DEALER, shooter, w, bonus(g, r, q, w))
    elif n_winners(g) == 3 and r.win_triple == WINNERS_PAY:
        charge(g, HU_ITEM, w, shooter, v)  # R24
    else:
        charge(g, HU_ITEM, shooter, w, v)  # R23
        charge(g, DEALER, shooter, w, bonus(g, r, shooter, w))


@kernel
def surcharge(g: Record, r: Record) -> None:
    """R31: the shooter pays each winner what the dou of this turn would have collected."""
    s = g.shooter
    fan = 0
    for i in range(g.n_melds[s]):
        if g.turn_kongs >> i & 1 and not g.meld_late[s, i]:
            if g.meld_type[s, i] == MEN:
                fan += 3 * r.dou_men
            elif g.meld_type[s, i] == ZHUAN_WAN:
                fan += 3 * r.dou_zhuan_wan
            else:
                fan += r.dou_dian
    for w in range(4):
        if won(g, w) and not fouls(g, r, w):
            charge(g, RE_PAO, s, w, fan)


@kernel
def burns(g: Record, r: Record, seat: int) -> bool:
    """R31: a hot shot, or with re_pao.on_rob a robbed kong, falls on this seat."""
    if seat != g.shooter:
        return False
    if g.end == DISCARD_WIN:
        return bool(g.turn_kongs != 0)
    return bool(g.end == ROB_WIN and r.re_pao_on_rob)


@kernel
def forfeits(g: Record, r: Record, seat: int) -> bool:
    """win.foul_forfeits: a fouling winner collects no dou and no ji."""
    return bool(r.win_foul_forfeits and fouls(g, r, seat))


@kernel
def chui_feng(g: Record, r: Record) -> bool:
    """ji.chui_feng: the indicator 5p voids every ji."""
    return bool(r.ji_chui_feng and g.indicator == FIVE_DOTS)


@kernel
def dou_counts(g: Record, r: Record, seat: int, place: int) -> bool:
    """Whether a kong is paid under R35 or R42."""
    if g.meld_late[seat, place]:
        return False  # R12
    if burns(g, r, seat) and (r.re_pao_void == VOID_ALL or g.turn_kongs >> place & 1):
        return False  # R31
    if r.dou_requires_ting and not g.ready[seat]:
        return False  # R35
    if r.dou_table and won(g, seat):
        return False  # R36: it stands in v(w)
    return not forfeits(g, r, seat)


@kernel
def ji_counts(g: Record, r: Record, seat: int) -> bool:
    """Whether a seat collects for its ji."""
    if r.re_pao_burn_ji and burns(g, r, seat):
        return False  # R31
    if r.ji_requires_ting and not g.ready[seat]:
        return False  # R43
    return not chui_feng(g, r) and not forfeits(g, r, seat)


@kernel
def men_yao_place(g: Record, r: Record, seat: int) -> int:
    """Return the place of a men dou of yaoji that R42 prices, else -1."""
    if r.ji_men_yao < 0 or not ji_counts(g, r, seat):
        return -1
    for i in range(g.n_melds[seat]):
        if g.meld_type[seat, i] == MEN and g.meld_kind[seat, i] == YAOJI:
            return i if dou_counts(g, r, seat, i) else -1
    return -1


@kernel
def pay_dou(g: Record, r: Record) -> None:
    """R35, R42: pay every kong that is not void and worth something."""
    for seat in range(4):
        men_yao = men_yao_place(g, r, seat)
        for i in range(g.n_melds[seat]):
            meld = g.meld_type[seat, i]
            if meld == PENG_MELD or not dou_counts(g, r, seat, i):
                continue
            if i == men_yao:
                collect(g, MEN_YAO, seat, r.ji_men_yao)
            elif meld == MEN:
                collect(g, MEN_DOU, seat, r.dou_men)
            elif meld == ZHUAN_WAN:
                collect(g, ZHUAN_WAN_DOU, seat, r.dou_zhuan_wan)
            elif meld == DIAN:
                charge(g, DIAN_DOU, g.meld_from[seat, i], seat, r.dou_dian)


@kernel
def held_tiles(g: Record, seat: int, kind: int) -> int:
    """R38: how many of a kind a seat holds in hand and melds, a tile won on included."""
    n = int(g.hand[seat, kind])
    for i in range(g.n_melds[seat]):
        if g.meld_kind[seat, i] == kind:
            n += 3 if g.meld_type[seat, i] == PENG_MELD else 4
    if won(g, seat) and g.end != SELF_DRAW and g.tile == kind:
        n += 1
    return n


@kernel
def zhuo_kinds(g: Record, r: Record) -> int:
    """R40: the zhuo ji kinds (bits), house variants included."""
    bits = 0
    if g.indicator >= 0:
        suit, rank = 9 * (g.indicator // 9), g.indicator % 9
        bits |= 1 << (suit + (rank + 1) % 9)
        if r.ji_ben:
            bits |= 1 << g.indicator
        if r.ji_yao_bai:
            bits |= 1 << (suit + (rank + 8) % 9)
    if r.ji_xing_qi:
        rank = r.ji_xing_qi - 1
        bits |= 1 << rank | 1 << (9 + rank) | 1 << (18 + rank)
    return bits


@kernel
def unclaimed_first(g: Record, first: int, seat: int) -> bool:
    """R39: whether the deal's first of a kind was this seat's discard and stayed unclaimed."""
    return bool(
        first >= 0
        and g.discard_seat[first] == seat
        and (g.discard_flag[first] >> CLAIM_SHIFT) & 3 == UNCLAIMED
    )


@kernel
def charge_fan(g: Record, r: Record, seat: int, zhuo: int) -> int:
    """Return what a seat's charge chickens are worth to each payer: R39, wu_gu_charge."""
    fan = 0
    if unclaimed_first(g, g.first_yaoji, seat):
        fan += r.ji_charge * doubling(r, zhuo, YAOJI)
    if r.ji_wu_gu_charge and unclaimed_first(g, g.first_wu_gu, seat):
        fan += r.ji_wu_gu_charge * doubling(r, zhuo, WU_GU)
    return fan


@kernel
def doubling(r: Record, zhuo: int, kind: int) -> int:
    """R40: 2 where gold doubles the price of a standing ji, else 1."""
    return 2 if zhuo >> kind & 1 and r.ji_gold == GOLD_DOUBLE else 1


@kernel
def yao_fan(g: Record, r: Record, seat: int, zhuo: int) -> int:
    """R39: what a seat's yaoji other than the charge chicken are worth to each payer."""
    river = g.river[seat, YAOJI] - (1 if unclaimed_first(g, g.first_yaoji, seat) else 0)
    fan = held_tiles(g, seat, YAOJI) * r.ji_yao_held + river * r.ji_yao_river
    return int(fan * doubling(r, zhuo, YAOJI))


@kernel
def wu_gu_fan(g: Record, r: Record, seat: int, zhuo: int) -> int:
    """ji.wu_gu: what a seat's 8p other than a charging one are worth to each payer."""
    river = int(g.river[seat, WU_GU])
    if r.ji_wu_gu_charge and unclaimed_first(g, g.first_wu_gu, seat):
        river -= 1
    return int((held_tiles(g, seat, WU_GU) + river) * r.ji_wu_gu * doubling(r, zhuo, WU_GU))


@kernel
def zhuo_fan(g: Record, r: Record, seat: int, zhuo: int) -> int:
    """R40: what a seat's zhuo ji are worth to each payer."""
    fan = 0
    for kind in range(27):
        if zhuo >> kind & 1:
            standing = kind == YAOJI or (kind == WU_GU and r.ji_wu_gu)
            if not (standing and r.ji_gold == GOLD_DOUBLE):
                fan += held_tiles(g, seat, kind) * r.ji_zhuo_held
                fan += g.river[seat, kind] * r.ji_zhuo_river
    return fan


@kernel
def pay_ji(g: Record, r: Record) -> None:
    """R39–R43 and ji.bao: pay every chicken that counts."""
    zhuo = zhuo_kinds(g, r)
    for seat in range(4):
        if ji_counts(g, r, seat):
            if men_yao_place(g, r, seat) < 0:
                collect(g, YAO_JI, seat, yao_fan(g, r, seat, zhuo))
            collect(g, CHARGE_JI, seat, charge_fan(g, r, seat, zhuo))
            collect(g, WU_GU_JI, seat, wu_gu_fan(g, r, seat, zhuo))
            collect(g, ZHUO_JI, seat, zhuo_fan(g, r, seat, zhuo))
        if r.ji_bao and not g.ready[seat]:
            owed = yao_fan(g, r, seat, zhuo) + charge_fan(g, r, seat, zhuo)
            owed += wu_gu_fan(g, r, seat, zhuo)
            for payee in range(4):
                if g.ready[payee]:
                    charge(g, BAO_JI, seat, payee, owed)
    if g.first_yaoji >= 0:
        pay_zeren(g, r)


@kernel
def pay_zeren(g: Record, r: Record) -> None:
    """R41: who threw the first yaoji into a peng or gang pays the claimer."""
    flag = g.discard_flag[g.first_yaoji]
    claim = (flag >> CLAIM_SHIFT) & 3
    claimer = (flag >> CLAIMER_SHIFT) & 3
    by_gang = claim == CLAIMED_GANG and r.ji_zeren_on == ZEREN_PENG_GANG
    if (claim == CLAIMED_PENG or by_gang) and ji_counts(g, r, claimer):
        charge(g, ZEREN_JI, g.discard_seat[g.first_yaoji], claimer, r.ji_zeren)


@kernel
def cha_jiao(g: Record, r: Record, wins: Wins) -> None:
    """R44: at an exhaustive draw who is not ready pays who is."""
    for w in range(4):
        if not g.ready[w]:
            continue
        best = 0
        for kind in range(27):
            if g.waits[w] >> kind & 1:
                bits = full_hand_patterns(g, w, kind, r, wins)
                fan = pattern_fan(best_pattern(bits, r), r)
                best = max(best, with_baoting(fan, r) if g.baoting[w] else fan)
        for q in range(4):
            if not g.ready[q]:
                charge(g, CHA_JIAO, q, w, best)


@kernel
def next_dealer(g: Record, r: Record) -> None:
    """R45–R47: who deals next, and in which of their deals in a row."""
    if g.end == DRAW:
        seat = dealer_after_draw(g, r)
    elif n_winners(g) == 1:
        seat = nearest(g, g.winners, True)
    elif n_winners(g) == 2 and r.win_double_dealer != SHOOTER_DEALS:
        seat = nearest(g, g.winners, r.win_dealer_counts_first != 0)
    else:
        seat = g.shooter
    g.next_dealer = seat
    g.next_streak = g.streak + 1 if seat == g.dealer else 1


@kernel
def nearest(g: Record, seats: int, dealer_first: bool) -> int:
    """Return the first of some seats (bits) counting from the dealer, who comes first or last."""
    first = 0 if dealer_first else 1
    for distance in range(first, first + 4):
        seat = (g.dealer + distance) & 3
        if seats >> seat & 1:
            return int(seat)
    return int(g.dealer)


@kernel
def dealer_after_draw(g: Record, r: Record) -> int:
    """R46: who deals after an exhaustive draw."""
    ready = 0
    n = 0
    for seat in range(4):
        if g.ready[seat]:
            ready |= 1 << seat
            n += 1
    if r.dealer_on_draw != DRAW_READY or n == 0 or n == 4:
        return int(g.dealer)
    if n == 3:
        return nearest(g, ~ready & 15, True)
    return nearest(g, ready, True)
