"""The numbered scenarios of the protocol specification, each under its number.

`me` is the bot. Those that need two connections one after the other are seen from the second.
"""

from __future__ import annotations

import json

import pytest

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import Phase
from botd_protocols.bgammon.client_board import resignation_cost
from botd_protocols.bgammon.client_lobby import MatchOffer
from botd_protocols.bgammon.client_login import GHOST_WAIT
from botd_protocols.positions import turn_round
from tests.bgammon.client.harness import (
    HELLO,
    LIST,
    ME,
    OPPONENT,
    START,
    WELCOME,
    Line,
    board,
    event,
    hosting,
    joined,
    logged_in,
    moved,
    notice,
    opening,
    playing,
    rolled,
    spaces,
    win,
)

Kind = ev.DecisionKind
MID_GAME = board(turn=1, roll=(6, 4), available=[[24, 20], [24, 18], [13, 7], [8, 4]], score=(1, 0))


def my_turn(roll: tuple[int, int], available: list[list[int]] | None, **changes: object) -> str:
    return board(turn=1, roll=roll, available=available, **changes)  # type: ignore[arg-type]


def test_01_tcp_greeting() -> None:
    line = Line(password="s3cret_pass")
    assert line.sent == []
    line.say(HELLO)
    assert line.take() == ["lj botd-0.1/en BOT_acme s3cret_pass"]
    line.say(HELLO)
    line.wait(1)
    assert line.sent == []
    assert line.seen(ev.UnparsedLine) == []


def test_02_nothing_before_welcome() -> None:
    line = Line(greeting=False)
    line.client.offer(MatchOffer(3))
    line.wait(5)
    assert line.sent == ["lj botd-0.1/en BOT_acme"]


def test_02_a_silent_line_server_gets_the_login_too() -> None:
    line = Line()
    line.wait(6)
    assert line.sent == ["lj botd-0.1/en BOT_acme"]


def test_03_name_folding() -> None:
    line = Line(name="BOT_Acme")
    line.say(HELLO)
    line.client.offer(MatchOffer(3))
    line.say(WELCOME)
    line.wait(2.5)
    assert line.client.name == "BOT_acme"
    line.say(joined("BOT_acme", 1), board(opponent=""))
    line.say(event("left", "BOT_Acme"))
    assert line.client.seated  # that was somebody else
    line.say(event("left", "BOT_acme"))
    assert not line.client.seated


def test_04_host() -> None:
    line = Line()
    line.client.offer(MatchOffer(3, "Quick game"))
    line.say(HELLO, WELCOME, LIST, notice("Hello"))
    line.take()
    line.wait(1.5)
    assert line.sent == []
    line.wait(1.0)
    line.wait(5.0)
    assert line.sent == ["create public 3 0 Quick game"]


def test_05_rejoin_beats_create() -> None:
    line = Line()
    line.client.offer(MatchOffer(3))
    line.say(HELLO, WELCOME, LIST)
    line.take()
    line.wait(1)
    line.say(joined(ME, 1), MID_GAME)
    line.wait(5)
    assert line.sent == []
    assert line.seen(ev.MatchResumed) == [ev.MatchResumed(OPPONENT, 3)]
    assert line.open_questions[-1].kind is Kind.MOVE


def test_06_late_rejoin() -> None:
    line = logged_in()
    line.client.offer(MatchOffer(3))
    line.wait(0.1)
    assert line.take() == ["create public 3 0"]
    line.say(joined(ME, 1), MID_GAME)
    text = "Please leave the match you are in before creating another."
    line.say(event("failedcreate", Reason=text), notice(f"Failed to create match: {text}"))
    assert [type(e) for e in line.seen(ev.TableRefused)] == [ev.TableRefused]  # told once, not twice
    line.wait(60)
    assert not [command for command in line.sent if command.startswith(("create", "leave"))]
    assert line.seen(ev.MatchResumed)


def test_06_a_refusal_before_the_late_rejoin_does_not_give_up_the_seat() -> None:
    line = logged_in()
    line.client.offer(MatchOffer(3))
    line.wait(0.1)
    line.take()
    line.say(event("failedcreate", Reason="Please leave the match you are in before creating another."))
    line.wait(3)
    line.say(joined(ME, 1), MID_GAME)
    line.wait(30)
    assert not [command for command in line.sent if command.startswith(("create", "leave"))]


