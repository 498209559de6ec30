"""Sums over matches against figures computed here by hand, in SQL and by the definitions themselves."""

from __future__ import annotations

import contextlib
import csv
import io
import sqlite3
from pathlib import Path

import pytest

from botd.journal import records as r
from botd.journal.reader import JournalReader, MatchSummary
from botd.stats.analyse import Judge, analyse
from botd.stats.analysis_file import AnalysisFile, EngineId
from botd.stats.judging import Judged, JudgedKind
from botd.stats.probability import Z95
from botd.stats.results import (
    GROUPS,
    Adjusted,
    MatchResult,
    Row,
    group,
    load_ratings,
    load_results,
    mean_of,
    total,
)
from botd.stats.results_form import csv_text, group_lines, overview_lines, row_fields
from botd.stats.skill import Skill
from tests.played import PlayedJournals
from tests.stats.journals import Played, journal_writer
from tests.tolerances import EXACT_SUM

US, OPPONENT = r.Side.US, r.Side.OPPONENT
HOSTILE = ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", 'a"b,c\nd', "\x1b[31m", "plain")


def summary(number: int, **fields: object) -> MatchSummary:
    known: dict[str, object] = {
        "number": number,
        "key": r.MatchKey(f"m{number}"),
        "server": "fibs.com:4321",
        "account": "botd",
        "opponent": "anna",
        "length": 3,
        "started_at": 1_780_000_000.0 + number,
        "ended_at": None,
        "state": "finished",
        "winner": US,
        "score": (3, 0),
        "games": 1,
        "sittings": 1,
        "seconds": 60.0,
        "moves": 10,
        "mode": None,
        "level": None,
    }
    return MatchSummary(**{**known, **fields})  # type: ignore[arg-type]


def result(match: MatchSummary, points: tuple[int, int] = (3, 0), level: str = "sage 2-ply") -> MatchResult:
    return MatchResult(match, level, 2, points, None, None, ())


def test_rates_by_hand() -> None:
    judged = [
        Judged(0, JudgedKind.ROLL, US, 0.25, 2.0, False),
        Judged(1, JudgedKind.PLAY, US, -0.030, 2.0, True),
        Judged(2, JudgedKind.PLAY, US, 0.0, 2.0, False),
        Judged(3, JudgedKind.NO_DOUBLE, US, 0.0, 2.0, False),
        Judged(4, JudgedKind.NO_DOUBLE, US, -0.010, 2.0, True),
        Judged(5, JudgedKind.TAKE, OPPONENT, -0.5, 4.0, True),
        Judged(6, JudgedKind.ROLL, OPPONENT, -0.1, 4.0, False),
        Judged(7, JudgedKind.PLAY, OPPONENT, 0.0, 4.0, True),
    ]
    skill = Skill.of(judged)
    us, opponent = skill.us, skill.opponent
    assert (us.moves, us.plays, us.cube_decisions, us.decisions, us.rolls) == (2, 1, 1, 2, 1)
    assert us.error_rate == pytest.approx(20.0)
    assert us.performance_rating == pytest.approx(10.0)
    assert us.play_error_rate == pytest.approx(30.0)
    assert us.cube_error_rate == pytest.approx(10.0)
    assert skill.snowie_rate(us) == pytest.approx(1000 * 0.040 / 3)
    assert us.luck_rate == pytest.approx(250.0)
    assert us.loss_worth == pytest.approx(0.08)
    assert opponent.error_rate == pytest.approx(250.0)
    assert opponent.loss_worth == pytest.approx(2.0)
    assert skill.net_luck == pytest.approx(0.35)
    assert skill.net_luck_worth == pytest.approx(0.5 + 0.4)
    twice = Skill.of(judged)
    twice.merge(skill)
    assert twice.us.error_rate == pytest.approx(20.0)
    assert twice.opponent.loss == pytest.approx(1.0)


def test_nothing_has_no_rates() -> None:
    skill = Skill.none()
    assert skill.us.error_rate is skill.us.performance_rating is skill.us.luck_rate is None
    assert skill.snowie_rate(skill.us) is None
    assert mean_of([]) is None
    row = Row("nothing")
    assert row.win_rate is None
    assert row_fields(row)["error_rate_us"] is None


