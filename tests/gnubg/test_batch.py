"""Static values of whole arrays with gnubg's evaluator."""

from __future__ import annotations

import numpy as np
import pytest

from botd import _core
from tests.sage.test_batches import positions


def test_a_batch_has_the_values_of_each_board(evaluator_101: _core.GnubgEvaluator) -> None:
    boards = positions(200, seed=4)
    values = np.asarray(evaluator_101.evaluate_batch(np.array(boards, dtype=np.int8)))
    assert (values.dtype, values.shape) == (np.float32, (len(boards), 5))
    assert [tuple(value) for value in values.tolist()] == evaluator_101.evaluate(boards)


def test_what_is_no_table_of_boards_is_refused(evaluator_101: _core.GnubgEvaluator) -> None:
    with pytest.raises(ValueError, match="boards: expected a buffer of type int8"):
        evaluator_101.evaluate_batch(np.zeros((1, 26), dtype=np.int16))
    with pytest.raises(ValueError, match="boards: row 0: neither side has a checker"):
        evaluator_101.evaluate_batch(np.zeros((1, 26), dtype=np.int8))
