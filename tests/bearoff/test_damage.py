"""A file that is not what it should be gives one clear error or possible numbers, never anything else."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from botd import _core

Reader = type[_core.OneSidedDatabase] | type[_core.TwoSidedDatabase]
READERS: list[Reader] = [_core.OneSidedDatabase, _core.TwoSidedDatabase]


def reader_of(name: str) -> Reader:
    return _core.OneSidedDatabase if name.startswith("one") else _core.TwoSidedDatabase


def numbers(database: _core.OneSidedDatabase | _core.TwoSidedDatabase) -> Iterator[object]:
    """Everything that is in a database."""
    if isinstance(database, _core.TwoSidedDatabase):
        for own in range(database.positions):
            for opponent in range(database.positions):
                yield database.equities(own, opponent)
        return
    for index in range(database.positions):
        yield database.all_off(index)
        if database.has_gammons:
            yield database.first_off(index)


def refused(reader: Reader, path: Path, expected: str) -> None:
    with pytest.raises(_core.DataError, match=expected) as error:
        reader(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file(reader: Reader, tmp_path: Path) -> None:
    refused(reader, tmp_path / "none", "no such file, expected a (one|two)-sided bear-off database")
    refused(reader, tmp_path, "a folder, expected")
    empty = tmp_path / "empty"
    empty.touch()
    refused(reader, empty, "an empty file, expected")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused(reader, pipe, "not a regular file, expected")
    refused(reader, Path("/dev/zero"), "not a regular file, expected")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    refused(reader, loop, "symbolic links, expected")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "data", [b"x", b"gnubg-OS-06", b"PK\3\4" + b"x" * 100, b"\0" * 5000, b"gnubg-H" * 20]
)
def test_what_is_no_database(reader: Reader, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(data)
    refused(
        reader, path, "expected a bear-off database|expected a file that begins with gnubg-OS or gnubg-TS"
    )


def test_the_other_kind_of_database(one_sided: Path, two_sided: Path) -> None:
    refused(_core.OneSidedDatabase, two_sided, "a two-sided bear-off database, expected a one-sided one")
    refused(_core.TwoSidedDatabase, one_sided, "a one-sided bear-off database, expected a two-sided one")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (b"gnubg-OS-00-15-1-1-0", "offset 9: the number of points is 0, expected 1 to 18"),
        (b"gnubg-OS-19-15-1-1-0", "offset 9: the number of points is 19, expected 1 to 18"),
        (b"gnubg-OS-06-16-1-1-0", "offset 12: the number of checkers is 16, expected 1 to 15"),
        (b"gnubg-OS-6-15-1-1-0", r"offset 10: '-', expected a digit of the number of points"),
        (b"gnubg-OS-06-15-2-1-0", r"offset 15: '2', expected 0 or 1 \(gammon distributions\)"),
        (b"gnubg-OS-06-15-1-\xff-0", r"offset 17: byte 0xff, expected 0 or 1 \(compressed\)"),
        (b"gnubg-OS-06-15-1-1-0y", "offset 20: 'y', expected padding"),
        (b"gnubg-OS_06-15-1-1-0", "offset 8: '_', expected '-'"),
    ],
)
def test_headers(tmp_path: Path, header: bytes, expected: str) -> None:
    path = tmp_path / "header"
    path.write_bytes(header.ljust(39, b"x") + b"\n" + b"\0" * 1000)
    refused(_core.OneSidedDatabase, path, expected)


def test_a_header_of_the_largest_size_claims_nothing(tmp_path: Path) -> None:
    """Numbers that a cut file cannot hold are computed without overflow."""
    path = tmp_path / "huge"
    for header, reader in (
        (b"gnubg-OS-18-15-1-1-0", _core.OneSidedDatabase),
        (b"gnubg-OS-18-15-1-0-0", _core.OneSidedDatabase),
        (b"gnubg-OS-18-15-1-0-1", _core.OneSidedDatabase),
        (b"gnubg-TS-18-15-1", _core.TwoSidedDatabase),
        (b"gnubg-TS-18-15-0", _core.TwoSidedDatabase),
    ):
        path.write_bytes(header.ljust(39, b"x") + b"\n" + b"\0" * 1000)
        refused(reader, path, r"1040 bytes, expected (at least the )?\d{10,}")


@pytest.mark.parametrize("name", ["one_00", "one_01", "one_10", "one_11", "two_0", "two_1"])
def test_cut_at_every_byte_or_swollen(small: dict[str, Path], tmp_path: Path, name: str) -> None:
    data = small[name].read_bytes()
    path = tmp_path / "changed"
    places = range(len(data)) if len(data) < 4000 else random.Random(1).sample(range(len(data)), 1000)
    for place in places:
        path.write_bytes(data[:place])
        refused(reader_of(name), path, "expected")
    for more in (b"\0", b"x" * 7, data):
        path.write_bytes(data + more)
        refused(reader_of(name), path, "expected")


@pytest.mark.parametrize("standard", ["one_sided", "two_sided"])
def test_every_changed_bit_of_a_standard_database_is_noticed(
    standard: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    data = bytearray(request.getfixturevalue(standard).read_bytes())
    path = tmp_path / "changed"
    path.write_bytes(data)
    rng = random.Random(1)
    places = [*range(40 * 8), *range(len(data) * 8 - 64, len(data) * 8)]
    places += [rng.randrange(len(data) * 8) for _ in range(300)]
    with path.open("r+b") as file:
        for bit in places:
            changed = data[bit // 8] ^ 1 << bit % 8
            os.pwrite(file.fileno(), bytes([changed]), bit // 8)
            refused(reader_of(standard), path, "expected")
            os.pwrite(file.fileno(), data[bit // 8 : bit // 8 + 1], bit // 8)
    reader_of(standard)(path)


@pytest.mark.parametrize("name", ["one_00", "one_01", "one_10", "one_11", "two_0", "two_1"])
def test_changed_bits_of_other_databases_never_crash(
    small: dict[str, Path], tmp_path: Path, name: str
) -> None:
    """Not every change can show, but every number that comes out is possible."""
    data = small[name].read_bytes()
    path = tmp_path / "changed"
    rng = random.Random(1)
    for _ in range(600):
        changed = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 50])):
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        try:
            database = reader_of(name)(path)
        except _core.DataError as error:
            assert str(error).startswith(str(path))  # noqa: PT017
            continue
        for value in numbers(database):
            if isinstance(value, tuple):
                assert all(-1 <= equity <= 1 for equity in value)
            elif not database.normal:  # type: ignore[union-attr]
                assert sum(value) == 65535  # type: ignore[call-overload]


@pytest.mark.parametrize("name", ["one_01", "one_11"])
def test_every_changed_byte_of_a_compressed_index_is_refused_or_stays_in_bounds(
    small: dict[str, Path], tmp_path: Path, name: str
) -> None:
    data = small[name].read_bytes()
    path = tmp_path / "changed"
    size = 8 if name == "one_11" else 6
    for record in (0, 1, 135):
        for field in range(size):
            for value in (0, 1, 2, 31, 32, 33, 127, 128, 255):
                changed = bytearray(data)
                place = 40 + record * size + field
                if changed[place] == value:
                    continue
                changed[place] = value
                path.write_bytes(changed)
                if field in (5, 7) and value < 32:  # a shift by whole rolls keeps every sum
                    try:
                        assert sum(_core.OneSidedDatabase(path).all_off(record)) == 65535
                    except _core.DataError as error:
                        assert "expected rolls within 0 to 31" in str(error)  # noqa: PT017
                    continue
                refused(_core.OneSidedDatabase, path, "expected")
