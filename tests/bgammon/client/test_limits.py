"""Every state has a time limit and a way out; the session's commands in states they do not fit."""

from __future__ import annotations

import pytest

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import BgammonClientConfig, Phase
from botd_protocols.bgammon.client_lobby import MatchOffer
from tests.bgammon.client.harness import (
    HELLO,
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
    notice,
    opening,
    playing,
    rolled,
    win,
)

Kind = ev.DecisionKind
MOVE_DUE = board(turn=1, roll=(3, 1), available=[[8, 5], [6, 5]])


# -- log-in and lobby ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"name": "acme"}, "BOT_"),
        ({"name": "BOT_x y"}, "letters"),
        ({"name": "BOT_" + "x" * 15}, "18"),
        ({"name": ""}, "18"),
        ({"name": "1234", "own_server": True}, "not only digits"),
        ({"name": "BOT_a", "password": " "}, "password"),
        ({"name": "BOT_a", "password": "a\nb"}, "password"),
        ({"name": "BOT_a", "client_name": "boxcars-1"}, "client name"),
        ({"name": "BOT_a", "client_name": "a b"}, "client name"),
    ],
)
def test_a_login_no_server_takes_is_refused_at_once(settings: dict[str, object], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        BgammonClientConfig(**settings)  # type: ignore[arg-type]


def test_on_our_own_server_we_may_have_any_name() -> None:
    line = Line(name="anna", password="x", own_server=True)
    line.say(HELLO, event("welcome", PlayerName="anna", Clients=1, Games=0))
    assert line.seen(ev.LoggedIn)


def test_a_login_without_an_answer_is_given_up() -> None:
    line = Line()
    line.say(HELLO)
    line.wait(31)
    (end,) = line.seen(ev.Disconnected)
    assert (end.reason, end.retry) == ("no log-in within the time limit", ev.Retry.BACK_OFF)


def test_another_kind_of_server_is_not_logged_in_to() -> None:
    line = Line(password="s3cret")
    line.say("220 mail.example.org ESMTP")
    line.wait(6)
    assert line.sent == []
    assert "not a bgammon server" in line.seen(ev.Disconnected)[0].reason


@pytest.mark.parametrize(
    ("text", "final", "wait"),
    [
        ("Failed to log in: account disabled", True, 0),
        ("Invalid username: must be 18 characters or less.", True, 0),
        ("You are banned", True, 0),
        ("Due to ongoing abuse, only registered users may connect. Please", False, 900),
        ("User did not send login command within 30 seconds.", False, 0),
        ("Server error", False, 0),
        ("\u001b[2J\u0000", False, 30),
    ],
)
def test_the_reasons_for_which_a_connection_ends(text: str, final: bool, wait: float) -> None:
    line = Line()
    line.say(HELLO, notice(f"Connection terminated: {text}"))
    (end,) = line.seen(ev.Disconnected)
    assert (end.final, end.least_wait) == (final, wait)
    assert end.reason.isprintable()


def test_a_ban_while_logged_in_is_final_too() -> None:
    line = playing()
    line.say(notice("Connection terminated: You are banned"))
    assert line.seen(ev.LoginRefused)
    assert line.seen(ev.Disconnected)[0].final


def test_the_line_is_kept_alive_without_pings_and_silence_ends_it() -> None:
    line = logged_in(silence_limit=200)
    line.wait(80)
    assert line.sent == ["pong", "pong"]


def test_a_flood_of_pings_is_answered_in_measure() -> None:
    line = logged_in()
    for number in range(1000):
        line.say(event("ping", Message=str(number)))
    assert 1 <= len(line.sent) <= 10


def test_a_create_without_an_answer_is_repeated_and_then_the_connection_given_up() -> None:
    line = logged_in()
    line.client.offer(MatchOffer(3))
    line.wait(29)
    assert line.sent == ["create public 3 0"] * 3
    line.wait(2)
    assert "does not react" in line.seen(ev.Disconnected)[0].reason


def test_a_leave_without_an_answer_is_repeated_and_then_the_connection_given_up() -> None:
    line = playing()
    line.say(board(Variant=2))
    line.wait(40)
    assert line.sent.count("leave") == 3
    assert line.seen(ev.Disconnected)


def test_a_seat_we_do_not_know_of_is_given_up() -> None:
    line = logged_in()
    line.client.offer(MatchOffer(3))
    line.wait(0)
    line.say(event("failedcreate", Reason="Please leave the match you are in before creating another."))
    line.wait(11)
    assert line.sent == ["create public 3 0", "leave"]
    line.say(event("failedleave", Reason="You are not currently in a match."))
    line.wait(2)
    assert line.sent[-1] == "create public 3 0"


def test_an_offer_withdrawn_gives_up_a_match_nobody_has_come_to() -> None:
    line = hosting()
    line.client.offer(None)
    line.wait(0)
    assert line.take() == ["leave"]
    line.say(event("left", ME))
    line.wait(30)
    assert line.sent == []


def test_whoever_sits_down_may_be_refused_but_no_running_match() -> None:
    line = hosting()
    line.events += line.client.receive_data(f"{joined(OPPONENT, 2)}\n{board()}\n".encode(), line.now)
    line.client.refuse_table("Sorry, not now.")
    line.wait(0)
    assert line.take() == ["say Sorry, not now.", "leave"]
    line = playing()
    line.client.refuse_table("Sorry, not now.")
    line.wait(0)
    assert line.sent == []
    assert line.client.in_match


def test_an_offer_withdrawn_leaves_a_running_match_alone() -> None:
    line = playing()
    line.client.offer(None)
    line.wait(1)
    assert line.sent == []
    line.say(MOVE_DUE)
    assert line.open_questions


def test_somebody_who_is_not_there_is_looked_for_again() -> None:
    line = logged_in(own_server=True)
    line.client.seek("BOT_other")
    line.wait(1)
    line.say(event("failedjoin", Reason="Match not found."))
    line.wait(6)
    assert line.sent == ["join BOT_other"] * 2


@pytest.mark.parametrize(("password", "command"), [(None, "join BOT_other"), ("a b", "join BOT_other a_b")])
def test_a_private_match_with_another_password_is_passed_over_for_a_while(
    password: str | None, command: str
) -> None:
    line = logged_in(own_server=True)
    line.client.seek("BOT_other", password)
    line.wait(1)
    assert line.take() == [command]
    line.say(event("failedjoin", Reason="Invalid password."))
    line.keep(59)
    assert line.take() == []
    line.wait(2)
    assert line.sent == [command]


@pytest.mark.parametrize("password", ["", " ", "a\nb", "a\x1bb", "x" * 201])
def test_a_password_that_could_be_misread_is_refused(password: str) -> None:
    line = logged_in(own_server=True)
    with pytest.raises(ValueError, match="password"):
        line.client.seek("BOT_other", password)
    with pytest.raises(ValueError, match="password"):
        MatchOffer(3, "Test", password)
    line.wait(1)
    assert line.sent == []


def test_the_table_of_somebody_who_has_gone_is_left_again() -> None:
    line = logged_in(own_server=True)
    line.client.seek("BOT_other")
    line.wait(0)
    line.say(joined(ME, 1), joined("BOT_other", 2), board(opponent="BOT_other"))
    assert line.take() == ["join BOT_other", "roll"]
    line.say(event("left", "BOT_other"))
    line.wait(21)
    assert line.take() == ["leave"]
    line.say(event("left", ME))
    line.wait(2)
    assert line.sent == ["join BOT_other"]


def test_a_host_waits_as_long_as_it_takes() -> None:
    line = hosting()
    line.keep(36_000)
    assert line.sent == []
    assert line.client.seated


def test_good_bye_keeps_the_right_to_come_back() -> None:
    line = playing()
    line.say(MOVE_DUE)
    line.client.bye()
    line.client.bye()
    line.wait(0)
    assert line.open_questions == []
    assert line.take() == ["disconnect"]
    line.say(MOVE_DUE, event("left", ME), notice("Connection terminated: Client disconnected"))
    line.eof()
    (end,) = line.seen(ev.Disconnected)
    assert end.final
    assert line.sent == []
    assert line.seen(ev.MatchSuspended) == []  # the session says why it stopped


def test_good_bye_without_an_answer_ends_too() -> None:
    line = logged_in()
    line.client.bye()
    line.wait(11)
    assert line.seen(ev.Disconnected)[0].final


def test_nothing_happens_after_the_end() -> None:
    line = playing()
    line.eof()
    line.forget()
    line.say(MOVE_DUE)
    line.raw(b"x" * 100)
    line.eof()
    line.wait(100)
    assert line.events == []
    assert line.sent == []
    assert line.client.next_timer() is None


# -- waiting for the opponent --------------------------------------------------------------------------------


def test_somebody_who_sits_down_and_does_not_roll_is_left() -> None:
    line = opening()
    line.say(rolled(ME, 4, 0))
    line.keep(302)
    assert line.take() == ["leave"]
    assert line.seen(ev.MatchSuspended) == []  # no match had begun
    line.say(event("left", ME))
    line.wait(2)
    assert line.sent == ["create public 3 0 Test"]


def test_an_opponent_who_came_back_is_not_left() -> None:
    line = playing()
    line.say(event("left", OPPONENT))
    line.keep(300)
    line.say(joined(OPPONENT, 2), board(turn=2, roll=(4, 6), available=[[1, 5]]))
    line.keep(600)
    assert line.take() == ["say It is your turn."]


def test_an_opponent_who_does_nothing_is_reminded_and_left() -> None:
    line = playing()
    line.keep(190)
    assert line.take() == ["say It is your turn."]
    line.keep(1000)
    assert line.sent == []
    line.keep(15)
    assert line.sent == ["leave"]
    assert line.seen(ev.MatchSuspended)[-1].left_by_us


def test_reminding_can_be_left_to_somebody_else() -> None:
    line = playing(idle_reminder=None)
    line.keep(1202)
    assert line.sent == ["leave"]


@pytest.mark.parametrize(
    ("limit", "ratings", "left_after"),
    [
        (300.0, (0, 0), 300),
        (300.0, (1500, 0), 300),  # a guest's match is not rated
        (300.0, (1500, 1622), 620),  # who leaves a rated match sooner loses it
        (900.0, (1500, 1622), 900),
        (None, (0, 0), None),
        (None, (1500, 1622), None),
    ],
)
def test_how_long_an_opponent_may_do_nothing(
    limit: float | None, ratings: tuple[int, int], left_after: int | None
) -> None:
    line = playing(idle_reminder=None, idle_limit=limit)
    seats = {
        f"Player{n}": {"Number": n, "Name": name, "Rating": rating, "Points": 0, "Entered": True}
        for n, name, rating in zip((1, 2), (ME, OPPONENT), ratings, strict=True)
    }
    line.say(board(turn=1, **seats), board(turn=2, **seats))
    line.take()
    line.keep((left_after or 7200) - 2)
    assert line.take() == []
    line.keep(4)
    assert line.sent == (["leave"] if left_after else [])


def test_moving_to_and_fro_does_not_hold_us_for_ever() -> None:
    line = playing()
    steps = [[1, 5]]
    after = [*START]
    after[1], after[5] = -1, -1
    for number in range(39):
        moves = steps if number % 2 else []
        line.say(board(turn=2, roll=(4, 6), moves=moves, spaces=after if moves else START))
        line.keep(31)
    assert line.sent[-1] == "leave"


def test_an_opponent_who_does_not_answer_our_double_is_left() -> None:
    line = playing()
    line.say(board(turn=1))
    line.answer(Kind.ROLL_OR_DOUBLE, by="double")
    line.say(board(turn=1, DoubleOffered=True))
    line.take()
    line.keep(1202)
    assert line.sent == ["say It is your turn.", "leave"]


# -- waiting for ourselves and for the server ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "command"),
    [
        (MOVE_DUE, "move 8/5"),
        (board(turn=1), "roll"),
        (board(turn=2, DoubleOffered=True), "ok"),
    ],
)
def test_a_question_nobody_answers_is_answered_by_the_client(state: str, command: str) -> None:
    line = playing()
    line.say(state)
    line.keep(119)
    assert line.sent == []
    line.keep(2)
    if command.startswith("move"):
        assert line.sent[0].startswith("move ")
    else:
        assert line.sent == [command]
    assert line.seen(ev.Alarm)
    key = line.seen(ev.DecisionNeeded)[-1].key
    assert line.seen(ev.DecisionWithdrawn)[-1].key == key
    line.events += line.client.answer_move(key, [(8, 5), (6, 5)])
    assert line.seen(ev.StaleAnswer)[-1].key == key


