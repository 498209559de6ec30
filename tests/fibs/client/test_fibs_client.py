"""The FIBS client against composed sessions and hostile input."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig, Phase
from botd_protocols.fibs.client_board import BoardError, BoardLine, parse_board
from botd_protocols.fibs.client_lines import clean, split_glued
from botd_protocols.fibs.client_messages import BadBoard, is_clip_chat, parse_line
from botd_protocols.fibs.client_moves import move_command
from botd_protocols.positions import turn_round

DATA = Path(__file__).parents[2] / "data" / "fibs-transcripts"
LOGIN = (
    "login: 1 mybot 1793749000 x\r\n2 mybot 1 1 0 0 0 0 1 1 412 0 1 0 1 1543.27 0 0 0 1 1 UTC\r\n"
    "3\r\nboard:x\r\n6\r\nanna doubles. Type 'accept' or 'reject'.\r\n4\r\n"
    "5 anna - - 1 0 1500.0 1 1 1 h - -\r\n6\r\n"
)
OPENING = (
    "board:You:anna:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:"
    "1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)
START = "** You are now playing a 5 point match with anna\r\nStarting a new game with anna.\r\n"


def new_client() -> FibsClient:
    return FibsClient(FibsClientConfig("mybot", "s3cret"))


@pytest.mark.parametrize("path", sorted(DATA.glob("*.txt")), ids=lambda p: p.stem)
def test_every_board_line_of_the_transcripts_is_read(path: Path) -> None:
    seen = 0
    for raw in path.read_text().splitlines():
        line = clean(raw[3:])
        if not raw.startswith("S: ") or is_clip_chat(line):
            continue
        for part in split_glued(line):
            message = parse_line(part)
            assert not isinstance(message, BadBoard)
            if isinstance(message, BoardLine):
                seen += 1
                assert turn_round(turn_round(message.board)) == message.board
    assert seen or path.stem.startswith(("01", "02"))


def test_login_is_sent_once_and_free_text_has_no_effect() -> None:
    client = new_client()
    for char in b"login: ":
        client.receive_data(bytes((char,)), 0.0)
    assert client.data_to_send() == b"login botd_0.1 1008 mybot s3cret\r\n"
    events = client.receive_data(LOGIN[7:].encode(), 1.0)
    assert [type(e).__name__ for e in events] == ["OwnRating", "PlayerSeen", "LoggedIn"]
    assert "s3cret" not in repr(client) + repr(FibsClientConfig("mybot", "s3cret")) + repr(events)
    assert client.data_to_send() == b"set boardstyle 3\r\n"


NEWS = (
    b"5 bert - - 1 0 1500.0 1 1 1 h - -",
    b"6",
    b"7 bert bert logs in.",
    b"8 bert bert logs out.",
    b"12 bert hello",
    b"13 bert anybody?",
    b"15 bert nice",
)


@pytest.mark.parametrize("news", NEWS)
def test_news_about_others_is_no_reply_to_a_command(news: bytes) -> None:
    # Some servers lose a command that comes before the reply to the one before.
    client = new_client()
    client.receive_data(LOGIN.encode(), 0.0)
    assert client.data_to_send().endswith(b"set boardstyle 3\r\n")
    client.tell("anna", "hello")
    client.receive_data(news + b"\r\n", 1.0)
    assert client.data_to_send() == b""
    client.receive_data(b"Value of 'boardstyle' set to 3.\r\n", 1.1)
    assert client.data_to_send() == b"tell anna hello\r\n"


def test_the_record_asked_for_is_a_reply() -> None:
    client = new_client()
    client.receive_data(LOGIN.encode(), 0.0)
    client.data_to_send()
    client.receive_data(b"Value of 'boardstyle' set to 3.\r\n", 0.1)
    client.who("bert")
    client.tell("anna", "hello")
    client.advance(1.0)
    assert client.data_to_send() == b"rawwho bert\r\n"
    client.receive_data(NEWS[0] + b"\r\n", 2.0)
    assert client.data_to_send() == b"tell anna hello\r\n"


def test_a_second_prompt_is_a_final_refusal() -> None:
    client = new_client()
    client.receive_data(b"login: ", 0.0)
    client.data_to_send()
    events = client.receive_data(b"\xff\xfc\x01\r\nlogin: ", 1.0)
    assert isinstance(events[0], ev.LoginRefused)
    assert isinstance(events[1], ev.Disconnected)
    assert events[1].final


def test_opening_move_is_asked_once_and_sent() -> None:
    client = new_client()
    client.receive_data((LOGIN + START + OPENING + "\r\n" + OPENING + "\r\n").encode(), 0.0)
    asked = [e for e in client.advance(1.0) if isinstance(e, ev.DecisionNeeded)]
    assert [(a.kind, a.position.dice) for a in asked] == [(ev.DecisionKind.MOVE, (3, 1))]
    client.data_to_send()
    client.answer_move(asked[0].key, [(8, 5), (6, 5)])
    client.receive_data(b"\r\nx\r\n", 4.0)
    assert b"move 8-5 6-5\r\n" in client.data_to_send()
    assert any(isinstance(e, ev.StaleAnswer) for e in client.answer_move(asked[0].key, [(8, 5), (6, 5)]))


def test_glued_take_is_two_messages() -> None:
    glued = "You accept the double. The cube shows 2.anna rolls 3 and 1."
    assert split_glued(glued) == [
        "You accept the double. The cube shows 2.",
        "anna rolls 3 and 1.",
    ]


@pytest.mark.parametrize(
    ("field", "value"), [(3, "0"), (7, "-3"), (33, "7"), (41, "0"), (42, "1"), (6, "x"), (1, "")]
)
def test_board_with_a_wrong_field_is_refused(field: int, value: str) -> None:
    fields = OPENING.split(":")
    fields[field] = value
    with pytest.raises(BoardError):
        parse_board(":".join(fields))


def test_moves_as_x_go_up_and_enter_first() -> None:
    assert move_command([(13, 11), (25, 21)], 1) == "move bar-4 12-14"


@settings(max_examples=2000, deadline=None)
@given(st.binary(max_size=300))
def test_garbage_never_raises(data: bytes) -> None:
    client = new_client()
    client.receive_data(LOGIN.encode() + START.encode() + data, 0.0)
    client.advance(10.0)
    client.receive_eof(20.0)
    assert client.phase is Phase.CLOSED


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=400))
def test_fragmentation_changes_nothing(sizes: list[int]) -> None:
    end = " Please move 2 pieces.\r\nanna drops connection. The game was saved.\r\n"
    data = (LOGIN + START + OPENING + end).encode()
    whole = new_client().receive_data(data, 0.0)
    client, events, at = new_client(), [], 0
    for size in sizes:
        events += client.receive_data(data[at : at + size], 0.0)
        at += size
    events += client.receive_data(data[at:], 0.0)
    assert events == whole
    assert any(isinstance(e, ev.MatchSuspended) for e in whole)
