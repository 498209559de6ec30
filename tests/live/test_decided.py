"""Decisions as they are shown, with the real engine's numbers."""

from __future__ import annotations

import base64
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.daemon import happenings as h
from botd.engine.engine import SageEngine
from botd.engine.match_id import MatchState, encode
from botd.engine.types import (
    STARTING_BOARD,
    CubeDecision,
    CubeOwner,
    GameContext,
    Probabilities,
    ResignationDecision,
    TakeAction,
)
from botd.journal.records import Decision, DecisionKind
from botd.live.decided import cube_of, decided, outlook
from botd.live.documents import MAX_CANDIDATES, Decided
from tests.live.happening import INFO, told


@cache
def engine() -> SageEngine:
    return SageEngine.load()


def shown(kind: DecisionKind, decision: Decision, chosen: str) -> Decided:
    document = decided(
        told(
            h.Decided, kind=kind, position_id="p", match_id="m", dice=None, chosen=chosen, decision=decision,
            engine=INFO, source="search", duration=0.25,
        ),
        3,
    )  # fmt: skip
    assert outlook(kind, decision, chosen) == (document.win, document.equity)
    assert (document.game, document.kind, document.duration_s) == (3, str(kind), 0.25)
    return document


IDENTIFIERS = st.binary(min_size=9, max_size=9).map(lambda raw: base64.b64encode(raw).decode())


@given(st.text(max_size=20) | IDENTIFIERS)
def test_the_cube_of_any_identifier(text: str) -> None:
    cube = cube_of(text)
    assert cube is None or cube in {1 << power for power in range(16)}


@pytest.mark.parametrize("offered", [False, True])
def test_equities_count_in_the_cube_before_a_double_on_offer(offered: bool) -> None:
    context = GameContext(match_length=7, cube_value=2, cube_owner=CubeOwner.OPPONENT)
    assert cube_of(encode(MatchState(context, double_offered=offered))) == 2


def test_plays_best_first_and_never_too_many() -> None:
    decision = engine().choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=0)
    document = shown(DecisionKind.PLAY, decision, "8/5 6/5")
    assert len(document.candidates) == MAX_CANDIDATES < len(decision.plays)
    assert (document.chosen_index, document.candidates[0].move, document.candidates[0].loss) == (
        0,
        "8/5 6/5",
        0.0,
    )
    losses = [candidate.loss for candidate in document.candidates]
    assert all(loss is not None and loss >= 0 for loss in losses)
    assert document.win == pytest.approx(
        decision.best.probabilities and decision.best.probabilities.win, abs=1e-6
    )


def test_a_play_far_down_the_list_is_there_all_the_same() -> None:
    decision = engine().choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=0)
    last = decision.plays[-1].play.notation
    document = shown(DecisionKind.PLAY, decision, last)
    assert document.chosen_index == MAX_CANDIDATES - 1 == len(document.candidates) - 1
    assert document.candidates[-1].move == last


def test_a_play_that_is_none_of_them() -> None:
    decision = engine().choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=0)
    document = shown(DecisionKind.PLAY, decision, "1/off")
    assert (document.chosen_index, document.equity, document.win) == (None, None, None)


CHANCES = Probabilities(0.7, 0.2, 0.0, 0.1, 0.0)


def cube(no_double: float, take: float, response: TakeAction) -> CubeDecision:
    double = 1.0 if response is TakeAction.PASS else take
    return CubeDecision(
        no_double=no_double, double_take=take, double_pass=1.0, optimal=max(no_double, double), decision="",
        decision_text="", double=double > no_double, response=response, probabilities=CHANCES,
        cubeless_equity=None, ply=2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "chosen", "index", "losses"),
    [
        (cube(0.4, 0.3, TakeAction.TAKE), "roll", 0, [0.0, 0.1, None]),
        (cube(0.4, 0.6, TakeAction.TAKE), "double", 1, [0.2, 0.0, None]),
        (cube(0.8, 1.3, TakeAction.PASS), "double", 2, [0.2, None, 0.0]),
        (cube(1.2, 1.3, TakeAction.PASS), "roll", 0, [0.0, None, 0.2]),
    ],
)
def test_doubling(decision: CubeDecision, chosen: str, index: int, losses: list[float | None]) -> None:
    document = shown(DecisionKind.DOUBLE, decision, chosen)
    assert [candidate.move for candidate in document.candidates] == [
        "No double",
        "Double, take",
        "Double, pass",
    ]
    assert [candidate.loss for candidate in document.candidates] == pytest.approx(losses)
    assert (document.chosen_index, document.win) == (index, 0.7)


@pytest.mark.parametrize(("chosen", "index", "equity"), [("take", 0, -0.6), ("pass", 1, -1.0)])
def test_the_answer_to_a_double_is_seen_by_us(chosen: str, index: int, equity: float) -> None:
    document = shown(DecisionKind.TAKE, cube(0.4, 0.6, TakeAction.TAKE), chosen)
    assert [(c.move, c.loss) for c in document.candidates] == [("Take", 0.0), ("Pass", 0.4)]
    assert (document.chosen_index, document.equity, document.win) == (index, equity, 0.3)


@pytest.mark.parametrize(
    ("kind", "chosen", "moves", "index"),
    [
        (DecisionKind.RESIGN, "play on", ["Play on", "Resign 2"], 0),
        (DecisionKind.RESIGN, "resign 2", ["Play on", "Resign 2"], 1),
        (DecisionKind.ANSWER_RESIGNATION, "reject", ["Reject", "Accept"], 0),
        (DecisionKind.ANSWER_RESIGNATION, "accept", ["Reject", "Accept"], 1),
    ],
)
def test_resignations(kind: DecisionKind, chosen: str, moves: list[str], index: int) -> None:
    decision = ResignationDecision(
        level=2, accept=False, equity=-1.5, resign_equity=-2.0, probabilities=CHANCES, ply=1
    )
    document = shown(kind, decision, chosen)
    assert [candidate.move for candidate in document.candidates] == moves
    assert [candidate.loss for candidate in document.candidates] == [0.0, 0.5]
    assert document.chosen_index == index


def test_an_evaluator_without_probabilities() -> None:
    decision = replace(cube(0.4, 0.6, TakeAction.TAKE), probabilities=None)
    assert shown(DecisionKind.DOUBLE, decision, "double").win is None
    assert shown(DecisionKind.TAKE, decision, "take").win is None
