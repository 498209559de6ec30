"""What the whole daemon is doing, from its happenings and its status. No I/O, no clock.

Happenings tell what is played, the status who there is and how the connections are. Where happenings were
lost, the status also tells how every match stands (`Snapshot.sittings`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from botd.control.messages import AccountStatus, DaemonStatus
from botd.daemon import happenings as h
from botd.daemon.recorder import Sitting
from botd.engine.types import EngineInfo
from botd.journal.records import MatchKey, Side
from botd.live import documents as d
from botd.live.match import LiveMatch


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How the daemon stands at one moment."""

    at: float
    status: DaemonStatus
    sittings: Mapping[str, Sitting]
    """The running matches by account (NAME@HOST:PORT)."""


@dataclass(slots=True)
class _Seat:
    """One account."""

    status: AccountStatus
    since: float
    match: LiveMatch | None = None
    last_match: d.LastMatch | None = None
    rating: float | None = None

    def document(self, identity: str) -> d.Account:
        status = self.status
        return d.Account(
            id=identity,
            account=status.account,
            server=status.server,
            state=status.state,
            since=self.since,
            last_message_at=status.last_message_at,
            paused=status.paused,
            level=status.level,
            ply=status.ply,
            mode=status.mode,
            rating=self.rating,
            matches=status.matches,
            wins=status.wins,
            losses=status.losses,
            match=None if self.match is None else self.match.document(),
            last_match=self.last_match,
        )


@dataclass(slots=True)
class Changes:
    """What differs since it was asked last."""

    accounts: set[str] = field(default_factory=set)
    everything: bool = False
    """Something besides single accounts has changed: which there are, the daemon's own state, troubles."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something that only the journal knows."""

    account: str
    match: MatchKey
    before: float | None = None
    """Our decisions before that moment; None: the number of the match, which is over."""


