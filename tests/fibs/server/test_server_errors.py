"""Error replies, one command at a time."""

from __future__ import annotations

import pytest

from botd_protocols.fibs.server_match import Match
from botd_protocols.fibs.server_settings import TOGGLES
from botd_protocols.server_dice import ScriptedDice

from .harness import table, world

LOBBY_ERRORS = [
    ("mvoe 13-9", "** Unknown command: 'mvoe'"),
    ("roll", "** You're not playing."),
    ("move 13-9", "** You're not playing."),
    ("13 9", "** You're not playing."),
    ("double", "** You're not playing."),
    ("accept", "** You're not playing."),
    ("board", "** You're not playing or watching."),
    ("kibitz hello", "** You're not watching or playing."),
    ("resign n", "** You're not playing, so you can't give up."),
    ("leave", "** Error: No one to leave."),
    ("join", "** Error: Join who?"),
    ("join anna", "** anna didn't invite you."),
    ("join nobody", "** Error: can't find player nobody"),
    ("join house_amy", "** Error: can't find player house_amy"),
    ("invite", "** invite who?"),
    ("invite mybot 3", "** You can't invite yourself."),
    ("invite nobody 3", "** There is no one called nobody."),
    ("invite busy 3", "** busy is refusing games."),
    ("invite house_amy 3", "** house_amy is already playing with someone else."),
    ("invite anna", "** There's no saved match with anna. Please give a match length."),
    ("invite anna x", "** The second argument to 'invite' has to be a number or the word 'unlimited'"),
    ("invite anna 0", "** You can't play a 0 point match."),
    ("invite anna 100", "** You can't play a 100 point match."),
    ("tell", "** Tell whom?"),
    ("tell nobody hi", "** There is no one called nobody."),
    ("tell anna", "** You can't say nothing."),
    ("message anna", "** usage: message <user> <text>"),
    ("message nobody hi there", "** Don't know user nobody"),
    ("back", "** You're not away."),
    ("unwatch", "** You're not watching."),
    ("watch nobody", "** There is no one called nobody."),
    ("watch house_amy", "** house_amy doesn't want you to watch."),
    ("who nobody", "** There is no one called nobody."),
    ("toggle nonsense", "** Don't know how to toggle nonsense"),
    ("set boardstyle 4", "** Valid arguments are the numbers 1 to 3."),
    ("set linelength 1000", "** Valid arguments are the numbers 0 to 999. Use 0 for no linelength."),
    ("set redoubles 100", "** Valid arguments are 'none', 'unlimited' and the numbers 0 to 99."),
    ("set nonsense 1", "** Invalid argument. Type 'help set'."),
]


@pytest.mark.parametrize(("command", "reply"), LOBBY_ERRORS)
def test_errors_without_a_match(command: str, reply: str) -> None:
    w = world(strict=True)
    me, _, _ = w.player("mybot"), w.player("anna"), w.player("busy", ready=False)
    w.raw(me)
    assert w.ask(me, command) == [reply]
    assert [(v.kind, v.command, v.reason) for v in w.server.violations] == [("error-reply", command, reply)]


def test_an_unready_player_cannot_invite() -> None:
    w = world()
    me, _ = w.player("mybot", ready=False), w.player("anna")
    assert w.ask(me, "invite anna 3") == ["** Use 'toggle ready' first"]


def test_too_many_saved_matches() -> None:
    w = world(max_saved=2)
    me, _ = w.player("mybot"), w.player("anna")
    for other in ("a", "b"):
        w.server.saved.put(Match(("mybot", other), 3))
    assert w.ask(me, "invite anna 3") == ["** You are not allowed to create new games."]


def test_errors_while_the_opponent_moves_first() -> None:
    w, me, _ = table("5", ScriptedDice([(1, 3)]))
    for command, reply in (
        ("roll", "** It's not your turn to roll the dice."),
        ("move 13-9", "** It's not your turn to move."),
        ("double", "** Please wait until anna has moved."),
        ("accept", "** anna didn't double or resign."),
        ("reject", "** anna didn't double or resign."),
        ("redouble", "** anna didn't double or resign."),
        ("join", "** Error: Join who?"),
        ("join anna", "** You can't play two games at once"),
        ("invite anna 3", "** You are already playing."),
        ("resign", "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign."),
        ("resign x", "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign."),
    ):
        assert w.ask(me, command) == [reply]


def test_move_errors_at_the_opening() -> None:
    w, me, _ = table("5", ScriptedDice([(3, 1)]))
    for command, reply in (
        ("double", "** You cannot double in the first move."),
        ("roll", "** You did already roll the dice."),
        ("move", "** You must give 2 moves."),
        ("move 8-5", "** You must give 2 moves."),
        ("move 8-5 6", "** You must give 2 moves."),
        ("move 8-5 6-5 6-5", "** Please don't give more than 2 moves."),
        ("move 8-5 6-4", "** You can't move 2 points in your second move."),
        ("move 6-1 6-5", "** You can't move to 1 in your first move."),
        ("move 7-4 6-5", "** You can't move from 7 in your first move."),
        ("move bar-22 6-5", "** You can't move from the bar in your first move."),
        ("move 6-9 6-5", "** You can't move home in your first move."),
        ("move 6-5 3-off", "** You can't move from 3 in your second move."),
        ("move 6-off 6-5", "** You can't move home in your first move."),
        ("move 8/5 6/5", "** first move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'."),
        ("move 8-5 6-x", "** second move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'."),
    ):
        assert w.ask(me, command) == [reply]
    assert w.ask(me, "m 8 5 6 5")[0].startswith("board:You:anna:5:0:0:0:-2:0:0:0:2:4:0:2:")


