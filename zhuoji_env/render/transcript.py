"""A whole deal as text that a person can follow, from the opening hands to the bill.

A line a turn, after the number of undrawn tiles; what was answered to a discard or to an added kong
stands below it. Nothing is hidden: hands, draws, declined claims and marks (R19) are all told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from zhuoji_env import actions as names
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import (
    AFTER_PENG,
    CLAIM,
    CLAIM_SHIFT,
    CLAIMED_HU,
    CLAIMED_PENG,
    CLAIMER_SHIFT,
    DISCARD_WIN,
    DONE,
    DRAW,
    N_SEATS,
    ROB,
    ROB_WIN,
    SELF_DRAW,
    TURN,
    UNCLAIMED,
)
from zhuoji_env.render.text import Page, pad
from zhuoji_env.rules import Rules

_NUMBER = 4
_NAME = 8


def transcript(
    games: Games,
    decisions: Iterable[tuple[int, int]],
    i: int = 0,
    *,
    tiles: str = "mpsz",
    language: str = "en",
) -> str:
    """Return the deal at table `i` as text: every decision, then how it ended, or where it stands.

    `games` stands before the first decision and is not changed; `decisions` are (seat, action) in
    the order asked (R9). `tiles` and `language` are those of `table`. Raises ValueError for an
    unknown table, style or language and for a seat that is not asked, IllegalAction as `step` does.
    """
    Page(games, i, tiles, language, None)
    teller = _Teller(games[[i]], tiles, language)
    for seat, action in decisions:
        teller.tell(seat, action)
    teller.finish()
    return "\n".join(teller.lines)


class _Teller:
    """One table, played on decision by decision and told as it goes."""

    def __init__(self, games: Games, tiles: str, language: str) -> None:
        self.games = games
        self.tiles, self.language = tiles, language
        page = self.page()
        self.words = page.words
        self.lines = [page.header(), *_variant(page)]
        self.lines += [*(_opening(page, q) for q in range(N_SEATS)), ""]
        self.events: list[str] = []  # of the turn, not yet in `lines`
        self.actor = page.actor  # whose turn it is
        self.left = 0  # undrawn tiles when they began, the draw that began them done
        self.kongs = 0  # bit m: the actor's meld m is a kong of this turn that has been told
        self.answers: list[tuple[int, int, int]] = []  # seat, action, legal

    def page(self) -> Page:
        """The table as it stands."""
        return Page(self.games, 0, self.tiles, self.language, None)

    def undrawn(self) -> int:
        """Tiles left in the wall."""
        g = self.games.state[0]
        return int(g["tail"]) - int(g["head"])

    def tell(self, seat: int, action: int) -> None:
        """Play one decision and note it."""
        before = self.page()
        if seat != before.actor:
            raise ValueError(f"seat {seat} is not asked; allowed: {before.actor}")
        legal = int(before.g["legal"])
        if not self.events:
            self.left = self.undrawn()
        self.games.step([action])
        after = self.page()
        if before.phase in (CLAIM, ROB):
            self.answers.append((seat, action, legal))
            if after.phase not in (CLAIM, ROB):
                self.resolve(before, after)
        else:
            self.act(before, after, action)

    def act(self, before: Page, after: Page, action: int) -> None:
        """A decision of the seat whose turn it is."""
        if names.GANG <= action < names.HU and after.phase != ROB:
            self.events.append(self.kong(after))
        else:
            self.events.append(before.action(action))
        if after.phase == TURN and action != names.BAOTING:
            self.draw(after)
        elif after.phase != TURN:
            self.end_line()

    def resolve(self, before: Page, after: Page) -> None:
        """All answers to a discard or to an added kong are in (R9)."""
        self.write_answers(after)
        if before.phase == CLAIM and after.phase != DONE:
            self.actor, self.kongs = after.actor, 0
        if after.phase == AFTER_PENG:
            self.events.append(after.meld(self.actor, int(after.g["n_melds"][self.actor]) - 1))
        elif after.phase == TURN:
            if after.g["replacement"]:
                self.events.append(self.kong(after))
            self.draw(after)

    def kong(self, after: Page) -> str:
        """The kong just made."""
        told, self.kongs = self.kongs, int(after.g["turn_kongs"])
        place = (self.kongs & ~told).bit_length() - 1
        return self.words.kong.format(meld=after.meld(self.actor, place))

    def draw(self, after: Page) -> None:
        """A draw from the head begins a turn, one from the tail goes on with it."""
        w, g = self.words, after.g
        if not g["replacement"]:
            self.end_line()
            self.actor, self.kongs, self.left = after.actor, 0, self.undrawn()
        pattern = w.draws_tail if g["replacement"] else w.draws
        self.events.append(pattern.format(tile=after.tile(int(g["drawn"]))))

    def end_line(self) -> None:
        """Write the turn's events so far."""
        if self.events:
            name = pad(self.words.seats[self.actor], _NAME)
            events = self.words.clause.join(self.events)
            self.lines.append(f"{self.left:>{_NUMBER - 1}} {name}{events}")
        self.events = []

    def write_answers(self, after: Page) -> None:
        for seat, action, legal in self.answers:
            if told := self.answer(after, seat, action, legal):
                line = self.words.answer.format(seat=after.who(seat), answer=told)
                self.lines.append(" " * (_NUMBER + _NAME) + line)
        self.answers = []

    def answer(self, after: Page, seat: int, action: int, legal: int) -> str:
        """What a seat said, what else it could have said, and what came of it.

        "" for a claim without alternative that is granted: the turn it begins tells it.
        """
        w, g = self.words, after.g
        others = legal & ~(1 << action) & ~(1 << names.PASS)
        won = int(g["winners"]) >> seat & 1
        void = action != names.PASS and after.phase == DONE and not won
        text = after.action(action)
        if others and action != names.HU:
            options = [after.action(a) for a in range(names.N_ACTIONS) if others >> a & 1]
            text = w.could.format(action=text, options=w.join.join(options))
        elif after.phase in (TURN, AFTER_PENG):
            return ""
        declined = bool(others >> names.HU & 1) and after.phase != DONE
        passed = self.games.rules[int(g["rules"])].win.passed
        clauses = [text]
        clauses += [w.void] if void else []
        clauses += [w.marks] if declined and g["marked"][seat] and passed != "free" else []
        return w.clause.join(clauses)

    # The end

    def finish(self) -> None:
        """Tell the table as it stands, and the bill of a finished deal with what it hangs on."""
        page = self.page()
        self.end_line()
        self.write_answers(page)
        self.lines += ["", *(line for q in range(N_SEATS) for line in page.seat_lines(q))]
        self.lines.append(self.words.legend)
        if page.phase == DONE:
            self.lines += ["", *self.circumstances(page), *page.bill_lines()]
        else:
            self.lines.append(page.question())

    def circumstances(self, page: Page) -> list[str]:
        """Hot shots, fouls and first ji: what the bill hangs on and the table does not show."""
        if int(page.g["end"]) == DRAW:
            return []
        lines = [self.fire(page)] if int(page.g["end"]) != SELF_DRAW else []
        rules = self.games.rules[int(page.g["rules"])]
        if int(page.g["end"]) in (DISCARD_WIN, ROB_WIN) and rules.win.passed == "pays_three":
            lines += [
                self.words.foul.format(winner=page.who(q))
                for q in range(N_SEATS)
                if int(page.g["winners"]) >> q & 1 and page.g["marked"][q]
            ]
        lines.append(self.first(page, int(page.g["first_yaoji"])))
        if rules.ji.wu_gu:
            lines.append(self.first(page, int(page.g["first_wu_gu"])))
        return [line for line in lines if line]

    def fire(self, page: Page) -> str:
        """R31: a hot shot, or a robbed kong that burns as one; "" if neither."""
        w, g = self.words, page.g
        re_pao = self.games.rules[int(g["rules"])].re_pao
        shooter, kongs = int(g["shooter"]), int(g["turn_kongs"])
        told = [page.meld(shooter, m) for m in range(int(g["n_melds"][shooter])) if kongs >> m & 1]
        who = page.who(shooter)
        if int(g["end"]) == DISCARD_WIN and kongs:
            clauses = [w.hot.format(shooter=who, melds=page.listing(told))]
        elif int(g["end"]) == ROB_WIN and re_pao.on_rob:
            clauses = [w.robbed]
        else:
            return ""
        if re_pao.void == "all":
            clauses.append(w.void_all.format(shooter=who))
        elif kongs:
            clauses.append(w.void_turn)
        if re_pao.burn_ji:
            clauses.append(w.burned.format(shooter=who))
        return w.clause.join(clauses)

    def first(self, page: Page, place: int) -> str:
        """R39: what became of the deal's first yaoji or 8p; "" if none was discarded."""
        w, g = self.words, page.g
        if place < 0:
            return ""
        tile = page.tile(int(g["discards"][place]))
        seat = page.who(int(g["discard_seat"][place]))
        flag = int(g["discard_flag"][place])
        how = flag >> CLAIM_SHIFT & 3
        if how == UNCLAIMED:
            return w.first_river.format(tile=tile, seat=seat)
        if how == CLAIMED_HU:
            return w.first_won.format(tile=tile, seat=seat)
        action = w.actions["peng" if how == CLAIMED_PENG else "gang"]
        claimer = page.who(flag >> CLAIMER_SHIFT & 3)
        return w.first_claimed.format(tile=tile, seat=seat, action=action, claimer=claimer)


def _variant(page: Page) -> list[str]:
    """Which preset a ruleset varies, and by which switches; nothing for a preset."""
    w, rules = page.words, page.games.rules[int(page.g["rules"])]
    nearest = rules.to_overrides()
    if isinstance(nearest, str):
        return []
    preset = nearest["preset"]
    switches = [
        w.switch.format(path=path, value=_value(value), other=_value(other))
        for path, (other, value) in Rules.load(preset).diff(rules).items()
    ]
    return [w.variant.format(preset=preset, switches=w.join.join(switches))]


def _value(value: object) -> str:
    """A switch's value as rule files write it."""
    return value if isinstance(value, str) else json.dumps(value)


def _opening(page: Page, q: int) -> str:
    """The hand dealt to a seat, its fourteenth tile apart."""
    w = page.words
    text = f"{' ' * _NUMBER}{pad(page.who(q), _NAME)}{page.hand(q)}"
    if int(page.g["dealer"]) != q:
        return text
    return w.clause.join([text, w.dealer.format(streak=int(page.g["streak"]))])
