"""Matches under faults drawn from a seed: every one is finished, and nothing is raised."""

from __future__ import annotations

from functools import cache

import pytest

from botd_protocols.fibs import client_events as ev
from tests.fibs.fault_schedule import CALM_AFTER, RestlessTable

IN_CI = range(40)
NIGHTLY = range(1000, 3000)
MOST_REFUSED = 60
"""Commands in a match that the server refuses, a dozen faults notwithstanding."""


@cache
def _faults(seed: int) -> tuple[str, ...]:
    """Play the match of a seed to its end; the faults it met."""
    table = RestlessTable(seed)
    table.play()
    for seat in table.seats:
        for event in seat.seen(ev.MatchEnded):
            assert isinstance(event, ev.MatchEnded)
            assert max(event.score, event.opponent_score) >= table.length
    refused = [found for found in table.server.violations if found.kind == "error-reply"]
    assert len(refused) <= MOST_REFUSED, "the same thing again and again"
    return tuple(table.told)


@pytest.mark.parametrize("seed", IN_CI)
def test_a_match_under_faults_is_finished(seed: int) -> None:
    _faults(seed)


def test_the_schedules_have_every_kind_of_fault() -> None:
    kinds = {told.split()[0] for seed in IN_CI for told in _faults(seed)}
    assert len(kinds) == 8


@pytest.mark.nightly
@pytest.mark.timeout(3000)
def test_thousands_of_matches_under_faults_are_finished() -> None:
    faults = sum(len(_faults(seed)) for seed in NIGHTLY)
    assert faults > len(NIGHTLY) * CALM_AFTER // 4
