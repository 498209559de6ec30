"""All accounts of one daemon: starts their sessions, holds them, replaces them when their configuration does.

An account's session is replaced or ended at a safe point only: when no match is being played.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import structlog

from botd.config.schema import AccountConfig
from botd.config.secret import Credentials
from botd.daemon.locks import Lock, account_lock
from botd.daemon.session import AccountSession, Outcome
from botd.daemon.systemd import Presence
from botd.engine.levels import Level
from botd.engine.types import EngineMode

log = structlog.get_logger("botd.daemon")

Wanted = tuple[AccountConfig, Credentials]
"""An account to play, and its passwords."""


class UnknownAccountError(LookupError):
    """No account has this name, or more than one has."""


@dataclass(slots=True)
class Seat:
    """One account and whoever plays it at the moment."""

    account: AccountConfig
    credentials: Credentials
    lock: Lock
    session: AccountSession | None = None
    task: asyncio.Task[None] | None = None
    outcome: Outcome | None = None
    """How it ended; None while it plays."""
    paused: bool = False
    ply: int | None = None
    """Search depth set by a command instead of the configuration's."""
    level: Level | None = None
    """The same for a named level."""
    mode: EngineMode | None = None
    """The same for the mode."""
    successor: Wanted | None = None
    """What to go on with once the present session has ended."""
    leaving: bool = False
    """No longer in the configuration."""

    @property
    def name(self) -> str:
        return _identity(self.account)

    @property
    def playing(self) -> bool:
        return self.session is not None and self.session.playing

    @property
    def state(self) -> str:
        """What the account is doing (see `Summary`), or how it ended."""
        return str(self.outcome or "waiting") if self.session is None else self.session.summary.state


@dataclass(slots=True)
class Changes:
    """What `Fleet.apply` did, by names of accounts."""

    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    after_match: list[str] = field(default_factory=list)


