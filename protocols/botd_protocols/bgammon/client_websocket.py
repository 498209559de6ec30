"""The bgammon client behind a WebSocket: bytes of the (decrypted) stream instead of text frames.

Handshake and framing are those of the library `websockets`, used without its I/O. (It draws the random masks
that the WebSocket protocol demands.)
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from websockets.client import ClientProtocol
from websockets.exceptions import WebSocketException
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import parse_uri

from . import client_events as ev
from .client_lines import MAX_LINE

HANDSHAKE_LIMIT = 30.0


class TextClient(Protocol):
    """What can be carried: one event of the server and one command of ours per text frame."""

    @property
    def closed(self) -> bool: ...
    def receive_text(self, text: str | bytes, now: float) -> list[ev.Event]: ...
    def receive_eof(self, now: float) -> list[ev.Event]: ...
    def transport_failed(self, reason: str, now: float) -> list[ev.Event]: ...
    def advance(self, now: float) -> list[ev.Event]: ...
    def next_timer(self) -> float | None: ...
    def commands_to_send(self) -> list[str]: ...


class WebSocketClient:
    """Carries `client`, which waits for no greeting. Make a new one for each connection."""

    def __init__(self, client: TextClient, uri: str) -> None:
        """`uri` such as `wss://ws.bgammon.org/`; encryption itself is the shell's. Raises ValueError."""
        try:
            address = parse_uri(uri)
        except (WebSocketException, ValueError) as error:
            raise ValueError(f"WebSocket address: {error}") from error
        self._client = client
        self._protocol = ClientProtocol(address, max_size=MAX_LINE, logger=_silent())
        self._protocol.send_request(self._protocol.connect())
        self._deadline: float | None = None
        self._open = False
        self._message: bytearray | None = None
        """A text message whose end has not come yet."""

    def receive_data(self, data: bytes, now: float) -> list[ev.Event]:
        """Take bytes from the server. Never raises for anything in them."""
        return self._take(lambda: self._protocol.receive_data(data), now)

    def receive_eof(self, now: float) -> list[ev.Event]:
        """The server closed the connection, or it broke."""
        return [*self._take(self._protocol.receive_eof, now), *self._client.receive_eof(now)]

    def advance(self, now: float) -> list[ev.Event]:
        """Let due timers act."""
        if self._open or self._client.closed:
            return self._client.advance(now)
        if self._deadline is None:
            self._deadline = now + HANDSHAKE_LIMIT
        if now >= self._deadline:
            return self._client.transport_failed("no WebSocket handshake within the time limit", now)
        return []

    def next_timer(self) -> float | None:
        return self._client.next_timer() if self._open or self._client.closed else self._deadline

    def data_to_send(self) -> bytes:
        """The bytes that may go out now."""
        if self._protocol.state is State.OPEN:
            for command in self._client.commands_to_send():
                self._protocol.send_text(command.encode())
            if self._client.closed:
                self._protocol.send_close(1000)
        return b"".join(self._protocol.data_to_send())

    def _take(self, receive: Callable[[], None], now: float) -> list[ev.Event]:
        if self._client.closed:
            return []
        receive()
        events: list[ev.Event] = []
        for event in self._protocol.events_received():
            if isinstance(event, Response):
                if self._protocol.state is State.OPEN:
                    self._open = True
                    events += self._client.advance(now)
            elif isinstance(event, Frame):
                events += self._frame(event, now)
        if self._protocol.state is State.OPEN or self._client.closed:
            return events
        if not self._open and (error := self._protocol.handshake_exc) is not None:
            return [*events, *self._client.transport_failed(f"WebSocket handshake failed: {error}", now)]
        if self._open:
            events += self._client.transport_failed(self._why_closed(), now)
        return events

    def _why_closed(self) -> str:
        if (received := self._protocol.close_rcvd) is not None:
            return f"WebSocket closed by the server: {received}"
        sent = self._protocol.close_sent
        return "WebSocket ended by the server" if sent is None else f"WebSocket closed by us: {sent}"

    def _frame(self, frame: Frame, now: float) -> list[ev.Event]:
        if frame.opcode is Opcode.TEXT:
            self._message = bytearray()
        if frame.opcode not in (Opcode.TEXT, Opcode.CONT) or self._message is None:
            return []  # binary frames mean nothing here; the library sees to the rest
        self._message += frame.data
        if not frame.fin:
            return []
        text, self._message = bytes(self._message), None
        return self._client.receive_text(text, now)


def _silent() -> logging.Logger:
    """For the library: its debug output would show the log-in."""
    return logging.Logger("websockets of botd", level=logging.CRITICAL)
