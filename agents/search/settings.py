"""What a search is given to work with: configs/agents/search.yaml, and what overrides it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from zhuoji_env.errors import ZhuojiError

DEFAULTS = Path(__file__).resolve().parents[2] / "configs" / "agents" / "search.yaml"


class Belief(BaseModel):
    """What is thought of the others' hands (agents.search.belief)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    keen: float = Field(ge=0)
    odd: float = Field(gt=0, le=1)
    first: int = Field(ge=0)
    between: int = Field(ge=1)
    share: int = Field(ge=1)


class Settings(BaseModel):
    """How much a search looks at and when it is convinced; the YAML file explains each."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    worlds: int = Field(ge=2)
    milliseconds: float | None = Field(ge=1)
    candidates: int = Field(ge=2)
    stages: int = Field(ge=1)
    errors: float = Field(ge=0)
    belief: Belief | None
    tables: int = Field(ge=1)


def defaults() -> dict[str, Any]:
    """Return what the YAML file says."""
    return dict(yaml.safe_load(DEFAULTS.read_text(encoding="utf-8")))


def settings(given: dict[str, Any]) -> Settings:
    """Return checked settings; ZhuojiError names the first that is wrong and what is allowed."""
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise ZhuojiError(f"search: {name} is {first['input']!r}: {first['msg']}") from error
