"""How much is logged, of everything or of one account; can be changed while the daemon runs."""

from __future__ import annotations

import logging
from collections.abc import Mapping


class LogLevels(logging.Filter):
    """A filter for the handler of the log. Levels are named as in the configuration: `debug`, `info`, ..."""

    def __init__(self, configured: str) -> None:
        super().__init__()
        self._configured = _number(configured)
        self._chosen: int | None = None
        self._accounts: dict[tuple[str, str], int] = {}

    def configure(self, level: str) -> None:
        """What holds where nobody has chosen anything else."""
        self._configured = _number(level)
        self._apply()

    def choose(self, level: str | None, account: tuple[str, str] | None = None) -> None:
        """For everything, or for one account (name, server); None: as without a choice."""
        if account is None:
            self._chosen = None if level is None else _number(level)
        elif level is None:
            self._accounts.pop(account, None)
        else:
            self._accounts[account] = _number(level)
        self._apply()

    def level(self, account: tuple[str, str] | None = None) -> str:
        """What holds for everything, or for an account."""
        everywhere = self._configured if self._chosen is None else self._chosen
        number = everywhere if account is None else self._accounts.get(account, everywhere)
        return logging.getLevelName(number).lower()

    def filter(self, record: logging.LogRecord) -> bool:
        level = self._configured if self._chosen is None else self._chosen
        if self._accounts and isinstance(record.msg, Mapping):  # of structlog
            name, server = record.msg.get("account"), record.msg.get("server")
            level = self._accounts.get((str(name), str(server)), level)
        return record.levelno >= level

    def _apply(self) -> None:
        """The root logger lets pass what anybody may want, so that the rest costs nothing."""
        everywhere = self._configured if self._chosen is None else self._chosen
        logging.getLogger().setLevel(min([everywhere, *self._accounts.values()]))


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]
