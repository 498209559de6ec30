"""Single steps of a turn: which ones bgammon offers, how a longer move is taken apart, what is forced.

Views and steps are the mover's (`server_board`). `dice` are the dice still to be played, four for doubles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .server_board import BAR, OFF, THEIR_BAR, Step, View

Dice = tuple[int, ...]


def dice_of(first: int, second: int) -> Dice:
    """The dice of a roll as they are played."""
    return (first,) * 4 if first == second else (first, second)


def without(dice: Dice, die: int) -> Dice:
    index = dice.index(die)
    return dice[:index] + dice[index + 1 :]


def distance(step: Step) -> int:
    """Pips of a step; to bear off, those from the point to off."""
    start = 25 if step[0] == BAR else step[0]
    return start - step[1]


def die_of(step: Step, dice: Dice) -> int:
    """The die that a step uses: its own number, or to bear off the smallest larger one.

    Which of two larger dice bears a checker off makes no difference to the other die.
    """
    pips = distance(step)
    if pips in dice:
        return pips
    return min(die for die in dice if die > pips)


def apply_step(view: View, step: Step) -> tuple[View, bool]:
    """The view after a step, and whether it hit; the step must be possible."""
    start, end = step
    points = list(view)
    points[start] -= 1
    hit = end != OFF and points[end] == -1
    if hit:
        points[end] = 0
        points[THEIR_BAR] -= 1
    points[end] += 1
    return tuple(points), hit


def undo_step(view: View, step: Step, hit: bool) -> View:
    """The view before a step that was applied with `apply_step`."""
    start, end = step
    points = list(view)
    points[end] -= 1
    if hit:
        points[end] = -1
        points[THEIR_BAR] += 1
    points[start] += 1
    return tuple(points)


def steps_with(view: View, die: int) -> Iterator[Step]:
    """Every step one die can make, without a look at the other dice."""
    if view[BAR] > 0:
        if view[25 - die] >= -1:
            yield BAR, 25 - die
        return
    highest = next((point for point in range(24, 0, -1) if view[point] > 0), 0)
    for point in range(highest, 0, -1):
        if view[point] <= 0:
            continue
        target = point - die
        if target >= 1:
            if view[target] >= -1:
                yield point, target
        elif highest <= 6 and (target == 0 or point == highest):
            yield point, OFF


def _longest(view: View, dice: Dice, known: dict[tuple[View, Dice], int]) -> int:
    """How many of `dice` can be played at most."""
    if not dice:
        return 0
    key = (view, dice)
    best = known.get(key)
    if best is not None:
        return best
    best = 0
    for die in set(dice):
        rest = without(dice, die)
        for step in steps_with(view, die):
            best = max(best, 1 + _longest(apply_step(view, step)[0], rest, known))
            if best == len(dice):
                break
        if best == len(dice):
            break
    known[key] = best
    return best


def available(view: View, dice: Dice, *, fresh: bool, last_checker_free: bool = False) -> list[Step]:
    """The steps that belong to some longest play of `dice`, highest first, without repeats.

    `fresh`: no step of the turn was made, so if only one of two dice can be played it must be the higher.
    `last_checker_free` also offers to bear off the last checker with one die where both could be used.
    """
    known: dict[tuple[View, Dice], int] = {}
    found: list[tuple[int, int, Step]] = []
    for die in set(dice):
        rest = without(dice, die)
        for step in steps_with(view, die):
            found.append((1 + _longest(apply_step(view, step)[0], rest, known), die, step))
    if not found:
        return []
    best = max(count for count, _, _ in found)
    kept = [(die, step) for count, die, step in found if count == best]
    if fresh and best == 1 and len(dice) == 2:
        highest = max(die for die, _ in kept)
        kept = [(die, step) for die, step in kept if die == highest]
    steps = {step for _, step in kept}
    if last_checker_free and sum(max(0, count) for count in view[1:]) == 1:
        steps |= {step for _, _, step in found if step[1] == OFF}
    return sorted(steps, reverse=True)


def expand(view: View, dice: Dice, move: Step, *, fresh: bool, last_checker_free: bool = False) -> list[Step]:
    """The steps of one checker that make `move`, one or several dice long; empty if there are none.

    Of several ways one that hits is taken, else the first in the order of `available`.
    """
    ways: list[tuple[bool, list[Step]]] = []

    def walk(position: View, left: Dice, at: int, made: list[Step], hits: bool) -> None:
        for step in available(position, left, fresh=fresh and not made, last_checker_free=last_checker_free):
            if step[0] != at or step[1] < move[1]:
                continue
            after, hit = apply_step(position, step)
            if step[1] == move[1]:
                ways.append((hits or hit, [*made, step]))
            else:
                walk(after, without(left, die_of(step, left)), step[1], [*made, step], hits or hit)

    walk(view, dice, move[0], [], False)
    shortest = min((len(steps) for _, steps in ways), default=0)
    ways = [way for way in ways if len(way[1]) == shortest]
    for hits, steps in ways:
        if hits:
            return steps
    return ways[0][1] if ways else []


def forced_play(view: View, dice: Dice) -> list[Step]:
    """The steps to the one position that all legal plays lead to; empty if there are several or none."""
    results: dict[View, list[Step]] = {}

    def walk(position: View, left: Dice, made: list[Step]) -> None:
        steps = available(position, left, fresh=not made)
        if not steps and made:
            results.setdefault(position, made)
        for step in steps:
            if len(results) > 1:
                return
            walk(apply_step(position, step)[0], without(left, die_of(step, left)), [*made, step])

    walk(view, dice, [])
    return next(iter(results.values())) if len(results) == 1 else []


def bears_off_with_larger_die(steps: Sequence[Step], dice: Dice) -> bool:
    """Whether a play needs a die for a checker on a lower point, in the order given."""
    left = dice
    for step in steps:
        die = die_of(step, left)
        if step[1] == OFF and die != distance(step):
            return True
        left = without(left, die)
    return False
