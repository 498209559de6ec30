"""gnubg's cube formulas: recorded prices and equities, and what must hold at every score."""

from __future__ import annotations

import pytest

from botd import _core
from botd.engine.met import default_met_path, load_met
from tests.gnubg.records import cube_state, load
from tests.tolerances import GNUBG_CUBE_EQUITY, GNUBG_GAMMON_PRICE

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
