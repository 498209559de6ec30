"""Static values of whole arrays: the same as one by one, and a clear error for everything else."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from botd import _core
from botd.engine import rules
from botd.engine.types import STARTING_BOARD, Board
from tests.sage.test_static_vectors import Vectors, largest_difference, unfinished_static_records
from tests.tolerances import RAW_PROBABILITY, SAME_VALUE_OTHER_ORDER

START = np.array([STARTING_BOARD], dtype=np.int8)
ROLL = np.array([[3, 1]], dtype=np.uint8)


def exact(evaluator: _core.SageEvaluator, board: Board) -> tuple[float, ...] | None:
    """The value of a board that needs no network."""
    if evaluator.covered(board):
        return evaluator.bearoff_post_move(board)
    result = rules.game_result(board)
    if result == 0:
        return None
    won, lost = max(result, 0), max(-result, 0)
    return (float(won > 0), float(won > 1), float(won > 2), float(lost > 1), float(lost > 2))


def positions(count: int, seed: int) -> list[Board]:
    """Positions before the roll from games of random plays, bear-offs included."""
    rng = random.Random(seed)
    found: list[Board] = []
    while len(found) < count:
        board: Board = STARTING_BOARD
        while rules.game_result(board) == 0:
            found.append(board)
            plays = rules.legal_plays(board, (rng.randint(1, 6), rng.randint(1, 6)))
            board = rules.mirrored(rng.choice(plays).board if plays else board)
    return rng.sample(found, count)


def test_recorded_outputs_come_out_of_a_batch(evaluator: _core.SageEvaluator, vectors: Vectors) -> None:
    records = [r for r in unfinished_static_records(vectors) if not evaluator.covered(r["board"])]
    records = [r for r in records if evaluator.route(r["board"]) == r["network_index"]]
    assert len(records) > 200
    values = evaluator.evaluate_batch(np.array([r["board"] for r in records], dtype=np.int8)).tolist()
    worst = max(largest_difference(value, r["raw"]) for value, r in zip(values, records, strict=True))
    assert worst <= RAW_PROBABILITY


def test_a_board_gets_the_same_value_alone_and_among_others(evaluator: _core.SageEvaluator) -> None:
    boards = positions(300, seed=1)
    boards += [rules.mirrored(board) for board in boards[:50]]
    table = np.array(boards, dtype=np.int8)
    values = np.asarray(evaluator.evaluate_batch(table))
    assert (values.dtype, values.shape) == (np.float32, (len(boards), 5))
    backwards = np.asarray(evaluator.evaluate_batch(table[::-1]))
    assert np.array_equal(values, backwards[::-1])
    for board, value in zip(boards, values.tolist(), strict=True):
        (raw,) = (
            [exact(evaluator, board)]
            if exact(evaluator, board)
            else evaluator.evaluate_raw([board], evaluator.route(board))
        )
        assert tuple(value) == raw


def test_plays_of_many_rolls_are_valued_like_those_of_each(evaluator: _core.SageEvaluator) -> None:
    boards = positions(120, seed=2)
    rng = random.Random(3)
    dice = [(rng.randint(1, 6), rng.randint(1, 6)) for _ in boards]
    table, rolls = np.array(boards, dtype=np.int8), np.array(dice, dtype=np.uint8)
    results, offsets, values = (np.asarray(part) for part in evaluator.evaluate_plays(table, rolls))
    legal, starts = (np.asarray(part) for part in rules.legal_boards_batch(table, rolls))
    assert np.array_equal(results, legal)
    assert np.array_equal(offsets, starts)
    assert (values.dtype, values.shape) == (np.float32, (len(results), 5))
    for i, board in enumerate(boards):
        network = evaluator.route(board)
        for k in range(offsets[i], offsets[i + 1]):
            result = tuple(results[k].tolist())
            expected = exact(evaluator, result) or evaluator.evaluate_raw([result], network)[0]
            assert largest_difference(values[k].tolist(), expected) <= SAME_VALUE_OTHER_ORDER


def test_finished_games_are_values_of_their_own(evaluator: _core.SageEvaluator) -> None:
    won = [0] * 26
    won[3], won[20] = -2, -13
    board = tuple(won)
    table = np.array([board, rules.mirrored(board)], dtype=np.int8)
    assert evaluator.evaluate_batch(table).tolist() == [[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]


def test_no_boards_have_no_values(evaluator: _core.SageEvaluator) -> None:
    nothing = np.zeros((0, 26), dtype=np.int8)
    assert np.asarray(evaluator.evaluate_batch(nothing)).shape == (0, 5)
    parts = evaluator.evaluate_plays(nothing, np.zeros((0, 2), dtype=np.uint8))
    assert [np.asarray(part).shape for part in parts] == [(0, 26), (1,), (0, 5)]


@pytest.mark.parametrize(
    ("boards", "dice", "message"),
    [
        (
            START.astype(np.float32),
            ROLL,
            "boards: expected a buffer of type int8 and shape (n, 26), got type 'f'",
        ),
        (START[:, 1:], ROLL, "got type 'b' and shape (1, 25)"),
        (np.full((1, 26), 99, dtype=np.int8), ROLL, "boards: row 0: expected integers from -15 to 15"),
        (np.zeros((1, 26), dtype=np.int8), ROLL, "boards: row 0: neither side has a checker on the board"),
        (START, np.zeros((1, 2), dtype=np.uint8), "dice: row 0: expected 1 to 6, got 0"),
        (START, np.ones((2, 2), dtype=np.uint8), "dice: expected as many rows as boards, 1, got 2"),
    ],
)
def test_what_is_no_table_is_refused(
    evaluator: _core.SageEvaluator, boards: Any, dice: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluator.evaluate_plays(boards, dice)
    if message.startswith("boards"):
        with pytest.raises(ValueError, match=re.escape(message)):
            evaluator.evaluate_batch(boards)
