"""HTTP as bytes, so that wrong requests can be sent."""

from __future__ import annotations

import asyncio

from botd.web.server import HttpServer


async def exchange(server: HttpServer, request: bytes) -> bytes:
    """Everything the server answers to `request` until it closes."""
    reader, writer = await asyncio.open_connection(*server.addresses[0])
    try:
        writer.write(request)
        await writer.drain()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def get(server: HttpServer, path: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """(status, headers, body)."""
    answer = await exchange(server, f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body
