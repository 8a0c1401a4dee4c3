"""A record as a transcript: a whole deal as text that a person can read."""

from __future__ import annotations

from zhuoji_env import render
from zhuoji_env.engine.games import Games
from zhuoji_env.record.deal import Record
from zhuoji_env.record.replaying import Raw, Replay, replay

DIE, N_DICE = range(1, 7), 2


def transcript(record: Raw | Replay, *, tiles: str = "mpsz", language: str = "en") -> str:
    """Return a record's deal as text, from nothing but the record; `render.transcript` says how.

    A recorded result is not looked at, a deal that stops early ends with what may be done. Raises
    RecordError as `replay` does, ValueError for an unknown style or language.
    """
    played = record if isinstance(record, Replay) else replay(record)
    told = played.record
    games = Games(1, rules=told.rules)
    games.reset(walls=[told.wall], dealers=told.dealer, streaks=told.streak)
    games.state["dice"] = _dice(told)
    decisions = ((seat, action) for seat, action, _ in told.decisions)
    return render.transcript(games, decisions, tiles=tiles, language=language)


def _dice(record: Record) -> list[int]:
    """The dice to show, 0 for none: a record carries whatever it was given."""
    dice = record.written.get("dice")
    if not isinstance(dice, list) or len(dice) > N_DICE:
        return [0] * N_DICE
    shown = [die if type(die) is int and die in DIE else 0 for die in dice]
    return shown + [0] * (N_DICE - len(shown))