def test_07_ghost() -> None:
    line = Line()
    line.say(HELLO, notice("Connection terminated: That username is already in use."))
    line.eof()
    (end,) = line.seen(ev.Disconnected)
    assert end.retry is ev.Retry.BACK_OFF
    assert end.least_wait == GHOST_WAIT >= 5


def test_08_bad_password() -> None:
    line = Line(password="wrong-s3cret")
    text = "No account was found with the provided username and password. To log in as a guest, do not enter"
    line.say(HELLO, notice(f"Connection terminated: {text} a password."))
    line.eof()
    assert len(line.seen(ev.LoginRefused)) == 1
    (end,) = line.seen(ev.Disconnected)
    assert end.final
    assert "s3cret" not in repr(line.events) + repr(line.client) + repr(line.client.__dict__)


def test_09_ban() -> None:
    line = Line()
    line.say(HELLO, notice("Connection terminated: You are banned: spam"))
    (end,) = line.seen(ev.Disconnected)
    assert end.final
    assert "You are banned: spam" in end.reason


def test_10_opening_me_second() -> None:
    line = hosting()
    line.say(joined(OPPONENT, 2), board())
    line.say(rolled(OPPONENT, 0, 4))
    line.wait(5)
    assert line.take() == ["roll"]
    line.say(rolled(ME, 6, 4))
    line.say(my_turn((6, 4), [[24, 18], [13, 7], [13, 9]]))
    assert line.open_questions[-1].kind is Kind.MOVE
    assert "roll" not in line.sent


def test_11_opening_tie() -> None:
    line = opening()
    line.say(rolled(ME, 3, 0), rolled(OPPONENT, 3, 3), rolled(ME, 5, 0), rolled(OPPONENT, 5, 2))
    line.say(my_turn((5, 2), [[24, 22], [13, 11], [13, 8], [8, 3], [6, 4]]))
    assert line.sent == []
    assert line.open_questions[-1].position.dice == (5, 2)
    assert [(e.mine, e.opponents) for e in line.seen(ev.OpeningRoll)] == [(3, 3), (5, 2)]
    told = [type(e) for e in line.events if isinstance(e, ev.MatchStarted | ev.GameStarted | ev.OpeningRoll)]
    assert told == [ev.MatchStarted, ev.GameStarted, ev.OpeningRoll, ev.OpeningRoll]


def test_12_seat_order_dice() -> None:
    line = opening()
    line.say(rolled(ME, 5, 0), rolled(OPPONENT, 5, 1))
    line.say(my_turn((1, 5), [[24, 23], [13, 8], [8, 7], [8, 3], [6, 5]]))
    assert line.seen(ev.OpeningRoll) == [ev.OpeningRoll(5, 1)]
    assert sorted(line.open_questions[-1].position.dice or ()) == [1, 5]
    assert line.seen(ev.DiceRolled) == []


def test_13_auto_roll() -> None:
    line = playing(points=1)
    line.say(moved(OPPONENT, (1, 5)))
    line.say(rolled(ME, 3, 1), my_turn((3, 1), [[8, 5], [6, 5]], points=1))
    line.wait(5)
    assert line.sent == []
    assert line.open_questions[-1].position.dice == (3, 1)


@pytest.mark.parametrize(("by", "command"), [("double", "double"), ("roll", "roll")])
def test_14_may_double(by: str, command: str) -> None:
    line = playing()
    line.say(board(turn=1))
    line.say(board(turn=1))
    assert len(line.seen(ev.DecisionNeeded)) == 1
    line.answer(Kind.ROLL_OR_DOUBLE, by=by)
    line.say(board(turn=1))
    assert line.sent == [command]


def test_15_combined_play() -> None:
    line = playing()
    first = [[24, 23], [13, 8], [8, 3], [8, 7], [6, 5]]
    line.say(my_turn((5, 1), first))
    line.answer(Kind.MOVE, (24, 23), (23, 18))
    assert line.take() == ["move 24/23"]
    after = [*START]
    after[24], after[23] = 1, 1
    line.say(moved(ME, (24, 23)), my_turn((5, 1), [[23, 18], [13, 8]], moves=[[24, 23]], spaces=after))
    assert line.take() == ["move 23/18"]
    after[23], after[18] = 0, 1
    line.say(moved(ME, (23, 18)), my_turn((5, 1), [], moves=[[24, 23], [23, 18]], spaces=after))
    assert line.sent == ["ok"]


