"""Our client and our server joined by memory and a clock that only jumps: whole matches without sockets."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from botd.engine.rules import legal_plays
from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig
from botd_protocols.fibs.client_events import DecisionKind
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig
from botd_protocols.fibs.server_quirks import ServerQuirks
from botd_protocols.server_dice import SeededDice

PASSWORD = "correct-horse"


@dataclass
class Seat:
    """A client and the random player who answers it."""

    client: FibsClient
    rng: random.Random
    conn_id: int
    open: bool = True
    events: list[ev.Event] = field(default_factory=list)
    games_before_leaving: int | None = None
    resignations: float = 0.0

    def react(self, events: list[ev.Event]) -> None:
        events = list(events)
        self.events += events
        for event in events:
            if isinstance(event, ev.DecisionNeeded):
                self._decide(event)
            elif isinstance(event, ev.GameEnded):
                done = sum(isinstance(e, ev.GameEnded) for e in self.events)
                if done == self.games_before_leaving:
                    self.client.leave_after_game()
            elif isinstance(event, ev.InvitationReceived):
                self.client.join(event.name)

    def _decide(self, decision: ev.DecisionNeeded) -> None:
        client, key = self.client, decision.key
        if decision.kind is DecisionKind.MOVE:
            assert decision.position.dice is not None
            if self.rng.random() < self.resignations:
                client.resign(self.rng.randint(1, 2))
            plays = legal_plays(decision.position.board, decision.position.dice)
            choices = [p for p in plays if tuple(p.steps) not in decision.rejected]
            self.react(client.answer_move(key, self.rng.choice(choices).steps if choices else ()))
        elif decision.kind is DecisionKind.ROLL_OR_DOUBLE:
            self.react((client.answer_double if self.rng.random() < 0.1 else client.answer_roll)(key))
        elif self.rng.random() < 0.7:
            self.react(client.answer_accept(key))
        else:
            self.react(client.answer_reject(key))

    def seen(self, kind: type[ev.Event]) -> list[ev.Event]:
        return [event for event in self.events if isinstance(event, kind)]


class Table:
    """Two seats at one server."""

    def __init__(self, seed: int, quirks: ServerQuirks | None = None) -> None:
        self.now = 1000.0
        self.wire: list[str] = []
        accounts = {"alice": PASSWORD, "bob": PASSWORD}
        self.server = FibsServer(
            ServerConfig(accounts=accounts, strict=True, quirks=quirks or ServerQuirks()),
            SeededDice(seed),
            lambda board, dice: [(play.steps, play.board) for play in legal_plays(board, dice)],
            trace=lambda conn, side, text: self.wire.append(f"{conn}{side}: {text}"),
        )
        self.seats = [
            Seat(FibsClient(FibsClientConfig(name, PASSWORD)), random.Random(f"{seed} {name}"), conn_id)
            for conn_id, name in enumerate(accounts, 1)
        ]
        for seat in self.seats:
            self.server.connect(seat.conn_id, self.now, "127.0.0.1")

    def step(self) -> None:
        """Exchange all bytes that are due, then jump to the next time at which something happens."""
        moving = True
        while moving:
            moving = False
            for seat in self.seats:
                seat.react(seat.client.advance(self.now))
                data = seat.client.data_to_send()
                if data and seat.open:
                    self.server.receive(seat.conn_id, data, self.now)
                moving = self._deliver() or moving or bool(data)
        times = [t for seat in self.seats if (t := seat.client.next_timer()) is not None]
        if self.server.next_deadline is not None:
            times.append(self.server.next_deadline)
        self.now = max(self.now + 0.001, min(times, default=self.now + 1.0))
        self.server.advance(self.now)

    def _deliver(self) -> bool:
        output = self.server.take_output()
        for conn_id, data, close in output:
            seat = self.seats[conn_id - 1]
            seat.react(seat.client.receive_data(data, self.now))
            if close:
                seat.open = False
                seat.react(seat.client.receive_eof(self.now))
        return bool(output)

    def run_until(self, condition: object, limit: int = 20_000) -> None:
        assert callable(condition)
        for _ in range(limit):
            if condition():
                return
            self.step()
        raise AssertionError("nothing more happens; the end of the wire:\n" + "\n".join(self.wire[-40:]))

    def play(self, length: int | None) -> None:
        """Log both in, let alice invite bob, and play until the match ends or is left."""
        alice, bob = self.seats
        self.run_until(lambda: alice.seen(ev.LobbyReady) and bob.seen(ev.LobbyReady))
        alice.client.invite("bob", 0 if length is None else length)
        self.run_until(lambda: all(s.seen(ev.MatchEnded) or s.seen(ev.MatchSuspended) for s in self.seats))
