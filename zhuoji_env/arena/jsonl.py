"""A JSON Lines file that long runs add to: killed at any moment, it is gone on with.

A line counts once it ends in a newline. Whatever a killed run has left of a line is cut off when
the file is next opened to write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from zhuoji_env.errors import ZhuojiError

Line = dict[str, Any]
T = TypeVar("T")
H = TypeVar("H", bound="Held")
# What a line that is not as it should be may raise; pydantic's errors are ValueErrors.
BROKEN = (KeyError, TypeError, ValueError, IndexError, AttributeError)


def finished(content: bytes) -> bytes:
    """Return what the finished lines of a file hold."""
    return content[: content.rfind(b"\n") + 1]


class Held(Protocol):
    """What a file's lines are read into."""

    def add(self, line: Line) -> None:
        """Take in a line after the first; any of `BROKEN` if it is no such line."""


def read(content: bytes, path: Path, form: str, part: str, begin: Callable[[Line], H]) -> H:
    """Read finished lines into what `begin` makes of the first, which names its format.

    Raises ZhuojiError that names the file and the line; `part` is what the others are.
    """
    held: H | None = None
    for number, text in enumerate(content.splitlines(), 1):
        try:
            line = json.loads(text)
            if held is not None:
                held.add(line)
            elif line["format"] == form:
                held = begin(line)
            else:
                raise ValueError("not the format")
        except BROKEN as error:
            what = part if held is not None else f"{form} file"
            raise ZhuojiError(f"{path}, line {number}: not a {what}") from error
    if held is None:
        raise ZhuojiError(f"{path}: not a {form} file: it has no finished line")
    return held


@contextmanager
def opened(
    path: Path, header: Mapping[str, Any], read: Callable[[bytes], T]
) -> Iterator[tuple[BinaryIO, T]]:
    """Open a file at the end of its finished lines, or begin it with a header; one process may.

    Yields the stream, and what `read` makes of the finished lines; a file that it refuses stays as
    it is. Raises ZhuojiError if the file is in use.
    """
    # Unbuffered, so that a line is the operating system's as soon as it is written.
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0) as stream:
        _lock(stream, path)
        content = stream.read()
        kept = finished(content)
        if not kept and _encoded(header).startswith(content):
            stream.seek(0)
            stream.truncate()
            put(stream, header)
            kept = _encoded(header)
        held = read(kept)
        stream.seek(len(kept))
        stream.truncate()
        yield stream, held


def put(stream: BinaryIO, line: Mapping[str, Any]) -> None:
    """Write a line."""
    rest = memoryview(_encoded(line))
    while rest:
        rest = rest[stream.write(rest) :]


def version() -> str:
    """Return the version of this library, for headers."""
    try:
        return metadata.version("zhuoji")
    except metadata.PackageNotFoundError:
        return "not installed"


def _encoded(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _lock(stream: BinaryIO, path: Path) -> None:
    """Keep other processes out until the stream is closed, where the system has such locks."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ZhuojiError(f"{path}: another run is writing it") from error
