"""What every engine checks before it asks the compiled core, and how both name the same things."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from botd import _core
from botd.engine import rules
from botd.engine.types import Board, CubeOwner, GameContext, Probabilities


def checked_board(board: Board) -> Board:
    """The board as a tuple; ValueError saying what is impossible about it."""
    points = tuple(board)
    rules.check_board(points)
    return points


def checked_dice(dice: tuple[int, int]) -> tuple[int, int]:
    """The dice as a tuple; ValueError unless they are two integers from 1 to 6."""
    pair = tuple(dice)
    if len(pair) != 2 or not all(type(die) is int and 1 <= die <= 6 for die in pair):
        raise ValueError(f"dice: expected two integers from 1 to 6, got {pair!r:.80}")
    return pair[0], pair[1]


def cube_state(context: GameContext) -> _core.CubeState:
    """The context in the core's terms: points still needed instead of scores; ValueError if impossible."""
    return _core.cube_state(context)


def other_side(context: GameContext) -> GameContext:
    """The same score and cube seen by the other side."""
    owner = {CubeOwner.PLAYER: CubeOwner.OPPONENT, CubeOwner.OPPONENT: CubeOwner.PLAYER}
    return dataclasses.replace(
        context,
        score_player=context.score_opponent,
        score_opponent=context.score_player,
        cube_owner=owner.get(context.cube_owner, CubeOwner.CENTERED),
        seat=1 - context.seat,
    )


def inverted(p: Probabilities | None) -> Probabilities | None:
    """The same outcomes seen by the other side, if they are known."""
    if p is None:
        return None
    return Probabilities(1.0 - p.win, p.lose_gammon, p.lose_backgammon, p.win_gammon, p.win_backgammon)


def digests(files: list[Path]) -> tuple[dict[str, str], str]:
    """SHA-256 of every file by path, and one over all of them in order."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL

    by_path = {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    return by_path, hashlib.sha256("".join(by_path.values()).encode()).hexdigest()
