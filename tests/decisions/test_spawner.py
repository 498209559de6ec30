"""Workers come from one process with the engine loaded, whatever happens to it or them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import pytest

from botd.decisions.pool import PoolStartError, WorkerPool, WorkerState
from botd.decisions.process import Loss
from botd.decisions.requests import PlayRequest
from botd.engine.types import STARTING_BOARD, GameContext
from tests.decisions.processes import adopting, alive, exists
from tests.decisions.unruly_engines import SPEC
from tests.waiting import until

QUESTION = PlayRequest(STARTING_BOARD, GameContext(), 0, (3, 1))


def open_files(pid: int) -> int:
    return len(open_names(pid))


def open_names(pid: int) -> list[str]:
    """What its descriptors lead to; one that is closed meanwhile is left out."""
    names = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            names.append(path.readlink().name)
    return names


def loads() -> list[int]:
    """Processes that have loaded the engine."""
    return [int(line) for line in Path(os.environ["BOTD_TEST_MARK"]).read_text().split()]


async def up(pool: WorkerPool, count: int) -> list[int]:
    await until(lambda: len(pool.pids) == count)
    return pool.pids


async def answered(pool: WorkerPool) -> None:
    reply = await pool.ask(QUESTION, 20.0)
    assert reply.info.evaluator == "random"


def server_of(pool: WorkerPool) -> int:
    assert pool.server_pid is not None
    return pool.server_pid


async def test_the_engine_is_loaded_once_for_all_workers_and_their_successors() -> None:
    pool = WorkerPool(SPEC + "counted", 3)
    await pool.start()
    try:
        victims = await up(pool, 3)
        os.kill(victims[0], signal.SIGKILL)
        await until(lambda: pool.status().restarts == 1)
        pids = await up(pool, 3)
        assert len({*victims, *pids}) == 4
        await answered(pool)
        assert loads() == [pool.server_pid]
    finally:
        await pool.stop()
    assert not any(alive(pid) for pid in (*victims, *pids))


async def test_workers_of_a_lost_server_are_reaped_where_there_is_no_init_process() -> None:
    pool = WorkerPool(SPEC + "counted", 2)
    with adopting():
        await pool.start()
        try:
            orphans = await up(pool, 2)
            os.kill(server_of(pool), signal.SIGKILL)
            await until(lambda: not any(exists(pid) for pid in orphans))
            await until(lambda: len(pool.pids) == 2 and not set(pool.pids) & set(orphans))
            await answered(pool)
        finally:
            await pool.stop()


async def test_an_engine_with_threads_is_loaded_by_each_worker() -> None:
    """A fork has none of the threads but all of their locks."""
    pool = WorkerPool(SPEC + "with_a_thread", 2)
    await pool.start()
    try:
        pids = await up(pool, 2)
        server = server_of(pool)
        assert sorted(loads()) == sorted([server, *pids])
        os.kill(pids[0], signal.SIGKILL)
        await until(lambda: pool.status().restarts == 1)
        assert pids[1] in await up(pool, 2)
        await answered(pool)
        assert len(loads()) == 4
    finally:
        await pool.stop()
    assert not any(alive(pid) for pid in (server, *loads()))


async def test_a_lost_fork_server_takes_its_workers_along_and_all_are_replaced() -> None:
    losses: list[Loss] = []
    pool = WorkerPool("random", 2, on_loss=losses.append)
    await pool.start()
    try:
        for _ in range(3):
            pids, server = await up(pool, 2), server_of(pool)
            await answered(pool)
            os.kill(server, signal.SIGKILL)
            await until(lambda pids=pids: not any(alive(pid) for pid in pids))
            await until(lambda pids=pids: len(pool.pids) == 2 and not set(pids) & set(pool.pids))
            assert server_of(pool) != server
            assert not alive(server)
            await answered(pool)
        assert losses == [Loss.CRASHED] * 6
    finally:
        await pool.stop()


async def test_a_worker_can_be_ended_though_the_fork_server_hangs() -> None:
    pool = WorkerPool(SPEC + "slow", 1, grace_s=0.1)
    await pool.start()
    try:
        (victim,) = await up(pool, 1)
        server = server_of(pool)
        os.kill(server, signal.SIGSTOP)
        poison = PlayRequest(STARTING_BOARD, GameContext(), 0, (6, 6))
        with pytest.raises(Exception, match="hung"):
            await pool.ask(poison, 0.2)
        await until(lambda: pool.pids not in ([], [victim]))
        assert not alive(victim)
        assert not alive(server)
        await answered(pool)
    finally:
        await pool.stop()


async def test_a_pool_can_be_stopped_while_the_engine_is_loaded() -> None:
    pool = WorkerPool(SPEC + "loading_for_ever", 2)
    starting = asyncio.create_task(pool.start())
    mark = Path(os.environ["BOTD_TEST_MARK"])
    await until(lambda: mark.exists() and mark.read_text().endswith("\n"))
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    assert not any(alive(pid) for pid in loads())


async def test_an_engine_that_loads_too_long_is_given_up() -> None:
    pool = WorkerPool(SPEC + "loading_for_ever", 1, start_timeout_s=1.0)
    with pytest.raises(PoolStartError, match="not ready after 1 s"):
        await pool.start()
    assert not any(alive(pid) for pid in loads())


async def test_what_the_system_refuses_is_tried_again() -> None:
    """The fork server lives on, and its other workers with it."""
    losses: list[Loss] = []
    pool = WorkerPool(SPEC + "refused_by_the_system", 2, on_loss=losses.append)
    mark = Path(os.environ["BOTD_TEST_MARK"])
    await pool.start()
    try:
        victim, other = await up(pool, 2)
        server = pool.server_pid
        mark.touch()  # noqa: ASYNC240
        await asyncio.sleep(0.2)
        os.kill(victim, signal.SIGKILL)
        await until(lambda: losses[:2] == [Loss.CRASHED, Loss.START_FAILED])
        assert "/nonexistent/python" in pool.status().last_error
        assert pool.pids == [other]
        await answered(pool)
        mark.unlink()  # noqa: ASYNC240
        assert other in await up(pool, 2)
        assert pool.server_pid == server
    finally:
        await pool.stop()


async def test_no_descriptor_is_lost_with_a_worker_or_a_fork_server() -> None:
    pool = WorkerPool("random", 2)
    before = open_files(os.getpid())
    await pool.start()
    try:
        pids = await up(pool, 2)
        ours, servers = open_files(os.getpid()), open_files(server_of(pool))
        workers = {open_files(pid) for pid in pids}
        for number in range(12):
            victim = pool.pids[number % 2] if number % 4 else server_of(pool)
            losses = pool.status().restarts
            os.kill(victim, signal.SIGKILL)
            await until(lambda losses=losses: pool.status().restarts > losses)
            await up(pool, 2)
            await until(lambda: pool.status().states[WorkerState.IDLE] == 2)
            await asyncio.gather(*(answered(pool) for _ in range(6)))  # else restarts get rarer
        await until(lambda: open_files(server_of(pool)) == servers)
        assert {open_files(pid) for pid in pool.pids} == workers
        await until(lambda: open_files(os.getpid()) == ours)
    finally:
        await pool.stop()
    await until(lambda: open_files(os.getpid()) <= before)


async def test_a_worker_has_no_descriptor_of_the_fork_server_or_of_another_worker() -> None:
    pool = WorkerPool("random", 3)
    await pool.start()
    try:
        for pid in await up(pool, 3):
            links = open_names(pid)
            assert sum(name.startswith("socket:") for name in links) == 1
            assert not any("eventpoll" in name for name in links)
    finally:
        await pool.stop()
