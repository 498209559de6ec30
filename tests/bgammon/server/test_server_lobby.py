"""Logging in, names, matches as places, and the commands around them (sections 3, 4 and 9)."""

from __future__ import annotations

import base64

import pytest

from botd_protocols.bgammon.server_quirks import ServerQuirks
from botd_protocols.server_dice import ScriptedDice

from .harness import last_board, notices, only, put, started, table, types, view, world


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("bob", "Guest_bob"), ("Guest_Zed", "Guest_zed"), ("BOT_MyBot", "BOT_mybot"), ("B_1", "Guest_b_1"),
        ("bot_mybot pw", "BOT_mybot"), ("Bob pw", "bob"), ("guest_" + "z" * 18, "Guest_" + "z" * 18),
    ],
)  # fmt: skip
def test_names(sent: str, shown: str) -> None:
    w = world(open_accounts=True)
    conn = w.connect()
    w.raw(conn)
    w.send(conn, f"LoginJson c/en {sent}")
    events = w.read(conn)
    assert events[0]["PlayerName"] == shown
    assert types(events)[1] == ("settings" if " " in sent else "list")


def test_guests_without_a_name_get_numbers() -> None:
    w = world()
    names = set()
    for _ in range(20):
        conn = w.connect()
        w.raw(conn)
        w.send(conn, "lj c/en")
        names.add(w.read(conn)[0]["PlayerName"])
    assert len(names) == 20
    assert all(name.startswith("Guest_") and 100 <= int(name[6:]) <= 999 for name in names)


def test_names_that_are_taken() -> None:
    w = world(accounts={"bob": "pw"})
    w.log_in("bob")
    for again in ("BOB", "Guest_Bob", "bob pw"):
        conn = w.connect()
        w.raw(conn)
        w.send(conn, f"lj c/en {again}")
        assert notices(w.read(conn)) == ["Connection terminated: That username is already in use."]


def test_spaces_in_passwords_are_underscores() -> None:
    w = world(accounts={"bob": "two words"})
    for typed in ("bob two words", "bob two_words"):
        conn = w.connect()
        w.raw(conn)
        w.send(conn, f"lj c/en {typed}")
        assert types(w.read(conn))[0] == "welcome"
        w.drop(conn)


def test_settings_event_and_set() -> None:
    w = world(accounts={"bob": "pw"})
    conn = w.connect()
    w.raw(conn)
    w.send(conn, "lj c/en bob pw")
    (event,) = only(w.read(conn), "settings")
    assert list(event) == [
        "Type", "Player", "AutoPlay", "Highlight", "Pips", "Moves", "Flip", "Traditional", "Advanced",
        "MuteJoinLeave", "MuteChat", "MuteRoll", "MuteMove", "MuteBearOff", "Dim", "Speed",
    ]  # fmt: skip
    assert event["AutoPlay"] is False
    assert isinstance(event["Speed"], int)
    assert w.ask(conn, "set autoplay 1") == w.ask(conn, "set SPEED 3") == []
    for bad in (
        "set",
        "set autoplay",
        "set autoplay 2",
        "set speed 4",
        "set colour 1",
        "set dim -1",
        "set dim ²",
    ):
        assert types(w.ask(conn, bad)) == ["notice"]
    w.drop(conn)
    conn = w.connect()
    w.raw(conn)
    w.send(conn, "lj c/en bob pw")
    (event,) = only(w.read(conn), "settings")
    assert (event["AutoPlay"], event["Speed"]) == (True, 3), "the account keeps them"


def test_text_mode_ignores_the_password_and_json_can_be_switched() -> None:
    w = world(accounts={"bob": "pw"})
    conn = w.connect()
    w.raw(conn)
    w.send(conn, "login bob wrong")
    lines = w.lines(conn)
    assert lines[0].startswith("welcome Guest_bob")
    assert not any(line.startswith("{") for line in lines)
    w.send(conn, "create public 1 0")
    assert any("+13-14-15" in line for line in w.lines(conn))
    w.send(conn, "json on")
    assert types(w.read(conn)) == ["notice"]
    assert types(w.ask(conn, "board")) == ["board"]
    w.send(conn, "json off", "board")
    assert b"+13-14-15" in w.raw(conn)
    w.send(conn, "json on")
    assert w.lines(conn)[0].startswith("{")
    assert types(w.ask(conn, "json maybe")) == ["notice"]


