"""The evaluators behind the command line, what each of them supports, and the engine a request gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from botd.engine.engine import MAX_PLY, SageEngine
from botd.engine.level_player import at_level
from botd.engine.levels import find_level
from botd.engine.protocol import Engine, EvaluatingEngine
from botd.engine_cli.errors import AnswerError, ErrorKind, position_errors
from botd.engine_cli.filters import parse_filter
from botd.engine_cli.requests import Settings

MODES = ("exact", "fast")
PROFILES = ("A", "B")


@dataclass(frozen=True, slots=True)
class Evaluator:
    """What one evaluator can do and how it is loaded."""

    name: str
    max_ply: int
    load: Callable[[str | None, str | None, str | None], EvaluatingEngine]
    """From weights, profile and table, each None for its default; files at fault are AnswerErrors."""
    licence: Callable[[], str | None]
    searches_with_filters: bool = False
    has_profiles: bool = False
    has_pruning_networks: bool = False


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
    ply = settings.ply
    level = None
    if settings.level is not None:
        try:
            level = find_level(settings.level)
        except ValueError as error:
            raise AnswerError(ErrorKind.REQUEST, str(error)) from error
        ply = level.plies
    if ply < 0:
        raise AnswerError(ErrorKind.REQUEST, f"ply: expected 0 or more, got {ply}")
    if ply > evaluator.max_ply:
        raise _unsupported(f"ply {ply}: expected at most {evaluator.max_ply} with exact {evaluator.name}")
    _check_search(settings, evaluator)
    engine = _load(evaluator.name, settings.weights, settings.profile, settings.met)
    if level is None:
        return Selected(engine, engine, ply)
    try:
        return Selected(engine, at_level(engine, level), ply)
    except ValueError as error:
        raise _unsupported(f"level {level.name}: {error}, with exact {evaluator.name}") from error


def profile_of(engine: EvaluatingEngine) -> str | None:
    """The profile of an engine that has one, `A` or `B`."""
    profile = getattr(engine, "profile", None)
    return None if profile is None else str(profile)


def describe(settings: Settings) -> dict[str, Any]:
    """What `info` says: version, CPU path, evaluators with their files, match equity table."""
    evaluator = evaluator_of(settings)
    info = select(settings).engine.info
    bearoff = {path: digest for path, digest in info.weights_files.items() if _is_database(path)}
    weights = {path: digest for path, digest in info.weights_files.items() if path not in bearoff}
    return {
        "version": info.version,
        "cpu_path": info.cpu_path,
        "evaluators": [
            {
                "name": info.evaluator,
                "modes": [str(info.mode)],
                "plies": list(range(evaluator.max_ply + 1)),
                "licence": evaluator.licence() if settings.weights is None else None,
                "weights": [{"path": path, "sha256": digest} for path, digest in weights.items()],
                "sha256": info.weights_sha256,
            }
        ],
        "bearoff": [{"path": path, "sha256": digest} for path, digest in bearoff.items()],
        "met": info.met,
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
    evaluator = _REGISTRY.get(settings.evaluator)
    if evaluator is None:
        raise _unsupported(
            f"evaluator {settings.evaluator}: not available in this version, expected {', '.join(_REGISTRY)}"
        )
    if settings.mode != "exact":
        raise _unsupported(f"mode {settings.mode}: not available in this version, expected exact")
    return evaluator


def _check_search(settings: Settings, evaluator: Evaluator) -> None:
    """Refuse search options that the evaluator's own search does not have."""
    if settings.profile is not None and not evaluator.has_profiles:
        raise _unsupported("profile: expected none, since only the evaluator gnubg has profiles")
    if settings.move_filter is not None:
        try:
            keeps_all = parse_filter(settings.move_filter) == "none"
        except ValueError as error:
            raise AnswerError(ErrorKind.REQUEST, str(error)) from error
        if not (keeps_all or evaluator.searches_with_filters):
            raise _unsupported(
                f"filter: expected none, since exact {evaluator.name} searches every play to the full depth"
            )
    if settings.prune and not evaluator.has_pruning_networks:
        raise _unsupported(f"prune: expected no pruning, since {evaluator.name} has no networks for it")


@lru_cache(maxsize=8)
def _load(name: str, weights: str | None, profile: str | None, met: str | None) -> EvaluatingEngine:
    with position_errors():
        return _REGISTRY[name].load(weights, profile, met)


def _load_sage(weights: str | None, profile: str | None, met: str | None) -> EvaluatingEngine:
    return SageEngine.load(models=Path(weights) if weights else None, met=Path(met) if met else None)


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
    for evaluator in (Evaluator("sage", max_ply=MAX_PLY, load=_load_sage, licence=_sage_licence),)
}
