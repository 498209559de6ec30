"""Commands, whatever transport they come over: bytes in, one reply out, never an exception.

The daemon stands behind `Target`. A transport decides who may send commands; here everything is checked
against the schema and bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec
import structlog

from botd.control import messages as m
from botd.engine.types import EngineMode
from botd.printable import printable

MAX_REQUEST = 4096
"""Bytes; the longest sensible command is a tenth of that."""

log = structlog.get_logger("botd.control")


class CommandError(Exception):
    """A command cannot be carried out; says why in one line, and all `problems` of a configuration."""

    def __init__(self, message: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class Target(Protocol):
    """What commands act on. Every method raises CommandError if it cannot do what is asked."""

    def status(self) -> m.DaemonStatus: ...
    def drain(self) -> None: ...
    def resume(self) -> None: ...
    def pause(self, account: str) -> None: ...
    def unpause(self, account: str) -> None: ...
    def change_level(
        self, account: str, ply: int | None, level: str | None, mode: EngineMode | None
    ) -> m.AccountStatus: ...
    async def reload(self) -> m.Reloaded: ...
    def say(self, account: str, text: str, to: str | None) -> None: ...
    def change_log(self, level: str | None, account: str | None) -> m.LogStatus: ...
    def stop(self, *, now: bool) -> None: ...


class Commands:
    """Checks requests and carries them out on a target."""

    def __init__(self, target: Target) -> None:
        self._target = target

    async def run_json(self, data: bytes, source: str) -> m.Reply:
        """Carry out one request in JSON; `source` names where it came from in the log."""
        return await self._run(data, source, msgspec.json.decode)

    async def run_msgpack(self, data: bytes, source: str) -> m.Reply:
        """Carry out one request in MessagePack."""
        return await self._run(data, source, msgspec.msgpack.decode)

    async def _run(self, data: bytes, source: str, decode: Callable[[bytes], Any]) -> m.Reply:
        if len(data) > MAX_REQUEST:
            return _refused(f"the request is longer than {MAX_REQUEST} bytes")
        try:
            raw = decode(data)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            return _refused(f"the request cannot be read: {_one_line(error)}")
        name, identifier = _labels(raw)
        try:
            request = msgspec.convert(raw, m.AnyRequest)
        except (msgspec.ValidationError, RecursionError) as error:
            log.warning("command_refused", source=source, command=name, error=_one_line(error))
            return _refused(_explained(error, raw), name, identifier)
        try:
            result = await self._carry_out(request)
        except CommandError as error:
            log.warning("command_failed", source=source, command=name, error=str(error))
            return m.Reply(ok=False, command=name, id=identifier, error=str(error), problems=error.problems)
        except Exception as error:
            log.exception("command_failed", source=source, command=name)
            return _refused(f"internal error: {type(error).__name__}; the log says more", name, identifier)
        if not isinstance(request, m.Status):
            log.info("command", source=source, command=name, account=getattr(request, "account", None))
        return m.Reply(ok=True, command=name, id=identifier, result=result)

    async def _carry_out(
        self, request: m.AnyRequest
    ) -> m.DaemonStatus | m.AccountStatus | m.LogStatus | m.Reloaded | None:
        target = self._target
        match request:
            case m.Status():
                return target.status()
            case m.Drain():
                target.drain()
            case m.Resume():
                target.resume()
            case m.Pause(account=account):
                target.pause(account)
            case m.Unpause(account=account):
                target.unpause(account)
            case m.ChangeLevel(account=account, ply=ply, level=level, mode=mode):
                if ply is not None and level is not None:
                    raise CommandError("level: expected a ply or a level, got both")
                return target.change_level(account, ply, level, mode)
            case m.Reload():
                return await target.reload()
            case m.Say(account=account, text=text, to=to):
                target.say(account, text, to)
            case m.ChangeLog(level=level, account=account):
                return target.change_log(level, account)
            case m.Stop(now=now):
                target.stop(now=now)
        return None


def _refused(error: str, name: str | None = None, identifier: str | None = None) -> m.Reply:
    return m.Reply(ok=False, command=name, id=identifier, error=error)


def _labels(raw: object) -> tuple[str | None, str | None]:
    """Command and id as far as they can be told, so that even a refusal finds its question."""
    if not isinstance(raw, dict):
        return None, None
    name, identifier = raw.get("command"), raw.get("id")
    known = isinstance(name, str) and name in m.NAMES
    short = isinstance(identifier, str) and len(identifier) <= 64
    return (name if known else None), (identifier if short else None)


def _explained(error: Exception, raw: object) -> str:
    if not isinstance(raw, dict):
        return 'expected a map such as {"command": "status"}'
    if _labels(raw)[0] is None:
        return f"expected the key command with one of {', '.join(m.NAMES)}"
    return f"{raw['command']}: {_one_line(error)}"


def _one_line(error: Exception) -> str:
    return printable(str(error) or type(error).__name__, 300)
