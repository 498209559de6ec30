"""Files to compare with, read one and all and checked as they are read."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import msgspec

from botd.engine_cli.compare.cases import Case, cases_of
from botd.engine_cli.compare.tables import TableCase, table_cases
from botd.engine_cli.errors import AnswerError, ErrorKind

MAX_FILE_BYTES = 16_000_000
MAX_CASES = 1_000_000


def read_files(path: Path, *, profile: str | None) -> tuple[list[Case | TableCase], list[Path]]:
    """The cases of a file, or of all `.json` and `.jsonl` files below a folder.

    Their numbers are those of profile A or B; with None only the positions are read.

    Also returns the files of a folder that hold no cases. Raises AnswerError for what cannot be read or is
    damaged.
    """
    files = [path]
    if path.is_dir():
        names = (file for file in path.rglob("*.json*") if file.suffix in (".json", ".jsonl"))
        files = sorted(file for file in names if not file.is_dir())
    cases: list[Case | TableCase] = []
    others: list[Path] = []
    for file in files:
        found = _read(file, profile)
        if not found and not path.is_dir():
            raise AnswerError(ErrorKind.REQUEST, f"{file}: expected cases with id, type and position_id")
        if not found:
            others.append(file)
        cases += found
        if len(cases) > MAX_CASES:
            raise AnswerError(ErrorKind.REQUEST, f"{path}: expected at most {MAX_CASES} cases")
    if not cases:
        raise AnswerError(ErrorKind.REQUEST, f"{path}: expected files with reference cases, found none")
    return _with_marks_of_the_same_position(cases), others


def _read(file: Path, profile: str | None) -> list[Case | TableCase]:
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe, say, that nobody ever writes to
            raise AnswerError(ErrorKind.REQUEST, f"{file}: not a file, expected reference cases")
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise AnswerError(ErrorKind.REQUEST, f"{file}: {error.strerror}") from error
    if len(data) > MAX_FILE_BYTES:
        raise AnswerError(ErrorKind.REQUEST, f"{file}: expected at most {MAX_FILE_BYTES} bytes")
    lines = file.suffix == ".jsonl"
    try:
        found: list[Case | TableCase] = [*cases_of(data, profile=profile, lines=lines)]
        if not found and not lines and data.lstrip()[:1] == b"{":
            found = [*table_cases(data)]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise AnswerError(ErrorKind.REQUEST, f"{file}: {error}") from error
    return found


def _with_marks_of_the_same_position(cases: list[Case | TableCase]) -> list[Case | TableCase]:
    """Marks of version-sensitive positions, which only the files of one kind have, for all cases."""
    marks = {
        (case.position_id, case.match_id): case.sensitive
        for case in cases
        if isinstance(case, Case) and case.sensitive
    }
    return [
        replace(case, sensitive=marks.get((case.position_id, case.match_id), case.sensitive))
        if isinstance(case, Case)
        else case
        for case in cases
    ]
