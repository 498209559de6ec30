"""`botd ctl`: give a command to the running daemon."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from botd.control.messages import AnyRequest, Reply

_EPILOG = """\
examples:
  botd ctl status
  botd ctl pause my_bot
  botd ctl level my_bot --ply 2
  botd ctl level my_bot --level medium
  botd ctl level my_bot --ply 3 --mode exact
  botd ctl reload
  botd ctl say my_bot 'back in a minute'
  botd ctl log debug --account my_bot

exit codes:
  0  done
  1  the daemon refused, or cannot be reached; standard error says why
  2  wrong arguments
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "ctl",
        help="give a command to the running daemon",
        description="Give a command to the running daemon over its control socket.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--socket",
        metavar="FILE",
        type=Path,
        help="the daemon's control.path (default: botd.sock in $RUNTIME_DIRECTORY, $XDG_RUNTIME_DIR "
        "or /run/botd, whichever is there)",
    )
    parser.add_argument("--json", action="store_true", help="print the reply as one line of JSON")
    parser.add_argument(
        "--timeout", metavar="S", type=_seconds, default=30.0, help="seconds to wait for the reply (30)"
    )
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def command(name: str, text: str, *, account: bool = False) -> argparse.ArgumentParser:
        action = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if account:
            action.add_argument("account", metavar="ACCOUNT", help="NAME or NAME@HOST:PORT")
        return action

    command("status", "what every account is doing")
    command("drain", "begin no new match on any account; running ones are finished")
    command("resume", "begin matches again after drain")
    command("pause", "begin no new match on one account; it stays logged in", account=True)
    command("unpause", "begin matches again on one account", account=True)
    level = command("level", "change how an account plays, from its next decision on", account=True)
    depth = level.add_mutually_exclusive_group()
    depth.add_argument("--ply", type=int, metavar="N", help="0 (static evaluation) to 4")
    depth.add_argument("--level", metavar="NAME", help="such as easy, medium, hard or world-class")
    depth.add_argument("--reset", action="store_true", help="as configured")
    level.add_argument("--mode", choices=("fast", "exact"), help="search so; without it as configured")
    command("reload", "read the configuration again; running matches are finished first")
    say = command("say", "say one line to the opponent, or to a player", account=True)
    say.add_argument("text", metavar="TEXT")
    say.add_argument("--to", metavar="PLAYER", help="tell it to this player instead")
    log = command("log", "change how much is logged, until botd ends")
    amount = log.add_mutually_exclusive_group(required=True)
    amount.add_argument("level", nargs="?", metavar="LEVEL", help="debug, info, warning or error")
    amount.add_argument("--reset", action="store_true", help="as configured")
    log.add_argument("--account", metavar="ACCOUNT", help="of this account only: NAME or NAME@HOST:PORT")
    stop = command("stop", "stop the daemon; matches may go on for daemon.drain_s")
    stop.add_argument("--now", action="store_true", help="leave running matches at once (servers save them)")


def run(args: argparse.Namespace) -> int:
    from botd.control.client import ControlError, ask

    request = _request(args)
    if request is None:
        return EXIT_USAGE
    path = args.socket or _usual_socket()
    if path is None:
        print(
            "botd ctl: no control socket was found; is botd running? Name its control.path with --socket",
            file=sys.stderr,
        )
        return EXIT_FAILURE
    try:
        reply = ask(path, request, timeout_s=args.timeout)
    except ControlError as error:
        print(f"botd ctl: {error}", file=sys.stderr)
        return EXIT_FAILURE
    if args.json:
        from botd.control.client import as_map

        print(json.dumps(as_map(reply)))
    else:
        _show(args.action, reply)
    return EXIT_OK if reply.ok else EXIT_FAILURE


def _nothing_named(args: argparse.Namespace) -> bool:
    return args.ply is None and args.level is None and args.mode is None


def _request(args: argparse.Namespace) -> AnyRequest | None:
    """The request, or None after saying what is wrong with the arguments."""
    import msgspec

    from botd.control import messages as m

    if args.action == "level" and (args.mode is not None if args.reset else _nothing_named(args)):
        print("botd ctl level: expected --ply, --level or --mode, or --reset alone", file=sys.stderr)
        return None
    names = ("account", "ply", "level", "mode", "text", "to", "now")
    raw: dict[str, Any] = {
        name: getattr(args, name) for name in names if getattr(args, name, None) is not None
    }
    try:
        request: AnyRequest = msgspec.convert({"command": args.action, **raw}, m.AnyRequest)
    except msgspec.ValidationError as error:
        print(f"botd ctl {args.action}: {error}", file=sys.stderr)
        return None
    return request


def _usual_socket() -> Path | None:
    from botd.control.socket import SERVICE_SOCKET, default_path

    own = default_path(os.environ)
    found = [path for path in (own, SERVICE_SOCKET) if path is not None and path.exists()]
    return found[0] if found else None


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError(f"expected seconds, above 0 and up to 3600, got {text!r}")
    return value


# -- for people ----------------------------------------------------------------------------------------------


def _show(action: str, reply: Reply) -> None:
    if not reply.ok:
        print(f"botd ctl {action}: {reply.error}", file=sys.stderr)
        for problem in reply.problems:
            print(f"  {problem}", file=sys.stderr)
        return
    result: dict[str, Any] = reply.result or {}
    match action:
        case "status":
            _show_status(result)
        case "reload":
            _show_reload(result)
        case "level":
            how = result["level"] or f"{result['ply']}-ply"
            print(f"{result['account']} plays at {how} in {result['mode']} mode")
        case "log":
            whose = f" of {result['account']}" if result["account"] else ""
            print(f"logs{whose} at level {result['level']}")
        case _:
            print("done")


def _show_status(status: dict[str, Any]) -> None:
    failing = f", {status['workers_failing']} failing" if status["workers_failing"] else ""
    print(
        f"botd {status['version']}, {status['state']} for {_duration(status['uptime_s'])}; "
        f"engine {status['engine']}, {status['workers']} worker(s){failing}; journal {status['journal']}"
    )
    rows = [("account", "server", "state", "opponent", "score", "matches", "level")]
    for account in status["accounts"]:
        state = account["state"] + (" (paused)" if account["paused"] else "")
        if account["after_match"]:
            state += f", then {account['after_match']}"
        rows.append(
            (
                account["account"],
                account["server"],
                state,
                account["opponent"] or "-",
                _score(account),
                str(account["matches"]),
                f"{account['level'] or account['ply']}{'*' if account['level_changed'] else ''}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _score(account: dict[str, Any]) -> str:
    if account["score"] is None:
        return "-"
    ours, theirs = account["score"]
    return f"{ours}-{theirs}" + (f" of {account['length']}" if account["length"] else " unlimited")


def _duration(seconds: float) -> str:
    minutes = int(seconds) // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    return f"{days} d {hours} h" if days else f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _show_reload(result: dict[str, Any]) -> None:
    for key, text in (
        ("added", "added"),
        ("removed", "removed"),
        ("changed", "changed"),
        ("after_match", "after the running match"),
        ("restart_needed", "needs a restart of botd"),
        ("warnings", "warning"),
    ):
        for item in result[key]:
            print(f"{text}: {item}")
    if not any(result.values()):
        print("nothing has changed")
