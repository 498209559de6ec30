"""One account on one server: connect, play, reconnect, until told to stop.

The client's events come in order on the event loop and are passed to three listeners: the story (journal and
subscribers), the matchmaker (invitations) and this module, which has the questions answered (`answering.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import structlog

from botd.config.schema import AccountConfig
from botd.config.secret import Credentials
from botd.daemon import happenings as h
from botd.daemon.answering import Answering
from botd.daemon.background import background
from botd.daemon.backoff import Backoff
from botd.daemon.chat import ARE_YOU_THERE, ChatManners, is_wake_word
from botd.daemon.connection import Connection
from botd.daemon.decider import Decider, Strength
from botd.daemon.doorway import Doorway, Visitor
from botd.daemon.encounters import LONGEST, REMEMBERED, Encounters
from botd.daemon.patience import Patience, Step
from botd.daemon.policy import Situation as Readiness
from botd.daemon.recorder import Recorder, Sitting
from botd.daemon.resigning import Resigning
from botd.daemon.servers import PROTOCOLS, Matchmaker, Parts, Surroundings
from botd.daemon.slots import Slot
from botd.daemon.story import Story
from botd.decisions.service import DecisionService
from botd.engine.modes import in_mode
from botd.engine.types import EngineMode
from botd.journal.records import Suspension
from botd.metrics.server import ServerMetrics
from botd_protocols import game_events as ev
from botd_protocols.game_client import GameClient

log = structlog.get_logger("botd.session")

DUPLICATE_WAIT = 60.0
MAX_DUPLICATES = 3
DUPLICATES_FORGOTTEN = 3600.0
"""A session that lived so long was not fought over."""
GOODBYE = 5.0
"""Seconds a server gets to let us go."""


class Outcome(StrEnum):
    """How a session ended."""

    STOPPED = "stopped"
    DONE = "done"
    """As many matches as the account was to play."""
    REFUSED = "refused"
    """The server does not let the account in; trying again would not help."""
    GAVE_UP = "gave up"
    """Somebody else keeps using the account."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What an account is doing."""

    state: str
    """`connecting`, `waiting` (before the next attempt), `ready` or `playing`."""
    matches: int
    """Finished so far."""
    wins: int
    losses: int
    last_message_at: float | None
    """When the server last sent anything, in seconds since 1970."""
    opponent: str | None = None
    length: int | None = None
    score: tuple[int, int] | None = None
    """Ours, theirs."""


@dataclass(slots=True)
class _Link:
    """What belongs to one connection."""

    parts: Parts
    connection: Connection[ev.Event]
    patience: Patience
    answering: Answering
    end: ev.Disconnected | None = None

    @property
    def client(self) -> GameClient:
        return self.parts.client

    @property
    def matchmaker(self) -> Matchmaker:
        return self.parts.matchmaker


