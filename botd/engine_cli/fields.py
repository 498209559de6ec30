"""Parts of answers, with the field names of the reference data."""

from __future__ import annotations

from typing import Any

from botd.engine.types import CubeDecision, PlayDecision, Probabilities
from botd.engine_cli.float32 import to_float32

Answer = dict[str, Any]


def probability_fields(p: Probabilities | None) -> Answer | None:
    """None for an evaluator that has no probabilities."""
    if p is None:
        return None
    return {
        "win": p.win,
        "win_gammon": p.win_gammon,
        "win_backgammon": p.win_backgammon,
        "lose_gammon": p.lose_gammon,
        "lose_backgammon": p.lose_backgammon,
    }


def ranking_fields(decision: PlayDecision, *, length: int) -> list[Answer]:
    """The first `length` plays; none for a roll that cannot be played."""
    if not decision.legal_count:
        return []
    best = to_float32(decision.best.equity)
    return [
        {
            "rank": rank,
            "move": entry.play.notation,
            "ply": entry.ply,
            "equity": entry.equity,
            "equity_diff": to_float32(entry.equity) - best,
            "probabilities": probability_fields(entry.probabilities),
        }
        for rank, entry in enumerate(decision.plays[:length], start=1)
    ]


def cube_fields(decision: CubeDecision) -> Answer:
    return {
        "no_double": decision.no_double,
        "double_take": decision.double_take,
        "double_pass": decision.double_pass,
        "optimal": decision.optimal,
        "decision": decision.decision,
        "decision_text": decision.decision_text,
    }
