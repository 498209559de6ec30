"""Generated files: gnubg's bit for bit, the same on any number of threads, and never half a file."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from botd import _core
from botd.engine import bearoff
from botd.engine.bearoff import OneSidedShape, TwoSidedShape
from tests.bearoff import brute_force
from tests.bearoff.conftest import GNUBG_ONE_SIDED
from tests.tolerances import TWO_SIDED_ROUNDING

ONE_SIDED_SHA256 = "38089567e87a681682bb4ff53f30d781af215fc04debbdff3f61b6db68547a49"
TWO_SIDED_SHA256 = "9eac8a2c697dae8a09f2e5653022084b9e725df6c32950cb5299b273fc64500f"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_standard_databases_are_gnubgs(one_sided: Path, two_sided: Path) -> None:
    assert sha256(one_sided) == ONE_SIDED_SHA256 == sha256(GNUBG_ONE_SIDED)
    assert sha256(two_sided) == TWO_SIDED_SHA256


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(one_sided: Path, two_sided: Path, tmp_path: Path, threads: int) -> None:
    path = tmp_path / "threads.bd"
    _core.generate_one_sided(path, threads=threads)
    assert path.read_bytes() == one_sided.read_bytes()
    _core.generate_two_sided(path, threads=threads)
    assert path.read_bytes() == two_sided.read_bytes()


@pytest.mark.parametrize(("points", "checkers"), [(3, 5), (1, 15), (2, 15), (8, 3), (10, 2)])
def test_one_sided_against_brute_force(tmp_path: Path, points: int, checkers: int) -> None:
    path = tmp_path / "small.bd"
    _core.generate_one_sided(path, points, checkers)
    database = _core.OneSidedDatabase(path)
    positions = brute_force.sides(points, checkers)
    assert database.positions == len(positions)
    for index, side in enumerate(positions):
        assert tuple(database.all_off(index)) == brute_force.stored_rolls(side)
        assert tuple(database.first_off(index)) == brute_force.stored_first(side)


@pytest.mark.parametrize(("points", "checkers"), [(3, 3), (6, 1), (7, 2)])
def test_two_sided_against_brute_force(tmp_path: Path, points: int, checkers: int) -> None:
    path = tmp_path / "small.bd"
    _core.generate_two_sided(path, points, checkers)
    database = _core.TwoSidedDatabase(path)
    positions = brute_force.sides(points, checkers)
    for i, own in enumerate(positions):
        for j, opponent in enumerate(positions):
            expected = [
                2 * brute_force.win(own, opponent) - 1,
                *(brute_force.cubeful(own, opponent, cube) for cube in ("own", "centre", "opponent")),
            ]
            assert database.equities(i, j) == pytest.approx(
                list(map(float, expected)), abs=TWO_SIDED_ROUNDING
            )


def test_progress_grows_to_one(tmp_path: Path) -> None:
    for generate in (_core.generate_one_sided, _core.generate_two_sided):
        seen: list[float] = []
        generate(tmp_path / "progress.bd", 6, 5, threads=2, progress=seen.append)
        assert seen == sorted(seen)
        assert seen[0] > 0
        assert seen[-1] == pytest.approx(1, abs=0.01)


class Stop(Exception):
    pass


def stop_at(part: float) -> object:
    def progress(done: float) -> None:
        if done >= part:
            raise Stop

    return progress


@pytest.mark.parametrize("generate", [_core.generate_one_sided, _core.generate_two_sided])
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("part", [0, 0.5])
def test_stopping_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, generate: object, threads: int, part: float
) -> None:
    path = tmp_path / "stopped.bd"
    path.write_bytes(b"old")
    with pytest.raises(Stop):
        generate(path, threads=threads, progress=stop_at(part))  # type: ignore[operator]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


FULL_DISK = """
import resource, signal, sys
from botd import _core
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    _core.generate_one_sided(sys.argv[1])
except OSError as error:
    print(type(error).__name__, error)
"""


def test_a_file_that_cannot_be_written_whole_does_not_appear(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: writing fails in the middle."""
    path = tmp_path / "large.bd"
    result = subprocess.run(
        [sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, timeout=120, check=True
    )
    assert result.stdout == f"OSError [Errno 27] File too large: '{path}'\n"
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none/file\.bd"):
        _core.generate_one_sided(tmp_path / "none" / "file.bd")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        _core.generate_two_sided(tmp_path / "file" / "file.bd")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        _core.generate_one_sided(tmp_path / "folder", 2, 2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileExistsError):
        _core.generate_one_sided(tmp_path / "pipe", 2, 2)
    with pytest.raises(FileExistsError, match="not a regular file"):
        bearoff.generate(OneSidedShape(2, 2), tmp_path / "pipe")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "pipe"]


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    path = tmp_path / "made.bd"
    _core.generate_one_sided(path, 2, 2)
    assert path.stat().st_mode == ordinary.stat().st_mode
    assert os.access(path, os.R_OK)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((0, 15), "points: expected 1 to 18, got 0"),
        ((19, 15), "points: expected 1 to 18, got 19"),
        ((6, 0), "checkers: expected 1 to 15, got 0"),
        ((6, 16), "checkers: expected 1 to 15, got 16"),
        ((18, 15), r"18 points and 15 checkers takes \d+ MiB of memory to make; expected .* at most 4096"),
    ],
)
def test_sizes_that_are_refused(tmp_path: Path, arguments: tuple[int, int], expected: str) -> None:
    for generate in (_core.generate_one_sided, _core.generate_two_sided):
        with pytest.raises(ValueError, match=expected):
            generate(tmp_path / "file.bd", *arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("threads", [0, -1, 257])
def test_threads_that_are_refused(tmp_path: Path, threads: int) -> None:
    with pytest.raises(ValueError, match=rf"threads: expected 1 to 256, got {threads}"):
        _core.generate_one_sided(tmp_path / "file.bd", threads=threads)


def test_sizes_agree_where_they_overlap(tmp_path: Path) -> None:
    """What a position is worth does not depend on how many more points or checkers a database has."""
    sides = brute_force.sides(6, 3)
    small, large = tmp_path / "small.bd", tmp_path / "large.bd"
    bearoff.generate(OneSidedShape(6, 3), small)
    bearoff.generate(OneSidedShape(8, 4), large)
    rolls, more_rolls = bearoff.OneSidedDatabase(small), bearoff.OneSidedDatabase(large)
    numbers = {i: bearoff.position_index([*side, 0, 0]) for i, side in enumerate(sides)}
    for number, larger in numbers.items():
        assert rolls.all_off(number) == more_rolls.all_off(larger)
    bearoff.generate(TwoSidedShape(6, 3), small)
    bearoff.generate(TwoSidedShape(8, 4), large, threads=3)
    pairs, more_pairs = bearoff.TwoSidedDatabase(small), bearoff.TwoSidedDatabase(large)
    for own, larger_own in numbers.items():
        for opponent, larger_opponent in numbers.items():
            assert pairs.equities(own, opponent) == more_pairs.equities(larger_own, larger_opponent)
