"""The daemon against the real bgammon server, where a `bgammon-server` is on PATH.

Two guests (a server without a database knows nobody else) play whole matches over the line transport.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.daemon.bgammon_world import BgammonWorld, Endpoint
from tests.waiting import until

SERVER = shutil.which("bgammon-server")

pytestmark = pytest.mark.skipif(SERVER is None, reason="no bgammon-server on PATH")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@pytest.fixture
async def real(tmp_path: Path, socket_folder: Path) -> AsyncIterator[BgammonWorld]:
    assert SERVER is not None
    port = _free_port()
    salts = {f"BGAMMON_SALT_{what}": "for tests only" for what in ("PASSWORD", "RESET", "IP")}
    process = await asyncio.create_subprocess_exec(
        *(SERVER, "-tcp", f"127.0.0.1:{port}"),
        env={**os.environ, **salts, "BGAMMON_DB": ""},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    world = BgammonWorld(tmp_path, socket_folder / "botd.sock", Endpoint("tcp", port))
    try:
        await until(lambda: process.returncode is not None or _listens(port))
        assert process.returncode is None, f"bgammon-server ended at once: {process.returncode}"
        yield world
    finally:
        await world.end()
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def test_two_guests_play_matches_to_their_end(real: BgammonWorld) -> None:
    policy = "max_matches = 2"
    daemon = await real.start(real.two_accounts("[3, 1]", policy, guests=True))
    assert await daemon.finish() == 0, daemon.raw
    real.check_finished_matches(daemon, lengths={1, 3})
