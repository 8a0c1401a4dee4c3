"""A benchmark's result file, and the scores that it comes to.

JSON Lines: the benchmark and the agent first, then a line for every run and every part of a meeting
with one opponent, and the scores once they are all there. A part that stands there already is not
played again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena import jsonl, stats
from zhuoji_env.arena.gauntlet import LAYOUT, Gauntlet
from zhuoji_env.arena.jsonl import Line
from zhuoji_env.arena.seating import block_seats
from zhuoji_env.arena.stats import Interval
from zhuoji_env.errors import ZhuojiError

FORMAT = "zhuoji-benchmark/1"
SEATS = block_seats(LAYOUT)


@dataclass(frozen=True)
class Score:
    """One preset's score: points per deal of a seat, the mean over opponents, with 95% intervals.

    Intervals are Student's, over blocks; the score's pairs each block's opponents, who have the
    same walls. Divided by `sigma` they are in standard deviations of greedy self-play.
    """

    rules: str
    fingerprint: str
    sigma: float
    blocks: int
    whole: bool
    points: Interval
    members: dict[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        return {
            "rules": self.rules,
            "rules_fingerprint": self.fingerprint,
            "sigma": self.sigma,
            "blocks": self.blocks,
            "deals": self.blocks * len(SEATS) * len(self.members),
            "whole": self.whole,
            **self._both(self.points),
            "members": {name: self._both(points) for name, points in self.members.items()},
        }

    def in_sigmas(self, points: Interval) -> Interval:
        """Return points per deal in standard deviations of greedy self-play."""
        return Interval(*(value / self.sigma for value in points))

    def _both(self, points: Interval) -> dict[str, Any]:
        return {"sigmas": self.in_sigmas(points)._asdict(), "points": points._asdict()}


@dataclass
class Card:
    """What a benchmark's file holds.

    `held[preset, member][k]` is what the agent's seats won in block k together; `runs` say when,
    with which versions and on how many threads it was played, `seconds` how long all that took.
    """

    path: Path
    agent: dict[str, str]
    gauntlet: Gauntlet
    held: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    runs: list[Line] = field(default_factory=list)
    seconds: float = 0.0
    said: Line | None = None

    @property
    def name(self) -> str:
        """What the agent is called."""
        return self.agent["name"]

    @property
    def whole(self) -> bool:
        """Whether this is the benchmark: every preset at its full length."""
        told = {score.rules for score in self.scores() if score.whole}
        return told == set(self.gauntlet.rules)

    def missing(self, preset: str, member: str, blocks: int) -> NDArray[np.int64]:
        """Return which of the first blocks against an opponent are not there yet."""
        held = self.held.get((preset, member), {})
        return np.array([k for k in range(blocks) if k not in held], np.int64)

    def scores(self) -> list[Score]:
        """Return the score of every preset of which two blocks against each opponent are there."""
        every = [(preset, self._score(preset)) for preset in self.gauntlet.rules]
        return [score for _, score in every if score is not None]

    def _score(self, preset: str) -> Score | None:
        of_member = [self.held.get((preset, member), {}) for member in self.gauntlet.members]
        blocks = sorted(set.intersection(*map(set, of_member)))
        if len(blocks) < 2:
            return None
        points = np.array([[held[k] for k in blocks] for held in of_member]) / len(SEATS)
        frozen = self.gauntlet.rules[preset]
        return Score(
            rules=preset,
            fingerprint=frozen.fingerprint,
            sigma=frozen.sigma,
            blocks=len(blocks),
            whole=len(blocks) == self.gauntlet.blocks,
            points=stats.interval(points.mean(axis=0)),
            members={
                member: stats.interval(row)
                for member, row in zip(self.gauntlet.members, points, strict=True)
            },
        )

    def add(self, line: Line) -> None:
        """Take in a line; a block that is there already is not counted again."""
        if "run" in line:
            self.runs.append({key: line["run"][key] for key in ("began", "versions", "threads")})
        elif "result" in line:
            self.said = dict(line["result"])
        else:
            self._add_part(line)

    def _add_part(self, line: Line) -> None:
        preset, member, first = line["rules"], line["member"], line["first"]
        points, seconds = [int(n) for n in line["points"]], float(line["seconds"])
        blocks = range(first, first + len(points))
        if preset not in self.gauntlet.rules or member not in self.gauntlet.members:
            raise ValueError("not of this benchmark")
        if not 0 <= first <= blocks.stop <= self.gauntlet.blocks:
            raise ValueError("blocks beyond the benchmark")
        held = self.held.setdefault((preset, member), {})
        for block, won in zip(blocks, points, strict=True):
            held.setdefault(block, won)
        self.seconds += seconds

    def to_dict(self) -> dict[str, Any]:
        """Return agent, benchmark, scores, runs and time as JSON takes them."""
        frozen = self.gauntlet
        return {
            "format": "zhuoji-scores/1",
            "agent": self.agent,
            "gauntlet": frozen.name,
            "fingerprint": frozen.fingerprint,
            "seed": frozen.seed,
            "blocks": frozen.blocks,
            "layout": LAYOUT,
            "level": stats.LEVEL,
            "whole": self.whole,
            "scores": [score.to_dict() for score in self.scores()],
            "seconds": round(self.seconds, 3),
            "runs": self.runs,
        }


def read(path: str | Path) -> Card:
    """Read a result file; the end of a line that was never finished is passed over.

    Raises ZhuojiError that names the file and the line.
    """
    return _read(jsonl.finished(Path(path).read_bytes()), Path(path))


def _read(content: bytes, path: Path) -> Card:
    def begin(line: Line) -> Card:
        gauntlet = Gauntlet.model_validate_json(json.dumps(line["gauntlet"]))
        return Card(path, _texts(line["agent"]), gauntlet)

    return jsonl.read(content, path, FORMAT, "line of a benchmark", begin)


def _texts(agent: dict[str, Any]) -> dict[str, str]:
    return {"name": str(agent["name"]), **{key: str(value) for key, value in agent.items()}}


class Writer:
    """A card that lines are being added to, on disk before they are in memory."""

    def __init__(self, card: Card, stream: BinaryIO) -> None:
        self.card = card
        self._stream = stream

    def append(self, line: Line) -> None:
        """Write one line."""
        jsonl.put(self._stream, line)
        self.card.add(line)


@contextmanager
def opened(path: Path, agent: dict[str, str], gauntlet: Gauntlet) -> Iterator[Writer]:
    """Open a result file to go on with it, or begin it; one process at a time may.

    Raises ZhuojiError if the file is another agent's or benchmark's, or in use.
    """
    header = {
        "format": FORMAT,
        "agent": agent,
        "fingerprint": gauntlet.fingerprint,
        "gauntlet": gauntlet.model_dump(),
    }

    def held(content: bytes) -> Card:
        card = _read(content, path)
        if card.gauntlet != gauntlet:
            raise ZhuojiError(f"{path}: it is of {card.gauntlet.name}; take another file")
        if card.agent != agent:
            what = "is" if card.agent["name"] != agent["name"] else "was then"
            told = ", ".join(f"{key} {value}" for key, value in card.agent.items())
            raise ZhuojiError(f"{path}: its agent {what} another ({told}); take another file")
        return card

    with jsonl.opened(path, header, held) as (stream, card):
        yield Writer(card, stream)
