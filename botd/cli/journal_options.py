"""Which journal, and which of its matches: options shared by the commands that read one."""

from __future__ import annotations

import argparse
import tomllib
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from botd.journal.reader import JournalReader, MatchQuery

CONFIGURATIONS = (Path("botd.toml"), Path("/etc/botd/botd.toml"))
JOURNALS = (Path("botd.sqlite3"), Path("/var/lib/botd/botd.sqlite3"))
"""Where to look if nothing is said: here before the whole machine, configurations before journals."""
_STATES = ("playing", "suspended", "finished", "discarded")


def add_journal(parser: argparse.ArgumentParser) -> None:
    """`--journal FILE` or `--config FILE`."""
    group = parser.add_argument_group("which journal")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--journal",
        type=Path,
        metavar="FILE",
        help="the journal; by default that of botd.toml here, ./botd.sqlite3, that of /etc/botd/botd.toml, "
        "/var/lib/botd/botd.sqlite3: the first there is",
    )
    which.add_argument("--config", type=Path, metavar="FILE", help="the configuration that names the journal")


def add_match_filter(parser: argparse.ArgumentParser) -> None:
    """Options that choose matches; `query_of` reads them."""
    group = parser.add_argument_group("which matches")
    group.add_argument("--server", metavar="HOST[:PORT]", help="on this server")
    group.add_argument("--account", metavar="NAME", help="of this account of ours")
    group.add_argument("--opponent", metavar="NAME", help="against this player")
    group.add_argument(
        "--since", type=_day, metavar="DATE", help="begun on this day (UTC) or later: 2026-11-30, or 7d ago"
    )
    group.add_argument("--until", type=_day, metavar="DATE", help="begun on this day or before")
    group.add_argument("--state", choices=_STATES, help="in this state")
    group.add_argument("--length", type=_length, metavar="POINTS", help="of this length; 0 is unlimited")


def query_of(args: argparse.Namespace, *, limit: int | None = None) -> MatchQuery:
    """What the options of `add_match_filter` ask for."""
    from botd.journal.reader import MatchQuery

    return MatchQuery(
        args.server, args.account, args.opponent, args.since, args.until, args.state, args.length, limit
    )


def open_journal(args: argparse.Namespace) -> JournalReader:
    """The journal that the options of `add_journal` mean. Raises JournalReadError, one line for people."""
    from botd.journal.reader import JournalReader

    return JournalReader(journal_path(args))


def journal_path(args: argparse.Namespace) -> Path:
    """The file itself, for those who write it. Raises JournalReadError."""
    from botd.journal.read_only import JournalReadError

    if args.journal is not None:
        return Path(args.journal)
    if args.config is not None:
        return configured_journal(args.config)
    for configuration, journal in zip(CONFIGURATIONS, JOURNALS, strict=True):
        if configuration.is_file():
            return configured_journal(configuration)
        if journal.is_file():
            return journal
    tried = ", ".join(str(path) for pair in zip(CONFIGURATIONS, JOURNALS, strict=True) for path in pair)
    raise JournalReadError(f"no journal found (tried {tried}); name one with --journal or --config")


def configured_journal(path: Path) -> Path:
    """The `journal.path` of a configuration; the rest of it, passwords above all, is not looked at.

    Raises JournalReadError.
    """
    from botd.config.load import MAX_BYTES
    from botd.config.schema import JournalConfig
    from botd.files import read_small_file
    from botd.journal.read_only import JournalReadError
    from botd.printable import printable

    try:
        content = read_small_file(path, MAX_BYTES)
        if len(content) > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES} bytes")
        table = tomllib.loads(content.decode("utf-8-sig")).get("journal", {})
        name = table.get("path", str(JournalConfig().path)) if isinstance(table, dict) else None
        if not isinstance(name, str) or not name or "\0" in name:
            raise ValueError("journal.path: expected a file name")
    except OSError as error:
        raise JournalReadError(f"{printable(path)}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        why = printable(" ".join(str(error).split())[:200])
        raise JournalReadError(
            f"{printable(path)}: not usable: {why} (`botd run --config FILE --check` tells more)"
        ) from error
    journal = Path(name)
    return path.parent / (journal.expanduser() if name.startswith("~/") else journal)


def _day(text: str) -> date:
    number = text.removesuffix("d")
    if number != text and number.isascii() and number.isdigit() and len(number) <= 5:
        return datetime.now(UTC).date() - timedelta(days=int(number))
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a day like 2026-11-30, or 7d for seven days ago, got {text[:40]!r}"
        ) from None


def _length(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= 999):
        raise argparse.ArgumentTypeError(f"expected a match length in points, or 0, got {text[:40]!r}")
    return int(text)