def test_bare_log_in_is_answered_not_fatal() -> None:
    w = world(strict=True)
    for bare in ("lj", "loginjson", "login"):
        conn = w.connect()
        w.raw(conn)
        w.send(conn, bare)
        assert b"Connection terminated: Server error" in w.raw(conn)
    assert [v.kind for v in w.server.violations] == ["format"] * 3


def test_registration() -> None:
    w = world()

    def register(line: str, host: str) -> list[str]:
        conn = w.connect(host)
        w.raw(conn)
        w.send(conn, line)
        events = w.read(conn)
        return [events[0].get("PlayerName") or events[0]["Message"]]

    assert register("rj c/en bob@example.org bob s3 cret", "192.0.2.1") == ["bob"]
    failed = "Connection terminated: Failed to register: "
    assert register("rj c/en a@example.org ann pw", "192.0.2.1")[0].startswith(failed)
    assert register("rj c/en bob@example.org ann pw", "192.0.2.2")[0].startswith(failed)
    assert register("rj c/en a@example.org bob pw", "192.0.2.2")[0].startswith(failed)
    assert register("rj c/en nowhere ann pw", "192.0.2.2")[0].startswith(failed)
    assert register("rj c/en a@example.org guest_x pw", "192.0.2.2")[0].startswith(failed)
    assert register("rj c/en a@example.org", "192.0.2.2") == [
        "Connection terminated: Please enter an email, username and password."
    ]
    assert register("rj c/en a@example.org ann pw", "192.0.2.2") == ["ann"]


def test_reset_password_ends_the_connection() -> None:
    w = world()
    conn = w.connect()
    w.raw(conn)
    w.send(conn, "resetpassword bob@example.org")
    assert b"Connection terminated: resetpasswordok" in w.raw(conn)
    w.pass_time(1)
    assert conn in w.closed


@pytest.mark.parametrize("backwards", [False, True])
def test_commands_before_the_log_in_are_held_back(backwards: bool) -> None:
    w = world(quirks=ServerQuirks(held_reversed=backwards), strict=True)
    conn = w.connect()
    w.raw(conn)
    w.send(conn, "create public 3 0 a", "leave")
    w.pass_time(2)
    assert w.raw(conn) == b""
    w.send(conn, "lj c/en bob")
    assert types(w.read(conn)) == ["welcome", "list", "notice"]
    w.pass_time(0.5)
    first = types(w.read(conn))[0]
    assert first == ("failedleave" if backwards else "joined")
    assert [v.kind for v in w.server.violations][:2] == ["early", "early"]


def test_no_log_in_within_30_seconds() -> None:
    w = world()
    conn = w.connect()
    w.raw(conn)
    w.pass_time(29)
    w.send(conn, "list")
    w.pass_time(1)
    assert b"Connection terminated: User did not send login command within 30 seconds." in w.raw(conn)
    w.pass_time(1)
    assert conn in w.closed


@pytest.mark.parametrize(("level", "kind"), [(1, "notice"), (2, "welcome")])
def test_defcon(level: int, kind: str) -> None:
    w = world(defcon=level)
    conn = w.connect()
    w.raw(conn)
    w.send(conn, "lj c/en bob")
    events = w.read(conn)
    assert types(events)[0] == kind
    if level == 1:
        assert notices(events)[0].startswith(
            "Connection terminated: Due to ongoing abuse, only registered users"
        )
    else:
        w.send(conn, "create public 3 0 a rude name")
        assert w.ask(conn, "list")[0]["Games"][0]["Name"] == "Guest_bob's match"
        other = w.connect()
        w.raw(other)
        w.send(other, "rj c/en a@example.org ann pw")
        assert "registration is disabled" in notices(w.read(other))[0]


# -- create, join, leave --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "points", "name", "locked"),
    [
        ("create public 3 0", 3, "Guest_bob's match", False),
        ("c PUBLIC 500 0 My  long   name", 127, "My long name", False),
        ("create private a_b 1 0 x", 1, "x", True),
        ("create public 0005 0", 5, "Guest_bob's match", False),
    ],
)
def test_create(command: str, points: int, name: str, locked: bool) -> None:
    w = world()
    bob = w.log_in("bob")
    events = w.ask(bob, command)
    assert types(events) == ["joined", "board", "notice", "notice"]
    (listed,) = w.ask(bob, "ls")[0]["Games"]
    assert listed == {
        "ID": 1, "Password": locked, "Points": points, "Players": 1, "Rating": 0, "Name": name,
    }  # fmt: skip


