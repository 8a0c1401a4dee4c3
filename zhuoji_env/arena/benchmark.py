"""The frozen benchmark: an agent against each of the gauntlet's opponents, one score per preset.

A block is one wall and one dealer, dealt four times: the agent sits in each seat once, against
three of one opponent. Walls come from the benchmark's own family, which neither training nor the
arena draws from, and are the same for every agent, opponent and preset.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena import contest, entrants, gauntlet, jsonl, scores, stats
from zhuoji_env.arena.contest import TABLES, Contest
from zhuoji_env.arena.field import identified
from zhuoji_env.arena.gauntlet import PURPOSE, Gauntlet
from zhuoji_env.arena.play import Progress
from zhuoji_env.arena.scores import SEATS, Card, Writer
from zhuoji_env.asking import name_of
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules

# Blocks that are written together: a killed run plays about so many again.
PART = 100


def benchmark(
    agent: entrants.Source,
    out: str | Path,
    *,
    against: Gauntlet | None = None,
    rules: Sequence[str] | None = None,
    blocks: int | None = None,
    threads: int = 1,
    tables: int = TABLES,
    progress: Progress | None = None,
) -> Card:
    """Play what is missing of an agent's benchmark into its file; return all that it then holds.

    `agent` is a spec, an Agent or a factory; `against` stands in for the project's gauntlet. With
    some of its `rules` alone, or fewer `blocks`, it is a part of the benchmark or a quick look, and
    says so (`whole`); the rest may be played later. Results are the same for any `threads` and
    `tables`. Raises ZhuojiError, before anything is written, if an opponent or a ruleset is not
    what was frozen.
    """
    against = gauntlet.load() if against is None else against
    presets = _presets(rules, against)
    wanted = _wanted(blocks, against)
    contest.check(threads=(threads, 1), tables=(tables, 1))
    stats.need_scipy()
    if isinstance(agent, str):
        entrants.make(agent)
    against.check()
    told = {"name": name_of(agent), **(identified(agent) if isinstance(agent, str) else {})}
    with scores.opened(Path(out), told, against) as writer:
        rest = [
            (preset, member, numbers)
            for preset in presets
            for member in against.members
            if len(numbers := writer.card.missing(preset, member, wanted))
        ]
        total = sum(len(numbers) for _, _, numbers in rest) * len(SEATS)
        if total:
            writer.append({"run": _run(threads)})
        ended = 0
        for preset, member, numbers in rest:
            games = Contest(
                contest.entrants((agent, member)),
                SEATS,
                against.seed,
                threads=threads,
                tables=tables,
                purpose=PURPOSE,
            )
            games.play(
                Rules.load(preset),
                numbers,
                progress=contest.later(progress, ended, total),
                landed=_Parts(writer, preset, member, numbers).landed,
            )
            ended += len(numbers) * len(SEATS)
        result = writer.card.to_dict()
        if result != writer.card.said:
            writer.append({"result": result})
        return writer.card


def _presets(rules: Sequence[str] | None, against: Gauntlet) -> list[str]:
    for name in rules or ():
        if name not in against.rules:
            allowed = ", ".join(against.rules)
            raise ZhuojiError(f"rules are {name!r}; allowed in {against.name}: {allowed}")
    return [name for name in against.rules if rules is None or name in rules]


def _wanted(blocks: int | None, against: Gauntlet) -> int:
    if blocks is not None and not 2 <= blocks <= against.blocks:
        raise ZhuojiError(f"blocks is {blocks}; allowed in {against.name}: 2..{against.blocks}")
    return against.blocks if blocks is None else blocks


def _run(threads: int) -> jsonl.Line:
    """Return what a result may depend on besides the agent and the benchmark, and the date."""
    return {
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "zhuoji": jsonl.version(),
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "numba")},
        },
        "threads": threads,
    }


class _Parts:
    """Puts a meeting's deals together to blocks, and writes each part of them that is whole."""

    def __init__(
        self, writer: Writer, preset: str, member: str, numbers: NDArray[np.int64]
    ) -> None:
        self._writer, self._preset, self._member = writer, preset, member
        self._numbers = numbers
        begins = (np.diff(numbers) != 1) | (numbers[1:] % PART == 0)
        self._part = np.concatenate([[0], begins.cumsum()])
        self._left = np.bincount(self._part) * len(SEATS)
        self._points = np.zeros(len(numbers), np.int64)
        self._seat = np.argmax(SEATS == 0, axis=1)
        self._since = perf_counter()

    def landed(self, deals: NDArray[np.int64], outcomes: NDArray[np.void]) -> None:
        """Take deals that have ended."""
        place, within = np.divmod(deals, len(SEATS))
        won = outcomes["scores"][np.arange(len(deals)), self._seat[within]]
        np.add.at(self._points, place, won)
        for part, ended in zip(*np.unique(self._part[place], return_counts=True), strict=True):
            self._left[part] -= ended
            if self._left[part] == 0:
                self._write(np.flatnonzero(self._part == part))

    def _write(self, places: NDArray[np.int64]) -> None:
        now = perf_counter()
        self._writer.append(
            {
                "rules": self._preset,
                "member": self._member,
                "first": int(self._numbers[places[0]]),
                "points": self._points[places].tolist(),
                "seconds": round(now - self._since, 3),
            }
        )
        self._since = now
