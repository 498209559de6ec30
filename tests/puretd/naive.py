"""PureTD's values and decisions from their definitions, in double precision, one position at a time."""

from __future__ import annotations

import array
import math
from dataclasses import dataclass
from functools import cache

from botd import _core
from botd.engine import rules
from botd.engine.network_file import NetworkFile, NetworkKind
from botd.engine.types import Board, CubeOwner, GameContext

CENTERED, OURS, THEIRS = CubeOwner.CENTERED, CubeOwner.PLAYER, CubeOwner.OPPONENT
OTHER = {CENTERED: CENTERED, OURS: THEIRS, THEIRS: OURS}
ROLLS = [(a, b, 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1)]


def inputs(board: Board) -> list[float]:
    """196 numbers; the board is seen by the side to play."""
    own = [max(board[p], 0) for p in range(1, 25)]
    their = [max(-board[p], 0) for p in range(1, 25)]
    out: list[float] = []
    for side, bar in ((own, board[25]), (their, board[0])):
        for n in side:
            out += [float(n >= 1), float(n >= 2), float(n >= 3), (n - 3) / 2 if n >= 4 else 0.0]
        out += [bar / 2, (15 - sum(side) - bar) / 15]
    return out


@dataclass(frozen=True)
class Naive:
    """A network and what follows from it."""

    file: NetworkFile

    def outputs(self, board: Board, cube: CubeOwner = CENTERED, *, cube_moment: bool = False) -> list[float]:
        return list(_outputs(self.file, board, cube, cube_moment))

    def n(self, board: Board, cube: CubeOwner, *, cube_moment: bool) -> float:
        """Equity of the side to play."""
        o = self.outputs(board, cube, cube_moment=cube_moment)
        match self.file.kind:
            case NetworkKind.PROBABILITIES5:
                win, win_gammon, lose_gammon = o[0], min(o[1], o[0]), min(o[3], 1 - o[0])
                return 2 * win + win_gammon + min(o[2], win_gammon) - lose_gammon - min(o[4], lose_gammon) - 1
            case NetworkKind.WIN:
                return 2 * o[0] - 1
            case _:
                return o[0]

    def v(self, y: Board, context: GameContext) -> float:
        """Worth of a result to its mover, who sees `y` and the cube."""
        g = rules.game_result(y)
        cubeful = self.file.kind is NetworkKind.CUBEFUL_EQUITY
        if g:
            jacoby = cubeful and context.jacoby and context.cube_owner is CENTERED
            return math.copysign(1, g) if jacoby or self.file.kind is NetworkKind.WIN else g
        theirs = OTHER[context.cube_owner]
        return -self.n(rules.mirrored(y), theirs, cube_moment=theirs is not THEIRS)

    def v1(self, x: Board, context: GameContext) -> float:
        """One roll, own best play."""
        total = 0.0
        for a, b, ways in ROLLS:
            plays = [play[1] for play in _core.legal_plays(x, a, b)] or [x]
            total += ways * max(self.v(y, context) for y in plays)
        return total / 36

    def cube(self, nd: float, dt: float, context: GameContext) -> tuple[bool, bool, float]:
        """Doubles, takes, value."""
        takes = dt <= 1
        too_good = nd > 1 and not (context.jacoby and context.cube_owner is CENTERED)
        doubles = dt > nd if takes else not too_good
        return doubles, takes, min(dt, 1.0) if doubles else nd

    def play_1ply(self, y: Board, context: GameContext) -> float:
        """Worth of a result to its mover, one roll deep."""
        if rules.game_result(y):
            return self.v(y, context)
        x = rules.mirrored(y)
        opponent = GameContext(cube_owner=OTHER[context.cube_owner], jacoby=context.jacoby)
        nd = self.v1(x, opponent)
        if self.file.kind is not NetworkKind.CUBEFUL_EQUITY or opponent.cube_owner is THEIRS:
            return -nd
        dt = 2 * self.v1(x, GameContext(cube_owner=THEIRS, jacoby=context.jacoby))
        return -self.cube(nd, dt, opponent)[2]


@cache
def _layers(file: NetworkFile) -> list[tuple[list[array.array[float]], array.array[float]]]:
    layers = []
    for layer in file.layers:
        width = 4 * layer.inputs
        rows = [array.array("f", layer.weights[j : j + width]) for j in range(0, len(layer.weights), width)]
        layers.append((rows, array.array("f", layer.biases)))
    return layers


@cache
def _outputs(file: NetworkFile, board: Board, cube: CubeOwner, cube_moment: bool) -> tuple[float, ...]:
    x = inputs(board)
    if file.kind is NetworkKind.CUBEFUL_EQUITY:
        x += [float(cube is CENTERED), float(cube is OURS), float(cube is THEIRS), float(cube_moment)]
    for i, (rows, biases) in enumerate(_layers(file)):
        active = [(k, value) for k, value in enumerate(x) if value]
        x = [
            bias + sum(row[k] * value for k, value in active) for row, bias in zip(rows, biases, strict=True)
        ]
        if i + 1 < len(file.layers):
            x = [max(value, 0.0) for value in x]
    if file.kind in (NetworkKind.PROBABILITIES5, NetworkKind.WIN):
        x = [1 / (1 + math.exp(-value)) for value in x]
    return tuple(x)
