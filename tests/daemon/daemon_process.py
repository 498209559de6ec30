"""The real daemon as a process of its own, and waiting for what it does."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any


async def soon(reading: Awaitable[bytes], wanted: str, seen: str) -> bytes:
    """Fail with what was seen instead of waiting for ever."""
    try:
        async with asyncio.timeout(30):
            return await reading
    except TimeoutError:
        raise AssertionError(f"nothing comes, expected {wanted}:\n{seen}") from None


class DaemonProcess:
    """`botd run` and what it logs, which is read all the time: a daemon whose log nobody takes would wait."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.raw = ""
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, config: Path, environment: dict[str, str] | None = None) -> DaemonProcess:
        return cls(
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "botd.cli.main", "run", "--config", str(config)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
            )
        )

    async def wait_for(self, event: str, **fields: object) -> dict[str, Any]:
        """Look through the log up to this event."""
        while True:
            line = (await soon(self._lines.get(), f"{event} {fields}", self.raw)).decode()
            assert line, f"the daemon ended without {event} {fields}:\n{self.raw}"
            self.raw += line
            if line.startswith("{"):
                entry = json.loads(line)
                if entry["event"] == event and fields.items() <= entry.items():
                    return entry

    async def finish(self) -> int:
        """Wait for the end; the exit status."""
        await self._reading
        while not self._lines.empty():
            self.raw += self._lines.get_nowait().decode()
        return await self.process.wait()

    async def _read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self._lines.put_nowait(line)
        self._lines.put_nowait(b"")

    async def kill(self) -> None:
        """Unless it has ended already."""
        if self.process.returncode is None:
            self.process.kill()
        await self.finish()
