"""Decisions with the fast search: an engine's exact ones, almost always, in a fraction of the time.

The search deepens ply by ply until the depth that was asked for or the end of the time, and answers with the
deepest complete result; `ply` of an answer says how deep that is. Without a time limit the same question has
the same answer, bit for bit, on one CPU path and with one set of settings, whatever was asked before and in
however many threads. All calls are synchronous; searches (from 1-ply on) release the interpreter's lock, and
one engine may be used from any number of threads at once.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from botd import _core
from botd.engine.protocol import Engine, EvaluatingEngine
from botd.engine.ranked_plays import play_decision
from botd.engine.resignations import playing_on, verdict
from botd.engine.settings import SearchSettings
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    EngineMode,
    GameContext,
    PlayDecision,
    Probabilities,
    ResignationDecision,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer

MAX_PLY = 4
_MIB = 1 << 20

CancelToken = _core.CancelToken
"""`cancel()`, from any thread, ends the searches that it was given to; each answers with what it has."""


@dataclass(frozen=True, slots=True)
class FastSettings:
    """What the fast search leaves out and remembers. Raises ValueError naming what is out of range."""

    narrowing: tuple[tuple[int, float], ...] = ((30, 0.80), (16, 0.20), (6, 0.12), (4, 0.08))
    """After 0, 1, 2 and 3 plies: how many plays of the root go on at most, and how far the second best may be
    behind the best to be among them; the one r places behind the best by 1/sqrt(r) of that."""
    least_replies: int = 2
    """Inside the search: results of a roll that are valued whatever the cheap order says of them;"""
    most_replies: int = 7
    """the most that are valued;"""
    reply_margin: float = 0.09
    """and how far one may be behind the best by the cheap order (points of cubeless equity) to be valued."""
    recheck: float = 0.015
    """At the last ply, plays and cube answers closer than this are valued again with 2.5 times the margin."""
    cache_mib: float = 4.0
    """Memory for static values, of each thread that searches."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.cache_mib) and 0.0 <= self.cache_mib <= 4096.0):
            raise ValueError(f"cache: expected 0 to 4096 MiB, got {self.cache_mib!r}")
        self.core(SearchSettings())

    def core(self, search: SearchSettings) -> _core.FastSettings:
        """As the compiled search takes them, with filter, pruning and threads of `search`."""
        own_filter = None if search.filter is None else search.core_filter(default="none", table="A")
        return _core.FastSettings(
            narrowing=self.narrowing,
            filter=own_filter,
            prune=search.prune,
            least=self.least_replies,
            most=self.most_replies,
            margin=self.reply_margin,
            recheck=self.recheck,
            cache_bytes=int(self.cache_mib * _MIB),
            threads=search.threads,
        )


_OF_EVALUATOR = {
    "gnubg": FastSettings(
        narrowing=((40, 1.20), (20, 0.30), (6, 0.12), (4, 0.08)), most_replies=10, reply_margin=0.13
    )
}
"""gnubg's values change more from ply to ply, and differ more from the rough network's, than Sage's do."""


def default_settings(evaluator: str) -> FastSettings:
    """What the fast search leaves out over this evaluator (`EngineInfo.evaluator`) by default."""
    return _OF_EVALUATOR.get(evaluator, FastSettings())


@runtime_checkable
class Searchable(EvaluatingEngine, Protocol):
    """An engine whose evaluator the fast search can use."""

    def fast_search(
        self, settings: _core.FastSettings, *, noise: float, noise_seed: int | None
    ) -> _core.FastSearch: ...

    def cube_decision(self, cube: _core.CubeEquities, context: GameContext, ply: int) -> CubeDecision: ...


