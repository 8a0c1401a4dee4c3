"""How far a run is, on a console: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

# Without a terminal a line is printed this often, in seconds.
LINE_EVERY = 20.0


class Bar:
    """A run's way to its `total`, `done` of it behind."""

    def __init__(self, console: Console, what: str, total: int, done: int) -> None:
        self._console, self._total = console, total
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:3.0f}%"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(what, total=total, completed=done)
        self._line_at = time.perf_counter() - LINE_EVERY

    def start(self) -> None:
        """Show the bar."""
        self._bar.start()

    def stop(self) -> None:
        """Take the bar away."""
        self._bar.stop()

    def say(self, text: str) -> None:
        """Print a line beside the bar."""
        self._console.print(text, highlight=False, soft_wrap=True)

    def update(self, done: int, text: str) -> None:
        """Show how far the run is, and a word on how it goes."""
        self._bar.update(self._task, completed=done, description=text)
        now = time.perf_counter()
        if not self._console.is_terminal and now - self._line_at >= LINE_EVERY:
            self._line_at = now
            self.say(f"{min(1.0, done / self._total):4.0%}  {text}")
