"""`botd serve` as a process of its own, which can be killed and come back on the same port."""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.daemon.daemon_process import soon


@dataclass
class ServerProcess:
    """`arguments` are those of `botd serve`, the port aside."""

    arguments: tuple[str, ...]
    errors: Path
    """What it writes to standard error, all its lives together."""
    port: int = 0
    process: asyncio.subprocess.Process | None = field(default=None, init=False)

    async def start(self) -> None:
        """Returns once it listens."""
        with self.errors.open("ab") as errors:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "botd.cli.main", "serve", "--port", str(self.port)),
                *self.arguments,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
            )
        assert self.process.stdout is not None
        line = (await soon(self.process.stdout.readline(), "listening", self.errors.read_text())).decode()
        assert line.startswith("listening on "), line + self.errors.read_text()
        self.port = int(line.split()[-1])

    async def kill(self) -> None:
        """`kill -9`, unless it has ended already."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """As an operator would; the exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()

    @property
    def violations(self) -> list[str]:
        """What clients should not have sent, of the lives that ended in peace; a log-out in a match aside."""
        lines = self.errors.read_text().splitlines()
        return [line for line in lines if line.startswith("violation") and ": conduct: " not in line]
