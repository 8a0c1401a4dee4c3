"""What a run leaves for its reader: the learning curve and the tables of its matches."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.table import Table

from zhuoji_env.arena.match import MatchResult
from zhuoji_env.writing import write_whole

Curve = list[dict[str, Any]]


def smoothed(
    curve: Curve, who: str, width: int = 9
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return decisions and points per deal against one opponent, over `width` updates' deals."""
    rows = [row for row in curve if who in row["points"]]
    decisions = np.array([row["decisions"] for row in rows], np.int64)
    sums = np.array([row["points"][who] for row in rows], np.float64).reshape(-1, 2)
    totals = np.array([sums[max(0, i + 1 - width) : i + 1].sum(0) for i in range(len(sums))])
    totals = totals.reshape(-1, 2)
    return decisions, totals[:, 0] / totals[:, 1]


def opponents(curve: Curve) -> list[str]:
    """Return everybody who was met, in alphabetical order."""
    return sorted({who for row in curve for who in row["points"]})


def draw_curve(path: Path, curve: Curve, title: str) -> None:
    """Draw points per deal against each opponent, and how the learner's deals end, as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    met = opponents(curve)
    for who in met:
        label = "frozen copies of itself" if who == "self" else f"three {who}"
        above.plot(*smoothed(curve, who), label=label)
    above.axhline(0, color="0.6", linewidth=0.8)
    above.set(title=title, ylabel="points per deal")
    decisions = [row["decisions"] for row in curve]
    for name in ("win", "deal_in", "draw", "ready_at_draw"):
        whole = "draw" if name == "ready_at_draw" else "deals"
        shares = [row[name] / max(row[whole], 1) for row in curve]
        below.plot(decisions, shares, label=name.replace("_", " "))
    below.set(xlabel="decisions of the learner", ylabel="share of deals", ylim=(0, 1))
    if met:
        above.legend(loc="best", fontsize="small")
    below.legend(loc="best", fontsize="small")
    for axes in (above, below):
        axes.grid(alpha=0.3)
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=110)
    write_whole(path, image.getvalue())


def write_curve(path: Path, curve: Curve) -> None:
    """Write the curve as CSV: one row an update, mean points per deal against each opponent."""
    met = opponents(curve)
    counts = ["deals", "win", "deal_in", "draw", "ready_at_draw"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["decisions", *(f"points_{who}" for who in met), *counts])
    for row in curve:
        means = [
            f"{row['points'][who][0] / row['points'][who][1]:.4f}" if who in row["points"] else ""
            for who in met
        ]
        writer.writerow([row["decisions"], *means, *(row[name] for name in counts)])
    write_whole(path, text.getvalue().encode())


# Column of the table -> figure of `arena.panel`, all of them shares of deals.
COLUMNS = {"win": "win", "self-draw": "self_draw", "deal-in": "deal_in", "draw": "draw"}


def table(results: Sequence[MatchResult]) -> Table:
    """Return one row a match: points per deal of the first agent with a 95% interval, and rates."""
    first = results[0]
    shown = Table(
        title=f"{first.a} against three of each, {first.rules.name}: points per deal, rates; "
        f"{first.blocks} blocks of {first.deals // first.blocks} deals, seed {first.seed}",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        title_justify="left",
    )
    shown.add_column("against", no_wrap=True)
    for name in ("points", "95% interval", *COLUMNS):
        shown.add_column(name, justify="right", no_wrap=True)
    for result in results:
        figures = [result.panel["a"][key] for key in COLUMNS.values()]
        shown.add_row(
            result.b,
            f"{result.mean:+.2f}",
            f"{result.low:+.2f} .. {result.high:+.2f}",
            *("-" if figure is None else f"{figure:.1%}" for figure in figures),
        )
    return shown


def write_matches(path: Path, results: Sequence[MatchResult]) -> None:
    """Write the matches as JSON."""
    write_whole(path, json.dumps([result.to_dict() for result in results], indent=2).encode())
