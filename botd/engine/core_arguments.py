"""What every engine checks before it asks the compiled core, and how both name the same things."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

from botd import _core
from botd.engine import rules
from botd.engine.met import MAX_LENGTH
from botd.engine.types import Board, CubeOwner, GameContext, Probabilities, Scoring

MAX_CUBE = 4096


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
    length = context.match_length
    value = context.cube_value
    if not (1 <= value <= MAX_CUBE and value & (value - 1) == 0):
        raise ValueError(f"cube: expected a power of two from 1 to {MAX_CUBE}, got {value}")
    if not 0 <= length <= MAX_LENGTH:
        raise ValueError(f"match length: expected 0 (money) to {MAX_LENGTH}, got {length}")
    max_value = 0 if context.max_cube is None else context.max_cube
    if context.max_cube is not None and not (
        value <= max_value <= MAX_CUBE and max_value & (max_value - 1) == 0
    ):
        raise ValueError(
            f"largest cube: expected a power of two from the cube's value ({value}) to {MAX_CUBE}, "
            f"got {max_value}"
        )
    if context.seat not in (0, 1):
        raise ValueError(f"seat: expected 0 or 1, got {context.seat!r:.20}")
    owner, scoring = CubeOwner(context.cube_owner), Scoring(context.scoring)
    if length == 0:
        if context.crawford:
            raise ValueError("Crawford game: there is none in money play")
        if scoring is not Scoring.STANDARD:
            raise ValueError("scoring: bgammon servers have matches only, expected a match")
        return _core.CubeState(
            value, owner.value, jacoby=context.jacoby, beavers=context.beavers, max_value=max_value
        )
    for score in (context.score_player, context.score_opponent):
        if not 0 <= score < length:
            raise ValueError(f"score: expected 0 to {length - 1} in a match to {length}, got {score}")
    away, opponent_away = length - context.score_player, length - context.score_opponent
    if context.crawford and (away == 1) == (opponent_away == 1):
        raise ValueError(
            "Crawford game: expected exactly one side to need one point, "
            f"got {away} and {opponent_away} points needed"
        )
    if context.crawford and (value != 1 or owner is not CubeOwner.CENTERED):
        raise ValueError(f"Crawford game: the cube is not in use, got it at {value}, owner {owner.value}")
    return _core.CubeState(
        value,
        owner.value,
        away,
        opponent_away,
        crawford=context.crawford,
        max_value=max_value,
        scoring=scoring.value,
        seat=context.seat,
    )


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


def inverted(p: Probabilities) -> Probabilities:
    """The same outcomes seen by the other side."""
    return Probabilities(1.0 - p.win, p.lose_gammon, p.lose_backgammon, p.win_gammon, p.win_backgammon)


def play_source(legal_count: int, *, database: bool) -> str:
    """The `source` of a play: `forced`, `bearoff` if a database has the position, else `search`."""
    if legal_count < 2:
        return "forced"
    return "bearoff" if database else "search"


def digests(files: list[Path]) -> tuple[dict[str, str], str]:
    """SHA-256 of every file by path, and one over all of them in order."""
    by_path = {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    return by_path, hashlib.sha256("".join(by_path.values()).encode()).hexdigest()
