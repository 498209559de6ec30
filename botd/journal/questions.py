"""What a turn of a recorded match asked its player, in the engine's terms.

Of our own decisions it is what the journal stored; of anybody's turn it follows from the record. What cannot
be known is said by an UnknownQuestionError, what had to be assumed by the notes of a question.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from botd.engine import match_id, position_id, rules
from botd.engine.types import Board, CubeOwner, GameContext, Scoring
from botd.journal.decided import Decided, ResignationCandidates
from botd.journal.match_record import GameRecord
from botd.journal.reader import MatchRecord
from botd.journal.records import DecisionKind, Dice, Side
from botd.journal.turns import Turn, TurnKind


class UnknownQuestionError(Exception):
    """The record does not tell what was asked; one line that says what is missing."""


@dataclass(frozen=True, slots=True)
class Question:
    """Board and context are seen by the side on roll (for a take: the doubler; for the answer to a
    resignation: the side that decides)."""

    kind: DecisionKind
    side: Side
    """Who decides."""
    board: Board
    context: GameContext
    dice: Dice | None = None
    level: int = 0
    """Of the resignation that is answered."""
    on_roll: bool = True
    """Of the answer to a resignation: whether the side that decides rolls next."""
    did: str = ""
    """What was done, in the words of `Decided.chosen`; empty if nothing recorded says so."""
    notes: tuple[str, ...] = ()
    """What is assumed because the record does not tell it."""


def asked_of_us(decision: Decided, game: GameRecord) -> Question:
    """The question that a decision of ours answered. Raises UnknownQuestionError."""
    if not decision.match_id:
        raise UnknownQuestionError(
            f"the score was not recorded: a Match ID holds matches up to {match_id.MAX_MATCH_LENGTH} points"
        )
    try:
        board = position_id.decode(decision.position_id)
        state = match_id.decode(decision.match_id, beavers=False)
    except ValueError as error:
        raise UnknownQuestionError(f"the position was not recorded: {error}") from error
    take = decision.kind is DecisionKind.TAKE
    context = dataclasses.replace(_with_server_rules(state.context, decision), seat=1 if take else 0)
    notes = []
    level, on_roll = 0, True
    if decision.kind is DecisionKind.ANSWER_RESIGNATION:
        level = state.resignation_offered
        if isinstance(decision.candidates, ResignationCandidates):
            level = level or decision.candidates.level
        told = decision.settings.get("on_roll")
        if isinstance(told, bool):
            on_roll = told
        else:
            on_roll = _rolls_next(game, decision.seq) is not Side.OPPONENT
            notes.append("who was to roll was not recorded then; it follows from the moves before")
    return Question(
        decision.kind,
        Side.US,
        board,
        context,
        decision.dice,
        level,
        on_roll,
        decision.chosen,
        tuple(notes),
    )


def asked_by_turn(record: MatchRecord, game: GameRecord, turn: Turn) -> list[Question]:
    """What the side of this turn had to decide, by the record alone: whether to double before a roll (if it
    might have) and how to play it, or the one thing it was about.

    Raises UnknownQuestionError; an empty list means that there was nothing to decide.
    """
    return list(_questions(record, game, turn))


def _questions(record: MatchRecord, game: GameRecord, turn: Turn) -> Iterator[Question]:
    side = turn.side
    if side is None or turn.kind in (TurnKind.TIE, TurnKind.AUTOMATIC):
        return
    if turn.before is None:
        raise UnknownQuestionError("the position before this move is not in the record")
    if turn.cube_before is None:
        raise UnknownQuestionError("who owned the cube, and its value, is not in the record")
    taking = turn.kind in (TurnKind.TAKE, TurnKind.PASS, TurnKind.BEAVER)
    seen_by = side.other if taking else side
    context, notes = _context(record, game, turn, seen_by)
    board = turn.before if seen_by is Side.US else rules.mirrored(turn.before)
    asked = dataclasses.replace(Question(DecisionKind.PLAY, side, board, context), notes=notes)
    match turn.kind:
        case TurnKind.MOVE | TurnKind.ROLL:
            if not turn.opening and _may_double(context):
                yield dataclasses.replace(asked, kind=DecisionKind.DOUBLE, did="roll")
            yield dataclasses.replace(asked, dice=turn.dice, did=_played(turn, board))
        case TurnKind.DOUBLE:
            yield dataclasses.replace(asked, kind=DecisionKind.DOUBLE, did="double")
        case TurnKind.TAKE | TurnKind.BEAVER:
            yield dataclasses.replace(asked, kind=DecisionKind.TAKE, did="take")
        case TurnKind.PASS:
            yield dataclasses.replace(asked, kind=DecisionKind.TAKE, did="pass")
        case TurnKind.OFFER:
            yield dataclasses.replace(asked, kind=DecisionKind.RESIGN, did=f"resign {turn.level}")
        case TurnKind.ACCEPT | TurnKind.REJECT:
            yield dataclasses.replace(
                asked,
                kind=DecisionKind.ANSWER_RESIGNATION,
                did=turn.kind.value,
                level=_offered(game, turn),
                on_roll=_rolls_next(game, turn.seq) is side,
            )


def _context(
    record: MatchRecord, game: GameRecord, turn: Turn, seen_by: Side
) -> tuple[GameContext, tuple[str, ...]]:
    cube = turn.cube_before
    assert cube is not None
    ours, theirs = game.score
    score = (ours, theirs) if seen_by is Side.US else (theirs, ours)
    owner = CubeOwner.CENTERED
    if cube.owner is not None:
        owner = CubeOwner.PLAYER if cube.owner is seen_by else CubeOwner.OPPONENT
    known = next((each for game in record.games for each in game.decisions), None)
    notes = () if known else ("no decision of ours tells the server's own rules: the usual ones are assumed",)
    length = record.summary.length
    context = GameContext(
        match_length=length,
        score_player=score[0],
        score_opponent=score[1],
        cube_value=cube.value,
        cube_owner=owner,
        crawford=game.crawford,
        jacoby=record.jacoby and length == 0,
        seat=0 if seen_by is Side.US else 1,
    )
    return (context if known is None else _with_server_rules(context, known)), notes


def _with_server_rules(context: GameContext, decision: Decided) -> GameContext:
    """With the rules of the server that a Match ID has no place for."""
    scoring, most = decision.settings.get("scoring"), decision.settings.get("max_cube")
    return dataclasses.replace(
        context,
        scoring=next((known for known in Scoring if known == scoring), context.scoring),
        max_cube=most if isinstance(most, int) else None,
    )


def _may_double(context: GameContext) -> bool:
    if context.cube_owner is CubeOwner.OPPONENT or context.crawford:
        return False
    if context.max_cube is not None and 2 * context.cube_value > context.max_cube:
        return False
    away = context.match_length - context.score_player
    return context.is_money or context.cube_value < away


def _played(turn: Turn, board: Board) -> str:
    """The play in the engine's words: that of the legal play with the same result."""
    if turn.move is None or turn.dice is None or turn.after is None:
        return ""
    after = turn.after if turn.side is Side.US else rules.mirrored(turn.after)
    plays = rules.legal_plays(board, turn.dice)
    return next((play.notation for play in plays if play.board == after), turn.move.notation)


def _offered(game: GameRecord, turn: Turn) -> int:
    """The level of the offer that this turn answers."""
    offers = [each for each in game.turns if each.kind is TurnKind.OFFER and each.number < turn.number]
    level = offers[-1].level if offers else turn.level
    if level not in (1, 2, 3):
        raise UnknownQuestionError("the level of the resignation is not in the record")
    return level


def _rolls_next(game: GameRecord, seq: int) -> Side | None:
    """Who was to roll (or had rolled) at this point of a game; None before anybody moved."""
    before = [turn for turn in game.turns if turn.seq < seq and turn.side is not None]
    for turn in reversed(before):
        if turn.kind is TurnKind.MOVE:
            return None if turn.side is None else turn.side.other
        if turn.kind is TurnKind.ROLL:
            return turn.side
    return None
