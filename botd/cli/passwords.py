"""Passwords of the operator: typed without echo, or made; kept in files that only he can read."""

from __future__ import annotations

import getpass
import os
import secrets
import string
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from botd.config.secret import Secret

GENERATED_LENGTH = 20
_LETTERS = string.ascii_letters + string.digits


class NoAnswerError(Exception):
    """Nobody answers: the input has ended."""


def generated() -> Secret:
    """About 119 bits, of letters and digits, which every server takes."""
    return Secret("".join(secrets.choice(_LETTERS) for _ in range(GENERATED_LENGTH)))


def typed(what: str, check: Callable[[str], None], *, twice: bool) -> Secret:
    """Ask at the terminal without echo, or read a line of the input if that is none.

    `check` raises ValueError for what cannot be a password; on a terminal it is asked for again. Raises
    NoAnswerError, and ValueError for a password of a file or pipe that is refused.
    """
    if not sys.stdin.isatty():
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            raise ValueError("expected printable ASCII characters") from None
        if not line:
            raise NoAnswerError(f"expected {what} on standard input, which has ended")
        password = line.rstrip("\r\n")
        check(password)
        return Secret(password)
    while True:
        try:
            password = getpass.getpass(f"{what} (not shown): ")
            check(password)
            if twice and getpass.getpass("once more: ") != password:
                print("the two are not the same; please type it again", file=sys.stderr)
                continue
        except EOFError:
            raise NoAnswerError("the input has ended") from None
        except ValueError as error:
            print(f"{error}; please type another one", file=sys.stderr)
            continue
        return Secret(password)


def store(path: Path, password: Secret) -> None:
    """Write a password file of mode 0600, whole or not at all, in place of any other. Raises OSError."""
    write_whole(path, f"{password.reveal()}\n", mode=0o600)


def write_whole(path: Path, text: str, *, mode: int) -> None:
    """The file has its old content or all of the new one, whatever happens. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # of mode 0600
    try:
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
