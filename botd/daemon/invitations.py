"""Getting into matches: judging invitations, resuming what is saved, inviting others.

An invitation is judged a moment after it came, because a warning that it would destroy a saved match follows
it in a line of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import structlog

from botd.config.schema import PolicyConfig
from botd.daemon.chat import ANSWER, ChatManners, question_of
from botd.daemon.encounters import Encounters
from botd.daemon.happenings import Invited
from botd.daemon.idle import IdleInviter
from botd.daemon.policy import Invitation, Refusal, Situation, explanation, judge
from botd.daemon.slots import Slot
from botd.metrics.server import ServerMetrics
from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient

WARNING_WAIT = 0.3
CROSSED_WAIT = 2.0
INVITE_EVERY = 10.0
"""Seconds between two invitations of ours, and before one that failed is tried again."""
ASK_AGAIN = 60.0
"""Seconds before the standing invitation is repeated to somebody who got it and did not answer."""
ASK_TO_RESUME_AGAIN = 300.0
SAVED_LIST_WAIT = 5.0
"""A server that does not know the command for the list is not waited for longer."""
MAX_PLAYERS = 10_000
"""Known on one server; a flood of names must not fill our memory."""
REMATCH_WITHIN = 60.0
"""Seconds after a match in which its opponent, once free, is offered another one."""
LOOK_FOR_REMATCH = 1.0
RETRY_WHEN_SEEN = 1.0
"""Sooner, if the last one failed and the player has just become free."""


class Matchmaker:
    """For one connection of the account `name`.

    `situation` tells whether a match may begin; `changed` is called after acting on the client,
    `publish` tells subscribers.
    """

    def __init__(
        self,
        name: str,
        client: FibsClient,
        policy: PolicyConfig,
        metrics: ServerMetrics,
        manners: ChatManners,
        situation: Callable[[], Situation],
        changed: Callable[[], None],
        publish: Callable[..., None],
        slot: Slot,
        encounters: Encounters,
        log: structlog.stdlib.BoundLogger,
    ) -> None:
        self._name = name
        self._client = client
        self._policy = policy
        self._metrics = metrics
        self._manners = manners
        self._situation = situation
        self._changed = changed
        self._publish = publish
        self._slot = slot
        self._encounters = encounters
        self._players: dict[str, tuple[float, int]] = {}
        """Rating and experience."""
        self._rematch: tuple[str, int, float] | None = None
        """Opponent and length of another match to offer, and until when."""
        idle = policy.idle
        self._idle = None if idle is None else IdleInviter(idle, policy, manners, encounters)
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._saved: dict[str, ev.SavedMatch] = {}
        self._saved_known = False
        self._free: set[str] = set()
        self._in_lobby = False
        self._last_invitation = float("-inf")
        self._invited_last = ""
        self._last_failed = False
        self._not_before: dict[str, float] = {}
        """When a player may be asked again."""
        self._received: dict[str, tuple[Invitation, asyncio.TimerHandle]] = {}
        self._next: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """Nothing more will be sent."""
        self._in_lobby = False
        for _, timer in self._received.values():
            timer.cancel()
        self._received.clear()
        if self._next is not None:
            self._next.cancel()

    def tell(self, name: str, text: str) -> bool:
        self._client.tell(name, text)
        return True

    def leave(self) -> bool:
        self._client.leave()
        return True

    def hear(self, event: ev.Event) -> None:
        """Take one event of the client; others are ignored."""
        match event:
            case ev.LobbyReady():
                self._in_lobby = True
                self._occupied()
                # A new match must not destroy a saved one, so the list of these comes first.
                self._invite_later(0.0 if self._saved_known else SAVED_LIST_WAIT)
            case ev.SavedMatches(matches=matches):
                self._saved = {saved.opponent: saved for saved in matches}
                self._free |= {saved.opponent for saved in matches if saved.ready}
                if not self._saved_known:
                    self._saved_known = True
                    self._invite_later(0.0)
            case ev.PlayerSeen(name=name, opponent=opponent, ready=ready, away=away):
                if name in self._players or len(self._players) < MAX_PLAYERS:
                    self._players[name] = (event.rating, event.experience)
                self._seen(name, free=opponent is None and ready and not away)
            case ev.PlayerGone(name=name):
                self._free.discard(name)
                self._players.pop(name, None)
                self._not_before.pop(name, None)  # back later, asked anew
                if self._rematch is not None and self._rematch[0] == name:
                    self._rematch = None
            case ev.InvitationReceived():
                self._invited(event)
            case ev.Chat(kind="tell", name=name, text=text):
                if answer := self._manners.reply(name, text, self._loop.time(), ANSWER):
                    self._client.tell(name, answer)
            case ev.Chat(kind="kibitz", name=name, text=text) if question_of(text):
                if answer := self._manners.reply(name, text, self._loop.time(), ""):
                    self._client.tell(name, answer)
            case ev.SavedMatchAtRisk(name=name):
                if event.saved_length is not None:
                    self._at_risk(name)
            case ev.InvitationFailed(text=text, name=name):
                self._log.info("invitation_failed", player=name, text=text)
                self._last_failed = True
                if not self._client.in_match:
                    self._slot.free()
                self._not_before[self._invited_last] = self._loop.time() + INVITE_EVERY
                if event.no_saved_match and name is not None:
                    self._saved.pop(name, None)
                self._invite_later(INVITE_EVERY)
            case ev.MatchStarted() | ev.MatchResumed():
                self._rematch = None
            case ev.MatchSuspended() | ev.MatchEnded():
                if isinstance(event, ev.MatchEnded):
                    self._saved.pop(event.opponent, None)
                    self._encounters.match_ended(event.opponent, self._loop.time())
                    self._plan_rematch(event)
                self._occupied()
                self._last_failed = False
                wait = INVITE_EVERY if isinstance(event, ev.MatchSuspended) else 1.0
                self._not_before[event.opponent] = self._loop.time() + wait
                self._invite_later(wait)

    # -- invitations received --------------------------------------------------------------------------------

    def _invited(self, event: ev.InvitationReceived) -> None:
        rating, experience = self._players.get(event.name, (None, None))
        invitation = Invitation(
            event.name,
            event.length or 0,
            resume=event.kind is ev.InvitationKind.RESUME,
            saved_match=event.kind is not ev.InvitationKind.RESUME and event.name in self._to_finish(),
            variant="variant" if event.kind is ev.InvitationKind.VARIANT else "",
            rating=rating,
            experience=experience,
        )
        if len(self._received) < 100:
            self._judge_later(invitation)

    def _at_risk(self, name: str) -> None:
        if name in self._received:
            invitation, _ = self._received[name]
            self._judge_later(replace(invitation, resume=False, saved_match=True))

    def _judge_later(self, invitation: Invitation) -> None:
        if invitation.inviter in self._received:
            self._received[invitation.inviter][1].cancel()
        timer = self._loop.call_later(self._wait_for(invitation.inviter), self._judge, invitation)
        self._received[invitation.inviter] = (invitation, timer)

    def _wait_for(self, inviter: str) -> float:
        """If both have invited each other, one of them waits, or both would accept at once."""
        crossed = inviter == self._invited_last and self._loop.time() - self._last_invitation < INVITE_EVERY
        return CROSSED_WAIT if crossed and self._name > inviter else WARNING_WAIT

    def _judge(self, invitation: Invitation) -> None:
        self._received.pop(invitation.inviter, None)
        name = invitation.inviter
        if self._client.opponent == name:
            return  # that match has begun already
        refusal = judge(invitation, self._situation_with(name), self._policy)
        if refusal is None and not self._slot.take():
            refusal = Refusal.FULL
        self._publish(
            Invited,
            player=name,
            length=invitation.length,
            resume=invitation.resume,
            refusal="" if refusal is None else str(refusal),
        )
        if refusal is None:
            self._log.info(
                "invitation_accepted", player=name, length=invitation.length, resume=invitation.resume
            )
            self._metrics.invitation("resumed" if invitation.resume else "accepted")
            self._client.join(name)
        else:
            self._log.info("invitation_declined", player=name, length=invitation.length, reason=str(refusal))
            self._metrics.invitation("declined", str(refusal))
            if self._manners.may_write_to(name, self._loop.time()):
                self._client.tell(name, explanation(refusal, self._policy))
            if refusal is Refusal.SAVED_MATCH and self._free_to_invite():
                self._invite(name, None)
        self._changed()

    def _situation_with(self, name: str) -> Situation:
        now = self._loop.time()
        return replace(
            self._situation(),
            saved=len(self._to_finish()),
            since_last_s=self._encounters.since(name, now),
            in_a_row=self._encounters.in_a_row(name, now),
        )

    # -- invitations sent ------------------------------------------------------------------------------------

    def _seen(self, name: str, *, free: bool) -> None:
        if not free:
            self._free.discard(name)
            return
        if len(self._free) < MAX_PLAYERS:
            self._free.add(name)
        invite = self._policy.invite
        rematch = self._rematch is not None and self._rematch[0] == name
        if name in self._saved or rematch or (invite is not None and invite.opponent == name):
            when = self._last_invitation + INVITE_EVERY
            if self._last_failed and name == self._invited_last:
                when = self._last_invitation + RETRY_WHEN_SEEN
                self._not_before[name] = when
            self._invite_later(max(0.0, when - self._loop.time()))

    def _invite_later(self, seconds: float) -> None:
        """Think about inviting somebody then (or sooner, if that was planned)."""
        when = self._loop.time() + seconds
        if self._next is not None and not self._next.cancelled() and self._next.when() > self._loop.time():
            if self._next.when() <= when:
                return
            self._next.cancel()
        self._next = self._loop.call_at(when, self._invite_somebody)

    def _free_to_invite(self) -> bool:
        situation = self._situation()
        hindered = situation.stopping or situation.server_closing or situation.paused or situation.playing
        return self._in_lobby and situation.can_decide and not hindered

    def _invite_somebody(self) -> None:
        self._next = None
        if not self._in_lobby:
            return
        if not self._free_to_invite():
            self._occupied()
        elif (wish := self._whom(self._loop.time())) is not None:
            self._invite(*wish)
        if self._rematch is not None:
            self._invite_later(LOOK_FOR_REMATCH)
        elif self._policy.invite is not None or self._idle is not None or self._saved:
            self._invite_later(INVITE_EVERY)

    def _whom(self, now: float) -> tuple[str, int | None] | None:
        """Whom to invite now, and to how many points (None: to resume)."""
        saved = self._to_finish()
        free = {name for name in self._free if self._not_before.get(name, now) <= now}
        if saved & free:
            return min(saved & free), None
        if self._rematch is not None:
            name, length, until = self._rematch
            if now > until or not self._acceptable(name, length, replace(self._policy, accept=True)):
                self._rematch = None
            elif name in free:
                self._rematch = None
                return name, length
        invite = self._policy.invite
        if invite is not None and invite.opponent in free - saved:
            return invite.opponent, 0 if invite.length == "unlimited" else invite.length
        if self._idle is not None:
            return self._idle.whom(free, now, self._last_invitation, self._acceptable)
        return None

    def _acceptable(self, name: str, length: int, policy: PolicyConfig) -> bool:
        """Whether these rules allow a new match of so many points with this player."""
        rating, experience = self._players.get(name, (None, None))
        saved = name in self._to_finish()
        invitation = Invitation(name, length, saved_match=saved, rating=rating, experience=experience)
        return judge(invitation, self._situation_with(name), policy) is None

    def _plan_rematch(self, event: ev.MatchEnded) -> None:
        wanted = self._policy.rematch == "offer" and not self._manners.is_program(event.opponent)
        if wanted and event.length:
            self._rematch = event.opponent, event.length, self._loop.time() + REMATCH_WITHIN

    def _occupied(self) -> None:
        if self._idle is not None:
            self._idle.occupied(self._loop.time())

    def _to_finish(self) -> set[str]:
        """Opponents of saved matches. Not of unlimited ones: these have no end but a new match."""
        return {name for name, saved in self._saved.items() if saved.length}

    def _invite(self, name: str, length: int | None) -> None:
        if not self._slot.take():
            return
        self._log.info("inviting", player=name, length="resume" if length is None else length)
        self._last_invitation = self._loop.time()
        self._invited_last = name
        again = ASK_TO_RESUME_AGAIN if length is None else ASK_AGAIN
        self._not_before[name] = self._last_invitation + again
        self._last_failed = False
        self._metrics.invitation("sent")
        self._client.invite(name, length)
        self._changed()
