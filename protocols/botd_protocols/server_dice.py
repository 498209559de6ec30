"""Where a server's dice come from: a seeded generator or a script. Nothing else in a server is random."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from typing import Protocol


class DiceSource(Protocol):
    def roll(self) -> tuple[int, int]:
        """Two dice. For an opening roll the first is the host's, the second the guest's (FIBS), or they are
        seat 1's and seat 2's (bgammon)."""

    def host_is_first(self) -> bool:
        """Who gets which side: FIBS plays X with the inviter if true, bgammon seats the creator at seat 1."""


class DiceExhaustedError(Exception):
    """A script ran out of dice and names no source to go on with."""


class DiceScriptError(ValueError):
    """A dice script is malformed; the text names the line."""


class SeededDice:
    """Dice from Python's Mersenne Twister; the same seed gives the same games."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 - games on a local server, not secrets

    def roll(self) -> tuple[int, int]:
        return self._random.randint(1, 6), self._random.randint(1, 6)

    def host_is_first(self) -> bool:
        return self._random.random() < 0.5


class ScriptedDice:
    """Given rolls and sides in order, then those of `then`.

    Raises `DiceExhaustedError` from `roll` when the rolls run out and `then` is None; sides that run
    out default to the second for the host.
    """

    def __init__(
        self,
        rolls: Iterable[tuple[int, int]],
        host_is_first: Iterable[bool] = (),
        then: DiceSource | None = None,
    ) -> None:
        self._rolls = deque(rolls)
        self._sides = deque(host_is_first)
        self._then = then

    @property
    def rolls_left(self) -> int:
        return len(self._rolls)

    def roll(self) -> tuple[int, int]:
        if self._rolls:
            return self._rolls.popleft()
        if self._then is None:
            raise DiceExhaustedError("the dice script has no roll left")
        return self._then.roll()

    def host_is_first(self) -> bool:
        if self._sides:
            return self._sides.popleft()
        return False if self._then is None else self._then.host_is_first()


_SIDES = {
    ("inviter", "X"): True,
    ("inviter", "O"): False,
    ("creator", "1"): True,
    ("creator", "2"): False,
}


def parse_dice_script(text: str, then: DiceSource | None = None) -> ScriptedDice:
    """Read a script: one roll per line (`5 2`), the host's side (`inviter X`, `inviter O` on FIBS,
    `creator 1`, `creator 2` on bgammon), `#` remarks."""
    rolls: list[tuple[int, int]] = []
    sides: list[bool] = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) == 2 and (words[0], words[1]) in _SIDES:
            sides.append(_SIDES[words[0], words[1]])
        elif len(words) == 2 and all(w in {"1", "2", "3", "4", "5", "6"} for w in words):
            rolls.append((int(words[0]), int(words[1])))
        else:
            raise DiceScriptError(
                f"line {number}: expected two dice such as '5 2', or 'inviter X' or 'inviter O', "
                f"found {raw.strip()[:40]!r}"
            )
    return ScriptedDice(rolls, sides, then)


class DoublesCap:
    """Counts the doubles each side throws in a game, and throws the second die again past a limit."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        """None: no limit, dice as they fall."""

    def roll(self, dice: DiceSource, thrown: list[int], side: int) -> tuple[int, int]:
        """A roll of `side`; `thrown` are the doubles of both sides in this game so far, kept up to date."""
        first, second = dice.roll()
        if first != second:
            return first, second
        if self._limit is not None and thrown[side] >= self._limit:
            while second == first:
                second = dice.roll()[1]
            return first, second
        thrown[side] += 1
        return first, second
