"""Reading JSON written by anybody: one value at a time, or one error naming file and line."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules.reading import describe

STDIN = "-"
LINES_SUFFIX = ".jsonl"
MAX_BYTES = 1 << 20
"""Longest JSON text of one record or position; a longer one is refused before it is parsed."""

Line = tuple[int, bytes]


@dataclass(frozen=True)
class Item:
    """One value of a file: where it stands, for messages, its length in bytes, and whether it is
    the file's only one."""

    where: str
    value: Any
    size: int
    alone: bool


def parse_json(text: str | bytes, error: type[ZhuojiError], line: int | None = None) -> Any:
    """One JSON value; raises `error` for broken or too deep JSON, NaN and repeated keys.

    `line` is the number of the text's first line in its file, named in the message if given.
    """
    where = "" if line is None else f"line {line}: "
    if len(text) > MAX_BYTES:
        raise error(f"{where}longer than the {MAX_BYTES} bytes allowed")
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        return json.loads(
            decoded, object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite
        )
    except UnicodeDecodeError as reason:
        raise error(f"{where}not UTF-8 (byte {reason.start + 1})") from None
    except json.JSONDecodeError as reason:
        refuse_path(text, error)
        at = f"line {(line or 1) + reason.lineno - 1}: "
        raise error(f"{at}not JSON: {reason.msg} at column {reason.colno}") from None
    except ValueError as reason:
        # The hooks below, or an integer of more digits than Python takes.
        own = reason.args[0] if isinstance(reason, _Refused) else "a number is too long"
        raise error(f"{where}not JSON: {own}") from None
    except RecursionError:
        raise error(f"{where}nested too deeply") from None


def read_items(file: str, error: type[ZhuojiError]) -> Iterator[Item]:
    """Every JSON value of a file, or of standard input for "-".

    A file is JSON Lines if its name ends in .jsonl or its first line is a whole value and others
    follow; else it is one JSON text. Blank lines are skipped. Raises `error`, or OSError.
    """
    name = "standard input" if file == STDIN else file
    with _opened(file, error) as stream:
        lines = _lines(stream, name, error)
        first = next(lines, None)
        if first is None:
            raise error(f"{name}: empty; allowed: a JSON object, or one a line")
        if not file.endswith(LINES_SUFFIX):
            whole = _whole(first, stream)
            second = None if whole else next(lines, None)
            if second is None:
                number, text = whole or first
                yield Item(name, _value(text, number, name, error), len(text), alone=True)
                return
            lines = chain([second], lines)
        for number, text in chain([first], lines):
            value = _value(text, number, name, error)
            yield Item(f"{name}: line {number}", value, len(text), alone=False)


def refuse_path(text: str | bytes, error: type[ZhuojiError]) -> None:
    """Raise `error` for a file's path where the text that the file holds was expected."""
    if isinstance(text, str) and os.path.isfile(text):
        raise error(f"{describe(text)} is a file; give its text, not its path")


class _Refused(ValueError):
    """What a hook found; its text is the reason."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"key {twice[:40]!r} is given twice")
    return made


def _constant(name: str) -> Any:
    raise _Refused(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _Refused("a number is too large")
    return number


def _opened(file: str, error: type[ZhuojiError]) -> AbstractContextManager[BinaryIO]:
    if file == STDIN:
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except ValueError as reason:
        raise error(f"{file!r}: cannot be read: {reason}") from None


def _lines(stream: BinaryIO, name: str, error: type[ZhuojiError]) -> Iterator[Line]:
    number = 0
    while text := stream.readline(MAX_BYTES + 1):
        number += 1
        if len(text) > MAX_BYTES:
            raise error(f"{name}: line {number}: longer than the {MAX_BYTES} bytes allowed")
        if text.strip():
            yield number, text.rstrip()


def _whole(first: Line, stream: BinaryIO) -> Line | None:
    """The whole text of a file whose first line is no JSON value on its own."""
    number, text = first
    try:
        parse_json(text, ZhuojiError)
    except ZhuojiError:
        rest = stream.read(MAX_BYTES)
        return number, text + b"\n" + rest if rest else text
    return None


def _value(text: bytes, number: int, name: str, error: type[ZhuojiError]) -> Any:
    try:
        return parse_json(text, error, number)
    except ZhuojiError as reason:
        raise error(f"{name}: {reason}") from None
