"""CPU time from the start of a process to its first decision, at 0-ply.

A fresh interpreter loads an engine, decides and ends; the kernel says what it used, in user and system mode.
Files are in the page cache and modules compiled, as after an installation: the first round, which sees to
that, is not counted.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from botd.bench.fresh_process import deciders

INTERPRETER = "Python alone"


@dataclass(frozen=True, slots=True)
class StartTime:
    name: str
    own: bool
    seconds: float
    """Median over rounds."""
    rounds: tuple[float, ...]


def start_times(*, rounds: int = 5, peers: bool = True) -> list[StartTime]:
    """Of a bare interpreter, of our engines and of installed peers, one after the other in each round.

    A peer that fails is left out. RuntimeError if one of ours fails.
    """
    candidates: list[tuple[str, bool, Sequence[str]]] = [
        (INTERPRETER, False, [sys.executable, "-P", "-c", ""])
    ]
    candidates += [(each.name, each.spec is not None, each.command(0)) for each in deciders(peers=peers)]
    used: dict[tuple[str, bool], list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="botd-bench-") as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for counted in (False, *[True] * rounds):
            for name, own, command in candidates:
                seconds = cpu_seconds(command, environment)
                if seconds is None and own:
                    raise RuntimeError(f"{name}: no first decision")
                if seconds is not None and counted:
                    used.setdefault((name, own), []).append(seconds)
    return [
        StartTime(name, own, statistics.median(seconds), tuple(seconds))
        for (name, own), seconds in used.items()
    ]


def cpu_seconds(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float | None:
    """CPU time that a command took; None if it failed."""
    with subprocess.Popen(  # noqa: S603 - a command of ours
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return None if process.returncode else usage.ru_utime + usage.ru_stime
