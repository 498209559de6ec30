"""Faults of a connection, for tests of either end: chunks come out late, torn, doubled, damaged or never.

    stream = FaultyStream(FaultSchedule.seeded(7, chunks=200, rate=0.05))
    stream.push(b"...", now)
    for data in stream.take(now): ...
    if stream.ended: ...        # "cut" or "restart": close the connection

A chunk is whatever one side sends at once: a piece of a byte stream, or a message of a framed connection.
Times are given by the caller; what happens depends on the schedule and the order of chunks alone.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import msgspec

from .server_core import ServerCore

FaultKind = Literal["cut", "delay", "split", "glue", "duplicate", "garble", "silence", "restart"]
KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
FRAMED_KINDS: tuple[FaultKind, ...] = tuple(kind for kind in KINDS if kind not in {"split", "glue"})
"""Those that a framed connection can suffer: a message comes whole or not at all."""
LAST_KINDS: frozenset[FaultKind] = frozenset({"cut", "silence", "restart"})
"""After one of these nothing comes any more."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What happens to one chunk."""

    at: int
    """Which chunk, from 0."""
    kind: FaultKind
    seconds: float = 0.0
    """`delay`: how long this and all that follows is held back. `split`: how long the pieces take. `glue`:
    how long at most to wait for the next chunk, which then follows without a gap."""
    size: int = 0
    """`cut`: bytes of the chunk that still arrive. `split`: pieces. `garble`: bytes to change."""
    seed: int = 0
    """`garble`: which bytes, and what they become."""


