"""Legal plays of whole arrays: the same as one by one, and a clear error for everything else."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine import rules
from botd.engine.types import STARTING_BOARD
from tests.rules.strategies import boards, dice

START = np.array([STARTING_BOARD], dtype=np.int8)
ROLL = np.array([[3, 1]], dtype=np.uint8)


@settings(max_examples=100)
@given(st.lists(st.tuples(boards(), dice), max_size=20))
def test_many_rolls_at_once_lead_where_each_leads_alone(
    tasks: list[tuple[tuple[int, ...], tuple[int, int]]],
) -> None:
    results, offsets = rules.legal_boards_batch(
        np.array([board for board, _ in tasks], dtype=np.int8).reshape(-1, 26),
        np.array([roll for _, roll in tasks], dtype=np.uint8).reshape(-1, 2),
    )
    table, starts = np.asarray(results), np.asarray(offsets)
    assert (table.dtype, starts.dtype) == (np.int8, np.int64)
    assert (table.shape, starts.shape) == ((starts[-1], 26), (len(tasks) + 1,))
    for i, (board, roll) in enumerate(tasks):
        expected = [play.board for play in rules.legal_plays(board, roll)]
        assert [tuple(row) for row in table[starts[i] : starts[i + 1]].tolist()] == expected


def test_rows_and_columns_may_lie_apart_or_backwards() -> None:
    together = rules.legal_boards_batch(np.repeat(START, 3, axis=0), np.repeat(ROLL, 3, axis=0))
    wide = np.zeros((6, 52), dtype=np.int8)
    wide[::2, ::2] = START
    backwards = np.ascontiguousarray(np.repeat(ROLL, 3, axis=0)[:, ::-1])[:, ::-1]
    apart = rules.legal_boards_batch(wide[::2, ::2], backwards)
    assert [part.tolist() for part in apart] == [part.tolist() for part in together]


def test_the_answer_stays_when_the_question_is_gone() -> None:
    question = START.copy()
    results, _ = rules.legal_boards_batch(question, ROLL)
    before = results.tolist()
    question[:] = 0
    del question
    assert results.tolist() == before


@pytest.mark.parametrize(
    ("board_table", "dice_table", "message"),
    [
        (START.astype(np.int64), ROLL, "boards: expected a buffer of type int8 and shape (n, 26), got type"),
        (START[:, :25], ROLL, "got type 'b' and shape (1, 25)"),
        (START[0], ROLL, "got type 'b' and shape (26,)"),
        (START, ROLL.astype(np.int8), "dice: expected a buffer of type uint8 and shape (n, 2), got type 'b'"),
        (
            START,
            ROLL[:, :1],
            "dice: expected a buffer of type uint8 and shape (n, 2), got type 'B' and shape (1, 1)",
        ),
        (START, np.repeat(ROLL, 2, axis=0), "dice: expected as many rows as boards, 1, got 2"),
        (START, np.array([[0, 1]], dtype=np.uint8), "dice: row 0: expected 1 to 6, got 0"),
        (START, np.array([[1, 7]], dtype=np.uint8), "dice: row 0: expected 1 to 6, got 7"),
        (np.zeros((1, 26), dtype=np.int8), ROLL, "boards: row 0: neither side has a checker on the board"),
        (np.full((1, 26), -128, dtype=np.int8), ROLL, "boards: row 0: expected integers from -15 to 15"),
        (np.full((1, 26), 127, dtype=np.int8), ROLL, "boards: row 0: expected integers from -15 to 15"),
        (
            np.full((1, 26), 15, dtype=np.int8),
            ROLL,
            "boards: row 0: the player on roll has more than fifteen",
        ),
    ],
)
def test_what_is_no_table_of_boards_and_dice_is_refused(
    board_table: Any, dice_table: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        rules.legal_boards_batch(board_table, dice_table)


def test_the_row_of_an_impossible_board_is_named() -> None:
    table = np.repeat(START, 5, axis=0)
    table[3, 6] = 6
    with pytest.raises(ValueError, match="boards: row 3: the player on roll has more than fifteen checkers"):
        rules.legal_boards_batch(table, np.repeat(ROLL, 5, axis=0))
