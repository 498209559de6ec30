"""The answer to each command, with the field names of the reference data.

Everything is seen by the player on roll; equities are points for a cube at 1, in a match normalised so that
losing or winning the cube's value are -1 and +1.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from botd.engine import position_id, rules
from botd.engine_cli.analysis_answers import analysecube, analysemove, levels, luck_answer
from botd.engine_cli.decision_answers import bestmove, cube, reference, resign
from botd.engine_cli.errors import AnswerError, ErrorKind
from botd.engine_cli.evaluators import describe
from botd.engine_cli.fields import Answer
from botd.engine_cli.float32 import shortened
from botd.engine_cli.requests import Request, decode_board, require_running

MAX_PERFT_DEPTH = 10


def answer(request: Request) -> Answer:
    """The answer to a request, its floats shortened. Raises AnswerError."""
    command = COMMANDS.get(request.op)
    if command is None:
        raise AnswerError(
            ErrorKind.REQUEST, f"op: expected one of {', '.join(COMMANDS)}, got {request.op[:40]!r}"
        )
    try:
        result: Answer = shortened(command(request))
    except MemoryError as error:
        raise AnswerError(
            ErrorKind.UNSUPPORTED, f"{request.op}: not enough memory, expected less depth or fewer threads"
        ) from error
    return result


def legal(request: Request) -> Answer:
    """The distinct resulting positions, the player who moved kept in place, sorted, with their notation."""
    question = decode_board(request)
    require_running(question.board)
    if question.dice is None:
        raise AnswerError(ErrorKind.REQUEST, "dice: expected two numbers from 1 to 6, got none")
    plays = sorted(
        (position_id.encode(play.board), play.notation)
        for play in rules.legal_plays(question.board, question.dice)
    )
    return {
        "count": len(plays),
        "positions": [position for position, _ in plays],
        "moves": [notation for _, notation in plays],
    }


def perft(request: Request) -> Answer:
    """Sequences of distinct plays over all 21 rolls, different final positions, and the time it took."""
    if request.depth is None or not 0 <= request.depth <= MAX_PERFT_DEPTH:
        raise AnswerError(ErrorKind.REQUEST, f"depth: expected 0 to {MAX_PERFT_DEPTH}, got {request.depth}")
    question = decode_board(request, default=True)
    require_running(question.board)
    start = time.perf_counter()
    try:
        leaves, distinct = rules.perft(question.board, request.depth)
    except ValueError as error:
        raise AnswerError(ErrorKind.UNSUPPORTED, str(error)) from error
    return {"leaves": leaves, "distinct": distinct, "seconds": round(time.perf_counter() - start, 6)}


def info(request: Request) -> Answer:
    """Version, CPU path, evaluators with licence and digests of their files, bear-off files, equity table."""
    return describe(request.settings)


COMMANDS: dict[str, Callable[[Request], Answer]] = {
    "reference": reference,
    "legal": legal,
    "bestmove": bestmove,
    "cube": cube,
    "analysemove": analysemove,
    "analysecube": analysecube,
    "luck": luck_answer,
    "levels": levels,
    "resign": resign,
    "perft": perft,
    "info": info,
}
