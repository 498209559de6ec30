"""A board-line reader and checker that shares nothing with the server's formatter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    player: str
    opponent: str
    length: int
    scores: tuple[int, int]
    points: tuple[int, ...]
    turn: int
    dice: tuple[int, int]
    other_dice: tuple[int, int]
    cube: int
    may: tuple[int, int]
    doubled: int
    colour: int
    off: tuple[int, int]
    bar: tuple[int, int]
    can_move: int
    flags: tuple[int, int]
    redoubles: int


def read_board(text: str) -> Line:
    """Parse and check: 53 fields, 15 checkers a side, direction, home, bar and off agree."""
    fields = text.split(":")
    assert len(fields) == 53, text
    assert fields[0] == "board"
    v = [int(f) for f in fields[3:]]
    line = Line(
        fields[1], fields[2], v[0], (v[1], v[2]), tuple(v[3:29]), v[29], (v[30], v[31]), (v[32], v[33]),
        v[34], (v[35], v[36]), v[37], v[38], (v[42], v[43]), (v[44], v[45]), v[46], (v[47], v[48]), v[49],
    )  # fmt: skip
    direction, home, bar = v[39], v[40], v[41]
    assert line.colour in (-1, 1)
    assert direction == -line.colour
    assert (home, bar) == ((0, 25) if direction == -1 else (25, 0))
    for side, colour in enumerate((line.colour, -line.colour)):
        on_points = sum(max(0, colour * p) for p in line.points[1:25])
        bar_index = 25 if colour == 1 else 0
        assert colour * line.points[bar_index] == line.bar[side] >= 0
        assert on_points + line.bar[side] + line.off[side] == 15
    assert line.points[0] <= 0 <= line.points[25]
    assert line.turn in (-1, 0, 1)
    if line.dice != (0, 0):
        assert line.turn == line.colour
        assert line.other_dice == (0, 0)
    if line.other_dice != (0, 0):
        assert line.turn == -line.colour
    return line


def own_view(line: Line) -> tuple[int, ...]:
    """Player 1's view: own checkers positive, [25] own bar, [0] the other bar, both >= 0."""
    if line.colour == 1:
        return (line.bar[1], *line.points[1:25], line.bar[0])
    return (line.bar[1], *(-line.points[25 - p] for p in range(1, 25)), line.bar[0])
