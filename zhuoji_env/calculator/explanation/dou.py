"""The kongs in words: R12, R31, R35, R36, R42."""

from __future__ import annotations

from zhuoji_env.calculator.explanation.account import SEATS, Account, kong_name
from zhuoji_env.calculator.explanation.ji import why_no_ji
from zhuoji_env.calculator.melds import Meld
from zhuoji_env.engine.layout import DIAN, MEN, ZHUAN_WAN
from zhuoji_env.tiles import YAOJI

NAMES = {MEN: "men_dou", ZHUAN_WAN: "zhuan_wan_dou", DIAN: "dian_dou"}


def explain_dou(account: Account) -> None:
    """A line for every kong on the table, paid or not."""
    for seat in SEATS:
        for place, meld in enumerate(account.position.seats[seat].melds):
            if meld.is_kong:
                _explain_kong(account, seat, place, meld)


def why_no_dou(account: Account, seat: int, place: int, meld: Meld) -> tuple[str, str] | None:
    """Clause and words of why a kong is not paid, None where it is."""
    rules = account.rules
    if meld.late:
        return "R12", account.say("late")
    if account.burns(seat):
        in_turn = account.position.turn_kongs >> place & 1
        if rules.re_pao.void == "all" or in_turn:
            return account.burning()
    if rules.dou.requires_ting and not account.ready[seat]:
        return "R35", account.say("not_ready")
    if rules.dou.table and seat in account.winners:
        return "R36", account.say("in_the_hand")
    if account.forfeits(seat):
        return "R25", account.say("forfeited")
    return None


def is_men_yao(account: Account, seat: int, place: int, meld: Meld) -> bool:
    """R42: a men dou of yaoji that is paid in place of its dou and its four yaoji."""
    return (
        account.rules.ji.men_yao is not None
        and meld.type == MEN
        and meld.kind == YAOJI
        and why_no_ji(account, seat) is None
        and why_no_dou(account, seat, place, meld) is None
    )


def men_yao_seat(account: Account) -> int | None:
    """The seat whose four yaoji R42 prices."""
    for seat in SEATS:
        for place, meld in enumerate(account.position.seats[seat].melds):
            if is_men_yao(account, seat, place, meld):
                return seat
    return None


def _explain_kong(account: Account, seat: int, place: int, meld: Meld) -> None:
    rules, item = account.rules, NAMES[meld.type]
    told = {"kong": kong_name(account, meld), "seat": account.seat(seat)}
    if reason := why_no_dou(account, seat, place, meld):
        clause, why = reason
        account.tell(item, clause, account.say("unpaid_kong", **told, why=why))
    elif is_men_yao(account, seat, place, meld):
        fan = rules.ji.men_yao or 0
        text = account.say("men_yao", **told, each=account.paid_by_each(fan))
        account.tell("men_yao", "R42", text, account.each(seat, fan))
    elif meld.type == DIAN:
        fan = rules.dou.dian
        key = "fed_kong" if fan else "free_kong"
        text = account.say(key, **told, feeder=account.seat(meld.feeder), fan=fan)
        account.tell(item, "R35", text, [(meld.feeder, seat, fan)])
    else:
        fan = rules.dou.men if meld.type == MEN else rules.dou.zhuan_wan
        text = account.say("paid_kong", **told, each=account.paid_by_each(fan))
        account.tell(item, "R35", text, account.each(seat, fan))
