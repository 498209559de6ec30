"""From happenings to messages: plain maps, the same for JSON and MessagePack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import msgspec

from botd.daemon import happenings as h
from botd.engine import position_id
from botd.engine.types import Board, CubeDecision, PlayDecision, Probabilities, ResignationDecision
from botd.journal.records import CubeActionKind, Decision
from botd.journal.store import timestamp

SCHEMA: Final = 1
"""Raised whenever a key changes its meaning or goes away; new keys may come without."""
CANDIDATES: Final = 5
"""Plays told of a decision; the journal has more."""

CUBE_EVENTS: Final = {
    CubeActionKind.DOUBLE: "double",
    CubeActionKind.TAKE: "take",
    CubeActionKind.PASS: "pass",
    CubeActionKind.BEAVER: "beaver",
    CubeActionKind.AUTOMATIC: "automatic_double",
}
EVENTS: Final = (
    "connected", "disconnected", "invited", "match_started", "game_started", "roll", "move",
    *CUBE_EVENTS.values(), "resignation", "game_result", "match_result", "match_suspended", "rating",
    "decision", "error",
)  # fmt: skip
"""Every kind of event; each has a topic of its own."""
_SURE: Final = frozenset(
    {
        "connected",
        "disconnected",
        "match_started",
        "game_result",
        "match_result",
        "match_suspended",
        "rating",
        "error",
    }
)
"""Sent again until the broker has confirmed them (quality of service 1); the others are sent once."""

Encoder = Callable[[object], bytes]


def encoder(format: str) -> Encoder:
    """For `json` or `msgpack`."""
    return msgspec.msgpack.encode if format == "msgpack" else msgspec.json.encode


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    """One of EVENTS."""
    fields: dict[str, Any]

    @property
    def qos(self) -> int:
        return 1 if self.kind in _SURE else 0

    def message(self, sequence: int) -> dict[str, Any]:
        """`sequence` counts the messages of one connection of the daemon to its broker."""
        return {"schema": SCHEMA, "type": self.kind, "seq": sequence, **self.fields}


def status_message(status: str, reason: str = "") -> dict[str, Any]:
    """`online`, or `offline` and why: `stopped` by us, `lost` as the broker says in our place."""
    return {"schema": SCHEMA, "status": status, "reason": reason, "version": version("botd")}


def event_of(happening: h.Happening) -> Event:
    """What is told of a happening."""
    kind, fields = _told(happening)
    where = {"at": timestamp(happening.at), "account": happening.account, "server": happening.server}
    return Event(kind, where | fields)


def _told(happening: h.Happening) -> tuple[str, dict[str, Any]]:
    match happening:
        case h.Connected():
            return "connected", {}
        case h.Disconnected(reason=reason):
            return "disconnected", {"reason": reason}
        case h.Invited() as it:
            return "invited", {
                "player": it.player,
                "length": it.length,
                "resume": it.resume,
                "accepted": not it.refusal,
                "refusal": it.refusal,
            }
        case h.MatchStarted() as it:
            return "match_started", {
                "opponent": it.opponent,
                "length": it.length,
                "score": it.score,
                "resumed": it.resumed,
            }
        case h.GameStarted() as it:
            return "game_started", {"game": it.number, "score": it.score, "crawford": it.crawford}
        case h.Rolled() as it:
            return "roll", {"side": it.side, "dice": it.dice, "position_id": _identifier(it.board)}
        case h.Moved() as it:
            return "move", {
                "side": it.side,
                "dice": it.dice,
                "move": it.notation,
                "position_id": _identifier(it.board),
                "equity": _rounded(it.equity),
            }
        case h.CubeActed() as it:
            told = {"side": it.side, "cube": it.cube, "equity": _rounded(it.equity)}
            return CUBE_EVENTS[it.action], told
        case h.Resigned() as it:
            return "resignation", {"side": it.side, "action": it.action, "level": it.level}
        case h.GameOver() as it:
            return "game_result", {"winner": it.winner, "points": it.points, "score": it.score}
        case h.MatchOver() as it:
            return "match_result", {"opponent": it.opponent, "winner": it.winner, "score": it.score}
        case h.MatchSuspended() as it:
            return "match_suspended", {"opponent": it.opponent, "reason": it.reason, "score": it.score}
        case h.RatingSeen() as it:
            return "rating", {"rating": round(it.rating, 2), "experience": it.experience}
        case h.Decided() as it:
            return "decision", {
                "kind": it.kind,
                "position_id": it.position_id,
                "match_id": it.match_id,
                "dice": it.dice,
                "chosen": it.chosen,
                "ply": it.decision.ply,
                "source": it.source,
                "seconds": round(it.duration, 6),
                "evaluator": it.engine.evaluator,
                "mode": it.engine.mode,
                **_weighed(it.decision),
            }
        case h.Trouble(what=what, detail=detail):
            return "error", {"error": what, "detail": detail}
    raise TypeError(f"a happening without a message: {type(happening).__name__}")


def _weighed(decision: Decision) -> dict[str, Any]:
    match decision:
        case PlayDecision():
            return {
                "legal": decision.legal_count,
                "plays": [
                    {
                        "move": ranked.play.notation,
                        "equity": _rounded(ranked.equity),
                        "ply": ranked.ply,
                        "probabilities": _probabilities(ranked.probabilities),
                    }
                    for ranked in decision.plays[:CANDIDATES]
                ],
            }
        case CubeDecision():
            return {
                "decision": decision.decision,
                "no_double": _rounded(decision.no_double),
                "double_take": _rounded(decision.double_take),
                "double_pass": _rounded(decision.double_pass),
                "probabilities": _probabilities(decision.probabilities),
            }
        case ResignationDecision():
            return {
                "level": decision.level,
                "play_on": _rounded(decision.equity),
                "resign": _rounded(decision.resign_equity),
                "probabilities": _probabilities(decision.probabilities),
            }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _probabilities(p: Probabilities | None) -> list[float] | None:
    if p is None:
        return None
    parts = (p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon)
    return [round(part, 6) for part in parts]


def _identifier(board: Board | None) -> str:
    """Position ID, seen as the happening says; empty if the position is not known."""
    try:
        return "" if board is None else position_id.encode(board)
    except ValueError:
        return ""
