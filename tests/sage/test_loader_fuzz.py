"""Sage's data files cut, swollen and with flipped bits at random places: a clear error, or sane values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from botd import _core
from botd.engine.types import STARTING_BOARD
from botd.paths import sage_assets

MODELS = sage_assets() / "models"
DATABASE = sage_assets() / "data" / "bearoff_1sided.db"
HOME = (0, 3, 3, 3, 2, 2, 2, *[0] * 12, -2, -2, -2, -3, -3, -3, 0)

ROUNDS = [12, pytest.param(400, marks=pytest.mark.nightly)]


def damages(original: bytes, rng: random.Random, rounds: int) -> Iterator[tuple[str, bytes]]:
    """Damaged copies, each with what was done to it."""
    for _ in range(rounds):
        at = rng.randrange(len(original))
        yield f"cut at {at}", original[:at]
        swollen = rng.randbytes(rng.choice((1, 4, 4096)))
        yield f"swollen by {len(swollen)} at {at}", original[:at] + swollen + original[at:]
        flipped = bytearray(original)
        places = [rng.randrange(8 * len(original)) for _ in range(rng.choice((1, 2, 50)))]
        for bit in places:
            flipped[bit // 8] ^= 1 << bit % 8
        yield f"bits {places[:5]} flipped", bytes(flipped)


def loaded(models: Path, database: Path | None) -> _core.SageEvaluator | None:
    """None if loading was refused, then with one line that says where and what was expected."""
    try:
        return _core.SageEvaluator.load(models, database)
    except _core.DataError as error:
        message = str(error)
    assert "expected" in message
    assert "\n" not in message
    assert len(message) < 500
    return None


@pytest.mark.parametrize("rounds", ROUNDS)
def test_weights(tmp_path: Path, rounds: int) -> None:
    """A changed weight cannot be told from a real one, but what comes of it must stay a probability."""
    rng = random.Random(101)
    names = sorted(file.name for file in _core.SageEvaluator.load(MODELS).files)  # others are not read
    for file in MODELS.iterdir():
        (tmp_path / file.name).symlink_to(file)
    for number in range(rounds):
        name = rng.choice(names)
        path = tmp_path / name
        original = path.read_bytes()
        for what, data in damages(original, random.Random(number), 1):
            path.unlink()
            path.write_bytes(data)
            evaluator = loaded(tmp_path, None)
            if len(data) != len(original):
                assert evaluator is None, (name, what)
            elif evaluator is not None:
                for network in range(24):
                    ((win, *others),) = evaluator.evaluate_raw([STARTING_BOARD], network)
                    assert all(0.0 <= p <= 1.0 for p in (win, *others)), (name, what)
        path.unlink()
        path.symlink_to(MODELS / name)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_bear_off_database(tmp_path: Path, rounds: int) -> None:
    """Every distribution must add up, so nearly every flipped bit is noticed; the mean is not used."""
    original = DATABASE.read_bytes()
    path = tmp_path / "bearoff.db"
    noticed = unnoticed = 0
    for what, data in damages(original, random.Random(103), rounds):
        path.write_bytes(data)
        evaluator = loaded(MODELS, path)
        if len(data) != len(original):
            assert evaluator is None, what
        elif evaluator is None:
            noticed += 1
        else:
            unnoticed += 1
            p = evaluator.bearoff_pre_roll(HOME)
            assert all(0.0 <= x <= 1.0 for x in p), what
    assert noticed > 5 * unnoticed


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "bearoff.db"
    for data in (b"", b"\0" * DATABASE.stat().st_size, b"<html>404</html>", b"PK\x03\x04" * 1000):
        path.write_bytes(data)
        assert loaded(MODELS, path) is None
    assert loaded(MODELS, Path("/dev/zero")) is None
    assert loaded(MODELS, tmp_path) is None
    assert loaded(tmp_path, None) is None
