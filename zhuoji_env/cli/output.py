"""What the commands print."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TextIO
from unicodedata import east_asian_width

import typer


def print_json(value: Any, stream: TextIO | None = None) -> None:
    """One JSON document, in ASCII so that every terminal and pipe takes it."""
    typer.echo(json.dumps(value, indent=2), file=stream)


def print_columns(
    rows: Sequence[Sequence[str]], indent: str = "", stream: TextIO | None = None
) -> None:
    """Rows of text with aligned columns, the last one ragged."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(_width, column)) for column in columns[:-1]]
    for *row, last in rows:
        cells = [c + " " * (width - _width(c)) for c, width in zip(row, widths, strict=True)]
        typer.echo(indent + "  ".join([*cells, last]).rstrip(), file=stream)


def _width(text: str) -> int:
    """Columns that a text takes on a terminal: two for a Chinese character."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
