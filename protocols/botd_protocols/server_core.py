"""What a server without I/O looks like from outside: `FibsServer`, `BgammonServer`, `FaultyServer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class ServerCore(Protocol):
    """Connections are announced by each server's own `connect`; times must not run backwards."""

    def receive(self, conn_id: int, data: bytes, now: float) -> None: ...

    def disconnect(self, conn_id: int, now: float) -> None: ...

    def advance(self, now: float) -> None: ...

    def take_output(self) -> Sequence[tuple[int, bytes, bool]]:
        """Connection, bytes, whether to close it afterwards."""

    @property
    def next_deadline(self) -> float | None:
        """When `advance` has something to do at the latest, if nothing else happens."""

    def shutdown(self, now: float) -> None: ...
