"""`botd-engine bearoff`: make, check and look into bear-off databases."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botd.engine import bearoff, position_id, rules
from botd.engine.settings import MAX_THREADS
from botd.engine.types import Board
from botd.engine_cli.errors import AnswerError, ErrorKind, position_errors
from botd.engine_cli.fields import Answer, probability_fields
from botd.engine_cli.float32 import shortened
from botd.terminal.progress_bar import ProgressBar

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Any]

_SUMMARY = "make, check and look into bear-off databases"
_GENERATE_HELP = """\
The files are GNU Backgammon's own, bit for bit. Without sizes: its two usual databases, one-sided with 6
points and 15 checkers, two-sided with 6 and 6. Where the file goes by default, GNU Backgammon's evaluator
in botd finds it. A file appears only when it is complete; what was there before is replaced.

example: botd-engine bearoff generate two-sided"""
_CHECK_HELP = """\
Answers what the file holds, its SHA-256 and a `verdict`: standard (the one possible content of one of the
two usual databases), recomputed (every number computed anew and found the same) or whole (sizes and
sums are right; a wrong number in it could not be seen). A missing or damaged file is an error.

example: botd-engine bearoff check ~/.cache/botd/gnubg_ts0.bd"""
_SHOW_HELP = """\
The position is GNU Backgammon's Position ID, seen by the player on roll. One-sided: the chances to be off
(and for 15 checkers to have the first one off) in exactly 0, 1, 2, ... rolls, for both sides. Two-sided:
exact money equities for each unit of the cube, with the cube owned, centered and the opponent's.

