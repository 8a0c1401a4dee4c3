"""The engine against the referee: legal sets, hands, bills, next dealers and positions agree.

`test_every_branch` prints how often each branch of COVERAGE.md was reached (tests/conftest.py);
none is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.coverage_table import deals_to_play, missing, new_counts, table, unknown
from tests.lockstep import play_together
from tests.referee import PRESETS, Rules
from tests.rigging import FAN, PATTERN_FAN, THEMES, VALUES, turned_once, with_value

BATCH = 200
DEALS = 14_000
MAX_FAN = 10_000


@pytest.mark.parametrize("theme", THEMES)
def test_presets(theme: str) -> None:
    rng = Random(f"presets {theme}")
    jobs = [(theme, rules) for rules in PRESETS.values() for _ in range(10)]
    assert len(play_together(jobs, rng, new_counts())) == len(jobs)


@pytest.mark.boundscheck
@pytest.mark.parametrize("preset", PRESETS)
def test_every_switch_turned_once(preset: str) -> None:
    rng = Random(f"turned {preset}")
    jobs = [(rng.choice(list(THEMES)), rules) for _, rules in turned_once(preset)]
    play_together(jobs, rng, new_counts())


@pytest.mark.slow
def test_every_branch(record_property: Callable[[str, Any], None]) -> None:
    rng, counts = Random("every branch"), new_counts()
    jobs = deals_to_play(rng)
    for _ in range(DEALS // BATCH):
        play_together(list(islice(jobs, BATCH)), rng, counts)
    record_property("table", table(counts))
    assert missing(counts) == []
    assert unknown(counts) == []


def _values(values: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """A switch's whole range: any fan where the rigged deals use a few."""
    if values == FAN:
        return st.integers(0, MAX_FAN)
    if values == PATTERN_FAN:
        return st.none() | st.integers(0, MAX_FAN)
    return st.sampled_from(values)


@st.composite
def whole_rules(draw: st.DrawFn) -> Rules:
    """A ruleset with every switch drawn."""
    rules = {**PRESETS["guiyang"], "name": "drawn"}
    for path, values in VALUES.items():
        rules = with_value(rules, path, draw(_values(values)))
    return rules


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(rules=whole_rules(), theme=st.sampled_from(sorted(THEMES)), seed=st.integers(0, 2**32))
def test_whole_rulesets(rules: Rules, theme: str, seed: int) -> None:
    play_together([(theme, rules)] * 3, Random(seed), new_counts())
