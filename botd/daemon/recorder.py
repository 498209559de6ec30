"""The story of one account's matches, told to the journal and to subscribers.

Nothing here waits. Which journal entry a resumed match continues is known only when the journal has answered;
until then what happens is kept and written in order afterwards.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog

from botd.daemon import happenings as h
from botd.engine import match_id, notation, position_id, rules
from botd.engine.types import Board, EngineInfo, GameContext, Step
from botd.journal import Journal, JournalError
from botd.journal.records import (
    CubeActionKind,
    Decision,
    DecisionKind,
    Dice,
    GameEnd,
    GameKey,
    Lately,
    MatchKey,
    ResignationAction,
    Resumable,
    Side,
    Suspension,
)

log = structlog.get_logger("botd.recorder")

_MAX_WAITING = 5000

_Entry = Callable[[GameKey], None]


@dataclass(slots=True)
class _Match:
    opponent: str
    length: int
    score: tuple[int, int]
    key: MatchKey | None = None
    """None while the journal is asked."""
    game: int = 0
    """Number of the game being played (or last played); 0 before the first."""
    game_open: bool = False
    table: h.TableSeen | None = None
    """As last told."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """How the running match stands."""

    key: MatchKey | None
    """None while the journal is asked."""
    opponent: str
    length: int
    score: tuple[int, int]
    game: int
    """Number of the game being played, or last played; 0 before the first."""
    table: h.TableSeen | None


@dataclass(frozen=True, slots=True)
class Situation:
    """What a decision of ours was about: the board and the score as the engine was asked."""

    board: Board
    context: GameContext
    dice: Dice | None = None
    double_offered: bool = False
    resignation_offered: int = 0


class Recorder:
    """One for each account; lives through reconnections."""

    def __init__(self, journal: Journal, happenings: h.Happenings, *, account: str, server: str) -> None:
        self._journal = journal
        self._happenings = happenings
        self._account = account
        self._server = server
        self._match: _Match | None = None
        self._ended: _Match | None = None
        """The match that a change of our rating would come from."""
        self._rating: tuple[float, int | None] | None = None
        self._waiting: list[Callable[[], None]] = []
        self._asking: asyncio.Task[None] | None = None

    @property
    def in_match(self) -> bool:
        return self._match is not None

    @property
    def seed(self) -> int:
        """One for each match, the same after it was resumed; 0 before the journal has named it."""
        key = None if self._match is None else self._match.key
        return 0 if key is None else zlib.crc32(str(key).encode())

    @property
    def opponent(self) -> str | None:
        return None if self._match is None else self._match.opponent

    @property
    def score(self) -> tuple[int, int]:
        return (0, 0) if self._match is None else self._match.score

    @property
    def sitting(self) -> Sitting | None:
        match = self._match
        if match is None:
            return None
        return Sitting(match.key, match.opponent, match.length, match.score, match.game, match.table)

    def publish(self, what: type[h.Happening], /, **fields: Any) -> None:
        self._happenings.publish(what(account=self._account, server=self._server, **fields))

    async def settle(self) -> None:
        """Wait until everything told so far has been handed to the journal."""
        if self._asking is not None:
            await self._asking

    async def lately(self, seconds: float, most: int) -> Lately | None:
        """Whom the account has played and asked, also before the daemon was started; None if unreadable."""
        try:
            return await self._journal.lately(
                server=self._server, account=self._account, seconds=seconds, most=most
            )
        except JournalError as error:
            log.warning("journal_unreadable", error=str(error))
            return None

    def player_asked(self, name: str) -> None:
        self._journal.player_asked(server=self._server, account=self._account, player=name)

    # -- match and game --------------------------------------------------------------------------------------

    def match_started(
        self,
        opponent: str,
        length: int,
        score: tuple[int, int],
        *,
        resumed: bool,
        crawford: bool = True,
        board: Board | None = None,
    ) -> None:
        """`board`, of a game already running, is seen by the side on roll; it shows if moves were missed."""
        if self._match is not None:
            self.match_suspended(Suspension.CONNECTION_LOST)
        self._ended = None
        match = self._match = _Match(opponent, length, score)
        self.publish(h.MatchStarted, opponent=opponent, length=length, score=score, resumed=resumed)
        if resumed:
            self._asking = asyncio.create_task(self._resume(match, crawford, board, self._asking))
            return

        def enter() -> None:
            self._new_key(match, crawford)
            self._named(match)

        self._do(enter)

    def game_started(self, score: tuple[int, int], *, crawford: bool, complete: bool = True) -> None:
        match = self._match
        if match is None:
            return
        match.score = score

        def enter() -> None:
            assert match.key is not None
            match.game += 1
            match.game_open = True
            self._journal.game_started(match.key, match.game, score, crawford=crawford, complete=complete)
            self.publish(h.GameStarted, number=match.game, score=score, crawford=crawford)

        self._do(enter)

    def game_ended(self, winner: Side, points: int, how: GameEnd, score: tuple[int, int]) -> None:
        match = self._match
        if match is None:
            return
        match.score = score

        def enter(game: GameKey) -> None:
            self._journal.game_ended(game, winner, points, how, score)
            match.game_open = False

        self._in_game(enter)
        self.publish(h.GameOver, winner=winner, points=points, score=score)

    def match_ended(self, winner: Side, score: tuple[int, int]) -> None:
        match, self._match = self._match, None
        if match is None:
            return
        self._ended = match

        def enter() -> None:
            assert match.key is not None
            self._journal.match_ended(match.key, winner, score)

        self._do(enter)
        self.publish(h.MatchOver, opponent=match.opponent, winner=winner, score=score)

    def match_suspended(self, reason: Suspension) -> None:
        match, self._match = self._match, None
        if match is None:
            return

        def enter() -> None:
            assert match.key is not None
            self._journal.match_suspended(match.key, reason, match.score)

        self._do(enter)
        self.publish(h.MatchSuspended, opponent=match.opponent, reason=str(reason), score=match.score)

    def rating_seen(self, rating: float, experience: int | None) -> None:
        """The server tells our rating; noted if it is new to us."""
        if self._rating == (rating, experience):
            return
        self._rating = (rating, experience)
        match, self._ended = self._ended, None

        def enter() -> None:
            self._journal.rating_seen(
                server=self._server,
                account=self._account,
                rating=rating,
                experience=experience,
                match=None if match is None else match.key,
            )

        self._do(enter)
        self.publish(h.RatingSeen, rating=rating, experience=experience)

    def matches_abandoned(self) -> None:
        """The server has kept none of our unfinished matches."""
        self._do(lambda: self._journal.matches_abandoned(server=self._server, account=self._account))

    def table_seen(self, **fields: Any) -> None:
        """The server shows the match (fields of `TableSeen`); told if anything has changed."""
        match = self._match
        if match is None:
            return
        table = h.TableSeen(account=self._account, server=self._server, **fields)
        if table != match.table:
            match.table = table
            self._happenings.publish(table)

    # -- in a game -------------------------------------------------------------------------------------------

    def opening_rolled(self, ours: int, theirs: int) -> None:
        self._in_game(lambda game: self._journal.opening_rolled(game, ours, theirs))

    def rolled(self, side: Side, dice: Dice, board: Board | None, *, opening: bool = False) -> None:
        """`board` is seen by `side`. The opening roll is in the journal already."""
        if not opening:
            self._in_game(lambda game: self._journal.rolled(game, side, dice))
        self.publish(h.Rolled, side=side, dice=dice, board=board)

    def moved(
        self,
        side: Side,
        dice: Dice,
        steps: tuple[Step, ...],
        before: Board | None,
        *,
        equity: float | None = None,
        automatic: bool = False,
    ) -> None:
        """`before` is seen by `side`; without it the notation lacks hits and the position is unknown."""
        after, text, identifier = None, " ".join(f"{start}/{end}" for start, end in steps), ""
        if before is not None:
            try:
                after = rules.apply_steps(before, steps)
                text = notation.format_steps(before, steps)
                identifier = position_id.encode(rules.mirrored(after))
            except (
                ValueError
            ) as error:  # the server played something we cannot follow; it is right, we note it
                log.warning("move_does_not_fit", steps=text, error=str(error))
                after = None

        def enter(game: GameKey) -> None:
            self._journal.moved(game, side, dice, steps, text, position_id=identifier, automatic=automatic)

        self._in_game(enter)
        self.publish(h.Moved, side=side, dice=dice, notation=text, board=after, equity=equity)

    def cube_action(
        self, side: Side | None, action: CubeActionKind, cube: int, *, equity: float | None = None
    ) -> None:
        self._in_game(lambda game: self._journal.cube_action(game, side, action, cube))
        self.publish(h.CubeActed, side=side, action=action, cube=cube, equity=equity)

    def resignation(self, side: Side, action: ResignationAction, level: int) -> None:
        self._in_game(lambda game: self._journal.resignation(game, side, action, level))
        self.publish(h.Resigned, side=side, action=action, level=level)

    def gap(self, reason: str) -> None:
        """Something in this game was not seen."""
        self._in_game(lambda game: self._journal.gap(game, reason))

    def decision(
        self,
        kind: DecisionKind,
        situation: Situation,
        *,
        chosen: str,
        decision: Decision,
        engine: EngineInfo,
        duration: float,
        source: str,
        settings: dict[str, object],
    ) -> None:
        board_id, state_id = _identifiers(situation)

        def enter(game: GameKey) -> None:
            self._journal.decision(
                game,
                kind,
                position_id=board_id,
                match_id=state_id,
                dice=situation.dice,
                chosen=chosen,
                decision=decision,
                engine=engine,
                duration=duration,
                source=source,
                settings=settings,
            )

        self._in_game(enter)
        self.publish(
            h.Decided,
            kind=kind,
            position_id=board_id,
            match_id=state_id,
            dice=situation.dice,
            chosen=chosen,
            decision=decision,
            engine=engine,
            source=source,
            duration=duration,
        )

    # -- inside ----------------------------------------------------------------------------------------------

    def _in_game(self, enter: _Entry) -> None:
        match = self._match
        if match is None:
            return

        def run() -> None:
            assert match.key is not None
            if match.game_open:
                enter(GameKey(match.key, match.game))

        self._do(run)

    def _do(self, entry: Callable[[], None]) -> None:
        if self._asking is None:
            entry()
        elif len(self._waiting) < _MAX_WAITING:
            self._waiting.append(entry)

    def _new_key(self, match: _Match, crawford: bool) -> None:
        match.key = self._journal.match_started(
            server=self._server,
            account=self._account,
            opponent=match.opponent,
            length=match.length,
            crawford=crawford,
            score=match.score,
        )

    def _named(self, match: _Match) -> None:
        if match is self._match and match.key is not None:
            self.publish(h.MatchNamed, key=match.key, game=match.game)

    async def _resume(
        self, match: _Match, crawford: bool, board: Board | None, before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            await before
        found: Resumable | None = None
        try:
            found = await self._journal.find_resumable(
                server=self._server, account=self._account, opponent=match.opponent, length=match.length
            )
        except JournalError as error:
            log.warning("journal_unreadable", error=str(error))
        if found is None:
            self._new_key(match, crawford)
        else:
            match.key = found.match
            match.game, match.game_open = found.game, found.game_open
            self._journal.match_resumed(found.match, match.score)
            if found.game_open and found.score != match.score:
                self._end_unseen(match, GameKey(found.match, found.game), found.score)
        if board is not None:
            self._continue_game(match, found, board)
        self._named(match)
        if self._asking is not asyncio.current_task():
            return  # resumed once more meanwhile; that task writes what waits
        self._asking = None
        waiting, self._waiting = self._waiting, []
        for entry in waiting:
            entry()

    def _end_unseen(self, match: _Match, game: GameKey, before: tuple[int, int]) -> None:
        """The game that ran when we last looked is over; the score tells who won it, and how much."""
        ours, theirs = match.score[0] - before[0], match.score[1] - before[1]
        self._journal.gap(game, "its end was not seen")
        if max(ours, theirs) > 0 and min(ours, theirs) == 0:
            winner = Side.US if ours > 0 else Side.OPPONENT
            self._journal.game_ended(game, winner, max(ours, theirs), GameEnd.UNKNOWN, match.score)
        match.game_open = False

    def _continue_game(self, match: _Match, found: Resumable | None, board: Board) -> None:
        """A game is running: go on with the one the journal knows, if it can be that one."""
        assert match.key is not None
        if found is not None and match.game_open:
            if position_id.encode(board) != found.last_position_id:
                self._journal.gap(GameKey(match.key, match.game), "moves before the resumption were not seen")
            return
        match.game += 1
        match.game_open = True
        self._journal.game_started(match.key, match.game, match.score, complete=False)


def _identifiers(situation: Situation) -> tuple[str, str]:
    """Position ID and Match ID; the latter is empty where gnubg's format cannot hold the match."""
    try:
        board_id = position_id.encode(situation.board)
    except ValueError:
        return "", ""
    state = match_id.MatchState(
        context=situation.context,
        dice=situation.dice,
        to_act=0 if situation.double_offered or situation.resignation_offered else 1,
        double_offered=situation.double_offered,
        resignation_offered=situation.resignation_offered,
    )
    try:
        return board_id, match_id.encode(state)
    except ValueError:  # a match of more than 64 points
        return board_id, ""
