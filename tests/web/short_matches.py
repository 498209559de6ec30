"""Matches of a single move, where many are wanted."""

from __future__ import annotations

from botd.journal import Journal
from botd.journal.records import GameEnd, GameKey, MatchKey, ResignationAction, Side


def play(journal: Journal, opponent: str) -> MatchKey:
    """The opponent resigns after our first move."""
    match = journal.match_started(server="here:4321", account="me", opponent=opponent, length=1)
    game = GameKey(match, 1)
    journal.game_started(game.match, 1, (0, 0))
    journal.opening_rolled(game, 3, 1)
    steps = ((8, 5), (6, 5))
    journal.moved(game, Side.US, (3, 1), steps, "8/5 6/5")
    journal.resignation(game, Side.OPPONENT, ResignationAction.OFFER, 1)
    journal.resignation(game, Side.US, ResignationAction.ACCEPT, 1)
    journal.game_ended(game, Side.US, 1, GameEnd.RESIGNED, (1, 0))
    journal.match_ended(match, Side.US, (1, 0))
    return match
