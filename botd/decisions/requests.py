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
    GameContext,
    PlayDecision,
    ResignationDecision,
)

Kind = Literal["play", "cube", "take", "resign"]


class Style(msgspec.Struct, frozen=True):
    """A named level to play at in place of the engine's plain search; one of the two is given."""

    search: SearchLevel | None = None
    playing: PlayingLevel | None = None
    seed: int = 0
    """Of levels that play with noise; each match has its own."""

    @classmethod
    def of(cls, level: Level, seed: int) -> Style:
        if isinstance(level, PlayingLevel):
            return cls(playing=level, seed=seed)
        return cls(search=level)

    @property
    def level(self) -> Level:
        """Raises ValueError if there is none."""
        level = self.playing or self.search
        if level is None:
            raise ValueError("style: expected a level")
        return level


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
    """Really used; below the one asked for if there was no time, 0 for a fall-back."""
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
