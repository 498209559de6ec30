"""The answer to each command, with the field names of the reference data.

Everything is seen by the player on roll; equities are points for a cube at 1, in a match normalised so that
losing or winning the cube's value are -1 and +1.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from botd.engine import position_id, rules
from botd.engine.types import CubeDecision, PlayDecision, Probabilities
from botd.engine_cli.errors import AnswerError, ErrorKind, position_errors
from botd.engine_cli.evaluators import describe, sage_engine
from botd.engine_cli.float32 import shortened, to_float32
from botd.engine_cli.requests import Request, decode_board, decode_position, require_running

Answer = dict[str, Any]

RANKING_LENGTH = 10
MAX_PERFT_DEPTH = 10

LATER_COMMANDS = ("bestmove", "cube", "analysemove", "analysecube", "luck", "levels", "resign", "compare")
"""Named by the contract but not part of this version."""


def answer(request: Request) -> Answer:
    """The answer to a request, its floats shortened. Raises AnswerError."""
    command = COMMANDS.get(request.op)
    if command is None:
        if request.op in LATER_COMMANDS:
            raise AnswerError(ErrorKind.UNSUPPORTED, f"op {request.op}: not available in this version")
        raise AnswerError(
            ErrorKind.REQUEST, f"op: expected one of {', '.join(COMMANDS)}, got {request.op[:40]!r}"
        )
    result: Answer = shortened(command(request))
    return result


def reference(request: Request) -> Answer:
    """Evaluation before the roll, and the ranked plays or, without a roll, the cube decision."""
    engine = sage_engine(request.settings)
    ply = request.settings.ply
    question = decode_position(request)
    require_running(question.board)
    context = question.state.context
    with position_errors():
        probabilities, equity = engine.evaluate(question.board, context, ply=ply)
        out: Answer = {"evaluation": {"probabilities": _probabilities(probabilities), "equity": equity}}
        if question.dice is not None:
            out["moves"] = _moves(engine.choose_play(question.board, context, question.dice, ply=ply))
        else:
            out["cube"] = _cube(engine.cube_action(question.board, context, ply=ply))
    return out


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
    "perft": perft,
    "info": info,
}


def _probabilities(p: Probabilities) -> Answer:
    return {
        "win": p.win,
        "win_gammon": p.win_gammon,
        "win_backgammon": p.win_backgammon,
        "lose_gammon": p.lose_gammon,
        "lose_backgammon": p.lose_backgammon,
    }


def _moves(decision: PlayDecision) -> Answer:
    ranking = []
    if decision.legal_count:
        best = to_float32(decision.best.equity)
        ranking = [
            {
                "rank": rank,
                "move": entry.play.notation,
                "ply": entry.ply,
                "equity": entry.equity,
                "equity_diff": to_float32(entry.equity) - best,
                "probabilities": _probabilities(entry.probabilities),
            }
            for rank, entry in enumerate(decision.plays[:RANKING_LENGTH], start=1)
        ]
    return {"legal_move_count": decision.legal_count, "ranking": ranking}


def _cube(decision: CubeDecision) -> Answer:
    return {
        "no_double": decision.no_double,
        "double_take": decision.double_take,
        "double_pass": decision.double_pass,
        "optimal": decision.optimal,
        "decision": decision.decision,
        "decision_text": decision.decision_text,
    }
