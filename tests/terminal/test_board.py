"""What a drawing shows, in every style."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.engine.types import STARTING_BOARD, Board, CubeOwner, GameContext
from botd.terminal.board import Scene, Style, draw

START = """\
   13 14 15 16 17 18        19 20 21 22 23 24
 +-------------------+---+-------------------+
 |  X  .  .  .  O  . |   |  O  .  .  .  .  X |  O botd  1/5
 |  X  .     .  O  . |   |  O  .     .     X |    167 pips
 |  X  .     .  O  . |   |  O  .     .     . |
 |  X                |   |  O                |
 |  X                |   |  O                |
 |                   |bar|                   |  [cube 1]
 |  O                |   |  X                |
 |  O                |   |  X                |  rolls 3 1
 |  O     .     X    |   |  X     .     .    |
 |  O     .     X    |   |  X     .     .  O |  X you  2/5
 |  O  .  .  .  X  . |   |  X  .  .  .  .  O |    167 pips
 +-------------------+---+-------------------+
   12 11 10  9  8  7         6  5  4  3  2  1
"""


def text(scene: Scene, style: Style) -> str:
    return "".join(f"{line}\n" for line in draw(scene, style))


def test_the_starting_position() -> None:
    scene = Scene(STARTING_BOARD, GameContext(5, 2, 1), "you", "botd", (3, 1))
    assert text(scene, Style(unicode=False)) == START


def test_colours_only_colour() -> None:
    scene = Scene(STARTING_BOARD, GameContext(5, 2, 1), "you", "botd", (3, 1))
    for unicode in (False, True):
        coloured = text(scene, Style(unicode, colour=True))
        assert "\x1b[" in coloured
        plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert [line.rstrip() for line in plain.splitlines()] == draw(scene, Style(unicode))


def test_bar_off_and_high_stacks() -> None:
    board = [0] * 26
    board[25], board[6], board[1] = 2, 7, 1  # five off
    board[0], board[24], board[23] = 7, -1, -1  # six off
    shown = text(Scene(tuple(board), GameContext()), Style(unicode=False))
    assert "5 off" in shown
    assert "6 off" in shown
    assert len(re.findall(r"\| X \|", shown)) == 2
    assert len(re.findall(r"\| O \|", shown)) == 4
    assert "| 7 |" in shown
    assert re.search(r"^ \| .{18}\|.{3}\|  7", shown, re.M)


@pytest.mark.parametrize(
    ("context", "row", "note"),
    [
        (GameContext(5), 7, "[cube 1]"),
        (GameContext(5, cube_value=4, cube_owner=CubeOwner.PLAYER), 10, "[cube 4]"),
        (GameContext(5, cube_value=2, cube_owner=CubeOwner.OPPONENT), 4, "[cube 2]"),
        (GameContext(5, 4, 0, crawford=True), 7, "Crawford game"),
        (GameContext(1), 7, ""),
    ],
)
def test_the_cube_lies_with_its_owner(context: GameContext, row: int, note: str) -> None:
    lines = draw(Scene(STARTING_BOARD, context), Style(unicode=False))
    assert lines[row][46:].strip() == note


@pytest.mark.parametrize(("mine", "row"), [(True, 8), (False, 6)])
def test_a_double_shows_what_is_offered(mine: bool, row: int) -> None:
    scene = Scene(STARTING_BOARD, GameContext(5, cube_value=2), player_on_roll=mine, doubling=True)
    assert "doubles: cube 4" in draw(scene, Style(unicode=False))[row]


def test_a_hostile_name_is_tamed() -> None:
    shown = text(Scene(STARTING_BOARD, GameContext(), opponent="\x1b[2Jx\n" + "y" * 99), Style())
    assert "\x1b" not in shown
    assert shown.count("\n") == len(START.splitlines())


@st.composite
def boards(draw_from: st.DrawFn) -> Board:
    board = [0] * 26
    for _ in range(draw_from(st.integers(0, 15))):
        board[draw_from(st.sampled_from([*range(1, 13), 25]))] += 1
    for _ in range(draw_from(st.integers(0, 15))):
        point = draw_from(st.sampled_from([0, *range(13, 25)]))
        board[point] += 1 if point == 0 else -1
    return tuple(board)


@given(boards(), st.booleans())
def test_the_shape_never_changes(board: Board, unicode: bool) -> None:
    lines = draw(Scene(board, GameContext()), Style(unicode))
    assert len(lines) == len(START.splitlines())
    wall = "│" if unicode else "|"
    for line in lines[2:-2]:
        assert [position for position, c in enumerate(line[:46]) if c == wall] == [1, 21, 25, 45]


def test_the_style_fits_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert Style.of(Terminal(io.BytesIO(), "utf-8")) == Style(unicode=True, colour=True)
    assert Style.of(Terminal(io.BytesIO(), "ascii")) == Style(unicode=False, colour=True)
    assert Style.of(io.TextIOWrapper(io.BytesIO(), "utf-8")) == Style(unicode=True, colour=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert Style.of(Terminal(io.BytesIO(), "utf-8")) == Style(unicode=True, colour=False)
