"""The story of a match reaches journal and subscribers, over a resumption too."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from botd.daemon import happenings as h
from botd.daemon.recorder import Recorder
from botd.engine import rules
from botd.engine.types import STARTING_BOARD, Board
from botd.journal import Journal
from botd.journal.records import CubeActionKind, GameEnd, Side, Suspension


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    async with Journal(tmp_path / "j.sqlite3") as journal:
        yield journal


def recorder(journal: Journal, happenings: h.Happenings | None = None) -> Recorder:
    return Recorder(journal, happenings or h.Happenings(), account="me", server="here:4321")


async def rows(journal: Journal, sql: str) -> list[tuple[object, ...]]:
    def ask(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
        return [tuple(row) for row in connection.execute(sql)]

    return await journal.ask(ask)


def play_first_moves(story: Recorder) -> None:
    story.match_started("anna", 3, (0, 0), resumed=False)
    story.game_started((0, 0), crawford=False)
    story.opening_rolled(3, 1)
    story.rolled(Side.US, (3, 1), STARTING_BOARD, opening=True)
    story.moved(Side.US, (3, 1), ((8, 5), (6, 5)), STARTING_BOARD, equity=0.16)


AFTER_31 = rules.mirrored(rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5))))
"""Seen by the opponent, who is on roll."""


async def test_a_match_is_told_to_both(journal: Journal) -> None:
    happenings = h.Happenings()
    subscription = happenings.subscribe()
    story = recorder(journal, happenings)
    play_first_moves(story)
    story.rolled(Side.OPPONENT, (5, 2), AFTER_31)
    story.moved(Side.OPPONENT, (5, 2), ((13, 8), (24, 22)), AFTER_31)
    story.cube_action(Side.US, CubeActionKind.DOUBLE, 2, equity=0.5)
    story.cube_action(Side.OPPONENT, CubeActionKind.PASS, 2)
    story.game_ended(Side.US, 1, GameEnd.PASSED, (1, 0))
    story.game_started((1, 0), crawford=False)
    story.game_ended(Side.US, 2, GameEnd.BORNE_OFF, (3, 0))
    story.match_ended(Side.US, (3, 0))
    happenings.close()
    assert await rows(journal, "SELECT opponent, length, state, winner, score_us FROM matches") == [
        ("anna", 3, "finished", "us", 3)
    ]
    assert await rows(journal, "SELECT game, side, notation, position_id <> '' FROM moves") == [
        (1, "us", "8/5 6/5", 1),
        (1, "opponent", "24/22 13/8", 1),
    ]
    assert await rows(journal, "SELECT game, winner, points, how, complete FROM games ORDER BY game") == [
        (1, "us", 1, "passed", 1),
        (2, "us", 2, "borne_off", 1),
    ]
    told = [happening async for happening in subscription]
    assert [type(happening) for happening in told] == [
        h.MatchStarted,
        h.GameStarted,
        h.Rolled,
        h.Moved,
        h.Rolled,
        h.Moved,
        h.CubeActed,
        h.CubeActed,
        h.GameOver,
        h.GameStarted,
        h.GameOver,
        h.MatchOver,
    ]
    moved = told[3]
    assert isinstance(moved, h.Moved)
    assert (moved.notation, moved.equity) == ("8/5 6/5", 0.16)
    assert moved.board == rules.mirrored(AFTER_31)


async def test_a_resumed_match_goes_on_in_its_game_without_a_gap(journal: Journal) -> None:
    story = recorder(journal)
    play_first_moves(story)
    story.match_suspended(Suspension.CONNECTION_LOST)
    story.match_started("anna", 3, (0, 0), resumed=True, board=AFTER_31)
    story.rolled(Side.OPPONENT, (5, 2), AFTER_31)  # before the journal has answered
    story.moved(Side.OPPONENT, (5, 2), ((13, 8), (24, 22)), AFTER_31)
    await story.settle()
    assert await rows(journal, "SELECT count(*), min(state) FROM matches") == [(1, "playing")]
    assert await rows(journal, "SELECT game, complete, gap FROM games") == [(1, 1, None)]
    assert await rows(journal, "SELECT side FROM moves ORDER BY seq") == [("us",), ("opponent",)]


async def test_missed_moves_are_marked(journal: Journal) -> None:
    story = recorder(journal)
    play_first_moves(story)
    story.match_suspended(Suspension.CONNECTION_LOST)
    story.match_started("anna", 3, (0, 0), resumed=True, board=STARTING_BOARD)
    await story.settle()
    assert await rows(journal, "SELECT complete FROM games") == [(0,)]


@pytest.mark.parametrize("board", [None, STARTING_BOARD])
@pytest.mark.parametrize(
    ("score", "end"),
    [
        ((2, 0), ("us", 2, "unknown")),
        ((0, 1), ("opponent", 1, "unknown")),
        ((1, 1), (None, None, None)),  # more than one game: nobody can tell
    ],
)
async def test_a_game_that_ended_unseen_is_told_by_the_score(
    journal: Journal, score: tuple[int, int], end: tuple[object, ...], board: Board | None
) -> None:
    """As when we are killed at the end of a game, before the journal is written."""
    story = recorder(journal)
    play_first_moves(story)
    story.match_suspended(Suspension.CONNECTION_LOST)
    story.match_started("anna", 3, score, resumed=True, board=board)
    await story.settle()
    ended = await rows(journal, "SELECT winner, points, how FROM games WHERE game = 1")
    assert ended == [end]
    assert await rows(journal, "SELECT gap FROM games WHERE game = 1") == [("its end was not seen",)]
    games = await rows(journal, "SELECT game, complete FROM games ORDER BY game")
    assert games == ([(1, 0)] if board is None else [(1, 0), (2, 0)])
    story.game_started(score, crawford=False)
    assert await rows(journal, "SELECT max(game) FROM games") == [(len(games) + 1,)]


async def test_a_resumed_match_the_journal_does_not_know(journal: Journal) -> None:
    story = recorder(journal)
    story.match_started("bjorn", 5, (2, 1), resumed=True, board=STARTING_BOARD)
    story.rolled(Side.US, (6, 5), STARTING_BOARD)
    await story.settle()
    assert await rows(journal, "SELECT opponent, first_score_us, first_score_opponent FROM matches") == [
        ("bjorn", 2, 1)
    ]
    assert await rows(journal, "SELECT game, complete FROM games") == [(1, 0)]
    assert await rows(journal, "SELECT die1 FROM rolls") == [(6,)]


async def test_a_move_that_does_not_fit_is_recorded_as_the_server_gave_it(journal: Journal) -> None:
    story = recorder(journal)
    story.match_started("anna", 3, (0, 0), resumed=False)
    story.game_started((0, 0), crawford=False)
    story.moved(Side.OPPONENT, (6, 5), ((23, 17),), STARTING_BOARD)
    assert await rows(journal, "SELECT notation, position_id FROM moves") == [("23/17", "")]


async def test_nothing_outside_a_match_is_recorded(journal: Journal) -> None:
    story = recorder(journal)
    story.rolled(Side.US, (1, 2), None)
    story.game_ended(Side.US, 1, GameEnd.UNKNOWN, (1, 0))
    story.match_ended(Side.US, (1, 0))
    story.match_suspended(Suspension.LEFT)
    assert await rows(journal, "SELECT count(*) FROM matches") == [(0,)]


async def test_matches_a_server_has_not_kept_are_never_resumed(journal: Journal) -> None:
    story = recorder(journal)
    play_first_moves(story)
    story.match_suspended(Suspension.CONNECTION_LOST)
    story.matches_abandoned()
    Recorder(journal, h.Happenings(), account="other", server="here:4321").match_started(
        "anna", 3, (0, 0), resumed=False
    )
    assert await rows(journal, "SELECT account, state FROM matches ORDER BY account") == [
        ("me", "discarded"),
        ("other", "playing"),
    ]
    story.match_started("anna", 3, (0, 0), resumed=True)
    await story.settle()
    assert await rows(journal, "SELECT count(*) FROM matches WHERE account = 'me'") == [(2,)]


async def test_a_rating_is_noted_when_it_is_new_and_with_the_match_it_comes_from(journal: Journal) -> None:
    happenings = h.Happenings()
    subscription = happenings.subscribe()
    story = recorder(journal, happenings)
    for _ in range(3):
        story.rating_seen(1500.0, 0)
    play_first_moves(story)
    story.rating_seen(1500.0, 0)
    story.match_ended(Side.US, (3, 0))
    story.rating_seen(1500.0, 0)  # told once more, before the new one
    story.rating_seen(1517.32, 3)
    story.rating_seen(1517.32, 3)
    story.rating_seen(1400.0, 3)  # the server has corrected it; no match did that
    ((key,),) = await rows(journal, "SELECT match FROM matches")
    assert await rows(
        journal, "SELECT account, server, rating, experience, match FROM ratings ORDER BY id"
    ) == [
        ("me", "here:4321", 1500.0, 0, None),
        ("me", "here:4321", 1517.32, 3, key),
        ("me", "here:4321", 1400.0, 3, None),
    ]
    happenings.close()
    seen = [each async for each in subscription if isinstance(each, h.RatingSeen)]
    assert [(each.rating, each.experience) for each in seen] == [(1500.0, 0), (1517.32, 3), (1400.0, 3)]


async def test_a_rating_belongs_to_no_match_once_another_has_begun(journal: Journal) -> None:
    story = recorder(journal)
    play_first_moves(story)
    story.match_ended(Side.US, (3, 0))
    story.match_started("bert", 1, (0, 0), resumed=False)
    story.rating_seen(1622.0, None)  # of matches of this length
    assert await rows(journal, "SELECT rating, experience, match FROM ratings") == [(1622.0, None, None)]


async def test_a_rating_told_while_the_journal_is_asked_waits_for_its_match(journal: Journal) -> None:
    story = recorder(journal)
    story.match_started("anna", 1, (0, 0), resumed=True)
    story.game_started((0, 0), crawford=False)
    story.match_ended(Side.US, (1, 0))
    story.rating_seen(1510.0, 1)
    await story.settle()
    ((key,),) = await rows(journal, "SELECT match FROM matches")
    assert await rows(journal, "SELECT rating, match FROM ratings") == [(1510.0, key)]
