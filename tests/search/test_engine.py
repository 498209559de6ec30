"""Behaviour of SageEngine around the numbers: scores, cubes, names, limits, threads."""

from __future__ import annotations

import itertools
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd import _core
from botd.engine import rules
from botd.engine.cube_names import DECISION_TEXTS, DOUBLES
from botd.engine.engine import MAX_PLY, DeadlineExceeded, SageEngine
from botd.engine.types import STARTING_BOARD, CubeOwner, GameContext, Scoring, TakeAction

MONEY = GameContext()
RACE = (0, 0, 1, 2, 3, 3, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -4, -3, -3, -2, -2, -1, 0)
CLOSED_OUT = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, -3, -2, -2, -2, -2, -2, -2, 2)


def match(length, player, opponent, **fields):
    return GameContext(match_length=length, score_player=player, score_opponent=opponent, **fields)


def random_positions(seed, count):
    """Positions met in games of random plays."""
    rng = random.Random(seed)
    board, found = STARTING_BOARD, []
    while len(found) < count:
        plays = rules.legal_plays(board, (rng.randint(1, 6), rng.randint(1, 6)))
        board = rules.mirrored(rng.choice(plays).board if plays else board)
        if rules.game_result(board) != 0:
            board = STARTING_BOARD
        elif rng.random() < 0.2:
            found.append(board)
    return found


# --- plays ---


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    dice=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    context=st.sampled_from(
        [
            MONEY,
            GameContext(jacoby=True, beavers=True),
            GameContext(cube_value=2, cube_owner=CubeOwner.OPPONENT),
            match(5, 2, 3),
            match(7, 6, 2, crawford=True),
            match(64, 10, 3, cube_value=4, cube_owner=CubeOwner.PLAYER),
        ]
    ),
)
def test_plays_are_complete_sorted_and_consistent(engine, seed, dice, context):
    (board,) = random_positions(seed, 1)
    decision = engine.choose_play(board, context, dice, ply=0)
    legal = {play.board for play in rules.legal_plays(board, dice)}
    assert decision.legal_count == len(legal)
    assert {ranked.play.board for ranked in decision.plays} == (legal or {board})
    for better, worse in itertools.pairwise(decision.plays):
        assert better.equity >= worse.equity - 1e-6
    for ranked in decision.plays:
        assert_nested(ranked.probabilities)
        assert rules.apply_steps(board, ranked.play.steps) == ranked.play.board
    mirrored_dice = engine.choose_play(board, context, dice[::-1], ply=0)
    assert {(r.play.board, r.equity) for r in mirrored_dice.plays} == {
        (r.play.board, r.equity) for r in decision.plays
    }


def assert_nested(p):
    assert 0.0 <= p.win_backgammon <= p.win_gammon <= p.win <= 1.0
    assert 0.0 <= p.lose_backgammon <= p.lose_gammon <= 1.0 - p.win + 1e-7


@pytest.mark.parametrize("ply", [0, 1])
def test_a_dance_is_one_play_without_steps(engine, ply):
    decision = engine.choose_play(CLOSED_OUT, MONEY, (6, 5), ply=ply)
    assert decision.legal_count == 0
    assert decision.source == "forced"
    assert decision.best.play.steps == ()
    assert decision.best.play.board == CLOSED_OUT
    assert -3.0 < decision.best.equity < 0.0


def test_a_forced_play_has_an_equity(engine):
    board = (0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0)
    decision = engine.choose_play(board, MONEY, (2, 1), ply=1)
    assert decision.legal_count == 1
    assert decision.source == "forced"
    assert decision.best.equity == 1.0
    assert decision.best.probabilities.win == 1.0


def test_bearing_off_last_beats_everything(engine):
    """A play that ends the game is worth its points; under Jacoby with a centred cube only one."""
    board = (0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -15, 0, 0, 0, 0, 0, 0)
    for ply in (0, 1, 2):
        assert engine.choose_play(board, MONEY, (2, 1), ply=ply).best.equity == pytest.approx(2.0)
        jacoby = GameContext(jacoby=True)
        assert engine.choose_play(board, jacoby, (2, 1), ply=ply).best.equity == pytest.approx(1.0)


# --- cube ---


