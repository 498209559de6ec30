"""The HTTP server under metrics and status page, and what hostile clients do not get of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from http import HTTPStatus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.web import server as http_server
from botd.web.server import HttpServer, Request, Response, Stream, text
from tests.waiting import until
from tests.web.http_client import events, exchange, get, parsed, request


async def endless() -> AsyncGenerator[bytes]:
    number = 0
    while True:
        number += 1
        yield b'event: tick\nid: %d\ndata: {"n":%d}\n\n' % (number, number)
        await asyncio.sleep(0.01)


async def answer(asked: Request) -> Response | Stream:
    match asked.path:
        case "/stream":
            return Stream("text/event-stream", endless)
        case "/broken":
            raise RuntimeError("a fault of ours")
        case "/own":
            return Response(HTTPStatus.OK, "text/plain", b"own", (("Cache-Control", "no-cache"),))
    words = f"{asked.path} {dict(asked.query)} {asked.headers.get('x-name', '')}"
    return text(HTTPStatus.OK, words)


@pytest.fixture
async def server() -> AsyncIterator[HttpServer]:
    server = HttpServer(answer, "127.0.0.1", 0, headers=(("X-Frame-Options", "DENY"),))
    await server.start()
    yield server
    await server.stop()


async def test_the_handler_gets_path_query_and_headers(server: HttpServer) -> None:
    found = await get(server, "/a%20b?x=1&y=%C3%A9&x=2", X_Name="n")
    assert found.body.decode() == "/a b {'x': '1', 'y': 'é'} n\n"
    assert found.headers["X-Frame-Options"] == "DENY"


async def test_an_answers_own_headers_come_before_the_usual_ones(server: HttpServer) -> None:
    assert (await get(server, "/own")).headers["Cache-Control"] == "no-cache"
    assert (await get(server, "/")).headers["Cache-Control"] == "no-store"


async def test_a_fault_of_ours_is_no_secret_and_no_detail(server: HttpServer) -> None:
    found = await get(server, "/broken")
    assert (found.status, found.body) == (500, b"500 Internal Server Error\n")
    assert found.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("path", ["/stream", "/own", "/broken"])
async def test_head_has_no_body(server: HttpServer, path: str) -> None:
    assert (await get(server, path, "HEAD")).body == b""


@pytest.mark.parametrize(
    "target", ["*", "x", "http://elsewhere/", "/%ff", "/%00", "/a%0ab", "/?%ff=1" + "&a=1" * 30]
)
async def test_targets_that_are_none(server: HttpServer, target: str) -> None:
    assert (await get(server, target)).status == 400


async def test_a_stream_goes_on_until_the_client_leaves(server: HttpServer) -> None:
    async with events(server.addresses[0], "/stream") as reader:
        assert [(await reader.next()).data["n"] for _ in range(3)] == [1, 2, 3]
        assert server.open_streams == 1
    await until(lambda: server.open_streams == 0)
    assert server.open_connections == 0


async def test_http_1_0_gets_a_stream_without_chunks(server: HttpServer) -> None:
    reader, writer = await asyncio.open_connection(*server.addresses[0])
    writer.write(b"GET /stream HTTP/1.0\r\n\r\n")
    head = await reader.readuntil(b"\r\n\r\n")
    assert b"chunked" not in head
    assert (await reader.readline()) == b"event: tick\n"
    writer.transport.abort()


async def test_streams_have_a_limit_of_their_own(server: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "MAX_STREAMS", 2)
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 1)
    async with events(server.addresses[0], "/stream"), events(server.addresses[0], "/stream"):
        refused = await get(server, "/stream")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert (await get(server, "/own")).status == 200, "streams take nobody's place"
    await until(lambda: server.open_streams == 0)
    async with events(server.addresses[0], "/stream") as reader:
        await reader.next()


async def test_who_takes_nothing_of_a_stream_is_dropped(
    server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "RESPONSE_TIMEOUT_S", 0.2)

    async def flood() -> AsyncGenerator[bytes]:
        while True:
            yield b"x" * 1_000_000

    async def always(asked: Request) -> Stream:
        return Stream("text/event-stream", flood)

    monkeypatch.setattr(server, "_handler", always)
    _, writer = await asyncio.open_connection(*server.addresses[0], limit=1)
    writer.write(request("/"))
    await until(lambda: server.open_streams == 1)
    await until(lambda: server.open_streams == 0)
    writer.transport.abort()


async def test_stopping_ends_streams(server: HttpServer) -> None:
    async with events(server.addresses[0], "/stream") as reader:
        await reader.next()
        await server.stop()
        await reader.end()
    assert server.open_connections == 0


@settings(max_examples=60)
@given(st.binary(max_size=200), st.booleans())
def test_garbage_is_answered_or_hung_up_on(garbage: bytes, ended: bool) -> None:
    async def try_it() -> None:
        server = HttpServer(answer, "127.0.0.1", 0)
        await server.start()
        try:
            found = await exchange(server.addresses[0], garbage + (b"\r\n\r\n" if ended else b""), eof=True)
            assert found == b"" or parsed(found).status in (200, 400, 404, 405, 431, 501, 505)
            assert (await get(server, "/own")).status == 200
        finally:
            await server.stop()

    asyncio.run(try_it())
