"""What the daemon asks of an engine, and how one is named in a configuration.

Any object with these methods can play: the Sage engine, the random player, a player of your own.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from botd import _core
from botd.engine.settings import SearchSettings
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    GameContext,
    PlayDecision,
    Probabilities,
    ResignationDecision,
)

_MAX_SEED_DIGITS = 18
_PLAY_MATCHES = ("sage", "gnubg", "gnubg:A", "gnubg:B")


UnsupportedGame = _core.UnsupportedGame
"""A ValueError: a kind of game that an engine knows nothing about; the message says which it knows."""


@runtime_checkable
class Engine(Protocol):
    """Decisions for one position at a time; calls block until done.

    Every method raises ValueError for impossible input and TimeoutError when `deadline_s` seconds (None: no
    limit) are over; after either the engine takes the next question. Plies count as gnubg does (0 is static).
    """

    @property
    def info(self) -> EngineInfo:
        """What decides: version, evaluator, mode, CPU path, digests of the weights."""
        ...

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


@runtime_checkable
class EvaluatingEngine(Engine, Protocol):
    """An engine that also says what a position is worth."""

    def evaluate(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> tuple[Probabilities | None, float]:
        """The position before the roll and its cubeless equity at the score, for the side on roll.

        An evaluator that has no probabilities gives None and its own equity.
        """
        ...


@runtime_checkable
class ConfigurableEngine(Protocol):
    """An engine whose search has settings."""

    def configured(self, settings: SearchSettings) -> Self:
        """A view of this engine with these settings; ValueError for one it does not have."""
        ...


def load_engine(spec: str) -> Engine:
    """Build the engine that `spec` names.

    `sage` or `sage:CPU_PATH` (`plain`, `avx2`, `avx512`), `gnubg` or `gnubg:PROFILE` (`A`, `B`),
    `puretd:FILE` (a network in botd's format, for money play) or `puretd:FILE+EVALUATOR`, where one of the
    former plays the matches, `fast:` before any of these for the fast search over it, `random` or
    `random:SEED`, or `MODULE:CALLABLE`, where the callable takes nothing and returns an `Engine`. `@LEVEL` or
    `@LEVEL:SEED` behind any of them makes it play at a level of `botd.engine.levels`, as in `sage@hard`;
    spaces in the name may be written as `-`.

    Raises ValueError for an unknown spec or level, TypeError if a callable returns something else, and
    whatever loading raises (a missing file, for example).
    """
    base, at, level_text = spec.rpartition("@")
    if at:
        from botd.engine.level_player import at_level  # noqa: PLC0415 - needed for levels only
        from botd.engine.levels import find_level  # noqa: PLC0415

        level_name, _, seed = level_text.partition(":")
        level = find_level(level_name)
        return at_level(load_engine(base), level, _number(spec, level_name, seed))
    name, _, argument = spec.partition(":")
    if name == "sage":
        from botd.engine.engine import SageEngine  # noqa: PLC0415 - the random player needs no networks

        return SageEngine.load(cpu_path=argument or None)
    if name == "gnubg":
        from botd.engine.gnubg_engine import GnubgEngine  # noqa: PLC0415

        return GnubgEngine.load(profile=argument or None)
    if name == "puretd":
        from botd.engine.puretd_engine import PuretdEngine  # noqa: PLC0415

        file, plus, others = argument.rpartition("+")
        if plus and file and others in _PLAY_MATCHES:
            return _split(f"puretd:{file}", others)
        if not argument:
            raise ValueError("engine 'puretd': expected puretd:FILE, a network in botd's format")
        return PuretdEngine.load(Path(argument))
    if name == "fast":
        from botd.engine.fast_engine import FastEngine  # noqa: PLC0415

        money, plus, others = argument.rpartition("+")
        if plus and money.startswith("puretd:") and others in _PLAY_MATCHES:
            return _split(f"fast:{money}", f"fast:{others}")
        return FastEngine.over(load_engine(argument))
    if name == "random":
        from botd.engine.random_player import RandomPlayer  # noqa: PLC0415

        return RandomPlayer(seed=_number(spec, name, argument))
    if not (name and argument):
        raise ValueError(
            f"engine {spec!r}: expected sage, sage:CPU_PATH, gnubg, gnubg:PROFILE, puretd:FILE, "
            "puretd:FILE+EVALUATOR, random, random:SEED or MODULE:CALLABLE, each perhaps with @LEVEL"
        )
    try:
        factory = getattr(importlib.import_module(name), argument)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"engine {spec!r}: cannot be imported: {error}") from error
    engine = factory()
    if not isinstance(engine, Engine):
        raise TypeError(f"engine {spec!r}: expected an engine, got {type(engine).__name__}")
    return engine


def _split(money: str, matches: str) -> Engine:
    from botd.engine.split_engine import SplitEngine  # noqa: PLC0415

    exact = not money.startswith("fast:")
    return SplitEngine(
        load_engine(money), load_engine(matches), most_money_ply=_core.PURETD_MAX_PLY if exact else None
    )


def _number(spec: str, name: str, text: str) -> int:
    """The seed behind `name:`, 0 if there is none."""
    if text and not (text.isascii() and text.isdigit() and len(text) <= _MAX_SEED_DIGITS):
        raise ValueError(f"engine {spec[:80]!r}: expected a whole number after '{name}:', got {text[:40]!r}")
    return int(text or "0")
