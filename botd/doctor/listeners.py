"""Who listens on a port of this machine."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path

_LISTENING = "0A"


def try_to_listen(host: str, port: int) -> OSError | None:
    """Why nobody can listen there now; None if one can."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        return error
    for family, kind, protocol, _, address in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                # As asyncio does it: connections that have just ended do not count.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
                probe.listen(1)
        except OSError as error:
            return error
    return None


def holder_of(port: int) -> tuple[int, str] | None:
    """Process id and name of who listens on a port, as far as this user may see it."""
    inodes = _inodes(port)
    for folder in Path("/proc").iterdir() if inodes else ():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            for descriptor in (folder / "fd").iterdir():
                with contextlib.suppress(OSError):
                    if os.readlink(descriptor) in inodes:  # noqa: PTH115 - no file of that name
                        name = (folder / "comm").read_text(encoding="utf-8", errors="replace").strip()
                        return int(folder.name), name
    return None


def _inodes(port: int) -> set[str]:
    """The listening sockets of a port, as links below /proc/PID/fd name them."""
    found: set[str] = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    found.add(f"socket:[{fields[9]}]")
    return found
