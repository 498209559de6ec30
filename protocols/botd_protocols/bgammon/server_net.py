"""Sockets in front of `BgammonServer`: lines over TCP and, with a certificate, WebSocket, over one core."""

from __future__ import annotations

import ssl

from botd_protocols.server_driver import ServerDriver
from botd_protocols.server_tcp import TcpListener

from .server import BgammonServer
from .server_websocket import WebSocketListener


class BgammonNetServer:
    """Serves a `BgammonServer` on one address.

        shell = BgammonNetServer(server, port=0, ws_port=0, tls=context)
        await shell.start()      # shell.port and shell.ws_port are the real ports
        ...
        await shell.close()

    There is no WebSocket without `tls`, as on the public server.
    """

    def __init__(
        self,
        server: BgammonServer,
        host: str = "127.0.0.1",
        port: int = 1337,
        *,
        ws_port: int = 1338,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._driver = ServerDriver(server)
        self._tcp = TcpListener(self._driver, server.connect, host, port)
        self._ws = WebSocketListener(self._driver, server, host, ws_port, tls) if tls else None

    @property
    def port(self) -> int:
        """The TCP port listened on."""
        return self._tcp.port

    @property
    def ws_port(self) -> int | None:
        """The WebSocket port listened on; None without TLS."""
        return self._ws.port if self._ws else None

    @property
    def endpoints(self) -> list[tuple[str, int]]:
        """What is listened on: how, and the port."""
        found = [("TCP", self.port)]
        return [*found, ("WebSocket", self._ws.port)] if self._ws else found

    async def start(self) -> None:
        """Listen; `OSError` if an address cannot be had."""
        await self._tcp.start()
        if self._ws is not None:
            try:
                await self._ws.start()
            except OSError:
                await self._tcp.close()
                raise
        self._driver.start()

    async def close(self) -> None:
        """Close all connections, stop listening."""
        self._tcp.stop_accepting()
        if self._ws is not None:
            self._ws.stop_accepting()
        await self._driver.stop()
        await self._tcp.close()
        if self._ws is not None:
            await self._ws.close()

    async def __aenter__(self) -> BgammonNetServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def server_tls(certificate: str, key: str) -> ssl.SSLContext:
    """TLS for the WebSocket listener; `OSError` (`ssl.SSLError` included) if the files are not usable."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # An encrypted key would make OpenSSL ask on the terminal; an empty pass phrase fails instead.
    context.load_cert_chain(certificate, key, password=lambda: "")
    return context