class AccountSession:
    """Plays one account. `run` once."""

    def __init__(
        self,
        account: AccountConfig,
        credentials: Credentials,
        service: DecisionService,
        decider: Decider,
        recorder: Recorder,
        metrics: ServerMetrics,
        changed: Callable[[], None],
        slot: Slot,
        doorway: Doorway,
    ) -> None:
        """`changed` is called when `connected` or `playing` may have changed; `slot` is room for a match;
        `doorway` leads to the account's server."""
        self._account = account
        self._policy = account.policy
        self._credentials = credentials
        self._service = service
        self._decider = decider
        self._recorder = recorder
        self._metrics = metrics
        self._changed = changed
        self._story = Story(recorder, metrics)
        self._slot = slot
        self._doorway = doorway
        self._visitor: Visitor | None = None
        self._encounters = Encounters(recorder.player_asked)
        self._resigning = Resigning(self._policy)
        self._manners = ChatManners(account.name, self._level)
        self._stopping = asyncio.Event()
        self._done = False
        self._settled = False
        self._held = False
        self._finishing = False
        self._server_closing = False
        self._matches = self._wins = self._losses = 0
        self._heard_at: float | None = None
        self._link: _Link | None = None
        self._loop = asyncio.get_running_loop()
        self._log = log.bind(account=account.name, server=account.server)

    @property
    def server(self) -> str:
        return self._account.server

    @property
    def connected(self) -> bool:
        """Logged in and able to play."""
        return self._link is not None and self._link.client.can_play

    @property
    def settled(self) -> bool:
        """The first attempt to log in is over, with whatever result."""
        return self._settled or self.connected

    @property
    def playing(self) -> bool:
        return self._link is not None and self._link.client.in_match

    @property
    def summary(self) -> Summary:
        """What the account is doing."""
        link = self._link
        so_far = (self._matches, self._wins, self._losses, self._heard_at)
        if link is None:
            return Summary("waiting", *so_far)
        client = link.client
        if not client.in_match:
            return Summary("ready" if self.connected else "connecting", *so_far)
        return Summary("playing", *so_far, client.opponent, self._story.length, self._recorder.score)

    @property
    def sitting(self) -> Sitting | None:
        """How the running match stands."""
        return self._recorder.sitting

    def set_strength(self, strength: Strength) -> None:
        """Play so from the next decision on."""
        self._decider.strength = strength

    def hold(self, held: bool) -> None:
        """Begin no new match while held; a running one goes on."""
        self._held = held

    def finish(self) -> None:
        """`stop` as soon as no match is being played."""
        self._finishing = True
        if not self.playing:
            self.stop()

    def say(self, text: str, to: str | None) -> bool:
        """Say one line to the opponent, or to the player `to`; False if there is nobody to hear it."""
        link = self._link
        if link is None or not self.connected or (to is None and not self.playing):
            return False
        if to is None:
            link.client.say(text)
        elif not link.matchmaker.tell(to, text):
            return False
        link.connection.pump()
        return True

    def stop(self) -> None:
        """Log out (the server saves a running match) and end `run`. May be called more than once."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if self._visitor is not None:
            self._visitor.leave()
        link = self._link
        if link is None:
            return
        link.matchmaker.close()
        link.answering.close()
        if not link.client.logged_in:
            link.connection.abort("stopped before the login was done")
            return
        link.client.bye()  # the server saves the match; `leave` would look like running away
        link.connection.pump()
        self._loop.call_later(GOODBYE, link.connection.abort, "the server did not say good-bye")

    async def run(self) -> Outcome:
        """Play until stopped or until there is no point in going on."""
        with background(self._recall(), "recall"):
            return await self._run()

    async def _recall(self) -> None:
        """Take from the journal whom we have played lately. Nobody waits for it."""
        lately = await self._recorder.lately(LONGEST, REMEMBERED)
        if lately is not None:
            self._encounters.recall(lately, self._loop.time(), time.time())

    async def _run(self) -> Outcome:
        backoff = Backoff(self._account.reconnect_s)
        duplicates = 0
        while not self._stopping.is_set():
            self._visitor = self._doorway.line_up()
            try:
                await self._visitor.turn()
                if self._stopping.is_set():
                    break
                began = self._loop.time()
                end = await self._play_connection()
            finally:
                self._visitor.leave()
            lived = self._loop.time() - began
            backoff.connection_lived(lived)
            if lived >= DUPLICATES_FORGOTTEN:
                duplicates = 0
            if self._stopping.is_set() or self._finishing:
                break
            if end.retry is ev.Retry.NEVER:
                self._log.error("account_refused", reason=end.reason)
                return Outcome.REFUSED
            wait = backoff.next_wait()
            if end.retry is ev.Retry.DUPLICATE:
                duplicates += 1
                if duplicates > MAX_DUPLICATES:
                    self._log.error("account_in_use_elsewhere", times=duplicates)
                    return Outcome.GAVE_UP
                wait = max(wait, DUPLICATE_WAIT)
            wait = max(wait, end.least_wait)
            self._log.warning("reconnecting", reason=end.reason, wait_s=round(wait, 1))
            try:
                async with asyncio.timeout(wait):
                    await self._stopping.wait()
            except TimeoutError:
                self._metrics.reconnected(_reconnect_reason(end.reason))
        await self._recorder.settle()
        return Outcome.DONE if self._done else Outcome.STOPPED

    # -- one connection --------------------------------------------------------------------------------------

    async def _play_connection(self) -> ev.Disconnected:
        account = self._account
        self._server_closing = False
        try:
            parts = PROTOCOLS[account.protocol](self._surroundings())
        except (OSError, ValueError) as error:
            return ev.Disconnected(f"cannot connect: {error}", False, ev.Retry.BACK_OFF)
        connection = Connection[ev.Event](parts.wire, self._hear)
        patience = Patience(self._policy.remind_s, self._policy.leave_s, self._out_of_patience)
        answering = Answering(
            parts,
            self._decider,
            self._resigning,
            self._story,
            self._recorder,
            self._metrics,
            act=lambda events: self._act(link, events),
            answered=lambda: patience.answered(parts.client.opponent),
            engine=in_mode(self._service.config.engine, EngineMode.EXACT),
            deadline_s=self._service.config.deadline_s,
            log=self._log,
        )
        link = self._link = _Link(parts, connection, patience, answering)
        try:
            await connection.open(account.host, account.port, parts.tls)
            reason = await connection.wait_closed()
        except OSError as error:
            self._metrics.connection_attempt("timeout" if isinstance(error, TimeoutError) else "unreachable")
            reason = f"cannot connect: {str(error) or type(error).__name__}"
        except Exception as error:
            self._log.exception("session_failed")
            reason = f"internal error: {type(error).__name__}"
        finally:
            self._link = None
            self._settled = True
            parts.matchmaker.close()
            patience.close()
            self._slot.free()
            link.answering.close()
            connection.abort("over")
        if self._story.in_match:
            self._story.lost(Suspension.CONNECTION_LOST)
        self._changed()
        end = link.end or ev.Disconnected(reason, False, ev.Retry.BACK_OFF)
        self._recorder.publish(h.Disconnected, reason=end.reason)
        return end

    def _surroundings(self) -> Surroundings:
        return Surroundings(
            self._account,
            self._credentials,
            self._metrics,
            self._manners,
            self._readiness,
            self._pump,
            self._recorder.publish,
            self._story.abandoned,
            self._slot,
            self._encounters,
            self._log,
        )

    def _readiness(self) -> Readiness:
        link = self._link
        status = self._service.status()
        return Readiness(
            stopping=self._stopping.is_set() or self._finishing,
            server_closing=self._server_closing,
            paused=self._held,
            playing=link is not None and link.client.in_match,
            can_decide=status.failing < status.workers,
        )

    def _level(self) -> str:
        strength, evaluator = self._decider.strength, self._service.info.evaluator
        if strength.level is not None:
            return f"I play at the level {strength.level.name}, with the evaluator {evaluator}."
        deepens = strength.mode is EngineMode.FAST and strength.play > 0
        depth = f"up to {strength.play}-ply" if deepens else f"{strength.play}-ply"
        return f"I search {depth}, as GNU Backgammon counts, with the evaluator {evaluator}."

    def _pump(self) -> None:
        if self._link is not None:
            self._link.connection.pump()

    # -- events ----------------------------------------------------------------------------------------------

    def _hear(self, event: ev.Event) -> None:
        link = self._link
        if link is None:
            return
        self._metrics.message_received()
        self._heard_at = time.time()
        if isinstance(event, ev.LobbyNews):  # most events by far, where many play
            link.matchmaker.hear(event)
            return
        self._story.hear(event)
        if isinstance(event, ev.MatchStarted | ev.MatchResumed):
            self._slot.hold()
            self._resigning.match_goes_on(event.opponent)
        elif isinstance(event, ev.MatchEnded | ev.MatchSuspended):
            self._slot.free()  # before the matchmaker hears of it, who may take it for the next match
        link.matchmaker.hear(event)
        link.patience.hear(event, link.client.opponent)
        if isinstance(
            event, ev.LobbyReady | ev.MatchStarted | ev.MatchResumed | ev.MatchEnded | ev.MatchSuspended
        ):
            self._changed()
        if self._finishing and isinstance(event, ev.MatchEnded | ev.MatchSuspended):
            self._loop.call_soon(self.stop)  # after this event has been heard by all
        match event:
            case ev.LoggedIn(duplicate=duplicate):
                self._metrics.connection_attempt("ok")
                if self._visitor is not None:
                    self._visitor.leave()
                self._log.info("logged_in", duplicate=duplicate)
            case ev.LobbyReady():
                self._recorder.publish(h.Connected)
                self._log.info("ready_to_play")
            case ev.LoginRefused(reason=reason):
                self._metrics.connection_attempt("refused")
                self._log.error("login_refused", reason=reason)
            case ev.Disconnected():
                link.end = event
                link.connection.close(event.reason)
            case ev.Shutdown(text=text):
                self._server_closing = True
                self._log.warning("server_closes", text=text)
            case ev.DecisionNeeded():
                if not self._stopping.is_set():
                    link.answering.ask(event)
            case ev.DecisionWithdrawn(key=key):
                link.answering.withdraw(key)
            case ev.MatchStarted(opponent=opponent):
                self._log.info("match_started", opponent=opponent, length=event.length)
                if self._policy.greeting:
                    link.client.say(self._policy.greeting)
            case ev.MatchResumed(opponent=opponent):
                self._log.info("match_resumed", opponent=opponent)
            case ev.GameStarted():
                self._resigning.new_game()
            case ev.GameEnded():
                self._log.info(
                    "game_ended", won=event.won, points=event.points, opponent=self._recorder.opponent
                )
            case ev.BoardSeen(table=table):
                # Said in good time: the client answers the prompt after the game by itself.
                last = self._story.games + 1 >= self._policy.max_unlimited_games
                link.client.leave_after_game(table.match_length == 0 and last)
            case ev.MatchEnded(opponent=opponent):
                self._log.info(
                    "match_ended",
                    opponent=opponent,
                    won=event.won,
                    score=f"{event.score}-{event.opponent_score}",
                )
                self._wins, self._losses = self._wins + event.won, self._losses + (not event.won)
                self._say_goodbye(link, opponent)
                self._match_done()
            case ev.MatchSuspended(opponent=opponent, reason=reason):
                self._log.info("match_suspended", opponent=opponent, reason=reason)
                if self._left_enough():
                    self._match_done()
            case ev.Chat():
                self._chat(link, event)
            case ev.MoveRejected(text=text):
                self._metrics.command_rejected("move")
                self._log.error("move_rejected", text=text, steps=event.tried)
            case ev.CommandRejected(command=command, text=text):
                self._metrics.command_rejected(command)
                self._log.warning("command_rejected", command=command, text=text)
            case ev.OutOfStep(cause=cause):
                self._metrics.resync(cause)
            case ev.OwnRating(rating=rating, experience=experience):
                self._metrics.rating(self._account.name, rating)
                self._recorder.rating_seen(rating, experience)
            case ev.ServerError(text=text):
                self._log.info("server_says", text=text)
            case ev.UnparsedLine(text=text):
                self._metrics.unparsed_line()
                self._log.debug("line_not_understood", text=text)
            case ev.Alarm(text=text):
                self._log.error("stuck", text=text)

    def _left_enough(self) -> bool:
        """Whether the match just left was an unlimited one, played as long as it was to be."""
        return self._story.length == 0 and self._story.games >= self._policy.max_unlimited_games

    def _say_goodbye(self, link: _Link, opponent: str) -> None:
        text = self._policy.goodbye
        if not text or self._manners.is_program(opponent):
            return
        if not link.matchmaker.tell(opponent, text):
            link.client.say(text)  # both still sit at the table

    def _match_done(self) -> None:
        self._matches += 1
        if self._policy.max_matches and self._matches >= self._policy.max_matches:
            self._done = True
            self._loop.call_soon(self.stop)  # after this event has been heard by all

    def _chat(self, link: _Link, event: ev.Chat) -> None:
        self._log.info("chat", kind=event.kind, player=event.name, text=event.text)
        if (
            event.kind in ("kibitz", "say")
            and event.name == link.client.opponent
            and is_wake_word(event.text)
        ):
            self._metrics.resync("asked_by_opponent")
            self._act(link, link.client.read_board())

    def _out_of_patience(self, step: Step) -> None:
        """The opponent does nothing."""
        link = self._link
        if link is None:
            return
        self._log.info("opponent_idle", opponent=link.client.opponent, step=step.name.lower())
        match step:
            case Step.REMIND:
                link.client.say(ARE_YOU_THERE)
            case Step.LEAVE:
                if not link.matchmaker.leave():
                    link.patience.close()
            case Step.HANG_UP:
                link.connection.abort("the server does not let us leave the match")
                return
        link.connection.pump()

    def _act(self, link: _Link, events: list[ev.Event]) -> None:
        """After acting on the client: hear what came of it and send what it wants sent."""
        for event in events:
            self._hear(event)
        link.connection.pump()


def _reconnect_reason(text: str) -> str:
    """The metric's label for why a connection ended."""
    for part, reason in (
        ("cannot connect", "error"),
        ("internal error", "error"),
        ("does not answer", "stale"),
        ("time limit", "login"),
    ):
        if part in text:
            return reason
    return "closed"
