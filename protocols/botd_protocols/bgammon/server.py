"""A local server that speaks bgammon's protocol, without sockets, clock or randomness of its own.

    server = BgammonServer(ServerConfig(), SeededDice(1))
    server.connect(1, now, "127.0.0.1")
    server.receive(1, b"lj mybot-1.0/en BOT_acme\\n", now)
    for conn_id, data, close in server.take_output(): ...

One core serves line connections (TCP) and framed ones (WebSocket). Times are Unix seconds given by the caller
and must not run backwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from botd_protocols.server_dice import DiceSource

from . import server_events as events
from .server_accounts import Account, ServerConfig, Session, SessionState, Violation
from .server_commands import Commands
from .server_hub import Chunk, Hub, Result, Trace
from .server_lobby import Lobby
from .server_login import Login
from .server_match import Match
from .server_play import Play

_HIDDEN = "********"
_SECRET_FROM = {"lj": 3, "loginjson": 3, "login": 2, "rj": 4, "registerjson": 4, "register": 3, "password": 1}
"""From which word on a command may hold a password."""


class BgammonServer:
    def __init__(self, config: ServerConfig, dice: DiceSource, trace: Trace | None = None) -> None:
        self._hub = Hub(config, dice, trace)
        self._play = Play(self._hub)
        self._lobby = Lobby(self._hub, self._play)
        self._login = Login(self._hub, self._lobby)
        self._commands = Commands(self._hub, self._play, self._lobby, self._login)
        self._next_sweep: float | None = None
        self._shutdown_at: float | None = None
        self._next_warning = 0.0

    # -- what happens to connections --------------------------------------------------------------

    def connect(self, conn_id: int, now: float, host: str, *, framed: bool = False) -> None:
        """A new connection; ids must not be reused while open. `framed`: each `receive` is one message."""
        hub = self._hub
        self._set_time(now)
        if conn_id in hub.sessions:
            raise ValueError(f"connection {conn_id} is already open")
        session = Session(conn_id, host, now, framed, last_input=now, next_ping=now + hub.config.ping_s)
        hub.sessions[conn_id] = session
        if len(hub.sessions) > hub.config.max_connections:
            hub.close(session)
        else:
            self._login.greet(session)

    def receive(self, conn_id: int, data: bytes, now: float) -> None:
        """Bytes from a client, or one text message of a framed one; unknown connections are ignored."""
        hub = self._hub
        self._set_time(now)
        session = hub.sessions.get(conn_id)
        if session is None or session.state in {SessionState.ENDING, SessionState.CLOSED}:
            return
        session.last_input = now
        if session.framed:
            if len(data) > hub.config.max_frame:
                self._overlong(session, hub.config.max_frame)
            else:
                self._line(session, data)
            return
        session.buffer += data
        while session.state in {SessionState.LOGIN, SessionState.READY}:
            end = session.buffer.find(b"\n")
            if end < 0 or end > hub.config.max_line:
                break
            raw = bytes(session.buffer[:end])
            del session.buffer[: end + 1]
            self._line(session, raw)
        if len(session.buffer) > hub.config.max_line:
            self._overlong(session, hub.config.max_line)

    def disconnect(self, conn_id: int, now: float) -> None:
        """The peer closed, or the transport broke."""
        hub = self._hub
        self._set_time(now)
        session = hub.sessions.pop(conn_id, None)
        hub.forget(conn_id)
        if session is not None:
            self._lost(session)
            session.state = SessionState.CLOSED

    def advance(self, now: float) -> None:
        """Let time pass: pings, time limits, held commands, sweeping, an announced shutdown."""
        hub, config = self._hub, self._hub.config
        self._set_time(now)
        for session in list(hub.sessions.values()):
            self._advance_session(session)
        if self._next_sweep is not None and now >= self._next_sweep:
            self._next_sweep += config.sweep_s * ((now - self._next_sweep) // config.sweep_s + 1)
            self._lobby.sweep()
        self._lobby.watch_inactivity()
        if self._shutdown_at is not None:
            if now >= self._shutdown_at:
                self.shutdown(now)
            elif now >= self._next_warning:
                self._warn_of_shutdown()

    def take_output(self) -> list[Chunk]:
        """What is due, in order: (connection, bytes, close afterwards)."""
        return self._hub.take()

    @property
    def next_deadline(self) -> float | None:
        """When `advance` has something to do at the latest, if nothing else happens."""
        hub, config = self._hub, self._hub.config
        times: list[float] = []
        for session in hub.sessions.values():
            if session.state is SessionState.ENDING:
                times += [session.close_due or hub.now]
                continue
            times.append(session.last_input + config.silence_s)
            if session.state is SessionState.LOGIN:
                times.append(session.connected_at + config.login_s)
            else:
                times.append(session.next_ping)
            times += [due for due in (session.held_due, session.rejoin_due) if due is not None]
        if hub.matches and self._next_sweep is not None:
            times.append(self._next_sweep)
        if self._shutdown_at is not None:
            times.append(min(self._shutdown_at, self._next_warning))
        return min(times, default=None)

    # -- state ------------------------------------------------------------------------------------

    @property
    def max_frame(self) -> int:
        """Bytes a message of a framed connection may have."""
        return self._hub.config.max_frame

    @property
    def accounts(self) -> dict[str, Account]:
        return self._hub.accounts

    @property
    def violations(self) -> Sequence[Violation]:
        """What clients did wrong so far (strict mode; else empty)."""
        return tuple(self._hub.violations)

    @property
    def online(self) -> list[str]:
        return [session.name for session in self._hub.online.values()]

    @property
    def matches(self) -> Sequence[Match]:
        return tuple(self._hub.matches.values())

    @property
    def results(self) -> Sequence[Result]:
        """Finished matches, oldest first."""
        return tuple(self._hub.results)

    def match_of(self, name: str) -> Match | None:
        """The match a player is in."""
        session = self._hub.online.get(name.lower())
        return session.match if session is not None else None

    def public_matches(self) -> list[dict[str, object]]:
        """The listing that the web page of the server shows."""
        return self._hub.listings(None, public=True)

    # -- the operator's hand ----------------------------------------------------------------------

    def inject(self, name: str, data: bytes, now: float) -> None:
        """Send raw bytes (a message, if framed) to a player, whatever they are."""
        self._set_time(now)
        session = self._hub.online.get(name.lower())
        if session is not None:
            self._hub.raw(session.conn_id, data)

    def show_boards(self, match: Match, now: float) -> None:
        """Send the state of a match to everybody in it, as after a change made by hand."""
        self._set_time(now)
        self._hub.send_boards(match)

    def kick(self, name: str, now: float) -> None:
        """End a connection without a word, as the staff does."""
        self._set_time(now)
        session = self._hub.online.get(name.lower())
        if session is not None:
            self._lost(session)
            self._hub.close(session)

    def broadcast(self, text: str, now: float) -> None:
        self._set_time(now)
        self._hub.announce(f"SERVER BROADCAST: {self._hub.quoted(text)}")

    def announce_shutdown(self, minutes: float, reason: str, now: float) -> None:
        """Warn now and every minute, refuse new matches, and close everything when the time is up."""
        self._set_time(now)
        self._hub.shutdown_reason = reason
        self._shutdown_at = now + minutes * 60.0
        self._warn_of_shutdown()

    def shutdown(self, now: float) -> None:
        """Close every connection at once; running matches are gone."""
        hub = self._hub
        self._set_time(now)
        self._shutdown_at = None
        for session in list(hub.sessions.values()):
            hub.close(session)
        hub.online.clear()
        hub.matches.clear()

    # -- inside -----------------------------------------------------------------------------------

    def _set_time(self, now: float) -> None:
        self._hub.now = now
        if self._next_sweep is None:
            self._next_sweep = now + self._hub.config.sweep_s

    def _advance_session(self, session: Session) -> None:
        hub, config, now = self._hub, self._hub.config, self._hub.now
        if session.state is SessionState.ENDING:
            if session.close_due is not None and now >= session.close_due:
                hub.close(session)
            return
        if session.state is SessionState.LOGIN and now - session.connected_at >= config.login_s:
            hub.violate(session, "early", "no log-in in time", f"a log-in within {config.login_s:g} s")
            hub.terminate(session, "User did not send login command within 30 seconds.")
            return
        if now - session.last_input >= config.silence_s:
            hub.violate(session, "conduct", "silent for too long", "an answer to every ping")
            self._lost(session)
            hub.close(session)
            return
        if session.rejoin_due is not None and now >= session.rejoin_due:
            self._lobby.rejoin(session)
        if session.held_due is not None and now >= session.held_due:
            self._login.run_held(session, self._run)
        if session.state is SessionState.READY and now >= session.next_ping:
            session.next_ping += config.ping_s * ((now - session.next_ping) // config.ping_s + 1)
            hub.send(session, events.ping(now))

    def _lost(self, session: Session) -> None:
        """The connection is gone: free the name, keep the right to rejoin."""
        hub = self._hub
        if hub.online.get(session.name.lower()) is session:
            del hub.online[session.name.lower()]
        match = session.match
        self._lobby.leave(session, forfeit=False)
        if match is not None and hub.quirks.lose_both:
            for other in match.players:
                self._lobby.leave(other, forfeit=False)
                hub.terminate(other, "Server error")

    def _overlong(self, session: Session, limit: int) -> None:
        hub = self._hub
        hub.violate(session, "format", f"a command of more than {limit} bytes", f"at most {limit} bytes")
        session.buffer.clear()
        self._lost(session)
        # The end comes a little later and without a word.
        session.state = SessionState.ENDING
        session.close_due = hub.now + hub.config.close_delay_s

    def _line(self, session: Session, raw: bytes) -> None:
        hub = self._hub
        text = raw.decode("utf-8", "replace").strip()
        if not text:
            return
        shown = _redacted(text)
        if hub.trace is not None:
            hub.trace(session.conn_id, "C", shown)
        hub.current = (session, shown)
        try:
            if "\ufffd" in text and "\ufffd".encode() not in raw:
                hub.violate(session, "format", "bytes that are not UTF-8", "UTF-8 text")
            if session.state is SessionState.READY:
                self._commands.handle(session, text)
            else:
                self._login.handle(session, text)
        finally:
            hub.current = None

    def _run(self, session: Session, text: str) -> None:
        """Carry out a command that was held back until the log-in."""
        self._hub.current = (session, _redacted(text))
        try:
            self._commands.handle(session, text)
        finally:
            self._hub.current = None

    def _warn_of_shutdown(self) -> None:
        hub = self._hub
        assert self._shutdown_at is not None
        minutes = max(1, round((self._shutdown_at - hub.now) / 60.0))
        self._next_warning = hub.now + 60.0
        unit = "minute" if minutes == 1 else "minutes"
        hub.announce(f"SERVER BROADCAST: The server is shutting down in {minutes} {unit}. Reason:")
        hub.announce(f"SERVER BROADCAST: {hub.quoted(hub.shutdown_reason or '')}")
        hub.announce("SERVER BROADCAST: Please finish your match: it will be lost.")


def _redacted(text: str) -> str:
    """The command without anything that could be a password."""
    words = text.split()
    keyword = words[0].lower()
    keep = _SECRET_FROM.get(keyword)
    if keep is not None and len(words) > keep:
        return " ".join([*words[:keep], _HIDDEN])
    if keyword in {"c", "create"} and len(words) > 2 and words[1].lower() == "private":
        return " ".join([*words[:2], _HIDDEN, *words[3:]])
    if keyword in {"j", "join"} and len(words) > 2:
        return " ".join([*words[:2], _HIDDEN])
    return text
