"""The cap on doubles, by itself and in both servers. Scripts are tested with the FIBS server."""

from __future__ import annotations

import pytest

from botd_protocols.server_dice import DoublesCap, ScriptedDice, SeededDice, parse_dice_script
from tests.bgammon.server.harness import last_board, table
from tests.fibs.server.harness import table as fibs_table


def test_past_the_cap_the_second_die_is_thrown_again() -> None:
    dice = ScriptedDice([(3, 3), (5, 5), (2, 5), (1, 4), (6, 6)])
    cap, thrown = DoublesCap(1), [0, 0]
    assert cap.roll(dice, thrown, 0) == (3, 3)
    assert cap.roll(dice, thrown, 0) == (5, 4), "the 5 of the next throw is the same again"
    assert cap.roll(dice, thrown, 1) == (6, 6), "each player has a count of his own"
    assert thrown == [1, 1]


@pytest.mark.parametrize("limit", [0, 2, None])
def test_counts_per_player_never_pass_the_cap(limit: int | None) -> None:
    dice, cap, thrown = SeededDice(5), DoublesCap(limit), [0, 0]
    rolls = [cap.roll(dice, thrown, turn % 2) for turn in range(600)]
    doubles = [sum(a == b for a, b in rolls[side::2]) for side in (0, 1)]
    assert doubles == thrown
    if limit is None:
        assert min(doubles) > 20
    else:
        assert doubles == [limit, limit]
    assert {die for roll in rolls for die in roll} == {1, 2, 3, 4, 5, 6}


def test_without_a_cap_the_dice_are_those_of_the_source() -> None:
    plain, capped, cap = SeededDice(9), SeededDice(9), DoublesCap(None)
    assert [cap.roll(capped, [0, 0], 0) for _ in range(100)] == [plain.roll() for _ in range(100)]


def test_creator_lines_seat_the_creator() -> None:
    dice = parse_dice_script("creator 2\ncreator 1\n3 1\n")
    assert [dice.host_is_first(), dice.host_is_first()] == [False, True]


def test_bgammon_server_caps_doubles() -> None:
    w, me, guest = table(1, [(3, 1), (4, 4), (2, 6)], max_doubles_per_player=0)
    w.send(me, "roll")
    w.send(guest, "roll")
    w.send(me, "move 8/5", "move 6/5")
    board = last_board(w.ask(me, "ok"))
    assert (board["Turn"], board["Roll1"], board["Roll2"]) == (2, 4, 6)


def test_fibs_server_caps_doubles() -> None:
    w, me, anna = fibs_table("1", ScriptedDice([(3, 1), (4, 4), (2, 6)]), max_doubles_per_player=0)
    w.raw(me)
    w.send(me, "move 8-5 6-5")
    assert "anna rolls 4 and 6." in w.read(me)
    assert "You roll 4 and 6." in w.read(anna)
