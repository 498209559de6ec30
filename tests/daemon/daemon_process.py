"""The real daemon as a process of its own, and waiting for what it does."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


async def soon(reading: Awaitable[bytes], wanted: str, seen: str) -> bytes:
    """Fail with what was seen instead of waiting for ever."""
    try:
        async with asyncio.timeout(30):
            return await reading
    except TimeoutError:
        raise AssertionError(f"nothing comes, expected {wanted}:\n{seen}") from None


@dataclass
class DaemonProcess:
    """`botd run` and what it logs."""

    process: asyncio.subprocess.Process
    raw: str = ""

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
        """Read the log up to this event."""
        assert self.process.stderr is not None
        while True:
            line = (await soon(self.process.stderr.readline(), f"{event} {fields}", self.raw)).decode()
            assert line, f"the daemon ended without {event} {fields}:\n{self.raw}"
            self.raw += line
            if line.startswith("{"):
                entry = json.loads(line)
                if entry["event"] == event and fields.items() <= entry.items():
                    return entry

    async def finish(self) -> int:
        """Read the log to its end; the exit status."""
        assert self.process.stderr is not None
        self.raw += (await self.process.stderr.read()).decode()
        return await self.process.wait()

    async def kill(self) -> None:
        """Unless it has ended already."""
        if self.process.returncode is None:
            self.process.kill()
        await self.finish()