example: botd-engine bearoff show /usr/share/gnubg/gnubg_os0.bd 7hYAANxkAAAAAA"""


def add_command(commands: Commands) -> None:
    """Register `bearoff` with its own commands."""
    command = commands.add_parser("bearoff", help=_SUMMARY, description=f"{_SUMMARY.capitalize()}.")
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str, details: str) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = actions.add_parser(
            name,
            help=summary,
            description=f"{summary.capitalize()}.",
            epilog=details,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        return parser

    generate = action("generate", "make a database", _GENERATE_HELP)
    generate.add_argument("kind", choices=("one-sided", "two-sided"))
    generate.add_argument("--points", type=int, metavar="N", help="points from the end, 1 to 18 (default: 6)")
    generate.add_argument(
        "--checkers",
        type=int,
        metavar="N",
        help="most checkers of a side (default: one-sided 15, two-sided 6)",
    )
    generate.add_argument(
        "--no-gammons",
        action="store_true",
        help="one-sided: leave out the first checker, which decides gammons",
    )
    generate.add_argument("--uncompressed", action="store_true", help="one-sided: store zeros, too")
    generate.add_argument("--no-cube", action="store_true", help="two-sided: cubeless equities only")
    generate.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: in botd's cache folder")
    check = action("check", "check a database file", _CHECK_HELP)
    check.add_argument("file", type=Path, metavar="FILE")
    check.add_argument("--recompute", action="store_true", help="compute every number anew and compare")
    for parser in (generate, check):
        parser.add_argument(
            "--threads", type=int, default=1, metavar="N", help="changes only the speed (default: 1)"
        )
    show = action("show", "say what a database knows of a position", _SHOW_HELP)
    show.add_argument("file", type=Path, metavar="FILE")
    show.add_argument("position", metavar="POSITION_ID")


def answer(arguments: argparse.Namespace) -> Answer:
    """The answer to a parsed `bearoff` command. Raises AnswerError."""
    match arguments.action:
        case "generate":
            result = _generate(arguments)
        case "check":
            result = _check(arguments)
        case _:
            result = _show(arguments.file, arguments.position)
    short: Answer = shortened(result)
    return short


def _generate(arguments: argparse.Namespace) -> Answer:
    with _work_errors(arguments.threads):
        shape = _shape(arguments)
    try:
        path: Path = arguments.output or bearoff.default_path(shape)
    except FileNotFoundError as error:
        raise AnswerError(ErrorKind.DATA, f"{error.strerror}, or name the file with -o") from error
    start = time.monotonic()
    with _work_errors(arguments.threads), ProgressBar(sys.stderr, path.name) as progress:
        try:
            if arguments.output is None:
                path.parent.mkdir(parents=True, exist_ok=True)
            bearoff.generate(shape, path, threads=arguments.threads, progress=progress)
        except OSError as error:
            raise AnswerError(ErrorKind.DATA, f"{path}: cannot be written: {error.strerror}") from error
    seconds = time.monotonic() - start
    return {**_report(bearoff.check(path)), "seconds": round(seconds, 3)}


def _shape(arguments: argparse.Namespace) -> bearoff.Shape:
    sizes = {
        name: value
        for name, value in (("points", arguments.points), ("checkers", arguments.checkers))
        if value is not None
    }
    if arguments.kind == "one-sided":
        if arguments.no_cube:
            raise AnswerError(ErrorKind.REQUEST, "--no-cube: expected with two-sided only")
        return bearoff.OneSidedShape(
            **sizes, gammons=not arguments.no_gammons, compressed=not arguments.uncompressed
        )
    if arguments.no_gammons or arguments.uncompressed:
        raise AnswerError(ErrorKind.REQUEST, "--no-gammons, --uncompressed: expected with one-sided only")
    return bearoff.TwoSidedShape(**sizes, cubeful=not arguments.no_cube)


def _check(arguments: argparse.Namespace) -> Answer:
    path: Path = arguments.file
    with _work_errors(arguments.threads), ProgressBar(sys.stderr, path.name) as progress:
        try:
            report = bearoff.check(
                path, recompute=arguments.recompute, threads=arguments.threads, progress=progress
            )
        except (OSError, bearoff.DataError) as error:
            raise AnswerError(ErrorKind.DATA, str(error)) from error
    return _report(report)


@contextmanager
def _work_errors(threads: int) -> Iterator[None]:
    if not 1 <= threads <= MAX_THREADS:
        raise AnswerError(ErrorKind.REQUEST, f"threads: expected 1 to {MAX_THREADS}, got {threads}")
    try:
        yield
    except ValueError as error:
        raise AnswerError(ErrorKind.REQUEST, str(error)) from error
    except MemoryError as error:
        raise AnswerError(ErrorKind.UNSUPPORTED, "not enough memory for a database of this size") from error


def _report(report: bearoff.FileReport) -> Answer:
    shape = report.shape
    out: Answer = {
        "file": str(report.path),
        "kind": "one-sided" if isinstance(shape, bearoff.OneSidedShape) else "two-sided",
        "points": shape.points,
        "checkers": shape.checkers,
        "positions": report.positions,
    }
    if isinstance(shape, bearoff.OneSidedShape):
        out |= {"gammons": shape.gammons, "compressed": shape.compressed, "normal": shape.normal}
    else:
        out["cubeful"] = shape.cubeful
    verdict = "standard" if report.standard else "recomputed" if report.recomputed else "whole"
    return out | {"bytes": report.size, "sha256": report.sha256, "verdict": verdict}


def _show(path: Path, identifier: str) -> Answer:
    with position_errors():
        board = position_id.decode(identifier)
        shape = bearoff.read_shape(path)
        one_sided = isinstance(shape, bearoff.OneSidedShape)
        databases = bearoff.Databases(path, None) if one_sided else bearoff.Databases(None, path)
        probabilities = databases.probabilities(board)
        if probabilities is None:
            raise AnswerError(
                ErrorKind.POSITION,
                f"position ID {identifier}: not in {path}; expected a game that is not over, no contact, and "
                f"each side with at most {shape.checkers} checkers within {shape.points} points of its end",
            )
        own, opponent = (_counts(side, shape.points) for side in (board, rules.mirrored(board)))
        answer: Answer = {
            "own": {"index": bearoff.position_index(own)},
            "opponent": {"index": bearoff.position_index(opponent)},
            "probabilities": probability_fields(probabilities),
        }
        if one_sided:
            database = bearoff.OneSidedDatabase(path)
            for side, counts in (("own", own), ("opponent", opponent)):
                answer[side] |= _rolls(database, bearoff.position_index(counts), full=sum(counts) == 15)
        money = databases.money(board)
        if money is not None:
            answer["money"] = money._asdict()
    return answer


def _counts(board: Board, points: int) -> list[int]:
    return [max(board[point], 0) for point in range(1, points + 1)]


def _rolls(database: bearoff.OneSidedDatabase, index: int, *, full: bool) -> Answer:
    values = database.all_off(index)
    out: Answer = {
        "mean_rolls": sum(rolls * value for rolls, value in enumerate(values)) / (sum(values) or 1),
        "all_off": _chances(values),
    }
    if full and database.has_gammons:
        out["first_off"] = _chances(database.first_off(index))
    return out


def _chances(values: list[int]) -> list[float]:
    """From 0 rolls up to the last number that can happen."""
    last = max((rolls for rolls, value in enumerate(values) if value), default=0)
    return [value / 65535 for value in values[: last + 1]]
