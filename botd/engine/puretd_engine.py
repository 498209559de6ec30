"""Decisions with networks that value positions by themselves, in PureTD's way.

The networks are the user's: PureTD's released ones, turned into botd's format by `botd-engine import-net`, or
any other of the same inputs. A network of kind `cubeful_equity` knows the cube and money play, and nothing
else; plays and cube decisions are search-free at 0-ply or look one roll ahead at 1-ply. All calls are
synchronous and release the interpreter's lock while they search; one engine may be used from any number of
threads at once.
"""

from __future__ import annotations

from pathlib import Path

from botd import _core, paths
from botd.engine import rules
from botd.engine.core_arguments import (
    checked_board,
    checked_dice,
    cube_state,
    digests,
)
from botd.engine.cube_names import DECISION_TEXTS, DOUBLES, unavailable_name
from botd.engine.met import default_met_path, load_met
from botd.engine.network_file import NetworkKind
from botd.engine.protocol import UnsupportedGame
from botd.engine.resignations import checked_level, playing_on, verdict
from botd.engine.types import (
    Board,
    CubeDecision,
    CubeOwner,
    EngineInfo,
    EngineMode,
    GameContext,
    PlayDecision,
    Probabilities,
    RankedPlay,
    ResignationDecision,
    TakeAction,
)

MAX_PLY = _core.PURETD_MAX_PLY
_PASS = 1.0

DeadlineExceeded = _core.DeadlineExceeded
"""A TimeoutError: no decision within its `deadline_s`. The engine is ready for the next call."""


