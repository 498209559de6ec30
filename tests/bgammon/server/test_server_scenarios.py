"""The server's part in the scenarios of section 15, by their numbers."""

from __future__ import annotations

import json

import pytest

from botd_protocols.bgammon.server_quirks import ServerQuirks
from botd_protocols.faults import FaultSchedule, FaultyStream

from .harness import (
    NOW,
    check_board,
    last_board,
    notices,
    only,
    put,
    started,
    table,
    types,
    view,
    world,
)


def test_01_02_greeting_on_tcp_only_and_then_silence() -> None:
    w = world()
    line, framed = w.connect(), w.connect(framed=True)
    assert w.raw(line).startswith(b"hello ")
    assert w.raw(framed) == b""
    w.pass_time(5)
    assert w.raw(line) == w.raw(framed) == b""


def test_03_names_are_folded() -> None:
    w = world()
    me = w.connect()
    w.raw(me)
    w.send(me, "lj botd-1.0/en BOT_Acme")
    assert w.read(me)[0]["PlayerName"] == "BOT_acme"


def test_04_empty_list_is_null() -> None:
    w = world()
    me = w.connect()
    w.raw(me)
    w.send(me, "lj botd-1.0/en BOT_acme")
    events = w.read(me)
    assert types(events) == ["welcome", "list", "notice"]
    assert events[1]["Games"] is None


def test_05_rejoined_within_the_log_in() -> None:
    w, me, alice = started()
    w.drop(me)
    assert types(w.read(alice)) == ["left"]
    me = w.connect()
    w.raw(me)
    w.send(me, "lj botd-1.0/en BOT_acme")
    events = w.read(me)
    assert types(events) == ["welcome", "list", "notice", "joined", "board", "notice"]
    assert events[3] == {"Type": "joined", "Player": "BOT_acme", "GameID": 1, "PlayerNumber": 1}
    assert notices(events)[-1] == "Rejoined match: Quick game"
    events = w.read(alice)
    assert types(events) == ["joined", "board"]
    assert (events[0]["Player"], events[0]["PlayerNumber"]) == ("BOT_acme", 2)


def test_06_a_create_before_a_late_rejoin_is_refused() -> None:
    w, me, _ = started(quirks=ServerQuirks(rejoin_delay_s=1.0), strict=True)
    w.drop(me)
    me = w.log_in("BOT_acme")
    events = w.ask(me, "create public 3 0")
    assert types(events) == ["failedcreate", "notice"]
    reason = "Please leave the match you are in before creating another."
    assert events[0]["Reason"] == reason
    assert notices(events) == [f"Failed to create match: {reason}"]
    w.pass_time(1.0)
    assert types(w.read(me)) == ["joined", "board", "notice"]
    assert len(w.server.matches) == 1


def test_07_a_ghost_holds_the_name_until_the_server_notices() -> None:
    w, me, _ = started()
    second = w.connect()
    w.raw(second)
    w.send(second, "lj botd-1.0/en BOT_acme")
    assert notices(w.read(second)) == ["Connection terminated: That username is already in use."]
    assert second not in w.closed
    w.send(second, "list")
    w.pass_time(1.0)
    assert second in w.closed
    assert w.raw(second) == b"", "what came in the last second was ignored"
    for _ in range(4):
        w.pass_time(10)
    assert me in w.closed
    third = w.connect()
    w.send(third, "lj botd-1.0/en BOT_acme")
    assert b"welcome" in w.raw(third)


@pytest.mark.parametrize(
    ("login", "text"),
    [
        ("bob wrong", "No account was found with the provided username and password. "),
        ("eve secret", "You are banned: spam"),
        ("mallory", "You are banned"),
        ("tom secret", "Failed to log in: account disabled"),
        ("a-b", "Invalid username: must contain only letters, numbers and underscores."),
        ("123", "Invalid username: must contain at least one non-numeric character."),
        ("a" * 19, "Invalid username: must be 18 characters or less."),
        ("guest7", "That username is already in use."),
    ],
)
def test_08_09_refusals_at_log_in(login: str, text: str) -> None:
    accounts = {"bob": "secret", "eve": "secret", "tom": "secret"}
    w = world(
        accounts=accounts,
        banned={"eve": "spam", "guest_mallory": ""},
        disabled=frozenset({"tom"}),
    )
    conn = w.connect()
    w.raw(conn)
    w.send(conn, f"lj botd-1.0/en {login}")
    (message,) = notices(w.read(conn))
    assert message.startswith(f"Connection terminated: {text}")
    w.pass_time(1)
    assert conn in w.closed


