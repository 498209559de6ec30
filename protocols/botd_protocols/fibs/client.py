"""The FIBS/CLIP client: bytes and times in, events and bytes out.

`FibsClient` looks after the connection: log-in, settings, lobby, the command queue and the clocks.
What happens inside a match is in `client_match` and `client_match_texts`, which ask the session for
decisions. See docs/protocol-fibs.md for the states and the rules behind them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from botd_protocols.positions import Step
from botd_protocols.traffic import Traffic, first_word, nobody

from . import client_events as ev
from .client_board import BoardLine
from .client_lines import LOGIN_PROMPT, LineReader, LineTooLong, escape, split_glued
from .client_lobby import SavedList, invitation
from .client_match_texts import MatchTexts
from .client_messages import (
    BadBoard,
    ClipText,
    Marker,
    Message,
    OwnInfo,
    Sentence,
    Welcome,
    WhoRecord,
    parse_clip,
    parse_line,
)
from .client_queue import CommandQueue, command_line
from .client_replies import REFUSALS, kind_of, may_answer
from .client_settings import SettingsPlan

CLIP_VERSION = 1008
_CHAT = {9: "message", 12: "tell", 13: "shout", 14: "whisper", 15: "kibitz", 20: "alert"}


@dataclass(frozen=True, slots=True)
class FibsClientConfig:
    """How to log in, and the client's patience in seconds."""

    name: str
    """The account."""
    password: str = field(repr=False)
    client_name: str = "botd_0.1"
    ready: bool = True
    """End the start-up with the toggle `ready` on, so that people can invite us."""
    auto_join: bool = True
    """Answer the prompt between games with `join` (or `leave` after `leave_after_game(True)`)."""
    command_gap: float = 0.2
    reply_timeout: float = 2.5
    login_timeout: float = 60.0
    settings_timeout: float = 10.0
    """How long a start-up command may stay unanswered; patience here is what keeps toggles right."""
    keep_alive: float = 360.0
    """After so long without sending, or without hearing anything, ask for the time."""
    probe: float = 900.0
    """In the lobby, how often to look at our own record, in case the server thinks us not ready."""
    silence_limit: float = 60.0
    """A keep-alive unanswered for so long means the connection is dead."""
    settle: float = 0.3
    """How long a board line may be followed by an automatic move before we are asked for one."""
    roll_nudge: float = 2.5
    """On roll without dice or question for so long: decide all the same."""
    board_timeout: float = 3.0
    crossed_wait: float = 2.0
    """How long to let somebody join who got our invitation when we got his."""
    move_timeout: float = 10.0
    """No reply to a game command, or no match after `join`, for so long: read the board again."""
    quiet_limit: float = 120.0
    """Nothing about a running match for so long: read the board, in case a line was lost."""
    alarm_wait: float = 120.0
    """How long to keep still after an alarm. Then the board decides afresh; after a second alarm in the same
    game the match is left, which the server saves."""

    def __post_init__(self) -> None:
        for what, text in (
            ("name", self.name),
            ("password", self.password),
            ("client_name", self.client_name),
        ):
            if not text or any(not "!" <= c <= "~" for c in text):
                raise ValueError(f"FIBS {what}: expected printable ASCII without blanks")


class Phase(StrEnum):
    CONNECTING = "connecting"
    """Waiting for the log-in prompt."""
    LOGIN = "login"
    """Credentials sent."""
    MOTD = "motd"
    """Everything is free text until `4`."""
    WHO = "who"
    """The first who list; complete at `6`."""
    SETTINGS = "settings"
    LOBBY = "lobby"
    """Logged in, whether or not a match runs."""
    CLOSED = "closed"