def test_16_doubles() -> None:
    line = playing()
    row = [*START]
    line.say(my_turn((4, 4), [[24, 20], [13, 9], [8, 4], [6, 2]]))
    line.answer(Kind.MOVE, (24, 20), (20, 16), (24, 20), (20, 16))
    moves: list[list[int]] = []
    for _ in range(4):
        (command,) = line.take()
        source, target = (int(n) for n in command.removeprefix("move ").split("/"))
        offered = [[24, 20]] * (row[24] > 0) + [[20, 16]] * (row[20] > 0) + [[13, 9], [8, 4], [6, 2]]
        assert [source, target] in offered
        row[source] -= 1
        row[target] += 1
        moves.append([source, target])
        offered = [[24, 20]] * (row[24] > 0) + [[20, 16]] * (row[20] > 0) + [[13, 9], [8, 4], [6, 2]]
        available = offered if len(moves) < 4 else None
        line.say(moved(ME, (source, target)), my_turn((4, 4), available, moves=moves, spaces=row))
    assert sorted(moves) == [[20, 16], [20, 16], [24, 20], [24, 20]]
    assert line.sent == ["ok"]


@pytest.mark.parametrize("play", [((25, 22), (6, 5)), ((6, 5), (25, 22))])
def test_17_bar_first(play: tuple[tuple[int, int], ...]) -> None:
    line = playing()
    row = spaces({26: 1, 13: 5, 8: 3, 6: 5, 24: 1}, {1: 2, 12: 5, 17: 3, 19: 5})
    line.say(my_turn((3, 1), [[26, 24], [26, 22]], spaces=row))
    assert line.open_questions[-1].position.board[25] == 1
    line.answer(Kind.MOVE, *play)
    assert line.sent == ["move bar/22"]


def test_18_dance() -> None:
    line = playing()
    closed = spaces({26: 1, 6: 14}, {19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 24: 2, 12: 3})
    line.say(my_turn((6, 4), None, spaces=closed))
    line.say(my_turn((6, 4), [], spaces=closed))
    assert line.sent == ["ok"]
    assert line.seen(ev.DecisionNeeded) == []
    line.say(board(turn=2, spaces=closed))
    assert line.seen(ev.Danced) == [ev.Danced(True)]


def test_19_partial() -> None:
    line = playing()
    row = spaces({26: 1, 6: 14}, {19: 2, 20: 2, 21: 0, 22: 0, 23: 2, 24: 2, 18: 2, 16: 2, 4: 3})
    line.say(my_turn((4, 3), [[26, 22]], spaces=row))
    line.answer(Kind.MOVE, (25, 22))
    assert line.take() == ["move bar/22"]
    after = [*row]
    after[26], after[22] = 0, 1
    line.say(moved(ME, (26, 22)), my_turn((4, 3), None, moves=[[26, 22]], spaces=after))
    assert line.sent == ["ok"]


def test_20_lying_moved() -> None:
    line = playing()
    line.say(my_turn((5, 1), [[24, 23], [13, 8], [8, 7], [6, 5]]))
    line.answer(Kind.MOVE, (8, 7), (13, 8))
    assert line.take() == ["move 8/7"]
    after = [*START]
    after[8], after[7] = 2, 1
    line.say(moved(ME, (8, 7), (8, 7)))
    line.say(my_turn((5, 1), [[13, 8], [8, 3], [7, 2]], moves=[[8, 7]], spaces=after))
    assert line.take() == ["move 13/8"]  # one step was made, whatever `moved` says; the other is still due
    after[13], after[8] = 4, 3
    line.say(moved(ME, (13, 8)), my_turn((5, 1), [], moves=[[8, 7], [13, 8]], spaces=after))
    line.say(board(turn=2, spaces=after))
    assert line.seen(ev.CheckersMoved)[-1].steps == ((8, 7), (13, 8))


