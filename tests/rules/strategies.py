"""Hypothesis strategies for positions and match states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from botd.engine.match_id import GameState, MatchState
from botd.engine.types import Board, CubeOwner, GameContext

dice = st.tuples(st.integers(1, 6), st.integers(1, 6))


def _shut_out(board: Board) -> bool:
    """Both sides on the bar against closed boards: no identifier exists for it."""
    closed = all(n >= 2 for n in board[1:7]) and all(n <= -2 for n in board[19:25])
    return closed and board[0] > 0 and board[25] > 0


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Positions with both sides on any points, on the bar and borne off; the game is not over."""
    points = [0] * 26

    def place(candidates: Sequence[int], sign: int, bar: int) -> None:
        used = draw(st.lists(st.sampled_from(candidates), min_size=1, max_size=8, unique=True))
        off = draw(st.integers(0, 14))
        for point in draw(st.lists(st.sampled_from(used), min_size=15 - off, max_size=15 - off)):
            points[point] += 1 if point == bar else sign

    place(draw(st.sampled_from([list(range(1, 26)), [1, 2, 3, 4, 5, 6], [*range(12, 26)]])), 1, 25)
    place([0, *(i for i in range(1, 25) if points[i] == 0)], -1, 0)
    board = tuple(points)
    return board if not _shut_out(board) else (0, *board[1:])


@st.composite
def contexts(draw: st.DrawFn) -> GameContext:
    length = draw(st.sampled_from([0, 1, 2, 5, 7, 25, 63, 64]))
    top = length or 2**15 - 1
    return GameContext(
        match_length=length,
        score_player=draw(st.integers(0, top)),
        score_opponent=draw(st.integers(0, top)),
        cube_value=1 << draw(st.integers(0, 15)),
        cube_owner=draw(st.sampled_from(CubeOwner)),
        crawford=length > 0 and draw(st.booleans()),
        jacoby=length == 0 and draw(st.booleans()),
        beavers=length == 0 and draw(st.booleans()),
    )


def _seated(state: MatchState) -> MatchState:
    return replace(state, context=replace(state.context, seat=state.on_roll))


match_states = st.builds(
    MatchState,
    context=contexts(),
    dice=st.none() | dice.map(lambda pair: (max(pair), min(pair))),
    on_roll=st.integers(0, 1),
    to_act=st.integers(0, 1),
    double_offered=st.booleans(),
    resignation_offered=st.integers(0, 3),
    game_state=st.sampled_from(GameState),
).map(_seated)
