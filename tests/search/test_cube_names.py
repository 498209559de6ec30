"""Decision names by gnubg's rules, case by case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from botd import _core
from botd.engine.cube_names import DECISION_TEXTS, CubeSituation, decision_name
from botd.engine.types import CubeOwner, GameContext, Probabilities

GAMMONS = Probabilities(0.7, 0.2, 0.0, 0.1, 0.0)
NO_GAMMONS = Probabilities(0.7, 0.0, 0.0, 0.0, 0.0)
NO_WIN = Probabilities(0.0, 0.0, 0.0, 0.1, 0.0)
MONEY = GameContext()
BEAVERS = GameContext(beavers=True)
JACOBY = GameContext(jacoby=True)
MATCH = GameContext(match_length=7)


def owned(context):
    return GameContext(
        match_length=context.match_length,
        cube_value=2,
        cube_owner=CubeOwner.PLAYER,
        jacoby=context.jacoby,
        beavers=context.beavers,
    )


@pytest.mark.parametrize(
    ("no_double", "double_take", "context", "probabilities", "name"),
    [
        (0.5, 0.6, MONEY, GAMMONS, "DOUBLE_TAKE"),
        (0.5, 0.6, owned(MONEY), GAMMONS, "REDOUBLE_TAKE"),
        (0.6, 0.600001, MATCH, GAMMONS, "OPTIONAL_DOUBLE_TAKE"),
        (0.6, 0.600001, owned(MATCH), GAMMONS, "OPTIONAL_REDOUBLE_TAKE"),
        (-1.0, -0.9, MATCH, NO_WIN, "NODOUBLE_TAKE"),
        (-1.0, -0.9, owned(MATCH), NO_WIN, "NO_REDOUBLE_TAKE"),
        (0.9, 1.2, MONEY, GAMMONS, "DOUBLE_PASS"),
        (0.9, 1.2, owned(MONEY), GAMMONS, "REDOUBLE_PASS"),
        (1.0, 1.2, MONEY, GAMMONS, "OPTIONAL_DOUBLE_PASS"),
        (1.0, 1.2, owned(MATCH), GAMMONS, "OPTIONAL_REDOUBLE_PASS"),
        (1.0, 1.2, JACOBY, GAMMONS, "DOUBLE_PASS"),
        (1.0, 1.2, owned(JACOBY), GAMMONS, "OPTIONAL_REDOUBLE_PASS"),
        (1.0, 1.2, MONEY, NO_GAMMONS, "DOUBLE_PASS"),
        (1.1, 1.2, MONEY, GAMMONS, "TOOGOOD_PASS"),
        (1.1, 1.2, owned(MONEY), GAMMONS, "TOOGOODRE_PASS"),
        (1.3, 1.2, MONEY, GAMMONS, "TOOGOOD_PASS"),
        (1.3, 1.2, MONEY, NO_GAMMONS, "DOUBLE_PASS"),
        (1.1, 0.9, MONEY, GAMMONS, "TOOGOOD_TAKE"),
        (1.1, 0.9, owned(MONEY), GAMMONS, "TOOGOODRE_TAKE"),
        (1.1, 0.9, MONEY, NO_GAMMONS, "NODOUBLE_TAKE"),
        (0.5, 0.4, MONEY, GAMMONS, "NODOUBLE_TAKE"),
        (0.5, 0.4, owned(MONEY), GAMMONS, "NO_REDOUBLE_TAKE"),
        (0.1, -0.1, BEAVERS, GAMMONS, "NODOUBLE_BEAVER"),
        (0.1, -0.1, owned(BEAVERS), GAMMONS, "NO_REDOUBLE_BEAVER"),
        (0.1, -0.1, MONEY, GAMMONS, "NODOUBLE_TAKE"),
        (0.1, -2.1, BEAVERS, GAMMONS, "NODOUBLE_TAKE"),
        (-0.5, -0.2, BEAVERS, GAMMONS, "DOUBLE_BEAVER"),
        (-0.3, -0.2, BEAVERS, GAMMONS, "NODOUBLE_BEAVER"),
        (-0.000001, 0.0, BEAVERS, GAMMONS, "OPTIONAL_DOUBLE_BEAVER"),
    ],
)
def test_name(no_double, double_take, context, probabilities, name):
    situation = CubeSituation(no_double, double_take, 1.0, True, context, probabilities)
    assert decision_name(situation) == name
    assert name in DECISION_TEXTS


def test_before_1_08_a_certain_loser_may_double():
    for double_take, context, name in [
        (-0.9, MATCH, "DOUBLE_TAKE"),
        (-0.9, owned(MATCH), "REDOUBLE_TAKE"),
        (-1.0, MATCH, "OPTIONAL_DOUBLE_TAKE"),
        (-1.0, owned(MATCH), "OPTIONAL_REDOUBLE_TAKE"),
    ]:
        situation = CubeSituation(-1.0, double_take, 1.0, True, context, NO_WIN)
        assert decision_name(situation, certain_losers_hold=False) == name


@pytest.mark.parametrize(
    ("context", "name"),
    [
        (MATCH, "NODOUBLE_DEADCUBE"),
        (owned(MATCH), "NO_REDOUBLE_DEADCUBE"),
        (GameContext(match_length=7, cube_value=2, cube_owner=CubeOwner.OPPONENT), "NOT_AVAILABLE"),
        (GameContext(cube_value=2, cube_owner=CubeOwner.OPPONENT), "NOT_AVAILABLE"),
    ],
)
def test_unavailable(context, name):
    assert decision_name(CubeSituation(0.5, 0.9, 1.0, False, context, GAMMONS)) == name


def test_names_of_gnubgs_own_equities():
    """With gnubg's equities and probabilities put in, its decision names and texts come out."""
    path = Path(__file__).parent.parent / "data" / "gnubg-cube-names.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(records) == 294
    for record in records:
        fields = record["context"]
        context = GameContext(**{**fields, "cube_owner": CubeOwner(fields["cube_owner"])})
        needs = (0, 0)
        if context.match_length:
            needs = (
                context.match_length - context.score_player,
                context.match_length - context.score_opponent,
            )
        state = _core.CubeState(
            context.cube_value, context.cube_owner.value, *needs, crawford=context.crawford
        )
        situation = CubeSituation(
            record["no_double"],
            record["double_take"],
            record["double_pass"],
            state.may_double,
            context,
            Probabilities(**record["probabilities"]),
        )
        name = decision_name(situation)
        assert (name, DECISION_TEXTS[name]) == (record["decision"], record["decision_text"]), record["id"]
