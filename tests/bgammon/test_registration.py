"""Making an account on a bgammon server: our client alone, and with our server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd_protocols.bgammon.client_registration import GREETING_WAIT, BgammonRegistration
from botd_protocols.bgammon.client_websocket import WebSocketClient
from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig
from botd_protocols.game_events import Event
from botd_protocols.registration import STEP_LIMIT, NotRegistered, Progress, Refusal, Registered
from botd_protocols.server_dice import SeededDice

COMMAND = b"rj botd-0.1/en me@example.org BOT_new s3cret\n"


def client(name: str = "BOT_new", email: str = "me@example.org", **options: bool) -> BgammonRegistration:
    return BgammonRegistration(name, "s3cret", email, **options)


def notice(text: str) -> bytes:
    return f'{{"Type":"notice","Player":"","Message":"{text}"}}\n'.encode()


def test_it_waits_for_the_greeting_and_sends_one_command() -> None:
    it = client()
    assert it.advance(10.0) == []
    assert it.data_to_send() == b""
    assert it.receive_data(b"hello Welcome!\r\n", 10.1) == [Progress("the server answers")]
    assert it.data_to_send() == COMMAND
    welcome = b'{"Type":"welcome","PlayerName":"BOT_new","Clients":1,"Games":0}\n'
    assert it.receive_data(welcome, 10.2) == [Registered("BOT_new")]
    assert it.closed
    assert it.receive_eof(10.3) == []
    assert "s3cret" not in repr(it)


def test_a_server_that_does_not_greet_is_not_waited_for() -> None:
    it = client()
    it.advance(10.0)
    assert it.next_timer() == 10.0 + GREETING_WAIT
    it.advance(10.0 + GREETING_WAIT)
    assert it.data_to_send() == COMMAND
    (end,) = it.advance(10.0 + GREETING_WAIT + STEP_LIMIT)
    assert isinstance(end, NotRegistered)
    assert (end.why, end.unsure) == (Refusal.SILENT, True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Due to ongoing abuse, registration is disabled. Please try again later.", Refusal.CLOSED),
        ("Failed to register: that username is already in use", Refusal.NAME_TAKEN),
        ("Invalid username: must be 18 characters or less.", Refusal.NAME_REFUSED),
        ("Please enter an email, username and password.", Refusal.NAME_REFUSED),
        ("Failed to register: you have already registered an account", Refusal.REFUSED),
        ("Something \\u001b[2J else", Refusal.REFUSED),
    ],
)
def test_a_refusal(text: str, why: Refusal) -> None:
    it = client(greeting=False)
    it.advance(0.0)
    assert it.receive_data(notice("Welcome, stranger"), 0.1) == []  # any other notice
    (end,) = it.receive_data(notice(f"Connection terminated: {text}"), 0.2)
    assert isinstance(end, NotRegistered)
    assert (end.why, end.unsure) == (why, False)
    assert end.text.isprintable()


@given(st.lists(st.binary() | st.sampled_from([b"\n", b"{", b'{"Type":"welcome"}\n', notice("x")])))
def test_any_bytes(pieces: list[bytes]) -> None:
    it = client(greeting=False)
    events = it.advance(0.0)
    for piece in pieces:
        events += it.receive_data(piece, 0.1)
    events += it.receive_eof(0.2)
    ends = [event for event in events if not isinstance(event, Progress)]
    assert len(ends) == 1
    assert it.data_to_send().count(b"rj ") == 1


@pytest.mark.parametrize(
    ("name", "email"),
    [("12345", "a@b.c"), ("guest_x", "a@b.c"), ("a b", "a@b.c"), ("BOT_x", "a b@c.d"), ("BOT_x", "none")],
)
def test_what_no_server_takes_is_not_sent(name: str, email: str) -> None:
    with pytest.raises(ValueError, match="bgammon"):
        client(name, email)


def register(server: BgammonServer, connection: int, it: BgammonRegistration) -> Event:
    server.connect(connection, 0.0, f"host{connection}")
    events: list[Event] = []
    for _ in range(10):
        for to, data, _close in server.take_output():
            assert to == connection
            events += it.receive_data(data, 0.0)
        if sent := it.data_to_send():
            server.receive(connection, sent, 0.0)
    (end,) = [event for event in events if not isinstance(event, Progress)]
    return end


def test_with_our_server() -> None:
    server = BgammonServer(ServerConfig(), SeededDice(1))
    assert register(server, 1, client()) == Registered("BOT_new")
    taken = register(server, 2, client(email="other@example.org"))
    assert isinstance(taken, NotRegistered)
    assert taken.why is Refusal.NAME_TAKEN
    assert isinstance(register(server, 3, client("BOT_other")), NotRegistered)  # the same address
    closed = BgammonServer(ServerConfig(defcon=2), SeededDice(1))
    refused = register(closed, 1, client())
    assert isinstance(refused, NotRegistered)
    assert refused.why is Refusal.CLOSED


def test_it_can_be_carried_by_a_websocket() -> None:
    wire = WebSocketClient(client(greeting=False), "wss://[::1]:443/")
    assert b"Host: [::1]" in wire.data_to_send()
    (end,) = wire.receive_eof(1.0)
    assert isinstance(end, NotRegistered)
    assert end.why is Refusal.HUNG_UP