class LiveState:
    """First of all tell it a snapshot."""

    def __init__(self, instance: str, engine: EngineInfo) -> None:
        """`instance` names this run of the daemon."""
        self._instance = instance
        self._engine = d.Engine(
            evaluator=engine.evaluator,
            mode=engine.mode.value,
            cpu_path=engine.cpu_path,
            met=engine.met,
            weights=engine.weights_sha256,
        )
        self._seats: dict[str, _Seat] = {}
        self._status: DaemonStatus | None = None
        self._troubles: deque[d.Trouble] = deque(maxlen=d.MAX_TROUBLES)
        self._changes = Changes()
        self._questions: list[Question] = []

    @property
    def accounts(self) -> tuple[str, ...]:
        return tuple(self._seats)

    def take_changes(self) -> Changes:
        """Since the last call."""
        changes, self._changes = self._changes, Changes()
        return changes

    def knows(self, happening: h.Happening) -> bool:
        """Whether it is about no account or one that the last snapshot had."""
        return isinstance(happening, h.Trouble) or _identity(happening) in self._seats

    def happened(self, happening: h.Happening) -> None:
        if isinstance(happening, h.Trouble):
            self._trouble(happening)
            return
        identity = _identity(happening)
        seat = self._seats.get(identity)
        if seat is None:  # a later snapshot will have the account, or it is gone already
            return
        match happening:
            case h.MatchStarted():
                seat.match = LiveMatch(
                    happening.opponent,
                    happening.length,
                    happening.score,
                    happening.at,
                    past_known=not happening.resumed,
                )
            case h.MatchOver():
                key = None if seat.match is None else seat.match.key
                if key is not None:
                    self._questions.append(Question(identity, key))
                seat.last_match = d.LastMatch(
                    key=key,
                    opponent=d.text(happening.opponent, d.MAX_NAME),
                    winner="us" if happening.winner is Side.US else "opponent",
                    score=happening.score,
                )
                seat.match = None
            case h.MatchSuspended():
                seat.match = None
            case h.RatingSeen():
                seat.rating = happening.rating
            case h.Connected() | h.Disconnected() | h.Invited():
                return  # the status tells what came of it
            case _:
                if seat.match is None:
                    return
                seat.match.happened(happening)
                if isinstance(happening, h.MatchNamed):
                    self._ask_for_past(identity, seat.match)
        self._changes.accounts.add(identity)

    def snapshot(self, snapshot: Snapshot, *, lost: bool = False) -> None:
        """`lost`: happenings before this moment did not reach us, so matches are taken from here too."""
        status = snapshot.status
        if self._status is None or _frame(status) != _frame(self._status):
            self._changes.everything = True
        self._status = status
        told = {_identity(account): account for account in status.accounts}
        if told.keys() != self._seats.keys():
            self._changes.everything = True
            self._seats = {name: self._seats[name] for name in self._seats if name in told}
        for identity, account in told.items():
            seat = self._seats.get(identity)
            sitting = snapshot.sittings.get(identity)
            if seat is None:
                seat = self._seats[identity] = _Seat(account, snapshot.at)
                self._correct(identity, sitting, snapshot.at)
                continue
            if seat.status.state != account.state:
                seat.since = snapshot.at
            if _lasting(seat.status) != _lasting(account):
                self._changes.accounts.add(identity)
            seat.status = account
            if lost:
                self._correct(identity, sitting, snapshot.at)
                self._changes.accounts.add(identity)

    def take_questions(self) -> list[Question]:
        """What should be looked up in the journal, since the last call."""
        questions, self._questions = self._questions, []
        return questions

    def remembered(self, question: Question, decisions: Sequence[d.Decided]) -> None:
        """An answer about a running match: our decisions before it was followed, oldest first."""
        seat = self._seats.get(question.account)
        if seat is not None and seat.match is not None and seat.match.key == question.match:
            seat.match.remember(decisions)
            self._changes.accounts.add(question.account)

    def numbered(self, question: Question, number: int) -> None:
        """An answer about a match that is over."""
        seat = self._seats.get(question.account)
        if seat is not None and seat.last_match is not None and seat.last_match.key == question.match:
            seat.last_match = msgspec.structs.replace(seat.last_match, number=number)
            self._changes.accounts.add(question.account)

    def account(self, identity: str) -> d.Account | None:
        seat = self._seats.get(identity)
        return None if seat is None else seat.document(identity)

    def live(
        self, at: float, latency: tuple[d.Latency, ...], accounts: Iterable[d.Account] | None = None
    ) -> d.Live:
        """Everything; `accounts` are those documents where they were made before."""
        status = self._status
        assert status is not None, "no snapshot was told"
        if accounts is None:
            accounts = (seat.document(identity) for identity, seat in self._seats.items())
        return d.Live(
            version=status.version,
            instance=self._instance,
            at=at,
            state=status.state,
            uptime_s=status.uptime_s,
            engine=self._engine,
            workers=d.Workers(total=status.workers, failing=status.workers_failing),
            journal=d.text(status.journal),
            accounts=tuple(accounts),
            latency=latency,
            troubles=tuple(self._troubles),
        )

    def _correct(self, identity: str, sitting: Sitting | None, at: float) -> None:
        """Let an account's match be the one that is really played."""
        seat = self._seats[identity]
        if sitting is None:
            seat.match = None
            return
        match = seat.match
        if match is None or match.opponent != sitting.opponent or match.key not in (None, sitting.key):
            match = seat.match = LiveMatch(
                sitting.opponent, sitting.length, sitting.score, at, past_known=False
            )
        match.corrected(sitting)
        self._ask_for_past(identity, match)

    def _ask_for_past(self, identity: str, match: LiveMatch) -> None:
        if match.key is not None and not match.past_known:
            match.past_known = True  # or will be: once is enough
            self._questions.append(Question(identity, match.key, match.started_at))

    def _trouble(self, happening: h.Trouble) -> None:
        self._troubles.append(
            d.Trouble(
                at=happening.at,
                account=d.text(happening.account),
                server=d.text(happening.server),
                what=d.text(happening.what),
                detail=d.text(happening.detail),
            )
        )
        self._changes.everything = True


def _identity(whose: h.Happening | AccountStatus) -> str:
    return f"{whose.account}@{whose.server}"


def _frame(status: DaemonStatus) -> tuple[object, ...]:
    """What is shown of the daemon itself, but for what changes all the time."""
    return status.state, status.workers, status.workers_failing, status.journal


def _lasting(account: AccountStatus) -> tuple[object, ...]:
    """What is shown of an account, but for what changes all the time."""
    return (
        account.state, account.paused, account.level, account.ply, account.mode,
        account.matches, account.wins, account.losses,
    )  # fmt: skip