def test_10_no_board_after_the_first_opening_roll() -> None:
    w, me, alice = table(3, [(2, 4)])
    w.raw(me), w.raw(alice)
    w.send(alice, "roll")
    (rolled,) = w.read(me)
    assert (rolled["Player"], rolled["Roll1"], rolled["Roll2"]) == ("Guest_alice", 0, 4)
    (rolled,) = w.read(alice)
    assert (rolled["Roll1"], rolled["Roll2"]) == (4, 0), "each sees the own die first"
    board = last_board(w.ask(me, "board"))
    assert (board["Turn"], board["Roll1"], board["Roll2"]) == (0, 0, 4)
    assert types(w.ask(me, "roll")) == ["rolled", "board"]


def test_11_ties_are_rolled_again_by_the_server() -> None:
    w, me, alice = table(3, [(3, 3), (6, 6), (2, 5)], first=False)
    w.raw(me), w.raw(alice)
    w.send(me, "roll")
    w.send(alice, "roll")
    events = w.read(me)
    assert types(events) == ["rolled"] * 6 + ["board"]
    # The creator sits at seat 2 here; seat 1 is named first in every re-roll.
    dice = [(e["Player"], e["Roll1"], e["Roll2"]) for e in events[:-1]]
    assert dice == [
        ("BOT_acme", 3, 0), ("Guest_alice", 3, 3),
        ("Guest_alice", 0, 6), ("BOT_acme", 6, 6),
        ("Guest_alice", 0, 2), ("BOT_acme", 5, 2),
    ]  # fmt: skip
    assert (events[-1]["Turn"], {events[-1]["Roll1"], events[-1]["Roll2"]}) == (1, {2, 5})


@pytest.mark.parametrize("seat_order", [True, False])
def test_12_the_board_after_the_opening_keeps_seat_order(seat_order: bool) -> None:
    quirks = ServerQuirks(seat_order_dice=seat_order)
    w, me, alice = table(3, [(1, 5)], first=False, quirks=quirks)
    w.send(alice, "roll")
    w.send(me, "roll")
    events = w.read(me)
    assert (only(events, "rolled")[-1]["Roll1"], only(events, "rolled")[-1]["Roll2"]) == (5, 1)
    board = last_board(events)
    assert (board["Roll1"], board["Roll2"]) == ((1, 5) if seat_order else (5, 1))
    board = last_board(w.read(alice))
    assert (board["Roll1"], board["Roll2"]) == (1, 5)


def test_13_14_roll_is_automatic_only_where_nobody_can_double() -> None:
    for length, due in ((1, ["rolled", "board"]), (3, ["board"])):
        w, me, alice = started(length, [(3, 1), (6, 4)])
        w.send(me, "move 8/5", "move 6/5")
        w.raw(alice)
        w.send(me, "ok")
        events = w.read(alice)
        assert types(events) == due
        assert (last_board(events)["Turn"], last_board(events)["Roll1"] == 0) == (1, length == 3)


def test_15_dependent_steps_in_one_command_are_refused() -> None:
    w, me, _ = started(3, [(5, 1)])
    events = w.ask(me, "move 24/23 23/18")
    assert events == [{"Type": "failedmove", "Player": "", "From": 0, "To": 0, "Reason": "Illegal move."}]
    assert types(w.ask(me, "move 24/23")) == ["moved", "board"]
    assert types(w.ask(me, "move 23/18")) == ["moved", "board"]
    assert types(w.ask(me, "ok")) == ["board"]