def test_a_name_that_ends_in_s() -> None:
    w = world()
    bess = w.log_in("bess")
    w.send(bess, "create public 1 0")
    assert w.ask(bess, "list")[0]["Games"][0]["Name"] == "Guest_bess' match"


@pytest.mark.parametrize(
    "words",
    ["", "public", "public 3", "public 0 0", "public x 0", "public 3 3", "public -1 0", "open 3 0", "private",
     "private pw", "private pw 3", "private pw 0 0", "public ³ 0", "public 3 x"],
)  # fmt: skip
def test_create_refused(words: str) -> None:
    w = world()
    bob = w.log_in("bob")
    events = w.ask(bob, f"create {words}")
    assert types(events) == ["failedcreate", "notice"]
    assert events[0]["Reason"].startswith("To create a public match please specify")
    assert w.server.matches == ()


def test_private_matches() -> None:
    w = world()
    bob, ann = w.log_in("bob"), w.log_in("ann")
    w.send(bob, "create private two_words 3 0")
    assert w.ask(ann, "join 1")[0]["Reason"] == "Invalid password."
    assert w.ask(ann, "join 1 two")[0]["Reason"] == "Invalid password."
    assert types(w.ask(ann, "join guest_BOB two words")) == ["joined", "board", "notice"]


@pytest.mark.parametrize("target", ["2", "nobody", "guest_eve", "99999999999999999999999", "-1", "¹"])
def test_join_what_is_not_there(target: str) -> None:
    w, _, _ = table()
    eve = w.log_in("eve")
    assert w.ask(eve, f"join {target}") == [
        {"Type": "failedjoin", "Player": "", "Reason": "Match not found."}
    ]
    assert types(w.ask(eve, "join")) == ["notice"]


def test_one_match_at_a_time() -> None:
    w, me, _ = table()
    assert w.ask(me, "join 1")[0]["Reason"] == "Please leave the match you are in before joining another."
    assert w.ask(me, "create public 1 0")[0]["Type"] == "failedcreate"


@pytest.mark.parametrize("allowed", [False, True])
def test_bots_do_not_join_people(allowed: bool) -> None:
    w = world(strict=True, bots_may_join=allowed)
    person, bot = w.log_in("bob"), w.log_in("BOT_acme")
    w.send(person, "create public 3 0")
    events = w.ask(bot, "join 1")
    if allowed:
        assert types(events) == ["joined", "board", "notice"]
        assert w.server.violations == ()
    else:
        assert events[0]["Reason"] == (
            "Bots are not allowed to join player matches. Please create a match instead."
        )
        assert [v.reason for v in w.server.violations] == ["a bot joins a match"]


def test_before_the_opening_anyone_comes_and_goes() -> None:
    w, me, alice = table(3, [(2, 5), (6, 1)])
    w.send(alice, "roll")
    w.raw(me)
    w.send(alice, "leave")
    assert types(w.read(me)) == ["left"]
    board = last_board(w.ask(me, "board"))
    assert (board["Player2"]["Name"], board["Roll2"]) == ("", 0)
    bob = w.log_in("bob")
    w.send(bob, "join BOT_acme")
    w.send(me, "roll")
    events = w.ask(bob, "roll")
    assert types(events) == ["rolled", "board"]
    assert (events[0]["Roll1"], events[0]["Roll2"]) == (1, 6), "the dice of those who left are gone"


def test_from_the_opening_on_only_the_two_may_sit() -> None:
    w, _, alice = started()
    w.drop(alice)
    eve = w.log_in("eve")
    board = last_board(w.ask(eve, "join 1"))
    assert board["Spectating"] is True
    assert [e["Players"] for e in w.ask(eve, "list")[0]["Games"]] == [1]
    w.send(eve, "leave")
    assert [e["Players"] for e in w.ask(eve, "list")[0]["Games"]] == [2]
    alice = w.log_in("alice")
    assert w.server.match_of("guest_alice") is not None


@pytest.mark.parametrize("command", ["leave", "history bob", "replay"])
def test_what_forfeits_the_right_to_rejoin(command: str) -> None:
    w, me, alice = started()
    events = w.ask(me, command)
    assert events[0] == {"Type": "left", "Player": "BOT_acme"}
    w.drop(me)
    me = w.connect()
    w.send(me, "lj c/en BOT_acme")
    assert b'"joined"' not in w.raw(me)
    assert types(w.read(alice)) == ["left"]


