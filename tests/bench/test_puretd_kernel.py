"""Kernels are timed on every network of a folder; with a network of our own, of random numbers."""

from __future__ import annotations

import itertools
import random
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from botd import _core
from botd.bench.puretd_kernel import ARITHMETICS, kernel_speeds
from botd.bench.workload import Task, tasks_from_games
from botd.engine.engine import SageEngine
from botd.engine.network_file import Layer, NetworkFile, NetworkKind, write_network

INPUTS = 196
PRO_ROUND = 30 * 64


def network(sizes: tuple[int, ...]) -> NetworkFile:
    rng = random.Random(3)

    def numbers(count: int) -> bytes:
        return struct.pack(f"<{count}f", *(rng.gauss(0.0, 0.1) for _ in range(count)))

    shapes = itertools.pairwise((INPUTS, *sizes))
    layers = tuple(Layer(ins, outs, numbers(ins * outs), numbers(outs)) for ins, outs in shapes)
    return NetworkFile(NetworkKind.PROBABILITIES5, "perspective196", layers, "a test", "none")


@pytest.fixture(scope="module")
def tasks() -> Iterator[Task]:
    return tasks_from_games(SageEngine.load(), 4)


def test_every_network_with_every_arithmetic(tmp_path: Path, tasks: Iterator[Task]) -> None:
    write_network(network((32, 16, 5)), tmp_path / "small.net")
    (tmp_path / "notes.txt").write_text("no network")
    found = kernel_speeds(tmp_path, tasks, rounds=1)
    assert [(one.network, one.arithmetic) for one in found] == [("small", each) for each in ARITHMETICS]
    for one in found:
        assert one.parameters == 196 * 32 + 32 + 32 * 16 + 16 + 16 * 5 + 5
        assert one.boards == PRO_ROUND
        assert one.kernels in _core.dense_kernels()
        assert one.microseconds > 0
        assert 0 < one.checksum < one.boards


def test_a_folder_without_networks_is_named(tmp_path: Path, tasks: Iterator[Task]) -> None:
    with pytest.raises(FileNotFoundError, match="expected networks"):
        kernel_speeds(tmp_path, tasks, rounds=1)


def test_a_damaged_network_is_named(tmp_path: Path, tasks: Iterator[Task]) -> None:
    (tmp_path / "broken.net").write_bytes(b"botdnet1 and nothing else")
    with pytest.raises(_core.DataError, match=r"broken\.net"):
        kernel_speeds(tmp_path, tasks, rounds=1)
