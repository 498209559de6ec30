"""How long a deep network takes for a board, by the kernels of the evaluator puretd, in batches of 64."""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from botd import _core
from botd.bench.runner import Progress
from botd.bench.workload import Task
from botd.engine.network_file import NetworkFile, read_network, write_network
from botd.engine.puretd_file import read_puretd
from botd.engine.types import Board

BATCH = 64
FOLDER_VARIABLE = "BOTD_PURETD_DIR"
"""Environment variable with the folder of PureTD's files (`.pt`) or of networks in botd's format (`.net`)."""
ARITHMETICS = ("int16", "float")
_BATCHES_A_ROUND = 30


@dataclass(frozen=True, slots=True)
class KernelSpeed:
    """One network with one arithmetic; the Python interface counts in."""

    network: str
    kernels: str
    arithmetic: str
    parameters: int
    microseconds: float
    """Of CPU time for a board; median over rounds."""
    boards: int
    checksum: float
    """Sum of the first outputs."""


def kernel_speeds(
    folder: Path,
    tasks: Iterator[Task],
    *,
    rounds: int,
    progress: Progress = lambda done, what: None,
) -> list[KernelSpeed]:
    """Of every network in the folder, on boards of games, none of them twice.

    Raises FileNotFoundError if there is none, DataError, a ValueError, for a damaged one.
    """
    paths = sorted(path for path in folder.glob("*") if path.suffix in (".pt", ".net"))
    if not paths:
        raise FileNotFoundError(f"{folder}: expected networks, files .pt or .net, found none")
    speeds: list[KernelSpeed] = []
    for number, path in enumerate(paths):
        progress(number / len(paths), path.name)
        network = read_puretd(path) if path.suffix == ".pt" else read_network(path)
        speeds.extend(_measured(path.stem, network, arithmetic, tasks, rounds) for arithmetic in ARITHMETICS)
    return speeds


def _measured(
    name: str, network: NetworkFile, arithmetic: str, tasks: Iterator[Task], rounds: int
) -> KernelSpeed:
    with tempfile.TemporaryDirectory(prefix="botd-bench-") as folder:
        path = Path(folder, "network.net")
        write_network(network, path)
        evaluator = _core.PuretdEvaluator.load(path, arithmetic=arithmetic)
    evaluator.outputs(_boards(tasks))  # loads what is loaded late
    sums: list[float] = []
    seconds: list[float] = []
    for _ in range(rounds):
        batches = [_boards(tasks) for _ in range(_BATCHES_A_ROUND)]
        start = time.process_time()
        given = [evaluator.outputs(boards) for boards in batches]
        seconds.append((time.process_time() - start) / (_BATCHES_A_ROUND * BATCH))
        sums.extend(outputs[0] for batch in given for outputs in batch)
    return KernelSpeed(
        network=name,
        kernels=evaluator.kernels,
        arithmetic=arithmetic,
        parameters=network.parameters,
        microseconds=1e6 * statistics.median(seconds),
        boards=len(sums),
        checksum=math.fsum(sums),
    )


def _boards(tasks: Iterator[Task]) -> Sequence[Board]:
    return [next(tasks).board for _ in range(BATCH)]