def test_15_a_long_move_is_taken_apart_and_a_hit_preferred() -> None:
    w, me, _ = started(3, [(2, 1)])
    events = w.ask(me, "move 13/10")
    assert events[0]["Moves"] == [[13, 12], [12, 10]] or events[0]["Moves"] == [[13, 11], [11, 10]]
    w, me, _ = started(3, [(2, 1)])
    put(w, view({13: 3, 6: 5, 8: 2, 24: 2, 3: 3}, {12: 1, 1: 2, 20: 12}))
    assert w.ask(me, "move 13/10")[0]["Moves"] == [[13, 12], [12, 10]]
    w, me, _ = started(3, [(2, 1)])
    put(w, view({13: 3, 6: 5, 8: 2, 24: 2, 3: 3}, {11: 1, 1: 2, 20: 12}))
    assert w.ask(me, "move 13/10")[0]["Moves"] == [[13, 11], [11, 10]]


def test_16_doubles_in_four_steps() -> None:
    w, me, alice = started(1, [(1, 2), (4, 4)])
    w.send(alice, "move 24/23", "move 13/11", "ok")
    for step in ("24/20", "24/20", "20/16", "20/16"):
        assert types(w.ask(me, f"move {step}"))[0] == "moved"
    assert not last_board(w.ask(me, "board"))["Available"]


def test_17_bar_first() -> None:
    w, me, _ = started(3, [(3, 1)])
    put(w, view({26: 1, 13: 4, 6: 10}, {1: 2, 12: 5, 17: 3, 19: 5}))
    assert last_board(w.ask(me, "board"))["Available"] == [[26, 24], [26, 22]]
    assert types(w.ask(me, "move bar/22 13/12")) == ["failedmove"]
    assert types(w.ask(me, "move 26/22")) == ["moved", "board"]
    assert last_board(w.ask(me, "move 6/5"))["Moves"] == [[26, 22], [6, 5]]


def test_18_a_dance_waits_for_ok() -> None:
    w, me, _ = started(3, [(3, 1)])
    put(w, view({26: 1, 6: 14}, {22: 2, 24: 2, 19: 11}))
    w.send(me, "set autoplay 1")
    board = last_board(w.ask(me, "board"))
    assert (board["Turn"], board["Roll1"], board["Available"] or []) == (1, 3, [])
    assert types(w.ask(me, "ok")) == ["board"]


def test_19_only_one_die_playable() -> None:
    w, me, _ = started(3, [(3, 1)])
    put(w, view({26: 2, 6: 13}, {24: 2, 19: 13}))
    assert last_board(w.ask(me, "board"))["Available"] == [[26, 22]]
    assert not last_board(w.ask(me, "move bar/22"))["Available"]


@pytest.mark.parametrize("lying", [True, False])
def test_20_moved_lists_a_step_that_was_dropped(lying: bool) -> None:
    w, me, _ = started(3, [(5, 1)], quirks=ServerQuirks(lying_moved=lying), strict=True)
    events = w.ask(me, "move 8/7 8/7")
    if not lying:
        assert types(events) == ["failedmove"]
        assert last_board(w.ask(me, "board"))["Moves"] in ([], None)
        return
    assert events[0]["Moves"] == [[8, 7], [8, 7]]
    assert events[1]["Moves"] == [[8, 7]]
    assert events[1]["Board"][8] == 2
    assert [v.kind for v in w.server.violations] == ["conduct"]


def test_21_22_failed_move_and_failed_ok() -> None:
    w, me, _ = started(3, [(5, 1)])
    assert w.ask(me, "move 13/9")[0]["Reason"] == "Illegal move."
    (event,) = w.ask(me, "ok")
    assert event["Type"] == "failedok"
    assert event["Reason"].startswith("The following legal moves are available: 24/23, 13/8")


