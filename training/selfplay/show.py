"""What is seen while a run goes on: a progress bar or lines, and TensorBoard."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from torch.utils.tensorboard import SummaryWriter

from training.bar import Bar
from training.selfplay.config import CURRENT, PAST
from training.selfplay.rows import Batch
from training.selfplay.strength import Strength
from training.selfplay.tables import LEARNER
from zhuoji_env.engine.layout import DISCARD_WIN, DRAW


def dealt(batches: Sequence[Batch], names: Sequence[str], sigma: Sequence[float]) -> dict[str, Any]:
    """Return how an update's deals went: rates, and the learner's sigma a deal against others.

    `names` are the players in the order of ENDED's `who`; `sigma` one for each ruleset.
    """
    deals = np.concatenate([batch.deals for batch in batches])
    if not len(deals):
        return {"deals": 0}
    mine = deals["who"] == LEARNER
    points = deals["scores"] / np.array(sigma)[deals["rules"]][:, None]
    other = deals["who"].max(axis=1)
    edges = {}
    for kind, name in enumerate(names):
        met = other == kind
        if kind != LEARNER and met.any():
            seats = mine[met]
            edges[name] = float(points[met][seats].mean()) if seats.any() else 0.0
    return {
        "deals": len(deals),
        "win_rate": float((deals["winners"] > 0).mean()),
        "draw_rate": float((deals["end"] == DRAW).mean()),
        "discard_win_rate": float((deals["end"] == DISCARD_WIN).mean()),
        "edges": edges,
    }


def players(agents: Sequence[str]) -> list[str]:
    """Return everybody's name in the order of ENDED's `who`."""
    return [CURRENT, PAST, *agents]


class Show:
    """Progress on a console and TensorBoard events in a folder."""

    def __init__(self, console: Console, folder: Path, total: int, done: int) -> None:
        self._bar = Bar(console, "training", total, done)
        self._events = SummaryWriter(folder, purge_step=done)

    def __enter__(self) -> Show:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        self._events.close()

    def say(self, text: str) -> None:
        """Print a line beside the bar."""
        self._bar.say(text)

    def update(self, row: dict[str, Any]) -> None:
        """Show one update's row of the curve."""
        for name, value in row.items():
            if isinstance(value, dict):
                for key, part in value.items():
                    self._scalar(f"{name}/{key}", part, row["decisions"])
            else:
                self._scalar(f"run/{name}", value, row["decisions"])
        figures = row["figures"]
        text = (
            f"{row['speed']:,.0f} decisions/s  entropy {figures['entropy']:.2f}  "
            f"KL {figures['kl']:.4f}  explained {figures['explained']:.0%}"
        )
        edges = "  ".join(f"{who} {edge:+.2f}" for who, edge in row.get("edges", {}).items())
        if edges:
            text += f"  sigma a deal: {edges}"
        self._bar.update(row["decisions"], text)

    def strength(self, found: Sequence[Strength], decisions: int) -> None:
        """Show measured strengths."""
        for one in found:
            self._scalar(f"strength/{one.rules}/{one.against}", one.mean, decisions)
            self.say(f"      {one}")

    def _scalar(self, name: str, value: float, step: int) -> None:
        self._events.add_scalar(name, value, step)
