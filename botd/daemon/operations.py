"""What the operator's commands do to a running daemon."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable
from importlib.metadata import version

import structlog

from botd.config import Config, ConfigError, Loaded
from botd.control.commands import CommandError
from botd.control.messages import AccountStatus, DaemonStatus, LogStatus, Reloaded
from botd.daemon.decider import Strength
from botd.daemon.fleet import Fleet, Seat, UnknownAccountError
from botd.daemon.locks import LockError
from botd.daemon.log_levels import LogLevels
from botd.daemon.recorder import Sitting
from botd.daemon.systemd import Notifier
from botd.decisions.service import DecisionService
from botd.engine.levels import Level
from botd.engine.types import EngineMode
from botd.journal import Journal
from botd.live.state import Snapshot

log = structlog.get_logger("botd.daemon")

_APPLIED = frozenset(
    {
        "accounts",
        "engine.mode",
        "engine.budget_s",
        "engine.ply",
        "engine.plies",
        "daemon.drain_s",
        "daemon.max_simultaneous",
        "levels.easy",
        "levels.hard",
        "levels.medium",
        "log.level",
        "log.format",
    }
)
"""What a reload can change; the rest of the configuration belongs to parts that are started once."""


class Operations:
    """The target of commands (`botd.control.commands.Target`)."""

    def __init__(
        self,
        loaded: Loaded,
        fleet: Fleet,
        service: DecisionService,
        journal: Journal,
        *,
        read: Callable[[], Loaded] | None,
        accept: Callable[[Loaded], None],
        was_read: Callable[[bool], None],
        stop: Callable[[bool], None],
        stopping: Callable[[], bool],
        manager: Notifier,
        log_levels: LogLevels | None = None,
    ) -> None:
        """`read` reads the configuration anew (raises ConfigError); `accept` is told of one that is in force,
        `was_read` whether one read is; `stop` ends the daemon, at once if True; `stopping` tells if it is
        ending."""
        self._loaded = loaded
        self._fleet = fleet
        self._service = service
        self._journal = journal
        self._read = read
        self._accept = accept
        self._was_read = was_read
        self._stop = stop
        self._stopping = stopping
        self._manager = manager
        self._log_levels = log_levels
        self._reloading = asyncio.Lock()
        self._began = time.monotonic()

    def status(self) -> DaemonStatus:
        journal = self._journal.status()
        workers = self._service.status()
        return DaemonStatus(
            version=version("botd"),
            state="stopping" if self._stopping() else "draining" if self._fleet.draining else "running",
            uptime_s=round(time.monotonic() - self._began, 1),
            engine=self._service.info.evaluator,
            workers=workers.workers,
            workers_failing=workers.failing,
            journal=journal.last_error if journal.failing else "ok",
            accounts=tuple(self._describe(seat) for seat in self._fleet.seats),
        )

    def snapshot(self) -> Snapshot:
        """The status, and how each running match stands."""
        sittings: dict[str, Sitting] = {}
        for seat in self._fleet.seats:
            if seat.session is not None and (sitting := seat.session.sitting) is not None:
                sittings[seat.name] = sitting
        return Snapshot(time.time(), self.status(), sittings)

    def drain(self) -> None:
        self._fleet.drain(True)

    def resume(self) -> None:
        if self._stopping():
            raise CommandError("botd is stopping already")
        self._fleet.drain(False)

    def pause(self, account: str) -> None:
        self._fleet.pause(self._find(account), True)

    def unpause(self, account: str) -> None:
        self._fleet.pause(self._find(account), False)

    def change_level(
        self, account: str, ply: int | None, level: str | None, mode: EngineMode | None
    ) -> AccountStatus:
        seat = self._find(account)
        try:
            seat.level = None if level is None else self._level(level)
        except ValueError as error:
            raise CommandError(str(error)) from None
        seat.ply, seat.mode = ply, mode
        self._set_strength(seat)
        return self._describe(seat)

    def change_log(self, level: str | None, account: str | None) -> LogStatus:
        if self._log_levels is None:
            raise CommandError("the log of this botd is not its own")
        whose = None
        if account is not None:
            seat = self._find(account)
            whose = seat.account.name, seat.account.server
        self._log_levels.choose(level, whose)
        return LogStatus(level=self._log_levels.level(whose), account=account)

    def say(self, account: str, text: str, to: str | None) -> None:
        seat = self._find(account)
        if seat.session is None or not seat.session.say(text, to):
            where = "logged in" if to is not None else "in a match"
            raise CommandError(f"{seat.name} is not {where}")

    def stop(self, *, now: bool) -> None:
        self._stop(now)

    async def reload(self) -> Reloaded:
        if self._read is None:
            raise CommandError("this botd was not started from a configuration file")
        async with self._reloading:
            self._manager.reloading()
            in_force = False
            try:
                loaded = await asyncio.to_thread(self._read)  # files may lie on a slow disk
                if self._stopping() or self._fleet.ended:
                    raise CommandError("botd is stopping already")
                result = self._apply(loaded)
                in_force = True
                return result
            except ConfigError as error:
                problems = tuple(str(problem) for problem in error.problems)
                raise CommandError("the configuration has problems; the old one stays", problems) from None
            finally:
                self._was_read(in_force)
                self._manager.ready(self._fleet.presence().text)

    # -- inside ----------------------------------------------------------------------------------------------

    def _apply(self, loaded: Loaded) -> Reloaded:
        wanted = list(zip(loaded.config.accounts, loaded.credentials, strict=True))
        try:
            changes = self._fleet.apply(wanted)
        except LockError as error:
            raise CommandError(
                "an account cannot be had; the old configuration stays", (str(error),)
            ) from None
        restart = restart_needed(self._loaded.config, loaded.config)
        self._loaded = dataclasses.replace(loaded, config=_in_force(self._loaded.config, loaded.config))
        self._accept(self._loaded)  # before a new session runs, so that no new password can reach the log
        for seat in self._fleet.seats:
            self._set_strength(seat)
        result = Reloaded(
            added=tuple(changes.added),
            removed=tuple(changes.removed),
            changed=tuple(changes.changed),
            after_match=tuple(changes.after_match),
            restart_needed=restart,
            warnings=tuple(map(str, loaded.warnings)),
        )
        for warning in loaded.warnings:
            log.warning("configuration", warning=str(warning))
        log.info("reloaded", **{key: value for key, value in dataclasses.asdict(changes).items() if value})
        if restart:
            log.warning("restart_needed", keys=restart)
        return result

    def strength(self, seat: Seat) -> Strength:
        """How this account plays at present."""
        engine, account = self._loaded.config.engine, seat.account
        if seat.mode is not None:
            account = dataclasses.replace(account, mode=seat.mode)
        if seat.ply is not None or seat.level is not None:
            return Strength.of(engine, account, seat.ply, seat.level)
        level = None if account.level is None else self._level(account.level)
        return Strength.of(engine, account, account.ply, level)

    def _level(self, name: str) -> Level:
        """With the figures of the configuration."""
        return self._loaded.config.levels.level(name)

    def _set_strength(self, seat: Seat) -> None:
        if seat.session is not None:
            seat.session.set_strength(self.strength(seat))

    def _find(self, name: str) -> Seat:
        try:
            return self._fleet.find(name)
        except UnknownAccountError as error:
            raise CommandError(str(error)) from None

    def _describe(self, seat: Seat) -> AccountStatus:
        summary = None if seat.session is None else seat.session.summary
        strength = self.strength(seat)
        return AccountStatus(
            account=seat.account.name,
            server=seat.account.server,
            state=seat.state,
            paused=seat.paused,
            ply=strength.play,
            level=None if strength.level is None else strength.level.name,
            mode=strength.mode.value,
            level_changed=not (seat.ply is None and seat.level is None and seat.mode is None),
            opponent=None if summary is None else summary.opponent,
            length=None if summary is None else summary.length,
            score=None if summary is None else summary.score,
            matches=0 if summary is None else summary.matches,
            wins=0 if summary is None else summary.wins,
            losses=0 if summary is None else summary.losses,
            last_message_at=None if summary is None else summary.last_message_at,
            after_match="leave" if seat.leaving else "restart" if seat.successor is not None else "",
        )


async def reload_on(wish: asyncio.Event, operations: Operations) -> None:
    """Reload whenever `wish` is set (by SIGHUP); the log tells what came of it."""
    while True:
        await wish.wait()
        wish.clear()
        try:
            await operations.reload()
        except CommandError as error:
            log.error("reload_failed", error=str(error), problems=error.problems)


def _in_force(old: Config, new: Config) -> Config:
    """The new configuration, but for what needs a restart: that stays, and the next reload names it again."""
    return dataclasses.replace(
        old,
        accounts=new.accounts,
        levels=new.levels,
        engine=dataclasses.replace(
            old.engine,
            mode=new.engine.mode,
            ply=new.engine.ply,
            plies=new.engine.plies,
            budget_s=new.engine.budget_s,
        ),
        daemon=dataclasses.replace(new.daemon, state_directory=old.daemon.state_directory),
        log=dataclasses.replace(old.log, level=new.log.level, format=new.log.format),
    )


def restart_needed(old: Config, new: Config) -> tuple[str, ...]:
    """Keys that differ and that a running daemon cannot change."""
    keys: list[str] = []
    for table in dataclasses.fields(Config):
        if table.name == "accounts":
            continue
        before, after = getattr(old, table.name), getattr(new, table.name)
        keys += [
            f"{table.name}.{key.name}"
            for key in dataclasses.fields(before)
            if getattr(before, key.name) != getattr(after, key.name)
        ]
    return tuple(key for key in keys if key not in _APPLIED)
