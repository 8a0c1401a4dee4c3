"""An explanation from its first line to its last."""

from __future__ import annotations

from typing import Any

from zhuoji_env import tiles
from zhuoji_env.calculator.explanation.account import SEATS, Account, Line
from zhuoji_env.calculator.explanation.dou import explain_dou, men_yao_seat
from zhuoji_env.calculator.explanation.ji import explain_flip, explain_ji
from zhuoji_env.calculator.explanation.winning import explain_win, with_baoting
from zhuoji_env.calculator.explanation.words import LANGUAGES, Words
from zhuoji_env.calculator.position import Position
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.hand import best_pattern, full_hand_patterns
from zhuoji_env.engine.layout import PATTERNS
from zhuoji_env.errors import ZhuojiError


def words_of(language: str) -> Words:
    """A language's words; ZhuojiError says which there are."""
    if language not in LANGUAGES:
        raise ZhuojiError(f"language: {language!r} given; allowed: {', '.join(LANGUAGES)}")
    return LANGUAGES[language]


def explain(
    position: Position, games: Games, table: int, result: dict[str, Any], language: str = "en"
) -> list[Line]:
    """The lines of a settled position.

    They are worked out anew from position and rules: of the table only the winners' patterns and
    the waits are read. Over the lines of an item, each (payer, payee) comes to the bill's fan.
    """
    g = games.state[table]

    def best_wait(seat: int) -> tuple[int, int]:
        return _best_wait(games, table, seat)

    account = Account(position, result, g["pattern"].tolist(), best_wait, words_of(language))
    if result["end"] == "draw":
        _explain_draw(account)
    else:
        explain_win(account)
        explain_flip(account)
        explain_dou(account)
        explain_ji(account, men_yao_seat(account))
    _explain_next_dealer(account)
    scores = " ".join(f"{points:+d}" for points in result["scores"])
    account.tell(None, "R26", account.say("points", base=position.rules.base, scores=scores))
    return account.lines


def headline(result: dict[str, Any], language: str = "en") -> str:
    """How a deal ended and what it pays, in one line."""
    words = words_of(language)
    say = words.phrases
    seats = [say["seat"].format(n=seat) for seat in result["winners"]]
    tile = None if result["tile"] is None else words.tiles[tiles.NAMES.index(result["tile"])]
    shooter = say["seat"].format(n=result["shooter"])
    told = {"winners": words.and_.join(seats), "tile": tile, "shooter": shooter}
    text = say[f"ended_by_{result['end']}"].format(**told)
    if result["indicator"]:
        kind = tiles.NAMES.index(result["indicator"])
        text += say["ended_indicator"].format(tile=words.tiles[kind])
    ready = [str(seat) for seat in SEATS if result["ready"][seat]]
    return text + say["ended"].format(
        ready=words.join.join(ready) or say["nobody"],
        scores=" ".join(f"{points:+d}" for points in result["scores"]),
        dealer=result["next_dealer"],
        streak=result["next_streak"],
    )


def _best_wait(games: Games, table: int, seat: int) -> tuple[int, int]:
    """R44: the wait with which a hand would be dearest, and its pattern."""
    g, r = games.state[table], games.records[games.state["rules"][table]]
    hand = games.rules[int(g["rules"])].hand
    found = []
    for kind in range(tiles.N_KINDS):
        if g["waits"][seat] >> kind & 1:
            pattern = int(best_pattern(full_hand_patterns(g, seat, kind, r, games.wins), r))
            found.append((getattr(hand, PATTERNS[pattern]), -kind, pattern))
    _, kind, pattern = max(found)
    return -kind, pattern


def _explain_draw(account: Account) -> None:
    """R44: who is not ready pays who is; no dou, no ji."""
    account.tell(None, "R44", account.say("no_dou_no_ji"))
    payers = [seat for seat in SEATS if not account.ready[seat]]
    if len(payers) in (0, len(SEATS)):
        key = "nobody_ready" if payers else "everybody_ready"
        account.tell("cha_jiao", "R44", account.say(key))
        return
    for payee in SEATS:
        if account.ready[payee]:
            _explain_cha_jiao(account, payee, payers)


def _explain_cha_jiao(account: Account, payee: int, payers: list[int]) -> None:
    kind, pattern = account.best_wait(payee)
    name = PATTERNS[pattern]
    fan: int = getattr(account.rules.hand, name)
    text = account.say("worth", what=account.words.patterns[name], fan=fan)
    if account.position.seats[payee].baoting:
        fan, raised = with_baoting(account, fan)
        text += raised
    words = account.say(
        "cha_jiao" if fan else "cha_jiao_free",
        payee=account.seat(payee),
        tile=account.tile(kind),
        value=text,
        payers=account.seats(payers),
        fan=fan,
    )
    account.tell("cha_jiao", "R44", words, [(payer, payee, fan) for payer in payers])


def _explain_next_dealer(account: Account) -> None:
    """R45–R47."""
    result = account.result
    key, clause = _next_dealer(account)
    told = {"seat": account.seat(result["next_dealer"]), "streak": result["next_streak"]}
    text = account.say(key, **told) + account.say("streak", **told)
    account.tell(None, f"{clause}, R47", text)


def _next_dealer(account: Account) -> tuple[str, str]:
    """Why the next dealer is who it is: a phrase and a clause."""
    win, n = account.rules.win, len(account.winners)
    if n == 1:
        return "next_one", "R45"
    if n == 2 and win.double_dealer == "shooter":
        return "next_two_shooter", "R45"
    if n == 2:
        return "next_two" if win.dealer_counts_first else "next_two_dealer_last", "R45"
    if n:
        return "next_three", "R45"
    ready = sum(account.ready)
    if account.rules.dealer.on_draw == "stay":
        return "next_stay", "R46"
    if ready in (0, len(SEATS)):
        return "next_same", "R46"
    if ready == len(SEATS) - 1:
        return "next_not_ready", "R46"
    is_ready = account.ready[account.position.dealer]
    return "next_ready_dealer" if is_ready else "next_ready", "R46"
