"""A match record as a document for programs: plain values that JSON knows, snake_case names.

Sides are "us" and "opponent", boards 26 integers from our seat, times seconds since 1970 (UTC). Equities of a
decision's options are seen by us; `loss` is the best option's equity less that option's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from botd.engine import rules
from botd.engine.types import Board
from botd.journal.decided import CubeCandidates, Decided, Option, PlayCandidates
from botd.journal.match_record import GameRecord
from botd.journal.reader import MatchRecord, MatchSummary
from botd.journal.turns import Turn

Chooser = Callable[[GameRecord, Turn], bool]


def match_document(record: MatchRecord, wanted: Chooser = lambda _game, _turn: True) -> dict[str, Any]:
    """The whole match, or the turns `wanted`."""
    return {
        **summary_document(record.summary),
        "crawford": record.crawford,
        "jacoby": record.jacoby,
        "first_score": record.first_score,
        "sitting_list": [
            {
                "number": sitting.number,
                "started_at": sitting.started_at,
                "ended_at": sitting.ended_at,
                "how": sitting.how,
            }
            for sitting in record.sittings
        ],
        "game_list": [_game(game, wanted) for game in record.games],
    }


def summary_document(match: MatchSummary) -> dict[str, Any]:
    return {name: getattr(match, name) for name in match.__slots__}


def _game(game: GameRecord, wanted: Chooser) -> dict[str, Any]:
    return {
        "number": game.number,
        "started_at": game.started_at,
        "ended_at": game.ended_at,
        "score": game.score,
        "crawford": game.crawford,
        "gap": game.gap or None,
        "winner": game.winner,
        "points": game.points,
        "how": game.how,
        "turns": [_turn(turn) for turn in game.turns if wanted(game, turn)],
    }


def _turn(turn: Turn) -> dict[str, Any]:
    cube = turn.cube_before
    return {
        "number": turn.number,
        "kind": turn.kind,
        "at": turn.at,
        "sitting": turn.sitting,
        "side": turn.side,
        "dice": turn.dice,
        "opening": turn.opening,
        "notation": None if turn.move is None else turn.move.notation,
        "steps": None if turn.move is None else turn.move.steps,
        "automatic": turn.move is not None and turn.move.automatic,
        "cube": turn.cube,
        "level": turn.level,
        "cube_before": None if cube is None else {"value": cube.value, "owner": cube.owner},
        "board_before": turn.before,
        "board_after": turn.after,
        "pips_after": _pips(turn.after),
        "gap": turn.gap or None,
        "decisions": [decision_document(decision) for decision in turn.decisions],
    }


def _pips(board: Board | None) -> tuple[int, int] | None:
    return None if board is None else rules.pip_counts(board)


def decision_document(decision: Decided) -> dict[str, Any]:
    """A decision with its options best first; of a play each option has the chances after it."""
    return {
        "seq": decision.seq,
        "at": decision.at,
        "kind": decision.kind,
        "position_id": decision.position_id,
        "match_id": decision.match_id,
        "dice": decision.dice,
        "chosen": decision.chosen,
        "loss": decision.loss,
        "ply": decision.ply,
        "source": decision.source,
        "duration_s": decision.duration,
        "options": option_documents(decision.options, decision.chosen),
        "legal": decision.candidates.legal if isinstance(decision.candidates, PlayCandidates) else None,
        "cube": decision.candidates if isinstance(decision.candidates, CubeCandidates) else None,
        "engine_version": decision.engine_version,
        "evaluator": decision.evaluator,
        "mode": decision.mode,
        "weights_sha256": decision.weights_sha256,
        "cpu_path": decision.cpu_path,
        "met": decision.met,
        "settings": decision.settings,
    }


def option_documents(options: Iterable[Option], chosen: str) -> list[dict[str, Any]]:
    return [
        {
            "action": option.action,
            "equity": option.equity,
            "loss": option.loss,
            "ply": option.ply,
            "win": option.win,
            "probabilities": option.probabilities,
            "chosen": option.action == chosen,
        }
        for option in options
    ]
