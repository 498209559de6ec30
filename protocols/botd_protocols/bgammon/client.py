"""The bgammon client: bytes (or text frames) and times in, events and commands out.

`BgammonClient` looks after the connection: log-in, keep-alive, silence, and sitting down in matches. What
happens inside a match is in `client_match`. See docs/protocol-bgammon.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from botd_protocols.positions import Step
from botd_protocols.traffic import Traffic, first_word, nobody

from . import client_commands as commands
from . import client_events as ev
from .client_lines import MAX_LINE, LineReader
from .client_lobby import Lobby, MatchOffer
from .client_login import refusal
from .client_messages import (
    Bad,
    Board,
    FailedCreate,
    FailedJoin,
    FailedLeave,
    FailedMove,
    FailedOk,
    FailedRoll,
    Joined,
    Left,
    Message,
    Moved,
    Notice,
    Ping,
    Rolled,
    Say,
    Settings,
    Unknown,
    Welcome,
    Win,
    decode,
    kind_of,
)
from .client_queue import CommandQueue
from .client_text import Dose, notice_text, shown

_MAX_UNKNOWN = 50


@dataclass(frozen=True, slots=True)
class BgammonClientConfig:
    """How to log in, and the client's patience in seconds. Raises ValueError for what no server takes."""

    name: str
    """`BOT_...`; the server may write it differently."""
    password: str | None = field(default=None, repr=False)
    """None: as an unrated guest."""
    client_name: str = "botd-0.1"
    own_server: bool = False
    """The server is our own: names that do not begin with `BOT_` and `seek` are allowed."""
    greeting: bool = True
    """The server speaks first (over TCP it does); the log-in waits for that, but not for ever."""
    command_gap: float = 0.25
    greeting_wait: float = 5.0
    login_limit: float = 30.0
    rejoin_wait: float = 2.0
    """After the log-in the server may put us back into a match without saying that it will."""
    silence_limit: float = 75.0
    """Without any event for so long (the server pings every 30 s) the connection is dead."""
    keep_alive: float = 35.0
    """The server drops a client that says nothing for 40 s."""
    reply_timeout: float = 10.0
    """Nothing came of a command for so long: look at the board."""
    answer_limit: float = 120.0
    """A question not answered for so long is answered by the client, as simply as can be."""
    opening_limit: float = 300.0
    """Somebody who sits down and does not roll is not waited for longer."""
    away_limit: float = 600.0
    """An opponent who left the running match is not waited for longer."""
    idle_reminder: float | None = 180.0
    """When to remind an opponent who does nothing; None: never."""
    idle_limit: float | None = 1200.0
    """Nor is one who sits there and does nothing; None: he is. Rated: at least `rated_idle_limit`."""
    rated_idle_limit: float = 620.0
    """Of two accounts, whoever leaves before the other has been inactive for 600 s loses."""
    leave_delay: float = 5.0
    """How long to stay at the table after a match."""
    rematch_wait: float = 25.0
    """How long instead, if another match with the same opponent is wanted."""
    shutdown_pause: float = 90.0
    """After an announced shutdown nothing new is begun for so long."""

    def __post_init__(self) -> None:
        commands.login(self.client_name, self.name, self.password)
        if not (self.own_server or commands.is_bot_name(self.name)):
            raise ValueError("bgammon name: expected one that begins with BOT_; others are for people")


class Phase(StrEnum):
    CONNECTING = "connecting"
    """Waiting for the server's first line."""
    LOGIN = "login"
    """Credentials sent."""
    REJOINING = "rejoining"
    """Logged in; the server may still put us back into a match."""
    LOBBY = "lobby"
    """Logged in, whether or not a match runs."""
    CLOSED = "closed"


