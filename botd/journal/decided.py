"""A decision read back from the journal: what there was to choose, what was chosen, and what that cost.

Equities are seen by the side on roll when the question was asked (for a take: by the doubler; for a
resignation: by the side that decides), as everywhere in `botd.engine.types`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from botd.engine.types import CubeDecision, EngineMode, PlayDecision
from botd.journal import records as r
from botd.journal.history import Types, checked_rows
from botd.journal.retention import FORGOTTEN
from botd.journal.store import candidates_json, parse_timestamp

Chances = tuple[float, float, float, float, float]
"""Win, win gammon, win backgammon, lose gammon, lose backgammon, as in `Probabilities`."""


class PlayCandidate(msgspec.Struct, frozen=True):
    """One of the plays that were compared."""

    move: str
    equity: float
    cubeless: float | None
    ply: int
    probabilities: Chances | None


class PlayCandidates(msgspec.Struct, frozen=True):
    """The plays of a roll, in the order of the decision: what was chosen first, as a rule."""

    legal: int
    plays: tuple[PlayCandidate, ...]


class CubeCandidates(msgspec.Struct, frozen=True):
    """The equities of a cube decision, seen by the side that may double."""

    decision: str
    no_double: float
    double_take: float
    double_pass: float
    optimal: float
    double: bool
    response: str
    cubeless: float | None
    probabilities: Chances | None


class ResignationCandidates(msgspec.Struct, frozen=True):
    """Playing on against resigning (or accepting) `level`, seen by the side that decides."""

    level: int
    accept: bool
    play_on: float
    resign: float
    probabilities: Chances | None


Candidates = PlayCandidates | CubeCandidates | ResignationCandidates


@dataclass(frozen=True, slots=True)
class Option:
    """One of the things to choose from, as tables and pages show it."""

    action: str
    """A play's notation or the journal's word: `roll`, `double`, `take`, `pass`, `resign 1`, `accept`, ..."""
    equity: float
    """Seen by the side that decides, also for a take."""
    loss: float
    """Equity of the best option less this one's; 0 for the best."""
    ply: int
    probabilities: Chances | None
    """Of the side that decides: after a play, before any other decision. None of an evaluator without."""

    @property
    def win(self) -> float | None:
        """The deciding side's chance to win the game."""
        return None if self.probabilities is None else self.probabilities[0]


@dataclass(frozen=True, slots=True)
class Decided:
    """One row of the table `decisions`."""

    game: int
    seq: int
    at: float
    kind: r.DecisionKind
    position_id: str
    match_id: str
    dice: r.Dice | None
    chosen: str
    equity: float | None
    ply: int
    source: str
    duration: float
    candidates: Candidates | None
    """None where the journal has forgotten them to save room."""
    engine_version: str
    evaluator: str
    mode: EngineMode
    weights_sha256: str
    cpu_path: str
    met: str
    settings: dict[str, Any]

    @property
    def options(self) -> tuple[Option, ...]:
        """What there was to choose from, best first; plays of less depth than the deepest come after it."""
        return () if self.candidates is None else options_of(self.kind, self.candidates, self.ply)

    @property
    def loss(self) -> float | None:
        """Equity of the best option less that of the chosen one, in the decision's own eyes: 0 unless a level
        with weaknesses, a refused move or an early end of the search stood in between. None where the chosen
        one is not among the options kept."""
        return None if (taken := self.taken) is None else taken.loss

    @property
    def taken(self) -> Option | None:
        """The chosen option, if it is among those kept."""
        return next((option for option in self.options if option.action == self.chosen), None)

    @property
    def own_equity(self) -> float | None:
        """Of the choice, seen by us; of the best option where those of a cube or resignation are gone."""
        if (taken := self.taken) is not None:
            return taken.equity
        return -self.equity if self.equity is not None and self.kind is r.DecisionKind.TAKE else self.equity

    @property
    def level(self) -> str | None:
        """The named level that was played, if one was."""
        name = self.settings.get("level")
        return name if isinstance(name, str) else None


