"""Databases made by `botd-engine bearoff generate` serve gnubg's evaluator like its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from botd.engine import bearoff, position_id
from botd.engine.gnubg_engine import GnubgEngine
from botd.engine.types import GameContext
from tests.gnubg.data_files import ONE_SIDED, TWO_SIDED, WEIGHTS_100
from tests.tolerances import SINGLE_PRECISION_DIFFERENCE

THREE_EACH = position_id.decode("KQAAIAMAAAAAAA")


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    bearoff.default_folder().mkdir()
    shapes: list[bearoff.Shape] = [bearoff.OneSidedShape(), bearoff.TwoSidedShape()]
    for shape in shapes:
        bearoff.generate(shape, bearoff.default_path(shape), threads=2)
    return [bearoff.default_path(shape) for shape in shapes]


def test_they_are_those_gnubg_is_distributed_with(generated: list[Path]) -> None:
    assert [path.read_bytes() for path in generated] == [ONE_SIDED.read_bytes(), TWO_SIDED.read_bytes()]


def test_the_evaluator_finds_and_uses_them(generated: list[Path]) -> None:
    engine = GnubgEngine.load(weights=WEIGHTS_100)
    assert {str(path) for path in generated} <= set(engine.info.weights_files)
    exact = bearoff.Databases(*generated).money(THREE_EACH)
    assert exact is not None
    cube = engine.cube_action(THREE_EACH, GameContext(), ply=0)
    expected = (exact.centered, exact.double_take, exact.optimal(exact.centered))
    assert (cube.no_double, cube.double_take, cube.optimal) == pytest.approx(
        expected, abs=SINGLE_PRECISION_DIFFERENCE
    )
