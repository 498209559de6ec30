"""What an engine decides with, told when somebody asks: hashing the files takes longer than loading them."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from botd import _core
from botd.engine.core_arguments import digests
from botd.engine.types import EngineInfo, EngineMode

CHANGED = "changed since it was loaded"
"""In place of the digest of a file that is not the one any more that the engine has read."""


class Provenance:
    """Shared by all views of an engine."""

    def __init__(self, evaluator: str, cpu_path: str, files: list[Path], met: str) -> None:
        """`files`: those that have just been read."""
        self._evaluator = evaluator
        self._cpu_path = cpu_path
        self._met = met
        self._stamps = {file: _stamp(file) for file in files}

    @cached_property
    def info(self) -> EngineInfo:
        kept = [file for file, stamp in self._stamps.items() if stamp is not None and stamp == _stamp(file)]
        by_path, digest = digests(kept)
        complete = {str(file): by_path.get(str(file), CHANGED) for file in self._stamps}
        return EngineInfo(
            version=_core.__version__,
            evaluator=self._evaluator,
            mode=EngineMode.EXACT,
            cpu_path=self._cpu_path,
            weights_sha256=digest if len(kept) == len(self._stamps) else CHANGED,
            weights_files=complete,
            met=self._met,
        )


def _stamp(file: Path) -> tuple[int, ...] | None:
    """What changes with a file's content; None if it is gone."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns
