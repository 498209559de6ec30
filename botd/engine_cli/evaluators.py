"""The evaluators behind the command line, what each of them supports, and the engine a request gets."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from botd.engine import fast_engine, gnubg_engine, puretd_engine
from botd.engine.budgeted import BudgetedEngine
from botd.engine.engine import MAX_PLY, SageEngine
from botd.engine.fast_engine import FastEngine, Searchable
from botd.engine.gnubg_data import PROFILE_VERSIONS, find_gnubg_data
from botd.engine.gnubg_engine import GnubgEngine
from botd.engine.level_player import LevelPlayer
from botd.engine.levels import Level, PlayingLevel, SearchLevel, find_level
from botd.engine.modes import mode_for
from botd.engine.protocol import ConfigurableEngine, Engine, EvaluatingEngine
from botd.engine.puretd_engine import PuretdEngine
from botd.engine.settings import SearchSettings
from botd.engine.types import EngineMode
from botd.engine_cli.errors import AnswerError, ErrorKind, position_errors
from botd.engine_cli.filters import parse_filter
from botd.engine_cli.requests import Settings

MODES = tuple(mode.value for mode in EngineMode)
PROFILES = ("A", "B")
DIVISIONS = ("exact", "reciprocal")
LEAST_BUDGET_S, MOST_BUDGET_S = 0.001, 3600.0


@dataclass(frozen=True, slots=True)
class Sources:
    """What an engine is loaded from; None is the evaluator's default."""

    weights: Path | None = None
    met: Path | None = None
    profile: str | None = None
    division: str | None = None


@dataclass(frozen=True, slots=True)
class Evaluator:
    """What one evaluator can do and how it is loaded."""

    name: str
    max_ply: int
    load: Callable[[Sources], EvaluatingEngine]
    licence: Callable[[], str | None]
    has_profiles: bool = False
    has_pruning_networks: bool = False
    has_filters: bool = True
    compares: bool = True
    """Has what `compare` compares: probabilities, and an answer at every score."""
    default_ply: int = 2


@dataclass(frozen=True, slots=True)
class Selected:
    """What answers a request."""

    engine: EvaluatingEngine
    """Evaluates, as the options say."""
    player: Engine
    """Decides: the same engine, or a player of the level asked for."""
    ply: int


def select(settings: Settings) -> Selected:
    """Engine, player and depth for these settings; networks are loaded once per process.

    Raises AnswerError: `request` for what nobody has, `unsupported` for what this evaluator does not have,
    `data` if its files are missing or damaged.
    """
    evaluator = evaluator_of(settings)
    level = _level(settings)
    ply = _ply(settings, evaluator) if level is None else level.plies
    if ply < 0:
        raise AnswerError(ErrorKind.REQUEST, f"ply: expected 0 or more, got {ply}")
    fast = mode_for(level, EngineMode(settings.mode)) is EngineMode.FAST
    most = fast_engine.MAX_PLY if fast else evaluator.max_ply
    if ply > most:
        mode = "fast" if fast else "exact"
        raise _unsupported(f"ply {ply}: expected at most {most} with {mode} {evaluator.name}")
    _check_search(settings, evaluator, level)
    search = _search_settings(settings, level)
    sources = Sources(
        weights=Path(settings.weights) if settings.weights else None,
        met=Path(settings.met) if settings.met else None,
        profile=settings.profile,
        division=settings.division,
    )
    engine = _engine(evaluator.name, sources, search, fast)
    if isinstance(engine, FastEngine) and settings.budget_s is not None:
        engine = BudgetedEngine(engine, settings.budget_s)
    if isinstance(level, PlayingLevel):
        return Selected(engine, LevelPlayer(engine, level, settings=search), ply)
    return Selected(engine, engine, ply)


def profile_of(engine: EvaluatingEngine) -> str | None:
    """The profile of an engine that has one, `A` or `B`."""
    base = exact_of(engine)
    return base.profile if isinstance(base, GnubgEngine) else None


def exact_of(engine: EvaluatingEngine) -> EvaluatingEngine:
    """The engine in exact mode underneath one in fast mode; any other is returned as it is."""
    if isinstance(engine, BudgetedEngine):
        return exact_of(engine.engine)
    return engine.base if isinstance(engine, FastEngine) else engine


