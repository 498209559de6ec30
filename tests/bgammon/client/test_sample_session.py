"""The composed session of the protocol specification, line by line."""

from __future__ import annotations

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client_lobby import MatchOffer
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
    joined,
    moved,
    notice,
    rolled,
    spaces,
    win,
)

Kind = ev.DecisionKind


def test_a_one_point_match_from_login_to_the_next_offer() -> None:
    line = Line(client_name="botd-1.0.0")
    line.client.offer(MatchOffer(1, "Quick game"))
    line.say(HELLO)
    assert line.take() == ["lj botd-1.0.0/en BOT_acme"]
    line.say(WELCOME, LIST, notice("..."))
    line.wait(2.5)
    assert line.take() == ["create public 1 0 Quick game"]
    line.say(joined(ME, 1), board(opponent="", points=1), notice("Created match: Quick game"))
    line.say(notice("Note: ..."), event("ping", Message="1796004600"))
    assert line.take() == ["pong 1796004600"]
    line.say(joined(OPPONENT, 2), board(points=1))
    assert line.take() == ["roll"]
    line.say(rolled(ME, 4, 0), rolled(OPPONENT, 4, 2))
    first = [[24, 22], [24, 20], [13, 11], [13, 9], [8, 6], [8, 4], [6, 4], [6, 2]]
    line.say(board(turn=1, roll=(4, 2), points=1, available=first))
    line.answer(Kind.MOVE, (8, 4), (6, 4))
    assert line.take() == ["move 8/4"]
    half = [*START]
    half[8], half[4] = 2, 1
    then = [[24, 22], [13, 11], [8, 6], [6, 4], [4, 2]]
    line.say(moved(ME, (8, 4)))
    line.say(board(turn=1, roll=(4, 2), points=1, moves=[[8, 4]], available=then, spaces=half))
    assert line.take() == ["move 6/4"]
    full = [*half]
    full[6], full[4] = 4, 2
    line.say(moved(ME, (6, 4)))
    line.say(board(turn=1, roll=(4, 2), points=1, moves=[[8, 4], [6, 4]], spaces=full))
    assert line.take() == ["ok"]
    his = [[17, 23], [12, 18], [1, 7]]
    line.say(rolled(OPPONENT, 6, 6))
    line.say(board(turn=2, roll=(6, 6), points=1, moves=[], available=his, spaces=full))
    row = [*full]
    steps: list[list[int]] = []
    for step in ([12, 18], [12, 18], [17, 23], [17, 23]):
        row[step[0]] += 1
        row[step[1]] -= 1
        steps.append(step)
        line.say(moved(OPPONENT, (step[0], step[1])))
        line.say(board(turn=2, roll=(6, 6), points=1, moves=steps, spaces=row))
    line.say(rolled(ME, 5, 3), board(turn=1, roll=(5, 3), points=1, spaces=row, available=[[8, 3], [6, 3]]))
    assert line.take() == []
    line.answer(Kind.MOVE, (8, 3), (6, 3))
    assert line.take() == ["move 8/3"]
    last = spaces({2: 1}, {19: 15})
    line.say(board(turn=2, points=1, spaces=last, roll=(2, 1), available=[[19, 20]]))
    line.say(rolled(ME, 2, 1), board(turn=1, roll=(2, 1), points=1, spaces=last, available=[[2, 0], [2, 1]]))
    line.answer(Kind.MOVE, (2, 0))
    assert line.take() == ["move 2/off"]
    done = spaces({}, {19: 15})
    line.say(moved(ME, (2, 0)), board(turn=1, points=1, spaces=done, Winner=1, roll=(2, 1), moves=[[2, 0]]))
    line.say(win(ME, 0), board(turn=1, points=1, spaces=done, Winner=1, roll=(2, 1), score=(1, 0)))
    line.wait(6)
    assert line.take() == ["leave"]
    line.say(event("left", ME))
    line.wait(2)
    assert line.take() == ["create public 1 0 Quick game"]

    told = [type(found).__name__ for found in line.events]
    kept = [name for name in told if name not in ("ServerError", "BoardSeen", "DecisionNeeded")]
    assert kept[:12] == [
        *("LoggedIn", "LobbyReady", "MatchOpened", "Seated"),
        *("MatchStarted", "GameStarted", "OpeningRoll"),
        *("CheckersMoved", "DiceRolled", "CheckersMoved", "DiceRolled", "CheckersMoved"),
    ]
    plays = [found.steps for found in line.seen(ev.CheckersMoved)]
    assert plays[:2] == [((8, 4), (6, 4)), ((13, 7), (13, 7), (8, 2), (8, 2))]
    assert plays[-1] == ((2, 0),)
    assert kept[-4:] == ["GameEnded", "ScoreChanged", "MatchEnded", "TableLeft"]
    assert line.seen(ev.UnparsedLine) == []


def doubled() -> Line:
    line = Line()
    line.say(HELLO, WELCOME, joined(ME, 1), board(turn=2))
    line.forget()
    line.say(notice("Guest_alice offers a double (2 points)."), board(turn=2, DoubleOffered=True))
    return line


def test_a_double_is_taken() -> None:
    line = doubled()
    line.answer(Kind.DOUBLE_OFFERED, by="accept")
    assert line.take() == ["ok"]
    line.say(notice("Accepted double."), board(turn=2, DoubleValue=2, DoublePlayer=1))
    line.say(rolled(OPPONENT, 3, 1), board(turn=2, roll=(3, 1), DoubleValue=2, DoublePlayer=1))
    assert [type(found) for found in line.events if isinstance(found, ev.CubeDoubled | ev.CubeTaken)] == [
        ev.CubeDoubled,
        ev.CubeTaken,
    ]
    assert line.seen(ev.DiceRolled) == [ev.DiceRolled(False, (3, 1))]


def test_a_double_is_dropped_for_what_the_position_costs() -> None:
    line = doubled()
    line.answer(Kind.DOUBLE_OFFERED, by="reject")
    assert line.take() == ["resign"]
    line.say(notice("Declined double offer."), win(OPPONENT, 3, ME), board(score=(0, 3), points=7))
    assert line.seen(ev.CubeDropped) == [ev.CubeDropped(True, 3)]
    assert line.seen(ev.GameEnded) == [ev.GameEnded(False, 3)]
    assert line.sent == ["roll"]


def test_a_resignation_is_told_as_one() -> None:
    line = doubled()
    line.say(board(turn=1, points=7))
    line.say(win(ME, 2, OPPONENT), board(score=(2, 0), points=7))
    assert line.seen(ev.ResignationOffered) == [ev.ResignationOffered(False, 2)]
    assert line.seen(ev.ResignationAccepted) == [ev.ResignationAccepted(True, 2)]
    assert line.seen(ev.GameEnded) == [ev.GameEnded(True, 2)]