def test_a_mean_and_its_interval() -> None:
    mean = mean_of([1.0, 2.0, 4.0, 5.0])
    assert mean is not None
    # Standard deviation sqrt(10/3), standard error half of it.
    error = Z95 * (10 / 3) ** 0.5 / 2
    assert (mean.value, mean.low, mean.high) == pytest.approx((3.0, 3.0 - error, 3.0 + error))
    alone = mean_of([7.0])
    assert alone is not None
    assert (alone.value, alone.low, alone.high) == (7.0, None, None)


def test_groups() -> None:
    november = 1_795_000_000.0  # 2026-11-18
    results = [
        result(summary(1, opponent="Anna")),
        result(summary(2, opponent="anna", winner=OPPONENT), (1, 3)),
        result(summary(3, opponent="bert", started_at=november, length=0, winner=None), (4, 6), "easy"),
        result(summary(4, opponent="anna", account="other", server="x:1", length=11)),
    ]

    def names(by: str) -> list[tuple[str, int]]:
        return [(row.name, row.matches) for row in group(results, by)]

    assert names("opponent") == [
        ("anna on fibs.com:4321", 2),
        ("anna on x:1", 1),
        ("bert on fibs.com:4321", 1),
    ]
    assert [row.name for row in group(results[:3], "opponent")] == ["anna", "bert"]
    assert names("month") == [("2026-05", 3), ("2026-11", 1)]
    assert names("length") == [("unlimited", 1), ("3 points", 2), ("11 points", 1)]
    assert names("server") == [("fibs.com:4321", 3), ("x:1", 1)]
    assert names("account") == [("botd on fibs.com:4321", 3), ("other on x:1", 1)]
    assert names("level") == [("sage 2-ply", 3), ("easy", 1)]
    anna = group(results, "opponent")[0]
    assert (anna.won, anna.lost, anna.finished, anna.points_us, anna.points_opponent) == (1, 1, 2, 4, 3)
    assert anna.win_rate == pytest.approx(1 / 2)
    everything = total(results)
    assert (everything.matches, everything.finished) == (4, 3)
    assert (everything.first, everything.last) == (1_780_000_001.0, november)
    with pytest.raises(ValueError, match="by: expected"):
        group(results, "weather")


def test_names_are_no_formulas_in_a_spreadsheet() -> None:
    results = [result(summary(n, opponent=name)) for n, name in enumerate(HOSTILE)]
    text = csv_text(group(results, "opponent"))
    assert all(line.isprintable() for line in text.splitlines())
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][0] == "name"
    assert len(rows) == 1 + len(HOSTILE)
    assert {len(row) for row in rows} == {len(rows[0])}
    for row in rows[1:]:
        assert row[0][0] not in "=+-@\t\r"
    assert [row[0] for row in rows if row[0] == "plain"] == ["plain"]
    # Negative numbers stay numbers.
    row = Row("x", judged=1)
    row.skill.us.luck = -1.5
    assert dict(zip(*csv.reader(io.StringIO(csv_text([row]))), strict=True))["net_luck"] == "-1.5"


def test_names_do_no_harm_on_a_terminal() -> None:
    results = [result(summary(n, opponent=name, server=name)) for n, name in enumerate(HOSTILE)]
    for by in GROUPS:
        assert all(line.isprintable() for line in group_lines(group(results, by), by))