@pytest.mark.parametrize(
    ("context", "name"),
    [
        (match(3, 1, 1, cube_value=2, cube_owner=CubeOwner.PLAYER), "NO_REDOUBLE_DEADCUBE"),
        (match(5, 4, 4), "NODOUBLE_DEADCUBE"),
        (match(5, 4, 2, crawford=True), "NODOUBLE_DEADCUBE"),
        (match(5, 2, 4, crawford=True), "NODOUBLE_DEADCUBE"),
        (match(5, 4, 2), "NODOUBLE_DEADCUBE"),
        (match(5, 1, 2, cube_value=2, cube_owner=CubeOwner.OPPONENT), "NOT_AVAILABLE"),
        (GameContext(cube_value=2, cube_owner=CubeOwner.OPPONENT), "NOT_AVAILABLE"),
    ],
)
def test_an_unavailable_cube_is_never_turned(engine, context, name):
    for board in [STARTING_BOARD, RACE, *random_positions(3, 20)]:
        decision = engine.cube_action(board, context, ply=0)
        assert decision.decision == name
        assert not decision.double
        assert decision.response is TakeAction.TAKE
        assert decision.optimal == decision.no_double


def test_two_away_two_away_doubles_at_once(engine):
    """At 2-away 2-away doubling costs nothing: the taker's cube is dead, so any market loser suffices."""
    decision = engine.cube_action(STARTING_BOARD, match(3, 1, 1), ply=1)
    assert decision.double_take == pytest.approx(decision.no_double, abs=0.05)
    ahead = engine.cube_action(RACE, match(3, 1, 1), ply=1)
    assert ahead.double == (min(ahead.double_take, ahead.double_pass) > ahead.no_double)


@pytest.mark.parametrize("ply", [0, 1])
def test_a_post_crawford_trailer_doubles_unless_he_is_too_good(engine, ply):
    """What is done follows the name; he has nothing to lose by doubling but gammons worth playing for."""
    seen = set()
    for board in [STARTING_BOARD, *random_positions(11, 40)]:
        for score in (0, 1, 2):
            decision = engine.cube_action(board, match(5, score, 4), ply=ply)
            seen.add(decision.decision)
            assert decision.double == (decision.decision in DOUBLES)
            gain = min(decision.double_take, decision.double_pass) - decision.no_double
            assert decision.double == (gain > -1e-9)
            if not decision.double:
                assert decision.decision == "TOOGOOD_PASS"
                assert decision.probabilities.win_gammon > 0.0
                assert decision.optimal == decision.no_double > decision.double_pass
    assert seen == {"DOUBLE_TAKE", "DOUBLE_PASS", "TOOGOOD_PASS"}


def test_a_free_drop_is_used(engine):
    """Post-Crawford a trailer who needs an even number loses nothing else by winning only one point.

    So at 2-away, where the game after a drop is for the match, the leader drops whenever he is the underdog;
    at 3-away a drop costs him a game and he takes.
    """
    answers = set()
    for board in [STARTING_BOARD, *random_positions(13, 60)]:
        two_away = engine.cube_action(board, match(7, 5, 6), ply=1)
        win = two_away.probabilities.win
        if abs(win - 0.5) > 0.01:
            assert (two_away.response is TakeAction.PASS) == (win > 0.5)
            three_away = engine.cube_action(board, match(7, 4, 6), ply=1)
            if 0.51 < win < 0.6:
                answers.add(three_away.response)
    assert TakeAction.TAKE in answers


def test_gammon_go_and_gammon_save(engine):
    """At 2-away Crawford a gammon decides the match for the trailer and is worth nothing to the leader."""
    trailer = match(3, 1, 2, crawford=True)
    leader = match(3, 2, 1, crawford=True)
    for board in random_positions(21, 10):
        decision = engine.cube_action(board, trailer, ply=0)
        p = decision.probabilities
        # Winning is worth 1/2 of the match, a gammon all of it: equity +1 and +3.
        assert decision.no_double == pytest.approx(
            (p.win - p.win_gammon) * 1.0 + p.win_gammon * 3.0 - (1.0 - p.win), abs=1e-5
        )
        decision = engine.cube_action(board, leader, ply=0)
        p = decision.probabilities
        # A lost gammon loses the match, a lost single game half of it.
        assert decision.no_double == pytest.approx(
            p.win - (1.0 - p.win - p.lose_gammon) - 3.0 * p.lose_gammon, abs=1e-5
        )


