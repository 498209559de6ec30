"""Exact and fast mode in the names of engines, and which levels follow the wish."""

from __future__ import annotations

import pytest

from botd.engine.levels import LEVELS
from botd.engine.modes import in_mode, mode_for
from botd.engine.protocol import load_engine
from botd.engine.types import EngineMode

EXACT, FAST = EngineMode.EXACT, EngineMode.FAST


@pytest.mark.parametrize(
    ("spec", "mode", "expected"),
    [
        ("sage", FAST, "fast:sage"),
        ("fast:sage", FAST, "fast:sage"),
        ("fast:sage", EXACT, "sage"),
        ("sage", EXACT, "sage"),
        ("gnubg:A", FAST, "fast:gnubg:A"),
        ("fast:gnubg:B", EXACT, "gnubg:B"),
        ("puretd:money.net", FAST, "fast:puretd:money.net"),
        ("random", FAST, "random"),
        ("random:7", EXACT, "random:7"),
        ("my_module:engine", FAST, "my_module:engine"),
    ],
)
def test_the_name_in_another_mode(spec: str, mode: EngineMode, expected: str) -> None:
    assert in_mode(spec, mode) == expected


def test_levels_with_figures_of_their_own_are_always_exact() -> None:
    fast = {name for name, level in LEVELS.items() if mode_for(level, FAST) is FAST}
    assert fast == {"expert", "0ply", "1ply", "2ply", "3ply"}
    assert all(mode_for(level, EXACT) is EXACT for level in LEVELS.values())
    assert (mode_for(None, FAST), mode_for(None, EXACT)) == (FAST, EXACT)


@pytest.mark.parametrize(
    ("spec", "mode"),
    [
        ("fast:sage@2ply", FAST),
        ("fast:sage@expert", FAST),
        ("fast:sage@hard", EXACT),
        ("fast:sage@supremo", EXACT),
    ],
)
def test_a_level_behind_the_name_of_a_fast_engine(spec: str, mode: EngineMode) -> None:
    engine = load_engine(spec)
    assert engine.info.mode is mode
    assert engine.info.evaluator == f"sage@{spec.partition('@')[2]}"
