"""One match of a journal: its rows must be right, and must agree with each other."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from botd.journal import records as r
from botd.journal import rows
from botd.journal.check_game import GameCheck

_CLOCK_BACK = 2.0
"""Seconds that a wall clock may be set back by those who keep it right."""

R = TypeVar("R", bound=rows.Row)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something is not as it should be."""

    what: str
    match: str | None = None
    """None: of the file."""
    game: int | None = None
    seq: int | None = None
    """Place in the game."""
    note: bool = False
    """Odd, but nothing is wrong or lost by it."""


@dataclass(frozen=True, slots=True)
class MatchChecked:
    games: int
    decisions: int
    findings: tuple[Finding, ...]


def check_match(connection: sqlite3.Connection, match: r.MatchKey, now: float) -> MatchChecked:
    """Check one match. `now`: nothing can be later. Raises sqlite3.Error for what cannot be read."""
    return _MatchCheck(connection, match, now).run()


class _MatchCheck:
    def __init__(self, connection: sqlite3.Connection, match: r.MatchKey, now: float) -> None:
        self._connection = connection
        self._match = match
        self._now = now
        self._found: list[Finding] = []

    def run(self) -> MatchChecked:
        heads = self._rows("matches", rows.MatchRow)
        sittings = sorted(self._rows("sittings", rows.SittingRow), key=lambda row: row.number)
        games = sorted(self._rows("games", rows.GameRow), key=lambda row: row.game)
        scores = self._rows("scores", rows.ScoreRow)
        events: list[rows.EventRow] = []
        for table, kind in rows.EVENTS.items():
            events += self._rows(table, kind)
        events.sort(key=lambda row: (row.game, row.seq))
        known = {game.game for game in games}
        for number in sorted({event.game for event in events} - known):
            self._tell(number, None, "has events, but is not there itself")
        for head in heads:
            self._check_head(head, games)
            self._check_sittings(head, sittings)
            self._check_games(head, games)
            self._check_scores(head, games, scores)
        for game in games:
            own = [event for event in events if event.game == game.game]
            self._check_game(game, own)
        self._check_times(heads, sittings, games, events)
        decisions = sum(isinstance(event, rows.DecisionRow) for event in events)
        return MatchChecked(len(games), decisions, tuple(self._found))

    def _tell(self, game: int | None, seq: int | None, what: str, *, note: bool = False) -> None:
        self._found.append(Finding(what, self._match, game, seq, note))

    def _rows(self, table: str, kind: type[R]) -> list[R]:
        good: list[R] = []
        for row in rows.read(self._connection, table, kind, "WHERE match = ?", (self._match,)):
            if isinstance(row, str):
                self._tell(None, None, row)
            else:
                good.append(row)
        return good

    # -- match, sittings, scores -----------------------------------------------------------------------------

    def _check_head(self, head: rows.MatchRow, games: list[rows.GameRow]) -> None:
        finished = head.state == "finished"
        if finished != (head.winner is not None):
            self._tell(None, None, f"is {head.state} with {head.winner or 'no'} winner")
        if finished and head.ended_at is None:
            self._tell(None, None, "is finished, but has no end")
        if finished and head.length and head.winner is not None:
            ours, theirs = head.score_us, head.score_opponent
            won, lost = (ours, theirs) if head.winner == "us" else (theirs, ours)
            if won < head.length or lost >= head.length:
                self._tell(
                    None, None, f"{head.winner} cannot have won {head.length} points with {ours}-{theirs}"
                )
        if finished and not games and head.length:
            self._tell(None, None, "is finished, but has no game")

    def _check_sittings(self, head: rows.MatchRow, sittings: list[rows.SittingRow]) -> None:
        numbers = [row.number for row in sittings]
        if numbers != list(range(1, len(numbers) + 1)) or not numbers:
            self._tell(None, None, f"its sittings are {numbers} instead of 1, 2, ...")
        for row in sittings:
            if (row.ended_at is None) != (row.how is None):
                self._tell(None, None, f"sitting {row.number} has an end without a reason, or the reverse")
        ends = [row.how for row in sittings[-1:]]
        if head.state == "finished" and ends != ["finished"]:
            self._tell(None, None, "is finished, but its last sitting is not")
        if head.state == "suspended" and ends in (["finished"], [None]):
            self._tell(None, None, "is suspended, but its last sitting is not")
        if any(row.how == "finished" for row in sittings[:-1]):
            self._tell(None, None, "was finished, but went on")

    def _check_scores(
        self, head: rows.MatchRow, games: list[rows.GameRow], scores: list[rows.ScoreRow]
    ) -> None:
        if not scores or scores[0].event != "start":
            self._tell(None, None, "its scores do not begin with the start")
        if head.state == "finished" and not any(row.event == "end" for row in scores):
            self._tell(None, None, "its scores do not have the end")
        after = {0: (head.first_score_us, head.first_score_opponent)}
        for number, game in enumerate((game for game in games if game.winner), 1):
            after[number] = _after(game)
        told = [row.game for row in scores if row.event == "game"]
        if told != list(range(1, len(after))):
            self._tell(None, None, f"its scores are after games {told} of {len(after) - 1} with a result")
        for row in scores:
            if row.event == "game" and after.get(row.game) != (row.score_us, row.score_opponent):
                self._tell(
                    None,
                    None,
                    f"the score after {row.game} games was not {row.score_us}-{row.score_opponent}",
                )
        if scores and (scores[-1].score_us, scores[-1].score_opponent) != (
            head.score_us,
            head.score_opponent,
        ):
            self._tell(None, None, "its score is not that of the last event")

    # -- games -----------------------------------------------------------------------------------------------

    def _check_games(self, head: rows.MatchRow, games: list[rows.GameRow]) -> None:
        numbers = [game.game for game in games]
        if numbers != list(range(1, len(numbers) + 1)):
            self._tell(None, None, f"its games are {numbers} instead of 1, 2, ...")
            return
        score: tuple[int, int] | None = head.first_score_us, head.first_score_opponent
        for game in games:
            before = game.score_us, game.score_opponent
            if score is not None and before != score:
                self._tell(game.game, None, f"begins at {_score(before)}, but {_score(score)} was the score")
            over = game.winner is not None
            if (
                over != (game.points is not None)
                or over != (game.how is not None)
                or over != (game.ended_at is not None)
            ):
                self._tell(game.game, None, "has half a result")
            if not over and game.gap_seq is None and game.game != numbers[-1]:
                self._tell(game.game, None, "has no result, but another game follows")
            if (game.gap_seq is None) != bool(game.complete):
                self._tell(game.game, None, "says both that it is complete and that it is not")
            if game.crawford and head.length and head.length - 1 not in before:
                self._tell(game.game, None, f"cannot be the Crawford game at {_score(before)}")
            score = _after(game) if over and game.points is not None else None
        if head.state == "finished" and score is not None and score != (head.score_us, head.score_opponent):
            self._tell(
                None,
                None,
                f"ended {_score((head.score_us, head.score_opponent))}, but its games make {_score(score)}",
            )
        if head.state == "finished" and games and games[-1].winner is None and games[-1].gap_seq is None:
            self._tell(None, None, "is finished, but its last game is not")

    def _check_game(self, game: rows.GameRow, events: list[rows.EventRow]) -> None:
        def tell(seq: int | None, what: str) -> None:
            self._tell(game.game, seq, what)

        if not events and game.gap_seq is None and game.winner is not None:
            tell(None, "has a result, but nothing happened in it")
        GameCheck(game, tell).run(events)

    # -- times -----------------------------------------------------------------------------------------------

    def _check_times(
        self,
        heads: Iterable[rows.MatchRow],
        sittings: list[rows.SittingRow],
        games: list[rows.GameRow],
        events: list[rows.EventRow],
    ) -> None:
        latest = 0.0
        for game, seq, time in _in_order(heads, sittings, games, events):
            at = rows.seconds(time)
            if at > self._now + 86_400:
                self._tell(game, seq, f"{time} is in the future", note=True)
                return
            if at < latest - _CLOCK_BACK:
                self._tell(
                    game, seq, f"the clock was set back by {latest - at:.0f} s before {time}", note=True
                )
                latest = at
            latest = max(latest, at)


def _in_order(
    heads: Iterable[rows.MatchRow],
    sittings: list[rows.SittingRow],
    games: list[rows.GameRow],
    events: list[rows.EventRow],
) -> Iterator[tuple[int | None, int | None, str]]:
    """Game, seq and time of everything that one clock has seen after the other."""
    for head in heads:
        yield None, None, head.started_at
    for game in games:
        yield game.game, None, game.started_at
        for event in events:
            if event.game == game.game:
                yield game.game, event.seq, event.at
        if game.ended_at is not None:
            yield game.game, None, game.ended_at
    for row in sittings[-1:]:
        if row.ended_at is not None:
            yield None, None, row.ended_at


def _after(game: rows.GameRow) -> tuple[int, int]:
    points = game.points or 0
    ours = points if game.winner == "us" else 0
    return game.score_us + ours, game.score_opponent + points - ours


def _score(score: tuple[int, int]) -> str:
    return f"{score[0]}-{score[1]}"
