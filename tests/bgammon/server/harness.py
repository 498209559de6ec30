"""Drive a `BgammonServer` by hand: connections with readable events, transcripts, ready-made players."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig
from botd_protocols.bgammon.server_quirks import ServerQuirks
from botd_protocols.server_dice import DiceSource, ScriptedDice, SeededDice

NOW = 1_796_004_581.0

Event = dict[str, Any]


@dataclass
class World:
    """A server and what its connections have received and not yet read."""

    server: BgammonServer
    now: float = NOW
    unread: dict[int, list[bytes]] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    last_id: int = 0

    def connect(self, host: str = "192.0.2.1", *, framed: bool = False) -> int:
        self.last_id += 1
        self.server.connect(self.last_id, self.now, host, framed=framed)
        self.collect()
        return self.last_id

    def collect(self) -> None:
        for conn, data, close in self.server.take_output():
            if data:
                self.unread.setdefault(conn, []).append(data)
            if close:
                self.closed.add(conn)

    def send(self, conn: int, *lines: str) -> None:
        for line in lines:
            self.server.receive(conn, line.encode() + b"\n", self.now)
            self.collect()

    def drop(self, conn: int) -> None:
        self.server.disconnect(conn, self.now)
        self.collect()

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.server.advance(self.now)
        self.collect()

    def wait(self, seconds: float, *keep: int) -> None:
        """Let much time pass in small steps, during which these connections stay alive."""
        end = self.now + seconds
        while self.now < end:
            self.pass_time(min(10.0, end - self.now))
            for conn in keep:
                self.send(conn, "pong")

    def raw(self, conn: int) -> bytes:
        """Everything unread, as bytes."""
        return b"".join(self.unread.pop(conn, []))

    def lines(self, conn: int) -> list[str]:
        return [line for line in self.raw(conn).decode().split("\n") if line]

    def read(self, conn: int) -> list[Event]:
        """Unread events; every line must be one."""
        return [json.loads(line) for line in self.lines(conn)]

    def ask(self, conn: int, line: str) -> list[Event]:
        """Send a line and read what came; older output is thrown away."""
        self.raw(conn)
        self.send(conn, line)
        return self.read(conn)

    def log_in(self, name: str = "", password: str = "", *, host: str = "192.0.2.1") -> int:
        conn = self.connect(host)
        self.send(conn, f"lj test-1.0/en {name} {password}")
        self.raw(conn)
        return conn


def types(events: Iterable[Event]) -> list[str]:
    return [event["Type"] for event in events]


def only(events: Iterable[Event], kind: str) -> list[Event]:
    return [event for event in events if event["Type"] == kind]


def notices(events: Iterable[Event]) -> list[str]:
    return [event["Message"] for event in only(events, "notice")]


def last_board(events: Iterable[Event]) -> Event:
    return only(events, "board")[-1]


def world(dice: DiceSource | None = None, quirks: ServerQuirks | None = None, **options: Any) -> World:
    config = ServerConfig(quirks=quirks or ServerQuirks(), **options)
    return World(BgammonServer(config, dice or SeededDice(1)))


def table(
    length: int = 3,
    rolls: Iterable[tuple[int, int]] = (),
    *,
    first: bool = True,
    names: tuple[str, str] = ("BOT_acme", "alice"),
    dice: DiceSource | None = None,
    **options: Any,
) -> tuple[World, int, int]:
    """The creator (at seat 1 if `first`) and a guest at a fresh match; what they have been told is unread."""
    w = world(dice or ScriptedDice(rolls, [first]), **options)
    me, guest = w.log_in(names[0]), w.log_in(names[1], host="192.0.2.2")
    w.send(me, f"create public {length} 0 Quick game")
    w.send(guest, f"join {names[0]}")
    return w, me, guest


def started(
    length: int = 3, rolls: Iterable[tuple[int, int]] = ((3, 1),), **options: Any
) -> tuple[World, int, int]:
    """As `table`, past the opening roll, everything read."""
    w, me, guest = table(length, rolls, **options)
    w.send(me, "roll")
    w.send(guest, "roll")
    w.raw(me), w.raw(guest)
    return w, me, guest


def put(w: World, board: list[int], seat: int = 1, **state: Any) -> None:
    """Change the only match's position (as `seat` sees it) and state."""
    (match,) = w.server.matches
    assert len(board) == 28
    match.set_view(seat, tuple(board))
    for name, value in state.items():
        setattr(match, name, value)


def view(own: dict[int, int], other: dict[int, int]) -> list[int]:
    """28 spaces from points: own checkers (26 bar) and the opponent's in the own numbering (27 bar); the rest
    is borne off."""
    board = [0] * 28
    for point, count in own.items():
        board[point] = count
    for point, count in other.items():
        board[point] = -count
    board[0] = 15 - sum(own.values())
    board[25] = -(15 - sum(other.values()))
    return board


def check_board(event: Event) -> None:
    """The invariants of section 6.4, and the fields with their types."""
    board = event["Board"]
    assert len(board) == 28
    assert sum(n for n in board if n > 0) == 15
    assert sum(n for n in board if n < 0) == -15
    assert board[0] >= 0 >= board[25]
    assert board[26] >= 0 >= board[27]
    assert 0 <= event["Roll1"] <= 6 >= event["Roll2"] >= 0
    assert event["Turn"] in (0, 1, 2)
    assert event["Winner"] in (0, 1, 2)
    assert event["DoubleValue"] in (1, 2, 4, 8, 16, 32, 64)
    assert event["DoublePlayer"] in (0, 1, 2)
    assert event["Crawford"] in (0, 1, 2)
    assert 1 <= event["Points"] <= 127
    for step in (event["Available"] or []) + (event["Moves"] or []):
        assert all(0 <= space <= 27 for space in step)
    for player in (event["Player1"], event["Player2"]):
        assert 0 <= player["Points"] <= 127