class FibsClient:
    """One connection. Make a new client for the next one."""

    def __init__(self, config: FibsClientConfig, traffic: Traffic = nobody) -> None:
        """`traffic` is told of every message that comes and goes."""
        self._config = config
        self._traffic = traffic
        self._phase = Phase.CONNECTING
        self._reader = LineReader()
        self._queue = CommandQueue(config.command_gap, config.reply_timeout)
        self._raw = b""
        self._now = 0.0
        self._started = False
        self._timers: dict[str, float] = {}
        self._events: list[ev.Event] = []
        self._plan: SettingsPlan | None = None
        self._saved = SavedList()
        self._toggles: dict[str, bool] = {}
        self._unknown: set[str] = set()
        self._ready = False
        self._wanted_ready = config.ready
        self._probing = False
        self._duplicate = False
        self._evicted = False
        self._stopping = False
        self._goodbye = False
        self._refused = False
        self._match = MatchTexts(config, self._emit, self._command, self._set_timer, self._unknown)

    def __repr__(self) -> str:
        return f"FibsClient({self._config.name!r}, {self._phase})"

    # -- what is known ---------------------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        return self._phase

    @property
    def can_play(self) -> bool:
        return self._phase is Phase.LOBBY

    @property
    def logged_in(self) -> bool:
        return self._phase in (Phase.SETTINGS, Phase.LOBBY)

    @property
    def opponent(self) -> str | None:
        """Whom we play, None in the lobby."""
        return self._match.opponent

    @property
    def in_match(self) -> bool:
        return self._match.opponent is not None

    @property
    def ready(self) -> bool:
        """The server's toggle `ready` as far as known."""
        return self._ready

    @property
    def board(self) -> BoardLine | None:
        """The newest board line of the match."""
        return self._match.board

    # -- bytes and times -------------------------------------------------------------------------------------

    def receive_data(self, data: bytes, now: float) -> list[ev.Event]:
        """Take bytes from the server. Never raises for anything in them."""
        self._tick(now)
        if self._phase is Phase.CLOSED:
            return self._drain()
        self._timers.pop("silence", None)
        self._set_timer("deaf", self._config.keep_alive)
        try:
            for line in self._reader.feed(data):
                self._line(line)
        except LineTooLong as error:
            self._close(f"line too long: {error}", ev.Retry.BACK_OFF)
        return self._drain()

    def receive_eof(self, now: float) -> list[ev.Event]:
        """The server closed the connection, or it broke."""
        self._tick(now)
        if self._phase is not Phase.CLOSED:
            self._eof()
        return self._drain()

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
        if (queued := self._queue.next_time()) is not None and self._may_send():
            times.append(max(queued, self._now))
        return min(times, default=None)

    def data_to_send(self) -> bytes:
        """The bytes that may go out now (by the time of the last call with `now`)."""
        data, self._raw = self._raw, b""
        while self._may_send() and (command := self._queue.pop(self._now)) is not None:
            if self.in_match and command.startswith(("join ", "invite ")):
                continue  # it waited in the queue, and meanwhile a match began
            data += command.encode("ascii") + b"\r\n"
            self._traffic("sent", first_word(command))
            self._set_timer("keep_alive", self._config.keep_alive)
            self._match.sent(command)
        return data

    # -- commands of the session -----------------------------------------------------------------------------

    def join(self, name: str) -> None:
        """Accept an invitation. If both sides invited each other, one of them waits for the other."""
        crossed = self._match.own_invitation == name and self._config.name > name
        self._match.own_invitation = name
        if crossed:
            self._set_timer("crossed", self._config.crossed_wait)
        else:
            self._queue.push(f"join {name}")

    def invite(self, name: str, length: int | None = None) -> None:
        """Invite to a match of `length` points, 0 for an unlimited one; None to resume the saved match."""
        if length is not None and not 0 <= length <= 99:
            raise ValueError(f"match length: expected 0..99, found {length}")
        self._match.own_invitation = name
        what = "" if length is None else f" {length}" if length else " unlimited"
        self._queue.push(f"invite {name}{what}")

    def answer_move(self, key: int, steps: Iterable[Step]) -> list[ev.Event]:
        """Play steps in our own numbering; none if no checker can move. ValueError for other numbers."""
        self._match.answer_move(key, tuple(steps))
        return self._drain()

    def answer_roll(self, key: int) -> list[ev.Event]:
        self._match.answer(key, "roll", ev.DecisionKind.ROLL_OR_DOUBLE)
        return self._drain()

    def answer_double(self, key: int) -> list[ev.Event]:
        self._match.answer(key, "double", ev.DecisionKind.ROLL_OR_DOUBLE)
        return self._drain()

    def answer_accept(self, key: int) -> list[ev.Event]:
        """Take a double, or accept a resignation."""
        self._match.answer(key, "accept")
        return self._drain()

    def answer_reject(self, key: int) -> list[ev.Event]:
        """Drop a double, or reject a resignation."""
        self._match.answer(key, "reject")
        return self._drain()

    def resign(self, level: int) -> None:
        """Offer to resign: 1 single game, 2 gammon, 3 backgammon. Not while an offer is open."""
        if not 1 <= level <= 3:
            raise ValueError(f"resignation: expected level 1, 2 or 3, found {level}")
        self._match.resign("ngb"[level - 1])

    def leave(self) -> None:
        """Leave the match now; the server saves it."""
        self._queue.drop_urgent()
        self._queue.push("leave", urgent=True)

    def leave_after_game(self, leave: bool = True) -> None:
        """Whether to answer the next prompt between games with `leave`."""
        self._match.leave_next = leave

    def join_next(self) -> None:
        """Answer the prompt between games (with `auto_join` off)."""
        self._match.join_next()

    def read_board(self) -> list[ev.Event]:
        """Read the board again and decide afresh (somebody thinks we are stuck)."""
        self._match.resync("asked", None)
        return self._drain()

    def tell(self, name: str, text: str) -> None:
        self._talk(f"tell {name}", text)

    def say(self, text: str) -> None:
        """To the opponent and whoever watches."""
        self.kibitz(text)

    def kibitz(self, text: str) -> None:
        self._talk("kibitz", text)

    def _talk(self, command: str, text: str) -> None:
        if line := command_line(text):  # nothing is said by nothing
            self._queue.push(f"{command} {line}")

    def show_saved(self) -> None:
        self._command("show saved")

    def show_saved_count(self, name: str) -> None:
        self._queue.push(f"show savedcount {name}")

    def who(self, name: str) -> None:
        """Ask for one player's record; it comes as `PlayerSeen`."""
        self._command(f"rawwho {name}" if "rawwho" not in self._unknown else f"who {name}")

    def set_ready(self, ready: bool) -> None:
        """Be open to invitations or not."""
        self._wanted_ready = ready
        if ready != self._ready and "toggle ready" not in self._queue:
            self._queue.push("toggle ready")

    def bye(self) -> None:
        """Log out; the server closes the connection."""
        self._stopping = True
        self._queue.push("bye")
        self._set_timer("bye", 30.0)

    # -- lines -----------------------------------------------------------------------------------------------

    def _line(self, line: str) -> None:
        if self._phase in (Phase.CONNECTING, Phase.LOGIN, Phase.MOTD):
            self._traffic("received", "login")
        if line == LOGIN_PROMPT:
            self._prompt()
            return
        if self._goodbye or self._phase is Phase.CLOSED:
            return
        if self._phase in (Phase.CONNECTING, Phase.LOGIN):
            self._login_line(line)
            return
        if self._phase is Phase.MOTD:
            if line == "4":
                self._phase = Phase.WHO
            return
        clip = parse_clip(line)
        if isinstance(clip, ClipText) or (isinstance(clip, WhoRecord | Marker) and "board:" not in line):
            # Nothing is searched for in what people write; and nothing but a board gets stuck to a record.
            self._heard(line, clip)
        else:
            for part in split_glued(line):
                self._heard(part, parse_line(part))

    def _heard(self, line: str, message: Message | None) -> None:
        if not line.strip():
            return
        self._traffic("received", kind_of(message))
        if self._queue.waits_for_reply and may_answer(self._queue.last, message):
            self._queue.answered()
        self._message(line, message)

    def _prompt(self) -> None:
        if self._phase is Phase.CONNECTING:
            c = self._config
            self._traffic("sent", "login")
            self._raw += f"login {c.client_name} {CLIP_VERSION} {c.name} {c.password}\r\n".encode("ascii")
            self._phase = Phase.LOGIN
            self._set_timer("login", c.login_timeout)
        elif self._phase is Phase.LOGIN and not self._raw:  # else it cannot be the answer to our log-in
            self._login_refused("the server asked for the log-in again")

    def _login_refused(self, reason: str) -> None:
        self._emit(ev.LoginRefused(reason))
        self._close(f"log-in refused: {reason}", ev.Retry.NEVER)

    def _login_line(self, line: str) -> None:
        message = parse_line(line)
        if isinstance(message, Sentence):
            if message.kind == "already":
                self._duplicate = True
            elif message.kind == "shutdown":
                self._emit(ev.Shutdown(escape(line)))
            elif message.kind == "refused" and self._phase is Phase.LOGIN:
                self._login_refused(escape(line))
        elif self._phase is Phase.LOGIN:
            if isinstance(message, Welcome):
                self._reader.expect_login = False
            elif isinstance(message, OwnInfo):
                self._own_info(message)
                self._ready = message.toggles.get("ready", False)
            elif message is Marker.MOTD_BEGIN:
                self._reader.expect_login = False
                self._phase = Phase.MOTD

    def _message(self, line: str, message: Message | None) -> None:
        if isinstance(message, BoardLine):
            self._match.board_line(message)
        elif isinstance(message, BadBoard):
            self._emit(ev.UnparsedLine(f"{message.reason}: {escape(line)[:200]}"))
            if self.in_match:
                self._match.resync("unreadable board line")
        elif isinstance(message, ClipText):
            self._clip_text(message)
        elif isinstance(message, WhoRecord):
            self._who_record(message)
        elif message is Marker.WHO_END:
            if self._phase is Phase.WHO:
                self._logged_in()
        elif isinstance(message, OwnInfo):
            self._own_info(message)
        elif isinstance(message, Sentence):
            self._sentence(message)
        elif message is None:
            self._emit(ev.UnparsedLine(escape(line)[:200]))

    def _own_info(self, info: OwnInfo) -> None:
        self._toggles = info.toggles
        self._emit(ev.OwnRating(info.rating, info.experience))

    def _clip_text(self, message: ClipText) -> None:
        if message.number in _CHAT:
            self._emit(ev.Chat(_CHAT[message.number], escape(message.name), escape(message.text.lstrip(" "))))
        elif message.number == 8:
            self._emit(ev.PlayerGone(message.name))

    def _who_record(self, record: WhoRecord) -> None:
        own = record.name == self._config.name
        if own:
            self._emit(ev.OwnRating(record.rating, record.experience))
            self._ready = record.ready
            if self._probing and not self.in_match:
                self._probing = False
                self.set_ready(self._wanted_ready)
        self._emit(
            ev.PlayerSeen(
                record.name, record.opponent, record.ready, record.away, record.rating, record.experience
            )
        )
        if own:
            self._match.own_record(record.opponent, record.watching is not None)

    def _logged_in(self) -> None:
        self._timers.pop("login", None)
        self._emit(ev.LoggedIn(self._config.name, self._duplicate))
        self._phase = Phase.SETTINGS
        self._plan = SettingsPlan(self._toggles, ready=self._config.ready)
        self._match.logged_in()
        self._next_setting()

    def _next_setting(self) -> None:
        assert self._plan is not None
        command = self._plan.next_command()
        if command is None:
            self._phase = Phase.LOBBY
            self._timers.pop("settings", None)
            self._set_timer("probe", self._config.probe)
            self._emit(ev.LobbyReady())
            return
        self._queue.push(command)
        self._set_timer("settings", self._config.settings_timeout)

    def _sentence(self, sentence: Sentence) -> None:
        kind, text = sentence.kind, escape(sentence.text)
        if self._phase is Phase.SETTINGS and self._plan is not None and self._plan.take(kind):
            # A list has no end mark: it is complete when no row followed for a while.
            listing = kind.endswith(("_head", "_row"))
            self._set_timer("settings", self._config.command_gap + (0.6 if listing else 0.0))
        if kind.startswith("saved_") and kind != "saved_warning":
            if (event := self._saved.take(sentence)) is not None:
                self._emit(event)
            elif kind in ("saved_head", "saved_row"):
                self._set_timer("saved", 0.5)
        elif kind.startswith("invitation"):
            self._saved.invited = sentence.values["name"]
            self._match.invited_by(sentence.values["name"])
            self._emit(invitation(sentence))
        elif kind == "saved_warning":
            if self._saved.invited is not None:
                length = sentence.values.get("length")
                self._emit(ev.SavedMatchAtRisk(self._saved.invited, int(length) if length else None))
        elif kind == "toggle_row":
            value = sentence.values["value"] == "YES"
            if self._plan is not None and not self._plan.done:
                self._plan.row(sentence.values["name"], value)
            if sentence.values["name"] == "ready":
                self._ready = value
        elif kind == "unknown_command":
            words = (sentence.values["command"].split() or [""])[0]
            self._unknown.add(words)
            self._match.unknown_command(words)
            if words == "toggle":
                self._emit(ev.ServerError(text))
        elif kind == "ascii_board":
            if self._phase is Phase.LOBBY and "set boardstyle 3" not in self._queue:
                self._queue.push("set boardstyle 3")
                self._match.resync("board in another style")
        elif kind == "not_ready":
            self.set_ready(True)
            self._ready = True
            self._emit(ev.InvitationFailed(None, text))
        elif kind == "no_saved_match":
            self._match.invitation_failed()
            self._emit(ev.InvitationFailed(sentence.values["name"], text, no_saved_match=True))
        elif kind == "invite_failed":
            names = [sentence.values[n] for n in ("name", "name2", "name3") if n in sentence.values]
            self._match.invitation_failed()
            self._emit(ev.InvitationFailed(names[0] if names else None, text))
        elif kind == "away":
            self._match.invitation_failed()
            self._emit(ev.InvitationFailed(sentence.values["name"], text))
        elif kind == "invited":
            self._emit(ev.InvitationSent(sentence.values["name"]))
        elif kind == "shutdown":
            self._emit(ev.Shutdown(text))
        elif kind == "logged_out" or (kind == "duplicate" and sentence.values["name"] == self._config.name):
            self._evicted = True
        elif kind == "goodbye":
            self._goodbye = True
        elif kind.startswith("toggled_"):
            if kind == "toggled_ready":
                self._ready = "now ready" in sentence.text
        elif kind in ("toggle_head", "join_hint", "variable", "server_time"):
            pass
        else:
            if kind in REFUSALS and self.in_match:
                self._emit(ev.CommandRejected(first_word(self._queue.last), text))
            if not self._match.sentence(sentence, self._config.name) and kind == "error":
                self._emit(ev.ServerError(text))

    # -- clocks and ends -------------------------------------------------------------------------------------

    def _tick(self, now: float) -> None:
        self._now = max(self._now, now) if self._started else now
        self._match.now = self._now
        if not self._started:
            self._started = True
            self._set_timer("login", self._config.login_timeout)
            self._set_timer("keep_alive", self._config.keep_alive)

    def _timer(self, name: str) -> None:
        if name == "login":
            self._close("no log-in within the time limit", ev.Retry.BACK_OFF)
        elif name == "settings":
            if self._phase is Phase.SETTINGS:
                if len(self._queue):
                    self._set_timer("settings", self._config.settings_timeout)
                else:
                    self._next_setting()
        elif name in ("keep_alive", "deaf"):
            # Both: what we send of our own accord in a match would put off the one, and needs no reply.
            if self._phase in (Phase.SETTINGS, Phase.LOBBY) and "silence" not in self._timers:
                self._queue.push("time" if "time" not in self._unknown else f"who {self._config.name}")
                self._set_timer("silence", self._config.silence_limit)
            self._set_timer(name, self._config.keep_alive)
        elif name == "probe":
            self._set_timer("probe", self._config.probe)
            if not self.in_match and not self._stopping:
                self._probing = True
                self.who(self._config.name)
        elif name == "silence":
            self._close("the server does not answer any more", ev.Retry.BACK_OFF)
        elif name == "bye":
            self._close("logged out", ev.Retry.NEVER)
        elif name == "saved":
            self._emit(self._saved.finish())
        elif name == "crossed":
            if self._match.own_invitation is not None and not self.in_match:
                self._queue.push(f"join {self._match.own_invitation}")
        else:
            self._match.timer(name)

    def _eof(self) -> None:
        if self._evicted:
            self._close("another session of the account took over", ev.Retry.DUPLICATE)
        elif self._stopping:
            self._close("logged out", ev.Retry.NEVER)
        elif self._phase is Phase.CONNECTING:
            self._close("closed before the log-in prompt", ev.Retry.BACK_OFF)
        else:
            self._close("connection closed by the server", ev.Retry.BACK_OFF)

    def _close(self, reason: str, retry: ev.Retry) -> None:
        self._match.disconnected()
        self._phase = Phase.CLOSED
        self._timers.clear()
        self._emit(ev.Disconnected(reason, retry is ev.Retry.NEVER, retry))

    # -- given to the match ----------------------------------------------------------------------------------

    def _emit(self, event: ev.Event) -> None:
        self._events.append(event)

    def _command(self, command: str, urgent: bool = False) -> None:
        if command.split(maxsplit=1)[0] not in self._unknown:
            self._queue.push(command, urgent=urgent)

    def _set_timer(self, name: str, delay: float | None) -> None:
        if delay is None:
            self._timers.pop(name, None)
        else:
            self._timers[name] = self._now + delay

    def _may_send(self) -> bool:
        return self._phase in (Phase.SETTINGS, Phase.LOBBY) and not self._goodbye

    def _drain(self) -> list[ev.Event]:
        events, self._events = self._events, []
        return events
