"""Replaying records: from nothing but the object to the table and the result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zhuoji_env import actions
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.position import play_back
from zhuoji_env.engine.tables import wins
from zhuoji_env.errors import RecordError
from zhuoji_env.record.deal import Record
from zhuoji_env.record.result import results
from zhuoji_env.rules import Rules

Raw = Record | Mapping[str, Any] | str | bytes


@dataclass(frozen=True)
class Replay:
    """A replayed record: the table at which it was replayed, and its result if the deal ended."""

    record: Record
    games: Games
    table: int
    result: dict[str, Any] | None

    @property
    def finished(self) -> bool:
        """Whether the actions reach the deal's end."""
        return self.result is not None

    def to_dict(self) -> dict[str, Any]:
        """The record with its result; without one where the deal is unfinished."""
        written = self.record.to_dict()
        written.pop("result", None)
        if self.result is not None:
            written["result"] = self.result
        return written

    def verify(self) -> bool:
        """Compare the recorded result with the replayed one.

        True if they are equal, False if none is recorded. RecordError names the first difference.
        """
        recorded = self.record.result
        if recorded is None:
            return False
        if self.result is None:
            raise RecordError(
                f"result: recorded, but the deal is unfinished after "
                f"{len(self.record.decisions)} actions"
            )
        if difference := first_difference(recorded, self.result, "result"):
            raise RecordError(difference)
        return True


def replay(record: Raw) -> Replay:
    """Replay one record, an object or its JSON text.

    Raises RecordError for a malformed record, or at the first wrong action: its index, its seat
    and what was legal. A recorded result is not looked at; `Replay.verify` compares it.
    """
    return next(replay_all([record]))


def replay_all(records: Iterable[Raw]) -> Iterator[Replay]:
    """Replay many records in one kernel call and yield them in order.

    Raises RecordError at the first bad one, after the replays before it.
    """
    parsed, fault = _parse_while_sound(records)
    if parsed:
        games = _tables(parsed)
        played = _play(games, parsed)
        done = games.done
        ended = iter(results(games.state[done]))
        for i, record in enumerate(parsed):
            if played[i] < len(record.decisions):
                raise _wrong(games, i, record, int(played[i]))
            yield Replay(record, games, i, next(ended) if done[i] else None)
    if fault is not None:
        raise fault


def first_difference(recorded: Any, replayed: Any, path: str) -> str | None:
    """Where two JSON values first differ, as one line; None if they are equal, types included."""
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        for key in [*replayed, *(key for key in recorded if key not in replayed)]:
            inner = f"{path}.{key[:40]}"
            if key not in recorded:
                return f"{inner}: missing in the record, {_shown(replayed[key])} replayed"
            if key not in replayed:
                return f"{inner}: {_shown(recorded[key])} recorded, no such key replayed"
            if difference := first_difference(recorded[key], replayed[key], inner):
                return difference
        return None
    if isinstance(recorded, list) and isinstance(replayed, list):
        for i, (mine, theirs) in enumerate(zip(recorded, replayed, strict=False)):
            if difference := first_difference(mine, theirs, f"{path}[{i}]"):
                return difference
        if len(recorded) != len(replayed):
            return f"{path}: {len(recorded)} entries recorded, {len(replayed)} replayed"
        return None
    if type(recorded) is type(replayed) and recorded == replayed:
        return None
    return f"{path}: {_shown(recorded)} recorded, {_shown(replayed)} replayed"


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:60] + "..."


def _parse_while_sound(records: Iterable[Raw]) -> tuple[list[Record], RecordError | None]:
    parsed: list[Record] = []
    for raw in records:
        try:
            parsed.append(Record.parse(raw))
        except RecordError as fault:
            return parsed, fault
    return parsed, None


def _tables(records: Sequence[Record]) -> Games:
    """The records' deals, dealt."""
    index: dict[Rules, int] = {}
    numbers = [index.setdefault(record.rules, len(index)) for record in records]
    games = Games(len(records), rules=list(index), rules_index=numbers)
    games.reset(
        walls=[record.wall for record in records],
        dealers=[record.dealer for record in records],
        streaks=[record.streak for record in records],
    )
    games.state["dice"] = 0  # carried in the record, whatever they are
    return games


def _play(games: Games, records: Sequence[Record]) -> Any:
    """How many actions of each record could be played: (N,) int64."""
    decisions = np.array(
        [decision for record in records for decision in record.decisions], np.int8
    ).reshape(-1, 3)
    starts = np.zeros(len(records) + 1, np.int64)
    np.cumsum([len(record.decisions) for record in records], out=starts[1:])
    played = np.zeros(len(records), np.int64)
    play_back(games.state, games.records, wins(), decisions, starts, played)
    return played


def _wrong(games: Games, i: int, record: Record, place: int) -> RecordError:
    """The error for the first wrong action."""
    key = f"actions[{place}]: '{record.written['actions'][place]}'"
    if games.done[i]:
        return RecordError(f"{key} after the end of the deal; allowed: {place} actions")
    names = [actions.show(int(a)) for a in np.flatnonzero(games.legal[i])]
    legal = f"legal: seat {games.seat[i]}: {', '.join(names)}"
    seat, _, tile = record.decisions[place]
    if seat != games.seat[i]:
        return RecordError(f"{key}: seat {seat} is not to act; {legal}")
    if tile >= 0 and "peng" in names:
        return RecordError(f"{key}: seat {seat} may not peng that tile; {legal}")
    return RecordError(f"{key}: seat {seat} may not; {legal}")
