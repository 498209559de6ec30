"""Bad arguments and damaged data files are refused with a clear message."""

from __future__ import annotations

import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from botd import _core
from botd.engine.types import STARTING_BOARD
from botd.paths import sage_assets

RACE_FILE = "sl_s9_purerace.weights.best"
CONTACT_FILE = "sl_s9_race_race.weights.best"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A copy of the weight files in which one can be damaged."""
    source = sage_assets() / "models"
    for file in source.iterdir():
        (tmp_path / file.name).symlink_to(file)
    return tmp_path


def replace(models: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    path = models / name
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(change(data))
    return path


def test_files_are_reported_once_each() -> None:
    assets = sage_assets()
    database = assets / "data" / "bearoff_1sided.db"
    files = _core.SageEvaluator.load(assets / "models", database).files
    assert len(files) == len(set(files)) == 22
    assert files[-1] == database
    assert all(file.is_file() for file in files)


def test_without_a_database_nothing_is_covered() -> None:
    evaluator = _core.SageEvaluator.load(sage_assets() / "models")
    board = [0, 15, *[0] * 22, -15, 0]
    assert not evaluator.covered(board)
    with pytest.raises(ValueError, match="not covered"):
        evaluator.bearoff_post_move(board)


@pytest.mark.parametrize("name", [RACE_FILE, CONTACT_FILE])
@pytest.mark.parametrize(
    "change", [lambda d: b"", lambda d: d[:11], lambda d: d[:-1], lambda d: d + b"\0", lambda d: d * 2]
)
def test_cut_and_swollen_weights(models: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    path = replace(models, name, change)
    with pytest.raises(_core.DataError, match=r"expected a file of \d+ bytes") as error:
        _core.SageEvaluator.load(models)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("name", [RACE_FILE, CONTACT_FILE])
def test_every_header_bit_matters(models: Path, name: str) -> None:
    original = (models / name).read_bytes()
    for bit in range(12 * 8):
        damaged = bytearray(original)
        damaged[bit // 8] ^= 1 << bit % 8
        replace(models, name, lambda _, damaged=damaged: bytes(damaged))
        with pytest.raises(_core.DataError, match=rf"offset {bit // 32 * 4}: the number of .* expected \d+"):
            _core.SageEvaluator.load(models)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 1e30])
def test_absurd_weights(models: Path, value: float) -> None:
    replace(models, CONTACT_FILE, lambda d: d[:1200] + struct.pack("<f", value) + d[1204:])
    with pytest.raises(_core.DataError, match=r"offset 1200: weight is .*, expected a finite number"):
        _core.SageEvaluator.load(models)


def test_flipped_bits_never_crash(models: Path) -> None:
    """A changed weight cannot be told from a real one; the values must still be probabilities."""
    rng = random.Random(1)
    original = (models / CONTACT_FILE).read_bytes()
    for _ in range(40):
        damaged = bytearray(original)
        for _ in range(1000):
            bit = rng.randrange(12 * 8, len(damaged) * 8)
            damaged[bit // 8] ^= 1 << bit % 8
        replace(models, CONTACT_FILE, lambda _, damaged=damaged: bytes(damaged))
        try:
            evaluator = _core.SageEvaluator.load(models)
        except _core.DataError:
            continue
        (raw,) = evaluator.evaluate_raw([STARTING_BOARD], 1)
        assert all(0.0 <= p <= 1.0 for p in raw)


def test_missing_and_odd_files(models: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (models / RACE_FILE).unlink()
    with pytest.raises(_core.DataError, match="no such file"):
        _core.SageEvaluator.load(models)
    (models / RACE_FILE).mkdir()
    with pytest.raises(_core.DataError, match="not a regular file"):
        _core.SageEvaluator.load(models)
    with pytest.raises(_core.DataError, match="no such file"):
        _core.SageEvaluator.load(tmp_path_factory.mktemp("empty"))


def test_damaged_database(tmp_path: Path) -> None:
    source = sage_assets() / "data" / "bearoff_1sided.db"
    original = source.read_bytes()
    path = tmp_path / "bearoff.db"
    models = sage_assets() / "models"

    def load(data: bytes) -> None:
        path.write_bytes(data)
        _core.SageEvaluator.load(models, path)

    for data in (b"", original[:100], original[:-1], original + b"\0"):
        with pytest.raises(_core.DataError, match="expected a file of 4899292 bytes"):
            load(data)
    for bit in range(0, 28 * 8, 5):
        damaged = bytearray(original)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(_core.DataError, match=rf"offset {bit // 32 * 4}: the .* expected \d+"):
            load(bytes(damaged))
    distributions = range(28, 28 + 54264 * 64)
    indices = range(28 + 54264 * 68, 28 + 54264 * 72)
    rng = random.Random(2)
    for place in [*rng.sample(distributions, 15), *rng.sample(indices, 15)]:
        damaged = bytearray(original)
        damaged[place] ^= 0xFF
        with pytest.raises(_core.DataError, match=r"offset \d+: .* expected"):
            load(bytes(damaged))
    with pytest.raises(_core.DataError, match=r"offset 4899290: the probability of nobody off .* at most"):
        load(original[:-2] + b"\xff\xff")
    mean = 28 + 54264 * 64
    with pytest.raises(_core.DataError, match=rf"offset {mean}: a mean number of rolls is nan"):
        load(original[:mean] + struct.pack("<f", float("nan")) + original[mean + 4 :])
    with pytest.raises(_core.DataError, match="no such file"):
        _core.SageEvaluator.load(models, tmp_path / "absent.db")


@pytest.mark.parametrize(
    ("board", "error"),
    [
        ([0] * 25, "expected 26 integers, got 25"),
        ([0] * 27, "expected 26 integers, got 27"),
        ([0] * 26, "neither side"),
        ([0, 16, *[0] * 24], "from -15 to 15"),
        ([0, 2**70, *[0] * 24], "from -15 to 15"),
        ([-1, 1, *[0] * 24], "bar holds a negative"),
        ([0, 15, 1, *[0] * 23], "more than fifteen"),
    ],
)
def test_impossible_boards(board: list[int], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        _core.sage_plans(board)


@pytest.mark.parametrize("board", [None, 5, "x" * 26, [0.5] * 26, ["1"] * 26])
def test_boards_of_another_type(board: object) -> None:
    with pytest.raises((TypeError, ValueError), match="board"):
        _core.sage_plans(board)  # type: ignore[arg-type]


@pytest.mark.parametrize("network", [-1, 24, 10**6])
def test_network_outside_the_table(network: int) -> None:
    evaluator = _core.SageEvaluator.load(sage_assets() / "models")
    with pytest.raises(IndexError, match="expected 0 to 23"):
        evaluator.evaluate_raw([STARTING_BOARD], network)


def test_unknown_cpu_path() -> None:
    with pytest.raises(ValueError, match="expected plain, avx2 or avx512"):
        _core.SageEvaluator.load(sage_assets() / "models", None, "sse9")


def test_weights_are_copied(tmp_path: Path) -> None:
    """A file that is replaced after loading changes nothing."""
    models = tmp_path / "models"
    shutil.copytree(sage_assets() / "models", models)
    evaluator = _core.SageEvaluator.load(models)
    before = evaluator.evaluate_raw([STARTING_BOARD], 1)
    for file in models.iterdir():
        file.write_bytes(b"")
    assert evaluator.evaluate_raw([STARTING_BOARD], 1) == before
