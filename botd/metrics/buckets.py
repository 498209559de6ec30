"""Edges of the histograms, in seconds."""

from __future__ import annotations

from typing import Final

DECISION: Final = (
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0,
)  # fmt: skip
"""Five decades: a static evaluation takes a fraction of a millisecond, 3-ply may take seconds."""
LAG: Final = (
    0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4,
    0.5, 0.75, 1.0, 2.0, 5.0, 10.0,
)  # fmt: skip
"""0.25 is the limit that `botd soak` holds a daemon to, and that of the alert BotLoopLag."""


def deadline_warning(deadline_s: float) -> str | None:
    """What to tell an operator whose `engine.deadline_s` cannot be read off the histograms exactly."""
    if deadline_s in DECISION:
        return None
    edges = ", ".join(f"{edge:g}" for edge in DECISION if edge >= 0.1)
    return (
        f"engine.deadline_s: {deadline_s:g} is no edge of a bucket of botd_decision_duration_seconds, so "
        f"that how many decisions met it cannot be told exactly; edges: {edges}"
    )