def test_disconnect_keeps_the_seat() -> None:
    w, me, _ = started()
    events = w.ask(me, "disconnect")
    assert types(events) == ["left", "notice"]
    assert notices(events) == ["Connection terminated: Client disconnected"]
    w.pass_time(1)
    assert me in w.closed
    me = w.connect()
    w.send(me, "lj c/en BOT_acme")
    assert b"Rejoined match" in w.raw(me)


@pytest.mark.parametrize("spoils", [True, False])
def test_a_spectator_who_leaves_spoils_seat_1(spoils: bool) -> None:
    w, me, _ = started(quirks=ServerQuirks(spectator_spoils_rejoin=spoils))
    eve = w.log_in("eve")
    w.send(eve, "join 1", "leave")
    w.drop(me)
    me = w.connect()
    w.send(me, "lj c/en BOT_acme")
    assert (b'"joined"' in w.raw(me)) is not spoils


@pytest.mark.parametrize("allowed", [False, True])
def test_a_rematch_game_cannot_be_rejoined(allowed: bool) -> None:
    quirks = ServerQuirks(rematch_rejoin=allowed)
    w, me, alice = started(1, [(5, 1), (5, 1)], quirks=quirks)
    put(w, view({1: 1}, {24: 15}))
    w.send(me, "move 1/off", "rematch")
    w.send(alice, "rematch", "roll")
    w.send(me, "roll")
    assert last_board(w.ask(me, "board"))["Turn"] == 1
    w.drop(me)
    me = w.connect()
    w.send(me, "lj c/en BOT_acme")
    assert (b'"joined"' in w.raw(me)) is allowed


def test_the_last_one_in_a_finished_match_is_taken_out() -> None:
    w, me, alice = started(1, [(5, 1)])
    put(w, view({1: 1}, {24: 15}))
    w.send(me, "move 1/off")
    w.send(alice, "leave")
    assert notices(w.ask(me, "rematch")) == ["Your opponent left the match."]
    w.wait(100, me)
    assert w.server.match_of("BOT_acme") is not None
    w.raw(me)
    w.wait(90, me)
    assert [e["Type"] for e in w.read(me) if e["Type"] != "ping"] == ["notice", "left"]
    assert len(w.server.results) == 1


def test_who_leaves_first_is_booked_as_the_loser_when_the_other_leaves() -> None:
    w, me, alice = started(3)
    w.send(alice, "leave")
    w.send(me, "leave")
    (result,) = w.server.results
    assert (result.winner, result.loser) == ("BOT_acme", "Guest_alice")


def test_who_has_come_back_did_not_leave_first() -> None:
    w, me, alice = started(3)
    w.drop(alice)
    alice = w.log_in("alice")
    w.send(me, "leave")
    w.send(alice, "leave")
    (result,) = w.server.results
    assert (result.winner, result.loser) == ("Guest_alice", "BOT_acme")


def test_everything_of_a_match_is_new_in_its_rematch() -> None:
    w, me, alice = started(1, [(5, 1)] * 3)
    for _ in range(2):
        put(w, view({1: 1}, {24: 15}))
        w.send(me, "move 1/off")
        assert notices(w.ask(me, "rematch")) == ["Rematch offer sent."]
        events = w.ask(alice, "rematch")
        assert types(events) == ["joined", "joined", "board"]
        board = events[-1]
        assert (board["Player2"]["Points"], board["Crawford"], board["Ended"], board["Turn"]) == (0, 0, 0, 0)
        w.send(me, "roll")
        w.send(alice, "roll")


def test_a_finished_match_is_not_rejoined_and_its_clock_stands() -> None:
    w = world(ScriptedDice([(5, 1)], [True]), accounts={"bob": "pw", "ann": "pw"})
    bob, ann = w.log_in("bob", "pw"), w.log_in("ann", "pw")
    w.send(bob, "create public 1 0")
    w.send(ann, "join 1", "roll")
    w.send(bob, "roll")
    put(w, view({1: 1}, {24: 15}))
    w.send(bob, "move 1/off")
    w.wait(100, bob, ann)
    assert last_board(w.ask(bob, "board"))["Player1"]["Inactive"] == 0
    w.drop(bob)
    bob = w.connect()
    w.send(bob, "lj c/en bob pw")
    assert b'"joined"' not in w.raw(bob)


