"""The hand and who pays for it, in words: R14, R20–R25, R30, R31, R33, R36."""

from __future__ import annotations

from zhuoji_env.calculator.explanation.account import SEATS, Account, Entry, kong_name
from zhuoji_env.engine.layout import (
    DIAN,
    DISCARD_WIN,
    MEN,
    N_SEATS,
    PATTERNS,
    ROB_WIN,
    SELF_DRAW,
    ZHUAN_WAN,
)

EVERYBODY_ELSE = N_SEATS - 1


def explain_win(account: Account) -> None:
    """The lines of every winner, and the hot shot's."""
    for winner in account.winners:
        _explain_hand(account, winner)
        _explain_dealer(account, winner)
        _explain_sha_bao(account, winner)
    if account.is_hot():
        _explain_surcharge(account)


def value_in_words(account: Account, winner: int) -> tuple[str, int]:
    """How v(w) comes about (R14, R20, R30, R36, house variants), and v(w)."""
    hand, position = account.rules.hand, account.position
    name = PATTERNS[account.patterns[winner]]
    value: int = getattr(hand, name)
    text = account.say("worth", what=account.words.patterns[name], fan=value)
    shooter = position.shooter
    by_shooter = position.end == DISCARD_WIN and shooter is not None
    if position.seats[winner].baoting or (by_shooter and position.seats[shooter or 0].baoting):
        value, raised = with_baoting(account, value)
        text += raised
    added = [(name, fan) for name, fan in _extras(account, winner) if fan]
    for name, fan in added:
        value += fan
        text += account.words.plus + account.say("worth", what=account.say(name), fan=fan)
    return text + (account.say("equals", fan=value) if added else ""), value


def with_baoting(account: Account, value: int) -> tuple[int, str]:
    """R30: the fan where somebody concerned is baoting, and how it comes about."""
    baoting = account.rules.baoting
    new = {
        "max": max(value, baoting.value),
        "add": value + baoting.value,
        "replace": baoting.value,
    }[baoting.combine]
    return new, account.say(f"baoting_{baoting.combine}", value=baoting.value, fan=new)


def _extras(account: Account, winner: int) -> list[tuple[str, int]]:
    """What is added to the pattern's fan: R20, R36 and the house's."""
    hand, position = account.rules.hand, account.position
    extras = []
    if position.end == SELF_DRAW:
        extras.append(("zi_mo", hand.zi_mo))
        if position.on_replacement:
            extras.append(("gang_shang_hua", hand.gang_shang_hua))
        if position.opening:
            is_dealer = winner == position.dealer
            extras.append(("tian_hu", hand.tian_hu) if is_dealer else ("di_hu", hand.di_hu))
    if account.rules.dou.table:
        kongs = [m for m in position.seats[winner].melds if m.is_kong and not m.late]
        units = len(kongs) + sum(meld.type == MEN for meld in kongs)
        extras.append(("dou_table", hand.ping_hu * units))
    return extras


def _explain_hand(account: Account, winner: int) -> None:
    position, shooter = account.position, account.position.shooter
    words, value = value_in_words(account, winner)
    told = {
        "winner": account.seat(winner),
        "shooter": account.seat(shooter),
        "tile": account.tile(position.tile),
        "value": words,
        "fan": value,
        "each": account.paid_by_each(value),
    }
    if shooter is None:
        entries = account.each(winner, value)
        account.tell("hu", "R22", account.say("self_draw", **told), entries)
    elif account.fouls(winner):
        entries = [(winner, payee, value) for payee in SEATS if payee != winner]
        account.tell("bao", "R25", account.say("foul", **told), entries)
    elif position.end == ROB_WIN:
        fan = EVERYBODY_ELSE * value
        text = account.say("rob", **told, sum=fan)
        account.tell("hu", "R33", text, [(shooter, winner, fan)])
    elif _winners_pay(account):
        account.tell("hu", "R24", account.say("winner_pays", **told), [(winner, shooter, value)])
    else:
        account.tell("hu", "R23", account.say("discard", **told), [(shooter, winner, value)])


def _winners_pay(account: Account) -> bool:
    """R24: three winners on a discard each pay its discarder."""
    three = len(account.winners) == N_SEATS - 1 and account.position.end == DISCARD_WIN
    return three and account.rules.win.triple == "winners_pay"


def _explain_dealer(account: Account, winner: int) -> None:
    position, dealer, shooter = account.position, account.position.dealer, account.position.shooter
    bonus = account.rules.dealer_bonus * position.streak
    if not bonus or account.fouls(winner) or _winners_pay(account):
        return
    told: dict[str, object] = {
        "dealer": account.seat(dealer),
        "bonus": account.rules.dealer_bonus,
        "streak": position.streak,
        "winner": account.seat(winner),
        "fan": bonus,
    }
    entries: list[Entry] = []
    if position.end == ROB_WIN and shooter is not None:
        # R33: over the three shares of a self-draw.
        shares = EVERYBODY_ELSE if winner == dealer else 1
        entries = [(shooter, winner, shares * bonus)]
        told |= {"shooter": account.seat(shooter), "shares": shares, "sum": shares * bonus}
        account.tell("dealer", "R21, R33", account.say("dealer_rob", **told), entries)
        return
    payers = SEATS if shooter is None else (shooter,)
    entries = [(q, winner, bonus) for q in payers if q != winner and dealer in (q, winner)]
    if entries:
        told["payers"] = account.seats([payer for payer, _, _ in entries])
        account.tell("dealer", "R21", account.say("dealer_bonus", **told), entries)


def _explain_sha_bao(account: Account, winner: int) -> None:
    position, fan = account.position, account.rules.baoting.sha_bao
    shooter = position.shooter
    if not fan or shooter is None or position.end != DISCARD_WIN:
        return
    if position.seats[shooter].baoting:
        told = {"shooter": account.seat(shooter), "winner": account.seat(winner), "fan": fan}
        account.tell("sha_bao", "R30", account.say("sha_bao", **told), [(shooter, winner, fan)])


def _explain_surcharge(account: Account) -> None:
    position, dou = account.position, account.rules.dou
    shooter = position.shooter
    assert shooter is not None
    price = {MEN: dou.men, ZHUAN_WAN: dou.zhuan_wan, DIAN: dou.dian}
    terms, fan, names = [], 0, []
    for place, meld in enumerate(position.seats[shooter].melds):
        if position.turn_kongs >> place & 1:
            payers = 0 if meld.late else 1 if meld.type == DIAN else EVERYBODY_ELSE
            key = {0: "late_share", 1: "share", EVERYBODY_ELSE: "shares"}[payers]
            names.append(kong_name(account, meld))
            terms.append(account.say(key, what=names[-1], fan=price[meld.type]))
            fan += payers * price[meld.type]
    told: dict[str, object] = {
        "shooter": account.seat(shooter),
        "kongs": account.words.join.join(names),
    }
    account.tell(None, "R31", account.say("hot_shot", **told))
    if not account.rules.re_pao.surcharge:
        return
    for winner in account.winners:
        told |= {"winner": account.seat(winner), "sum": account.total(terms, fan), "fan": fan}
        if account.fouls(winner):
            account.tell("re_pao", "R25", account.say("no_surcharge", **told))
        else:
            text = account.say("surcharge", **told)
            account.tell("re_pao", "R31", text, [(shooter, winner, fan)])
