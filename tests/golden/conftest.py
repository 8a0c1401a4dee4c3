"""Each golden case runs through the engine and through the referee."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.scenario import Result, Scenario, settle

Play = Callable[..., Scenario]
Settle = Callable[[dict[str, Any]], Result]


@pytest.fixture(params=["engine", "referee"])
def implementation(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def play(implementation: str) -> Play:
    """Starts a deal: ``play(rules, hands=..., draws=...)``."""
    return partial(Scenario, implementation)


@pytest.fixture(name="settle")
def settle_position(implementation: str) -> Settle:
    """Settles a ``zhuoji-position/1`` object."""
    return partial(settle, implementation)
