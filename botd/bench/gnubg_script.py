"""Runs inside GNU Backgammon, never in botd: in a Python of its own with a package, or in the program's.

Over the socket named in the environment it first says what it can do, then answers one JSON request a line
(`kind`, `ply`, `positions` as pairs of Position ID and dice) with one JSON line: the CPU seconds of the bare
calls and one equity (or count) per position. Everything else, boards and equities to report, is outside
that time.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import time
from collections.abc import Callable
from typing import Any

# `gnubg` (the package, or within the program) or `gnubg_nn`; there only where it is measured.
gnubg: Any = importlib.import_module(os.environ["BOTD_BENCH_MODULE"])

SETUP = ("set display off", "set cache 0", "set threads 1", "set jacoby off")
PROGRAM_SETUP = (
    "set player 0 human",
    "set player 1 human",
    "set automatic game off",
    "set automatic roll off",
    "set automatic move off",
    "set automatic bearoff off",
    "set confirm new off",
    "new session",
)
MONEY = {
    "cube": 1,
    "cubeowner": -1,
    "move": 0,
    "matchto": 0,
    "score": (0, 0),
    "crawford": 0,
    "jacoby": 0,
    "beavers": 0,
    "gammonprice": ((1.0, 1.0), (1.0, 1.0)),
    "bgv": 0,
}
IS_PROGRAM = hasattr(gnubg, "cfevaluate")
IS_NN = hasattr(gnubg, "pub_best_move")
KINDS = ["static", "legal"] if IS_NN else ["static", "play", "cube" if IS_PROGRAM else "siblings"]


def timed(call: Callable[[Any, Any], Any], boards: list[Any], dice: list[Any]) -> tuple[float, list[Any]]:
    start = time.process_time()
    answers = [call(board, roll) for board, roll in zip(boards, dice, strict=True)]
    return time.process_time() - start, answers


def score_of(move: Any, identifier: str, board: Any, roll: Any, context: Any) -> float:
    """Equity of the play that was found; the call that finds it fastest does not tell."""
    if IS_PROGRAM:
        gnubg.command("set turn 0")
        gnubg.command(f"set board {identifier}")
        gnubg.command("set dice {} {}".format(*roll))
        hints = gnubg.hint(1)["hint"]
        return float(hints[0]["equity"]) if hints else 0.0
    scores = [m["score"] for m in gnubg.findbestmoves(board, MONEY, context, roll) if m["move"] == move]
    return float(scores[0]) if scores else 0.0


def money_equity(outputs: Any) -> float:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = outputs
    return float(2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon)


def answer_of_nn(request: dict[str, Any]) -> dict[str, Any]:
    boards = [gnubg.board_from_position_id(identifier) for identifier, _ in request["positions"]]
    dice = [tuple(roll) for _, roll in request["positions"]]
    if request["kind"] == "static":
        seconds, values = timed(lambda board, _: gnubg.probabilities(board, 0), boards, dice)
        return {"seconds": seconds, "equities": [money_equity(value) for value in values]}
    seconds, plays = timed(lambda board, roll: gnubg.moves(board, *roll), boards, dice)
    return {"seconds": seconds, "equities": [float(len(keys)) for keys in plays]}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    kind, ply = request["kind"], request["ply"]
    identifiers = [identifier for identifier, _ in request["positions"]]
    boards = [gnubg.positionfromid(identifier) for identifier in identifiers]
    dice = [tuple(roll) for _, roll in request["positions"]]
    context = {"cubeful": 1, "plies": ply, "deterministic": 1, "noise": 0.0, "prune": int(ply > 0)}
    if kind in ("static", "siblings"):
        context["cubeful"] = 0
        seconds, values = timed(lambda board, _: gnubg.evaluate(board, MONEY, context), boards, dice)
        equities = [value[5] for value in values]
    elif kind == "play":
        seconds, moves = timed(
            lambda board, roll: gnubg.findbestmove(board, MONEY, context, roll), boards, dice
        )
        if IS_PROGRAM:
            gnubg.command(f"set evaluation chequerplay evaluation plies {ply}")
        asked = zip(moves, identifiers, boards, dice, strict=True)
        equities = [score_of(*question, context) for question in asked]
    else:
        seconds, values = timed(lambda board, _: gnubg.cfevaluate(board, MONEY, context), boards, dice)
        equities = [value[1] for value in values]
    return {"seconds": seconds, "equities": equities}


def main() -> None:
    for command in () if IS_NN else SETUP + (PROGRAM_SETUP if IS_PROGRAM else ()):
        gnubg.command(command)
    with socket.socket(fileno=int(os.environ["BOTD_BENCH_SOCKET"])) as channel:
        stream = channel.makefile("rw", encoding="ascii")
        stream.write(json.dumps({"kinds": KINDS}) + "\n")
        stream.flush()
        for line in stream:
            request = json.loads(line)
            stream.write(json.dumps(answer_of_nn(request) if IS_NN else answer(request)) + "\n")
            stream.flush()


main()
