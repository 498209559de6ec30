"""The tables `[levels.easy]`, `[levels.medium]` and `[levels.hard]`: figures other than the usual ones."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Annotated, Any

from msgspec import Meta

from botd.engine.levels import DoublingHabit, Level, PlayingLevel, find_level

LevelName = Annotated[
    str, Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9 _-]+\Z", description="the name of a level")
]
Share = Annotated[float, Meta(ge=0, le=1)]
_HABITS = tuple(each.name for each in dataclasses.fields(DoublingHabit))


@dataclass(frozen=True, slots=True)
class LevelConfig:
    """Absent keys are as `botd.engine.levels` has them; what each means is told there."""

    plies: Annotated[int, Meta(ge=0, le=4)] | None = None
    candidates: Annotated[int, Meta(ge=1, le=1000)] | None = None
    easy_noise: Share | None = None
    least_wins: Share | None = None
    most_wins: Share | None = None
    too_good_wins: Share | None = None
    too_good_gammons: Share | None = None
    least_take_wins: Share | None = None
    book: bool | None = None

    def applied(self, level: PlayingLevel) -> PlayingLevel:
        """`level` with the figures given here. Raises ValueError if they do not make a level."""
        given = {key: value for key, value in dataclasses.asdict(self).items() if value is not None}
        habits: dict[str, Any] = {key: given.pop(key) for key in _HABITS if key in given}
        if habits:
            usual = {} if level.doubling is None else dataclasses.asdict(level.doubling)
            habits = usual | habits
            if not {"least_wins", "most_wins"} <= habits.keys():
                raise ValueError(
                    "expected least_wins and most_wins for a level that does not double otherwise"
                )
            habit = DoublingHabit(**habits)
            if habit.least_wins > habit.most_wins:
                raise ValueError(
                    f"least_wins ({habit.least_wins:g}) is larger than most_wins ({habit.most_wins:g})"
                )
            given["doubling"] = habit
        return dataclasses.replace(level, **given)


@dataclass(frozen=True, slots=True)
class LevelsConfig:
    easy: LevelConfig = field(default_factory=LevelConfig)
    medium: LevelConfig = field(default_factory=LevelConfig)
    hard: LevelConfig = field(default_factory=LevelConfig)

    def level(self, name: str) -> Level:
        """The level of a name with these figures. Raises ValueError for an unknown name or bad figures."""
        level = find_level(name)
        if not isinstance(level, PlayingLevel):
            return level
        changes: LevelConfig = getattr(self, level.name)
        return changes.applied(level)
