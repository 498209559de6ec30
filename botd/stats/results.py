"""Results of matches with what the analysis knows of them, one entry a match; and the ratings on record."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from botd.journal.reader import JournalReader, MatchSummary
from botd.journal.records import MatchKey, Side
from botd.journal.store import parse_timestamp
from botd.stats.analysis_file import AnalysisFile
from botd.stats.own_matches import recorded_once
from botd.stats.probability import Z95, Interval, wilson_interval
from botd.stats.skill import Skill

GROUPS = ("opponent", "level", "month", "server", "account", "length")


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A result, and what is left of it without luck: points, or 1 for a match won, 0 for one lost."""

    result: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match and what is known of it."""

    match: MatchSummary
    level: str
    """That of our decisions, or what they were made with."""
    ply: int
    """The deepest that our plays were searched; 0 if nothing is on record."""
    points: tuple[int, int]
    """Won by us and by the opponent in the games on record."""
    skill: Skill | None
    """None without an analysis."""
    adjusted_match: Adjusted | None
    """Of a match of some length whose every game was recorded and judged as a whole."""
    adjusted_games: tuple[Adjusted, ...]
    """Of such games in unlimited matches, in points."""


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """An account's own rating as the server told it."""

    server: str
    account: str
    at: float
    rating: float
    experience: int | None


@dataclass(slots=True)
class Row:
    """Sums over a group of matches."""

    name: str
    matches: int = 0
    finished: int = 0
    won: int = 0
    points_us: int = 0
    points_opponent: int = 0
    judged: int = 0
    """Matches with an analysis."""
    skill: Skill = field(default_factory=Skill.none)
    adjusted_matches: list[Adjusted] = field(default_factory=list)
    adjusted_games: list[Adjusted] = field(default_factory=list)
    deepest_ply: int = 0
    own: int = 0
    """Matches between two accounts of the journal, which are counted from both seats; of `total` only."""
    first: float = math.inf
    last: float = -math.inf

    @property
    def lost(self) -> int:
        return self.finished - self.won

    @property
    def win_rate(self) -> float | None:
        return self.won / self.finished if self.finished else None

    @property
    def win_range(self) -> Interval:
        """95 % confidence interval of the chance to win."""
        return wilson_interval(self.won, self.finished)

    def add(self, result: MatchResult) -> None:
        match = result.match
        self.matches += 1
        if match.winner is not None:
            self.finished += 1
            self.won += match.winner is Side.US
        self.points_us += result.points[0]
        self.points_opponent += result.points[1]
        self.deepest_ply = max(self.deepest_ply, result.ply)
        self.first = min(self.first, match.started_at)
        self.last = max(self.last, match.started_at)
        if result.skill is not None:
            self.judged += 1
            self.skill.merge(result.skill)
        if result.adjusted_match is not None:
            self.adjusted_matches.append(result.adjusted_match)
        self.adjusted_games += result.adjusted_games


@dataclass(frozen=True, slots=True)
class Mean:
    """An average with its 95 % confidence interval (normal approximation); no interval of fewer than two."""

    value: float
    low: float | None
    high: float | None


def mean_of(values: Sequence[float]) -> Mean | None:
    """None of nothing."""
    if not values:
        return None
    count = len(values)
    value = math.fsum(values) / count
    if count < 2:
        return Mean(value, None, None)
    error = math.sqrt(math.fsum((v - value) ** 2 for v in values) / (count - 1) / count)
    return Mean(value, value - Z95 * error, value + Z95 * error)


def group(results: Iterable[MatchResult], by: str) -> list[Row]:
    """Rows by one of GROUPS: months and lengths in order, other groups by number of matches, most first."""
    results = list(results)
    several_servers = len({result.match.server for result in results}) > 1
    rows: dict[Any, Row] = {}
    for result in results:
        key, name = _key(result, by)
        if by == "opponent" and several_servers:
            name = f"{name} on {result.match.server}"
        row = rows.setdefault(key, Row(name))
        row.name = name  # as it was written last
        row.add(result)
    if by in ("month", "length"):
        return [rows[key] for key in sorted(rows)]
    return sorted(rows.values(), key=lambda row: (-row.matches, row.name))


def total(results: Iterable[MatchResult]) -> Row:
    row = Row("all")
    results = list(results)
    for result in results:
        row.add(result)
    row.own = len(results) - len(recorded_once(result.match for result in results))
    return row


