"""What finished deals would have paid under another ruleset.

A deal is played again under the other rules: every draw, discard, meld, declaration and win stays
as it was. The public history therefore gives marks (R19) and late kongs (R12) anew: a player who
under the other rules could have won on another's tile, and did not, has passed. Where something
that was done is not allowed there, or the win would not have come about, the deal is not priced and
the reason is told. A win that the other rules would have made possible earlier changes nothing: it
was not taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from zhuoji_env.actions import BAOTING, GANG, HU, PASS, PENG
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import (
    AFTER_PENG,
    DISCARD_WIN,
    DONE,
    ENDS,
    ITEMS,
    N_SEATS,
    ROB_WIN,
    TURN,
)
from zhuoji_env.errors import RecordError
from zhuoji_env.record.reading import refuse_path
from zhuoji_env.record.replaying import Raw, Replay, replay_all
from zhuoji_env.record.result import results
from zhuoji_env.rules import Rules
from zhuoji_env.rules.reading import describe
from zhuoji_env.rules.ruleset import Source

CHUNK = 1024

REASONS = {
    "unfinished": "the deal is unfinished",
    "baoting": "{who} declared baoting, which is not enabled (R29)",
    "not_ready": "{who} declared baoting, but the discard does not leave it ready (R29)",
    "late_added": "{who} added a tile to a peng later than allowed (R12)",
    "not_complete": "{who} won with a hand that is not complete (R15)",
    "passport": "{who} won without a passport (R16)",
    "marked": "{who} won though it had passed a win (R19)",
    "multiple": "{who} was not the only winner (R9)",
    "void_hu": "the hu of {who}, void as played, would have counted (R9)",
}


@dataclass(frozen=True)
class Resettled:
    """One deal: as it was replayed, and its result under the other rules or why there is none.

    `reason` is a key of REASONS and `seat` the player it speaks of.
    """

    original: Replay
    result: dict[str, Any] | None
    reason: str | None = None
    seat: int | None = None

    @property
    def why(self) -> str | None:
        """The reason in words; None where there is a result."""
        return None if self.reason is None else REASONS[self.reason].format(who=f"seat {self.seat}")

    def to_dict(self) -> dict[str, Any]:
        """Both results, null where there is none, and the reason."""
        return {
            "original": self.original.result,
            "result": self.result,
            "reason": self.reason,
            "why": self.why,
        }


@dataclass
class Resettlement:
    """Sums over deals: what they paid, and what they would have paid under `rules`.

    `items` are (fan as played, fan under the rules) by item, all payers together; `scores` and
    `new_scores` are points by seat. Both count the deals that could be priced, and no others.
    """

    rules: Rules
    deals: int = 0
    priced: int = 0
    other_dealer: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    items: dict[str, tuple[int, int]] = field(default_factory=dict)
    scores: list[int] = field(default_factory=lambda: [0] * N_SEATS)
    new_scores: list[int] = field(default_factory=lambda: [0] * N_SEATS)

    def add(self, done: Resettled) -> None:
        """Count one deal."""
        self.deals += 1
        old, new = done.original.result, done.result
        if old is None or new is None:
            self.reasons[done.reason or "unfinished"] += 1
            return
        self.priced += 1
        self.other_dealer += old["next_dealer"] != new["next_dealer"]
        for place, result in enumerate((old, new)):
            for item, _, _, fan in result["items"]:
                sums = list(self.items.get(item, (0, 0)))
                sums[place] += fan
                self.items[item] = (sums[0], sums[1])
        self.scores = [a + b for a, b in zip(self.scores, old["scores"], strict=True)]
        self.new_scores = [a + b for a, b in zip(self.new_scores, new["scores"], strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON."""
        pairs = zip(self.scores, self.new_scores, strict=True)
        return {
            "rules": self.rules.to_overrides(),
            "deals": self.deals,
            "priced": self.priced,
            "other_next_dealer": self.other_dealer,
            "not_priced": {key: self.reasons[key] for key in REASONS if self.reasons[key]},
            "items": {
                item: {"original": old, "new": new, "difference": new - old}
                for item in ITEMS
                if item in self.items
                for old, new in [self.items[item]]
            },
            "scores": {
                "original": list(self.scores),
                "new": list(self.new_scores),
                "difference": [new - old for old, new in pairs],
            },
        }


def resettle(records: Iterable[Raw], rules: Source) -> Resettlement:
    """Price finished deals under another ruleset and sum up, item by item (see this module).

    Records are objects or their JSON text. Raises RulesError, or RecordError for a malformed or
    wrong record.
    """
    if isinstance(records, str | bytes | Mapping):
        if not isinstance(records, Mapping):
            refuse_path(records, RecordError)
        raise RecordError(f"{describe(records)} given; allowed: a list of records")
    summary = Resettlement(Rules.load(rules))
    left = iter(records)
    while chunk := list(islice(left, CHUNK)):
        for done in resettle_all(chunk, summary.rules):
            summary.add(done)
    return summary


def resettle_all(records: Iterable[Raw], rules: Source) -> Iterator[Resettled]:
    """The same deal by deal, all of them together in memory.

    Raises RecordError at the first bad one, after those before it.
    """
    replays, fault = _replay_while_sound(records)
    finished = [done for done in replays if done.finished]
    priced = iter(_play_again(finished, Rules.load(rules)) if finished else ())
    for done in replays:
        yield next(priced) if done.finished else Resettled(done, None, "unfinished")
    if fault is not None:
        raise fault


