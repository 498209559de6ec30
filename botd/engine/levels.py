"""Named levels of play: gnubg's, which say how deep to search, and botd's own easy, medium and hard.

gnubg's levels are plies, noise, filter and pruning of a search. botd's are simple players with habits of
their own, meant for people; every figure is a field, so that another player is another value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchLevel:
    """A search, cubeful throughout; noise is drawn from the position, so it repeats."""

    name: str
    plies: int
    noise: float = 0.0
    """Standard deviation of what is added to a static winning chance."""
    filter: str | None = None
    """gnubg's name of the move filter, in the profile's table; None is the evaluator's default."""
    prune: bool = False
    """Meant for evaluators that have pruning networks."""


@dataclass(frozen=True, slots=True)
class DoublingHabit:
    """Doubles by cubeless chances of the 0-ply network, whatever the score."""

    least_wins: float
    most_wins: float
    """Doubles if the winning chance is from `least_wins` to `most_wins`, unless it is too good."""
    too_good_wins: float = 0.80
    too_good_gammons: float = 0.25
    """Too good to double: more wins and more gammons (all games, not only of those won) than these."""


@dataclass(frozen=True, slots=True)
class PlayingLevel:
    """A player: how it chooses plays, doubles and takes."""

    name: str
    plies: int
    """Depth at which the best `candidates` are compared."""
    candidates: int | None = None
    """Plays, the best at 0-ply, that are compared at `plies`; None compares all plays at 0-ply."""
    easy_noise: float = 0.0
    """Standard deviation of Gaussian noise on each play's equity, as a share of the distance between the best
    and the worst play: 0 plays the best, 1 nearly anything."""
    doubling: DoublingHabit | None = None
    """None never doubles."""
    least_take_wins: float | None = None
    """Takes with at least this winning chance at 0-ply; None always takes."""
    book: bool = True
    """Plays 3-1, 6-1 and 4-2 from the untouched starting position as everybody does."""

    def __post_init__(self) -> None:
        shares = [self.easy_noise, self.least_take_wins or 0.0]
        if self.doubling is not None:
            habit = self.doubling
            shares += [habit.least_wins, habit.most_wins, habit.too_good_wins, habit.too_good_gammons]
        if not all(0.0 <= share <= 1.0 for share in shares):
            raise ValueError(f"level {self.name}: expected noise and chances from 0 to 1, got {shares}")
        if self.plies < 0 or (self.candidates is not None and self.candidates < 1):
            raise ValueError(
                f"level {self.name}: expected 0 or more plies and 1 or more candidates, "
                f"got {self.plies} and {self.candidates}"
            )


Level = SearchLevel | PlayingLevel
"""Either kind of level."""

SEARCH_LEVELS = (
    SearchLevel("beginner", 0, noise=0.060),
    SearchLevel("casual play", 0, noise=0.050),
    SearchLevel("intermediate", 0, noise=0.040),
    SearchLevel("advanced", 0, noise=0.015),
    SearchLevel("expert", 0),
    SearchLevel("world class", 2, filter="normal", prune=True),
    SearchLevel("supremo", 2, filter="large", prune=True),
    SearchLevel("grandmaster", 3, filter="large", prune=True),
    SearchLevel("4ply", 4, filter="large", prune=True),
    SearchLevel("0ply", 0),
    SearchLevel("1ply", 1, prune=True),
    SearchLevel("2ply", 2, prune=True),
    SearchLevel("3ply", 3, prune=True),
)
"""gnubg's levels (both profiles have the same; filters are those of the profile), then plain depths."""

EASY = PlayingLevel("easy", plies=0, easy_noise=0.30)
MEDIUM = PlayingLevel(
    "medium", plies=1, candidates=5, doubling=DoublingHabit(0.66, 0.88), least_take_wins=0.25
)
HARD = PlayingLevel("hard", plies=2, candidates=15, doubling=DoublingHabit(0.66, 0.82), least_take_wins=0.25)
PLAYING_LEVELS = (EASY, MEDIUM, HARD)

LEVELS: dict[str, Level] = {level.name: level for level in (*SEARCH_LEVELS, *PLAYING_LEVELS)}
"""All named levels; `find_level` also understands other ways to write a name."""

_ALIASES = {"casual": "casual play", "casualplay": "casual play", "worldclass": "world class"}
_SEPARATORS = re.compile(r"[\s_-]+")


def find_level(name: str) -> Level:
    """The level of a name; case does not matter, and a space may be written as `-` or `_`.

    Raises ValueError that lists the names.
    """
    key = _SEPARATORS.sub(" ", name.strip().lower())
    key = _ALIASES.get(key, key)
    if key not in LEVELS:
        raise ValueError(f"level: expected one of {', '.join(LEVELS)}, got {name[:40]!r}")
    return LEVELS[key]
