"""Bytes from the server to clean lines: telnet bytes, control characters, prompts, limits, glued lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_LINE = 64 * 1024
"""A line longer than this is an attack or a fault; `LineTooLong` ends the connection."""
LOGIN_PROMPT = "login: "

_IAC = 0xFF
_TELNET_PAIRS = range(0xFB, 0xFF)  # WILL, WONT, DO, DONT: one option byte follows
_CONTROL = {code: None for code in range(0x100) if not chr(code).isprintable() and code != 0x09}
"""Those of the upper half too: a terminal may obey them, and a server may send them as part of a name."""
_DROPPED = bytes(code for code in range(0x20) if code != 0x09)
"""Bytes that never become part of a line."""


class LineTooLong(ValueError):
    """The server sent more than `MAX_LINE` characters without a line end."""


class LineReader:
    """Cuts a byte stream into lines. However the bytes are divided, the lines are the same."""

    def __init__(self) -> None:
        self.expect_login = True
        """Whether `login: ` at the beginning of a line, which has no line end, is a prompt."""
        self._input = bytearray()
        self._line = bytearray()
        self._telnet = b""

    @property
    def tail(self) -> str:
        """What has come of a line whose end has not: where a prompt stands, if there is one."""
        return self._line.decode("latin-1").translate(_CONTROL)

    def drop_tail(self) -> None:
        """The tail was a prompt, and no part of the line that follows."""
        self._line.clear()

    def feed(self, data: bytes) -> Iterator[str]:
        """Add bytes; yield the lines they complete. `LOGIN_PROMPT` stands for the prompt.

        Raises LineTooLong. The reader looks at `expect_login` anew for every line.
        """
        self._input += data
        while self._input:
            taken, ended = self._take()
            del self._input[:taken]
            while self.expect_login and self._prompt_complete():
                yield LOGIN_PROMPT
            if ended:
                line = self._line.decode("latin-1")
                self._line.clear()
                yield clean(line)
            elif len(self._line) > MAX_LINE:
                self._line.clear()
                self._input.clear()
                raise LineTooLong(f"expected a line end within {MAX_LINE} characters")

    def _take(self) -> tuple[int, bool]:
        """Move input into the line up to a line end, or a little; returns bytes used and whether it ended."""
        return self._take_whole() or self._take_bytewise()

    def _take_whole(self) -> tuple[int, bool] | None:
        """Up to the line end at once; None where single bytes matter: telnet, prompt, overlong lines."""
        if self._telnet or self.expect_login:
            return None
        end = self._input.find(b"\n")
        part = self._input if end < 0 else self._input[:end]
        if _IAC in part or len(self._line) + len(part) > MAX_LINE:
            return None
        self._line += part.translate(None, _DROPPED)
        return len(part) + (end >= 0), end >= 0

    def _take_bytewise(self) -> tuple[int, bool]:
        for index, byte in enumerate(self._input):
            if self._telnet:
                if len(self._telnet) == 1 and byte in _TELNET_PAIRS:
                    self._telnet += bytes((byte,))
                    continue
                if len(self._telnet) == 1 and byte == _IAC:
                    self._line.append(_IAC)
                self._telnet = b""
            elif byte == _IAC:
                self._telnet = b"\xff"
            elif byte == 0x0A:
                return index + 1, True
            elif byte >= 0x20 or byte == 0x09:
                self._line.append(byte)
                if (byte == 0x20 and self.expect_login and len(self._line) < 64) or len(
                    self._line
                ) > MAX_LINE:
                    return index + 1, False
        return len(self._input), False

    def _prompt_complete(self) -> bool:
        text = strip_prompts(self._line.decode("latin-1"))
        if text != LOGIN_PROMPT:
            return False
        self._line.clear()
        return True


def strip_prompts(line: str) -> str:
    """Without the `> ` prompts some servers put in front."""
    while line.startswith("> "):
        line = line[2:]
    return line


def clean(line: str) -> str:
    """Without prompts, control characters and trailing blanks."""
    if not line.isprintable():
        line = line.translate(_CONTROL)
    return strip_prompts(line).rstrip()


def escape(text: str) -> str:
    """Text of another person, safe to log and print: control characters written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)[:2000]


_BOARD_START = re.compile(r"board:[^:\s]{1,64}:[^:\s]{1,64}:[0-9]{1,9}:")
# A sentence that ended and what got stuck to it. The first group stays on the line.
_GLUE = (
    re.compile(r"((?:You accept|\S+ accepts) the double\. *The cube shows [0-9]{1,9}\.) *(?=\S)"),
    re.compile(r"(\S+ accepts the double\.)(?=[0-9]+ )"),
    re.compile(r"(You win the game and gets? [0-9]{1,9} points?\. Congratulations?!) *(?=\S)"),
    re.compile(r"(\S+ wins the game and gets [0-9]{1,9} points?\.(?: Sorry\.)?) *(?=\S)(?! *Sorry)"),
    re.compile(r"((?:\S+ gives? up\. )(?:You win|\S+ wins) [0-9]{1,9} points?\.) *(?=\S)"),
    re.compile(
        r"(You accept and win [0-9]{1,9} points?\.|\S+ accepts and wins [0-9]{1,9} points?\.) *(?=\S)"
    ),
    re.compile(r"(Bearing off:(?: [0-9]{1,2} o)+) +(?=[^\s0-9])"),
    re.compile(r"((?:You roll|\S+ rolls) [1-6] and [1-6]\.) *(?=\S)"),
)
# Text of people that is not numbered; nothing in it is the server's.
_FREE_TEXT = re.compile(r"\S+ is away:|\*\* You tell |\S+ (?:says|shouts|kibitzes|whispers): ")


def split_glued(line: str) -> list[str]:
    """The messages in one line: servers sometimes lose a line end. Not for chat."""
    if _FREE_TEXT.match(line):
        return [line]
    parts: list[str] = []
    while True:
        if line.startswith("board:"):
            head, blank, rest = line.partition(" ")
            parts.append(head)
            if not blank or not rest.strip():
                return parts
            line = rest.strip()
            continue
        cut = next((m.end() for pattern in _GLUE if (m := pattern.match(line))), 0)
        if "board:" in line and (board := _BOARD_START.search(line)):
            cut = min(cut, board.start()) if cut else board.start()
        if not cut:
            parts.append(line)
            return parts
        parts.append(line[:cut].rstrip())
        line = line[cut:].lstrip()