@pytest.mark.parametrize("command", ["roll", "double"])
def test_a_command_nothing_comes_of_is_looked_up_and_repeated(command: str) -> None:
    line = playing()
    line.say(board(turn=1))
    line.answer(Kind.ROLL_OR_DOUBLE, by=command)
    assert line.take() == [command]
    line.wait(11)
    assert line.take() == ["board"]
    line.say(board(turn=1))
    if command == "double":
        assert line.take() == ["roll"]  # doubling does not work here
    else:
        line.answer(Kind.ROLL_OR_DOUBLE, by=command)
        assert line.take() == ["roll"]


def test_a_play_of_which_nothing_comes_is_replaced_by_what_is_on_offer() -> None:
    line = playing()
    due = board(turn=1, roll=(3, 1), available=[[24, 23], [8, 5], [6, 5]])
    line.say(due)
    line.answer(Kind.MOVE, (8, 5), (6, 5))
    for _ in range(3):
        assert line.take() == ["move 8/5"]
        line.wait(11)
        assert line.take() == ["board"]
        line.say(due)
    picked = []
    for _ in range(3):
        picked += line.take()
        line.wait(11)
        assert line.take() == ["board"]
        line.say(due)
    assert set(picked) == {"move 24/23", "move 8/5", "move 6/5"}
    assert len(line.seen(ev.DecisionNeeded)) == 1


