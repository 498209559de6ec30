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
from botd.engine.gnubg_data import find_gnubg_data
from botd.engine.gnubg_engine import DEFAULT_FILTER, GnubgEngine
from botd.engine.met import default_met_path, load_met
from botd.engine.protocol import Engine
from botd.engine.rules import legal_boards_batch, mirrored
from botd.engine.types import Board
from botd.paths import sage_assets

Boards = Sequence[Board]


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


def sage_core(cpu_path: str | None) -> Contestant:
    """The evaluator sage: networks, exact search and rules as compiled."""
    assets = sage_assets()
    models, bearoff = assets / "models", assets / "data" / "bearoff_1sided.db"
    evaluator = _core.SageEvaluator.load(models, bearoff, cpu_path)
    search = _core.SageSearch(models, bearoff, cpu_path, load_met(default_met_path()).table())

    def evaluate(boards: Boards) -> list[float]:
        # A network judges what the side that has moved leaves to the other one.
        answers = [0.0] * len(boards)
        by_network: dict[int, list[int]] = {}
        for index, board in enumerate(boards):
            by_network.setdefault(evaluator.route(board), []).append(index)
        for network, indices in by_network.items():
            raw = evaluator.evaluate_raw([boards[i] for i in indices], network)
            for i, probabilities in zip(indices, raw, strict=True):
                answers[i] = money_equity(probabilities)
        return answers

    batches = {
        STATIC: timed(
            lambda tasks: [mirrored(task.board) for task in tasks],
            evaluate,
            lambda given: [-equity for equity in given],
        ),
        SIBLINGS: timed(
            results_of_rolls,
            lambda rolls: [evaluate(boards) for boards in rolls],
            lambda given: [sum(equities) for equities in given],
            units=lambda rolls: sum(len(boards) for boards in rolls),
        ),
        LEGAL: timed(
            _arrays,
            lambda arrays: legal_boards_batch(*arrays),
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
            units=lambda rolls: sum(len(boards) for boards in rolls),
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


def _arrays(tasks: Sequence[Task]) -> tuple[memoryview, memoryview]:
    """Boards and rolls as the batch call for legal plays takes them."""
    boards = array("b", [checkers for task in tasks for checkers in task.board])
    dice = array("B", [die for task in tasks for die in task.dice])
    count = len(tasks)
    return (
        memoryview(boards).cast("B").cast("b", (count, 26)),
        memoryview(dice).cast("B", (count, 2)),
    )


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
