"""Journals that real daemons have written, playing on servers of this machine; once a session."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig
from botd_protocols.bgammon.server_net import BgammonNetServer
from botd_protocols.server_dice import SeededDice
from tests.daemon.bgammon_world import GUEST, HOST, PASSWORD, BgammonWorld, Endpoint


@dataclass(frozen=True)
class PlayedJournals:
    """Both accounts of each server write into the same file. Read them; write into copies."""

    fibs: Path
    """`botd demo`: a 3 point match, then three games of an unlimited one that is suspended."""
    bgammon: Path
    """A match of 1 point and one of 3, the host at the level `easy`, the guest in exact mode."""

    def copy(self, path: Path, folder: Path) -> Path:
        """A copy that a test may damage."""
        copied = folder / "journal.sqlite3"
        shutil.copyfile(path, copied)
        return copied


@pytest.fixture(scope="session")
def played_journals(tmp_path_factory: pytest.TempPathFactory) -> PlayedJournals:
    fibs = tmp_path_factory.mktemp("fibs-journal")
    demo = [sys.executable, "-m", "botd.cli.main", "demo", "--fast", "--plain", "--ply", "0", "--seed", "3"]
    result = subprocess.run([*demo, "--output", str(fibs)], capture_output=True, timeout=240, check=False)
    assert result.returncode == 0, result.stderr
    bgammon = tmp_path_factory.mktemp("bgammon-journal")
    asyncio.run(_play_on_bgammon(bgammon))
    journals = PlayedJournals(fibs / "journal.sqlite3", bgammon / "journal.sqlite3")
    for path in (journals.fibs, journals.bgammon):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    return journals


async def _play_on_bgammon(folder: Path) -> None:
    accounts = ServerConfig(accounts={HOST: PASSWORD, GUEST: PASSWORD}, strict=True, bots_may_join=True)
    server = BgammonServer(accounts, SeededDice(5))
    with tempfile.TemporaryDirectory(prefix="botd-") as sockets:
        async with BgammonNetServer(server, "localhost", 0) as shell:
            world = BgammonWorld(folder, Path(sockets) / "botd.sock", Endpoint("tcp", shell.port))
            easy = world.host("[1, 3]", "max_matches = 2").replace("own_server", 'level = "easy"\nown_server')
            exact = world.guest("max_matches = 2").replace("own_server", 'mode = "exact"\nown_server')
            try:
                daemon = await world.start(world.config(easy + exact))
                async with asyncio.timeout(240):
                    assert await daemon.finish() == 0, daemon.raw
                world.check_finished_matches(daemon, lengths={1, 3})
            finally:
                await world.end()
