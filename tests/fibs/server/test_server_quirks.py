"""Every fault switch does what it says, and nothing of it happens by default."""

from __future__ import annotations

import re

import pytest

from botd_protocols.fibs.server_match import Match
from botd_protocols.fibs.server_quirks import CLONE_SPELLINGS, ServerQuirks, Spellings
from botd_protocols.server_dice import ScriptedDice, SeededDice

from .board_check import read_board
from .harness import World, table, world
from .test_server_whole_match import play_match

OPENING = [(3, 1)]


def started(
    rolls: list[tuple[int, int]] | None = None, length: str = "5", **quirks: object
) -> tuple[World, int, int]:
    """mybot (O, to move 3 1) against anna."""
    dice = ScriptedDice(OPENING + (rolls or []), [False], then=SeededDice(1))
    return table(length, dice, ServerQuirks(**quirks))  # type: ignore[arg-type]


def doubled(**quirks: object) -> tuple[World, int, int]:
    """mybot has moved, anna has doubled; her roll will be 6 5."""
    w, me, anna = started([(6, 5)], **quirks)
    w.send(me, "move 8-5 6-5")
    w.send(anna, "double")
    w.raw(me), w.raw(anna)
    return w, me, anna


def resumed(**quirks: object) -> tuple[World, int, int]:
    """A saved match with anna to roll, resumed on mybot's invitation; the resume is unread."""
    w, me, anna = started(**quirks)
    w.send(me, "move 8-5 6-5", "leave", "invite anna")
    w.raw(me), w.raw(anna)
    w.send(anna, "join mybot")
    return w, me, anna


def test_glued_accept() -> None:
    w, me, _ = doubled(glue_accept=True)
    assert w.ask(me, "accept")[0] == "You accept the double. The cube shows 2.anna rolls 6 and 5."
    w, me, _ = doubled()
    assert w.ask(me, "accept")[:2] == ["You accept the double. The cube shows 2.", "anna rolls 6 and 5."]


def test_glued_board() -> None:
    w, me, anna = started(glue_board="any")
    w.raw(anna)
    w.send(me, "move 8-5 6-5")
    assert any(re.match(r"board:\S+ It's your turn\. Please roll", line) for line in w.read(anna))
    # A board line that nothing follows is still ended.
    w.raw(me)
    w.send(me, "board")
    assert w.raw(me).endswith(b"\r\n")


def test_glued_who_record() -> None:
    w, me, anna = doubled(glue_who=True)
    w.send(me, "accept")
    assert any(
        re.match(r"mybot accepts the double\. The cube shows 2\.5 mybot anna ", line) for line in w.read(anna)
    )


def test_segments() -> None:
    w, me, anna = started(segment_bytes=1)
    pieces = w.chunks[me] + w.chunks[anna]
    assert max(map(len, pieces)) == 1
    assert read_board(w.ask(me, "board")[0]).dice == (3, 1)


def test_delayed_replies() -> None:
    w = world(quirks=ServerQuirks(reply_delay_s=2.0), strict=True)
    conn = w.connect()
    assert w.raw(conn) == b""
    w.pass_time(1.9)
    assert w.raw(conn) == b""
    w.pass_time(0.2)
    assert w.raw(conn).endswith(b"login: ")
    w.send(conn, "login c 1008 mybot pw")
    w.pass_time(3)
    w.send(conn, "toggle ready")
    w.send(conn, "toggle ready")
    assert [v.kind for v in w.server.violations] == ["pipelined"]


def test_dropped_reply_keeps_its_effect() -> None:
    w, me, anna = started(drop_replies=("move",))
    w.raw(anna)
    assert w.ask(me, "move 8-5 6-5") == []
    assert "mybot moves 8-5 6-5 ." in w.read(anna)
    assert read_board(w.ask(me, "board")[0]).turn == -1


def test_lost_pipelined_command() -> None:
    for lose, replies in ((True, 1), (False, 2)):
        w = world(quirks=ServerQuirks(lose_pipelined=lose))
        me = w.log_in("mybot")
        w.server.receive(me, b"set boardstyle 3\r\nset linelength 0\r\n", w.now)
        w.collect()
        assert len(w.read(me)) == replies


def test_duplicate_boards() -> None:
    w, me, _ = started(duplicate_boards=True)
    boards = [line for line in w.read(me) if line.startswith("board:")]
    assert len(boards) == 2
    assert boards[0] == boards[1]


def test_noise_does_not_disturb_the_game() -> None:
    w, me, anna = table("3", SeededDice(3), ServerQuirks(noise=True))
    play_match(w, me, anna, 3)
    sent = b"".join(w.chunks[me])
    assert sent.count(b"\r\n13 house_amy ") > 5
    assert b"house_amy wins a 1 point match" in sent


