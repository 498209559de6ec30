"""Rollouts: positions played out many times by the engine, with the same dice for all that are compared.

A game's dice, and all that is decided in it, follow from the evaluator, the position, the settings and the
game's number alone; results never depend on the number of threads, nor on how the games were divided into
runs. The CPU path is part of the evaluator: values of two paths differ by rounding, which can decide a close
play the other way.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

from botd import _core
from botd.engine import rules
from botd.engine.core_arguments import checked_board, checked_dice, cube_state, inverted, other_side
from botd.engine.engine import SageEngine
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    GameContext,
    Play,
    Probabilities,
)

STRATUM = 36
"""Games that have each of the 36 first rolls once."""
MAX_GAMES = 1_000_000
MAX_HALF_MOVES = 1000
MAX_SEED = 2**32 - 1
MAX_BATCHES = 16
"""Of rollouts that end by their standard error, as Open Sage has it."""

Progress = Callable[[float], None]
"""Is told the part that is done, 0 to 1."""

Kept = dict[Board, _core.RolloutSums]
"""Games of one question (cube decision or roll at one score) that are already played, by the position before
the roll. Those that are played are added, so that whatever interrupts a rollout leaves here what is done."""


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """How a rollout is done. Plies count as gnubg does: 0 is the static evaluation.

    Half-moves count from 0, the roll of the side whose decision it is. The plays of half-move 1 are always
    chosen at 0-ply: there are 441 of them, shared by all games. Raises ValueError naming what is out of
    range.
    """

    games: int
    truncate: int
    """Half-moves after which a game is cut off and evaluated; 0 plays every game to its end."""
    play_ply: int
    """Depth of checker plays."""
    cube_ply: int
    """Depth of doubles and takes."""
    truncation_ply: int
    """Depth of the evaluation where a game is cut off."""
    late_ply: int = 0
    """Depth of checker plays from half-move `late_from` on."""
    late_from: int | None = None
    """None: all plays are at `play_ply`."""
    cubeless_from: int | None = None
    """From this half-move on 0-ply plays are chosen as if there were no cube; None: never."""
    searched_selection: bool = True
    """Plays worth a rollout are selected by a 1-ply search, else by their 0-ply equities."""
    seed: int = 42
    batch: int | None = None
    """Games of one seed; the next batch has Open Sage's next seed. None: all games are of `seed`."""
    target: float | None = None
    """No further batch after one at whose end the standard error is no greater: that of the position without
    a double, or of the best play. `games` are the most."""

    def __post_init__(self) -> None:
        if not 1 <= self.games <= MAX_GAMES:
            raise ValueError(f"games: expected 1 to {MAX_GAMES}, got {self.games!r}")
        if not 0 <= self.truncate <= MAX_HALF_MOVES:
            raise ValueError(f"truncation: expected 0 to {MAX_HALF_MOVES} half-moves, got {self.truncate!r}")
        if not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"seed: expected 0 to {MAX_SEED}, got {self.seed!r}")
        if self.batch is not None and (self.batch < 1 or self.games % self.batch):
            raise ValueError(f"batch: expected a part of {self.games} games, got {self.batch!r}")
        if self.target is not None and (self.batch is None or not 0.0 < self.target < math.inf):
            raise ValueError(f"target: expected a standard error above 0, and batches, got {self.target!r}")
        self.core()

    @property
    def first_roll_luck(self) -> bool:
        """The luck of the first roll is removed, too: the number of games does not stratify it."""
        return (self.batch or self.games) % STRATUM != 0

    def until(self, target: float) -> RolloutSettings:
        """So many games again and again, 16 times at most, until the standard error is no greater."""
        return dataclasses.replace(self, games=MAX_BATCHES * self.games, batch=self.games, target=target)

    def core(self) -> _core.RolloutSettings:
        """The settings as the compiled rollout takes them."""
        return _core.RolloutSettings(
            truncate=self.truncate,
            play_ply=self.play_ply,
            late_ply=self.late_ply,
            late_from=self.late_from,
            cubeless_from=self.cubeless_from,
            cube_ply=self.cube_ply,
            truncation_ply=self.truncation_ply,
            seed=self.seed,
            batch=self.batch or 0,
            first_roll_luck=self.first_roll_luck,
        )


ROLLOUT_LEVELS: dict[str, RolloutSettings] = {
    "1T": RolloutSettings(
        games=72,
        truncate=5,
        play_ply=0,
        cube_ply=0,
        truncation_ply=0,
        cubeless_from=2,
        searched_selection=False,
    ),
    "2T": RolloutSettings(
        games=360, truncate=7, play_ply=1, cube_ply=1, truncation_ply=1, late_ply=0, late_from=1
    ),
    "3T": RolloutSettings(
        games=360, truncate=7, play_ply=2, cube_ply=2, truncation_ply=2, late_ply=1, late_from=2
    ),
    "full": RolloutSettings(games=1296, truncate=0, play_ply=0, cube_ply=0, truncation_ply=0),
}
"""Open Sage's truncated levels, and every game played to its end at 0-ply."""


