"""What the server tells clients: events with their fields in order, seen from one seat, as a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .server_accounts import SETTINGS, Session
from .server_board import Step, View, flip, flip_step
from .server_match import ACEY_DEUCEY, Match
from .server_quirks import ServerQuirks

_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@dataclass(frozen=True, slots=True)
class Event:
    type: str
    player: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    def json(self) -> str:
        """One line: `Type` first, no blanks, markup characters escaped."""
        text = json.dumps(
            {"Type": self.type, "Player": self.player, **self.fields},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        return text.translate(_ESCAPES)


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Whose eyes an event is written for."""

    seat: int
    """Spectators look through seat 1's."""
    spectating: bool = False

    def number(self, seat: int) -> int:
        """1 for the viewer's own seat, 2 for the other, 0 for none."""
        return 0 if seat == 0 else 1 if seat == self.seat else 2

    def steps(self, mover: int, steps: Iterable[Step]) -> list[list[int]]:
        """Steps of the mover's numbering in the viewer's."""
        own = mover == self.seat
        return [list(step if own else flip_step(step)) for step in steps]


def viewpoint(match: Match, session: Session) -> Viewpoint:
    seat = match.number_of(session)
    return Viewpoint(seat) if seat else Viewpoint(1, spectating=True)


def notice(text: str) -> Event:
    return Event("notice", fields={"Message": text})


def failed(command: str, reason: str) -> Event:
    return Event(f"failed{command}", fields={"Reason": reason})


def failed_move(reason: str, step: Step = (0, 0)) -> Event:
    return Event("failedmove", fields={"From": step[0], "To": step[1], "Reason": reason})


def welcome(name: str, clients: int, games: int) -> Event:
    return Event("welcome", fields={"PlayerName": name, "Clients": clients, "Games": games})


def settings(values: Mapping[str, int]) -> Event:
    fields: dict[str, Any] = {}
    for name, (title, highest) in SETTINGS.items():
        fields[title] = bool(values[name]) if highest == 1 else values[name]
    return Event("settings", fields=fields)


def ping(now: float) -> Event:
    return Event("ping", fields={"Message": str(int(now))})


def say(speaker: str, text: str) -> Event:
    return Event("say", speaker, {"Message": text})


def joined(match: Match, name: str, number: int) -> Event:
    return Event("joined", name, {"GameID": match.id, "PlayerNumber": number})


def left(name: str) -> Event:
    return Event("left", name)


def win(match: Match, points: int, rating_gain: int, resigned: str) -> Event:
    fields = {"Points": points, "Rating": rating_gain, "Resigned": resigned}
    return Event("win", match.seat(match.winner).owner, fields)


def moved(match: Match, eyes: Viewpoint, seat: int, steps: Sequence[Step]) -> Event:
    return Event("moved", match.seat(seat).owner, {"Moves": eyes.steps(seat, steps)})


def opening_rolled(match: Match, eyes: Viewpoint, seat: int, dice: tuple[int, int]) -> Event:
    """An opening die was thrown; `dice` are seat 1's and seat 2's."""
    own, other = dice if eyes.seat == 1 else dice[::-1]
    return _rolled(match, seat, (own, other))


def rolled(match: Match, seat: int) -> Event:
    return _rolled(match, seat, match.dice)


def _rolled(match: Match, seat: int, dice: tuple[int, int]) -> Event:
    fields = {"Roll1": dice[0], "Roll2": dice[1], "Roll3": 0, "Selected": False}
    return Event("rolled", match.seat(seat).owner, fields)


def listing(match: Match, viewer: Session | None) -> dict[str, Any]:
    """A match as the list of matches shows it."""
    whole = match.has_started and (viewer is None or viewer.match is not match)
    return {
        "ID": match.id,
        "Password": match.password is not None,
        "Points": match.length,
        "Players": 2 if whole else len(match.players),
        "Rating": max(seat.rating if seat.session else 0 for seat in match.seats),
        "Name": match.title,
    }


def shown_board(match: Match, eyes: Viewpoint) -> View:
    return match.board if eyes.seat == 1 else flip(match.board)


def board(match: Match, eyes: Viewpoint, quirks: ServerQuirks, now: float, long_turn_s: float) -> Event:
    """The whole state of the match from one seat's side."""
    other = 3 - eyes.seat
    available = match.steps(insist=quirks.insist_on_both_dice)
    shown_steps = sorted(eyes.steps(match.turn, available), reverse=True)
    made = eyes.steps(match.turn, [m.step for m in match.made])
    dice = match.dice
    if match.turn == 0:
        dice = (match.seat(eyes.seat).die, match.seat(other).die)
    elif match.opening and not quirks.seat_order_dice and eyes.seat == 2:
        dice = dice[::-1]
    fields: dict[str, Any] = {
        "Started": match.started,
        "Ended": match.ended,
        "Player1": _player(match, eyes.seat, 1, now, long_turn_s),
        "Player2": _player(match, other, 2, now, long_turn_s),
        "Variant": match.variant,
        "Board": list(shown_board(match, eyes)),
        "Turn": eyes.number(match.turn),
        "Roll1": dice[0],
        "Roll2": dice[1],
        "Roll3": 0,
        "Moves": _list(made, quirks, null=eyes.seat == 1 and not match.ever_moved),
        "Winner": eyes.number(match.winner),
        "Points": match.length,
        "Crawford": match.crawford,
        "DoubleValue": match.cube,
        "DoublePlayer": eyes.number(match.cube_owner),
        "DoubleOffered": match.offered,
        "Reroll": False,
        "PlayerNumber": 1,
        "Available": _list(shown_steps, quirks, null=eyes.seat == 1),
        "Forced": match.forced,
        "Spectating": eyes.spectating,
    }
    return Event("board", fields=fields)


def _list(items: list[Any], quirks: ServerQuirks, *, null: bool) -> list[Any] | None:
    if items or quirks.empty_lists == "empty":
        return items
    return None if null or quirks.empty_lists == "null" else items


def _player(match: Match, seat: int, number: int, now: float, long_turn_s: float) -> dict[str, Any]:
    sitting = match.seat(seat)
    present = sitting.session is not None
    return {
        "Number": number,
        "Name": sitting.owner if present else "",
        "Rating": sitting.rating if present else 0,
        "Points": sitting.points,
        "Entered": match.variant != ACEY_DEUCEY,
        "Inactive": int(match.inactive(seat, now, long_turn_s)) if match.rated else 0,
        "Icon": 0,
    }
