"""What a run leaves for its reader: a curve as PNG and CSV, and a report in Markdown."""

from __future__ import annotations

import csv
import io
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from training.selfplay.config import Config
from zhuoji_env.arena.match import MatchResult
from zhuoji_env.writing import write_whole

Rows = list[dict[str, Any]]
LIBRARIES = ("zhuoji", "numpy", "numba", "torch", "safetensors", "scipy")


def draw_curve(path: Path, curve: Rows, strengths: Rows, title: str) -> None:
    """Draw strength in sigma, and the figures of learning, over decisions as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8), layout="constrained")
    above, middle, below = figure.subplots(3, 1, sharex=True)
    for rules, against in sorted({(s["rules"], s["against"]) for s in strengths}):
        points = [s for s in strengths if (s["rules"], s["against"]) == (rules, against)]
        x = [s["decisions"] for s in points]
        above.plot(x, [s["mean"] for s in points], marker=".", label=f"{rules}: three {against}")
        above.fill_between(
            x, [s["low"] for s in points], [s["high"] for s in points], alpha=0.2, linewidth=0
        )
    above.axhline(0, color="0.6", linewidth=0.8)
    above.set(title=title, ylabel="sigma a deal")
    decisions = [row["decisions"] for row in curve]
    for axes, names in ((middle, ("entropy", "explained")), (below, ("kl", "from_average"))):
        for name in names:
            axes.plot(decisions, [row["figures"][name] for row in curve], label=name)
    middle.set(ylim=(-0.2, None))
    below.set(xlabel="decisions of the learner", yscale="log")
    for axes in (above, middle, below):
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="best", fontsize="small")
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=110)
    write_whole(path, image.getvalue())


def write_curve(path: Path, curve: Rows) -> None:
    """Write the curve as CSV, one row an update."""
    rows = [{**row, **row["figures"], **_edges(row)} for row in curve]
    for row in rows:
        row.pop("figures")
        row.pop("edges", None)
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())


def _edges(row: dict[str, Any]) -> dict[str, float]:
    return {f"sigma_{who}": edge for who, edge in row.get("edges", {}).items()}


def write_report(
    path: Path,
    config: Config,
    facts: dict[str, Any],
    sigma: dict[str, float],
    matches: Sequence[tuple[MatchResult, float]],
) -> None:
    """Write what was run, on what, for how long, and what came of it; matches with their sigma."""
    lines = ["# Self-play run", "", "## Result", ""]
    lines += [f"- {name.replace('_', ' ')}: {value}" for name, value in facts.items()]
    lines += ["", "| rules | against three | sigma a deal | 95% interval | points a deal | deals |"]
    lines += ["|---|---|---:|---:|---:|---:|"]
    for result, unit in matches:
        low, high = result.low / unit, result.high / unit
        lines.append(
            f"| {result.rules.name} | {result.b} | {result.mean / unit:+.3f} "
            f"| {low:+.3f} .. {high:+.3f} | {result.mean:+.2f} | {result.deals:,} |"
        )
    lines += ["", "One sigma, in points a deal, is the deviation of greedy playing itself:"]
    lines += ["", *(f"- {name}: {value:.2f}" for name, value in sigma.items())]
    lines += ["", "## Made with", ""]
    lines += [f"- {name} {version(name)}" for name in LIBRARIES]
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    lines += [f"- Python {platform.python_version()}, {machine}"]
    lines += ["", "## Settings", "", "```yaml", _settings(config), "```", ""]
    write_whole(path, "\n".join(lines).encode())


def _settings(config: Config) -> str:
    text: str = yaml.safe_dump(config.model_dump(), sort_keys=False, allow_unicode=True)
    return text.strip()
