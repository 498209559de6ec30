"""Requests, from the command line and from batch lines alike."""

from __future__ import annotations

from dataclasses import dataclass

from botd.engine import match_id, position_id, rules, xgid
from botd.engine.match_id import MatchState
from botd.engine.types import STARTING_BOARD, Board
from botd.engine_cli.errors import AnswerError, ErrorKind, position_errors

_XGID_PREFIX = "XGID="


@dataclass(frozen=True, slots=True)
class Settings:
    """Which evaluator answers, and how; the options before the command."""

    evaluator: str = "sage"
    mode: str = "exact"
    budget_s: float | None = None
    """Fast mode: seconds after which a search gives its best answer so far; None is no limit."""
    ply: int | None = None
    """None is the evaluator's default."""
    level: str | None = None
    profile: str | None = None
    move_filter: str | None = None
    prune: bool | None = None
    """None is the evaluator's default."""
    division: str | None = None
    """How gnubg's networks divide: `exact` or `reciprocal`; None is that of the profile's usual build."""
    threads: int = 1
    weights: str | None = None
    met: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question. Which fields a command needs, its answer function says."""

    op: str
    settings: Settings
    position_id: str | None = None
    """A Position ID, or an XGID in place of both identifiers."""
    match_id: str | None = None
    dice: tuple[int, int] | None = None
    depth: int | None = None
    move: str | None = None
    action: str | None = None
    offer: int | None = None
    ranking_length: int = 10
    """Most plays in a ranking."""


@dataclass(frozen=True, slots=True)
class Question:
    """A decoded position: board and context seen by the player on roll."""

    board: Board
    state: MatchState
    dice: tuple[int, int] | None


def is_xgid(text: str) -> bool:
    return text[: len(_XGID_PREFIX)].upper() == _XGID_PREFIX


def decode_position(request: Request) -> Question:
    """Board and score of a request that must have both, and the roll if there is one."""
    if request.position_id is None:
        raise AnswerError(ErrorKind.REQUEST, "position_id: expected a Position ID or an XGID, got none")
    with position_errors():
        if is_xgid(request.position_id):
            if request.match_id is not None:
                raise AnswerError(ErrorKind.REQUEST, "match_id: expected none beside an XGID")
            position = xgid.decode(request.position_id)
            board, state = position.board, position.state
        else:
            if request.match_id is None:
                raise AnswerError(
                    ErrorKind.REQUEST, "match_id: expected a Match ID beside the Position ID, got none"
                )
            board = position_id.decode(request.position_id)
            state = match_id.decode(request.match_id)
        return Question(board, state, _roll(request.dice, state.dice))


def decode_board(request: Request, *, default: bool = False) -> Question:
    """Like `decode_position` for commands that ask about the board only; the Match ID is not needed.

    With `default` the starting position stands in for a missing one.
    """
    if request.position_id is None and default:
        return Question(STARTING_BOARD, MatchState(), request.dice)
    if request.position_id is None or is_xgid(request.position_id) or request.match_id is not None:
        return decode_position(request)
    with position_errors():
        return Question(position_id.decode(request.position_id), MatchState(), _roll(request.dice, None))


def decode_roll(request: Request) -> tuple[Question, tuple[int, int]]:
    """Like `decode_position` for commands about a roll: there must be one."""
    question = decode_position(request)
    require_running(question.board)
    if question.dice is None:
        raise AnswerError(ErrorKind.REQUEST, "dice: expected two numbers from 1 to 6, got none")
    return question, question.dice


def decode_before_roll(request: Request) -> Question:
    """Like `decode_position` for commands about the cube or a resignation: nothing may be rolled yet."""
    question = decode_position(request)
    require_running(question.board)
    if question.dice is not None:
        raise AnswerError(
            ErrorKind.REQUEST,
            f"dice: expected none before the roll, got {question.dice[0]} {question.dice[1]}",
        )
    return question


def require_running(board: Board) -> None:
    """Raise unless both sides still have checkers on the board."""
    if rules.game_result(board) != 0:
        raise AnswerError(
            ErrorKind.POSITION, "position: expected a game in progress, but one side is all off"
        )


def _roll(given: tuple[int, int] | None, stored: tuple[int, int] | None) -> tuple[int, int] | None:
    """The roll, the larger die first, so that their order never matters (not even among equal plays)."""
    if given is None:
        return None if stored is None else (max(stored), min(stored))
    match_id.check_dice(given)
    if stored is not None and sorted(stored) != sorted(given):
        raise ValueError(
            f"dice: expected {stored[0]} {stored[1]} as in the identifier, got {given[0]} {given[1]}"
        )
    return max(given), min(given)
