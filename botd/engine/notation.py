"""GNU Backgammon's move notation: writing a play and reading what a user or server wrote.

Points are numbers from the mover's side, the bar is `bar` (25) and borne off is `off` (0); `*` marks a hit,
`(2)` repeats: `13/8*/5`, `8/5(2) 6/3*(2)`, `bar/22`, `6/off`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from botd import _core
from botd.engine.types import BAR, OFF, Board, Play, Step

__all__ = ["format_steps", "parse_play"]

_MAX_TEXT = 100
_MAX_STEPS = 4
_MOVE = re.compile(r"(?P<chain>[^()]*)(?:\((?P<count>[1-4])\))?")
_NAMES = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF, "-": OFF}

_Chain = tuple[int, ...]


def format_steps(board: Board, steps: Sequence[Step]) -> str:
    """The notation of a play of `steps` from `board`; empty without steps. Steps are taken to be legal."""
    return _core.notation(board, steps)


def parse_play(text: str, board: Board, dice: tuple[int, int]) -> Play:
    """The legal play of `dice` on `board` that `text` describes.

    Understands chains, repetition, `bar`/`b`/25, `off`/`o`/`-`/0, any order of moves and capital letters; `*`
    and commas may be left out. Where a checker's way is not written out, the play without a hit on the way is
    meant. An empty text is the play of a roll that cannot be played. Raises ValueError, saying what was
    expected, for text that is no notation, no legal play, or more than one.
    """
    chains = _parse_chains(text)
    die1, die2 = dice
    plays = _core.legal_plays(board, die1, die2)
    if not plays:
        if chains:
            raise ValueError(f"move {text!r}: no checker can move with {die1}-{die2}, expected no move")
        return Play((), tuple(board), "")
    if not chains:
        raise ValueError(f"move: expected one of the {len(plays)} legal plays of {die1}-{die2}, got no move")

    change: Counter[int] = Counter()
    touched: set[int] = set()
    for chain in chains:
        change[chain[0]] -= 1
        change[chain[-1]] += 1
        touched.update(chain[1:])
    hits = {point for point in touched if _is_blot(board, point)}
    fitting = [
        (steps, result)
        for steps, result in plays
        if all(_own(result, i) - _own(board, i) == change[i] for i in range(1, BAR + 1))
    ]
    if not fitting:
        raise ValueError(f"move {text!r}: not one of the {len(plays)} legal plays of {die1}-{die2}")
    if len(fitting) > 1:  # they differ in what is hit on the way
        exact = [play for play in fitting if {to for _, to in play[0] if _is_blot(board, to)} == hits]
        if len(exact) != 1:
            raise ValueError(
                f"move {text!r}: fits {len(fitting)} legal plays, expected every hit to be written out"
            )
        fitting = exact
    steps, result = fitting[0]
    return Play(steps, result, format_steps(board, steps))


def _parse_chains(text: str) -> list[_Chain]:
    if len(text) > _MAX_TEXT:
        raise ValueError(f"move: expected at most {_MAX_TEXT} characters, got {len(text)}")
    chains: list[_Chain] = []
    for word in text.replace(",", " ").split():
        match = _MOVE.fullmatch(word)
        if match is None:
            raise ValueError(f"move {text!r}: {word!r} is no move, expected such as 13/8 or 6/5*(2)")
        points = [_parse_point(name, text) for name in match["chain"].replace("*", "").split("/")]
        if len(points) < 2:
            raise ValueError(f"move {text!r}: {word!r} has no destination, expected such as 13/8 or bar/22")
        for origin, target in pairwise(points):
            if target >= origin:
                raise ValueError(f"move {text!r}: {word!r} goes backwards, expected falling point numbers")
        chains += [tuple(points)] * int(match["count"] or 1)
        if len(chains) > _MAX_STEPS:
            raise ValueError(f"move {text!r}: expected at most {_MAX_STEPS} checkers to move")
    return chains


def _parse_point(name: str, text: str) -> int:
    key = name.lower()
    if key in _NAMES:
        return _NAMES[key]
    if re.fullmatch(r"[0-9]{1,2}", key) and int(key) <= BAR:
        return int(key)
    raise ValueError(f"move {text!r}: {name!r} is no point, expected 1 to 24, bar or off")


def _is_blot(board: Board, point: int) -> bool:
    return OFF < point < BAR and board[point] == -1


def _own(board: Board, point: int) -> int:
    return max(0, board[point])
