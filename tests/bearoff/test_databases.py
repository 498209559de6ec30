"""Readers give the numbers of gnubg's databases, whatever the layout."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import pytest

from botd import _core
from tests.bearoff.conftest import GNUBG_ONE_SIDED


def test_gnubgs_one_sided_database(records: list[dict[str, Any]]) -> None:
    database = _core.OneSidedDatabase(GNUBG_ONE_SIDED)
    assert database.path == GNUBG_ONE_SIDED
    assert (database.points, database.checkers, database.positions) == (6, 15, 54264)
    assert database.has_gammons
    assert database.compressed
    assert not database.normal
    samples = [record for record in records if "one_sided" in record]
    assert len(samples) == 64
    for record in samples:
        assert database.all_off(record["index"]) == record["all_off"]
        assert database.first_off(record["index"]) == record["first_off"]


def test_two_sided_records(records: list[dict[str, Any]], two_sided: Path) -> None:
    database = _core.TwoSidedDatabase(two_sided)
    assert (database.points, database.checkers, database.positions) == (6, 6, 924)
    assert database.cubeful
    samples = [record for record in records if "two_sided" in record]
    assert len(samples) == 60
    for record in samples:
        own, opponent = divmod(record["record"], 924)
        expected = [value / 32767.5 - 1 for value in record["values"]]
        # Only the rounding to single precision differs.
        assert database.equities(own, opponent) == pytest.approx(expected, abs=1e-7)


def test_all_layouts_hold_the_same_distributions(small: dict[str, Path]) -> None:
    databases = {name: _core.OneSidedDatabase(path) for name, path in small.items() if name.startswith("one")}
    full = databases["one_11"]
    for name, database in databases.items():
        assert database.has_gammons == (name[4] == "1")
        assert database.compressed == (name[5] == "1")
        for index in range(full.positions):
            assert database.all_off(index) == full.all_off(index)
            if database.has_gammons:
                assert database.first_off(index) == full.first_off(index)


def test_a_cubeless_database_holds_the_cubeless_part(small: dict[str, Path]) -> None:
    cubeful = _core.TwoSidedDatabase(small["two_1"])
    cubeless = _core.TwoSidedDatabase(small["two_0"])
    assert cubeful.cubeful
    assert not cubeless.cubeful
    for own in range(cubeful.positions):
        for opponent in range(cubeful.positions):
            expected = cubeful.equities(own, opponent)[0]
            assert cubeless.equities(own, opponent) == (expected, 0.0, 0.0, 0.0)


def normal_database(path: Path, values: list[tuple[float, float, float, float]]) -> Path:
    """One checker on as many points as there are values less one."""
    header = f"gnubg-OS-{len(values) - 1:02}-01-0-0-1".encode().ljust(39, b"x") + b"\n"
    path.write_bytes(header + b"".join(struct.pack("<4f", *value) for value in values))
    return path


def test_normal_distributions(tmp_path: Path) -> None:
    values = [(0.0, 0.0, 0.0, 0.0), (7.25, 1.5, 1.0, 0.0), (0.5, 0.01, 31.0, 3.0)]
    database = _core.OneSidedDatabase(normal_database(tmp_path / "normal.bd", values))
    assert database.normal
    assert database.has_gammons

    def density(mean: float, deviation: float) -> list[int]:
        return [
            round(
                65535 * math.exp(-(((k - mean) / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
            )
            for k in range(32)
        ]

    assert database.all_off(0) == database.first_off(0) == [65535] + [0] * 31
    assert database.all_off(1) == density(7.25, 1.5)
    assert database.first_off(1) == [0, 65535] + [0] * 30
    assert database.first_off(2) == density(31, 3)
    assert database.all_off(2) == [0] * 32  # a peak that misses every whole number


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 32.0, 1e30])
@pytest.mark.parametrize("place", range(4))
def test_absurd_normal_distributions(tmp_path: Path, value: float, place: int) -> None:
    values = [(0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0)]
    path = normal_database(tmp_path / "normal.bd", values)
    data = bytearray(path.read_bytes())
    offset = 40 + 16 + 4 * place
    data[offset : offset + 4] = struct.pack("<f", value)
    path.write_bytes(data)
    with pytest.raises(
        _core.DataError, match=rf"offset {offset}: a mean or deviation is .*, expected 0 to 32"
    ):
        _core.OneSidedDatabase(path)


def test_positions_outside(one_sided: Path, two_sided: Path, small: dict[str, Path]) -> None:
    with pytest.raises(IndexError, match="position 54264: expected a number below 54264"):
        _core.OneSidedDatabase(one_sided).all_off(54264)
    with pytest.raises(IndexError, match="position 924: expected a number below 924"):
        _core.TwoSidedDatabase(two_sided).equities(0, 924)
    with pytest.raises(ValueError, match="no distributions of the first checker"):
        _core.OneSidedDatabase(small["one_01"]).first_off(1)
