"""`botd init`: a commented configuration from a few questions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from botd.config.interview import Answers, Question
    from botd.config.secret import Secret

_SYSTEM_FILE = Path("/etc/botd/botd.toml")
_NAME = "botd.toml"

_EPILOG = """\
Each question has an option; what is given there is not asked. Answers may come from a pipe, one a line (the
password too). A password is typed without echo and kept in a file that only you can read, never in the
configuration.

examples:
  botd init                                   asks, and writes botd.toml here
  botd init --account my_bot --defaults       takes the usual answer to everything else
  botd init --server bgammon --account BOT_my_bot --password env:BOTD_PASSWORD --lengths 3,5 --defaults
  botd init --server '[::1]:4321' --protocol fibs --account anna --password-file anna.pw --defaults
  botd init --system                          for the systemd unit: /etc/botd/botd.toml, credentials

exit codes:
  0  written
  1  cannot be written
  2  wrong arguments or answers; nothing was written
"""

_HELP = {
    "server": "fibs, bgammon, or HOST:PORT of a server of your own",
    "protocol": "of a server of your own: fibs, bgammon or bgammon-tcp",
    "account": "name of the account",
    "password": "where it is kept: file[:NAME], env[:NAME], credential[:NAME], or none (bgammon guest)",
    "lengths": "of matches: accepted (1-25), on bgammon offered (3,5)",
    "strength": "easy, medium, hard, another level's name, or a search depth from 0 to 4",
    "journal": "file of the journal",
    "records": "folder for .mat files, or none",
    "metrics": "port for Prometheus, or none",
    "status-page": "port of the status page, or none",
    "mqtt": "broker: HOST, HOST:PORT, mqtts://HOST:PORT, or none",
    "mqtt-user": "user name there, or none",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "init",
        help="write a configuration by answering a few questions",
        description="Asks a few questions and writes a configuration with a comment for every key.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "target",
        metavar="DIR|FILE",
        nargs="?",
        help=f"where to write (default: {_NAME}, with --system {_SYSTEM_FILE})",
    )
    parser.add_argument("--defaults", action="store_true", help="ask nothing that has a usual answer")
    parser.add_argument("--force", action="store_true", help="write over files that are there")
    parser.add_argument(
        "--system",
        action="store_true",
        help="for the systemd unit: state below /var/lib/botd, the password as a credential",
    )
    answers = parser.add_argument_group("answers")
    for option, text in _HELP.items():
        answers.add_argument(f"--{option}", metavar="ANSWER", help=text)
    answers.add_argument(
        "--password-file", metavar="FILE", help="short for --password file:FILE; one that is there is kept"
    )


class _InitError(Exception):
    """Wrong arguments or answers; the text is for the user."""


def run(args: argparse.Namespace) -> int:
    from botd.cli.passwords import NoAnswerError

    try:
        target = _target(args)
        answers = _interview(args)
        secrets = _secrets(args, answers, target)
    except (_InitError, NoAnswerError) as error:
        print(f"botd init: {error}; nothing was written", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        print("\nbotd init: interrupted; nothing was written", file=sys.stderr)
        return EXIT_INTERRUPTED
    try:
        _write(target, answers, secrets)
    except OSError as error:
        print(f"botd init: {error.filename or target}: cannot be written: {error.strerror}", file=sys.stderr)
        return EXIT_FAILURE
    _report(args, target, answers, secrets)
    return EXIT_OK


def _target(args: argparse.Namespace) -> Path:
    target = Path(args.target or (_SYSTEM_FILE if args.system else _NAME))
    if target.is_dir() or (args.target or "").endswith("/"):
        target = target / _NAME
    if not args.force and (target.exists() or target.is_symlink()):
        if not sys.stdin.isatty():
            raise _InitError(f"{target} is there already; --force writes over it")
        if _read(f"{target} is there already; write over it? [y/N] ").lower() not in ("y", "yes"):
            raise _InitError(f"{target} is there already")
    return target


def _interview(args: argparse.Namespace) -> Answers:
    from botd.config.interview import QUESTIONS, Answers, answered

    if args.password_file is not None:
        if args.password is not None:
            raise _InitError("--password and --password-file: expected one of them")
        args.password = f"file:{args.password_file}"
    if sys.stdin.isatty() and not args.defaults:
        print("Enter takes the answer in brackets; nothing is written before the end.\n", file=sys.stderr)
    answers = Answers(system=args.system)
    for question in QUESTIONS:
        given = getattr(args, question.option.replace("-", "_"))
        if not question.asked(answers):
            if given is not None:
                raise _InitError(f"--{question.option}: has no meaning here")
        elif given is not None or (args.defaults and question.usual(answers)):
            try:
                answers = answered(question, answers, given or "")
            except ValueError as error:
                raise _InitError(f"--{question.option}: {error}") from None
        elif args.defaults:
            raise _InitError(f"--{question.option}: is needed with --defaults")
        else:
            answers = _ask(question, answers)
    return answers


def _ask(question: Question, answers: Answers) -> Answers:
    """Until the answer is a good one."""
    from botd.config.interview import answered

    usual = question.usual(answers)
    prompt = f"{question.text(answers)} [{usual}] " if usual else f"{question.text(answers)}: "
    while True:
        try:
            return answered(question, answers, _read(prompt))
        except ValueError as error:
            print(f"  {error}", file=sys.stderr)


def _read(prompt: str) -> str:
    """A line of the input. Raises NoAnswerError at its end."""
    from botd.cli.passwords import NoAnswerError

    print(prompt, end="" if sys.stdin.isatty() else "\n", file=sys.stderr, flush=True)
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        raise NoAnswerError("the input is not text") from None
    if not line:
        print(file=sys.stderr)
        raise NoAnswerError(f"expected an answer on standard input, which has ended ({prompt.strip()})")
    return line.strip()


def _secrets(args: argparse.Namespace, answers: Answers, target: Path) -> dict[Path, Secret]:
    """Passwords to be written, by their files; those whose file is there are left alone."""
    wanted: dict[Path, str] = {}
    if answers.password == "file":  # noqa: S105 - where it is kept
        named = Path(str(answers.values["accounts", "password_file"]))
        named = named.expanduser() if str(named).startswith("~/") else named
        wanted[target.parent / named] = f"for {answers.name}"
    elif answers.password == "credential":  # noqa: S105
        name = answers.values["accounts", "password_credential"]
        wanted[target.parent / f"{name}.password"] = f"for {answers.name}"
    if answers.mqtt_password:
        wanted[target.parent / "mqtt.password"] = f"of {answers.values['mqtt', 'username']} at the broker"
    return {
        path: secret for path, what in wanted.items() if (secret := _secret(args, path, what)) is not None
    }


def _secret(args: argparse.Namespace, path: Path, what: str) -> Secret | None:
    """None for a password that is there, or that will be put there later."""
    from botd.cli.passwords import NoAnswerError, typed
    from botd.config.secret import SecretError, check_password, from_file

    if path.exists():
        try:
            from_file(path, warnings=None)
        except SecretError as error:
            raise _InitError(str(error)) from None
        print(f"the password {what} is in {path} already", file=sys.stderr)
        return None
    if args.defaults and sys.stdin.isatty():
        return None  # nobody is asked; the end says that it is missing
    try:
        return typed(f"password {what}", check_password, twice=True)
    except NoAnswerError:
        if args.defaults:
            return None
        raise
    except ValueError as error:
        raise _InitError(f"password {what}: {error}") from None


def _write(target: Path, answers: Answers, secrets: dict[Path, Secret]) -> None:
    """Passwords first, so that there is no configuration whose password is lost. Raises OSError."""
    from botd.cli.passwords import store, write_whole

    written: list[Path] = []
    try:
        for path, secret in secrets.items():
            store(path, secret)
            written.append(path)
        write_whole(target, answers.text(), mode=0o644)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _report(args: argparse.Namespace, target: Path, answers: Answers, secrets: dict[Path, Secret]) -> None:
    print(f"wrote {target}")
    for path in secrets:
        print(f"wrote {path}, which only you can read")
    if args.system:
        _system_hints(target, answers)
        return
    from botd.config.check import check

    report = check(target)
    for problem in report.problems:
        print(f"still to do: {problem}")
    for warning in report.warnings:
        print(f"warning: {warning}")
    print(
        f"next:\n  botd check-config {target}\n  botd doctor --config {target}\n  botd run --config {target}"
    )


def _system_hints(target: Path, answers: Answers) -> None:
    credentials = []
    if answers.password == "credential":  # noqa: S105 - where it is kept
        credentials.append(str(answers.values["accounts", "password_credential"]))
    if answers.mqtt_password:
        credentials.append(answers.mqtt_password_name)
    print("next, as root (docs/operating.md has the whole way):")
    if credentials:
        print("  systemctl edit botd      # and write:")
        print("    [Service]\n    LoadCredential=")
        for name in credentials:
            print(f"    LoadCredential={name}:{target.parent.absolute() / name}.password")
    print("  systemctl enable --now botd\n  botd doctor --config " + str(target))
