"""The process that workers come from: loads the engine once and forks a worker whenever it is told to.

Started as `python -m botd.decisions.forkserver FD PARENT ENGINE` with one end of a pair of packet sockets as
descriptor FD. What the engine has read and built lies in memory that all workers share, and a lost worker is
replaced without loading anything. This process has one thread and runs nothing but the loop below, so a fork
copies no lock that somebody holds; with an engine that starts threads when it is loaded, workers are fresh
interpreters instead.

It ends with PARENT or with the socket, and its workers with it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from botd.decisions import wire
from botd.decisions.worker import die_with, reset_signals, work
from botd.engine.protocol import Engine, load_engine

_PACKET = 4096
"""Bytes; orders are much shorter."""


def main(arguments: Sequence[str]) -> int:
    descriptor, parent, spec = int(arguments[0]), int(arguments[1]), arguments[2]
    reset_signals()
    if not die_with(parent):
        return 0
    faulthandler.enable()
    with socket.socket(fileno=descriptor) as control, contextlib.suppress(ConnectionError):
        control.set_inheritable(False)
        try:
            engine = load_engine(spec)
        except Exception as error:
            control.send(wire.packet(wire.NotReady(f"{type(error).__name__}: {error}")))
            return 1
        control.send(wire.packet(wire.Ready(engine.info)))
        ForkServer(control, engine, spec).run()
    return 0


class ForkServer:
    """Forks, passes signals on, and tells how workers ended. Signals go to its own children only, and to none
    that it has buried: a number can never mean another process."""

    def __init__(self, control: socket.socket, engine: Engine, spec: str) -> None:
        self._control = control
        self._engine = engine
        self._spec = spec
        self._children: set[int] = set()
        self._woken, self._wake = socket.socketpair()
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        """Obey until the daemon closes its end."""
        for end in (self._woken, self._wake):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # so that a child's end wakes the selector
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        gc.collect()
        gc.freeze()  # a collection in a worker must not write to what it shares
        self._selector.register(self._control, selectors.EVENT_READ, self._obey)
        self._selector.register(self._woken, selectors.EVENT_READ, self._bury)
        while all(key.data() for key, _ in self._selector.select()):
            pass

    def _obey(self) -> bool:
        """Carry out one order; False when there will be no more."""
        body, descriptors, _, _ = socket.recv_fds(self._control, _PACKET, 1)
        if not body:
            return False
        order = wire.decode_order(body)
        if isinstance(order, wire.Spawn):
            self._tell(self._spawned(order.id, descriptors))
        elif order.pid in self._children:
            os.kill(order.pid, order.number)
        return True

    def _spawned(self, id_: int, descriptors: Sequence[int]) -> wire.Report:
        """Start a worker on the descriptor that came along."""
        if len(descriptors) != 1:  # no room for another open file here
            return wire.NotSpawned(id_, "the descriptor did not arrive")
        try:
            self._children.add(pid := self._start(descriptors[0]))
        except OSError as error:  # no more processes or memory, for example
            return wire.NotSpawned(id_, str(error))
        finally:
            os.close(descriptors[0])
        return wire.Spawned(id_, pid)

    def _start(self, channel: int) -> int:
        """Process number of a new worker that answers on the descriptor `channel`."""
        if _threads() > 1:
            os.set_inheritable(channel, True)
            arguments = [str(channel), str(os.getpid()), self._spec]
            command = [sys.executable, "-P", "-m", "botd.decisions.worker", *arguments]
            return os.posix_spawn(sys.executable, command, os.environ)
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._become_worker(channel, server)
        return pid

    def _become_worker(self, channel: int, server: int) -> None:
        """Never returns."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for end in (self._control, self._woken, self._wake, self._selector):
                end.close()
            if die_with(server):
                work(channel, self._engine)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def _bury(self) -> bool:
        """Tell of every child that has ended."""
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(_PACKET)
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                self._children.discard(pid)
                self._tell(wire.Ended(pid, os.waitstatus_to_exitcode(status)))
        return True

    def _tell(self, report: wire.Report) -> None:
        self._control.send(wire.packet(report))


def _threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
