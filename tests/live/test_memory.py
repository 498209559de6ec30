"""What the journal adds to the live document: the past of a resumed match, the number of one that is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from botd.daemon import happenings as h
from botd.engine.engine import SageEngine
from botd.engine.types import STARTING_BOARD, GameContext, PlayDecision
from botd.journal import Journal
from botd.journal.records import DecisionKind, GameKey, MatchKey, Side
from botd.live.documents import MAX_DECISIONS, Account
from botd.live.feed import LiveFeed
from botd.live.memory import JournalMemory
from botd.live.state import LiveState
from tests.live.happening import INFO, ME, snapshot, told
from tests.waiting import until

NUMBER = 30


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    async with Journal(tmp_path / "j.sqlite3") as journal:
        yield journal


def decision() -> PlayDecision:
    return SageEngine.load().choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=0)


def written(journal: Journal) -> MatchKey:
    """A match with NUMBER decisions of ours in its first game, one more in its second."""
    match = journal.match_started(server="here:4321", account="me", opponent="anna", length=5)
    made = decision()
    for game in (1, 2):
        journal.game_started(match, game, (0, 0))
        for _ in range(NUMBER if game == 1 else 1):
            journal.decision(
                GameKey(match, game), DecisionKind.PLAY, position_id="", match_id="", dice=(3, 1),
                chosen="8/5 6/5", decision=made, engine=INFO, duration=0.1, source="search", settings={},
            )  # fmt: skip
    return match


async def followed(state: LiveState, journal: Path) -> tuple[h.Happenings, asyncio.Task[None]]:
    happenings = h.Happenings()
    feed = LiveFeed(state, happenings.subscribe(details=True), snapshot, list, JournalMemory(journal))
    return happenings, asyncio.create_task(feed.run())


def shown(state: LiveState) -> Account:
    account = state.account(ME)
    assert account is not None
    return account


async def test_a_resumed_match_has_its_past(journal: Journal, tmp_path: Path) -> None:
    key = written(journal)
    await until(lambda: not journal.status().pending)
    state = LiveState("one", INFO)
    happenings, task = await followed(state, tmp_path / "j.sqlite3")
    happenings.publish(told(h.MatchStarted, opponent="anna", length=5, score=(0, 0), resumed=True))
    happenings.publish(told(h.MatchNamed, key=key, game=2))
    await until(lambda: (match := shown(state).match) is not None and match.curve)
    match = shown(state).match
    assert match is not None
    assert [point.game for point in match.curve] == [1] * NUMBER + [2]
    assert [point.n for point in match.curve] == list(range(1, NUMBER + 2))
    assert len(match.decisions) == MAX_DECISIONS
    assert (match.decisions[0].game, match.decisions[1].game) == (2, 1)
    best = decision().best
    assert match.decisions[0].equity == pytest.approx(best.equity, abs=1e-6)
    happenings.publish(
        told(
            h.Decided, kind=DecisionKind.PLAY, position_id="new", match_id="", dice=(3, 1), chosen="8/5 6/5",
            decision=decision(), engine=INFO, source="search", duration=0.1,
        )
    )  # fmt: skip
    await until(lambda: (match := shown(state).match) is not None and match.curve[-1].n == NUMBER + 2)
    match = shown(state).match
    assert match is not None
    assert match.decisions[0].position_id == "new"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_new_match_asks_for_nothing(tmp_path: Path) -> None:
    state = LiveState("one", INFO)
    state.snapshot(snapshot())
    state.happened(told(h.MatchStarted, opponent="anna", length=5, score=(0, 0), resumed=False))
    state.happened(told(h.MatchNamed, key=MatchKey("k"), game=0))
    assert state.take_questions() == []


async def test_a_match_that_is_over_gets_its_number(journal: Journal, tmp_path: Path) -> None:
    state = LiveState("one", INFO)
    happenings, task = await followed(state, tmp_path / "j.sqlite3")
    key = written(journal)
    happenings.publish(told(h.MatchStarted, opponent="anna", length=5, score=(0, 0), resumed=False))
    happenings.publish(told(h.MatchNamed, key=key, game=0))
    happenings.publish(told(h.MatchOver, opponent="anna", winner=Side.US, score=(5, 0)))
    await until(lambda: (last := shown(state).last_match) is not None and last.number == 1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_journal_that_cannot_be_read_is_no_trouble(tmp_path: Path) -> None:
    memory = JournalMemory(tmp_path / "absent.sqlite3")
    assert await memory.decisions(MatchKey("k"), 1.0) == []
