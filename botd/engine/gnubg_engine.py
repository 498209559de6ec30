"""Decisions with gnubg's evaluator: checker plays, cube actions, resignations, luck.

Numbers are those of GNU Backgammon with the same weights: profile A is gnubg 1.07 with weights 1.00, profile
B is 1.08 with weights 1.01. All calls are synchronous; searches (from 1-ply on) release the interpreter's
lock, and one engine may be used from any number of threads at once. Plies count as gnubg does: 0 is the
static evaluation, and 4 is the deepest.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from botd import _core, paths
from botd.engine import rules
from botd.engine.bearoff_folder import default_folder
from botd.engine.core_arguments import (
    checked_board,
    checked_dice,
    cube_state,
    inverted,
    other_side,
)
from botd.engine.cube_names import DECISION_TEXTS, DOUBLES, CubeSituation, decision_name
from botd.engine.gnubg_data import find_gnubg_data
from botd.engine.met import default_met_path, load_met
from botd.engine.provenance import Provenance
from botd.engine.ranked_plays import play_decision
from botd.engine.resignations import TIE, checked_level
from botd.engine.settings import SearchSettings
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    GameContext,
    PlayDecision,
    Probabilities,
    ResignationDecision,
    TakeAction,
)

MAX_PLY = 4
DEFAULT_FILTER = "normal"

DeadlineExceeded = _core.DeadlineExceeded
"""A TimeoutError: no decision within its `deadline_s`. The engine is ready for the next call."""


@dataclass(frozen=True, slots=True)
class RollLuck:
    """Luck of a roll, per unit of the cube and seen by the player who rolled; all at 0-ply."""

    equity: float
    """After the best play of the roll."""
    average: float
    """Over all rolls; of an opening roll over those of either side."""
    luck: float
    """The difference."""
    gain: float
    """The luck in match winning chances, in money play in points at the cube's value."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """What all views of an engine share."""

    evaluator: _core.GnubgEvaluator
    profile: str
    table: _core.MatchEquityTable
    provenance: Provenance


