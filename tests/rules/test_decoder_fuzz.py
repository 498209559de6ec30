"""Any text at all given to the decoders: a one-line error, or a value that comes back when written."""

from __future__ import annotations

import string
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine import match_id, position_id, rules, xgid
from botd.engine.match_id import GameState
from botd.engine.notation import parse_play
from botd.engine.types import STARTING_BOARD
from tests.rules.strategies import boards, dice, match_states

BASE64 = string.ascii_letters + string.digits + "+/"
NOTATION = "bar/off0123456789 ()*/\t-xX"


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A good text with a few places cut out, doubled or overwritten."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 3))
        put = draw(st.text(max_size=3) | st.text(alphabet=BASE64 + ":-", max_size=3))
        text = text[:at] + put + text[at + cut :]
    return text


def refused(decode: Callable[[], object]) -> bool:
    """Whether `decode` raised; then with one short line."""
    try:
        decode()
    except ValueError as error:
        message = str(error)
        assert message
        assert "\n" not in message
        assert len(message) < 500
        return True
    return False


position_texts = st.one_of(
    st.text(max_size=40),
    st.text(alphabet=BASE64, min_size=14, max_size=14),
    damaged(boards().map(position_id.encode)),
)
match_texts = st.one_of(
    st.text(max_size=40),
    st.text(alphabet=BASE64, min_size=12, max_size=12),
    damaged(match_states.map(match_id.encode)),
)
xg_states = match_states.filter(lambda state: not state.resignation_offered)
xg_texts = st.one_of(
    st.text(max_size=250),
    st.text(alphabet="abcdefghijklmnopABCDEFGHIJKLMNOP-0123456789:", max_size=80),
    damaged(st.builds(xgid.encode, boards(), xg_states)),
)


@settings(max_examples=250)
@given(text=position_texts)
def test_position_ids(text: str) -> None:
    if not refused(lambda: position_id.decode(text)):
        board = position_id.decode(text)
        rules.check_board(board)
        assert position_id.encode(board) == text


@settings(max_examples=250)
@given(text=match_texts)
def test_match_ids(text: str) -> None:
    if not refused(lambda: match_id.decode(text)):
        state = match_id.decode(text)
        again = match_id.decode(match_id.encode(state))
        assert again.context == state.context
        assert (again.on_roll, again.to_act, again.game_state) == (
            state.on_roll,
            state.to_act,
            state.game_state,
        )
        assert sorted(again.dice or ()) == sorted(state.dice or ())


@settings(max_examples=250)
@given(text=xg_texts)
def test_xgids(text: str) -> None:
    if not refused(lambda: xgid.decode(text)):
        position = xgid.decode(text)
        rules.check_board(position.board)
        again = xgid.decode(xgid.encode(position.board, position.state))
        assert again.board == position.board
        assert again.state == position.state
        assert position.state.game_state is GameState.PLAYING


@settings(max_examples=200)
@given(
    board=boards() | st.just(STARTING_BOARD),
    roll=dice,
    text=st.text(max_size=60) | st.text(alphabet=NOTATION, max_size=40),
)
def test_notation_of_any_kind(board: tuple[int, ...], roll: tuple[int, int], text: str) -> None:
    if not refused(lambda: parse_play(text, board, roll)):
        play = parse_play(text, board, roll)
        legal = {legal.board for legal in rules.legal_plays(board, roll)} or {board}
        assert play.board in legal


@settings(max_examples=200)
@given(board=boards(), roll=dice, data=st.data())
def test_damaged_notation(board: tuple[int, ...], roll: tuple[int, int], data: st.DataObject) -> None:
    plays = rules.legal_plays(board, roll)
    if not plays:
        return
    text = data.draw(damaged(st.sampled_from(plays).map(lambda play: play.notation)))
    if not refused(lambda: parse_play(text, board, roll)):
        assert parse_play(text, board, roll).board in {play.board for play in plays}


@pytest.mark.parametrize(
    "text", ["8/5" * 10_000, "(" * 100_000, "9" * 100_000, "bar/" * 50_000, "8/5(99999)"]
)
def test_endless_text_is_refused_at_once(text: str) -> None:
    assert refused(lambda: parse_play(text, STARTING_BOARD, (3, 1)))
    assert refused(lambda: position_id.decode(text))
    assert refused(lambda: match_id.decode(text))
    assert refused(lambda: xgid.decode(text))
