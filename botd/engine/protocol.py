"""What the daemon asks of an engine, and how one is named in a configuration.

Any object with these methods can play: the Sage engine, the random player, a player of your own.
"""

from __future__ import annotations

import importlib
from typing import Protocol, runtime_checkable

from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    GameContext,
    PlayDecision,
    ResignationDecision,
)


@runtime_checkable
class Engine(Protocol):
    """Decisions for one position at a time; calls block until done.

    Every method raises ValueError for impossible input and TimeoutError when `deadline_s` seconds (None: no
    limit) are over; after either the engine takes the next question. Plies count as gnubg does (0 is static).
    """

    @property
    def info(self) -> EngineInfo: ...

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        """All legal plays, best first, for the side on roll."""
        ...

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """Whether the side on roll should double before it rolls, and the answer if it does."""
        ...

    def take_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """The answer to a double; all is seen by the doubler, the cube as it was before the double."""
        ...

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        """What the side on roll should resign before it rolls; level 0 is to play on."""
        ...

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
        """Whether to accept the opponent's offer to lose `level` (1, 2 or 3) times the cube.

        Seen by the side that decides; `on_roll` says whether it or the opponent is to roll next.
        """
        ...


def load_engine(spec: str) -> Engine:
    """Build the engine that `spec` names.

    `sage` or `sage:CPU_PATH` (`plain`, `avx2`, `avx512`), `random` or `random:SEED`, or
    `MODULE:CALLABLE`, where the callable takes nothing and returns an `Engine`.

    Raises ValueError for an unknown spec, TypeError if a callable returns something else, and whatever
    loading raises (a missing file, for example).
    """
    name, _, argument = spec.partition(":")
    if name == "sage":
        from botd.engine.engine import SageEngine  # noqa: PLC0415 - the random player needs no networks

        return SageEngine.load(cpu_path=argument or None)
    if name == "random":
        from botd.engine.random_player import RandomPlayer  # noqa: PLC0415

        if argument and not (argument.isascii() and argument.isdigit()):
            raise ValueError(f"engine {spec!r}: expected a whole number after 'random:', got {argument!r}")
        return RandomPlayer(seed=int(argument or "0"))
    if not (name and argument):
        raise ValueError(
            f"engine {spec!r}: expected sage, sage:CPU_PATH, random, random:SEED or MODULE:CALLABLE"
        )
    try:
        factory = getattr(importlib.import_module(name), argument)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"engine {spec!r}: cannot be imported: {error}") from error
    engine = factory()
    if not isinstance(engine, Engine):
        raise TypeError(f"engine {spec!r}: expected an engine, got {type(engine).__name__}")
    return engine
