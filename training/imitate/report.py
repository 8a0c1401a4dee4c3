"""What is seen while a run goes on, and what it leaves for its reader."""

from __future__ import annotations

import csv
import io
import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from training.bar import Bar
from training.imitate.args import Args, command
from training.imitate.learn import Judged
from training.selfplay.report import LIBRARIES
from training.selfplay.rulesets import sigma
from zhuoji_env.arena.match import MatchResult
from zhuoji_env.writing import write_whole

Curve = list[dict[str, Any]]


class Show:
    """Progress on a console."""

    def __init__(self, console: Console, total: int, done: int) -> None:
        self._bar = Bar(console, "imitating", total, done)
        self._judged = ""

    def __enter__(self) -> Show:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, row: dict[str, Any]) -> None:
        """Show one round's row of the curve."""
        if "agreement" in row:
            self._judged = f"  held out: agrees {row['agreement']:.1%}, loses {row['regret']:.3f}"
        text = f"{row['speed']:,.0f} decisions/s  loss {row['loss']:.3f}{self._judged}"
        self._bar.update(row["deals"], text)


def write_curve(folder: Path, curve: Curve) -> None:
    """Write the curve as JSON, and as CSV with one row a round."""
    write_whole(folder / "curve.json", json.dumps(curve, indent=1).encode())
    rows = []
    for row in curve:
        kinds = {f"agreement_{name}": share for name, share in row.get("by_kind", {}).items()}
        plain = {name: value for name, value in row.items() if not isinstance(value, dict)}
        rows.append({**plain, **kinds})
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(folder / "curve.csv", text.getvalue().encode())


def write_report(
    path: Path,
    args: Args,
    facts: dict[str, Any],
    judged: Judged,
    matches: Sequence[MatchResult],
) -> None:
    """Write what was run, on what, for how long, and what came of it, in Markdown."""
    lines = ["# Imitation run", "", f"    {command(args)}", "", "## Result", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    lines += ["", "| the teacher's action | decisions | agreement |", "|---|---:|---:|"]
    for name, count in judged.counts.items():
        share = f"{judged.by_kind[name]:.2%}" if count else "-"
        lines.append(f"| {name} | {count:,} | {share} |")
    lines += _matches(matches)
    lines += ["", "## Made with", ""]
    lines += [f"- {name} {version(name)}" for name in LIBRARIES]
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    lines += [f"- Python {platform.python_version()}, {machine}"]
    settings = yaml.safe_dump(args.model_dump(), sort_keys=False, allow_unicode=True).strip()
    lines += ["", "## Arguments", "", "```yaml", settings, "```", ""]
    write_whole(path, "\n".join(lines).encode())


def _matches(matches: Sequence[MatchResult]) -> list[str]:
    """Return the lines of the matches; sigma is the deviation of greedy playing itself."""
    if not matches:
        return []
    units = {result.rules.name: sigma(result.rules) for result in matches}
    lines = ["", "| rules | against three | points a deal | 95% interval | sigma a deal | deals |"]
    lines += ["|---|---|---:|---:|---:|---:|"]
    for result in matches:
        lines.append(
            f"| {result.rules.name} | {result.b} | {result.mean:+.2f} | {result.low:+.2f} .. "
            f"{result.high:+.2f} | {result.mean / units[result.rules.name]:+.3f} "
            f"| {result.deals:,} |"
        )
    return lines