def test_21_failed_move() -> None:
    line = playing()
    due = my_turn((3, 1), [[24, 23], [8, 5], [6, 5]])
    line.say(due)
    plays = [((8, 5), (6, 5)), ((24, 23), (8, 5)), ((24, 23), (24, 21))]
    for number, steps in enumerate(plays, 1):
        line.answer(Kind.MOVE, *steps)
        assert len(line.take()) == 1
        line.say(event("failedmove", From=0, To=0, Reason="Illegal move."))
        assert line.take() == ["board"]
        line.say(due)
        if number < 3:
            assert line.open_questions[-1].rejected == tuple(plays[:number])
    # no more plans: one of the steps on offer, then another, and at last an end
    tried = []
    answer: list[str] = []
    for _ in range(20):
        tried += line.take()
        line.say(event("failedmove", From=0, To=0, Reason="Illegal move."))
        answer = line.take()
        if answer == ["leave"]:
            break
        assert answer == ["board"]
        line.say(due)
    assert answer == ["leave"]
    assert set(tried) <= {"move 24/23", "move 8/5", "move 6/5"}
    assert len(tried) >= 3
    assert line.seen(ev.Alarm)
    assert line.seen(ev.MatchSuspended)[-1].left_by_us


def test_22_failed_ok() -> None:
    line = playing()
    closed = spaces({26: 1, 6: 14}, {19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 24: 2, 12: 3})
    line.say(my_turn((6, 4), None, spaces=closed))
    assert line.take() == ["ok"]
    line.say(event("failedok", Reason="The following legal moves are available: 24/23, 13/8"))
    assert line.take() == ["board"]
    line.say(my_turn((6, 4), [[24, 18], [13, 7]]))
    assert line.open_questions[-1].kind is Kind.MOVE


def test_23_take_and_drop_pricing() -> None:
    line = playing()
    offer = board(turn=2, DoubleOffered=True)
    line.say(offer, offer)
    (question,) = line.seen(ev.DecisionNeeded)
    assert question.kind is Kind.DOUBLE_OFFERED
    # the doubler's side of the table; our own side of it shows what a drop costs
    assert question.position.on_roll == "opponent"
    assert resignation_cost(turn_round(question.position.board)) == 3
    line.answer(Kind.DOUBLE_OFFERED, by="accept")
    line.say(offer)
    assert line.sent == ["ok"]
    line.say(board(turn=2, DoubleValue=2, DoublePlayer=1))
    assert line.seen(ev.CubeDoubled) == [ev.CubeDoubled(False)]
    assert line.seen(ev.CubeTaken) == [ev.CubeTaken(True, 2)]


@pytest.mark.parametrize(("by", "command"), [("accept", "ok"), ("reject", "resign")])
def test_24_double_with_dice(by: str, command: str) -> None:
    line = playing()
    line.say(board(turn=2), board(turn=2, DoubleOffered=True))
    line.say(rolled(OPPONENT, 6, 1), board(turn=2, DoubleOffered=True, roll=(6, 1), available=[[1, 7]]))
    question = line.open_questions[-1]
    assert question.kind is Kind.DOUBLE_OFFERED
    assert question.position.dice is None
    line.answer(Kind.DOUBLE_OFFERED, by=by)
    assert line.sent == [command]


def test_25_stale_offer_at_end() -> None:
    line = playing(leave_delay=3)
    line.say(board(turn=2, DoubleOffered=True))
    line.answer(Kind.DOUBLE_OFFERED, by="reject")
    line.take()
    line.say(
        notice("Declined double offer."),
        win(OPPONENT, 3, ME),
        board(turn=2, DoubleOffered=True, Winner=2, score=(0, 3), roll=(6, 1), available=[[1, 7]]),
    )
    assert line.sent == []
    assert [(e.me, e.points) for e in line.seen(ev.CubeDropped)] == [(True, 3)]
    assert line.seen(ev.MatchEnded) == [ev.MatchEnded(OPPONENT, False, 3, 0, 3)]
    line.wait(4)
    assert line.sent == ["leave"]


def test_26_game_end_inside_a_match() -> None:
    line = playing()
    row = spaces({2: 1}, {19: 15})
    line.say(my_turn((2, 1), [[2, 0]], spaces=row))
    line.answer(Kind.MOVE, (2, 0))
    assert line.take() == ["move 2/off"]
    done = spaces({}, {19: 15})
    line.say(moved(ME, (2, 0)), my_turn((2, 1), None, moves=[[2, 0]], spaces=done, Winner=1))
    line.say(win(ME, 2), board(score=(2, 0), Crawford=1))
    assert line.seen(ev.GameEnded) == [ev.GameEnded(True, 2)]
    assert line.seen(ev.CheckersMoved)[-1] == ev.CheckersMoved(True, ((2, 0),))
    assert line.seen(ev.MatchEnded) == []
    assert line.sent == ["roll"]


