"""Rollouts against Open Sage's, against exact values, and against themselves cut into pieces."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd import _core
from botd.engine import rules
from botd.engine.core_arguments import cube_state, other_side
from botd.engine.rollout import ROLLOUT_LEVELS, Roller, RolloutSettings
from botd.engine.types import STARTING_BOARD, CubeOwner, GameContext, TakeAction
from tests.search.conftest import DATA
from tests.tolerances import EXACT_ROLLOUT, ROLLOUT_CLOSE_PLAY, ROLLOUT_EQUITY

MONEY = GameContext(jacoby=True, beavers=True)
MATCH = GameContext(match_length=5, score_player=1, score_opponent=2)
SHORT = dataclasses.replace(ROLLOUT_LEVELS["1T"], games=60, truncate=4)  # with luck of the first roll
DEEP = RolloutSettings(
    games=20, truncate=4, play_ply=1, cube_ply=1, truncation_ply=1, late_ply=0, late_from=3, seed=7
)


def chances(p):
    return dataclasses.astuple(p)


def board_of(points, opposing):
    """A board with own checkers on `points`, and the opponent's on his own points `opposing`."""
    board = [0] * 26
    for point in points:
        board[point] += 1
    for point in opposing:
        board[25 - point] -= 1
    return tuple(board)


def test_recorded_rollouts_are_reproduced(engine, vectors, context_of):
    records = [record for record in vectors["edge"] if record["kind"] == "rollout"]
    assert len(records) == 7
    roller = Roller(engine, ROLLOUT_LEVELS["1T"])
    for record in records:
        label = record["tests"]
        assert (record["games"], record["seed"]) == (roller.settings.games, roller.settings.seed)
        cube = roller.cube(tuple(record["board"]), context_of(record["context"]))
        decision = cube.decision
        got = (decision.no_double, decision.double_take, decision.double_pass, decision.cubeless_equity)
        expected = (record["nd"], record["dt"], record["dp"], record["cubeless_equity"])
        assert got == pytest.approx(expected, abs=ROLLOUT_EQUITY), label
        assert chances(decision.probabilities) == pytest.approx(record["probs"], abs=ROLLOUT_EQUITY), label
        assert decision.double == record["double"], label
        assert (decision.response is not TakeAction.PASS) == record["take"], label
        assert (decision.response is TakeAction.BEAVER) == record["beaver"], label
        if "games_with_both_branches_passed" in record:
            assert cube.both_passed == record["games_with_both_branches_passed"], label


def test_deeper_recorded_rollouts_are_reproduced(engine, context_of):
    records = [json.loads(line) for line in (DATA / "sage-rollouts.jsonl").read_text().splitlines()]
    assert {record["level"] for record in records} == {"2T", "3T"}
    for number, record in enumerate(records):
        roller = Roller(engine, ROLLOUT_LEVELS[record["level"]], threads=2)
        decision = roller.cube(tuple(record["board"]), context_of(record["context"])).decision
        label = f"{number}: {record['level']}"
        tolerance = ROLLOUT_EQUITY if record["level"] == "2T" else ROLLOUT_CLOSE_PLAY
        got = (decision.no_double, decision.double_take)
        assert got == pytest.approx((record["nd"], record["dt"]), abs=tolerance), label
        assert chances(decision.probabilities) == pytest.approx(record["probs"], abs=tolerance), label


@pytest.mark.parametrize("context", [MONEY, MATCH])
@pytest.mark.parametrize("how", [SHORT, DEEP])
def test_threads_do_not_matter(engine, context, how):
    results = [Roller(engine, how, threads=threads).cube(STARTING_BOARD, context) for threads in (1, 2, 3, 4)]
    assert all(result == results[0] for result in results)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, 60), max_size=6), seed=st.integers(0, 2**32 - 1), data=st.data())
def test_runs_cut_into_pieces_add_up(engine, cuts, seed, data):
    how = dataclasses.replace(SHORT, seed=seed)
    rollout = engine.rollout(STARTING_BOARD, cube_state(MONEY), how.core(), threads=1)
    whole = rollout.run(0, 60)
    bounds = sorted({0, 60, *cuts})
    pieces = list(itertools.pairwise(bounds))
    sums = _core.RolloutSums()
    for first, last in data.draw(st.permutations(pieces)):
        sums.add(rollout.run(first, last - first))
    assert sums == whole
    assert sums.trials == 60


def test_the_last_roll_is_exact(engine):
    # The opponent bears off next, so that what counts is whether this roll ends the game.
    board = board_of([5, 2], [1])
    ending = sum(
        any(rules.game_result(play.board) for play in rules.legal_plays(board, (first, second)))
        for first in range(1, 7)
        for second in range(1, 7)
    )
    equity = 2.0 * ending / 36 - 1.0
    for level in ("1T", "2T", "full"):
        cube = Roller(engine, ROLLOUT_LEVELS[level]).cube(board, GameContext())
        assert cube.decision.no_double == pytest.approx(equity, abs=EXACT_ROLLOUT)
        assert cube.decision.double_take == pytest.approx(2.0 * equity, abs=EXACT_ROLLOUT)


