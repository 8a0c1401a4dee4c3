"""What the commands print."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import typer


def print_json(value: Any) -> None:
    """One JSON document, in ASCII so that every terminal and pipe takes it."""
    typer.echo(json.dumps(value, indent=2))


def print_columns(rows: Sequence[Sequence[str]], indent: str = "") -> None:
    """Rows of text with aligned columns, the last one ragged."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        typer.echo(indent + "  ".join(cells).rstrip())
