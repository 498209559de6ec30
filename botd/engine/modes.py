"""Exact and fast mode in the names of engines (`botd.engine.protocol.load_engine`): `sage`, `fast:sage`."""

from __future__ import annotations

from botd.engine.levels import Level, SearchLevel
from botd.engine.types import EngineMode

EVALUATORS_WITH_MODES = ("sage", "gnubg", "puretd")
_FAST = "fast:"


def in_mode(spec: str, mode: EngineMode) -> str:
    """The name of the same evaluator in this mode; unchanged for an engine that has no modes."""
    base = spec.removeprefix(_FAST)
    if base.partition(":")[0] not in EVALUATORS_WITH_MODES:
        return spec
    return f"{_FAST}{base}" if mode is EngineMode.FAST else base


def mode_for(level: Level | None, mode: EngineMode) -> EngineMode:
    """The mode in which this level is played where `mode` is wished for.

    Levels whose figures are those of a search (noise, a move filter, candidates) keep their meaning: they
    are always exact. Those that say no more than how deep follow the wish.
    """
    if level is None:
        return mode
    plain = isinstance(level, SearchLevel) and level.noise == 0.0 and level.filter is None
    return mode if plain else EngineMode.EXACT
