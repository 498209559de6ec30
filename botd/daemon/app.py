"""The process around the sessions: starts the parts in order, watches them, stops them in order."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import structlog

from botd.config import Config, Loaded
from botd.control.commands import Commands
from botd.control.socket import ControlServer, ControlSocketError, default_path
from botd.daemon.background import background
from botd.daemon.clock_watch import ClockWatch
from botd.daemon.decider import Decider
from botd.daemon.doorway import Doorway
from botd.daemon.fleet import Fleet, Seat
from botd.daemon.happenings import Happenings, Trouble
from botd.daemon.locks import LockError, journal_lock, state_directory
from botd.daemon.log_file import LogFile
from botd.daemon.log_levels import LogLevels
from botd.daemon.logging import ErrorWatcher, LogCounter
from botd.daemon.memory import settle
from botd.daemon.operations import Operations, reload_on
from botd.daemon.readings import Readings, watch_journal_size
from botd.daemon.recorder import Recorder
from botd.daemon.session import AccountSession, Outcome
from botd.daemon.signals import Signals
from botd.daemon.slots import Slot, Slots
from botd.daemon.systemd import Notifier, keep_informed
from botd.decisions.pool import PoolStartError, PoolUnavailableError
from botd.decisions.service import DecisionService, ServiceConfig
from botd.engine.modes import in_mode
from botd.journal import Journal, JournalError
from botd.journal.export import MatWriter
from botd.journal.housekeeping import Housekeeper, Retention
from botd.live.feed import LiveFeed
from botd.live.memory import JournalMemory
from botd.live.state import LiveState
from botd.metrics.http import MetricsServer
from botd.metrics.loop_lag import watch_loop_lag
from botd.metrics.registry import Metrics
from botd.mqtt.client import MqttSetupError
from botd.mqtt.link import MqttLink
from botd.web.access import Access
from botd.web.past import PastMatches
from botd.web.status_page import StatusPage

WINDING_UP = 40.0
"""Seconds that log-out, journal, broker and workers may take together, at most."""
STATUS_PAGE_QUEUE = 10_000
"""Happenings that may wait for the live document; they are taken whenever the loop has a moment."""
MQTT_FAREWELL = 3.0
"""Seconds for the last events and the good-bye to the broker."""
_NO_DETAIL = frozenset({"event", "account", "server", "level", "timestamp", "exception"})

log = structlog.get_logger("botd.daemon")


class StartError(Exception):
    """A part cannot work at all; says which and why."""


class Daemon:
    """Plays the accounts of a configuration until stopped or until none has anything left to do.

    Subscribe to `happenings` before `run`. Use once, inside an event loop.
    """

    def __init__(
        self,
        loaded: Loaded,
        happenings: Happenings | None = None,
        *,
        read: Callable[[], Loaded] | None = None,
        accept: Callable[[Loaded], None] = lambda loaded: None,
        manager: Notifier | None = None,
        log_levels: LogLevels | None = None,
        log_file: LogFile | None = None,
    ) -> None:
        """`read` reads the configuration anew for a reload (raises ConfigError), `accept` is told of one that
        is now in force; `manager` is the service manager that runs us; `log_levels` can be changed by
        command, `log_file` is opened anew on SIGHUP."""
        self._loaded = loaded
        self._config: Config = loaded.config
        self.happenings = happenings or Happenings()
        self._read = read
        self._accept = accept
        self._manager = manager or Notifier(None)
        self._log_levels = log_levels
        self._log_file = log_file
        self._slots = Slots(self._config.daemon.max_simultaneous, time.monotonic)
        self._fleet: Fleet | None = None
        self._operations: Operations | None = None
        self._service: DecisionService | None = None
        self._doorways: dict[str, Doorway] = {}
        self._stopping = asyncio.Event()
        self._hung_up = asyncio.Event()

    def stop(self, now: bool = False) -> None:
        """Ask for a clean stop; `run` returns when it is done. May be called more than once.

        Running matches may go on for `daemon.drain_s`, or not at all if `now`; then servers save them.
        """
        first = not self._stopping.is_set()
        if first:
            self._manager.stopping(self._config.daemon.drain_s + WINDING_UP)
        self._stopping.set()
        fleet = self._fleet
        if fleet is None:
            return
        if now or self._config.daemon.drain_s == 0:
            fleet.stop()
        elif first:
            fleet.finish()
            asyncio.get_running_loop().call_later(self._config.daemon.drain_s, fleet.stop)

    async def run(self, *, handle_signals: bool = False) -> int:
        """The exit status: 0 after a clean stop or when all is played, 1 if no account could go on.

        Raises StartError if a part cannot work.
        """
        signals = Signals(self.stop, self._end_at_once, self._hang_up)
        with signals if handle_signals else contextlib.nullcontext():
            for warning in self._loaded.warnings:
                log.warning("configuration", warning=str(warning))
            try:
                async with AsyncExitStack() as stack:
                    outcomes = await self._play(stack)
            finally:
                self.happenings.close()
        log.info("stopped", outcomes={name: str(outcome) for name, outcome in outcomes.items()})
        bad = [outcome for outcome in outcomes.values() if outcome in (Outcome.REFUSED, Outcome.GAVE_UP)]
        return 1 if bad and len(bad) == len(outcomes) else 0

    def _hang_up(self) -> None:
        if self._log_file is not None:
            self._log_file.reopen()
        self._hung_up.set()

    async def _play(self, stack: AsyncExitStack) -> dict[str, Outcome]:
        """Start the parts (the stack stops them in reverse order) and play."""
        config = self._config
        metrics = Metrics(account.server for account in config.accounts)
        stack.enter_context(LogCounter(metrics.logged))
        web = await stack.enter_async_context(self._metrics_server(metrics))
        journal = await stack.enter_async_context(self._journal())
        service = await stack.enter_async_context(self._decision_service(metrics))
        stack.enter_context(background(watch_loop_lag(metrics.loop_lag), "loop lag"))
        size = watch_journal_size(config.journal.path, metrics.journal_size)
        stack.enter_context(background(size, "journal size"))
        stack.enter_context(background(ClockWatch(metrics.clock_jumped).run(), "clock"))
        if self._stopping.is_set():
            return {}
        state = config.daemon.state_directory or state_directory(os.environ)
        fleet = Fleet(lambda seat: self._session(seat, service, journal, metrics), state)
        operations = self._operations = Operations(
            self._loaded,
            fleet,
            service,
            journal,
            read=self._read,
            accept=self._accepted,
            was_read=metrics.config_read,
            stop=self.stop,
            stopping=self._stopping.is_set,
            manager=self._manager,
            log_levels=self._log_levels,
        )
        commands = Commands(operations)
        await stack.enter_async_context(self._control(commands))
        stack.enter_context(ErrorWatcher(self._tell_error))
        await stack.enter_async_context(self._status_page(operations, service, metrics))
        await stack.enter_async_context(self._mqtt(commands, metrics))
        stack.enter_context(background(reload_on(self._hung_up, operations), "reload"))
        stack.enter_context(background(keep_informed(self._manager, fleet.presence), "service manager"))
        self._fleet = fleet
        metrics.before_render(Readings(metrics, fleet, journal, self.happenings).take)
        if self._stopping.is_set():
            return {}
        self._add_checks(web, service, journal)
        info = service.info
        log.info(
            "started",
            accounts=len(config.accounts),
            engine=info.evaluator,
            mode=info.mode.value,
            cpu_path=info.cpu_path,
        )
        settle()
        try:
            outcomes = await fleet.run(list(zip(config.accounts, self._loaded.credentials, strict=True)))
        except LockError as error:
            raise StartError(str(error)) from error
        if dropped := self.happenings.dropped:
            log.warning("happenings_dropped", number=dropped)
        return outcomes

    def _session(
        self, seat: Seat, service: DecisionService, journal: Journal, metrics: Metrics
    ) -> AccountSession:
        account = seat.account
        assert self._operations is not None
        recorder = Recorder(journal, self.happenings, account=account.name, server=account.server)
        return AccountSession(
            account,
            seat.credentials,
            service,
            Decider(
                service,
                self._operations.strength(seat),
                think_time_s=account.policy.think_time_s,
                seed=lambda: recorder.seed,
            ),
            recorder,
            metrics.server(account.server),
            lambda: self._report(account.server, metrics),
            Slot(self._slots),
            self._doorways.setdefault(account.server, Doorway()),
        )

    def _accepted(self, loaded: Loaded) -> None:
        self._loaded, self._config = loaded, loaded.config
        self._slots.limit = loaded.config.daemon.max_simultaneous
        self._accept(loaded)

    def _report(self, server: str, metrics: Metrics) -> None:
        """What the accounts of one server are doing, together."""
        sessions = [session for session in self._sessions() if session.server == server]
        metrics.server(server).connection_up(any(session.connected for session in sessions))
        metrics.server(server).matches_active(sum(session.playing for session in sessions))

    def _sessions(self) -> tuple[AccountSession, ...]:
        return () if self._fleet is None else tuple(self._fleet.sessions)

    # -- parts -----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _metrics_server(self, metrics: Metrics) -> AsyncIterator[MetricsServer]:
        config = self._config.metrics
        server = MetricsServer(metrics, config.host, config.port)
        if not config.enabled:
            yield server
            return
        try:
            await server.start()
        except OSError as error:
            raise StartError(
                f"metrics: cannot listen on {config.host} port {config.port}: {error.strerror or error}"
            ) from error
        try:
            log.info("metrics", addresses=server.http.urls)
            yield server
        finally:
            await server.stop()

    @asynccontextmanager
    async def _status_page(
        self, operations: Operations, service: DecisionService, metrics: Metrics
    ) -> AsyncIterator[None]:
        config = self._config.status_page
        if not config.enabled:
            yield
            return
        instance = secrets.token_hex(8)
        events = self.happenings.subscribe(
            STATUS_PAGE_QUEUE, lambda: metrics.events_dropped("status_page"), details=True
        )
        state = LiveState(instance, service.info)
        memory = JournalMemory(self._config.journal.path)
        feed = LiveFeed(state, events, operations.snapshot, metrics.durations, memory)
        access = Access(config.host, self._loaded.status_token, config.names)
        past = PastMatches(self._config.journal.path)
        page = StatusPage(feed, past, access, config.host, config.port, instance)
        try:
            await page.start()
        except OSError as error:
            raise StartError(
                f"status page: cannot listen on {config.host} port {config.port}: {error.strerror or error}"
            ) from error
        try:
            log.info("status_page", addresses=page.http.urls)
            metrics.before_render(lambda: metrics.page_clients(page.http.open_streams))
            with background(feed.run(), "live"):
                yield
        finally:
            await page.stop()
            self.happenings.unsubscribe(events)

    @asynccontextmanager
    async def _control(self, commands: Commands) -> AsyncIterator[None]:
        config = self._config.control
        path = config.path or default_path(os.environ)
        if not config.enabled or path is None:
            if config.enabled:
                log.info("no_control_socket", hint="neither control.path nor $XDG_RUNTIME_DIR is set")
            yield
            return
        server = ControlServer(commands, path)
        try:
            await server.start()
        except ControlSocketError as error:
            if config.path is not None:
                raise StartError(str(error)) from error
            # Nobody asked for this very socket: another botd of this user may have it.
            log.warning("no_control_socket", error=str(error), hint="set control.path")
        else:
            log.info("control_socket", path=str(path))
        try:
            yield
        finally:
            await server.stop()

    @asynccontextmanager
    async def _mqtt(self, commands: Commands, metrics: Metrics) -> AsyncIterator[None]:
        config = self._config.mqtt
        if not config.enabled:
            yield
            return
        events = self.happenings.subscribe(config.queue, lambda: metrics.events_dropped("mqtt"))
        try:
            link = MqttLink(config, self._loaded.mqtt_password, events, commands, metrics)
        except MqttSetupError as error:
            raise StartError(f"mqtt: {error}") from error
        task = asyncio.create_task(link.run(), name="mqtt")
        try:
            yield
        finally:
            events.close()
            await asyncio.wait({task}, timeout=MQTT_FAREWELL)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _tell_error(self, entry: Mapping[str, Any]) -> None:
        detail = {key: value for key, value in entry.items() if key not in _NO_DETAIL}
        self.happenings.publish(
            Trouble(
                account=str(entry.get("account", "")),
                server=str(entry.get("server", "")),
                what=str(entry.get("event", ""))[:100],
                detail=" ".join(f"{key}={value}" for key, value in detail.items())[:500],
            )
        )

    @asynccontextmanager
    async def _journal(self) -> AsyncIterator[Journal]:
        config = self._config.journal
        files = None if config.mat_directory is None else MatWriter(config.mat_directory)
        keeper = Housekeeper(
            Retention(config.keep_days, config.keep_decisions_days, config.vacuum == "incremental")
        )
        journal = Journal(config.path, after_match=files, housekeeper=keeper)
        try:
            lock = journal_lock(config.path)
        except LockError as error:
            raise StartError(str(error)) from error
        try:
            await journal.start()
        except JournalError as error:
            lock.release()
            raise StartError(str(error)) from error
        try:
            yield journal
        finally:
            await journal.stop()
            lock.release()
            status = journal.status()
            if status.dropped or status.pending:
                log.error("journal_incomplete", dropped=status.dropped, pending=status.pending)

    @asynccontextmanager
    async def _decision_service(self, metrics: Metrics) -> AsyncIterator[DecisionService]:
        engine = self._config.engine
        service = self._service = DecisionService(
            ServiceConfig(
                engine=in_mode(engine.evaluator, engine.mode),
                workers=engine.workers,
                deadline_s=engine.deadline_s,
            ),
            metrics,
        )
        starting = asyncio.create_task(service.start(), name="start workers")
        stopping = asyncio.create_task(self._stopping.wait(), name="wait for stop")
        try:
            await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                try:
                    starting.result()
                except PoolStartError as error:
                    raise StartError(f"engine: {error}") from error
            yield service
        finally:
            for task in (starting, stopping):
                task.cancel()
            await asyncio.gather(starting, stopping, return_exceptions=True)
            await service.stop()

    def _add_checks(self, web: MetricsServer, service: DecisionService, journal: Journal) -> None:
        async def workers() -> str | None:
            try:
                await service.ping()
            except PoolUnavailableError as error:
                return str(error)
            return None

        async def written() -> str | None:
            status = journal.status()
            return f"the journal cannot be written: {status.last_error}" if status.failing else None

        async def connected() -> str | None:
            return (
                None if any(session.connected for session in self._sessions()) else "no account is logged in"
            )

        web.add_check("workers", workers)
        web.add_check("journal", written)
        web.add_check("connections", connected)

    def _end_at_once(self) -> None:
        """On the second signal: nothing may be waited for any more, but a moment for the log."""
        if self._log_file is not None:
            self._log_file.flush()
        for pid in self._service.worker_pids if self._service is not None else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
