"""The command line of `botd-engine`: its options, commands and their help, and the request in its words."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Callable, Sequence
from typing import NoReturn

from botd import __version__
from botd.engine.levels import LEVELS
from botd.engine.settings import FILTER_NAMES, MAX_THREADS
from botd.engine_cli import bearoff_command, import_command
from botd.engine_cli.batch import MAX_JOBS
from botd.engine_cli.compare.command import CompareOptions
from botd.engine_cli.compare.files import MAX_CASES
from botd.engine_cli.errors import AnswerError, ErrorKind
from botd.engine_cli.evaluators import (
    DIVISIONS,
    EVALUATORS,
    LEAST_BUDGET_S,
    MODES,
    MOST_BUDGET_S,
    PROFILES,
)
from botd.engine_cli.help_texts import COMMAND_HELP, POSITION_HELP, STATUS_HELP, WIDTH
from botd.engine_cli.requests import Request, Settings, is_xgid
from botd.printable import printable

_MAX_MESSAGE = 600


class _Parser(argparse.ArgumentParser):
    """Reports a usage error on one line."""

    def error(self, message: str) -> NoReturn:
        # A hostile argument may hold line ends, or much.
        text = printable(" ".join(message.split()), limit=None)
        if len(text) > _MAX_MESSAGE:
            text = f"{text[: _MAX_MESSAGE // 2]} ... {text[-_MAX_MESSAGE // 2 :]}"
        self.exit(2, f"{self.prog}: {text} (see {self.prog} --help)\n")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The command line as attributes. Exits with status 2, or after help was asked for."""
    parser = build_parser()
    joined: list[str] = []
    for word in words:
        if "\0" in word:  # not from a shell, but from a program that calls `main`; no file has such a name
            parser.error(f"expected arguments without null bytes, got {word[:40]!r}")
        if joined and joined[-1] == "--filter" and word.startswith("-1"):
            joined[-1] += f"={word}"  # or it would be taken for an option
        else:
            joined.append(word)
    return parser.parse_args(joined)


