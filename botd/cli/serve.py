"""`botd serve`: a local server that speaks FIBS or bgammon, for bots and people on this machine."""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import sys
import tomllib
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.cli.limits import allow_many_files
from botd.files import read_small_file

if TYPE_CHECKING:
    import ssl
    from collections.abc import Sequence

    from botd_protocols.server_dice import DiceSource

_FIBS, _BGAMMON = "fibs", "bgammon"
_PORTS = {_FIBS: 4321, _BGAMMON: 1337}
_NAMES = {
    _FIBS: (
        re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}"),
        "a letter and then letters, digits or '_', at most 20 in all",
    ),
    _BGAMMON: (
        re.compile(r"(?![0-9]+$)(?!(?i:guest)(_|[0-9]+$))[A-Za-z0-9_]{1,18}"),
        "letters, digits or '_', at most 18 in all, not only digits and not a guest's name",
    ),
}
_PASSWORD = re.compile(r"[\x21-\x7e]{1,60}")
_MAX_FILE = 16 * 1024 * 1024

_EPILOG = """\
examples:
  botd serve --open                           any name and password may log in
  botd serve --accounts accounts.toml         lines such as: anna = "her password"
  botd serve --open --port 0 --seed 7         a free port, reproducible dice
  botd serve --open --state fibs.json         matches and accounts survive a restart
  botd serve --protocol bgammon               guests may come; WebSocket with --cert and --key

then, for instance:
  telnet 127.0.0.1 4321                       telnet 127.0.0.1 1337
  login me 1008 anna secret                   lj me/en anna
"""


class ServeError(Exception):
    """Wrong arguments or files; the text is for the user."""


class _Shell(Protocol):
    """A server with its sockets."""

    @property
    def endpoints(self) -> Sequence[tuple[str, int]]:
        """What is listened on once started: how, and the port."""

    async def start(self) -> None: ...

    async def close(self) -> None: ...


class _Violation(Protocol):
    @property
    def text(self) -> str: ...


class _Core(Protocol):
    @property
    def violations(self) -> Sequence[_Violation]: ...


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `serve` to the command line of `botd`."""
    parser = subparsers.add_parser(
        "serve",
        help="a backgammon server on this machine, speaking FIBS or bgammon",
        description="Runs a local backgammon server that speaks the FIBS or the bgammon protocol, until "
        "SIGINT or SIGTERM.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--protocol", choices=(_FIBS, _BGAMMON), default=_FIBS, help="default: %(default)s")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, help="0 takes a free one (default: 4321, bgammon 1337)")
    dice = parser.add_mutually_exclusive_group()
    dice.add_argument("--seed", type=int, help="seed of the dice (default: a different one every time)")
    dice.add_argument(
        "--dice",
        type=Path,
        metavar="FILE",
        help="play the rolls of this file first: lines such as '5 2', 'inviter X', 'creator 1', '# remark'",
    )
    parser.add_argument(
        "--max-doubles-per-player",
        type=int,
        metavar="N",
        help="after N doubles of a player in a game his second die is thrown again until it differs "
        "(default: dice as they fall)",
    )
    parser.add_argument(
        "--max-connections", type=int, default=512, metavar="N", help="at once (default: %(default)s)"
    )
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--accounts", type=Path, metavar="FILE", help="TOML file of names and passwords")
    who.add_argument("--open", action="store_true", help="any name and password creates an account")
    parser.add_argument("--verbose", action="store_true", help="log every line, passwords hidden, to stderr")
    parser.add_argument("--strict", action="store_true", help="report on stderr what clients should not send")
    fibs = parser.add_argument_group("FIBS only")
    fibs.add_argument(
        "--like",
        choices=("fibs", "jibs", "baldlies"),
        help="behave as this server of the family, with its faults (default: fibs)",
    )
    fibs.add_argument(
        "--state",
        type=Path,
        metavar="FILE",
        help="remember accounts and matches in this file, so that they survive a restart or a crash; without "
        "it saved matches live as long as the server",
    )
    bgammon = parser.add_argument_group("bgammon only")
    bgammon.add_argument("--cert", type=Path, metavar="FILE", help="PEM certificate: serve WebSocket as well")
    bgammon.add_argument("--key", type=Path, metavar="FILE", help="PEM key of the certificate, not encrypted")
    bgammon.add_argument("--ws-port", type=int, help="port for WebSocket, 0 takes a free one (default: 1338)")
    bgammon.add_argument("--bots-may-join", action="store_true", help="let BOT_ names join matches of people")
    bgammon.add_argument(
        "--keep-matches", action="store_true", help="keep a match that both players lost until one is back"
    )


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes; the exit status."""
    with ExitStack() as stack:
        try:
            core, shell = _build(args, stack)
        except ServeError as error:
            print(f"botd serve: {error}", file=sys.stderr)
            return EXIT_USAGE
        return asyncio.run(_serve(core, shell, args))


