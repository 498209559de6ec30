"""`botd register`: make an account on a server."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    import ssl

    from botd.config.secret import Secret
    from botd.daemon.connection import ProtocolClient
    from botd_protocols.game_events import Event

_PORTS = {("fibs", "tcp"): 4321, ("bgammon", "websocket"): 443, ("bgammon", "tcp"): 1337}

_EPILOG = """\
examples:
  botd register --server fibs.com:4321 my_bot
  botd register --server fibs.com:4321 my_bot --generate     a password of its own, in my_bot.password
  botd register --server [::1]:4321 my_bot --consent < password-file
  botd register --protocol bgammon --server ws.bgammon.org --email me@example.org BOT_my_bot

The password is asked for twice without echo (or read from standard input, one line, if that is no terminal)
and kept in NAME.password, which only you can read; the configuration names it with password_file.

exit codes:
  0  the account is made
  1  it is not; standard error says why
  2  wrong arguments; the server was not asked
"""

_RULES = {
    "fibs": """\
Rules of FIBS and servers like it:
  - One account for each person. An account for a program, or a second one, needs the consent of the server's
    administrators: write to them first.
  - A program says that it is one, does not shout, leaves no match it is losing, resumes saved ones.
  - The password goes over the network in clear: use one that you use nowhere else.
""",
    "bgammon": """\
Rules of bgammon.org and servers like it:
  - One account for each network address. The name of a program begins with BOT_.
  - A program creates matches and waits; it joins nobody.
  - The e-mail address is how the operators reach you.