def test_torn_who_record() -> None:
    w, me, _ = started(torn_who=True)
    lines = w.ask(me, "who")
    assert lines[0] == "5 "
    assert lines[1].startswith("house_amy ")


def test_clip_lookalikes() -> None:
    w, me, anna = started(clip_lookalikes=True, spellings=CLONE_SPELLINGS)
    match = w.server.match_of("mybot")
    assert match is not None
    last = [0] * 26
    last[1], last[24] = 1, -15
    match.board = tuple(last)
    assert w.ask(me, "move 1-off")[0] == "2 win the game and get %1 points. Congratulation!"
    assert "mybot wins the game and gets 2 points. Sorry." in w.read(anna)


def test_prompts() -> None:
    w = world(quirks=ServerQuirks(prompts=True))
    me = w.log_in("mybot")
    assert w.ask(me, "set boardstyle 3") == ["> Value of 'boardstyle' set to 3."]


def test_refusal_with_text() -> None:
    w = world(accounts={"mybot": "right"}, quirks=ServerQuirks(refuse_with_text=True))
    conn = w.connect()
    w.raw(conn)
    assert w.ask(conn, "login c 1008 mybot wrong") == ["Login incorrect"]
    assert conn in w.closed


def test_no_start_text_for_the_joiner() -> None:
    for start_text in (True, False):
        w, _, anna = started(start_text_for_joiner=start_text)
        lines = w.read(anna)
        assert any("now playing" in line for line in lines) is start_text
        assert "Starting a new game with mybot." in lines


@pytest.mark.parametrize("first", [True, False])
def test_place_of_the_warning(first: bool) -> None:
    w = world(quirks=ServerQuirks(warning_first=first))
    me, anna = w.player("mybot"), w.player("anna")
    w.server.saved.put(Match(("anna", "mybot"), 5))
    w.raw(anna)
    w.send(me, "invite anna 3")
    lines = w.read(anna)
    assert sorted(lines) == sorted(
        [
            "mybot wants to play a 3 point match with you.",
            "Type 'join mybot' to accept.",
            "WARNING: Don't accept if you want to continue the saved 5 point match!",
        ]
    )
    assert lines[1].startswith("WARNING") is first


def test_opponent_lost_without_a_text() -> None:
    for text in (True, False):
        w, me, anna = started(loss_text=text)
        w.raw(me)
        w.drop(anna)
        lines = w.read(me)
        assert ("anna drops connection. The game was saved." in lines) is text
        assert any(line.startswith("5 mybot - - ") for line in lines)


def test_resume_without_text_board_or_prompt() -> None:
    _, _, anna = resumed()
    w, me, anna = resumed()
    lines = w.read(anna)
    assert "You are now playing with mybot. Your running match was loaded." in lines
    assert "turn: anna." in lines
    assert any(line.startswith("board:") for line in lines)
    assert lines[-1] == "It's your turn to roll or double."
    assert "anna has joined you. Your running match was loaded." in w.read(me)
    w, me, anna = resumed(resume_text=False, resume_board=False, resume_prompt=False)
    assert all(re.match(r"5 |6$", line) for line in w.read(anna) + w.read(me))
    assert w.server.match_of("anna") is not None
    assert w.ask(anna, "roll")[0].startswith("You roll ")


def test_colours_stay() -> None:
    for swap in (True, False):
        w, me, anna = started(swap_colours=swap)
        match = w.server.match_of("mybot")
        assert match is not None
        before = match.x_side
        w.send(me, "resign n")
        w.send(anna, "accept", "join")
        w.send(me, "join")
        assert (match.x_side != before) is swap


def test_experience_limit() -> None:
    w = world(quirks=ServerQuirks(experience_limit=True))
    me, _ = w.player("mybot"), w.player("anna")
    refusal = "** You're not experienced enough to play a match of that length."
    assert w.ask(me, "invite anna 10") == [refusal]
    assert w.ask(me, "invite anna unlimited") == [refusal]
    assert w.ask(me, "invite anna 9")[0].startswith("** You invited anna")


def test_neither_question_nor_automatic_roll() -> None:
    w, me, anna = started(length="1", automatic_roll=False)
    w.raw(anna)
    w.send(me, "move 8-5 6-5")
    assert [line for line in w.read(anna) if not line.startswith("board:")] == ["mybot moves 8-5 6-5 ."]
    assert w.ask(anna, "roll")[0].startswith("You roll ")


def test_question_in_one_point_matches() -> None:
    for ask in (True, False):
        w, me, anna = started(length="1", ask_without_cube=ask)
        w.raw(anna)
        w.send(me, "move 8-5 6-5")
        lines = w.read(anna)
        assert ("It's your turn. Please roll or double" in lines) is ask
        assert any(line.startswith("You roll") for line in lines) is not ask


