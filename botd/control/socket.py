"""The local control socket: one JSON request a line, one JSON reply a line.

Only this user (and root) may use it: the file has mode 0600, and the kernel is asked who calls. Lines,
callers and their patience are bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import stat
import struct
from collections.abc import Mapping
from pathlib import Path

import msgspec
import structlog

from botd.control.commands import MAX_REQUEST, Commands
from botd.control.messages import Reply
from botd.daemon.locks import Lock, LockError

MAX_CALLERS = 16
MAX_PATH = 107
"""Bytes in the kernel's address of a UNIX socket."""
IDLE_LIMIT = 60.0
"""Seconds a caller may be silent, or not read its reply."""

log = structlog.get_logger("botd.control")


SERVICE_SOCKET = Path("/run/botd/botd.sock")
"""Where the systemd unit has it."""


class ControlSocketError(Exception):
    """The socket cannot be opened; says which and why."""


def default_path(environment: Mapping[str, str]) -> Path | None:
    """Where the socket is unless configured: the service's runtime folder, or the user's; None without."""
    service = environment.get("RUNTIME_DIRECTORY", "").split(":")[0]
    user = environment.get("XDG_RUNTIME_DIR", "")
    folder = service or user
    return Path(folder) / "botd.sock" if folder.startswith("/") else None


class ControlServer:
    """Serves `commands` on a UNIX socket between `start` and `stop`."""

    def __init__(self, commands: Commands, path: Path) -> None:
        self.path = path
        self._commands = commands
        self._lock: Lock | None = None
        self._server: asyncio.Server | None = None
        self._callers: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Raises ControlSocketError."""
        listener = self._listen()
        try:
            self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=MAX_REQUEST + 1)
        except BaseException:
            listener.close()
            self._release()
            raise

    async def stop(self) -> None:
        """End all conversations and remove the socket. May be called twice."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for task in tuple(self._callers):
            task.cancel()
        await asyncio.gather(*self._callers, return_exceptions=True)
        with contextlib.suppress(OSError):
            self.path.unlink()
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _listen(self) -> socket.socket:
        path = self.path
        if len(os.fsencode(path)) > MAX_PATH:
            raise ControlSocketError(
                f"control socket {path}: the path is longer than {MAX_PATH} bytes, the most a socket can have"
            )
        try:
            self._lock = Lock(path.with_name(f"{path.name}.lock"), f"control socket {path}")
        except LockError as error:
            raise ControlSocketError(str(error)) from error
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _remove_stale(path)
            before = os.umask(0o177)  # the file must never be open to others, not even for a moment
            try:
                listener.bind(os.fspath(path))
            finally:
                os.umask(before)
            listener.listen(MAX_CALLERS)
            listener.setblocking(False)
        except OSError as error:
            listener.close()
            self._release()
            raise ControlSocketError(f"control socket {path}: {error.strerror or error}") from error
        except BaseException:
            listener.close()
            self._release()
            raise
        return listener

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._callers.add(task)
        try:
            await self._converse(reader, writer)
        except (OSError, TimeoutError) as error:
            log.debug("control_caller_lost", error=str(error) or type(error).__name__)
        except asyncio.CancelledError:
            pass  # `stop`: the conversation ends, and the task with it
        finally:
            self._callers.discard(task)
            if writer.transport.get_write_buffer_size():
                writer.transport.abort()  # it does not read; closing would wait for it
            else:
                writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        caller = _user_of(writer)
        if caller not in (os.getuid(), 0):
            log.warning("control_caller_refused", uid=caller)
            return
        if len(self._callers) > MAX_CALLERS:
            await self._send(writer, Reply(ok=False, error="too many callers at once; try again"))
            return
        while True:
            async with asyncio.timeout(IDLE_LIMIT):
                try:
                    line = await reader.readline()
                except ValueError:
                    reply = Reply(ok=False, error=f"the request is longer than {MAX_REQUEST} bytes")
                    await self._send(writer, reply)
                    return
            if not line.endswith(b"\n"):
                return  # the caller has gone; half a line is no request
            if line.strip():
                await self._send(writer, await self._commands.run_json(line.strip(), f"uid {caller}"))

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply) -> None:
        writer.write(msgspec.json.encode(reply) + b"\n")
        async with asyncio.timeout(IDLE_LIMIT):
            await writer.drain()


def _remove_stale(path: Path) -> None:
    """Remove what a killed process left. Raises ControlSocketError for anything else."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode):
        raise ControlSocketError(f"control socket {path}: there is a file that is no socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
    raise ControlSocketError(f"control socket {path}: another program listens there")


def _user_of(writer: asyncio.StreamWriter) -> int:
    connection: socket.socket = writer.get_extra_info("socket")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", credentials)
    return int(user)
