"""Whole matches between our client and our server, also with a server that has known faults."""

from __future__ import annotations

import pytest

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.server_quirks import BALDLIES, JIBS, ServerQuirks
from tests.fibs.both_ends import Table

QUIRKS = {
    "glued accept": ServerQuirks(glue_accept=True),
    "glued boards": ServerQuirks(glue_board="any"),
    "glued questions": ServerQuirks(glue_board="question"),
    "glued who": ServerQuirks(glue_who=True),
    "single bytes": ServerQuirks(segment_bytes=1),
    "duplicate boards": ServerQuirks(duplicate_boards=True),
    "noise": ServerQuirks(noise=True),
    "torn who": ServerQuirks(torn_who=True),
    "lookalikes": ServerQuirks(clip_lookalikes=True),
    "prompts": ServerQuirks(prompts=True),
    "no start text": ServerQuirks(start_text_for_joiner=False),
    "no automatic roll": ServerQuirks(automatic_roll=False),
    "asked without cube": ServerQuirks(ask_without_cube=True),
    "inverted double": ServerQuirks(double_inverted=True),
    "opening prompt": ServerQuirks(opening_prompt=True),
    "no board after opponent's roll": ServerQuirks(board_after_opponent_roll=False),
    "unknown board": ServerQuirks(board_command="unknown"),
    "silent board": ServerQuirks(board_command="silent"),
    "invisible double": ServerQuirks(double_on_board=False),
    "wrong bars": ServerQuirks(wrong_bars=True),
    "slow": ServerQuirks(reply_delay_s=0.7),
    "jibs": JIBS,
    "baldlies": BALDLIES,
    "lost replies": ServerQuirks(drop_replies=("roll", "move", "double", "accept", "join")),
}


def _check(table: Table, *, losses: bool = False) -> None:
    alice, bob = table.seats
    for seat in table.seats:
        assert seat.seen(ev.Alarm) == []
        if not losses:
            assert seat.seen(ev.MoveRejected) == []
    assert [e.points for e in alice.seen(ev.GameEnded)] == [e.points for e in bob.seen(ev.GameEnded)]


@pytest.mark.parametrize("seed", range(6))
def test_a_match_is_played_to_its_end_without_a_wrong_command(seed: int) -> None:
    table = Table(seed)
    table.play(5)
    _check(table)
    for seat in table.seats:
        (ended,) = seat.seen(ev.MatchEnded)
        assert isinstance(ended, ev.MatchEnded)
        assert max(ended.score, ended.opponent_score) >= 5
        assert seat.seen(ev.ServerError) == []
        assert seat.seen(ev.UnparsedLine) == []
    assert list(table.server.violations) == []


def test_an_unlimited_match_is_left_and_saved() -> None:
    table = Table(3)
    table.seats[0].games_before_leaving = 3
    table.play(None)
    alice, bob = table.seats
    assert alice.seen(ev.MatchSuspended)
    assert bob.seen(ev.MatchSuspended)
    alice.client.show_saved()
    before = len(alice.seen(ev.SavedMatches))
    table.run_until(lambda: len(alice.seen(ev.SavedMatches)) > before)
    saved = alice.seen(ev.SavedMatches)[-1]
    assert isinstance(saved, ev.SavedMatches)
    assert [(m.opponent, m.length) for m in saved.matches] == [("bob", 0)]


def test_resignations_are_answered_in_the_middle_of_turns() -> None:
    for seed in range(5):
        table = Table(seed)
        for seat in table.seats:
            seat.resignations = 0.05
        table.play(5)
        _check(table)


@pytest.mark.parametrize("name", QUIRKS)
def test_a_faulty_server_does_not_stop_a_match(name: str) -> None:
    for seed in (1, 2):
        table = Table(seed, QUIRKS[name])
        table.play(3)
        _check(table, losses=name == "lost replies")
        assert all(seat.seen(ev.MatchEnded) for seat in table.seats)


def test_passwords_stay_out_of_everything_that_is_shown() -> None:
    table = Table(1)
    table.play(1)
    for seat in table.seats:
        shown = repr(seat.client.__dict__) + repr(seat.events)
        assert "correct-horse" not in shown


def test_players_who_invite_each_other_at_once_play_one_match() -> None:
    # The delay lets both commands be under way before either side hears of the match.
    table = Table(1, ServerQuirks(reply_delay_s=0.3))
    alice, bob = table.seats
    table.run_until(lambda: alice.seen(ev.LobbyReady) and bob.seen(ev.LobbyReady))
    alice.client.invite("bob", 1)
    bob.client.invite("alice", 1)
    table.run_until(lambda: alice.seen(ev.MatchEnded) and bob.seen(ev.MatchEnded))
    _check(table)
    # With the delay, a record about somebody else on its way makes any command look too early.
    assert [v for v in table.server.violations if v.kind != "pipelined"] == []
    assert [len(seat.seen(ev.MatchStarted)) for seat in table.seats] == [1, 1]


@pytest.mark.nightly
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", QUIRKS)
def test_many_matches_with_a_faulty_server(name: str) -> None:
    for seed in range(100, 140):
        table = Table(seed, QUIRKS[name])
        table.play(3)
        assert all(seat.seen(ev.MatchEnded) for seat in table.seats), f"seed {seed}"
        assert all(seat.seen(ev.Alarm) == [] for seat in table.seats), f"seed {seed}"