class FastEngine:
    """The fast search over the evaluator of another engine, which also names cube decisions and judges
    resignations.

    Every decision takes a `GameContext`, seen like the board by the side named in the method, and raises
    ValueError for impossible input (board, dice, score, cube, ply, a finished game). `ply` is the deepest
    ply; `deadline_s` is a budget of time, which ends the search but never raises: at 0-ply an answer takes
    far less than a millisecond. None means no limit. `cancel` ends the search like the budget.
    """

    def __init__(
        self,
        base: Searchable,
        settings: SearchSettings | None = None,
        fast_settings: FastSettings | None = None,
    ) -> None:
        self.base = base
        """The engine underneath, in exact mode."""
        self.settings = settings or SearchSettings()
        self.fast_settings = fast_settings or default_settings(base.info.evaluator)
        self.info: EngineInfo = dataclasses.replace(base.info, mode=EngineMode.FAST)
        self._search = base.fast_search(
            self.fast_settings.core(self.settings),
            noise=self.settings.noise,
            noise_seed=self.settings.noise_seed,
        )

    @classmethod
    def over(cls, engine: Engine) -> Self:
        """The fast search over an engine; ValueError for one whose evaluator cannot be searched."""
        if not isinstance(engine, Searchable):
            raise ValueError(
                f"fast search: expected an engine with an evaluator, got {type(engine).__name__}"
            )
        return cls(engine)

    def configured(self, settings: SearchSettings) -> Self:
        """The same engine with other settings; networks are shared, remembered values are not.

        Without a filter the fast search uses its own. `prune=False` values every reply inside the search.
        """
        return type(self)(self.base, settings, self.fast_settings)

    def tuned(self, fast_settings: FastSettings) -> Self:
        """The same engine with other settings of the fast search."""
        return type(self)(self.base, self.settings, fast_settings)

    def evaluate(
        self,
        board: Board,
        context: GameContext,
        *,
        ply: int,
        deadline_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> tuple[Probabilities | None, float]:
        """The position before the roll and its cubeless equity at the score, for the side on roll.

        An evaluator that has no probabilities gives None and its own equity.
        """
        value, _ = self._search.evaluate(board, context, ply, deadline_s, cancel)
        probabilities = Probabilities(*value.probabilities) if self._search.has_probabilities else None
        return probabilities, value.equity_at_score

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> PlayDecision:
        """All legal plays, best first, for the side on roll.

        Plays dropped on the way keep the value and the depth (`ply`) at which they were dropped and stand
        below all deeper ones; a play that is alone, or is left alone, is not searched any deeper.
        """
        return play_decision(self._search.choose_play(board, context, dice, ply, deadline_s, cancel))

    def cube_action(
        self,
        board: Board,
        context: GameContext,
        *,
        ply: int,
        deadline_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> CubeDecision:
        """Whether the side on roll should double before it rolls, and the answer if it does.

        Named by the rules of the engine underneath. Probabilities are those met by the search with the cube.
        """
        cube, reached = self._search.cube_action(board, context, ply, deadline_s, cancel)
        return self.base.cube_decision(cube, context, reached)

    def best_plays(
        self, boards: Buffer, context: GameContext, dice: Buffer, *, ply: int
    ) -> tuple[memoryview, memoryview]:
        """The best play of many rolls at one score and cube, for whole arrays: (results, equities).

        `boards` is an int8 buffer of shape (n, 26), `dice` a uint8 buffer of shape (n, 2), such as numpy
        arrays. `results[i]` (int8, shape (n, 26)) is the board after the play that `choose_play` puts first
        for `boards[i]`, in the view of the side that has moved, or the board itself for a dance; `equities`
        (float64, shape (n,)) are those of the side that has moved, the cube included. Raises ValueError as
        `choose_play` does, and for other types and shapes, naming the row.
        """
        return self._search.best_plays(boards, context, dice, ply)

    def cube_actions(
        self, boards: Buffer, context: GameContext, *, ply: int
    ) -> tuple[memoryview, memoryview]:
        """Cube decisions of many boards (int8, shape (n, 26)) at one score and cube: (equities, actions).

        `equities` (float64, shape (n, 4)) are no double, double/take, double/pass and the optimal one, as in
        `cube_action` up to rounding; `actions` (uint8, shape (n, 3)) are 1 where the side on roll doubles,
        where the opponent takes and where he beavers. Raises ValueError as `best_plays` does.
        """
        return self._search.cube_actions(boards, context, ply)

    def take_action(
        self,
        board: Board,
        context: GameContext,
        *,
        ply: int,
        deadline_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> CubeDecision:
        """The answer to a double: `response` of the result.

        All is seen by the doubler, the cube as it was before the double.
        """
        return self.cube_action(board, context, ply=ply, deadline_s=deadline_s, cancel=cancel)

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        """What the side on roll should resign before it rolls; `level` 0 means play on.

        By the rules of the engine underneath.
        """
        offer = self.base.offer_resignation(board, context, ply=min(ply, 1))
        if offer.ply == 0 or ply <= offer.ply:
            return offer
        cube = self.cube_action(board, context, ply=ply, deadline_s=deadline_s)
        if cube.ply <= offer.ply:
            return offer
        return dataclasses.replace(offer, equity=cube.optimal, probabilities=cube.probabilities, ply=cube.ply)

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

        By the rules of the engine underneath, with equities searched as deeply as time allows.
        Board and context are seen by the side that decides; `on_roll` says whether it or the opponent is to
        roll next.
        """
        shallow = self.base.judge_resignation(board, context, level, on_roll=on_roll, ply=min(ply, 1))
        if shallow.ply == 0 or ply <= shallow.ply:
            return shallow
        game = playing_on(self, board, context, on_roll=on_roll, ply=ply, deadline_s=deadline_s)
        return shallow if game.ply <= shallow.ply else verdict(level, shallow.resign_equity, game)