class PuretdEngine:
    """PureTD's plays and cube decisions.

    Every decision takes a `GameContext`, seen like the board by the side named in the method, and raises
    UnsupportedGame, a ValueError, for a match (a network of kind `win` plays the last game of a match, where
    both sides need one point, and refuses all others), ValueError for impossible input, and DeadlineExceeded,
    a TimeoutError, when `deadline_s` seconds are over. None means no limit.

    Probabilities and cubeless equities come with networks of kind `probabilities5`; others have none, and
    answers say None. Only networks of kind `cubeful_equity` double: as in PureTD, the others play as if there
    were no cube, never double and take everything. Beavers are not made.
    """

    def __init__(self, evaluator: _core.PuretdEvaluator, info: EngineInfo) -> None:
        self._evaluator = evaluator
        self.info = info

    @classmethod
    def load(cls, weights: Path, *, cpu_path: str | None = None) -> PuretdEngine:
        """Load a network in botd's format.

        cpu_path: `plain`, `avx2` or `avx512`; by default the fastest that this machine has.

        Raises the core's DataError, a ValueError, for a missing or damaged file or one of other inputs, and
        ValueError for an unknown cpu_path.
        """
        evaluator = _core.PuretdEvaluator.load(weights, kernels=_kernels(cpu_path))
        files, digest = digests([evaluator.path])
        info = EngineInfo(
            version=_core.__version__,
            evaluator="puretd",
            mode=EngineMode.EXACT,
            cpu_path=_cpu_path(evaluator.kernels),
            weights_sha256=digest,
            weights_files=files,
        )
        return cls(evaluator, info)

    @property
    def kind(self) -> NetworkKind:
        """What the network's output is."""
        return NetworkKind(self._evaluator.kind)

    @property
    def source(self) -> str:
        """Where the network came from, as its file says."""
        return self._evaluator.source

    @property
    def licence(self) -> str:
        """The network's licence, as its file says."""
        return self._evaluator.licence

    def evaluate(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> tuple[Probabilities | None, float]:
        """The position before the roll, for the side on roll.

        The equity is what the network says: cubeful, without a double by the side on roll, of kind
        `cubeful_equity`, else cubeless; of kind `win` losing and winning are -1 and +1.
        """
        points, state = self._asked(board, context)
        probabilities = self._probabilities(points, ply, deadline_s)
        return probabilities, self._evaluator.before_roll(points, state, ply, deadline_s)

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        """All legal plays, best first, for the side on roll; all are valued to the full depth."""
        points, state = self._asked(board, context)
        die1, die2 = checked_dice(dice)
        ranked = self._evaluator.rank_plays(points, state, die1, die2, ply, deadline_s)
        plays = {play.board: play for play in rules.legal_plays(points, (die1, die2))}
        legal_count = len(plays)
        if not plays:
            plays = {points: rules.no_play(points)}
        return PlayDecision(
            plays=tuple(
                RankedPlay(
                    play=plays[result],
                    equity=equity,
                    cubeless_equity=self._cubeless(equity),
                    probabilities=None if probabilities is None else Probabilities(*probabilities),
                    ply=depth,
                )
                for result, equity, probabilities, depth in ranked
            ),
            legal_count=legal_count,
            ply=ply,
            source="search" if legal_count > 1 else "forced",
        )

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """Whether the side on roll should double before it rolls, and the answer if it does."""
        points, state = self._asked(board, context)
        cube = self._evaluator.cube_action(points, state, ply, deadline_s)
        return self._cube_decision(cube, context, self._probabilities(points, ply, deadline_s), ply)

    def cube_decision(self, cube: _core.CubeEquities, context: GameContext, ply: int) -> CubeDecision:
        """What follows from equities at a depth, by PureTD's rules; of a search that has no probabilities."""
        decided = _core.puretd_decided(cube.no_double, cube.double_take, cube_state(context))
        return self._cube_decision(decided, context, None, ply)

    def fast_search(
        self, settings: _core.FastSettings, *, noise: float, noise_seed: int | None
    ) -> _core.FastSearch:
        """The fast search over this network, in 16-bit arithmetic where the processor is quick at that.

        Raises UnsupportedGame for a network of another kind than `cubeful_equity`, ValueError for noise.
        """
        if noise > 0.0:
            raise ValueError("noise: expected none with puretd")
        path = self.info.cpu_path
        quick = _core.PuretdEvaluator.load(
            self._evaluator.path,
            kernels=self._evaluator.kernels,
            arithmetic="float" if path == "plain" else "int16",
        )
        table = load_met(default_met_path()).table()
        rough = _core.PruneNet.load(paths.rough_network(), path)
        return _core.FastSearch.over_puretd(quick, table, rough, settings)

    def take_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """The answer to a double: `response` of the result.

        Board and context are seen by the *doubler*, who is on roll, with the cube as it was before the
        double; so are all values of the result.
        """
        return self.cube_action(board, context, ply=ply, deadline_s=deadline_s)

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        """What the side on roll should resign before it rolls; `level` 0 means play on.

        Only what counting rolls proves lost is offered: never while there is contact.
        """
        points, state = self._asked(board, context)
        level = self._evaluator.certain_loss(points, state)
        cube = self.cube_action(points, context, ply=ply, deadline_s=deadline_s)
        return ResignationDecision(
            level=level,
            accept=False,
            equity=cube.optimal,
            resign_equity=self._evaluator.result_equity(state, -max(level, 1)),
            probabilities=cube.probabilities,
            ply=ply,
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
        roll next. Accepted if it is worth at least as much as playing on, the cube included.
        """
        points, state = self._asked(board, context)
        offered = self._evaluator.result_equity(state, checked_level(level))
        return verdict(
            level,
            offered,
            playing_on(self, points, context, on_roll=on_roll, ply=ply, deadline_s=deadline_s),
        )

    def _cube_decision(
        self,
        cube: _core.PuretdCubeEquities,
        context: GameContext,
        probabilities: Probabilities | None,
        ply: int,
    ) -> CubeDecision:
        name = _decision_name(cube, context)
        return CubeDecision(
            no_double=cube.no_double,
            double_take=cube.double_take,
            double_pass=_PASS,
            optimal=cube.optimal,
            decision=name,
            decision_text=DECISION_TEXTS[name],
            double=name in DOUBLES,
            response=TakeAction.TAKE if cube.takes else TakeAction.PASS,
            probabilities=probabilities,
            cubeless_equity=self._cubeless(cube.no_double),
            ply=ply,
        )

    def _asked(self, board: Board, context: GameContext) -> tuple[Board, _core.CubeState]:
        """Board and cube of a question that the network can answer."""
        points, state = checked_board(board), cube_state(context)
        last_game = context.match_length == context.score_player + 1 == context.score_opponent + 1
        if self.kind is NetworkKind.WIN:
            if not last_game:
                raise UnsupportedGame(
                    f"puretd: a network of kind {self.kind} knows the last game of a match only, "
                    f"expected both sides to need one point, got {_game(context)}"
                )
        elif not context.is_money:
            raise UnsupportedGame(
                f"puretd: a network of kind {self.kind} knows money play only, expected a game for money, "
                f"got {_game(context)}"
            )
        return points, state

    def _probabilities(self, board: Board, ply: int, deadline_s: float | None) -> Probabilities | None:
        found = self._evaluator.probabilities(board, ply, deadline_s)
        return None if found is None else Probabilities(*found)

    def _cubeless(self, equity: float) -> float | None:
        """The cubeless equity in points of a position of this equity, if the network knows it."""
        return equity if self.kind in (NetworkKind.CUBELESS_EQUITY, NetworkKind.PROBABILITIES5) else None


def _kernels(cpu_path: str | None) -> str | None:
    """The fastest loops of a CPU path."""
    if cpu_path is None:
        return None
    of_path = [name for name in _core.dense_kernels() if _cpu_path(name) == cpu_path]
    return of_path[-1] if of_path else cpu_path


def _cpu_path(kernels: str) -> str:
    """The CPU path that kernels belong to."""
    return kernels.removesuffix("vnni")


def _game(context: GameContext) -> str:
    if context.is_money:
        return "a game for money"
    return f"{context.score_player}-{context.score_opponent} in a match to {context.match_length}"


def _decision_name(cube: _core.PuretdCubeEquities, context: GameContext) -> str:
    """A key of DECISION_TEXTS."""
    if not cube.available:
        return unavailable_name(context)
    owned = context.cube_owner is not CubeOwner.CENTERED
    response = "TAKE" if cube.takes else "PASS"
    if cube.doubles:
        return f"{'REDOUBLE' if owned else 'DOUBLE'}_{response}"
    if not cube.takes or cube.no_double > _PASS:
        return f"{'TOOGOODRE' if owned else 'TOOGOOD'}_{response}"
    return "NO_REDOUBLE_TAKE" if owned else "NODOUBLE_TAKE"
