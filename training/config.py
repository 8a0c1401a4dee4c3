"""Arguments of a training run: one dataclass, read from YAML and overridden on the command line."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import yaml

from zhuoji_env.errors import ZhuojiError

SELF = "self"


class ConfigError(ZhuojiError):
    """Arguments that do not exist or are out of range."""


def _arg(default: Any, meaning: str, low: float = 0, high: float = math.inf) -> Any:
    metadata = {"help": meaning, "low": low, "high": high}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Args:
    """Everything that decides a run; equal arguments give equal runs on one machine."""

    rules: str = _arg("guiyang", "Ruleset that is played: a preset's name or a YAML file.")
    seed: int = _arg(1, "Seed of walls, seats, opponents, first weights and updates.")
    out: str = _arg("runs/sb3", "Folder that the run writes into.")
    decisions: int = _arg(2_000_000, "Decisions of the learner to train on.", 1)
    tables: int = _arg(1024, "Tables played at once.", 1)
    steps: int = _arg(16, "Decisions per table between two updates.", 1)
    batch_size: int = _arg(2048, "Decisions per gradient step.", 2)
    epochs: int = _arg(2, "Passes over the decisions of one update.", 1)
    learning_rate: float = _arg(2e-3, "Adam's step at the start.")
    final_learning_rate: float = _arg(2e-4, "Adam's step at the end, reached on a straight line.")
    entropy: float = _arg(0.01, "Weight of the policy's entropy in the loss.")
    clip: float = _arg(0.2, "How far a probability ratio counts (PPO's clip range).")
    gamma: float = _arg(1.0, "Discount per decision; a deal is short and undiscounted.", 0, 1)
    gae_lambda: float = _arg(0.95, "Trace decay of the advantage estimate.", 0, 1)
    value_weight: float = _arg(0.5, "Weight of the value error in the loss.")
    reward_unit: float = _arg(
        10.0, "Plain hands (base x hand.ping_hu points) that make a reward of 1.", 1e-6
    )
    channels: int = _arg(32, "Features of a kind after each convolution.", 1)
    convolutions: int = _arg(2, "Convolutions over ranks.", 1)
    hidden: int = _arg(128, "Features of the whole table.", 1)
    opponents: dict[str, float] = field(
        default_factory=lambda: {SELF: 0.6, "greedy": 0.3, "hu_first": 0.05, "random": 0.05},
        metadata={"help": "Weights of opponents; self stands for frozen copies of the learner."},
    )
    pool: int = _arg(3, "Frozen copies kept, the oldest replaced first.", 1)
    snapshot_every: int = _arg(8, "Updates between two frozen copies.", 1)
    checkpoint_every: int = _arg(20, "Updates between two checkpoints.", 1)
    threads: int = _arg(2, "Threads of the linear algebra.", 1)
    blocks: int = _arg(1000, "Walls per match at the end, each played from all four seats.", 2)
    against: str = _arg("random,hu_first,greedy", "Opponents of the matches at the end.")

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "opponents":
                _check_opponents(value)
            elif not isinstance(value, str) and not (
                f.metadata["low"] <= value <= f.metadata["high"]
            ):
                raise ConfigError(
                    f"{f.name} is {value}; allowed: {f.metadata['low']} to {f.metadata['high']}"
                )

    def to_dict(self) -> dict[str, Any]:
        """Return the arguments as plain values, in the order they are declared."""
        return asdict(self)


def _check_opponents(weights: dict[str, float]) -> None:
    fine = all(isinstance(w, int | float) and 0 <= w < math.inf for w in weights.values())
    if not weights or not fine or not sum(weights.values()):
        raise ConfigError(f"opponents are {weights}; allowed: names with weights, not all 0")


def from_mapping(tree: Any, where: str) -> Args:
    """Return arguments from a mapping; ConfigError names the key and what is allowed."""
    if not isinstance(tree, dict):
        raise ConfigError(f"{where}: {type(tree).__name__} given; allowed: a mapping of arguments")
    known = {f.name: f for f in fields(Args)}
    values: dict[str, Any] = {}
    for key, value in tree.items():
        if key not in known:
            raise ConfigError(f"{where}: unknown key {key!r}; allowed: {', '.join(known)}")
        wanted = type(getattr(Args(), key))
        if wanted is float and type(value) is int:
            value = float(value)
        if type(value) is not wanted:
            raise ConfigError(f"{where}: {key} is {value!r}; allowed: {wanted.__name__}")
        values[key] = value
    return Args(**values)


def read(path: str | Path) -> Args:
    """Return the arguments of a YAML file; ConfigError names file, key and what is allowed."""
    try:
        tree = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{path}: cannot be read: {reason}") from error
    return from_mapping({} if tree is None else tree, str(path))


def _weights(text: str) -> dict[str, float]:
    pairs = (part.partition("=") for part in text.split(","))
    return {name: float(weight) for name, _, weight in pairs}


def parse(argv: Sequence[str] | None = None) -> tuple[Args, bool]:
    """Return a run's arguments and whether to resume, from a command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.sb3",
        description="Train a policy by self-play with MaskablePPO, then play it against others. "
        "Without --config and --resume, a new run of the default length begins at once.",
    )
    parser.add_argument("--config", help="YAML file of arguments; those given here come on top.")
    parser.add_argument(
        "--resume", action="store_true", help="Go on from the checkpoint in the run's folder."
    )
    for f in fields(Args):
        default = getattr(Args(), f.name)
        convert: Any = _weights if isinstance(default, dict) else type(default)
        parser.add_argument(
            f"--{f.name.replace('_', '-')}",
            type=convert,
            metavar="NAME=WEIGHT,..." if isinstance(default, dict) else convert.__name__,
            help=f"{f.metadata['help']} (default {default})".replace("%", "%%"),
        )
    given = vars(parser.parse_args(argv))
    config, resume = given.pop("config"), given.pop("resume")
    args = read(config) if config else Args()
    return replace(args, **{k: v for k, v in given.items() if v is not None}), resume