def test_27_crawford() -> None:
    line = playing()
    line.say(board(turn=1, score=(2, 0), Crawford=1))
    assert line.take() == ["roll"]
    assert line.seen(ev.DecisionNeeded) == []
    line.say(win(OPPONENT, 1), board(score=(2, 1), Crawford=2))
    line.say(board(turn=1, score=(2, 1), Crawford=2))  # a point short, the cube is dead for us
    line.forget()
    line.say(win(ME, 1), board(score=(0, 0), points=5), board(turn=1, score=(0, 4), points=5, Crawford=2))
    assert line.open_questions[-1].kind is Kind.ROLL_OR_DOUBLE
    assert not line.open_questions[-1].position.crawford


def test_28_match_end() -> None:
    line = playing(points=1, leave_delay=5)
    done = spaces({}, {19: 15})
    line.say(
        win(ME, 0),
        board(turn=1, Winner=1, score=(1, 0), points=1, spaces=done),
        notice("Your opponent would like to play again."),
    )
    assert line.seen(ev.GameEnded) == [ev.GameEnded(True, 1)]
    assert line.seen(ev.MatchEnded) == [ev.MatchEnded(OPPONENT, True, 1, 1, 0)]
    assert not line.client.in_match
    line.wait(6)
    assert line.take() == ["leave"]
    line.say(event("left", ME))
    line.wait(2)
    assert line.sent == ["create public 1 0 Test"]


def test_29_forced_turn() -> None:
    line = playing()
    line.say(rolled(ME, 6, 6), my_turn((6, 6), [[24, 18]], Forced=True))
    line.say(moved(ME, (24, 18)), moved(ME, (24, 18)))
    after = [*START]
    after[24], after[18] = 0, 2
    line.say(rolled(OPPONENT, 2, 1), board(turn=2, roll=(2, 1), spaces=after, available=[[1, 2]]))
    assert line.sent == []
    assert line.seen(ev.DecisionNeeded) == []
    assert line.seen(ev.CheckersMoved)[-1] == ev.CheckersMoved(True, ((24, 18), (24, 18)))


def test_30_duplicate_boards() -> None:
    line = playing()
    for _ in range(3):
        line.say(my_turn((3, 1), [[8, 5], [6, 5]]))
    assert len(line.seen(ev.DecisionNeeded)) == 1
    line.answer(Kind.MOVE, (8, 5), (6, 5))
    for _ in range(3):
        line.say(my_turn((3, 1), [[8, 5], [6, 5]]))
    assert line.sent == ["move 8/5"]


def test_31_opponent_leaves_and_returns() -> None:
    line = playing()
    line.say(board(turn=1))
    line.say(event("left", OPPONENT))
    assert line.open_questions == []
    line.keep(120)
    assert line.sent == []
    line.say(joined(OPPONENT, 2), board(turn=1))
    line.answer(Kind.ROLL_OR_DOUBLE, by="roll")
    assert line.take() == ["roll"]


def test_31_an_opponent_who_does_not_return_is_left() -> None:
    line = playing()
    line.say(event("left", OPPONENT))
    line.keep(602)
    assert line.take() == ["leave"]
    (end,) = line.seen(ev.MatchSuspended)
    assert "opponent left" in end.reason
    assert not end.left_by_us
    line.say(event("left", ME))
    line.wait(3)
    assert line.sent == ["create public 3 0 Test"]


def test_32_my_drop_mid_turn() -> None:
    line = Line()
    line.say(HELLO, WELCOME, LIST)
    after = [*START]
    after[13], after[8] = 4, 4
    line.take()
    line.say(joined(ME, 1), my_turn((5, 3), [[8, 5], [6, 3]], moves=[[13, 8]], spaces=after))
    assert line.take() == ["reset"]  # what was planned is not known any more
    line.say(moved(ME, (8, 13)), my_turn((5, 3), [[13, 8], [13, 10], [8, 3], [6, 3]]))
    line.answer(Kind.MOVE, (8, 3), (6, 3))
    assert line.take() == ["move 8/3"]


