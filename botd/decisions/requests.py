"""Questions to the engine, and the answers with what they took.

Boards and contexts are those of `botd.engine.types`; the perspective is that of the engine's method of the
same purpose. `ply` is the depth wished for (with a `style` that of its level); the answer tells which was
reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import msgspec

from botd.engine.levels import Level, PlayingLevel, SearchLevel
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    EngineMode,
    GameContext,
    PlayDecision,
    ResignationDecision,
)

Kind = Literal["play", "cube", "take", "resign"]


class Style(msgspec.Struct, frozen=True):
    """How to decide, where that is not as the engine was started."""

    search: SearchLevel | None = None
    playing: PlayingLevel | None = None
    """A named level, of one kind or the other, in place of the engine's plain search."""
    seed: int = 0
    """Of levels that play with noise; each match has its own."""
    mode: EngineMode | None = None
    """None: that of the engine's name."""
    budget_s: float | None = None
    """Fast mode: seconds after which the best answer so far is given; None: the deadline alone counts."""

    @classmethod
    def of(
        cls,
        level: Level | None,
        seed: int = 0,
        *,
        mode: EngineMode | None = None,
        budget_s: float | None = None,
    ) -> Style:
        if isinstance(level, PlayingLevel):
            return cls(playing=level, seed=seed, mode=mode, budget_s=budget_s)
        return cls(search=level, mode=mode, budget_s=budget_s)

    @property
    def level(self) -> Level | None:
        return self.playing or self.search


class PlayRequest(msgspec.Struct, frozen=True, tag=True):
    """Which play of this roll? Seen by the side on roll."""

    board: Board
    context: GameContext
    ply: int
    dice: tuple[int, int]
    style: Style | None = None


class CubeRequest(msgspec.Struct, frozen=True, tag=True):
    """Double before the roll? Seen by the side on roll."""

    board: Board
    context: GameContext
    ply: int
    style: Style | None = None


class TakeRequest(msgspec.Struct, frozen=True, tag=True):
    """Take, pass or beaver? Seen by the *doubler*, the cube as before the double."""

    board: Board
    context: GameContext
    ply: int
    style: Style | None = None


class OfferResignationRequest(msgspec.Struct, frozen=True, tag=True):
    """Resign before the roll, and how much? Seen by the side on roll."""

    board: Board
    context: GameContext
    ply: int
    style: Style | None = None


class JudgeResignationRequest(msgspec.Struct, frozen=True, tag=True):
    """Accept the opponent's resignation? Seen by the side that decides."""

    board: Board
    context: GameContext
    ply: int
    level: int
    on_roll: bool
    """Whether the side that decides rolls next."""
    style: Style | None = None


Request = PlayRequest | CubeRequest | TakeRequest | OfferResignationRequest | JudgeResignationRequest

_KINDS: dict[type, Kind] = {
    PlayRequest: "play",
    CubeRequest: "cube",
    TakeRequest: "take",
    OfferResignationRequest: "resign",
    JudgeResignationRequest: "resign",
}


def kind_of(request: Request) -> Kind:
    """How metrics and logs name the kind of decision."""
    return _KINDS[type(request)]


Decision = PlayDecision | CubeDecision | ResignationDecision
D_co = TypeVar("D_co", bound=Decision, covariant=True)


@dataclass(frozen=True, slots=True)
class Answer(Generic[D_co]):
    """A decision and what it took."""

    decision: D_co
    ply: int
    """Really used; below the one asked for if there was no time, in fast mode if its budget ended first."""
    source: str
    """`search`; `forced`: nothing to choose; `fallback`: shallower than asked, after a time-out or a lost
    worker; `rules`: legal but without any evaluation, because no worker could answer."""
    queue_s: float
    """Seconds waited for a free worker (of the attempt that succeeded)."""
    worker_s: float
    """Seconds the engine worked (all plies tried)."""
    total_s: float
    """Seconds from question to answer."""
    engine: EngineInfo
    """What decided."""
