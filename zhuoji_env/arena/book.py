"""A ladder's results on disk: JSON Lines, the field first, then a block of a meeting a line.

A block that stands there already is not played again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena import jsonl
from zhuoji_env.arena.field import Field, Meeting
from zhuoji_env.arena.jsonl import Line
from zhuoji_env.arena.luck import CONTROLS
from zhuoji_env.arena.tally import Tally, from_lines, to_line
from zhuoji_env.errors import ZhuojiError

FORMAT = "zhuoji-ladder/1"


@dataclass
class Book:
    """What a ladder's file holds: the field's identity, and each meeting's blocks.

    `blocks[rules, meeting][k]` has the counts of each agent of the meeting in block k, `rules`
    being a place in `rules_names`; `luck` likewise each agent's controls, where the field keeps
    them.
    """

    path: Path
    header: dict[str, Any]
    blocks: dict[tuple[int, Meeting], dict[int, list[Line]]] = field(default_factory=dict)
    luck: dict[tuple[int, Meeting], dict[int, NDArray[np.float64]]] = field(default_factory=dict)

    @property
    def agents(self) -> list[str]:
        """The names of the field."""
        return list(self.header["agents"])

    @property
    def rules_names(self) -> list[str]:
        """The names of the rulesets."""
        return [rules["name"] for rules in self.header["rules"]]

    def missing(self, rules: int, meeting: Meeting, blocks: int) -> NDArray[np.int64]:
        """Return which of the first blocks of a meeting are not there yet."""
        held = self.blocks.get((rules, meeting), {})
        return np.array([k for k in range(blocks) if k not in held], np.int64)

    def numbers(self, rules: int) -> list[int]:
        """Return the numbers of the blocks that any meeting has under a ruleset, sorted."""
        return sorted({k for (r, _), held in self.blocks.items() if r == rules for k in held})

    def tally(self, rules: int, agent: str) -> Tally:
        """Return an agent's counts over all its meetings, block by block as `numbers` has them."""
        place = {number: i for i, number in enumerate(self.numbers(rules))}
        lines, blocks = [], []
        for (r, meeting), held in self.blocks.items():
            if r == rules and agent in meeting:
                lines += [line[meeting.index(agent)] for line in held.values()]
                blocks += [place[number] for number in held]
        return from_lines(lines, blocks, len(place))

    def add(self, line: Line) -> None:
        """Take in one block's line; one that is there already is not counted again."""
        meeting = tuple(line["agents"])
        rules, tallies = line["rules"], line["tallies"]
        if len(tallies) != len(meeting) or not set(meeting) <= set(self.agents):
            raise ValueError("agents and tallies do not fit")
        self.rules_names[rules]
        from_lines(tallies, [0] * len(tallies), 1)
        block = int(line["block"])
        if self.header["reduce"]:
            luck = np.array(line["luck"], np.float64)
            if luck.shape != (len(meeting), CONTROLS):
                raise ValueError("luck does not fit")
            self.luck.setdefault((rules, meeting), {}).setdefault(block, luck)
        self.blocks.setdefault((rules, meeting), {}).setdefault(block, tallies)

    def scored(self, rules: int, agent: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return points per deal (m, n) and controls (m, n, CONTROLS) of an agent's m meetings.

        The n blocks are those of which all its meetings are there; a field that keeps no luck has
        controls of 0.
        """
        mine = [(r, meeting) for r, meeting in self.blocks if r == rules and agent in meeting]
        every = sorted(set.intersection(*(set(self.blocks[at]) for at in mine))) if mine else []
        points = np.zeros((len(mine), len(every)))
        luck = np.zeros((len(mine), len(every), CONTROLS))
        for row, at in enumerate(mine):
            k = at[1].index(agent)
            tally = from_lines(
                [self.blocks[at][b][k] for b in every], range(len(every)), len(every)
            )
            points[row] = tally.points
            if self.header["reduce"]:
                luck[row] = [self.luck[at][b][k] for b in every]
        return points, luck


def read(path: str | Path) -> Book:
    """Read a ladder's file; the end of a line that was never finished is passed over.

    Raises ZhuojiError that names the file and the line.
    """
    return _read(jsonl.finished(Path(path).read_bytes()), Path(path))


def _read(content: bytes, path: Path) -> Book:
    def begin(line: Line) -> Book:
        line = {"reduce": False, **line}
        return Book(path, {key: line[key] for key in (*_IDENTITY, "version")})

    return jsonl.read(content, path, FORMAT, "block of a ladder", begin)


_IDENTITY = ("agents", "rules", "layout", "seed", "reduce")


class Writer:
    """A book that blocks are being added to, on disk before they are in memory."""

    def __init__(self, book: Book, stream: BinaryIO) -> None:
        self.book = book
        self._stream = stream

    def append(
        self,
        rules: int,
        meeting: Meeting,
        number: int,
        tallies: Sequence[Tally],
        luck: Sequence[NDArray[np.float64]],
    ) -> None:
        """Write one block of a meeting, with each agent's controls if the field keeps them."""
        line = {
            "rules": rules,
            "agents": list(meeting),
            "block": number,
            "tallies": [to_line(one) for one in tallies],
        }
        if self.book.header["reduce"]:
            line["luck"] = [one.tolist() for one in luck]
        jsonl.put(self._stream, line)
        self.book.add(line)


@contextmanager
def opened(path: Path, played: Field) -> Iterator[Writer]:
    """Open a ladder's file to go on with it, or begin it; one process at a time may.

    Raises ZhuojiError if the file is another field's, or in use.
    """
    header = {"format": FORMAT, "version": jsonl.version(), **played.identity()}

    def held(content: bytes) -> Book:
        book = _read(content, path)
        for key in _IDENTITY:
            if book.header[key] != header[key]:
                verb = "are" if key.endswith("s") else "is"
                raise ZhuojiError(f"{path}: its {key} {verb} not this field's; take another file")
        return book

    with jsonl.opened(path, header, held) as (stream, book):
        yield Writer(book, stream)
