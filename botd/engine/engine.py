"""Decisions with the Sage evaluator: checker plays, cube actions, resignations.

All calls are synchronous; searches (from 1-ply on) release the interpreter's lock, and one engine may be
used from any number of threads at once. Plies count as gnubg does: 0 is the static evaluation, and 4 is the
deepest.
"""

from __future__ import annotations

from pathlib import Path

from botd import _core, paths
from botd.engine.core_arguments import (
    checked_board,
    cube_state,
)
from botd.engine.cube_names import DECISION_TEXTS, DOUBLES, CubeSituation, decision_name
from botd.engine.met import default_met_path, load_met
from botd.engine.provenance import Provenance
from botd.engine.ranked_plays import play_decision
from botd.engine.resignations import checked_level, playing_on, verdict
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


DeadlineExceeded = _core.DeadlineExceeded
"""A TimeoutError: no decision within its `deadline_s`. The engine is ready for the next call."""


class SageEngine:
    """Sage's own search in exact mode.

    Every decision takes a `GameContext`, seen like the board by the side named in the method, and raises
    ValueError for impossible input (board, dice, score, cube, ply, a finished game) and
    DeadlineExceeded, a TimeoutError, when `deadline_s` seconds are over. None means no limit.
    """

    def __init__(
        self, search: _core.SageSearch, provenance: Provenance, settings: _core.SageSettings | None = None
    ) -> None:
        self._search = search
        self._settings = settings or _core.SageSettings()
        self._provenance = provenance

    @classmethod
    def load(
        cls,
        *,
        cpu_path: str | None = None,
        models: Path | None = None,
        bearoff: Path | None = None,
        met: Path | None = None,
    ) -> SageEngine:
        """Load networks, bear-off database and match equity table.

        cpu_path: `plain`, `avx2` or `avx512`; by default the fastest that this machine has. models, bearoff:
        folder of networks and database file, by default those of the installed package bgsage. met: a table
        in gnubg's XML form, by default Kazaross-XG2.

        Raises FileNotFoundError or the core's data error for missing or damaged files, MetError for a bad
        table, ValueError for an unknown cpu_path.
        """
        if models is None or bearoff is None:
            assets = paths.sage_assets()
            models = models or assets / "models"
            bearoff = bearoff or assets / "data" / "bearoff_1sided.db"
        equities = load_met(met or default_met_path())
        search = _core.SageSearch(models, bearoff, cpu_path, equities.table())
        return cls(search, Provenance("sage", search.cpu_path, search.files, equities.name))

    @property
    def info(self) -> EngineInfo:
        """What decides; the digests of the files are made the first time."""
        return self._provenance.info

    def configured(self, settings: SearchSettings) -> SageEngine:
        """A view of this engine that searches as `settings` say; both share networks and memory.

        Without a filter every play is searched to the full depth; named filters are gnubg 1.07's. Noise is
        added to static values: of 0-ply decisions, and where a filter scores plays at 0-ply. It repeats for
        the same board and seed. `threads` work on one decision. `prune` means nothing to Sage.
        """
        core = _core.SageSettings(
            filter=settings.core_filter(default="none", table="A"),
            noise=settings.noise,
            noise_seed=settings.noise_seed or 0,
            threads=settings.threads,
        )
        return SageEngine(self._search, self._provenance, core)

    def fast_search(
        self, settings: _core.FastSettings, *, noise: float, noise_seed: int | None
    ) -> _core.FastSearch:
        """The fast search over this engine's networks; see `botd.engine.fast_engine`."""
        rough = _core.PruneNet.load(paths.rough_network(), self.info.cpu_path)
        return _core.FastSearch.over_sage(
            self._search, rough, settings, noise=noise, noise_seed=noise_seed or 0
        )

    def rollout(
        self, board: Board, state: _core.CubeState, settings: _core.RolloutSettings, *, threads: int
    ) -> _core.Rollout:
        """A position ready to be rolled out over this engine's networks; see `botd.engine.rollout`."""
        return _core.Rollout(
            self._search, board, state, settings, evaluator=self.info.identity, threads=threads
        )

    def rollout_candidates(
        self, board: Board, state: _core.CubeState, dice: tuple[int, int], *, searched: bool, threads: int
    ) -> tuple[Board, ...]:
        """Results of the plays of a roll that are worth a rollout, the most promising first."""
        first, second = dice
        kept = _core.rollout_candidates(
            self._search, board, state, first, second, searched=searched, threads=threads
        )
        return tuple(ranked.board for ranked in kept)

    def evaluate(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> tuple[Probabilities, float]:
        """The position before the roll without the cube, for the side on roll.

        The equity is cubeless at the score: points in money play (gammons always counted), else match winning
        chances mapped so that losing / winning the cube's value are -1 / +1.
        """
        value = self._search.evaluate(
            checked_board(board), cube_state(context), ply, deadline_s, self._settings
        )
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

        `cubeless_equity` of a play is in money points whatever the score. Plays within 1e-6 of each other
        count as equal and are ordered by it. Every play is searched to the full depth, a forced one too,
        unless a filter is configured: then plays that were searched deeper come first, and a play that it
        leaves alone is not searched any further.
        """
        return play_decision(self._search.choose_play(board, context, dice, ply, deadline_s, self._settings))

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """Whether the side on roll should double before it rolls, and the answer if it does.

        With beavers in play `double_take` counts a beaver where the taker should make one. `double` follows
        `decision`. (Open Sage has a post-Crawford trailer double even where he is too good.)
        """
        cube = self._search.cube_action(
            checked_board(board), cube_state(context), ply, deadline_s, self._settings
        )
        return self.cube_decision(cube, context, ply)

    def cube_decision(self, cube: _core.CubeEquities, context: GameContext, ply: int) -> CubeDecision:
        """What follows from equities at a depth, by this engine's rules."""
        probabilities = Probabilities(*cube.probabilities)
        name = decision_name(
            CubeSituation(
                no_double=cube.no_double,
                double_take=cube.double_take / 2.0 if cube.beavers else cube.double_take,
                double_pass=cube.double_pass,
                available=cube.available,
                context=context,
                probabilities=probabilities,
            )
        )
        response = TakeAction.TAKE if cube.takes else TakeAction.PASS
        return CubeDecision(
            no_double=cube.no_double,
            double_take=cube.double_take,
            double_pass=cube.double_pass,
            optimal=cube.optimal,
            decision=name,
            decision_text=DECISION_TEXTS[name],
            double=name in DOUBLES,
            response=TakeAction.BEAVER if cube.beavers and cube.available else response,
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

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        """What the side on roll should resign before it rolls; `level` 0 means play on.

        Only what is lost for certain is offered: never while there is contact, never a single game while a
        gammon that would cost more is open. Proofs are by counting rolls or from the bear-off database (a
        chance of at least 0.999); `ply` only says how deep the reported equity is searched (1 at least).
        """
        points, state = checked_board(board), cube_state(context)
        level = self._search.certain_loss(points, state)
        ply = 1 if ply == 0 else ply
        cube = self.cube_action(points, context, ply=ply, deadline_s=deadline_s)
        return ResignationDecision(
            level=level,
            accept=False,
            equity=cube.optimal,
            resign_equity=self._search.result_equity(state, -max(level, 1)),
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
        roll next. Accepted if it is worth at least as much as playing on, the cube included; this is searched
        at least 1-ply deep, because 0-ply probabilities may hold traces of impossible gammons.
        """
        points, state = checked_board(board), cube_state(context)
        offered = self._search.result_equity(state, checked_level(level))
        return verdict(
            level,
            offered,
            playing_on(self, points, context, on_roll=on_roll, ply=max(ply, 1), deadline_s=deadline_s),
        )
