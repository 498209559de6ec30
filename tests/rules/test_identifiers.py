"""Position ID, Match ID and XGID, both ways."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.engine import match_id, position_id, rules, xgid
from botd.engine.match_id import GameState, MatchState
from botd.engine.types import STARTING_BOARD, Board, CubeOwner, GameContext
from tests.rules.strategies import boards, match_states

REFERENCE: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "reference-positions.jsonl").read_text().splitlines()
]

START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


def test_reference_identifiers_decode_to_their_context_and_back() -> None:
    assert len(REFERENCE) == 154
    for case in REFERENCE:
        board = position_id.decode(case["position_id"])
        assert position_id.encode(board) == case["position_id"]
        state = match_id.decode(case["match_id"])
        no_more = {"max_cube": None, "scoring": "standard", "seat": state.on_roll}
        assert asdict(state.context) == case["context"] | no_more, case["id"]
        assert (list(state.dice) if state.dice else None) == case["dice"], case["id"]
        assert state.on_roll == state.to_act == (0 if case["id"].startswith("seat0") else 1), case["id"]
        assert match_id.encode(state) == case["match_id"], case["id"]


def _match_id(fields: dict[int, int]) -> str:
    """Money play with seat 1 on roll, and the given values put in at their first bit."""
    key = 3 << 4 | 1 << 6 | 1 << 8 | 1 << 11
    for first, value in fields.items():
        key |= value << first
    return base64.b64encode(key.to_bytes(9, "little")).decode()


@given(board=boards())
def test_position_ids_come_back(board: Board) -> None:
    text = position_id.encode(board)
    assert len(text) == 14
    assert position_id.decode(text) == board


@given(state=match_states)
def test_match_ids_come_back(state: MatchState) -> None:
    text = match_id.encode(state)
    assert match_id.decode(text, beavers=state.context.beavers) == state


def test_score_and_cube_belong_to_seats_in_a_match_id() -> None:
    context = GameContext(7, 2, 4, 2, CubeOwner.PLAYER)
    other_view = GameContext(7, 4, 2, 2, CubeOwner.OPPONENT)
    first = match_id.encode(MatchState(context, on_roll=0, to_act=0))
    second = match_id.encode(MatchState(other_view, on_roll=1, to_act=1))
    as_bytes = [base64.b64decode(text) for text in (first, second)]
    assert as_bytes[0][0] & 0x3F == as_bytes[1][0] & 0x3F  # cube and its owner's seat
    assert as_bytes[0][2:] == as_bytes[1][2:]  # scores by seat


@given(board=boards(), state=match_states)
def test_xgids_come_back(board: Board, state: MatchState) -> None:
    state = replace(state, game_state=GameState.PLAYING, resignation_offered=0)
    to_act = 1 - state.on_roll if state.double_offered else state.on_roll
    state = replace(state, to_act=to_act, dice=None if state.double_offered else state.dice)
    decoded = xgid.decode(xgid.encode(board, state))
    assert decoded.board == board
    assert decoded.state == state


def test_the_starting_position_as_xgid() -> None:
    assert xgid.encode(STARTING_BOARD, MatchState()) == START_XGID
    assert xgid.decode(START_XGID).board == STARTING_BOARD
    assert xgid.decode(START_XGID.removeprefix("XGID=")).state == MatchState()


@pytest.mark.parametrize(
    ("limit", "max_cube"), [(0, 1), (1, 2), (6, 64), (9, 512), (10, None), (12, None), (99, None)]
)
def test_the_cube_limit_of_an_xgid(limit: int, max_cube: int | None) -> None:
    decoded = xgid.decode(START_XGID.replace(":0:10", f":0:{limit}"))
    assert decoded.state.context.max_cube == max_cube
    if max_cube is not None:
        assert xgid.encode(decoded.board, decoded.state).endswith(f":0:{limit}")


def test_a_cube_limit_below_the_cube_is_the_cube() -> None:
    text = START_XGID.replace(":0:0:1:00:", ":3:0:1:00:").replace(":0:10", ":0:2")
    assert xgid.decode(text).state.context.max_cube == 8


def test_the_top_player_sees_an_xgid_from_the_other_side() -> None:
    text = "XGID=-b----E-C---eE---c-d-A--A-:1:1:-1:63:2:4:0:7:10"
    bottom = xgid.decode(text.replace(":1:1:-1:", ":1:1:1:"))
    top = xgid.decode(text)
    assert top.board == rules.mirrored(bottom.board)
    assert bottom.state.context == GameContext(7, 2, 4, 2, CubeOwner.PLAYER)
    assert top.state.context == GameContext(7, 4, 2, 2, CubeOwner.OPPONENT, seat=0)
    assert (top.state.on_roll, top.state.dice) == (0, (6, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 14 characters, got 0"),
        ("4HPwATDgc/ABM", "got 13"),
        ("4HPwATDgc/ABMA==", "got 16"),
        ("4HPwATDgc ABMA", "character 10 is byte 32"),
        ("4HPwATDgc/ABM\n", "character 14 is byte 10"),
        ("4HPwATDgc/AB\x00A", "character 13 is byte 0"),
        ("4HPwATDgc/ABMB", "last character"),
        ("//////////////", "last character"),
        ("/////////////w", "more than fifteen"),
        ("AAAAAAAAAAAAAA", "neither side"),
        ("AAAAAAAAAAAAgA", "data after the second side"),
        ("\ud800" * 14, "other text"),
    ],
)
def test_text_that_is_no_position_id_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        position_id.decode(text)


def test_a_point_with_both_colours_is_refused() -> None:
    # One checker of the opponent on his 24 point is the own ace point: bits 23 and, for the own side, 26.
    key = 1 << 23 | 1 << 26
    text = base64.b64encode(key.to_bytes(10, "little")).decode().rstrip("=")
    with pytest.raises(ValueError, match="both sides have checkers on point 1"):
        position_id.decode(text)


def test_both_sides_shut_out_for_ever_are_refused() -> None:
    board = [1, *[2] * 6, *[0] * 12, *[-2] * 6, 1]
    with pytest.raises(ValueError, match="both sides are on the bar"):
        position_id.decode(position_id.encode(tuple(board)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 12 characters"),
        ("cAkAAAAAAAA", "expected 12 characters"),
        ("cAkAAAAAAAA=", "expected 12 characters"),
        ("cAkAAAAAAAA\n", "expected 12 characters"),
        ("////////////", "game state"),
        ("cAkAAAAAAAAg", "last five bits"),
        ("cAkgCAAAAAAA", "match length"),
        ("8AkAAAAAAAAA", "Crawford"),
        (_match_id({15: 3}), "two dice"),
        (_match_id({15: 7, 18: 1}), "two dice"),
        (_match_id({21: 5, 36: 6}), "score of the opponent"),
        (_match_id({21: 5, 51: 6}), "score of the player"),
    ],
)
def test_text_that_is_no_match_id_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match_id.decode(text)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (MatchState(GameContext(match_length=65)), "match length"),
        (MatchState(GameContext(match_length=5, score_player=6)), "score of the player"),
        (MatchState(GameContext(score_opponent=-1)), "score of the opponent"),
        (MatchState(GameContext(cube_value=3)), "cube value"),
        (MatchState(GameContext(cube_value=2**16)), "cube value"),
        (MatchState(GameContext(cube_value=0)), "cube value"),
        (MatchState(GameContext(crawford=True)), "Crawford"),
        (MatchState(dice=(0, 1)), "dice"),
        (MatchState(on_roll=2), "player on roll"),
        (MatchState(to_act=-1), "player to act"),
        (MatchState(resignation_offered=4), "resignation"),
    ],
)
def test_impossible_states_are_not_written(state: MatchState, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match_id.encode(state)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 10 fields"),
        ("XGID=" + "A" * 300, "at most 200"),
        (START_XGID.replace("-b-", "-b"), "expected 26 characters"),
        (START_XGID.replace("-b-", "Ab-"), "character 1 is 'A'"),
        (START_XGID.replace("-b-", "-z-"), "character 2 is 'z'"),
        (START_XGID.replace("-b-", "-p-"), "index 1"),
        (START_XGID.replace("-b-", "-g-"), "more than fifteen"),
        (START_XGID.replace(":00:", ":07:"), "dice"),
        (START_XGID.replace(":00:", ":B:"), "dice"),
        (START_XGID.replace(":0:0:1:", ":16:0:1:"), "cube"),
        (START_XGID.replace(":0:0:1:", ":0:2:1:"), "owner"),
        (START_XGID.replace(":0:0:1:", ":0:0:x:"), "turn"),
        (START_XGID.replace(":0:10", ":65:10"), "length"),
        (START_XGID.replace(":0:10", ":0:-1"), "cube limit"),
        (START_XGID.replace(":0:0:0:0:10", ":6:0:0:5:10"), "score of the player"),
        (START_XGID.replace(":0:10", ":١:10"), "length"),
    ],
)
def test_text_that_is_no_xgid_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        xgid.decode(text)


def test_an_xgid_has_no_place_for_a_resignation() -> None:
    with pytest.raises(ValueError, match="resignation"):
        xgid.encode(STARTING_BOARD, MatchState(resignation_offered=1))


@given(text=st.text(max_size=40) | st.from_regex(r"[A-Za-z0-9+/]{12,14}", fullmatch=True))
def test_arbitrary_text_gives_a_value_or_a_value_error(text: str) -> None:
    messages = []
    for decode in (position_id.decode, match_id.decode, xgid.decode):
        try:
            decode(text)
        except ValueError as error:
            messages.append(str(error))
    assert all(message.isprintable() for message in messages)
