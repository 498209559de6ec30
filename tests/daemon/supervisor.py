"""A small service manager: hears sd_notify messages, and kills a service whose watchdog falls silent."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

Message = dict[str, str]


@dataclass
class Supervisor:
    address: str
    """As in `$NOTIFY_SOCKET`."""
    listener: socket.socket
    messages: list[Message] = field(default_factory=list)

    def environment(self, watchdog_s: float | None = None) -> dict[str, str]:
        extra = {} if watchdog_s is None else {"WATCHDOG_USEC": str(int(watchdog_s * 1e6))}
        return {**os.environ, "NOTIFY_SOCKET": self.address, **extra}

    async def hear(self) -> Message:
        """The next message."""
        data = await asyncio.get_running_loop().sock_recv(self.listener, 65536)
        text = data.decode()
        assert text == text.strip()
        message = dict(line.split("=", 1) for line in text.split("\n"))
        self.messages.append(message)
        return message

    async def wait_for(self, key: str, value: str | None = None) -> Message:
        """Hear on to a message with this key (and this value, or one that begins with it)."""
        async with asyncio.timeout(60):
            while True:
                message = await self.hear()
                if key in message and (value is None or message[key].startswith(value)):
                    return message

    async def watch(self, process: asyncio.subprocess.Process, watchdog_s: float) -> None:
        """Kill the process once it has given no sign of life for so long."""
        alive = asyncio.get_running_loop().time()
        while True:
            try:
                async with asyncio.timeout_at(alive + watchdog_s):
                    if "WATCHDOG" in await self.hear():
                        alive = asyncio.get_running_loop().time()
            except TimeoutError:
                process.send_signal(signal.SIGKILL)
                return


@contextmanager
def supervisor(folder: Path, *, abstract: bool = False) -> Iterator[Supervisor]:
    name = f"@botd-test-{os.getpid()}" if abstract else str(folder / "notify.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("\0" + name[1:] if abstract else name)
        listener.setblocking(False)
        yield Supervisor(name, listener)
