"""What a soak reports follows from what was measured: quantiles of a phase, shares, growth."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.bench.processes import Usage, children, descendants, usage
from botd.bench.soak_figures import (
    LAG,
    MAX_GROWTH_NUMBER,
    Growth,
    Observation,
    Page,
    grown,
    growth,
    phase,
    share,
)
from botd.metrics import buckets
from botd.metrics.registry import Metrics


def page(lags: list[float], matches: int = 0) -> Page:
    metrics = Metrics(["localhost:4321"])
    for lag in lags:
        metrics.loop_lag(lag)
    for _ in range(matches):
        metrics.server("localhost:4321").match_ended(1, "win")
        metrics.server("localhost:4321").match_ended(1, "left")
    return Page(metrics.render().decode())


def test_a_page_is_added_up_by_labels() -> None:
    seen = page([], matches=3)
    assert seen.total("botd_matches_total") == 6
    assert seen.total("botd_matches_total", result=("win", "loss")) == 3
    assert seen.total("botd_matches_total", result=("win",), length=("3",)) == 0
    assert seen.total("no_such_metric") == 0


LAGS = st.lists(st.floats(0, 20), min_size=1, max_size=60)


@given(LAGS, LAGS, LAGS)
def test_a_phase_holds_what_was_measured_in_it(
    before: list[float], one: list[float], two: list[float]
) -> None:
    """The bounds are those of the buckets around the true quantiles of both daemons' values together."""
    pages = page(before + one), page(two)
    found = phase("play", 1.0, pages, [page(before), page([])]).lateness
    values = sorted(one + two)
    assert found.count == len(values)
    for q, bound in ((0.5, found.p50), (0.99, found.p99), (0.999, found.p999), (1.0, found.most)):
        rank = next(n for n in range(1, len(values) + 1) if n >= q * len(values))
        true = values[rank - 1]
        assert bound == next((b for b in buckets.LAG if true <= b), None)


def test_a_phase_without_values_is_not_late() -> None:
    same = page([0.1])
    found = phase("play", 1.0, [same], [same]).lateness
    assert (found.count, found.p999) == (0, 0.0)
    assert len(phase("play", 1.0, [same]).latencies) == 4
    assert LAG in same._text


def test_shares_are_of_the_time_and_of_the_moves() -> None:
    found = share("server", cpu_s=30.0, seconds=600.0, moves=10_000)
    assert (found.cores, found.ms_per_move) == (0.05, 3.0)
    assert share("server", 1.0, 0.0, 0).ms_per_move == 0.0


def looks(sizes: list[int]) -> list[Observation]:
    return [Observation(Usage(0.0, size * 1_000_000, 10 + size), tasks=float(size)) for size in sizes]


def test_growth_is_the_last_third_over_the_middle_one() -> None:
    found = growth("daemon", looks([1, 1, 50, 50, 60, 60]))
    assert found == Growth("daemon", (50.0, 60.0), (60.0, 70.0), (50.0, 60.0))
    assert growth("daemon", looks([1, 2])) is None


@pytest.mark.parametrize(
    ("rss", "files", "tasks", "expected"),
    [
        ((50.0, 60.0), (10.0, 12.0), (400.0, 410.0), []),
        ((500.0, 600.0), (10.0, 12.0), None, ["MB of memory"]),
        ((50.0, 40.0), (10.0, 12.0 + MAX_GROWTH_NUMBER), None, ["open files"]),
        ((50.0, 50.0), (10.0, 10.0), (200.0, 400.0), ["tasks"]),
    ],
)
def test_what_grows_beyond_the_allowance_is_named(
    rss: tuple[float, float],
    files: tuple[float, float],
    tasks: tuple[float, float] | None,
    expected: list[str],
) -> None:
    found = grown(Growth("host daemon", rss, files, tasks))
    assert [text.split(": ")[1].split(" grew")[0] for text in found] == expected


def test_the_usage_of_this_very_process_and_of_none() -> None:
    used = usage(os.getpid())
    assert used is not None
    assert used.cpu_s > 0
    assert used.rss_bytes > 1_000_000
    assert used.open_files >= 3
    assert usage(2**22 + 1) is None  # above the highest process id of Linux
    assert children(2**22 + 1) == descendants(2**22 + 1) == ()


def test_grandchildren_are_descendants() -> None:
    # A shell gives what runs in the background no standard input, unless it is told to.
    command = ["/bin/sh", "-c", "exec 3<&0; /bin/sh -c 'echo; read x; exit' <&3 & wait"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()  # written by the inner shell, which then waits
        (inner,) = children(shell.pid)
        assert inner not in children(os.getpid())
        assert {shell.pid, inner} <= set(descendants(os.getpid()))
