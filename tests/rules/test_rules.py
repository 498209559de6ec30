"""Legal plays against recorded cases, an independent generator and the rules of single steps."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from botd.engine import position_id, rules
from botd.engine.types import STARTING_BOARD
from tests.rules.brute_force import legal_results
from tests.rules.strategies import boards, dice

MOVEGEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "movegen.json").read_text())


def test_recorded_cases_agree_to_the_last_position() -> None:
    assert len(MOVEGEN["cases"]) == 3000
    for case in MOVEGEN["cases"]:
        board = position_id.decode(case["position_id"])
        results = sorted(
            position_id.encode(play.board) for play in rules.legal_plays(board, tuple(case["dice"]))
        )
        assert len(results) == case["count"], case["position_id"]
        assert hashlib.sha256("\n".join(results).encode()).hexdigest() == case["sha256"], case["position_id"]
        if "results" in case:
            assert results == case["results"]


def test_perft_agrees() -> None:
    for case in MOVEGEN["perft"]:
        counts = rules.perft(position_id.decode(case["position_id"]), case["depth"])
        assert counts == (case["leaves"], case["distinct"]), case


def test_perft_refuses_what_does_not_fit_in_memory() -> None:
    with pytest.raises(ValueError, match="depth of 0 or more"):
        rules.perft(STARTING_BOARD, -1)


@settings(max_examples=400)
@given(board=boards(), roll=dice)
def test_an_independent_generator_finds_the_same_results(
    board: tuple[int, ...], roll: tuple[int, int]
) -> None:
    plays = rules.legal_plays(board, roll)
    results = [play.board for play in plays]
    assert len(set(results)) == len(results)
    assert set(results) == legal_results(board, roll)


@settings(max_examples=200)
@given(board=boards(), roll=dice)
def test_the_steps_of_a_play_lead_to_its_board(board: tuple[int, ...], roll: tuple[int, int]) -> None:
    for play in rules.legal_plays(board, roll):
        assert rules.apply_steps(board, play.steps) == play.board
        assert len(play.steps) <= (4 if roll[0] == roll[1] else 2)


@settings(max_examples=200)
@given(board=boards())
def test_turning_round_twice_changes_nothing(board: tuple[int, ...]) -> None:
    turned = rules.mirrored(board)
    assert rules.mirrored(turned) == board
    assert rules.pip_counts(turned) == rules.pip_counts(board)[::-1]
    assert rules.borne_off(turned) == rules.borne_off(board)[::-1]
    assert rules.is_race(turned) == rules.is_race(board)
    assert rules.game_result(turned) == -rules.game_result(board)


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ((0,) * 25, "expected 26 integers, got 25"),
        ((0,) * 26, "neither side"),
        ((-1, *STARTING_BOARD[1:]), "negative number"),
        ((0, 16, *(0,) * 24), "index 1"),
        ((0, 10, 10, *(0,) * 23), "player on roll has more than fifteen"),
        ((9, -7, *(0,) * 24), "opponent has more than fifteen"),
        ((0, 2**80, *(0,) * 24), "index 1"),
        ((0, 1.0, *(0,) * 24), "index 1"),
        ("4HPwATDgc/ABMA4HPwATDgc/AB", "index 0"),
    ],
)
def test_impossible_boards_are_refused(board: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.check_board(board)
    with pytest.raises(ValueError, match=message):
        rules.legal_plays(board, (1, 2))


def test_impossible_dice_are_refused() -> None:
    for roll in ((0, 1), (1, 7), (-1, 2)):
        with pytest.raises(ValueError, match="expected 1 to 6"):
            rules.legal_plays(STARTING_BOARD, roll)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([(13, 6)], "1 to 6 pips"),
        ([(6, 8)], "1 to 6 pips"),
        ([(5, 3)], "no checker"),
        ([(24, 19)], "blocked"),
        ([(26, 24)], "1 to 6 pips"),
    ],
)
def test_impossible_steps_are_refused(steps: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.apply_steps(STARTING_BOARD, steps)
