"""The chickens in words: R37, R39–R43 and the house's ji."""

from __future__ import annotations

from dataclasses import dataclass

from zhuoji_env.calculator.explanation.account import SEATS, Account, is_charge
from zhuoji_env.calculator.position import First
from zhuoji_env.tiles import WU_GU, YAOJI


@dataclass(frozen=True)
class Sum:
    """What some ji of a seat are worth to each payer: in words, and in fan."""

    item: str
    clause: str
    words: str
    fan: int


def explain_flip(account: Account) -> None:
    """R37, R40: the indicator, and what it makes a zhuo ji."""
    indicator = account.position.indicator
    if indicator is None:
        account.tell(None, "R37", account.say("no_flip"))
    else:
        account.tell(None, "R37", account.say("flip", tile=account.tile(indicator)))
    if account.zhuo:
        names = account.words.join.join(map(account.tile, account.zhuo))
        account.tell(None, "R40", account.say("zhuo", tiles=names))
    if account.is_blown():
        account.tell(None, "R37", account.say("blown"))


def explain_ji(account: Account, priced: int | None) -> None:
    """The ji of every seat; `priced` is the one whose four yaoji R42 has paid for."""
    for seat in SEATS:
        reason = why_no_ji(account, seat)
        for one in [*_standing(account, seat), *_zhuo(account, seat)]:
            # R42: 80 in place of the dou and its four yaoji, which are all there are.
            if one.item == "yao_ji" and seat == priced:
                continue
            told = {"seat": account.seat(seat), "sum": one.words}
            if reason:
                clause, why = reason
                account.tell(one.item, clause, account.say("unpaid_ji", **told, why=why))
            else:
                text = account.say("paid_ji", **told, each=account.paid_by_each(one.fan))
                account.tell(one.item, one.clause, text, account.each(seat, one.fan))
    _explain_claimed_charges(account)
    _explain_zeren(account)
    if account.rules.ji.bao:
        for seat in SEATS:
            if not account.ready[seat]:
                _explain_bao(account, seat)


def why_no_ji(account: Account, seat: int) -> tuple[str, str] | None:
    """Clause and words of why a seat collects no ji, None where it does."""
    rules = account.rules
    if rules.re_pao.burn_ji and account.burns(seat):
        return account.burning()
    if rules.ji.requires_ting and not account.ready[seat]:
        return "R43", account.say("not_ready")
    if account.is_blown():
        return "R37", account.say("blown_away")
    if account.forfeits(seat):
        return "R25", account.say("forfeited")
    return None


def _standing(account: Account, seat: int) -> list[Sum]:
    """R39, ji.wu_gu: yaoji and 8p, charge chickens apart."""
    ji, position = account.rules.ji, account.position
    charges = is_charge(position.first_yaoji, seat)
    sums = [
        _sum(account, "yao_ji", seat, YAOJI, (ji.yao_held, ji.yao_river), charges),
        _charge(account, YAOJI, ji.charge) if charges else None,
    ]
    if ji.wu_gu:
        charges = bool(ji.wu_gu_charge) and is_charge(position.first_wu_gu, seat)
        sums += [
            _sum(account, "wu_gu_ji", seat, WU_GU, (ji.wu_gu, ji.wu_gu), charges),
            _charge(account, WU_GU, ji.wu_gu_charge) if charges else None,
        ]
    return [one for one in sums if one is not None]


def _zhuo(account: Account, seat: int) -> list[Sum]:
    """R40: the zhuo ji that gold does not leave to their standing price."""
    ji = account.rules.ji
    found = []
    for kind in account.zhuo:
        standing = kind == YAOJI or (kind == WU_GU and ji.wu_gu)
        if not (standing and ji.gold == "double"):
            prices = (ji.zhuo_held, ji.zhuo_river)
            found.append(_sum(account, "zhuo_ji", seat, kind, prices, False))
    return [one for one in found if one is not None]


def _sum(
    account: Account, item: str, seat: int, kind: int, prices: tuple[int, int], charges: bool
) -> Sum | None:
    """The price of a seat's tiles of a kind, one in the river left out if it charges."""
    held = account.held(seat, kind)
    river = account.position.seats[seat].river[kind] - charges
    if not held and not river:
        return None
    places = (("held", held, prices[0]), ("river", river, prices[1]))
    terms = [account.say(key, n=n, price=price) for key, n, price in places if n]
    fan = held * prices[0] + river * prices[1]
    words = account.total(terms, fan)
    clause = "R40" if item == "zhuo_ji" else "R39"
    if item != "zhuo_ji" and account.is_doubled(kind):
        fan *= 2
        words += account.say("gold", fan=fan)
        clause = "R39, R40"
    return Sum(item, clause, account.say("ji", name=_name(account, item, kind), sum=words), fan)


def _charge(account: Account, kind: int, price: int) -> Sum:
    words, clause = account.say("fan", fan=price), "R39"
    if account.is_doubled(kind):
        words += account.say("gold", fan=2 * price)
        price, clause = 2 * price, "R39, R40"
    text = account.say("ji", name=_name(account, "charge_ji", kind), sum=words)
    return Sum("charge_ji", clause, text, price)


def _name(account: Account, item: str, kind: int) -> str:
    return account.words.items[item].format(tile=account.tile(kind))


def _explain_claimed_charges(account: Account) -> None:
    """R39: no charge chicken where the first was claimed."""
    position, ji = account.position, account.rules.ji
    asked: list[tuple[First | None, int]] = [(position.first_yaoji, YAOJI)]
    if ji.wu_gu_charge:
        asked.append((position.first_wu_gu, WU_GU))
    for first, kind in asked:
        if first is not None and first.claimer is not None:
            told = {"tile": account.tile(kind), "seat": account.seat(first.seat)}
            text = account.say("no_charge", **told, claimer=account.seat(first.claimer))
            account.tell("charge_ji", "R39", text)


def _explain_zeren(account: Account) -> None:
    """R41: who threw the first yaoji into a peng or gang pays the claimer."""
    first, ji = account.position.first_yaoji, account.rules.ji
    if first is None or first.claimer is None or not ji.zeren:
        return
    told = {
        "seat": account.seat(first.seat),
        "claimer": account.seat(first.claimer),
        "tile": account.tile(YAOJI),
        "fan": ji.zeren,
    }
    if first.by_gang and ji.zeren_on == "peng":
        account.tell("zeren_ji", "R41", account.say("zeren_gang", **told))
    elif reason := why_no_ji(account, first.claimer):
        clause, why = reason
        account.tell("zeren_ji", clause, account.say("zeren_lost", **told, why=why))
    else:
        entries = [(first.seat, first.claimer, ji.zeren)]
        account.tell("zeren_ji", "R41", account.say("zeren", **told), entries)


def _explain_bao(account: Account, seat: int) -> None:
    """ji.bao: who is not ready owes every ready seat for the own yaoji and 8p."""
    sums = _standing(account, seat)
    owed = sum(one.fan for one in sums)
    payees = [payee for payee in SEATS if account.ready[payee]]
    if not owed:
        return
    told = {
        "seat": account.seat(seat),
        "payees": account.seats(payees),
        "sum": account.words.and_.join(one.words for one in sums),
        "fan": owed,
    }
    entries = [(seat, payee, owed) for payee in payees]
    account.tell("bao_ji", "R39", account.say("bao_ji", **told), entries)