def describe(settings: Settings) -> dict[str, Any]:
    """What `info` says: version, CPU path, evaluators with their files, match equity table.

    The evaluator of the settings stands first, for which missing files are an error; then come all others
    that this machine has the files for.
    """
    evaluator = evaluator_of(settings)
    first = select(settings).engine
    engines = [(evaluator, first), *_others_found(evaluator, first)]
    databases: dict[str, str] = {}
    for _, engine in engines:
        files = engine.info.weights_files
        databases |= {path: digest for path, digest in files.items() if _is_database(path)}
    return {
        "version": first.info.version,
        "mode": first.info.mode.value,
        "cpu_path": first.info.cpu_path,
        "evaluators": [
            _evaluator_fields(one, engine, own_weights=engine is first and settings.weights is not None)
            for one, engine in engines
        ],
        "bearoff": [{"path": path, "sha256": digest} for path, digest in databases.items()],
        "met": first.info.met,
    }


def evaluator_of(settings: Settings) -> Evaluator:
    """The evaluator that the settings name; AnswerError if there is none or it is not in this version."""
    if settings.evaluator not in EVALUATORS:
        raise AnswerError(
            ErrorKind.REQUEST,
            f"evaluator: expected one of {', '.join(EVALUATORS)}, got {settings.evaluator[:40]!r}",
        )
    if settings.mode not in MODES:
        raise AnswerError(ErrorKind.REQUEST, f"mode: expected exact or fast, got {settings.mode[:40]!r}")
    if settings.profile is not None and settings.profile not in PROFILES:
        raise AnswerError(ErrorKind.REQUEST, f"profile: expected A or B, got {settings.profile[:40]!r}")
    if settings.division is not None and settings.division not in DIVISIONS:
        raise AnswerError(
            ErrorKind.REQUEST,
            f"division: expected one of {', '.join(DIVISIONS)}, got {settings.division[:40]!r}",
        )
    evaluator = _REGISTRY.get(settings.evaluator)
    if evaluator is None:
        raise _unsupported(
            f"evaluator {settings.evaluator}: not available in this version, expected {', '.join(_REGISTRY)}"
        )
    return evaluator


def _ply(settings: Settings, evaluator: Evaluator) -> int:
    return evaluator.default_ply if settings.ply is None else settings.ply


def _level(settings: Settings) -> Level | None:
    if settings.level is None:
        return None
    try:
        return find_level(settings.level)
    except ValueError as error:
        raise AnswerError(ErrorKind.REQUEST, str(error)) from error


def _check_search(settings: Settings, evaluator: Evaluator, level: Level | None) -> None:
    """Refuse search options that the evaluator's own search does not have. A level is a search of its own."""
    if settings.profile is not None and not evaluator.has_profiles:
        raise _unsupported("profile: expected none, since only the evaluator gnubg has profiles")
    if settings.division is not None and not evaluator.has_profiles:
        raise _unsupported("division: expected none, since only the evaluator gnubg has a choice")
    _search_settings(settings, level)  # refuses a bad filter
    fast = settings.mode == EngineMode.FAST
    if settings.move_filter is not None and not (fast or evaluator.has_filters):
        raise _unsupported(f"filter: expected none, since {evaluator.name} searches every play")
    if settings.budget_s is not None and not LEAST_BUDGET_S <= settings.budget_s <= MOST_BUDGET_S:
        raise AnswerError(
            ErrorKind.REQUEST,
            f"budget: expected {LEAST_BUDGET_S:g} to {MOST_BUDGET_S:g} seconds, got {settings.budget_s:g}",
        )
    if settings.budget_s is not None and not fast:
        raise _unsupported("budget: expected none in exact mode, where a search has no answer before its end")
    if settings.prune and not (fast or evaluator.has_pruning_networks):
        raise _unsupported(f"prune: expected no pruning, since {evaluator.name} has no networks for it")


def _search_settings(settings: Settings, level: Level | None) -> SearchSettings:
    """Those of the level, and what the options say instead. A player's candidates are its own affair."""
    search = SearchSettings(threads=settings.threads)
    if isinstance(level, SearchLevel):
        search = replace(search, filter=level.filter, prune=level.prune, noise=level.noise)
    if settings.move_filter is not None:
        try:
            search = replace(search, filter=parse_filter(settings.move_filter))
        except ValueError as error:
            raise AnswerError(ErrorKind.REQUEST, str(error)) from error
    return search if settings.prune is None else replace(search, prune=settings.prune)


