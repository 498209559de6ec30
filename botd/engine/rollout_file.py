"""Rollouts in files, to go on with: the question, the way it is rolled out, by what, and the games so far.

JSON, covered by `sha256`. Nothing in a file is gone on from that does not fit the engine at hand.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from botd import _core
from botd.engine.core_arguments import checked_board, cube_state
from botd.engine.network_file import write_content
from botd.engine.rollout import MAX_GAMES, MAX_SEED, Kept, RolloutSettings
from botd.engine.types import EngineInfo, GameContext

FORMAT = "botd rollout"
VERSION = 1
MAX_BYTES = 1 << 30
"""Of a file. A game takes 22 bytes for each position."""

_Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 20)]
_Text = Annotated[str, msgspec.Meta(max_length=200)]


class RolloutFileError(ValueError):
    """One line naming the file and what is wrong with it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """What is rolled out, as it was asked."""

    position: str
    """An identifier with the score."""
    dice: tuple[int, int] | None
    """None: whether to double."""
    at_least: int
    """Plays that are rolled out."""
    level: str


class _Settings(msgspec.Struct, forbid_unknown_fields=True):
    games: Annotated[int, msgspec.Meta(ge=1, le=MAX_GAMES)]
    truncate: _Number
    play_ply: _Number
    cube_ply: _Number
    truncation_ply: _Number
    late_ply: _Number
    late_from: _Number | None
    cubeless_from: _Number | None
    searched_selection: bool
    seed: Annotated[int, msgspec.Meta(ge=0, le=MAX_SEED)]
    batch: Annotated[int, msgspec.Meta(ge=1, le=MAX_GAMES)] | None
    target: float | None


class _Engine(msgspec.Struct, forbid_unknown_fields=True):
    version: _Text
    evaluator: _Text
    mode: _Text
    cpu_path: _Text
    weights_sha256: _Text
    met: _Text


class _Games(msgspec.Struct, forbid_unknown_fields=True):
    board: tuple[int, ...]
    ranges: list[tuple[int, int]]
    passed: int
    chances: list[tuple[int, int]]
    values: bytes


class _Rollout(msgspec.Struct, forbid_unknown_fields=True):
    position: _Text
    dice: tuple[int, int] | None
    at_least: _Number
    level: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z]{1,8}\Z")]
    settings: _Settings
    engine: _Engine
    positions: list[_Games]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    version: int
    sha256: str
    rollout: msgspec.Raw


class _Head(msgspec.Struct):
    format: str
    version: int


class SavedRollout:
    """What a file says. Its games come out once the engine is there."""

    def __init__(self, name: str, rollout: _Rollout) -> None:
        self._name = name
        self._rollout = rollout
        with _told(name):
            self.settings = RolloutSettings(**msgspec.structs.asdict(rollout.settings))
        self.question = Question(rollout.position, rollout.dice, rollout.at_least, rollout.level)

    def extended(self, games: int | None, target: float | None = None) -> RolloutSettings:
        """The settings for so many games in all or to another standard error.

        RolloutFileError if the games in the file cannot be among these.
        """
        if games is not None and self.settings.target is not None:
            raise RolloutFileError(f"{self._name}: expected a target, as it has, not a number of games")
        if target is not None:
            if self.settings.target is None:
                raise RolloutFileError(f"{self._name}: expected a number of games, as it has, not a target")
            return dataclasses.replace(self.settings, target=target)
        if games is None:
            return self.settings
        if games < self.settings.games:
            raise RolloutFileError(f"{self._name}: expected {self.settings.games} games or more, got {games}")
        settings = dataclasses.replace(self.settings, games=games)
        if settings.first_roll_luck != self.settings.first_roll_luck:
            wanted = "no multiple" if self.settings.first_roll_luck else "a multiple"
            raise RolloutFileError(
                f"{self._name}: expected {wanted} of 36 games, as the {self.settings.games} that are in it; "
                f"got {games}"
            )
        return settings

    def games(self, info: EngineInfo, context: GameContext) -> Kept:
        """The games, for an engine to go on with; RolloutFileError unless it is the very same.

        context: the score and cube of the positions, seen by the side on roll in them.
        """
        for name, here in _engine(info).items():
            there = getattr(self._rollout.engine, name)
            if here != there:
                raise RolloutFileError(
                    f"{self._name}: expected {name} {here!r}, as of this engine, got {there[:80]!r}"
                )
        kept: Kept = {}
        for games in self._rollout.positions:
            with _told(self._name):
                board = checked_board(games.board)
                sums = _core.RolloutSums.restored(
                    evaluator=info.identity,
                    board=board,
                    state=cube_state(context),
                    settings=self.settings.core(),
                    ranges=games.ranges,
                    values=games.values,
                    passed=games.passed,
                    chances=games.chances,
                )
            if board in kept or any(first + count > self.settings.games for first, count in sums.ranges):
                raise RolloutFileError(
                    f"{self._name}: expected at most {self.settings.games} games of each position"
                )
            kept[board] = sums
        return kept


@contextlib.contextmanager
def _told(name: str) -> Iterator[None]:
    """Errors of the core's conversions as one line naming the file."""
    try:
        yield
    except (TypeError, OverflowError):
        raise RolloutFileError(f"{name}: expected numbers of 64 bits") from None
    except ValueError as error:
        raise RolloutFileError(f"{name}: {error}") from None


def write_rollout(
    path: Path, question: Question, settings: RolloutSettings, info: EngineInfo, kept: Kept
) -> None:
    """Write the file, which has its old content or all of the new one. Raises OSError."""
    rollout = msgspec.json.encode(
        {
            **dataclasses.asdict(question),
            "settings": dataclasses.asdict(settings),
            "engine": _engine(info),
            "positions": [
                {
                    "board": board,
                    "ranges": sums.ranges,
                    "passed": sums.passed,
                    "chances": sums.chances,
                    "values": sums.values,
                }
                for board, sums in kept.items()
            ],
        }
    )
    file = _File(FORMAT, VERSION, hashlib.sha256(rollout).hexdigest(), msgspec.Raw(rollout))
    write_content(msgspec.json.encode(file) + b"\n", path)


def read_rollout(path: Path) -> SavedRollout:
    """Raises OSError if the file cannot be read, RolloutFileError for anything that is no rollout."""
    name = str(path)
    if path.exists() and not path.is_file():
        raise RolloutFileError(f"{name}: expected a file")
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise RolloutFileError(f"{name}: expected at most {MAX_BYTES} bytes")
    return SavedRollout(name, _parsed(content, name))


def _parsed(content: bytes, name: str) -> _Rollout:
    try:
        head = msgspec.json.decode(content, type=_Head)
        if head.format != FORMAT:
            raise RolloutFileError(f"{name}: expected format {FORMAT!r}, got {head.format[:40]!r}")
        if head.version != VERSION:
            raise RolloutFileError(f"{name}: expected version {VERSION}, got {str(head.version)[:20]}")
        file = msgspec.json.decode(content, type=_File)
        if hashlib.sha256(file.rollout).hexdigest() != file.sha256:
            raise RolloutFileError(f"{name}: expected the content that was written, but it was changed")
        return msgspec.json.decode(file.rollout, type=_Rollout)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RolloutFileError(f"{name}: expected a saved rollout: {ascii(str(error))[1:-1][:200]}") from None


def _engine(info: EngineInfo) -> dict[str, str]:
    return {
        "version": info.version,
        "evaluator": info.evaluator,
        "mode": info.mode.value,
        "cpu_path": info.cpu_path,
        "weights_sha256": info.weights_sha256,
        "met": info.met,
    }
