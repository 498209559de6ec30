"""Ctrl-C and termination: at once where a search runs, and without a change of the caller's handlers."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from botd.engine_cli.interrupts import ended_at_once, ended_with_cleanup
from botd.engine_cli.main import main

START = ("4HPwATDgc/ABMA", "cAkAAAAAAAAA")
SECONDS = 120
DEEP = '{"id": 1, "position_id": "4HPwATDgc/ABMA", "match_id": "cAkAAAAAAAAA", "dice": [3, 1], "ply": 4}\n'
Block = Callable[[], AbstractContextManager[None]]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    for number, handler in before:
        signal.signal(number, handler)


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / 100


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--ply", "4", "bestmove", *START, "3", "1"], ""),
        (["--evaluator", "gnubg", "--filter", "none", "--ply", "4", "bestmove", *START, "3", "1"], ""),
        (["--ply", "4", "--threads", "2", "cube", *START], ""),
        (["perft", "5"], ""),
        (["batch"], DEEP),
    ],
)
def test_ctrl_c_does_not_wait_for_a_search(words: list[str], line: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "botd.engine_cli.main", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(line)
        process.stdin.flush()
        until = time.monotonic() + SECONDS
        while cpu_seconds(process) < 1.0 and time.monotonic() < until:  # imports take less than half of it
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == -signal.SIGINT  # one that waited would be 130
        assert process.communicate() == ("", "")
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("block", "number"), [(ended_at_once, signal.SIGINT), (ended_with_cleanup, signal.SIGTERM)]
)
def test_handlers_are_put_back_and_ignored_signals_stay_so(block: Block, number: signal.Signals) -> None:
    for before in (signal.default_int_handler, signal.SIG_DFL):
        signal.signal(number, before)
        with block():
            assert signal.getsignal(number) != signal.default_int_handler
        assert signal.getsignal(number) == before
    signal.signal(number, signal.SIG_IGN)
    with block():
        assert signal.getsignal(number) == signal.SIG_IGN


def test_a_request_to_terminate_unwinds() -> None:
    with pytest.raises(SystemExit) as exit_, ended_with_cleanup():
        signal.raise_signal(signal.SIGTERM)
    assert exit_.value.code == 128 + signal.SIGTERM


def test_a_command_may_run_in_any_thread(capsys: pytest.CaptureFixture[str]) -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(main, ["legal", START[0], "3", "1"]).result() == 0
    assert '"count": 16' in capsys.readouterr().out
