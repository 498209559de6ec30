"""Matches over connections that are cut, torn, delayed, damaged and silent, and servers that restart.

All faults come from one seed. The clients get what a session gives them: a new connection after a while, and
an answer to every question. Whatever happens, some matches are played to their end.
"""

from __future__ import annotations

import random

import pytest

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client_lobby import MatchOffer
from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig
from botd_protocols.faults import FRAMED_KINDS, KINDS, NO_FAULTS, FaultSchedule, FaultyServer
from botd_protocols.server_dice import SeededDice
from tests.bgammon.both_ends import GUEST, HOST, PASSWORD, Seat

CALM_AFTER = 12
"""So many connections with faults, and then the day is over."""
IN_CI = range(16)
NIGHTLY = range(1000, 3000)
_QUIET = 200
"""Chunks at the beginning of each schedule from which faults are drawn."""


class FaultyTable:
    """Two seats that connect again, at one server behind bad lines."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(f"bgammon faults {seed}")
        self.now = 1_796_000_000.0
        self.wire: list[str] = []
        self.schedules: list[str] = []
        self.servers = 0
        self.finished = 0
        """Matches ended on servers that are gone."""
        self.server = FaultyServer(self.new_core(), self._schedule, self._restarted)
        self.framed = {HOST: seed % 2 == 1, GUEST: seed % 3 == 1}
        self.seats = [
            Seat(name, random.Random(f"{seed} {name}"), self.framed[name]) for name in (HOST, GUEST)
        ]
        self.connect_at = {HOST: self.now, GUEST: self.now}
        self._ids = 0

    def new_core(self) -> BgammonServer:
        self.servers += 1
        return BgammonServer(
            ServerConfig(
                accounts={HOST: PASSWORD, GUEST: PASSWORD},
                bots_may_join=True,
                silence_s=40.0,
            ),
            SeededDice(self.seed * 100 + self.servers),
            trace=lambda conn, side, text: self.wire.append(f"{self.now:.2f} {conn}{side}: {text}"),
        )

    @property
    def core(self) -> BgammonServer:
        core = self.server.core
        assert isinstance(core, BgammonServer)
        return core

    def _restarted(self) -> BgammonServer:
        self.finished += len(self.core.results)
        return self.new_core()

    def _schedule(self, conn_id: int) -> tuple[FaultSchedule, FaultSchedule]:
        if conn_id > CALM_AFTER:
            return NO_FAULTS, NO_FAULTS
        kinds = FRAMED_KINDS if self._connecting.framed else KINDS
        pair = tuple(
            FaultSchedule.seeded(self.rng.randrange(1 << 30), chunks=_QUIET, rate=0.03, kinds=kinds)
            for _ in range(2)
        )
        self.schedules += [f"{conn_id}: {schedule.to_json()}" for schedule in pair]
        return pair[0], pair[1]

    def _connect(self, seat: Seat) -> None:
        self._ids += 1
        self._connecting = seat
        seat.conn_id, seat.open = self._ids, True
        seat.connect()
        if seat.name == HOST:
            seat.client.offer(MatchOffer(1, "Test"))
        else:
            seat.client.seek(HOST)
        self.server.connect(
            seat.conn_id,
            self.now,
            lambda core, conn_id, now: core.connect(conn_id, now, "127.0.0.1", framed=seat.framed),  # type: ignore[attr-defined]
        )

    def step(self) -> None:
        moving = True
        while moving:
            moving = False
            for seat in self.seats:
                if not seat.open:
                    if self.connect_at[seat.name] > self.now:
                        continue
                    self._connect(seat)
                seat.react(seat.client.advance(self.now))
                for command in seat.client.commands_to_send():
                    moving = True
                    data = command.encode() if seat.framed else f"{command}\n".encode()
                    self.server.receive(seat.conn_id, data, self.now)
                moving = self._deliver() or moving
                self._ended(seat)
        times = [t for s in self.seats if s.open and (t := s.client.next_timer()) is not None]
        times += [self.connect_at[s.name] for s in self.seats if not s.open]
        if self.server.next_deadline is not None:
            times.append(self.server.next_deadline)
        self.now = max(self.now + 0.001, min(times, default=self.now + 1.0))
        self.server.advance(self.now)

    def _deliver(self) -> bool:
        output = self.server.take_output()
        for conn_id, data, close in output:
            for seat in self.seats:
                if seat.conn_id == conn_id and seat.open:
                    take = seat.client.receive_text if seat.framed else seat.client.receive_data
                    if data:
                        seat.react(take(data, self.now))
                    if close:
                        seat.react(seat.client.receive_eof(self.now))
        return bool(output)

    def _ended(self, seat: Seat) -> None:
        """What a session does: close the connection, wait, connect again."""
        if seat.open and seat.client.closed:
            seat.open = False
            self.server.disconnect(seat.conn_id, self.now)
            end = seat.seen(ev.Disconnected)[-1]
            assert isinstance(end, ev.Disconnected)
            # (A log-in that was damaged on its way is refused for good; a person would try again.)
            self.connect_at[seat.name] = self.now + max(end.least_wait, self.rng.uniform(1.0, 6.0))

    def play(self, steps: int = 40_000) -> None:
        for _ in range(steps):
            if self.finished + len(self.core.results) >= 3 and self._ids > CALM_AFTER:
                return
            if self.finished + len(self.core.results) >= 8:
                return
            self.step()
        raise AssertionError(
            f"seed {self.seed}: no end in sight after {self._ids} connections\n"
            + "\n".join(self.schedules)
            + "\n"
            + "\n".join(self.wire[-60:])
        )


def check(seed: int) -> None:
    table = FaultyTable(seed)
    table.play()
    for seat in table.seats:
        for found in seat.events:
            for name in found.__slots__:
                value = getattr(found, name)
                assert not isinstance(value, str) or (value.isprintable() and len(value) <= 400), value


@pytest.mark.parametrize("seed", IN_CI)
def test_matches_are_played_over_bad_lines(seed: int) -> None:
    check(seed)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_many_matches_over_bad_lines() -> None:
    for seed in NIGHTLY:
        check(seed)
