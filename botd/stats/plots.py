"""Statistics as one picture: rating, points, results without luck, who was beaten, how well it was played.

Needs matplotlib, the extra `plots`. It is drawn without a display; what there is no data for is left out.
"""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botd.printable import printable
from botd.stats.results import Adjusted, MatchResult, RatingPoint, Row, group, total

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which people who see fewer colours can tell apart.
_US, _OPPONENT, _ADJUSTED, _MORE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    ("#CC79A7", "#E69F00", "#56B4E9", "#000000"),
)
_QUIET = "#6b6b6b"
_FEWEST_BARS, _MOST_BARS = 4, 12
_MOST_GROUPS = 8
_MOST_LINES = 7
_LONGEST_NAME = 22
_WIDTH, _ROW_HEIGHT = 12.0, 3.7
_STYLE: dict[Any, Any] = {
    "font.size": 9.5,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _QUIET,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "xtick.color": _QUIET,
    "ytick.color": _QUIET,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "botd",
}


class PlotError(Exception):
    """No picture can be drawn; one line that says why."""


def check_plots() -> None:
    """Raise PlotError, saying what to install, unless pictures can be drawn."""
    try:
        import matplotlib  # noqa: F401, PLC0415 - optional, and slow to load
    except ImportError as error:
        raise PlotError("plots need matplotlib: pip install 'botd[plots]'") from error


