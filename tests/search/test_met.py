"""The match equity table: numbers against GNU Backgammon, and hostile files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd import _core
from botd.engine.met import MetError, default_met_path, load_met
from botd.engine.met_xml import MAX_FILE_BYTES
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
    equities = load_met(write(tmp_path / "differ.xml", SMALL.replace(block, different)))
    assert (equities.post_crawford, equities.post_crawford_1) == ((0.5, 0.48), (0.5, 0.47))
    table = equities.table()
    assert not table.symmetric
    assert [table.chances(2, 1, True, seat) for seat in (0, 1)] == [0.48, 0.47]
    assert table.chances(1, 2, True, 0) == pytest.approx(1 - 0.47)


@pytest.mark.parametrize("players", [("both", "0"), ("0",), ("1", "1"), ("both", "both"), ("2",), ()])
def test_post_crawford_tables_cover_each_player_once(tmp_path, players):
    block = SMALL[SMALL.index("<post-crawford-table") : SMALL.index("</met>")]
    tables = "".join(block.replace('"both"', f'"{player}"') for player in players)
    with pytest.raises(MetError, match=r"player|twice"):
        load_met(write(tmp_path / "players.xml", SMALL.replace(block, tables)))


def test_a_last_post_crawford_entry_may_be_missing(tmp_path):
    """As in some of gnubg's files: that program derives it anyway."""
    short = SMALL.replace("<me>0.48</me>", "")
    table = load_met(write(tmp_path / "short.xml", short)).table()
    assert table.chances(2, 1, True) == 0.5
    with pytest.raises(MetError, match="post-Crawford row of 1 to 2 entries, got 0"):
        load_met(
            write(tmp_path / "shorter.xml", short.replace("<row><me>0.5</me></row></post", "<row/></post"))
        )


FORMULA = """<met><info><name>f</name><length>-1</length></info>
<pre-crawford-table type="{kind}"><parameters>{pre}</parameters></pre-crawford-table>
<post-crawford-table type="{kind}" player="both"><parameters>{post}</parameters></post-crawford-table>
</met>"""


def formula(kind, post="", pre=""):
    return FORMULA.format(kind=kind, pre=pre, post=post)


def parameter(name, value):
    return f'<parameter name="{name}">{value}</parameter>'


def test_tables_given_by_a_formula(tmp_path):
    """The numbers are those that gnubg 1.07 shows for these parameters."""
    zadeh = load_met(
        write(tmp_path / "z.xml", formula("zadeh", parameter("gammon-rate-trailer", 0.3)))
    ).table()
    assert [zadeh.chances(n, 1, True) for n in range(1, 6)] == pytest.approx(
        [0.5, 0.485, 0.325, 0.31575, 0.18875], abs=1e-9
    )
    rates = parameter("gammon-rate", 0.26) + parameter("win-rate", 0.6)
    mec = load_met(write(tmp_path / "m.xml", formula("mec", rates))).table()
    assert [mec.chances(n, 1, True) for n in range(2, 6)] == pytest.approx(
        [0.585, 0.4224, 0.4264, 0.281146], abs=1e-6
    )
    for table in (zadeh, mec):
        assert table.explicit_length == 0
        assert table.chances(1, 2, False) == pytest.approx(0.677244, abs=1e-6)
        assert table.chances(5, 5, False) == pytest.approx(0.5)
        assert table.chances(64, 60, False) < 0.5


