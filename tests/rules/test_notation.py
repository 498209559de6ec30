"""Move notation: as GNU Backgammon writes it, and what a user may write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine import position_id, rules
from botd.engine.notation import format_steps, parse_play
from botd.engine.types import STARTING_BOARD, Board
from tests.rules.plain_notation import plain_notation
from tests.rules.strategies import boards, dice

REFERENCE: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "reference-positions.jsonl").read_text().splitlines()
]


def _board(**points: int) -> Board:
    board = [0] * 26
    for name, checkers in points.items():
        board[{"bar": 25, "opponent_bar": 0}.get(name) or int(name.lstrip("p") or 0)] = checkers
    return tuple(board)


def test_reference_moves_parse_and_format_back() -> None:
    checked = 0
    for case in REFERENCE:
        if case["type"] != "move":
            continue
        board, roll = position_id.decode(case["position_id"]), tuple(case["dice"])
        plays = rules.legal_plays(board, roll)
        assert len(plays) == case["legal_move_count"], case["id"]
        notations = {play.notation: play for play in plays}
        for move in case["moves"]:
            assert move in notations, (case["id"], move)
            assert parse_play(move, board, roll).board == notations[move].board
            checked += 1
    assert checked == 778


@settings(max_examples=200)
@given(board=boards(), roll=dice)
def test_every_play_is_found_by_its_own_notation(board: Board, roll: tuple[int, int]) -> None:
    for play in rules.legal_plays(board, roll)[:40]:
        parsed = parse_play(play.notation, board, roll)
        assert parsed.board == play.board
        assert parsed.notation == play.notation


@pytest.mark.parametrize(
    ("board", "steps", "text"),
    [
        (STARTING_BOARD, [(24, 18), (18, 13)], "24/13"),
        (STARTING_BOARD, [(8, 5), (6, 3), (8, 5), (6, 3)], "8/5(2) 6/3(2)"),
        (_board(p24=2, p18=-1), [(24, 18), (18, 13)], "24/18*/13"),
        (_board(bar=1, p22=-1), [(25, 22), (22, 16)], "bar/22*/16"),
        (_board(p8=2, p6=2, p3=-1), [(8, 5), (6, 3), (8, 5), (6, 3)], "8/5(2) 6/3*(2)"),
        (_board(p6=2), [(6, 0), (6, 0)], "6/off(2)"),
        (_board(p8=1, p6=1, p5=-1), [(8, 5), (6, 5)], "8/5* 6/5"),
        (STARTING_BOARD, [], ""),
    ],
)
def test_formatting(board: Board, steps: list[tuple[int, int]], text: str) -> None:
    assert format_steps(board, steps) == text


@settings(max_examples=300)
@given(board=boards(), roll=dice)
def test_plays_are_named_as_the_definition_says(board: Board, roll: tuple[int, int]) -> None:
    for play in rules.legal_plays(board, roll):
        assert play.notation == plain_notation(board, play.steps)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([(24, 23)] * 5, "at most 4"),
        ([(26, 20)], "got 26/20"),
        ([(6, -1)], "got 6/-1"),
        ([(0, 0)], "got 0/0"),
        ([(6, 25)], "got 6/25"),
    ],
)
def test_steps_from_nowhere_have_no_name(steps: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        format_steps(STARTING_BOARD, steps)


@pytest.mark.parametrize(
    "text",
    ["8/5 6/5", "6/5 8/5", "6/5, 8/5", " 8/5  6/5 ", "8/5* 6/5*"],
)
def test_users_may_write_moves_in_many_ways(text: str) -> None:
    assert parse_play(text, STARTING_BOARD, (1, 3)).notation == "8/5 6/5"


def test_the_bar_and_off_have_several_names() -> None:
    board = _board(bar=1, p6=14)
    results = {parse_play(text, board, (3, 1)).board for text in ("bar/22/21", "BAR/21", "b/21", "25/21")}
    assert len(results) == 1
    home = _board(p6=2)
    results = {
        parse_play(text, home, (6, 6)).board for text in ("6/off(2)", "6/o 6/0", "6/-(2)", "6/OFF 6/off")
    }
    assert len(results) == 1


def test_a_hit_on_the_way_must_be_written_where_both_ways_are_open() -> None:
    board = _board(p8=1, p5=-1)
    assert parse_play("8/4", board, (3, 1)).notation == "8/4"
    assert parse_play("8/5*/4", board, (3, 1)).notation == "8/5*/4"
    assert parse_play("8/5/4", board, (3, 1)).notation == "8/5*/4"
    blocked = _board(p8=1, p5=-1, p7=-2)
    assert parse_play("8/4", blocked, (3, 1)).notation == "8/5*/4"
    both = _board(p8=1, p5=-1, p7=-1)
    with pytest.raises(ValueError, match="fits 2 legal plays"):
        parse_play("8/4", both, (3, 1))


def test_a_roll_that_cannot_be_played_has_the_empty_move() -> None:
    closed = _board(bar=1, p19=-2, p20=-2, p21=-2, p22=-2, p23=-2, p24=-2)
    play = parse_play("", closed, (3, 1))
    assert (play.steps, play.board, play.notation) == ((), closed, "")
    with pytest.raises(ValueError, match="no checker can move"):
        parse_play("bar/22", closed, (3, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got no move"),
        ("8/5", "not one of the 16 legal plays of 3-1"),
        ("13/8 6/5", "not one of"),
        ("5/8", "backwards"),
        ("8", "no destination"),
        ("8/5(5) 6/5", "is no move"),
        ("8/5(2) 6/5(3)", "at most 4 checkers"),
        ("8/x", "'x' is no point"),
        ("8/26", "'26' is no point"),
        ("8//5", "'' is no point"),
        ("((((", "is no move"),
        ("٨/5 6/5", "is no point"),
        ("8/5 " * 100, "at most 100 characters"),
    ],
)
def test_bad_moves_are_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_play(text, STARTING_BOARD, (3, 1))


@given(text=st.text(max_size=30) | st.from_regex(r"[0-9barof/*() -]{1,30}", fullmatch=True), roll=dice)
def test_arbitrary_text_gives_a_play_or_a_value_error(text: str, roll: tuple[int, int]) -> None:
    legal = {play.board for play in rules.legal_plays(STARTING_BOARD, roll)}
    try:
        outcome = parse_play(text, STARTING_BOARD, roll).board
    except ValueError as error:
        message = str(error)
    else:
        assert outcome in legal
        return
    assert message.isprintable()


@settings(max_examples=150)
@given(board=boards(), roll=dice, data=st.data())
def test_plays_are_found_however_they_are_written(
    board: Board, roll: tuple[int, int], data: st.DataObject
) -> None:
    """Checker by checker, step by step, in any order, with other names, stars and separators."""
    plays = rules.legal_plays(board, roll)
    if not plays:
        return
    play = data.draw(st.sampled_from(plays))
    names = {25: ("bar", "b", "25", "BAR"), 0: ("off", "o", "-", "0", "Off")}

    def name(point: int) -> str:
        return data.draw(st.sampled_from(names.get(point, (str(point),))))

    words = []
    for origin, target in play.steps:
        star = "*" if 0 < target < 25 and board[target] == -1 else ""
        words.append(f"{name(origin)}/{name(target)}{star}")
    text = data.draw(st.sampled_from([" ", ", ", "  "])).join(data.draw(st.permutations(words)))
    assert parse_play(text, board, roll).board == play.board
