"""Where a server's dice come from: a seeded generator or a script. Nothing else here is random."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from typing import Protocol


class DiceSource(Protocol):
    def roll(self) -> tuple[int, int]:
        """Two dice. For an opening roll the first is the inviter's, the second the joiner's."""

    def inviter_is_x(self) -> bool:
        """The colour for the first game of a match."""


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

    def inviter_is_x(self) -> bool:
        return self._random.random() < 0.5


class ScriptedDice:
    """Given rolls and colours in order, then those of `then`.

    Raises `DiceExhaustedError` from `roll` when the rolls run out and `then` is None; colours that run
    out default to O for the inviter.
    """

    def __init__(
        self,
        rolls: Iterable[tuple[int, int]],
        inviter_is_x: Iterable[bool] = (),
        then: DiceSource | None = None,
    ) -> None:
        self._rolls = deque(rolls)
        self._colours = deque(inviter_is_x)
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

    def inviter_is_x(self) -> bool:
        if self._colours:
            return self._colours.popleft()
        return False if self._then is None else self._then.inviter_is_x()


def parse_dice_script(text: str, then: DiceSource | None = None) -> ScriptedDice:
    """Read a script: one roll per line (`5 2`), `inviter X` or `inviter O` for colours, `#` remarks."""
    rolls: list[tuple[int, int]] = []
    colours: list[bool] = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) == 2 and words[0] == "inviter" and words[1] in {"X", "O"}:
            colours.append(words[1] == "X")
        elif len(words) == 2 and all(w in {"1", "2", "3", "4", "5", "6"} for w in words):
            rolls.append((int(words[0]), int(words[1])))
        else:
            raise DiceScriptError(
                f"line {number}: expected two dice such as '5 2', or 'inviter X' or 'inviter O', "
                f"found {raw.strip()[:40]!r}"
            )
    return ScriptedDice(rolls, colours, then)
