"""`botd run`: play the accounts of a configuration file until told to stop."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.cli.limits import allow_many_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botd.config import Loaded, Problem

_EPILOG = """\
signals:
  SIGINT, SIGTERM   stop cleanly: finish running matches for daemon.drain_s, else leave them (the server
                    saves them), log out, write the journal; a second one stops at once
  SIGHUP            read the configuration again, like `botd ctl reload`, and open the log file anew

examples:
  botd run --config botd.toml --check        the same as botd check-config, in one line a problem
  botd run --config /etc/botd/botd.toml --log-format json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "run",
        help="play the accounts of a configuration file",
        description="Connect the accounts of a configuration file to their servers and play, until stopped.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        required=True,
        help="the configuration (TOML); config/botd.example.toml explains it",
    )
    parser.add_argument(
        "--check", action="store_true", help="only check the configuration and the passwords it points to"
    )
    parser.add_argument(
        "--log-level", choices=("debug", "info", "warning", "error"), help="overrides log.level"
    )
    parser.add_argument("--log-format", choices=("auto", "text", "json"), help="overrides log.format")


def run(args: argparse.Namespace) -> int:
    from botd.config import ConfigError, load_config

    if args.check:
        return _check(args.config)
    try:
        loaded = load_config(args.config)
    except ConfigError as error:
        return _refuse(error.problems)
    return _play(args, loaded)


def _refuse(problems: Sequence[Problem]) -> int:
    for problem in problems:
        print(problem, file=sys.stderr)
    count = len(problems)
    print(f"botd: {count} problem{'s' if count > 1 else ''}; nothing was started", file=sys.stderr)
    return EXIT_USAGE


def _check(path: Path) -> int:
    """The short form of `botd check-config`."""
    from botd.config.check import check

    report = check(path)
    for warning in report.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if report.problems or report.loaded is None:
        return _refuse(report.problems)
    print(f"{path}: correct")
    for account in report.loaded.config.accounts:
        print(f"  plays {account.name} on {account.server}")
    return EXIT_OK


def _play(args: argparse.Namespace, loaded: Loaded) -> int:
    import asyncio
    from dataclasses import replace

    from botd.config import Secret, load_config
    from botd.daemon.app import Daemon, StartError
    from botd.daemon.log_file import LogFile, LogFileError, Rotation
    from botd.daemon.log_levels import LogLevels
    from botd.daemon.logging import configure_logging
    from botd.daemon.systemd import Notifier

    passwords: set[Secret] = set()
    levels = LogLevels(loaded.config.log.level)
    file: LogFile | None = None
    if (path := loaded.config.log.file) is not None:
        log = loaded.config.log
        rotation = Rotation(int(log.rotate_mb * 1e6), log.rotate_days, log.keep, log.compress)
        try:
            file = LogFile(path, rotation)
        except LogFileError as error:
            print(f"botd: {error}", file=sys.stderr)
            return EXIT_FAILURE

    def set_up_logs(loaded: Loaded) -> None:
        passwords.update(loaded.secrets)  # old ones stay secret
        log = loaded.config.log
        log = replace(log, level=args.log_level or log.level, format=args.log_format or log.format)
        configure_logging(log, passwords, handler=file, levels=levels)

    set_up_logs(loaded)

    async def play() -> int:
        daemon = Daemon(
            loaded,
            read=lambda: load_config(args.config),
            accept=set_up_logs,
            manager=Notifier.from_environment(os.environ),
            log_levels=levels,
            log_file=file,
        )
        return await daemon.run(handle_signals=True)

    allow_many_files()
    try:
        return asyncio.run(play())
    except StartError as error:
        print(f"botd: {error}", file=sys.stderr)
        return EXIT_FAILURE
