"""The process around the sessions: starts the parts in order, watches them, stops them in order."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from botd.config import Config, Loaded
from botd.config.schema import AccountConfig
from botd.config.secret import Secret
from botd.daemon.decider import Decider, Plies
from botd.daemon.happenings import Happenings
from botd.daemon.recorder import Recorder
from botd.daemon.session import AccountSession, Outcome
from botd.daemon.stop import StopSignals
from botd.decisions.pool import PoolStartError, PoolUnavailableError
from botd.decisions.service import DecisionService, ServiceConfig
from botd.journal import Journal, JournalError
from botd.journal.export import MatWriter
from botd.metrics.http import MetricsServer
from botd.metrics.loop_lag import watch_loop_lag
from botd.metrics.registry import Metrics

log = structlog.get_logger("botd.daemon")


class StartError(Exception):
    """A part cannot work at all; says which and why."""


class Daemon:
    """Plays the accounts of a configuration until stopped or until none has anything left to do.

    Subscribe to `happenings` before `run`. Use once, inside an event loop.
    """

    def __init__(self, loaded: Loaded, happenings: Happenings | None = None) -> None:
        self._loaded = loaded
        self._config: Config = loaded.config
        self.happenings = happenings or Happenings()
        self._sessions: list[AccountSession] = []
        self._service: DecisionService | None = None
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Ask for a clean stop; `run` returns when it is done. May be called more than once."""
        self._stopping.set()
        for session in self._sessions:
            session.stop()

    async def run(self, *, handle_signals: bool = False) -> int:
        """The exit status: 0 after a clean stop or when all is played, 1 if no account could go on.

        Raises StartError if a part cannot work.
        """
        with StopSignals(self.stop, self._end_workers) if handle_signals else contextlib.nullcontext():
            for warning in self._loaded.warnings:
                log.warning("configuration", warning=warning)
            try:
                async with AsyncExitStack() as stack:
                    outcomes = await self._play(stack)
            finally:
                self.happenings.close()
        log.info("stopped", outcomes={name: str(outcome) for name, outcome in outcomes.items()})
        bad = [outcome for outcome in outcomes.values() if outcome in (Outcome.REFUSED, Outcome.GAVE_UP)]
        return 1 if bad and len(bad) == len(outcomes) else 0

    async def _play(self, stack: AsyncExitStack) -> dict[str, Outcome]:
        """Start the parts (the stack stops them in reverse order) and play."""
        config = self._config
        metrics = Metrics(account.server for account in config.accounts)
        web = await stack.enter_async_context(self._metrics_server(metrics))
        journal = await stack.enter_async_context(self._journal())
        service = await stack.enter_async_context(self._decision_service(metrics))
        lag = asyncio.create_task(watch_loop_lag(metrics.loop_lag), name="loop lag")
        stack.callback(lag.cancel)
        if self._stopping.is_set():
            return {}
        self._sessions = [
            self._session(account, password, service, journal, metrics)
            for account, password in zip(config.accounts, self._loaded.passwords, strict=True)
        ]
        self._add_checks(web, service, journal)
        log.info("started", accounts=len(self._sessions), engine=service.info.evaluator)
        async with asyncio.TaskGroup() as group:
            tasks = {
                f"{account.name}@{account.server}": group.create_task(session.run(), name=account.name)
                for account, session in zip(config.accounts, self._sessions, strict=True)
            }
        dropped = self.happenings.dropped
        if dropped:
            metrics.events_dropped("display", dropped)
            log.warning("happenings_dropped", number=dropped)
        return {name: task.result() for name, task in tasks.items()}

    def _session(
        self,
        account: AccountConfig,
        password: Secret,
        service: DecisionService,
        journal: Journal,
        metrics: Metrics,
    ) -> AccountSession:
        plies = Plies.of(self._config.engine, account.ply)
        return AccountSession(
            account,
            password,
            service,
            Decider(service, plies, think_time_s=account.policy.think_time_s),
            Recorder(journal, self.happenings, account=account.name, server=account.server),
            metrics.server(account.server),
            lambda: self._report(account.server, metrics),
        )

    def _report(self, server: str, metrics: Metrics) -> None:
        """What the accounts of one server are doing, together."""
        sessions = [session for session in self._sessions if session.server == server]
        metrics.server(server).connection_up(any(session.connected for session in sessions))
        metrics.server(server).matches_active(sum(session.playing for session in sessions))

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
            log.info("metrics", addresses=[f"http://{host}:{port}/" for host, port in server.addresses])
            yield server
        finally:
            await server.stop()

    @asynccontextmanager
    async def _journal(self) -> AsyncIterator[Journal]:
        config = self._config.journal
        files = None if config.mat_directory is None else MatWriter(config.mat_directory)
        journal = Journal(config.path, after_match=files)
        try:
            await journal.start()
        except JournalError as error:
            raise StartError(str(error)) from error
        try:
            yield journal
        finally:
            await journal.stop()
            status = journal.status()
            if status.dropped or status.pending:
                log.error("journal_incomplete", dropped=status.dropped, pending=status.pending)

    @asynccontextmanager
    async def _decision_service(self, metrics: Metrics) -> AsyncIterator[DecisionService]:
        engine = self._config.engine
        service = self._service = DecisionService(
            ServiceConfig(engine=engine.evaluator, workers=engine.workers, deadline_s=engine.deadline_s),
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
            return None if any(session.connected for session in self._sessions) else "no account is logged in"

        web.add_check("workers", workers)
        web.add_check("journal", written)
        web.add_check("connections", connected)

    def _end_workers(self) -> None:
        """At once, on the second signal."""
        for pid in self._service.worker_pids if self._service is not None else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
