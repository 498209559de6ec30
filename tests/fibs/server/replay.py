"""Replay a transcript from the server's side: send its C lines, find its S lines in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .harness import TRANSCRIPTS, World

_WHO = re.compile(r"(5 \S+ .*|6)$")
_IAC = {"<IAC WILL ECHO>": "\xff\xfb\x01", "<IAC WONT ECHO>": "\xff\xfc\x01"}


@dataclass(frozen=True)
class Item:
    number: int
    kind: str
    """`S`, `S~`, `C` or `!`."""
    text: str


def items(name: str, start: str = "", stop: str = "") -> list[Item]:
    """The lines of a transcript; from the remark that contains `start` to the one that contains `stop`."""
    found: list[Item] = []
    active = not start
    text = (TRANSCRIPTS / name).read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            if stop and active and stop in line:
                break
            active = active or (bool(start) and start in line)
            if active and line.startswith("# !disconnect"):
                found.append(Item(number, "!", ""))
            continue
        kind, _, rest = line.partition(":")
        if active:
            found.append(Item(number, kind, rest[1:]))
    return found


class Replayer:
    """Steps through items; `act` lets the other players do their part before expected server lines.

    Who records that the transcript does not show and blank lines are skipped: the protocol lets them
    come at any time. Every other line of the server has to be in the transcript.
    """

    def __init__(self, world: World, name: str, todo: list[Item]) -> None:
        self.world = world
        self.name = name
        self.todo = todo
        self.conn = 0
        self.matched = 0

    def run(self, act: Callable[[Item], None]) -> None:
        got: Iterator[str] = iter(())
        for item in self.todo:
            if item.kind == "C":
                self._nothing_left(got, item)
                self.world.send(self.conn, item.text)
                got = iter(self._lines())
                continue
            if item.kind == "!":
                self._nothing_left(got, item)
                act(item)
                continue
            if not item.text.strip():
                continue
            while True:
                line = next(got, None)
                if line is None:
                    act(item)
                    got = iter(self._lines())
                    line = next(got, None)
                assert line is not None, f"{self.name}:{item.number}: nothing came, expected {item.text!r}"
                if line == self._wanted(item):
                    self.matched += 1
                    break
                assert _WHO.match(line), f"{self.name}:{item.number}: {line!r}, expected {item.text!r}"
        self._nothing_left(got, self.todo[-1])

    @staticmethod
    def _wanted(item: Item) -> str:
        text = item.text
        for shown, real in _IAC.items():
            text = text.replace(shown, real)
        return text.rstrip()

    def _lines(self) -> list[str]:
        return [line.rstrip() for line in self.world.read(self.conn) if line.strip()]

    def _nothing_left(self, got: Iterator[str], item: Item) -> None:
        rest = [line for line in [*got, *self._lines()] if not _WHO.match(line)]
        assert not rest, f"{self.name}:{item.number}: unexpected {rest}"