def test_only_so_many_commands_are_held_back() -> None:
    w = world()
    conn = w.connect()
    w.raw(conn)
    w.send(conn, *["list"] * 100, "lj c/en bob")
    w.raw(conn)
    w.pass_time(0.5)
    assert types(w.read(conn)) == ["list"] * 64
    conn = w.connect()
    w.raw(conn)
    w.send(conn, *["say " + "x" * 40_000] * 3, "lj c/en ann")
    w.raw(conn)
    w.pass_time(0.5)
    assert types(w.read(conn)) == ["notice"], "nor more than a line's worth of bytes"


def test_a_connection_that_ends_late_takes_nothing_from_its_successor() -> None:
    w, me, _ = started()
    w.send(me, "disconnect")
    again = w.log_in("BOT_acme")
    w.drop(me)
    assert "BOT_acme" in w.server.online
    assert last_board(w.ask(again, "board"))["Player1"]["Name"] == "BOT_acme"


def test_points_stop_at_127() -> None:
    w, me, _ = started(127, [(5, 1)])
    put(w, view({1: 1}, {24: 15}), cube=64)
    events = w.ask(me, "move 1/off")
    assert only(events, "win")[0]["Points"] == 128
    assert last_board(events)["Player1"]["Points"] == 127


def test_pings_keep_their_rhythm() -> None:
    w = world()
    bob = w.log_in("bob")
    w.pass_time(35)
    assert types(w.read(bob)) == ["ping"]
    w.send(bob, "pong")
    w.pass_time(24)
    assert w.read(bob) == []
    w.pass_time(1)
    assert types(w.read(bob)) == ["ping"]
    assert w.server.next_deadline == w.now + 15, "silence since the last pong, before the next ping"


def test_a_waiting_match_waits_and_an_abandoned_one_is_swept() -> None:
    w = world()
    bob = w.log_in("bob")
    w.send(bob, "create public 3 0")
    w.wait(3600, bob)
    assert len(w.server.matches) == 1
    w.send(bob, "leave")
    assert w.server.matches == ()


def test_following_and_lists_of_ratings() -> None:
    w = world(accounts={"bob": "pw", "ann": "pw"})
    bob = w.log_in("bob", "pw")
    assert notices(w.ask(bob, "follow ann")) == ["You are now following ann."]
    ann = w.log_in("ann", "pw")
    assert notices(w.read(bob)) == ["ann is online."]
    w.send(ann, "create public 3 0")
    assert w.ask(bob, "list")[0]["Games"][0]["Rating"] == 1500
    w.send(bob, "unfollow ann")
    w.drop(ann)
    w.raw(bob)
    w.log_in("ann", "pw")
    assert notices(w.read(bob)) == []


def test_ratings_history_and_replay_of_a_rated_match() -> None:
    w = world(ScriptedDice([(5, 1)], [True]), accounts={"bob": "pw", "ann": "pw"})
    bob, ann = w.log_in("bob", "pw"), w.log_in("ann", "pw")
    w.send(bob, "create public 1 0")
    w.send(ann, "join 1", "roll")
    w.send(bob, "roll", "move 13/8")
    put(w, view({1: 1}, {24: 15}))
    events = w.ask(bob, "move 1/off")
    win = only(events, "win")[0]
    assert win["Rating"] == 162, "Glicko-2 of two new players"
    board = last_board(events)
    assert (board["Player1"]["Rating"], board["Player2"]["Rating"]) == (1662, 1338)
    w.send(bob, "leave")
    (history,) = only(w.ask(ann, "history BOB"), "history")
    assert (history["Player"], history["Page"], history["Pages"]) == ("BOB", 1, 1)
    assert history["Matches"] == [
        {"ID": 1, "Timestamp": int(w.now), "Points": 1, "Opponent": "ann", "Winner": 1}
    ]
    assert (history["CasualBackgammonSingle"], history["CasualBackgammonMulti"]) == (1662, 1500)
    (replay,) = w.ask(bob, "replay 1")
    content = base64.b64decode(replay["Content"]).decode().splitlines()
    assert content[0] == f"i {int(w.now)} bob ann 1 0 0 1 2 0"
    assert content[1] == "1 r 5-1 13/8 1/off"
    assert types(w.ask(bob, "replay 7")) == types(w.ask(bob, "replay")) == ["notice"]
    assert types(w.ask(bob, "history")) == ["notice"]


def test_replay_of_the_match_one_is_in() -> None:
    w, me, _ = started(3, [(3, 1)])
    events = w.ask(me, "replay")
    assert types(events) == ["left", "replay"]
    assert events[1]["ID"] == -1
    assert base64.b64decode(events[1]["Content"]).startswith(b"i ")


