"""One match followed from its happenings."""

from __future__ import annotations

import pytest

from botd.daemon import happenings as h
from botd.daemon.recorder import Sitting
from botd.engine import rules
from botd.engine.types import STARTING_BOARD
from botd.journal.records import CubeActionKind, MatchKey, ResignationAction, Side
from botd.live.documents import Cube, Match, Resignation
from botd.live.match import LiveMatch
from tests.live.happening import told

US, OPPONENT = Side.US, Side.OPPONENT
AFTER_31 = rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5)))


def new_match(length: int = 5) -> LiveMatch:
    match = LiveMatch("anna", length, (0, 0), 1.0)
    match.happened(told(h.MatchNamed, key=MatchKey("k"), game=0))
    match.happened(told(h.GameStarted, number=1, score=(0, 0), crawford=False))
    return match


def after(*events: h.Happening) -> Match:
    match = new_match()
    for event in events:
        match.happened(event)
    return match.document()


def cube(side: Side | None, action: CubeActionKind, value: int) -> h.CubeActed:
    return told(h.CubeActed, side=side, action=action, cube=value)


def table(**fields: object) -> h.TableSeen:
    usual: dict[str, object] = {
        "board": AFTER_31, "length": 5, "score": (1, 2), "crawford": False, "turn": OPPONENT,
        "dice": None, "cube": 2, "cube_owner": US, "doubled": False,
    }  # fmt: skip
    return told(h.TableSeen, **(usual | fields))


def test_a_game_begins() -> None:
    match = after()
    assert (match.key, match.game, match.board, match.pips) == ("k", 1, STARTING_BOARD, (167, 167))
    assert (match.turn, match.dice, match.cube, match.moves) == (None, None, Cube(value=1), 0)


def test_our_move_and_the_opponents_roll_are_seen_by_us() -> None:
    match = after(
        told(h.Rolled, side=US, dice=(3, 1), board=STARTING_BOARD),
        told(h.Moved, side=US, dice=(3, 1), notation="8/5 6/5", board=AFTER_31, equity=0.1),
        told(h.Rolled, side=OPPONENT, dice=(6, 4), board=rules.mirrored(AFTER_31)),
    )
    assert (match.board, match.turn, match.dice, match.moves) == (AFTER_31, "opponent", (6, 4), 1)
    assert match.pips == (163, 167)
    assert match.last_move is not None
    assert (match.last_move.side, match.last_move.notation) == ("us", "8/5 6/5")
    assert match.last_move.board == AFTER_31


def test_the_opponents_move_is_turned_round() -> None:
    match = after(
        told(h.Rolled, side=OPPONENT, dice=(3, 1), board=STARTING_BOARD),
        told(h.Moved, side=OPPONENT, dice=(3, 1), notation="8/5 6/5", board=AFTER_31),
    )
    assert match.board == rules.mirrored(AFTER_31)
    assert (match.turn, match.dice) == ("us", None)


def test_a_dance_leaves_the_board() -> None:
    match = after(told(h.Moved, side=OPPONENT, dice=(6, 6), notation="", board=STARTING_BOARD))
    assert match.board == STARTING_BOARD
    assert match.last_move is not None
    assert match.last_move.notation == ""


DOUBLE = cube(US, CubeActionKind.DOUBLE, 2)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([DOUBLE], Cube(value=1, offered_by="us")),
        ([DOUBLE, cube(OPPONENT, CubeActionKind.TAKE, 2)], Cube(value=2, owner="opponent")),
        ([DOUBLE, cube(OPPONENT, CubeActionKind.PASS, 2)], Cube(value=1)),
        (
            [
                DOUBLE,
                cube(OPPONENT, CubeActionKind.TAKE, 2),
                cube(OPPONENT, CubeActionKind.DOUBLE, 4),
                cube(US, CubeActionKind.TAKE, 4),
            ],
            Cube(value=4, owner="us"),
        ),
        # A beaver as some servers tell it: a double that answers one. The taker of a beaver gets no cube.
        ([DOUBLE, cube(OPPONENT, CubeActionKind.DOUBLE, 4)], Cube(value=1, offered_by="opponent")),
        (
            [DOUBLE, cube(OPPONENT, CubeActionKind.DOUBLE, 4), cube(US, CubeActionKind.TAKE, 4)],
            Cube(value=4, owner="opponent"),
        ),
        ([DOUBLE, cube(OPPONENT, CubeActionKind.BEAVER, 4)], Cube(value=4, owner="opponent")),
        (
            [DOUBLE, cube(OPPONENT, CubeActionKind.BEAVER, 4), cube(US, CubeActionKind.TAKE, 4)],
            Cube(value=4, owner="opponent"),
        ),
        ([cube(None, CubeActionKind.AUTOMATIC, 2)], Cube(value=2)),
    ],
)
def test_the_cube(events: list[h.Happening], expected: Cube) -> None:
    assert after(*events).cube == expected


