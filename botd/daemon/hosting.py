"""Getting into matches on a bgammon server: create one and wait, over and over.

Bots join nobody there. On a server of our own an account may be told to join what another one has created.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace

import structlog

from botd.config.schema import AccountConfig
from botd.config.secret import Secret
from botd.daemon.chat import ANSWER_AT_TABLE, ChatManners, is_wake_word
from botd.daemon.encounters import Encounters
from botd.daemon.policy import REMATCH_RULES, TABLE_RULES, Invitation, Situation, explanation, judge
from botd.daemon.slots import Slot
from botd.metrics.server import ServerMetrics
from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import BgammonClient
from botd_protocols.bgammon.client_lobby import MatchOffer

LOOK_EVERY = 2.0
"""Seconds between two looks at whether a match may begin."""


class Host:
    """For one connection.

    `password` is that of the private matches the account creates or joins, empty: public ones. `situation`
    tells whether a match may begin; `changed` is called after acting on the client, `abandoned` when the
    server has kept no match of ours.
    """

    def __init__(
        self,
        account: AccountConfig,
        password: Secret,
        client: BgammonClient,
        metrics: ServerMetrics,
        manners: ChatManners,
        situation: Callable[[], Situation],
        changed: Callable[[], None],
        abandoned: Callable[[], None],
        slot: Slot,
        encounters: Encounters,
        log: structlog.stdlib.BoundLogger,
    ) -> None:
        self._account = account
        self._password = password.reveal() or None
        self._client = client
        self._metrics = metrics
        self._manners = manners
        self._situation = situation
        self._changed = changed
        self._abandoned = abandoned
        self._slot = slot
        self._encounters = encounters
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._lengths = itertools.cycle(account.create.lengths)
        self._offer = self._next_offer()
        self._next_look: asyncio.TimerHandle | None = None
        self._created = False
        """We have created the match that we sit in."""
        self._open = False
        self._closed = False

    def close(self) -> None:
        """Nothing more will be sent."""
        self._closed = True
        if self._next_look is not None:
            self._next_look.cancel()

    def tell(self, name: str, text: str) -> bool:
        """There is no way to write to a player but at the table."""
        return False

    def leave(self) -> bool:
        """No match is saved here; the client itself leaves an idle opponent, after `leave_s`."""
        return False

    def hear(self, event: ev.Event) -> None:
        """Take one event of the client; others are ignored."""
        if self._closed:
            return
        match event:
            case ev.LobbyReady():
                if not self._client.seated:
                    self._abandoned()
                self._look()
            case ev.MatchOpened(created=created, game_id=game_id):
                self._created = created
                if created:
                    self._log.info("match_offered", game=game_id)
                    self._metrics.invitation("sent")
            case ev.Seated():
                self._seated(event)
            case ev.TableRefused(text=text):
                self._log.info("invitation_failed", text=text)
            case ev.TableLeft():
                self._abandoned()
            case ev.MatchEnded():
                self._encounters.match_ended(event.opponent, self._loop.time())
                self._rematch(event)
            case ev.MatchStarted():
                self._metrics.invitation("accepted")
                if self._created:
                    self._offer = self._next_offer()
                    if self._open:
                        self._ask()
            case ev.TextDropped(number=number):
                self._log.warning("texts_dropped", number=number)
            case ev.Chat(name=name, text=text):
                self._answer(name, text)

    def _seated(self, event: ev.Seated) -> None:
        """Somebody sat down; nobody asks us before, so we get up again if we do not want to play him."""
        self._log.info("opponent_seated", opponent=event.opponent, rating=event.rating)
        name, policy = event.opponent, self._account.policy
        if event.begun or policy.invite is not None:
            return  # a match is played to its end, and whom we looked for we play
        invitation = Invitation(name, event.length, rating=event.rating or None)
        refusal = judge(invitation, self._situation_with(name), policy, TABLE_RULES)
        if refusal is not None:
            self._log.info("invitation_declined", player=name, length=event.length, reason=str(refusal))
            self._metrics.invitation("declined", str(refusal))
            self._client.refuse_table(explanation(refusal, policy))
            self._changed()

    def _rematch(self, event: ev.MatchEnded) -> None:
        """Another match at the same table: only if asked for, or ask for it; programs are not waited for."""
        policy, name = self._account.policy, event.opponent
        if policy.rematch == "never" or policy.invite is not None or not policy.accept:
            return
        refusal = judge(Invitation(name, event.length), self._situation_with(name), policy, REMATCH_RULES)
        if refusal is None and self._slot.take():
            person = not self._manners.is_program(name)
            self._client.rematch(ask=policy.rematch == "offer" and person, wait=person)

    def _situation_with(self, name: str) -> Situation:
        now = self._loop.time()
        return replace(
            self._situation(),
            since_last_s=self._encounters.since(name, now),
            in_a_row=self._encounters.in_a_row(name, now),
        )

    def _next_offer(self) -> MatchOffer:
        return MatchOffer(next(self._lengths), self._account.create.name, self._password)

    def _answer(self, name: str, text: str) -> None:
        if name != self._client.opponent or is_wake_word(text):
            return
        if answer := self._manners.reply(name, text, self._loop.time(), ANSWER_AT_TABLE):
            self._client.say(answer)

    def _look(self) -> None:
        """Open or close our table as the situation wants it; look again later."""
        if self._closed:
            return
        situation = self._situation()
        welcome = not (situation.stopping or situation.paused) and situation.can_decide and self._slot.take()
        if not (welcome or situation.playing):
            self._slot.free()
        if welcome != self._open:
            self._open = welcome
            self._ask()
            self._changed()
        self._next_look = self._loop.call_later(LOOK_EVERY, self._look)

    def _ask(self) -> None:
        """Tell the client what match we want next, if any."""
        invite = self._account.policy.invite
        if invite is not None:
            self._client.seek(invite.opponent if self._open else None, self._password)
        elif self._account.policy.accept:
            self._client.offer(self._offer if self._open else None)
