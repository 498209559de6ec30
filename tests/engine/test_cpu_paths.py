"""Every CPU path of this machine gives the same decisions: they differ by rounding alone."""

from __future__ import annotations

from typing import Any

import pytest

from botd import _core
from botd.engine.engine import SageEngine
from botd.engine.gnubg_engine import GnubgEngine
from botd.engine.types import CubeOwner, GameContext
from tests.search.test_engine import random_positions
from tests.tolerances import CPU_PATH_EQUITY, EQUAL_EQUITIES

CONTEXTS = (
    GameContext(jacoby=True),
    GameContext(match_length=7, score_player=2, score_opponent=3),
    GameContext(cube_value=2, cube_owner=CubeOwner.PLAYER),
)
OTHERS = [path for path in _core.cpu_paths() if path != "plain"]


@pytest.fixture(scope="module", params=[SageEngine, GnubgEngine], ids=["sage", "gnubg"])
def engines(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {path: request.param.load(cpu_path=path) for path in _core.cpu_paths()}


def test_the_plain_path_is_everywhere() -> None:
    assert _core.cpu_paths()[0] == "plain"


def assert_same(expected: Any, got: Any, context: GameContext, board: Any) -> None:
    """Same cube decision unless two of its equities are too close to call."""
    values = (expected.no_double, expected.double_take, expected.double_pass)
    assert (got.no_double, got.double_take, got.double_pass) == pytest.approx(values, abs=CPU_PATH_EQUITY)
    gaps = [abs(a - b) for a in values for b in values if a is not b]
    if min(gaps, default=1.0) > 10 * EQUAL_EQUITIES and abs(expected.double_take) > 10 * EQUAL_EQUITIES:
        assert (got.decision, got.double, got.response) == (
            expected.decision,
            expected.double,
            expected.response,
        ), (board, context)


@pytest.mark.parametrize(
    ("ply", "count"), [(0, 300), (1, 12), pytest.param(2, 60, marks=pytest.mark.nightly)]
)
def test_decisions_do_not_depend_on_the_path(engines: dict[str, Any], ply: int, count: int) -> None:
    compared = 0
    for number, board in enumerate(random_positions(211 + ply, count)):
        context = CONTEXTS[number % len(CONTEXTS)]
        dice = (1 + number % 6, 1 + number // 6 % 6)
        plain = engines["plain"]
        plays = plain.choose_play(board, context, dice, ply=ply)
        cube = plain.cube_action(board, context, ply=ply)
        for path in OTHERS:
            other = engines[path].choose_play(board, context, dice, ply=ply)
            assert other.legal_count == plays.legal_count
            by_board = {ranked.play.board: ranked.equity for ranked in plays.plays}
            best = plays.best.equity
            for ranked in other.plays:
                if ranked.ply == plays.best.ply == ply and ranked is other.best:
                    assert by_board[ranked.play.board] >= best - CPU_PATH_EQUITY
                    assert ranked.equity == pytest.approx(best, abs=CPU_PATH_EQUITY)
            assert_same(cube, engines[path].cube_action(board, context, ply=ply), context, board)
            compared += 1
    assert compared == count * len(OTHERS)
