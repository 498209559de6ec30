"""No match is lost, whatever is killed, full or locked: daemon, workers, broker, server, disk, opponent."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import sqlite3
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from botd_protocols.fibs.server_tcp import FibsTcpServer
from tests.mqtt.broker import Broker, listener

World = Any
Daemon = Any
ONE_MATCH = "max_matches = 1"


def slow(accounts: str, seconds: float = 0.05) -> str:
    return accounts.replace("think_time_s = 0", f"think_time_s = {seconds}")


async def stopped(daemon: Daemon) -> None:
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw


async def ready(url: str) -> str:
    """What /readyz says; empty if all is well."""

    def read() -> str:
        try:
            with urllib.request.urlopen(url + "readyz", timeout=10):
                return ""
        except urllib.error.HTTPError as error:
            with error:
                return error.read().decode()

    return await asyncio.to_thread(read)


async def test_a_daemon_killed_in_a_match_goes_on_with_it(world: World) -> None:
    config = world.config(slow(world.two_accounts(9, ONE_MATCH)))
    for number in range(3):
        daemon = await world.start(config)
        await daemon.wait_for("match_resumed" if number else "match_started", account="bert")
        for _ in range(5):
            await daemon.wait_for("decided", account="anna", kind="play")
        await asyncio.sleep(0.2)  # the journal writes ten times a second
        daemon.process.kill()
        await daemon.finish()
        assert world.query("PRAGMA integrity_check") == [("ok",)]
        assert world.query("SELECT DISTINCT state FROM matches") == [("playing",)]
    config.write_text(config.read_text().replace("0.05", "0"))
    daemon = await world.start(config)
    await daemon.wait_for("match_resumed", account="anna")
    assert await daemon.finish() == 0, daemon.raw
    # One entry for each side from the first to the last sitting, and the score that the server has.
    matches = world.query("SELECT account, state, score_us, score_opponent FROM matches ORDER BY account")
    assert [row[:2] for row in matches] == [("anna", "finished"), ("bert", "finished")]
    assert matches[0][2:] == matches[1][2:][::-1]
    assert world.query("SELECT match, count(*) FROM sittings GROUP BY match")[0][1] == 4
    assert world.server.violations() == []


async def test_a_locked_journal_is_reported_and_nothing_is_lost(world: World) -> None:
    daemon = await world.start(world.config(slow(world.two_accounts(9, ONE_MATCH), 0.02)))
    url = (await daemon.wait_for("metrics"))["addresses"][0]
    await daemon.wait_for("match_started", account="anna")
    await daemon.wait_for("decided", account="anna", kind="play")
    other = sqlite3.connect(world.folder / "journal.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    failed = await daemon.wait_for("journal_write_failed")
    assert "locked" in failed["error"]
    assert "the journal cannot be written" in await ready(url)
    status = (await world.ctl("status"))[1]["result"]
    assert "locked" in status["journal"]
    await daemon.wait_for("decided", account="anna", kind="play")  # the match goes on
    other.execute("ROLLBACK")
    other.close()
    assert await daemon.finish() == 0, daemon.raw
    assert "journal_incomplete" not in daemon.raw
    assert world.query("SELECT DISTINCT state FROM matches") == [("finished",)]
    assert world.query("SELECT DISTINCT complete FROM games") == [(1,)]


async def test_a_full_disk_is_reported_and_nothing_is_lost(world: World) -> None:
    daemon = await world.start(world.config(slow(world.two_accounts(9, ONE_MATCH), 0.02)))
    await daemon.wait_for("match_started", account="anna")
    await daemon.wait_for("decided", account="anna", kind="play")
    # No file of the daemon may grow any more; to SQLite that is a disk without room.
    unlimited = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (1, unlimited[1]))
    await daemon.wait_for("journal_write_failed")
    for _ in range(5):
        await daemon.wait_for("decided", account="anna", kind="play")
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, unlimited)
    assert await daemon.finish() == 0, daemon.raw
    assert "journal_incomplete" not in daemon.raw
    assert world.query("PRAGMA integrity_check") == [("ok",)]
    assert world.query("SELECT DISTINCT complete FROM games") == [(1,)]


async def test_an_opponent_who_does_nothing_is_reminded_and_left(world: World) -> None:
    daemon = await world.start(world.config(world.account("bert", "remind_s = 0.5\nleave_s = 1.5")))
    await daemon.wait_for("ready_to_play")
    anna = await world.person("anna")
    anna.type("invite bert 3")
    await anna.read("^15 bert Are you still there\\? It is your turn")
    await anna.read("bert.* has left the game")
    await daemon.wait_for("match_suspended", opponent="anna")
    await anna.leave()
    assert [row.split()[0] for row in await world.server.saved("bert")] == ["anna"]
    await stopped(daemon)
    assert world.query("SELECT state FROM matches") == [("suspended",)]


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def workers(pid: int) -> list[int]:
    """Of a daemon: the children of its fork server."""
    return [worker for server in children(pid) for worker in children(server)]


@pytest.mark.nightly
async def test_broker_server_and_workers_killed_again_and_again_in_one_long_match(
    world: World, tmp_path: Path
) -> None:
    mosquitto = Broker(tmp_path)
    await mosquitto.start()
    accounts = slow(world.two_accounts(9, ONE_MATCH), 0.02)
    config = world.config(accounts, engine="ply = 0\nworkers = 2")
    config.write_text(
        f"{config.read_text()}\n[mqtt]\nenabled = true\nhost = '127.0.0.1'\nport = {mosquitto.port}\n"
    )
    daemon = await world.start(config)
    await daemon.wait_for("match_started", account="anna")
    shell, port = world.server.shell, world.server.port
    for _ in range(5):
        for _ in range(20):
            await daemon.wait_for("decided", account="anna", kind="play")
        await mosquitto.kill()
        for worker in workers(daemon.process.pid):
            os.kill(worker, signal.SIGKILL)
        await shell.close()
        await daemon.wait_for("reconnecting", account="anna")
        await mosquitto.start()
        shell = await FibsTcpServer(world.server.core, port=port).__aenter__()
        await daemon.wait_for("match_resumed", account="anna")
    async with listener(mosquitto.port) as ears:
        assert await daemon.finish() == 0, daemon.raw
        await ears.wait_for("event/match_result", account="anna")
    await shell.close()
    await mosquitto.kill()
    matches = world.query("SELECT account, state, score_us, score_opponent FROM matches ORDER BY account")
    assert [row[:2] for row in matches] == [("anna", "finished"), ("bert", "finished")]
    assert matches[0][2:] == matches[1][2:][::-1]
    assert max(matches[0][2:]) >= 9
    assert "journal_incomplete" not in daemon.raw
    assert not re.search(r'"event": "(decided_without_engine|session_failed|answer_failed)"', daemon.raw)
