"""Read, check and resolve a configuration file. Everything wrong with it is reported at once."""

from __future__ import annotations

import dataclasses
import os
import re
import ssl
import tomllib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from botd.addresses import check_host, is_loopback
from botd.config import advice, rules, secret
from botd.config.keys import right_place
from botd.config.lines import KeyLines, KeyPath
from botd.config.own_files import clashes
from botd.config.problems import (
    ConfigError,
    Problem,
    described,
    did_you_mean,
    expected,
    shown,
    suggestion,
    type_name,
    without_none,
)
from botd.config.schema import (
    AccountConfig,
    Config,
    CreateConfig,
    FileName,
    Host,
    MqttConfig,
    StatusPageConfig,
)
from botd.config.secret import Credentials, Secret, SecretError
from botd.files import read_small_file
from botd.printable import printable
from botd.tls import client_tls

MAX_BYTES = 1 << 20
MAX_ACCOUNTS = 1000
MAX_PROBLEMS = 100

_INLINE = (
    "a password does not belong in this file (it gets copied, mailed and committed); "
    "put it into a file of its own and name that with password_file, or use password_env "
    "or password_credential"
)


_Owner = AccountConfig | CreateConfig | MqttConfig | StatusPageConfig
"""Tables that name a password, or a token."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration that is fit for use, paths made absolute."""

    config: Config
    credentials: tuple[Credentials, ...]
    """One for each account, in the same order."""
    warnings: tuple[Problem, ...]
    """What is allowed and yet probably not meant."""
    mqtt_password: Secret | None = None
    status_token: Secret | None = None
    """Of the status page; None: everybody who can reach it may read."""
    file: str = ""
    lines: KeyLines = field(default_factory=lambda: KeyLines(""), compare=False)

    def blame(self, path: KeyPath, message: str, hint: str = "") -> Problem:
        """A problem with this key."""
        return Problem(self.file, self.lines.line(path), shown(path), message, hint)

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """Everything that must not be shown."""
        found = [secret for each in self.credentials for secret in (each.login, each.table)]
        found += [secret for secret in (self.mqtt_password, self.status_token) if secret is not None]
        return tuple(secret for secret in found if secret.reveal())


