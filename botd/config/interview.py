"""The questions that lead to a configuration, without any terminal: what is asked, and what an answer means.

An answer is put into the example at once and the whole of it is checked as a file would be, so that the
schema's own limits and rules decide what is a good answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from botd.addresses import endpoint, split_endpoint
from botd.config.load import parse_config
from botd.config.problems import ConfigError, expected
from botd.config.schema import CredentialName, EnvironmentName, FileName
from botd.config.template import filled

NONE_WORDS = ("none", "no", "off", "-")
_PROBE = "BOTD_INIT"
"""An environment variable that stands for passwords which are not there yet."""
_PUBLIC = {"fibs": ("fibs", "fibs.com", 4321), "bgammon": ("bgammon", "ws.bgammon.org", 443)}
PASSWORD_WORDS = ("file", "env", "credential", "none")
SYSTEM_STATE = Path("/var/lib/botd")


@dataclass(frozen=True, slots=True)
class Answers:
    """What is known so far."""

    system: bool = False
    """For the systemd unit: state below /var/lib/botd, passwords as credentials."""
    own_server: bool = False
    """Not one of the public ones."""
    values: Mapping[tuple[str, str], object] = field(default_factory=dict)
    password: str = "file"  # noqa: S105 - where it is kept
    """Where the password is kept: one of PASSWORD_WORDS."""
    mqtt_password: bool = False

    def text(self) -> str:
        """The configuration."""
        return filled(self._values(probe=False), bgammon=self.bgammon)

    @property
    def bgammon(self) -> bool:
        return self.values.get(("accounts", "protocol")) == "bgammon"

    @property
    def name(self) -> str:
        return str(self.values.get(("accounts", "name"), "BOT_my_bot" if self.bgammon else "my_bot"))

    @property
    def mqtt(self) -> bool:
        return bool(self.values.get(("mqtt", "enabled")))

    @property
    def mqtt_password_name(self) -> str:
        """Of the credential, or of the file."""
        return "mqtt" if self.system else "mqtt.password"

    def complaints(self) -> list[str]:
        """What the rules of the configuration say to this."""
        text = filled(self._values(probe=True), bgammon=self.bgammon)
        try:
            parse_config(text.encode(), file="", base=Path("/"), environment={_PROBE: "x"})
        except ConfigError as error:
            return [
                f"{problem.message}; {problem.suggestion}" if problem.suggestion else problem.message
                for problem in error.problems
            ]
        return []

    def _values(self, *, probe: bool) -> dict[tuple[str, str], object]:
        values = {("accounts", "name"): self.name, **self.values}
        sources = dict.fromkeys(("password_file", "password_env", "password_credential"))
        if probe:
            sources["password_env"] = _PROBE
        else:
            sources |= {
                key: str(self.values[("accounts", key)])
                for key in sources
                if ("accounts", key) in self.values
            }
        values |= {("accounts", key): value for key, value in sources.items()}
        if self.mqtt_password:
            if probe:
                values["mqtt", "password_env"] = _PROBE
            elif self.system:
                values["mqtt", "password_credential"] = self.mqtt_password_name
            else:
                values["mqtt", "password_file"] = self.mqtt_password_name
        if self.system:
            values.setdefault(("journal", "path"), str(SYSTEM_STATE / "botd.sqlite3"))
            values["daemon", "state_directory"] = str(SYSTEM_STATE)
        return values

    def with_values(self, table: str, **values: object) -> Answers:
        return replace(self, values={**self.values, **{(table, key): value for key, value in values.items()}})


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask. `put` takes an answer's text and raises ValueError for one that makes no sense."""

    option: str
    """Its option on the command line, without the hyphens."""
    text: Callable[[Answers], str]
    usual: Callable[[Answers], str]
    """What an empty answer means; empty: there has to be an answer."""
    put: Callable[[Answers, str], Answers]
    asked: Callable[[Answers], bool] = lambda answers: True


def answered(question: Question, answers: Answers, text: str) -> Answers:
    """The answers with one more. Raises ValueError that says what was expected."""
    text = text.strip() or question.usual(answers)
    if not text:
        raise ValueError("expected an answer")
    if not text.isprintable():
        raise ValueError("expected printable text")
    new = question.put(answers, text)
    if complaints := new.complaints():
        raise ValueError("; ".join(complaints))
    return new


# -- what the answers mean -----------------------------------------------------------------------------------


def is_known_server(host: str, port: int) -> bool:
    """Whether this is one of the public servers, whose protocol is not asked for."""
    return bool(_known(host, port))


def _known(host: str, port: int) -> str:
    """The protocol of a public server; empty for any other."""
    return next((name for name, *where in _PUBLIC.values() if where == [host.lower(), port]), "")


def _server(answers: Answers, text: str) -> Answers:
    word = text.lower()
    if word in _PUBLIC or word in ("fibs.com", "bgammon.org"):
        protocol, host, port = _PUBLIC[word.partition(".")[0]]
        return answers.with_values("accounts", protocol=protocol, host=host, port=port)
    try:
        host, port = split_endpoint(text)
    except ValueError as error:
        raise ValueError(f"expected fibs, bgammon, or HOST:PORT of a server of your own ({error})") from None
    if known := _known(host, port):
        return _server(answers, known)
    return replace(answers.with_values("accounts", host=host, port=port), own_server=True)


def _protocol(answers: Answers, text: str) -> Answers:
    word = text.lower()
    if word == "fibs":
        return answers.with_values("accounts", protocol="fibs")
    if word in ("bgammon", "bgammon-tcp"):
        transport = "tcp" if word == "bgammon-tcp" else "websocket"
        return answers.with_values("accounts", protocol="bgammon", transport=transport, own_server=True)
    raise ValueError("expected fibs, bgammon (WebSocket with TLS) or bgammon-tcp")


