"""Which rulesets a run plays, which table plays which, and what a sigma is in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from training.selfplay.config import Config, ConfigError, RulesEntry
from zhuoji_env.arena.contest import deviation
from zhuoji_env.rules import Rules
from zhuoji_env.rules.schema import nest

# Deals of greedy self-play that a sigma is measured on: its error is then about 2%.
SIGMA_DEALS = 4000
SIGMA_SEED = 20_240_601


@dataclass(frozen=True)
class Rulesets:
    """Rulesets with their shares of the tables, which add up to 1."""

    rules: tuple[Rules, ...]
    shares: tuple[float, ...]

    def index(self, tables: int) -> tuple[int, ...]:
        """Return each table's ruleset, in shares as even as whole tables allow."""
        ends = np.cumsum(self.shares)
        middles = (np.arange(tables) + 0.5) / tables
        found = np.minimum(np.searchsorted(ends, middles), len(self.rules) - 1)
        return tuple(int(i) for i in found)


def rulesets(config: Config) -> Rulesets:
    """Return the rulesets of a run; ranges are drawn from its seed. RulesError, ConfigError."""
    rules: list[Rules] = []
    shares: list[float] = []
    for number, entry in enumerate(config.rules):
        rng = np.random.default_rng([config.seed, number])
        for variant in range(entry.variants):
            rules.append(_variant(entry, rng, variant))
            shares.append(entry.weight / entry.variants)
    total = sum(shares)
    tables = config.shards * config.tables
    if len(rules) > tables:
        raise ConfigError(f"{len(rules)} rulesets at {tables} tables; allowed: one a table or more")
    return Rulesets(tuple(rules), tuple(share / total for share in shares))


def _variant(entry: RulesEntry, rng: np.random.Generator, number: int) -> Rules:
    base = Rules.load(entry.rules)
    if not entry.vary:
        return base
    drawn: dict[str, Any] = {
        path: values[rng.integers(len(values))] for path, values in entry.vary.items()
    }
    tree = {**base.to_dict(), "name": f"{base.name} variant {number}"}
    for section, given in nest(drawn).items():
        tree[section] = {**tree[section], **given} if isinstance(given, dict) else given
    return Rules.load(tree)


def sigma(rules: Rules) -> float:
    """Return the deviation of a seat's points per deal when greedy plays all four, in points.

    Walls are of the training family, which no match draws from.
    """
    return deviation(rules, SIGMA_DEALS, SIGMA_SEED, "training") or 1.0
