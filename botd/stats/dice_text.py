"""Dice reports as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from botd.journal.reader import MatchSummary
from botd.journal.records import Side
from botd.printable import printable
from botd.stats import probability as pr
from botd.stats.dice import MEAN_PIPS, Comparison
from botd.stats.dice_report import DiceReport, SideReport
from botd.stats.throws import LoggedThrow
from botd.terminal.columns import columns
from botd.terminal.match_words import day_and_time

_WIDTH = 100
_PAIR_HEADS, _PAIR_RIGHT = ("Roll", "Us", "Fair", "Opponent", "Fair"), "Us Fair Opponent"


def report_lines(report: DiceReport, title: str) -> list[str]:
    """All tables of a report and its verdict."""
    us, opponent = report.us, report.opponent
    matches = "1 match" if report.matches == 1 else f"{report.matches:,} matches"
    rolls = "1 roll" if report.rolls == 1 else f"{report.rolls:,} rolls"
    lines = [f"{printable(title)}: {matches}, {rolls}", ""]
    if report.recorded_twice:
        lines[1:1] = [f"({report.recorded_twice:,} of these between accounts of this journal, counted once)"]
    lines += _overview(report)
    lines += ["", *_faces(us, opponent), "", *_pairs(us, opponent)]
    if any(entry.rolls for side in (us, opponent) for entry in side.bar):
        lines += ["", *_bar(us, opponent)]
    lines += ["", *_tests(report.tests), "", *textwrap.wrap(report.summary, _WIDTH)]
    return lines


def match_lines(matches: Sequence[MatchSummary], reports: Sequence[DiceReport]) -> list[str]:
    """A line for each match, then how many of them look odd and how many of fair ones would."""
    heads = ("No", "Date (UTC)", "Opponent", "Rolls", "Doubles", "Theirs", "Pips", "Theirs", "p")
    rows = []
    ps = []
    for match, report in zip(matches, reports, strict=True):
        test = next(test for test in report.tests if test.name == "pips of the two sides")
        if test.p is not None:
            ps.append(test.p)
        rows.append(
            (
                match.number,
                day_and_time(match.started_at),
                match.opponent,
                report.rolls,
                _percent(report.us.doubles_rate),
                _percent(report.opponent.doubles_rate),
                _pips(report.us.pips),
                _pips(report.opponent.pips),
                "too few" if test.p is None else f"{test.p:.3f}",
            )
        )
    lines = columns(heads, rows, right="No Rolls Doubles Theirs Pips p")
    if ps:
        low = sum(p < 0.05 for p in ps)
        corrected = min(pr.holm(ps))
        text = (
            f"p is how often fair dice part the pips of the two sides at least so far. Of {len(ps)} matches"
            f" with enough rolls {low} are below 0.05; fair dice give {0.05 * len(ps):.1f} on average."
            f" The smallest p, corrected for their number, is {corrected:.2g}."
        )
        lines += ["", *textwrap.wrap(text, _WIDTH)]
    return lines


def log_lines(throws: Iterable[LoggedThrow], account: str, opponent: str) -> list[str]:
    """The roll log: number, game, time, who, dice as the server sent them."""
    names = {Side.US: account, Side.OPPONENT: opponent, None: "nobody"}
    rows = [
        (
            throw.number,
            throw.game,
            throw.at,
            names[throw.side],
            f"{throw.dice[0]} {throw.dice[1]}",
            _opening(throw, account, opponent),
        )
        for throw in throws
    ]
    return columns(("No", "Game", "Time (UTC)", "Player", "Dice", ""), rows, right="No Game")


def _opening(throw: LoggedThrow, account: str, opponent: str) -> str:
    if not throw.opening:
        return ""
    again = ", thrown again" if throw.side is None else ""
    return f"opening: {account} {throw.dice[0]}, {opponent} {throw.dice[1]}{again}"


def _overview(report: DiceReport) -> list[str]:
    us, opponent, openings = report.us, report.opponent, report.openings
    theirs = openings.thrown - openings.won_by_us
    won = [
        f"{n:,} ({n / openings.thrown:.1%})" if openings.thrown else "-" for n in (openings.won_by_us, theirs)
    ]
    rows = [
        ("rolls", f"{us.rolls:,}", f"{opponent.rolls:,}", "", "", ""),
        (
            "doubles",
            _percent(us.doubles_rate),
            _percent(opponent.doubles_rate),
            "16.7%",
            "-".join(f"{100 * end:.1f}" for end in us.doubles_range) + "%" if us.rolls else "",
            "-".join(f"{100 * end:.1f}" for end in opponent.doubles_range) + "%" if opponent.rolls else "",
        ),
        (
            "pips a roll",
            _pips(us.pips),
            _pips(opponent.pips),
            f"{MEAN_PIPS:.2f}",
            "-".join(f"{end:.2f}" for end in us.pips_range) if us.rolls else "",
            "-".join(f"{end:.2f}" for end in opponent.pips_range) if opponent.rolls else "",
        ),
        ("doubles in a row", us.longest_doubles, opponent.longest_doubles, "", "", ""),
        ("rolls without a double", us.longest_without, opponent.longest_without, "", "", ""),
        ("openings won", *won, "50%", "", ""),
        (
            "same roll again",
            f"{report.repeated.count:,}",
            "",
            f"{report.repeated.expected:,.1f}",
            "",
            "",
        ),
    ]
    heads = ("", "Us", "Opponent", "Fair", "95% of fair: us", "opponent")
    return columns(heads, rows, right="Us Opponent Fair")


def _faces(us: SideReport, opponent: SideReport) -> list[str]:
    rows = [
        ("us", *(f"{_of(face.count, face.expected)}" for face in us.faces)),
        ("opponent", *(f"{_of(face.count, face.expected)}" for face in opponent.faces)),
    ]
    heads = ("Face", *(face.name for face in us.faces))
    return [*columns(heads, rows, right="1 2 3 4 5 6"), "(counts, and how far above or below fair dice)"]


def _pairs(us: SideReport, opponent: SideReport) -> list[str]:
    rows = [
        (
            ours.name,
            f"{ours.count:,}",
            f"{ours.expected:,.1f}",
            f"{theirs.count:,}",
            f"{theirs.expected:,.1f}",
        )
        for ours, theirs in zip(us.pairs, opponent.pairs, strict=True)
    ]
    half = (len(rows) + 1) // 2
    left = columns(_PAIR_HEADS, rows[:half], right=_PAIR_RIGHT)
    right = columns(_PAIR_HEADS, rows[half:], right=_PAIR_RIGHT)
    width = max(map(len, left))
    right += [""] * (len(left) - len(right))
    return [f"{one:<{width}}    {other}".rstrip() for one, other in zip(left, right, strict=True)]


def _bar(us: SideReport, opponent: SideReport) -> list[str]:
    rows = [
        (
            "1 closed point" if ours.closed == 1 else f"{ours.closed} closed points",
            f"{ours.rolls:,}",
            _percent(ours.entered / ours.rolls if ours.rolls else None),
            f"{theirs.rolls:,}",
            _percent(theirs.entered / theirs.rolls if theirs.rolls else None),
            _percent(ours.chance),
        )
        for ours, theirs in zip(us.bar, opponent.bar, strict=True)
    ]
    heads = ("On the bar against", "Us", "Entered", "Opponent", "Entered", "Fair")
    return columns(heads, rows, right="Us Entered Opponent Fair")


def _tests(tests: Iterable[Comparison]) -> list[str]:
    rows = [
        (
            test.name,
            test.side,
            f"{test.rolls:,}",
            "too few" if test.p is None else f"{test.p:.4f}",
            "" if test.adjusted is None else f"{test.adjusted:.4f}",
        )
        for test in tests
    ]
    return columns(("Test", "Side", "Rolls", "p", "corrected"), rows, right="Rolls p corrected")


def _of(count: int, expected: float) -> str:
    return f"{count:,} ({count / expected - 1:+.1%})" if expected else "0"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _pips(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
