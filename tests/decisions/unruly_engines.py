"""Engines that misbehave on purpose, in a real worker process.

Each is the random player but for one vice, which a roll of 6-6 brings out.
They are named to the pool as `tests.decisions.unruly_engines:NAME`.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botd.engine.random_player import RandomPlayer
from botd.engine.types import PlayDecision

SPEC = "tests.decisions.unruly_engines:"


class Unruly(RandomPlayer):
    """Calls `vice(ply)` before it plays 6-6."""

    def __init__(self, vice: Callable[[int], None]) -> None:
        super().__init__()
        self._vice = vice

    def choose_play(self, board: Any, context: Any, dice: Any, **options: Any) -> PlayDecision:
        if tuple(dice) == (6, 6):
            self._vice(options["ply"])
        return super().choose_play(board, context, dice, **options)


def crash(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def first_time() -> bool:
    """Whether no worker of this test was here before: the file that BOTD_TEST_MARK names is new."""
    try:
        Path(os.environ["BOTD_TEST_MARK"]).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def crashing_once() -> Unruly:
    return Unruly(lambda ply: crash(ply) if first_time() else None)


def crashing_in_depth() -> Unruly:
    return Unruly(lambda ply: crash(ply) if ply > 0 else None)


def crashing_always() -> Unruly:
    return Unruly(crash)


def stopping_once() -> Unruly:
    """As if swapped out for ever: the process is stopped by the kernel."""
    return Unruly(lambda _: os.kill(os.getpid(), signal.SIGSTOP) if first_time() else None)


def slow() -> Unruly:
    """Ignores every deadline for a long time."""
    return Unruly(lambda _: time.sleep(300))


def raising() -> Unruly:
    def fail(_: int) -> None:
        raise RuntimeError("lost my head")

    return Unruly(fail)


def writing_garbage_once() -> Unruly:
    """Writes something into the channel to the daemon before the answer."""

    def write(_: int) -> None:
        if first_time():
            channels = [thing for thing in gc.get_objects() if isinstance(thing, socket.socket)]
            assert channels
            channels[0].sendall(b"\xff" * 64)

    return Unruly(write)


def out_of_time_in_depth() -> Unruly:
    def late(ply: int) -> None:
        if ply > 0:
            raise TimeoutError

    return Unruly(late)


def missing_weights() -> Unruly:
    raise FileNotFoundError("weights.bin: not found, expected 24 networks")


def dying_at_start() -> Unruly:
    os._exit(3)


def counted() -> RandomPlayer:
    """Leaves a line for every time it is loaded."""
    with Path(os.environ["BOTD_TEST_MARK"]).open("a") as file:
        file.write(f"{os.getpid()}\n")
    return RandomPlayer()


def with_a_thread() -> RandomPlayer:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    return counted()


def loading_for_ever() -> RandomPlayer:
    Path(os.environ["BOTD_TEST_MARK"]).write_text(f"{os.getpid()}\n")
    time.sleep(300)
    return RandomPlayer()


def refused_by_the_system() -> RandomPlayer:
    """No worker can be started while the marking file is there: the system finds no interpreter."""
    here = sys.executable

    def watch() -> None:
        while True:
            marked = Path(os.environ["BOTD_TEST_MARK"]).exists()
            sys.executable = "/nonexistent/python" if marked else here
            time.sleep(0.01)

    threading.Thread(target=watch, daemon=True).start()
    return RandomPlayer()
