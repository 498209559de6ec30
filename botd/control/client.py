"""Talk to the control socket of a running daemon, without an event loop."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import msgspec

from botd.control.messages import AnyRequest, Reply

MAX_REPLY = 1 << 20


class ControlError(Exception):
    """The daemon cannot be reached or does not answer; says where and why."""


def ask(path: Path, request: AnyRequest, *, timeout_s: float) -> Reply:
    """Send one request and wait for its reply. Raises ControlError."""
    line = msgspec.json.encode(request) + b"\n"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.connect(os.fspath(path))
            connection.sendall(line)
            answer = _line(connection)
        except TimeoutError:
            raise ControlError(f"{path}: no answer within {timeout_s:g} s") from None
        except (FileNotFoundError, ConnectionRefusedError):
            raise ControlError(f"{path}: no botd listens there") from None
        except OSError as error:
            raise ControlError(f"{path}: {error.strerror or error}") from error
    try:
        return msgspec.json.decode(answer, type=Reply)
    except (msgspec.DecodeError, RecursionError):
        raise ControlError(f"{path}: answered with something that is no reply of botd") from None


def as_map(reply: Reply) -> dict[str, Any]:
    """The reply as plain values, as it came over the socket."""
    plain: dict[str, Any] = msgspec.to_builtins(reply)
    return plain


def _line(connection: socket.socket) -> bytes:
    answer = b""
    while not answer.endswith(b"\n"):
        part = connection.recv(65536)
        if not part:
            raise ConnectionAbortedError(0, "the daemon closed the connection without an answer")
        answer += part
        if len(answer) > MAX_REPLY:
            raise OSError(0, "an answer without end")
    return answer
