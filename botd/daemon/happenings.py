"""What happens in a session, as typed values for whoever watches: the terminal, a message broker, a test.

Publishing never waits. Every subscriber has a bounded queue of its own; if it is too slow the oldest
happenings are dropped and counted, and play goes on.

Seats are ours and the opponent's (`Side`), boards are seen by the side named in the happening, scores are
(ours, theirs), as in the journal.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from botd.engine.types import Board, EngineInfo
from botd.journal.records import (
    CubeActionKind,
    Decision,
    DecisionKind,
    Dice,
    MatchKey,
    ResignationAction,
    Side,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    account: str
    server: str
    at: float = field(default_factory=time.time, compare=False)
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected(Happening):
    """Logged in and ready to play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected(Happening):
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited(Happening):
    """Somebody has invited us, and what we answered."""

    player: str
    length: int
    """0 is unlimited; without meaning for a resumption."""
    resume: bool
    refusal: str
    """Why it was declined; empty if it was accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(Happening):
    opponent: str
    length: int
    """0 is unlimited."""
    score: tuple[int, int]
    resumed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted(Happening):
    number: int
    score: tuple[int, int]
    crawford: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolled(Happening):
    side: Side
    dice: Dice
    board: Board | None
    """Before the play, seen by `side`; None where it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Happening):
    side: Side
    dice: Dice
    notation: str
    """Empty if no checker could move."""
    board: Board | None
    """After the play, seen by `side`."""
    equity: float | None = None
    """Our equity after our own play, as our engine sees it; None for the opponent's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CubeActed(Happening):
    side: Side | None
    action: CubeActionKind
    cube: int
    """The value offered or refused; after a take the value in force."""
    equity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resigned(Happening):
    side: Side
    action: ResignationAction
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOver(Happening):
    winner: Side
    points: int
    score: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOver(Happening):
    opponent: str
    winner: Side
    score: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSuspended(Happening):
    opponent: str
    reason: str
    score: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingSeen(Happening):
    """The account's own rating, as its server tells it, is new to us."""

    rating: float
    experience: int | None
    """None where the server does not tell it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Happening):
    """A decision of ours, with all that was weighed."""

    kind: DecisionKind
    position_id: str
    match_id: str
    dice: Dice | None
    chosen: str
    """As the journal names it: a play's notation, `roll`, `double`, `take`, ..."""
    decision: Decision
    engine: EngineInfo
    source: str
    duration: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble(Happening):
    """Something that needs the operator. Account and server are empty if it belongs to none."""

    what: str
    """As the log names it."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail(Happening):
    """Base of what is told only to subscribers who ask for details: nothing new happens by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchNamed(Detail):
    """How the journal calls the running match; after a resumption it has to be looked up."""

    key: MatchKey
    game: int
    """Number of the game being played, or last played; 0 before the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSeen(Detail):
    """The match as the server shows it, whenever that has changed. It corrects whatever was missed."""

    board: Board
    """Seen by us."""
    length: int
    score: tuple[int, int]
    crawford: bool
    """This is the Crawford game."""
    turn: Side | None
    """Who is on roll (while a double is open: the doubler); None between games."""
    dice: Dice | None
    """Of the side on roll."""
    cube: int
    """Before a double that is on offer."""
    cube_owner: Side | None
    """None: centered; without meaning while a double is open."""
    doubled: bool
    """A double waits for its answer."""


class Subscription:
    """The happenings since it was made, oldest first. Iterate over it; it ends once closed and empty."""

    def __init__(
        self, limit: int, on_drop: Callable[[], None] | None = None, *, details: bool = False
    ) -> None:
        self._items: deque[Happening] = deque()
        self._limit = limit
        self.on_drop = on_drop
        self._wake = asyncio.Event()
        self._closed = False
        self._details = details
        self.dropped = 0
        """Happenings this subscriber was too slow for."""

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    def put(self, happening: Happening) -> None:
        """Add one without waiting; used by `Happenings`."""
        if self._closed or (isinstance(happening, Detail) and not self._details):
            return
        if len(self._items) >= self._limit:
            self._items.popleft()
            self.dropped += 1
            if self.on_drop is not None:
                self.on_drop()
        self._items.append(happening)
        self._wake.set()

    async def take(self) -> Happening | None:
        """The next one, once there is one; None once closed and empty."""
        while not self._items:
            if self._closed:
                return None
            self._wake.clear()
            await self._wake.wait()
        return self._items.popleft()

    def clear(self) -> None:
        """Forget what has not been taken yet."""
        self._items.clear()

    async def __aiter__(self) -> AsyncIterator[Happening]:
        while (happening := await self.take()) is not None:
            yield happening


class Happenings:
    """Passes each happening to all subscribers."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []

    def subscribe(
        self, limit: int = 1000, on_drop: Callable[[], None] | None = None, *, details: bool = False
    ) -> Subscription:
        """`on_drop` is called for every happening that this subscriber loses; `details`: it gets those."""
        subscription = Subscription(limit, on_drop, details=details)
        self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        subscription.close()
        self._subscriptions = [other for other in self._subscriptions if other is not subscription]

    def publish(self, happening: Happening) -> None:
        for subscription in self._subscriptions:
            subscription.put(happening)

    def close(self) -> None:
        """Nothing more will happen: lets every subscriber finish."""
        for subscription in self._subscriptions:
            subscription.close()

    @property
    def dropped(self) -> int:
        """Of subscribers that do not count for themselves."""
        return sum(subscription.dropped for subscription in self._subscriptions if not subscription.on_drop)
