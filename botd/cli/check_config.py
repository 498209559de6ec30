"""`botd check-config`: everything that is wrong with a configuration, or odd in it, at once."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from botd.config import Problem
    from botd.config.check import Report

_EPILOG = """\
examples:
  botd check-config botd.toml
  botd check-config botd.toml --show          every key as it is in force, defaults and all
  botd check-config botd.toml --json | jq -r '.problems[].message'

exit codes:
  0  it can be used
  1  there are warnings, and --strict
  2  there are problems
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "check-config",
        help="everything that is wrong with a configuration file, at once",
        description="Reads a configuration, the passwords it points to (which are not shown) and every file "
        "and folder it names, and tells all that is wrong or odd. Connects to nothing and starts nothing; "
        "`botd doctor` does that.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("config", metavar="FILE", type=Path, help="the configuration (TOML)")
    parser.add_argument(
        "--show", action="store_true", help="print the configuration in force, defaults filled in, as TOML"
    )
    parser.add_argument("--strict", action="store_true", help="warnings make the exit status 1")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    from botd.config.check import check

    report = check(args.config)
    if args.json:
        print(json.dumps(_as_map(report, args.show)))
    elif args.show and report.loaded is not None:
        _show(report)
    else:
        _tell(args.config, report)
    if report.problems:
        return EXIT_USAGE
    return EXIT_FAILURE if args.strict and report.warnings else EXIT_OK


def _show(report: Report) -> None:
    """The configuration to standard output, which may be read by a program; the rest beside it."""
    from botd.config.show import effective

    assert report.loaded is not None
    for kind, found in (("warning", report.warnings), ("problem", report.problems)):
        for each in found:
            print(f"{kind}: {each}", file=sys.stderr)
    print(effective(report.loaded).lstrip("\n"), end="")


def _tell(path: Path, report: Report) -> None:
    from botd.printable import printable
    from botd.terminal.colours import Paint

    paint = Paint(sys.stdout)
    for kind, colour, found in (
        ("problem", "red", report.problems),
        ("warning", "yellow", report.warnings),
    ):
        for each in found:
            print(f"{each.where}: {paint(kind, colour)}: {paint(each.key, 'bold')}".rstrip(": "))
            print(f"    {each.message}")
            if each.suggestion:
                print(f"    {each.suggestion}")
    if report.loaded is None or report.problems:
        print(f"{_count(report.problems, 'problem')}, {_count(report.warnings, 'warning')}")
        return
    tail = f", {_count(report.warnings, 'warning')}" if report.warnings else ""
    print(f"{printable(str(path))}: {paint('correct', 'green')}{tail}")
    for account in report.loaded.config.accounts:
        print(f"  plays {account.name} on {account.server} ({account.protocol})")
    print(f"next: botd doctor --config {printable(path)}, which also tries the engine, servers and broker")


def _count(found: tuple[Problem, ...], what: str) -> str:
    return f"{len(found) or 'no'} {what}{'' if len(found) == 1 else 's'}"


def _as_map(report: Report, show: bool) -> dict[str, Any]:
    import msgspec

    from botd.config.show import as_map

    plain: dict[str, Any] = {
        "correct": not report.problems,
        "problems": msgspec.to_builtins(report.problems),
        "warnings": msgspec.to_builtins(report.warnings),
    }
    if show:
        plain["config"] = None if report.loaded is None else as_map(report.loaded)
    return plain