class FaultSchedule(msgspec.Struct, frozen=True):
    """All faults of one direction of a connection."""

    faults: tuple[Fault, ...] = ()

    @classmethod
    def seeded(
        cls,
        seed: int,
        *,
        chunks: int,
        rate: float,
        kinds: Sequence[FaultKind] = KINDS,
        longest_s: float = 2.0,
    ) -> FaultSchedule:
        """A fault of one of `kinds` for each of the first `chunks` chunks with probability `rate`."""
        source = random.Random(seed)  # noqa: S311 - reproducible, not secret
        faults: list[Fault] = []
        for index in range(chunks):
            if source.random() >= rate:
                continue
            fault = Fault(
                at=index,
                kind=source.choice(list(kinds)),
                seconds=round(source.uniform(0.0, longest_s), 3),
                size=source.randint(1, 8),
                seed=source.randrange(1 << 30),
            )
            faults.append(fault)
            if fault.kind in LAST_KINDS:
                break
        return cls(tuple(faults))

    def to_json(self) -> str:
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str) -> FaultSchedule:
        """Read what `to_json` wrote; ValueError says what is wrong with other text."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise ValueError(f"fault schedule: {error}") from None


NO_FAULTS = FaultSchedule()


class FaultyStream:
    """One direction of a connection under a schedule."""

    def __init__(self, schedule: FaultSchedule = NO_FAULTS) -> None:
        self._faults: dict[int, list[Fault]] = {}
        for fault in schedule.faults:
            self._faults.setdefault(fault.at, []).append(fault)
        self._count = 0
        self._ready: deque[tuple[float, bytes]] = deque()
        self._not_before = float("-inf")
        self._glue = b""
        self._glue_until = 0.0
        self._ending: Literal["", "cut", "restart"] = ""
        self._end_at = float("-inf")
        self._silent = False

    @property
    def silent(self) -> bool:
        """Whether the peer will hear nothing more although nothing was closed."""
        return self._silent

    @property
    def ended(self) -> Literal["", "cut", "restart"]:
        """How the connection has ended, once everything before that has been taken."""
        return "" if self._ready or self._glue else self._ending

    def push(self, data: bytes, now: float) -> None:
        """A chunk was sent."""
        faults = self._faults.get(self._count, [])
        self._count += 1
        if self._ending or self._silent:
            return
        pieces, pause, hold = [data], 0.0, 0.0
        for fault in faults:
            if fault.kind == "delay":
                self._not_before = max(self._not_before, now) + fault.seconds
            elif fault.kind == "split":
                pieces = [part for piece in pieces for part in _split(piece, fault.size)]
                pause = fault.seconds / max(1, len(pieces))
            elif fault.kind == "glue":
                hold = fault.seconds
            elif fault.kind == "duplicate":
                pieces = [*pieces, *pieces]
            elif fault.kind == "garble":
                pieces = [_garbled(piece, fault) for piece in pieces]
            elif fault.kind == "silence":
                self._silent, pieces = True, []
            elif fault.kind == "cut":
                self._ending, pieces = "cut", [b"".join(pieces)[: fault.size]]
            else:
                self._ending, pieces = "restart", []
        if self._glue:
            pieces = [self._glue + (pieces[0] if pieces else b""), *pieces[1:]]
            self._glue = b""
        if hold > 0.0 and not self._ending:
            self._glue, self._glue_until = b"".join(pieces), now + hold
            return
        release = max(now, self._not_before)
        for piece in pieces:
            if piece:
                self._ready.append((release, piece))
                release += pause
        if pause:
            self._not_before = release

    def take(self, now: float) -> list[bytes]:
        """What has arrived by now, in order."""
        if self._glue and now >= self._glue_until:
            self._ready.append((max(now, self._not_before), self._glue))
            self._glue = b""
        found = []
        while self._ready and self._ready[0][0] <= now:
            found.append(self._ready.popleft()[1])
        return found

    @property
    def next_release(self) -> float | None:
        """When `take` has something to give, if nothing more is pushed."""
        if self._ready:
            return self._ready[0][0]
        return self._glue_until if self._glue else None


def _split(data: bytes, pieces: int) -> list[bytes]:
    length = max(1, -(-len(data) // max(1, pieces)))
    return [data[start : start + length] for start in range(0, len(data), length)]


def _garbled(data: bytes, fault: Fault) -> bytes:
    source = random.Random(fault.seed)  # noqa: S311 - reproducible, not secret
    changed = bytearray(data)
    for _ in range(fault.size if changed else 0):
        changed[source.randrange(len(changed))] ^= source.randrange(1, 256)
    return bytes(changed)


class _Link:
    def __init__(self, to_client: FaultSchedule, to_server: FaultSchedule) -> None:
        self.to_client = FaultyStream(to_client)
        self.to_server = FaultyStream(to_server)
        self.closing = False


class FaultyServer:
    """A server behind faulty connections, with the same calls as the server itself.

    `schedules(conn_id)` gives the faults of what a connection is sent and of what it sends. A `restart` fault
    ends every connection and replaces the core by `fresh()`, or shuts it down for good without one.
    """

    def __init__(
        self,
        core: ServerCore,
        schedules: Callable[[int], tuple[FaultSchedule, FaultSchedule]],
        fresh: Callable[[], ServerCore] | None = None,
    ) -> None:
        self.core = core
        self._schedules = schedules
        self._fresh = fresh
        self._links: dict[int, _Link] = {}
        self._closed: list[int] = []
        self._now = 0.0
        self.restarts = 0

    def connect(self, conn_id: int, now: float, tell: Callable[[ServerCore, int, float], None]) -> None:
        """A new connection; `tell` announces it to the core that runs now."""
        self._now = now
        self._links[conn_id] = _Link(*self._schedules(conn_id))
        tell(self.core, conn_id, now)
        self._pump()

    def receive(self, conn_id: int, data: bytes, now: float) -> None:
        self._now = now
        link = self._links.get(conn_id)
        if link is not None:
            link.to_server.push(data, now)
            self._pump()

    def disconnect(self, conn_id: int, now: float) -> None:
        self._now = now
        if self._links.pop(conn_id, None) is not None:
            self.core.disconnect(conn_id, now)
            self._pump()

    def advance(self, now: float) -> None:
        self._now = now
        self.core.advance(now)
        self._pump()

    def shutdown(self, now: float) -> None:
        self._now = now
        self.core.shutdown(now)
        self._pump()

    def take_output(self) -> list[tuple[int, bytes, bool]]:
        """What has arrived at the clients: (connection, bytes, close afterwards)."""
        self._pump()
        chunks: list[tuple[int, bytes, bool]] = []
        for conn_id, link in self._links.items():
            chunks += [(conn_id, data, False) for data in link.to_client.take(self._now)]
        self._end_links()
        chunks += [(conn_id, b"", True) for conn_id in self._closed]
        self._closed.clear()
        return chunks

    @property
    def next_deadline(self) -> float | None:
        times = [self.core.next_deadline]
        for link in self._links.values():
            times += [link.to_client.next_release, link.to_server.next_release]
        return min((time for time in times if time is not None), default=None)

    def _pump(self) -> None:
        """Move what is due towards the server, and what it sends towards the clients."""
        for conn_id, link in list(self._links.items()):
            for data in link.to_server.take(self._now):
                self.core.receive(conn_id, data, self._now)
        self._collect()

    def _end_links(self) -> None:
        """End the connections that were cut, or closed by the server, once their last bytes have arrived."""
        for conn_id, link in list(self._links.items()):
            ending = link.to_client.ended or link.to_server.ended
            if ending == "restart":
                self._restart()
                return
            closed = link.closing and link.to_client.next_release is None and not link.to_client.silent
            if ending or closed:
                del self._links[conn_id]
                self._closed.append(conn_id)
                self.core.disconnect(conn_id, self._now)
        self._collect()

    def _collect(self) -> None:
        for conn_id, data, close in self.core.take_output():
            link = self._links.get(conn_id)
            if link is None:
                continue
            if data:
                link.to_client.push(data, self._now)
            link.closing = link.closing or close

    def _restart(self) -> None:
        self.restarts += 1
        self.core.shutdown(self._now)
        self._closed += list(self._links)
        self._links.clear()
        if self._fresh is not None:
            self.core = self._fresh()
