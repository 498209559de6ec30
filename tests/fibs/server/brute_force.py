"""Legal plays by trying everything, written independently of the engine and of the server."""

from __future__ import annotations

from functools import lru_cache

Board = tuple[int, ...]
Steps = tuple[tuple[int, int], ...]


def _single_steps(board: Board, die: int) -> list[tuple[tuple[int, int], Board]]:
    """Every way to move one checker by one die."""
    found = []
    for source in range(25, 0, -1):
        if board[source] < 1 or (board[25] > 0 and source != 25):
            continue
        target = source - die
        after = list(board)
        after[source] -= 1
        if target >= 1:
            if after[target] <= -2:
                continue
            if after[target] == -1:
                after[target] = 0
                after[0] += 1
            after[target] += 1
            found.append(((source, target), tuple(after)))
            continue
        everyone_home = all(board[p] <= 0 for p in range(7, 26))
        nobody_behind = all(board[p] <= 0 for p in range(source + 1, 7))
        if everyone_home and (target == 0 or nobody_behind):
            found.append(((source, 0), tuple(after)))
    return found


@lru_cache(maxsize=20_000)
def legal_plays(board: Board, dice: tuple[int, int]) -> tuple[tuple[Steps, Board], ...]:
    """Distinct results of all full plays: most dice used, else the larger one; empty for a dance."""
    orders = [(dice[0],) * 4] if dice[0] == dice[1] else [dice, dice[::-1]]
    plays: dict[Board, tuple[Steps, int]] = {}
    most = 0

    def extend(position: Board, left: tuple[int, ...], steps: Steps, used: int) -> None:
        nonlocal most
        if steps:
            old = plays.get(position)
            if old is None or (len(steps), used) > (len(old[0]), old[1]):
                plays[position] = (steps, used)
            most = max(most, len(steps))
        if left:
            for step, after in _single_steps(position, left[0]):
                extend(after, left[1:], (*steps, step), used + left[0])

    for order in orders:
        extend(board, order, (), 0)
    full = {after: play for after, play in plays.items() if len(play[0]) == most}
    if most == 1 and dice[0] != dice[1]:
        largest = max(used for _, used in full.values())
        full = {after: play for after, play in full.items() if play[1] == largest}
    return tuple((steps, after) for after, (steps, _) in full.items())