def test_33_both_gone() -> None:
    line = Line()
    line.client.offer(MatchOffer(3))
    line.say(HELLO, WELCOME, LIST)
    line.take()
    line.wait(2.5)
    assert line.seen(ev.LobbyReady)
    assert not line.client.seated  # what the session needs to know to close its record
    line.wait(1)
    assert line.sent == ["create public 3 0"]


def test_34_ping() -> None:
    line = playing()
    line.say(my_turn((3, 1), [[8, 5], [6, 5]]))
    line.say(event("ping", Message="1796004581"))
    assert line.take() == ["pong 1796004581"]
    line.wait(30)
    line.say(event("ping", Message="1796004611"))
    assert "pong 1796004611" in line.take()


def test_35_silent_server() -> None:
    line = playing()
    line.wait(74)
    assert line.seen(ev.Disconnected) == []
    line.wait(2)
    (end,) = line.seen(ev.Disconnected)
    assert end.retry is ev.Retry.BACK_OFF


def test_35_bytes_that_never_become_an_event_are_silence() -> None:
    line = playing()
    for _ in range(80):
        line.raw(b"x" * 1000)
        line.wait(1)
    assert line.seen(ev.Disconnected)


def test_36_shutdown() -> None:
    line = playing()
    line.say(notice("SERVER BROADCAST: The server is shutting down in 2 minutes. Reason:"))
    assert line.seen(ev.Shutdown)
    line.say(my_turn((3, 1), [[8, 5], [6, 5]]))
    line.answer(Kind.MOVE, (8, 5), (6, 5))
    assert line.take() == ["move 8/5"]
    line.say(win(OPPONENT, 3), board(Winner=2, score=(0, 3)))
    line.wait(6)
    assert line.take() == ["leave"]
    line.say(event("left", ME))
    line.keep(60)
    assert line.sent == []
    line.keep(29)
    assert line.take() == ["create public 3 0 Test"]
    text = "The server is shutting down. Reason: upgrade"
    line.say(event("failedcreate", Reason=text), notice(f"Failed to create match: {text}"))
    line.keep(80)
    assert line.sent == []
    line.keep(15)
    assert line.sent == ["create public 3 0 Test"]


def test_37_wrong_variant() -> None:
    line = logged_in()
    line.say(joined(ME, 1), board(Variant=1, spaces=[0] * 28, turn=1, roll=(2, 1)))
    line.wait(5)
    assert [command.split()[0] for command in line.sent] == ["say", "leave"]


def test_38_spectating() -> None:
    line = logged_in()
    line.say(joined(ME, 1), board(Spectating=True, turn=1, roll=(3, 1), available=[[8, 5]]))
    line.wait(1)
    assert line.sent == ["leave"]
    assert line.seen(ev.DecisionNeeded) == []


def _board_with(**changes: object) -> str:
    fields = {**json.loads(my_turn((3, 1), [[8, 5], [6, 5]])), **changes}
    return json.dumps({key: value for key, value in fields.items() if value != "drop"})


