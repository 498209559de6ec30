"""What can be told of a configuration without starting anything: its file, and the files that it names."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from botd.config.lines import KeyPath
from botd.config.load import Loaded, by_line, load_config
from botd.config.problems import ConfigError, Problem
from botd.files import expect_regular_file
from botd.printable import printable

_Complaint = tuple[KeyPath, str, str]
"""The key, what is wrong, and what to do."""
_SQLITE_START = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Report:
    """What was found."""

    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    loaded: Loaded | None
    """The configuration, if its file is in order (what it names may still not be)."""


def check(path: Path, environment: Mapping[str, str] | None = None) -> Report:
    """Read a configuration and look at every file and folder that it names."""
    environment = os.environ if environment is None else environment
    try:
        loaded = load_config(path, environment, in_service=False)
    except ConfigError as error:
        return Report(tuple(error.problems), (), None)
    complaints = (*_evaluator(loaded), *_broker(loaded), *_places(loaded, environment))
    problems = [loaded.blame(key, printable(what), hint) for key, what, hint in complaints]
    return Report(tuple(by_line(problems)), loaded.warnings, loaded)


def _evaluator(loaded: Loaded) -> Iterator[_Complaint]:
    """Whether the data of the evaluator is there and whole."""
    from botd import paths  # noqa: PLC0415 - the engine is not needed to read a configuration
    from botd.engine.gnubg_data import GnubgDataNotFound, find_gnubg_data  # noqa: PLC0415
    from botd.engine.puretd_engine import PuretdEngine  # noqa: PLC0415

    key = ("engine", "evaluator")
    money, plus, matches = loaded.config.engine.evaluator.rpartition("+")
    if plus:
        try:
            PuretdEngine.load(Path(money.removeprefix("puretd:")))
        except ValueError as error:
            yield key, str(error), "botd-engine import-net makes such a file of PureTD's"
    try:
        if matches == "sage":
            paths.sage_assets()
        else:
            find_gnubg_data(matches.partition(":")[2] or None)
    except GnubgDataNotFound as error:
        yield key, str(error), ""
    except FileNotFoundError as error:
        yield key, str(error), ""


def _broker(loaded: Loaded) -> Iterator[_Complaint]:
    from botd.mqtt.client import MqttSetupError, tls_context  # noqa: PLC0415 - only where a broker is used

    if loaded.config.mqtt.enabled:
        try:
            tls_context(loaded.config.mqtt)
        except MqttSetupError as error:
            key = str(error).partition(" ")[0]
            yield ("mqtt", key), str(error).removeprefix(f"{key} "), "expected files in PEM format"


def _places(loaded: Loaded, environment: Mapping[str, str]) -> Iterator[_Complaint]:
    """Files and folders that the daemon writes."""
    from botd.control.socket import MAX_PATH, default_path  # noqa: PLC0415
    from botd.daemon.locks import state_directory  # noqa: PLC0415

    config = loaded.config
    yield from _journal(config.journal.path)
    if config.journal.mat_directory is not None:
        yield from _folder(("journal", "mat_directory"), config.journal.mat_directory)
    yield from _folder(
        ("daemon", "state_directory"), config.daemon.state_directory or state_directory(environment)
    )
    socket = config.control.path or default_path(environment)
    if config.control.enabled and socket is not None:
        if len(os.fsencode(socket)) > MAX_PATH:
            what = f"{socket}: longer than {MAX_PATH} bytes, the most that a socket's name can have"
            yield ("control", "path"), what, "choose a shorter one, such as /run/botd/botd.sock"
        else:
            yield from _folder(("control", "path"), socket.parent)


def _journal(path: Path) -> Iterator[_Complaint]:
    key = ("journal", "path")
    if path.is_dir():
        yield key, f"{path}: is a folder, expected a file", f"did you mean {path / 'botd.sqlite3'}?"
        return
    if path.exists():
        try:
            expect_regular_file(path)
            with path.open("r+b") as file:  # not changed, but it has to be possible
                start = file.read(len(_SQLITE_START))
        except OSError as error:
            yield key, f"{path}: cannot be written: {error.strerror}", _permission_hint(error)
            return
        if start and start != _SQLITE_START:
            yield key, f"{path}: there is a file that is no journal", "name another one"
            return
    yield from _folder(key, path.parent)


def _folder(key: KeyPath, folder: Path) -> Iterator[_Complaint]:
    """Whether files can be made in a folder, or the folder itself made."""
    try:
        there = next(each for each in (folder, *folder.parents) if each.exists())
        if not there.is_dir():
            yield key, f"{there}: is a file, expected a folder", ""
            return
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        what = f"{folder}: cannot be written" if there == folder else f"{folder}: cannot be made in {there}"
        yield key, f"{what}: {error.strerror}", _permission_hint(error)


def _permission_hint(error: OSError) -> str:
    return "is this the user that botd will run as?" if isinstance(error, PermissionError) else ""
