"""What operators and Prometheus get, and what hostile clients do not."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from botd.decisions.pool import PoolUnavailableError
from botd.decisions.service import DecisionService, ServiceConfig
from botd.metrics import http
from botd.metrics.http import MetricsServer
from botd.metrics.registry import Metrics
from botd.web import server as http_server
from tests.waiting import until
from tests.web.http_client import exchange, get


@pytest.fixture
async def server() -> AsyncIterator[MetricsServer]:
    async with MetricsServer(Metrics(["fibs.com:4321"])) as running:
        yield running


async def test_metrics_page(server: MetricsServer) -> None:
    found = await get(server.http, "/metrics")
    assert found.status == 200
    assert found.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert int(found.headers["Content-Length"]) == len(found.body)
    names = {family.name for family in text_string_to_metric_families(found.body.decode())}
    assert {"botd_workers", "botd_decisions", "process_resident_memory_bytes"} <= names


async def test_the_page_is_read_at_one_moment() -> None:
    """Its text is made beside the event loop, which goes on counting."""
    metrics = Metrics([HOME := "fibs.com:4321"])
    server = metrics.server(HOME)
    reading = asyncio.create_task(metrics.page())
    await asyncio.sleep(0)  # it has begun
    while not reading.done():
        server.match_ended(1, "win")
        server.points("us", 1)
        await asyncio.sleep(0)
    page = (await reading).decode()
    told = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }
    won = told["botd_matches_total", "1", HOME, "win"]
    assert won == told["botd_points_total", HOME, "us"]
    after = {family.name for family in text_string_to_metric_families(metrics.render().decode())}
    assert after == {family.name for family in text_string_to_metric_families(page)}


async def test_health_and_links(server: MetricsServer) -> None:
    found = await get(server.http, "/healthz?verbose")
    assert (found.status, found.json["status"]) == (200, "ok")
    found = await get(server.http, "/")
    assert (found.status, found.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    for path in ("/metrics", "/healthz", "/readyz"):
        assert f'href="{path}"'.encode() in found.body


async def test_head_has_no_body(server: MetricsServer) -> None:
    found = await get(server.http, "/metrics", "HEAD")
    assert (found.status, found.body) == (200, b"")
    assert int(found.headers["Content-Length"]) > 0


async def test_readiness_names_every_reason(server: MetricsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "READY_CACHE_S", 0.0)
    monkeypatch.setattr(http, "CHECK_TIMEOUT_S", 0.05)

    async def fine() -> None:
        return None

    async def down() -> str:
        return "not connected"

    async def broken() -> None:
        raise PoolUnavailableError("no worker answers")

    async def hangs() -> None:
        await asyncio.sleep(3600)

    assert (await get(server.http, "/readyz")).status == 200
    server.add_check("journal", fine)
    assert (await get(server.http, "/readyz")).status == 200
    for name, check in (("fibs", down), ("decisions", broken), ("clock", hangs)):
        server.add_check(name, check)
    found = await get(server.http, "/readyz")
    assert (found.status, found.headers["Content-Type"]) == (503, "application/json")
    assert found.json == {
        "ready": False,
        "reasons": {
            "fibs": "not connected",
            "decisions": "PoolUnavailableError: no worker answers",
            "clock": "no answer within 0.05 s",
        },
    }
    assert (await get(server.http, "/healthz")).status == 200, "alive though not ready"


async def test_many_askers_cost_one_check(server: MetricsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "READY_CACHE_S", 3600.0)
    calls = 0

    async def count() -> None:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0)

    server.add_check("counted", count)
    answers = await asyncio.gather(*(get(server.http, "/readyz") for _ in range(20)))
    assert {answer.status for answer in answers} == {200}
    assert calls == 1


async def test_not_ready_while_the_pool_is_down(
    server: MetricsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "READY_CACHE_S", 0.0)
    service = DecisionService(ServiceConfig(engine="random", workers=1, grace_s=0.2))
    server.add_check("decisions", service.readiness)
    assert (await get(server.http, "/readyz")).status == 503, "not started"
    await service.start()
    try:
        assert (await get(server.http, "/readyz")).status == 200
        (pid,) = service.worker_pids
        os.kill(pid, signal.SIGSTOP)
        found = await get(server.http, "/readyz")
        assert found.status == 503
        assert "no worker answers" in found.json["reasons"]["decisions"]
        await until(lambda: service.worker_pids not in ([], [pid]))
        assert (await get(server.http, "/readyz")).status == 200, "a new worker is there"
    finally:
        await service.stop()
    assert (await get(server.http, "/readyz")).status == 503


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"GET /nothing HTTP/1.0\r\n\r\n", 404),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 405),
        (b"get /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"GET /metrics HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        (b"GET /metrics HTTP/1.1\r\n\r\n", 400),  # which host?
        (b"GET %ff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /metrics\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"\xff\xfe\x00 / HTTP/1.1\r\n\r\n", 400),
        (b"GET  / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 3 * http_server.MAX_REQUEST + b"\r\n\r\n", 431),
    ],
)
async def test_wrong_requests_get_an_error(server: MetricsServer, request_: bytes, status: int) -> None:
    answer = await exchange(server.http.addresses[0], request_)
    # Closing with unread bytes may reset the connection before the client has read the answer.
    if status != 431 or answer:
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        assert b"Connection: close" in answer
    assert (await get(server.http, "/healthz")).status == 200


async def test_a_client_that_never_finishes_its_request(
    server: MetricsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "REQUEST_TIMEOUT_S", 0.05)
    assert (await exchange(server.http.addresses[0], b"GET /metrics HTTP/1.1\r\nX: ")).startswith(
        b"HTTP/1.1 408 "
    )


async def test_clients_that_go_away(server: MetricsServer) -> None:
    for data in (b"", b"GET /metr", b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"):
        _, writer = await asyncio.open_connection(*server.http.addresses[0])
        writer.write(data)
        writer.transport.abort()
    assert (await get(server.http, "/healthz")).status == 200


async def test_connections_are_limited(server: MetricsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 3)
    idle = [await asyncio.open_connection(*server.http.addresses[0]) for _ in range(3)]
    assert await exchange(server.http.addresses[0], b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") == b""
    for _, writer in idle:
        writer.close()
    for _, writer in idle:
        await writer.wait_closed()
    await until(lambda: not server.http.open_connections)
    assert (await get(server.http, "/healthz")).status == 200


async def test_stop_closes_open_connections(server: MetricsServer) -> None:
    reader, writer = await asyncio.open_connection(*server.http.addresses[0])
    writer.write(b"GET /")
    await get(server.http, "/healthz")
    await server.stop()
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()
    await server.stop()


async def test_ipv6_and_a_port_already_in_use() -> None:
    async with MetricsServer(Metrics(), host="::1") as server:
        ((address, port),) = server.http.addresses
        assert address == "::1"
        assert (await get(server.http, "/healthz")).status == 200
        with pytest.raises(OSError, match="in use"):
            await MetricsServer(Metrics(), host="::1", port=port).start()
