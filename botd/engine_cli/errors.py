"""What can go wrong with a request, as batches name it and as an exit status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from botd import _core
from botd.engine.met import MetError
from botd.engine.protocol import UnsupportedGame


class ErrorKind(StrEnum):
    REQUEST = "request"
    """Malformed, or arguments out of range."""
    POSITION = "position"
    """An undecodable or impossible position, score or roll."""
    DATA = "data"
    """Weights, databases or tables are missing or damaged."""
    UNSUPPORTED = "unsupported"
    """Understood, but the evaluator cannot do it."""


EXIT_STATUS = {ErrorKind.REQUEST: 2, ErrorKind.POSITION: 2, ErrorKind.DATA: 3, ErrorKind.UNSUPPORTED: 4}


class AnswerError(Exception):
    """A request that gets no answer; the message says what, where and what was expected, on one line."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(kind, message)  # both, so that it survives pickling between processes
        self.kind = kind
        self.message = message


@contextmanager
def position_errors() -> Iterator[None]:
    """Errors of the engine inside become AnswerErrors.

    `data` if files are at fault, `unsupported` for a game that the engine does not know, else `position`.
    """
    try:
        yield
    except (OSError, _core.DataError, MetError) as error:
        raise AnswerError(ErrorKind.DATA, str(error)) from error
    except UnsupportedGame as error:
        raise AnswerError(ErrorKind.UNSUPPORTED, str(error)) from error
    except ValueError as error:
        raise AnswerError(ErrorKind.POSITION, str(error)) from error
