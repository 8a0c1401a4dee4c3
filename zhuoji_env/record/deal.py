"""A deal record, `zhuoji-deal/1` of docs/formats.md: checked when it is made, carried unharmed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zhuoji_env import actions, tiles
from zhuoji_env.engine.arguments import MAX_STREAK
from zhuoji_env.engine.layout import N_SEATS, N_TILES
from zhuoji_env.errors import RecordError
from zhuoji_env.record.fields import Fields
from zhuoji_env.record.reading import parse_json
from zhuoji_env.rules import Rules
from zhuoji_env.rules.reading import describe

FORMAT = "zhuoji-deal/1"
CARRIED = ("seed", "agents", "note")
KEYS = ("format", "rules", "dealer", "streak", "dice", "wall", "actions", *CARRIED, "result")
COPIES = 4
NO_TILE = -1

Decision = tuple[int, int, int]
"""Seat, action id, and the tile that a peng names, else NO_TILE."""


@dataclass(frozen=True)
class Record:
    """A record whose every key has been checked; whether its actions are legal, replaying says.

    `written` is the record as it was given, `decisions` its actions.
    """

    written: dict[str, Any]
    rules: Rules
    dealer: int
    streak: int
    wall: list[int]
    decisions: list[Decision]

    @classmethod
    def parse(cls, raw: Record | Mapping[str, Any] | str | bytes) -> Record:
        """From an object, or its JSON text. Raises RecordError: which key, what is allowed."""
        if isinstance(raw, Record):
            return raw
        value = parse_json(raw, RecordError) if isinstance(raw, (str, bytes)) else raw
        fields = Fields(value, KEYS, RecordError)
        fields.constant("format", FORMAT)
        rules = fields.rules("rules")
        dealer = fields.seat("dealer")
        streak = fields.integer("streak", 1, MAX_STREAK)
        wall = _wall(fields)
        decisions = _decisions(fields)
        _check_agents(fields)
        written = {key: fields.carried(key) for key in KEYS if key in fields}
        if not isinstance(written.get("result", {}), dict):
            raise fields.refuse("result", written["result"], "the result object, or no such key")
        return cls(written, rules, dealer, streak, wall, decisions)

    @property
    def result(self) -> dict[str, Any] | None:
        """The recorded result, None where there is none."""
        return self.written.get("result")

    def to_dict(self) -> dict[str, Any]:
        """The record as it was written, in the order of docs/formats.md."""
        return dict(self.written)


def _wall(fields: Fields) -> list[int]:
    wall = fields.tiles("wall")
    count = Counter(wall)
    wrong = next((kind for kind in range(tiles.N_KINDS) if count[kind] != COPIES), None)
    if len(wall) != N_TILES or wrong is not None:
        given = f"{len(wall)} tiles"
        if wrong is not None:
            given += f", {count[wrong]} of them {tiles.NAMES[wrong]},"
        raise fields.fail("wall", f"{given} given; allowed: {N_TILES} tiles, four of each kind")
    return wall


def _decisions(fields: Fields) -> list[Decision]:
    listed = fields.sequence("actions", 'a list of actions such as "2 discard 9m"')
    decisions = []
    for i, text in enumerate(listed):
        key = f"actions[{i}]"
        if not isinstance(text, str):
            raise fields.refuse(key, text, 'an action such as "2 discard 9m"')
        decision = _KNOWN.get(text)
        if decision is None:
            raise fields.fail(key, _why_unknown(text))
        decisions.append(decision)
    return decisions


def _known_actions() -> dict[str, Decision]:
    known = {
        f"{seat} {name}": (seat, action, NO_TILE)
        for seat in range(N_SEATS)
        for action, name in enumerate(actions.NAMES)
    }
    # A peng does not need to name its tile.
    for seat in range(N_SEATS):
        for kind, name in enumerate(tiles.NAMES):
            known[f"{seat} peng {name}"] = (seat, actions.PENG, kind)
    return known


_KNOWN = _known_actions()


def _why_unknown(text: str) -> str:
    seat, _, name = text.partition(" ")
    if seat not in tuple("0123"):
        return f"{describe(text)} given; allowed: a seat 0..3 and an action, as in '2 discard 9m'"
    try:
        actions.parse(name)
    except ValueError as reason:
        return f"{describe(text)} given: {reason}"
    raise AssertionError(f"{text!r} is an action and not known")


def _check_agents(fields: Fields) -> None:
    allowed = "a list of four names"
    if "agents" in fields:
        agents = fields.sequence("agents", allowed)
        if len(agents) != N_SEATS or not all(isinstance(name, str) for name in agents):
            raise fields.refuse("agents", agents, allowed)
