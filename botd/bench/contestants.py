"""The engines that can be measured in this process, each by its fastest public call and on one thread.

A contestant answers a batch of tasks of one kind and returns one number per answer; the numbers are summed
into the checksum that a report prints, so that nobody is timed for doing nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from botd import _core
from botd.bench.workload import MONEY, Task
from botd.engine.bearoff import default_folder
from botd.engine.core_arguments import cube_state
from botd.engine.engine import SageEngine
from botd.engine.gnubg_data import find_gnubg_data
from botd.engine.gnubg_engine import DEFAULT_FILTER, GnubgEngine
from botd.engine.met import default_met_path, load_met
from botd.engine.rules import mirrored
from botd.paths import sage_assets

Answers = Callable[[Sequence[Task]], list[float]]


@dataclass(frozen=True, slots=True)
class Timing:
    """A batch done."""

    seconds: float
    """Of CPU time, spent in the process that did the work."""
    answers: list[float]
    """One equity (or count) per task, for the side on roll."""


Batch = Callable[[Sequence[Task]], Timing]


def timed(answers: Answers) -> Batch:
    """Timed in this process."""

    def run(tasks: Sequence[Task]) -> Timing:
        start = time.process_time()
        values = answers(tasks)
        return Timing(time.process_time() - start, values)

    return run


def _money_equity(probabilities: Sequence[float]) -> float:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities
    return 2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon


def _own_decisions(engine: SageEngine | GnubgEngine) -> dict[str, Batch]:
    def play(ply: int) -> Answers:
        return lambda tasks: [engine.choose_play(t.board, MONEY, t.dice, ply=ply).best.equity for t in tasks]

    def cube(ply: int) -> Answers:
        return lambda tasks: [engine.cube_action(t.board, MONEY, ply=ply).no_double for t in tasks]

    return {
        **{f"checker play, {ply}-ply": timed(play(ply)) for ply in (0, 1, 2)},
        **{f"cube decision, {ply}-ply": timed(cube(ply)) for ply in (0, 1, 2)},
    }


def own_gnubg_batches(engine: GnubgEngine) -> dict[str, Batch]:
    """Ours with gnubg's evaluator, by kind of work: "normal" filters and pruning, gnubg's own defaults."""
    evaluator = _gnubg_evaluator(engine)

    def static(tasks: Sequence[Task]) -> list[float]:
        return [_money_equity(value) for value in evaluator.evaluate([t.board for t in tasks])]

    return {"static evaluation": timed(static), **_own_decisions(engine)}


def own_gnubg_core_batches(engine: GnubgEngine) -> dict[str, Batch]:
    """The compiled search alone, with the settings of `own_gnubg_batches`: the same plays and values, without
    the names and types that the engine gives each of them."""
    search = _core.GnubgSearch(
        _gnubg_evaluator(engine),
        load_met(default_met_path()).table(derive_last=True),
        profile=engine.profile,
        filter=engine.settings.core_filter(default=DEFAULT_FILTER, table=engine.profile),
        prune=engine.settings.prune,
    )
    state = cube_state(MONEY)

    def play(ply: int) -> Answers:
        return lambda tasks: [search.rank_plays(t.board, state, *t.dice, ply)[0].equity for t in tasks]

    def cube(ply: int) -> Answers:
        return lambda tasks: [search.cube_action(t.board, state, ply).no_double for t in tasks]

    return {
        **{f"checker play, {ply}-ply": timed(play(ply)) for ply in (0, 1, 2)},
        **{f"cube decision, {ply}-ply": timed(cube(ply)) for ply in (0, 1, 2)},
    }


def _gnubg_evaluator(engine: GnubgEngine) -> _core.GnubgEvaluator:
    files = find_gnubg_data(engine.profile, databases=(default_folder(),))
    return _core.GnubgEvaluator.load(
        files.weights,
        files.one_sided,
        files.two_sided,
        profile=engine.profile,
        cpu_path=engine.info.cpu_path,
    )


def own_batches(engine: SageEngine) -> dict[str, Batch]:
    """Ours with the evaluator sage, by kind of work."""
    assets = sage_assets()
    evaluator = _core.SageEvaluator.load(
        assets / "models", assets / "data" / "bearoff_1sided.db", engine.info.cpu_path
    )

    def static(tasks: Sequence[Task]) -> list[float]:
        # A network judges what the side that has moved leaves to the other one.
        boards = [mirrored(t.board) for t in tasks]
        answers = [0.0] * len(tasks)
        by_network: dict[int, list[int]] = {}
        for index, board in enumerate(boards):
            by_network.setdefault(evaluator.route(board), []).append(index)
        for network, indices in by_network.items():
            raw = evaluator.evaluate_raw([boards[i] for i in indices], network)
            for i, probabilities in zip(indices, raw, strict=True):
                answers[i] = -_money_equity(probabilities)
        return answers

    return {
        "static evaluation": timed(static),
        "legal plays": timed(lambda tasks: [float(len(_core.legal_plays(t.board, *t.dice))) for t in tasks]),
        **_own_decisions(engine),
    }


def open_sage_batches() -> dict[str, Batch] | None:
    """The engine inside the `bgsage` package, or None where it cannot be imported."""
    if importlib.util.find_spec("bgsage") is None:
        return None
    bgsage: Any = importlib.import_module("bgsage")

    def positions(tasks: Sequence[Task]) -> list[dict[str, Any]]:
        return [
            {
                "board": list(t.board),
                "die1": t.dice[0],
                "die2": t.dice[1],
                "cube_value": 1,
                "cube_owner": "centered",
            }
            for t in tasks
        ]

    def static(tasks: Sequence[Task]) -> list[float]:
        answers = bgsage.batch_evaluate(positions(tasks), "1ply", n_threads=1, jacoby=False, beaver=False)
        return [float(a.cubeless_equity) for a in answers]

    # Its levels count from one. The batch calls are its fastest: few candidates are valued at full depth.
    def play(ply: int) -> Answers:
        def run(tasks: Sequence[Task]) -> list[float]:
            answers = bgsage.batch_checker_play(positions(tasks), f"{ply + 1}ply", n_threads=1, jacoby=False)
            return [float(a.moves[0].equity) if a.moves else 0.0 for a in answers]

        return run

    def cube(ply: int) -> Answers:
        def run(tasks: Sequence[Task]) -> list[float]:
            answers = bgsage.batch_cube_action(
                positions(tasks), f"{ply + 1}ply", n_threads=1, jacoby=False, beaver=False
            )
            return [float(a.equity_nd) for a in answers]

        return run

    return {
        "static evaluation": timed(static),
        "legal plays": timed(
            lambda tasks: [float(len(bgsage.possible_moves(list(t.board), *t.dice))) for t in tasks]
        ),
        **{f"checker play, {ply}-ply": timed(play(ply)) for ply in (0, 1, 2)},
        **{f"cube decision, {ply}-ply": timed(cube(ply)) for ply in (0, 1, 2)},
    }
