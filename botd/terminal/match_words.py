"""Facts of a match in few words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from botd.journal.records import Side

if TYPE_CHECKING:
    from botd.journal.reader import MatchSummary


def day_and_time(at: float) -> str:
    """`2026-11-30 05:25`, UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


def duration(seconds: float) -> str:
    """`12:34`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def length(points: int) -> str:
    return str(points) if points else "unlimited"


def outcome(match: MatchSummary) -> str:
    """`won 5-3`, `lost 2-5`, or the score so far."""
    ours, theirs = match.score
    word = {Side.US: "won ", Side.OPPONENT: "lost ", None: ""}[match.winner]
    return f"{word}{ours}-{theirs}"