@pytest.mark.parametrize("scoring", ["position", "cube"])
def test_23_price_of_a_drop(scoring: str) -> None:
    quirks = ServerQuirks(drop_scoring=scoring)  # type: ignore[arg-type]
    for board, points in (
        (view({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}), 3),
        (view({18: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}), 2),
        (view({18: 2, 13: 5, 8: 2, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}), 1),
        (view({26: 1, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}), 3),
        (view({19: 1, 6: 5}, {1: 2, 12: 5}), 3),
    ):
        w, me, alice = started(9, [(1, 3)], quirks=quirks)
        put(w, board, dice=(0, 0), left=(), made=[], cube=2, cube_owner=2)
        w.send(alice, "double")
        events = w.ask(me, "resign")
        assert only(events, "win")[0]["Points"] == (2 if scoring == "cube" else points * 2)


def test_24_the_doubler_may_roll_before_the_answer() -> None:
    w, me, alice = started(3, [(1, 3), (6, 1)])
    put(w, list(w.server.matches[0].view(1)), dice=(0, 0), left=(), made=[])
    w.send(alice, "double", "roll")
    board = last_board(w.read(me))
    assert (board["DoubleOffered"], board["Turn"], board["Roll1"], board["Roll2"]) == (True, 2, 6, 1)
    assert notices(w.ask(alice, "ok")) == ["Waiting for response from opponent."]
    w.raw(me)
    board = last_board(w.ask(me, "ok"))
    assert (board["DoubleOffered"], board["DoubleValue"], board["Roll1"]) == (False, 2, 6)


@pytest.mark.parametrize("stale", [True, False])
def test_25_offer_and_dice_stay_on_the_final_board(stale: bool) -> None:
    w, me, alice = started(3, [(1, 3), (6, 1)], quirks=ServerQuirks(stale_offer_at_end=stale))
    put(w, list(w.server.matches[0].view(1)), dice=(0, 0), left=(), made=[])
    w.send(alice, "double", "roll")
    events = w.ask(me, "resign")
    assert types(events) == ["notice", "win", "board"]
    board = events[-1]
    assert (board["Winner"], board["DoubleOffered"], board["Player2"]["Points"]) == (2, stale, 3)
    assert board["Available"]
    assert board["Ended"] == int(NOW)


def test_26_a_game_ends_within_the_match() -> None:
    w, me, alice = started(3, [(5, 1)])
    put(w, view({1: 1}, {24: 15}))
    w.send(me, "move 1/off")
    for conn, winner in ((me, 1), (alice, 2)):
        events = [e for e in w.read(conn) if e["Type"] != "notice"]
        assert types(events) == ["moved", "board", "win", "board"]
        assert (events[1]["Winner"], events[1]["Player1"]["Points"]) == (winner, 0)
        assert (events[2]["Player"], events[2]["Points"]) == ("BOT_acme", 2)
        last = events[3]
        assert (last["Winner"], last["Turn"], last["Roll1"], last["Roll2"]) == (0, 0, 0, 0)
        assert last[f"Player{winner}"]["Points"] == 2
        assert last["Crawford"] == 1


def test_27_crawford() -> None:
    w, me, alice = started(3, [(1, 5), (5, 1), (6, 2), (3, 1), (4, 2)])
    put(w, view({24: 15}, {24: 1}))
    w.send(alice, "move 1/off")
    assert last_board(w.read(me))["Crawford"] == 1
    w.send(me, "roll")
    w.send(alice, "roll")
    w.raw(alice)
    w.send(me, "move 13/8", "move 6/5")
    assert types(w.ask(me, "ok")) == ["rolled", "board"], "nobody may double, so the server rolls"
    put(w, view({1: 1}, {24: 14}), turn=1, dice=(2, 1), left=(2, 1), made=[])
    w.send(me, "move 1/off")
    board = last_board(w.read(me))
    assert (board["Crawford"], board["Player1"]["Points"]) == (2, 1)
    w.send(me, "roll")
    w.send(alice, "roll")
    w.send(me, "move 8/5", "move 6/5", "ok")
    assert "board" in types(w.ask(alice, "double"))


