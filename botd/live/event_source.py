"""A connection to the events of a status page, over HTTP."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from typing import Final
from urllib.parse import urlsplit

import h11

from botd.addresses import endpoint
from botd.config.secret import Secret
from botd.live.follower import EventParser, FollowError
from botd.printable import printable

USUAL_PORT: Final = 9465
"""Where a status page is, unless its configuration says otherwise."""
CONNECT_S: Final = 10.0
SILENCE_S: Final = 25.0
"""A status page says something every quarter of a minute."""
_CHUNK: Final = 1 << 16


class RefusedError(FollowError):
    """The server is there but does not give the events: trying again would not help. One line."""


class SourceUrl:
    """Where a status page is: `http://host:port/`, perhaps with a path that a proxy has put before it.

    A host alone means the usual port there.
    """

    def __init__(self, url: str) -> None:
        """Raises ValueError."""
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            port = parts.port if "://" in url else parts.port or USUAL_PORT
        except ValueError:
            raise ValueError(f"not a URL: {printable(url, 200)}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or " " in url:
            raise ValueError(f"expected a URL such as http://127.0.0.1:9465/, got {printable(url, 200)}")
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise ValueError(
                "expected a URL without user, query and fragment; a token comes from --token-file"
            )
        self.tls = parts.scheme == "https"
        self.host: str = parts.hostname
        self.port: int = port if port is not None else 443 if self.tls else 80
        self.authority = endpoint(self.host, self.port)
        self.path = parts.path.rstrip("/")

    def __str__(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.authority}{self.path}/"


async def read_events(url: SourceUrl, token: Secret | None) -> AsyncGenerator[tuple[str, bytes]]:
    """(kind, data) of every event until the connection ends. Raises OSError or EOFError if there is none or
    it ends, RefusedError, FollowError."""
    async with asyncio.timeout(CONNECT_S):
        reader, writer = await asyncio.open_connection(
            url.host, url.port, ssl=ssl.create_default_context() if url.tls else None
        )
    http, parser, answered = h11.Connection(h11.CLIENT), EventParser(), False
    try:
        headers = [("Host", url.authority), ("Accept", "text/event-stream"), ("Connection", "close")]
        if token is not None:
            headers.append(("Authorization", f"Bearer {token.reveal()}"))
        request = h11.Request(method="GET", target=f"{url.path}/api/events", headers=headers)
        writer.write(http.send(request) + http.send(h11.EndOfMessage()))
        while True:
            event = await _next(http, reader)
            if isinstance(event, h11.Response):
                _check(event, url, token)
                answered = True
            elif isinstance(event, h11.Data):
                for found in parser.feed(bytes(event.data)):
                    yield found
            else:
                raise EOFError("the status page has closed the connection")
    except h11.RemoteProtocolError as error:
        if answered:
            raise EOFError("the connection was closed") from error  # in the middle of something
        raise RefusedError(f"{url}: no HTTP server: {printable(error, 200)}") from error
    finally:
        writer.transport.abort()


async def _next(
    http: h11.Connection, reader: asyncio.StreamReader
) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
    """Raises EOFError, OSError, h11.RemoteProtocolError."""
    while True:
        event = http.next_event()
        if event is not h11.NEED_DATA:
            return event
        async with asyncio.timeout(SILENCE_S):
            data = await reader.read(_CHUNK)
        if not data and not http.trailing_data[0]:
            raise EOFError("the connection was closed")
        http.receive_data(data)


def _check(response: h11.Response, url: SourceUrl, token: Secret | None) -> None:
    """Raises RefusedError for anything but events, ConnectionError where it may be otherwise later."""
    kinds = [value for name, value in response.headers if name == b"content-type"]
    match response.status_code:
        case 200 if kinds and kinds[0].startswith(b"text/event-stream"):
            return
        case 401:
            hint = "it needs its token; see --token-file" if token is None else "that is not its token"
            raise RefusedError(f"{url}: {hint}")
        case 421:
            raise RefusedError(f"{url}: it does not answer to this host name; see status_page.names")
        case 502 | 503 | 504:
            raise ConnectionError(f"{url}: not now ({response.status_code})")
    raise RefusedError(f"{url}: no status page of botd (status {response.status_code})")
