"""Sitting down and getting up: creating matches, joining on our own server, leaving, being put back.

The client sits in at most one match. In between it waits, asks for the match that is on offer, and tries
again if nothing comes of it. Every wait here has an end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from . import client_commands as commands
from . import client_events as ev
from .client_match import MatchPlay
from .client_messages import FailedCreate, FailedJoin, FailedLeave, Joined, Left
from .client_queue import CommandQueue
from .client_text import notice_text

if TYPE_CHECKING:
    from .client import BgammonClientConfig

RETRY_CREATE = 15.0
RETRY_JOIN = 5.0
BETWEEN_MATCHES = 1.0
WRONG_PASSWORD = 60.0
"""Before a private match is tried again whose password is another one; the next one's may be ours."""
LONELY = 20.0
"""Whoever is sought and does not sit opposite is not there; looked at so often."""
MAX_TRIES = 3
"""Commands without any answer, after which the connection is given up."""

_REFUSALS = (
    *("It is not your turn.", "You must roll first.", "Waiting for response from opponent."),
    *("You must wait until your opponent", "You may not double", "You may not resign"),
)

_ASKED_AGAIN = "Your opponent would like to play again."


@dataclass(frozen=True, slots=True)
class MatchOffer:
    """A match to create. Raises ValueError for what the server would not take."""

    points: int
    name: str = ""
    password: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.command()

    def command(self) -> str:
        return commands.create(self.points, self.name, self.password)


@dataclass(slots=True)
class _Again:
    """Another match at the same table."""

    asked: bool = False
    """The opponent asked for it."""
    wanted: bool = False
    """So do we."""
    said: bool = False
    """And have said so."""


class _Seat(StrEnum):
    NONE = "none"
    ASKED = "asked"
    """`create` or `join` is on its way."""
    TAKEN = "taken"
    LEAVING = "leaving"