def test_the_larger_die_must_be_played() -> None:
    w, me, _ = table("5", ScriptedDice([(3, 1)]))
    match = w.server.match_of("mybot")
    assert match is not None
    # O has one checker on 9; X holds 2 and 3, so that after 9-4 or 9-3 nothing more moves. Dice 6 and 5.
    board = [0] * 26
    board[10], board[1], board[2], board[3] = 1, -2, -2, -2
    board[24] = -9
    match.board, match.dice = tuple(board), (6, 2)
    board_before = match.board
    # 10-8 by the 2 could go on to 2 by the 6, but X blocks it; 10-4 by the 6 could go on to 2: blocked too.
    assert w.ask(me, "move 10-8") == ["** You can't move 2 points in your first move."]
    assert match.board == board_before
    assert w.ask(me, "move 10-4")[0].startswith("board:")


def test_bear_off_errors() -> None:
    w, me, _ = table("5", ScriptedDice([(3, 1), (1, 2)]))
    match = w.server.match_of("mybot")
    assert match is not None
    board = [0] * 26
    board[6], board[5], board[1], board[20] = 2, 1, 1, -4
    match.board, match.dice = tuple(board), (5, 4)
    for command, reply in (
        ("move 1-off 6-1", "** You can't remove this piece in your first move."),
        ("move 6-off 6-2", "** You can't remove this piece in your first move."),
    ):
        assert w.ask(me, command) == [reply]
    assert w.ask(me, "move 5-off 6-2")[0].startswith("board:")


def test_commands_during_an_open_double() -> None:
    w, me, anna = table("5", ScriptedDice([(3, 1), (6, 5)]))
    w.send(me, "move 8-5 6-5")
    w.raw(anna)
    assert w.ask(anna, "double") == ["You double. Please wait for mybot to accept or reject."]
    for command in ("roll", "move 1-2 1-2", "double", "resign n"):
        assert w.ask(anna, command) == ["** mybot hasn't responded to your double yet."]
    assert w.ask(me, "roll") == ["** It's not your turn to roll the dice."]
    assert w.ask(me, "double") == ["** It's not your turn to double."]
    assert w.ask(anna, "accept") == ["** mybot didn't double or resign."]


def test_commands_during_a_resignation() -> None:
    w, me, anna = table("5", ScriptedDice([(3, 1)]))
    w.raw(anna)
    assert w.ask(me, "resign g") == ["You want to resign. anna will win 2 points."]
    assert w.read(anna) == ["mybot wants to resign. You will win 2 points. Type 'accept' or 'reject'."]
    for command in ("move 8-5 6-5", "roll"):
        assert w.ask(me, command) == ["** Wait until anna accepted or rejected your resign."]
    assert w.ask(me, "resign b") == ["** You already did that."]
    assert w.ask(me, "double") == ["** You can't double now. You want to resign."]
    assert w.ask(anna, "roll") == ["** mybot wanted to resign. Type 'accept' or 'reject'."]
    w.raw(me)
    assert w.ask(anna, "reject") == ["You reject. The game continues."]
    assert w.read(me) == ["anna rejects. The game continues."]
    assert w.ask(me, "move 8-5 6-5")[0].startswith("board:")


def test_every_toggle_replies_and_lists_its_state() -> None:
    w = world()
    me = w.log_in("mybot")
    for toggle in TOGGLES.values():
        texts = (toggle.no_text, toggle.yes_text) if toggle.default else (toggle.yes_text, toggle.no_text)
        for text, shown in zip(texts, ("NO", "YES") if toggle.default else ("YES", "NO"), strict=True):
            assert w.ask(me, f"toggle {toggle.name}")[0] == text
            listed = dict(line.split() for line in w.ask(me, "toggle")[1:])
            assert listed[toggle.name] == shown
    assert w.ask(me, "to gr") == ["** Will use automatic greedy bearoffs."]


def test_variables() -> None:
    w = world()
    me = w.log_in("mybot")
    assert w.ask(me, "set boardstyle 3") == ["Value of 'boardstyle' set to 3."]
    assert w.ask(me, "set boardstyle") == ["Value of 'boardstyle' is 3."]
    assert w.ask(me, "set redoubles unlimited") == ["Value of 'redoubles' set to unlimited."]
    listing = w.ask(me, "set")
    assert listing[0] == "Settings of variables:"
    assert "boardstyle: 3" in listing
    assert "redoubles: unlimited" in listing


def test_who() -> None:
    w = world()
    me = w.player("mybot")
    for command, names in (
        ("who", ["house_amy", "house_ben", "house_cleo", "mybot"]),
        ("rawwho mybot", ["mybot"]),
        ("who playing", ["house_amy", "house_ben"]),
        ("who away", ["house_cleo"]),
        ("who ready", ["mybot"]),
        ("who from 192.0.2.7", ["house_amy", "house_cleo"]),
    ):
        lines = w.ask(me, command)
        assert lines[-1] == "6"
        assert [line.split()[1] for line in lines[:-1]] == names
        assert all(len(line.split()) == 13 for line in lines[:-1])
    assert w.ask(me, "who count") == ["4 users."]
