"""Decisions of self-played games with exact mode's equities, and how they were made.

`python tests/fast/agreement_data.py DECISIONS FILE` writes them anew, some minutes for 250.
"""

from __future__ import annotations

import dataclasses
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botd.engine import rules
from botd.engine.core_arguments import other_side
from botd.engine.engine import SageEngine
from botd.engine.types import STARTING_BOARD, Board, CubeOwner, GameContext, Scoring

FILE = Path(__file__).parent.parent / "data" / "fast-agreement.jsonl"
PLIES = (1, 2)


@dataclass(frozen=True, slots=True)
class PlayCase:
    board: Board
    context: GameContext
    dice: tuple[int, int]
    equities: dict[int, dict[Board, float]]
    """Exact mode's, by ply and resulting board."""


@dataclass(frozen=True, slots=True)
class CubeCase:
    board: Board
    context: GameContext
    equities: dict[int, tuple[float, float, float]]
    """No double, double/take, double/pass by ply."""


def play_cases() -> list[PlayCase]:
    return [
        PlayCase(
            board=tuple(record["board"]),
            context=_context(record["context"]),
            dice=(record["dice"][0], record["dice"][1]),
            equities={
                int(ply): dict(zip(_results(record), values, strict=True))
                for ply, values in record["equities"].items()
            },
        )
        for record in _records()
        if "dice" in record
    ]


def cube_cases() -> list[CubeCase]:
    return [
        CubeCase(
            board=tuple(record["board"]),
            context=_context(record["context"]),
            equities={int(ply): (values[0], values[1], values[2]) for ply, values in record["cube"].items()},
        )
        for record in _records()
        if "cube" in record
    ]


def _records() -> Iterator[dict[str, Any]]:
    with FILE.open(encoding="ascii") as lines:
        for line in lines:
            yield json.loads(line)


def _results(record: dict[str, Any]) -> list[Board]:
    """In the order of the recorded equities."""
    return sorted(play.board for play in rules.legal_plays(tuple(record["board"]), tuple(record["dice"])))


def _context(fields: dict[str, Any]) -> GameContext:
    named: dict[str, Any] = dict(fields)
    named["cube_owner"] = CubeOwner(named.get("cube_owner", "centered"))
    named["scoring"] = Scoring(named.get("scoring", "standard"))
    return GameContext(**named)


def _contexts(rng: random.Random) -> Iterator[GameContext]:
    """Money play of all kinds, and matches at any score by either scoring."""
    owners = (CubeOwner.PLAYER, CubeOwner.OPPONENT)
    while True:
        kind = rng.random()
        if kind < 0.35:
            yield GameContext()
        elif kind < 0.5:
            yield GameContext(jacoby=True, beavers=rng.random() < 0.5)
        elif kind < 0.6:
            yield GameContext(cube_value=2, cube_owner=rng.choice(owners))
        else:
            length = rng.choice((1, 3, 5, 5, 7, 7, 9, 11))
            mine, theirs = rng.randrange(length), rng.randrange(length)
            one_needs_one = (length - mine == 1) != (length - theirs == 1)
            crawford = one_needs_one and rng.random() < 0.5
            turned = not crawford and rng.random() < 0.3 and length > 2
            yield GameContext(
                match_length=length,
                score_player=mine,
                score_opponent=theirs,
                crawford=crawford,
                cube_value=2 if turned else 1,
                cube_owner=rng.choice(owners) if turned else CubeOwner.CENTERED,
                scoring=Scoring.BGAMMON if rng.random() < 0.25 else Scoring.STANDARD,
            )


def _fields(context: GameContext) -> dict[str, Any]:
    default, given = (dataclasses.asdict(it) for it in (GameContext(), context))
    del given["seat"]  # the table is symmetric
    return {name: value for name, value in given.items() if value != default[name]}


def _decisions(count: int) -> Iterator[dict[str, Any]]:
    engine = SageEngine.load()
    rng = random.Random(1)
    contexts = _contexts(rng)
    found = 0
    while True:
        board, context = STARTING_BOARD, next(contexts)
        while rules.game_result(board) == 0:
            dice = (rng.randint(1, 6), rng.randint(1, 6))
            ranked = engine.choose_play(board, context, dice, ply=0)
            if rng.random() < 0.15 and ranked.legal_count > 1:
                found += 1
                searched = {ply: engine.choose_play(board, context, dice, ply=ply).plays for ply in PLIES}
                asked = {"board": board, "context": _fields(context)}
                yield asked | {
                    "dice": dice,
                    "equities": {
                        ply: [round(p.equity, 5) for p in sorted(plays, key=lambda it: it.play.board)]
                        for ply, plays in searched.items()
                    },
                }
                if engine.cube_action(board, context, ply=0).decision != "NOT_AVAILABLE":
                    cubes = {ply: engine.cube_action(board, context, ply=ply) for ply in PLIES}
                    yield asked | {
                        "cube": {
                            ply: [round(x, 5) for x in (cube.no_double, cube.double_take, cube.double_pass)]
                            for ply, cube in cubes.items()
                        }
                    }
                if found == count:
                    return
            pick = min(rng.choice((0, 0, 0, 0, 0, 0, 1, 2)), len(ranked.plays) - 1)
            board, context = rules.mirrored(ranked.plays[pick].play.board), other_side(context)


if __name__ == "__main__":
    with Path(sys.argv[2]).open("w", encoding="ascii") as output:
        for decision in _decisions(int(sys.argv[1])):
            output.write(json.dumps(decision, separators=(",", ":")) + "\n")
