"""Statistics as fields for programs (JSON, CSV) and as text for a terminal."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from botd.engine.fast_engine import MAX_PLY
from botd.printable import printable
from botd.spreadsheet import cell
from botd.stats.analysis_file import EngineId
from botd.stats.results import Mean, RatingPoint, Row, mean_of
from botd.stats.skill import SideSkill
from botd.terminal.columns import columns

_WIDTH = 100


def row_fields(row: Row) -> dict[str, object]:
    """A row as one flat object; rates are in millipoints, shares from 0 to 1, None where nothing is known."""
    fields: dict[str, object] = {
        "name": row.name,
        "matches": row.matches,
        "finished": row.finished,
        "won": row.won,
        "lost": row.lost,
        "win_rate": row.win_rate,
        "win_rate_low": row.win_range.low,
        "win_rate_high": row.win_range.high,
        "points_us": row.points_us,
        "points_opponent": row.points_opponent,
        "judged_matches": row.judged,
        "net_luck": row.skill.net_luck if row.judged else None,
    }
    for name, values in (
        ("adjusted_win_rate", [entry.adjusted for entry in row.adjusted_matches]),
        ("points_a_game", [entry.result for entry in row.adjusted_games]),
        ("adjusted_points_a_game", [entry.adjusted for entry in row.adjusted_games]),
    ):
        mean = mean_of(values)
        fields[name] = None if mean is None else mean.value
        fields[f"{name}_low"] = None if mean is None else mean.low
        fields[f"{name}_high"] = None if mean is None else mean.high
    fields["adjusted_matches"] = len(row.adjusted_matches)
    fields["adjusted_games"] = len(row.adjusted_games)
    for who, side in (("us", row.skill.us), ("opponent", row.skill.opponent)):
        fields |= {
            f"error_rate_{who}": side.error_rate,
            f"play_error_rate_{who}": side.play_error_rate,
            f"cube_error_rate_{who}": side.cube_error_rate,
            f"performance_rating_{who}": side.performance_rating,
            f"snowie_error_rate_{who}": row.skill.snowie_rate(side),
            f"luck_rate_{who}": side.luck_rate,
            f"loss_{who}": side.loss if row.judged else None,
            f"decisions_{who}": side.decisions,
            f"moves_{who}": side.moves,
        }
    return fields


def csv_text(rows: Iterable[Row]) -> str:
    """A line of heads and one for each row. Names that a spreadsheet would take for a formula get a `'`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    first = True
    for fields in map(row_fields, rows):
        if first:
            writer.writerow(fields)
            first = False
        writer.writerow(cell(value) for value in fields.values())
    return out.getvalue()


def overview_lines(row: Row, ratings: Sequence[RatingPoint], judge: EngineId | None) -> list[str]:
    """What there is to say about all matches together."""
    lines = [f"{_count(row.matches, 'match', 'matches')} from {_day(row.first)} to {_day(row.last)}"]
    if row.own:
        both = _count(row.own, "match", "matches")
        lines += [f"({2 * row.own:,} of these are {both} between accounts of ours, from both seats)"]
    lines += [""]
    rows: list[tuple[str, str]] = []
    if row.win_rate is not None:
        rows.append(
            (
                "Won",
                f"{row.won} of {row.finished} finished: {row.win_rate:.1%}"
                f" (95%: {row.win_range.low:.1%} to {row.win_range.high:.1%})",
            )
        )
    rows.append(("Points", f"{row.points_us} to {row.points_opponent}"))
    rows += [("Rating", text) for text in _rating_texts(ratings)] or [("Rating", "none on record")]
    if (mean := mean_of([entry.adjusted for entry in row.adjusted_matches])) is not None:
        played = mean_of([entry.result for entry in row.adjusted_matches])
        assert played is not None
        rows.append(
            (
                "Without luck",
                f"{mean.value:.1%} of matches won{_between(mean, '.1%')}; with it {played.value:.1%}"
                f" of these {len(row.adjusted_matches)}",
            )
        )
    if (mean := mean_of([entry.adjusted for entry in row.adjusted_games])) is not None:
        played = mean_of([entry.result for entry in row.adjusted_games])
        assert played is not None
        rows.append(
            (
                "Without luck",
                f"{mean.value:+.3f} points an unlimited game{_between(mean, '+.3f')}; with it"
                f" {played.value:+.3f} in these {len(row.adjusted_games)}",
            )
        )
    lines += [f"{head:<14}{text}" for head, text in rows]
    if judge is None:
        return lines
    lines += ["", f"Judged: {_count(row.judged, 'match', 'matches')}, by {judge_name(judge)}"]
    if not row.judged:
        return lines
    lines += ["", *_skill_lines(row)]
    if row.deepest_ply >= judge.ply:
        note = (
            f"Some of our decisions were made at {row.deepest_ply}-ply, no less deep than this analysis: it"
            " overlooks what they overlooked, and errs where they did not."
        )
        if row.deepest_ply < MAX_PLY:
            note += f" --ply {row.deepest_ply + 1} sees more."
        lines += ["", *textwrap.wrap(note, _WIDTH)]
    return lines