def test_double_match_point_is_about_winning_alone(engine):
    for board in random_positions(31, 10):
        decision = engine.cube_action(board, match(9, 8, 8), ply=0)
        assert decision.no_double == pytest.approx(2.0 * decision.probabilities.win - 1.0, abs=1e-5)
        _, equity = engine.evaluate(board, match(9, 8, 8), ply=0)
        assert equity == pytest.approx(2.0 * decision.probabilities.win - 1.0, abs=1e-5)


def test_beavers_exist_in_money_play_only(engine):
    beavers = GameContext(beavers=True)
    decision = engine.cube_action(STARTING_BOARD, beavers, ply=0)
    plain = engine.cube_action(STARTING_BOARD, MONEY, ply=0)
    assert decision.decision == "NODOUBLE_BEAVER"
    assert decision.response is TakeAction.BEAVER
    assert decision.double_take == pytest.approx(2.0 * plain.double_take)
    assert plain.decision == "NODOUBLE_TAKE"
    assert plain.response is TakeAction.TAKE
    in_match = engine.cube_action(STARTING_BOARD, replace(match(7, 0, 0), beavers=True, jacoby=True), ply=0)
    assert in_match == engine.cube_action(STARTING_BOARD, match(7, 0, 0), ply=0)


@pytest.mark.parametrize("ply", [0, 1])
def test_names_texts_and_flags_agree(engine, ply):
    contexts = [MONEY, GameContext(jacoby=True, beavers=True), match(7, 2, 3), match(30, 1, 2)]
    contexts += [replace(context, cube_value=2, cube_owner=CubeOwner.PLAYER) for context in contexts]
    seen = set()
    for board in random_positions(41, 12):
        for context in contexts:
            decision = engine.cube_action(board, context, ply=ply)
            seen.add(decision.decision)
            assert decision.decision_text == DECISION_TEXTS[decision.decision]
            assert decision.double == (decision.decision in DOUBLES)
            assert ("RE" in decision.decision) == (context.cube_owner is CubeOwner.PLAYER)
            if decision.decision.endswith("PASS"):
                assert decision.response is TakeAction.PASS
            assert decision.optimal == pytest.approx(
                max(decision.no_double, min(decision.double_take, decision.double_pass)), abs=1e-5
            )
            assert decision.double_pass == pytest.approx(1.0, abs=1e-9)
            assert_nested(decision.probabilities)
            assert engine.take_action(board, context, ply=ply) == decision
    assert len(seen) > 5


def test_long_matches_use_the_extended_table(engine):
    """Far from the end of a match the cube is worth about what it is in money play without Jacoby."""
    money = engine.cube_action(RACE, MONEY, ply=0)
    long = engine.cube_action(RACE, match(64, 0, 0), ply=0)
    assert long.no_double == pytest.approx(money.no_double, abs=0.05)
    assert engine.cube_action(RACE, match(26, 0, 0), ply=0) != engine.cube_action(
        RACE, match(25, 0, 0), ply=0
    )


# --- resignations ---

# The opponent bears off his last two checkers with any roll.
LOST_SINGLE = (0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0)
LOST_GAMMON = (0, 0, 0, 0, 0, 0, 10, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0)
SAVES_GAMMON = (0, 0, 0, 0, 0, 0, 14, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0)
# Five checkers on the opponent's two-point behind his last two: no roll gets them all out.
LOST_BACKGAMMON = (0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, -2, 0)


@pytest.mark.parametrize(
    ("board", "context", "level"),
    [
        (LOST_SINGLE, MONEY, 1),
        (LOST_GAMMON, MONEY, 2),
        (LOST_BACKGAMMON, MONEY, 3),
        (SAVES_GAMMON, MONEY, 0),
        (LOST_GAMMON, GameContext(jacoby=True), 1),
        (LOST_GAMMON, GameContext(jacoby=True, cube_value=2, cube_owner=CubeOwner.PLAYER), 2),
        (SAVES_GAMMON, match(5, 2, 4), 1),
        (LOST_BACKGAMMON, match(5, 2, 3), 2),
        (STARTING_BOARD, MONEY, 0),
        (CLOSED_OUT, MONEY, 0),
        (RACE, MONEY, 0),
    ],
)
def test_only_what_is_lost_for_certain_is_resigned(engine, board, context, level):
    decision = engine.offer_resignation(board, context, ply=0)
    assert decision.level == level
    assert not decision.accept
    if level:
        assert decision.equity == pytest.approx(decision.resign_equity, abs=0.01)


