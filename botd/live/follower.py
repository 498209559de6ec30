"""The reading end of the events: bytes in, the live document kept up to date. No I/O."""

from __future__ import annotations

import msgspec

from botd.live.documents import SCHEMA, Account, Latency, Live

MAX_EVENT = 64 << 20
"""Characters of one event; no daemon sends so much."""


_OVERHEAD = 64
"""What a line costs however short it is."""


class FollowError(Exception):
    """What was sent is not what a status page sends; one line that says so."""


class EventParser:
    """Server-sent events out of a stream of bytes."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        """Of a line that is not complete."""
        self._kind = ""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[tuple[str, bytes]]:
        """(kind, data) of every event that is complete now. Raises FollowError for one too large."""
        found: list[tuple[str, bytes]] = []
        self._rest.append(data)
        self._size += len(data)
        if b"\n" in data:
            *lines, rest = b"".join(self._rest).split(b"\n")
            self._rest = [rest]
            for line in lines:
                self._line(line.removesuffix(b"\r"), found)
            self._size = len(rest) + sum(len(value) + _OVERHEAD for value in self._data)
        if self._size > MAX_EVENT:
            raise FollowError("the status page sends an event without an end")
        return found

    def _line(self, line: bytes, found: list[tuple[str, bytes]]) -> None:
        if not line:
            if self._data:
                found.append((self._kind or "message", b"\n".join(self._data)))
            self._kind, self._data = "", []
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._kind = value.decode("utf-8", "replace")
        elif name == b"data":
            self._data.append(value)


class Follower:
    """The live document as the events tell it."""

    def __init__(self) -> None:
        self.live: Live | None = None
        """None before the first event."""

    def take(self, kind: str, data: bytes) -> Account | None:
        """One event; of a single account its document. Kinds of a later version are ignored.

        Raises FollowError.
        """
        try:
            if kind == "live":
                _check_schema(data)
                self.live = msgspec.json.decode(data, type=Live)
            elif self.live is None:
                pass  # everything comes first
            elif kind == "account":
                account = msgspec.json.decode(data, type=Account)
                accounts = tuple(account if old.id == account.id else old for old in self.live.accounts)
                self.live = msgspec.structs.replace(self.live, accounts=accounts)
                return account
            elif kind == "latency":
                latency = msgspec.json.decode(data, type=tuple[Latency, ...])
                self.live = msgspec.structs.replace(self.live, latency=latency)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise FollowError(f"what is sent is not the live document of a botd: {error}") from error
        return None


class _Schema(msgspec.Struct):
    schema: int


def _check_schema(data: bytes) -> None:
    told = msgspec.json.decode(data, type=_Schema).schema
    if told != SCHEMA:
        raise FollowError(f"that botd speaks schema {told} of the live document, this one {SCHEMA}")
