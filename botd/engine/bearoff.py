"""Bear-off databases in GNU Backgammon's formats: made, checked, and asked for exact values.

A *one-sided* database knows how many rolls a side needs when it plays alone for the fewest on average. A
*two-sided* one knows the exact equity of each pair of positions. Both number the positions of a side
(`position_index`).
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from botd import _core
from botd.engine.bearoff_folder import default_folder
from botd.engine.types import Board, Probabilities

DataError = _core.DataError
MAX_POINTS = _core.BEAROFF_MAX_POINTS
MAX_CHECKERS = 15

Progress = Callable[[float], None]
"""Called now and then with the part done, 0 to 1. What it raises stops the work and comes out of it."""


@dataclass(frozen=True, slots=True)
class OneSidedShape:
    """Size and layout of a one-sided database; the default is the one GNU Backgammon comes with.

    ValueError unless points are 1 to 18 and checkers 1 to 15.
    """

    points: int = 6
    checkers: int = 15
    gammons: bool = True
    """It holds the rolls until the first checker is off, too."""
    compressed: bool = True
    normal: bool = False
    """Mean and standard deviation in place of distributions. Such files are read, not made."""

    def __post_init__(self) -> None:
        _check_size(self.points, self.checkers)

    @property
    def header(self) -> str:
        flags = (self.gammons, self.compressed, self.normal)
        return "-".join(
            [f"gnubg-OS-{self.points:02}-{self.checkers:02}", *(str(int(flag)) for flag in flags)]
        )


@dataclass(frozen=True, slots=True)
class TwoSidedShape:
    """Size and layout of a two-sided database; the default is GNU Backgammon's usual one.

    ValueError unless points are 1 to 18 and checkers 1 to 15.
    """

    points: int = 6
    checkers: int = 6
    cubeful: bool = True
    """It holds money equities with a cube, too."""

    def __post_init__(self) -> None:
        _check_size(self.points, self.checkers)

    @property
    def header(self) -> str:
        return f"gnubg-TS-{self.points:02}-{self.checkers:02}-{self.cubeful:d}"


Shape = OneSidedShape | TwoSidedShape


class MoneyEquities(NamedTuple):
    """Exact equities of the side on roll in points for each unit of the cube, with perfect play of both.

    The three with a cube suppose that the side rolls now and doubles, if ever, from its next turn on.
    """

    cubeless: float
    owned: float
    """The side on roll owns the cube."""
    centered: float
    opponent: float
    """The other side owns the cube."""

    @property
    def double_take(self) -> float:
        """Double now, taken; in units of the cube before the double."""
        return 2 * self.opponent

    def optimal(self, no_double: float) -> float:
        """With the right to double now: `no_double` is `centered` or `owned`; the other side may pass."""
        return max(no_double, min(1.0, self.double_take))


def position_count(points: int, checkers: int) -> int:
    """Positions with at most `checkers` (0..15) checkers on `points` (1..18) points, all off included."""
    return _core.bearoff_position_count(points, checkers)


def position_index(counts: Sequence[int]) -> int:
    """The number of a position: counts[0] checkers on point 1 and so on, as many counts as points.

    0 is all off; fewer checkers have smaller numbers, and every play leads to a smaller one. Raises
    ValueError for a negative count, more than 15 checkers or more than 18 points.
    """
    return _core.bearoff_position_index(counts)


def position_counts(index: int, points: int) -> list[int]:
    """The inverse of `position_index`. Raises IndexError if there is no such position."""
    return _core.bearoff_counts(index, points)


class OneSidedDatabase:
    """A one-sided database, mapped into memory: all processes that open it share one copy.

    Opening checks the whole file and raises DataError, naming file, place and expectation, for one that is
    missing, cut, swollen or damaged.
    """

    def __init__(self, path: Path) -> None:
        self._file = _core.OneSidedDatabase(path)

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def shape(self) -> OneSidedShape:
        file = self._file
        return OneSidedShape(file.points, file.checkers, file.gammons, file.compressed, file.normal)

    @property
    def has_gammons(self) -> bool:
        return self._file.has_gammons

    @property
    def positions(self) -> int:
        return self._file.positions

    def all_off(self, index: int) -> list[int]:
        """Chance x 65535 that a side is off in exactly k rolls, k = 0..31, when it plays alone.

        Raises IndexError unless 0 <= index < positions.
        """
        return self._file.all_off(index)

    def first_off(self, index: int) -> list[int]:
        """The same for the first of fifteen checkers; with fewer on the board it is off after 0 rolls.

        Raises ValueError if the database has no gammon distributions.
        """
        return self._file.first_off(index)


class TwoSidedDatabase:
    """A two-sided database, mapped into memory. Opening checks it as far as a file of numbers can be."""

    def __init__(self, path: Path) -> None:
        self._file = _core.TwoSidedDatabase(path)

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def shape(self) -> TwoSidedShape:
        return TwoSidedShape(self._file.points, self._file.checkers, self._file.cubeful)

    @property
    def positions(self) -> int:
        """Of one side; the database has every pair of two."""
        return self._file.positions

    def equities(self, own: int, opponent: int) -> MoneyEquities:
        """Position `own` is on roll. Cubeful ones are 0 in a database without them; IndexError outside."""
        return MoneyEquities(*self._file.equities(own, opponent))


class Databases:
    """A one-sided and a two-sided database together; either may be left out.

    Boards and values are seen by the player on roll. None is answered where no database has the board: there
    must be no contact, the game not over, and both sides near enough to their end with few enough checkers.
    """

    def __init__(self, one_sided: Path | None = None, two_sided: Path | None = None) -> None:
        """Raises DataError for a missing or damaged file."""
        self._databases = _core.BearoffDatabases(one_sided, two_sided)

    @property
    def files(self) -> list[Path]:
        return self._databases.files

    def covers(self, board: Board) -> bool:
        return any(self._databases.covers(board))

    def probabilities(self, board: Board) -> Probabilities | None:
        """Cubeless outcome: exact from the two-sided database, else from the one-sided one."""
        values = self._databases.on_roll(board)
        return None if values is None else Probabilities(*values)

    def money(self, board: Board) -> MoneyEquities | None:
        """Exact money equities, from a cubeful two-sided database."""
        values = self._databases.money(board)
        return None if values is None else MoneyEquities(*values)


@dataclass(frozen=True, slots=True)
class FileReport:
    """A database file that passed its check."""

    path: Path
    shape: Shape
    size: int
    sha256: str
    positions: int
    standard: bool
    """It is the known database of a standard size, bit for bit."""
    recomputed: bool
    """Every number was computed anew and is the same."""


def check(
    path: Path, *, recompute: bool = False, threads: int = 1, progress: Progress | None = None
) -> FileReport:
    """Check a database file. Raises DataError for one that is missing or damaged.

    recompute: also compare each number with what `generate` makes, which takes as long as that does. The
    error then names the first place that differs. ValueError for a layout or size that cannot be made.
    """
    shape = read_shape(path)
    database = OneSidedDatabase(path) if isinstance(shape, OneSidedShape) else TwoSidedDatabase(path)
    if recompute:
        difference = _core.bearoff_first_difference(path, threads, progress)
        if difference is not None:
            raise DataError(f"{path}: offset {difference}: differs from the number computed anew")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileReport(
        path=path,
        shape=shape,
        size=path.stat().st_size,
        sha256=digest,
        positions=database.positions,
        standard=_core.bearoff_is_standard(path),
        recomputed=recompute,
    )


def generate(shape: Shape, path: Path, *, threads: int = 1, progress: Progress | None = None) -> None:
    """Write a database, bit for bit the one that GNU Backgammon makes; threads change only the speed.

    The file appears, or replaces an old one, only when it is complete. Raises OSError if it cannot be
    written, ValueError for a shape that is not made: too large (more than 4 GiB of memory) or normal.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise FileExistsError(errno.EEXIST, "not a regular file", str(path))  # a device, say
    if isinstance(shape, TwoSidedShape):
        _core.generate_two_sided(path, shape.points, shape.checkers, shape.cubeful, threads, progress)
        return
    if shape.normal:
        raise ValueError("normal distributions: are read, not made")
    _core.generate_one_sided(
        path, shape.points, shape.checkers, shape.gammons, shape.compressed, threads, progress
    )


def read_shape(path: Path) -> Shape:
    """What the header of a file says. Raises DataError for a file without one."""
    kind, *rest = _core.bearoff_shape(path)
    points, checkers, *flags = rest
    if kind == "one-sided":
        return OneSidedShape(points, checkers, *map(bool, flags))
    return TwoSidedShape(points, checkers, *map(bool, flags))


def default_path(shape: Shape) -> Path:
    """A place in `default_folder`, under GNU Backgammon's name for the two usual databases."""
    if shape == OneSidedShape():
        return default_folder() / "gnubg_os0.bd"
    if shape == TwoSidedShape():
        return default_folder() / "gnubg_ts0.bd"
    return default_folder() / f"{shape.header}.bd"


def _check_size(points: int, checkers: int) -> None:
    for what, value, most in (("points", points, MAX_POINTS), ("checkers", checkers, MAX_CHECKERS)):
        if not 1 <= value <= most:
            raise ValueError(f"{what}: expected 1 to {most}, got {value}")
