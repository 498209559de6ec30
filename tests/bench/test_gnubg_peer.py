"""A peer that is broken, silent or absent is one line, never a hang."""

from __future__ import annotations

import sys

import pytest

from botd.bench.batches import STATIC
from botd.bench.gnubg_peer import GnubgPeer, PeerError, RunningPeer
from botd.bench.workload import Task
from botd.engine.types import STARTING_BOARD

BROKEN_PEERS = {
    "ends": ("pass", "ended without an answer"),
    "nonsense": ("channel.sendall(b'nonsense\\n')", "an answer that is none"),
    "cut short": ("channel.sendall(b'{')", "ended without an answer"),
    "silent": ("time.sleep(60)", "no answer within 2 s"),
}


@pytest.mark.parametrize("fault", BROKEN_PEERS)
def test_a_broken_peer_is_one_line(fault: str) -> None:
    act, message = BROKEN_PEERS[fault]
    script = "import os, socket, time; channel = socket.socket(fileno=int(os.environ['BOTD_BENCH_SOCKET'])); "
    peer = GnubgPeer("peer", "B", (sys.executable, "-c", script + act))
    with pytest.raises(PeerError, match=message) as raised, RunningPeer(peer, silence_s=2.0):
        pass
    assert "\n" not in str(raised.value)


def test_a_peer_that_stops_answering_is_one_line() -> None:
    script = (
        "import os, socket; channel = socket.socket(fileno=int(os.environ['BOTD_BENCH_SOCKET'])); "
        'channel.sendall(b\'{"kinds": ["static"]}\\n\'); channel.recv(10)'
    )
    with RunningPeer(GnubgPeer("peer", "B", (sys.executable, "-c", script))) as running:
        batch = running.contestant().batches[STATIC]
        with pytest.raises(PeerError, match="peer: "):
            batch([Task(STARTING_BOARD, (3, 1))])


def test_a_program_that_cannot_start_is_one_line() -> None:
    with (
        pytest.raises(PeerError, match="peer: No such file"),
        RunningPeer(GnubgPeer("peer", "B", ("/nowhere/gnubg",))),
    ):
        pass
