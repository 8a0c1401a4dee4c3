"""What a run is made of: one model, read from YAML and overridden on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from zhuoji_env.errors import ZhuojiError

CURRENT, PAST = "current", "past"


class ConfigError(ZhuojiError):
    """Settings that do not exist or are out of range."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RulesEntry(_Model):
    """A ruleset to train on, or a family of them."""

    rules: str | dict[str, Any] = Field(description="A preset, a YAML file, or a mapping.")
    weight: float = Field(1.0, gt=0, description="Share of the tables, relative to the others.")
    vary: dict[str, list[Any]] = Field(
        default_factory=dict, description="Switches by path and the values they are drawn from."
    )
    variants: int = Field(
        1, ge=1, le=256, description="Rulesets drawn from `vary`, each with an even share."
    )

    @classmethod
    def of(cls, rules: str) -> RulesEntry:
        """Return the entry of a ruleset that is but named."""
        return cls.model_validate({"rules": rules})

    @model_validator(mode="after")
    def _variants_need_ranges(self) -> RulesEntry:
        if self.variants > 1 and not self.vary:
            raise ValueError("variants above 1 need `vary`")
        return self


Share = Annotated[float, Field(ge=0)]


class Config(_Model):
    """Everything that decides a run; equal settings and threads give equal runs on one machine."""

    # The game
    rules: list[RulesEntry] = Field(
        default_factory=lambda: [RulesEntry.of("guiyang")],
        min_length=1,
        description="Rulesets that are played, spread over the tables.",
    )
    seed: int = Field(1, ge=0, description="Seed of walls, first weights, draws and updates.")
    out: str = Field("runs/selfplay", description="Folder that the run writes into.")
    replace: bool = Field(
        False, description="Whether a run that the folder has already gives way to a new one."
    )
    decisions: int = Field(
        8_000_000, ge=1, description="Decisions of the learner to train on, forced moves left out."
    )
    begin_from: str = Field(
        "",
        description="Policy file whose weights and size the actor begins with; none: from nothing.",
    )
    # Collecting
    shards: int = Field(2, ge=1, description="Independent groups of tables, one batch each.")
    tables: int = Field(512, ge=1, description="Tables of a shard, played in lockstep.")
    steps: int = Field(64, ge=1, description="Decisions per table between two updates.")
    collector: Literal["local", "ray"] = Field(
        "local", description="Who plays the shards: threads of this process, or Ray's actors."
    )
    workers: int = Field(2, ge=1, description="Actors of the collector ray, of one core each.")
    ray_address: str = Field(
        "", description="Ray's cluster, as `ray start` tells it, or auto; none: Ray is begun here."
    )
    staleness: int = Field(
        0, ge=0, le=1, description="Updates that a batch's weights may be old; 1: collect ahead."
    )
    # The networks
    channels: int = Field(64, ge=1, description="The actor's features of a tile kind.")
    convolutions: int = Field(2, ge=1, description="The actor's convolutions over ranks.")
    hidden: int = Field(256, ge=1, description="The actor's features of the whole table.")
    critic_channels: int = Field(48, ge=1, description="The critic's features of a tile kind.")
    critic_convolutions: int = Field(2, ge=1, description="The critic's convolutions over ranks.")
    critic_hidden: int = Field(256, ge=1, description="The critic's features of the whole table.")
    bins: int = Field(51, ge=3, description="Bins of the value's distribution, signed-sqrt apart.")
    span: float = Field(30.0, gt=0, description="Largest value that the bins reach, in sigma.")
    item_weight: float = Field(
        0.1, ge=0, description="Weight of the bill items' squared errors in the critic's loss."
    )
    # The update
    batch_size: int = Field(4096, ge=2, description="Decisions per gradient step.")
    epochs: int = Field(1, ge=1, description="Passes over the decisions of one update.")
    learning_rate: float = Field(1e-3, gt=0, description="Adam's step at the start.")
    final_learning_rate: float = Field(1e-4, gt=0, description="Adam's step at the end.")
    trace: float = Field(0.97, ge=0, le=1, description="Trace decay of the advantage (lambda).")
    clip: float = Field(0.2, gt=0, description="How far a probability ratio counts (PPO's clip).")
    entropy: float = Field(0.01, ge=0, description="Least weight of the policy's entropy.")
    entropy_floor: float = Field(
        0.2, ge=0, description="Mean entropy in nats below which its weight is raised."
    )
    pull: float = Field(
        0.02, ge=0, description="Weight of the divergence from the actor's moving average."
    )
    average: float = Field(
        0.99, ge=0, lt=1, description="How much of the moving average a gradient step keeps."
    )
    target_kl: float = Field(
        0.02, gt=0, description="Divergence of an update that the learning rate is steered to."
    )
    grad_norm: float = Field(1.0, gt=0, description="Longest gradient that is taken whole.")
    critic_first: int = Field(
        0, ge=0, description="Updates at the start that fit the critic alone (warm starts)."
    )
    bfloat16: bool = Field(True, description="Whether networks are trained in bfloat16.")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Where the update is computed; auto: on a GPU if there is one."
    )
    # Opponents
    opponents: dict[str, Share] = Field(
        default_factory=lambda: {CURRENT: 0.8, PAST: 0.15, "greedy": 0.05},
        description="Shares of deals: all seats current, some past copies, or some of an agent.",
    )
    past_seats: list[Annotated[int, Field(ge=1, le=3)]] = Field(
        [1, 2], min_length=1, description="How many seats past copies take, each as likely."
    )
    agent_seats: list[Annotated[int, Field(ge=1, le=3)]] = Field(
        [1, 2, 3], min_length=1, description="How many seats an agent takes, each as likely."
    )
    past: int = Field(8, ge=1, description="Past copies kept.")
    past_every: int = Field(10, ge=1, description="Updates between two past copies.")
    # Safety
    checkpoint_every: int = Field(20, ge=1, description="Updates between two checkpoints.")
    lowest_entropy: float = Field(
        0.02, ge=0, description="Mean entropy in nats below which the run is rolled back."
    )
    highest_kl: float = Field(
        0.3, gt=0, description="Divergence of an update above which the run is rolled back."
    )
    rollbacks: int = Field(4, ge=0, description="Roll-backs after which the run gives up.")
    # Seeing it
    strength_every: int = Field(40, ge=1, description="Updates between two measured strengths.")
    strength_blocks: int = Field(250, ge=50, description="Blocks of such a match.")
    against: list[str] = Field(
        ["greedy"], min_length=1, description="Opponents of those matches: specs as the arena's."
    )
    final_blocks: int = Field(1000, ge=50, description="Blocks of each match at the end.")
    final_against: list[str] = Field(
        ["random", "hu_first", "shanten", "greedy", "untrained"],
        description="Opponents at the end; untrained is the run's own first policy.",
    )
    threads: int = Field(2, ge=1, description="Threads of the update, and of collecting.")

    @field_validator("rules", mode="before")
    @classmethod
    def _names_are_entries(cls, given: Any) -> Any:
        if not isinstance(given, list):
            return given
        return [{"rules": one} if isinstance(one, str) else one for one in given]

    @model_validator(mode="after")
    def _somebody_learns(self) -> Config:
        if sum(self.opponents.values()) <= 0:
            raise ValueError("opponents: the shares are all 0; allowed: at least one above")
        if self.final_learning_rate > self.learning_rate:
            raise ValueError("final_learning_rate is above learning_rate")
        if self.collector == "ray" and self.workers > self.shards:
            raise ValueError("workers are more than shards, which each play at one worker")
        return self

    def agents(self) -> list[str]:
        """Return the opponents that are agents, in the order given."""
        return [name for name in self.opponents if name not in (CURRENT, PAST)]


