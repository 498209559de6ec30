"""When to give a game up: by the account's policy, and never the same offer twice.

The engine says what is lost for certain, which it can only in a race. With `resign = "likely"` its chances
count too, in contact as well, if they have been hopeless for several decisions in a row.
"""

from __future__ import annotations

from botd.config.schema import PolicyConfig
from botd.engine import rules
from botd.engine.types import Board, CubeOwner, GameContext, Probabilities, ResignationDecision, Scoring

MARGIN = 0.05
"""With a chance to win better by this than the threshold allows, the engine is not asked; it would say no."""
NEARLY_OFF = 13
"""With so many checkers of the opponent off, the game ends sooner than an offer is answered."""


class Resigning:
    """For one account; lives through reconnections, because a declined offer stays declined."""

    def __init__(self, policy: PolicyConfig) -> None:
        self._policy = policy
        self._opponent = ""
        self._offered = 0
        self._row = [0, 0, 0]
        """For each level: at how many decisions in a row so much was as good as lost."""
        self._last: Board | None = None
        self._chance: float | None = None

    def new_game(self) -> None:
        """Nothing is offered yet, nothing known."""
        self._offered = 0
        self._row = [0, 0, 0]
        self._last = self._chance = None

    def match_goes_on(self, opponent: str) -> None:
        """A match with this opponent begins or is resumed. It may be the very game that was interrupted."""
        if opponent != self._opponent:
            self._opponent = opponent
            self.new_game()

    def played(self, chance: float | None) -> None:
        """We have played; `chance` is ours to win the game now, None if nobody knows."""
        self._chance = chance

    def worth_asking(self, board: Board) -> bool:
        """Whether to ask the engine about this position, seen by us on roll."""
        if self._policy.resign == "never" or self._offered == 3:
            return False
        if rules.is_race(board):
            return True
        hopeless = 1.0 - self._policy.resign_threshold + MARGIN
        if self._policy.resign == "likely" and (self._chance is None or self._chance < hopeless):
            return True
        self._row = [0, 0, 0]
        return False

    def level(self, board: Board, context: GameContext, decision: ResignationDecision, least: int) -> int:
        """What to offer (0: nothing, play on); counts as offered.

        `decision` is the engine's, `least` the level below which the server lets nobody resign.
        """
        level = decision.level
        if not level and self._policy.resign == "likely" and decision.probabilities is not None:
            level = self._likely(board, context, decision.probabilities, least)
        if level < least or level <= self._offered:
            return 0
        self._offered = level
        return level

    def _likely(self, board: Board, context: GameContext, chances: Probabilities, least: int) -> int:
        """The level that is as good as lost while any more is as good as saved; 0 if there is none."""
        threshold = self._policy.resign_threshold
        losing = (1.0 - chances.win, chances.lose_gammon, chances.lose_backgammon)
        if board != self._last:  # the same question may be asked twice
            self._last = board
            self._row = [
                count + 1 if loss >= threshold else 0 for count, loss in zip(self._row, losing, strict=True)
            ]
        if rules.borne_off(board)[1] >= NEARLY_OFF:
            return 0
        most = _most(context)
        if context.scoring is Scoring.BGAMMON:  # the price is `least`; fair if playing on is no cheaper
            return least if self._row[min(least, most) - 1] >= self._policy.resign_after else 0
        for level in range(most, 0, -1):
            if self._row[level - 1] >= self._policy.resign_after:
                # An offer of less than may be lost would only be declined.
                return level if level == most or losing[level] <= 1.0 - threshold else 0
        return 0


def _most(context: GameContext) -> int:
    """The lowest level that costs as much as any higher one."""
    if context.is_money:
        return 1 if context.jacoby and context.cube_owner is CubeOwner.CENTERED else 3
    away = context.match_length - context.score_opponent
    return max(1, min(3, -(-away // context.cube_value)))
