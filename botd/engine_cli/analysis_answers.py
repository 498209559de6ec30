"""Answers about what was played or rolled, and the list of levels."""

from __future__ import annotations

import dataclasses
from typing import Any

from botd.engine import position_id
from botd.engine.analysis import CubeActionTaken, analyse_cube, analyse_play, luck
from botd.engine.levels import LEVELS, Level, PlayingLevel
from botd.engine.notation import parse_play
from botd.engine_cli.errors import AnswerError, ErrorKind, position_errors
from botd.engine_cli.evaluators import select
from botd.engine_cli.fields import Answer, cube_fields, ranking_fields
from botd.engine_cli.float32 import to_float32
from botd.engine_cli.requests import Request, decode_before_roll, decode_roll


def analysemove(request: Request) -> Answer:
    """The play made against the best one: its rank, what it cost, and the ranking down to it."""
    selected = select(request.settings)
    question, dice = decode_roll(request)
    context = question.state.context
    with position_errors():
        played = parse_play(request.move or "", question.board, dice)
        analysis = analyse_play(
            selected.engine, question.board, context, dice, played.board, ply=selected.ply
        )
    decision = analysis.decision
    return {
        "played_move": played.notation,
        "played_position_id": position_id.encode(played.board),
        "move_count": decision.legal_count,
        "rank": analysis.rank,
        "played_equity": analysis.played.equity,
        "best_move": analysis.best.play.notation,
        "best_equity": analysis.best.equity,
        # Of the numbers as they are shown.
        "equity_loss": min(0.0, to_float32(analysis.played.equity) - to_float32(analysis.best.equity)),
        "skill": str(analysis.skill),
        "ranking": ranking_fields(decision, length=max(request.ranking_length, analysis.rank)),
    }


def analysecube(request: Request) -> Answer:
    """What a cube action cost the side that took it; `analysed` is false where there is no decision."""
    selected = select(request.settings)
    question = decode_before_roll(request)
    if request.action is None or request.action not in list(CubeActionTaken):
        raise AnswerError(
            ErrorKind.REQUEST,
            f"action: expected one of {', '.join(CubeActionTaken)}, got {(request.action or 'none')[:40]!r}",
        )
    with position_errors():
        analysis = analyse_cube(
            selected.engine,
            question.board,
            question.state.context,
            CubeActionTaken(request.action),
            ply=selected.ply,
        )
    return {
        "analysed": analysis.cube is not None,
        "cube": None if analysis.cube is None else cube_fields(analysis.cube),
        "equity_loss": analysis.equity_loss,
        "skill": str(analysis.skill),
    }


def luck_answer(request: Request) -> Answer:
    """The value of a roll above the average roll, from 0-ply evaluations, and its rating."""
    selected = select(request.settings)
    question, dice = decode_roll(request)
    with position_errors():
        result = luck(selected.engine, question.board, question.state.context, dice)
    return {"value": result.value, "rating": str(result.rating)}


def levels(request: Request) -> Answer:
    """Every named level with its search and, for botd's own players, their habits."""
    return {"levels": [_level_fields(level) for level in LEVELS.values()]}


def _level_fields(level: Level) -> dict[str, Any]:
    if not isinstance(level, PlayingLevel):
        return dataclasses.asdict(level)
    candidates = level.candidates
    parameters = dataclasses.asdict(level)
    for name in ("name", "plies"):
        del parameters[name]
    return {
        "name": level.name,
        "plies": level.plies,
        "noise": 0.0,
        "filter": None if candidates is None else f"{candidates},0,0",
        "prune": level.plies > 0,
        "parameters": parameters,
    }
