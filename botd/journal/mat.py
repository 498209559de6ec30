"""A match as `.mat` text, the Jellyfish format that GNU Backgammon and most other programs import.

We are the left player, the opponent the right one. The format has no place for resignations (the result says
it all), for a rejected one, or for equal opening dice. What the journal has not seen it does not invent: of a
game with a gap only the events before the gap are written, then its result; of a game whose beginning was
not seen only the result.
"""

from __future__ import annotations

import re

from botd.journal import records as r
from botd.journal.history import GameHistory, MatchHistory, Replay

_COLUMN = 28
"""Width of the left column, counted after `nnn) `."""


def format_match(history: MatchHistory) -> str:
    """The whole file, ending in a newline."""
    tags = [
        ("Site", history.server),
        ("Match ID", history.match),
        ("Player 1", history.account),
        ("Player 2", history.opponent),
        ("EventDate", history.started_at[:10].replace("-", ".")),
        ("EventTime", history.started_at[11:16].replace(":", ".")),
        ("Crawford", "On" if history.crawford and history.length else "Off"),
    ]
    if history.length == 0:
        tags.append(("Jacoby", "On" if history.jacoby else "Off"))
    lines = [f'; [{tag} "{_quoted(text)}"]' for tag, text in tags]
    for game in history.games:
        if game.gap:
            lines.append(f'; [Game {game.number} incomplete "{_quoted(game.gap)}"]')
    lines += ["", f" {history.length} point match"]
    names = (player_name(history.account), player_name(history.opponent))
    if names[0] == names[1]:
        names = (names[0], f"{names[1]}_2")
    for game in history.games:
        lines += ["", f" Game {game.number}", _heading(names, game.score), *_game_lines(game)]
    return "\n".join(lines) + "\n"


def player_name(name: str) -> str:
    """A name that cannot be mistaken for part of the format: no blanks, colons or control characters."""
    return re.sub(r"[^\w.+<>-]", "_", name)[:40] or "_"


def _quoted(text: str) -> str:
    return "".join(c if c.isprintable() and c not in '"[]' else "_" for c in text)[:120]


def _heading(names: tuple[str, str], score: tuple[int, int]) -> str:
    left = f" {names[0]} : {score[0]}"
    return f"{left:<32}{names[1]} : {score[1]}"


def _game_lines(game: GameHistory) -> list[str]:
    cells = _cells(game)
    rows: list[list[str | None]] = []
    for side, text in cells:
        column = 0 if side is r.Side.US else 1
        if not rows or column == 0 or rows[-1][1] is not None:
            rows.append([None, None])
        rows[-1][column] = text
    lines = []
    for number, (left, right) in enumerate(rows, start=1):
        # A doublet with hits can be wider than the column; a blank still parts it from the right one.
        line = f"{number:3}) " + f"{left or ''} ".ljust(_COLUMN)
        lines.append(f"{line}{right}" if right is not None else line.rstrip())
    if game.winner is not None:
        result = f"Wins {game.points} point{'' if game.points == 1 else 's'}"
        if game.winner is r.Side.US:
            lines.append(f"      {result}")
        elif rows and rows[-1][0] == " Drops":
            lines[-1] = f"{lines[-1]:<{5 + _COLUMN}} {result}"
        else:
            lines.append(f"{'':34}{result}")
    return lines


def _cells(game: GameHistory) -> list[tuple[r.Side, str]]:
    """What stands in the two columns, in order."""
    replay = Replay()
    cells: list[tuple[r.Side, str]] = []
    beavered = False
    for event in game.events:
        hits = replay.apply(event)
        match event:
            case r.Moved():
                cells.append((event.side, _move_text(event, hits)))
            case r.CubeAction(side=r.Side() as side, action=action, cube=cube):
                text = {
                    r.CubeActionKind.DOUBLE: f" Doubles => {cube}",
                    r.CubeActionKind.TAKE: " Takes",
                    r.CubeActionKind.PASS: " Drops",
                    r.CubeActionKind.BEAVER: f" Beavers => {cube}",
                }[action]
                # After a beaver the doubler rolls; that he goes on is not written.
                if not (beavered and action is r.CubeActionKind.TAKE):
                    cells.append((side, text))
                beavered = action is r.CubeActionKind.BEAVER
            case _:
                pass
    return cells


def _move_text(event: r.Moved, hits: tuple[bool, ...]) -> str:
    high, low = max(event.dice), min(event.dice)
    if not event.steps:
        return f"{high}{low}: Cannot Move"
    steps = (
        f"{start}/{end}{'*' if hit else ''}" for (start, end), hit in zip(event.steps, hits, strict=True)
    )
    return f"{high}{low}: {' '.join(steps)}"
