"""The engine as a library: positions and what to do in them.

What `__all__` names, here and in the modules among it, is the stable interface: docs/python-api.md explains
it and what its stability means. Everything else in this package may change at any time.

    from botd.engine import GameContext, STARTING_BOARD, load_engine

    engine = load_engine("fast:sage")
    decision = engine.choose_play(STARTING_BOARD, GameContext(match_length=7), (3, 1), ply=2)
    print(decision.best.play.notation)

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from botd.engine import analysis, market, match_id, met, notation, position_id, rules, xgid
    from botd.engine.engine import DeadlineExceeded, SageEngine
    from botd.engine.fast_engine import CancelToken, FastEngine, FastSettings
    from botd.engine.gnubg_data import GnubgDataNotFound
    from botd.engine.gnubg_engine import GnubgEngine
    from botd.engine.level_player import at_level
    from botd.engine.levels import LEVELS, DoublingHabit, Level, PlayingLevel, SearchLevel, find_level
    from botd.engine.protocol import (
        ConfigurableEngine,
        Engine,
        EvaluatingEngine,
        UnsupportedGame,
        load_engine,
    )
    from botd.engine.puretd_engine import PuretdEngine
    from botd.engine.settings import FILTER_NAMES, FilterStage, MoveFilter, SearchSettings
    from botd.engine.types import (
        BAR,
        OFF,
        STARTING_BOARD,
        Board,
        CubeDecision,
        CubeOwner,
        EngineInfo,
        EngineMode,
        GameContext,
        Play,
        PlayDecision,
        Probabilities,
        RankedPlay,
        ResignationDecision,
        Scoring,
        Step,
        TakeAction,
    )

__all__ = [
    "BAR",
    "FILTER_NAMES",
    "LEVELS",
    "OFF",
    "STARTING_BOARD",
    "Board",
    "CancelToken",
    "ConfigurableEngine",
    "CubeDecision",
    "CubeOwner",
    "DeadlineExceeded",
    "DoublingHabit",
    "Engine",
    "EngineInfo",
    "EngineMode",
    "EvaluatingEngine",
    "FastEngine",
    "FastSettings",
    "FilterStage",
    "GameContext",
    "GnubgDataNotFound",
    "GnubgEngine",
    "Level",
    "MoveFilter",
    "Play",
    "PlayDecision",
    "PlayingLevel",
    "Probabilities",
    "PuretdEngine",
    "RankedPlay",
    "ResignationDecision",
    "SageEngine",
    "Scoring",
    "SearchLevel",
    "SearchSettings",
    "Step",
    "TakeAction",
    "UnsupportedGame",
    "analysis",
    "at_level",
    "find_level",
    "load_engine",
    "market",
    "match_id",
    "met",
    "notation",
    "position_id",
    "rules",
    "xgid",
]

_MODULES = frozenset({"analysis", "market", "match_id", "met", "notation", "position_id", "rules", "xgid"})
_ELSEWHERE = {
    "FILTER_NAMES": "settings",
    "LEVELS": "levels",
    "CancelToken": "fast_engine",
    "ConfigurableEngine": "protocol",
    "DeadlineExceeded": "engine",
    "DoublingHabit": "levels",
    "Engine": "protocol",
    "EvaluatingEngine": "protocol",
    "FastEngine": "fast_engine",
    "FastSettings": "fast_engine",
    "FilterStage": "settings",
    "GnubgDataNotFound": "gnubg_data",
    "GnubgEngine": "gnubg_engine",
    "Level": "levels",
    "MoveFilter": "settings",
    "PlayingLevel": "levels",
    "PuretdEngine": "puretd_engine",
    "SageEngine": "engine",
    "SearchLevel": "levels",
    "SearchSettings": "settings",
    "UnsupportedGame": "protocol",
    "at_level": "level_player",
    "find_level": "levels",
    "load_engine": "protocol",
}
"""The modules of what is not in `types`."""


if not TYPE_CHECKING:  # a type checker shall know a wrong name

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_ELSEWHERE.get(name, 'types')}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