class Lobby:
    def __init__(
        self,
        config: BgammonClientConfig,
        emit: Callable[[ev.Event], None],
        queue: CommandQueue,
        set_timer: Callable[[str, float | None], None],
    ) -> None:
        self._config, self._emit, self._queue, self._set_timer = config, emit, queue, set_timer
        self.name = config.name
        """Ours, as the server writes it."""
        self.match: MatchPlay | None = None
        """The match we sit in."""
        self._seat = _Seat.NONE
        self._offer: MatchOffer | None = None
        self._sought: str | None = None
        self._sought_password: str | None = None
        self._again = _Again()
        self._entered = False
        self._stopped = False
        self._key = 0
        self._tries = 0
        self._pause = BETWEEN_MATCHES
        self._closing = False
        """The server is about to go down, as far as it said lately."""

    @property
    def seated(self) -> bool:
        return self.match is not None

    # -- what the session wants ------------------------------------------------------------------------------

    def enter(self) -> None:
        """The log-in is done and we know whether we were put back into a match."""
        self._entered = True
        self._sit_down_later(0.0)

    def offer(self, offer: MatchOffer | None) -> None:
        self._offer = offer
        if offer is not None:
            self._sit_down_later(0.0)
        elif self.match is not None and self._sought is None and (self.match.waiting or self.match.over):
            self._get_up("")

    def seek(self, name: str | None, password: str | None = None) -> None:
        if name is not None:
            commands.join_player(name, password)
        self._sought, self._sought_password = name, password
        self._sit_down_later(0.0)

    def rematch(self, *, ask: bool, wait: bool) -> None:
        """After a match: play another one at this table if the opponent asks for it, or ask him."""
        if self.match is None or not self.match.over or self._seat is not _Seat.TAKEN or self._stopped:
            return
        self._again.wanted = True
        if wait:
            self._set_timer("get_up", self._config.rematch_wait)
        if ask or self._again.asked:
            self._say_rematch()

    def asked_again(self, text: str) -> None:
        """A notice; one says that the opponent wants a rematch."""
        here = self.match is not None and self.match.over and self._seat is _Seat.TAKEN
        if here and text.startswith(_ASKED_AGAIN):
            self._again.asked = True
            if self._again.wanted:
                self._say_rematch()

    def _say_rematch(self) -> None:
        if not self._again.said:
            self._again.said = True
            self._queue.other("rematch")

    def refuse(self, text: str) -> None:
        """Do not play whoever sits opposite, and offer the next match a little later."""
        if self.match is not None:
            self._pause = RETRY_CREATE
            self.match.refuse(text)

    def stop(self) -> None:
        """We log out: begin nothing new."""
        self._stopped = True
        self._queue.drop_match()
        if self.match is not None:
            self.match.stop()

    def disconnected(self) -> None:
        if self.match is not None:
            self.match.disconnected()

    # -- events of the server --------------------------------------------------------------------------------

    def joined(self, event: Joined) -> None:
        if event.PlayerNumber == 1 and event.Player == self.name:
            self._sit(event.GameID)
        elif event.PlayerNumber == 2 and event.Player != self.name and self.match is not None:
            self.match.opponent_joined()

    def left(self, event: Left) -> None:
        if event.Player == self.name:
            self._got_up("the server took us out of the match")
        elif self.match is not None:
            if self.match.over and self._seat is _Seat.TAKEN and self.match.is_opponent(event.Player):
                self._get_up("")  # nothing more will come of this table
            self.match.opponent_left(event.Player)

    def failed(self, event: FailedCreate | FailedJoin | FailedLeave) -> None:
        if isinstance(event, FailedLeave):
            self._got_up("we sat in no match")
            return
        self._emit(ev.TableRefused(notice_text(event.Reason)))
        if self._seat is not _Seat.ASKED:
            return
        self._seat = _Seat.NONE
        self._tries = 0
        self._set_timer("seat", None)
        if "shutting down" in event.Reason:
            self._server_closes()
        elif event.Reason.startswith("Please leave the match you are in"):
            # A seat that nothing has told us of: if we were put back into a match, that comes any moment.
            self._set_timer("get_up", self._config.reply_timeout)
        elif isinstance(event, FailedJoin):
            self._sit_down_later(WRONG_PASSWORD if "password" in event.Reason else RETRY_JOIN)
        else:
            self._sit_down_later(RETRY_CREATE)

    def notice(self, text: str) -> bool:
        """Whether this notice announces a shutdown. Begin nothing new for a while then."""
        if not (text.startswith("SERVER BROADCAST:") and "shutting down" in text):
            return False
        self._server_closes()
        return True

    def _server_closes(self) -> None:
        self._closing = True
        self._set_timer("reopen", self._config.shutdown_pause)

    def refused(self, text: str) -> None:
        """A notice; some say that a command of the match is refused, and the board then comes sooner."""
        match = self.match
        if match is not None and text.startswith(_REFUSALS):
            word = match.sent_word
            if word in ("ok", "double", "resign", "reset"):
                match.refused(word, text)

    def sent(self, command: str) -> None:
        """A command went out: start its clock."""
        word = command.split(maxsplit=1)[0]
        if word in ("create", "join", "leave"):
            self._set_timer("seat", self._config.reply_timeout)
        elif self.match is not None and word in ("roll", "move", "ok", "double", "resign", "reset", "board"):
            self.match.sent(word)

    # -- sitting down and getting up -------------------------------------------------------------------------

    def _sit(self, game_id: int) -> None:
        if self.match is not None:
            self._key = self.match.key
            self.match.removed("another match began")
        created = self._seat is _Seat.ASKED and self._sought is None
        self._seat = _Seat.TAKEN
        self._again = _Again()
        self._tries = 0
        self._set_timer("seat", None)
        self._set_timer("sit_down", None)
        self._set_timer("get_up", None)
        self._set_timer("lonely", LONELY)
        self._queue.drop_match()
        self.match = MatchPlay(
            self._config, self.name, self._key, self._emit, self._queue, self._set_timer, self._get_up
        )
        self._emit(ev.MatchOpened(game_id, created))

    def _get_up(self, last_words: str) -> None:
        """Leave; with a last line to the opponent if there is something to say."""
        self._queue.drop_match()
        self._seat = _Seat.LEAVING
        if last_words:
            self._queue.other(commands.say(last_words))
        self._queue.other("leave")

    def _got_up(self, reason: str) -> None:
        if self.match is not None:
            if not self._stopped:
                self.match.removed(reason)
            self._key = self.match.key
            self.match = None
            self._emit(ev.TableLeft())
        self._seat = _Seat.NONE
        self._tries = 0
        self._queue.drop_match()
        self._set_timer("seat", None)
        self._set_timer("get_up", None)
        self._sit_down_later(self._pause)
        self._pause = BETWEEN_MATCHES

    def _look_opposite(self) -> None:
        """Leave the table of somebody we were looking for if he does not sit there (any more)."""
        if self.match is None:
            return
        if self._sought is not None and self.match.waiting:
            self._get_up("")
        else:
            self._set_timer("lonely", LONELY)

    def _sit_down_later(self, delay: float) -> None:
        wanted = self._offer is not None or self._sought is not None
        if self._entered and not self._stopped and self._seat is _Seat.NONE and wanted:
            self._set_timer("sit_down", delay)

    def _sit_down(self) -> None:
        if self._seat is not _Seat.NONE or self._stopped or self._closing:
            return
        if self._sought is not None:
            self._seat = _Seat.ASKED
            self._queue.other(commands.join_player(self._sought, self._sought_password))
        elif self._offer is not None:
            self._seat = _Seat.ASKED
            self._queue.other(self._offer.command())

    # -- clocks ----------------------------------------------------------------------------------------------

    def timer(self, name: str) -> str | None:
        """A timer is due. A text, if the connection is no good any more."""
        if name == "sit_down":
            self._sit_down()
        elif name == "seat":
            self._tries += 1
            if self._tries >= MAX_TRIES:
                return "the server does not react to commands"
            if self._seat is _Seat.LEAVING:
                self._queue.other("leave")
            elif self._seat is _Seat.ASKED:
                self._seat = _Seat.NONE
                self._sit_down_later(0.0)
        elif name == "get_up":
            self._get_up("")
        elif name == "lonely":
            self._look_opposite()
        elif name == "reopen":
            self._closing = False
            self._sit_down_later(0.0)
        elif self.match is not None:
            self.match.timer(name)
        return None
