"""What a service manager hears from the daemon, and what it does when it hears nothing."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from botd.daemon.systemd import Notifier, Presence, keep_informed
from tests.daemon.supervisor import supervisor

World = Any
Daemon = Any


async def stopped(daemon: Daemon) -> None:
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw


@pytest.mark.parametrize("abstract", [False, True])
async def test_from_ready_to_stopping(world: World, socket_folder: Path, abstract: bool) -> None:
    with supervisor(socket_folder, abstract=abstract) as manager:
        config = world.config(world.two_accounts(25, "").replace("think_time_s = 0", "think_time_s = 0.1"))
        daemon = await world.start(config, manager.environment())
        ready = await manager.wait_for("READY", "1")
        assert ready["STATUS"].startswith("2 of 2 accounts logged in")
        assert len(manager.messages) <= 2, "READY comes as soon as all are logged in"
        await daemon.wait_for("ready_to_play", account="anna")
        if ready["STATUS"] != "2 of 2 accounts logged in, 2 playing":
            await manager.wait_for("STATUS", "2 of 2 accounts logged in, 2 playing")
        daemon.process.send_signal(signal.SIGHUP)
        assert int((await manager.wait_for("RELOADING", "1"))["MONOTONIC_USEC"]) > 0
        await manager.wait_for("READY", "1")
        assert (await world.ctl("drain"))[0] == 0
        await manager.wait_for("STATUS", "2 of 2 accounts logged in, 2 playing, draining")
        daemon.process.send_signal(signal.SIGTERM)
        stopping = await manager.wait_for("STOPPING", "1")
        assert int(stopping["EXTEND_TIMEOUT_USEC"]) >= 30_000_000
        assert await daemon.finish() == 0
        assert not any("WATCHDOG" in message for message in manager.messages)


async def test_not_ready_while_a_login_hangs_but_alive(world: World, socket_folder: Path) -> None:
    held: list[asyncio.StreamWriter] = []

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held.append(writer)
        await reader.read()

    async with await asyncio.start_server(hold, "127.0.0.1", 0) as mute:
        port = mute.sockets[0].getsockname()[1]
        config = world.config(world.account("anna").replace(str(world.server.port), str(port)))
        with supervisor(socket_folder) as manager:
            daemon = await world.start(config, manager.environment(watchdog_s=3))
            for _ in range(4):
                await manager.wait_for("WATCHDOG", "1")
            assert not any("READY" in message for message in manager.messages)
            assert held
            mute.close()
            for writer in held:
                writer.transport.abort()
            ready = await manager.wait_for("READY", "1")  # a server that is down is no reason to wait
            assert ready["STATUS"] == "0 of 1 accounts logged in"
            await stopped(daemon)


async def test_a_daemon_that_hangs_in_a_match_is_killed_and_a_new_one_goes_on(
    world: World, socket_folder: Path
) -> None:
    config = world.config(world.two_accounts(25, "").replace("think_time_s = 0", "think_time_s = 0.05"))
    with supervisor(socket_folder) as manager:
        daemon = await world.start(config, manager.environment(watchdog_s=2))
        await manager.wait_for("STATUS", "2 of 2 accounts logged in, 2 playing")
        watching = asyncio.create_task(manager.watch(daemon.process, 2))
        await daemon.wait_for("decided", account="anna", kind="play")
        await asyncio.sleep(3)
        assert not watching.done(), "alive and playing"
        daemon.process.send_signal(signal.SIGSTOP)
        await watching
        assert await daemon.process.wait() == -signal.SIGKILL
        again = await world.start(config, manager.environment(watchdog_s=2))
        await again.wait_for("match_resumed", account="anna")
        await again.wait_for("decided", account="bert", kind="play")
        await stopped(again)
    assert world.query("SELECT count(*), max(state) FROM matches") == [(2, "suspended")]


async def test_workers_do_not_inherit_the_service_managers_address(world: World, socket_folder: Path) -> None:
    with supervisor(socket_folder) as manager:
        daemon = await world.start(world.config(world.account("anna")), manager.environment(watchdog_s=30))
        pid = (await daemon.wait_for("worker started"))["pid"]
        environment = await asyncio.to_thread(Path(f"/proc/{pid}/environ").read_bytes)
        assert b"NOTIFY_SOCKET" not in environment
        assert b"WATCHDOG" not in environment
        await stopped(daemon)


async def test_the_watchdog_goes_hungry_while_the_loop_is_blocked(socket_folder: Path) -> None:
    with supervisor(socket_folder) as manager:
        notifier = Notifier.from_environment(manager.environment(watchdog_s=0.3))
        task = asyncio.create_task(keep_informed(notifier, lambda: Presence(True, "fine")))
        await manager.wait_for("WATCHDOG")
        while True:  # nothing is waiting in the socket any more
            try:
                manager.listener.recv(65536)
            except BlockingIOError:
                break
        blocked_until = asyncio.get_running_loop().time() + 0.5
        while asyncio.get_running_loop().time() < blocked_until:
            pass
        with pytest.raises(BlockingIOError):
            manager.listener.recv(65536)
        await manager.wait_for("WATCHDOG")
        task.cancel()


@pytest.mark.parametrize(
    ("environment", "watchdog_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "77"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "78"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-5"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "٣"}, None),
        ({"WATCHDOG_USEC": ""}, None),
    ],
)
def test_the_watchdogs_period(environment: dict[str, str], watchdog_s: float | None) -> None:
    environment = environment | {"HOME": "/"}
    assert Notifier.from_environment(environment, pid=77).watchdog_s == watchdog_s
    assert environment == {"HOME": "/"}


@pytest.mark.parametrize(
    "address", [None, "", "relative", "vsock:2:1234", "/nowhere/notify.sock", "@nobody", "/" * 200]
)
def test_an_address_that_leads_nowhere_harms_nobody(address: str | None) -> None:
    notifier = Notifier(address)
    for _ in range(2):
        notifier.ready("fine")
        notifier.alive()
        notifier.stopping(5)


def test_a_service_manager_that_does_not_read_is_not_waited_for(socket_folder: Path) -> None:
    with supervisor(socket_folder) as manager:
        notifier = Notifier(manager.address)
        for _ in range(10_000):
            notifier.alive()
        assert manager.listener.recv(100) == b"WATCHDOG=1"
