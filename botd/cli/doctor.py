"""`botd doctor`: tries everything that botd needs, and says what to do."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK

if TYPE_CHECKING:
    from botd.doctor.findings import Finding, Patient

_EPILOG = """\
It changes nothing: servers are greeted and not logged in to, unless --login is given; nothing is written but
lock files while it logs in.

examples:
  botd doctor                                 this machine, and botd.toml here or in /etc/botd if there is one
  botd doctor --config botd.toml --login      also whether the accounts can log in
  botd doctor --json | jq -r '.findings[] | select(.state == "problem") | .text'

exit codes:
  0  no problems; there may be warnings
  1  there are problems
"""

_MARKS = {"ok": "green", "warning": "yellow", "problem": "red", "not tried": "dim"}
_WIDTH = 10


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "doctor",
        help="try engine, servers, broker, journal, ports and clock, and say what to do",
        description="Tries everything that botd needs on this machine and with this configuration. Each line "
        "is ok, a warning, a problem or not tried, with what to do.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help="by default botd.toml here, or /etc/botd/botd.toml"
    )
    parser.add_argument("--login", action="store_true", help="log in to every account, and out again")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    from botd.config import LogConfig
    from botd.daemon.logging import configure_logging

    configure_logging(LogConfig(level="error"))  # the lines tell what the parts would log
    findings = asyncio.run(_examine(_patient(args), quiet=args.json))
    bad = sum(finding.state == "problem" for finding in findings)
    odd = sum(finding.state == "warning" for finding in findings)
    if args.json:
        import msgspec

        print(json.dumps({"healthy": not bad, "findings": msgspec.to_builtins(findings)}))
    else:
        print(f"\n{_count(bad, 'problem')}, {_count(odd, 'warning')}")
    return EXIT_FAILURE if bad else EXIT_OK


def _patient(args: argparse.Namespace) -> Patient:
    from botd.cli.journal_options import CONFIGURATIONS
    from botd.config import ConfigError, load_config
    from botd.doctor.findings import Patient

    path = args.config or next((each for each in CONFIGURATIONS if each.is_file()), None)
    if path is None:
        return Patient(login=args.login)
    try:
        loaded = load_config(path, in_service=False)
    except ConfigError:
        loaded = None  # the check of the configuration says what is wrong
    return Patient(path=path, loaded=loaded, login=args.login)


async def _examine(patient: Patient, *, quiet: bool) -> list[Finding]:
    """All findings; shown as they come."""
    from botd.doctor.checkup import CHECKS, examine
    from botd.doctor.findings import Check
    from botd.terminal.colours import Paint
    from botd.terminal.progress_bar import ProgressBar

    found: list[Finding] = []
    paint = Paint(sys.stdout)
    done = 0
    with ProgressBar(sys.stderr, "doctor") as bar:
        async for each in examine(patient):
            if isinstance(each, Check):
                bar(done / len(CHECKS), each.name)
                done += 1
                continue
            found.append(each)
            if not quiet:
                bar.clear()
                mark = paint(f"{each.state:{_WIDTH}}", _MARKS[each.state])
                print(f"{mark}{each.name}: {each.text}", flush=True)
                if each.advice:
                    print(f"{'':{_WIDTH}}-> {each.advice}", flush=True)
    return found


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
