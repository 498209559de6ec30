"""Accounts, the daemon itself, and what has changed."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from botd.daemon import happenings as h
from botd.daemon.recorder import Sitting
from botd.engine.types import STARTING_BOARD
from botd.journal.records import CubeActionKind, MatchKey, ResignationAction, Side
from botd.live.documents import MAX_TROUBLES, Live
from botd.live.state import Changes, LiveState
from tests.live.happening import INFO, ME, SERVER, account_status, new_state, snapshot, told

STARTED = told(h.MatchStarted, opponent="anna", length=5, score=(0, 0), resumed=False)
SITTING = Sitting(MatchKey("k"), "anna", 5, (2, 1), 2, None)


def opponent(state: LiveState, account: str = ME) -> str | None:
    document = state.account(account)
    assert document is not None
    return None if document.match is None else document.match.opponent


def test_a_match_comes_and_goes() -> None:
    state = new_state()
    assert opponent(state) is None
    state.happened(STARTED)
    state.happened(told(h.MatchNamed, key=MatchKey("k"), game=0))
    assert opponent(state) == "anna"
    assert state.take_changes() == Changes({ME})
    state.happened(told(h.MatchOver, opponent="anna", winner=Side.US, score=(5, 3)))
    document = state.account(ME)
    assert document is not None
    assert document.match is None
    assert document.last_match is not None
    last = document.last_match
    assert (last.key, last.opponent, last.winner, last.score) == ("k", "anna", "us", (5, 3))


def test_a_suspended_match_is_no_last_match() -> None:
    state = new_state()
    state.happened(STARTED)
    state.happened(told(h.MatchSuspended, opponent="anna", reason="left", score=(0, 0)))
    document = state.account(ME)
    assert document is not None
    assert (document.match, document.last_match) == (None, None)


def test_the_rating_is_that_which_the_server_last_told() -> None:
    state = new_state()
    for rating in (1500.0, 1517.32):
        state.happened(told(h.RatingSeen, rating=rating, experience=3))
        document = state.account(ME)
        assert document is not None
        assert document.rating == rating
        assert state.take_changes().accounts == {ME}


def test_accounts_are_kept_apart() -> None:
    state = new_state(account_status("me"), account_status("you"))
    state.happened(STARTED)
    state.happened(told(h.MatchStarted, account="you", opponent="bert", length=0, score=(0, 0), resumed=True))
    assert (opponent(state), opponent(state, f"you@{SERVER}")) == ("anna", "bert")
    assert state.take_changes().accounts == {ME, f"you@{SERVER}"}


def test_the_state_of_a_connection_has_an_age() -> None:
    state = LiveState("one", INFO)
    state.snapshot(snapshot(account_status(state="connecting"), at=10.0))
    state.snapshot(snapshot(account_status(state="connecting"), at=11.0))
    document = state.account(ME)
    assert document is not None
    assert (document.state, document.since) == ("connecting", 10.0)
    state.take_changes()
    state.snapshot(snapshot(account_status(state="ready"), at=12.0))
    assert state.take_changes() == Changes({ME})
    document = state.account(ME)
    assert document is not None
    assert (document.state, document.since) == ("ready", 12.0)


def test_what_changes_all_the_time_is_no_change() -> None:
    state = new_state()
    state.snapshot(snapshot(account_status(last_message_at=5.0), uptime_s=99.0, at=5.0))
    assert state.take_changes() == Changes()
    document = state.account(ME)
    assert document is not None
    assert document.last_message_at == 5.0


def test_an_account_removed_by_a_reload_is_gone() -> None:
    state = new_state(account_status("me"), account_status("you"))
    state.happened(STARTED)
    state.snapshot(snapshot(account_status("you")))
    assert state.take_changes().everything
    assert (state.accounts, state.account(ME)) == ((f"you@{SERVER}",), None)
    state.happened(STARTED)  # its last words
    assert state.account(ME) is None
    assert not state.knows(STARTED)


def test_an_account_added_by_a_reload_comes_with_its_match() -> None:
    state = new_state(account_status("you"))
    state.snapshot(snapshot(account_status("me"), account_status("you"), sittings={ME: SITTING}))
    assert opponent(state) == "anna"


def test_after_a_loss_matches_are_as_the_daemon_says() -> None:
    state = new_state(account_status("me"), account_status("you"))
    state.happened(STARTED)
    state.happened(told(h.MatchStarted, account="you", opponent="bert", length=0, score=(0, 0), resumed=True))
    state.take_changes()
    accounts = (account_status("me"), account_status("you"))
    state.snapshot(snapshot(*accounts, sittings={ME: SITTING}), lost=True)
    assert (opponent(state), opponent(state, f"you@{SERVER}")) == ("anna", None)
    document = state.account(ME)
    assert document is not None
    assert document.match is not None
    assert (document.match.key, document.match.game, document.match.score) == ("k", 2, (2, 1))
    assert state.take_changes().accounts == {ME, f"you@{SERVER}"}


def test_without_a_loss_a_snapshot_leaves_matches_alone() -> None:
    """What it says of them may be ahead of the happenings still to come."""
    state = new_state()
    state.happened(STARTED)
    state.snapshot(snapshot(sittings={}))
    assert opponent(state) == "anna"


def test_troubles_are_bounded() -> None:
    state = new_state()
    for number in range(MAX_TROUBLES + 5):
        state.happened(h.Trouble(account="", server="", what=f"w{number}", detail="d" * 9999))
    troubles = state.live(1.0, ()).troubles
    assert len(troubles) == MAX_TROUBLES
    assert (troubles[-1].what, len(troubles[-1].detail)) == (f"w{MAX_TROUBLES + 4}", 500)
    assert state.take_changes().everything


SIDES = st.sampled_from(Side)
DICE = st.tuples(st.integers(1, 6), st.integers(1, 6))
BOARDS = st.sampled_from([STARTING_BOARD, None])
SCORES = st.tuples(st.integers(0, 99), st.integers(0, 99))
TEXTS = st.text(max_size=80)
LENGTHS = st.integers(0, 64)
ACTIONS = st.sampled_from(CubeActionKind)
ANSWERS = st.sampled_from(ResignationAction)
COMMON = {"account": st.just("me"), "server": st.just(SERVER)}
EVENTS = st.one_of(
    st.builds(h.MatchStarted, **COMMON, opponent=TEXTS, length=LENGTHS, score=SCORES, resumed=st.booleans()),
    st.builds(h.MatchNamed, **COMMON, key=TEXTS, game=st.integers(0, 9)),
    st.builds(h.GameStarted, **COMMON, number=st.integers(1, 9), score=SCORES, crawford=st.booleans()),
    st.builds(h.Rolled, **COMMON, side=SIDES, dice=DICE, board=BOARDS),
    st.builds(h.Moved, **COMMON, side=SIDES, dice=DICE, notation=TEXTS, board=BOARDS),
    st.builds(h.CubeActed, **COMMON, side=SIDES, action=ACTIONS, cube=st.integers(1, 4096)),
    st.builds(h.Resigned, **COMMON, side=SIDES, action=ANSWERS, level=st.integers(1, 3)),
    st.builds(h.GameOver, **COMMON, winner=SIDES, points=st.integers(1, 9), score=SCORES),
    st.builds(h.MatchOver, **COMMON, opponent=TEXTS, winner=SIDES, score=SCORES),
    st.builds(h.MatchSuspended, **COMMON, opponent=TEXTS, reason=TEXTS, score=SCORES),
    st.builds(h.Connected, **COMMON),
    st.builds(h.Disconnected, **COMMON, reason=TEXTS),
    st.builds(h.Trouble, **COMMON, what=TEXTS, detail=TEXTS),
    st.builds(
        h.TableSeen, **COMMON, board=st.just(STARTING_BOARD), length=LENGTHS, score=SCORES,
        crawford=st.booleans(), turn=st.none() | SIDES, dice=st.none() | DICE, cube=st.integers(1, 64),
        cube_owner=st.none() | SIDES, doubled=st.booleans(),
    ),
)  # fmt: skip


@given(st.lists(EVENTS, max_size=30))
def test_whatever_happens_in_whatever_order_becomes_a_document(events: list[h.Happening]) -> None:
    state = new_state()
    for event in events:
        state.happened(event)
    live = state.live(1.0, ())
    assert msgspec.json.decode(msgspec.json.encode(live), type=Live) == live
