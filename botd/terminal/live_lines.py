"""The live document as plain lines, one for each thing that happens: for pipes, files, dumb terminals."""

from __future__ import annotations

from collections.abc import Iterator

from botd.live.documents import Account, Live, Match
from botd.printable import printable
from botd.terminal.match_words import length

_NAME = 40


class LiveLines:
    """Tells what differs from what it was told before."""

    def __init__(self, only: str | None = None) -> None:
        """`only`: the id of an account; None is all."""
        self._only = only
        self._known: dict[str, Account] = {}
        self._daemon = ""

    def everything(self, live: Live) -> Iterator[str]:
        daemon = f"botd {live.version} {live.state}, {live.engine.evaluator} {live.engine.mode}"
        if daemon != self._daemon:
            self._daemon = daemon
            yield printable(daemon)
        for account in live.accounts:
            yield from self.account(account)

    def account(self, account: Account) -> Iterator[str]:
        if self._only not in (None, account.id):
            return
        before = self._known.get(account.id)
        self._known[account.id] = account
        name = printable(account.account, _NAME)
        for text in _news(before, account):
            yield f"{name}: {printable(text)}"


def _news(before: Account | None, after: Account) -> Iterator[str]:
    if before is None or before.state != after.state:
        yield f"{after.state} on {after.server}"
    old, new = None if before is None else before.match, after.match
    if before is not None and after.last_match is not None and after.last_match != before.last_match:
        last = after.last_match
        result = "won" if last.winner == "us" else "lost"
        yield f"{result} against {last.opponent} {last.score[0]}-{last.score[1]}"
    if new is None:
        if old is not None and before is not None and before.last_match == after.last_match:
            yield f"the match with {old.opponent} has stopped"
        return
    if old is None or (old.opponent, old.started_at) != (new.opponent, new.started_at):
        goal = f"{new.length} points" if new.length else length(0)
        yield f"match with {new.opponent}, {goal}, {new.score[0]}-{new.score[1]}"
        old = None
    yield from _match_news(old, new)


def _match_news(old: Match | None, new: Match) -> Iterator[str]:
    if old is not None and old.score != new.score:
        yield f"score {new.score[0]}-{new.score[1]}"
    if old is not None and old.game != new.game:
        yield f"game {new.game}" + (", Crawford game" if new.crawford else "")
    offered = new.cube.offered_by
    if offered is not None and (old is None or old.cube.offered_by != offered):
        yield f"{_who(offered, new)} to {2 * new.cube.value}".replace(" to ", " doubles to ", 1)
    if old is not None and old.cube.value != new.cube.value and new.cube.value > 1:
        yield f"the cube is at {new.cube.value}"
    if new.resignation is not None and (old is None or old.resignation != new.resignation):
        yield f"{_who(new.resignation.side, new)} offers to resign, level {new.resignation.level}"
    move = new.last_move
    if move is not None and (old is None or (old.last_move, old.moves) != (move, new.moves)):
        win = new.curve[-1].win if new.curve else None
        chance = "" if win is None else f"  (win {100 * win:.1f} %)"
        dice = f"{move.dice[0]}-{move.dice[1]}"
        yield f"{_who(move.side, new)} {dice} {move.notation or 'no move'}{chance}"


def _who(side: str, match: Match) -> str:
    return "bot" if side == "us" else match.opponent
