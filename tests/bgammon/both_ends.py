"""Our client and our server joined by memory and a clock that only jumps: whole matches without sockets."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from botd.engine.rules import legal_plays
from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import BgammonClient, BgammonClientConfig
from botd_protocols.bgammon.client_lobby import MatchOffer
from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig
from botd_protocols.bgammon.server_quirks import ServerQuirks
from botd_protocols.server_dice import SeededDice

PASSWORD = "correct-horse"
HOST, GUEST = "BOT_anna", "BOT_bert"
"""Who creates the matches, and who joins them (on a server that lets him)."""

Kind = ev.DecisionKind


@dataclass
class Seat:
    """A client and the random player who answers it, over one connection after the other."""

    name: str
    rng: random.Random
    framed: bool
    conn_id: int = 0
    open: bool = False
    events: list[ev.Event] = field(default_factory=list)
    resignations: float = 0.0
    doubles: float = 0.1

    def connect(self, **config: object) -> None:
        self.client = BgammonClient(
            BgammonClientConfig(
                self.name,
                PASSWORD,
                own_server=True,
                greeting=not self.framed,
                **{"command_gap": 0.11, **config},  # type: ignore[arg-type]
            )
        )

    def react(self, events: list[ev.Event]) -> None:
        events = list(events)
        self.events += events
        for event in events:
            if isinstance(event, ev.DecisionNeeded):
                self._decide(event)

    def _decide(self, question: ev.DecisionNeeded) -> None:
        client, key = self.client, question.key
        if question.kind is Kind.MOVE:
            assert question.position.dice is not None
            plays = legal_plays(question.position.board, question.position.dice)
            choices = [p.steps for p in plays if tuple(p.steps) not in question.rejected]
            self.react(client.answer_move(key, self.rng.choice(choices) if choices else ()))
        elif question.kind is Kind.ROLL_OR_DOUBLE:
            if self.rng.random() < self.resignations:
                client.resign(3)
                return
            double = self.rng.random() < self.doubles
            self.react((client.answer_double if double else client.answer_roll)(key))
        elif self.rng.random() < 0.7:
            self.react(client.answer_accept(key))
        else:
            self.react(client.answer_reject(key))

    def seen(self, kind: type[ev.Event]) -> list[ev.Event]:
        return [event for event in self.events if isinstance(event, kind)]


class Table:
    """Two seats at one server."""

    def __init__(
        self,
        seed: int,
        quirks: ServerQuirks | None = None,
        *,
        framed: tuple[bool, bool] = (False, False),
        autoplay: tuple[str, ...] = (),
        **config: object,
    ) -> None:
        self.now = 1_796_000_000.0
        self.wire: list[str] = []
        self.server = BgammonServer(
            ServerConfig(
                accounts={HOST: PASSWORD, GUEST: PASSWORD},
                strict=True,
                bots_may_join=True,
                quirks=quirks or ServerQuirks(),
            ),
            SeededDice(seed),
            trace=lambda conn, side, text: self.wire.append(f"{self.now:.2f} {conn}{side}: {text}"),
        )
        self.autoplay = autoplay
        self.config = config
        self.seats = [
            Seat(name, random.Random(f"{seed} {name}"), frames)
            for name, frames in zip((HOST, GUEST), framed, strict=True)
        ]
        self._ids = 0
        for seat in self.seats:
            self.connect(seat)

    def connect(self, seat: Seat) -> None:
        """A new connection with a new client."""
        self._ids += 1
        seat.conn_id, seat.open = self._ids, True
        seat.connect(**self.config)
        self.server.connect(seat.conn_id, self.now, "127.0.0.1", framed=seat.framed)

    def cut(self, seat: Seat) -> None:
        """The connection breaks; both sides hear of it at once."""
        seat.open = False
        self.server.disconnect(seat.conn_id, self.now)
        self._deliver()
        seat.react(seat.client.receive_eof(self.now))

    def step(self) -> None:
        """Exchange all bytes that are due, then jump to the next time at which something happens."""
        moving = True
        while moving:
            moving = False
            for seat in self.seats:
                if not seat.open:
                    continue
                seat.react(seat.client.advance(self.now))
                for command in seat.client.commands_to_send():
                    moving = True
                    data = command.encode() if seat.framed else f"{command}\n".encode()
                    self.server.receive(seat.conn_id, data, self.now)
                moving = self._deliver() or moving
        times = [t for seat in self.seats if seat.open and (t := seat.client.next_timer()) is not None]
        if self.server.next_deadline is not None:
            times.append(self.server.next_deadline)
        self.now = max(self.now + 0.001, min(times, default=self.now + 1.0))
        self.server.advance(self.now)

    def _deliver(self) -> bool:
        output = self.server.take_output()
        for conn_id, data, close in output:
            seat = next((seat for seat in self.seats if seat.conn_id == conn_id), None)
            if seat is None or not seat.open:
                continue
            if data:
                take = seat.client.receive_text if seat.framed else seat.client.receive_data
                seat.react(take(data, self.now))
            if close:
                seat.open = False
                seat.react(seat.client.receive_eof(self.now))
        return bool(output)

    def run_until(self, condition: object, limit: int = 50_000) -> None:
        assert callable(condition)
        for _ in range(limit):
            if condition():
                return
            self.step()
        raise AssertionError("nothing more happens; the end of the wire:\n" + "\n".join(self.wire[-60:]))

    def sit_down(self, points: int) -> None:
        """The host offers a match, the guest looks for it."""
        host, guest = self.seats
        host.client.offer(MatchOffer(points, "Test"))
        self.run_until(lambda: host.seen(ev.MatchOpened))
        guest.client.seek(HOST)

    def play(self, points: int) -> None:
        """One whole match."""
        self.sit_down(points)
        self.run_until(lambda: all(seat.seen(ev.MatchEnded) for seat in self.seats))