def test_27_two_points_at_one_nil_is_a_crawford_game() -> None:
    w, me, _ = started(2, [(5, 1)])
    put(w, view({1: 1}, {24: 14}))
    board = last_board(w.ask(me, "move 1/off"))
    assert (board["Player1"]["Points"], board["Crawford"]) == (1, 1)


def test_28_match_end_rematch_and_leave() -> None:
    w, me, alice = started(1, [(5, 1)])
    assert notices(w.ask(me, "rematch")) == ["The match you are in is still in progress."]
    put(w, view({1: 1}, {24: 15}))
    w.send(me, "move 1/off")
    assert [w.ask(me, command) for command in ("roll", "ok", "double", "resign", "reset")] == [[]] * 5
    assert types(w.ask(me, "move 6/5")) == ["board"]
    w.raw(alice)
    w.send(me, "rematch")
    assert notices(w.ask(me, "rematch")) == ["You have already requested a rematch."]
    assert notices(w.read(alice))[0].startswith("Your opponent would like to play again.")
    events = w.ask(alice, "rematch")
    assert [(e["Player"], e["PlayerNumber"], e["GameID"]) for e in events[:2]] == [
        ("Guest_alice", 1, 1), ("BOT_acme", 2, 1),
    ]  # fmt: skip
    board = events[2]
    assert (board["Turn"], board["Winner"], board["Player1"]["Points"], board["Started"]) == (0, 0, 0, 0)


@pytest.mark.parametrize("seat", [1, 2])
def test_29_a_forced_turn_is_played_by_the_server(seat: int) -> None:
    # The one with autoplay wins nothing at the opening; his first roll leaves no choice.
    opening = (1, 6) if seat == 1 else (6, 1)
    w, me, alice = table(1, [opening, (3, 2), (5, 4)], first=seat == 1)
    w.send(me, "set autoplay 1", "roll")
    w.send(alice, "roll")
    put(w, view({26: 2, 6: 13}, {21: 2, 20: 2, 19: 11}), seat, left=())
    w.raw(me), w.raw(alice)
    w.send(alice, "ok")
    events = w.read(me)
    assert types(events) == ["rolled", "board", "moved", "moved", "rolled", "board"]
    assert (events[1]["Forced"], events[1]["Turn"]) == (True, 1)
    assert events[1]["Available"] == [[26, 23], [26, 22]]
    assert [event["Moves"] for event in events[2:4]] == [[[26, 23]], [[26, 22]]]
    assert (events[4]["Player"], events[5]["Turn"], events[5]["Forced"]) == ("Guest_alice", 2, False)
    events = w.read(alice)
    assert [event["Moves"] for event in events[2:4]] == [[[27, 2]], [[27, 3]]]


def test_30_a_game_ended_by_an_automatic_play_repeats_its_board() -> None:
    for repeats in (True, False):
        quirks = ServerQuirks(autoplay_repeats_board=repeats)
        w, me, alice = started(1, [(6, 1), (1, 1)], quirks=quirks)
        w.send(alice, "set autoplay 1")
        put(w, view({6: 15}, {24: 2}), left=())
        w.raw(alice)
        w.send(me, "ok")
        events = w.read(alice)
        assert types(events)[:6] == ["rolled", "board", "moved", "moved", "win", "board"]
        assert events[6:] == ([events[5]] if repeats else [])


def test_31_the_opponent_goes_and_comes_back() -> None:
    w, me, alice = started(3, [(3, 1)])
    w.drop(alice)
    assert types(w.read(me)) == ["left"], "no board follows"
    for command, kind, text in (
        ("move 8/5", "failedmove", "You may not move until your opponent rejoins the match."),
        ("roll", "failedroll", "You may not roll until your opponent rejoins the match."),
        ("ok", "notice", "You must wait until your opponent rejoins the match before continuing the game."),
        ("double", "notice", "You may not double until your opponent rejoins the match."),
        ("resign", "notice", "You may not resign until your opponent rejoins the match."),
        ("say hi", "notice", "Message not sent: There is no one else in the match."),
    ):
        (event,) = w.ask(me, command)
        assert (event["Type"], event.get("Reason") or event["Message"]) == (kind, text)
    assert last_board(w.ask(me, "board"))["Player2"]["Name"] == ""
    w.raw(me)
    w.log_in("alice")
    events = w.read(me)
    assert types(events) == ["joined", "board"]
    assert events[1]["Player2"]["Name"] == "Guest_alice"
    assert types(w.ask(me, "move 8/5")) == ["moved", "board"]