@dataclass(frozen=True, slots=True)
class RolledCube:
    """Whether to double, by rollout; everything is seen by the side that may double."""

    decision: CubeDecision
    """Its `ply` is that of the plays. A position in the bear-off database has its exact probabilities."""
    no_double_error: float
    """Standard errors, each in the unit of its value."""
    double_take_error: float
    difference_error: float
    """Of `no_double` to `double_take`, which have the same games."""
    probability_errors: Probabilities
    cubeless_equity_error: float
    games: int
    both_passed: int
    """Games that ended by a pass with the double and without it."""

    @property
    def optimal_error(self) -> float:
        """Standard error of `decision.optimal`; 0 if that is a pass."""
        decision = self.decision
        if decision.optimal == decision.no_double:
            return self.no_double_error
        return self.double_take_error if decision.optimal == decision.double_take else 0.0


@dataclass(frozen=True, slots=True)
class RolledPlay:
    """A play and what it is worth to the side that makes it."""

    play: Play
    equity: float
    """What the opponent's best cube decision leaves of it."""
    equity_error: float | None
    """Standard error; None: this play was only searched, as deep as the rollouts' plays."""
    difference_error: float | None
    """Standard error of the difference to the best play, from the same dice; 0 for that one itself."""
    cubeless_equity: float | None
    """In points of money play, whatever the score."""
    probabilities: Probabilities | None
    """After the play, seen by the side that made it."""
    probability_errors: Probabilities | None
    games: int


@dataclass(frozen=True, slots=True)
class _Games:
    """What the equity of a rolled play comes from: each game's two values times the weights."""

    sums: _core.RolloutSums
    weights: tuple[float, float]


@dataclass(frozen=True, slots=True)
class RolledPlays:
    """The plays of a roll, best first; the first one was rolled out."""

    plays: tuple[RolledPlay, ...]
    legal_count: int


