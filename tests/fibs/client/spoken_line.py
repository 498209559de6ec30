"""The server's end of a line to the client, for tests that say a thing and look at what comes back."""

from __future__ import annotations

from typing import TypeVar

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig
from botd_protocols.fibs.client_events import DecisionKind
from botd_protocols.fibs.client_settings import WANTED

WHO = "5 mybot - - 1 0 1543.27 412 0 1793749000 x c -\r\n"
LOGIN = (
    "login: 1 mybot 1793749000 x\r\n2 mybot 1 1 0 0 0 0 1 1 412 0 1 0 1 1543.27 0 1 0 1 1 UTC\r\n"
    "3\r\nWelcome\r\n4\r\n" + WHO + "6\r\n"
)
START = "** You are now playing a 5 point match with anna\r\nStarting a new game with anna.\r\n"
OPENING = (
    "board:You:anna:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:"
    "1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)
JOIN = "Type 'join' if you want to play the next game, type 'leave' if you don't.\r\n"

E = TypeVar("E", bound=ev.Event)


def board(**changes: int | str) -> str:
    """The opening position as O with other fields: turn, dice, his dice, cube, flags, score."""
    where = {
        "length": 3,
        "score": 4,
        "his_score": 5,
        "turn": 32,
        "die1": 33,
        "die2": 34,
        "cube": 37,
        "may": 38,
        "his_may": 39,
        "doubled": 40,
        "colour": 41,
        "post_crawford": 51,
        "bar0": 6,
        "bar25": 31,
        "direction": 42,
        "home": 43,
        "bar": 44,
        "opponent": 2,
        "point24": 30,
    }
    fields = OPENING.split(":")
    for name, value in changes.items():
        fields[where[name]] = str(value)
    return ":".join(fields) + "\r\n"


AS_X = {"colour": -1, "direction": 1, "home": 25, "bar": 0}
WAITING = board(turn=-1, die1=0, die2=0)
ON_ROLL = board(die1=0, die2=0)


class Line:
    """The server's end of the line: says things, and keeps what the client says and tells."""

    def __init__(self, start: str = START) -> None:
        self.client = FibsClient(FibsClientConfig("mybot", "s3cret"))
        self.now = 0.0
        self.events: list[ev.Event] = []
        self.sent: list[str] = []
        self.say(LOGIN)
        for _ in range(20):
            self.wait(2.0)
            self._answer_settings()
        assert self.seen(ev.LobbyReady)
        self.forget()
        if start:
            self.say(start)

    def _answer_settings(self) -> None:
        word, _, rest = self.sent[-1].partition(" ")
        if self.sent[-1] == "toggle":
            rows = "".join(f"{name:<12}{'YES' if on else 'NO'}\r\n" for name, on in WANTED.items())
            self.say("The current settings are:\r\n" + rows)
        elif word == "set":
            self.say(f"Value of '{rest.split()[0]}' set to {rest.split()[1]}.\r\n")
        elif self.sent[-1] == "show saved":
            self.say("no saved games.\r\n")

    def say(self, text: str | bytes) -> None:
        data = text if isinstance(text, bytes) else text.encode("latin-1")
        self.events += self.client.receive_data(data, self.now)
        self._flush()

    def wait(self, seconds: float) -> None:
        """Let time pass, timer by timer."""
        end = self.now + seconds
        while (due := self.client.next_timer()) is not None and due <= end:
            self.now = max(due, self.now)
            self.events += self.client.advance(self.now)
            self._flush()
        self.now = end
        self.events += self.client.advance(end)
        self._flush()

    def _flush(self) -> None:
        self.sent += self.client.data_to_send().decode().split("\r\n")[:-1]

    def forget(self) -> None:
        self.sent.clear()
        self.events.clear()

    def seen(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def asked(self) -> list[DecisionKind]:
        return [event.kind for event in self.seen(ev.DecisionNeeded)]
