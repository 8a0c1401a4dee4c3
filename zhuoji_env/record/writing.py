"""A file that is written whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from zhuoji_env.record.reading import STDIN


@contextmanager
def whole_file(file: str) -> Iterator[TextIO]:
    """A text stream that takes the file's place when the block ends well; "-" is standard output.

    If the block raises, whatever was there before stays. What is no plain file, such as a pipe or a
    terminal, is written as it comes. Raises OSError that names the file, before the block where it
    can.
    """
    if file == STDIN:
        yield sys.stdout
        return
    target = Path(os.path.realpath(file))
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8") as stream:
            yield stream
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        opened = part.open("x", encoding="utf-8", newline="\n")
    except FileExistsError:
        raise
    except OSError as error:
        error.filename = file
        raise
    try:
        with opened as stream:
            yield stream
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
