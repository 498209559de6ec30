"""What holds for every test: no time limit on examples, no skips under BOTD_FORBID_SKIPS."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# How long an example takes says more about the machine than about the code.
settings.register_profile("botd", deadline=None)
settings.load_profile("botd")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped and os.environ.get("BOTD_FORBID_SKIPS"):
        terminalreporter.section("skips are forbidden here", red=True)
        for report in skipped:
            terminalreporter.line(report.nodeid)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("BOTD_FORBID_SKIPS") and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
