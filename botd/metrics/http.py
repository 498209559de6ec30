"""What operators and Prometheus are served: `/metrics`, `/healthz`, `/readyz` and a page of links."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from types import TracebackType
from typing import Final

from botd.metrics.registry import Metrics
from botd.web.server import HttpServer, Request, Response, json, text

CHECK_TIMEOUT_S: Final = 8.0
READY_CACHE_S: Final = 1.0
"""Readiness is looked at no more often than this, however often it is asked for."""

ReadinessCheck = Callable[[], Awaitable[str | None]]
"""None if ready, else the reason why not, in words. An error counts as a reason."""

_PAGE = b"""<!doctype html><html lang="en"><title>botd</title><h1>botd</h1>
<ul><li><a href="/metrics">metrics</a> for Prometheus</li>
<li><a href="/healthz">healthz</a>: the daemon runs</li>
<li><a href="/readyz">readyz</a>: the daemon can play</li></ul></html>
"""


class MetricsServer:
    """Serves one `Metrics`. `async with` it, or `start` and `stop`."""

    def __init__(self, metrics: Metrics, host: str = "127.0.0.1", port: int = 0) -> None:
        """host: name or address, IPv6 too; port 0 lets the system choose."""
        self._metrics = metrics
        self.http = HttpServer(self._page, host, port)
        self._checks: dict[str, ReadinessCheck] = {}
        self._ready_lock = asyncio.Lock()
        self._ready_at = float("-inf")
        self._ready: dict[str, str] = {}
        self._started = time.monotonic()

    def add_check(self, name: str, check: ReadinessCheck) -> None:
        """Not ready unless this check says so."""
        self._checks[name] = check

    async def start(self) -> None:
        """Raises OSError if the address cannot be used."""
        await self.http.start()

    async def stop(self) -> None:
        """Stop listening and close all connections. May be called twice."""
        await self.http.stop()

    async def __aenter__(self) -> MetricsServer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def readiness(self) -> dict[str, str]:
        """Reasons for not being ready, by check; empty if ready."""
        async with self._ready_lock:
            now = time.monotonic()
            if now - self._ready_at >= READY_CACHE_S:
                reasons = await asyncio.gather(*(_run(check) for check in self._checks.values()))
                self._ready = {
                    name: reason
                    for name, reason in zip(self._checks, reasons, strict=True)
                    if reason is not None
                }
                self._ready_at = time.monotonic()
            return self._ready

    async def _page(self, request: Request) -> Response:
        match request.path:
            case "/metrics":
                return Response(HTTPStatus.OK, self._metrics.content_type, await self._metrics.page())
            case "/healthz":
                seconds = round(time.monotonic() - self._started, 1)
                return json(HTTPStatus.OK, {"status": "ok", "uptime_seconds": seconds})
            case "/readyz":
                reasons = await self.readiness()
                status = HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK
                return json(status, {"ready": not reasons, "reasons": reasons})
            case "/":
                return Response(HTTPStatus.OK, "text/html; charset=utf-8", _PAGE)
            case _:
                return text(HTTPStatus.NOT_FOUND)


async def _run(check: ReadinessCheck) -> str | None:
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            return await check()
    except TimeoutError:
        return f"no answer within {CHECK_TIMEOUT_S:g} s"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
