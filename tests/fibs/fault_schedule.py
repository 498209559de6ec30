"""A match on a bad day: two clients and a server with faults drawn from one seed, over a clock that jumps.

The clients get what a session gives them: a new connection after a while, the saved match resumed, an answer
to every question, and a match in which nothing happens any more is left.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from botd.engine.rules import legal_plays
from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig, Phase
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig
from botd_protocols.fibs.server_quirks import BALDLIES, JIBS, ServerQuirks
from botd_protocols.server_dice import SeededDice
from tests.fibs.both_ends import PASSWORD, Seat

_CHOICES: dict[str, Any] = {
    "glue_accept": True,
    "glue_board": "any",
    "glue_who": True,
    "segment_bytes": 7,
    "reply_delay_s": 0.4,
    "duplicate_boards": True,
    "noise": True,
    "torn_who": True,
    "clip_lookalikes": True,
    "prompts": True,
    "start_text_for_joiner": False,
    "loss_text": False,
    "resume_text": False,
    "resume_board": False,
    "resume_prompt": False,
    "automatic_roll": False,
    "ask_without_cube": True,
    "double_inverted": True,
    "opening_prompt": True,
    "board_after_opponent_roll": False,
    "double_on_board": False,
    "wrong_bars": True,
    "dance_as_empty_move": True,
    "announce_drop_twice": True,
    "game_end_board": True,
    "who_group_end": False,
}
FAULTS = ("cut", "torn", "ghost", "silence", "garble", "drop", "duplicate", "restart")
ACCOUNTS = {"alice": PASSWORD, "bob": PASSWORD}
CALM_AFTER = 12
"""So many faults, and then the day is over."""
STANDSTILL = 900.0
"""Seconds without any news after which a match is left."""
_NEWS = (
    *(ev.BoardSeen, ev.DiceRolled, ev.CheckersMoved, ev.CubeDoubled, ev.GameStarted, ev.JoinPrompt),
    *(ev.MatchStarted, ev.MatchResumed),
)
DEAD = 600.0
"""Seconds after which a server notices a connection that has gone without a word."""


def quirks_of(rng: random.Random) -> ServerQuirks:
    base = rng.choice((ServerQuirks(), ServerQuirks(), JIBS, BALDLIES))
    names = rng.sample(sorted(_CHOICES), rng.randint(0, 4))
    quirks = dataclasses.replace(base, **{name: _CHOICES[name] for name in names})
    # No server keeps the position to itself after a resume *and* does not know how to show it.
    return quirks if quirks.board_command == "answer" else dataclasses.replace(quirks, resume_board=True)


class RestlessSeat(Seat):
    """A seat that connects again, and finds its match again."""

    name: str = ""
    reconnect_at: float | None = None
    look_at: float = 0.0
    silent_until: float = 0.0
    news_at: float = 0.0
    last_board: str = ""


class RestlessTable:
    """Plays one match to its end whatever happens. `finished` tells when the server has counted it."""

    def __init__(self, seed: int, *, length: int = 3) -> None:
        self.rng = random.Random(f"faults {seed}")
        self.seed = seed
        self.length = length
        self.now = 1000.0
        self.wire: list[str] = []
        self.told: list[str] = []
        """The faults in the order in which they happened."""
        self.next_fault = self.rng.randint(30, 120)
        self.chunks = 0
        self.connections = 0
        self.ghosts: list[tuple[float, int]] = []
        self.closed_until = 0.0
        self.left: list[str] = []
        """Matches that stood still, by the last line of the wire."""
        self.quirks = quirks_of(self.rng)
        self.server = FibsServer(
            ServerConfig(accounts=ACCOUNTS, strict=True, quirks=self.quirks),
            SeededDice(seed),
            lambda board, dice: [(play.steps, play.board) for play in legal_plays(board, dice)],
            trace=lambda conn, side, text: self.wire.append(f"{conn}{side}: {text}"),
        )
        self.seats: list[RestlessSeat] = []
        for name in ACCOUNTS:
            seat = RestlessSeat(self._client(name), random.Random(f"{seed} {name}"), 0, open=False)
            seat.name, seat.reconnect_at = name, self.now
            self.seats.append(seat)

    def _client(self, name: str) -> FibsClient:
        gap = 0.0 if self.seed % 3 == 0 else 0.2
        return FibsClient(FibsClientConfig(name, PASSWORD, alarm_wait=30.0, command_gap=gap))

    @property
    def finished(self) -> bool:
        server = self.server
        return (
            server.accounts["alice"].experience > 0
            and server.match_of("alice") is None
            and server.saved.get("alice", "bob") is None
        )

    # -- time ------------------------------------------------------------------------------------------------

    def play(self, steps: int = 60_000) -> None:
        for _ in range(steps):
            if self.finished:
                return
            self.step()
        raise AssertionError(
            f"seed {self.seed}: no end in sight; faults {self.told}, {self.quirks}\n"
            + "\n".join(self.wire[-60:])
        )

    def step(self) -> None:
        moving = True
        while moving:
            moving = False
            for seat in self.seats:
                moving = self._turn(seat) or moving
        times = [t for seat in self.seats for t in self._times(seat)]
        times += [when for when, _ in self.ghosts]
        if self.server.next_deadline is not None:
            times.append(self.server.next_deadline)
        self.now = max(self.now + 0.001, min(times, default=self.now + 1.0))
        self.server.advance(self.now)
        for when, conn_id in list(self.ghosts):
            if when <= self.now:
                self.ghosts.remove((when, conn_id))
                self.server.disconnect(conn_id, self.now)

    @staticmethod
    def _times(seat: RestlessSeat) -> list[float]:
        if seat.reconnect_at is not None:
            return [seat.reconnect_at]
        due = seat.client.next_timer()
        return [seat.look_at] if due is None else [seat.look_at, due]

    def _turn(self, seat: RestlessSeat) -> bool:
        if seat.reconnect_at is not None:
            if self.now >= seat.reconnect_at:
                self._connect(seat)
                return True
            return False
        self._react(seat, seat.client.advance(self.now))
        if self.now >= seat.look_at:
            self._look_for_a_match(seat)
        data = seat.client.data_to_send() if seat.open else b""
        if data and self.now >= seat.silent_until:
            self.server.receive(seat.conn_id, data, self.now)
        delivered = False
        for conn_id, chunk, close in self.server.take_output():
            other = next((s for s in self.seats if s.open and s.conn_id == conn_id), None)
            if other is not None:
                self._deliver(other, chunk, close=close)
            delivered = True
        return delivered or bool(data)

    # -- the session's part ----------------------------------------------------------------------------------

    def _connect(self, seat: RestlessSeat) -> None:
        if self.now < self.closed_until:
            seat.reconnect_at = self.now + self.rng.uniform(5, 20)
            return
        self.connections += 1
        seat.client, seat.conn_id, seat.open = self._client(seat.name), self.connections, True
        seat.reconnect_at, seat.silent_until = None, 0.0
        seat.look_at = self.now + self.rng.uniform(5, 15)
        self.server.connect(seat.conn_id, self.now, "127.0.0.1")

    def _react(self, seat: RestlessSeat, events: list[ev.Event]) -> None:
        seat.react(events)
        for event in events:
            again = isinstance(event, ev.BoardSeen) and repr(event) == seat.last_board
            if isinstance(event, _NEWS) and not again:
                seat.news_at = self.now
            if isinstance(event, ev.BoardSeen):
                seat.last_board = repr(event)
        for event in events:
            if isinstance(event, ev.SavedMatches) and not seat.client.in_match:
                if any(m.online for m in event.matches) and seat.client.phase is Phase.LOBBY:
                    seat.client.invite(event.matches[0].opponent)
            elif isinstance(event, ev.Disconnected):
                wait = 60.0 if event.retry is ev.Retry.DUPLICATE else 5.0
                assert event.retry is not ev.Retry.NEVER, event.reason
                seat.open = False
                seat.reconnect_at = self.now + self.rng.uniform(wait, 2 * wait)

    def _look_for_a_match(self, seat: RestlessSeat) -> None:
        seat.look_at = self.now + self.rng.uniform(20, 40)
        if seat.client.phase is not Phase.LOBBY:
            return
        if seat.client.in_match:
            if self.now - seat.news_at > STANDSTILL:
                self.left.append("; ".join(self.wire[-2:]))
                seat.client.leave()
            return
        begun = self.server.accounts["alice"].experience > 0 or self.server.saved.get("alice", "bob")
        if begun or self.server.match_of("alice") is not None:
            seat.client.show_saved()
        elif seat.name == "alice":
            seat.client.invite("bob", self.length)

    # -- faults ----------------------------------------------------------------------------------------------

    def _deliver(self, seat: RestlessSeat, chunk: bytes, *, close: bool) -> None:
        self.chunks += 1
        kind = ""
        if self.chunks >= self.next_fault and len(self.told) < CALM_AFTER:
            kind = self.rng.choice(FAULTS)
            self.told.append(f"{kind} {seat.name} at chunk {self.chunks}")
            self.next_fault = self.chunks + self.rng.randint(5, 150)
        if kind == "restart":
            self.server.shutdown(self.now)
            self.closed_until = self.now + self.rng.uniform(0, 60)
        elif kind == "silence":
            seat.silent_until = self.now + self.rng.uniform(1, 500)
        elif kind == "torn":
            chunk = chunk[: self.rng.randrange(len(chunk) + 1)]
        elif kind == "garble" and chunk:
            at = self.rng.randrange(len(chunk))
            chunk = chunk[:at] + bytes((self.rng.randrange(256),)) + chunk[at + 1 :]
        elif kind == "drop":
            chunk = b""
        elif kind == "duplicate":
            chunk += chunk
        if self.now >= seat.silent_until:
            self._react(seat, seat.client.receive_data(chunk, self.now))
        if not seat.open:
            self.server.disconnect(seat.conn_id, self.now)
        elif close or kind in ("cut", "torn", "ghost"):
            self._lose(seat, ghost=kind == "ghost")

    def _lose(self, seat: RestlessSeat, *, ghost: bool) -> None:
        if ghost:
            self.ghosts.append((self.now + self.rng.uniform(1, DEAD), seat.conn_id))
        else:
            self.server.disconnect(seat.conn_id, self.now)
        self._react(seat, seat.client.receive_eof(self.now))
