"""The evaluators behind the command line and what each of them supports."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from botd.engine.engine import MAX_PLY, SageEngine
from botd.engine_cli.errors import AnswerError, ErrorKind, position_errors
from botd.engine_cli.requests import Settings

EVALUATORS = ("sage", "gnubg", "puretd")
MODES = ("exact", "fast")
PROFILES = ("A", "B")


def sage_engine(settings: Settings) -> SageEngine:
    """The engine for these settings, loaded once per process.

    Raises AnswerError, kind `unsupported`, for every setting that the exact search of Sage does not have, and
    kind `data` if its files are missing or damaged.
    """
    if settings.evaluator not in EVALUATORS:
        raise AnswerError(
            ErrorKind.REQUEST,
            f"evaluator: expected one of {', '.join(EVALUATORS)}, got {settings.evaluator[:40]!r}",
        )
    if settings.mode not in MODES:
        raise AnswerError(ErrorKind.REQUEST, f"mode: expected exact or fast, got {settings.mode[:40]!r}")
    if settings.profile is not None and settings.profile not in PROFILES:
        raise AnswerError(ErrorKind.REQUEST, f"profile: expected A or B, got {settings.profile[:40]!r}")
    if settings.evaluator != "sage":
        raise _unsupported(f"evaluator {settings.evaluator}: not available in this version, expected sage")
    if settings.mode != "exact":
        raise _unsupported(f"mode {settings.mode}: not available in this version, expected exact")
    if settings.profile is not None:
        raise _unsupported("profile: expected none, since only the evaluator gnubg has profiles")
    if settings.level is not None:
        raise _unsupported("level: expected none, since exact sage has no named levels; use the ply")
    if settings.move_filter is not None:
        raise _unsupported("filter: expected none, since exact sage searches every play to the full depth")
    if settings.ply < 0:
        raise AnswerError(ErrorKind.REQUEST, f"ply: expected 0 or more, got {settings.ply}")
    if settings.ply > MAX_PLY:
        raise _unsupported(f"ply {settings.ply}: expected at most {MAX_PLY} with exact sage")
    return _load(settings.weights, settings.met)


def describe(settings: Settings) -> dict[str, Any]:
    """What `info` says: version, CPU path, evaluators with their files, match equity table."""
    info = sage_engine(settings).info
    bearoff = {path: digest for path, digest in info.weights_files.items() if Path(path).suffix == ".db"}
    weights = {path: digest for path, digest in info.weights_files.items() if path not in bearoff}
    return {
        "version": info.version,
        "cpu_path": info.cpu_path,
        "evaluators": [
            {
                "name": info.evaluator,
                "modes": [str(info.mode)],
                "plies": list(range(MAX_PLY + 1)),
                "licence": _sage_licence() if settings.weights is None else None,
                "weights": [{"path": path, "sha256": digest} for path, digest in weights.items()],
                "sha256": info.weights_sha256,
            }
        ],
        "bearoff": [{"path": path, "sha256": digest} for path, digest in bearoff.items()],
        "met": info.met,
    }


@lru_cache(maxsize=4)
def _load(weights: str | None, met: str | None) -> SageEngine:
    with position_errors():
        return SageEngine.load(models=Path(weights) if weights else None, met=Path(met) if met else None)


def _sage_licence() -> str | None:
    try:
        fields = metadata("bgsage")
    except PackageNotFoundError:
        return None
    texts = (fields.get_all("License-Expression") or []) + (fields.get_all("License") or [])
    return str(texts[0]) if texts else None


def _unsupported(message: str) -> AnswerError:
    return AnswerError(ErrorKind.UNSUPPORTED, message)