def load_decisions(connection: sqlite3.Connection, game: r.GameKey) -> Iterator[Decided]:
    """Our decisions of a game in order.

    Raises sqlite3.Error, and ValueError or msgspec.ValidationError for a file somebody else has written into.
    """
    return map(_decided, checked_rows(connection, "decisions", _COLUMNS, game))


_NUMBER = (int, float)
_COLUMNS: dict[str, Types] = {
    "game": int,
    "seq": int,
    "at": str,
    "kind": str,
    "position_id": str,
    "match_id": str,
    "die1": (int, type(None)),
    "die2": (int, type(None)),
    "chosen": str,
    "equity": (*_NUMBER, type(None)),
    "ply": int,
    "source": str,
    "duration": _NUMBER,
    "candidates": str,
    "engine_version": str,
    "evaluator": str,
    "mode": str,
    "weights_sha256": str,
    "cpu_path": str,
    "met": str,
    "settings": str,
}


def _decided(row: tuple[Any, ...]) -> Decided:
    columns = dict(zip(_COLUMNS, row, strict=True))
    kind = r.DecisionKind(columns["kind"])
    die1, die2 = columns.pop("die1"), columns.pop("die2")
    candidates = columns["candidates"]
    columns |= {
        "kind": kind,
        "at": parse_timestamp(columns["at"]),
        "dice": None if die1 is None or die2 is None else (die1, die2),
        "candidates": None
        if candidates == FORGOTTEN
        else msgspec.json.decode(candidates, type=_CANDIDATES[kind]),
        "mode": EngineMode(columns["mode"]),
        "settings": msgspec.json.decode(columns["settings"], type=dict[str, Any]),
    }
    return Decided(**columns)


_CANDIDATES: dict[r.DecisionKind, type[Candidates]] = {
    r.DecisionKind.PLAY: PlayCandidates,
    r.DecisionKind.DOUBLE: CubeCandidates,
    r.DecisionKind.TAKE: CubeCandidates,
    r.DecisionKind.RESIGN: ResignationCandidates,
    r.DecisionKind.ANSWER_RESIGNATION: ResignationCandidates,
}


def options_of(kind: r.DecisionKind, candidates: Candidates, ply: int) -> tuple[Option, ...]:
    """What candidates of a decision of this kind mean for the side that decides; see `Decided.options`."""
    match candidates:
        case PlayCandidates(plays=plays):
            return _play_options(plays)
        case CubeCandidates() as cube if kind is r.DecisionKind.DOUBLE:
            values = {"roll": cube.no_double, "double": min(cube.double_take, cube.double_pass)}
            chances = cube.probabilities
        case CubeCandidates() as cube:
            values = {"take": -cube.double_take, "pass": -cube.double_pass}
            chances = None if cube.probabilities is None else _turned(cube.probabilities)
        case ResignationCandidates() as offer:
            if kind is r.DecisionKind.RESIGN:
                values = {"play on": offer.play_on, f"resign {offer.level or 1}": offer.resign}
            else:
                values = {"accept": offer.resign, "reject": offer.play_on}
            chances = offer.probabilities
    best = max(values.values())
    ranked = sorted(values.items(), key=lambda item: -item[1])
    return tuple(Option(action, equity, best - equity, ply, chances) for action, equity in ranked)


def candidates_of(decision: r.Decision) -> Candidates:
    """A decision just made, in the form in which the journal keeps them."""
    kind: type[Candidates] = ResignationCandidates
    if isinstance(decision, PlayDecision):
        kind = PlayCandidates
    elif isinstance(decision, CubeDecision):
        kind = CubeCandidates
    return msgspec.json.decode(candidates_json(decision), type=kind)


def _turned(chances: Chances) -> Chances:
    """The same chances for the other side."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances
    return 1.0 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon


def _play_options(plays: tuple[PlayCandidate, ...]) -> tuple[Option, ...]:
    deepest = max((play.ply for play in plays), default=0)
    # Equities of different depths do not compare: a shallow one never makes a deep one look wrong.
    best = max((play.equity for play in plays if play.ply == deepest), default=0.0)
    ranked = sorted(plays, key=lambda play: (-play.ply, -play.equity))
    return tuple(
        Option(play.move, play.equity, max(0.0, best - play.equity), play.ply, play.probabilities)
        for play in ranked
    )
