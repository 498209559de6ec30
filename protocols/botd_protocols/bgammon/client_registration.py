"""Making an account on a bgammon server: one command, answered by a welcome or a reason. Sans-I/O."""

from __future__ import annotations

from botd_protocols.game_events import Event
from botd_protocols.registration import STEP_LIMIT, NotRegistered, Progress, Refusal, Registered

from . import client_commands as commands
from . import client_messages as m
from .client_lines import LineReader
from .client_login import refusal
from .client_text import shown

GREETING_WAIT = 5.0
_TAKEN = ("already in use", "already exists", "already taken")


class BgammonRegistration:
    """Makes one account. Raises ValueError for what no server takes. One connection, one attempt."""

    def __init__(
        self, name: str, password: str, email: str, *, client_name: str = "botd-0.1", greeting: bool = True
    ) -> None:
        """greeting: the server speaks first (over TCP it does)."""
        self._command = commands.register(client_name, email, name, password)
        self._reader = LineReader()
        self._sent = False
        self._closed = False
        self._out: list[str] = []
        self._due: float | None = None
        self._waits = greeting

    def __repr__(self) -> str:
        return f"BgammonRegistration({'closed' if self._closed else 'open'})"

    @property
    def closed(self) -> bool:
        """Nothing more is sent or told: the connection can go."""
        return self._closed

    def receive_data(self, data: bytes, now: float) -> list[Event]:
        """Take bytes of the line transport. Never raises for anything in them."""
        events: list[Event] = []
        for line in self._reader.feed(data):
            if isinstance(line, bytes) and line.strip():
                events += self.receive_text(line, now)
        return events

    def receive_text(self, text: str | bytes, now: float) -> list[Event]:
        """Take one text frame of the WebSocket transport: one event."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        if self._closed:
            return []
        if not self._sent:
            return self._register(now) if data.startswith(b"hello") else []
        match m.decode(data):
            case m.Welcome(PlayerName=name):
                self._closed = True
                return [Registered(shown(name, 40))]
            case m.Notice(Message=message) if (ended := refusal(message)) is not None:
                return self._fail(_kind(ended.reason), ended.reason)
        return []

    def receive_eof(self, now: float) -> list[Event]:
        """The server closed the connection, or it broke."""
        return self._fail(Refusal.HUNG_UP, "closed without an answer", unsure=self._sent)

    def transport_failed(self, reason: str, now: float) -> list[Event]:
        """What carries our commands is no good any more."""
        return self._fail(Refusal.HUNG_UP, shown(reason), unsure=self._sent)

    def advance(self, now: float) -> list[Event]:
        """Let due timers act."""
        if self._closed:
            return []
        if self._due is None:
            if not self._waits:
                return self._register(now)
            self._due = now + GREETING_WAIT
        if now < self._due:
            return []
        if not self._sent:
            return self._register(now)
        return self._fail(Refusal.SILENT, f"nothing for {STEP_LIMIT:g} s", unsure=True)

    def next_timer(self) -> float | None:
        return None if self._closed else self._due

    def commands_to_send(self) -> list[str]:
        """One per text frame."""
        out, self._out = self._out, []
        return out

    def data_to_send(self) -> bytes:
        """The same as bytes of the line transport."""
        return "".join(f"{command}\n" for command in self.commands_to_send()).encode()

    def _register(self, now: float) -> list[Event]:
        self._sent = True
        self._out.append(self._command)
        self._due = now + STEP_LIMIT
        return [Progress("the server answers")]

    def _fail(self, why: Refusal, text: str, *, unsure: bool = False) -> list[Event]:
        if self._closed:
            return []
        self._closed = True
        return [NotRegistered(why, text, unsure)]


def _kind(reason: str) -> Refusal:
    small = reason.lower()
    if "registration is disabled" in small or "only registered users" in small:
        return Refusal.CLOSED
    if "username" in small or "name" in small.split():
        return Refusal.NAME_TAKEN if any(word in small for word in _TAKEN) else Refusal.NAME_REFUSED
    return Refusal.REFUSED
