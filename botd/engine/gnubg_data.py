"""Finds GNU Backgammon's data files on this machine: network weights and bear-off databases.

They are under the GPL and therefore not part of botd. Installed packages are only looked at, never imported.
"""

from __future__ import annotations

import importlib.util
import os
import stat
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT_VARIABLE = "BOTD_GNUBG_DATA"
"""Folders or weight files to look at first, separated like those of PATH."""

WEIGHT_FILES = ("gnubg.wd", "gnubg.weights")
"""Binary and text form; a folder that has both is read in this order."""
ONE_SIDED_FILES = ("gnubg_os0.bd", "gnubg_os.db", "gnubg_os.bd")
TWO_SIDED_FILES = ("gnubg_ts0.bd", "gnubg_ts.bd")

PROFILE_VERSIONS = {"A": "1.00", "B": "1.01"}
"""Weight file version that belongs to each profile."""

HOW_TO_GET = (
    "install the Debian package gnubg-data (weights 1.00, profile A; `apt install gnubg-data`) or the "
    "Python package gnubg-nn (weights 1.01, profile B; `pip install 'gnubg-nn>=1.1.0a11'`, a pre-release), "
    f"or name a weight file or its folder in {ENVIRONMENT_VARIABLE}"
)

_PACKAGES = ("gnubg", "gnubg_nn")
_SYSTEM_FOLDERS = (
    "/usr/share/gnubg",
    "/usr/lib/gnubg",
    "/var/lib/gnubg",
    "/usr/games",
    "/usr/share/games/gnubg",
    "/usr/local/share/gnubg",
    "/usr/local/lib/gnubg",
)
_BINARY_HEADER = struct.Struct("<2f")
_BINARY_MAGIC = struct.unpack("<f", struct.pack("<f", 472.3782))[0]
_TEXT_START = b"GNU Backgammon "
_HEADER_BYTES = 64


class GnubgDataNotFound(FileNotFoundError):
    """No weight file; the message, one line, names every place tried and how to get the files."""


@dataclass(frozen=True, slots=True)
class GnubgDataFiles:
    """Where the files of one engine are."""

    weights: Path
    version: str | None
    """Of the weights, `1.00` or `1.01`; None if the file does not say (reading it will tell why)."""
    one_sided: Path | None
    two_sided: Path | None
    origin: str
    """The kind of place the weights were found in, for people."""


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    """A folder, or a weight file."""
    origin: str


def find_gnubg_data(
    profile: str | None = None, weights: Path | None = None, *, databases: tuple[Path, ...] = ()
) -> GnubgDataFiles:
    """The files for a profile, `A` (weights 1.00) or `B` (1.01); with None 1.01 is preferred.

    `weights`, a file or a folder, is taken whatever its version if it is given. Otherwise this looks at
    BOTD_GNUBG_DATA, the installed packages gnubg and gnubg-nn, the folders of Debian's gnubg-data and
    ~/.gnubg. Databases come from the folder of the weights, else from `databases` (folders), else from any of
    those places; one that is nowhere is None.

    Raises GnubgDataNotFound, and ValueError for an unknown profile.
    """
    if profile is not None and profile not in PROFILE_VERSIONS:
        raise ValueError(f"profile: expected A or B, got {profile[:40]!r}")
    places = list(_places())
    if weights is not None:
        files = _weight_files(weights)
        if not files:
            raise GnubgDataNotFound(f"{weights}: expected gnubg's weights, {_what_is_missing(weights)}")
        fitting = [file for file in files if weights_version(file) == PROFILE_VERSIONS.get(profile or "B")]
        return _with_databases([*fitting, *files][0], "configured path", places, databases)

    wanted = [PROFILE_VERSIONS[profile]] if profile else [PROFILE_VERSIONS["B"], PROFILE_VERSIONS["A"]]
    for version in wanted:
        for place in places:
            for file in _weight_files(place.path):
                if weights_version(file) == version:
                    return _with_databases(file, place.origin, places, databases)
    raise GnubgDataNotFound(
        f"gnubg's weights {' or '.join(wanted)} not found; tried "
        + ", ".join(f"{place.path} ({_what_is_there(place.path)})" for place in places)
        + f"; {HOW_TO_GET}"
    )


def weights_version(file: Path) -> str | None:
    """Version in the header of a weight file, text or binary, such as `1.01`; None without such a header."""
    try:
        with file.open("rb") as stream:
            start = stream.read(_HEADER_BYTES)
    except OSError:
        return None
    if start.startswith(_TEXT_START):
        version = start.removeprefix(_TEXT_START).split(b"\n")[0].strip()
        return version.decode("ascii", "replace") if len(version) <= 8 else None
    if len(start) >= _BINARY_HEADER.size:
        magic, number = _BINARY_HEADER.unpack_from(start)
        if magic == _BINARY_MAGIC and 0.0 < number < 100.0:
            return f"{number:.2f}"
    return None


def _places() -> Iterator[_Place]:
    for text in os.environ.get(ENVIRONMENT_VARIABLE, "").split(os.pathsep):
        if text:
            yield _Place(_expanded(Path(text)), f"environment variable {ENVIRONMENT_VARIABLE}")
    for package in _PACKAGES:
        for folder in _package_folders(package):
            yield _Place(folder / "data", f"Python package {package.replace('_', '-')}")
    for text in _SYSTEM_FOLDERS:
        yield _Place(Path(text), "system folder")
    home = os.environ.get("HOME")
    if home:
        yield _Place(Path(home) / ".gnubg", "home folder")


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # no such user, or one without a home folder
        return path


def _package_folders(package: str) -> list[Path]:
    """Folders of an installed package, found without running any of its code."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return [Path(location) for location in (spec.submodule_search_locations or [])] if spec else []


def _weight_files(path: Path) -> list[Path]:
    """The weight files that `path` is or holds."""
    candidates = [path / name for name in WEIGHT_FILES] if _is(stat.S_ISDIR, path) else [path]
    return [file for file in candidates if _is(stat.S_ISREG, file)]


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether a file of this kind is there. One that may not be looked at is not."""
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _with_databases(
    weights: Path, origin: str, places: list[_Place], databases: tuple[Path, ...]
) -> GnubgDataFiles:
    folders = [weights.parent, *databases, *(place.path for place in places)]
    return GnubgDataFiles(
        weights=weights,
        version=weights_version(weights),
        one_sided=_first_file(folders, ONE_SIDED_FILES),
        two_sided=_first_file(folders, TWO_SIDED_FILES),
        origin=origin,
    )


def _first_file(folders: list[Path], names: tuple[str, ...]) -> Path | None:
    candidates = (folder / name for folder in folders for name in names)
    return next((file for file in candidates if _is(stat.S_ISREG, file)), None)


def _what_is_missing(path: Path) -> str:
    if _is(stat.S_ISDIR, path):
        return f"the folder holds neither {' nor '.join(WEIGHT_FILES)}"
    try:
        path.stat()
    except FileNotFoundError:
        return "there is no such file or folder"
    except OSError as error:
        return str(error.strerror)
    return "it is no file or folder"


def _what_is_there(path: Path) -> str:
    files = [(file.name, weights_version(file)) for file in _weight_files(path)]
    if not files:
        return "no weight file" if _is(stat.S_ISDIR, path) else "not there"
    return " and ".join(
        f"{name} of version {version}" if version else f"{name} is no weight file" for name, version in files
    )