def test_no_resignation_while_anything_can_happen(engine):
    """Never in contact, and never where the search still sees a chance worth having."""
    for board in random_positions(51, 150):
        decision = engine.offer_resignation(board, MONEY, ply=0)
        if decision.level:
            assert rules.is_race(board)
            assert decision.probabilities.win <= 0.001 + 1e-6
            assert decision.equity <= decision.resign_equity + 0.01


@pytest.mark.parametrize("ply", [0, 1])
def test_a_resignation_is_judged_by_what_playing_on_is_worth(engine, ply):
    winning = rules.mirrored(LOST_GAMMON)  # the decider bears off two checkers, the opponent is on roll
    for on_roll in (False, True):
        single = engine.judge_resignation(winning, MONEY, 1, on_roll=on_roll, ply=ply)
        assert not single.accept
        assert single.equity == pytest.approx(2.0, abs=0.005)
        gammon = engine.judge_resignation(winning, MONEY, 2, on_roll=on_roll, ply=ply)
        assert gammon.accept
        assert gammon.resign_equity == 2.0
        assert gammon.probabilities.win_gammon == pytest.approx(1.0, abs=0.005)
        jacoby = engine.judge_resignation(winning, GameContext(jacoby=True), 1, on_roll=on_roll, ply=ply)
        assert jacoby.accept
        last_point = engine.judge_resignation(winning, match(5, 4, 2), 1, on_roll=on_roll, ply=ply)
        assert last_point.accept


def test_an_even_position_is_a_gift(engine):
    for on_roll in (True, False):
        decision = engine.judge_resignation(STARTING_BOARD, MONEY, 1, on_roll=on_roll, ply=0)
        assert decision.accept
        assert decision.equity < 0.5
    # Seen from both sides the same position has opposite equities.
    own = engine.judge_resignation(STARTING_BOARD, match(5, 1, 3), 1, on_roll=True, ply=0)
    other = engine.judge_resignation(STARTING_BOARD, match(5, 3, 1), 1, on_roll=False, ply=0)
    assert own.equity == pytest.approx(-other.equity)
    assert own.probabilities.win == pytest.approx(1.0 - other.probabilities.win)


@pytest.mark.parametrize("level", [0, 4, -1])
def test_unknown_resignations_are_refused(engine, level):
    with pytest.raises(ValueError, match="resignation"):
        engine.judge_resignation(STARTING_BOARD, MONEY, level, on_roll=True, ply=0)


# --- input, limits, threads ---


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (GameContext(cube_value=3), "cube"),
        (GameContext(cube_value=0), "cube"),
        (GameContext(cube_value=8192), "cube"),
        (GameContext(match_length=-1), "match length"),
        (GameContext(match_length=65), "match length"),
        (match(5, 5, 0), "score"),
        (match(5, 0, -1), "score"),
        (match(5, 1, 1, crawford=True), "Crawford"),
        (match(5, 4, 4, crawford=True), "Crawford"),
        (GameContext(crawford=True), "Crawford"),
        (match(5, 4, 1, crawford=True, cube_value=2), "Crawford"),
        (GameContext(max_cube=3), "largest cube"),
        (GameContext(max_cube=0), "largest cube"),
        (GameContext(max_cube=8192), "largest cube"),
        (GameContext(cube_value=4, max_cube=2), "largest cube"),
        (GameContext(scoring=Scoring.BGAMMON), "scoring"),
        (match(5, 1, 1, scoring="other"), "other"),
        (match(5, 1, 1, seat=2), "seat"),
    ],
)
def test_impossible_contexts_are_refused(engine, context, message):
    with pytest.raises(ValueError, match=message):
        engine.cube_action(STARTING_BOARD, context, ply=0)
    with pytest.raises(ValueError, match=message):
        engine.choose_play(STARTING_BOARD, context, (3, 1), ply=0)
    with pytest.raises(ValueError, match=message):
        engine.evaluate(STARTING_BOARD, context, ply=0)
    with pytest.raises(ValueError, match=message):
        engine.judge_resignation(STARTING_BOARD, context, 1, on_roll=False, ply=0)


