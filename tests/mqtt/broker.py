"""A real Mosquitto on a free port, and somebody who listens to everything there."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec

MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or "mosquitto"
OPEN = "allow_anonymous true\n"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Broker:
    """`settings` are lines of mosquitto.conf; `listener` those that belong to its listener."""

    folder: Path
    settings: str = OPEN
    port: int = field(default_factory=free_port)
    process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        config = self.folder / "mosquitto.conf"
        # Not root's: mosquitto would drop its rights and could not read our folder.
        config.write_text(f"user root\nlistener {self.port} 127.0.0.1\n{self.settings}")
        self.process = await asyncio.create_subprocess_exec(
            MOSQUITTO, "-c", str(config), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except ConnectionRefusedError:
                assert self.process.returncode is None, "mosquitto does not start"
                await asyncio.sleep(0.02)
                continue
            writer.close()
            await writer.wait_closed()
            return

    async def kill(self) -> None:
        if self.process is not None:
            if self.process.returncode is None:
                self.process.kill()
            await self.process.wait()
            self.process = None


@asynccontextmanager
async def broker(folder: Path, settings: str = OPEN) -> AsyncIterator[Broker]:
    it = Broker(folder, settings)
    await it.start()
    try:
        yield it
    finally:
        await it.kill()


@dataclass
class Listener:
    """Everything that was published, in order."""

    client: aiomqtt.Client
    decode: Any
    seen: list[tuple[str, Any, bool]] = field(default_factory=list)
    """Topic, message, retained."""

    async def wait_for(self, topic: str, **fields: object) -> dict[str, Any]:
        """Read on to a message on this topic (its last levels) with these fields."""
        async with asyncio.timeout(60):
            async for message in self.client.messages:
                own = message.topic.value.endswith("/command")  # of a test, and anything at all
                content = {} if own else self.decode(message.payload)
                self.seen.append((message.topic.value, content, message.retain))
                if message.topic.value.endswith(topic) and fields.items() <= content.items():
                    return dict(content)
        raise AssertionError(f"no {topic} {fields}")

    def kinds(self) -> list[str]:
        return [topic.rpartition("/")[2] for topic, _, _ in self.seen]

    async def say(self, topic: str, message: object, *, retain: bool = False) -> None:
        payload = message if isinstance(message, bytes) else json.dumps(message).encode()
        await self.client.publish(topic, payload, qos=1, retain=retain)


@asynccontextmanager
async def listener(
    port: int, *, decode: Any = json.loads, host: str = "127.0.0.1", **options: Any
) -> AsyncIterator[Listener]:
    async with aiomqtt.Client(host, port, **options) as client:
        await client.subscribe("#", qos=1)
        yield Listener(client, decode)


decode_msgpack = msgspec.msgpack.decode