class Roller:
    """Rolls positions out with one engine and one way to do it.

    Boards and contexts are seen by the side on roll. Every method raises ValueError for impossible input.
    """

    def __init__(self, engine: SageEngine, settings: RolloutSettings, *, threads: int = 1) -> None:
        self._engine = engine
        self._settings = settings
        self._threads = threads

    @property
    def settings(self) -> RolloutSettings:
        """How this roller does it."""
        return self._settings

    @property
    def info(self) -> EngineInfo:
        """What rolls out: results of engines that differ in any of it are not to be mixed."""
        return self._engine.info

    def cube(
        self,
        board: Board,
        context: GameContext,
        *,
        kept: Kept | None = None,
        progress: Progress = lambda done: None,
    ) -> RolledCube:
        """Roll out the position before the roll, with the double and without it.

        kept: games to go on from. ValueError if they are of another engine, position or way to roll out, or
        more than the settings say.
        """
        points, kept = checked_board(board), {} if kept is None else kept
        for goal in self._goals(kept):
            cube, _ = self._cube(points, context, kept, goal, self._part_until(goal, progress))
            if self._is_enough(cube.no_double_error):
                break
        return cube

    def _goals(self, kept: Kept) -> range:
        """Numbers of games after which the rollout may end, from that which what is kept has begun."""
        games, batch = self._settings.games, self._settings.batch or self._settings.games
        begun = max((first + count for sums in kept.values() for first, count in sums.ranges), default=0)
        if begun > games:
            raise ValueError(f"games: expected at least the {begun} that are kept, got {games}")
        return range(max(1, math.ceil(begun / batch)) * batch, games + 1, batch)

    def _is_enough(self, error: float) -> bool:
        return self._settings.target is not None and error <= self._settings.target

    def _part_until(self, goal: int, progress: Progress) -> Progress:
        games, batch = self._settings.games, self._settings.batch or self._settings.games
        return lambda done: progress((goal - batch + batch * done) / games)

    def _cube(
        self, board: Board, context: GameContext, kept: Kept, goal: int, progress: Progress
    ) -> tuple[RolledCube, _Games]:
        """Roll out until there are `goal` games; progress is that of the last batch."""
        rollout = self._engine.rollout(
            board, cube_state(context), self._settings.core(), threads=self._threads
        )
        sums = kept.setdefault(board, _core.RolloutSums())
        sums.add(rollout.run(0, 0))  # refuses games that cannot be gone on from
        batch = self._settings.batch or goal
        for first, count in missing_games(sums, goal):
            progress(max(0.0, 1.0 - (goal - sums.trials) / batch))
            sums.add(rollout.run(first, count, threads=self._threads))
        result = rollout.result(sums)
        no_double, double_take = result.weights
        cube = RolledCube(
            decision=self._engine.cube_decision(result.cube, context, self._settings.play_ply),
            no_double_error=result.no_double_error,
            double_take_error=result.double_take_error,
            difference_error=_core.rollout_difference_error(sums, (no_double, 0), sums, (0, double_take)),
            probability_errors=Probabilities(*result.probability_errors),
            cubeless_equity_error=result.cubeless_equity_error,
            games=result.trials,
            both_passed=sums.passed,
        )
        decision = cube.decision
        if decision.optimal == decision.no_double:
            return cube, _Games(sums, (no_double, 0.0))
        return cube, _Games(sums, (0.0, double_take if decision.optimal == decision.double_take else 0.0))

    def plays(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        at_least: int = 2,
        kept: Kept | None = None,
        progress: Progress = lambda done: None,
    ) -> RolledPlays:
        """Roll out the best plays of a roll, `at_least` of them and up to five, all with the same dice.

        The others are searched; one that comes out best by that is rolled out, too. kept: as in `cube`.
        """
        kept = {} if kept is None else kept
        points, roll = checked_board(board), checked_dice(dice)
        decision = self._engine.choose_play(points, context, roll, ply=self._settings.play_ply)
        chosen = self._engine.rollout_candidates(
            points,
            cube_state(context),
            roll,
            searched=self._settings.searched_selection,
            threads=self._threads,
        )
        in_order = dict.fromkeys([*chosen, *(ranked.play.board for ranked in decision.plays)])
        chosen = tuple(in_order)[: max(at_least, len(chosen))]
        plays = {
            ranked.play.board: RolledPlay(
                play=ranked.play,
                equity=ranked.equity,
                equity_error=None,
                difference_error=None,
                cubeless_equity=ranked.cubeless_equity,
                probabilities=ranked.probabilities,
                probability_errors=None,
                games=0,
            )
            for ranked in decision.plays
        }
        games: dict[Board, _Games] = {}
        rolled = list(chosen)
        if self._settings.batch is not None:  # plays that came out best after an earlier batch stay with it
            rolled += [after for after in plays if rules.mirrored(after) in kept and after not in rolled]
        for goal in self._goals(kept):
            until = self._part_until(goal, progress)
            for number, after in enumerate(rolled):
                part = _part_of(until, number, len(rolled))
                plays[after] = self._rolled(plays[after], context, kept, games, goal, part)
            while (best := max(plays.values(), key=_worth)).equity_error is None:
                rolled.append(best.play.board)
                plays[rolled[-1]] = self._rolled(best, context, kept, games, goal, _stay(until))
            if self._is_enough(best.equity_error):
                break
        ranked_plays = sorted(plays.values(), key=_worth, reverse=True)
        return RolledPlays(
            tuple(_compared(play, ranked_plays[0], games) for play in ranked_plays), decision.legal_count
        )

    def _rolled(
        self,
        play: RolledPlay,
        context: GameContext,
        kept: Kept,
        games: dict[Board, _Games],
        goal: int,
        progress: Progress,
    ) -> RolledPlay:
        """The play rolled out; what its equity comes from goes into `games`, unless it ends the game."""
        board = play.play.board
        if rules.game_result(board) != 0:
            return dataclasses.replace(
                play, equity_error=0.0, probability_errors=Probabilities(0, 0, 0, 0, 0)
            )
        cube, games[board] = self._cube(rules.mirrored(board), other_side(context), kept, goal, progress)
        decision = cube.decision
        return dataclasses.replace(
            play,
            equity=-decision.optimal,
            equity_error=cube.optimal_error,
            cubeless_equity=None if decision.cubeless_equity is None else -decision.cubeless_equity,
            probabilities=inverted(decision.probabilities),
            probability_errors=_swapped(cube.probability_errors),
            games=cube.games,
        )


def missing_games(sums: _core.RolloutSums, games: int) -> list[tuple[int, int]]:
    """First number and count of the pieces that are still to be played, of a stratum or less each."""
    pieces = []
    begin = 0
    for first, count in [*sums.ranges, (games, 0)]:
        while begin < first:
            end = min(first, begin - begin % STRATUM + STRATUM)
            pieces.append((begin, end - begin))
            begin = end
        begin = first + count
    return pieces


def _compared(play: RolledPlay, best: RolledPlay, games: dict[Board, _Games]) -> RolledPlay:
    """The play with the standard error of its difference to the best one."""
    if play.equity_error is None:
        return play
    one, other = games.get(play.play.board), games.get(best.play.board)
    if play is best:
        error = 0.0
    elif one is None or other is None:  # one ends the game, and is certain
        error = play.equity_error + (best.equity_error or 0.0)
    else:
        error = _core.rollout_difference_error(one.sums, one.weights, other.sums, other.weights)
    return dataclasses.replace(play, difference_error=error)


def _worth(play: RolledPlay) -> tuple[float, float]:
    return play.equity, play.cubeless_equity or 0.0


def _stay(progress: Progress) -> Progress:
    """For what was not foreseen: the end is near, whatever is done."""
    return lambda done: progress(1.0)


def _part_of(progress: Progress, number: int, count: int) -> Progress:
    return lambda done: progress((number + done) / count)


def _swapped(errors: Probabilities) -> Probabilities:
    """Standard errors of the same outcomes seen by the other side."""
    return Probabilities(
        errors.win, errors.lose_gammon, errors.lose_backgammon, errors.win_gammon, errors.win_backgammon
    )