HOSTILE = {
    "truncated": b'{"Type":"board","Player":"","Bo',
    "10 MB line": b'{"Type":"notice","Player":"","Message":"' + b"x" * 10_000_000 + b'"}',
    "nesting": b'{"Type":"board","X":' + b"[" * 10_000,
    "type is a number": b'{"Type":5}',
    "27 spaces": _board_with(Board=[0] * 27).encode(),
    "1e99": _board_with(Board=[0] * 28).replace("[0,", "[1e99,").replace("[0, ", "[1e99, ").encode(),
    "strings": _board_with(Board=["x"] * 28).encode(),
    "NaN": _board_with(Board=[float("nan")] * 28).encode(),
    "turn 7": _board_with(Turn=7).encode(),
    "available": _board_with(Available=[[99, -1], [1]]).encode(),
    "type missing": _board_with(Type="drop").encode(),
    "a list": b"[1,2,3]",
    "null": b"null",
    "control characters": b'{"Type":"say","Player":"\\u0000\\u001b[2J","Message":"\\u001b]0;x\\u0007"}',
    "invalid UTF-8": b'{"Type":"say","Player":"\xff\xfe","Message":"x"}',
    "unknown type": b'{"Type":"fireworks","Player":""}',
    "unknown type with escapes": b'{"Type":"\\u001b[2J","Player":""}',
    "text": b"\x1b[2J not JSON",
    "a number as name": _board_with(Player2=5).encode(),
    "huge numbers": _board_with(DoubleValue=10**30, Points=-1).encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_39_hostile_json(name: str) -> None:
    line = playing()
    line.raw(HOSTILE[name] + b"\r\n")
    shown = "".join(repr(getattr(found, field)) for found in line.events for field in found.__slots__)
    texts = [text for found in line.events for text in (getattr(found, f) for f in found.__slots__)]
    assert all(str(text).isprintable() and len(str(text)) < 500 for text in texts if isinstance(text, str))
    assert "\x1b" not in shown
    if name not in ("control characters",):
        assert len(line.seen(ev.UnparsedLine)) >= 1
    assert line.client.phase is Phase.LOBBY
    # the stream is still in step
    line.say(my_turn((3, 1), [[8, 5], [6, 5]]))
    assert line.open_questions[-1].kind is Kind.MOVE


def test_39_duplicate_keys() -> None:
    line = playing()
    text = my_turn((3, 1), [[8, 5], [6, 5]])
    line.say(text.replace('"Turn":1', '"Turn":1,"Turn":2'))
    assert line.client.phase is Phase.LOBBY
    line.say(text)
    assert line.open_questions[-1].kind is Kind.MOVE


IMPOSSIBLE = {
    "16 own checkers": my_turn((3, 1), [[8, 5]], spaces=[*START[:23], 1, *START[24:]]),
    "no step offered": my_turn((3, 1), None),
    "one die": my_turn((3, 0), [[8, 5]]),
    "cube of 3": my_turn((3, 1), [[8, 5]], DoubleValue=3),
    "not our seat": my_turn((3, 1), [[8, 5]]).replace(f'"Name":"{ME}"', '"Name":"BOT_other"'),
    "our checker on his bar": my_turn((3, 1), [[27, 5]]),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_40_impossible_state(name: str) -> None:
    line = playing()
    line.say(IMPOSSIBLE[name])
    assert line.take() == ["board"]
    assert line.open_questions == []
    line.say(IMPOSSIBLE[name])
    assert line.take() == ["leave"]
    assert line.seen(ev.Alarm)
    assert line.seen(ev.MatchSuspended)[-1].left_by_us


def test_40_one_bad_board_is_forgiven() -> None:
    line = playing()
    for _ in range(3):
        line.say(IMPOSSIBLE["16 own checkers"])
        assert line.take() == ["board"]
        line.say(my_turn((3, 1), [[8, 5], [6, 5]]))
        assert line.open_questions[-1].kind is Kind.MOVE


def test_41_chat_flood() -> None:
    line = playing()
    for _ in range(1000):
        line.say(event("say", OPPONENT, Message="spam " * 6000))
    line.say(event("ping", Message="1"), my_turn((3, 1), [[8, 5], [6, 5]]))
    assert line.take() == ["pong 1"]
    line.answer(Kind.MOVE, (8, 5), (6, 5))
    assert line.take() == ["move 8/5"]
    told = line.seen(ev.Chat)
    assert len(told) <= 10
    assert all(len(chat.text) <= 200 for chat in told)
    line.wait(10)
    line.say(event("say", OPPONENT, Message="sorry"))
    assert line.seen(ev.TextDropped)[-1].number >= 990
    # and we do not flood either
    for _ in range(100):
        line.client.say("no")
    line.take()
    line.wait(9)
    assert len([command for command in line.sent if command.startswith("say")]) <= 2


def test_42_split_and_glued_bytes() -> None:
    session = "\r\n".join([HELLO, WELCOME, LIST, joined(ME, 1), MID_GAME, event("ping", Message="7")])
    data = session.encode() + b'\r\n{"Type":"ping","Message":"8"'
    whole = Line()
    whole.raw(data)
    assert whole.sent == ["lj botd-0.1/en BOT_acme", "pong 7"]
    for size in (1, 2, 3, 7, 100):
        split = Line()
        for at in range(0, len(data), size):
            split.raw(data[at : at + size])
        assert split.events == whole.events
        assert split.sent == whole.sent
    whole.eof()
    assert whole.seen(ev.UnparsedLine) == []
