"""A worker process: answers one question after the other.

It is a fork of `forkserver`, whose engine it uses. Where that is not possible it is a fresh interpreter,
started as `python -m botd.decisions.worker FD PARENT ENGINE` with one end of a socket pair as descriptor FD.
It never outlives its parent: the kernel kills it with that, and the end of the socket ends it.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import signal
import socket
import sys
from collections.abc import Sequence

from botd.decisions import wire
from botd.decisions.engines import Engines
from botd.decisions.ladder import decide
from botd.engine.protocol import Engine, load_engine

_PR_SET_PDEATHSIG = 1


def main(arguments: Sequence[str]) -> int:
    descriptor, parent, spec = int(arguments[0]), int(arguments[1]), arguments[2]
    reset_signals()
    if not die_with(parent):
        return 0
    faulthandler.enable()
    work(descriptor, load_engine(spec))
    return 0


def work(descriptor: int, engine: Engine) -> None:
    """Say that the engine is there, and answer questions until the daemon closes its end."""
    with socket.socket(fileno=descriptor) as channel, contextlib.suppress(BrokenPipeError, ConnectionError):
        channel.sendall(wire.frame(wire.Ready(engine.info)))
        serve(channel, Engines(engine))


def serve(channel: socket.socket, engines: Engines) -> None:
    """Answer questions until the daemon closes its end."""
    with channel.makefile("rb") as questions:
        while len(header := questions.read(wire.HEADER.size)) == wire.HEADER.size:
            length = wire.body_length(header)
            body = questions.read(length)
            if len(body) < length:
                return
            question = wire.decode_question(body)
            if isinstance(question, wire.Ping):
                channel.sendall(wire.frame(wire.Pong(question.id)))
            else:
                channel.sendall(wire.frame(decide(engines, question)))


def reset_signals() -> None:
    """Nothing of the daemon's signal handling may live on here: it decides when workers end."""
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def die_with(parent: int) -> bool:
    """Let the kernel kill this process when its parent ends; False if the parent is gone already.

    Where the kernel cannot (not Linux), the end of the socket ends the worker after its search.
    """
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    return os.getppid() == parent


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