def test_a_double_refused_by_a_notice_is_not_tried_again() -> None:
    line = playing()
    line.say(board(turn=1))
    line.answer(Kind.ROLL_OR_DOUBLE, by="double")
    line.say(notice("You may not double at this time."))
    assert line.take() == ["double", "board"]
    line.say(board(turn=1))
    assert line.sent == ["roll"]


def test_a_board_that_never_comes_ends_the_match() -> None:
    line = playing()
    line.say(board(turn=1, roll=(3, 1), available=[[8, 5]], DoubleValue=3))
    line.keep(200)
    assert line.sent.count("board") <= 10
    assert line.sent[-1] == "leave"
    assert line.seen(ev.Alarm)


def test_steps_that_cannot_be_made_are_refused_and_the_question_stays_open() -> None:
    line = playing()
    line.say(MOVE_DUE)
    key = line.open_questions[-1].key
    with pytest.raises(ValueError, match="cannot be made"):
        line.client.answer_move(key, [(5, 4)])
    with pytest.raises(ValueError, match="does not answer"):
        line.client.answer_roll(key)
    line.answer(Kind.MOVE, (8, 5), (6, 5))
    assert line.sent == ["move 8/5"]


def test_answers_outside_a_match_are_stale() -> None:
    line = logged_in()
    for answer in (line.client.answer_roll, line.client.answer_double):
        assert answer(7) == [ev.StaleAnswer(7)]
    assert line.client.answer_move(7, []) == [ev.StaleAnswer(7)]
    assert line.client.read_board() == []
    line.client.resign(1)
    line.client.say("anybody?")
    line.wait(10)
    assert line.sent == []
    with pytest.raises(ValueError, match="level"):
        line.client.resign(4)


