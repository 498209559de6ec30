"""`botd stats`: one set of figures in every form, quick without analysis, and clear about what is missing."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sqlite3
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from botd.cli.main import main
from botd.journal import records as r
from botd.stats.analysis_file import analysis_path
from tests.played import PlayedJournals
from tests.stats.journals import FIRST, Played, Writer, journal_writer

Output = pytest.CaptureFixture[str]
HOSTILE = "=1+1\x1b[31m $x^2$ </text><script>é中"
QUICK = ("--engine", "sage", "--ply", "0")
SVG = "{http://www.w3.org/2000/svg}"


def stats(capsys: Output, journal: Path, *options: str) -> str:
    assert main(["stats", "--journal", str(journal), *QUICK, *options]) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four months of matches, some unlimited games, ratings, a name that wishes us ill."""
    path = tmp_path_factory.mktemp("stats") / "j.sqlite3"
    with journal_writer(path) as write:
        for number, opponent in enumerate(["anna", "bert", HOSTILE, "anna", "bert", "anna"]):
            write.at = FIRST + number * 15 * 86400
            match = Played(write, number, 1 + 2 * (number % 2), opponent=opponent)
            match.whole_match()
            write(r.RatingSeen, "local:4321", "botd", 1500.0 + 7 * number, 10 + number, match.key)
        _unlimited(write)
    return path


def _unlimited(write: Writer) -> None:
    match = Played(write, 99, 0)
    match.game()
    match.game()
    write(r.MatchSuspended, match.key, r.Suspension.OPPONENT_LEFT, match.score)


def test_all_forms_tell_the_same(journal: Path, capsys: Output) -> None:
    document: dict[str, Any] = json.loads(stats(capsys, journal, "--by", "opponent", "--json"))
    overall, groups = document["overall"], document["groups"]
    assert (overall["matches"], overall["finished"], overall["judged_matches"]) == (7, 6, 7)
    assert document["judge"]["evaluator"] == "sage"
    assert document["judge"]["ply"] == 0
    assert len(document["ratings"]) == 6
    assert sum(row["matches"] for row in groups) == 7
    assert sum(row["decisions_us"] for row in groups) == overall["decisions_us"]
    rows = list(csv.DictReader(io.StringIO(stats(capsys, journal, "--by", "opponent", "--csv"))))
    assert [float(row["error_rate_us"]) for row in rows] == [row["error_rate_us"] for row in groups]
    assert [row["name"][0] for row in rows] == ["a", "b", "'"]
    text = stats(capsys, journal, "--by", "opponent")
    assert all(line.isprintable() for line in text.splitlines())
    assert f"Won           {overall['won']} of 6 finished" in text
    assert f"Points        {overall['points_us']} to {overall['points_opponent']}" in text
    assert "botd on local:4321: 1535.0 now, 1500.0 at first" in text
    assert f"{overall['error_rate_us']:.2f}" in text
    for row in groups:
        assert f"{row['error_rate_opponent']:.1f}" in text
    assert "sage at 0-ply, exact mode" in text


@pytest.mark.parametrize("by", ["month", "level", "server", "account", "length"])
def test_every_group(journal: Path, capsys: Output, by: str) -> None:
    rows = json.loads(stats(capsys, journal, "--by", by, "--json"))["groups"]
    assert sum(row["matches"] for row in rows) == 7
    assert len(rows) == {"month": 4, "length": 3}.get(by, 1)


