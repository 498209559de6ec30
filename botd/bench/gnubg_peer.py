"""GNU Backgammon as a black box to measure: a Python package or the program, in a process of its own.

All answer through `gnubg_script.py`, which times the bare calls in CPU seconds of its process, so that
neither start-up nor the way here and back counts.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from botd.bench.batches import LEGAL, PLIES, SIBLINGS, STATIC, Batch, Contestant, Timing, checker, cube
from botd.bench.own import gnubg_name, results_of_rolls
from botd.bench.workload import Task
from botd.engine import position_id
from botd.engine.rules import mirrored
from botd.engine.types import Board
from botd.engine_cli.compare.gnubg_program import find_program, program_version
from botd.engine_cli.errors import AnswerError

SILENCE_S = 600.0
"""Longest wait for one round; the program needs some 10 ms of elapsed time for every call."""
_END_S = 5.0
_PROGRAM_LIMIT = 200
_SCRIPT = Path(__file__).with_name("gnubg_script.py")
_MAX_LINE_BYTES = 16_000_000
_T = TypeVar("_T")


class PeerError(RuntimeError):
    """The peer cannot be measured; the message, one line, says why."""


class _Abilities(msgspec.Struct, frozen=True):
    kinds: list[str]


class _Answer(msgspec.Struct, frozen=True):
    seconds: float
    equities: list[float]


@dataclass(frozen=True, slots=True)
class GnubgPeer:
    """An installed GNU Backgammon."""

    name: str
    profile: str
    """`A` (1.07, weights 1.00) or `B` (1.08, weights 1.01): which of our evaluator's profiles it equals."""
    command: tuple[str, ...]
    module: str = "gnubg"
    """What the script imports there."""
    limit: int | None = None
    """Most tasks a round."""


def installed_package(name: str = "gnubg") -> GnubgPeer | None:
    """A Python package, `gnubg` (a build of 1.08) or `gnubg-nn` (its networks and rules alone, of 1.08 too);
    None where it is not installed. It is not imported."""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
    # -I: nothing of this folder or of the user's can stand in for the package.
    command = (sys.executable, "-I", str(_SCRIPT))
    return GnubgPeer(f"{name} {version}", "B", command, name.replace("-", "_"))


def installed_program() -> GnubgPeer | None:
    """The program gnubg, such as Debian's; None where it is not installed."""
    try:
        program = find_program()
    except AnswerError:
        return None
    version = program_version(program)
    numbers = re.match(r"(\d+)\.(\d+)", version)
    old = numbers is None or (int(numbers[1]), int(numbers[2])) < (1, 8)
    name = f"gnubg {version or 'program'}"
    command = (program, "-t", "-q", "-r", "-p", str(_SCRIPT))
    return GnubgPeer(name, "A" if old else "B", command, limit=_PROGRAM_LIMIT)


class RunningPeer:
    """A peer's process, from entering the context to leaving it.

    Raises PeerError, also from its batches, if it fails or is silent.
    """

    def __init__(self, peer: GnubgPeer, *, silence_s: float = SILENCE_S) -> None:
        self._peer = peer
        self._silence_s = silence_s
        self._resources = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            home = stack.enter_context(tempfile.TemporaryDirectory(prefix="botd-bench-"))
            ours, theirs = socket.socketpair()
            stack.enter_context(ours)
            with theirs:
                process = self._started(home, theirs)
            stack.callback(_end, process)
            ours.settimeout(self._silence_s)
            # Closing our end is how the script is told to stop: before the process is waited for.
            stack.callback(ours.close)
            self._stream = stack.enter_context(ours.makefile("rwb"))
            self.kinds = self._read(_Abilities).kinds
            self._resources = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._resources.close()

    def contestant(self) -> Contestant:
        """What it can be asked, by kind of work."""
        kinds = {STATIC: ("static", 0), LEGAL: ("legal", 0)}
        kinds |= {checker(ply): ("play", ply) for ply in PLIES}
        kinds |= {cube(ply): ("cube", ply) for ply in PLIES}
        batches = {name: self._batch(kind, ply) for name, (kind, ply) in kinds.items() if kind in self.kinds}
        if "siblings" in self.kinds:
            batches[SIBLINGS] = self._all_plays
        return Contestant(self._peer.name, gnubg_name(self._peer.profile), batches, limit=self._peer.limit)

    def _started(self, home: str, theirs: socket.socket) -> subprocess.Popen[bytes]:
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        channel = {"BOTD_BENCH_SOCKET": str(theirs.fileno()), "BOTD_BENCH_MODULE": self._peer.module}
        try:
            return subprocess.Popen(  # noqa: S603 - a program of ours to find, arguments of ours
                self._peer.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=home,
                env={**kept, "HOME": home, "LC_ALL": "C.UTF-8", "TERM": "dumb", **channel},
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError as error:
            raise PeerError(f"{self._peer.name}: {error.strerror}") from error

    def _batch(self, kind: str, ply: int) -> Batch:
        def run(tasks: Sequence[Task]) -> Timing:
            answer = self._ask(kind, ply, [(task.board, task.dice) for task in tasks])
            return Timing(answer.seconds, answer.equities, len(tasks))

        return run

    def _all_plays(self, tasks: Sequence[Task]) -> Timing:
        """Static values of the results of each roll; it has no call for them, so one by one."""
        rolls = results_of_rolls(tasks)
        boards = [mirrored(board) for results in rolls for board in results]
        answer = self._ask("siblings", 0, [(board, (1, 1)) for board in boards])
        equities = iter(answer.equities)
        sums = [-sum(itertools.islice(equities, len(results))) for results in rolls]
        return Timing(answer.seconds, sums, len(boards))

    def _ask(self, kind: str, ply: int, positions: Sequence[tuple[Board, tuple[int, int]]]) -> _Answer:
        asked = [(position_id.encode(board), dice) for board, dice in positions]
        request = json.dumps({"kind": kind, "ply": ply, "positions": asked})
        try:
            self._stream.write(request.encode("ascii") + b"\n")
            self._stream.flush()
        except OSError as error:
            raise PeerError(f"{self._peer.name}: takes no more questions") from error
        answer = self._read(_Answer)
        if len(answer.equities) != len(positions):
            raise PeerError(
                f"{self._peer.name}: {len(answer.equities)} answers to {len(positions)} positions"
            )
        return answer

    def _read(self, kind: type[_T]) -> _T:
        try:
            line = self._stream.readline(_MAX_LINE_BYTES)
        except TimeoutError as error:
            raise PeerError(f"{self._peer.name}: no answer within {self._silence_s:g} s") from error
        except OSError as error:
            raise PeerError(f"{self._peer.name}: ended without an answer") from error
        if not line.endswith(b"\n"):
            raise PeerError(f"{self._peer.name}: ended without an answer")
        try:
            return msgspec.json.decode(line, type=kind)
        except msgspec.MsgspecError as error:
            raise PeerError(f"{self._peer.name}: an answer that is none: {error}") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