def build_parser() -> argparse.ArgumentParser:
    options = _options()
    parser = _Parser(
        prog="botd-engine",
        description="Ask botd's backgammon engine. Every answer is one JSON object on standard output.",
        epilog=textwrap.fill(POSITION_HELP, WIDTH) + "\n\n" + STATUS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[options],
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for name, texts in COMMAND_HELP.items():
        command = commands.add_parser(
            name,
            help=texts.summary,
            description=f"{texts.summary[0].upper()}{texts.summary[1:]}.",
            usage=f"botd-engine [OPTIONS] {name} {texts.arguments}".rstrip(),
            epilog=texts.epilog(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[options],
        )
        if name == "perft":
            command.add_argument("depth", type=int, metavar="DEPTH", help="number of rolls")
            command.add_argument("words", nargs="*", metavar="ID", help="default: the starting position")
        elif name == "batch":
            command.add_argument(
                "--jobs",
                type=_count(MAX_JOBS),
                default=1,
                metavar="N",
                help="worker processes, changes only the speed (default: 1)",
            )
        elif name == "compare":
            _add_compare_options(command)
        elif texts.arguments:
            command.add_argument("words", nargs="+", metavar="ID", help="see the usage above")
    bearoff_command.add_command(commands)
    import_command.add_command(commands)
    return parser


def _add_compare_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="FILE_OR_DIR", help="files in the form of the reference data")
    command.add_argument(
        "--against", choices=["gnubg"], help="ask an installed gnubg for the numbers instead"
    )
    command.add_argument(
        "--plies", type=_plies, metavar="N,N", help="depths, such as 0,1 (default: those of the files)"
    )
    command.add_argument("--limit", type=_count(MAX_CASES), metavar="N", help="most cases (default: all)")
    command.add_argument(
        "--json", action="store_true", help="deviations and summary as JSON, one object a line"
    )
    command.add_argument(
        "--jobs", type=_count(MAX_JOBS), default=1, metavar="N", help="worker processes (default: 1)"
    )


def compare_options(arguments: argparse.Namespace) -> CompareOptions:
    """The options of `compare` in a parsed command line; --ply stands for one depth."""
    ply: int | None = getattr(arguments, "ply", None)
    return CompareOptions(
        path=arguments.path,
        plies=getattr(arguments, "plies", None) if ply is None else (ply,),
        limit=getattr(arguments, "limit", None),
        against=getattr(arguments, "against", None),
        as_json=getattr(arguments, "json", False),
        jobs=arguments.jobs,
    )


def request_of(arguments: argparse.Namespace, settings: Settings) -> Request:
    """The request in a parsed command line. Raises AnswerError."""
    given = vars(arguments)
    command: str = arguments.command
    words: list[str] = given.get("words") or []
    count = 1 if command in ("legal", "perft") or (words and is_xgid(words[0])) else 2
    identifiers, rest = words[:count], words[count:]
    move = action = None
    offer = None
    if command == "analysemove":
        first_of_move = 2 if rest and _is_number(rest[0]) else 0
        move, rest = " ".join(rest[first_of_move:]), rest[:first_of_move]
    elif command == "perft" and rest:
        raise AnswerError(
            ErrorKind.REQUEST, f"perft: expected at most one POSITION_ID, got {rest[0][:40]!r} too"
        )
    elif command == "analysecube" and rest:
        action, rest = rest[0], rest[1:]
    elif command == "resign" and rest:
        number = rest[1:] if rest[0] == "offer" else rest
        if len(number) != 1 or not _is_number(number[0]):
            raise AnswerError(ErrorKind.REQUEST, f"offer: expected 1, 2 or 3, got {' '.join(number)[:40]!r}")
        offer, rest = int(number[0][:9]), []
    return Request(
        op=command,
        settings=settings,
        position_id=identifiers[0] if identifiers else None,
        match_id=identifiers[1] if len(identifiers) > 1 else None,
        dice=_dice(rest) if rest else None,
        depth=given.get("depth"),
        move=move,
        action=action,
        offer=offer,
    )


def _dice(words: list[str]) -> tuple[int, int]:
    if len(words) != 2 or not all(_is_number(word) for word in words):
        raise AnswerError(
            ErrorKind.REQUEST, f"dice: expected two numbers from 1 to 6, got {' '.join(words)[:40]!r}"
        )
    return int(words[0][:9]), int(words[1][:9])


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _count(most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not _is_number(text) or not 1 <= int(text[:9]) <= most:
            raise argparse.ArgumentTypeError(f"expected 1 to {most}, got {text[:40]!r}")
        return int(text)

    return parse


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not LEAST_BUDGET_S <= seconds <= MOST_BUDGET_S:  # refuses nan, too
        raise argparse.ArgumentTypeError(
            f"expected {LEAST_BUDGET_S:g} to {MOST_BUDGET_S:g} seconds, got {text[:40]!r}"
        )
    return seconds


def _file_name(text: str) -> str:
    if not text:  # from a script whose variable is not set, say
        raise argparse.ArgumentTypeError("expected the name of a file, got ''")
    return text


def _plies(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(_is_number(word) and len(word) == 1 for word in words):
        raise argparse.ArgumentTypeError(f"expected depths such as 0,1,2, got {text[:40]!r}")
    return tuple(sorted({int(word) for word in words}))


def _options() -> _Parser:
    """Options that stand before or after the command."""
    options = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = options.add_argument_group("evaluation")
    group.add_argument("--evaluator", choices=EVALUATORS, help="which evaluator answers (default: sage)")
    depth = group.add_mutually_exclusive_group()
    depth.add_argument(
        "--ply",
        type=int,
        metavar="N",
        help="search depth as GNU Backgammon counts it, 0 is static (default: 2, with puretd 1; at most 4)",
    )
    depth.add_argument(
        "--level", metavar="NAME", help=f"a named level in place of --ply: {', '.join(LEVELS)} (see levels)"
    )
    group.add_argument(
        "--mode",
        choices=MODES,
        help="exact: the evaluator's own search (default); fast: our own search, nearly always the same "
        "decisions much sooner",
    )
    group.add_argument(
        "--budget",
        dest="budget_s",
        type=_seconds,
        metavar="SECONDS",
        help="mode fast: after so long the best answer so far is given; the same question may then have "
        "different answers (default: no limit)",
    )
    group.add_argument("--profile", choices=PROFILES, help="generation of the evaluator gnubg: 1.07 or 1.08")
    group.add_argument(
        "--division",
        choices=DIVISIONS,
        help="of gnubg's networks: exact, or approximate as in the usual packages of 1.07 (default: that of "
        "the profile)",
    )
    group.add_argument(
        "--weights", type=_file_name, metavar="PATH", help="the evaluator's networks, a file or a folder"
    )
    group.add_argument(
        "--met", type=_file_name, metavar="FILE", help="match equity table in XML (default: Kazaross-XG2)"
    )
    group.add_argument(
        "--filter",
        dest="move_filter",
        metavar="NAME",
        help=f"move filter: {', '.join(FILTER_NAMES)}, or stages 'accept,extra,threshold;...' "
        "(default: normal for gnubg; none for sage, which then searches every play to the full depth)",
    )
    group.add_argument(
        "--prune",
        action=argparse.BooleanOptionalAction,
        help="choose replies inside a search with the help of a cheaper network (exact sage has none)",
    )
    group.add_argument(
        "--threads",
        type=_count(MAX_THREADS),
        metavar="N",
        help="most threads for one search, never changes an answer (default: 1)",
    )
    return options
