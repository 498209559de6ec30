"""The turns of a game, whole or with holes: what the record tells is shown, and nothing is invented."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd.engine import rules
from botd.engine.types import STARTING_BOARD, EngineInfo, EngineMode, Play, PlayDecision, RankedPlay
from botd.journal import Journal
from botd.journal import records as r
from botd.journal.reader import JournalReader, MatchRecord
from botd.journal.turns import Cube, Turn, TurnKind
from tests.played import PlayedJournals

ENGINE = EngineInfo("0.1.0", "sage", EngineMode.FAST, "avx2", "ab" * 32, met="kazaross-xg2")


def decided(journal: Journal, game: r.GameKey, dice: r.Dice, chosen: str, position: str) -> None:
    play = Play(((8, 5), (6, 5)), STARTING_BOARD, chosen)
    journal.decision(
        game,
        r.DecisionKind.PLAY,
        position_id=position,
        match_id="cAkAAAAAAAAA",
        dice=dice,
        chosen=chosen,
        decision=PlayDecision((RankedPlay(play, 0.16, None, None, 1),), 16, 1, "search"),
        engine=ENGINE,
        duration=0.01,
        settings={"ply": 1},
    )


async def one_game(
    path: Path, tell: Callable[[Journal, r.GameKey], None], *, complete: bool = True
) -> MatchRecord:
    async with Journal(path) as journal:
        match = journal.match_started(server="fibs", account="botd", opponent="anna", length=3)
        tell(journal, journal.game_started(match, 1, (0, 0), complete=complete))
        await journal.flush()
    with JournalReader(path) as reader:
        return reader.record(match)


def kinds(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.kind.value for turn in turns]


OPENED = "sGfwATDgc/ABMA"
"""The position after 3-1 played from the start as 8/5 6/5, the opponent on roll."""


def open_game(journal: Journal, game: r.GameKey) -> None:
    journal.opening_rolled(game, 3, 1)
    journal.moved(game, r.Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", position_id=OPENED)


async def test_a_hole_in_the_record_is_told_where_it_is(tmp_path: Path) -> None:
    def tell(journal: Journal, game: r.GameKey) -> None:
        open_game(journal, game)
        journal.gap(game, "moves before the resumption were not seen")
        journal.rolled(game, r.Side.US, (6, 5))
        decided(journal, game, (6, 5), "24/13", "4HPwATDgc/ABMA")
        journal.moved(game, r.Side.US, (6, 5), ((24, 18), (18, 13)), "24/13")

    [game] = (await one_game(tmp_path / "j", tell)).games
    assert game.gap == "moves before the resumption were not seen"
    assert [turn.gap for turn in game.turns] == ["", "moves before the resumption were not seen"]
    later = game.turns[1]
    assert later.before == STARTING_BOARD, "the decision tells the board again"
    assert later.after == rules.apply_steps(STARTING_BOARD, ((24, 18), (18, 13)))
    assert later.cube_before == Cube()


async def test_of_a_game_begun_elsewhere_boards_are_unknown_until_one_is_told(tmp_path: Path) -> None:
    def tell(journal: Journal, game: r.GameKey) -> None:
        journal.rolled(game, r.Side.OPPONENT, (6, 5))
        journal.moved(game, r.Side.OPPONENT, (6, 5), ((24, 18), (18, 13)), "24/13")
        journal.rolled(game, r.Side.US, (3, 1))
        journal.moved(game, r.Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", position_id=OPENED)
        journal.rolled(game, r.Side.OPPONENT, (2, 1))

    [game] = (await one_game(tmp_path / "j", tell, complete=False)).games
    assert game.gap == "the beginning of the game was not seen"
    first, second, third = game.turns
    assert (first.gap, first.before, first.after, first.cube_before) == (game.gap, None, None, None)
    assert second.before is None
    assert second.after == rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5)))
    assert third.kind is TurnKind.ROLL
    assert third.before == second.after


async def test_events_that_do_not_follow_are_a_hole(tmp_path: Path) -> None:
    def tell(journal: Journal, game: r.GameKey) -> None:
        open_game(journal, game)
        journal.rolled(game, r.Side.US, (6, 5))  # it was not our turn
        journal.moved(game, r.Side.US, (6, 5), ((24, 18), (18, 13)), "24/13")

    [game] = (await one_game(tmp_path / "j", tell)).games
    assert game.gap == "some events were not recorded"
    assert "does not follow" in game.turns[1].gap
    assert game.turns[1].after is None


async def test_a_position_that_contradicts_the_moves_is_told(tmp_path: Path) -> None:
    def tell(journal: Journal, game: r.GameKey) -> None:
        journal.opening_rolled(game, 3, 1)
        journal.moved(game, r.Side.US, (3, 1), ((24, 21), (21, 20)), "24/20", position_id=OPENED)

    [game] = (await one_game(tmp_path / "j", tell)).games
    assert "the next position told does not follow" in game.turns[0].gap
    assert game.turns[0].before is None
    assert game.turns[0].after == rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5)))


async def test_every_kind_of_turn_and_whose_cube_it_is(tmp_path: Path) -> None:
    us, them = r.Side.US, r.Side.OPPONENT

    def tell(journal: Journal, game: r.GameKey) -> None:
        journal.opening_rolled(game, 4, 4)
        journal.cube_action(game, None, r.CubeActionKind.AUTOMATIC, 2)
        open_game(journal, game)
        journal.cube_action(game, them, r.CubeActionKind.DOUBLE, 4)
        journal.cube_action(game, us, r.CubeActionKind.BEAVER, 8)
        journal.cube_action(game, them, r.CubeActionKind.TAKE, 8)
        journal.rolled(game, them, (6, 6))
        journal.moved(game, them, (6, 6), (), "")
        journal.resignation(game, us, r.ResignationAction.OFFER, 2)
        journal.resignation(game, them, r.ResignationAction.REJECT, 2)
        journal.rolled(game, us, (2, 1))
        decided(journal, game, (2, 1), "6/3", "")

    [game] = (await one_game(tmp_path / "j", tell)).games
    assert kinds(game.turns) == [
        *(
            "tie",
            "automatic",
            "move",
            "double",
            "beaver",
            "take",
            "move",
            "offer",
            "reject",
            "roll",
            "decision",
        ),
    ]
    cubes = [turn.cube_before for turn in game.turns]
    assert cubes[:4] == [Cube(), Cube(), Cube(2), Cube(2)]
    assert cubes[6] == Cube(8, us)
    assert [turn.level for turn in game.turns[7:9]] == [2, 2]
    assert game.turns[6].move is not None
    assert game.turns[6].move.notation == ""
    assert json.loads(json.dumps(game.turns[10].decisions[0].settings)) == {"ply": 1}


async def test_turns_belong_to_their_sittings(tmp_path: Path) -> None:
    now = [1000.0]
    path = tmp_path / "j"
    async with Journal(path, clock=lambda: now[0]) as journal:
        match = journal.match_started(server="fibs", account="botd", opponent="anna", length=3)
        game = journal.game_started(match, 1, (0, 0))
        now[0] = 1010.0
        open_game(journal, game)
        now[0] = 1020.0
        journal.match_suspended(match, r.Suspension.OPPONENT_LEFT, (0, 0))
        now[0] = 9000.0
        journal.match_resumed(match, (0, 0))
        now[0] = 9005.0
        journal.rolled(game, r.Side.OPPONENT, (6, 5))
        await journal.flush()
    with JournalReader(path) as reader:
        [summary] = reader.matches()
        record = reader.record(match)
    assert [turn.sitting for turn in record.games[0].turns] == [1, 2]
    assert [sitting.how for sitting in record.sittings] == ["opponent_left", None]
    assert summary.seconds == pytest.approx(25.0, abs=0.01)
    assert (summary.sittings, summary.state, summary.ended_at) == (2, "playing", None)


EVENT_TABLES = ("rolls", "moves", "cube_actions", "resignations", "decisions")


@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_lost_no_board_is_invented(
    tmp_path: Path, played_journals: PlayedJournals, data: st.DataObject
) -> None:
    """A full buffer drops a stretch of records; what is still told of the position is what it was."""
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with JournalReader(path) as journal:
        match = data.draw(st.sampled_from(journal.matches()))
        whole = journal.record(match.key)
    game = data.draw(st.sampled_from(whole.games))
    last = game.turns[-1].seq
    first = data.draw(st.integers(1, last))
    until = data.draw(st.integers(first, last))
    tables = data.draw(st.sets(st.sampled_from(EVENT_TABLES), min_size=1))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as buffer:
        for table in tables:
            buffer.execute(
                f"DELETE FROM {table} WHERE match = ? AND game = ? AND seq BETWEEN ? AND ?",
                (match.key, game.number, first, until),
            )
    truth = {turn.seq: turn for turn in game.turns}
    with JournalReader(path) as journal:
        [left] = [each for each in journal.record(match.key).games if each.number == game.number]
    assert [turn.number for turn in left.turns] == list(range(1, len(left.turns) + 1))
    # What comes after the last position told cannot be proved wrong, however much is missing there.
    proved = max((turn.seq for turn in left.turns if turn.move or turn.decisions), default=0)
    cubes_proved = max((turn.seq for turn in left.turns if turn.decisions), default=0)
    for turn in left.turns:
        if turn.seq in truth and turn.kind is truth[turn.seq].kind:
            for what in ("before", "after", "cube_before"):
                told = getattr(turn, what)
                if turn.seq > (cubes_proved if what == "cube_before" else proved):
                    continue
                assert told is None or told == getattr(truth[turn.seq], what), (turn.number, turn.kind, what)
