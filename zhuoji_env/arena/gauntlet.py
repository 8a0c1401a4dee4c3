"""The frozen benchmark: opponents, rulesets, seed and length, and what proves them unchanged.

A checkout has it as `configs/arena/gauntlet.json`. Its fingerprint covers every opponent's golden
decisions, every ruleset's fingerprint and the seed of the walls, so that scores with the same
fingerprint compare, whatever their dates.
"""

from __future__ import annotations

import json
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from zhuoji_env.arena import contest, entrants, golden
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.rules import PRESETS, Rules

FORMAT: Final = "zhuoji-gauntlet/1"
FILE = Path(__file__).resolve().parents[2] / "configs" / "arena" / "gauntlet.json"
PURPOSE = "benchmark"
LAYOUT = "one-vs-three"
# Deals of greedy self-play from which a preset's standard deviation is taken.
SIGMA_DEALS = 100_000

_Name = Annotated[str, Field(min_length=1)]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]+$")]


class Preset(BaseModel):
    """A ruleset's fingerprint, and the deviation of a seat's points a deal in greedy self-play."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    fingerprint: _Digest
    sigma: Annotated[float, Field(gt=0)]


class Gauntlet(BaseModel):
    """What an agent is measured against: specs with their golden decisions, and presets by name."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["zhuoji-gauntlet/1"] = FORMAT
    name: _Name
    members: Annotated[dict[_Name, _Digest], Field(min_length=1)]
    rules: Annotated[dict[_Name, Preset], Field(min_length=1)]
    seed: Annotated[int, Field(ge=0)]
    blocks: Annotated[int, Field(ge=2)]

    @cached_property
    def fingerprint(self) -> str:
        """Digits of everything but the name."""
        told = json.dumps(self.model_dump(exclude={"name"}), sort_keys=True)
        return sha256(told.encode()).hexdigest()[: golden.DIGITS]

    def check(self) -> None:
        """Raise ZhuojiError where a ruleset or an opponent is not what was frozen."""
        for name, preset in self.rules.items():
            now = Rules.load(name).fingerprint if name in PRESETS else "no such preset"
            if now != preset.fingerprint:
                raise ZhuojiError(
                    f"{self.name}: the rules of {name} were {preset.fingerprint} and are {now}; "
                    f"scores would not compare, so it is not played"
                )
        self.make_all()
        shown = golden.views(list(self.rules))
        for spec, decisions in self.members.items():
            if (now := golden.digest(spec, shown)) != decisions:
                raise ZhuojiError(
                    f"{self.name}: {spec} no longer decides as it did (golden decisions "
                    f"{decisions}, now {now}); scores would not compare, so it is not played"
                )

    def make_all(self) -> None:
        """Raise ZhuojiError if an opponent cannot be made."""
        for spec in self.members:
            try:
                entrants.make(spec)
            except ZhuojiError as error:
                needed = ", ".join(self.members)
                raise ZhuojiError(f"{self.name} is played against {needed}: {error}") from error

    def text(self) -> str:
        """Return the file's content."""
        return self.model_dump_json(indent=2) + "\n"


def load(path: str | Path | None = None) -> Gauntlet:
    """Read a gauntlet's file, by default the project's own; ZhuojiError names file and key."""
    if path is None and not FILE.is_file():
        raise ZhuojiError(
            "the benchmark is run from a checkout of the project, which has its opponents; "
            "--gauntlet takes a file of one's own"
        )
    path = FILE if path is None else Path(path)
    try:
        return Gauntlet.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ZhuojiError(f"{path}: {key + ': ' if key else ''}{first['msg']}") from error


def freeze(
    name: str,
    members: list[str],
    rules: list[str],
    *,
    seed: int,
    blocks: int,
    sigma_deals: int = SIGMA_DEALS,
) -> Gauntlet:
    """Return a gauntlet of opponents and presets as they are now. Raises ZhuojiError."""
    for what, given in (("opponents", members), ("rules", rules)):
        if not given or len(set(given)) < len(given):
            raise ZhuojiError(f"{what} are {', '.join(given)}; allowed: each once")
    for preset in rules:
        if preset not in PRESETS:
            raise ZhuojiError(f"rules are {preset}; allowed: {', '.join(PRESETS)}")
    contest.check(blocks=(blocks, 2), seed=(seed, 0))
    shown = golden.views(rules)
    return Gauntlet(
        name=name,
        members={spec: golden.digest(spec, shown) for spec in members},
        rules={
            preset: Preset(
                fingerprint=Rules.load(preset).fingerprint, sigma=_sigma(preset, sigma_deals)
            )
            for preset in rules
        },
        seed=seed,
        blocks=blocks,
    )


def _sigma(preset: str, deals: int) -> float:
    """Return the standard deviation of a seat's points per deal in greedy self-play, 4 digits."""
    return float(f"{contest.deviation(Rules.load(preset), deals, seed=0):.4g}")
