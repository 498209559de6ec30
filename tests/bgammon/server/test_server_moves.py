"""Making moves, taking them back, and what is refused (sections 4.2 and 7.3)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd_protocols.bgammon.server_moves import out_of_range, parse_moves
from botd_protocols.bgammon.server_quirks import ServerQuirks
from botd_protocols.server_dice import SeededDice

from .harness import last_board, put, started, table, types, view


@pytest.mark.parametrize(
    ("words", "moves"),
    [
        ("13/8", [(13, 8)]),
        ("BAR/22 b/20 26/21", [(26, 22), (26, 20), (26, 21)]),
        ("6/off 6/O 6/home 6/h 6/0", [(6, 0)] * 5),
        ("0/6 22/bar", [(0, 6), (22, 26)]),
        ("27/3", [(27, 3)]),
        ("13-8", None), ("13", None), ("13/8/5", None), ("/", None), ("13/", None), ("a/b", None),
        ("-1/3", None), ("+3/1", None), ("²/1", None), ("1e3/2", None), ("1" * 10 + "/2", None), ("", None),
        (" ".join(["8/7"] * 9), None),
    ],
)  # fmt: skip
def test_parameters(words: str, moves: list[tuple[int, int]] | None) -> None:
    assert parse_moves(words.split()) == moves


def test_spaces_out_of_range() -> None:
    assert out_of_range([(13, 8), (27, 3)]) == (27, 3)
    assert out_of_range([(25, 3)]) == (25, 3)
    assert out_of_range([(26, 0)]) is None


def test_a_value_out_of_range_is_named() -> None:
    w, me, _ = started(3, [(5, 1)])
    (event,) = w.ask(me, "move 13/8 30/2")
    assert event == {"Type": "failedmove", "Player": "", "From": 30, "To": 2, "Reason": "Illegal move."}
    assert w.ask(me, "move 25/2")[0]["From"] == 25


def test_the_last_step_is_taken_back() -> None:
    w, me, alice = started(3, [(3, 1)])
    start = last_board(w.ask(me, "board"))
    w.send(me, "move 13/10", "move 6/5")
    w.raw(alice)
    events = w.ask(me, "move 5/6")
    assert types(events) == ["moved", "board"]
    assert events[0]["Moves"] == [[5, 6]]
    assert events[1]["Moves"] == [[13, 10]]
    assert w.read(alice)[0]["Moves"] == [[20, 19]]
    last = last_board(w.ask(me, "move 10/13"))
    assert (last["Board"], last["Available"]) == (start["Board"], start["Available"])


def test_several_steps_are_taken_back_last_first() -> None:
    w, me, _ = started(3, [(3, 1)])
    w.send(me, "move 13/10", "move 6/5")
    for wrong in ("move 10/13", "move 10/13 5/6", "move 5/6 10/13 10/13", "move 5/6 13/10", "move 4/5"):
        assert w.ask(me, wrong)[0]["Reason"] == "Illegal move."
    assert last_board(w.ask(me, "board"))["Moves"] == [[13, 10], [6, 5]]
    assert w.ask(me, "move 5/6 10/13")[0]["Moves"] == [[5, 6], [10, 13]]


def test_reset_takes_everything_back_last_first() -> None:
    w, me, alice = started(3, [(3, 1)])
    assert w.ask(me, "reset") == []
    start = last_board(w.ask(me, "board"))
    w.send(me, "move 13/10", "move 10/9")
    events = w.ask(me, "reset")
    assert types(events) == ["moved", "board"]
    assert events[0]["Moves"] == [[9, 10], [10, 13]]
    assert events[1]["Board"] == start["Board"]
    assert types(w.ask(alice, "reset")) == ["notice"]


def test_hits_bar_entries_and_bear_offs_are_taken_back() -> None:
    w, me, _ = started(3, [(3, 1)])
    board = view({26: 1, 6: 5, 3: 5, 1: 4}, {24: 1, 22: 1, 12: 13})
    put(w, board, dice=(3, 1), left=(3, 1))
    w.send(me, "move bar/22")
    assert last_board(w.ask(me, "board"))["Board"][27] == -1
    assert w.ask(me, "move 22/bar")[1]["Board"] == board
    home = view({6: 5, 3: 5, 1: 4}, {24: 2, 12: 13})
    put(w, home, dice=(3, 1), left=(3, 1))
    w.send(me, "move 3/off", "move 1/off")
    assert last_board(w.ask(me, "board"))["Board"][0] == 3
    assert w.ask(me, "move 0/1 off/3")[1]["Board"] == home


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 1000), max_size=12))
def test_any_steps_taken_back_leave_the_turn_as_it_was(seed: int, choices: list[int]) -> None:
    w, me, alice = table(1, dice=SeededDice(seed))
    w.send(me, "roll")
    w.send(alice, "roll")
    first = last_board(w.ask(me, "board"))
    mover, name = (me, "BOT_acme") if first["Turn"] == 1 else (alice, "Guest_alice")
    first = last_board(w.ask(mover, "board"))
    for choice in choices:
        board = last_board(w.ask(mover, "board"))
        if board["Available"] and choice % 3:
            start, end = board["Available"][choice % len(board["Available"])]
            assert w.ask(mover, f"move {start}/{end}")[0]["Player"] == name
        elif board["Moves"]:
            start, end = board["Moves"][-1]
            assert w.ask(mover, f"move {end}/{start}")[0]["Moves"] == [[end, start]]
    w.send(mover, "reset")
    again = last_board(w.ask(mover, "board"))
    assert (again["Board"], again["Available"]) == (first["Board"], first["Available"])


def test_the_higher_die_if_only_one_can_be_played() -> None:
    w, me, _ = started(3, [(6, 1)])
    # 6 and 1 can each be played alone from 8, not both.
    put(w, view({8: 1}, {1: 2, 7: 0, 6: 2, 24: 11}), dice=(6, 1), left=(6, 1))
    assert last_board(w.ask(me, "board"))["Available"] == [[8, 2]]


@pytest.mark.parametrize("insist", [True, False])
def test_last_checker_with_two_usable_dice(insist: bool) -> None:
    w, me, _ = started(1, [(5, 2)], quirks=ServerQuirks(insist_on_both_dice=insist))
    put(w, view({4: 1}, {24: 15}), dice=(5, 2), left=(5, 2))
    events = w.ask(me, "move 4/off")
    if insist:
        # The server finds the two steps that lead there by itself.
        assert events[0]["Moves"] == [[4, 2], [2, 0]]
    else:
        assert events[0]["Moves"] == [[4, 0]]
    assert types(events) == ["moved", "board", "win", "board"]


def test_a_dead_end_within_a_long_move_is_not_taken() -> None:
    w, me, _ = started(3, [(6, 1)])
    put(w, view({13: 1, 1: 14}, {12: 2, 24: 13}), dice=(6, 1), left=(6, 1))
    assert w.ask(me, "move 13/6")[0]["Moves"] == [[13, 7], [7, 6]]


def test_no_play_in_other_variants() -> None:
    w, me, alice = table(3)
    w.send(alice, "leave")
    w.send(me, "leave", "create public 3 1")
    w.send(alice, "join bot_acme")
    assert w.ask(me, "roll") == [
        {"Type": "failedroll", "Player": "", "Reason": "Only backgammon is played here."}
    ]


def test_resigning() -> None:
    w, me, alice = started(9, [(5, 1)])
    assert w.ask(alice, "resign")[0]["Message"] == "You may not resign until it is your turn."
    w.send(me, "move 13/8")
    events = w.ask(me, "resign")
    assert types(events) == ["notice", "win", "board"]
    assert (events[1]["Points"], events[1]["Resigned"]) == (3, "BOT_acme")
    assert (events[2]["Turn"], events[2]["Player2"]["Points"]) == (0, 3)
    assert events[2]["Ended"] > 0, "set in mid-match by a resignation, and it stays"
    assert events[2]["Moves"] == []


def test_cube_rights() -> None:
    w, me, alice = started(20, [(5, 1), (2, 1), (3, 2), (4, 1), (6, 5)])
    assert w.ask(me, "double")[0]["Message"] == "You may not double at this time.", "dice are rolled"
    w.send(me, "move 24/23", "move 13/8", "ok")
    assert w.ask(me, "double")[0]["Message"] == "It is not your turn."
    w.send(alice, "double")
    assert w.ask(alice, "double")[0]["Message"] == "You may not double at this time."
    assert w.ask(me, "roll")[0]["Reason"] == "It is not your turn to roll."
    w.send(me, "ok")
    w.send(alice, "roll", "move 13/11", "move 6/5")
    w.raw(me)
    w.send(alice, "ok")
    assert last_board(w.read(me))["DoublePlayer"] == 1
    w.send(me, "double")
    w.send(alice, "ok")
    (match,) = w.server.matches
    assert (match.cube, match.cube_owner) == (4, 2)
    match.cube = 64
    w.send(me, "roll")
    assert types(w.ask(me, "double")) == ["notice"]


def test_with_the_cube_at_64_the_server_rolls() -> None:
    w, me, alice = started(127, [(5, 1), (2, 1)])
    put(w, list(w.server.matches[0].view(1)), cube=64, cube_owner=2)
    w.send(me, "move 24/23", "move 13/8")
    w.raw(alice)
    w.send(me, "ok")
    assert types(w.read(alice)) == ["rolled", "board"]