def _build(args: argparse.Namespace, stack: ExitStack) -> tuple[_Core, _Shell]:
    for option, number in (("--port", args.port), ("--ws-port", args.ws_port)):
        if number is not None and not 0 <= number <= 65535:
            raise ServeError(f"{option}: expected 0 to 65535, got {number}")
    if not 1 <= args.max_connections <= 100_000:
        raise ServeError(f"--max-connections: expected 1 to 100000, got {args.max_connections}")
    limit = args.max_doubles_per_player
    if limit is not None and limit < 0:
        raise ServeError(f"--max-doubles-per-player: expected 0 or more, got {limit}")
    port = _PORTS[args.protocol] if args.port is None else args.port
    return _build_bgammon(args, port) if args.protocol == _BGAMMON else _build_fibs(args, port, stack)


def _build_fibs(args: argparse.Namespace, port: int, stack: ExitStack) -> tuple[_Core, _Shell]:
    from botd_protocols.fibs.server import FibsServer
    from botd_protocols.fibs.server_accounts import ServerConfig
    from botd_protocols.fibs.server_quirks import FAMILIES
    from botd_protocols.fibs.server_tcp import FibsTcpServer

    for option, value in (
        ("--cert", args.cert),
        ("--key", args.key),
        ("--ws-port", args.ws_port),
        ("--bots-may-join", args.bots_may_join or None),
        ("--keep-matches", args.keep_matches or None),
    ):
        if value is not None:
            raise ServeError(f"{option}: only with --protocol bgammon")
    if not args.accounts and not args.open:
        raise ServeError("--accounts FILE or --open is needed with --protocol fibs")
    config = ServerConfig(
        accounts=_read_accounts(args.accounts, args.protocol) if args.accounts else {},
        open_accounts=args.open,
        max_connections=args.max_connections,
        max_doubles_per_player=args.max_doubles_per_player,
        strict=args.strict,
        quirks=FAMILIES[args.like or "fibs"],
    )
    trace = _trace if args.verbose else None
    if args.state is None:
        core = FibsServer(config, _dice(args), _legal_plays, trace)
        return core, FibsTcpServer(core, args.host, port)
    from botd.cli.serve_state import StateFile, StateFileError

    try:
        file = stack.enter_context(StateFile(args.state))
        state = file.read()
        core = FibsServer(config, _dice(args, 0 if state is None else state.starts + 1), _legal_plays, trace)
        file.begin(core, state)
    except StateFileError as error:
        raise ServeError(str(error)) from error
    return core, FibsTcpServer(core, args.host, port, lambda: file.keep(core))


def _build_bgammon(args: argparse.Namespace, port: int) -> tuple[_Core, _Shell]:
    from botd_protocols.bgammon.server import BgammonServer
    from botd_protocols.bgammon.server_accounts import ServerConfig
    from botd_protocols.bgammon.server_net import BgammonNetServer

    for option, value in (("--like", args.like), ("--state", args.state)):
        if value is not None:
            raise ServeError(f"{option}: only with --protocol fibs")
    tls = _tls(args)
    if tls is None and args.ws_port is not None:
        raise ServeError("--ws-port: needs --cert and --key, there is no WebSocket without TLS")
    config = ServerConfig(
        accounts=_read_accounts(args.accounts, args.protocol) if args.accounts else {},
        open_accounts=args.open,
        max_connections=args.max_connections,
        bots_may_join=args.bots_may_join,
        keep_matches=args.keep_matches,
        max_doubles_per_player=args.max_doubles_per_player,
        strict=args.strict,
    )
    core = BgammonServer(config, _dice(args), _trace if args.verbose else None)
    ws_port = 1338 if args.ws_port is None else args.ws_port
    return core, BgammonNetServer(core, args.host, port, ws_port=ws_port, tls=tls)