def judge_name(judge: EngineId) -> str:
    return f"{judge.evaluator} at {judge.ply}-ply, {judge.mode} mode (botd {judge.version})"


def _skill_lines(row: Row) -> list[str]:
    us, opponent = row.skill.us, row.skill.opponent

    def line(name: str, meaning: str, *values: float | None, sign: str = "") -> tuple[str, str, str, str]:
        ours, theirs = ("-" if value is None else f"{value:{sign}.2f}" for value in values)
        return name, ours, theirs, meaning

    rows = [
        line("Error rate", "millipoints a decision", us.error_rate, opponent.error_rate),
        line("  plays", "a play with a choice", us.play_error_rate, opponent.play_error_rate),
        line("  cube", "a close or actual cube decision", us.cube_error_rate, opponent.cube_error_rate),
        line("PR", "half of the error rate", us.performance_rating, opponent.performance_rating),
        line(
            "Snowie error rate",
            "millipoints a move of either side",
            row.skill.snowie_rate(us),
            row.skill.snowie_rate(opponent),
        ),
        line("Luck", "millipoints a roll", us.luck_rate, opponent.luck_rate, sign="+"),
        (
            "Decisions",
            f"{us.decisions:,}",
            f"{opponent.decisions:,}",
            "unforced plays, close or actual cubes",
        ),
    ]
    return columns(("", "Us", "Opponents", ""), rows, right="Us Opponents")


def group_lines(rows: Sequence[Row], by: str) -> list[str]:
    """A table with a line for each row."""
    judged = any(row.judged for row in rows)
    heads = [by.capitalize(), "Matches", "Won", "Lost", "Win", "95%", "Points", "Against"]
    if judged:
        heads += ["Luck", "Adjusted", "Error", "Theirs"]
    lines: list[list[object]] = []
    for row in rows:
        interval = row.win_range
        cells: list[object] = [
            row.name,
            row.matches,
            row.won,
            row.lost,
            "-" if row.win_rate is None else f"{row.win_rate:.0%}",
            "-" if row.win_rate is None else f"{interval.low:.0%}-{interval.high:.0%}",
            row.points_us,
            row.points_opponent,
        ]
        if judged:
            cells += [
                f"{row.skill.net_luck:+.2f}" if row.judged else "-",
                _adjusted_text(row),
                _rate(row.skill.us),
                _rate(row.skill.opponent),
            ]
        lines.append(cells)
    right = "Matches Won Lost Win 95% Points Against Luck Adjusted Error Theirs"
    table = columns(heads, lines, right=right)
    if judged:
        note = (
            "Luck: ours less theirs, in units of the cube. Adjusted: matches won, or points an unlimited"
            " game, without luck. Error: millipoints a decision."
        )
        table += ["", *textwrap.wrap(note, _WIDTH)]
    return table


def _adjusted_text(row: Row) -> str:
    if (mean := mean_of([entry.adjusted for entry in row.adjusted_matches])) is not None:
        return f"{mean.value:.0%}"
    if (mean := mean_of([entry.adjusted for entry in row.adjusted_games])) is not None:
        return f"{mean.value:+.2f}"
    return "-"


def _rate(side: SideSkill) -> str:
    return "-" if side.error_rate is None else f"{side.error_rate:.1f}"


def _rating_texts(ratings: Sequence[RatingPoint]) -> list[str]:
    accounts: dict[tuple[str, str], list[RatingPoint]] = {}
    for point in ratings:
        accounts.setdefault((point.server, point.account), []).append(point)
    texts = []
    for (server, account), points in accounts.items():
        values = [point.rating for point in points]
        texts.append(
            f"{printable(account)} on {printable(server)}: {values[-1]:.1f} now, {values[0]:.1f} at first,"
            f" {min(values):.1f} to {max(values):.1f} ({_count(len(points), 'entry', 'entries')})"
        )
    return texts


def _between(mean: Mean, form: str) -> str:
    if mean.low is None or mean.high is None:
        return ""
    return f" (95%: {mean.low:{form}} to {mean.high:{form}})"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
