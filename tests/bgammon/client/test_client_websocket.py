"""The client behind a WebSocket, against the server side of the same library and against hostile bytes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import BgammonClient, BgammonClientConfig, Phase
from botd_protocols.bgammon.client_lines import MAX_LINE
from botd_protocols.bgammon.client_websocket import WebSocketClient
from tests.bgammon.client.harness import LIST, WELCOME, event, notice

LOGIN = "lj botd-0.1/en BOT_acme s3cret"


@dataclass
class Wire:
    """Both ends, with a clock that only jumps."""

    now: float = 0.0
    events: list[ev.Event] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    """Text frames at the server."""

    def __post_init__(self) -> None:
        config = BgammonClientConfig("BOT_acme", "s3cret", greeting=False, command_gap=0)
        self.client = BgammonClient(config)
        self.wire = WebSocketClient(self.client, "wss://ws.example.org/")
        self.server = ServerProtocol()
        self.events += self.wire.advance(self.now)

    def exchange(self) -> None:
        while data := self.wire.data_to_send():
            self.server.receive_data(data)
            for found in self.server.events_received():
                if isinstance(found, Request):
                    self.server.send_response(self.server.accept(found))
                elif isinstance(found, Frame) and found.opcode is Opcode.TEXT:
                    self.heard.append(bytes(found.data).decode())
            self.deliver()

    def deliver(self) -> None:
        for data in self.server.data_to_send():
            self.events += self.wire.receive_data(data, self.now) if data else self.wire.receive_eof(self.now)

    def say(self, text: str) -> None:
        self.server.send_text(text.encode())
        self.deliver()
        self.exchange()

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.events += self.wire.advance(self.now)
        self.exchange()

    def seen(self, kind: type[ev.Event]) -> list[ev.Event]:
        return [found for found in self.events if isinstance(found, kind)]


def opened() -> Wire:
    wire = Wire()
    wire.exchange()
    return wire


def test_the_login_follows_the_handshake_and_nothing_else() -> None:
    wire = Wire()
    request = wire.wire.data_to_send()
    assert request.startswith(b"GET / HTTP/1.1\r\nHost: ws.example.org\r\n")
    assert b"s3cret" not in request
    wire.server.receive_data(request)
    (found,) = wire.server.events_received()
    assert isinstance(found, Request)
    wire.wait(5)
    assert wire.heard == []
    wire.server.send_response(wire.server.accept(found))
    wire.deliver()
    wire.exchange()
    assert wire.heard == [LOGIN]
    wire.wait(5)
    assert wire.heard == [LOGIN]


def test_one_event_a_frame_and_one_command_a_frame() -> None:
    wire = opened()
    wire.say(WELCOME)
    wire.say(LIST)
    wire.say(event("ping", Message="17"))
    assert wire.heard == [LOGIN, "pong 17"]
    wire.wait(3)
    assert wire.seen(ev.LobbyReady)
    assert wire.seen(ev.UnparsedLine) == []


def test_silence_is_counted_from_the_last_event() -> None:
    wire = opened()
    wire.say(WELCOME)
    for _ in range(5):
        wire.now += 60
        wire.say(event("ping", Message="17"))
        wire.wait(1)
    assert wire.seen(ev.Disconnected) == []
    wire.wait(76)
    assert ended(wire).retry is ev.Retry.BACK_OFF


def test_a_message_may_come_in_fragments_between_pings() -> None:
    wire = opened()
    half = len(WELCOME) // 2
    wire.server.send_text(WELCOME[:half].encode(), fin=False)
    wire.server.send_ping(b"x")
    wire.server.send_continuation(WELCOME[half:].encode(), fin=True)
    wire.deliver()
    assert wire.seen(ev.LoggedIn)


def test_however_the_bytes_are_divided() -> None:
    wire = opened()
    wire.server.send_text(WELCOME.encode())
    wire.server.send_text(notice("Hello").encode())
    for data in wire.server.data_to_send():
        for byte in data:
            wire.events += wire.wire.receive_data(bytes((byte,)), wire.now)
    assert [type(found) for found in wire.events] == [ev.LoggedIn, ev.ServerError]


def test_binary_frames_and_text_that_is_no_event_change_nothing() -> None:
    wire = opened()
    wire.server.send_binary(b"\x00\xff")
    wire.say("no event")
    wire.say(WELCOME)
    assert wire.seen(ev.LoggedIn)
    assert len(wire.seen(ev.UnparsedLine)) == 1


def ended(wire: Wire) -> ev.Disconnected:
    (end,) = wire.seen(ev.Disconnected)
    assert isinstance(end, ev.Disconnected)
    assert wire.client.phase is Phase.CLOSED
    assert wire.wire.next_timer() is None
    return end


def test_a_frame_that_is_too_long_ends_the_connection() -> None:
    wire = opened()
    wire.say(WELCOME)
    wire.say(event("say", "x", Message="x" * MAX_LINE))
    assert ended(wire).retry is ev.Retry.BACK_OFF


def test_the_reason_in_a_notice_counts_not_the_close_frame_after_it() -> None:
    wire = opened()
    wire.server.send_text(notice("Connection terminated: You are banned").encode())
    wire.server.send_close(1000)
    wire.deliver()
    assert ended(wire).final


def test_a_close_frame_is_an_end_like_any_other() -> None:
    wire = opened()
    wire.say(WELCOME)
    wire.server.send_close(1001, "restart")
    wire.deliver()
    end = ended(wire)
    assert end.retry is ev.Retry.BACK_OFF
    assert "1001" in end.reason


def test_good_bye_is_final() -> None:
    wire = opened()
    wire.say(WELCOME)
    wire.client.bye()
    wire.exchange()
    assert wire.heard[-1] == "disconnect"
    wire.server.send_close(1000)
    wire.deliver()
    assert ended(wire).final


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"hello Welcome to bgammon.org!\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x70" * 3 + b"\n",
        b"x" * 20_000,
    ],
)
def test_a_handshake_that_fails_is_an_end_with_a_reason(answer: bytes) -> None:
    wire = Wire()
    wire.wire.data_to_send()
    wire.events += wire.wire.receive_data(answer, wire.now)
    wire.events += wire.wire.receive_eof(wire.now)
    end = ended(wire)
    assert end.retry is ev.Retry.BACK_OFF
    assert "handshake" in end.reason
    assert end.reason.isprintable()


def test_a_handshake_without_an_answer_ends_too() -> None:
    wire = Wire()
    wire.wire.data_to_send()
    assert wire.wire.next_timer() == 30.0
    wire.wait(31)
    assert "time limit" in ended(wire).reason


@pytest.mark.parametrize("uri", ["https://example.org", "wss://[a:b]:443/", "wss://", "wss://[::1"])
def test_an_address_that_is_none_is_refused(uri: str) -> None:
    client = BgammonClient(BgammonClientConfig("BOT_a", greeting=False))
    with pytest.raises(ValueError, match="WebSocket address"):
        WebSocketClient(client, uri)


@settings(max_examples=300)
@given(st.binary(max_size=300), st.booleans())
def test_garbage_never_raises(data: bytes, after_handshake: bool) -> None:
    wire = opened() if after_handshake else Wire()
    wire.events += wire.wire.receive_data(data, wire.now)
    wire.wire.data_to_send()
    wire.events += wire.wire.advance(wire.now + 1)
    wire.events += wire.wire.receive_eof(wire.now + 2)
    wire.wire.data_to_send()
    assert wire.client.phase is Phase.CLOSED
