"""Move notation written down word for word, to compare the compiled one with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from botd.engine.types import BAR, OFF, Board, Step


def plain_notation(board: Board, steps: Sequence[Step]) -> str:
    marked: set[int] = set()
    moves = []
    for chain, count in Counter(_chains(board, steps)).items():
        text = _name(chain[0])
        for point in chain[1:-1]:
            text += f"/{point}*"
            marked.add(point)
        end = chain[-1]
        text += f"/{_name(end)}"
        if _is_blot(board, end) and end not in marked:
            text += "*"
            marked.add(end)
        moves.append(text if count == 1 else f"{text}({count})")
    return " ".join(moves)


def _chains(board: Board, steps: Sequence[Step]) -> list[tuple[int, ...]]:
    """The steps of one checker joined, the rearmost checker first."""
    left = sorted(steps, reverse=True)
    chains = []
    while left:
        start, end = left.pop(0)
        chain = [start]
        for step in list(left):
            if step[0] == end:
                if _is_blot(board, end):
                    chain.append(end)
                end = step[1]
                left.remove(step)
        chains.append((*chain, end))
    return chains


def _name(point: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


def _is_blot(board: Board, point: int) -> bool:
    return OFF < point < BAR and board[point] == -1