def test_without_analysis_no_side_file_is_made(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        Played(write, 1).whole_match()
    text = stats(capsys, path, "--no-analysis")
    assert "Judged" not in text
    assert "Error" not in text
    document = json.loads(stats(capsys, path, "--no-analysis", "--json"))
    assert document["judge"] is None
    assert document["overall"]["error_rate_us"] is None
    assert not analysis_path(path).exists()
    stats(capsys, path)
    assert analysis_path(path).exists()


def test_an_empty_journal(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path):
        pass
    for options in ((), ("--csv",), ("--plot", str(tmp_path / "x.png"))):
        assert main(["stats", "--journal", str(path), *options]) == 0
        assert capsys.readouterr() == ("", "no such matches\n")
    assert json.loads(stats(capsys, path, "--json"))["overall"]["matches"] == 0
    assert not (tmp_path / "x.png").exists()


def test_one_roll(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        write(r.MatchStarted, r.MatchKey("m"), "s", "botd", "anna", 1)
        write(r.GameStarted, r.GameKey(r.MatchKey("m"), 1), (0, 0))
        write(r.Rolled, r.GameKey(r.MatchKey("m"), 1), r.Side.US, (3, 1), opening=True)
    overall = json.loads(stats(capsys, path, "--json"))["overall"]
    assert (overall["matches"], overall["finished"], overall["decisions_us"]) == (1, 0, 0)
    assert overall["luck_rate_us"] is not None
    assert overall["win_rate"] is overall["error_rate_us"] is None
    assert "Rating        none on record" in stats(capsys, path)


def test_real_matches_of_both_servers(
    played_journals: PlayedJournals, tmp_path: Path, capsys: Output
) -> None:
    for path in (played_journals.fibs, played_journals.bgammon):
        copy = played_journals.copy(path, tmp_path)
        text = stats(capsys, copy, "--by", "account", "--analysis", str(tmp_path / path.parent.name))
        assert "Luck" in text
        assert not analysis_path(copy).exists()


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """As for a user who may read the journal and no more; tests often run as one who may everything."""
    mode = folder.stat().st_mode
    folder.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(mode)


def test_a_folder_that_is_not_ours_is_no_obstacle(
    capsys: Output, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="botd-") as name:
        folder = Path(name)
        path = folder / "j.sqlite3"
        with journal_writer(path) as write:
            Played(write, 1).whole_match()
        path.chmod(0o644)
        with read_only(folder):
            assert main(["stats", "--journal", str(path), *QUICK]) == 0
        out, error = capsys.readouterr()
        assert "Judged: 1 match" in out
        assert "the analysis is not kept (--analysis FILE keeps it)" in error
        assert list(folder.iterdir()) == [path]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--engine", "nobody"), 2, "--engine: engine 'nobody': expected sage"),
        (("--analysis", "/"), 1, "analysis file /: "),
        (("--plot", "/no/such/folder/x.png"), 1, "/no/such/folder/x.png: cannot be written"),
        (("--engine", "sage", "--ply", "9"), 2, "expected a number from 0 to 4"),
        (("--plot", "picture.gif"), 2, "expected a file name ending in .png"),
        (("--by", "weather"), 2, "invalid choice"),
    ],
)
def test_what_is_wrong_is_said(
    journal: Path, capsys: Output, options: tuple[str, ...], status: int, message: str
) -> None:
    try:
        assert main(["stats", "--journal", str(journal), *QUICK, *options]) == status
    except SystemExit as ended:
        assert ended.code == status  # noqa: PT017 - argparse ends the program
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_a_picture_shows_the_figures(journal: Path, tmp_path: Path, capsys: Output) -> None:
    overall = json.loads(stats(capsys, journal, "--json"))["overall"]
    for ending in ("svg", "png", "pdf"):
        stats(capsys, journal, "--plot", str(tmp_path / f"one.{ending}"))
        stats(capsys, journal, "--plot", str(tmp_path / f"two.{ending}"))
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    texts = [element.text or "" for element in ET.parse(tmp_path / "one.svg").iter(f"{SVG}text")]
    for title in (
        "Rating",
        "Points won less lost, all games",
        "Matches won less lost, with and without luck",
        "Points in unlimited games, with and without luck",
        "Matches won, with 95% intervals",
        "Error rate by month (millipoints a decision)",
    ):
        assert title in texts
    assert f"7 matches, 2026-05-28 to 2026-08-11: {overall['win_rate']:.1%} won" in " ".join(texts)
    net = overall["points_us"] - overall["points_opponent"]
    assert f"{net:+,}".replace("-", "\N{MINUS SIGN}") in texts or f"{net:+,}" in texts
    won = 2 * overall["won"] - overall["finished"]
    assert f"as played: {won:+.1f}" in texts
    assert not any("\x1b" in text for text in texts)
    assert not list(ET.parse(tmp_path / "one.svg").iter(f"{SVG}script"))
    assert any(text.startswith("=1+1") for text in texts)


