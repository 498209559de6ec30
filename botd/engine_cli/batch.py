"""`batch`: one JSON request a line in, one JSON answer a line out, in the same order.

A bad line becomes an answer with an error. An answer is written as soon as it and all before it are there, so
a program may also ask one question at a time.
"""

from __future__ import annotations

import json
import multiprocessing
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from typing import Any

import msgspec

from botd.engine_cli.answers import answer
from botd.engine_cli.errors import AnswerError, ErrorKind
from botd.engine_cli.fields import Answer
from botd.engine_cli.requests import Request, Settings

MAX_LINE = 1 << 20
MAX_JOBS = 256
_READ_SIZE = 1 << 16
_WAITING_PER_JOB = 4


class PoolError(Exception):
    """Worker processes cannot be had on this system; says what is missing."""


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One line of input: a command, its arguments, and options that it overrides."""

    id: Any = None
    op: str = "reference"
    position_id: str | None = None
    match_id: str | None = None
    xgid: str | None = None
    dice: tuple[int, int] | None = None
    depth: int | None = None
    move: str | None = None
    action: str | None = None
    offer: int | None = None
    ply: int | None = None
    level: str | None = None
    evaluator: str | None = None
    mode: str | None = None
    budget_s: float | None = None
    profile: str | None = None


def split_lines(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Lines without their end; of a line longer than MAX_LINE only the first MAX_LINE + 1 bytes."""
    pending = bytearray()
    while chunk := read(_READ_SIZE):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            pending += piece[: MAX_LINE + 1 - len(pending)]
            yield bytes(pending)
            pending.clear()
        pending += rest[: MAX_LINE + 1 - len(pending)]
    if pending:
        yield bytes(pending)


def answer_line(line: bytes, settings: Settings) -> str:
    """The answer to one line as JSON text; never raises for anything that the line holds."""
    identity: Any = None
    try:
        fields = _decode(line)
        identity = fields.get("id")
        result: Answer = answer(_request(fields, settings))
    except AnswerError as error:
        result = {"error": {"kind": error.kind.value, "message": error.message}}
    return json.dumps({"id": identity, **result}, allow_nan=False)


def run_batch(
    read: Callable[[int], bytes], write: Callable[[str], object], settings: Settings, *, jobs: int
) -> None:
    """Answer every line that `read` gives, passing over empty ones; `jobs` > 1 uses as many processes.

    Raises PoolError if there can be none; errors of `read` and `write` come through.
    """
    lines = (line for line in split_lines(read) if line.strip())
    if jobs == 1:
        for line in lines:
            write(answer_line(line, settings) + "\n")
        return
    # A process is started afresh for each job: forking one that has threads is not safe.
    context = multiprocessing.get_context("spawn")
    try:
        executor = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker)
    except OSError as error:
        raise PoolError(f"--jobs {jobs}: semaphores in /dev/shm cannot be made: {error.strerror}") from error
    with executor as pool:
        answers: queue.Queue[Future[str] | BaseException | None] = queue.Queue(jobs * _WAITING_PER_JOB)

        def submit() -> None:
            try:
                for line in lines:
                    answers.put(pool.submit(answer_line, line, settings))
                answers.put(None)
            except BaseException as error:  # carried over to the writing thread, which raises it
                answers.put(error)

        # Reading has a thread of its own, so that answers do not wait for the next question.
        threading.Thread(target=submit, name="batch-reader", daemon=True).start()
        try:
            while (item := answers.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                write(item.result() + "\n")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _start_worker() -> None:
    """An interrupt from the terminal ends a worker at once, without a traceback of its own."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _decode(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE:
        raise AnswerError(ErrorKind.REQUEST, f"line: expected at most {MAX_LINE} bytes")
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise AnswerError(ErrorKind.REQUEST, f"line: expected one JSON object, got {error}") from error
    if not isinstance(fields, dict):
        raise AnswerError(ErrorKind.REQUEST, f"line: expected one JSON object, got {type(fields).__name__}")
    return fields


def _request(fields: dict[str, Any], settings: Settings) -> Request:
    try:
        line = msgspec.convert(fields, _Line)
    except (msgspec.ValidationError, RecursionError) as error:
        raise AnswerError(ErrorKind.REQUEST, f"line: {error}") from error
    if line.xgid is not None and line.position_id is not None:
        raise AnswerError(ErrorKind.REQUEST, "xgid: expected none beside a position_id")
    if line.ply is not None and line.level is not None:
        raise AnswerError(ErrorKind.REQUEST, "level: expected none beside a ply")
    overrides = {
        name: value
        for name in ("ply", "level", "evaluator", "mode", "budget_s", "profile")
        if (value := getattr(line, name)) is not None
    }
    if line.ply is not None:
        overrides["level"] = None  # it replaces a level of the command line
    return Request(
        op=line.op,
        settings=replace(settings, **overrides),
        position_id=line.position_id if line.xgid is None else _with_prefix(line.xgid),
        match_id=line.match_id,
        dice=line.dice,
        depth=line.depth,
        move=line.move,
        action=line.action,
        offer=line.offer,
    )


def _with_prefix(xgid: str) -> str:
    return xgid if xgid[:5].upper() == "XGID=" else f"XGID={xgid}"
