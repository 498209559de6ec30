"""`botd serve`: a local server that speaks FIBS, for matches between bots and people on this machine."""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botd_protocols.fibs.server import FibsServer
    from botd_protocols.server_dice import DiceSource

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
_PASSWORD = re.compile(r"[\x21-\x7e]{1,60}")

_EPILOG = """\
examples:
  botd serve --open                           any name and password may log in
  botd serve --accounts accounts.toml         lines such as: anna = "her password"
  botd serve --open --port 0 --seed 7         a free port, reproducible dice

then, for instance:
  telnet 127.0.0.1 4321
  login me 1008 anna secret
"""


class ServeError(Exception):
    """Wrong arguments or files; the text is for the user."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `serve` to the command line of `botd`."""
    parser = subparsers.add_parser(
        "serve",
        help="a backgammon server on this machine, speaking FIBS",
        description="Runs a local backgammon server that speaks the FIBS protocol, until SIGINT or SIGTERM.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=4321, help="0 takes a free one (default: %(default)s)")
    dice = parser.add_mutually_exclusive_group()
    dice.add_argument("--seed", type=int, help="seed of the dice (default: a different one every time)")
    dice.add_argument(
        "--dice",
        type=Path,
        metavar="FILE",
        help="play the rolls of this file first: lines such as '5 2', 'inviter X', '# remark'",
    )
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--accounts", type=Path, metavar="FILE", help="TOML file of names and passwords")
    who.add_argument("--open", action="store_true", help="any name and password creates an account")
    parser.add_argument("--verbose", action="store_true", help="log every line, passwords hidden, to stderr")
    parser.add_argument("--strict", action="store_true", help="report on stderr what clients should not send")


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes; the exit status."""
    try:
        server = _build(args)
    except ServeError as error:
        print(f"botd serve: {error}", file=sys.stderr)
        return EXIT_USAGE
    return asyncio.run(_serve(server, args))


def _build(args: argparse.Namespace) -> FibsServer:
    from botd_protocols.fibs.server import FibsServer
    from botd_protocols.fibs.server_accounts import ServerConfig

    if not 0 <= args.port <= 65535:
        raise ServeError(f"--port: expected 0 to 65535, got {args.port}")
    config = ServerConfig(
        accounts=_read_accounts(args.accounts) if args.accounts else {},
        open_accounts=args.open,
        strict=args.strict,
    )
    return FibsServer(config, _dice(args), _legal_plays, _trace if args.verbose else None)


def _legal_plays(
    board: tuple[int, ...], dice: tuple[int, int]
) -> Sequence[tuple[tuple[tuple[int, int], ...], tuple[int, ...]]]:
    from botd.engine.rules import legal_plays

    return [(play.steps, play.board) for play in legal_plays(board, dice)]


def _trace(conn_id: int, direction: str, line: str) -> None:
    print(f"{conn_id} {direction}: {line}", file=sys.stderr, flush=True)


def _read_text(option: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ServeError(f"{option}: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ServeError(f"{option}: {path} is not UTF-8 text") from error


def _read_accounts(path: Path) -> dict[str, str]:
    try:
        table = tomllib.loads(_read_text("--accounts", path))
    except tomllib.TOMLDecodeError as error:
        raise ServeError(f"--accounts: {path}: not valid TOML: {error}") from error
    except RecursionError:
        raise ServeError(f"--accounts: {path}: not usable: values nested too deeply") from None
    except ValueError as error:  # a number too long to convert, for one
        raise ServeError(f"--accounts: {path}: not usable: {error}") from None
    for name, password in table.items():
        if not _NAME.fullmatch(name):
            raise ServeError(
                f"--accounts: {path}: name {name[:40]!r}: expected a letter and then letters, digits or "
                "'_', at most 20 in all"
            )
        if not isinstance(password, str) or not _PASSWORD.fullmatch(password):
            raise ServeError(
                f"--accounts: {path}: {name}: expected a password of 1 to 60 printable ASCII "
                "characters without blanks"
            )
    if not table:
        raise ServeError(f'--accounts: {path}: expected at least one line such as: anna = "her password"')
    return table


def _dice(args: argparse.Namespace) -> DiceSource:
    from botd_protocols.server_dice import (
        DiceScriptError,
        SeededDice,
        parse_dice_script,
    )

    if args.dice is None:
        return SeededDice(args.seed)
    try:
        return parse_dice_script(_read_text("--dice", args.dice), then=SeededDice())
    except DiceScriptError as error:
        raise ServeError(f"--dice: {args.dice}: {error}") from error


async def _serve(server: FibsServer, args: argparse.Namespace) -> int:
    from botd_protocols.fibs.server_tcp import FibsTcpServer

    shell = FibsTcpServer(server, args.host, args.port)
    try:
        await shell.start()
    except OSError as error:
        print(
            f"botd serve: cannot listen on {args.host} port {args.port}: {error.strerror or error}",
            file=sys.stderr,
        )
        return EXIT_FAILURE
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    print(f"listening on {args.host} port {shell.port}", flush=True)
    try:
        await stop.wait()
    finally:
        await shell.close()
    for violation in server.violations:
        print(
            f"violation: {violation.name}: {violation.kind}: {violation.command!r}: {violation.reason}",
            file=sys.stderr,
        )
    return EXIT_OK


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m botd.cli.serve ...` is `botd serve ...`."""
    parser = argparse.ArgumentParser(prog="python -m botd.cli")
    add_parser(parser.add_subparsers(dest="command", required=True))
    arguments = sys.argv[1:] if argv is None else list(argv)
    return run(parser.parse_args(["serve", *arguments]))


if __name__ == "__main__":
    sys.exit(main())
