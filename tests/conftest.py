"""What test files share: fixtures, and the tables that are printed at the end; none is timed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

# A first call compiles, and machines are noisy: time says nothing about a test.
settings.register_profile("zhuoji", deadline=None)
settings.load_profile("zhuoji")


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Let torch have one thread, as a run's own do."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def quick_sigma(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure a ruleset's sigma on a handful of deals."""
    from training.selfplay import rulesets

    monkeypatch.setattr(rulesets, "SIGMA_DEALS", 40)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show every `record_property("table", ...)` of the run, whichever process it ran in."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, text in report.user_properties:
            if name == "table":
                terminalreporter.section(report.nodeid)
                terminalreporter.write_line(str(text))
