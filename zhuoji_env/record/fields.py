"""A JSON object read key by key; every complaint names the key's path and what is allowed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from numbers import Integral
from typing import Any

from zhuoji_env import tiles
from zhuoji_env.errors import RulesError, ZhuojiError
from zhuoji_env.rules import PRESETS, Rules
from zhuoji_env.rules.reading import describe

MAX_DEPTH = 20
SEAT = "a seat 0..3"
TILE = "a tile such as 5p"


class Fields:
    """The keys of one object. Missing, unknown and mistyped ones raise `error`.

    Integers may be any integral type, lists any sequence but text, so that positions and records
    made in Python need no conversion; a bool is no integer.
    """

    def __init__(
        self, value: Any, keys: Sequence[str], error: type[ZhuojiError], path: str = ""
    ) -> None:
        self.error = error
        self._path = path
        if not isinstance(value, Mapping):
            where = f"{path}: " if path else ""
            allowed = f"an object of {', '.join(keys)}"
            raise error(f"{where}{describe(value)} given; allowed: {allowed}")
        self._raw = value
        for key in value:
            if key not in keys:
                raise self._unknown(key, keys)

    def __contains__(self, key: str) -> bool:
        return key in self._raw

    def path(self, key: str) -> str:
        """The key's full path, for messages."""
        return f"{self._path}.{key}" if self._path else key

    def fail(self, key: str, reason: str) -> ZhuojiError:
        """An error about a key."""
        return self.error(f"{self.path(key)}: {reason}")

    def refuse(self, key: str, given: Any, allowed: str) -> ZhuojiError:
        """An error about a value."""
        return self.fail(key, f"{describe(given)} given; allowed: {allowed}")

    def need(self, key: str, allowed: str) -> Any:
        """A key's value as it is."""
        if key not in self._raw:
            raise self.error(f"{self.path(key)} is missing; allowed: {allowed}")
        return self._raw[key]

    def optional(self, key: str) -> Any:
        """A key's value as it is, None where it is missing or null."""
        return self._raw.get(key)

    def constant(self, key: str, value: str) -> None:
        """Checks a key that has one value."""
        given = self.need(key, f'"{value}"')
        if given != value:
            raise self.refuse(key, given, f'"{value}"')

    def integer(self, key: str, low: int, high: int) -> int:
        """An integer of a range."""
        return self._integer(key, self.need(key, f"{low}..{high}"), low, high, f"{low}..{high}")

    def seat(self, key: str) -> int:
        """A seat."""
        return self._integer(key, self.need(key, SEAT), 0, 3, SEAT)

    def maybe_seat(self, key: str) -> int | None:
        """A seat, or None where the key is missing or null."""
        given = self.optional(key)
        return None if given is None else self._integer(key, given, 0, 3, f"{SEAT} or null")

    def seats(self, key: str) -> list[int]:
        """Different seats; none where the key is missing."""
        listed = self.sequence(key, "a list of seats 0..3") if key in self._raw else []
        seats = [self._integer(f"{key}[{i}]", s, 0, 3, SEAT) for i, s in enumerate(listed)]
        if len(set(seats)) < len(seats):
            raise self.fail(key, f"a seat is named twice in {seats}; allowed: each seat once")
        return seats

    def flag(self, key: str) -> bool:
        """True or false; false where the key is missing."""
        given = self._raw.get(key, False)
        if not isinstance(given, bool):
            raise self.refuse(key, given, "true or false")
        return given

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        """One of some words."""
        words = "one of " + ", ".join(allowed)
        given = self.need(key, words)
        if not isinstance(given, str) or given not in allowed:
            raise self.refuse(key, given, words)
        return given

    def text(self, key: str, allowed: str) -> str:
        """A string."""
        given = self.need(key, allowed)
        if not isinstance(given, str):
            raise self.refuse(key, given, allowed)
        return given

    def tiles(self, key: str) -> list[int]:
        """Kinds of an mpsz string."""
        text = self.text(key, "tiles such as 123m55p")
        try:
            return tiles.parse(text)
        except ValueError as reason:
            raise self.fail(key, str(reason)) from None

    def maybe_tile(self, key: str) -> int | None:
        """One tile's kind, or None where the key is missing or null."""
        given = self.optional(key)
        if given is None:
            return None
        if not isinstance(given, str) or given not in tiles.NAMES:
            raise self.refuse(key, given, f"{TILE}, or null")
        return tiles.NAMES.index(given)

    def sequence(self, key: str, allowed: str) -> Sequence[Any]:
        """A list."""
        given = self.need(key, allowed)
        if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
            raise self.refuse(key, given, allowed)
        return given

    def rules(self, key: str) -> Rules:
        """A ruleset: a preset's name, or an object of a preset and overrides."""
        given = self.need(key, "a preset's name, or an object of a preset and overrides")
        try:
            return _rules(json.dumps(plain(given), sort_keys=True))
        except RulesError as reason:
            raise self.error(str(reason)) from None
        except ValueError as reason:
            raise self.fail(key, str(reason)) from None

    def carried(self, key: str) -> Any:
        """A value of any kind, copied as plain JSON."""
        try:
            return plain(self._raw[key])
        except ValueError as reason:
            raise self.fail(key, str(reason)) from None

    def _integer(self, key: str, given: Any, low: int, high: int, allowed: str) -> int:
        if isinstance(given, bool) or not isinstance(given, Integral):
            raise self.refuse(key, given, allowed)
        number = int(given)
        if not low <= number <= high:
            raise self.refuse(key, number, allowed)
        return number

    def _unknown(self, key: Any, keys: Sequence[str]) -> ZhuojiError:
        near = get_close_matches(key[:60], keys, n=1) if isinstance(key, str) else []
        hint = f"did you mean {self.path(near[0])}? " if near else ""
        shown = describe(key)
        return self.error(
            f"{self._path + ': ' if self._path else ''}unknown key {shown}; {hint}"
            f"allowed: {', '.join(keys)}"
        )


def plain(value: Any, depth: int = MAX_DEPTH) -> Any:
    """A copy of a JSON value in Python's own types; ValueError for what JSON cannot hold."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise ValueError(f"{value} given; allowed: a finite number")
    if depth == 0:
        raise ValueError(f"nested too deeply; allowed: {MAX_DEPTH} levels")
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: plain(inner, depth - 1) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [plain(inner, depth - 1) for inner in value]
    raise ValueError(f"{describe(value)} given; allowed: what JSON can hold")


@lru_cache(maxsize=256)
def _rules(text: str) -> Rules:
    """The ruleset of a JSON text; read once, as a file of records names it on every line."""
    given = json.loads(text)
    # A preset or a mapping alone: a record is complete, and reads no other file.
    if isinstance(given, str) and given not in PRESETS:
        raise ValueError(f"{describe(given)} given; allowed: {', '.join(PRESETS)}, or an object")
    return Rules.load(given)
