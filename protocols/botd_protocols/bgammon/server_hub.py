"""What every part of the server shares: who is connected, which matches run, and how to reach people."""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from botd_protocols.server_dice import DiceSource, DoublesCap

from . import server_events as events
from .server_accounts import Account, ServerConfig, Session, SessionState, Violation
from .server_events import Event, Viewpoint, viewpoint
from .server_match import Match
from .server_replay import GameRecord
from .server_text import event_lines

Trace = Callable[[int, str, str], None]
"""Wire log: connection, `C` or `S`, one line with passwords removed."""

Chunk = tuple[int, bytes, bool]
"""Connection, bytes to send (one message of a framed connection), whether to close it afterwards."""

NO_MATCH = "You are not currently in a match."
CROSSING_S = 1.0


@dataclass(frozen=True, slots=True)
class Result:
    """A finished match."""

    match_id: int
    timestamp: int
    length: int
    variant: int
    winner: str
    loser: str
    games: tuple[GameRecord, ...]


class Hub:
    def __init__(self, config: ServerConfig, dice: DiceSource, trace: Trace | None = None) -> None:
        self.config = config
        self.quirks = config.quirks
        self.dice = dice
        self.doubles_cap = DoublesCap(config.max_doubles_per_player)
        self.trace = trace
        self.now = 0.0
        self.motd = config.motd
        self.accounts: dict[str, Account] = {}
        """By lower-case name."""
        for name, password in config.accounts.items():
            self.accounts[name.lower()] = new_account(name, password)
        self.sessions: dict[int, Session] = {}
        self.online: dict[str, Session] = {}
        """Logged in, by lower-case name."""
        self.matches: dict[int, Match] = {}
        self.last_match_id = 0
        self.results: deque[Result] = deque(maxlen=config.max_kept)
        self.violations: list[Violation] = []
        self.registered_hosts: dict[str, int] = {}
        self.shutdown_reason: str | None = None
        self._chunks: deque[Chunk] = deque()
        self._noise_turn = 0
        self.current: tuple[Session, str] | None = None
        """Whose command is carried out, and its text with passwords removed."""

    # -- sending ----------------------------------------------------------------------------------

    def send(self, session: Session, *to_send: Event) -> None:
        if session.state not in {SessionState.LOGIN, SessionState.READY}:
            return
        for event in to_send:
            for line in [event.json()] if session.json else event_lines(event):
                self.raw_line(session, line)

    def raw_line(self, session: Session, line: str) -> None:
        """One line or message as it is."""
        if self.trace is not None:
            self.trace(session.conn_id, "S", line)
        data = line.encode("utf-8", "replace")
        self._chunks.append((session.conn_id, data if session.framed else data + b"\n", False))

    def raw(self, conn_id: int, data: bytes) -> None:
        """Bytes that need not be a line."""
        self._chunks.append((conn_id, data, False))

    def close(self, session: Session) -> None:
        """Close the connection once everything sent has gone out."""
        session.state = SessionState.CLOSED
        session.buffer.clear()
        session.held.clear()
        self.sessions.pop(session.conn_id, None)
        self._chunks.append((session.conn_id, b"", True))

    def forget(self, conn_id: int) -> None:
        """The connection is gone; nothing more can be sent."""
        self._chunks = deque(chunk for chunk in self._chunks if chunk[0] != conn_id)

    def take(self) -> list[Chunk]:
        chunks = list(self._chunks)
        self._chunks.clear()
        return chunks

    def notice(self, session: Session, text: str) -> None:
        self.send(session, events.notice(text))

    def quoted(self, text: str) -> str:
        """A user's text within a notice."""
        return html.escape(text) if self.quirks.escaped_notices else text

    def announce(self, text: str) -> None:
        """A notice to everybody who is logged in."""
        for session in list(self.online.values()):
            self.notice(session, text)

    def terminate(self, session: Session, reason: str) -> None:
        """Say why the connection ends; it closes a little later and what comes until then is ignored."""
        self.notice(session, f"Connection terminated: {reason}")
        session.state = SessionState.ENDING
        session.close_due = self.now + self.config.close_delay_s
        session.held.clear()
        session.held_due = session.rejoin_due = None
        if self.online.get(session.name.lower()) is session:
            del self.online[session.name.lower()]

    # -- matches ----------------------------------------------------------------------------------

    def board_event(self, match: Match, session: Session) -> Event:
        eyes = viewpoint(match, session)
        return events.board(match, eyes, self.quirks, self.now, self.config.inactive_turn_s)

    def send_boards(self, match: Match) -> None:
        """The whole state to everybody in the match."""
        for session in match.clients:
            self.send(session, self.board_event(match, session))
        if self.quirks.noise:
            self._noise(match)

    def tell(self, match: Match, event: Event) -> None:
        """One event, the same for everybody in the match."""
        for session in match.clients:
            self.send(session, event)

    def show(self, match: Match, make: Callable[[Viewpoint], Event]) -> None:
        """One event for everybody in the match, each from the own side."""
        for session in match.clients:
            self.send(session, make(viewpoint(match, session)))

    def listings(self, viewer: Session | None, *, public: bool = False) -> list[dict[str, object]]:
        """The matches that are open or being played."""
        return [
            events.listing(match, viewer)
            for match in self.matches.values()
            if not match.over and not (public and match.password is not None)
        ]

    def _noise(self, match: Match) -> None:
        self._noise_turn += 1
        for session in match.clients:
            kind = self._noise_turn % 3
            if kind == 0:
                self.notice(session, "SERVER BROADCAST: &lt;b&gt;roll&lt;/b&gt; It is not your turn.")
            elif kind == 1 and session.json:
                self.raw_line(session, '{"Type":"weather","Player":"","Rain":[{"Roll1":6}]}')
            else:
                self.send(session, self.board_event(match, session))

    # -- strict mode ------------------------------------------------------------------------------

    def violate(self, session: Session, kind: str, reason: str, expected: str) -> None:
        """Record what the running command did wrong."""
        if self.config.strict and len(self.violations) < self.config.max_violations:
            command = self.current[1] if self.current else ""
            self.violations.append(Violation(session.label, kind, command[:200], reason, expected))

    def refuse(self, session: Session, event: Event, expected: str) -> None:
        """A refusing event; in strict mode a violation unless the command may have crossed the news."""
        self.send(session, event)
        self._refused(session, "refused", _reason(event), expected)

    def ignore(self, session: Session, reason: str, expected: str) -> None:
        """A command that the server leaves without an answer."""
        self._refused(session, "ignored", reason, expected)

    def _refused(self, session: Session, kind: str, reason: str, expected: str) -> None:
        if self.now > session.excused_until:
            self.violate(session, kind, reason, expected)

    def excuse(self, sessions: Sequence[Session]) -> None:
        """What these send in the next moment may not yet know of the news they are being sent."""
        for session in sessions:
            if self.current is None or self.current[0] is not session:
                session.excused_until = self.now + CROSSING_S


def _reason(event: Event) -> str:
    return str(event.fields.get("Reason") or event.fields.get("Message") or event.type)


def canonical_name(name: str) -> str:
    """A name as it is shown: lower case but for the prefixes."""
    lower = name.lower()
    return re.sub(r"^bot_", "BOT_", re.sub(r"^guest_", "Guest_", lower))


def new_account(name: str, password: str, email: str = "") -> Account:
    return Account(canonical_name(name), password.replace(" ", "_"), email)