def month_of(at: float) -> str:
    """`2026-11`, UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m}"


def load_results(
    journal: JournalReader, matches: Sequence[MatchSummary], file: AnalysisFile | None
) -> list[MatchResult]:
    """What is known of these matches. Raises JournalReadError and AnalysisFileError."""
    return [_result(journal, match, file) for match in matches]


def load_ratings(journal: JournalReader, matches: Iterable[MatchSummary]) -> list[RatingPoint]:
    """The ratings of the accounts that played these matches, each account's oldest first.

    Raises JournalReadError.
    """
    accounts = sorted({(match.server, match.account) for match in matches})
    points = []
    with journal.reading() as connection:
        for server, account in accounts:
            rows = connection.execute(
                "SELECT at, rating, experience FROM ratings WHERE server = ? AND account = ? ORDER BY at, id",
                (server, account),
            )
            points += [
                RatingPoint(server, account, parse_timestamp(at), float(rating), experience)
                for at, rating, experience in rows
            ]
    return points


@dataclass(frozen=True, slots=True)
class _Game:
    number: int
    winner: Side | None
    points: int
    complete: bool


def _result(journal: JournalReader, match: MatchSummary, file: AnalysisFile | None) -> MatchResult:
    with journal.reading() as connection:
        games = _games(connection, match.key)
        level, ply = _strength(connection, match.key)
    points = (
        sum(game.points for game in games if game.winner is Side.US),
        sum(game.points for game in games if game.winner is Side.OPPONENT),
    )
    if file is None:
        return MatchResult(match, level, ply, points, None, None, ())
    by_game: dict[int, Skill] = {}
    for number, judged in file.judged(match.key):
        by_game.setdefault(number, Skill.none()).add(judged)
    skill = Skill.none()
    for part in by_game.values():
        skill.merge(part)
    states = file.states(match.key)
    whole = [
        game
        for game in games
        if game.winner is not None and game.complete and game.number in by_game and states[game.number].whole
    ]
    adjusted_match = None
    if match.length and match.winner is not None and games and len(whole) == len(games):
        result = float(match.winner is Side.US)
        adjusted_match = Adjusted(result, result - skill.net_luck_worth)
    adjusted_games = []
    for game in whole if match.length == 0 else ():
        result = float(game.points if game.winner is Side.US else -game.points)
        adjusted_games.append(Adjusted(result, result - by_game[game.number].net_luck_worth))
    return MatchResult(
        match, level, ply, points, skill if by_game else None, adjusted_match, tuple(adjusted_games)
    )


def _games(connection: sqlite3.Connection, match: MatchKey) -> list[_Game]:
    rows = connection.execute(
        "SELECT game, winner, points, gap_seq IS NULL FROM games WHERE match = ?", (match,)
    )
    return [
        _Game(number, None if winner is None else Side(winner), int(points or 0), bool(complete))
        for number, winner, points, complete in rows
    ]


def _strength(connection: sqlite3.Connection, match: MatchKey) -> tuple[str, int]:
    """The level our plays were chosen at, or evaluator and ply; and the deepest ply of them."""
    rows = connection.execute(
        "SELECT json_extract(settings, '$.level'), evaluator,"
        " max(coalesce(json_extract(settings, '$.asked_ply'), ply)), max(ply)"
        " FROM decisions WHERE match = ? AND kind = 'play' GROUP BY 1, 2",
        (match,),
    ).fetchall()
    names = [str(level or f"{evaluator} {asked}-ply") for level, evaluator, asked, _ in rows]
    name = names[0] if len(names) == 1 else "mixed" if names else "none on record"
    return name, max((int(ply) for *_, ply in rows), default=0)


def _key(result: MatchResult, by: str) -> tuple[Any, str]:
    played = result.match
    match by:
        case "opponent":
            return (played.server, played.opponent.casefold()), played.opponent
        case "level":
            return result.level, result.level
        case "month":
            return month_of(played.started_at), month_of(played.started_at)
        case "server":
            return played.server, played.server
        case "account":
            return (played.server, played.account.casefold()), f"{played.account} on {played.server}"
        case "length":
            return played.length, f"{played.length} points" if played.length else "unlimited"
    raise ValueError(f"by: expected one of {', '.join(GROUPS)}, got {by[:40]!r}")
