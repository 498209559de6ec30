"""`kill -9` of every process in turn during one match, which still finishes; the server's, too."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from tests.daemon.bgammon_world import GUEST, HOST, PASSWORD, BgammonWorld, Endpoint
from tests.daemon.conftest import PASSWORDS, World
from tests.daemon.daemon_process import DaemonProcess
from tests.daemon.server_process import ServerProcess
from tests.daemon.test_survival import slow, workers
from tests.mqtt.broker import Broker, listener
from tests.waiting import until

VICTIMS = ("worker", "daemon", "broker", "server")


def server_process(folder: Path, seed: int) -> ServerProcess:
    accounts = folder / "accounts.toml"
    accounts.write_text("".join(f'{name} = "{password}"\n' for name, password in PASSWORDS.items()))
    files = ("--accounts", str(accounts), "--state", str(folder / "state.json"))
    return ServerProcess((*files, "--strict", "--seed", str(seed)), folder / "server.err")


@dataclass
class Play:
    """One long match and everything that has a part in it."""

    world: World
    server: ServerProcess
    broker: Broker
    config: Path
    daemon: DaemonProcess

    async def some_moves(self) -> None:
        for _ in range(5):
            await self.daemon.wait_for("decided", account="anna", kind="play")

    async def kill_worker(self) -> None:
        """With a decision in flight: the worker is held until it has been asked something."""
        (worker,) = workers(self.daemon.process.pid)
        os.kill(worker, signal.SIGSTOP)
        url = self.metrics
        await until(lambda: b'botd_workers{state="busy"} 1.0' in _read(url))
        os.kill(worker, signal.SIGKILL)
        await self.daemon.wait_for("decision lost its worker")

    async def kill_daemon(self) -> None:
        await asyncio.sleep(0.2)  # the journal writes ten times a second
        await self.daemon.kill()
        assert self.world.query("PRAGMA integrity_check") == [("ok",)]
        await self.start_daemon()
        await self.daemon.wait_for("match_resumed", account="anna")

    async def kill_broker(self) -> None:
        await self.broker.kill()
        await self.some_moves()
        await self.broker.start()
        await self.daemon.wait_for("mqtt_connected")

    async def kill_server(self) -> None:
        await self.server.kill()
        await self.daemon.wait_for("reconnecting", account="anna")
        await self.server.start()
        await self.daemon.wait_for("match_resumed", account="anna")

    async def start_daemon(self) -> None:
        self.daemon = await self.world.start(self.config)
        self.metrics = (await self.daemon.wait_for("metrics"))["addresses"][0] + "metrics"


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as page:
        return bytes(page.read())


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    broker = Broker(tmp_path)
    await broker.start()
    yield broker
    await broker.kill()


async def finish_with_kills(
    folder: Path, socket: Path, broker: Broker, *, seed: int, rounds: int, length: int
) -> None:
    """A match of so many points, during which everything is killed in each of the rounds, in random order."""
    chance = random.Random(seed)
    server = server_process(folder, seed)
    await server.start()
    world = World(folder, cast(Any, server), socket)
    config = world.config(slow(world.two_accounts(length, "max_matches = 1"), 0.04))
    mqtt = f"[mqtt]\nenabled = true\nhost = '127.0.0.1'\nport = {broker.port}\n"
    config.write_text(f"{config.read_text()}\n{mqtt}")
    play = Play(world, server, broker, config, cast(Any, None))
    earlier = ""
    try:
        await play.start_daemon()
        await play.daemon.wait_for("match_started", account="anna")
        for _ in range(rounds):
            for victim in chance.sample(VICTIMS, len(VICTIMS)):
                await play.some_moves()
                before = play.daemon
                await getattr(play, f"kill_{victim}")()
                earlier += before.raw if before is not play.daemon else ""
        async with listener(broker.port) as ears:
            assert await play.daemon.finish() == 0, play.daemon.raw
            await ears.wait_for("event/match_result", account="anna")
        assert await server.stop() == 0
        _check(world, server, length, earlier + play.daemon.raw)
    finally:
        await world.end()
        await server.kill()


def _check(world: World, server: ServerProcess, length: int, log: str) -> None:
    matches = world.query("SELECT account, state, score_us, score_opponent FROM matches ORDER BY account")
    assert [row[:2] for row in matches] == [("anna", "finished"), ("bert", "finished")]
    assert matches[0][2:] == matches[1][2:][::-1]
    assert max(matches[0][2:]) >= length
    # Every game is there, once: the points of the games are those of the match.
    points = world.query(
        "SELECT sum(iif(games.winner = 'us', points, 0)), sum(iif(games.winner = 'opponent', points, 0)),"
        " count(*) = max(game) FROM games JOIN matches USING (match) GROUP BY account ORDER BY account"
    )
    assert points == [(*row[2:], 1) for row in matches]
    assert server.violations == []
    assert "journal_incomplete" not in log
    assert not re.search(r'"event": "(decided_without_engine|session_failed|answer_failed|stuck)"', log)


@pytest.mark.timeout(300)
async def test_worker_daemon_broker_and_server_killed_once_in_one_match(
    tmp_path: Path, socket_folder: Path, broker: Broker
) -> None:
    await finish_with_kills(tmp_path, socket_folder / "botd.sock", broker, seed=1, rounds=1, length=7)


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2, 12))
async def test_kills_in_any_order(tmp_path: Path, socket_folder: Path, broker: Broker, seed: int) -> None:
    await finish_with_kills(tmp_path, socket_folder / "botd.sock", broker, seed=seed, rounds=2, length=15)


@pytest.mark.timeout(300)
async def test_a_killed_bgammon_server_has_lost_its_matches_and_the_bots_begin_anew(
    tmp_path: Path, socket_folder: Path
) -> None:
    accounts = tmp_path / "accounts.toml"
    accounts.write_text(f'{HOST} = "{PASSWORD}"\n{GUEST} = "{PASSWORD}"\n')
    names = ("--accounts", str(accounts), "--bots-may-join")
    server = ServerProcess(("--protocol", "bgammon", *names, "--seed", "3"), tmp_path / "server.err")
    await server.start()
    world = BgammonWorld(tmp_path, socket_folder / "botd.sock", Endpoint("tcp", server.port))
    try:
        config = world.two_accounts("[3]", "max_matches = 1\nthink_time_s = 0.04")
        config.write_text(config.read_text().replace("think_time_s = 0\n", ""))
        daemon = await world.start(config)
        await daemon.wait_for("match_started", account=HOST)
        for _ in range(5):
            await daemon.wait_for("decided", account=HOST, kind="play")
        await server.kill()
        await daemon.wait_for("reconnecting", account=HOST)
        await server.start()
        await daemon.wait_for("match_started", account=HOST)
        assert await daemon.finish() == 0, daemon.raw
        assert await server.stop() == 0
    finally:
        await world.end()
        await server.kill()
    states = world.query("SELECT account, state FROM matches ORDER BY account, started_at")
    assert states == [(name, state) for name in (HOST, GUEST) for state in ("discarded", "finished")]
