"""Asks an installed GNU Backgammon, as a black box in a process of its own.

The program runs our script in its own Python. It gets a home folder of its own and no input, and is ended if
it falls silent; what it prints is not looked at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from botd.engine_cli.compare.cases import Case, PositionValue
from botd.engine_cli.errors import AnswerError, ErrorKind

SILENCE_S = 120.0
"""Longest wait for one position; 2 plies take the program about a second."""
_START_S = 60.0
_POLL_S = 0.05
_PROGRAMS = ("gnubg", "/usr/games/gnubg", "/usr/local/bin/gnubg")
_SCRIPT = Path(__file__).with_name("gnubg_script.py")
_MAX_ANSWER_BYTES = 16_000_000


class _Answer(msgspec.Struct, frozen=True):
    index: int
    plies: dict[str, PositionValue] = {}
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ProgramAnswer:
    """What the program says about a case, or why it says nothing."""

    index: int
    plies: dict[int, PositionValue]
    error: str | None


def find_program() -> str:
    """Path of the program; AnswerError, kind `data`, if there is none."""
    for name in _PROGRAMS:
        path = shutil.which(name)
        if path is not None:
            return path
    raise AnswerError(
        ErrorKind.DATA,
        f"gnubg: no such program, tried {', '.join(_PROGRAMS)}; expected gnubg (apt install gnubg)",
    )


def program_version(program: str) -> str:
    """Such as `1.07.001`; empty if it does not say."""
    with tempfile.TemporaryDirectory(prefix="botd-gnubg-") as folder:
        try:
            done = subprocess.run(  # noqa: S603 - a program of ours to find, arguments of ours
                [program, "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=_environment(Path(folder)),
                timeout=_START_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
    match = re.search(rb"GNU Backgammon ([0-9][0-9.]{0,20})", done.stdout[:4096])
    return match[1].decode("ascii") if match else ""


def ask_program(
    program: str, cases: list[Case], plies: list[int], *, silence_s: float = SILENCE_S
) -> Iterator[ProgramAnswer]:
    """What the program says about each case, in order, at the given depths.

    A position at which the program ends or falls silent is answered with an error and the rest asked of a
    new process. Identifiers must be known to be well-formed. Raises AnswerError, kind `data`, if the program
    answers nothing at all.
    """
    done, ever = 0, False
    while done < len(cases):
        trouble = ""
        with tempfile.TemporaryDirectory(prefix="botd-gnubg-") as folder:
            run = _Run(program, Path(folder))
            try:
                run.start(cases, plies, first=done)
                for answer in run.answers(silence_s):
                    if answer.index != done:
                        trouble = f"answer to position {answer.index} where {done} was asked"
                        break
                    ever = True
                    done += 1
                    yield answer
                    if done == len(cases):
                        return
                else:
                    trouble = run.trouble
            finally:
                run.end()
        if not ever:
            raise AnswerError(
                ErrorKind.DATA, f"{program}: {trouble}; expected gnubg 1.06 or later with Python scripting"
            )
        yield ProgramAnswer(done, {}, trouble)
        done += 1


class _Run:
    """One process."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.trouble = ""

    def start(self, cases: list[Case], plies: list[int], *, first: int) -> None:
        requests = self._folder / "requests.jsonl"
        with requests.open("w", encoding="ascii") as file:
            for index, case in enumerate(cases[first:], start=first):
                identifiers = {"position_id": case.position_id, "match_id": case.match_id}
                file.write(json.dumps({"index": index, **identifiers, "plies": plies}) + "\n")
        environment = _environment(self._folder)
        environment["BOTD_REQUESTS"] = str(requests)
        environment["BOTD_ANSWERS"] = str(self._folder / "answers.jsonl")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - as above
                [self._program, "-t", "-q", "-r", "-p", str(_SCRIPT)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self._folder,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise AnswerError(ErrorKind.DATA, f"{self._program}: {error.strerror}") from error

    def answers(self, silence_s: float) -> Iterator[ProgramAnswer]:
        """Answers as they are written, until the program ends or is silent; `trouble` says which."""
        path = self._folder / "answers.jsonl"
        position, last = 0, time.monotonic()
        wait = silence_s + _START_S
        while True:
            ended = self._process is None or self._process.poll() is not None
            data = b""
            if path.exists():
                with path.open("rb") as file:
                    file.seek(position)
                    data = file.read(_MAX_ANSWER_BYTES)
            lines, _, _ = data.rpartition(b"\n")
            if lines:
                position += len(lines) + 1
                for line in lines.split(b"\n"):
                    try:
                        answer = _decoded(line)
                    except (msgspec.MsgspecError, ValueError) as error:
                        self.trouble = f"an answer that is none: {error}"
                        return
                    yield answer
                last, wait = time.monotonic(), silence_s
            elif ended:
                self.trouble = "the program ended without an answer"
                return
            elif time.monotonic() - last > wait or len(data) >= _MAX_ANSWER_BYTES:
                self.trouble = f"no answer within {wait:g} s"
                return
            else:
                time.sleep(_POLL_S)

    def end(self) -> None:
        if self._process is None:
            return
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _environment(home: Path) -> dict[str, str]:
    """A small environment: no display, numbers with a point, nothing of the user's settings."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "dumb"}


def _decoded(line: bytes) -> ProgramAnswer:
    answer = msgspec.json.decode(line, type=_Answer)
    return ProgramAnswer(answer.index, {int(ply): value for ply, value in answer.plies.items()}, answer.error)
