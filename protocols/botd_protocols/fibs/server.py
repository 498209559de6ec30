"""A local backgammon server that speaks FIBS/CLIP, without sockets, clock or randomness of its own.

    server = FibsServer(ServerConfig(open_accounts=True), SeededDice(1), legal_plays)
    server.connect(1, now, "127.0.0.1")
    server.receive(1, b"login me_1.0 1008 me secret\\r\\n", now)
    for conn_id, data, close in server.take_output(): ...

Times are Unix seconds given by the caller and must not run backwards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from botd_protocols.server_dice import DiceSource

from .server_accounts import Account, ServerConfig, Session, SessionState, Violation
from .server_commands import Commands
from .server_hub import Hub, Trace
from .server_lobby import Lobby
from .server_login import Login
from .server_match import Match
from .server_moves import LegalPlays
from .server_output import Chunk
from .server_play import Play
from .server_saved import SavedMatches
from .server_state import State, StateError, encode

_TELNET = re.compile(rb"\xff[\xfb-\xfe].|\xff\xff", re.DOTALL)
_LONG_COMMAND = 200
_HIDDEN = "********"


class FibsServer:
    def __init__(
        self,
        config: ServerConfig,
        dice: DiceSource,
        legal_plays: LegalPlays,
        trace: Trace | None = None,
    ) -> None:
        self._hub = Hub(config, dice, legal_plays, trace)
        self._play = Play(self._hub)
        self._lobby = Lobby(self._hub, self._play)
        self._login = Login(self._hub, self._lobby, self._close)
        self._commands = Commands(self._hub, self._play, self._lobby, self._close)
        self._to_drop = list(config.quirks.drop_replies)
        self._starts = 0
        self._idle_check = float("inf")
        """Nobody can have been idle for too long before."""

    # -- events -----------------------------------------------------------------------------------

    def connect(self, conn_id: int, now: float, host: str) -> None:
        """A new connection; ids must not be reused while open."""
        hub = self._hub
        hub.now = now
        if conn_id in hub.sessions:
            raise ValueError(f"connection {conn_id} is already open")
        hub.outbox.open(conn_id)
        session = Session(conn_id, re.sub(r"\s", "", host) or "-", now)
        hub.sessions[conn_id] = session
        self._expect_idle(now)
        if len(hub.sessions) > hub.config.max_connections:
            hub.send_session(session, "Too many connections. Please try again later.")
            self._close(session)
        else:
            self._login.greet(session)
        hub.outbox.flush(now)

    def receive(self, conn_id: int, data: bytes, now: float) -> None:
        """Bytes from a client; unknown or closed connections are ignored."""
        hub = self._hub
        hub.now = now
        session = hub.sessions.get(conn_id)
        if session is None or session.closed:
            return
        session.last_input = now
        self._expect_idle(now)
        session.buffer += data
        handled = 0
        waiting = hub.outbox.waiting_for(conn_id)
        while not session.closed:
            end = session.buffer.find(b"\n")
            if end < 0:
                break
            raw = bytes(session.buffer[:end])
            del session.buffer[: end + 1]
            if end > hub.config.max_line:
                self._overlong(session)
                break
            pipelined = handled > 0 or waiting
            handled += 1
            self._line(session, raw, pipelined=pipelined)
            # One burst per command: what it brought goes out before the next one is read.
            hub.outbox.flush(now)
        if len(session.buffer) > hub.config.max_line:
            self._overlong(session)
        hub.outbox.flush(now)

    def disconnect(self, conn_id: int, now: float) -> None:
        """The peer closed, or the transport broke."""
        hub = self._hub
        hub.now = now
        session = hub.sessions.pop(conn_id, None)
        hub.outbox.forget(conn_id)
        if session is not None and session.state is SessionState.READY:
            name = session.name
            self._lobby.gone(session, f"{name} drops connection.", f"{name} drops connection.")
        if session is not None:
            session.state = SessionState.CLOSED
        hub.outbox.flush(now)

    def advance(self, now: float) -> None:
        """Let time pass: idle connections are closed, held-back output becomes due."""
        hub = self._hub
        hub.now = now
        if now >= self._idle_check:
            self._close_the_idle(now)
        hub.outbox.flush(now)

    def take_output(self) -> list[Chunk]:
        """What is due, in order: (connection, bytes, close afterwards)."""
        return self._hub.outbox.take(self._hub.now)

    @property
    def next_deadline(self) -> float | None:
        """When `advance` has something to do at the latest, if nothing else happens."""
        times = (self._idle_check, self._hub.outbox.next_release)
        return min((when for when in times if when is not None and when != float("inf")), default=None)

    # -- state ------------------------------------------------------------------------------------

    @property
    def accounts(self) -> dict[str, Account]:
        return self._hub.accounts

    @property
    def saved(self) -> SavedMatches:
        return self._hub.saved

    @property
    def violations(self) -> Sequence[Violation]:
        """What clients did wrong so far (strict mode; else empty)."""
        return tuple(self._hub.violations)

    @property
    def online(self) -> list[str]:
        return list(self._hub.online)

    def match_of(self, name: str) -> Match | None:
        """The running match of a player."""
        return self._hub.matches.get(name)

    def install_match(self, match: Match) -> None:
        """Put two logged-in players into a match as it stands, without a word to them."""
        for player in match.players:
            if player not in self._hub.online:
                raise ValueError(f"{player} is not logged in")
        for player in match.players:
            self._hub.matches[player] = match

    def state(self) -> bytes:
        """Everything to be remembered over a restart: accounts, matches that run and those that are saved."""
        hub = self._hub
        running = {frozenset(match.players): match for match in hub.matches.values()}
        matches = {frozenset(match.players): match for match in hub.saved} | running
        return encode(hub.accounts.values(), matches.values(), self._starts)

    def restore(self, state: State) -> None:
        """Begin with what `state` told, before anybody is connected. Running matches are saved ones now.

        Accounts of the configuration keep the password they have there. Raises StateError.
        """
        hub = self._hub
        if names := sorted(hub.house.keys() & state.accounts.keys()):
            raise StateError(f"account {names[0]!r}: that name is taken by the house")
        if len(state.accounts) > hub.config.max_accounts:
            raise StateError(f"expected at most {hub.config.max_accounts} accounts")
        for name, password in hub.config.accounts.items():
            if name in state.accounts:
                state.accounts[name].password, state.accounts[name].password_hash = password, ""
        hub.accounts.update(state.accounts)
        for match in state.matches:
            hub.saved.put(match)
        self._starts = state.starts + 1

    def shutdown(self, now: float) -> None:
        """Announce the end, save all running matches, close every connection."""
        hub = self._hub
        hub.now = now
        for session in list(hub.sessions.values()):
            if session.state is SessionState.READY:
                hub.send_session(
                    session,
                    "\a*** ATTENTION ! The server goes down now.",
                    "** System administrator causes shutdown. FIBS is terminating.",
                    "** It will be back when the computer is rebooted.",
                    "** All running games will be saved.",
                )
                match = hub.matches.get(session.name)
                if match is not None:
                    hub.send_session(session, f"Your game with {match.opponent_of(session.name)} was saved.")
        for match in {id(m): m for m in hub.matches.values()}.values():
            hub.saved.put(match)
        hub.matches.clear()
        hub.online.clear()
        for session in list(hub.sessions.values()):
            self._close(session)
        hub.outbox.flush(now)

    # -- inside -----------------------------------------------------------------------------------

    def _expect_idle(self, now: float) -> None:
        limits = self._hub.config
        self._idle_check = min(self._idle_check, now + min(limits.login_limit_s, limits.idle_limit_s))

    def _close_the_idle(self, now: float) -> None:
        hub = self._hub
        self._idle_check = float("inf")
        for session in list(hub.sessions.values()):
            if session.state is SessionState.CLOSED:
                continue
            ready = session.state is SessionState.READY
            end = session.last_input + (hub.config.idle_limit_s if ready else hub.config.login_limit_s)
            if end > now:
                self._idle_check = min(self._idle_check, end)
            elif ready:
                name = session.name
                hub.send_session(session, "Connection timed out.")
                self._lobby.gone(session, f"Connection with {name} timed out.", f"{name} logs out.")
                self._close(session)
            else:
                self._close(session)

    def _close(self, session: Session) -> None:
        session.state = SessionState.CLOSED
        session.buffer.clear()
        self._hub.outbox.close(session.conn_id)
        self._hub.sessions.pop(session.conn_id, None)

    def _overlong(self, session: Session) -> None:
        hub = self._hub
        hub.violate(session, "format", "", f"a line of more than {hub.config.max_line} bytes")
        if session.state is SessionState.READY:
            name = session.name
            self._lobby.gone(session, f"Network error with {name}.", f"{name} drops connection.")
        self._close(session)

    def _line(self, session: Session, raw: bytes, *, pipelined: bool) -> None:
        hub = self._hub
        text = _TELNET.sub(b"", raw).decode("ascii", "replace")
        line = "".join(c for c in text if c == "\t" or c.isprintable()).rstrip()
        shown = self._redacted(session, line)
        if hub.trace is not None:
            hub.trace(session.conn_id, "C", shown)
        if session.state is SessionState.READY:
            if pipelined:
                hub.violate(session, "pipelined", shown, "sent before the reply to the command before")
                if hub.quirks.lose_pipelined:
                    return
            if len(raw) > _LONG_COMMAND:
                hub.violate(session, "format", shown, f"a command of {len(raw)} bytes")
            if line != raw.decode("ascii", "replace").rstrip():
                hub.violate(session, "format", shown, "bytes that are not printable ASCII")
        hub.current_command = (session, shown)
        muted = session.state is SessionState.READY and self._loses_reply(line)
        if muted:
            hub.outbox.mute(session.conn_id, True)
        try:
            if session.state is SessionState.READY:
                self._commands.handle(session, line)
            else:
                self._login.handle(session, line)
        finally:
            hub.current_command = None
            if muted:
                hub.outbox.mute(session.conn_id, False)

    def _loses_reply(self, line: str) -> bool:
        word = next(iter(line.split()), "")
        if word in self._to_drop:
            self._to_drop.remove(word)
            return True
        return False

    @staticmethod
    def _redacted(session: Session, line: str) -> str:
        """The line without anything that could be a password."""
        if session.state in {SessionState.PASSWORD, SessionState.RETYPE}:
            return _HIDDEN
        words = line.split()
        if session.state is SessionState.LOGIN and words and words != ["guest"]:
            keep = 4 if words[0] == "login" else 1 if words[0] == "connect" else 0
            return " ".join([*words[:keep], _HIDDEN])
        return line
