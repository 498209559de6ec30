"""Our own engines, each as the daemon uses it ("engine") and as the compiled search alone ("core").

The core's answers are the same plays and values, without the names and types that the engine gives them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from botd import _core
from botd.bench.batches import (
    LEGAL,
    PLIES,
    SIBLINGS,
    STATIC,
    Batch,
    Contestant,
    checker,
    cube,
    money_equity,
    timed,
)
from botd.bench.workload import MONEY, Task
from botd.engine.bearoff_folder import default_folder
from botd.engine.core_arguments import cube_state
from botd.engine.fast_engine import FastEngine
from botd.engine.gnubg_data import find_gnubg_data
from botd.engine.gnubg_engine import DEFAULT_FILTER, GnubgEngine
from botd.engine.met import default_met_path, load_met
from botd.engine.protocol import Engine
from botd.engine.rules import legal_boards_batch, mirrored
from botd.engine.types import Board
from botd.paths import sage_assets


def engine_contestant(name: str, evaluator: str, engine: Engine) -> Contestant:
    """An engine as anybody calls it, at equal numbers of plies."""

    def play(ply: int) -> Callable[[Sequence[Task]], list[Any]]:
        return lambda tasks: [engine.choose_play(task.board, MONEY, task.dice, ply=ply) for task in tasks]

    def cube_action(ply: int) -> Callable[[Sequence[Task]], list[Any]]:
        return lambda tasks: [engine.cube_action(task.board, MONEY, ply=ply) for task in tasks]

    batches: dict[str, Batch] = {}
    for ply in PLIES:
        batches[checker(ply)] = timed(list, play(ply), lambda given: [one.best.equity for one in given])
        batches[cube(ply)] = timed(list, cube_action(ply), lambda given: [one.no_double for one in given])
    return Contestant(name, evaluator, batches, own=True)


def batch_contestant(name: str, evaluator: str, engine: FastEngine) -> Contestant:
    """The same engine asked for whole arrays of decisions, as peers are."""

    def play(ply: int) -> Callable[[tuple[memoryview, memoryview]], tuple[memoryview, memoryview]]:
        return lambda rolls: engine.best_plays(rolls[0], MONEY, rolls[1], ply=ply)

    def cube_action(ply: int) -> Callable[[memoryview], tuple[memoryview, memoryview]]:
        return lambda boards: engine.cube_actions(boards, MONEY, ply=ply)

    batches: dict[str, Batch] = {}
    for ply in PLIES:
        batches[checker(ply)] = timed(_rolls, play(ply), lambda given: list(map(float, given[1])))
        batches[cube(ply)] = timed(
            lambda tasks: _boards([task.board for task in tasks]),
            cube_action(ply),
            lambda given: [equities[0] for equities in _rows(given[0])],
        )
    return Contestant(name, evaluator, batches, own=True)


def sage_core(cpu_path: str | None) -> Contestant:
    """The evaluator sage: networks, exact search and rules as compiled."""
    assets = sage_assets()
    models, bearoff = assets / "models", assets / "data" / "bearoff_1sided.db"
    evaluator = _core.SageEvaluator.load(models, bearoff, cpu_path)
    search = _core.SageSearch(models, bearoff, cpu_path, load_met(default_met_path()).table())

    batches = {
        # A network judges what the side that has moved leaves to the other one.
        STATIC: timed(
            lambda tasks: _boards([mirrored(task.board) for task in tasks]),
            evaluator.evaluate_batch,
            lambda values: [-money_equity(one) for one in _rows(values)],
        ),
        SIBLINGS: timed(
            _rolls,
            lambda rolls: evaluator.evaluate_plays(*rolls),
            _sums_of_rolls,
            units=lambda given: len(given[0]),
        ),
        LEGAL: timed(
            _rolls,
            lambda rolls: legal_boards_batch(*rolls),
            lambda given: [float(after - before) for before, after in pairwise(given[1])],
        ),
    }
    return Contestant("sage core", "sage", batches | _search_batches(search), own=True)


def gnubg_core(engine: GnubgEngine) -> Contestant:
    """The evaluator gnubg with "normal" filters and pruning, gnubg's own defaults."""
    files = find_gnubg_data(engine.profile, databases=(default_folder(),))
    evaluator = _core.GnubgEvaluator.load(
        files.weights,
        files.one_sided,
        files.two_sided,
        profile=engine.profile,
        cpu_path=engine.info.cpu_path,
    )
    search = _core.GnubgSearch(
        evaluator,
        load_met(default_met_path()).table(derive_last=True),
        profile=engine.profile,
        filter=engine.settings.core_filter(default=DEFAULT_FILTER, table=engine.profile),
        prune=engine.settings.prune,
    )
    batches = {
        STATIC: timed(
            lambda tasks: [task.board for task in tasks],
            evaluator.evaluate,
            lambda given: [money_equity(one) for one in given],
        ),
        SIBLINGS: timed(
            lambda tasks: [[mirrored(board) for board in boards] for boards in results_of_rolls(tasks)],
            lambda rolls: [evaluator.evaluate(boards) for boards in rolls],
            lambda given: [-sum(money_equity(one) for one in outputs) for outputs in given],
            units=lambda given: sum(len(outputs) for outputs in given),
        ),
    }
    name = gnubg_name(engine.profile)
    return Contestant(f"{name} core", name, batches | _search_batches(search), own=True)