""",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "register",
        help="make an account on a server",
        description="Makes an account on a server, after you have agreed to its rules about programs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="of the new account")
    parser.add_argument("--server", metavar="HOST[:PORT]", required=True, help="an IPv6 address in brackets")
    parser.add_argument("--protocol", choices=("fibs", "bgammon"), default="fibs", help="default: fibs")
    parser.add_argument(
        "--transport",
        choices=("websocket", "tcp"),
        help="bgammon only: websocket (default) is encrypted, tcp sends the password in clear",
    )
    parser.add_argument(
        "--tls-ca-file", type=Path, metavar="FILE", help="bgammon over websocket: trust these certificates"
    )
    parser.add_argument("--email", metavar="ADDRESS", help="bgammon asks for one")
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="where the password is kept (default: NAME.password); one that is there already is used",
    )
    parser.add_argument("--generate", action="store_true", help="make up a password instead of asking")
    parser.add_argument(
        "--consent",
        action="store_true",
        help="you have read the server's rules about programs and keep to them: do not ask",
    )


class _RegisterError(Exception):
    """Wrong arguments, or an answer that ends it; the text is for the user."""


def run(args: argparse.Namespace) -> int:
    from botd.addresses import endpoint
    from botd.cli.passwords import NoAnswerError
    from botd.config.interview import is_known_server

    path: Path = args.password_file or Path(f"{args.name}.password")
    try:
        host, port = _checked(args)
        tls = _tls(args)
        _agree(args)
        password, fresh = _password(args, path)
    except (_RegisterError, NoAnswerError) as error:
        print(f"botd register: {error}", file=sys.stderr)
        return EXIT_USAGE
    try:
        made, unsure = asyncio.run(_register(args, host, port, tls, password))
    except KeyboardInterrupt:
        print("botd register: interrupted; the account may have been made or not", file=sys.stderr)
        return EXIT_INTERRUPTED
    if made is None:
        if fresh and not unsure:
            path.unlink(missing_ok=True)
        elif fresh:
            print(f"botd register: the password is kept in {path}: try to log in with it", file=sys.stderr)
        return EXIT_FAILURE
    print(f"account {made} is made; its password is in {path}")
    print("next: write them into your configuration, or make one:")
    protocol = "bgammon-tcp" if (args.protocol, args.transport) == ("bgammon", "tcp") else args.protocol
    where = f"--server {shlex.quote(endpoint(host, port))}"
    if not is_known_server(host, port):
        where += f" --protocol {protocol}"
    print(f"  botd init {where} --account {made} --password-file {shlex.quote(str(path.absolute()))}")
    return EXIT_OK


def _checked(args: argparse.Namespace) -> tuple[str, int]:
    """Host and port. Raises _RegisterError for arguments that no server would take."""
    from botd.addresses import split_endpoint
    from botd_protocols.bgammon.client_commands import check_name, is_bot_name
    from botd_protocols.fibs.client_guest import check_guest_name

    if args.protocol == "fibs":
        for option in ("transport", "tls_ca_file", "email"):
            if getattr(args, option) is not None:
                raise _RegisterError(f"--{option.replace('_', '-')}: only with --protocol bgammon")
        args.transport = "tcp"
    else:
        args.transport = args.transport or "websocket"
        if args.email is None:
            raise _RegisterError("--email: bgammon asks for an address")
        if args.tls_ca_file is not None and args.transport == "tcp":
            raise _RegisterError("--tls-ca-file: only with --transport websocket")
    try:
        if args.protocol == "fibs":
            check_guest_name(args.name)
        else:
            check_name(args.name)
            if not is_bot_name(args.name):
                raise ValueError("expected a name that begins with BOT_; others are for people")
    except ValueError as error:
        raise _RegisterError(f"name {args.name[:40]!r}: {error}") from None
    try:
        return split_endpoint(args.server, _PORTS[args.protocol, args.transport])
    except ValueError as error:
        raise _RegisterError(f"--server: {error}") from None


def _tls(args: argparse.Namespace) -> ssl.SSLContext | None:
    if args.transport != "websocket":
        return None
    import ssl

    from botd.tls import client_tls

    try:
        return client_tls(args.tls_ca_file)
    except ssl.SSLError:
        raise _RegisterError(
            f"--tls-ca-file {args.tls_ca_file}: expected certificates in PEM format"
        ) from None
    except OSError as error:
        raise _RegisterError(f"--tls-ca-file {args.tls_ca_file}: {error.strerror}") from None


def _agree(args: argparse.Namespace) -> None:
    print(_RULES[args.protocol], file=sys.stderr)
    if args.consent:
        return
    if not sys.stdin.isatty():
        raise _RegisterError("nobody to ask whether you keep to these rules; say so with --consent")
    print("May this account be a program's, and do you keep to these rules? [y/N] ", end="", file=sys.stderr)
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise _RegisterError("not agreed; nothing was sent")


def _password(args: argparse.Namespace, path: Path) -> tuple[Secret, bool]:
    """The password, and whether its file is new. It is kept before it is used, so that it cannot be lost."""
    from botd.cli import passwords
    from botd.config.secret import SecretError, from_file
    from botd_protocols.bgammon.client_commands import password_word
    from botd_protocols.fibs.client_guest import check_guest_password

    def check(password: str) -> None:
        if args.protocol == "fibs":
            check_guest_password(password)
        elif password_word(password) != password:
            raise ValueError("expected printable characters without blanks")

    try:
        if path.exists():
            password = from_file(path, warnings=None)
            check(password.reveal())
            print(f"using the password in {path}", file=sys.stderr)
            return password, False
        if args.generate:
            password = passwords.generated()
        else:
            password = passwords.typed(f"password for {args.name}", check, twice=True)
        passwords.store(path, password)
    except OSError as error:
        raise _RegisterError(f"password file {path}: cannot be written: {error.strerror}") from None
    except SecretError as error:
        raise _RegisterError(str(error)) from None
    except ValueError as error:
        raise _RegisterError(f"password: {error}") from None
    return password, True


async def _register(
    args: argparse.Namespace, host: str, port: int, tls: ssl.SSLContext | None, password: Secret
) -> tuple[str | None, bool]:
    """The name of the account, None without one; and whether that is unsure. Tells what happens."""
    from botd.addresses import endpoint
    from botd.daemon.connection import Connection, connect_reason
    from botd_protocols.bgammon.client_registration import BgammonRegistration
    from botd_protocols.bgammon.client_websocket import WebSocketClient
    from botd_protocols.fibs.client_guest import GuestRegistration
    from botd_protocols.registration import NotRegistered, Progress, Registered

    server = endpoint(host, port)
    client: ProtocolClient[Event]
    if args.protocol == "fibs":
        client = GuestRegistration(args.name, password.reveal())
    else:
        tcp = args.transport == "tcp"
        registration = BgammonRegistration(args.name, password.reveal(), args.email, greeting=tcp)
        client = registration if tcp else WebSocketClient(registration, f"wss://{server}/")
    made: str | None = None
    unsure = False

    def handle(event: Event) -> None:
        nonlocal made, unsure
        match event:
            case Progress(text):
                print(f"  {text}", file=sys.stderr)
            case Registered(name):
                made = name
            case NotRegistered(why, text, is_unsure):
                unsure = is_unsure
                print(f"botd register: {server}: {why}: {text}", file=sys.stderr)
        if not isinstance(event, Progress):
            connection.close("done")

    connection: Connection[Event] = Connection(client, handle)
    try:
        await connection.open(host, port, tls)
    except OSError as error:
        print(f"botd register: {server}: {connect_reason(error)}", file=sys.stderr)
        return None, False
    await connection.wait_closed()
    return made, unsure