def test_31_an_opponent_who_stays_away_ends_the_match_after_15_minutes() -> None:
    w, me, alice = started(3, [(3, 1)])
    w.drop(alice)
    w.wait(880, me)
    assert w.server.match_of("BOT_acme") is not None
    w.raw(me)
    w.wait(90, me)
    events = [e for e in w.read(me) if e["Type"] != "ping"]
    assert types(events) == ["notice", "left"]
    assert notices(events) == ["Left completed match."]
    assert w.server.matches == ()
    assert [(r.winner, r.loser) for r in w.server.results] == [("BOT_acme", "Guest_alice")]


def test_32_pending_moves_and_an_open_double_survive_a_loss() -> None:
    w, me, alice = started(3, [(5, 1)])
    w.send(me, "move 13/8")
    w.drop(me)
    me = w.connect()
    w.send(me, "lj botd-1.0/en BOT_acme")
    board = last_board([json.loads(line) for line in w.lines(me)[1:]])
    assert (board["Moves"], board["Available"][0]) == ([[13, 8]], [24, 23])
    w.send(me, "move 24/23", "ok")
    w.send(alice, "double")
    w.drop(me)
    me = w.connect()
    w.send(me, "lj botd-1.0/en BOT_acme")
    board = last_board([json.loads(line) for line in w.lines(me)[1:]])
    assert (board["DoubleOffered"], board["Turn"]) == (True, 2)
    assert notices(w.ask(me, "ok")) == ["Accepted double."]


@pytest.mark.parametrize("kept", [False, True])
def test_33_when_both_are_gone_the_match_is_gone(kept: bool) -> None:
    w, me, alice = started(keep_matches=kept)
    w.drop(me)
    w.drop(alice)
    me = w.connect()
    w.send(me, "lj botd-1.0/en BOT_acme")
    assert (b'"joined"' in w.raw(me)) is kept
    w.wait(61, me)
    assert len(w.server.matches) == (1 if kept else 0)


def test_33_a_kept_match_outlasts_sweeping_and_a_match_left_on_purpose_does_not() -> None:
    w, me, alice = started(keep_matches=True)
    w.drop(me)
    w.drop(alice)
    w.wait(600)
    alice = w.log_in("alice")
    assert w.server.match_of("Guest_alice") is not None
    w.send(alice, "leave")
    w.wait(61, alice)
    assert w.server.matches == ()


def test_34_35_pings_and_silence() -> None:
    w, me, alice = started(strict=True)
    w.pass_time(30)
    assert w.read(me) == [{"Type": "ping", "Player": "", "Message": str(int(NOW) + 30)}]
    w.send(me, f"pong {int(NOW) + 30}")
    w.pass_time(9)
    w.pass_time(1)
    assert alice in w.closed
    assert me not in w.closed
    assert only(w.read(me), "left")[0]["Player"] == "Guest_alice"
    assert [(v.name, v.reason) for v in w.server.violations] == [("Guest_alice", "silent for too long")]


def test_36_shutdown_is_announced_and_ends_everything() -> None:
    w, me, _ = started()
    other = w.log_in("BOT_other")
    w.server.announce_shutdown(2, "new <version>", w.now)
    w.collect()
    told = notices(w.read(me))
    assert told[0] == "SERVER BROADCAST: The server is shutting down in 2 minutes. Reason:"
    assert told[1] == "SERVER BROADCAST: new &lt;version&gt;"
    events = w.ask(other, "create public 1 0")
    assert events[0]["Type"] == "failedcreate"
    assert events[0]["Reason"].startswith("The server is shutting down. Reason: ")
    w.wait(61, me)
    assert "SERVER BROADCAST: The server is shutting down in 1 minute. Reason:" in notices(w.read(me))
    w.wait(61, me)
    assert me in w.closed
    assert w.server.matches == ()


