"""A field of agents for a ladder: who, under which rules, and how they meet."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pydantic
from numpy.typing import NDArray

from zhuoji_env.arena.seating import EVEN, OPEN, block_seats, open_seats
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import Rules
from zhuoji_env.rules.reading import parse_yaml, read_text

LAYOUTS = (*EVEN, OPEN)

_Text = Annotated[str, pydantic.Field(min_length=1)]
Meeting = tuple[str, ...]


class _File(pydantic.BaseModel):
    """A field's YAML file."""

    model_config = pydantic.ConfigDict(extra="forbid", strict=True)

    agents: list[_Text] | dict[_Text, _Text]
    rules: Annotated[list[str | dict[str, Any]], pydantic.Field(min_length=1)] = ["guiyang"]
    layout: str = EVEN[0]
    blocks: Annotated[int, pydantic.Field(ge=2)] = 200
    seed: Annotated[int, pydantic.Field(ge=0)] = 0


@dataclass(frozen=True)
class Field:
    """Agents by name, each with its spec; the rulesets; how often and in which layout they meet.

    `swap` and `two-vs-two` are a round-robin of pairs, `open` seats every four at an open table.
    Raises ZhuojiError for a field in which nobody can meet.
    """

    agents: dict[str, str]
    rules: tuple[Rules, ...] = (Rules.load("guiyang"),)
    layout: str = EVEN[0]
    blocks: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise ZhuojiError(f"unknown layout {self.layout!r}; allowed: {', '.join(LAYOUTS)}")
        if len(self.agents) < self.per_meeting:
            n, least = len(self.agents), self.per_meeting
            raise ZhuojiError(f"agents are {n}; allowed: {least} or more in layout {self.layout}")
        prints = [rules.fingerprint for rules in self.rules]
        if len(set(prints)) < len(prints):
            raise ZhuojiError("a ruleset is given twice")

    @property
    def per_meeting(self) -> int:
        """How many agents meet at a time."""
        return N_SEATS if self.layout == OPEN else 2

    @property
    def meetings(self) -> list[Meeting]:
        """Every set of agents that meets, by name."""
        return list(combinations(self.agents, self.per_meeting))

    @property
    def seats(self) -> NDArray[np.int8]:
        """Who of a meeting plays each seat of each deal of a block: (deals, 4) int8."""
        return open_seats() if self.layout == OPEN else block_seats(self.layout)

    def identity(self) -> dict[str, Any]:
        """Return, as JSON takes it, all that a block's result follows from but its number."""
        return {
            "agents": {name: _identified(spec) for name, spec in self.agents.items()},
            "rules": [
                {"name": r.name, "fingerprint": r.fingerprint, "rules": r.to_overrides()}
                for r in self.rules
            ],
            "layout": self.layout,
            "seed": self.seed,
        }


def _identified(spec: str) -> dict[str, str]:
    """Return a spec with, where it is a file, the digest of what the file holds."""
    path = Path(spec)
    if not path.suffix or not path.is_file():
        return {"spec": spec}
    return {"spec": spec, "sha256": sha256(path.read_bytes()).hexdigest()}


def load_field(path: str | Path) -> Field:
    """Read a field's YAML file: agents (a list of specs, or names with specs), rules, layout,
    blocks, seed. Raises ZhuojiError that names the file and the key."""
    tree = parse_yaml(read_text(Path(path)), str(path))
    try:
        file = _File.model_validate(tree)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ZhuojiError(f"{path}: {where}: {first['msg']}") from None
    agents = file.agents if isinstance(file.agents, dict) else {spec: spec for spec in file.agents}
    if len(agents) < len(file.agents):
        raise ZhuojiError(f"{path}: agents: a spec is given twice; name them apart")
    try:
        rules = tuple(Rules.load(source) for source in file.rules)
        return Field(agents, rules, file.layout, file.blocks, file.seed)
    except ZhuojiError as error:
        raise ZhuojiError(f"{path}: {error}") from error
