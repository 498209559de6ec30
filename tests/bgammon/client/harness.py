"""The server's end of the line, composed by hand from the protocol specification."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import BgammonClient, BgammonClientConfig, Phase
from botd_protocols.bgammon.client_lobby import MatchOffer

ME = "BOT_acme"
OPPONENT = "Guest_alice"
START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0]
HELLO = "hello Welcome to bgammon.org!"

E = TypeVar("E", bound=ev.Event)


def event(kind: str, player: str = "", **fields: object) -> str:
    return json.dumps({"Type": kind, "Player": player, **fields}, separators=(",", ":"))


def board(
    *,
    turn: int = 0,
    roll: tuple[int, int] = (0, 0),
    spaces: Sequence[object] = START,
    opponent: str = OPPONENT,
    score: tuple[int, int] = (0, 0),
    points: int = 3,
    available: Sequence[Sequence[int]] | None = None,
    moves: Sequence[Sequence[int]] | None = None,
    **changes: object,
) -> str:
    """A `board` event seen by us; the opening position before anybody has rolled."""
    fields: dict[str, object] = {
        "Started": 1796004581 if turn else 0,
        "Ended": 0,
        "Player1": _player(1, ME, score[0]),
        "Player2": _player(2, opponent, score[1]),
        "Variant": 0,
        "Board": list(spaces),
        "Turn": turn,
        "Roll1": roll[0],
        "Roll2": roll[1],
        "Roll3": 0,
        "Moves": moves,
        "Winner": 0,
        "Points": points,
        "Crawford": 0,
        "DoubleValue": 1,
        "DoublePlayer": 0,
        "DoubleOffered": False,
        "Reroll": False,
        "PlayerNumber": 1,
        "Available": available,
        "Forced": False,
        "Spectating": False,
    }
    return event("board", **{**fields, **changes})


def _player(number: int, name: str, points: int) -> dict[str, object]:
    return {
        "Number": number,
        "Name": name,
        "Rating": 0,
        "Points": points,
        "Entered": True,
        "Inactive": 0,
        "Icon": 0,
    }


def spaces(own: dict[int, int], his: dict[int, int]) -> list[int]:
    """28 spaces: our checkers by our points (26 is our bar), the opponent's too (27); the rest is off."""
    row = [0] * 28
    for point, count in own.items():
        row[point] += count
    for point, count in his.items():
        row[point] -= count
    row[0] += 15 - sum(own.values())
    row[25] -= 15 - sum(his.values())
    return row


def rolled(player: str, one: int, two: int) -> str:
    return event("rolled", player, Roll1=one, Roll2=two, Roll3=0, Selected=False)


def moved(player: str, *steps: tuple[int, int]) -> str:
    return event("moved", player, Moves=[list(step) for step in steps])


def win(player: str, points: int, resigned: str = "") -> str:
    return event("win", player, Points=points, Rating=0, Resigned=resigned)


def joined(player: str, number: int) -> str:
    return event("joined", player, GameID=11, PlayerNumber=number)


def notice(text: str) -> str:
    return event("notice", Message=text)


WELCOME = event("welcome", PlayerName=ME, Clients=9, Games=3)
LIST = event("list", Games=None)


class Line:
    """Says things to the client and keeps what it sends and tells."""

    def __init__(self, **config: object) -> None:
        settings = {"name": "BOT_acme", "command_gap": 0.0, **config}
        self.client = BgammonClient(BgammonClientConfig(**settings))  # type: ignore[arg-type]
        self.gap = float(str(settings["command_gap"]))
        self.now = 0.0
        self.events: list[ev.Event] = []
        self.sent: list[str] = []
        self.wait(0.0)

    def say(self, *lines: str) -> None:
        """Lines from the server, one after the other."""
        for line in lines:
            self.events += self.client.receive_data(f"{line}\n".encode(), self.now)
            self._collect()

    def raw(self, data: bytes) -> None:
        self.events += self.client.receive_data(data, self.now)
        self._collect()

    def wait(self, seconds: float) -> None:
        """Let time pass, waking the client whenever it asks for it; nothing comes from the server."""
        end = self.now + seconds
        while (due := self.client.next_timer()) is not None and due <= end:
            self.now = max(self.now, due)
            self.events += self.client.advance(self.now)
            self._collect()
            if self.client.phase is Phase.CLOSED:
                break
        self.now = end
        self.events += self.client.advance(self.now)
        self._collect()

    def keep(self, seconds: float) -> None:
        """Let time pass on a line that is alive: the server pings, answers to the pings are not kept."""
        for _ in range(int(seconds // 30)):
            self.wait(30)
            self.say(event("ping", Message="1796004600"))
        self.wait(seconds % 30)
        self.sent = [command for command in self.sent if not command.startswith("pong")]

    def eof(self) -> None:
        self.events += self.client.receive_eof(self.now)
        self._collect()

    def answer(self, kind: ev.DecisionKind, *steps: tuple[int, int], by: str = "") -> None:
        """Answer the newest question."""
        question = self.seen(ev.DecisionNeeded)[-1]
        assert question.kind is kind
        if kind is ev.DecisionKind.MOVE:
            self.events += self.client.answer_move(question.key, steps)
        else:
            self.events += getattr(self.client, f"answer_{by}")(question.key)
        self._collect()

    def _collect(self) -> None:
        data = self.client.data_to_send()
        self.sent += data.decode().splitlines()

    def seen(self, kind: type[E]) -> list[E]:
        return [found for found in self.events if isinstance(found, kind)]

    def forget(self) -> None:
        self.events.clear()
        self.sent.clear()

    def take(self) -> list[str]:
        """What was sent since the last look."""
        sent, self.sent = self.sent, []
        return sent

    @property
    def open_questions(self) -> list[ev.DecisionNeeded]:
        gone = {found.key for found in self.seen(ev.DecisionWithdrawn)}
        return [found for found in self.seen(ev.DecisionNeeded) if found.key not in gone]


def logged_in(**config: object) -> Line:
    """In the lobby, in no match."""
    line = Line(**config)
    line.say(HELLO, WELCOME, LIST, notice("Message of the day"))
    line.wait(2.5)
    line.forget()
    return line


def hosting(points: int = 3, **config: object) -> Line:
    """We have created a match and wait."""
    line = logged_in(**config)
    line.client.offer(MatchOffer(points, "Test"))
    line.wait(0.1)
    assert line.take() == [f"create public {points} 0 Test"]
    line.say(joined(ME, 1), board(opponent="", points=points), notice("Created match: Test"))
    line.forget()
    return line


def opening(points: int = 3, **config: object) -> Line:
    """The opponent sits; our `roll` is on its way."""
    line = hosting(points, **config)
    line.wait(line.gap)
    line.say(joined(OPPONENT, 2), board(points=points))
    assert line.take() == ["roll"]
    return line


def playing(points: int = 3, **config: object) -> Line:
    """The opponent has won the opening roll with 6-4 and is to move."""
    line = opening(points, **config)
    line.say(rolled(ME, 4, 0), rolled(OPPONENT, 4, 6))
    line.say(board(points=points, turn=2, roll=(4, 6), available=[[1, 5], [1, 7]]))
    assert line.seen(ev.MatchStarted)
    line.wait(line.gap)
    line.forget()
    return line
