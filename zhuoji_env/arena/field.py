"""A field of agents for a ladder: who, under which rules, and how they meet."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhuoji_env.arena.seating import EVEN, OPEN, block_seats, open_seats
from zhuoji_env.engine.layout import N_SEATS
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.record.fields import Fields
from zhuoji_env.rules import PRESETS, Rules
from zhuoji_env.rules.reading import parse_yaml, read_text

LAYOUTS = (*EVEN, OPEN)
KEYS = ("agents", "rules", "layout", "blocks", "seed", "reduce")
AGENTS = "a list of specs, or names with a spec each"
RULES = "a list of presets, files beside the field's, or mappings of switches"

Meeting = tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """Agents by name, each with its spec; the rulesets; how often and in which layout they meet.

    `swap` and `two-vs-two` are a round-robin of pairs, `open` seats every four at an open table.
    `reduce` keeps the luck of draws and flips of every block, so that standings can do without it.
    `where` is the file it was read from, for messages. Raises ZhuojiError for a field in which
    nobody can meet.
    """

    agents: dict[str, str]
    rules: tuple[Rules, ...] = (Rules.load("guiyang"),)
    layout: str = EVEN[0]
    blocks: int = 200
    seed: int = 0
    reduce: bool = False
    where: str = field(default="", compare=False)

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
            "agents": {name: identified(spec) for name, spec in self.agents.items()},
            "rules": [
                {"name": r.name, "fingerprint": r.fingerprint, "rules": r.to_overrides()}
                for r in self.rules
            ],
            "layout": self.layout,
            "seed": self.seed,
            "reduce": self.reduce,
        }


def identified(spec: str) -> dict[str, str]:
    """Return a spec with the digest of its file: a policy, or the module of a factory once made."""
    module, colon, _ = spec.partition(":")
    path = Path(spec)
    if colon and module in sys.modules:
        path = Path(sys.modules[module].__file__ or spec)
    if not path.suffix or not path.is_file():
        return {"spec": spec}
    return {"spec": spec, "sha256": sha256(path.read_bytes()).hexdigest()}


def load_field(path: str | Path) -> Field:
    """Read a field's YAML file: agents (a list of specs, or names with specs), rules, layout,
    blocks, seed, reduce. Files of rules are found from the field's own folder.

    Raises ZhuojiError that names the file and the key.
    """
    path = Path(path)
    tree = parse_yaml(read_text(path), str(path))
    try:
        given = Fields(tree, KEYS, ZhuojiError)
        return Field(
            _agents(given),
            _rules(given, path.parent),
            given.text("layout", ", ".join(LAYOUTS)) if "layout" in given else Field.layout,
            _count(given, "blocks", 2, Field.blocks),
            _count(given, "seed", 0, Field.seed),
            _switch(given, "reduce", Field.reduce),
            str(path),
        )
    except ZhuojiError as error:
        raise ZhuojiError(f"{path}: {error}") from error


def _agents(given: Fields) -> dict[str, str]:
    agents = given.need("agents", AGENTS)
    if not isinstance(agents, list | dict):
        raise given.refuse("agents", agents, AGENTS)
    for text in (*agents, *(agents.values() if isinstance(agents, dict) else ())):
        if not isinstance(text, str) or not text:
            raise given.refuse("agents", text, AGENTS)
    named = agents if isinstance(agents, dict) else {spec: spec for spec in agents}
    if len(named) < len(agents):
        raise given.fail("agents", "a spec is given twice; name them apart")
    return named


def _rules(given: Fields, folder: Path) -> tuple[Rules, ...]:
    if "rules" not in given:
        return Field.rules
    sources = given.need("rules", RULES)
    if not isinstance(sources, list) or not sources:
        raise given.refuse("rules", sources, RULES)
    for source in sources:
        if not isinstance(source, str | Mapping):
            raise given.refuse("rules", source, RULES)
    return tuple(Rules.load(_beside(source, folder)) for source in sources)


def _beside(source: Any, folder: Path) -> Any:
    """Return a file of rules as its path from the field's folder, anything else as it is."""
    if not isinstance(source, str) or source in PRESETS:
        return source
    path = folder / source
    return path if "/" in source or path.suffix or path.is_file() else source


def _count(given: Fields, key: str, least: int, default: int) -> int:
    if key not in given:
        return default
    allowed = f"a whole number, {least} or more"
    count = given.need(key, allowed)
    if not isinstance(count, int) or isinstance(count, bool) or count < least:
        raise given.refuse(key, count, allowed)
    return count


def _switch(given: Fields, key: str, default: bool) -> bool:
    if key not in given:
        return default
    value = given.need(key, "true or false")
    if not isinstance(value, bool):
        raise given.refuse(key, value, "true or false")
    return value
