"""Prints, at the end of a run, the tables that tests have recorded; no test is timed."""

from __future__ import annotations

import pytest
from hypothesis import settings

# A first call compiles, and machines are noisy: time says nothing about a test.
settings.register_profile("zhuoji", deadline=None)
settings.load_profile("zhuoji")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show every `record_property("table", ...)` of the run, whichever process it ran in."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, text in report.user_properties:
            if name == "table":
                terminalreporter.section(report.nodeid)
                terminalreporter.write_line(str(text))
