"""What the metrics are told of matches and doubles."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from botd.daemon.happenings import Happenings
from botd.daemon.recorder import Recorder
from botd.daemon.story import Story
from botd.journal import Journal
from botd.journal.records import Suspension
from botd.metrics.registry import Metrics
from botd_protocols import game_events as ev
from tests.metrics.counted import counted

SERVER = "here:4321"


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    async with Journal(tmp_path / "j.sqlite3") as journal:
        yield journal


def new_story(journal: Journal) -> tuple[Story, Metrics]:
    metrics = Metrics([SERVER])
    return Story(
        Recorder(journal, Happenings(), account="me", server=SERVER), metrics.server(SERVER)
    ), metrics


def ended(metrics: Metrics) -> dict[str, float]:
    """Matches by how they ended."""
    return counted(metrics, "botd_matches_total", "result")


async def test_a_match_that_the_server_has_not_kept_has_expired(journal: Journal) -> None:
    story, metrics = new_story(journal)
    story.abandoned()
    assert ended(metrics) == {}
    story.hear(ev.MatchStarted("anna", 5))
    story.hear(ev.MatchSuspended("anna", "connection lost"))
    assert ended(metrics) == {"suspended": 1}
    story.abandoned()
    story.abandoned()
    assert ended(metrics) == {"suspended": 1, "expired": 1}


async def test_a_match_that_goes_on_or_that_we_have_left_does_not_expire(journal: Journal) -> None:
    story, metrics = new_story(journal)
    story.hear(ev.MatchStarted("anna", 5))
    story.lost(Suspension.CONNECTION_LOST)
    story.hear(ev.MatchResumed("anna", 5))
    story.abandoned()
    story.hear(ev.MatchSuspended("anna", "opponent idle", left_by_us=True))
    story.abandoned()
    assert "expired" not in ended(metrics)
    assert ended(metrics)["left"] == 1


@pytest.mark.parametrize("me", [True, False])
async def test_doubles_are_counted_by_who_offered_them(journal: Journal, me: bool) -> None:
    story, metrics = new_story(journal)
    story.hear(ev.CubeTaken(me, 2))
    story.hear(ev.CubeDropped(me, 1))
    direction = "received" if me else "offered"
    assert counted(metrics, "botd_doubles_total", "direction", "answer") == {
        f"{direction} take": 1,
        f"{direction} pass": 1,
    }
