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