def _evaluator_fields(evaluator: Evaluator, engine: EvaluatingEngine, *, own_weights: bool) -> dict[str, Any]:
    info, base = engine.info, exact_of(engine)
    weights = {path: digest for path, digest in info.weights_files.items() if not _is_database(path)}
    return {
        "name": info.evaluator,
        **({"profile": base.profile, "division": base.division} if isinstance(base, GnubgEngine) else {}),
        "modes": [mode.value for mode in EngineMode] if _has_fast_mode(engine) else [info.mode.value],
        "cpu_path": info.cpu_path,
        "plies": list(range(evaluator.max_ply + 1)),
        **({"kind": base.kind.value, "source": base.source} if isinstance(base, PuretdEngine) else {}),
        "licence": _licence(evaluator, engine, own_weights=own_weights),
        "weights": [{"path": path, "sha256": digest} for path, digest in weights.items()],
        "sha256": info.weights_sha256,
    }


def _licence(evaluator: Evaluator, engine: EvaluatingEngine, *, own_weights: bool) -> str | None:
    """That of the weights; of the user's own only where their file says it."""
    base = exact_of(engine)
    if isinstance(base, PuretdEngine):
        return base.licence
    return None if own_weights else evaluator.licence()


def _others_found(
    evaluator: Evaluator, engine: EvaluatingEngine
) -> Iterator[tuple[Evaluator, EvaluatingEngine]]:
    for other in _REGISTRY.values():
        for profile in PROFILES if other.has_profiles else (None,):
            if other is evaluator and profile == profile_of(engine):
                continue
            try:
                yield other, _engine(other.name, Sources(profile=profile), SearchSettings())
            except AnswerError:
                continue


def _has_fast_mode(engine: EvaluatingEngine) -> bool:
    return isinstance(engine, FastEngine | BudgetedEngine | Searchable)


@lru_cache(maxsize=32)
def _engine(name: str, sources: Sources, search: SearchSettings, fast: bool = False) -> EvaluatingEngine:
    engine = _loaded(name, sources)
    if fast:
        if not isinstance(engine, Searchable):
            raise _unsupported(f"mode fast: not available with {name}, expected exact")
        with position_errors():
            return FastEngine(engine, search)
    if isinstance(engine, ConfigurableEngine):
        with position_errors():
            return engine.configured(search)
    if search.noise > 0.0:
        raise _unsupported(f"noise: expected a level without noise with exact {name}")
    return engine


@lru_cache(maxsize=8)
def _loaded(name: str, sources: Sources) -> EvaluatingEngine:
    with position_errors():
        return _REGISTRY[name].load(sources)


def _load_sage(sources: Sources) -> EvaluatingEngine:
    return SageEngine.load(models=sources.weights, met=sources.met)


def _load_gnubg(sources: Sources) -> EvaluatingEngine:
    """Profile A divides as the usual packages of gnubg 1.07 do, where this processor can."""
    profile, division = sources.profile, sources.division
    if division is None:
        version = find_gnubg_data(profile, sources.weights).version
        is_a = profile == "A" or (profile is None and version == PROFILE_VERSIONS["A"])
        division = "reciprocal" if is_a and platform.machine() in ("x86_64", "AMD64") else "exact"
    return GnubgEngine.load(weights=sources.weights, met=sources.met, profile=profile, division=division)


def _load_puretd(sources: Sources) -> EvaluatingEngine:
    if sources.weights is None:
        raise _unsupported(
            "evaluator puretd: expected a network with --weights FILE, got none "
            "(`botd-engine import-net` makes one of PureTD's files)"
        )
    return PuretdEngine.load(sources.weights)


def _sage_licence() -> str | None:
    try:
        fields = metadata("bgsage")
    except PackageNotFoundError:
        return None
    texts = (fields.get_all("License-Expression") or []) + (fields.get_all("License") or [])
    return str(texts[0]) if texts else None


def _is_database(path: str) -> bool:
    return Path(path).suffix in (".db", ".bd")


def _unsupported(message: str) -> AnswerError:
    return AnswerError(ErrorKind.UNSUPPORTED, message)


EVALUATORS = ("sage", "gnubg", "puretd")
"""Every evaluator of the contract; those that this version has are in the registry below."""

_REGISTRY = {
    evaluator.name: evaluator
    for evaluator in (
        Evaluator("sage", max_ply=MAX_PLY, load=_load_sage, licence=_sage_licence),
        Evaluator(
            "gnubg",
            max_ply=gnubg_engine.MAX_PLY,
            load=_load_gnubg,
            licence=lambda: "GPL-3.0-or-later",
            has_profiles=True,
            has_pruning_networks=True,
        ),
        Evaluator(
            "puretd",
            max_ply=puretd_engine.MAX_PLY,
            load=_load_puretd,
            licence=lambda: None,
            has_filters=False,
            compares=False,
            default_ply=puretd_engine.MAX_PLY,
        ),
    )
}
