"""TCP in front of `FibsServer`: sockets and the clock, nothing else."""

from __future__ import annotations

from collections.abc import Callable

from botd_protocols.server_driver import ServerDriver
from botd_protocols.server_tcp import TcpListener

from .server import FibsServer


class FibsTcpServer:
    """Serves a `FibsServer` on one address.

        shell = FibsTcpServer(server, port=0)
        await shell.start()      # shell.port is the real port
        ...
        await shell.close()

    Matches live as long as the `FibsServer` does. `keep` is called before anything is sent; it may store
    `server.state()`, so that nobody is ever told what a crash could undo.
    """

    def __init__(
        self,
        server: FibsServer,
        host: str = "127.0.0.1",
        port: int = 4321,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        self._driver = ServerDriver(server, keep)
        self._listener = TcpListener(self._driver, server.connect, host, port)

    @property
    def port(self) -> int:
        """The port listened on; the real one after `start` with port 0."""
        return self._listener.port

    @property
    def endpoints(self) -> list[tuple[str, int]]:
        """What is listened on: how, and the port."""
        return [("TCP", self.port)]

    async def start(self) -> None:
        """Listen; `OSError` if the address cannot be had."""
        await self._listener.start()
        self._driver.start()

    async def close(self) -> None:
        """Tell everybody, close all connections, stop listening."""
        self._listener.stop_accepting()
        await self._driver.stop()
        await self._listener.close()

    async def __aenter__(self) -> FibsTcpServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
