"""Memory of workers, measured on real pools and real peers."""

from __future__ import annotations

import os

import pytest

from botd.bench.fresh_process import Decider
from botd.bench.worker_memory import memory_of, own_memory, peer_memory, worker_memories
from tests.tolerances import MOST_WORKER_BYTES


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("spec", ["sage", "fast:sage", "gnubg"])
async def test_one_more_worker_is_small(spec: str, workers: int) -> None:
    memory = await own_memory(spec, workers)
    assert (memory.name, memory.own, memory.workers) == (spec, True, workers)
    assert 0 < memory.each.uss < MOST_WORKER_BYTES
    assert memory.each.uss < memory.each.pss
    assert memory.server is not None


def test_installed_peers_are_measured() -> None:
    found = worker_memories(workers=1)
    assert [each.name.split()[0] for each in found] == ["sage", "fast:sage", "gnubg", "Open", "gnubg"]
    assert [each.own for each in found] == [True, True, True, False, False]
    for peer in found[3:]:
        assert peer.each.uss > found[0].each.uss


def test_a_peer_that_fails_is_left_out() -> None:
    assert peer_memory(Decider("broken", "raise SystemExit(1)"), 1) is None


def test_memory_of_this_process_and_of_none() -> None:
    memory = memory_of(os.getpid())
    assert 1_000_000 < memory.uss <= memory.pss
    with pytest.raises(FileNotFoundError):
        memory_of(2**22 + 1)
