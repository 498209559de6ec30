"""What a player types, as values: one line in, one command or a clear complaint out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

MAX_LINE = 200
HELP = """\
  roll            r    roll the dice
  8/5 6/5              move; also 8 5 6 5, bar/22, 6/off, 13/8(2), 24/22/21
  double          d    offer the cube
  take, pass      t p  answer a double (also accept, reject)
  beaver               take and double at once, where beavers are in use
  resign 1|2|3         offer to lose a single game, gammon or backgammon
  accept, reject       answer an offer to resign
  hint            h    what the engine would do
  board, pips          draw the board, count the pips
  help, quit      ? q  this text; leave"""


class Action(StrEnum):
    ROLL = "roll"
    MOVE = "move"
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"  # noqa: S105 - the action, not a secret
    BEAVER = "beaver"
    RESIGN = "resign"
    HINT = "hint"
    BOARD = "board"
    PIPS = "pips"
    HELP = "help"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Command:
    action: Action
    move: str = ""
    """Of MOVE: notation with slashes, not yet checked against the position."""
    level: int = 0
    """Of RESIGN: 1, 2 or 3."""


class CommandError(ValueError):
    """The line is no command; the text says what was expected."""


_WORDS = {
    **{action.value: action for action in Action if action is not Action.MOVE},
    "r": Action.ROLL,
    "d": Action.DOUBLE,
    "redouble": Action.DOUBLE,
    "t": Action.TAKE,
    "accept": Action.TAKE,
    "yes": Action.TAKE,
    "y": Action.TAKE,
    "p": Action.PASS,
    "drop": Action.PASS,
    "reject": Action.PASS,
    "no": Action.PASS,
    "n": Action.PASS,
    "h": Action.HINT,
    "?": Action.HELP,
    "q": Action.QUIT,
    "exit": Action.QUIT,
    "bye": Action.QUIT,
}
_LEVELS = {
    name: level
    for level, names in enumerate((" 1 single normal n", "2 gammon g", "3 backgammon b"), start=1)
    for name in names.split(" ")
}
_POINT = r"(?:[0-9]{1,2}|bar|off)"


def parse_command(line: str) -> Command:
    """Raises CommandError."""
    line = line.strip()
    if len(line) > MAX_LINE:
        raise CommandError(f"that line has {len(line)} characters; expected at most {MAX_LINE}")
    words = line.lower().replace(",", " ").split()
    if not words:
        raise CommandError("please type a command; help lists them")
    first, rest = words[0], words[1:]
    if first == "resign":
        kind = " ".join(rest)
        if kind not in _LEVELS:
            raise CommandError("resign what? expected resign 1 (single game), 2 (gammon) or 3 (backgammon)")
        return Command(Action.RESIGN, level=_LEVELS[kind])
    if first in ("move", "m"):
        if not rest:
            raise CommandError("move what? expected such as 8/5 6/5")
        return Command(Action.MOVE, move=_move(rest))
    if first in _WORDS:
        if rest:
            raise CommandError(f"{first} takes nothing after it, got {_shown(' '.join(rest))}")
        return Command(_WORDS[first])
    if first[0].isdigit() or re.match(r"bar|off", first):
        return Command(Action.MOVE, move=_move(words))
    raise CommandError(f"{_shown(first)} is no command; expected a move such as 8/5 6/5, or help")


def parse_dice(line: str) -> tuple[int, int]:
    """Two dice as `31`, `3 1` or `3-1`. Raises CommandError."""
    found = re.fullmatch(r"\s*([1-6])[\s,-]*([1-6])\s*", line[:MAX_LINE])
    if found is None:
        raise CommandError(f"expected two dice such as 31 or 3 1, got {_shown(line.strip())}")
    return int(found[1]), int(found[2])


def _move(words: list[str]) -> str:
    words = [word.replace("-", "/") for word in words]
    if all(re.fullmatch(_POINT, word) for word in words):
        if len(words) % 2:
            raise CommandError(f"expected pairs of points such as 8 5 6 5, got {len(words)} numbers")
        words = [f"{start}/{end}" for start, end in zip(words[::2], words[1::2], strict=True)]
    return " ".join(words)


def _shown(text: str) -> str:
    """Harmless to print, whatever was typed."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
