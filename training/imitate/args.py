"""What a run is made of, checked, from a command line."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from zhuoji_env.errors import ZhuojiError

# Arguments that a resumed run may have otherwise; all others are the run's own.
FREE = {
    *("out", "deals", "keep", "learning_rate", "final_learning_rate", "judge_every"),
    *("checkpoint_every", "blocks", "against", "match_rules"),
}


class ArgsError(ZhuojiError):
    """Arguments that do not exist or are out of range."""


class Args(BaseModel):
    """Everything that decides a run; equal arguments give equal runs on one machine."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    teacher: str = Field("expert", description="Who is imitated: an agent that prices actions.")
    rules: str = Field(
        "guiyang,zhuoji,zhuoji_double,duole",
        description="Rulesets by commas, spread evenly over the tables.",
    )
    deals: int = Field(50_000, ge=1, description="Deals that are played for the network to see.")
    out: str = Field("runs/imitate", description="Folder that the run writes into.")
    keep: str = Field(
        "", description="Folder that gets every round's views, actions and scores; none: nothing."
    )
    seed: int = Field(1, ge=0, description="Seed of walls, first weights and shuffles.")
    # Who plays
    student: float = Field(
        0.3, ge=0, le=1, description="Share of deals in which the network takes 1 to 4 seats."
    )
    stray: float = Field(
        0.1, ge=0, le=1, description="Share of deals in which `strays` take 1 to 3 seats."
    )
    strays: str = Field("greedy", description="Agents by commas that share those deals evenly.")
    streams: int = Field(2, ge=1, description="Independent groups of tables.")
    tables: int = Field(512, ge=1, description="Tables of a stream, played in lockstep.")
    steps: int = Field(
        64, ge=1, description="Decisions per table in a round; a round is shuffled as a whole."
    )
    # The network and its fitting
    channels: int = Field(64, ge=1, description="Features of a tile kind.")
    convolutions: int = Field(2, ge=1, description="Convolutions over ranks.")
    hidden: int = Field(256, ge=1, description="Features of the whole table.")
    temperature: float = Field(
        0.2, ge=0, description="Softness of the target in units of ping_hu; 0: the action alone."
    )
    batch_size: int = Field(512, ge=2, description="Decisions per gradient step.")
    learning_rate: float = Field(5e-3, gt=0, description="Adam's step at the start.")
    final_learning_rate: float = Field(2e-5, gt=0, description="Adam's step at the end.")
    grad_norm: float = Field(1.0, gt=0, description="Longest gradient that is taken whole.")
    bfloat16: bool = Field(True, description="Whether the network is evaluated in bfloat16.")
    # Seeing it
    held_out: int = Field(256, ge=1, description="Tables whose decisions are never learnt from.")
    judge_every: int = Field(5, ge=1, description="Rounds between two looks at those.")
    checkpoint_every: int = Field(10, ge=1, description="Rounds between two checkpoints.")
    blocks: int = Field(500, ge=2, description="Blocks of each match at the end.")
    against: str = Field("greedy,expert", description="Opponents at the end by commas; or none.")
    match_rules: str = Field("guiyang,zhuoji", description="Rulesets of those matches by commas.")
    threads: int = Field(2, ge=1, description="Threads that collect, and that share a batch.")

    @model_validator(mode="after")
    def _shares_and_rates(self) -> Args:
        if self.student + self.stray > 1:
            raise ValueError("student and stray add up to more than 1")
        if self.stray and not self.named("strays"):
            raise ValueError("stray is above 0 and strays names nobody")
        if self.final_learning_rate > self.learning_rate:
            raise ValueError("final_learning_rate is above learning_rate")
        return self

    def named(self, name: str) -> list[str]:
        """Return the names in an argument that lists them by commas."""
        return [one.strip() for one in getattr(self, name).split(",") if one.strip()]


def build(tree: Mapping[str, Any]) -> Args:
    """Return arguments from a mapping; ArgsError names the argument and what is allowed."""
    try:
        return Args.model_validate(tree)
    except ValidationError as error:
        first = error.errors()[0]
        flag = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else "arguments"
        given = "" if isinstance(first["input"], Mapping) else f" is {first['input']!r}"
        raise ArgsError(f"{flag}{given}: {first['msg']}") from error


def parse(argv: Sequence[str] | None = None) -> tuple[Args, bool]:
    """Return a run's arguments and whether to resume, from a command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.imitate", description="Fit a network to what a teacher does."
    )
    parser.add_argument(
        "--resume", action="store_true", help="Go on from the checkpoint in the run's folder."
    )
    for name, field in Args.model_fields.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            help=f"{field.description} (default {field.default!r})",
            default=argparse.SUPPRESS,
        )
    given = vars(parser.parse_args(argv))
    resume = given.pop("resume")
    return build(given), resume


def command(args: Args) -> str:
    """Return the command line of a run."""
    told = [
        f"--{name.replace('_', '-')} {shlex.quote(str(getattr(args, name)))}"
        for name, field in Args.model_fields.items()
        if getattr(args, name) != field.default
    ]
    return " ".join(["python -m training.imitate", *told])