class BgammonClient:
    """One connection. Make a new client for the next one."""

    def __init__(self, config: BgammonClientConfig, traffic: Traffic = nobody) -> None:
        """`traffic` is told of every message that comes and goes."""
        self._config = config
        self._traffic = traffic
        self._phase = Phase.CONNECTING
        self._reader = LineReader()
        self._queue = CommandQueue(config.command_gap)
        self._now = 0.0
        self._started = False
        self._timers: dict[str, float] = {}
        self._events: list[ev.Event] = []
        self._name = config.name
        self._chat = Dose(5, 1.0)
        self._notices = Dose(20, 2.0)
        self._noise = Dose(20, 1.0)
        self._pings = Dose(5, 1.0)
        self._unknown: set[str] = set()
        self._strange = False
        self._stopping = False
        self._lobby = Lobby(config, self._emit, self._queue, self._set_timer)

    def __repr__(self) -> str:
        return f"BgammonClient({self._config.name!r}, {self._phase})"

    # -- what is known ---------------------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        return self._phase

    @property
    def name(self) -> str:
        """Our name as the server writes it."""
        return self._name

    @property
    def closed(self) -> bool:
        """Nothing more is sent or told."""
        return self._phase is Phase.CLOSED

    @property
    def can_play(self) -> bool:
        return self._phase is Phase.LOBBY

    @property
    def logged_in(self) -> bool:
        return self._phase in (Phase.REJOINING, Phase.LOBBY)

    @property
    def opponent(self) -> str | None:
        """Whom we play; None while no match has begun."""
        match = self._lobby.match
        return None if match is None else match.opponent

    @property
    def in_match(self) -> bool:
        return self.opponent is not None

    @property
    def seated(self) -> bool:
        """We sit in a match, begun or not."""
        return self._lobby.seated

    # -- bytes and times -------------------------------------------------------------------------------------

    def receive_data(self, data: bytes, now: float) -> list[ev.Event]:
        """Take bytes of the line transport. Never raises for anything in them."""
        self._tick(now)
        for line in self._reader.feed(data):
            if self._phase is Phase.CLOSED:
                break
            if isinstance(line, int):
                self._bad(f"a line of {line} bytes skipped, expected at most {MAX_LINE}")
            else:
                self._line(line)
        return self._drain()

    def receive_text(self, text: str | bytes, now: float) -> list[ev.Event]:
        """Take one text frame of the WebSocket transport: one event. Never raises for anything in it."""
        self._tick(now)
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        if self._phase is not Phase.CLOSED:
            self._line(data)
        return self._drain()

    def receive_eof(self, now: float) -> list[ev.Event]:
        """The server closed the connection, or it broke."""
        self._tick(now)
        if self._phase is not Phase.CLOSED:
            if self._stopping:
                self._close("logged out", ev.Retry.NEVER)
            elif self._phase is Phase.CONNECTING:
                self._close("closed before the log-in", ev.Retry.BACK_OFF)
            else:
                self._close("connection closed by the server", ev.Retry.BACK_OFF)
        return self._drain()

    def transport_failed(self, reason: str, now: float) -> list[ev.Event]:
        """What carries our commands is no good any more."""
        self._tick(now)
        if self._phase is not Phase.CLOSED and not self._stopping:
            self._close(shown(reason), ev.Retry.BACK_OFF)
        return [*self._drain(), *self.receive_eof(now)]

    def advance(self, now: float) -> list[ev.Event]:
        """Let due timers act."""
        self._tick(now)
        while self._phase is not Phase.CLOSED:
            due = [(when, name) for name, when in self._timers.items() if when <= now]
            if not due:
                break
            _, name = min(due)
            del self._timers[name]
            self._timer(name)
        return self._drain()

    def next_timer(self) -> float | None:
        """When `advance` (and then `data_to_send`) must be called at the latest; None: not at all."""
        if self._phase is Phase.CLOSED:
            return None
        times = list(self._timers.values())
        if (queued := self._queue.next_time()) is not None:
            times.append(max(queued, self._now))
        return min(times, default=None)

    def commands_to_send(self) -> list[str]:
        """The commands that may go out now (by the time of the last call with `now`), one per text frame."""
        out: list[str] = []
        while self._phase is not Phase.CLOSED and (command := self._queue.pop(self._now)) is not None:
            out.append(command)
            self._traffic("sent", "login" if command.startswith("lj ") else first_word(command))
            self._set_timer("keep_alive", self._config.keep_alive)
            self._lobby.sent(command)
        return out

    def data_to_send(self) -> bytes:
        """The same as bytes of the line transport."""
        return "".join(f"{command}\n" for command in self.commands_to_send()).encode()

    # -- commands of the session -----------------------------------------------------------------------------

    def offer(self, offer: MatchOffer | None) -> None:
        """Whenever in no match, create this one and wait; None: create none, and do not wait any longer."""
        self._lobby.offer(offer)

    def seek(self, name: str | None, password: str | None = None) -> None:
        """On our own server only: whenever in no match, join the one in which this player sits; `password` is
        that of a private match.

        On the public server bots never send `join`; a wrong one stops that server for everybody.
        """
        if not self._config.own_server:
            raise ValueError("bgammon: expected own_server, because bots join nobody on a public server")
        self._lobby.seek(name, password)

    def rematch(self, *, ask: bool, wait: bool) -> None:
        """Our match is over (`MatchEnded`): play another with the same opponent if he asks, or `ask` him.

        `wait`: stay at the table for `rematch_wait`. After a lost connection the server puts nobody back into
        such a match.
        """
        self._lobby.rematch(ask=ask, wait=wait)

    def refuse_table(self, text: str) -> None:
        """Do not play whoever has sat down opposite (`Seated`): say why and get up. Not once it has begun."""
        self._lobby.refuse(text)

    def answer_move(self, key: int, steps: Iterable[Step]) -> list[ev.Event]:
        """Play steps in our own numbering. Raises ValueError for steps that cannot be made."""
        match = self._lobby.match
        if match is None:
            self._emit(ev.StaleAnswer(key))
        else:
            match.answer_move(key, tuple(steps))
        return self._drain()

    def answer_roll(self, key: int) -> list[ev.Event]:
        return self._answer(key, "roll", ev.DecisionKind.ROLL_OR_DOUBLE)

    def answer_double(self, key: int) -> list[ev.Event]:
        return self._answer(key, "double", ev.DecisionKind.ROLL_OR_DOUBLE)

    def answer_accept(self, key: int) -> list[ev.Event]:
        """Take a double."""
        return self._answer(key, "ok", ev.DecisionKind.DOUBLE_OFFERED)

    def answer_reject(self, key: int) -> list[ev.Event]:
        """Drop a double, for what the position costs."""
        return self._answer(key, "resign", ev.DecisionKind.DOUBLE_OFFERED)

    def resign(self, level: int) -> None:
        """Give the game up at once if the server charges no more than `level` cubes for it here."""
        if not 1 <= level <= 3:
            raise ValueError(f"resignation: expected level 1, 2 or 3, found {level}")
        if self._lobby.match is not None:
            self._lobby.match.resign(level)

    def read_board(self) -> list[ev.Event]:
        """Read the board again and decide afresh (somebody thinks we are stuck)."""
        if self._lobby.match is not None:
            self._lobby.match.look_again()
        return self._drain()

    def leave_after_game(self, leave: bool = True) -> None:
        if self._lobby.match is not None:
            self._lobby.match.leave_after_game = leave

    def say(self, text: str) -> None:
        """To the opponent, if there is one; at most one line every few seconds."""
        if self._lobby.match is not None and self._lobby.match.seated:
            self._queue.chat(commands.say(text))

    def bye(self) -> None:
        """Log out and keep the right to come back into the match; the server closes the connection."""
        if not self._stopping:
            self._stopping = True
            last_words = self._queue.take_chat(self._now)
            self._lobby.stop()
            if last_words is not None:
                self._queue.other(last_words)
            self._queue.other("disconnect")
            self._set_timer("bye", self._config.reply_timeout)

    def _answer(self, key: int, command: str, kind: ev.DecisionKind) -> list[ev.Event]:
        match = self._lobby.match
        if match is None:
            self._emit(ev.StaleAnswer(key))
        else:
            match.answer(key, command, kind)
        return self._drain()

    # -- what comes in ---------------------------------------------------------------------------------------

    def _line(self, line: bytes) -> None:
        if not line.strip():
            return
        if not line.lstrip().startswith(b"{"):
            if line.startswith(b"hello "):
                self._traffic("received", "login")
                self._log_in()
            else:
                self._strange = True
                self._traffic("received", "unknown")
                self._bad(f"not an event: {shown(line[:200].decode('utf-8', 'replace'), 100)}")
            return
        message = decode(line)
        self._traffic("received", kind_of(message))
        if isinstance(message, Unknown):
            if message.type not in self._unknown and len(self._unknown) < _MAX_UNKNOWN:
                self._unknown.add(message.type)
                self._emit(ev.UnparsedLine(f"event of unknown type {message.type}"))
            self._alive()
        elif isinstance(message, Bad):
            self._bad(f"event {message.type or '?'}: {message.reason}")
            if message.type == "board" and self._lobby.match is not None:
                self._lobby.match.bad_board(message.reason)
        else:
            self._alive()
            self._message(message)

    def _bad(self, reason: str) -> None:
        if self._noise.take(self._now):
            self._emit(ev.UnparsedLine(reason))

    def _alive(self) -> None:
        self._set_timer("silence", self._config.silence_limit)

    def _log_in(self) -> None:
        if self._phase is not Phase.CONNECTING:
            return
        c = self._config
        self._phase = Phase.LOGIN
        self._timers.pop("greeting", None)
        self._queue.control(commands.login(c.client_name, c.name, c.password))

    def _message(self, message: Message) -> None:
        if isinstance(message, Ping):
            if self._pings.take(self._now):
                self._queue.control(commands.pong(message.Message))
        elif isinstance(message, Notice):
            self._notice(message.Message)
        elif self._phase is Phase.LOGIN:
            if isinstance(message, Welcome):
                self._welcome(message)
        elif self._phase in (Phase.REJOINING, Phase.LOBBY):
            self._logged_in_message(message)

    def _welcome(self, message: Welcome) -> None:
        name = message.PlayerName
        if not (self._config.own_server or commands.is_bot_name(name)):
            self._emit(
                ev.LoginRefused(f"the server calls us {shown(name, 40)}, expected {self._config.name}")
            )
            self._close("log-in refused: under a name for people", ev.Retry.NEVER)
            return
        self._name = self._lobby.name = name
        self._phase = Phase.REJOINING
        self._timers.pop("login", None)
        self._set_timer("rejoin", self._config.rejoin_wait)
        self._emit(ev.LoggedIn(shown(name, 40), duplicate=False))

    def _logged_in_message(self, message: Message) -> None:
        lobby = self._lobby
        match = lobby.match
        if isinstance(message, Settings):
            if message.AutoPlay:
                self._queue.other("set autoplay 0")
        elif isinstance(message, Say):
            self._said(message)
        elif isinstance(message, Joined):
            lobby.joined(message)
            if lobby.seated and self._phase is Phase.REJOINING:
                self._enter_lobby()
        elif isinstance(message, Left):
            lobby.left(message)
        elif isinstance(message, FailedCreate | FailedJoin | FailedLeave):
            lobby.failed(message)
        elif match is None:
            return
        elif isinstance(message, Board):
            match.board(message)
        elif isinstance(message, Rolled):
            match.rolled(message)
        elif isinstance(message, Moved):
            match.moved(message)
        elif isinstance(message, Win):
            match.win(message)
        elif isinstance(message, FailedRoll | FailedMove | FailedOk):
            word = {FailedRoll: "roll", FailedMove: "move", FailedOk: "ok"}[type(message)]
            match.refused(word, message.Reason)

    def _said(self, message: Say) -> None:
        if self._chat.take(self._now):
            self._tell_dropped(self._chat)
            self._emit(ev.Chat("say", shown(message.Player, 40), shown(message.Message)))

    def _notice(self, text: str) -> None:
        ended = refusal(text)
        if ended is not None and not self._stopping:
            if ended.retry is ev.Retry.NEVER:
                self._emit(ev.LoginRefused(ended.reason))
            self._close(ended.reason, ended.retry, ended.least_wait)
            return
        if self._lobby.notice(text):
            self._emit(ev.Shutdown(notice_text(text)))
            return
        self._lobby.refused(text)
        self._lobby.asked_again(text)
        if self._notices.take(self._now):
            self._tell_dropped(self._notices)
            self._emit(ev.ServerError(notice_text(text)))

    def _tell_dropped(self, dose: Dose) -> None:
        if dose.dropped:
            self._emit(ev.TextDropped(dose.dropped))
            dose.dropped = 0

    def _enter_lobby(self) -> None:
        self._phase = Phase.LOBBY
        self._timers.pop("rejoin", None)
        self._emit(ev.LobbyReady())
        self._lobby.enter()

    # -- clocks and ends -------------------------------------------------------------------------------------

    def _tick(self, now: float) -> None:
        self._now = max(self._now, now) if self._started else now
        if not self._started:
            self._started = True
            self._set_timer("login", self._config.login_limit)
            self._set_timer("keep_alive", self._config.keep_alive)
            self._alive()
            if self._config.greeting:
                self._set_timer("greeting", self._config.greeting_wait)
            else:
                self._log_in()

    def _timer(self, name: str) -> None:
        if name == "greeting":
            if self._strange:  # whoever speaks there gets no password
                self._close("not a bgammon server: it greets with something else", ev.Retry.BACK_OFF)
            else:
                self._log_in()
        elif name == "login":
            self._close("no log-in within the time limit", ev.Retry.BACK_OFF)
        elif name == "rejoin":
            self._enter_lobby()
        elif name == "silence":
            self._close("the server does not answer any more", ev.Retry.BACK_OFF)
        elif name == "keep_alive":
            if self.logged_in:
                self._queue.control("pong")
            self._set_timer("keep_alive", self._config.keep_alive)
        elif name == "bye":
            self._close("logged out", ev.Retry.NEVER)
        elif (reason := self._lobby.timer(name)) is not None:
            self._close(reason, ev.Retry.BACK_OFF)

    def _close(self, reason: str, retry: ev.Retry, least_wait: float = 0.0) -> None:
        self._lobby.disconnected()
        self._phase = Phase.CLOSED
        self._timers.clear()
        self._emit(ev.Disconnected(reason, retry is ev.Retry.NEVER, retry, least_wait))

    def _emit(self, event: ev.Event) -> None:
        self._events.append(event)

    def _set_timer(self, name: str, delay: float | None) -> None:
        if delay is None:
            self._timers.pop(name, None)
        else:
            self._timers[name] = self._now + delay

    def _drain(self) -> list[ev.Event]:
        events, self._events = self._events, []
        return events