def test_the_board_is_read_again_when_asked() -> None:
    line = playing()
    line.say(MOVE_DUE)
    line.events += line.client.read_board()
    line.wait(0)
    assert line.take() == ["board"]
    line.say(MOVE_DUE)
    assert len(line.seen(ev.DecisionNeeded)) == 2


def test_asking_often_for_the_board_is_no_way_to_make_us_leave() -> None:
    for state in (MOVE_DUE, board(turn=2)):
        line = playing()
        line.say(state)
        for _ in range(60):
            line.events += line.client.read_board()
            line.wait(0.5)
            if "board" in line.sent[-1:]:
                line.say(state)
        assert line.client.in_match
        assert line.seen(ev.Alarm) == []
        assert 1 <= line.sent.count("board") <= 4


def test_a_match_is_left_after_the_game_if_wanted() -> None:
    line = playing()
    line.client.leave_after_game()
    line.say(win(OPPONENT, 1), board(score=(0, 1)))
    assert line.sent == ["leave"]
    assert line.seen(ev.GameEnded)
    assert line.seen(ev.MatchSuspended)[-1].left_by_us


def test_a_game_whose_end_was_announced_has_ended_even_if_the_connection_ends() -> None:
    line = playing()
    line.say(win(OPPONENT, 2))
    line.eof()
    told = [type(found) for found in line.events]
    assert told.index(ev.GameEnded) < told.index(ev.Disconnected)
    assert line.seen(ev.GameEnded) == [ev.GameEnded(False, 2)]


def test_events_for_a_match_we_do_not_sit_in_are_ignored() -> None:
    line = logged_in()
    line.say(board(turn=1), rolled(OPPONENT, 3, 1), win(OPPONENT, 3), event("left", OPPONENT))
    line.say(event("moved", OPPONENT, Moves=[[1, 5]]), event("failedmove", Reason="x"))
    line.wait(60)
    assert line.events == []
    assert not any(command.startswith(("move", "roll", "leave")) for command in line.sent)


def test_the_keys_of_questions_never_come_twice() -> None:
    line = playing()
    line.say(MOVE_DUE)
    line.say(event("left", ME))
    line.wait(2)
    line.say(joined(ME, 1), MOVE_DUE)
    keys = [asked.key for asked in line.seen(ev.DecisionNeeded)]
    assert len(keys) == len(set(keys)) == 2


def test_welcome_again_is_ignored() -> None:
    line = playing()
    line.say(event("welcome", PlayerName="BOT_evil", Clients=1, Games=0), WELCOME)
    assert line.client.name == ME
    assert line.client.phase is Phase.LOBBY
