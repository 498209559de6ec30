"""Bytes of the line transport to single events, however they are divided."""

from __future__ import annotations

from collections.abc import Iterator

MAX_LINE = 1 << 20
"""A longer line is skipped to its end: the stream stays in step, memory stays bounded."""


class LineReader:
    def __init__(self) -> None:
        self._line = bytearray()
        self._skipped = 0

    def feed(self, data: bytes) -> Iterator[bytes | int]:
        """Add bytes; yield the complete lines without their ends, for one skipped its length."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._add(data[start:end])
            start = end + 1
            if self._skipped:
                length, self._skipped = self._skipped, 0
                yield length
            else:
                line = bytes(self._line).rstrip(b"\r")
                self._line.clear()
                yield line
        self._add(data[start:])

    def _add(self, data: bytes) -> None:
        if self._skipped or len(self._line) + len(data) > MAX_LINE:
            self._skipped += len(self._line) + len(data)
            self._line.clear()
        else:
            self._line += data
