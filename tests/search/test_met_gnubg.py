"""Every match equity table that comes with GNU Backgammon, against what the program shows for it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from botd.engine.met import load_met
from tests.tolerances import SHOWN_PERCENT

GNUBG = "/usr/games/gnubg"
FOLDER = Path("/usr/share/gnubg/met")
TABLES = (
    "Kazaross-XG2",
    "Rockwell-Kazaross",
    "g11",
    "jac050",
    "jac100",
    "jacobs",
    "mec",
    "mec26",
    "ortega",
    "snowie",
    "woolsey",
    "zadeh",
)
LENGTH = 64


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """By table: the rows before Crawford and of each player after it, in percent, as the program says."""
    commands = "".join(f"set met {FOLDER / name}.xml\nshow met {LENGTH}\n" for name in TABLES)
    home = tmp_path_factory.mktemp("home")
    run = subprocess.run(
        [GNUBG, "-t", "-q"],
        input=commands,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "HOME": str(home)},
        check=True,
    )
    reports = run.stdout.split("Match equity table: ")[1:]
    assert len(reports) == len(TABLES)
    tables = {}
    for name, report in zip(TABLES, reports, strict=True):
        parts = re.split(r"Pre-Crawford table:|Post-Crawford table for player [01]", report)[1:]
        tables[name] = [
            [
                [float(number) for number in row.split()]
                for row in re.findall(r"^ *\d+-away +((?:\d+\.\d+ *)+)$", part, re.M)
            ]
            for part in parts
        ]
    return tables


def test_no_table_of_the_program_is_left_out():
    assert {path.stem for path in FOLDER.glob("*.xml")} - {"catalog"} == set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_chances_are_those_of_the_program(shown, name):
    pre, *post = shown[name]
    table = load_met(FOLDER / f"{name}.xml").table(derive_last=True)
    assert len(pre) == LENGTH
    for a, row in enumerate(pre, start=1):
        for b, percent in enumerate(row, start=1):
            assert 100 * table.chances(a, b, False) == pytest.approx(percent, abs=SHOWN_PERCENT)
            other = 100 * table.chances(b, a, False, seat=1)
            assert other == pytest.approx(100 - percent, abs=SHOWN_PERCENT)
    for seat, ((row,),) in enumerate(zip(post, strict=True)):
        if name == "mec" and seat == 1:
            # The program takes `player="both"` for player 0 alone where a formula is given.
            continue
        for need, percent in enumerate(row, start=1):
            chance = 100 * table.chances(need, 1, True, seat)
            if need == 1:
                continue  # both need one point: the program shows either row, and looks up one of them
            assert chance == pytest.approx(percent, abs=SHOWN_PERCENT)


def test_a_favourite_is_the_favourite_on_either_side():
    """jac100: player 0 is 100 rating points better."""
    table = load_met(FOLDER / "jac100.xml").table()
    assert not table.symmetric
    for away in range(1, 65):
        better, worse = table.chances(away, away, False, 0), table.chances(away, away, False, 1)
        assert better + worse == pytest.approx(1.0)
        if away <= 25:
            assert better > 0.5 > worse