def test_inactivity_in_a_rated_match() -> None:
    w = world(ScriptedDice([(5, 1)], [True]), accounts={"bob": "pw", "ann": "pw"})
    bob, ann = w.log_in("bob", "pw"), w.log_in("ann", "pw")
    w.send(bob, "create public 3 0")
    w.send(ann, "join 1", "roll")
    w.send(bob, "roll")
    w.raw(ann)
    w.wait(20, bob, ann)
    assert last_board(w.ask(ann, "board"))["Player2"]["Inactive"] == 0
    w.wait(100, bob, ann)
    assert last_board(w.ask(ann, "board"))["Player2"]["Inactive"] == 120
    w.wait(500, bob, ann)
    assert any("inactive" in text for text in notices(w.read(ann)))
    assert any("inactive" in text for text in notices(w.read(bob)))
    w.send(ann, "leave")
    w.send(bob, "leave")
    assert [(r.winner, r.loser) for r in w.server.results] == [("ann", "bob")]


def test_long_turns_add_up_and_time_away_does_not_count() -> None:
    w = world(ScriptedDice([(5, 1)], [True]), accounts={"bob": "pw", "ann": "pw"})
    bob, ann = w.log_in("bob", "pw"), w.log_in("ann", "pw")
    w.send(bob, "create public 3 0")
    w.send(ann, "join 1", "roll")
    w.send(bob, "roll")
    w.wait(40, bob, ann)
    w.send(bob, "move 24/23", "move 13/8", "ok")
    w.wait(20, bob, ann)
    board = last_board(w.ask(ann, "board"))
    assert (board["Player1"]["Inactive"], board["Player2"]["Inactive"]) == (0, 40)
    w.drop(ann)
    w.wait(300, bob)
    ann = w.log_in("ann", "pw")
    w.wait(10, bob, ann)
    board = last_board(w.ask(ann, "board"))
    assert (board["Player1"]["Inactive"], board["Player2"]["Inactive"]) == (0, 40)


def test_lose_both_and_kick_and_broadcast() -> None:
    w, me, alice = started(quirks=ServerQuirks(lose_both=True))
    w.server.broadcast("hello", w.now)
    w.collect()
    assert "SERVER BROADCAST: hello" in notices(w.read(me))
    w.server.kick("guest_alice", w.now)
    w.collect()
    assert alice in w.closed
    events = w.read(me)
    assert notices(events) == ["Connection terminated: Server error"]
    assert types(events)[-1] == "notice"
    w.pass_time(1)
    assert me in w.closed


def test_small_commands() -> None:
    w = world(accounts={"bob": "pw"})
    bob = w.log_in("bob", "pw")
    assert notices(w.ask(bob, "help"))[0].startswith("Commands: ")
    assert notices(w.ask(bob, "h roll")) == ["roll: roll the dice"]
    assert types(w.ask(bob, "help fly")) == ["notice"]
    assert notices(w.ask(bob, "motd")) == ["Welcome. Matches here are for practice and tests."]
    assert notices(w.ask(bob, "defcon")) == ["Current level: DEFCON 5"]
    for staff in (
        "broadcast x",
        "kick a",
        "ban a",
        "unban a",
        "rename a b",
        "shutdown",
        "defcon 1",
        "motd x",
    ):
        assert notices(w.ask(bob, staff)) == ["Access denied."]
    (event,) = w.ask(bob, "achievements")
    assert (event["Type"], event["Achievements"]) == ("achievements", None)
    assert notices(w.ask(bob, "lj c/en bob")) == ["Unknown command: lj"]
    assert notices(w.ask(bob, "<fly>")) == ["Unknown command: &lt;fly&gt;"]
    assert w.ask(bob, "pong") == w.ask(bob, "PONG 5") == []
    for outside, kind in (
        ("roll", "failedroll"), ("move 8/5", "failedmove"), ("leave", "failedleave"), ("ok", "notice"),
        ("double", "notice"), ("resign", "notice"), ("reset", "notice"), ("rematch", "notice"),
        ("board", "notice"), ("say hi", "notice"),
    ):  # fmt: skip
        assert types(w.ask(bob, outside)) == [kind]
    assert notices(w.ask(bob, "password wrong new")) == ["Incorrect existing password."]
    assert notices(w.ask(bob, "password pw new one")) == ["Password changed successfully."]
    w.drop(bob)
    bob = w.connect()
    w.send(bob, "lj c/en bob new one")
    assert b"welcome" in w.raw(bob)
