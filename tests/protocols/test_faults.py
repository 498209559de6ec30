"""The fault layer by itself, and both servers behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.engine.rules import legal_plays
from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig as BgammonConfig
from botd_protocols.faults import (
    FRAMED_KINDS,
    KINDS,
    LAST_KINDS,
    NO_FAULTS,
    Fault,
    FaultKind,
    FaultSchedule,
    FaultyServer,
    FaultyStream,
)
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig as FibsConfig
from botd_protocols.server_core import ServerCore
from botd_protocols.server_dice import SeededDice
from botd_protocols.server_driver import ServerDriver
from botd_protocols.server_tcp import TcpListener

ORDERLY: tuple[FaultKind, ...] = ("delay", "split", "glue")
"""Faults that change when bytes arrive, not which."""


def stream(*faults: Fault) -> FaultyStream:
    return FaultyStream(FaultSchedule(faults))


@given(
    st.lists(st.tuples(st.binary(min_size=1, max_size=30), st.floats(0, 3)), max_size=30),
    st.integers(0, 2**32),
)
def test_orderly_faults_lose_and_change_nothing(chunks: list[tuple[bytes, float]], seed: int) -> None:
    schedule = FaultSchedule.seeded(seed, chunks=len(chunks), rate=0.5, kinds=ORDERLY)
    faulty, now, arrived = FaultyStream(schedule), 0.0, b""
    for data, pause in chunks:
        faulty.push(data, now)
        now += pause
        arrived += b"".join(faulty.take(now))
    while (due := faulty.next_release) is not None:
        now = max(now, due)
        arrived += b"".join(faulty.take(now))
    assert arrived == b"".join(data for data, _ in chunks)
    assert not faulty.ended
    assert not faulty.silent


@given(st.integers(0, 2**32), st.floats(0, 1))
def test_a_schedule_is_its_seed_and_survives_json(seed: int, rate: float) -> None:
    schedule = FaultSchedule.seeded(seed, chunks=50, rate=rate)
    assert schedule == FaultSchedule.seeded(seed, chunks=50, rate=rate)
    assert FaultSchedule.from_json(schedule.to_json()) == schedule
    last = [index for index, fault in enumerate(schedule.faults) if fault.kind in LAST_KINDS]
    assert last in ([], [len(schedule.faults) - 1])


def test_framed_connections_are_never_torn() -> None:
    for seed in range(50):
        schedule = FaultSchedule.seeded(seed, chunks=50, rate=0.5, kinds=FRAMED_KINDS)
        assert {fault.kind for fault in schedule.faults}.isdisjoint({"split", "glue"})


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"faults": [{"at": "x", "kind": "cut"}]}', '{"faults": [{"at": 0, "kind": "fire"}]}'],
)
def test_a_bad_schedule_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"^fault schedule: "):
        FaultSchedule.from_json(text)


def test_cut_within_a_chunk() -> None:
    faulty = stream(Fault(at=1, kind="cut", size=3))
    for data in (b"first\n", b"second\n", b"third\n"):
        faulty.push(data, 0.0)
    assert faulty.ended == "", "what was sent before the cut still arrives"
    assert faulty.take(0.0) == [b"first\n", b"sec"]
    assert faulty.ended == "cut"
    faulty.push(b"more", 1.0)
    assert faulty.take(9.0) == []


def test_delay_holds_everything_after_it_back() -> None:
    faulty = stream(Fault(at=0, kind="delay", seconds=5.0))
    faulty.push(b"a", 0.0)
    faulty.push(b"b", 1.0)
    assert (faulty.take(4.9), faulty.next_release) == ([], 5.0)
    assert faulty.take(5.0) == [b"a", b"b"]


def test_split_glue_duplicate_garble_silence() -> None:
    faulty = stream(Fault(at=0, kind="split", size=3, seconds=0.3))
    faulty.push(b"abcdef", 0.0)
    assert (faulty.take(0.0), faulty.take(0.1), faulty.take(0.2)) == ([b"ab"], [b"cd"], [b"ef"])

    faulty = stream(Fault(at=0, kind="glue", seconds=2.0))
    faulty.push(b"ab", 0.0)
    assert faulty.take(1.0) == []
    faulty.push(b"cd", 1.0)
    assert faulty.take(1.0) == [b"abcd"]

    faulty = stream(Fault(at=0, kind="glue", seconds=2.0))
    faulty.push(b"ab", 0.0)
    assert faulty.take(2.0) == [b"ab"]

    faulty = stream(Fault(at=0, kind="duplicate"))
    faulty.push(b"ab\n", 0.0)
    assert faulty.take(0.0) == [b"ab\n", b"ab\n"]

    faulty = stream(Fault(at=0, kind="garble", size=1, seed=4))
    faulty.push(b"abcdef", 0.0)
    (data,) = faulty.take(0.0)
    assert len(data) == 6
    assert sum(a != b for a, b in zip(data, b"abcdef", strict=True)) == 1

    faulty = stream(Fault(at=1, kind="silence"))
    for data in (b"a", b"b", b"c"):
        faulty.push(data, 0.0)
    assert faulty.take(99.0) == [b"a"]
    assert faulty.silent
    assert not faulty.ended


def fibs() -> ServerCore:
    return FibsServer(
        FibsConfig(open_accounts=True),
        SeededDice(1),
        lambda board, dice: [(play.steps, play.board) for play in legal_plays(board, dice)],
    )


def bgammon() -> ServerCore:
    return BgammonServer(BgammonConfig(), SeededDice(1))


FIBS_SCRIPT = (
    (1, b"login a_1 1008 anna pw\r\n"),
    (2, b"login b_1 1008 ben pw\r\n"),
    (1, b"toggle ready\r\n"),
    (2, b"toggle ready\r\n"),
    (1, b"invite ben 3\r\n"),
    (2, b"join anna\r\n"),
    (1, b"board\r\n"),
    (2, b"kibitz hello\r\n"),
    (1, b"leave\r\n"),
)
BGAMMON_SCRIPT = (
    (1, b"lj a/en anna\n"),
    (2, b"lj b/en ben\n"),
    (1, b"create public 3 0\n"),
    (2, b"join guest_anna\n"),
    (1, b"roll\n"),
    (2, b"roll\n"),
    (1, b"board\n"),
    (2, b"say hello\n"),
    (1, b"leave\n"),
)
SERVERS = pytest.mark.parametrize(
    ("fresh", "script"), [(fibs, FIBS_SCRIPT), (bgammon, BGAMMON_SCRIPT)], ids=["fibs", "bgammon"]
)


def tell(core: ServerCore, conn_id: int, now: float) -> None:
    assert isinstance(core, FibsServer | BgammonServer)
    core.connect(conn_id, now, "192.0.2.1")


def play(
    fresh: Callable[[], ServerCore],
    script: tuple[tuple[int, bytes], ...],
    schedules: Callable[[int], tuple[FaultSchedule, FaultSchedule]],
) -> tuple[FaultyServer, dict[int, bytes], set[int]]:
    server = FaultyServer(fresh(), schedules, fresh)
    got: dict[int, bytes] = {1: b"", 2: b""}
    closed: set[int] = set()
    now = 1000.0

    def collect() -> None:
        for conn, data, close in server.take_output():
            got[conn] += data
            closed.update([conn] if close else [])

    for conn in (1, 2):
        server.connect(conn, now, tell)
        collect()
    for conn, data in script:
        server.receive(conn, data, now)
        collect()
        for _ in range(3):
            now += 1.0
            server.advance(now)
            collect()
    return server, got, closed


@SERVERS
def test_without_faults_a_server_is_itself(
    fresh: Callable[[], ServerCore], script: tuple[tuple[int, bytes], ...]
) -> None:
    _, got, closed = play(fresh, script, lambda _: (NO_FAULTS, NO_FAULTS))
    assert not closed
    assert b"hello" in got[1]
    delayed = FaultSchedule.seeded(3, chunks=40, rate=0.5, kinds=ORDERLY, longest_s=0.5)
    assert delayed.faults
    _, same, closed = play(fresh, script, lambda _: (delayed, NO_FAULTS))
    assert not closed
    assert same == got


@SERVERS
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_survives_each_fault_in_both_directions(
    fresh: Callable[[], ServerCore], script: tuple[tuple[int, bytes], ...], kind: FaultKind
) -> None:
    for at in range(5):
        fault = FaultSchedule((Fault(at=at, kind=kind, seconds=1.5, size=2, seed=at),))
        for schedules in ((fault, NO_FAULTS), (NO_FAULTS, fault)):
            server, _, closed = play(
                fresh, script, lambda conn, pair=schedules: pair if conn == 1 else (NO_FAULTS, NO_FAULTS)
            )
            if kind == "cut":
                assert 1 in closed
            if kind == "restart":
                assert server.restarts == 1
                greeting = at == 0 and schedules[0] is fault
                assert closed == ({1} if greeting else {1, 2}), "all that are open at that time"


@SERVERS
def test_seeded_faults_of_all_kinds_never_raise(
    fresh: Callable[[], ServerCore], script: tuple[tuple[int, bytes], ...]
) -> None:
    for seed in range(60):
        server, _, _ = play(
            fresh,
            script,
            lambda conn, base=seed: (
                FaultSchedule.seeded(base * 4 + conn, chunks=30, rate=0.2),
                FaultSchedule.seeded(base * 4 + conn + 2, chunks=10, rate=0.2),
            ),
        )
        server.shutdown(5000.0)


async def test_faults_reach_real_sockets() -> None:
    cut = FaultSchedule((Fault(at=0, kind="split", size=4), Fault(at=2, kind="cut", size=9)))
    server = FaultyServer(bgammon(), lambda conn: (cut if conn == 1 else NO_FAULTS, NO_FAULTS))
    driver = ServerDriver(server)

    def connect(conn_id: int, now: float, _host: str) -> None:
        server.connect(conn_id, now, tell)

    listener = TcpListener(driver, connect, "127.0.0.1", 0)
    await listener.start()
    driver.start()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        async with asyncio.timeout(30):
            assert (await reader.readline()).startswith(b"hello ")
            writer.write(b"lj a/en anna\n")
            assert (await reader.readline()).startswith(b'{"Type":"welcome"')
            assert await reader.read() == b'{"Type":"'
        writer.close()
        await writer.wait_closed()
    finally:
        listener.stop_accepting()
        await driver.stop()
        await listener.close()
