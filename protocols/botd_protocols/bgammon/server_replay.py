"""Recorded games in the form that the `replay` event carries."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field

from .server_board import Step, flip_step, step_text

_MAX_LINES = 10_000


@dataclass
class GameRecord:
    """One game; moves are kept in seat 1's numbering."""

    started: int
    players: tuple[str, str]
    length: int
    scores: tuple[int, int]
    """Before the game."""
    variant: int
    winner: int = 0
    points: int = 0
    lines: list[str] = field(default_factory=list)

    def turn(self, seat: int, dice: tuple[int, int], steps: Sequence[Step]) -> None:
        """A finished turn; steps in the mover's numbering. An endless game is not recorded to its end."""
        if len(self.lines) >= _MAX_LINES:
            return
        shown = [step if seat == 1 else flip_step(step) for step in steps]
        words = [f"{max(dice)}-{min(dice)}", *(step_text(step) for step in shown)]
        self.lines.append(f"{seat} r {' '.join(words)}")

    def double(self, seat: int, value: int, taken: bool) -> None:
        self.lines.append(f"{seat} d {value} {int(taken)}")

    def gave_up(self, seat: int) -> None:
        self.lines.append(f"{seat} t")

    def text(self) -> str:
        head = (
            f"i {self.started} {self.players[0]} {self.players[1]} {self.length} "
            f"{self.scores[0]} {self.scores[1]} {self.winner} {self.points} {self.variant}"
        )
        return "".join(f"{line}\n" for line in (head, *self.lines))


def replay_content(games: Sequence[GameRecord]) -> str:
    """Base64 of the games, with an index of their byte offsets in front if there are several."""
    texts = [game.text() for game in games]
    if len(texts) < 2:
        return base64.b64encode("".join(texts).encode()).decode()
    index_length = len(texts) * len("bgammon-replay 00000000\n")
    index, offset = [], index_length
    for text in texts:
        index.append(f"bgammon-replay {offset:08d}\n")
        offset += len(text.encode())
    return base64.b64encode("".join([*index, *texts]).encode()).decode()