def test_a_picture_without_analysis_and_without_results(
    journal: Path, tmp_path: Path, capsys: Output
) -> None:
    stats(capsys, journal, "--no-analysis", "--plot", str(tmp_path / "x.svg"))
    texts = [element.text or "" for element in ET.parse(tmp_path / "x.svg").iter(f"{SVG}text")]
    assert "Rating" in texts
    assert not any("luck" in text or "Error" in text for text in texts)
    begun = tmp_path / "j.sqlite3"
    with journal_writer(begun) as write:
        write(r.MatchStarted, r.MatchKey("m"), "s", "botd", "anna", 1)
    assert main(["stats", "--journal", str(begun), *QUICK, "--plot", str(tmp_path / "y.svg")]) == 1
    assert "nothing to draw" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "drawn"),
    [
        ("UPDATE games SET points = 9223372036854775807", True),
        ("UPDATE ratings SET rating = 9e999", True),
        ("UPDATE matches SET started_at = '9999-12-31T23:59:59.999Z' WHERE number % 2", False),
    ],
)
def test_figures_beyond_all_measure_are_drawn_or_one_line(
    journal: Path, tmp_path: Path, capsys: Output, damage: str, drawn: bool
) -> None:
    path = tmp_path / "j.sqlite3"
    with (
        contextlib.closing(sqlite3.connect(journal)) as source,
        contextlib.closing(sqlite3.connect(path)) as to,
    ):
        source.backup(to)
        to.execute("PRAGMA ignore_check_constraints = ON")
        to.execute(damage)
        to.commit()
    done = main(["stats", "--journal", str(path), "--no-analysis", "--plot", str(tmp_path / "x.svg")])
    told = capsys.readouterr().err
    assert done == (0 if drawn else 1)
    assert (tmp_path / "x.svg").exists() == drawn
    assert drawn or (told.startswith("botd stats: these figures cannot be drawn: ") and told.count("\n") == 1)


def test_without_matplotlib_it_says_what_to_install(
    journal: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["stats", "--journal", str(journal), *QUICK, "--plot", "x.png"]) == 1
    assert capsys.readouterr().err == "botd stats: plots need matplotlib: pip install 'botd[plots]'\n"
    assert "Judged" in stats(capsys, journal)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE games SET winner = 'nobody'",
        "UPDATE games SET points = 'many'",
        "UPDATE decisions SET ply = 'deep'",
        "UPDATE decisions SET settings = 'no JSON'",
        "UPDATE ratings SET at = 'yesterday'",
        "UPDATE ratings SET rating = 'high'",
        "UPDATE rolls SET side = 'nobody'",
        "UPDATE moves SET steps = 'wherever' WHERE id = 3",
    ],
)
def test_a_journal_somebody_has_written_into_is_one_line(
    played_journals: PlayedJournals, tmp_path: Path, capsys: Output, damage: str
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute(damage).rowcount
        connection.commit()
    assert main(["stats", "--journal", str(path), *QUICK]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(f"botd stats: journal {path}: is damaged")


def test_a_match_that_is_running_is_looked_at_as_far_as_it_went(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        match = Played(write, 7, 5)
        match.game()
        match.match.start_game()
        game = r.GameKey(match.key, 2)
        write(r.GameStarted, game, match.score)
        write(r.Rolled, game, r.Side.US, (3, 1), opening=True)
    overall = json.loads(stats(capsys, path, "--json"))["overall"]
    assert (overall["finished"], overall["judged_matches"], overall["adjusted_matches"]) == (0, 1, 0)
    assert overall["points_us"] + overall["points_opponent"] > 0
    assert overall["decisions_us"] > 0
