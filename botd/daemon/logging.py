"""Logs: `key=value` text for people, one JSON object a line for machines; secrets removed in both.

Everything goes to standard error or one file, that of the standard library's loggers (asyncio) too.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from botd.config.schema import LogConfig
from botd.config.secret import Secret
from botd.daemon.log_levels import LogLevels

REDACTED = "***"
_SECRET_KEY = re.compile(r"password|passwd|secret|token", re.IGNORECASE)
_MAX_TEXT = 2000
"""A server chooses how long its lines are; our log does not follow."""


def configure_logging(
    config: LogConfig,
    secrets: Iterable[Secret] = (),
    stream: TextIO | None = None,
    *,
    handler: logging.Handler | None = None,
    levels: LogLevels | None = None,
) -> None:
    """Set up structlog and standard logging for this process; replaces what was set up before.

    `handler` takes the lines instead of `stream`, or standard error. `levels`, if given, decides how much is
    logged, with the configured level where nothing else was chosen. `config.file` is the caller's affair.
    """
    out = sys.stderr if stream is None else stream
    as_text = config.format == "text" or (config.format == "auto" and handler is None and out.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        Redactor(secrets),
    ]
    renderer: Processor = render_text if as_text else structlog.processors.JSONRenderer(default=str)
    handler = handler or logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    _install(handler)
    if levels is None:
        levels = LogLevels(config.level)
    levels.configure(config.level)
    handler.filters[:] = [levels]
    logging.captureWarnings(True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def _install(handler: logging.Handler) -> None:
    """As the only one of the root logger; it may be there already."""
    root = logging.getLogger()
    for other in root.handlers[:]:
        if other is not handler:
            root.removeHandler(other)
            other.close()
    if handler not in root.handlers:
        root.addHandler(handler)


class Redactor:
    """Replaces known secrets wherever they occur, and any value whose key names a secret."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        values = {secret.reveal() for secret in secrets} - {""}  # a guest has no password
        # Longest first, so that a password that contains another one goes as a whole.
        pattern = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))
        self._pattern = re.compile(pattern) if pattern else None

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        return {
            self._text(str(key)): REDACTED if _SECRET_KEY.search(str(key)) and value else self._clean(value)
            for key, value in event.items()
        }

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {str(key): self._clean(item) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._clean(item) for item in value]
        if value is None or isinstance(value, bool | int | float):
            return value
        return self._text(str(value))

    def _text(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)


class _Watcher(logging.Handler):
    """Sees what is logged; use it with `with`."""

    def __enter__(self) -> Self:
        logging.getLogger("botd").addHandler(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        logging.getLogger("botd").removeHandler(self)


class LogCounter(_Watcher):
    """Calls `count` with `warning` or `error` for every such line of our log, in whatever thread it arose."""

    def __init__(self, count: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._count = count

    def emit(self, record: logging.LogRecord) -> None:
        self._count("error" if record.levelno >= logging.ERROR else "warning")


class ErrorWatcher(_Watcher):
    """Tells `told` the name and the details of every error in our log, secrets already removed.

    Errors are logged by other threads too; `told` is called on the event loop. Make it inside an event loop.
    """

    def __init__(self, told: Callable[[Mapping[str, Any]], None]) -> None:
        super().__init__(logging.ERROR)
        self._told = told
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.msg, Mapping):  # of structlog, which has passed the redactor
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is there to be told
                self._loop.call_soon_threadsafe(self._told, dict(record.msg))


def render_text(logger: WrappedLogger, method: str, event: EventDict) -> str:
    """`2026-11-30T05:25:22Z info     connected server=localhost:4321`; control characters are escaped."""
    time = str(event.pop("timestamp", ""))
    level = str(event.pop("level", "info"))
    name = _escaped(str(event.pop("event", "")))
    trace = event.pop("exception", None)
    fields = "".join(f" {_escaped(str(key))}={_quoted(value)}" for key, value in event.items())
    text = f"{time[:19]}Z {level:8} {name}{fields}"
    return text if trace is None else f"{text}\n{_escaped(str(trace), keep=chr(10))}"


def _quoted(value: object) -> str:
    text = str(value)
    if len(text) > _MAX_TEXT:
        text = f"{text[:_MAX_TEXT]}... ({len(text)} characters)"
    plain = re.fullmatch(r"[^\s\"'=\\]+", text) is not None and text.isprintable()
    return text if plain else '"' + _escaped(text).replace('"', '\\"') + '"'


def _escaped(text: str, keep: str = "") -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)
