"""Whole matches between our client and our server, which were written apart from one specification."""

from __future__ import annotations

import random

import pytest

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client_lobby import MatchOffer
from botd_protocols.bgammon.server_quirks import ServerQuirks
from tests.bgammon.both_ends import HOST, Seat, Table


def _check(table: Table) -> None:
    host, guest = table.seats
    for seat in table.seats:
        assert seat.seen(ev.Alarm) == []
        assert seat.seen(ev.MoveRejected) == []
    assert list(table.server.violations) == []
    assert [e.points for e in host.seen(ev.GameEnded)] == [e.points for e in guest.seen(ev.GameEnded)]
    for mine, theirs in ((host, guest), (guest, host)):
        plays = [e.steps for e in mine.seen(ev.CheckersMoved) if e.me]
        assert [sorted(e.steps) for e in theirs.seen(ev.CheckersMoved) if not e.me] == [
            sorted(steps) for steps in plays
        ]
        assert () not in plays
        assert len([e for e in mine.seen(ev.Danced) if e.me]) == len(
            [e for e in theirs.seen(ev.Danced) if not e.me]
        )


@pytest.mark.parametrize("points", [1, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_a_match_is_played_to_its_end_without_a_wrong_command(seed: int, points: int) -> None:
    table = Table(seed)
    table.play(points)
    _check(table)


QUIRKS = {
    "null lists": ServerQuirks(empty_lists="null"),
    "empty lists": ServerQuirks(empty_lists="empty"),
    "a board in the opening": ServerQuirks(first_opening_board=True),
    "dice in order": ServerQuirks(seat_order_dice=False),
    "no stale offer": ServerQuirks(stale_offer_at_end=False),
    "points in win": ServerQuirks(zero_points_win=False),
    "a board after left": ServerQuirks(board_after_left=True),
    "one refusal": ServerQuirks(double_refusal=False),
    "noise": ServerQuirks(noise=True),
    "last checker with one die": ServerQuirks(insist_on_both_dice=False),
    "no roll while doubled": ServerQuirks(roll_while_doubled=False),
    "drops cost a cube": ServerQuirks(drop_scoring="cube"),
    "late rejoin": ServerQuirks(rejoin_delay_s=1.5),
}


@pytest.mark.parametrize("name", QUIRKS)
def test_no_way_of_the_server_stops_a_match(name: str) -> None:
    for seed in (1, 2):
        table = Table(seed, QUIRKS[name])
        table.play(3)
        _check(table)


@pytest.mark.parametrize("framed", [(True, True), (False, True), (True, False)])
def test_both_transports_play_together(framed: tuple[bool, bool]) -> None:
    table = Table(3, framed=framed)
    table.play(3)
    _check(table)


def test_many_doubles_and_resignations() -> None:
    for seed in range(8):
        table = Table(seed)
        for seat in table.seats:
            seat.doubles, seat.resignations = 0.5, 0.1
        table.play(15)
        _check(table)
        host, guest = table.seats
        resigned = [(e.me, e.points) for e in host.seen(ev.ResignationOffered)]
        assert resigned == [(not me, points) for me, points in _of(guest, ev.ResignationOffered)]
        dropped = [(e.me, e.points) for e in host.seen(ev.CubeDropped)]
        assert dropped == [(not me, points) for me, points in _of(guest, ev.CubeDropped)]
        taken = [(e.me, e.value) for e in host.seen(ev.CubeTaken)]
        assert taken == [(not e.me, e.value) for e in guest.seen(ev.CubeTaken)]


def _of(seat: Seat, kind: type[ev.CubeDropped | ev.ResignationOffered]) -> list[tuple[bool, int]]:
    return [(e.me, e.points) for e in seat.seen(kind)]


def test_forced_moves_played_by_the_server() -> None:
    forced = 0
    for seed in range(4):
        table = Table(seed)
        table.sit_down(5)
        host, guest = table.seats
        table.run_until(lambda host=host: host.seen(ev.MatchStarted))
        for seat in (host, guest):
            table.server.receive(seat.conn_id, b"set autoplay 1\n", table.now)
        table.run_until(lambda table=table: all(seat.seen(ev.MatchEnded) for seat in table.seats))
        _check(table)
        forced += sum('"Forced":true' in line for line in table.wire)
    assert forced > 10


def test_an_account_with_autoplay_on_gets_it_switched_off() -> None:
    table = Table(1)
    host, _ = table.seats
    table.run_until(lambda: host.seen(ev.LobbyReady))
    table.server.receive(host.conn_id, b"set autoplay 1\n", table.now)
    table.cut(host)
    table.connect(host)
    table.run_until(lambda: any("set autoplay 0" in line for line in table.wire))
    table.play(1)
    _check(table)


@pytest.mark.parametrize("who", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_a_match_survives_lost_connections_at_any_moment(seed: int, who: int) -> None:
    table = Table(seed)
    table.sit_down(7)
    seat = table.seats[who]
    table.run_until(lambda: seat.seen(ev.MatchStarted))
    chance = random.Random(f"{seed} {who}")
    for _ in range(20):
        wanted = len(seat.events) + chance.randint(0, 25)
        resumed = len(seat.seen(ev.MatchResumed))
        table.run_until(lambda wanted=wanted: seat.seen(ev.MatchEnded) or len(seat.events) >= wanted)
        if seat.seen(ev.MatchEnded):
            break
        table.cut(seat)
        table.now += chance.randint(0, 3)
        table.connect(seat)
        table.run_until(lambda resumed=resumed: len(seat.seen(ev.MatchResumed)) > resumed)
    assert seat.seen(ev.MatchResumed)
    table.run_until(lambda: all(other.seen(ev.MatchEnded) for other in table.seats))
    assert all(other.seen(ev.Alarm) == [] for other in table.seats)
    assert list(table.server.violations) == []


def test_a_match_both_have_lost_is_over_and_a_new_one_begins() -> None:
    table = Table(5)
    table.sit_down(3)
    host, guest = table.seats
    table.run_until(lambda: len(host.seen(ev.CheckersMoved)) > 10)
    for seat in (host, guest):
        table.cut(seat)
    table.now += 70
    for seat in (host, guest):
        seat.events.clear()
        table.connect(seat)
    table.play(1)
    for seat in (host, guest):
        assert seat.seen(ev.MatchResumed) == []
        assert len(seat.seen(ev.MatchEnded)) == 1


def test_our_own_ghost_keeps_the_name_until_the_server_has_noticed() -> None:
    table = Table(5)
    table.sit_down(3)
    host, _ = table.seats
    table.run_until(lambda: len(host.seen(ev.CheckersMoved)) > 4)
    host.open = False  # the server does not hear of it
    table.connect(host)
    table.run_until(lambda: host.seen(ev.Disconnected))
    end = host.seen(ev.Disconnected)[-1]
    assert isinstance(end, ev.Disconnected)
    assert (end.retry, end.least_wait) == (ev.Retry.BACK_OFF, 5.0)
    while not host.seen(ev.MatchResumed):
        if not host.open:
            table.now += 5
            table.connect(host)
        table.step()
    table.run_until(lambda: all(seat.seen(ev.MatchEnded) for seat in table.seats))


def test_an_opponent_who_does_not_come_back_is_left_and_the_next_match_offered() -> None:
    table = Table(2)
    table.sit_down(3)
    host, guest = table.seats
    table.run_until(lambda: len(host.seen(ev.CheckersMoved)) > 4)
    table.cut(guest)
    table.run_until(lambda: host.seen(ev.MatchSuspended))
    table.run_until(lambda: len(host.seen(ev.MatchOpened)) == 2)
    assert list(table.server.violations) == []


def test_match_after_match() -> None:
    table = Table(9)
    table.sit_down(1)
    table.run_until(lambda: all(len(seat.seen(ev.MatchEnded)) == 3 for seat in table.seats))
    _check(table)


def test_rematches_at_one_table() -> None:
    table = Table(6)
    table.sit_down(1)
    host, guest = table.seats
    for number in range(1, 4):
        table.run_until(lambda: all(len(seat.seen(ev.MatchEnded)) == number for seat in table.seats))  # noqa: B023
        host.client.rematch(ask=number % 2 == 0, wait=True)
        guest.client.rematch(ask=number % 2 == 1, wait=True)
    table.run_until(lambda: all(len(seat.seen(ev.MatchEnded)) == 4 for seat in table.seats))
    assert len({found.game_id for seat in table.seats for found in seat.seen(ev.MatchOpened)}) == 1  # type: ignore[attr-defined]
    assert len([line for line in table.wire if line.endswith(": rematch")]) == 6
    _check(table)


def test_a_private_match_is_for_those_who_know_its_password() -> None:
    table = Table(6)
    host, guest = table.seats
    host.client.offer(MatchOffer(1, "Test", "open sesame"))
    table.run_until(lambda: host.seen(ev.MatchOpened))
    guest.client.seek(HOST, "open_sesame")
    table.run_until(lambda: all(seat.seen(ev.MatchEnded) for seat in table.seats))
    _check(table)
    assert "sesame" not in repr(host.client.__dict__) + repr(guest.client.__dict__)


def test_a_shutdown_is_heard_and_the_match_finished() -> None:
    table = Table(4)
    table.sit_down(1)
    host, _ = table.seats
    table.run_until(lambda: host.seen(ev.MatchStarted))
    table.server.announce_shutdown(30, "upgrade", table.now)
    table.run_until(lambda: all(seat.seen(ev.MatchEnded) for seat in table.seats))
    assert host.seen(ev.Shutdown)
    table.run_until(lambda: all(seat.seen(ev.Disconnected) for seat in table.seats))
    _check(table)


def test_passwords_stay_out_of_everything_that_is_shown() -> None:
    table = Table(1)
    table.play(1)
    for seat in table.seats:
        assert "correct-horse" not in repr(seat.client.__dict__) + repr(seat.events)


@pytest.mark.nightly
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", QUIRKS)
def test_many_matches_with_every_way_of_the_server(name: str) -> None:
    for seed in range(100, 140):
        table = Table(seed, QUIRKS[name])
        table.play(5)
        _check(table)
