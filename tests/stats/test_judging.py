"""Games judged event by event: against the engine asked directly, and where nothing can be judged."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from botd import _core
from botd.engine import rules
from botd.engine.engine import SageEngine
from botd.engine.met import default_met_path, load_met
from botd.engine.types import STARTING_BOARD, CubeOwner, GameContext, Scoring
from botd.journal import records as r
from botd.journal.history import MatchHistory, load_history
from botd.stats.judging import Judged, JudgedKind, ServerRules, UnjudgeableError, judge_game
from tests.stats.journals import Writer, journal_writer
from tests.tolerances import EXACT_SUM

US, OPPONENT = r.Side.US, r.Side.OPPONENT
KEY = r.MatchKey("20260528-000000-00000001")
GAME = r.GameKey(KEY, 1)
TABLE: _core.MatchEquityTable = load_met(default_met_path()).table()


@pytest.fixture(scope="module")
def engine() -> SageEngine:
    return SageEngine.load()


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Writer]:
    with journal_writer(tmp_path / "j.sqlite3") as writer:
        yield writer


def begin(write: Writer, length: int = 5, score: tuple[int, int] = (0, 0), *, crawford: bool = False) -> None:
    write(r.MatchStarted, KEY, "s", "botd", "anna", length)
    write(r.GameStarted, GAME, score, crawford=crawford)
    write(r.Rolled, GAME, US, (3, 1), opening=True)
    write(r.Moved, GAME, US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5")


def judged(engine: SageEngine, write: Writer, *, ply: int = 0, first: int = 0) -> list[Judged]:
    history = load_history(write.connection, KEY)
    [game] = history.games
    return list(judge_game(engine, history, game, TABLE, ply=ply, first=first))


def best(engine: SageEngine, board: tuple[int, ...], context: GameContext, roll: tuple[int, int]) -> float:
    return engine.choose_play(board, context, roll, ply=0).best.equity


def test_luck_is_the_roll_less_the_average_of_all(engine: SageEngine, write: Writer) -> None:
    """The luck of 6-6 after 3-1, added up here over the 36 rolls."""
    begin(write)
    write(r.Rolled, GAME, OPPONENT, (6, 6))
    luck = judged(engine, write)[-1]
    assert (luck.kind, luck.side, luck.event) == (JudgedKind.ROLL, OPPONENT, 2)
    board = rules.mirrored(rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5))))
    context = GameContext(match_length=5)
    every = [best(engine, board, context, (a, b)) for a in range(1, 7) for b in range(1, 7)]
    expected = best(engine, board, context, (6, 6)) - sum(every) / 36
    assert luck.value == pytest.approx(expected, abs=EXACT_SUM)
    assert luck.value > 0.3  # the best of rolls


def test_luck_of_the_opening_is_against_the_openings_of_both(engine: SageEngine, write: Writer) -> None:
    begin(write)
    luck = judged(engine, write)[0]
    mine, theirs = GameContext(match_length=5, seat=0), GameContext(match_length=5, seat=1)
    rolls = [(a, b) for a in range(1, 7) for b in range(1, a)]
    values = [best(engine, STARTING_BOARD, mine, roll) for roll in rolls]
    values += [-best(engine, STARTING_BOARD, theirs, roll) for roll in rolls]
    expected = best(engine, STARTING_BOARD, mine, (3, 1)) - sum(values) / 30
    assert luck.value == pytest.approx(expected, abs=EXACT_SUM)


def test_a_bad_play_costs_what_the_best_one_gains(engine: SageEngine, write: Writer) -> None:
    write(r.MatchStarted, KEY, "s", "botd", "anna", 5)
    write(r.GameStarted, GAME, (0, 0))
    write(r.Rolled, GAME, OPPONENT, (1, 3), opening=True)
    write(r.Moved, GAME, OPPONENT, (1, 3), ((6, 5), (6, 3)), "6/5 6/3")
    play = judged(engine, write, ply=1)[-1]
    context = GameContext(match_length=5, seat=1)
    decision = engine.choose_play(STARTING_BOARD, context, (1, 3), ply=1)
    played = rules.apply_steps(STARTING_BOARD, ((6, 5), (6, 3)))
    found = next(entry for entry in decision.plays if entry.play.board == played)
    assert (play.kind, play.side, play.counted) == (JudgedKind.PLAY, OPPONENT, True)
    assert play.value == pytest.approx(found.equity - decision.best.equity, abs=EXACT_SUM)
    assert play.value < -0.1


def test_cube_actions_are_judged_from_the_doubler(engine: SageEngine, write: Writer) -> None:
    begin(write)
    write(r.CubeAction, GAME, OPPONENT, r.CubeActionKind.DOUBLE, 2)
    write(r.CubeAction, GAME, US, r.CubeActionKind.PASS, 2)
    double, answer = judged(engine, write, first=2)
    board = rules.mirrored(rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5))))
    cube = engine.cube_action(board, GameContext(match_length=5, seat=1), ply=0)
    assert (double.kind, double.side) == (JudgedKind.DOUBLE, OPPONENT)
    assert double.value == pytest.approx(min(cube.double_take, cube.double_pass) - cube.no_double)
    assert (answer.kind, answer.side) == (JudgedKind.PASS, US)
    assert answer.value == pytest.approx(cube.double_take - cube.double_pass)
    assert double.value < -0.2 > answer.value


def test_the_cube_changes_hands_and_stakes(engine: SageEngine, write: Writer) -> None:
    begin(write, length=0)
    write(r.CubeAction, GAME, OPPONENT, r.CubeActionKind.DOUBLE, 2)
    write(r.CubeAction, GAME, US, r.CubeActionKind.TAKE, 2)
    write(r.Rolled, GAME, OPPONENT, (6, 6))
    write(r.Moved, GAME, OPPONENT, (6, 6), ((24, 18), (24, 18), (13, 7), (13, 7)), "24/18(2) 13/7(2)")
    write(r.Rolled, GAME, US, (2, 1))
    found = judged(engine, write)
    assert [(j.kind, j.stake) for j in found if j.event >= 2] == [
        (JudgedKind.DOUBLE, 1.0),
        (JudgedKind.TAKE, 1.0),
        (JudgedKind.ROLL, 2.0),  # the doubler cannot double again, so there is no decision
        (JudgedKind.PLAY, 2.0),
        (JudgedKind.NO_DOUBLE, 2.0),
        (JudgedKind.ROLL, 2.0),
    ]
    after = rules.mirrored(rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5))))
    after = rules.mirrored(rules.apply_steps(after, ((24, 18), (24, 18), (13, 7), (13, 7))))
    cube = engine.cube_action(after, GameContext(cube_value=2, cube_owner=CubeOwner.PLAYER), ply=0)
    assert found[-2].value == pytest.approx(cube.no_double - cube.optimal)


def test_a_beaver_is_a_take_and_living_with_it_no_decision(engine: SageEngine, write: Writer) -> None:
    begin(write, length=0)
    write(r.CubeAction, GAME, OPPONENT, r.CubeActionKind.DOUBLE, 2)
    write(r.CubeAction, GAME, US, r.CubeActionKind.BEAVER, 4)
    write(r.CubeAction, GAME, OPPONENT, r.CubeActionKind.TAKE, 4)
    write(r.Rolled, GAME, OPPONENT, (6, 6))
    found = judged(engine, write)
    assert [(j.kind, j.side, j.stake) for j in found if j.event >= 2] == [
        (JudgedKind.DOUBLE, OPPONENT, 1.0),
        (JudgedKind.TAKE, US, 1.0),
        (JudgedKind.ROLL, OPPONENT, 4.0),
    ]


def test_automatic_doubles_raise_the_stake(engine: SageEngine, write: Writer) -> None:
    write(r.MatchStarted, KEY, "s", "botd", "anna", 0)
    write(r.GameStarted, GAME, (0, 0))
    write(r.Rolled, GAME, None, (2, 2), opening=True)
    write(r.CubeAction, GAME, None, r.CubeActionKind.AUTOMATIC, 2)
    write(r.Rolled, GAME, US, (3, 1), opening=True)
    [luck] = judged(engine, write)
    assert luck.stake == 2.0


@pytest.mark.parametrize(
    ("score", "crawford"), [((0, 0), False), ((4, 2), True), ((2, 4), False), ((3, 3), False)]
)
def test_a_match_stake_is_half_of_what_the_cube_decides(
    engine: SageEngine, write: Writer, score: tuple[int, int], crawford: bool
) -> None:
    begin(write, 5, score, crawford=crawford)
    ours, theirs = 5 - score[0], 5 - score[1]
    later = crawford or 1 in (ours, theirs)
    won, lost = TABLE.chances(ours - 1, theirs, later), TABLE.chances(ours, theirs - 1, later)
    assert judged(engine, write)[0].stake == pytest.approx((won - lost) / 2)
    assert won > lost


def test_forced_plays_and_dances_are_moves_that_do_not_count(engine: SageEngine, write: Writer) -> None:
    begin(write)
    # Closed out after nothing that could happen so soon: the record only has to follow the rules of turns.
    write(r.Rolled, GAME, OPPONENT, (5, 5))
    write(r.Moved, GAME, OPPONENT, (5, 5), (), "")
    found = judged(engine, write, first=2)
    # The server let a move pass that the rules do not know: it is not judged, the roll is.
    assert [j.kind for j in found] == [JudgedKind.NO_DOUBLE, JudgedKind.ROLL]


def test_a_match_too_long_for_the_engine_is_said_to_be(engine: SageEngine, write: Writer) -> None:
    begin(write, length=99)
    with pytest.raises(UnjudgeableError, match="match"):
        judged(engine, write)


def test_the_rules_of_the_server_are_heeded(engine: SageEngine, write: Writer) -> None:
    begin(write)
    write(r.Rolled, GAME, OPPONENT, (6, 6))
    history: MatchHistory = load_history(write.connection, KEY)
    [game] = history.games
    usual, bgammon = (
        [j.value for j in judge_game(engine, history, game, TABLE, ply=0, rules_of=ServerRules(scoring, 64))]
        for scoring in (Scoring.STANDARD, Scoring.BGAMMON)
    )
    assert len(usual) == len(bgammon)
    assert usual != bgammon


def test_judging_in_parts_is_judging_the_whole(engine: SageEngine, write: Writer) -> None:
    begin(write)
    write(r.CubeAction, GAME, OPPONENT, r.CubeActionKind.DOUBLE, 2)
    write(r.CubeAction, GAME, US, r.CubeActionKind.TAKE, 2)
    write(r.Rolled, GAME, OPPONENT, (6, 6))
    history = load_history(write.connection, KEY)
    [game] = history.games
    whole = list(judge_game(engine, history, game, TABLE, ply=0))
    for cut in range(len(game.events) + 1):
        parts = list(judge_game(engine, history, game, TABLE, ply=0, last=cut))
        parts += judge_game(engine, history, game, TABLE, ply=0, first=cut)
        assert parts == whole


def test_nothing_is_judged_behind_a_hole(engine: SageEngine, tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        begin(write)
        write(r.GameGap, GAME, "the connection was lost")
        write(r.Rolled, GAME, OPPONENT, (6, 6))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        history = load_history(connection, KEY)
    [game] = history.games
    found = list(judge_game(engine, history, game, TABLE, ply=0))
    assert [j.kind for j in found] == [JudgedKind.ROLL, JudgedKind.PLAY]
