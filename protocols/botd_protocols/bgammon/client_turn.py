"""One side's turn: what has been seen of it, and how a planned play is carried out step by step.

Boards and steps are in the numbering of the side whose turn it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from botd_protocols.positions import Dice, Step

from .client_board import BoardState, Side, apply_steps, single_steps

_MAX_STEPS = 8
"""More than a turn can have; what a server says beyond it is not kept."""


class TurnRecord:
    """Collects the steps of a turn, whose pieces come in `board` and `moved` events."""

    def __init__(self, side: Side, dice: Dice, state: BoardState) -> None:
        self.side = side
        self.dice = dice
        self._start: tuple[int, ...] | None = None
        self._confirmed: tuple[Step, ...] = ()
        self._steps: list[Step] = []
        self.board(state)

    def board(self, state: BoardState) -> None:
        """A `board` of this turn: it is right, whatever `moved` has said."""
        if not state.moves:
            self._start = state.seen_by(self.side)
        self._confirmed = state.moves
        self._steps = list(state.moves)

    def moved(self, steps: Iterable[Step]) -> None:
        """A `moved` event: steps made, or taken back (source and target exchanged)."""
        for step in steps:
            if self._steps and self._steps[-1] == (step[1], step[0]):
                self._steps.pop()
            elif len(self._steps) < _MAX_STEPS:
                self._steps.append(step)

    def played(self, after: tuple[int, ...] | None, planned: tuple[Step, ...]) -> tuple[Step, ...] | None:
        """The play of this turn, which led to `after`; () is a dance, None if what was seen does not fit.

        `planned` is our own play in the order in which it was decided. Without `after` (the game ended) the
        steps seen must at least be playable.
        """
        if self._start is None:
            return None
        for steps in (planned, tuple(self._steps), self._confirmed):
            reached = apply_steps(self._start, steps)
            if reached is not None and reached == after:
                return steps
        if after is None and apply_steps(self._start, self._steps) is not None:
            return tuple(self._steps)
        return None


class Plan:
    """A play on its way to the server, one step at a time."""

    def __init__(self, board: tuple[int, ...], steps: tuple[Step, ...], dice: Dice) -> None:
        """`board` at the beginning of the turn. Raises ValueError if the steps cannot be made."""
        target = apply_steps(board, steps)
        if target is None:
            raise ValueError(f"the steps {list(steps)} cannot be made on this board")
        self.steps = steps
        self.target = target
        self._dice = dice

    def next_step(self, state: BoardState) -> Step | None:
        """A step the server offers that leads to the planned position; None if none does.

        The server offers steps in an order of its own, so the planned order is a preference only.
        """
        left = 4 if self._dice[0] == self._dice[1] else 2
        left -= len(state.moves) + 1
        planned = [step for step in self.steps if step in state.available]
        others = [step for step in state.available if step not in planned]
        seen: set[tuple[int, tuple[int, ...]]] = set()
        for step in (*planned, *others):
            after = apply_steps(state.board, (step,))
            if after is not None and self._reachable(after, left, seen):
                return step
        return None

    def _reachable(self, board: tuple[int, ...], left: int, seen: set[tuple[int, tuple[int, ...]]]) -> bool:
        if board == self.target:
            return True
        if left <= 0 or (left, board) in seen:
            return False
        seen.add((left, board))
        for die in set(self._dice):
            for step in single_steps(board, die):
                after = apply_steps(board, (step,))
                if after is not None and self._reachable(after, left - 1, seen):
                    return True
        return False
