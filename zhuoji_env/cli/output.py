"""What the commands print."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO
from unicodedata import east_asian_width

import typer

if TYPE_CHECKING:
    from zhuoji_env.arena.luck import Reduced
    from zhuoji_env.arena.play import Progress
    from zhuoji_env.arena.stats import Interval


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


def ends(value: Interval | Reduced | None, form: str) -> str:
    """Return a mean with the ends of its interval, signed; a dash for None."""
    if value is None:
        return "-"
    return f"{value.mean:+{form}} ({value.low:+{form}} .. {value.high:+{form}})"


def duration(seconds: float) -> str:
    """Return a time in the largest unit that it has one of."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} s"


@contextmanager
def deals_bar() -> Iterator[Progress]:
    """Show a bar on standard error, where that is a terminal, once deals are being played."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), "deals", TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("deals", total=None)

    def progress(ended: int, deals: int) -> None:
        bar.start()
        bar.update(task, completed=ended, total=deals)

    try:
        yield progress
    finally:
        bar.stop()
