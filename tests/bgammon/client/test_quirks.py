"""The numbered quirks of the protocol specification that break naive clients, each under its number."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd_protocols.bgammon import client_commands as commands
from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import Phase
from botd_protocols.bgammon.client_board import resignation_cost
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
CLOSED_OUT = spaces({26: 1, 6: 14}, {19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 24: 2, 12: 3})


def my_turn(roll: tuple[int, int], available: list[list[int]] | None, **changes: object) -> str:
    return board(turn=1, roll=roll, available=available, **changes)  # type: ignore[arg-type]


NAMES = st.from_regex(r"(?:BOT|bot)_[A-Za-z0-9_]{1,14}", fullmatch=True)
TEXTS = st.text(max_size=80)


@given(NAMES, st.none() | st.from_regex(r"[!-~]{1,30}", fullmatch=True))
def test_quirk_01_the_login_always_has_its_parameter(name: str, password: str | None) -> None:
    words = commands.login("botd-1.0", name, password).split(" ")
    assert words[:3] == ["lj", "botd-1.0/en", name]
    assert len(words) == (3 if password is None else 4)


@given(st.integers(1, 127), TEXTS, st.none() | TEXTS)
def test_quirk_02_matches_are_created_with_all_parameters(
    points: int, name: str, password: str | None
) -> None:
    try:
        command = MatchOffer(points, name, password).command()
    except ValueError:
        return  # a password of nothing but blanks, for one
    assert re.match(rf"create (public|private \S+) {points} 0( |\Z)", command)
    assert command.isprintable()


def test_quirk_03_only_the_form_that_looks_at_the_password_is_used() -> None:
    line = Line(password="s3cret")
    line.say(HELLO)
    assert [command.split()[0] for command in line.sent] == ["lj"]


def test_quirk_04_nobody_is_joined_on_a_public_server() -> None:
    with pytest.raises(ValueError, match="own_server"):
        logged_in().client.seek("BOT_other")
    line = logged_in(own_server=True)
    line.client.seek("BOT_other")
    line.wait(1)
    assert line.sent == ["join BOT_other"]


def test_quirk_05_and_06_steps_that_depend_on_each_other_go_one_by_one() -> None:
    line = playing()
    line.say(my_turn((5, 1), [[24, 23], [13, 8], [8, 7], [8, 3], [6, 5]]))
    line.answer(Kind.MOVE, (24, 23), (23, 18))
    line.wait(3)
    assert line.sent == ["move 24/23"]


@pytest.mark.parametrize("nothing", [None, []])
def test_quirk_07_null_and_empty_lists_are_the_same(nothing: object) -> None:
    line = Line()
    line.say(HELLO, WELCOME, event("list", Games=nothing))
    line.wait(3)
    line.say(joined(ME, 1), board(opponent="", Moves=nothing, Available=nothing))
    line.say(joined(OPPONENT, 2), board(Moves=nothing, Available=nothing))
    line.take()
    line.say(my_turn((6, 4), nothing, Moves=nothing, spaces=CLOSED_OUT))  # type: ignore[arg-type]
    other = [] if nothing is None else None
    line.say(my_turn((6, 4), other, Moves=other, spaces=CLOSED_OUT))
    assert line.sent == ["ok"]
    assert line.seen(ev.UnparsedLine) == []


def test_quirk_08_no_board_follows_the_first_opening_roll() -> None:
    line = opening()
    line.say(rolled(ME, 3, 0))
    line.keep(60)
    assert line.sent == []  # rolled; it is the opponent's turn to roll, and no board is missing
    line.say(rolled(OPPONENT, 3, 1), my_turn((3, 1), [[8, 5], [6, 5]]))
    assert line.open_questions[-1].kind is Kind.MOVE


def test_quirk_09_the_board_may_exchange_the_opening_dice() -> None:
    line = opening()
    line.say(rolled(ME, 5, 0), rolled(OPPONENT, 5, 1), my_turn((1, 5), [[13, 8]]))
    assert line.seen(ev.OpeningRoll) == [ev.OpeningRoll(5, 1)]
    line = opening()
    line.say(rolled(ME, 1, 0), rolled(OPPONENT, 1, 5), board(turn=2, roll=(5, 1), available=[[1, 2]]))
    assert line.seen(ev.OpeningRoll) == [ev.OpeningRoll(1, 5)]


def test_quirk_10_a_winner_is_not_the_end_of_the_match() -> None:
    line = playing()
    last = spaces({}, {19: 15})
    line.say(my_turn((2, 1), None, spaces=last, Winner=1))
    assert line.client.in_match
    assert line.sent == []
    line.say(win(ME, 2), board(score=(2, 0)))
    assert line.sent == ["roll"]


def test_quirk_10_a_game_that_ended_without_a_word_is_looked_up() -> None:
    line = playing()
    line.say(my_turn((2, 1), None, spaces=spaces({}, {19: 15}), Winner=1))
    line.wait(11)
    assert line.take() == ["board"]
    line.say(board(score=(2, 0)))
    assert line.seen(ev.GameEnded) == [ev.GameEnded(True, 2)]
    assert line.sent == ["roll"]


def test_quirk_11_a_stale_offer_at_the_end_is_not_answered() -> None:
    line = playing()
    line.say(board(turn=2, DoubleOffered=True))
    line.answer(Kind.DOUBLE_OFFERED, by="reject")
    line.forget()
    end = board(turn=2, DoubleOffered=True, Winner=2, score=(0, 3), available=[[1, 2]], roll=(3, 1))
    line.say(win(OPPONENT, 3, ME), end, end)
    assert line.sent == []
    assert line.seen(ev.DecisionNeeded) == []


def test_quirk_12_the_doubler_rolls_after_a_take() -> None:
    line = playing()
    line.say(board(turn=1))
    line.answer(Kind.ROLL_OR_DOUBLE, by="double")
    assert line.take() == ["double"]
    line.say(board(turn=1, DoubleOffered=True))
    line.wait(5)
    assert line.sent == []
    line.say(board(turn=1, DoubleValue=2, DoublePlayer=2))
    assert line.sent == ["roll"]
    assert line.seen(ev.CubeTaken) == [ev.CubeTaken(False, 2)]


def test_quirk_13_a_double_is_answered_although_dice_are_shown() -> None:
    line = playing()
    line.say(board(turn=2), board(turn=2, DoubleOffered=True, roll=(6, 1), available=[[1, 7]]))
    line.answer(Kind.DOUBLE_OFFERED, by="accept")
    assert line.sent == ["ok"]


@pytest.mark.parametrize(
    ("own", "cost"),
    [
        ({24: 2, 13: 5, 8: 3, 6: 5}, 3),  # two checkers at home with the opponent
        ({13: 5, 8: 5, 6: 5}, 2),  # nothing borne off
        ({6: 5, 5: 5, 4: 4}, 1),
        ({26: 1, 6: 5, 5: 5}, 3),  # on the bar, although four are borne off
        ({19: 1, 6: 5}, 3),
        ({18: 1, 6: 5}, 1),
    ],
)
def test_quirk_14_giving_up_costs_what_the_position_costs(own: dict[int, int], cost: int) -> None:
    line = playing(points=15)
    line.say(board(turn=1, spaces=spaces(own, {12: 15}), points=15))
    question = line.open_questions[-1]
    assert question.resign_cost == resignation_cost(question.position.board) == cost
    line.client.resign(cost - 1 or 1)
    line.wait(0)
    assert line.sent == (["resign"] if cost == 1 else [])
    line.client.resign(cost)
    line.wait(0)
    assert line.sent == ["resign"]


def test_quirk_15_an_ok_that_waited_while_the_turn_passed_is_not_sent() -> None:
    line = playing(command_gap=1.0)
    line.say(my_turn((3, 1), [[8, 5], [6, 5]]))
    line.answer(Kind.MOVE, (8, 5), (6, 5))
    assert line.take() == ["move 8/5"]
    after = [*START]
    after[8], after[6], after[5] = 2, 4, 2
    line.say(my_turn((3, 1), None, moves=[[8, 5], [6, 5]], spaces=after))
    line.say(rolled(OPPONENT, 2, 1), board(turn=2, roll=(2, 1), spaces=after, available=[[1, 2]]))
    line.wait(5)
    assert line.sent == []


def test_quirk_16_a_forced_end_and_the_same_board_twice() -> None:
    line = playing(points=1)
    last = spaces({1: 1}, {19: 15})
    line.say(rolled(ME, 2, 1), my_turn((2, 1), [[1, 0]], spaces=last, points=1, Forced=True))
    end = board(turn=1, roll=(2, 1), spaces=spaces({}, {19: 15}), points=1, score=(1, 0), Winner=1)
    line.say(moved(ME, (1, 0)), win(ME, 0), end, end)
    assert line.seen(ev.CheckersMoved)[-1] == ev.CheckersMoved(True, ((1, 0),))
    assert len(line.seen(ev.GameEnded)) == len(line.seen(ev.MatchEnded)) == 1
    line.wait(6)
    assert line.sent == ["leave"]


def test_quirk_17_a_forced_move_the_server_does_not_play_is_played() -> None:
    line = playing()
    forced = my_turn((6, 6), [[24, 18]], Forced=True)
    line.say(forced)
    line.wait(5)
    assert line.sent == []
    line.wait(6)
    assert line.take() == ["board"]
    line.say(forced)
    line.answer(Kind.MOVE, (24, 18), (24, 18))
    assert line.take() == ["move 24/18"]


def test_quirk_18_autoplay_of_the_account_is_switched_off() -> None:
    line = Line()
    line.say(HELLO, WELCOME, event("settings", AutoPlay=True, Dim=1, Speed=3))
    assert line.sent[-1] == "set autoplay 0"
    line = Line()
    line.say(HELLO, WELCOME, event("settings", AutoPlay=False))
    assert len(line.sent) == 1


def test_quirk_19_a_dance_is_ended_with_ok() -> None:
    line = playing()
    line.say(my_turn((6, 4), [], spaces=CLOSED_OUT))
    assert line.sent == ["ok"]


def test_quirk_20_both_dice_are_played_even_with_the_last_checker() -> None:
    line = playing()
    last = spaces({4: 1}, {19: 15})
    line.say(my_turn((5, 2), [[4, 2]], spaces=last))
    line.answer(Kind.MOVE, (4, 0))  # as the rules of most places have it
    assert line.take() == ["move 4/2"]
    then = spaces({2: 1}, {19: 15})
    line.say(moved(ME, (4, 2)), my_turn((5, 2), [[2, 0]], spaces=then, moves=[[4, 2]]))
    assert line.sent == ["move 2/off"]


def test_quirk_21_the_points_come_from_the_score() -> None:
    line = playing(points=1)
    line.say(win(ME, 0), board(turn=1, Winner=1, score=(1, 0), points=1))
    assert line.seen(ev.GameEnded) == [ev.GameEnded(True, 1)]
    line = playing(points=9)
    line.say(win(OPPONENT, 2), board(score=(0, 6), points=9))
    assert line.seen(ev.GameEnded) == [ev.GameEnded(False, 6)]


def back_in(state: str) -> Line:
    line = Line()
    line.say(HELLO, WELCOME, LIST)
    line.take()
    line.say(joined(ME, 1), state, notice("Rejoined match: Test"))
    assert line.seen(ev.MatchResumed)
    return line


def test_quirk_22_what_waits_after_a_reconnection_is_on_the_board() -> None:
    line = back_in(board(turn=2, DoubleOffered=True, DoubleValue=2, DoublePlayer=2, points=9))
    question = line.open_questions[-1]
    assert question.kind is Kind.DOUBLE_OFFERED
    assert (question.position.cube_value, question.position.cube_owner) == (2, "player")
    after = [*START]
    after[17], after[20] = -2, -1
    line = back_in(board(turn=2, roll=(3, 1), moves=[[17, 20]], available=[[19, 20]], spaces=after))
    assert line.open_questions == []
    assert line.sent == []
    assert back_in(board(turn=1)).open_questions[-1].kind is Kind.ROLL_OR_DOUBLE
    assert back_in(board(score=(1, 0))).sent == ["roll"]


def test_quirk_23_a_rematch_is_another_match_and_is_not_asked_for() -> None:
    line = playing(points=1)
    line.say(win(ME, 0), board(turn=1, Winner=1, score=(1, 0), points=1))
    line.say(notice("Your opponent would like to play again."))
    line.forget()
    line.say(joined(ME, 1), joined(OPPONENT, 2), board(points=1))
    assert line.sent == ["roll"]
    line.say(rolled(ME, 3, 0), rolled(OPPONENT, 3, 1), my_turn((3, 1), [[8, 5], [6, 5]], points=1))
    assert line.seen(ev.MatchStarted) == [ev.MatchStarted(OPPONENT, 1)]
    assert "rematch" not in line.sent


def test_quirk_24_and_25_hosting_waits_for_a_rejoin_and_goes_on_without() -> None:
    line = Line()
    line.client.offer(MatchOffer(5))
    line.say(HELLO, WELCOME)
    line.take()
    line.wait(1.9)
    assert line.sent == []
    line.wait(0.2)
    assert line.sent == ["create public 5 0"]


def test_quirk_26_our_own_ghost_is_waited_for() -> None:
    line = Line()
    line.say(HELLO, notice("Connection terminated: That username is already in use."))
    (end,) = line.seen(ev.Disconnected)
    assert (end.retry, end.final) == (ev.Retry.BACK_OFF, False)


def test_quirk_27_history_and_replay_are_no_commands_of_ours() -> None:
    built = {name for name in vars(commands) if not name.startswith("_")}
    assert not built & {"history", "replay"}


def test_quirk_28_left_is_not_followed_by_a_board() -> None:
    line = hosting()
    line.say(joined(OPPONENT, 2), board())
    assert line.take() == ["roll"]
    line.say(event("left", OPPONENT))
    line.client.say("Hello?")
    line.keep(400)
    assert line.sent == []  # nobody to talk to, nobody to wait for
    line.say(joined("Guest_bob", 2), board(opponent="Guest_bob"))
    assert line.sent == ["roll"]
    assert [seated.opponent for seated in line.seen(ev.Seated)] == [OPPONENT, "Guest_bob"]


def test_quirk_28_a_spectator_who_leaves_is_not_the_opponent() -> None:
    line = playing()
    line.say(my_turn((3, 1), [[8, 5], [6, 5]]))
    line.say(event("left", "Guest_carol"))
    assert len(line.open_questions) == 1


def test_quirk_29_left_may_name_us() -> None:
    line = playing()
    line.say(notice("Left completed match."), event("left", ME))
    assert not line.client.seated
    assert len(line.seen(ev.MatchSuspended)) == 1
    line.wait(2)
    assert line.sent == ["create public 3 0 Test"]


def test_quirk_30_joined_comes_without_being_asked_for_and_for_others() -> None:
    line = playing()
    line.say(joined("Guest_carol", 1))  # somebody watches
    assert line.client.in_match
    line.say(joined(ME, 1), joined(ME, 1), joined(OPPONENT, 2), board())
    assert line.client.seated
    assert line.sent == ["roll"]


def test_quirk_31_a_failed_create_counts_once() -> None:
    line = logged_in()
    line.client.offer(MatchOffer(3))
    line.wait(0)
    line.say(event("failedcreate", Reason="To create a public match please specify"))
    line.say(notice("Failed to create match: To create a public match please specify"))
    assert len(line.seen(ev.TableRefused)) == 1
    line.wait(20)
    assert line.sent == ["create public 3 0"] * 2


def test_quirk_32_our_name_is_what_the_welcome_says() -> None:
    line = Line(name="BOT_MyBot")
    line.say(HELLO, event("welcome", PlayerName="BOT_mybot", Clients=1, Games=0))
    assert line.client.name == "BOT_mybot"
    line.say(joined("BOT_mybot", 1))
    assert line.client.seated


def test_quirk_32_a_name_for_people_is_given_back() -> None:
    line = Line()
    line.say(HELLO, event("welcome", PlayerName="Guest_bot_acme", Clients=1, Games=0))
    assert line.seen(ev.LoginRefused)
    assert line.client.phase is Phase.CLOSED


def test_quirk_33_blanks_in_a_password_are_underscores() -> None:
    assert MatchOffer(3, "x", "open sesame").command() == "create private open_sesame 3 0 x"
    assert commands.login("botd-1", "BOT_a", "my pass word") == "lj botd-1/en BOT_a my_pass_word"


def test_quirk_34_and_35_lists_of_matches_and_their_names_mean_nothing() -> None:
    line = logged_in()
    games = [{"ID": 7, "Password": False, "Points": 3, "Players": 2, "Rating": 0, "Name": "(Tabula) x"}]
    line.say(event("list", Games=games), event("list", Games="x"))
    assert line.events == []
    line.say(joined(ME, 1), notice("Created match: (Acey-deucey) x"), board(opponent=""))
    assert line.client.seated
    assert line.sent == []


def test_quirk_36_notices_are_shown_as_their_writer_meant_them_but_safely() -> None:
    line = logged_in()
    line.say(notice("Tom &amp; Jerry &lt;3 \u001b[31m"))
    assert [told.text for told in line.seen(ev.ServerError)] == ["Tom & Jerry <3 \\x1b[31m"]


def test_quirk_37_events_of_others_between_command_and_answer_change_nothing() -> None:
    line = playing()
    due = my_turn((3, 1), [[8, 5], [6, 5]])
    line.say(due)
    line.answer(Kind.MOVE, (8, 5), (6, 5))
    line.say(
        event("say", OPPONENT, Message="hm"), joined("Guest_carol", 1), event("left", "Guest_carol"), LIST
    )
    line.wait(3)
    assert line.sent == ["move 8/5"]


@pytest.mark.parametrize("text", ["Server error", "", "Something new"])
def test_quirk_38_and_39_an_end_without_a_verdict_is_tried_again(text: str) -> None:
    line = playing()
    if text:
        line.say(notice(f"Connection terminated: {text}"))
    line.eof()
    (end,) = line.seen(ev.Disconnected)
    assert end.retry is ev.Retry.BACK_OFF


def test_quirk_40_commands_are_written_out() -> None:
    line = playing()
    line.say(board(turn=1))
    line.answer(Kind.ROLL_OR_DOUBLE, by="roll")
    assert line.sent == ["roll"]  # `r` would do, but is easily taken for `reset`
