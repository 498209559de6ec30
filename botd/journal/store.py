"""Records to rows: what each entry of the journal does to the tables. Synchronous, for one thread."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from botd.engine.types import (
    CubeDecision,
    PlayDecision,
    Probabilities,
    ResignationDecision,
    Step,
)
from botd.journal import records as r

CANDIDATES_KEPT = 32
"""Plays kept of a decision, best first; a doublet can have hundreds of legal plays."""


def timestamp(at: float) -> str:
    """Seconds since 1970 as `2026-11-30T05:25:22.123Z`."""
    moment = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return moment.replace("+00:00", "Z")


def parse_timestamp(text: str) -> float:
    """Inverse of `timestamp`, to a thousandth of a second. Raises ValueError for text it did not make."""
    return datetime.fromisoformat(text).timestamp()


def _moments(rows: list[tuple[str, str]]) -> tuple[tuple[str, float], ...]:
    """Newest first to oldest first, times as seconds since 1970; without what somebody else has written."""
    found: list[tuple[str, float]] = []
    for name, at in reversed(rows):
        with contextlib.suppress(ValueError):
            found.append((name, parse_timestamp(at)))
    return tuple(found)


def format_steps(steps: tuple[Step, ...]) -> str:
    return " ".join(f"{start}/{end}" for start, end in steps)


def parse_steps(text: str) -> tuple[Step, ...]:
    """Inverse of `format_steps`. Raises ValueError for text it did not make."""
    steps: list[Step] = []
    for item in text.split():
        start, _, end = item.partition("/")
        steps.append((int(start), int(end)))
    return tuple(steps)


def candidates_json(decision: r.Decision) -> str:
    return msgspec.json.encode(_candidates(decision)).decode()


def _candidates(decision: r.Decision) -> dict[str, Any]:
    match decision:
        case PlayDecision():
            return {
                "legal": decision.legal_count,
                "plays": [
                    {
                        "move": ranked.play.notation,
                        "equity": _rounded(ranked.equity),
                        "cubeless": _rounded(ranked.cubeless_equity),
                        "ply": ranked.ply,
                        "probabilities": _probabilities(ranked.probabilities),
                    }
                    for ranked in decision.plays[:CANDIDATES_KEPT]
                ],
            }
        case CubeDecision():
            return {
                "decision": decision.decision,
                "no_double": _rounded(decision.no_double),
                "double_take": _rounded(decision.double_take),
                "double_pass": _rounded(decision.double_pass),
                "optimal": _rounded(decision.optimal),
                "double": decision.double,
                "response": decision.response,
                "cubeless": _rounded(decision.cubeless_equity),
                "probabilities": _probabilities(decision.probabilities),
            }
        case ResignationDecision():
            return {
                "level": decision.level,
                "accept": decision.accept,
                "play_on": _rounded(decision.equity),
                "resign": _rounded(decision.resign_equity),
                "probabilities": _probabilities(decision.probabilities),
            }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 7)


def _probabilities(p: Probabilities | None) -> list[float] | None:
    if p is None:
        return None
    parts = (p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon)
    return [round(part, 7) for part in parts]


def _equity(entry: r.DecisionMade) -> float:
    match entry.decision:
        case PlayDecision() as play:
            chosen = (ranked for ranked in play.plays if ranked.play.notation == entry.chosen)
            return next(chosen, play.best).equity
        case CubeDecision() as cube:
            return cube.optimal
        case ResignationDecision() as resignation:
            return resignation.equity


class Store:
    """Applies records to an open connection whose schema is current. The caller owns the transaction."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection = connection
        self._clock = clock
        self._next_seq: dict[r.GameKey, int] = {}

    def apply(self, record: r.Record) -> None:
        """Write one record. Raises sqlite3.Error."""
        at = timestamp(self._clock() if record.at is None else record.at)
        match record:
            case r.MatchStarted():
                self._match_started(record, at)
            case r.MatchResumed():
                self._sitting(record.match, at)
                self._run(
                    "UPDATE matches SET state = 'playing', score_us = ?, score_opponent = ? WHERE match = ?",
                    (*record.score, record.match),
                )
                self._score(record.match, at, record.score, "resumed")
            case r.GameStarted():
                self._run(
                    "INSERT OR IGNORE INTO games"
                    " (match, game, started_at, score_us, score_opponent, crawford, complete, gap_seq)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *_game(record.game),
                        at,
                        *record.score,
                        record.crawford,
                        record.complete,
                        None if record.complete else 0,
                    ),
                )
            case r.GameGap():
                self._run(
                    "UPDATE games SET complete = 0, gap = coalesce(gap || '; ', '') || ?1,"
                    " gap_seq = min(coalesce(gap_seq, ?2), ?2) WHERE match = ?3 AND game = ?4",
                    (record.reason, self._seq(record.game), *_game(record.game)),
                )
            case r.Rolled():
                self._event(
                    "rolls",
                    "side, die1, die2, opening",
                    record.game,
                    at,
                    (record.side, *record.dice, record.opening),
                )
            case r.Moved():
                self._event(
                    "moves",
                    "side, die1, die2, steps, notation, position_id, automatic",
                    record.game,
                    at,
                    (
                        record.side,
                        *record.dice,
                        format_steps(record.steps),
                        record.notation,
                        record.position_id,
                        record.automatic,
                    ),
                )
            case r.CubeAction():
                self._event(
                    "cube_actions",
                    "side, action, cube",
                    record.game,
                    at,
                    (record.side, record.action, record.cube),
                )
            case r.Resignation():
                self._event(
                    "resignations",
                    "side, action, level",
                    record.game,
                    at,
                    (record.side, record.action, record.level),
                )
            case r.DecisionMade():
                self._decision(record, at)
            case r.GameEnded():
                self._run(
                    "UPDATE games SET ended_at = ?, winner = ?, points = ?, how = ?"
                    " WHERE match = ? AND game = ?",
                    (at, record.winner, record.points, record.how, *_game(record.game)),
                )
                self._run(
                    "UPDATE matches SET score_us = ?, score_opponent = ? WHERE match = ?",
                    (*record.score, record.game.match),
                )
                self._score(record.game.match, at, record.score, "game")
            case r.MatchEnded():
                self._match_over(record.match, at, "finished", "finished", record.score)
                self._run("UPDATE matches SET winner = ? WHERE match = ?", (record.winner, record.match))
            case r.MatchSuspended():
                self._match_over(record.match, at, "suspended", record.reason, record.score)
            case r.MatchesAbandoned():
                self._run(
                    "UPDATE matches SET state = 'discarded' WHERE server = ? AND account = ?"
                    " AND state IN ('playing', 'suspended')",
                    (record.server, record.account),
                )
            case r.PlayerAsked():
                self._run(
                    "INSERT INTO asked (server, account, player, at) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET at = excluded.at",
                    (record.server, record.account, record.player, at),
                )
            case r.RatingSeen():
                self._run(
                    "INSERT INTO ratings (server, account, at, rating, experience, match)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (record.server, record.account, at, record.rating, record.experience, record.match),
                )

    def lately(self, server: str, account: str, since: float, most: int) -> r.Lately:
        """Whom the account has played and asked since then, the last `most` of each."""
        given = (server, account, timestamp(since), most)
        played = self._connection.execute(
            "SELECT opponent, ended_at FROM matches WHERE server = ? AND account = ? AND state = 'finished'"
            " AND ended_at >= ? ORDER BY ended_at DESC LIMIT ?",
            given,
        ).fetchall()
        asked = self._connection.execute(
            "SELECT player, at FROM asked WHERE server = ? AND account = ? AND at >= ?"
            " ORDER BY at DESC LIMIT ?",
            given,
        ).fetchall()
        return r.Lately(_moments(played), _moments(asked))

    def find_resumable(self, server: str, account: str, opponent: str, length: int) -> r.Resumable | None:
        """The newest unfinished match between these two of this length, if there is one.

        A match that was still being played when the program was killed counts as unfinished too.
        """
        row = self._connection.execute(
            "SELECT match, length, score_us, score_opponent, crawford, jacoby FROM matches"
            " WHERE server = ? AND account = ? AND opponent = ? AND length = ?"
            " AND state IN ('playing', 'suspended') ORDER BY started_at DESC, match DESC LIMIT 1",
            (server, account, opponent, length),
        ).fetchone()
        if row is None:
            return None
        match = r.MatchKey(row[0])
        game = self._connection.execute(
            "SELECT game, winner IS NULL FROM games WHERE match = ? ORDER BY game DESC LIMIT 1", (match,)
        ).fetchone() or (0, 0)
        position = self._connection.execute(
            "SELECT position_id FROM moves WHERE match = ? AND game = ? ORDER BY seq DESC LIMIT 1",
            (match, game[0]),
        ).fetchone()
        return r.Resumable(
            match=match,
            length=row[1],
            score=(row[2], row[3]),
            crawford=bool(row[4]),
            jacoby=bool(row[5]),
            game=game[0],
            game_open=bool(game[1]),
            last_position_id=position[0] if position else "",
        )

    def _match_started(self, record: r.MatchStarted, at: str) -> None:
        # A server keeps one saved match for a pair of players: starting anew gives the old one up.
        self._run(
            "UPDATE matches SET state = 'discarded' WHERE server = ? AND account = ? AND opponent = ?"
            " AND state IN ('playing', 'suspended')",
            (record.server, record.account, record.opponent),
        )
        self._run(
            "INSERT INTO matches (number, match, server, account, opponent, length, crawford, jacoby,"
            " started_at, state, first_score_us, first_score_opponent, score_us, score_opponent)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'playing', ?, ?, ?, ?)",
            (
                self._next_number(),
                record.match,
                record.server,
                record.account,
                record.opponent,
                record.length,
                record.crawford,
                record.jacoby,
                at,
                *record.score,
                *record.score,
            ),
        )
        self._sitting(record.match, at)
        self._score(record.match, at, record.score, "start")

    def _next_number(self) -> int:
        """One more than any match has ever had; that of a deleted match stays its own."""
        ((number,),) = self._connection.execute(
            "INSERT INTO meta (key, value) SELECT 'last_number', 1 + coalesce(max(number), 0) FROM matches"
            " WHERE true ON CONFLICT DO UPDATE SET value = max(1 + value, CAST(excluded.value AS INTEGER))"
            " RETURNING CAST(value AS INTEGER)"
        ).fetchall()
        return int(number)

    def _match_over(self, match: str, at: str, state: str, how: str, score: tuple[int, int]) -> None:
        self._run(
            "UPDATE matches SET state = ?, ended_at = ?, score_us = ?, score_opponent = ? WHERE match = ?",
            (state, at, *score, match),
        )
        self._run(
            "UPDATE sittings SET ended_at = ?, how = ? WHERE match = ? AND ended_at IS NULL"
            # Not one that a kill has cut off: nobody saw its end.
            " AND number = (SELECT max(number) FROM sittings WHERE match = ?)",
            (at, how, match, match),
        )
        self._score(match, at, score, "end" if state == "finished" else "suspended")

    def _sitting(self, match: str, at: str) -> None:
        self._run(
            "INSERT INTO sittings (match, number, started_at)"
            " SELECT ?, coalesce(max(number), 0) + 1, ? FROM sittings WHERE match = ?",
            (match, at, match),
        )

    def _score(self, match: str, at: str, score: tuple[int, int], event: str) -> None:
        self._run(
            "INSERT INTO scores (match, game, at, score_us, score_opponent, event)"
            " SELECT ?, count(*), ?, ?, ?, ? FROM games WHERE match = ? AND winner IS NOT NULL",
            (match, at, *score, event, match),
        )

    def _decision(self, record: r.DecisionMade, at: str) -> None:
        dice = record.dice or (None, None)
        engine = record.engine
        self._event(
            "decisions",
            "kind, position_id, match_id, die1, die2, chosen, equity, ply, source, duration, candidates,"
            " engine_version, evaluator, mode, weights_sha256, cpu_path, met, settings",
            record.game,
            at,
            (
                record.kind,
                record.position_id,
                record.match_id,
                *dice,
                record.chosen,
                _equity(record),
                record.decision.ply,
                record.source,
                record.duration,
                candidates_json(record.decision),
                engine.version,
                engine.evaluator,
                engine.mode.value,
                engine.weights_sha256,
                engine.cpu_path,
                engine.met,
                msgspec.json.encode(dict(record.settings)).decode(),
            ),
        )

    def _event(self, table: str, columns: str, game: r.GameKey, at: str, values: tuple[object, ...]) -> None:
        marks = ", ".join("?" * (4 + len(values)))
        seq = self._seq(game)
        self._run(
            f"INSERT INTO {table} (match, game, seq, at, {columns}) VALUES ({marks})",  # noqa: S608 - our own names
            (*_game(game), seq, at, *values),
        )
        self._next_seq[game] = seq + 1  # one that was refused leaves no hole

    def _seq(self, game: r.GameKey) -> int:
        """The place of the next event."""
        number = self._next_seq.get(game)
        if number is None:
            tables = ("rolls", "moves", "cube_actions", "resignations", "decisions")
            number = 1 + max(self._last_seqs(game, tables), default=0)
            if len(self._next_seq) > 256:  # games long over; asked anew if one comes back
                self._next_seq.clear()
        return number

    def _last_seqs(self, game: r.GameKey, tables: tuple[str, ...]) -> Iterator[int]:
        for table in tables:
            row = self._connection.execute(
                f"SELECT coalesce(max(seq), 0) FROM {table} WHERE match = ? AND game = ?",  # noqa: S608 - our own names
                _game(game),
            ).fetchone()
            yield int(row[0])

    def _run(self, sql: str, values: tuple[object, ...]) -> None:
        self._connection.execute(sql, values)


def _game(game: r.GameKey) -> tuple[str, int]:
    return (game.match, game.number)
