"""Answers about what to do: plays, the cube, resignations."""

from __future__ import annotations

from botd.engine import position_id, rules
from botd.engine.core_arguments import other_side
from botd.engine.protocol import Engine
from botd.engine.types import Board
from botd.engine_cli.errors import AnswerError, ErrorKind, position_errors
from botd.engine_cli.evaluators import select
from botd.engine_cli.fields import Answer, cube_fields, probability_fields, ranking_fields
from botd.engine_cli.requests import (
    Question,
    Request,
    decode_before_roll,
    decode_position,
    decode_roll,
    require_running,
)


def reference(request: Request) -> Answer:
    """Evaluation before the roll, and the ranked plays or, without a roll, the cube decision."""
    selected = select(request.settings)
    question = decode_position(request)
    require_running(question.board)
    context = question.state.context
    with position_errors():
        probabilities, equity = selected.engine.evaluate(question.board, context, ply=selected.ply)
        out: Answer = {"evaluation": {"probabilities": probability_fields(probabilities), "equity": equity}}
        if question.dice is not None:
            decision = selected.player.choose_play(question.board, context, question.dice, ply=selected.ply)
            ranking = ranking_fields(decision, length=request.ranking_length)
            out["moves"] = {"legal_move_count": decision.legal_count, "ranking": ranking}
        else:
            out["cube"] = cube_fields(selected.player.cube_action(question.board, context, ply=selected.ply))
    return out


def bestmove(request: Request) -> Answer:
    """The play to make, the position after it (the player who moved kept in place), and where it is from."""
    selected = select(request.settings)
    question, dice = decode_roll(request)
    with position_errors():
        decision = selected.player.choose_play(question.board, question.state.context, dice, ply=selected.ply)
    best = decision.best
    return {
        "move": best.play.notation,
        "position_id": position_id.encode(best.play.board),
        "equity": best.equity,
        "ply": best.ply,
        "source": decision.source,
    }


def cube(request: Request) -> Answer:
    """The cube decision of the player on roll, and the answer if the cube is turned all the same."""
    selected = select(request.settings)
    question = decode_before_roll(request)
    with position_errors():
        decision = selected.player.cube_action(question.board, question.state.context, ply=selected.ply)
    return {
        **cube_fields(decision),
        "action": "double" if decision.double else "no_double",
        "response": str(decision.response),
    }


def resign(request: Request) -> Answer:
    """What the player on roll should resign, or whether an offer should be accepted.

    An offer is judged by the side that is to act: the player on roll, unless the Match ID says that the other
    one must answer. `equity` is that of playing on, `resign_equity` that of the resignation, both seen by the
    player on roll.
    """
    selected = select(request.settings)
    question = decode_position(request)
    require_running(question.board)
    offer = _offer(request, question)
    if offer is None:
        decode_before_roll(request)
        with position_errors():
            decision = selected.player.offer_resignation(
                question.board, question.state.context, ply=selected.ply
            )
        return {
            "resign": decision.level,
            "equity": decision.equity,
            "resign_equity": decision.resign_equity,
            "probabilities": probability_fields(decision.probabilities),
        }
    on_roll_decides = question.state.to_act == question.state.on_roll
    board, context, rolls_next = question.board, question.state.context, True
    with position_errors():
        if question.dice is not None:
            board, rolls_next = _after_best_play(selected.player, question, question.dice), False
        if not on_roll_decides:
            board, context, rolls_next = rules.mirrored(board), other_side(context), not rolls_next
        decision = selected.player.judge_resignation(
            board, context, offer, on_roll=rolls_next, ply=selected.ply
        )
    sign = 1.0 if on_roll_decides else -1.0
    return {
        "offer": offer,
        "accept": decision.accept,
        "decides": "player" if on_roll_decides else "opponent",
        "equity": sign * decision.equity,
        "resign_equity": sign * decision.resign_equity,
    }


def _offer(request: Request, question: Question) -> int | None:
    """From the request, else from the Match ID; two that differ are an error."""
    stored = question.state.resignation_offered or None
    if request.offer is None:
        return stored
    if request.offer not in (1, 2, 3):
        raise AnswerError(
            ErrorKind.REQUEST, f"offer: expected 1, 2 or 3 (single, gammon, backgammon), got {request.offer}"
        )
    if stored is not None and stored != request.offer:
        raise AnswerError(
            ErrorKind.POSITION, f"offer: expected {stored} as in the identifier, got {request.offer}"
        )
    return request.offer


def _after_best_play(player: Engine, question: Question, dice: tuple[int, int]) -> Board:
    return player.choose_play(question.board, question.state.context, dice, ply=0).best.play.board