def _replay_while_sound(records: Iterable[Raw]) -> tuple[list[Replay], RecordError | None]:
    replays = []
    try:
        for done in replay_all(records):
            replays.append(done)
    except RecordError as fault:
        return replays, fault
    return replays, None


class _ImpossibleError(Exception):
    """Something that was done cannot have been done under the other rules: a reason and a seat."""

    def __init__(self, reason: str, seat: int) -> None:
        super().__init__(reason, seat)
        self.reason, self.seat = reason, seat


@dataclass
class _Move:
    """What a seat did on its own turn, and what others answered to it, passes left out."""

    seat: int
    action: int
    answers: dict[int, int] = field(default_factory=dict)


class _Course:
    """A deal's moves, to be made again at a table under other rules."""

    def __init__(self, original: Replay, rules: Rules) -> None:
        assert original.result is not None
        self.original = original
        self.rules = rules
        self.winners: list[int] = original.result["winners"]
        self.by_another = original.result["end"] in (ENDS[DISCARD_WIN], ENDS[ROB_WIN])
        self.moves = self._moves()
        self.place = -1

    def _moves(self) -> list[_Move]:
        moves: list[_Move] = []
        for seat, action, _ in self.original.record.decisions:
            if action == PASS:
                continue
            if moves and self._is_answer(moves[-1], action):
                moves[-1].answers[seat] = action
            else:
                moves.append(_Move(seat, action))
        return moves

    def _is_answer(self, last: _Move, action: int) -> bool:
        # A kong of the kind just discarded: its fourth tile is that discard.
        return (
            action == PENG
            or (action == HU and self.by_another)
            or (last.action < PENG and action == GANG + last.action)
        )

    def choose(self, g: Any, phase: int, seat: int, legal: int) -> int:
        """The action of the seat to act, as it was played. Raises _ImpossibleError."""
        if phase in (TURN, AFTER_PENG):
            self.place += 1
            return self._own_turn(g, legal)
        wanted = self.moves[self.place].answers.get(seat, PASS)
        return wanted if legal >> wanted & 1 else PASS

    def _own_turn(self, g: Any, legal: int) -> int:
        if self.place == len(self.moves):
            # Nobody was asked for the win that ended the deal.
            raise _ImpossibleError("passport", self.winners[0])
        move = self.moves[self.place]
        if not legal >> move.action & 1:
            raise _ImpossibleError(self._why_illegal(move.action), move.seat)
        if self.by_another and self.place == len(self.moves) - 1:
            self._check_winners(g, move.action)
        return move.action

    def _why_illegal(self, action: int) -> str:
        if action == BAOTING:
            return "not_ready" if self.rules.baoting.enabled else "baoting"
        if action == HU:
            return "not_complete"
        return "not_ready" if action < PENG else "late_added"

    def _check_winners(self, g: Any, action: int) -> None:
        """Whether the tile about to be won on completes every winner, and no mark forbids it."""
        kind = action if action < PENG else action - GANG
        for seat in self.winners:
            if not g["waits"][seat] >> kind & 1:
                raise _ImpossibleError("not_complete", seat)
            if g["marked"][seat] and self.rules.win.passed == "forbid":
                raise _ImpossibleError("marked", seat)
        if len(self.winners) > 1 and not self.rules.win.multiple:
            raise _ImpossibleError("multiple", self.winners[-1])

    def outcome(self, result: dict[str, Any]) -> Resettled:
        """The deal once it has ended: priced if the same seats have won."""
        won = result["winners"]
        if missing := [seat for seat in self.winners if seat not in won]:
            return self.failed(_ImpossibleError("passport", missing[0]))
        if more := [seat for seat in won if seat not in self.winners]:
            return self.failed(_ImpossibleError("void_hu", more[0]))
        return Resettled(self.original, result)

    def failed(self, reason: _ImpossibleError) -> Resettled:
        """The deal that could not have ended so."""
        return Resettled(self.original, None, reason.reason, reason.seat)


def _play_again(replays: Sequence[Replay], rules: Rules) -> list[Resettled]:
    """The deals in lockstep, one table each."""
    games = Games(len(replays), rules=rules)
    games.reset(
        walls=[done.record.wall for done in replays],
        dealers=[done.record.dealer for done in replays],
        streaks=[done.record.streak for done in replays],
    )
    courses = [_Course(done, rules) for done in replays]
    failed: dict[int, Resettled] = {}
    actions = np.zeros(len(replays), np.int64)
    while not games.done.all():
        state = games.state
        facts = zip(*(state[key].tolist() for key in ("phase", "seat", "legal")), strict=True)
        for i, (phase, seat, legal) in enumerate(facts):
            if phase == DONE:
                continue
            try:
                actions[i] = courses[i].choose(state[i], phase, seat, legal)
            except _ImpossibleError as reason:
                failed[i] = courses[i].failed(reason)
                state["phase"][i] = DONE
        games.step(actions)
    ended = [i for i in range(len(replays)) if i not in failed]
    priced = dict(zip(ended, results(games.state[ended]), strict=True))
    return [failed.get(i) or courses[i].outcome(priced[i]) for i in range(len(replays))]
