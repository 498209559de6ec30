"""The match equity table: numbers against GNU Backgammon, and hostile files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botd import _core
from botd.engine.met import MAX_FILE_BYTES, MetError, default_met_path, load_met
from tests.tolerances import MATCH_CHANCES

DATA = Path(__file__).parent.parent / "data"
DERIVED = json.loads((DATA / "met-derived.json").read_text())["derived"]


@pytest.fixture(scope="module")
def equities():
    return load_met(default_met_path())


class Score:
    """Chances after one game, for one side of a derived record."""

    def __init__(self, table: Any, record: dict[str, Any], side: str) -> None:
        other = "opponent" if side == "player" else "player"
        self.table = table
        self.away = record[f"{side}_away"]
        self.opponent_away = record[f"{other}_away"]
        self.post = record["crawford"] or 1 in (self.away, self.opponent_away)

    def won(self, points: int) -> float:
        return self.table.chances(self.away - points, self.opponent_away, self.post)

    def lost(self, points: int) -> float:
        return self.table.chances(self.away, self.opponent_away - points, self.post)


def identifier(record: dict[str, Any]) -> str:
    return "{match_length}pt-{player_away}-{opponent_away}-cube{cube_value}".format(**record) + (
        "-crawford" if record["crawford"] else ""
    )


@pytest.mark.parametrize("record", DERIVED, ids=identifier)
def test_derived_values(equities, record):
    table = equities.table()
    cube = record["cube_value"]
    score = Score(table, record, "player")
    win, lose = score.won(cube), score.lost(cube)
    assert win == pytest.approx(record["mwc"]["win"], abs=MATCH_CHANCES)
    assert lose == pytest.approx(record["mwc"]["lose"], abs=MATCH_CHANCES)
    assert (win + lose) / 2 == pytest.approx(record["mwc"]["even"], abs=MATCH_CHANCES)
    assert lose + 0.75 * (win - lose) == pytest.approx(record["mwc"]["half"], abs=MATCH_CHANCES)
    # gnubg divides single-precision chances; near a decided match the scale is small.
    equity = (2 * 0.4 - win - lose) / (win - lose)
    assert equity == pytest.approx(record["equity_of_mwc_0.4"], rel=MATCH_CHANCES, abs=MATCH_CHANCES)
    for side in ("player", "opponent"):
        own = Score(table, record, side)
        span = own.won(cube) - own.lost(cube)
        gammon = (own.won(2 * cube) - own.won(cube)) / span
        backgammon = (own.won(3 * cube) - own.won(2 * cube)) / span
        assert gammon == pytest.approx(record["gammon_value"][side], rel=5e-5, abs=MATCH_CHANCES)
        assert backgammon == pytest.approx(record["backgammon_extra"][side], rel=5e-5, abs=MATCH_CHANCES)


def test_last_post_crawford_entry(equities):
    """The file's 25th entry is used by Sage; gnubg derives it instead."""
    assert equities.table().chances(25, 1, True) == 0.00123
    gnubg = _core.MatchEquityTable(
        [list(row) for row in equities.pre_crawford],
        list(equities.post_crawford),
        derive_last_post_crawford=True,
    )
    assert gnubg.chances(25, 1, True) == pytest.approx(0.00118125, abs=1e-12)
    assert gnubg.chances(24, 1, True) == 0.00182


def test_long_matches_continue_the_table(equities):
    table = equities.table()
    for opponent_away in (2, 10, 25, 40, 64):
        previous = 1.0
        for away in range(1, 65):
            chance = table.chances(away, opponent_away, False)
            assert 0.0 <= chance <= 1.0
            if away > 26:
                assert chance < previous
            previous = chance
    assert equities.description.startswith("Kazaross-XG2, computed by Neil Kazaross")


SMALL = """<met><info><name>small</name><length>2</length></info>
<pre-crawford-table type="explicit"><row><me>0.5</me><me>0.7</me></row><row><me>0.3</me><me>0.5</me></row>
</pre-crawford-table>
<post-crawford-table type="explicit" player="both"><row><me>0.5</me><me>0.48</me></row></post-crawford-table>
</met>"""


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_small_table(tmp_path):
    small = load_met(write(tmp_path / "small.xml", SMALL))
    assert small.name == "small"
    assert small.pre_crawford == ((0.5, 0.7), (0.3, 0.5))
    assert small.table().chances(3, 1, True) == pytest.approx(0.125 + 0.375 * 0.5)


def test_one_table_for_each_player(tmp_path):
    block = SMALL[SMALL.index("<post-crawford-table") : SMALL.index("</met>")]
    both = block.replace('"both"', '"0"') + block.replace('"both"', '"1"')
    assert load_met(write(tmp_path / "two.xml", SMALL.replace(block, both))).post_crawford == (0.5, 0.48)
    different = both[::-1].replace("0.48"[::-1], "0.47"[::-1], 1)[::-1]
    with pytest.raises(MetError, match="same for both players"):
        load_met(write(tmp_path / "differ.xml", SMALL.replace(block, different)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not well-formed"),
        (SMALL[:200], "not well-formed"),
        ("<html></html>", "expected the element <met>"),
        (SMALL.replace("<length>2", "<length>3"), "expected 3 rows"),
        (SMALL.replace("<length>2", "<length>999999999999"), "<length>: expected"),
        (SMALL.replace("<length>2", "<length>-2"), "<length>: expected"),
        (SMALL.replace("0.7", "nan"), "expected a probability"),
        (SMALL.replace("0.7", "1.7"), "expected a probability"),
        (SMALL.replace("0.7", "9" * 100), "expected a probability"),
        (SMALL.replace("0.7", "0.4"), "pre-Crawford entry 1, 2 is below the entry before it"),
        (SMALL.replace("0.3", "0.6"), "pre-Crawford entry 2, 1 is above the entry over it"),
        (SMALL.replace("<me>0.7</me>", ""), "expected 2 entries in row 1, got 1"),
        (SMALL.replace("<me>0.7</me>", "<me>0.7</me>" * 100), "more than 64 entries"),
        (SMALL.replace('type="explicit"', 'type="zadeh"'), 'expected type="explicit"'),
        (SMALL.replace("0.48", "0.6"), "needing more points cannot be better"),
        ("<met>" + "<a>" * 5000, "nested too deeply"),
        (SMALL.replace("<met>", "<met><me>0.5</me>"), "<me> outside a row"),
        (SMALL.replace("<met>", "<met><row></row>"), "<row> outside a table"),
    ],
)
def test_damaged_files_are_named_and_explained(tmp_path, text, message):
    path = write(tmp_path / "broken.xml", text)
    with pytest.raises(MetError, match=message) as caught:
        load_met(path)
    assert str(path) in str(caught.value)


def test_entity_bombs_do_not_expand(tmp_path):
    entities = '<!ENTITY a "0.5">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(20)
    )
    bomb = f"<!DOCTYPE met [{entities}]>" + SMALL.replace("0.7", "&u;")
    with pytest.raises(MetError, match="entity declarations are not allowed"):
        load_met(write(tmp_path / "bomb.xml", bomb))
    outside = '<!DOCTYPE met [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + SMALL.replace("0.7", "&x;")
    with pytest.raises(MetError, match="entity declarations are not allowed"):
        load_met(write(tmp_path / "outside.xml", outside))


def test_huge_and_missing_files(tmp_path):
    with pytest.raises(MetError, match="larger than"):
        load_met(write(tmp_path / "huge.xml", SMALL + " " * MAX_FILE_BYTES))
    with pytest.raises(FileNotFoundError):
        load_met(tmp_path / "missing.xml")