@pytest.mark.parametrize(
    "board",
    [
        (),
        STARTING_BOARD[:-1],
        (*STARTING_BOARD[:-1], -1),
        (*STARTING_BOARD[:-1], 1),
        (*STARTING_BOARD[:-1], 10**30),
        (*STARTING_BOARD[:-1], 0.0),
        (0,) * 26,
        (0, *[0] * 23, -3, 0),
    ],
)
def test_impossible_and_finished_boards_are_refused(engine, board):
    with pytest.raises(ValueError, match="board"):
        engine.cube_action(board, MONEY, ply=0)
    with pytest.raises(ValueError, match="board"):
        engine.choose_play(board, MONEY, (3, 1), ply=0)
    with pytest.raises(ValueError, match="board"):
        engine.offer_resignation(board, MONEY, ply=0)


@pytest.mark.parametrize("dice", [(0, 1), (7, 1), (1,), (1, 2, 3), (1.0, 2), (10**20, 1)])
def test_impossible_dice_are_refused(engine, dice):
    with pytest.raises(ValueError, match="dice"):
        engine.choose_play(STARTING_BOARD, MONEY, dice, ply=0)


@pytest.mark.parametrize("ply", [-1, MAX_PLY + 1])
def test_unknown_plies_are_refused(engine, ply):
    with pytest.raises(ValueError, match="ply"):
        engine.cube_action(STARTING_BOARD, MONEY, ply=ply)


def test_the_deadline_ends_a_search_and_nothing_else(engine):
    before = engine.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=1)
    for limit in (0.0, -1.0, 0.01):
        with pytest.raises(DeadlineExceeded):
            engine.choose_play(STARTING_BOARD, MONEY, (4, 4), ply=3, deadline_s=limit)
        with pytest.raises(TimeoutError):
            engine.cube_action(STARTING_BOARD, MONEY, ply=3, deadline_s=min(limit, 0.001))
    assert engine.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=1, deadline_s=1e9) == before
    with pytest.raises(ValueError, match="deadline"):
        engine.cube_action(STARTING_BOARD, MONEY, ply=0, deadline_s=float("nan"))


def decide_everything(engine, boards):
    results = []
    for board in boards:
        results.append(engine.choose_play(board, MONEY, (6, 1), ply=1))
        results.append(engine.cube_action(board, match(7, 1, 3), ply=1))
        results.append(engine.cube_action(board, GameContext(jacoby=True, beavers=True), ply=2))
    return results


def test_threads_and_repetition_change_nothing(engine):
    boards = random_positions(61, 3)
    expected = decide_everything(engine, boards)
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(decide_everything, engine, boards) for _ in range(6)]
        assert all(future.result() == expected for future in futures)
    assert decide_everything(engine, boards[::-1])[-3:] == expected[:3]


# --- loading ---


def test_info_names_what_was_loaded(engine):
    info = engine.info
    assert info.evaluator == "sage"
    assert info.version == _core.__version__
    assert info.cpu_path in ("plain", "avx2", "avx512")
    assert info.met == "Kazaross-XG2"
    assert len(info.weights_files) > 10
    assert all(len(digest) == 64 for digest in info.weights_files.values())
    assert len(info.weights_sha256) == 64


def test_missing_data_is_named(tmp_path):
    with pytest.raises((ValueError, OSError), match=str(tmp_path)):
        SageEngine.load(models=tmp_path)
    with pytest.raises(FileNotFoundError):
        SageEngine.load(met=tmp_path / "none.xml")
    with pytest.raises(ValueError, match="mmx"):
        SageEngine.load(cpu_path="mmx")


def test_cpu_paths_agree(engine):
    """Different kernels may round differently, but only that."""
    plain = SageEngine.load(cpu_path="plain")
    for board in random_positions(71, 5):
        expected = engine.cube_action(board, MONEY, ply=1)
        got = plain.cube_action(board, MONEY, ply=1)
        assert got.no_double == pytest.approx(expected.no_double, abs=1e-4)
        assert got.probabilities.win == pytest.approx(expected.probabilities.win, abs=1e-4)