def _account(answers: Answers, text: str) -> Answers:
    return answers.with_values("accounts", name=text)


def _password(answers: Answers, text: str) -> Answers:
    kind, _, name = text.partition(":")
    kind = kind.lower()
    if kind in NONE_WORDS:
        if not answers.bgammon:
            raise ValueError("FIBS has no guests that play: expected file, env or credential")
        return replace(answers, password="none")  # noqa: S106 - where it is kept
    if kind not in PASSWORD_WORDS:
        raise ValueError(
            "expected file, env or credential, perhaps with a name: file:anna.password, env:ANNA"
        )
    usual, rule = {
        "file": (f"{answers.name}.password", FileName),
        "env": ("BOTD_PASSWORD", EnvironmentName),
        "credential": (answers.name, CredentialName),
    }[kind]
    try:
        msgspec.convert(name or usual, rule)
    except msgspec.ValidationError:
        raise ValueError(f"expected {expected(rule)} after {kind}:") from None
    new = answers.with_values("accounts", **{f"password_{kind}": name or usual})
    return replace(new, password=kind)


def _lengths(answers: Answers, text: str) -> Answers:
    parts = text.replace("-", " ").replace(",", " ").split()
    if not parts or not all(part.isascii() and part.isdigit() for part in parts):
        raise ValueError(
            "expected lengths in points, such as 3,5" if answers.bgammon else "expected 1-25 or 5"
        )
    numbers = [int(part[:6]) for part in parts]
    if answers.bgammon:
        return answers.with_values("accounts.create", lengths=numbers, name="")
    if len(numbers) > 2:
        raise ValueError("expected the shortest and the longest, such as 1-25")
    return answers.with_values("accounts.policy", min_length=numbers[0], max_length=numbers[-1])


def _strength(answers: Answers, text: str) -> Answers:
    if text.isascii() and text.isdigit():
        return answers.with_values("accounts", ply=int(text[:6]), level=None)
    return answers.with_values("accounts", level=text, ply=None)


def _journal(answers: Answers, text: str) -> Answers:
    return answers.with_values("journal", path=text)


def _records(answers: Answers, text: str) -> Answers:
    folder = None if text.lower() in NONE_WORDS else text
    return answers.with_values("journal", mat_directory=folder)


def _listener(table: str) -> Callable[[Answers, str], Answers]:
    def put(answers: Answers, text: str) -> Answers:
        if text.lower() in NONE_WORDS:
            return answers.with_values(table, enabled=False)
        if not (text.isascii() and text.isdigit()):
            raise ValueError("expected a port number, or none")
        return answers.with_values(table, enabled=True, port=int(text[:6]))

    return put


def _broker(answers: Answers, text: str) -> Answers:
    if text.lower() in NONE_WORDS:
        return answers
    tls = text.startswith("mqtts://")
    host, port = split_endpoint(text.removeprefix("mqtts://").removeprefix("mqtt://"), 8883 if tls else 1883)
    return answers.with_values("mqtt", enabled=True, host=host, port=port, tls=tls)


def _broker_user(answers: Answers, text: str) -> Answers:
    if text.lower() in NONE_WORDS:
        return answers
    return replace(answers.with_values("mqtt", username=text), mqtt_password=True)


def _password_question(answers: Answers) -> str:
    kinds = "file, env or credential" + (", or none to play as a guest" if answers.bgammon else "")
    return f"where is the password kept ({kinds})?"


QUESTIONS = (
    Question(
        "server",
        lambda a: "server: fibs, bgammon, or HOST:PORT of one of your own",
        lambda a: "fibs",
        _server,
    ),
    Question(
        "protocol",
        lambda a: "what does it speak: fibs, bgammon (WebSocket), bgammon-tcp",
        lambda a: "fibs",
        _protocol,
        lambda a: a.own_server,
    ),
    Question(
        "account",
        lambda a: "account name" + (" (begins with BOT_)" if a.bgammon and not a.own_server else ""),
        lambda a: "",
        _account,
    ),
    Question("password", _password_question, lambda a: "credential" if a.system else "file", _password),
    Question(
        "lengths",
        lambda a: "lengths of the matches it offers" if a.bgammon else "match lengths it accepts, in points",
        lambda a: "3" if a.bgammon else "1-25",
        _lengths,
    ),
    Question(
        "strength",
        lambda a: "strength: easy, medium, hard, or a search depth from 0 to 4",
        lambda a: "2",
        _strength,
    ),
    Question(
        "journal",
        lambda a: "journal of every roll and decision, a file",
        lambda a: str(SYSTEM_STATE / "botd.sqlite3") if a.system else "botd.sqlite3",
        _journal,
    ),
    Question(
        "records",
        lambda a: "folder for a .mat file of each match, or none",
        lambda a: str(SYSTEM_STATE / "matches") if a.system else "matches",
        _records,
    ),
    Question(
        "metrics",
        lambda a: "port of the metrics for Prometheus, or none",
        lambda a: "9464",
        _listener("metrics"),
    ),
    Question(
        "status-page",
        lambda a: "port of the status page, or none",
        lambda a: "9465",
        _listener("status_page"),
    ),
    Question(
        "mqtt", lambda a: "MQTT broker: HOST, HOST:PORT, mqtts://HOST, or none", lambda a: "none", _broker
    ),
    Question(
        "mqtt-user",
        lambda a: (
            f"user name at {endpoint(str(a.values['mqtt', 'host']), int(str(a.values['mqtt', 'port'])))}, "
            "or none"
        ),
        lambda a: "none",
        _broker_user,
        lambda a: a.mqtt,
    ),
)
