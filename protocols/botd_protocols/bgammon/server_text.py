"""Events as plain text lines, for connections that did not choose JSON.

The specification leaves the wording of text mode open but for the greeting; this one starts each line with
the event's type, except that the board is a drawing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .server_board import BAR, OFF, THEIR_BAR, THEIR_OFF, step_text

if TYPE_CHECKING:
    from .server_events import Event


_BARE = frozenset({"welcome", "notice", "say", "ping", "joined", "left", "rolled", "moved", "win"})
"""Events whose fields need no names."""


def event_lines(event: Event) -> list[str]:
    """One event as text; line ends and other control characters within it become blanks."""
    lines = _board_lines(event.fields) if event.type == "board" else [_line(event)]
    return ["".join(c if c.isprintable() else " " for c in line).rstrip() for line in lines]


def _line(event: Event) -> str:
    fields = event.fields
    words = [event.type, event.player]
    if event.type == "list":
        games = fields["Games"] or []
        rows = [f"#{g['ID']} {g['Points']} points, {g['Players']} players: {g['Name']}" for g in games]
        return f"list {'; '.join(rows) or 'no matches'}"
    bare = event.type in _BARE or event.type.startswith("failed")
    for name, value in fields.items():
        if name == "Moves":
            shown = " ".join(step_text((step[0], step[1])) for step in value or [])
        elif isinstance(value, list):
            shown = str(len(value))
        else:
            shown = "0" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        words.append(shown if bare else f"{name.lower()} {shown}")
    return " ".join(word for word in words if word)


def _board_lines(fields: Any) -> list[str]:
    points = fields["Board"]

    def cell(point: int, row: int) -> str:
        count = points[point]
        if abs(count) <= row:
            return "   "
        mark = "x" if count > 0 else "o"
        return f" {abs(count) if row == 4 and abs(count) > 5 else mark} "

    def half(numbers: range, row: int) -> str:
        return "".join(cell(point, row) for point in numbers)

    you, other = fields["Player1"], fields["Player2"]
    lines = ["board", "+13-14-15-16-17-18-------19-20-21-22-23-24-+"]
    lines += [f"|{half(range(13, 19), row)}|     |{half(range(19, 25), row)}|" for row in range(5)]
    lines.append(
        f"|                  |BAR  |                  |  Bar: x {points[BAR]} o {-points[THEIR_BAR]}"
        f"  Off: x {points[OFF]} o {-points[THEIR_OFF]}"
    )
    lines += [
        f"|{half(range(12, 6, -1), row)}|     |{half(range(6, 0, -1), row)}|" for row in range(4, -1, -1)
    ]
    lines.append("+12-11-10--9--8--7--------6--5--4--3--2--1-+")
    who = {0: "opening roll", 1: "x to play", 2: "o to play"}[fields["Turn"]]
    lines.append(
        f"x {you['Name'] or '(nobody)'} {you['Points']}  o {other['Name'] or '(nobody)'} {other['Points']}  "
        f"of {fields['Points']}  cube {fields['DoubleValue']}  {who}  "
        f"dice {fields['Roll1']}-{fields['Roll2']}"
    )
    return lines
