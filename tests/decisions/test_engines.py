"""A worker's engine in both modes, whichever it was started with."""

from __future__ import annotations

import pytest

from botd.decisions import wire
from botd.decisions.engines import Engines
from botd.decisions.ladder import decide
from botd.decisions.requests import CubeRequest, PlayRequest, Style
from botd.engine.levels import find_level
from botd.engine.protocol import load_engine
from botd.engine.random_player import RandomPlayer
from botd.engine.types import STARTING_BOARD, EngineMode, GameContext

EXACT, FAST = EngineMode.EXACT, EngineMode.FAST


@pytest.mark.parametrize("spec", ["sage", "fast:sage"])
def test_both_modes_are_at_hand_and_made_once(spec: str) -> None:
    engines = Engines(load_engine(spec))
    assert engines.first.info.mode is (FAST if spec.startswith("fast") else EXACT)
    for mode in EngineMode:
        assert engines.in_mode(mode).info.mode is mode
        assert engines.in_mode(mode) is engines.in_mode(mode)
    assert engines.in_mode(engines.first.info.mode) is engines.first


def test_an_engine_without_modes_stands_for_both() -> None:
    engines = Engines(RandomPlayer())
    assert engines.in_mode(EXACT) is engines.in_mode(FAST) is engines.first


@pytest.mark.parametrize(
    ("spec", "mode", "level", "answers"),
    [
        ("fast:sage", None, None, None),
        ("fast:sage", FAST, None, None),
        ("fast:sage", EXACT, None, EXACT),
        ("sage", FAST, None, FAST),
        ("sage", None, "hard", None),
        ("fast:sage", None, "hard", EXACT),
        ("fast:sage", FAST, "world class", EXACT),
        ("fast:sage", None, "1ply", None),
    ],
)
def test_a_reply_names_what_decided_where_it_is_not_the_first(
    spec: str, mode: EngineMode | None, level: str | None, answers: EngineMode | None
) -> None:
    engines = Engines(load_engine(spec))
    style = Style.of(None if level is None else find_level(level), seed=1, mode=mode)
    ply = 1 if style.level is None else style.level.plies
    for request in (
        PlayRequest(STARTING_BOARD, GameContext(), ply, (3, 1), style),
        CubeRequest(STARTING_BOARD, GameContext(), ply, style),
    ):
        reply = decide(engines, wire.Decide(1, request, 60.0))
        assert isinstance(reply, wire.PlayDecided | wire.RankingDecided | wire.CubeDecided)
        assert (None if reply.engine is None else reply.engine.mode) is answers