def draw(path: Path, results: Sequence[MatchResult], ratings: Sequence[RatingPoint]) -> None:
    """Draw what there is to see into a file, whose ending (.png, .svg, .pdf) says the format.

    Raises PlotError if the file cannot be written or there is nothing to draw.
    """
    check_plots()
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    panels = _panels(results, ratings)
    if not panels:
        raise PlotError("nothing to draw: no match has ended, no rating is on record")
    height = (len(panels) + 1) // 2
    picture = io.BytesIO()
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names in scripts that the font lacks
        figure = Figure(figsize=(_WIDTH, 0.6 + _ROW_HEIGHT * height), layout="constrained", dpi=110)
        _title(figure, total(results))
        grid = figure.add_gridspec(height, 2)
        form = path.suffix[1:].lower()
        # Without a date the same figures give the same file.
        undated = {"svg": "Date", "pdf": "CreationDate"}.get(form)
        try:
            for number, panel in enumerate(panels):
                panel(figure.add_subplot(grid[number // 2, number % 2]))
            figure.savefig(picture, format=form, metadata={undated: None} if undated else None)
        except (ValueError, OverflowError) as error:  # times near the year 1 or 9999, of a clock that was off
            what = " ".join(str(error).split())[:200]
            raise PlotError(f"these figures cannot be drawn: {what}") from error
    try:
        path.write_bytes(picture.getvalue())
    except OSError as error:
        raise PlotError(f"{printable(path)}: cannot be written: {error.strerror}") from error


def _title(figure: Figure, row: Row) -> None:
    first, last = (f"{_moment(at):%Y-%m-%d}" for at in (row.first, row.last))
    days = first if first == last else f"{first} to {last}"
    text = f"{row.matches:,} match{'' if row.matches == 1 else 'es'}, {days}"
    if row.win_rate is not None:
        interval = row.win_range
        text += f": {row.win_rate:.1%} won (95%: {interval.low:.1%} to {interval.high:.1%})"
    figure.suptitle(text, x=0.01, ha="left", fontsize=13, fontweight="bold")


def _panels(results: Sequence[MatchResult], ratings: Sequence[RatingPoint]) -> list[Callable[[Axes], None]]:
    """What there is data for, as functions that draw it."""
    in_order = sorted(results, key=lambda result: result.match.started_at)
    panels: list[Callable[[Axes], None]] = []
    if ratings:
        panels.append(lambda axes: _rating_panel(axes, ratings))
    if any(sum(result.points) for result in in_order):
        panels.append(lambda axes: _points_panel(axes, in_order))
    matches = [result.adjusted_match for result in in_order if result.adjusted_match is not None]
    games = [game for result in in_order for game in result.adjusted_games]
    if matches:
        panels.append(lambda axes: _luck_panel(axes, matches, "Matches won less lost", 2.0, -1.0))
    if games:
        panels.append(lambda axes: _luck_panel(axes, games, "Points in unlimited games", 1.0, 0.0))
    if played := [row for row in group(results, "opponent") if row.finished]:
        panels.append(lambda axes: _win_panel(axes, played))
    if months := [row for row in group(results, "month") if row.skill.us.decisions]:
        panels.append(lambda axes: _error_panel(axes, months, "month"))
    for by in ("opponent", "level"):
        rows = [row for row in group(results, by) if row.skill.us.decisions]
        if len(rows) > 1:
            panels.append(functools.partial(_error_panel, rows=rows[:_MOST_GROUPS], by=by))
    return panels


def _rating_panel(axes: Axes, ratings: Sequence[RatingPoint]) -> None:
    accounts: dict[tuple[str, str], list[RatingPoint]] = {}
    for point in ratings:
        accounts.setdefault((point.account, point.server), []).append(point)
    shown = sorted(accounts.items(), key=lambda item: -len(item[1]))[:_MOST_LINES]
    for ((account, server), points), colour in zip(shown, (_US, _OPPONENT, _ADJUSTED, *_MORE), strict=False):
        axes.step(
            [_days(point.at) for point in points],
            [point.rating for point in points],
            where="post",
            color=colour,
            label=f"{_short(account)} on {_short(server)}",
            marker="o" if len(points) == 1 else None,
        )
    axes.set_title("Rating")
    _time_axis(axes)
    axes.legend(loc="best", fontsize=8.5)


def _points_panel(axes: Axes, results: Sequence[MatchResult]) -> None:
    # Of floats: the points of a damaged journal may be too large for matplotlib's integers.
    net = list(accumulate(float(ours - theirs) for ours, theirs in (result.points for result in results)))
    times = [_days(result.match.started_at) for result in results]
    axes.axhline(0, color=_QUIET, linewidth=0.8)
    axes.step(times, net, where="post", color=_US)
    axes.fill_between(times, net, step="post", color=_US, alpha=0.12, linewidth=0)
    axes.set_title("Points won less lost, all games")
    axes.annotate(
        f"{net[-1]:+,.0f}", (times[-1], net[-1]), xytext=(4, 0), textcoords="offset points", va="center"
    )
    _time_axis(axes)


def _luck_panel(axes: Axes, entries: Sequence[Adjusted], title: str, scale: float, shift: float) -> None:
    """Sums with and without luck: their ends lie as far apart as we were lucky."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    axes.axhline(0, color=_QUIET, linewidth=0.8)
    numbers = range(len(entries) + 1)
    for values, colour, label in (
        ([entry.result for entry in entries], _US, "as played"),
        ([entry.adjusted for entry in entries], _ADJUSTED, "without luck"),
    ):
        sums = list(accumulate((scale * value + shift for value in values), initial=0.0))
        axes.plot(numbers, sums, color=colour, label=f"{label}: {sums[-1]:+.1f}")
    axes.set_title(f"{title}, with and without luck")
    axes.set_xlabel("matches" if scale != 1.0 else "games")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="best", fontsize=8.5)


def _win_panel(axes: Axes, rows: Sequence[Row]) -> None:
    """Bars with their 95 % confidence intervals, most matches on top."""
    shown = rows[:_MOST_BARS]
    places = range(len(shown))
    rates = [100 * row.won / row.finished for row in shown]
    below = [rate - 100 * row.win_range.low for rate, row in zip(rates, shown, strict=True)]
    above = [100 * row.win_range.high - rate for rate, row in zip(rates, shown, strict=True)]
    axes.barh(places, rates, color=_US, height=0.62)
    axes.errorbar(rates, places, xerr=[below, above], fmt="none", ecolor="#333333", elinewidth=1.1, capsize=3)
    axes.axvline(50, color=_QUIET, linewidth=0.9, linestyle="--")
    axes.set_yticks(places, [f"{_short(row.name)} ({row.finished})" for row in shown])
    axes.set_ylim(max(len(shown), _FEWEST_BARS) - 0.5, -0.6)
    axes.set_xlim(0, 100)
    axes.xaxis.set_major_formatter("{x:.0f}%")
    axes.grid(False, axis="y")
    more = f" ({len(shown)} of {len(rows)} opponents)" if len(rows) > len(shown) else ""
    axes.set_title(f"Matches won, with 95% intervals{more}")


def _error_panel(axes: Axes, rows: Sequence[Row], by: str) -> None:
    places = range(len(rows))
    sides = ((-0.2, "us", _US), (0.2, "opponents", _OPPONENT))
    for offset, label, colour in sides:
        skills = [row.skill.us if label == "us" else row.skill.opponent for row in rows]
        values = [skill.error_rate or 0.0 for skill in skills]
        bars = axes.bar([place + offset for place in places], values, width=0.36, color=colour, label=label)
        axes.bar_label(bars, fmt="{:.1f}", fontsize=8, color=_QUIET, padding=1)
    axes.set_xticks(places, [_short(row.name) for row in rows])
    if max(len(row.name) for row in rows) * len(rows) > 60:
        axes.tick_params(axis="x", labelrotation=30)
    axes.margins(y=0.15)
    axes.set_xlim(-0.7, max(len(rows), _FEWEST_BARS) - 0.3)
    axes.grid(False, axis="x")
    axes.set_title(f"Error rate by {by} (millipoints a decision)")
    axes.legend(loc="upper right", fontsize=8.5, ncols=2)


def _time_axis(axes: Axes) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter  # noqa: PLC0415

    axes.xaxis_date()
    locator = AutoDateLocator(minticks=3, maxticks=8)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.margins(x=0.06)


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _days(at: float) -> float:
    """A time as matplotlib counts it."""
    return at / 86400


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
