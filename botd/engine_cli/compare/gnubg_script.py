"""Runs inside GNU Backgammon's own Python, never in botd: answers positions with the program's functions.

Reads one JSON request a line (`index`, `position_id`, `match_id`, `plies`) from the file named in the
environment and writes one JSON answer a line to another.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gnubg  # type: ignore[import-not-found,import-untyped,unused-ignore] # there in the program only

SETUP = (
    "set player 0 human",
    "set player 1 human",
    "set automatic game off",
    "set automatic roll off",
    "set automatic move off",
    "set automatic bearoff off",
    "set confirm new off",
    "set display off",
    "set cache 0",
    "new session",
)
MANY = 4000
DECISIONS = (
    "DOUBLE_TAKE DOUBLE_PASS NODOUBLE_TAKE TOOGOOD_TAKE TOOGOOD_PASS DOUBLE_BEAVER NODOUBLE_BEAVER "
    "REDOUBLE_TAKE REDOUBLE_PASS NO_REDOUBLE_TAKE TOOGOODRE_TAKE TOOGOODRE_PASS NO_REDOUBLE_BEAVER "
    "NODOUBLE_DEADCUBE NO_REDOUBLE_DEADCUBE NOT_AVAILABLE OPTIONAL_DOUBLE_TAKE OPTIONAL_REDOUBLE_TAKE "
    "OPTIONAL_DOUBLE_BEAVER OPTIONAL_DOUBLE_PASS OPTIONAL_REDOUBLE_PASS"
)
PROBABILITIES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")


def chances(values: Sequence[float]) -> dict[str, float]:
    return dict(zip(PROBABILITIES, values, strict=False))


def ranked(plies: int) -> dict[str, Any]:
    gnubg.command(f"set evaluation chequerplay evaluation plies {plies}")
    hints = gnubg.hint(MANY)["hint"]
    return {
        "legal_move_count": len(hints),
        "ranking": [
            {
                "move": hint["move"],
                "ply": hint["context"]["plies"],
                "equity": hint["equity"],
                "probabilities": chances(hint["details"]["probs"]),
            }
            for hint in hints
        ],
    }


def answer(request: dict[str, Any]) -> dict[str, Any]:
    values = {}
    for plies in request["plies"]:
        # Set again for each depth: the program keeps the list of a position that it has been asked about.
        gnubg.command("set gnubgid {position_id}:{match_id}".format(**request))
        if gnubg.gnubgid().split(":")[0] != request["position_id"]:
            raise ValueError("the program did not take the position")
        rolled = gnubg.posinfo()["dice"][0] != 0
        context = {"cubeful": 1, "plies": plies, "deterministic": 1, "noise": 0.0, "prune": int(plies > 0)}
        cube = gnubg.cubeinfo()
        if cube["matchto"] == 0:
            cube["beavers"] = 1
        evaluated = gnubg.evaluate(gnubg.board(), cube, context)
        value = {"evaluation": {"probabilities": chances(evaluated[:5]), "equity": evaluated[5]}}
        if rolled:
            value["moves"] = ranked(plies)
        else:
            optimal, no_double, take, drop, code, _ = gnubg.cfevaluate(gnubg.board(), cube, context)
            value["cube"] = {
                "no_double": no_double,
                "double_take": take,
                "double_pass": drop,
                "optimal": optimal,
                "decision": DECISIONS.split()[code],
            }
        values[str(plies)] = value
    return values


def main() -> None:
    for command in SETUP:
        gnubg.command(command)
    answers_file = Path(os.environ["BOTD_ANSWERS"])
    with Path(os.environ["BOTD_REQUESTS"]).open() as requests, answers_file.open("w") as answers:
        for line in requests:
            request = json.loads(line)
            result: dict[str, Any]
            try:
                result = {"plies": answer(request)}
            except Exception as error:  # whatever the program raises belongs to its position
                result = {"error": f"{type(error).__name__}: {error}"}
            answers.write(json.dumps({"index": request["index"], **result}) + "\n")
            answers.flush()


main()
