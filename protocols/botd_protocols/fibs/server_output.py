"""What goes to each connection: lines into bursts, with the line-level faults of `ServerQuirks`."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from .server_quirks import ServerQuirks

Chunk = tuple[int, bytes, bool]
"""Connection, bytes to send, whether to close it afterwards."""

_ACCEPTED = re.compile(r"\w+ accepts? the double\.")
_QUESTION = "It's your turn"


@dataclass
class _Stream:
    """One connection's unsent text."""

    pending: bytearray = field(default_factory=bytearray)
    glue: str | None = None
    """Text that joins the next line to the last one; None after an ended line."""
    close: bool = False
    closed: bool = False
    muted: bool = False


class Outbox:
    """Collects lines per connection; `take` hands out what is due."""

    def __init__(self, quirks: ServerQuirks) -> None:
        self._quirks = quirks
        self._streams: dict[int, _Stream] = {}
        self._touched: set[int] = set()
        """Connections with something to flush; few of those that are open."""
        self._due: deque[tuple[float, Chunk]] = deque()
        self.noise: Callable[[int], list[str]] | None = None
        """Lines to throw in after a line to this connection (quirk `noise`)."""

    def open(self, conn_id: int) -> None:
        self._streams[conn_id] = _Stream()

    def mute(self, conn_id: int, muted: bool) -> None:
        """Lose everything sent to this connection while muted."""
        if conn_id in self._streams:
            self._streams[conn_id].muted = muted

    def raw(self, conn_id: int, data: bytes) -> None:
        """Bytes that are no line: prompts and telnet negotiation."""
        stream = self._streams.get(conn_id)
        if stream is not None and not stream.closed and not stream.muted:
            self._end_glue(stream)
            stream.pending += data
            self._touched.add(conn_id)

    def line(self, conn_id: int, text: str, *, glue: bool = False) -> None:
        """One line; `glue` lets the next one of this burst follow without a line end."""
        stream = self._streams.get(conn_id)
        if stream is None or stream.closed or stream.muted:
            return
        self._touched.add(conn_id)
        self._append(stream, text, glue)
        if self.noise is not None and text and stream.glue is None:
            for extra in self.noise(conn_id):
                self._append(stream, extra, False)

    def _append(self, stream: _Stream, text: str, glue: bool) -> None:
        quirks = self._quirks
        if stream.glue is not None:
            if not text:
                return
            fits = True
            if stream.glue == " " and quirks.glue_board == "question":
                fits = text.startswith(_QUESTION)
            elif stream.glue == "who":
                fits = text.startswith("5 ")
            if fits:
                stream.pending += b" " if stream.glue == " " else b""
                stream.glue = None
            else:
                self._end_glue(stream)
        if quirks.prompts and text:
            text = "> " + text
        stream.pending += text.encode("ascii", "replace")
        if glue:
            stream.glue = ""
        elif quirks.glue_board and text.startswith("board:"):
            stream.glue = " "
        elif quirks.glue_who and _ACCEPTED.match(text):
            stream.glue = "who"
        else:
            stream.pending += b"\r\n"

    @staticmethod
    def _end_glue(stream: _Stream) -> None:
        if stream.glue is not None:
            stream.pending += b"\r\n"
            stream.glue = None

    def close(self, conn_id: int) -> None:
        """Send what is pending, then close."""
        stream = self._streams.get(conn_id)
        if stream is not None:
            stream.close = True
            stream.closed = True
            self._touched.add(conn_id)

    def forget(self, conn_id: int) -> None:
        """The connection is gone; nothing more can be sent."""
        self._streams.pop(conn_id, None)
        self._due = deque(item for item in self._due if item[1][0] != conn_id)

    def flush(self, now: float) -> None:
        """End the burst: everything collected becomes due after the configured delay."""
        release = now + self._quirks.reply_delay_s
        touched, self._touched = sorted(self._touched), set()
        for conn_id in touched:
            stream = self._streams.get(conn_id)
            if stream is None:
                continue
            self._end_glue(stream)
            if not stream.pending and not stream.close:
                continue
            data = bytes(stream.pending)
            stream.pending.clear()
            size = self._quirks.segment_bytes or max(1, len(data))
            pieces = [data[i : i + size] for i in range(0, len(data), size)] or [b""]
            for index, piece in enumerate(pieces):
                last = stream.close and index == len(pieces) - 1
                self._due.append((release, (conn_id, piece, last)))
            if stream.close:
                del self._streams[conn_id]

    def waiting_for(self, conn_id: int) -> bool:
        """Whether output for this connection is still held back."""
        return any(chunk[0] == conn_id for _, chunk in self._due)

    @property
    def next_release(self) -> float | None:
        return self._due[0][0] if self._due else None

    def take(self, now: float) -> list[Chunk]:
        chunks: list[Chunk] = []
        while self._due and self._due[0][0] <= now:
            chunks.append(self._due.popleft()[1])
        return chunks
