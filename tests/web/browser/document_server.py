"""Serves the page with documents that a test has made up, to show it what no local server would send."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

import botd
from tests.web.browser.chromium import Browser

ASSETS = Path(botd.__file__).parent / "web" / "assets"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass
class DocumentServer:
    """`answers` are JSON documents by path below `/api/`; `live` is sent to everybody who listens."""

    live: dict[str, Any]
    answers: dict[str, Any] = field(default_factory=dict)
    failing: dict[str, tuple[int, Any]] = field(default_factory=dict)
    """Paths below `/api/` that get this status and document."""
    prefix: str = "/"
    """Where the page is, as behind a reverse proxy."""
    missing: list[str] = field(default_factory=list)
    """Paths that were asked for and are not there."""
    _away: bool = False
    _listeners: list[queue.Queue[tuple[str, Any] | None]] = field(default_factory=list)

    def __enter__(self) -> DocumentServer:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server._answer(self)

            do_HEAD = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hang_up()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}{self.prefix}"

    def send(self, event: str, document: Any) -> None:
        """To everybody who listens."""
        for listener in self._listeners:
            listener.put((event, document))

    def send_raw(self, data: str) -> None:
        """The same, whatever it is."""
        for listener in self._listeners:
            listener.put(("", data))

    @contextlib.contextmanager
    def unreachable(self) -> Iterator[None]:
        """As if the program had ended."""
        self._away = True
        self.hang_up()
        yield
        self._away = False

    def hang_up(self) -> None:
        """End all event streams."""
        for listener in self._listeners:
            listener.put(None)
        self._listeners.clear()

    @property
    def listening(self) -> int:
        """How many event streams take what is sent, as far as that is known."""
        self.send("latency", [])
        return len(self._listeners)

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        path = unquote(urlsplit(request.path).path)
        if self._away:
            return
        name = path.removeprefix(self.prefix)
        if path == self.prefix:
            name = "assets/index.html"
        file = ASSETS / name.removeprefix("assets/")
        asked = name.removeprefix("api/")
        if asked in self.failing:
            status, answer = self.failing[asked]
            self._reply(request, status, "application/json", json.dumps(answer).encode())
        elif name == "api/live":
            self._reply(request, 200, "application/json", json.dumps(self.live).encode())
        elif name == "api/events":
            self._stream(request)
        elif path.startswith(self.prefix) and name.startswith("assets/") and file.is_file():
            self._reply(request, 200, _TYPES[file.suffix], file.read_bytes())
        elif asked in self.answers:
            self._reply(request, 200, "application/json", json.dumps(self.answers[asked]).encode())
        else:
            self.missing.append(path)
            self._reply(request, 404, "application/json", b'{"error": "not here"}')

    @staticmethod
    def _reply(request: BaseHTTPRequestHandler, status: int, kind: str, body: bytes) -> None:
        request.send_response(status)
        request.send_header("Content-Type", f"{kind}; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.send_header("Content-Security-Policy", CSP)
        request.send_header("X-Content-Type-Options", "nosniff")
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(body)

    def _stream(self, request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.send_header("Cache-Control", "no-store")
        request.end_headers()
        listener: queue.Queue[tuple[str, Any] | None] = queue.Queue()
        listener.put(("live", self.live))
        self._listeners.append(listener)
        while (item := listener.get()) is not None:
            event, document = item
            try:
                text = f"event: {event}\ndata: {json.dumps(document)}\n\n" if event else document
                request.wfile.write(text.encode())
                request.wfile.flush()
            except OSError:
                self._listeners.remove(listener)
                return


def show(browser: Browser, server: DocumentServer, live: dict[str, Any] | None = None) -> None:
    """Open the page and wait for what it was sent."""
    if live is not None:
        server.live = live
    browser.open(server.url)
    browser.until(
        lambda: browser.attribute("body", "data-instance") == server.live["instance"], "the document"
    )
    playing = [account for account in server.live["accounts"] if account["match"]]
    browser.until(lambda: len(browser.all("#cards .card")) == len(playing), "the matches")
