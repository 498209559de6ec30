"""The live document: what the daemon is doing now, for the status page, `botd watch` and any other program.

Seats are `us` (the account the daemon plays) and `opponent`. A board is 26 integers seen by us: [1..24]
points numbered from our bear-off end, our checkers positive, the opponent's negative; [25] our checkers on
the bar, [0] the opponent's there (both >= 0). Scores and pip counts are (ours, theirs). Equities and chances
are *ours*, whoever is on roll: points for a cube at 1 without a match, else linear in the chance to win the
match, -1 and +1 being the loss and the win of the present cube. Times are seconds since 1970, durations
seconds.

Everything is bounded: the lists by the constants below, texts of other people by `MAX_TEXT`.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

SCHEMA: Final = 1
"""Raised whenever a key changes its meaning or goes away; new keys may come without."""
MAX_CURVE: Final = 500
MAX_DECISIONS: Final = 20
MAX_CANDIDATES: Final = 8
MAX_TROUBLES: Final = 20
MAX_TEXT: Final = 500
"""Characters of a text that came from elsewhere."""

MAX_NAME: Final = 64
"""Characters of a player's name."""

Seat = Literal["us", "opponent"]
Board = tuple[int, ...]
Dice = tuple[int, int]
Pair = tuple[int, int]
"""Ours, theirs."""


class Cube(msgspec.Struct, frozen=True, kw_only=True):
    value: int
    """Before a double that is on offer."""
    owner: Seat | None = None
    """None: centered."""
    offered_by: Seat | None = None
    """Who has doubled and waits for the answer."""


class LastMove(msgspec.Struct, frozen=True, kw_only=True):
    side: Seat
    dice: Dice
    notation: str
    """gnubg's notation in the mover's numbering; empty if no checker could move."""
    board: Board | None
    """After the move, seen by us."""


class Resignation(msgspec.Struct, frozen=True, kw_only=True):
    """An offer to resign that waits for its answer."""

    side: Seat
    """Who wants to resign."""
    level: int
    """1, 2, 3: single game, gammon, backgammon."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of ours on the curve of the match."""

    n: int
    """Counts our decisions in this match, from 1 on; not every one is there once they are many."""
    game: int
    win: float | None
    """Our chance to win the game; None of an engine that tells none."""
    equity: float | None
    cube: int | None = None
    """The cube that the equity counts in, before a double on offer: under different cubes it makes no line.
    None if unknown."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """What could have been done."""

    move: str
    """A play; or `No double`, `Double, take`, `Double, pass`; `Take`, `Pass`; `Play on`, `Resign 1`;
    `Accept`, `Reject`."""
    equity: float
    loss: float | None
    """What it gives away against the best, at least 0; None of an answer the opponent should not give."""
    win: float | None = None
    ply: int


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of ours."""

    at: float
    game: int
    kind: str
    """`play`, `double`, `take`, `resign`, `answer_resignation`."""
    dice: Dice | None
    chosen: str
    """As the journal names it: a play's notation, `roll`, `double`, `take`, `pass`, `resign 1`, ..."""
    equity: float | None
    cube: int | None = None
    """As on the curve."""
    ply: int
    """The depth really used."""
    source: str
    """`search`, `forced`, `book`, `bearoff`, `fallback`, `rules`."""
    duration_s: float
    win: float | None
    position_id: str
    match_id: str
    candidates: tuple[Candidate, ...]
    """Plays best first."""
    chosen_index: int | None
    """Of the candidate that was chosen."""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match being played."""

    key: str | None
    """The journal's name of it; None for a moment after it was resumed."""
    opponent: str
    length: int
    """0: unlimited."""
    score: Pair
    crawford: bool
    """This is the Crawford game."""
    game: int
    """Number of the game being played or just over; 0 before it is known."""
    started_at: float
    """Of this sitting."""
    board: Board | None
    """None until the server has shown it."""
    turn: Seat | None
    """Who is on roll; while a double is on offer its offerer. None between games."""
    dice: Dice | None
    """Of the side on roll, until it has moved."""
    cube: Cube
    pips: Pair | None
    last_move: LastMove | None
    resignation: Resignation | None
    moves: int
    """Of both sides in this game, as far as they were seen."""
    curve: tuple[Point, ...]
    decisions: tuple[Decided, ...]
    """Newest first."""


class LastMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The match an account has finished last."""

    key: str | None
    number: int | None = None
    opponent: str
    winner: Seat
    score: Pair


class Account(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """NAME@HOST:PORT."""
    account: str
    server: str
    state: str
    """`connecting`, `waiting` (before the next attempt), `ready`, `playing`, or how it ended."""
    since: float
    """When this state began."""
    last_message_at: float | None
    """When the server last sent anything."""
    paused: bool
    level: str | None
    ply: int
    mode: str
    rating: float | None
    matches: int
    """Finished since the account was started, unlimited ones that were left counted in."""
    wins: int
    losses: int
    match: Match | None
    last_match: LastMatch | None


class Engine(msgspec.Struct, frozen=True, kw_only=True):
    evaluator: str
    mode: str
    cpu_path: str
    met: str
    weights: str
    """SHA-256 over all weight files in use."""


class Workers(msgspec.Struct, frozen=True, kw_only=True):
    total: int
    failing: int


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """How long an engine worked on decisions of a kind, since the daemon was started."""

    kind: str
    ply: int | None
    """The depth really used; None: deeper than all that are counted apart."""
    count: int
    p50: float
    p95: float
    p99: float
    """Interpolated within the histogram's buckets."""


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    at: float
    account: str
    """Empty if it belongs to no account."""
    server: str
    what: str
    """As the log names it."""
    detail: str


class Live(msgspec.Struct, frozen=True, kw_only=True):
    """Everything."""

    schema: int = SCHEMA
    version: str
    instance: str
    """Another one each time the daemon is started."""
    at: float
    state: str
    """`running`, `draining` or `stopping`."""
    uptime_s: float
    engine: Engine
    workers: Workers
    journal: str
    """`ok`, or why it cannot be written."""
    accounts: tuple[Account, ...]
    latency: tuple[Latency, ...]
    troubles: tuple[Trouble, ...]
    """Newest last."""


def text(value: str, most: int = MAX_TEXT) -> str:
    """A text of other people, short and fit for UTF-8."""
    return value[:most].encode("utf-8", "replace").decode()