def _tls(args: argparse.Namespace) -> ssl.SSLContext | None:
    if args.cert is None and args.key is None:
        return None
    if args.cert is None or args.key is None:
        raise ServeError("--cert and --key: expected both or neither")
    import ssl

    from botd_protocols.bgammon.server_net import server_tls

    for option, path in (("--cert", args.cert), ("--key", args.key)):
        _read_text(option, path)
    try:
        return server_tls(str(args.cert), str(args.key))
    except ssl.SSLError as error:
        reason = error.reason or "not a PEM certificate and its unencrypted key"
        raise ServeError(f"--cert {args.cert}, --key {args.key}: not usable: {reason}") from None


def _legal_plays(
    board: tuple[int, ...], dice: tuple[int, int]
) -> Sequence[tuple[tuple[tuple[int, int], ...], tuple[int, ...]]]:
    from botd.engine.rules import legal_results

    return legal_results(board, dice)


def _trace(conn_id: int, direction: str, line: str) -> None:
    print(f"{conn_id} {direction}: {line}", file=sys.stderr, flush=True)


def _read_text(option: str, path: Path) -> str:
    try:
        content = read_small_file(path, _MAX_FILE)
        if len(content) > _MAX_FILE:
            raise ServeError(f"{option}: {path} is larger than {_MAX_FILE} bytes")
        return content.decode("utf-8")
    except OSError as error:
        raise ServeError(f"{option}: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ServeError(f"{option}: {path} is not UTF-8 text") from error


def _read_accounts(path: Path, protocol: str) -> dict[str, str]:
    try:
        table = tomllib.loads(_read_text("--accounts", path))
    except tomllib.TOMLDecodeError as error:
        raise ServeError(f"--accounts: {path}: not valid TOML: {error}") from error
    except RecursionError:
        raise ServeError(f"--accounts: {path}: not usable: values nested too deeply") from None
    except ValueError as error:  # a number too long to convert, for one
        raise ServeError(f"--accounts: {path}: not usable: {error}") from None
    pattern, expected = _NAMES[protocol]
    for name, password in table.items():
        if not pattern.fullmatch(name):
            raise ServeError(f"--accounts: {path}: name {name[:40]!r}: expected {expected}")
        if not isinstance(password, str) or not _PASSWORD.fullmatch(password):
            raise ServeError(
                f"--accounts: {path}: {name}: expected a password of 1 to 60 printable ASCII "
                "characters without blanks"
            )
    if not table:
        raise ServeError(f'--accounts: {path}: expected at least one line such as: anna = "her password"')
    return table


def _dice(args: argparse.Namespace, starts: int = 0) -> DiceSource:
    """`starts`: how many servers have gone on with the same matches before; each throws dice of its own."""
    from botd_protocols.server_dice import (
        DiceScriptError,
        SeededDice,
        parse_dice_script,
    )

    if args.dice is None:
        if args.seed is None or starts == 0:
            return SeededDice(args.seed)
        return SeededDice(zlib.crc32(f"{args.seed} {starts}".encode()))
    try:
        return parse_dice_script(_read_text("--dice", args.dice), then=SeededDice())
    except DiceScriptError as error:
        raise ServeError(f"--dice: {args.dice}: {error}") from error


async def _serve(core: _Core, shell: _Shell, args: argparse.Namespace) -> int:
    allow_many_files()
    try:
        await shell.start()
    except OSError as error:
        ports = " or ".join(str(port) for _, port in shell.endpoints)
        print(
            f"botd serve: cannot listen on {args.host} port {ports}: {error.strerror or error}",
            file=sys.stderr,
        )
        return EXIT_FAILURE
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    for kind, port in shell.endpoints:
        print(f"listening on {args.host} port {port}{'' if kind == 'TCP' else f' ({kind})'}", flush=True)
    try:
        await stop.wait()
    finally:
        await shell.close()
    for violation in core.violations:
        print(f"violation: {violation.text}", file=sys.stderr)
    return EXIT_OK


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m botd.cli.serve ...` is `botd serve ...`."""
    parser = argparse.ArgumentParser(prog="python -m botd.cli")
    add_parser(parser.add_subparsers(dest="command", required=True))
    arguments = sys.argv[1:] if argv is None else list(argv)
    return run(parser.parse_args(["serve", *arguments]))


if __name__ == "__main__":
    sys.exit(main())