@pytest.mark.parametrize(("variant", "prefix"), [(1, "(Acey-deucey) "), (2, "(Tabula) ")])
def test_37_other_variants(variant: int, prefix: str) -> None:
    w = world()
    alice = w.log_in("alice")
    w.send(alice, f"create public 3 {variant} odd")
    board = last_board(w.read(alice))
    check_board(board)
    assert board["Variant"] == variant
    assert board["Player1"]["Entered"] is (variant != 1)
    assert w.ask(alice, "list")[0]["Games"][0]["Name"] == f"{prefix}odd"
    assert types(w.ask(alice, "leave")) == ["left"]


def test_38_a_third_one_watches() -> None:
    w, me, _ = started(3, [(1, 3)], first=False)
    eve = w.log_in("eve")
    events = w.ask(eve, "join 1")
    assert types(events) == ["joined", "board", "notice"]
    assert (events[0]["Player"], events[0]["PlayerNumber"]) == ("Guest_eve", 1)
    assert (events[1]["Spectating"], events[1]["Player1"]["Name"]) == (True, "Guest_alice")
    assert w.read(me) == []
    for command in ("roll", "move 8/5", "ok", "double", "resign", "rematch", "reset", "say hi"):
        assert notices(w.ask(eve, command)) == ["Command ignored: You are spectating this match."]
    w.raw(eve)
    w.send(me, "move 8/5")
    assert only(w.read(eve), "moved")[0]["Moves"] == [[17, 20]], "seat 1's side of it"
    assert types(w.ask(eve, "leave")) == ["left"]


def test_39_40_anything_can_be_injected() -> None:
    w, me, _ = started()
    for data in (b"{\n", b'{"Type":5}\n', b"[" * 10_000 + b"\n", b"\xff\xfe\n", b'{"Type":"x"}'):
        w.server.inject("bot_ACME", data, w.now)
        w.collect()
        assert w.raw(me) == data
    put(w, [16, *([0] * 24), -15, 0, 0])
    w.server.show_boards(w.server.matches[0], w.now)
    w.collect()
    assert last_board(w.read(me))["Board"][0] == 16


def test_41_chat_is_passed_on_whole() -> None:
    w, me, alice = started(strict=True)
    text = "x" * 30_000 + " <b>"
    assert w.ask(alice, f"say {text}") == []
    assert w.read(me) == [{"Type": "say", "Player": "Guest_alice", "Message": text}]
    w.send(alice, "say again")
    assert [v.reason for v in w.server.violations] == [
        "chat of 30004 characters", "chat within 5 s of the last",
    ]  # fmt: skip
    assert b"\\u003cb\\u003e" not in w.raw(alice)


def test_42_commands_split_at_every_byte() -> None:
    w, me, _ = started(3, [(3, 1)])
    stream = FaultyStream(FaultSchedule())
    for byte in b"move 8/5\r\n\n \r\nMOVE 6/5\nboard\nok":
        stream.push(bytes([byte]), w.now)
    for piece in stream.take(w.now):
        w.server.receive(me, piece, w.now)
        w.collect()
    assert types(w.read(me)) == ["moved", "board", "moved", "board", "board"]
    w.send(me, "")
    assert types(w.read(me)) == ["board"], "the last line ends now"


def test_markup_is_escaped_in_events_and_once_more_in_notices() -> None:
    w, me, alice = started()
    w.send(alice, "say <i>&\u2028é")
    assert w.raw(me).endswith('"Message":"\\u003ci\\u003e\\u0026\\u2028é"}\n'.encode())
    bob = w.log_in("bob")
    w.send(bob, "create public 1 0 <i>é")
    raw = w.raw(bob)
    assert '"Message":"Created match: \\u0026lt;i\\u0026gt;é"'.encode() in raw
    assert b"<" not in raw
    assert w.ask(bob, "list")[0]["Games"][-1]["Name"] == "<i>é"
