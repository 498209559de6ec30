"""What holds for every test: no time limit on examples, no skips under BOTD_FORBID_SKIPS, an empty cache."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

from tests.played import played_journals

__all__ = ["played_journals"]

ALLOWED_SKIPS = ("tests/daemon/test_real_bgammon_server.py", "tests/puretd/test_released_networks.py")
"""What needs a program, or networks of the user's, that cannot be had everywhere."""

# How long an example takes says more about the machine than about the code.
settings.register_profile("botd", deadline=None)
settings.load_profile("botd")

# A shell starts what runs in its background deaf to Ctrl-C, and our children would be so, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _empty_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Bear-off databases that a user of this machine has generated change answers of gnubg's evaluator."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


def _forbidden(reporter: pytest.TerminalReporter) -> list[pytest.TestReport]:
    """The tests that were skipped and must not be."""
    skipped = reporter.stats.get("skipped", [])
    return [report for report in skipped if not report.nodeid.startswith(ALLOWED_SKIPS)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = _forbidden(terminalreporter)
    if skipped and os.environ.get("BOTD_FORBID_SKIPS"):
        terminalreporter.section("skips are forbidden here", red=True)
        for report in skipped:
            terminalreporter.line(report.nodeid)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("BOTD_FORBID_SKIPS") and reporter and _forbidden(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
