"""`botd demo`: two bots play each other here, over TCP, on a server of our own."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE
from botd.printable import printable

if TYPE_CHECKING:
    from botd.config import Loaded
    from botd.terminal.progress import Progress

SHOWN, OPPONENT = "anna_bot", "bert_bot"
_HOST = "127.0.0.1"
_MONEY_GAMES = 3

_EPILOG = """\
examples:
  botd demo                          a 3 point match, then three games of an unlimited one
  botd demo --fast --seed 7          as fast as it goes, dice that can be had again
  botd demo --ply 0 --transcript t   weaker and faster; every line of both connections in the file t

Nothing outside this machine is contacted. On a terminal a board is shown that redraws itself, elsewhere
one line for each event.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `demo` to the command line of `botd`."""
    parser = subparsers.add_parser(
        "demo",
        help="two bots play each other on this machine",
        description="Starts a FIBS-like server on this machine and lets two bots play on it, over TCP: a "
        f"{_match_length()} point match to its end, then {_MONEY_GAMES} games of an unlimited match that "
        "they leave and the server keeps.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--ply", type=int, choices=range(5), default=1, help="search depth (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice (default %(default)s)")
    parser.add_argument("--fast", action="store_true", help="no pauses for people to follow")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="where journal, match files and log go (default %(default)s)",
    )
    parser.add_argument(
        "--transcript",
        type=Path,
        metavar="FILE",
        help="write every line of the connections, passwords hidden",
    )
    parser.add_argument("--port", type=int, default=0, help="of the server; 0 takes a free one")
    parser.add_argument("--metrics-port", type=int, default=0, help="of the metrics page; 0 takes a free one")
    parser.add_argument("--page-port", type=int, default=0, help="of the status page; 0 takes a free one")
    parser.add_argument("--plain", action="store_true", help="one line for each event, on a terminal too")


def _match_length() -> int:
    return 3


def run(args: argparse.Namespace) -> int:
    """The exit status: 0 if both matches went as they should."""
    for option in ("port", "metrics_port", "page_port"):
        if not 0 <= getattr(args, option) <= 65535:
            name = option.replace("_", "-")
            print(f"botd demo: --{name}: expected 0 to 65535, got {getattr(args, option)}", file=sys.stderr)
            return EXIT_USAGE
    try:
        args.output.mkdir(parents=True, exist_ok=True)
        log = (args.output / "demo.log").open("w", encoding="utf-8")
        transcript = args.transcript.open("w", encoding="utf-8") if args.transcript else None
    except OSError as error:
        print(f"botd demo: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
        return EXIT_USAGE
    try:
        return asyncio.run(_Demo(args, log, transcript).run())
    finally:
        log.close()
        if transcript is not None:
            transcript.close()


class Transcript:
    """What went over the wire, one line each: seconds, who, direction, text."""

    def __init__(self, out: TextIO | None) -> None:
        self._out = out
        self._began = time.monotonic()

    def __call__(self, connection: int, direction: str, line: str) -> None:
        if self._out is not None:
            shown = printable(line, limit=None)
            self._out.write(f"{time.monotonic() - self._began:9.3f} {connection} {direction}: {shown}\n")


class _Demo:
    def __init__(self, args: argparse.Namespace, log: TextIO, transcript: TextIO | None) -> None:
        self._args = args
        self._log = log
        self._transcript = Transcript(transcript)
        self._passwords = {name: secrets.token_urlsafe(12) for name in (SHOWN, OPPONENT)}
        self._interrupted = False
        self._stop: Callable[[], None] = lambda: None

    async def run(self) -> int:
        from botd.config import LogConfig, Secret
        from botd.daemon.logging import configure_logging
        from botd.engine.rules import legal_plays
        from botd.terminal.progress import Progress
        from botd_protocols.fibs.server import FibsServer
        from botd_protocols.fibs.server_accounts import ServerConfig
        from botd_protocols.fibs.server_tcp import FibsTcpServer
        from botd_protocols.server_dice import SeededDice

        args = self._args
        configure_logging(LogConfig(format="text"), map(Secret, self._passwords.values()), self._log)
        progress = Progress(
            sys.stdout,
            shown=SHOWN,
            opponent=OPPONENT,
            live=sys.stdout.isatty() and not args.plain,
        )
        server = FibsServer(
            ServerConfig(accounts=self._passwords, house=(), strict=True),
            SeededDice(args.seed),
            lambda board, dice: [(play.steps, play.board) for play in legal_plays(board, dice)],
            self._transcript,
        )
        shell = FibsTcpServer(server, _HOST, args.port)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        loop.add_signal_handler(signal.SIGTERM, self._interrupt)
        try:
            await shell.start()
        except OSError as error:
            print(f"botd demo: cannot listen on port {args.port}: {error.strerror}", file=sys.stderr)
            return EXIT_FAILURE
        try:
            metrics_port = args.metrics_port or _free_port()
            page_port = args.page_port or _free_port()
            progress.say(f"A FIBS server listens on {_HOST} port {shell.port}; dice seed {args.seed}.")
            progress.say(f"Metrics: http://{_HOST}:{metrics_port}/metrics")
            page = f"http://{_HOST}:{page_port}/"
            progress.say(f"Status page: {page} (in another terminal: botd watch --url {page})")
            for length in (_match_length(), 0):
                loaded = self._configuration(shell.port, metrics_port, page_port, length)
                title = f"{length} point match" if length else f"{_MONEY_GAMES} games of an unlimited match"
                status = await self._play(progress, title, loaded)
                if self._interrupted:
                    progress.say("Interrupted.")
                    return EXIT_INTERRUPTED
                if status != EXIT_OK:
                    print(f"botd demo: failed; see {args.output / 'demo.log'}", file=sys.stderr)
                    return EXIT_FAILURE
            progress.say(f"{SHOWN} asks the server what it keeps (show saved):")
            for line in await self._ask_saved(shell.port):
                progress.say(f"  {line}")
        finally:
            await shell.close()
        self._summary(progress)
        for violation in server.violations:
            print(
                f"botd demo: protocol: {violation.name}: {violation.command!r}: {violation.reason}",
                file=sys.stderr,
            )
        return EXIT_FAILURE if server.violations else EXIT_OK

    def _interrupt(self) -> None:
        self._interrupted = True
        self._stop()

    def _configuration(self, port: int, metrics_port: int, page_port: int, length: int) -> Loaded:
        """One daemon, two accounts, one of which invites the other."""
        from botd.config import (
            AccountConfig,
            Config,
            ControlConfig,
            Credentials,
            DaemonConfig,
            EngineConfig,
            InviteConfig,
            JournalConfig,
            Loaded,
            MetricsConfig,
            PolicyConfig,
            Secret,
            StatusPageConfig,
        )

        args = self._args
        pause = 0.0 if args.fast else 0.15
        accounts = tuple(
            AccountConfig(
                host=_HOST,
                port=port,
                name=name,
                password_env="DEMO",  # noqa: S106 - a name that is not looked up
                reconnect_s=1.0,
                policy=PolicyConfig(
                    unlimited=True,
                    # One of the two leaves: a second `leave` would find no match any more.
                    max_unlimited_games=_MONEY_GAMES if name == SHOWN else 10 * _MONEY_GAMES,
                    max_matches=1,
                    invite=InviteConfig(OPPONENT, length or "unlimited") if name == SHOWN else None,
                    think_time_s=pause,
                    command_gap_s=pause / 10,
                    greeting="",
                ),
            )
            for name in self._passwords
        )
        config = Config(
            accounts=accounts,
            engine=EngineConfig(ply=args.ply, workers=1),
            metrics=MetricsConfig(host=_HOST, port=metrics_port),
            status_page=StatusPageConfig(host=_HOST, port=page_port),
            journal=JournalConfig(
                path=(args.output / "journal.sqlite3").resolve(), mat_directory=args.output.resolve()
            ),
            daemon=DaemonConfig(drain_s=0, state_directory=args.output.resolve()),
            control=ControlConfig(enabled=False),
        )
        credentials = tuple(Credentials(Secret(password)) for password in self._passwords.values())
        return Loaded(config, credentials, ())

    async def _play(self, progress: Progress, title: str, loaded: Loaded) -> int:
        """Run a daemon until its match is over or left; its exit status."""
        from botd.daemon.app import Daemon, StartError
        from botd.daemon.happenings import MatchOver, MatchSuspended

        progress.title(title)
        daemon = Daemon(loaded)
        self._stop = daemon.stop
        events = daemon.happenings.subscribe(100_000)

        async def show() -> None:
            async for event in events:
                progress.happened(event)
                if isinstance(event, MatchOver | MatchSuspended) and event.account == SHOWN:
                    daemon.stop()

        showing = asyncio.create_task(show())
        try:
            return int(await daemon.run())
        except StartError as error:
            print(f"botd demo: {error}", file=sys.stderr)
            return EXIT_FAILURE
        finally:
            events.close()
            await showing
            progress.finish()
            self._stop = lambda: None

    async def _ask_saved(self, port: int) -> list[str]:
        """Log in once more, by hand, and ask."""
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_connection(_HOST, port)
            writer.write(f"login demo_1.0 1008 {SHOWN} {self._passwords[SHOWN]}\r\n".encode())
            while (line := await reader.readline()).strip() != b"6":
                if not line:
                    return ["(the server closed the connection)"]
            writer.write(b"show saved\r\n")
            found: list[str] = []
            while len(found) < 2:
                line = await reader.readline()
                text = line.decode("latin-1").rstrip()
                if not line or "no saved games" in text:
                    found.append(text)
                    break
                if text and (found or "matchlength" in text):
                    found.append(text)
            writer.write(b"bye\r\n")
            while await reader.readline():
                pass
            writer.close()
            await writer.wait_closed()
            return found

    def _summary(self, progress: Progress) -> None:
        args = self._args
        kinds = Counter(path.suffix for path in args.output.iterdir())
        progress.say(f"\nMatch records: {kinds['.mat']} .mat files and journal.sqlite3 in {args.output}/")
        if args.transcript:
            progress.say(f"Transcript of the connections: {args.transcript}")
        progress.say(
            "To play on a real server: copy config/botd.example.toml to botd.toml, name your account in it, "
            "and run: botd run --config botd.toml"
        )


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((_HOST, 0))
        return int(listener.getsockname()[1])
