"""Whom to invite when nobody invites us: seldom, only who may like it, and nobody again and again."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from fnmatch import fnmatchcase

from botd.config.schema import MAX_MATCH_LENGTH, IdleConfig, PolicyConfig
from botd.daemon.chat import ChatManners
from botd.daemon.encounters import Encounters

IDLE_EVERY = 60.0
"""Seconds from any invitation of ours to the next one of this kind."""

Acceptable = Callable[[str, int, PolicyConfig], bool]
"""Whether these rules allow a new match of so many points with this player."""


class IdleInviter:
    """For one connection. Times are seconds of any steady clock."""

    def __init__(
        self, config: IdleConfig, policy: PolicyConfig, manners: ChatManners, encounters: Encounters
    ) -> None:
        self._config = config
        self._manners = manners
        self._encounters = encounters
        self._lengths = itertools.cycle(config.lengths)
        self._length = next(self._lengths)
        self._since = float("inf")
        self._policy = replace(
            policy,
            accept=True,  # that is about those who invite us; so are the lengths and bands
            min_length=1,
            max_length=MAX_MATCH_LENGTH,
            min_rating=config.min_rating,
            max_rating=config.max_rating,
            min_experience=config.min_experience,
            max_experience=config.max_experience,
        )

    def occupied(self, now: float) -> None:
        """A match runs or none may begin: from now on, at the earliest, we are idle."""
        self._since = now

    def whom(
        self, free: Iterable[str], now: float, last_invitation: float, acceptable: Acceptable
    ) -> tuple[str, int] | None:
        """One of the `free` players and a length, if it is time; counts as asked."""
        config, encounters = self._config, self._encounters
        if now - self._since < config.after_s or now - last_invitation < IDLE_EVERY:
            return None
        welcome = [
            name
            for name in free
            if self._wanted(name)
            and not encounters.asked_within(name, now, config.again_s)
            and acceptable(name, self._length, self._policy)
        ]
        if not welcome:
            return None
        # Whom we have not played for longest; of several any, so that not all programs ask the same one.
        waits = {name: encounters.since(name, now) for name in welcome}
        longest = max(_or_ever(wait) for wait in waits.values())
        name = secrets.choice([name for name, wait in waits.items() if _or_ever(wait) == longest])
        length, self._length = self._length, next(self._lengths)
        encounters.asked(name, now)
        return name, length

    def _wanted(self, name: str) -> bool:
        if self._manners.is_family(name):
            return False
        lower = name.lower()
        if any(fnmatchcase(lower, pattern.lower()) for pattern in self._config.bot_names):
            return self._config.bots
        # A program that is not listed may do anything but play.
        return self._config.humans and not self._manners.is_program(name)


def _or_ever(wait: float | None) -> float:
    return float("inf") if wait is None else wait