class Fleet:
    """Plays the accounts given to `launch` until all have ended."""

    def __init__(self, new_session: Callable[[Seat], AccountSession], state: Path) -> None:
        """`state` is the folder of the accounts' locks."""
        self._new_session = new_session
        self._state = state
        self._seats: dict[str, Seat] = {}
        self._group: asyncio.TaskGroup | None = None
        self._ending = False
        self.draining = False

    @property
    def seats(self) -> Sequence[Seat]:
        return tuple(self._seats.values())

    @property
    def sessions(self) -> Iterable[AccountSession]:
        return (seat.session for seat in self._seats.values() if seat.session is not None)

    @property
    def ended(self) -> bool:
        """Nothing is played any more."""
        return self._ending or all(seat.outcome is not None for seat in self._seats.values())

    def presence(self) -> Presence:
        """For the service manager."""
        sessions = tuple(self.sessions)
        connected, playing = sum(s.connected for s in sessions), sum(s.playing for s in sessions)
        text = f"{connected} of {len(self._seats)} accounts logged in"
        text += f", {playing} playing" if playing else ""
        text += ", stopping" if self._ending else ", draining" if self.draining else ""
        settled = all(
            seat.outcome is not None or (seat.session is not None and seat.session.settled)
            for seat in self._seats.values()
        )
        return Presence(settled and bool(self._seats), text)

    async def run(self, wanted: Sequence[Wanted]) -> dict[str, Outcome]:
        """Play until every account has ended; how they did. Raises LockError before anything is started."""
        try:
            self._take(wanted)
            async with asyncio.TaskGroup() as self._group:
                for seat in self.seats:
                    self._start(seat)
        finally:
            for seat in self.seats:
                seat.lock.release()
        return {seat.name: seat.outcome or Outcome.STOPPED for seat in self.seats}

    def find(self, name: str) -> Seat:
        """By NAME or NAME@HOST:PORT. Raises UnknownAccountError."""
        wanted = name.lower()
        found = [s for key, s in self._seats.items() if wanted in (s.account.name.lower(), key)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownAccountError(f"{name} is more than one account: {', '.join(s.name for s in found)}")
        known = ", ".join(seat.name for seat in self.seats) or "none"
        raise UnknownAccountError(f"there is no account {name}; known: {known}")

    # -- holding and ending ----------------------------------------------------------------------------------

    def drain(self, draining: bool) -> None:
        """Let no new match begin on any account, or again."""
        self.draining = draining
        for seat in self._seats.values():
            self._hold(seat)

    def pause(self, seat: Seat, paused: bool) -> None:
        """Let no new match begin on this account, or again."""
        seat.paused = paused
        self._hold(seat)

    def finish(self) -> None:
        """End every session once it plays no match."""
        self._ending = True
        for session in tuple(self.sessions):
            session.finish()

    def stop(self) -> None:
        """End every session now; servers save running matches."""
        self._ending = True
        for session in tuple(self.sessions):
            session.stop()

    # -- changes ---------------------------------------------------------------------------------------------

    def apply(self, wanted: Sequence[Wanted]) -> Changes:
        """Go on with these accounts. Raises LockError, having changed nothing, if a new one is in use.

        Accounts that ended without success are tried again.
        """
        changes = Changes()
        new = {_key(account): (account, credentials) for account, credentials in wanted}
        added = [pair for key, pair in new.items() if key not in self._seats]
        self._take(added)
        for key, seat in tuple(self._seats.items()):
            if key not in new:
                changes.removed.append(seat.name)
                self._retire(seat, None, changes)
            elif not _same(seat, new[key]):
                changes.changed.append(seat.name)
                self._retire(seat, new[key], changes)
            elif seat.leaving or seat.successor is not None:
                # Back to what is running. A session told to end cannot be told to stay: it is replaced.
                seat.leaving, seat.successor = False, new[key]
            else:
                seat.account = new[key][0]  # its depth may have changed
                if seat.outcome in (Outcome.REFUSED, Outcome.GAVE_UP):
                    changes.changed.append(seat.name)
                    self._start(seat)
        for account, _ in added:
            changes.added.append(_identity(account))
            self._start(self._seats[_key(account)])
        return changes

    def _take(self, wanted: Sequence[Wanted]) -> None:
        """Lock accounts and give them seats; all or none. Raises LockError."""
        seats: list[Seat] = []
        try:
            for account, credentials in wanted:
                seats.append(Seat(account, credentials, account_lock(self._state, account)))
        except BaseException:
            for seat in seats:
                seat.lock.release()
            raise
        self._seats.update((_key(seat.account), seat) for seat in seats)

    def _retire(self, seat: Seat, successor: Wanted | None, changes: Changes) -> None:
        seat.successor = successor
        seat.leaving = successor is None
        if seat.playing:
            changes.after_match.append(seat.name)
        if seat.outcome is None:
            if seat.session is not None:  # else its task has not run yet and will see
                seat.session.finish()
        elif successor is not None:
            self._start(seat)
        else:
            self._drop(seat)

    def _drop(self, seat: Seat) -> None:
        seat.lock.release()
        key = _key(seat.account)
        if self._seats.get(key) is seat:
            del self._seats[key]

    def _start(self, seat: Seat) -> None:
        assert self._group is not None
        seat.outcome = None
        seat.task = self._group.create_task(self._occupy(seat), name=seat.account.name)

    async def _occupy(self, seat: Seat) -> None:
        """Play one account, by one session after the other if its configuration changes."""
        while not (self._ending or seat.leaving):
            if seat.successor is not None:
                (seat.account, seat.credentials), seat.successor = seat.successor, None
            seat.session = self._new_session(seat)
            self._hold(seat)
            outcome = await seat.session.run()
            if seat.successor is None or self._ending:
                seat.outcome = outcome
                break
            log.info("account_changed", account=seat.account.name, server=seat.account.server)
        seat.session = None
        if seat.outcome is None:
            seat.outcome = Outcome.STOPPED
        if seat.leaving:
            log.info("account_removed", account=seat.account.name, server=seat.account.server)
            self._drop(seat)

    def _hold(self, seat: Seat) -> None:
        if seat.session is not None:
            seat.session.hold(self.draining or seat.paused)


def _identity(account: AccountConfig) -> str:
    return f"{account.name}@{account.server}"


def _key(account: AccountConfig) -> str:
    """One for each lock: names of players and hosts are the same in small and capital letters."""
    return _identity(account).lower()


def _same(seat: Seat, wanted: Wanted) -> bool:
    """Nothing differs but depth, level and mode, which change without a new session."""
    account, credentials = wanted
    before, after = (replace(each, ply=None, level=None, mode=None) for each in (seat.account, account))
    return before == after and seat.credentials == credentials