def build(tree: Mapping[str, Any], where: str) -> Config:
    """Return settings from a mapping; ConfigError names the key and what is allowed."""
    for key in tree:
        if key not in Config.model_fields:
            allowed = ", ".join(Config.model_fields)
            raise ConfigError(f"{where}: unknown key {key!r}; allowed: {allowed}")
    try:
        return Config.model_validate(tree)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(map(str, first["loc"])) or "settings"
        given = "" if isinstance(first["input"], Mapping) else f" is {first['input']!r}"
        raise ConfigError(f"{where}: {path}{given}: {first['msg']}") from error


def read(path: str | Path) -> dict[str, Any]:
    """Return the mapping of a YAML file; ConfigError if there is none."""
    try:
        tree = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{path}: cannot be read: {reason}") from error
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{path}: {type(tree).__name__} given; allowed: a mapping of settings")
    return tree


def parse(argv: Sequence[str] | None = None) -> tuple[Config, bool]:
    """Return a run's settings and whether to resume, from a command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.selfplay",
        description="Train a policy by self-play, then play it against others.",
    )
    parser.add_argument("--config", help="YAML file of settings; those given here come on top.")
    parser.add_argument(
        "--resume", action="store_true", help="Go on from the checkpoint in the run's folder."
    )
    for name, field in Config.model_fields.items():
        default = field.get_default(call_default_factory=True)
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            metavar="YAML",
            help=f"{field.description} (default {default!r})".replace("%", "%%"),
        )
    given = vars(parser.parse_args(argv))
    config, resume = given.pop("config"), given.pop("resume")
    tree = read(config) if config else {}
    for name, text in given.items():
        if text is not None:
            tree[name] = _value(name, text)
    return build(tree, config or "command line"), resume


def _value(name: str, text: str) -> Any:
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"--{name.replace('_', '-')}: {text!r} is not YAML") from error
    # YAML reads 1e-3 as a string and an absent text as null.
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return text if value is None else value
