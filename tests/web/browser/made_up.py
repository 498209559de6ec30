"""Live documents for the page, made up where no local server would send the like."""

from __future__ import annotations

import random
import time
from typing import Any

from botd.engine.rules import legal_plays
from botd.engine.types import STARTING_BOARD, Board

EVIL = '<img src=x onerror="window.hacked=1">\'"&amp;</script><script>window.hacked=2</script>\u202e'
"""A text that must stay one."""


def mirrored(board: Board) -> Board:
    """The same position from the other seat."""
    return (board[25], *(-board[25 - point] for point in range(1, 25)), board[0])


def random_game(seed: int, plies: int) -> tuple[Board, dict[str, Any] | None, str]:
    """Our board after so many random plays, the last one, and who is next."""
    dice = random.Random(seed)
    board: Board = STARTING_BOARD
    side, other, last = "us", "opponent", None
    for _ in range(plies):
        roll = (dice.randint(1, 6), dice.randint(1, 6))
        seen = board if side == "us" else mirrored(board)
        plays = legal_plays(seen, roll)
        play = dice.choice(plays) if plays else None
        after = play.board if play else seen
        board = after if side == "us" else mirrored(after)
        last = {"side": side, "dice": roll, "notation": play.notation if play else "", "board": board}
        side, other = other, side
    return board, last, side


def candidate(move: str, equity: float, loss: float | None) -> dict[str, Any]:
    return {"move": move, "equity": equity, "loss": loss, "win": 0.5 + equity / 2, "ply": 2}


def decision(chosen: str = "13/7 8/7", **changes: Any) -> dict[str, Any]:
    return {
        "at": time.time(),
        "game": 1,
        "kind": "play",
        "dice": [6, 1],
        "chosen": chosen,
        "equity": 0.21,
        "ply": 2,
        "source": "search",
        "duration_s": 0.08,
        "win": 0.605,
        "position_id": "4HPwATDgc/ABMA",
        "match_id": "cAkAAAAAAAAA",
        "candidates": [candidate(chosen, 0.21, 0), candidate("24/18 13/12", 0.13, 0.08)],
        "chosen_index": 0,
    } | changes


def match(seed: int = 1, plies: int = 20, **changes: Any) -> dict[str, Any]:
    board, last, turn = random_game(seed, plies)
    return {
        "key": f"match-{seed}",
        "opponent": "bert",
        "length": 5,
        "score": [2, 1],
        "crawford": False,
        "game": 3,
        "started_at": time.time() - 600,
        "board": board,
        "turn": turn,
        "dice": [6, 3],
        "cube": {"value": 2, "owner": "opponent", "offered_by": None},
        "pips": [123, 141],
        "last_move": last,
        "resignation": None,
        "moves": plies,
        "curve": [
            {"n": n, "game": 1 + n // 15, "win": 0.5 + (n % 7) / 20, "equity": (n % 7) / 10}
            for n in range(1, 40)
        ],
        "decisions": [decision()],
    } | changes


def account(name: str = "anna", playing: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"{name}@127.0.0.1:4321",
        "account": name,
        "server": "127.0.0.1:4321",
        "state": "playing" if playing else "ready",
        "since": time.time() - 100,
        "last_message_at": time.time() - 2,
        "paused": False,
        "level": None,
        "ply": 2,
        "mode": "fast",
        "rating": 1712.4,
        "matches": 3,
        "wins": 2,
        "losses": 1,
        "match": playing,
        "last_match": None,
    } | changes


def live(*accounts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "version": "0.1.0",
        "instance": "first",
        "at": time.time(),
        "state": "running",
        "uptime_s": 3600.0,
        "engine": {
            "evaluator": "sage",
            "mode": "fast",
            "cpu_path": "avx2",
            "met": "kazaross",
            "weights": "ab",
        },
        "workers": {"total": 2, "failing": 0},
        "journal": "ok",
        "accounts": list(accounts),
        "latency": [{"kind": "play", "ply": 2, "count": 1800, "p50": 0.08, "p95": 0.3, "p99": 0.9}],
        "troubles": [],
    } | changes
