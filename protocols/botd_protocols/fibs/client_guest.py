"""The guest dialogue of FIBS, by which an account is made. Sans-I/O; one connection, one attempt.

Prompts come without a line end, so they are looked for in what is left of the stream after the last line.
Nothing is sent but in answer to the prompt it belongs to, and each thing once.
"""

from __future__ import annotations

import re
from enum import Enum

from botd_protocols.game_events import Event
from botd_protocols.registration import STEP_LIMIT, NotRegistered, Progress, Refusal, Registered

from .client_lines import LOGIN_PROMPT, LineReader, LineTooLong, escape

MAX_NAME = 20
LEAST_PASSWORD, MOST_PASSWORD = 4, 60
FAREWELL_LIMIT = 5.0
MAX_TEXT = 200
"""Of the server's words that are passed on."""
MAX_LINES = 200
"""A welcome longer than this is none."""

_NAME = re.compile(r"[A-Za-z_]+\Z", re.ASCII)
_RESERVED = frozenset({"guest", "you", "login", "connect", "name", "bye"})
_PROMPT = re.compile(r"(> )+")
_PASSWORD_PROMPT = re.compile(r"(^|[ .])(give your )?password: *$", re.IGNORECASE)
_RETYPE_PROMPT = re.compile(r"retype your password: *$", re.IGNORECASE)
_REFUSALS = (
    (re.compile(r"already used", re.IGNORECASE), Refusal.NAME_TAKEN),
    (re.compile(r"not allowed to create", re.IGNORECASE), Refusal.CLOSED),
    (re.compile(r"your name may|name with at most|use another name", re.IGNORECASE), Refusal.NAME_REFUSED),
    (re.compile(r"password", re.IGNORECASE), Refusal.PASSWORD_REFUSED),
)


def check_guest_name(name: str) -> None:
    """Raise ValueError unless FIBS would take this for the name of a new account."""
    if not _NAME.match(name):
        raise ValueError("expected letters and underscores only: digits come with no new name on FIBS")
    if len(name) > MAX_NAME:
        raise ValueError(f"expected at most {MAX_NAME} characters, got {len(name)}")
    if "__" in name or name.strip("_") == "":
        raise ValueError("expected letters, and no two underscores side by side")
    if name.lower() in _RESERVED:
        raise ValueError(f"{name} means something else to the server")


def check_guest_password(password: str) -> None:
    """Raise ValueError unless FIBS would take this for a password, and the log-in line can carry it."""
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise ValueError(f"expected {LEAST_PASSWORD} to {MOST_PASSWORD} characters")
    if not all("!" <= character <= "~" for character in password):
        raise ValueError("expected printable ASCII characters without blanks")
    if ":" in password:
        raise ValueError("expected no colon: FIBS does not take it")


class _State(Enum):
    LOGIN = "wait for the log-in prompt"
    GUEST = "wait for the guest's prompt"
    NAMED = "wait for what becomes of the name"
    PASSWORD = "wait for what becomes of the password"  # noqa: S105 - a state
    RETYPED = "wait for the account"
    DONE = "said good-bye"
    CLOSED = "closed"


