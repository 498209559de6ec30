"""eXtreme Gammon's position text, `XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10`.

The bottom player is seat 1 of a Match ID, the top player seat 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from botd.engine.match_id import MAX_CUBE_LOG, MAX_MATCH_LENGTH, MatchState, check_context, check_dice
from botd.engine.rules import check_board, mirrored
from botd.engine.types import Board, CubeOwner, GameContext

__all__ = ["XgPosition", "decode", "encode"]

_MAX_TEXT = 200
_DEFAULT_CUBE_LIMIT_LOG = 10
_NUMBER = re.compile(r"-?[0-9]{1,5}")
_FIELDS = (
    "position",
    "cube",
    "owner",
    "turn",
    "dice",
    "score",
    "opponent score",
    "rule",
    "length",
    "cube limit",
)


@dataclass(frozen=True, slots=True)
class XgPosition:
    """What an XGID holds."""

    board: Board
    """Seen by the player on roll."""
    state: MatchState


def decode(text: str) -> XgPosition:
    """Read an XGID, with or without `XGID=` in front; ValueError, saying what is wrong, if it is none."""
    body = text.strip()
    if len(body) > _MAX_TEXT:
        raise ValueError(f"XGID: expected at most {_MAX_TEXT} characters, got {len(body)}")
    if body[:5].upper() == "XGID=":
        body = body[5:]
    parts = body.split(":")
    if len(parts) != len(_FIELDS):
        raise ValueError(
            f"XGID {body[:60]!r}: expected {len(_FIELDS)} fields separated by ':', got {len(parts)}"
        )

    def number(index: int, low: int, high: int) -> int:
        value = parts[index]
        if not _NUMBER.fullmatch(value) or not low <= int(value) <= high:
            raise ValueError(f"XGID field {_FIELDS[index]}: expected {low} to {high}, got {value[:20]!r}")
        return int(value)

    bottom_on_roll = number(3, -1, 1) == 1
    length = number(8, 0, MAX_MATCH_LENGTH)
    rule = number(7, 0, 3 if length == 0 else 1)
    cube_log, limit_log = number(1, 0, MAX_CUBE_LOG), number(9, 0, 99)
    # XG's default is as good as no limit.
    limited = limit_log < _DEFAULT_CUBE_LIMIT_LOG and cube_log < _DEFAULT_CUBE_LIMIT_LOG
    on_roll = 1 if bottom_on_roll else 0
    owner_sign = number(2, -1, 1)
    if owner_sign == 0:
        owner = CubeOwner.CENTERED
    else:
        owner = CubeOwner.PLAYER if (owner_sign == 1) == bottom_on_roll else CubeOwner.OPPONENT
    scores = (number(5, 0, 2**15 - 1), number(6, 0, 2**15 - 1))
    context = GameContext(
        match_length=length,
        score_player=scores[0 if bottom_on_roll else 1],
        score_opponent=scores[1 if bottom_on_roll else 0],
        cube_value=1 << cube_log,
        cube_owner=owner,
        crawford=length > 0 and rule == 1,
        jacoby=length == 0 and bool(rule & 1),
        beavers=length == 0 and bool(rule & 2),
        max_cube=1 << max(limit_log, cube_log) if limited else None,
        seat=on_roll,
    )
    check_context(context)

    doubled = parts[4] == "D"
    dice = None
    if not doubled and parts[4] != "00":
        if not re.fullmatch(r"[1-6][1-6]", parts[4]):
            raise ValueError(f"XGID field dice: expected two digits 1 to 6, 00 or D, got {parts[4][:20]!r}")
        dice = (int(parts[4][0]), int(parts[4][1]))

    bottom_board = _decode_board(parts[0])
    return XgPosition(
        board=bottom_board if bottom_on_roll else mirrored(bottom_board),
        state=MatchState(
            context=context,
            dice=dice,
            on_roll=on_roll,
            to_act=1 - on_roll if doubled else on_roll,
            double_offered=doubled,
        ),
    )


def encode(board: Board, state: MatchState) -> str:
    """Write an XGID; `board` is seen by the player on roll. ValueError if the format has no place for it."""
    check_board(board)
    context = state.context
    check_context(context)
    if state.resignation_offered:
        raise ValueError("XGID: expected no resignation on offer, since the format has no place for one")
    bottom_on_roll = state.on_roll == 1
    if state.double_offered:
        dice = "D"
    elif state.dice is None:
        dice = "00"
    else:
        check_dice(state.dice)
        dice = f"{state.dice[0]}{state.dice[1]}"
    sign = 1 if bottom_on_roll else -1
    owner = {CubeOwner.CENTERED: 0, CubeOwner.PLAYER: sign, CubeOwner.OPPONENT: -sign}[context.cube_owner]
    scores = (context.score_player, context.score_opponent)
    if not bottom_on_roll:
        scores = scores[::-1]
    rule = int(context.jacoby) + 2 * int(context.beavers) if context.is_money else int(context.crawford)
    cube_log = context.cube_value.bit_length() - 1
    fields = (
        _encode_board(board if bottom_on_roll else mirrored(board)),
        cube_log,
        owner,
        sign,
        dice,
        *scores,
        rule,
        context.match_length,
        max(_DEFAULT_CUBE_LIMIT_LOG, cube_log) if context.max_cube is None else _limit_log(context.max_cube),
    )
    return "XGID=" + ":".join(map(str, fields))


def _limit_log(max_cube: int) -> int:
    if max_cube < 1 or max_cube & (max_cube - 1):
        raise ValueError(f"largest cube: expected a power of two, got {max_cube}")
    return max_cube.bit_length() - 1


def _decode_board(text: str) -> Board:
    if len(text) != 26:
        raise ValueError(f"XGID field position: expected 26 characters, got {len(text)}")
    points = []
    for place, char in enumerate(text):
        if char == "-":
            checkers = 0
        elif "A" <= char <= "P" and place != 0:
            checkers = ord(char) - ord("A") + 1
        elif "a" <= char <= "p" and place != 25:
            checkers = -(ord(char) - ord("a") + 1)
        else:
            raise ValueError(
                f"XGID field position: character {place + 1} is {char!r}, expected -, A to P (bottom player, "
                "not on the first place) or a to p (top player, not on the last)"
            )
        points.append(checkers)
    points[0] = -points[0]
    board = tuple(points)
    try:
        check_board(board)
    except ValueError as error:
        raise ValueError(f"XGID field position: {error}") from None
    return board


def _encode_board(board: Board) -> str:
    def char(checkers: int) -> str:
        if checkers == 0:
            return "-"
        return chr(ord("A") + checkers - 1) if checkers > 0 else chr(ord("a") - checkers - 1)

    return char(-board[0]) + "".join(char(checkers) for checkers in board[1:])
