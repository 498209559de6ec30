"""`botd manual`: the manual pages of `botd` and `botd-engine`, made from their parsers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK
from botd.cli.parsers import COMMANDS

_EPILOG = """\
examples:
  botd manual | man -l -                          read it
  botd manual --output ~/.local/share/man/man1    install both pages; `man botd` finds them there
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "manual",
        help="print the manual page",
        description="Prints the manual page of a command as mdoc, or writes the pages of both into a folder.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("page", nargs="?", choices=COMMANDS, default="botd", help="default: botd")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="write botd.1 and botd-engine.1 into this folder"
    )


def run(args: argparse.Namespace) -> int:
    from botd.cli.manual_page import manual_page

    if args.output is None:
        print(manual_page(args.page), end="")
        return EXIT_OK
    try:
        args.output.mkdir(parents=True, exist_ok=True)
        for command in COMMANDS:
            (args.output / f"{command}.1").write_text(manual_page(command), encoding="utf-8")
    except OSError as error:
        print(f"botd manual: {args.output}: cannot write: {error.strerror}", file=sys.stderr)
        return EXIT_FAILURE
    return EXIT_OK
