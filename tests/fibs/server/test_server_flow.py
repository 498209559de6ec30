"""Flows that the transcripts leave out."""

from __future__ import annotations

from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig
from botd_protocols.server_dice import ScriptedDice, SeededDice

from .board_check import read_board
from .harness import table


def test_an_endless_line_ends_the_connection() -> None:
    w, me, anna = table("3")
    w.raw(anna)
    for _ in range(17):
        w.server.receive(me, b"x" * 4096, w.now)
    w.collect()
    assert me in w.closed
    assert "Network error with mybot. The game was saved." in w.read(anna)


def test_idle_players_time_out_and_their_match_is_saved() -> None:
    w, me, anna = table("3")
    w.pass_time(3000)
    w.send(me, "time")
    w.raw(me)
    w.pass_time(700)
    assert w.read(anna)[-1] == "Connection timed out."
    assert "Connection with anna timed out. The game was saved." in w.read(me)
    assert w.server.saved.get("mybot", "anna") is not None


def test_joining_a_new_match_destroys_the_saved_one() -> None:
    w, me, anna = table("3")
    w.send(me, "leave", "invite anna 5")
    saved = w.server.saved.get("mybot", "anna")
    assert saved is not None
    w.send(anna, "join mybot")
    assert w.server.saved.get("mybot", "anna") is None


def test_pending_double_survives_a_loss() -> None:
    w, me, anna = table("5", ScriptedDice([(3, 1), (2, 1)]))
    w.send(me, "move 8-5 6-5")
    w.send(anna, "double")
    w.drop(anna)
    anna = w.log_in("anna")
    w.send(anna, "invite mybot")
    w.send(me, "join anna")
    line = read_board(w.ask(me, "board")[0])
    assert (line.turn == line.colour, line.doubled, line.may) == (True, 1, (0, 0))
    assert w.ask(me, "accept")[0] == "You accept the double. The cube shows 2."


def test_beaver_in_an_unlimited_match() -> None:
    w, me, anna = table("unlimited", ScriptedDice([(3, 1), (2, 1)]))
    w.send(me, "set redoubles 1", "move 8-5 6-5")
    w.send(anna, "set redoubles unlimited", "double")
    w.raw(anna)
    w.send(me, "beaver")
    assert w.read(anna)[-1] == "mybot doubles. Type 'accept' or 'reject'."
    assert w.ask(anna, "accept")[0] == "You accept the double. The cube shows 4."
    line = read_board(w.ask(me, "board")[0])
    assert (line.cube, line.may, line.redoubles) == (4, (1, 0), 1)


def test_chat_reaches_whom_it_should() -> None:
    w, me, anna = table("3")
    eve = w.player("eve")
    w.send(eve, "watch anna")
    w.raw(me), w.raw(anna), w.raw(eve)
    assert w.ask(me, "kibitz  two blanks") == ["19  two blanks"]
    assert w.read(anna) == w.read(eve) == ["15 mybot  two blanks"]
    assert w.ask(me, "say hi") == ["16 anna hi"]
    assert w.read(anna) == ["12 mybot hi"]
    assert w.ask(anna, "shout hello") == ["17 hello"]
    assert w.read(me) == w.read(eve) == ["13 anna hello"]
    assert w.ask(eve, "whisper pst") == ["18 pst"]
    assert w.read(me) == w.read(anna) == []


def test_stored_message_comes_at_log_in() -> None:
    w, me, anna = table("3")
    w.drop(anna)
    assert w.ask(me, "message anna see you") == ["11 anna"]
    anna = w.connect()
    w.send(anna, "login c 1008 anna pw")
    assert f"9 mybot {int(w.now)} see you" in w.read(anna)


def test_strict_mode_sees_what_a_bot_must_not_do() -> None:
    w, me, _ = table("3", strict=True)
    w.send(me, "shout hello", "leave", "tell anna " + "x" * 300)
    w.server.receive(me, b"time\r\ntime\r\n", w.now)
    assert [v.kind for v in w.server.violations] == ["conduct", "conduct", "format", "pipelined"]


def test_idle_connections_are_found_whatever_the_limits_and_the_order() -> None:
    """The time of the next look is a bound: it may come too early, never too late."""
    for login_limit, idle_limit in ((30.0, 100.0), (100.0, 30.0)):
        config = ServerConfig(open_accounts=True, login_limit_s=login_limit, idle_limit_s=idle_limit)
        server = FibsServer(config, SeededDice(1), lambda board, dice: [])
        assert server.next_deadline is None
        for conn, start in ((1, 0.0), (2, 10.0)):
            server.connect(conn, start, "127.0.0.1")
            server.receive(conn, f"login x 1008 player{conn} pw\r\n".encode(), start)
        server.connect(3, 15.0, "127.0.0.1")
        server.receive(1, b"who\r\n", 20.0)
        server.take_output()
        ends = {1: 20.0 + idle_limit, 2: 10.0 + idle_limit, 3: 15.0 + login_limit}
        closed: dict[int, float] = {}
        now = 20.0
        while (due := server.next_deadline) is not None:
            now = max(now, due)
            server.advance(now)
            closed |= {conn: now for conn, _, close in server.take_output() if close}
        assert closed == ends
