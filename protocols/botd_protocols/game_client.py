"""What a session needs of a protocol client, whatever the server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from botd_protocols.game_events import Event
from botd_protocols.positions import Step


class GameClient(Protocol):
    """One connection to one server: bytes and times in, events and bytes out; see `game_events`.

    Every question (`DecisionNeeded`) is answered once, with its key. An answer to a question no longer asked
    is ignored and reported as `StaleAnswer`.
    """

    @property
    def can_play(self) -> bool:
        """Logged in, start-up done."""

    @property
    def logged_in(self) -> bool:
        """`bye` makes sense."""

    @property
    def opponent(self) -> str | None:
        """Whom we play, None outside a match."""

    @property
    def in_match(self) -> bool: ...

    def receive_data(self, data: bytes, now: float) -> list[Event]:
        """Take bytes from the server. Never raises for anything in them."""

    def receive_eof(self, now: float) -> list[Event]:
        """The server closed the connection, or it broke."""

    def advance(self, now: float) -> list[Event]:
        """Let due timers act."""

    def next_timer(self) -> float | None:
        """When `advance` (and then `data_to_send`) must be called at the latest; None: not at all."""

    def data_to_send(self) -> bytes:
        """The bytes that may go out now (by the time of the last call with `now`)."""

    def answer_move(self, key: int, steps: Iterable[Step]) -> list[Event]:
        """Play steps in our own numbering; none if no checker can move."""

    def answer_roll(self, key: int) -> list[Event]: ...
    def answer_double(self, key: int) -> list[Event]: ...
    def answer_accept(self, key: int) -> list[Event]:
        """Take a double, or accept a resignation."""

    def answer_reject(self, key: int) -> list[Event]:
        """Drop a double, or reject a resignation."""

    def resign(self, level: int) -> None:
        """Resign (or offer to): 1 single game, 2 gammon, 3 backgammon."""

    def read_board(self) -> list[Event]:
        """Read the board again and decide afresh."""

    def leave_after_game(self, leave: bool = True) -> None:
        """Whether to leave the match when the running game is over."""

    def say(self, text: str) -> None:
        """To the opponent (and whoever watches)."""

    def bye(self) -> None:
        """Log out so that a running match can be taken up again; the connection then ends."""
