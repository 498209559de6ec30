"""Journals for the tests: whole matches played here at fixed seeds, written by the journal's own writer."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from botd.engine import position_id, rules
from botd.engine.types import Play
from botd.journal import records as r
from botd.journal.schema import migrate
from botd.journal.store import Store
from botd.terminal.local_match import LocalMatch, Phase, Seat

SIDES = {Seat.ENGINE: r.Side.US, Seat.PERSON: r.Side.OPPONENT}
FIRST = 1_780_000_000.0
"""When the first match of a journal begins: 2026-05-28."""

Choose = Callable[[LocalMatch, Seat, list[Play]], Play]
Cube = Callable[[LocalMatch, Seat], bool]


class Writer:
    """Writes records into a journal file, one second apart."""

    def __init__(self, connection: sqlite3.Connection, at: float = FIRST) -> None:
        self.connection = connection
        self._store = Store(connection)
        self.at = at

    def __call__(self, kind: Callable[..., r.Record], *values: object, **named: object) -> None:
        self.at += 1
        self._store.apply(kind(*values, **named, at=self.at))


@contextlib.contextmanager
def journal_writer(path: Path, at: float = FIRST) -> Iterator[Writer]:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection)
        connection.execute("BEGIN")
        yield Writer(connection, at)
        connection.execute("COMMIT")


def at_random(generator: random.Random) -> Choose:
    return lambda match, seat, plays: generator.choice(plays)


def never(match: LocalMatch, seat: Seat) -> bool:
    return False


class Played:
    """A match of two players who act for themselves, written down as the daemon does."""

    def __init__(
        self,
        write: Writer,
        seed: int,
        length: int = 1,
        *,
        opponent: str = "anna",
        server: str = "local:4321",
        choose: Choose | None = None,
        double: Cube = never,
        take: Cube = never,
        jacoby: bool = False,
    ) -> None:
        self.generator = random.Random(seed)
        self.write = write
        self.match = LocalMatch(length, self._roll, jacoby=jacoby)
        self.choose = choose or at_random(self.generator)
        self.double, self.take = double, take
        self.key = r.MatchKey(f"20260528-000000-{seed:08x}")
        write(r.MatchStarted, self.key, server, "botd", opponent, length, jacoby=jacoby)

    def _roll(self) -> tuple[int, int]:
        return self.generator.randint(1, 6), self.generator.randint(1, 6)

    @property
    def score(self) -> tuple[int, int]:
        return self.match.score[Seat.ENGINE], self.match.score[Seat.PERSON]

    def whole_match(self) -> r.MatchKey:
        while self.match.phase is not Phase.OVER:
            self.game()
        assert self.match.winner is not None
        self.write(r.MatchEnded, self.key, SIDES[self.match.winner], self.score)
        return self.key

    def game(self) -> None:
        before = self.score
        openings = self.match.start_game()
        game = r.GameKey(self.key, self.match.game)
        self.write(r.GameStarted, game, before, crawford=self.match.crawford)
        for person, engine in openings:
            winner = None if person == engine else r.Side.US if engine > person else r.Side.OPPONENT
            self.write(r.Rolled, game, winner, (engine, person), opening=True)
        while self.match.phase not in (Phase.BETWEEN_GAMES, Phase.OVER):
            self._act(game)
        result = self.match.result
        assert result is not None
        how = r.GameEnd(result.how.value)
        self.write(r.GameEnded, game, SIDES[result.winner], result.points, how, self.score)

    def _act(self, game: r.GameKey) -> None:
        match, seat = self.match, self.match.to_act
        side = SIDES[seat]
        if match.phase is Phase.ROLL and not match.why_no_double(seat) and self.double(match, seat):
            self.write(r.CubeAction, game, side, r.CubeActionKind.DOUBLE, match.double(seat))
        elif match.phase is Phase.ROLL:
            self.write(r.Rolled, game, side, match.roll(seat))
        elif match.phase is Phase.DOUBLED and self.take(match, seat):
            self.write(r.CubeAction, game, side, r.CubeActionKind.TAKE, match.take(seat))
        elif match.phase is Phase.DOUBLED:
            self.write(r.CubeAction, game, side, r.CubeActionKind.PASS, 2 * match.cube)
            match.refuse(seat)
        else:
            self._move(game, seat)

    def _move(self, game: r.GameKey, seat: Seat) -> None:
        match, dice = self.match, self.match.dice
        assert dice is not None
        before, plays = match.board(seat), match.legal_plays()
        play = match.move(seat, self.choose(match, seat, plays) if plays else "")
        after = rules.apply_steps(before, play.steps)
        identifier = position_id.encode(rules.mirrored(after))
        self.write(r.Moved, game, SIDES[seat], dice, play.steps, play.notation, position_id=identifier)