@pytest.mark.parametrize(
    ("own", "opposing"),
    [([6, 5, 3, 2, 1], [6, 4, 3, 1]), ([1, 1, 2, 2, 3, 4], [1, 2, 2, 3, 3]), ([6, 6], [5, 4, 1])],
)
def test_solved_bearoffs_are_met_within_standard_errors(engine, own, opposing):
    # A cube that nobody may turn makes the equity cubeless, which the database knows.
    context = GameContext(max_cube=1)
    cube = Roller(engine, ROLLOUT_LEVELS["full"]).cube(board_of(own, opposing), context)
    exact = cube.decision.cubeless_equity
    assert exact == pytest.approx(2.0 * cube.decision.probabilities.win - 1.0, abs=1e-6)
    assert 0.0 < cube.no_double_error < 0.03
    assert abs(cube.decision.no_double - exact) < 4.0 * cube.no_double_error


def test_plays_are_worth_what_they_leave_the_opponent(engine):
    roller = Roller(engine, dataclasses.replace(ROLLOUT_LEVELS["1T"], seed=5))
    for context in (MONEY, MATCH, GameContext(cube_value=2, cube_owner=CubeOwner.OPPONENT)):
        rolled = roller.plays(STARTING_BOARD, context, (3, 1))
        assert rolled.plays[0].play.notation == "8/5 6/5"
        assert len(rolled.plays) == rolled.legal_count == 16
        done = [play for play in rolled.plays if play.equity_error is not None]
        assert rolled.plays[0] in done
        assert 2 <= len(done) <= 5
        assert [play.equity for play in rolled.plays] == sorted(
            (p.equity for p in rolled.plays), reverse=True
        )
        for play in done:
            cube = roller.cube(rules.mirrored(play.play.board), other_side(context))
            assert play.equity == -cube.decision.optimal
            assert play.equity_error == cube.optimal_error
            assert play.games == 72


def test_as_many_plays_as_are_asked_for_are_rolled_out(engine):
    roller = Roller(engine, SHORT)
    rolled = roller.plays(STARTING_BOARD, MONEY, (6, 4), at_least=7)
    assert sum(play.games > 0 for play in rolled.plays) == 7
    all_of_them = roller.plays(STARTING_BOARD, MONEY, (6, 6), at_least=100)
    assert all(play.games == 60 for play in all_of_them.plays)


def test_a_play_that_ends_the_game_is_exact(engine):
    rolled = Roller(engine, ROLLOUT_LEVELS["1T"]).plays(board_of([1, 1], [1, 1, 1]), MONEY, (2, 1))
    (play,) = rolled.plays
    assert (play.equity, play.equity_error) == (1.0, 0.0)
    assert play.probabilities.win == 1.0


def test_a_dance_can_be_rolled_out(engine):
    board = list(board_of([6] * 5 + [8] * 3 + [13] * 5 + [6], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 8]))
    board[25] = 1
    rolled = Roller(engine, SHORT).plays(tuple(board), MONEY, (6, 6))
    (play,) = rolled.plays
    assert (play.play.steps, rolled.legal_count) == ((), 0)
    assert play.games == 60


def test_progress_grows(engine):
    seen: list[float] = []
    Roller(engine, SHORT).plays(STARTING_BOARD, MONEY, (3, 1), progress=seen.append)
    assert seen == sorted(seen)
    assert 0.0 <= seen[0] < seen[-1] <= 1.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch": 7}, "batch: expected a part of 60 games, got 7"),
        ({"batch": 0}, "batch: expected a part of 60 games, got 0"),
        ({"target": 0.1}, "target: expected a standard error above 0, and batches, got 0.1"),
        ({"batch": 60, "target": 0.0}, "target: expected a standard error above 0, and batches, got 0.0"),
        ({"batch": 60, "target": float("nan")}, "target: expected a standard error above 0"),
        ({"games": 0}, "games: expected 1 to 1000000, got 0"),
        ({"truncate": -1}, "truncation: expected 0 to 1000 half-moves, got -1"),
        ({"seed": 2**32}, "seed: expected 0 to 4294967295"),
        ({"play_ply": 4}, "ply of plays: expected 0 to 3, got 4"),
        ({"cube_ply": -1}, "ply of cube decisions: expected 0 to 3, got -1"),
        ({"late_from": -1}, "first late half-move: expected 0 to"),
    ],
)
def test_impossible_settings_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SHORT, **changes)


def test_impossible_questions_are_refused(engine):
    roller = Roller(engine, SHORT)
    over = board_of([], [1])
    with pytest.raises(ValueError, match="the game is over"):
        roller.cube(over, MONEY)
    with pytest.raises(ValueError, match="the game is over"):
        roller.plays(over, MONEY, (3, 1))
    with pytest.raises(ValueError, match="dice: expected two integers"):
        roller.plays(STARTING_BOARD, MONEY, (7, 1))
    with pytest.raises(ValueError, match="threads: expected 1 to 256"):
        Roller(engine, SHORT, threads=0).cube(STARTING_BOARD, MONEY)
    with pytest.raises(TimeoutError):
        _core.Rollout(
            engine._search, STARTING_BOARD, cube_state(MONEY), SHORT.core(), evaluator="", deadline_s=0.0
        )