class GnubgEngine:
    """gnubg's search, cubeful throughout.

    Every decision takes a `GameContext`, seen like the board by the side named in the method, and raises
    ValueError for impossible input (board, dice, score, cube, ply, a finished game) and
    DeadlineExceeded, a TimeoutError, when `deadline_s` seconds are over. None means no limit.
    """

    def __init__(self, parts: _Parts, settings: SearchSettings) -> None:
        self._parts = parts
        self.settings = settings
        self._search = _core.GnubgSearch(
            parts.evaluator,
            parts.table,
            profile=parts.profile,
            filter=settings.core_filter(default=DEFAULT_FILTER, table=parts.profile),
            prune=settings.prune,
            noise=settings.noise,
            noise_seed=settings.noise_seed,
            threads=settings.threads,
        )

    @classmethod
    def load(
        cls,
        *,
        weights: Path | None = None,
        one_sided: Path | None = None,
        two_sided: Path | None = None,
        profile: str | None = None,
        division: str = "exact",
        cpu_path: str | None = None,
        met: Path | None = None,
    ) -> Self:
        """Load weights, bear-off databases and match equity table.

        weights, one_sided, two_sided: files; those not given are looked for (`botd.engine.gnubg_data`),
        databases also where `botd-engine bearoff generate` puts them.
        profile: `A` or `B`; by default what belongs to the weights found. division: `exact`, or `reciprocal`
        for the approximate division of gnubg 1.07's usual packages (x86-64 only). cpu_path: `plain`, `avx2`
        or `avx512`; by default the fastest that this machine has. met: a table in gnubg's XML form, by
        default Kazaross-XG2.

        Raises GnubgDataNotFound or another FileNotFoundError or the core's data error for missing or damaged
        files, MetError for a bad table, ValueError for an unknown profile, division or cpu_path.
        """
        files = find_gnubg_data(profile, weights, databases=_generated())
        evaluator = _core.GnubgEvaluator.load(
            files.weights,
            one_sided or files.one_sided,
            two_sided or files.two_sided,
            profile=profile,
            division=division,
            cpu_path=cpu_path,
        )
        equities = load_met(met or default_met_path())
        provenance = Provenance("gnubg", evaluator.cpu_path, evaluator.files, equities.name)
        parts = _Parts(evaluator, evaluator.profile, equities.table(derive_last=True), provenance)
        return cls(parts, SearchSettings())

    @property
    def info(self) -> EngineInfo:
        """What decides; the digests of the files are made the first time."""
        return self._parts.provenance.info

    @property
    def profile(self) -> str:
        """`A` or `B`."""
        return self._parts.profile

    @property
    def division(self) -> str:
        """`exact` or `reciprocal`."""
        return self._parts.evaluator.division

    def configured(self, settings: SearchSettings) -> Self:
        """The same engine with other settings; weights and databases are shared."""
        return type(self)(self._parts, settings)

    def fast_search(
        self, settings: _core.FastSettings, *, noise: float, noise_seed: int | None
    ) -> _core.FastSearch:
        """The fast search over this engine's evaluator; see `botd.engine.fast_engine`."""
        parts = self._parts
        rough = _core.PruneNet.load(paths.rough_network(), parts.evaluator.cpu_path)
        return _core.FastSearch.over_gnubg(
            parts.evaluator, parts.table, rough, settings, noise=noise, noise_seed=noise_seed
        )

    def evaluate(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> tuple[Probabilities, float]:
        """The position before the roll, for the side on roll.

        Replies are chosen with the cube in mind, as gnubg does. The equity is cubeless at the score: points
        in money play (gammons always counted), else match winning chances mapped so that losing / winning
        the cube's value are -1 / +1.
        """
        value = self._search.evaluate(checked_board(board), cube_state(context), ply, deadline_s)
        return Probabilities(*value.probabilities), value.equity_at_score

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        """All legal plays, best first, for the side on roll.

        Plays that the filter dropped on the way keep the value and the depth (`ply`) at which they were
        dropped and stand below all deeper ones, even where their equity is higher. A forced play stays at
        0-ply. `cubeless_equity` of a play is in money points whatever the score.
        """
        return play_decision(self._search.choose_play(board, context, dice, ply, deadline_s))

    def assess_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        played: Board,
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        """All legal plays like `choose_play`, the one that leads to `played` evaluated as deeply as the best.

        If the two differ by more than 0.03 there and the filter had ended the search early, both are
        evaluated to the full depth. ValueError if no legal play leads to `played`.
        """
        return play_decision(self._search.assess_play(board, context, dice, played, ply, deadline_s))

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """Whether the side on roll should double before it rolls, and the answer if it does.

        `double_take` is before any beaver, which gnubg leaves out of its searches.
        """
        cube = self._search.cube_action(checked_board(board), cube_state(context), ply, deadline_s)
        return self.cube_decision(cube, context, ply)

    def cube_decision(
        self, cube: _core.GnubgCubeEquities | _core.CubeEquities, context: GameContext, ply: int
    ) -> CubeDecision:
        """What follows from equities at a depth, by gnubg's rules; `double_take` is before any beaver."""
        probabilities = Probabilities(*cube.probabilities)
        name = decision_name(
            CubeSituation(
                no_double=cube.no_double,
                double_take=cube.double_take,
                double_pass=cube.double_pass,
                available=cube.available,
                context=context,
                probabilities=probabilities,
            ),
            certain_losers_hold=self.profile == "B",
        )
        return CubeDecision(
            no_double=cube.no_double,
            double_take=cube.double_take,
            double_pass=cube.double_pass,
            optimal=cube.optimal,
            decision=name,
            decision_text=DECISION_TEXTS[name],
            double=name in DOUBLES,
            response=_response(name, cube),
            probabilities=probabilities,
            cubeless_equity=cube.cubeless_equity,
            ply=ply,
        )

    def take_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """The answer to a double: `response` of the result.

        Board and context are seen by the *doubler*, who is on roll, with the cube as it was before the
        double; so are all values of the result.
        """
        return self.cube_action(board, context, ply=ply, deadline_s=deadline_s)

    def luck(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        deadline_s: float | None = None,
    ) -> RollLuck:
        """How much better (or worse) a roll was than the average one, at 0-ply without noise.

        The opening roll, two different dice from the starting position, is compared with all opening rolls
        of both sides.
        """
        die1, die2 = checked_dice(dice)
        luck = self._search.luck(checked_board(board), cube_state(context), die1, die2, deadline_s)
        return RollLuck(luck.equity, luck.average, luck.luck, luck.gain)

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        """What the side on roll should resign before it rolls; `level` 0 means play on.

        gnubg's rule: never in contact, and only what its 0-ply value says is lost to the last digit. Values
        are cubeless and 0-ply whatever `ply` is.
        """
        points, state = checked_board(board), cube_state(context)
        level = self._search.certain_loss(points, state)
        value = self._search.evaluate(points, state, 0, deadline_s)
        return ResignationDecision(
            level=level,
            accept=False,
            equity=self._search.utility(points, state),
            resign_equity=self._search.result_utility(state, -max(level, 1)),
            probabilities=Probabilities(*value.probabilities),
            ply=0,
        )

    def judge_resignation(
        self,
        board: Board,
        context: GameContext,
        level: int,
        *,
        on_roll: bool,
        ply: int,
        deadline_s: float | None = None,
    ) -> ResignationDecision:
        """Whether to accept the opponent's offer to lose a single game (1), gammon (2) or backgammon (3).

        Board and context are seen by the side that decides; `on_roll` says whether it or the opponent is to
        roll next. gnubg's rule: accepted unless the opponent gains by it against his cubeless 0-ply value,
        whatever `ply` is.
        """
        checked_level(level)
        points, state = checked_board(board), cube_state(context)
        probabilities: Probabilities | None
        if on_roll:
            value = self._search.evaluate(points, state, 0, deadline_s)
            equity, probabilities = self._search.utility(points, state), Probabilities(*value.probabilities)
        else:
            turned, others = rules.mirrored(points), cube_state(other_side(context))
            value = self._search.evaluate(turned, others, 0, deadline_s)
            equity = -self._search.utility(turned, others)
            probabilities = inverted(Probabilities(*value.probabilities))
        offered = self._search.result_utility(state, level)
        return ResignationDecision(
            level=level,
            accept=equity - offered < TIE,
            equity=equity,
            resign_equity=offered,
            probabilities=probabilities,
            ply=0,
        )


def _response(name: str, cube: _core.GnubgCubeEquities | _core.CubeEquities) -> TakeAction:
    """The answer that the decision's name says; gnubg beavers wherever it would be called one."""
    if name.endswith("_BEAVER"):
        return TakeAction.BEAVER
    if name.endswith("_PASS") or (name == "NOT_AVAILABLE" and cube.double_take > cube.double_pass):
        return TakeAction.PASS
    return TakeAction.TAKE


def _generated() -> tuple[Path, ...]:
    """The folder of generated databases, if this user can have one."""
    try:
        return (default_folder(),)
    except FileNotFoundError:
        return ()
