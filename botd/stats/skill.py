"""How luckily and how well each side played: sums over judged rolls and decisions, and the usual rates.

Definitions (losses are counted positive here, in millipoints: thousandths of the cube's value, EMG):

- *error rate*: loss by decision, where decisions are unforced plays and close or actual cube decisions: GNU
  Backgammon's "error rate (per decision)" (its manual, section 8.4.3.4, Overall rating)
- *PR*, performance rating: half of the error rate, as eXtreme Gammon reports it (500 times the loss by
  decision: I. Shaw, bgonline.org, 23 November 2009)
- *Snowie error rate*: loss by move, where the moves of both sides, forced ones too, are counted (GNU
  Backgammon's manual, the same section)
- *luck-adjusted result*: the result less the net luck, both in points or in match-winning chances (D. Zare,
  Hedging Toward Skill, GammonVillage 2000; GNU Backgammon's manual, the same section). It says what the play
  was worth: its average is that of the results, its spread far smaller
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from botd.journal.records import Side
from botd.stats.judging import Judged, JudgedKind


@dataclass(slots=True)
class SideSkill:
    """One side's sums. Equities are normalised; `_worth` are points (unlimited games) or parts of a match."""

    rolls: int = 0
    luck: float = 0.0
    luck_worth: float = 0.0
    moves: int = 0
    """Forced ones and dances too."""
    plays: int = 0
    """With a choice."""
    play_loss: float = 0.0
    """0 or positive."""
    cube_decisions: int = 0
    """Close or actual ones."""
    cube_loss: float = 0.0
    """0 or positive."""
    loss_worth: float = 0.0

    @property
    def decisions(self) -> int:
        return self.plays + self.cube_decisions

    @property
    def loss(self) -> float:
        return self.play_loss + self.cube_loss

    @property
    def error_rate(self) -> float | None:
        """Millipoints by decision."""
        return _millipoints(self.loss, self.decisions)

    @property
    def play_error_rate(self) -> float | None:
        """Millipoints by unforced play."""
        return _millipoints(self.play_loss, self.plays)

    @property
    def cube_error_rate(self) -> float | None:
        """Millipoints by close or actual cube decision."""
        return _millipoints(self.cube_loss, self.cube_decisions)

    @property
    def performance_rating(self) -> float | None:
        return None if self.error_rate is None else self.error_rate / 2

    @property
    def luck_rate(self) -> float | None:
        """Millipoints by roll."""
        return _millipoints(self.luck, self.rolls)

    def add(self, judged: Judged) -> None:
        match judged.kind:
            case JudgedKind.ROLL:
                self.rolls += 1
                self.luck += judged.value
                self.luck_worth += judged.value * judged.stake
            case JudgedKind.PLAY:
                self.moves += 1
                self.plays += judged.counted
                self.play_loss -= judged.value
                self.loss_worth -= judged.value * judged.stake
            case _:
                self.cube_decisions += judged.counted
                self.cube_loss -= judged.value
                self.loss_worth -= judged.value * judged.stake

    def merge(self, other: SideSkill) -> None:
        self.rolls += other.rolls
        self.luck += other.luck
        self.luck_worth += other.luck_worth
        self.moves += other.moves
        self.plays += other.plays
        self.play_loss += other.play_loss
        self.cube_decisions += other.cube_decisions
        self.cube_loss += other.cube_loss
        self.loss_worth += other.loss_worth


@dataclass(slots=True)
class Skill:
    """Both sides of a game, a match or many."""

    us: SideSkill
    opponent: SideSkill

    @classmethod
    def none(cls) -> Skill:
        return cls(SideSkill(), SideSkill())

    @classmethod
    def of(cls, judged: Iterable[Judged]) -> Skill:
        skill = cls.none()
        for entry in judged:
            skill.add(entry)
        return skill

    def add(self, judged: Judged) -> None:
        (self.us if judged.side is Side.US else self.opponent).add(judged)

    @property
    def net_luck(self) -> float:
        """Ours less theirs, normalised equity."""
        return self.us.luck - self.opponent.luck

    @property
    def net_luck_worth(self) -> float:
        """In points, or parts of a match."""
        return self.us.luck_worth - self.opponent.luck_worth

    def snowie_rate(self, side: SideSkill) -> float | None:
        """Millipoints by move of either side."""
        return _millipoints(side.loss, self.us.moves + self.opponent.moves)

    def merge(self, other: Skill) -> None:
        self.us.merge(other.us)
        self.opponent.merge(other.opponent)


def _millipoints(amount: float, count: int) -> float | None:
    return 1000 * amount / count if count else None
