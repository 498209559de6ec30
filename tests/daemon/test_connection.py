"""The shell around the client: real sockets, the real client, a server that misbehaves."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from botd.daemon.connection import Connection
from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def served(serve: Serve) -> AsyncIterator[int]:
    """Runs `serve` for each connection; gives the port."""
    tasks: set[asyncio.Task[None]] = set()

    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await serve(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(run, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def connection(handle: Callable[[ev.Event], None], **patience: float) -> Connection[ev.Event]:
    return Connection(FibsClient(FibsClientConfig("anna", "pw", **patience)), handle)


async def test_bytes_pass_in_both_directions_and_the_end_is_told() -> None:
    got: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in (b"hello\r\nlo", b"gin", b": "):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.01)
        got.set_result(await reader.readline())

    events: list[ev.Event] = []
    async with served(serve) as port:
        link = connection(events.append)
        await link.open("127.0.0.1", port)
        assert await got == b"login botd_0.1 1008 anna pw\r\n"
        assert await link.wait_closed() == "closed by the server"
    assert isinstance(events[-1], ev.Disconnected)
    assert events[-1].retry is ev.Retry.BACK_OFF


async def test_timers_of_the_client_are_kept() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    ended: asyncio.Future[ev.Event] = asyncio.get_running_loop().create_future()
    async with served(serve) as port:
        link = connection(ended.set_result, login_timeout=0.05)
        await link.open("127.0.0.1", port)
        event = await ended
        assert isinstance(event, ev.Disconnected)
        assert "time limit" in event.reason
        link.abort("over")
        assert await link.wait_closed() == "over"


async def test_a_fault_of_ours_ends_the_connection_and_is_raised() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"login: ")
        await reader.readline()
        writer.write(b"Login incorrect\r\n")
        assert await reader.read() == b""  # our side closes

    def fail(event: ev.Event) -> None:
        raise LookupError("a bug")

    async with served(serve) as port:
        link = connection(fail)
        await link.open("127.0.0.1", port)
        with pytest.raises(LookupError, match="a bug"):
            await link.wait_closed()


async def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(OSError, match="Connect call failed"):
            await connection(lambda event: None).open("127.0.0.1", unused.getsockname()[1])


async def test_the_kernel_is_asked_to_notice_a_dead_peer() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with served(serve) as port:
        link = connection(lambda event: None)
        await link.open("127.0.0.1", port)
        assert link._transport is not None
        used = link._transport.get_extra_info("socket")
        assert used.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert used.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        link.abort("over")


async def test_a_server_that_does_not_read_is_left() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(3600)

    class Talker(FibsClient):
        def data_to_send(self) -> bytes:
            return b"x" * 4_000_000

    async with served(serve) as port:
        link = Connection(Talker(FibsClientConfig("anna", "pw")), lambda event: None)
        await link.open("127.0.0.1", port)
        for _ in range(10):
            link.pump()
        assert await link.wait_closed() == "the server does not read what we send"
