"""The command `compare`: cases from files, numbers from them or from an installed gnubg, and a verdict."""

from __future__ import annotations

import dataclasses
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from botd.engine.gnubg_engine import GnubgEngine
from botd.engine.protocol import EvaluatingEngine
from botd.engine_cli.compare.cases import Case
from botd.engine_cli.compare.criteria import (
    Comparison,
    compare_context,
    compare_level,
    compare_luck,
    compare_ply,
)
from botd.engine_cli.compare.files import read_files
from botd.engine_cli.compare.gnubg_program import ask_program, find_program, program_version
from botd.engine_cli.compare.own_values import OwnValues, own_values
from botd.engine_cli.compare.report import Report
from botd.engine_cli.compare.tables import TableCase, compare_table
from botd.engine_cli.errors import AnswerError, ErrorKind
from botd.engine_cli.evaluators import evaluator_of, profile_of, select
from botd.engine_cli.requests import Request, Settings, decode_position
from botd.terminal.progress_bar import ProgressBar

DEFAULT_PLIES = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class CompareOptions:
    path: str
    plies: tuple[int, ...] | None = None
    """None is every depth of the files; 0 to 2 when a program is asked."""
    limit: int | None = None
    """Most cases."""
    against: str | None = None
    """`gnubg` to ask the installed program."""
    as_json: bool = False
    jobs: int = 1


def run_compare(options: CompareOptions, settings: Settings, write: Callable[[str], object]) -> bool:
    """Compare and print; whether every criterion holds. Raises AnswerError."""
    if settings.level is not None:
        raise AnswerError(
            ErrorKind.REQUEST, "level: expected none, cases have depths and levels of their own"
        )
    if not evaluator_of(settings).compares:
        raise AnswerError(
            ErrorKind.UNSUPPORTED,
            f"compare: expected another evaluator than {settings.evaluator}, which knows no matches",
        )
    path = Path(options.path)
    program = version = ""
    if options.against is not None:
        if options.against != "gnubg":
            raise AnswerError(ErrorKind.REQUEST, f"against: expected gnubg, got {options.against[:40]!r}")
        program = find_program()
        version = program_version(program)
        if settings.profile is None and evaluator_of(settings).has_profiles:
            settings = dataclasses.replace(settings, profile="B" if version >= "1.08" else "A")
    evaluator = evaluator_of(settings)
    selected = select(dataclasses.replace(settings, ply=0, level=None))
    profile = profile_of(selected.engine) or settings.profile or "B"
    cases, others = read_files(path, profile=None if program else profile)
    if program:
        cases = [case for case in cases if isinstance(case, Case)]
    cases = cases[: options.limit]
    heading = {
        "evaluator": selected.engine.info.evaluator,
        **_generation(selected.engine),
        "against": f"{program} {version}".strip() if program else f"recorded profile {profile}",
        "weights": selected.engine.info.weights_sha256[:12],
    }
    if not evaluator.has_profiles:
        heading["numbers"] = "reported only, the networks are others"
    if others:
        heading["without cases"] = " ".join(other.name for other in others)
    report = Report(write, options.as_json)
    compare = partial(_compare, settings=settings, own_networks=not evaluator.has_profiles)
    expected = _expected(cases, _plies(options, program), program, evaluator.max_ply)
    with ProgressBar(sys.stderr, "comparing") as progress:
        for done, (case, result) in enumerate(_mapped(compare, expected, options.jobs), start=1):
            progress(done / len(cases))
            if isinstance(result, str):
                report.add_unanswered(case.id, result)
            else:
                report.add(result)
    report.finish(heading)
    return not report.failed


def _generation(engine: EvaluatingEngine) -> dict[str, str]:
    if not isinstance(engine, GnubgEngine):
        return {}
    return {"profile": engine.profile, "division": engine.division}


Expected = tuple[Case | TableCase, str | None]
"""A case with the numbers to compare with, or the reason why there are none."""
Result = tuple[Case | TableCase, Comparison | str]


def _plies(options: CompareOptions, program: str) -> tuple[int, ...] | None:
    return options.plies if options.plies is not None or not program else DEFAULT_PLIES


def _expected(
    cases: list[Case | TableCase], plies: tuple[int, ...] | None, program: str, max_ply: int
) -> Iterator[Expected]:
    if program:
        yield from _asked([case for case in cases if isinstance(case, Case)], plies, program, max_ply)
        return
    for case in cases:
        if isinstance(case, TableCase):
            yield case, None
        else:
            kept = {
                ply: value
                for ply, value in case.plies.items()
                if ply <= max_ply and (plies is None or ply in plies)
            }
            levels = {
                name: value for name, value in case.levels.items() if plies is None or value.plies in plies
            }
            yield dataclasses.replace(case, plies=kept, levels=levels), None


def _asked(
    cases: list[Case], plies: tuple[int, ...] | None, program: str, max_ply: int
) -> Iterator[Expected]:
    for case in cases:  # nothing but identifiers that are ones may reach the program
        decode_position(
            Request("reference", Settings(), position_id=case.position_id, match_id=case.match_id)
        )
    depths = [ply for ply in plies or DEFAULT_PLIES if ply <= max_ply]
    for answer in ask_program(program, cases, depths):
        case = dataclasses.replace(
            cases[answer.index], context=None, luck=None, levels={}, action=None, played_move=None
        )
        yield dataclasses.replace(case, plies=dict(answer.plies)), answer.error


def _compare(expected: Expected, *, settings: Settings, own_networks: bool) -> Result:
    case, reason = expected
    if reason is not None:
        return case, reason
    if isinstance(case, TableCase):
        return case, compare_table(case, settings, own_networks=own_networks)
    own = own_values(case, settings)
    return case, _comparison(case, own, own_networks=own_networks)


def _comparison(case: Case, own: OwnValues, *, own_networks: bool) -> Comparison:
    out = Comparison()
    compare_context(case, own.context, out)
    for ply, value in case.plies.items():
        compare_ply(case, ply, value, own.plies[ply], out, own_networks=own_networks)
    if case.luck is not None and own.luck is not None:
        compare_luck(case, case.luck, own.luck, out, own_networks=own_networks)
    for name, level in own.levels.items():
        compare_level(case, name, case.levels[name], level, out, own_networks=own_networks)
    return out


def _mapped(
    compare: Callable[[Expected], Result], expected: Iterator[Expected], jobs: int
) -> Iterator[Result]:
    """Results in order; several processes change the speed only."""
    if jobs == 1:
        yield from map(compare, expected)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(compare, list(expected))
