"""Passwords: wrapped so that they cannot be printed by accident, read from where they are kept."""

from __future__ import annotations

import hmac
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, final

MAX_PASSWORD = 128


class SecretError(ValueError):
    """A password cannot be had; says from where and why, never what it is."""


@final
class Secret:
    """A text that shows as `Secret(***)` wherever it is printed; only `reveal()` gives it away."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret does not leave this process")


@dataclass(frozen=True, slots=True)
class Credentials:
    """What an account keeps to itself."""

    login: Secret
    """Empty for a guest, who has no password."""
    table: Secret = field(default_factory=lambda: Secret(""))
    """bgammon: of the private matches it creates, or joins on a server of our own; empty: public ones."""


def from_environment(name: str, environment: Mapping[str, str]) -> Secret:
    """Raises SecretError."""
    value = environment.get(name)
    if value is None:
        raise SecretError(f"the environment variable {name} is not set")
    return _checked(value, f"the environment variable {name}")


def credentials_passed(environment: Mapping[str, str]) -> bool:
    """Whether systemd has started us with credentials."""
    return bool(environment.get("CREDENTIALS_DIRECTORY"))


def from_credential(name: str, environment: Mapping[str, str]) -> Secret:
    """A credential passed by systemd (`LoadCredential=name:path` in the unit). Raises SecretError."""
    if not credentials_passed(environment):
        raise SecretError(
            f"credential {name}: $CREDENTIALS_DIRECTORY is not set; "
            "it is, when systemd starts botd with LoadCredential="
        )
    return from_file(Path(environment["CREDENTIALS_DIRECTORY"]) / name, warnings=None)


def from_file(path: Path, *, warnings: list[str] | None) -> Secret:
    """The first line of a file. Adds to `warnings` if others can read the file. Raises SecretError."""
    try:
        # Not blocking, so that a named pipe cannot hold us up.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise SecretError(f"password file {path}: {reason}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise SecretError(f"password file {path}: expected a regular file")
        content = os.read(descriptor, 4097)
    except OSError as error:
        raise SecretError(f"password file {path}: {error.strerror}") from error
    finally:
        os.close(descriptor)
    if warnings is not None and status.st_mode & (stat.S_IROTH | stat.S_IWOTH):
        warnings.append(
            f"password file {path}: every user of this machine can read or change it; run: chmod 600 {path}"
        )
    lines = content.splitlines()
    if len(content) > 4096 or len([line for line in lines if line.strip()]) > 1:
        raise SecretError(f"password file {path}: expected one line with the password and nothing else")
    try:
        value = lines[0].decode("ascii") if lines else ""
    except UnicodeDecodeError as error:
        raise SecretError(f"password file {path}: byte {error.start + 1} is not ASCII") from None
    return _checked(value, f"password file {path}")


def _checked(value: str, where: str) -> Secret:
    try:
        check_password(value)
    except ValueError as error:
        raise SecretError(f"{where}: {error}") from None
    return Secret(value)


def check_password(value: str) -> None:
    """Raise ValueError for what cannot be sent in a login line: printable ASCII without blanks."""
    if not value.strip():
        raise ValueError("the password is empty")
    if len(value) > MAX_PASSWORD:
        raise ValueError(f"the password is longer than {MAX_PASSWORD} characters")
    if not all("!" <= character <= "~" for character in value):
        raise ValueError(
            "a password may hold only printable ASCII characters and no blank "
            "(the login line cannot carry others)"
        )
