"""The parameters of a `move` command, and what they do to a match."""

from __future__ import annotations

from collections.abc import Sequence

from . import server_steps
from .server_board import BAR, OFF, Step
from .server_match import Match

_PLACES = {"bar": BAR, "b": BAR, "26": BAR, "off": OFF, "o": OFF, "home": OFF, "h": OFF, "0": OFF}
_MAX_PARAMETERS = 8


def parse_moves(words: Sequence[str]) -> list[Step] | None:
    """`13/8 bar/22` as pairs of spaces, which may be out of range; None if a word is no such pair."""
    if not words or len(words) > _MAX_PARAMETERS:
        return None
    moves = []
    for word in words:
        places = [_place(part) for part in word.lower().split("/")]
        if len(places) != 2 or places[0] is None or places[1] is None:
            return None
        moves.append((places[0], places[1]))
    return moves


def _place(word: str) -> int | None:
    if word in _PLACES:
        return _PLACES[word]
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 9 else None


def out_of_range(moves: Sequence[Step]) -> Step | None:
    """The first move with a space that no own checker can be on."""
    return next((move for move in moves if any(not 0 <= space <= BAR or space == 25 for space in move)), None)


def carry_out(match: Match, moves: Sequence[Step], *, insist: bool, lying: bool) -> tuple[list[Step], bool]:
    """Make, or take back, the moves of one command of the side on turn.

    The steps to be told and whether all of them were really made; no steps: nothing was done. Forward moves
    are checked against the position before the command, so with `lying` (quirk 6) a step that another one
    makes impossible is told and not made. `insist`: quirk 20.
    """
    backward = [move for move in moves if move[0] < move[1]]
    if not backward:
        return _forward(match, moves, insist=insist, lying=lying)
    return (_backward(match, moves) if len(backward) == len(moves) else []), True


def _forward(match: Match, moves: Sequence[Step], *, insist: bool, lying: bool) -> tuple[list[Step], bool]:
    view = match.view(match.turn)
    wanted: list[Step] = []
    for move in moves:
        steps = server_steps.expand(
            view, match.left, move, fresh=not match.made, last_checker_free=not insist
        )
        if not steps:
            return [], True
        wanted += steps
    made = 0
    for step in wanted:
        if step in match.steps(insist=insist):
            match.make(step)
            made += 1
        elif not lying:
            for _ in range(made):
                match.unmake()
            return [], True
    return wanted, made == len(wanted)


def _backward(match: Match, moves: Sequence[Step]) -> list[Step]:
    """Take steps back, last first; empty if one is not the last step reversed."""
    if len(moves) > len(match.made):
        return []
    for made, move in zip(reversed(match.made), moves, strict=False):
        if made.step != (move[1], move[0]):
            return []
    for _ in moves:
        match.unmake()
    return list(moves)
