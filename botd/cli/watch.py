"""`botd watch`: what a running daemon plays, in a terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE
from botd.cli.streams import bear_any_text

if TYPE_CHECKING:
    from botd.config.secret import Secret

_URL = "http://127.0.0.1:9465/"
_EPILOG = """\
keys:
  q                        leave (Ctrl-C too)
  arrows, Tab, 1 to 9      another account
  t                        many boards, or one with its decisions

examples:
  botd watch                                 the daemon of this machine
  botd watch --once                          one look, then the prompt again
  botd watch --account anna                  one account of several
  botd watch --url https://bot.example.org/  through a proxy; with --token-file if the page has a token
  botd watch | tee today.txt                 one line for each move
  botd watch --once --json | jq '.accounts[].state'

It reads the status page (table [status_page] of the configuration) and changes nothing.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "watch",
        help="watch a running daemon play",
        description="Shows what a running daemon plays: boards, what it thinks of them, connections, "
        "latencies. On a terminal the whole screen, elsewhere a line for each move.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--url", default=_URL, metavar="URL", help="of the status page (default %(default)s)")
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help="the page's token, in a file of its own"
    )
    parser.add_argument("--account", metavar="NAME", help="only this one: NAME or NAME@HOST:PORT")
    parser.add_argument("--once", action="store_true", help="show how it stands and end")
    parser.add_argument("--plain", action="store_true", help="lines, on a terminal too")
    parser.add_argument(
        "--json", action="store_true", help="documents as the page gets them, one JSON object a line"
    )


def run(args: argparse.Namespace) -> int:
    import asyncio

    from botd.config import secret
    from botd.live.event_source import SourceUrl
    from botd.live.follower import FollowError
    from botd.terminal.watching import Watch, WatchOptions

    try:
        url = SourceUrl(args.url)
        token = _token(args.token_file)
    except secret.SecretError as error:
        print(f"botd watch: {str(error).replace('password', 'token')}", file=sys.stderr)
        return EXIT_USAGE
    except ValueError as error:
        print(f"botd watch: --url: {error}", file=sys.stderr)
        return EXIT_USAGE
    bear_any_text()
    options = WatchOptions(account=args.account, once=args.once, plain=args.plain, json=args.json)
    try:
        asyncio.run(Watch(url, token, options).run())
    except FollowError as error:
        print(f"botd watch: {error}", file=sys.stderr)
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED if args.once else EXIT_OK
    return EXIT_OK


def _token(path: Path | None) -> Secret | None:
    """Raises SecretError."""
    from botd.config import secret

    if path is None:
        return None
    warnings: list[str] = []
    token = secret.from_file(path, warnings=warnings)
    for warning in warnings:
        print(f"botd watch: {warning.replace('password', 'token')}", file=sys.stderr)
    return token
