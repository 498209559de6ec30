"""gnubg's order of legal plays: the recorded results, and a plain transcription of the order's definition."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings

from botd import _core
from botd.engine import position_id
from botd.engine.types import STARTING_BOARD, Board
from tests.rules.strategies import boards, dice

MOVEGEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "movegen.json").read_text())


def test_recorded_cases_agree_to_the_last_position() -> None:
    for case in MOVEGEN["cases"]:
        board = position_id.decode(case["position_id"])
        for first, second in (case["dice"], case["dice"][::-1]):
            results = [position_id.encode(b) for b in _core.gnubg_legal_boards(board, first, second)]
            assert len(results) == len(set(results)) == case["count"], case["position_id"]
            digest = hashlib.sha256("\n".join(sorted(results)).encode()).hexdigest()
            assert digest == case["sha256"], case["position_id"]


def in_order(board: Board, first: int, second: int) -> list[Board]:
    """All sequences, depth first, one after the other; the longest ones kept in the order they came."""
    found: list[tuple[int, int, Board]] = []

    def play(points: Board, left: list[int], highest: int, used: int, pips: int) -> None:
        moved = False
        for source in ([25] if points[25] else range(highest, 0, -1)) if left else ():
            die = left[0]
            target = source - die
            if points[source] < 1 or (target > 0 and points[target] < -1):
                continue
            if target <= 0:
                rearmost = max(p for p in range(1, 26) if points[p] > 0)
                if rearmost > 6 or (source != rearmost and target != 0):
                    continue
            after = list(points)
            after[source] -= 1
            if target > 0:
                if after[target] < 0:
                    after[target] = 0
                    after[0] += 1
                after[target] += 1
            moved = True
            next_highest = source if first == second and source < 25 else 24
            play(tuple(after), left[1:], next_highest, used + 1, pips + die)
        if not moved and used:
            found.append((used, pips, points))

    if first == second:
        play(board, [first] * 4, 24, 0, 0)
    else:
        play(board, [first, second], 24, 0, 0)
        play(board, [second, first], 24, 0, 0)
    most = max(((used, pips) for used, pips, _ in found), default=None)
    return list(dict.fromkeys(b for used, pips, b in found if (used, pips) == most))


@settings(max_examples=400)
@given(board=boards(), roll=dice)
@example(board=STARTING_BOARD, roll=(3, 1))
@example(board=STARTING_BOARD, roll=(1, 3))
@example(board=STARTING_BOARD, roll=(6, 6))
def test_the_order_is_the_defined_one(board: Board, roll: tuple[int, int]) -> None:
    assert _core.gnubg_legal_boards(board, *roll) == in_order(board, *roll)


def test_no_results() -> None:
    finished = (0, *(0 for _ in range(18)), *(-2 for _ in range(6)), 0)
    closed_out = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, -3, -2, -2, -2, -2, -2, -2, 2)
    assert _core.gnubg_legal_boards(finished, 6, 5) == []
    assert _core.gnubg_legal_boards(closed_out, 6, 6) == []
