"""A board as lines of text, drawn from one player's seat: their home at the lower right, moving 24 to 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TextIO

from botd.engine.types import BAR, Board, CubeOwner, GameContext
from botd.terminal.colours import wants_colour

_ROWS = 5


@dataclass(frozen=True, slots=True)
class Style:
    """What the terminal can show."""

    unicode: bool = True
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        """Unicode if the stream's encoding has it; colours on a terminal, unless NO_COLOR or TERM=dumb."""
        try:
            "●○│▐".encode(stream.encoding or "ascii")
            unicode = True
        except (UnicodeEncodeError, LookupError):
            unicode = False
        colour = wants_colour(stream)
        return cls(unicode, colour)


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything a drawing shows. Board, score and cube are seen by the player at the bottom."""

    board: Board
    context: GameContext
    player: str = "You"
    opponent: str = "Opponent"
    dice: tuple[int, int] | None = None
    player_on_roll: bool = True
    """Whose dice they are."""
    doubling: bool = False
    """The side on roll offers the cube at twice its value."""


def draw(scene: Scene, style: Style = Style()) -> list[str]:
    """The drawing, without trailing blanks or newlines; always the same number of lines."""
    pen = _Pen(style)
    board = scene.board
    top = [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]
    bottom = [12, 11, 10, 9, 8, 7], [6, 5, 4, 3, 2, 1]
    body = [
        *(_row(pen, board, top, level, pen.opponent_bar(board, level)) for level in range(_ROWS)),
        _middle(pen),
        *(_row(pen, board, bottom, level, pen.own_bar(board, level)) for level in reversed(range(_ROWS))),
    ]
    notes = _notes(scene, pen)
    lines = [pen.edge(top, "top")]
    lines += [f"{line}  {note}" for line, note in zip(body, notes, strict=True)]
    lines.append(pen.edge(bottom, "bottom"))
    return [f" {_numbers(top)}", *(line.rstrip() for line in lines), f" {_numbers(bottom)}"]


def _numbers(halves: tuple[list[int], list[int]]) -> str:
    left, right = ("".join(f"{point:>3}" for point in half) for half in halves)
    return f" {left}       {right}"


class _Pen:
    """Characters and colours of a style."""

    def __init__(self, style: Style) -> None:
        self.style = style
        if style.unicode:
            self.own, self.theirs, self.wall, self.dot = "●", "○", "│", "·"
            self._corners = {"top": "┌─┬┐", "bottom": "└─┴┘"}
        else:
            self.own, self.theirs, self.wall, self.dot = "X", "O", "|", "."
            self._corners = {"top": "+-++", "bottom": "+-++"}

    def edge(self, halves: tuple[list[int], list[int]], place: str) -> str:
        left, line, middle, right = tuple(self._corners[place])
        half = line * (3 * len(halves[0]) + 1)
        return self.dim(f" {left}{half}{middle}{line * 3}{middle}{half}{right}")

    def dim(self, text: str) -> str:
        return self._paint(text, "2")

    def bold(self, text: str) -> str:
        return self._paint(text, "1")

    def checker(self, mine: bool, text: str | None = None) -> str:
        symbol = self.own if mine else self.theirs
        return self._paint(text or symbol, "1;36" if mine else "1;33")

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.style.colour and text.strip() else text

    def own_bar(self, board: Board, level: int) -> str:
        return self._bar(board[BAR], level, True)

    def opponent_bar(self, board: Board, level: int) -> str:
        return self._bar(board[0], level, False)

    def _bar(self, count: int, level: int, mine: bool) -> str:
        # Next to the middle, where a hit checker is put.
        from_middle = _ROWS - 1 - level
        if from_middle >= count:
            return "   "
        crowded = from_middle == _ROWS - 1 and count > _ROWS
        return self.checker(mine, f"{count:^3}") if crowded else f" {self.checker(mine)} "

    def die(self, value: int) -> str:
        return "⚀⚁⚂⚃⚄⚅"[value - 1] if self.style.unicode else ""


def _row(pen: _Pen, board: Board, halves: tuple[list[int], list[int]], level: int, bar: str) -> str:
    left, right = ("".join(_cell(pen, board[point], point, level) for point in half) for half in halves)
    wall = pen.dim(pen.wall)
    return f" {wall}{left} {wall}{bar}{wall}{right} {wall}"


def _cell(pen: _Pen, count: int, point: int, level: int) -> str:
    mine, number = count > 0, abs(count)
    if level >= number:
        return "  " + (pen.dim(pen.dot) if level == 0 or (level < 3 and point % 2 == 0) else " ")
    if level == _ROWS - 1 and number > _ROWS:
        return pen.checker(mine, f"{number:>3}")
    return "  " + pen.checker(mine)


def _middle(pen: _Pen) -> str:
    wall = pen.dim(pen.wall)
    blank = " " * 19
    return f" {wall}{blank}{wall}{pen.dim('bar')}{wall}{blank}{wall}"


def _notes(scene: Scene, pen: _Pen) -> list[str]:
    """What stands to the right of the board, a text for each of the eleven rows."""
    board, context = scene.board, scene.context
    notes = [""] * (2 * _ROWS + 1)
    pips = (
        sum(point * board[point] for point in range(1, BAR + 1) if board[point] > 0),
        sum((25 - point) * -board[point] for point in range(1, BAR) if board[point] < 0) + 25 * board[0],
    )
    off = (
        15 - sum(count for count in board[1:] if count > 0),
        15 - board[0] - sum(-count for count in board[1:25] if count < 0),
    )
    notes[0] = _player(pen, False, scene.opponent, context.score_opponent, context)
    notes[1] = _count(pen, pips[1], off[1])
    notes[-2] = _player(pen, True, scene.player, context.score_player, context)
    notes[-1] = _count(pen, pips[0], off[0])
    cube = f"cube {2 * context.cube_value if scene.doubling else context.cube_value}"
    if scene.doubling:
        notes[6 if scene.player_on_roll else 4] = pen.bold(f"doubles: {cube}")
    elif context.crawford:
        notes[5] = "Crawford game"
    elif context.cube_owner is CubeOwner.CENTERED:
        notes[5] = f"[{cube}]" if context.match_length != 1 else ""
    elif context.cube_owner is CubeOwner.PLAYER:
        notes[8] = f"[{cube}]"
    else:
        notes[2] = f"[{cube}]"
    if scene.dice is not None:
        faces = " ".join(f"{pen.die(die)} {die}".strip() for die in scene.dice)
        notes[7 if scene.player_on_roll else 3] = pen.bold(f"rolls {faces}")
    return notes


def _player(pen: _Pen, mine: bool, name: str, score: int, context: GameContext) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in name)[:24]
    goal = f"/{context.match_length}" if context.match_length else ""
    return f"{pen.checker(mine)} {pen.bold(shown)}  {score}{goal}"


def _count(pen: _Pen, pips: int, off: int) -> str:
    return pen.dim(f"  {pips} pips" + (f", {off} off" if off else ""))