def test_what_is_known_of_real_matches(played_journals: PlayedJournals) -> None:
    judge = Judge("sage")
    for path, levels in (
        (played_journals.fibs, {"sage 0-ply"}),
        (played_journals.bgammon, {"easy", "sage 0-ply"}),
    ):
        with JournalReader(path) as journal, AnalysisFile(None, EngineId.of(judge.engine.info, 0)) as file:
            matches = journal.matches()
            analyse(journal, matches, file, judge, spec="sage", ply=0)
            results = load_results(journal, matches, file)
            plain = load_results(journal, matches, None)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            for each, unjudged in zip(results, plain, strict=True):
                key = each.match.key
                points = connection.execute(
                    "SELECT sum(points * (winner = 'us')), sum(points * (winner = 'opponent')) FROM games"
                    " WHERE match = ?",
                    (key,),
                ).fetchone()
                assert each.points == unjudged.points == tuple(points)
                [[moves]] = connection.execute(
                    "SELECT count(*) FROM moves WHERE match = ? AND side = 'us'", (key,)
                )
                assert each.skill is not None
                assert each.skill.us.moves == moves
                assert unjudged.skill is None
                assert unjudged.adjusted_games == ()
                if each.match.winner is not None:
                    assert each.adjusted_match is not None
                    assert each.adjusted_match.result == (each.match.winner is US)
        both = total(results)
        # Every match is there from both seats: what one side won and lost by luck the other did.
        assert both.points_us == both.points_opponent
        assert both.skill.net_luck == pytest.approx(0.0, abs=EXACT_SUM)
        assert both.skill.us.loss == pytest.approx(both.skill.opponent.loss)
        assert sum(entry.adjusted - 0.5 for entry in both.adjusted_matches) == pytest.approx(
            0.0, abs=EXACT_SUM
        )
        text = "\n".join(overview_lines(both, [], None))
        assert f"Points        {both.points_us} to {both.points_opponent}" in text
        assert f"({both.matches} of these are {both.matches // 2} matches between accounts of ours" in text
        assert {each.level for each in results} == levels


def test_luck_is_taken_out_of_whole_games_only(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        whole = Played(write, 1, 1).whole_match()
        holed = Played(write, 2, 1).whole_match()
        write(r.GameGap, r.GameKey(holed, 1), "something was not seen")
        running = Played(write, 3, 5)
        running.game()
        money = Played(write, 4, 0)
        money.game()
        money.game()
        write(r.GameGap, r.GameKey(money.key, 2), "something was not seen")
    judge = Judge("sage")
    with JournalReader(path) as journal, AnalysisFile(None, EngineId.of(judge.engine.info, 0)) as file:
        matches = journal.matches()
        analyse(journal, matches, file, judge, spec="sage", ply=0)
        results = {each.match.key: each for each in load_results(journal, matches, file)}
        judged = file.judged(money.key)
    assert results[whole].adjusted_match is not None
    assert results[holed].adjusted_match is None
    assert results[running.key].adjusted_match is None
    assert results[running.key].points == running.score
    [game] = results[money.key].adjusted_games
    luck = sum(j.value * (1 if j.side is US else -1) for n, j in judged if n == 1 and j.kind == "roll")
    assert game.adjusted == pytest.approx(game.result - luck)
    assert abs(game.result) in (1, 2, 3)


def test_ratings_are_those_of_the_accounts_that_played(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        write(r.MatchStarted, r.MatchKey("m"), "s", "botd", "anna", 1)
        write(r.RatingSeen, "s", "botd", 1500.5, 10)
        write(r.RatingSeen, "s", "other", 1.0, 1)
        write(r.RatingSeen, "s", "botd", 1510.25, None)
    with JournalReader(path) as journal:
        points = load_ratings(journal, journal.matches())
    assert [(point.rating, point.experience) for point in points] == [(1500.5, 10), (1510.25, None)]
    lines = overview_lines(total([result(summary(1))]), points, None)
    assert any("botd on s: 1510.2 now, 1500.5 at first" in line for line in lines)


def test_adjusted_results_average_to_the_results() -> None:
    """Without luck the same on average, by the definition: result less net luck."""
    row = Row("x", adjusted_matches=[Adjusted(1.0, 0.7), Adjusted(0.0, 0.3)])
    fields = row_fields(row)
    assert fields["adjusted_win_rate"] == pytest.approx(0.5)
    assert fields["adjusted_matches"] == 2


@pytest.mark.parametrize(("ply", "warned"), [(0, True), (1, True), (2, True), (3, False)])
def test_an_analysis_that_is_no_deeper_than_the_play_says_so(ply: int, warned: bool) -> None:
    row = total([result(summary(1))])  # played at 2-ply
    row.judged = 1
    judge = EngineId("0.1.0", "sage", "ab" * 32, "fast", "kazaross-xg2", ply)
    text = " ".join(overview_lines(row, [], judge))
    assert ("no less deep than this analysis" in text) == warned
    assert ("--ply 3 sees more" in text) == warned