class GuestRegistration:
    """Makes one account. `name` and `password` have been checked by the functions above."""

    def __init__(self, name: str, password: str) -> None:
        check_guest_name(name)
        check_guest_password(password)
        self._name = name
        self._password = password
        self._reader = LineReader()
        self._state = _State.LOGIN
        self._lines: list[str] = []
        """What the server has said since we last said something."""
        self._out = b""
        self._due: float | None = None
        self._told = False

    def __repr__(self) -> str:
        return f"GuestRegistration({self._name!r}, {self._state.name})"

    @property
    def closed(self) -> bool:
        """Nothing more is sent or told: the connection can go."""
        return self._state is _State.CLOSED

    def receive_data(self, data: bytes, now: float) -> list[Event]:
        """Take bytes from the server. Never raises for anything in them."""
        events: list[Event] = []
        try:
            for line in self._reader.feed(data):
                if line == LOGIN_PROMPT:
                    events += self._login_prompt(now)
                elif line and not self.closed:
                    events += self._line(line, now)
        except LineTooLong as error:
            return [*events, *self._fail(Refusal.NOT_UNDERSTOOD, f"the server sends no lines: {error}")]
        return [*events, *self._prompt(now)]

    def receive_eof(self, now: float) -> list[Event]:
        """The server closed the connection, or it broke."""
        events = self._fail(Refusal.HUNG_UP, self._words() or f"closed while we {self._state.value}")
        self._state = _State.CLOSED
        return events

    def advance(self, now: float) -> list[Event]:
        """Let due timers act."""
        if self._due is None and not self.closed:
            self._due = now + STEP_LIMIT
        if self.closed or self._due is None or now < self._due:
            return []
        return self._fail(Refusal.SILENT, f"nothing for {STEP_LIMIT:g} s while we {self._state.value}")

    def next_timer(self) -> float | None:
        return None if self.closed else self._due

    def data_to_send(self) -> bytes:
        out, self._out = self._out, b""
        return out

    # -- inside ----------------------------------------------------------------------------------------------

    def _say(self, text: str, state: _State, now: float) -> None:
        self._out += f"{text}\r\n".encode("ascii")
        self._state = state
        self._lines.clear()
        self._due = now + STEP_LIMIT

    def _fail(self, why: Refusal, text: str) -> list[Event]:
        unsure = self._state is _State.RETYPED and why in (Refusal.SILENT, Refusal.HUNG_UP)
        self._state = _State.CLOSED
        if self._told:
            return []
        self._told = True
        return [NotRegistered(why, escape(text)[:MAX_TEXT], unsure)]

    def _refused(self) -> list[Event]:
        """The server has said no, in the lines it has just written."""
        text = self._words()
        why = next((kind for pattern, kind in _REFUSALS if pattern.search(text)), Refusal.REFUSED)
        return self._fail(why, text)

    def _words(self) -> str:
        """What the server said to our last command; its complaints alone, if it marks them."""
        marked = [line for line in self._lines if line.startswith("** ")]
        return " ".join(marked or self._lines[-3:]).removeprefix("** ")

    def _login_prompt(self, now: float) -> list[Event]:
        if self._state is _State.LOGIN:
            self._reader.expect_login = False
            self._say("guest", _State.GUEST, now)
            return [Progress("the server answers")]
        return []

    def _line(self, line: str, now: float) -> list[Event]:
        if len(self._lines) >= MAX_LINES:
            return self._fail(Refusal.NOT_UNDERSTOOD, f"more than {MAX_LINES} lines and no prompt")
        self._lines.append(line[:MAX_TEXT])
        if self._state is _State.RETYPED and line.lower().startswith("you are registered"):
            self._say("bye", _State.DONE, now)
            self._due = now + FAREWELL_LIMIT
            self._told = True
            return [Registered(self._name)]
        if self._state is not _State.DONE and "not allowed to create" in line:
            return self._refused()
        return []

    def _prompt(self, now: float) -> list[Event]:
        """Look whether the stream stands at a prompt, and answer it."""
        tail = self._reader.tail
        if self._state is _State.GUEST:
            if _PROMPT.fullmatch(tail):
                return self._answer(f"name {self._name}", _State.NAMED, now, "we are a guest there")
            if tail == LOGIN_PROMPT:
                text = self._words() or "the server knows no guests"
                return self._fail(Refusal.CLOSED, text)
        elif self._state is _State.NAMED:
            if _PASSWORD_PROMPT.search(tail):
                return self._answer(self._password, _State.PASSWORD, now, "the name is free")
            if _PROMPT.fullmatch(tail) and self._lines:
                return self._refused()
        elif self._state is _State.PASSWORD:
            if _RETYPE_PROMPT.search(tail):
                return self._answer(self._password, _State.RETYPED, now, "the password is good")
            if self._lines and (_PROMPT.fullmatch(tail) or _PASSWORD_PROMPT.search(tail)):
                return self._refused()
        elif self._state is _State.RETYPED:
            if _PASSWORD_PROMPT.search(tail):
                self._lines.append(tail)
                return self._refused()
            if _PROMPT.fullmatch(tail) and self._lines:
                return self._refused()
        return []

    def _answer(self, text: str, state: _State, now: float, done: str) -> list[Event]:
        self._reader.drop_tail()
        self._say(text, state, now)
        return [Progress(done)]
