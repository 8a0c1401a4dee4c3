"""What the expert believes and wants: every number it uses, each with its meaning and range.

What a hand, a kong or a chicken is worth is read from the ruleset; these are the chances and
weights that no ruleset states. `training/tune_expert.py` fits them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from zhuoji_env.errors import ZhuojiError


def _between(default: float, low: float, high: float, meaning: str) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "meaning": meaning})


@dataclass(frozen=True)
class Parameters:
    """The expert's parameters; `unit` is the fan of a basic hand under the ruleset in play."""

    # The pace of a deal. A round is one draw of each seat.
    others_end: float = _between(0.01, 0, 0.3, "chance that another seat wins in the first round")
    others_rise: float = _between(0.022, 0, 0.1, "what each round adds to that chance")
    others_melds: float = _between(0.0, 0, 0.05, "what each meld of another seat adds to it")
    others_baoting: float = _between(0.1, 0, 0.3, "what each other seat that is baoting adds to it")
    most_ends: float = _between(0.6, 0.1, 1, "no round is likelier than this to be the last")
    loss: float = _between(2.0, 0, 20, "units lost when another seat wins")
    peng_rate: float = _between(0.7, 0, 1.5, "how readily others discard a copy one could peng")
    win_rate: float = _between(0.8, 0, 1.5, "how readily others discard a copy one waits for")
    others_ready: float = _between(0.8, 0, 1, "share of other seats that are ready at a draw")
    ready_fan: float = _between(1.5, 0, 20, "units that a ready seat is paid at a draw")
    ting: float = _between(0.6, 0, 1, "chance to be ready or to win when somebody wins")

    # Progress of a hand: tiles that help when 1, 2, … tiles are lacking.
    help_1: float = _between(6.0, 1, 20, "unseen copies of the waits of a ready basic hand")
    help_2: float = _between(15.0, 4, 40, "copies that help when 2 are lacking")
    help_3: float = _between(24.0, 6, 50, "copies that help when 3 are lacking")
    help_4: float = _between(32.0, 8, 60, "copies that help when 4 are lacking, or more")
    carry: float = _between(0.0, -0.5, 1, "how much of a hand's present breadth stays with it")
    no_help: float = _between(0.5, 0.1, 1, "copies taken to help where none is unseen")
    claimable: float = _between(0.15, 0, 1, "share of a basic hand's help that a peng may bring")
    suit_1: float = _between(0.30, 0.05, 1, "share of a suit's unseen copies a pure hand awaits")
    suit_2: float = _between(0.55, 0.05, 1, "share that helps a pure hand lacking 2")
    suit_3: float = _between(0.70, 0.05, 1, "share that helps a pure hand lacking 3")
    suit_4: float = _between(0.80, 0.05, 1, "share that helps a pure hand lacking 4 or more")
    late_dou: float = _between(0.08, 0, 1, "chance that a hand without a dou gets its passport yet")
    other_routes: float = _between(0.3, 0, 1, "weight of routes other than the best")

    # Tastes. 1 is what the money says.
    big: float = _between(1.0, 0.3, 3, "weight of what a win pays above a basic hand")
    kong: float = _between(1.0, 0, 4, "weight of kongs, declared or hoped for")
    ji: float = _between(1.0, 0, 4, "weight of chickens")
    fear: float = _between(1.0, 0, 6, "weight of the danger of a discard")
    patience: float = _between(1.0, 0.5, 2, "weight of going on against a win at hand")
    baoting: float = _between(1.0, 0, 2, "weight of a declared ready hand against a free one")

    # Danger: how ready another seat looks, and what it may win with.
    ready_first: float = _between(0.02, 0, 0.5, "chance that a seat is ready before its discards")
    ready_discard: float = _between(0.045, 0, 0.2, "what each of its discards adds")
    ready_meld: float = _between(0.10, 0, 0.5, "what each of its melds adds")
    most_ready: float = _between(0.9, 0.3, 1, "no seat but a baoting one is likelier to be ready")
    single_way: float = _between(2.0, 0, 6, "ways to wait with a single tile; a run is 1")
    pair_way: float = _between(3.0, 0, 6, "ways to wait with a pair")
    wait_kinds: float = _between(2.0, 0.5, 6, "kinds that a ready seat waits for")
    higher: float = _between(0.06, 0, 0.5, "chance that a ready hand without melds is a higher one")
    one_suit: float = _between(0.12, 0, 1, "chance, for each meld of one suit, that a hand is pure")
    triplets: float = _between(0.12, 0, 1, "chance, for each peng, that a hand is all triplets")

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            low, high = one.metadata["low"], one.metadata["high"]
            if type(value) not in (int, float) or not low <= value <= high:
                raise ZhuojiError(f"{one.name} is {value!r}; allowed: numbers {low}..{high}")

    def record(self) -> np.void:
        """Return the parameters as kernels take them, one float64 a field."""
        values = np.zeros(1, DTYPE)
        for name, value in asdict(self).items():
            values[name] = value
        packed: np.void = values[0]
        return packed


DTYPE = np.dtype([(one.name, np.float64) for one in fields(Parameters)])
CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "agents"


def of_mapping(given: Mapping[str, Any], where: str) -> Parameters:
    """Return the parameters of a mapping; ZhuojiError names `where` and what is wrong."""
    known = [one.name for one in fields(Parameters)]
    for name in given:
        if name not in known:
            raise ZhuojiError(f"{where}: unknown {name!r}; allowed: {', '.join(known)}")
    try:
        return Parameters(**given)
    except ZhuojiError as error:
        raise ZhuojiError(f"{where}: {error}") from error


def load(path: Path) -> Parameters:
    """Return the parameters of a YAML file; `like` names a file beside it to start from."""
    return _load(path, (path.stem,))


def _load(path: Path, seen: tuple[str, ...]) -> Parameters:
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ZhuojiError(f"{path}: cannot be read ({type(error).__name__})") from error
    if not isinstance(given, dict):
        raise ZhuojiError(f"{path}: {type(given).__name__} given; allowed: names and numbers")
    like = given.pop("like", None)
    if like is None:
        return of_mapping(given, str(path))
    beside = [one.stem for one in sorted(path.parent.glob("*.yaml")) if one.stem not in seen]
    if like not in beside:
        raise ZhuojiError(f"{path}: like is {like!r}; allowed: {', '.join(beside)}")
    base = _load(path.with_name(f"{like}.yaml"), (*seen, like))
    return of_mapping({**asdict(base), **given}, str(path))
