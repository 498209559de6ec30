"""gnubg's cube formulas: recorded prices and equities, and what must hold at every score."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd import _core
from botd.engine.met import default_met_path, load_met
from tests.gnubg.records import cube_state, load
from tests.tolerances import GNUBG_CUBE_EQUITY, GNUBG_GAMMON_PRICE, SAME_VALUE_OTHER_ORDER

TABLE = load_met(default_met_path()).table(derive_last=True)
RECORDS = load("gnubg-cubeful.jsonl")


def efficiency(record):
    """Profile A's, by the class and pip count of the position."""
    if record["class"] in ("contact", "crashed"):
        return 0.68
    if record["class"] == "race":
        pips, _ = _core.pips(_core.board_from_position_id(record["id"]))
        return min(max(0.55 + 0.00125 * pips, 0.6), 0.7)
    return {"over": 0.0, "bearoff1": 0.6}[record["class"]]


def test_gammon_prices():
    for record in RECORDS:
        found = _core.GnubgCubeValue(cube_state(record), TABLE).gammon_prices
        for price, expected in zip(found, record["prices"], strict=True):
            assert price == pytest.approx(expected, rel=GNUBG_GAMMON_PRICE, abs=1e-6), record


def test_static_equities():
    """The recorded outputs put in, the recorded equities come out."""
    tested = 0
    for record in RECORDS:
        if record["ply"] or record["class"] == "bearoff2":
            continue
        tested += 1
        state = cube_state(record)
        value = _core.GnubgCubeValue(state, TABLE)
        owner = record["owner"]
        doubled = cube_state({**record, "cube": 2 * record["cube"], "owner": "opponent"})
        x = efficiency(record)
        no_double = value.equity(value.value(record["outputs"], x))
        take = _core.GnubgCubeValue(doubled, TABLE).value(record["outputs"], x)
        take = value.equity(take) if record["match"] else 2 * take
        scale = max(1.0, *record["prices"])
        assert no_double == pytest.approx(record["no_double"], abs=scale * GNUBG_CUBE_EQUITY), record
        assert take == pytest.approx(record["double_take"], abs=2 * scale * GNUBG_CUBE_EQUITY), record
        if owner == "centered" or record["match"]:
            continue
        assert value.utility(record["outputs"]) == pytest.approx(record["cubeless"], abs=GNUBG_CUBE_EQUITY)
    assert tested > 100


@st.composite
def outcomes(draw):
    """Winning chances that both sides can write in single precision."""
    win = draw(st.sampled_from([0, 1, 1023, 1024]) | st.integers(0, 1024)) / 1024
    shares = draw(st.lists(st.integers(0, 16), min_size=4, max_size=4))
    win_gammon, lose_gammon = win * shares[0] / 16, (1 - win) * shares[1] / 16
    return (win, win_gammon, win_gammon * shares[2] / 16, lose_gammon, lose_gammon * shares[3] / 16)


@st.composite
def states(draw):
    cube = 2 ** draw(st.integers(0, 5))
    owner = draw(st.sampled_from(["centered", "player", "opponent"]))
    limit = draw(st.sampled_from([0, 0, 2, 4, 64]))
    if draw(st.booleans()):
        return _core.CubeState(cube, owner, jacoby=draw(st.booleans()), max_value=limit)
    away = draw(st.tuples(st.integers(1, 64), st.integers(1, 64)))
    crawford = (away[0] == 1) != (away[1] == 1) and draw(st.booleans())
    return _core.CubeState(cube, owner, *away, crawford=crawford, max_value=limit)


@settings(max_examples=400)
@given(state=states(), p=outcomes(), x=st.floats(0, 1))
def test_both_sides_see_the_same_value(state, p, x):
    """Turned round a value is its negative (money) or what is missing to certainty (match)."""
    here = _core.GnubgCubeValue(state, TABLE)
    there = _core.GnubgCubeValue(state.other_side(), TABLE)
    value = here.value(p, x)
    whole = 0.0 if here.native(0.0) == 0.0 and here.native(1.0) == 1.0 else 1.0
    turned = (1.0 - p[0], p[3], p[4], p[1], p[2])
    assert value + there.value(turned, x) == pytest.approx(whole, abs=SAME_VALUE_OTHER_ORDER)
    assert here.utility(p) == pytest.approx(-there.utility(turned), abs=SAME_VALUE_OTHER_ORDER)


@settings(max_examples=200)
@given(state=states(), equity=st.floats(-3, 3))
def test_equities_and_chances_convert_both_ways(state, equity):
    value = _core.GnubgCubeValue(state, TABLE)
    assert value.equity(value.native(equity)) == pytest.approx(equity, abs=GNUBG_CUBE_EQUITY)
    assert value.equity(value.double_pass) == pytest.approx(1.0, abs=GNUBG_CUBE_EQUITY)
