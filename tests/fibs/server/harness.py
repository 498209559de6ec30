"""Drive a `FibsServer` by hand: connections with readable output, transcripts, ready-made players."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig
from botd_protocols.fibs.server_quirks import ServerQuirks
from botd_protocols.server_dice import DiceSource, SeededDice

from .brute_force import legal_plays

TRANSCRIPTS = Path(__file__).parents[2] / "data" / "fibs-transcripts"
NOW = 1793750400.0


@dataclass
class World:
    """A server and what its connections have received and not yet read."""

    server: FibsServer
    now: float = NOW
    unread: dict[int, bytes] = field(default_factory=dict)
    chunks: dict[int, list[bytes]] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    last_id: int = 0

    def connect(self, host: str = "bot.example.org") -> int:
        self.last_id += 1
        self.server.connect(self.last_id, self.now, host)
        self.collect()
        return self.last_id

    def collect(self) -> None:
        for conn, data, close in self.server.take_output():
            self.unread[conn] = self.unread.get(conn, b"") + data
            self.chunks.setdefault(conn, []).append(data)
            if close:
                self.closed.add(conn)

    def send(self, conn: int, *lines: str) -> None:
        for line in lines:
            self.server.receive(conn, line.encode() + b"\r\n", self.now)
            self.collect()

    def drop(self, conn: int) -> None:
        self.server.disconnect(conn, self.now)
        self.collect()

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.server.advance(self.now)
        self.collect()

    def raw(self, conn: int) -> bytes:
        """Everything unread, as bytes."""
        return self.unread.pop(conn, b"")

    def read(self, conn: int) -> list[str]:
        """Unread lines without blank ones."""
        return [line for line in self.raw(conn).decode("latin-1").split("\r\n") if line]

    def ask(self, conn: int, line: str) -> list[str]:
        """Send a line and read what came; older output is thrown away."""
        self.raw(conn)
        self.send(conn, line)
        return self.read(conn)

    def log_in(self, name: str, password: str = "pw", client: str = "test_1") -> int:
        conn = self.connect()
        self.send(conn, f"login {client} 1008 {name} {password}")
        self.raw(conn)
        return conn

    def player(self, name: str, *, ready: bool = True) -> int:
        """Logged in with the settings of a bot."""
        conn = self.log_in(name)
        self.send(conn, "set boardstyle 3", "toggle moreboards")
        if ready:
            self.send(conn, "toggle ready")
        self.raw(conn)
        return conn


def world(dice: DiceSource | None = None, quirks: ServerQuirks | None = None, **options: object) -> World:
    config = ServerConfig(
        open_accounts=True,
        quirks=quirks or ServerQuirks(),
        **options,  # type: ignore[arg-type]
    )
    return World(FibsServer(config, dice or SeededDice(1), legal_plays))


def table(
    length: str = "5",
    dice: DiceSource | None = None,
    quirks: ServerQuirks | None = None,
    **options: object,
) -> tuple[World, int, int]:
    """Players `mybot` (the inviter) and `anna` in a fresh match; the opening is unread."""
    w = world(dice, quirks, **options)
    me, anna = w.player("mybot"), w.player("anna")
    w.send(me, f"invite anna {length}")
    w.raw(me), w.raw(anna)
    w.send(anna, "join mybot")
    return w, me, anna