def test_an_explicit_table_with_a_formula_after_crawford(tmp_path):
    block = SMALL[SMALL.index("<post-crawford-table") : SMALL.index("</met>")]
    mixed = SMALL.replace(block, '<post-crawford-table type="zadeh"><parameters/></post-crawford-table>')
    table = load_met(write(tmp_path / "mixed.xml", mixed)).table()
    assert table.chances(2, 1, True) == pytest.approx(0.485)
    assert table.chances(1, 2, False) == 0.7


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
        (SMALL.replace('type="explicit"', 'type="zadeh"'), '<row> in a table with type="zadeh"'),
        (formula("kleinman"), 'expected type="explicit", "zadeh" or "mec", got type="kleinman"'),
        (formula("zadeh", parameter("gammon-rate", 0.2)), "parameter 'gammon-rate': expected one of"),
        (formula("zadeh", parameter("gammon-rate-trailer", 1.5)), "expected a number from 0 to 1, got 1.5"),
        (formula("mec", parameter("win-rate", "nan")), "<parameter> win-rate: expected a number, got 'nan'"),
        (formula("mec", parameter("win-rate", "9" * 41)), "<parameter> win-rate: expected a number"),
        (formula("mec", parameter("win-rate", 0.5) * 2), "expected a name of its own"),
        (formula("mec", pre=parameter("", 0.5)), "expected a name of its own"),
        (SMALL.replace("<length>2", "<length>-1"), "with explicit rows, got -1"),
        (SMALL.replace("<length>2", "<length>-3"), "<length>: expected"),
        (SMALL.replace("<length>2", "<length>\u0662"), "<length>: expected"),
        (SMALL.replace("small", "s" * 501), "<name>: expected at most 500 characters"),
        (SMALL.replace("</pre-crawford-table>", ""), "inside another table|not well-formed"),
        (SMALL.replace("<post", "<pre-crawford-table/><post"), "<pre-crawford-table> appears twice"),
        (SMALL.replace("<met>", "<met><parameter name='x'>1</parameter>"), "<parameter> outside a table"),
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


@pytest.mark.parametrize(
    "encoding",
    ["utf-7", "shift_jis", "rot13", "unicode_escape", "cp037", "nonsense", "utf-16", "idna", "hex"],
)
def test_odd_encodings_are_errors_or_read(tmp_path, encoding):
    path = tmp_path / "encoded.xml"
    path.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + SMALL.encode())
    with pytest.raises(MetError, match=r"not well-formed|expected the encoding") as caught:
        load_met(path)
    assert "\n" not in str(caught.value)


def test_encodings_of_xml_are_read(tmp_path):
    path = tmp_path / "encoded.xml"
    for encoding in ("utf-8", "utf-16", "iso-8859-1", "us-ascii"):
        text = f'<?xml version="1.0" encoding="{encoding}"?>' + SMALL.replace("small", "small\n  table")
        path.write_bytes(text.encode(encoding))
        assert load_met(path).name == "small table"
    path.write_bytes(
        SMALL.replace("small", "sm\u00e4ll").encode("iso-8859-1")
    )  # declared as nothing, so UTF-8
    with pytest.raises(MetError, match="not well-formed"):
        load_met(path)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edits=st.lists(
        st.tuples(st.integers(0, len(SMALL)), st.integers(0, 30), st.binary(max_size=20)),
        min_size=1,
        max_size=4,
    ),
    kind=st.sampled_from([SMALL, formula("mec", parameter("win-rate", 0.5)), default_met_path().read_text()]),
)
def test_any_damage_is_one_line_of_error_or_a_table(tmp_path, edits, kind):
    data = kind.encode()
    for at, removed, inserted in edits:
        data = data[:at] + inserted + data[at + removed :]
    path = tmp_path / "damaged.xml"
    path.write_bytes(data)
    try:
        table = load_met(path).table()
    except MetError as error:
        table, message = None, str(error)
    if table is None:
        assert str(path) in message
        assert "\n" not in message
        assert len(message) < len(str(path)) + 400
    else:
        chances = [table.chances(a, b, post) for a in (1, 2, 30) for b in (1, 5, 64) for post in (0, 1)]
        assert all(0.0 <= chance <= 1.0 for chance in chances)


def test_what_is_no_file_is_refused(tmp_path):
    fifo = tmp_path / "fifo.xml"
    os.mkfifo(fifo)
    for path in (fifo, tmp_path, Path("/dev/zero")):
        with pytest.raises(MetError, match="not a file"):
            load_met(path)


def test_huge_and_missing_files(tmp_path):
    with (tmp_path / "sparse.xml").open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(MetError, match="larger than"):
        load_met(tmp_path / "sparse.xml")
    with pytest.raises(MetError, match="larger than"):
        load_met(write(tmp_path / "huge.xml", SMALL + " " * MAX_FILE_BYTES))
    with pytest.raises(FileNotFoundError):
        load_met(tmp_path / "missing.xml")