def gnubg_name(profile: str) -> str:
    """How reports call the evaluator gnubg with the networks of this profile."""
    return f"gnubg {profile}"


def results_of_rolls(tasks: Sequence[Task]) -> list[list[Board]]:
    """The boards that each task's roll can lead to, in the view of the side that has moved; games that are
    over need no evaluation and are left out."""
    return [
        [board for _, board in _core.legal_plays(task.board, *task.dice) if not _core.game_result(board)]
        for task in tasks
    ]


def _boards(boards: Sequence[Board]) -> memoryview:
    """As the batch calls take them."""
    checkers = array("b", [number for board in boards for number in board])
    return memoryview(checkers).cast("B").cast("b", (len(boards), 26))


def _rolls(tasks: Sequence[Task]) -> tuple[memoryview, memoryview]:
    """Boards and dice as the batch calls take them."""
    dice = array("B", [die for task in tasks for die in task.dice])
    return _boards([task.board for task in tasks]), memoryview(dice).cast("B", (len(tasks), 2))


def _rows(values: memoryview) -> list[list[float]]:
    """Of two dimensions, which its type does not tell."""
    return values.tolist()  # type: ignore[return-value]


def _sums_of_rolls(given: tuple[memoryview, memoryview, memoryview]) -> list[float]:
    results: list[list[int]] = given[0].tolist()  # type: ignore[assignment] # of two dimensions
    offsets: list[int] = given[1].tolist()
    values = _rows(given[2])
    equities = [
        0.0 if _core.game_result(board) else money_equity(one)
        for board, one in zip(results, values, strict=True)
    ]
    return [sum(equities[first:last]) for first, last in pairwise(offsets)]


def _search_batches(search: _core.SageSearch | _core.GnubgSearch) -> dict[str, Batch]:
    state = cube_state(MONEY)

    def play(ply: int) -> Callable[[Sequence[Task]], list[Any]]:
        return lambda tasks: [search.rank_plays(task.board, state, *task.dice, ply) for task in tasks]

    def cube_action(ply: int) -> Callable[[Sequence[Task]], list[Any]]:
        return lambda tasks: [search.cube_action(task.board, state, ply) for task in tasks]

    batches: dict[str, Batch] = {}
    for ply in PLIES:
        batches[checker(ply)] = timed(list, play(ply), lambda given: [plays[0].equity for plays in given])
        batches[cube(ply)] = timed(list, cube_action(ply), lambda given: [one.no_double for one in given])
    return batches
