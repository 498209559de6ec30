"""A slow move generator written for tests: plain recursion over all orders of the dice, sets for the results.

It shares neither code nor method with the engine (its own representation, the rules taken literally).
"""

from __future__ import annotations

from itertools import permutations

Side = tuple[tuple[int, int], ...]
"""Sorted (point, checkers) pairs with checkers > 0; points 1-24 in the mover's numbering, 25 the bar."""


def _sides(board: tuple[int, ...]) -> tuple[dict[int, int], dict[int, int], int]:
    mine = {point: board[point] for point in range(1, 26) if board[point] > 0}
    theirs = {point: -board[point] for point in range(1, 25) if board[point] < 0}
    return mine, theirs, board[0]


def _single(
    mine: dict[int, int], theirs: dict[int, int], sent: int, die: int
) -> list[tuple[dict[int, int], dict[int, int], int]]:
    out = []
    sources = [25] if 25 in mine else list(mine)
    for source in sources:
        target = source - die
        if target >= 1:
            if theirs.get(target, 0) >= 2:
                continue
        else:
            if any(point > 6 for point in mine):
                continue
            if target < 0 and any(point > source for point in mine):
                continue
        now_mine, now_theirs, now_sent = dict(mine), dict(theirs), sent
        now_mine[source] -= 1
        if not now_mine[source]:
            del now_mine[source]
        if target >= 1:
            now_mine[target] = now_mine.get(target, 0) + 1
            if now_theirs.pop(target, 0):
                now_sent += 1
        out.append((now_mine, now_theirs, now_sent))
    return out


def legal_results(board: tuple[int, ...], dice: tuple[int, int]) -> set[tuple[int, ...]]:
    """All distinct resulting boards in the mover's view; empty if no checker can move."""
    available = [dice[0]] * 4 if dice[0] == dice[1] else list(dice)
    best: dict[tuple[int, int], set[tuple[int, ...]]] = {}

    def visit(
        mine: dict[int, int], theirs: dict[int, int], sent: int, used: list[int], left: list[int]
    ) -> None:
        if used:
            points = [0] * 26
            for point, count in theirs.items():
                points[point] = -count
            for point, count in mine.items():
                points[point] = count
            points[0] = sent
            best.setdefault((len(used), sum(used)), set()).add(tuple(points))
        if left:
            for state in _single(mine, theirs, sent, left[0]):
                visit(*state, [*used, left[0]], left[1:])

    for order in set(permutations(available)):
        visit(*_sides(board), [], list(order))
    return best[max(best)] if best else set()