def load_config(
    path: Path | str, environment: Mapping[str, str] | None = None, *, in_service: bool = True
) -> Loaded:
    """Read a file and the passwords it points to. Raises ConfigError.

    Unless `in_service`, which is to say where nothing is to be played, a systemd credential that only the
    service will get is no more than a warning; its password is then empty.
    """
    path = Path(path)
    try:
        content = read_small_file(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise ConfigError([Problem(printable(str(path)), None, "", f"cannot be read: {reason}")]) from error
    return parse_config(
        content,
        file=printable(str(path)),
        path=path,
        base=path.parent,
        environment=os.environ if environment is None else environment,
        in_service=in_service,
    )


def parse_config(
    content: bytes,
    *,
    file: str,
    base: Path,
    environment: Mapping[str, str],
    in_service: bool = True,
    path: Path | None = None,
) -> Loaded:
    """Check the content of a configuration file. Relative paths count from `base`. Raises ConfigError.

    Args:
        file: its name in messages.
        path: the file itself, if it is one: nothing that botd writes may be in its place.
    """
    text = _decoded(content, file)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([_syntax_problem(str(error), file, text)]) from None
    except RecursionError:
        raise ConfigError([Problem(file, None, "", "not usable: values nested too deeply")]) from None
    except ValueError:  # of the ways to fail the only one that is no TOMLDecodeError
        raise ConfigError([Problem(file, None, "", "not usable: a number of too many digits")]) from None
    lines = KeyLines(text)
    checker = _Checker(file, lines, in_service)
    config = checker.table(Config, data, ())
    credentials = checker.credentials(base, environment)
    mqtt_password = checker.mqtt_password(config, base, environment)
    status_token = checker.status_token(config, base, environment)
    checker.certificates(base)
    if config is not None and not checker.problems:
        for key, message in clashes(config, base, path):
            checker.blame(key, message)
    if config is None or checker.problems:
        raise ConfigError(by_line(checker.problems)[:MAX_PROBLEMS])
    for key, message in advice.remarks(config, data):
        checker.warn(key, message)
    warnings = tuple(by_line(checker.warnings)[:MAX_PROBLEMS])
    return Loaded(
        _absolute(config, base), tuple(credentials), warnings, mqtt_password, status_token, file, lines
    )


def by_line(problems: Iterable[Problem]) -> list[Problem]:
    """In the order of the file."""
    return sorted(problems, key=lambda problem: problem.line or 0)


def _decoded(content: bytes, file: str) -> str:
    if len(content) > MAX_BYTES:
        raise ConfigError(
            [Problem(file, None, "", f"larger than {MAX_BYTES} bytes; this is no configuration of botd")]
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            [Problem(file, line, "", f"expected UTF-8 text, found byte 0x{content[error.start]:02x}")]
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ConfigError([Problem(file, line, "", "expected text, found a NUL byte")])
    return text.replace("\r\n", "\n")


def _syntax_problem(message: str, file: str, text: str) -> Problem:
    # tomllib names a table by its parts: ('accounts', 'policy').
    message = re.sub(r"\((['\"].*['\"]),?\) twice", lambda parts: f"[{_joined(parts[1])}] twice", message)
    found = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if found is None:
        return Problem(file, None, "", f"not valid TOML: {printable(message)}")
    what = printable(message[: found.start()])
    if found.group(1) is None:
        return Problem(file, text.count("\n") + 1, "", f"not valid TOML: {what} at the end of the file")
    return Problem(file, int(found.group(1)), "", f"not valid TOML: {what} (column {found.group(2)})")


def _joined(parts: str) -> str:
    return ".".join(part[1:-1] for part in re.findall(r"'[^']*'|\"[^\"]*\"", parts))


class _Checker:
    """Turns parsed TOML into the dataclasses of the schema and collects what does not fit."""

    def __init__(self, file: str, lines: KeyLines, in_service: bool) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self._file = file
        self._in_service = in_service
        self._lines = lines
        self._accounts: list[tuple[KeyPath, AccountConfig]] = []

    def blame(self, path: KeyPath, message: str, hint: str = "") -> None:
        self.problems.append(Problem(self._file, self._lines.line(path), shown(path), message, hint))

    def warn(self, path: KeyPath, message: str) -> None:
        self.warnings.append(Problem(self._file, self._lines.line(path), shown(path), message))

    def table(self, kind: type[T], data: object, path: KeyPath) -> T | None:
        """An instance of the dataclass `kind`, or None after blaming what is wrong."""
        if not isinstance(data, dict):
            self.blame(path, f"expected a table, got {type_name(data)}")
            return None
        hints = typing.get_type_hints(kind, include_extras=True)
        fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
        usable: dict[str, Any] = {}
        before = len(self.problems)
        for name, item in fields.items():
            if name in data:
                value = self._value(hints[name], data[name], (*path, name))
                if value is not None:
                    usable[name] = value
            elif item.default is not dataclasses.MISSING:
                usable[name] = item.default
            elif item.default_factory is not dataclasses.MISSING:
                usable[name] = item.default_factory()
            else:
                self.blame((*path, name), "is missing; it has no default")
        for key in data:
            if key not in fields:
                self._unknown((*path, key), list(fields))
        for key_path, message in rules.violations(kind, data, usable):
            self.blame((*path, *key_path), message)
        if len(self.problems) > before:
            return None
        table = kind(**usable)
        if isinstance(table, AccountConfig):
            self._accounts.append((path, table))
        return table

    def credentials(self, base: Path, environment: Mapping[str, str]) -> list[Credentials]:
        """The passwords of all accounts that are in order; blames those that cannot be had."""
        found: list[Credentials] = []
        for path, account in self._accounts:
            login = self._password(path, account, base, environment)
            table = self._password((*path, "create"), account.create, base, environment)
            if login is not None and table is not None:
                found.append(Credentials(login, table))
        return found

    def mqtt_password(
        self, config: Config | None, base: Path, environment: Mapping[str, str]
    ) -> Secret | None:
        """The broker's password, if one is used."""
        if config is None or not config.mqtt.enabled or config.mqtt.username is None:
            return None
        return self._password(("mqtt",), config.mqtt, base, environment)

    def status_token(
        self, config: Config | None, base: Path, environment: Mapping[str, str]
    ) -> Secret | None:
        """The status page's token, if it has one."""
        if config is None or not config.status_page.enabled:
            return None
        page = config.status_page
        if any(getattr(page, key) is not None for key in rules.TOKEN_KEYS):
            return self._password(("status_page",), page, base, environment)
        if not is_loopback(page.host):
            self.warn(
                ("status_page", "host"),
                "without a token everybody who can reach this machine can watch; see status_page.token_file",
            )
        return None

    def _password(
        self, path: KeyPath, owner: _Owner, base: Path, environment: Mapping[str, str]
    ) -> Secret | None:
        source = next((key for key in _sources(owner) if getattr(owner, key) is not None), None)
        if source is None:
            return Secret("")
        outside = not self._in_service and not secret.credentials_passed(environment)
        if source.endswith("_credential") and outside:
            self.warn(
                (*path, source), "not looked at: only the service gets it (LoadCredential= in the unit)"
            )
            return Secret("")
        remarks: list[str] = []
        try:
            return _password(owner, base, environment, remarks)
        except SecretError as error:
            self.blame((*path, source), printable(str(error)))
            return None
        finally:
            for remark in remarks:
                self.warn((*path, source), printable(remark))

    def certificates(self, base: Path) -> None:
        """Blame the certificate files that are none."""
        for path, account in self._accounts:
            if account.tls_ca_file is None:
                continue
            try:
                client_tls(_resolved(base, account.tls_ca_file))
            except ssl.SSLError:
                self.blame((*path, "tls_ca_file"), "expected a file of certificates in PEM format")
            except OSError as error:
                self.blame((*path, "tls_ca_file"), f"cannot be read: {error.strerror}")

    def _unknown(self, path: KeyPath, known: list[str]) -> None:
        key = str(path[-1])
        if key.lower() in ("password", "passwd", "pass", "pw"):
            self.blame(path, _INLINE)
            return
        if path == ("status_page", "token"):
            self.blame(path, _INLINE.replace("password", "token"))
            return
        hint = right_place(key) or did_you_mean(key, known) or f"known here: {', '.join(known)}"
        self.blame(path, "unknown key", hint)

    def _value(self, hint: Any, value: object, path: KeyPath) -> Any:
        hint = without_none(hint)
        if dataclasses.is_dataclass(hint):
            return self.table(typing.cast(type[Any], hint), value, path)
        if typing.get_origin(hint) is tuple:
            return self._tables(typing.get_args(hint)[0], value, path)
        try:
            if hint is Path:
                return Path(msgspec.convert(value, FileName))
            converted = msgspec.convert(value, hint)
            if hint == Host:
                check_host(converted)
            return converted
        except ValueError:  # msgspec's, too
            what = f"expected {expected(hint)}, got {described(value, path)}"
            self.blame(path, what, suggestion(hint, value, path))
        return None

    def _tables(self, kind: type[T], value: object, path: KeyPath) -> tuple[T | None, ...]:
        if not isinstance(value, list):
            written = f"[[{shown(path)}]]"
            self.blame(path, f"expected a list of tables, written {written}, got {type_name(value)}")
            return ()
        if len(value) > MAX_ACCOUNTS:
            self.blame(path, f"expected at most {MAX_ACCOUNTS} of them, got {len(value)}")
            return ()
        return tuple(self.table(kind, item, (*path, number)) for number, item in enumerate(value))


def _resolved(base: Path, name: Path | str) -> Path:
    path = Path(name)
    if str(path).startswith("~/"):
        path = path.expanduser()
    return (base / path).absolute()


def _sources(owner: _Owner) -> tuple[str, ...]:
    """The keys that may tell where the secret is kept: in a file, in a variable, or with systemd."""
    return rules.TOKEN_KEYS if isinstance(owner, StatusPageConfig) else rules.PASSWORD_KEYS


def _password(owner: _Owner, base: Path, environment: Mapping[str, str], warnings: list[str]) -> Secret:
    """Raises SecretError."""
    file, variable, credential = (getattr(owner, key) for key in _sources(owner))
    if file is not None:
        return secret.from_file(_resolved(base, file), warnings=warnings)
    if variable is not None:
        return secret.from_environment(variable, environment)
    return secret.from_credential(credential or "", environment)


def _absolute(config: Config, base: Path) -> Config:
    def optional(path: Path | None) -> Path | None:
        return None if path is None else _resolved(base, path)

    journal, daemon, control, mqtt = config.journal, config.daemon, config.control, config.mqtt
    accounts = tuple(
        account
        if account.tls_ca_file is None
        else dataclasses.replace(account, tls_ca_file=_resolved(base, account.tls_ca_file))
        for account in config.accounts
    )
    return dataclasses.replace(
        config,
        accounts=accounts,
        journal=dataclasses.replace(
            journal,
            path=_resolved(base, journal.path),
            mat_directory=optional(journal.mat_directory),
        ),
        log=dataclasses.replace(config.log, file=optional(config.log.file)),
        daemon=dataclasses.replace(daemon, state_directory=optional(daemon.state_directory)),
        control=dataclasses.replace(control, path=optional(control.path)),
        mqtt=dataclasses.replace(
            mqtt,
            ca_file=optional(mqtt.ca_file),
            certificate_file=optional(mqtt.certificate_file),
            key_file=optional(mqtt.key_file),
        ),
    )
