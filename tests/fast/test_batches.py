"""Whole arrays of decisions have the answers of single ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from botd.bench.workload import Task, tasks_from_games
from botd.engine.engine import SageEngine
from botd.engine.fast_engine import FastEngine
from botd.engine.gnubg_engine import GnubgEngine
from botd.engine.types import STARTING_BOARD, CubeOwner, GameContext, TakeAction
from tests.tolerances import CPU_PATH_EQUITY

CONTEXTS = (
    GameContext(),
    GameContext(jacoby=True, beavers=True),
    GameContext(cube_value=2, cube_owner=CubeOwner.PLAYER),
    GameContext(match_length=7, score_player=2, score_opponent=4),
    GameContext(match_length=5, score_player=4, score_opponent=1, crawford=True),
)
DANCING = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, -2, -2, -2, -2, -2, -2, 2)


@pytest.fixture(scope="module")
def tasks(exact: SageEngine) -> list[Task]:
    return [*itertools.islice(tasks_from_games(exact, 41), 300), Task(DANCING, (6, 5))]


@pytest.fixture(scope="module", params=["sage", "gnubg"])
def engine(request: pytest.FixtureRequest, fast: FastEngine) -> FastEngine:
    return fast if request.param == "sage" else FastEngine.over(GnubgEngine.load())


def boards_of(tasks: list[Task]) -> np.ndarray:
    return np.array([task.board for task in tasks], dtype=np.int8)


def dice_of(tasks: list[Task]) -> np.ndarray:
    return np.array([task.dice for task in tasks], dtype=np.uint8)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(("ply", "count"), [(0, 301), (1, 20)])
def test_plays(engine: FastEngine, tasks: list[Task], context: GameContext, ply: int, count: int) -> None:
    asked = tasks[-count:]
    results, equities = engine.best_plays(boards_of(asked), context, dice_of(asked), ply=ply)
    assert len(results) == len(equities) == count
    for task, result, equity in zip(asked, np.asarray(results), np.asarray(equities), strict=True):
        best = engine.choose_play(task.board, context, task.dice, ply=ply).best
        assert tuple(result) == best.play.board
        assert equity == best.equity


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(("ply", "count"), [(0, 301), (1, 20)])
def test_cube_actions(
    engine: FastEngine, tasks: list[Task], context: GameContext, ply: int, count: int
) -> None:
    asked = tasks[-count:]
    equities, actions = engine.cube_actions(boards_of(asked), context, ply=ply)
    rows = zip(asked, np.asarray(equities), np.asarray(actions), strict=True)
    for task, row, (doubles, takes, beavers) in rows:
        one = engine.cube_action(task.board, context, ply=ply)
        values = [one.no_double, one.double_take, one.double_pass, one.optimal]
        assert row == pytest.approx(values, abs=CPU_PATH_EQUITY)
        if min(abs(row[1] - row[2]), abs(row[0] - min(row[1], row[2]))) < CPU_PATH_EQUITY:
            continue  # either answer is right
        assert (doubles == 1) == one.double
        assert (takes == 1) == (one.response is not TakeAction.PASS)
        if one.double:
            assert (beavers == 1) == (one.response is TakeAction.BEAVER)


def test_nothing_asked_nothing_answered(engine: FastEngine) -> None:
    none, no_dice = np.zeros((0, 26), np.int8), np.zeros((0, 2), np.uint8)
    results, equities = engine.best_plays(none, GameContext(), no_dice, ply=0)
    assert (results.shape, equities.shape) == ((0, 26), (0,))
    equities, actions = engine.cube_actions(none, GameContext(), ply=0)
    assert (equities.shape, actions.shape) == ((0, 4), (0, 3))


START = np.array([STARTING_BOARD], dtype=np.int8)
OVER = np.zeros((1, 26), np.int8)


@pytest.mark.parametrize(
    ("boards", "dice", "ply", "words"),
    [
        (START, np.array([[0, 6]], np.uint8), 0, "row 0: expected 1 to 6"),
        (START, np.array([[1, 2], [3, 4]], np.uint8), 0, "as many rows as boards"),
        (START.astype(np.int16), np.array([[1, 2]], np.uint8), 0, "int8"),
        (START, np.array([[1, 2]], np.uint8), 9, "ply"),
        (OVER, np.array([[1, 2]], np.uint8), 0, "."),
    ],
)
def test_what_cannot_be_asked(
    engine: FastEngine, boards: np.ndarray, dice: np.ndarray, ply: int, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        engine.best_plays(boards, GameContext(), dice, ply=ply)


@pytest.mark.parametrize(
    ("boards", "ply", "words"), [(START.T, 0, "shape"), (START, -1, "ply"), (OVER, 0, ".")]
)
def test_what_no_cube_can_be_asked(engine: FastEngine, boards: np.ndarray, ply: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        engine.cube_actions(boards, GameContext(), ply=ply)