def test_the_doubler_is_on_roll_until_the_cube_is_taken() -> None:
    assert after(DOUBLE).turn == "us"
    assert after(DOUBLE, cube(OPPONENT, CubeActionKind.TAKE, 2)).turn == "us"


def test_a_resignation_waits_until_it_is_answered_or_play_goes_on() -> None:
    offer = told(h.Resigned, side=OPPONENT, action=ResignationAction.OFFER, level=2)
    assert after(offer).resignation == Resignation(side="opponent", level=2)
    for answer in (ResignationAction.ACCEPT, ResignationAction.REJECT):
        assert after(offer, told(h.Resigned, side=US, action=answer, level=2)).resignation is None
    assert after(offer, told(h.Rolled, side=US, dice=(1, 2), board=None)).resignation is None


def test_between_games_the_last_position_stays() -> None:
    match = after(
        told(h.Moved, side=US, dice=(3, 1), notation="8/5 6/5", board=AFTER_31),
        told(h.GameOver, winner=US, points=2, score=(2, 0)),
    )
    assert (match.score, match.turn, match.dice, match.board, match.moves) == (
        (2, 0),
        None,
        None,
        AFTER_31,
        1,
    )


def test_the_next_game_has_a_board_and_a_cube_of_its_own() -> None:
    match = after(
        DOUBLE,
        cube(OPPONENT, CubeActionKind.TAKE, 2),
        told(h.Moved, side=US, dice=(3, 1), notation="8/5 6/5", board=AFTER_31),
        told(h.GameOver, winner=US, points=4, score=(4, 0)),
        told(h.GameStarted, number=2, score=(4, 0), crawford=True),
    )
    assert (match.game, match.crawford, match.score) == (2, True, (4, 0))
    assert (match.board, match.cube, match.moves) == (STARTING_BOARD, Cube(value=1), 0)
    assert match.last_move is None


def test_of_a_resumed_match_the_board_is_unknown_until_the_server_shows_it() -> None:
    match = LiveMatch("anna", 0, (3, 4), 1.0)
    assert (match.document().board, match.document().pips, match.document().key) == (None, None, None)
    match.happened(table(length=0, score=(3, 4)))
    match.happened(told(h.MatchNamed, key=MatchKey("old"), game=7))
    document = match.document()
    assert (document.board, document.key, document.game) == (AFTER_31, "old", 7)
    assert (document.turn, document.cube) == ("opponent", Cube(value=2, owner="us"))


def test_a_game_told_late_keeps_what_was_seen_of_it() -> None:
    """After a resumption between games its number is known only once the journal has answered."""
    match = LiveMatch("anna", 5, (1, 0), 1.0)
    match.happened(told(h.Rolled, side=US, dice=(3, 1), board=STARTING_BOARD))
    match.happened(told(h.Moved, side=US, dice=(3, 1), notation="8/5 6/5", board=AFTER_31))
    match.happened(told(h.GameStarted, number=2, score=(1, 0), crawford=False))
    document = match.document()
    assert (document.game, document.board, document.moves) == (2, AFTER_31, 1)


def test_the_server_is_right() -> None:
    wrong = told(h.Moved, side=US, dice=(3, 1), notation="24/23", board=STARTING_BOARD)
    match = after(wrong, table(dice=(5, 5)))
    assert (match.board, match.score, match.dice) == (AFTER_31, (1, 2), (5, 5))
    assert match.cube == Cube(value=2, owner="us")


def test_while_a_double_is_open_the_owner_known_before_stays() -> None:
    match = after(table(), table(turn=US, doubled=True, cube_owner=None))
    assert match.cube == Cube(value=2, owner="us", offered_by="us")


def test_lost_happenings_are_made_up_for() -> None:
    match = new_match()
    match.happened(told(h.Moved, side=US, dice=(3, 1), notation="8/5 6/5", board=AFTER_31))
    sitting = Sitting(MatchKey("k"), "anna", 5, (1, 2), 3, table(dice=(2, 1)))
    match.corrected(sitting)
    document = match.document()
    assert (document.game, document.score, document.board, document.dice) == (3, (1, 2), AFTER_31, (2, 1))
    assert (document.last_move, document.moves) == (None, 0)


def test_hostile_names_are_cut() -> None:
    match = LiveMatch("\ud800" + "x" * 10_000, 5, (0, 0), 1.0).document()
    assert len(match.opponent) == 64
    match.opponent.encode()