def test_inverted_double_toggle() -> None:
    w, me, anna = started(double_inverted=True)
    w.raw(anna)
    w.send(me, "move 8-5 6-5")
    assert any(line.startswith("You roll ") for line in w.read(anna))


def test_prompt_after_the_opening_roll() -> None:
    w, me, _ = started(opening_prompt=True)
    assert w.read(me)[-1] == "Please move 2 pieces."


def test_no_board_after_the_opponents_roll() -> None:
    for shown in (True, False):
        w, me, anna = started([(6, 5)], board_after_opponent_roll=shown)
        w.send(me, "move 8-5 6-5")
        w.raw(me)
        w.send(anna, "roll")
        lines = w.read(me)
        assert lines[0] == "anna rolls 6 and 5."
        assert len(lines) == (2 if shown else 1)


def test_board_command_unknown_or_silent() -> None:
    w, me, _ = started(board_command="unknown")
    assert w.ask(me, "board") == ["** Unknown command: 'board'"]
    w, me, _ = started(board_command="silent")
    assert w.ask(me, "board") == []


def test_open_double_hidden_from_the_board() -> None:
    for shown in (True, False):
        w, me, _ = doubled(double_on_board=shown)
        line = read_board(w.ask(me, "board")[0])
        assert (line.turn == line.colour, line.doubled) == ((True, 1) if shown else (False, 0))
        assert line.may == ((0, 0) if shown else (1, 1))


def test_wrong_bars() -> None:
    w, me, _ = started(wrong_bars=True)
    fields = w.ask(me, "board")[0].split(":")
    assert (fields[6], fields[31]) == ("-16", "8")
    assert fields[47:49] == ["0", "0"]


def test_dance_as_an_empty_move() -> None:
    for empty in (True, False):
        w, me, anna = started([(6, 6)], dance_as_empty_move=empty)
        w.send(me, "move 8-5 6-5")
        match = w.server.match_of("mybot")
        assert match is not None
        board = [0] * 26
        board[0], board[6], board[13] = -1, 5, 10
        board[20] = -14
        match.board = tuple(board)
        w.raw(me)
        assert w.ask(anna, "roll")[-1] == "You can't move."
        assert ("anna moves  ." in w.read(me)) is empty


def test_drop_announced_twice() -> None:
    w, me, anna = doubled(announce_drop_twice=True)
    assert w.ask(me, "reject")[:2] == [
        "You give up. anna wins 1 point.",
        "anna wins the game and gets 1 point. Sorry.",
    ]
    assert w.read(anna)[:2] == [
        "mybot gives up. You win 1 point.",
        "You win the game and get 1 point. Congratulations!",
    ]


def test_prompt_after_a_rejected_resignation() -> None:
    for again in (True, False):
        w, me, anna = started(prompt_after_rejected_resignation=again)
        w.send(me, "resign n")
        w.raw(me)
        w.send(anna, "reject")
        assert ("Please move 2 pieces." in w.read(me)) is again


def test_board_instead_of_a_score_line() -> None:
    for board in (True, False):
        w, me, _ = doubled(game_end_board=board)
        lines = w.ask(me, "reject")
        assert any(line.startswith("score in") for line in lines) is not board
        assert any(line.startswith("board:") and read_board(line).turn == 0 for line in lines) is board


def test_open_group_of_rating_records() -> None:
    for end in (True, False):
        w, me, anna = started(length="1", who_group_end=end)
        w.send(me, "resign n")
        w.raw(me)
        w.send(anna, "accept")
        assert (w.read(me)[-1] == "6") is end


def test_spellings() -> None:
    w = world(quirks=ServerQuirks(spellings=CLONE_SPELLINGS))
    me, anna = w.player("mybot"), w.player("anna")
    w.raw(anna)
    w.send(me, "invite anna unlimited")
    assert w.read(anna)[0] == "mybot wants to play an unlimted match with you."
    w.send(anna, "join mybot")
    w.raw(me)
    assert w.ask(me, "resign n")[-1] == "You want to resign. anna will win 1 ."
    w.send(anna, "reject", "leave", "invite mybot")
    w.raw(me)
    lines = w.ask(me, "join anna")
    assert "unlimited matchlength" in lines
    assert "points for user anna: 0" in lines
    assert "You are now playing with anna. Your running match was loaded" in lines
    assert Spellings() == ServerQuirks().spellings


def test_a_match_survives_all_harmless_quirks_at_once() -> None:
    quirks = ServerQuirks(segment_bytes=7, torn_who=True, duplicate_boards=False, noise=True)
    w, me, anna = table("3", SeededDice(8), quirks)
    players = play_match(w, me, anna, 8)
    assert all(p.results for p in players)
