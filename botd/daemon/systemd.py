"""What the service manager is told: ready, what we are doing, that we are alive, that we reload or stop.

The protocol is that of sd_notify(3): datagrams of `KEY=value` lines to the socket in `$NOTIFY_SOCKET`.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass

import structlog

READY_AT_LATEST = 60.0
"""Seconds after which we are ready even if no server has answered yet: they may be down for days."""
LOOK_EVERY = 1.0

log = structlog.get_logger("botd.daemon")


class Notifier:
    """Sends messages to a service manager. Never waits, never raises."""

    def __init__(self, address: str | None, watchdog_s: float | None = None) -> None:
        """`address` as in `$NOTIFY_SOCKET`: a path, or `@` and an abstract name."""
        self.watchdog_s = watchdog_s
        """Seconds within which a sign of life is expected; None if none is."""
        self._address = _socket_address(address) if address else None
        self._failed = False

    @classmethod
    def from_environment(cls, environment: MutableMapping[str, str], pid: int | None = None) -> Notifier:
        """What the service manager told this process; taken out, because it does not concern its children."""
        address = environment.pop("NOTIFY_SOCKET", None)
        period = environment.pop("WATCHDOG_USEC", "")
        meant_for = environment.pop("WATCHDOG_PID", "")
        if meant_for not in ("", str(os.getpid() if pid is None else pid)) or not period.isascii():
            period = ""
        return cls(address, int(period) / 1e6 if period.isdigit() and int(period) > 0 else None)

    def ready(self, status: str) -> None:
        """Started, or reloaded."""
        self._send(f"READY=1\nSTATUS={status}")

    def status(self, text: str) -> None:
        self._send(f"STATUS={text}")

    def reloading(self) -> None:
        """`ready` must follow."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self, within_s: float) -> None:
        """We end, and may need so long for it."""
        self._send(f"STOPPING=1\nEXTEND_TIMEOUT_USEC={int(within_s * 1e6)}")

    def alive(self) -> None:
        self._send("WATCHDOG=1")

    def _send(self, message: str) -> None:
        if self._address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
                sender.sendto(message.encode(), self._address)
        except OSError as error:
            if not self._failed:
                log.warning("service_manager_unreachable", error=error.strerror or str(error))
            self._failed = True
        else:
            self._failed = False


def _socket_address(address: str) -> str | None:
    if address.startswith("/"):
        return address
    if address.startswith("@"):
        return "\0" + address[1:]
    log.warning("notify_socket_ignored", address=address[:100], expected="a path, or @ and a name")
    return None


@dataclass(frozen=True, slots=True)
class Presence:
    """What the service manager shows."""

    settled: bool
    """Every account is logged in, or has failed at its first attempt."""
    text: str


async def keep_informed(notifier: Notifier, look: Callable[[], Presence]) -> None:
    """Say READY once the accounts have settled, then every change; feed the watchdog. Until cancelled.

    This runs on the event loop that plays, so a loop that hangs stops the signs of life.
    """
    loop = asyncio.get_running_loop()
    period = LOOK_EVERY if notifier.watchdog_s is None else min(LOOK_EVERY, notifier.watchdog_s / 3)
    latest = loop.time() + READY_AT_LATEST
    ready, told = False, ""
    while True:
        now = look()
        if not ready and (now.settled or loop.time() >= latest):
            ready, told = True, now.text
            notifier.ready(now.text)
        elif now.text != told:
            told = now.text
            notifier.status(now.text)
        if notifier.watchdog_s is not None:
            notifier.alive()
        await asyncio.sleep(period)
