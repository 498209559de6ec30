"""Whatever is typed becomes a command or a complaint that can be printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.terminal.commands import Action, Command, CommandError, parse_command, parse_dice


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("roll\n", Command(Action.ROLL)),
        ("  R ", Command(Action.ROLL)),
        ("8/5 6/5", Command(Action.MOVE, "8/5 6/5")),
        ("8 5 6 5", Command(Action.MOVE, "8/5 6/5")),
        ("8-5, 6-5", Command(Action.MOVE, "8/5 6/5")),
        ("move bar/22* 6/off", Command(Action.MOVE, "bar/22* 6/off")),
        ("bar 22 6 off", Command(Action.MOVE, "bar/22 6/off")),
        ("13/8(2)", Command(Action.MOVE, "13/8(2)")),
        ("double", Command(Action.DOUBLE)),
        ("accept", Command(Action.TAKE)),
        ("drop", Command(Action.PASS)),
        ("beaver", Command(Action.BEAVER)),
        ("resign", Command(Action.RESIGN, level=1)),
        ("resign gammon", Command(Action.RESIGN, level=2)),
        ("resign 3", Command(Action.RESIGN, level=3)),
        ("?", Command(Action.HELP)),
        ("q", Command(Action.QUIT)),
    ],
)
def test_commands(line: str, command: Command) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "help lists"),
        ("   \n", "help lists"),
        ("fly", "'fly' is no command"),
        ("roll 6 6", "roll takes nothing"),
        ("8 5 6", "pairs of points"),
        ("move", "move what"),
        ("resign 4", "resign what"),
        ("x" * 1000, "1000 characters"),
        ("\x1b[2J", r"'\\x1b"),
    ],
)
def test_complaints(line: str, complaint: str) -> None:
    with pytest.raises(CommandError, match=complaint):
        parse_command(line)


@given(st.text(max_size=250))
def test_no_line_does_anything_else(line: str) -> None:
    complaint = ""
    try:
        parse_command(line)
    except CommandError as error:
        complaint = str(error)
    assert complaint.isprintable()


@pytest.mark.parametrize(("line", "dice"), [("31", (3, 1)), (" 6 6\n", (6, 6)), ("2-5", (2, 5))])
def test_dice(line: str, dice: tuple[int, int]) -> None:
    assert parse_dice(line) == dice


@pytest.mark.parametrize("line", ["", "7 1", "3", "1 2 3", "six", "3" * 300])
def test_bad_dice(line: str) -> None:
    with pytest.raises(CommandError, match="two dice"):
        parse_dice(line)
