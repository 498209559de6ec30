"""Read the text of a `move` command and check it step by step, with FIBS's complaints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import server_board as geometry

Steps = tuple[tuple[int, int], ...]
Board26 = tuple[int, ...]
LegalPlays = Callable[[Board26, tuple[int, int]], Sequence[tuple[Steps, Board26]]]
"""All distinct legal full plays of a roll, in the mover's view (`server_board.to_own_view`): steps as
(from, to) with 25 the bar and 0 off, and the resulting board in the same view. Empty, or one play without
steps, if no checker can move."""

_ORDINALS = ("first", "second", "third", "fourth")
_BAR, _HOME = "bar", "home"
_WORDS = {"bar": _BAR, "b": _BAR, "home": _HOME, "off": _HOME, "h": _HOME, "o": _HOME}


class MoveError(Exception):
    """A rejected move; the text is the server's reply."""


def move_count(plays: Sequence[tuple[Steps, Board26]]) -> int:
    """How many checkers have to be moved."""
    return max((len(steps) for steps, _ in plays), default=0)


def _ordinal(index: int) -> str:
    return _ORDINALS[min(index, 3)]


def parse_pairs(words: Sequence[str], colour: int) -> list[tuple[int, int]]:
    """Pairs of FIBS indices from `13-8`, `13 8`, `bar-4`, `22 off`; 0 and 25 are the side's bar and home.

    Raises `MoveError` on a word that is neither a number nor one of the legal words, or on a lone word.
    """
    tokens = [part for word in words for part in (word.split("-") if "-" in word else [word])]
    places: list[int] = []
    for position, token in enumerate(tokens):
        word = _WORDS.get(token.lower())
        if word is None and not (token.isascii() and token.isdigit() and len(token) <= 3):
            raise MoveError(
                f"** {_ordinal(position // 2)} move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'."
            )
        if word == _BAR:
            places.append(geometry.bar_of(colour))
        elif word == _HOME:
            places.append(geometry.home_of(colour))
        else:
            places.append(int(token))
    # A lone last word is a pair that was cut short; the count check then speaks.
    return list(zip(places[0::2], places[1::2], strict=False))


def check_move(
    board: Sequence[int],
    colour: int,
    dice: tuple[int, int],
    pairs: Sequence[tuple[int, int]],
    plays: Sequence[tuple[Steps, Board26]],
) -> Board26:
    """Play `pairs` (FIBS indices) and return the resulting FIBS board; `MoveError` names the first fault."""
    needed = move_count(plays)
    if len(pairs) < needed:
        raise MoveError(f"** You must give {needed} move{'' if needed == 1 else 's'}.")
    if len(pairs) > needed:
        raise MoveError(f"** Please don't give more than {needed} move{'' if needed == 1 else 's'}.")
    view = list(geometry.to_own_view(board, colour))
    left = [dice[0]] * 4 if dice[0] == dice[1] else list(dice)
    for index, step in enumerate(pairs):
        left.remove(_play_step(view, colour, step, left, _ordinal(index)))
    result = tuple(view)
    if result not in {after for _, after in plays}:
        # Every step fits a die and the count is right, so only the "larger die" rule can be broken.
        distance = abs(pairs[0][0] - pairs[0][1])
        raise MoveError(f"** You can't move {distance} points in your first move.")
    return geometry.from_own_view(result, colour)


def _play_step(view: list[int], colour: int, step: tuple[int, int], left: list[int], which: str) -> int:
    """Make one step on `view`; the die it uses."""
    start, end = step
    source = geometry.point_of(start, colour)
    target = geometry.point_of(end, colour)
    if view[25] and source != 25:
        raise MoveError(f"** You have to remove pieces from the bar in your {which} move.")
    if not 1 <= source <= 25 or view[source] <= 0:
        place = "the bar" if source == 25 else str(start)
        raise MoveError(f"** You can't move from {place} in your {which} move.")
    if target >= source:
        raise MoveError(f"** You can't move home in your {which} move.")
    if target <= 0:
        die = _bear_off_die(view, source, left, which)
    else:
        if view[target] < -1:
            raise MoveError(f"** You can't move to {end} in your {which} move.")
        die = source - target
        if die not in left:
            raise MoveError(f"** You can't move {die} points in your {which} move.")
    view[source] -= 1
    if target > 0:
        if view[target] == -1:
            view[target] = 0
            view[0] += 1
        view[target] += 1
    return die


def _bear_off_die(view: Sequence[int], source: int, left: list[int], which: str) -> int:
    if any(view[p] > 0 for p in range(7, 26)):
        raise MoveError(f"** You can't move home in your {which} move.")
    if source in left:
        return source
    larger = [die for die in left if die > source]
    if not larger or any(view[p] > 0 for p in range(source + 1, 7)):
        raise MoveError(f"** You can't remove this piece in your {which} move.")
    return min(larger)


def to_fibs_steps(steps: Steps, colour: int) -> list[tuple[int, int]]:
    """Steps of the mover's view as pairs of FIBS indices."""
    return [(geometry.point_of(a, colour), geometry.point_of(b, colour)) for a, b in steps]


def forced_play(plays: Sequence[tuple[Steps, Board26]]) -> Steps | None:
    """The one play there is, if there is exactly one."""
    return plays[0][0] if len(plays) == 1 and plays[0][0] else None


def greedy_play(plays: Sequence[tuple[Steps, Board26]]) -> Steps | None:
    """A play that bears off a checker with every die, rearmost first, if there is one."""
    needed = move_count(plays)
    for steps, _ in plays:
        if steps and len(steps) == needed and all(end <= 0 for _, end in steps):
            return tuple(sorted(steps, reverse=True))
    return None
