"""The status page: its files, the live document, its events. Read only."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Final

from botd.live.feed import LiveFeed
from botd.web.access import Access
from botd.web.assets import load_assets
from botd.web.past import PastMatches
from botd.web.server import JSON, HttpServer, Request, Response, Stream, json

RETRY_MS: Final = 2000
"""After so long a browser asks again when it has lost the events."""

_HEADERS: Final = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


_UNBUFFERED: Final = (("X-Accel-Buffering", "no"),)
"""Lets nginx pass events on as they come."""


class StatusPage:
    """Serves a `LiveFeed`. `start` and `stop`."""

    def __init__(
        self, feed: LiveFeed, past: PastMatches, access: Access, host: str, port: int, instance: str
    ) -> None:
        """`instance` names this run of the daemon in the events' ids."""
        self._feed = feed
        self._past = past
        self._access = access
        self._instance = instance
        self._assets = load_assets()
        self._sent = 0
        self.http = HttpServer(self._answer, host, port, headers=_HEADERS)

    async def start(self) -> None:
        """Raises OSError if the address cannot be used."""
        await self.http.start()

    async def stop(self) -> None:
        """May be called twice."""
        await self.http.stop()

    async def _answer(self, request: Request) -> Response | Stream:
        refusal = self._access.refused(request)
        if refusal is not None:
            return refusal
        match request.path:
            case "/":
                return self._asset(request, "index.html")
            case "/api/live":
                return Response(HTTPStatus.OK, JSON, await self._feed.live())
            case "/api/events":
                return Stream("text/event-stream", self._events, _UNBUFFERED)
            case path if path.startswith("/assets/"):
                return self._asset(request, path.removeprefix("/assets/"))
        return await self._past.answer(request) or _not_found()

    def _asset(self, request: Request, name: str) -> Response:
        asset = self._assets.get(name)
        return _not_found() if asset is None else asset.answer(request)

    async def _events(self) -> AsyncGenerator[bytes]:
        yield f"retry: {RETRY_MS}\n\n".encode()
        with self._feed.follow() as reader:
            while True:
                yield b"".join(self._event(kind, document) for kind, document in await reader.events())

    def _event(self, kind: str, document: bytes) -> bytes:
        self._sent += 1
        return b"event: %b\nid: %b-%d\ndata: %b\n\n" % (
            kind.encode(),
            self._instance.encode(),
            self._sent,
            document,
        )


def _not_found() -> Response:
    return json(HTTPStatus.NOT_FOUND, {"error": "there is nothing of this name"})
