"""Commands on their way out: in three lanes, with a gap between any two.

`control` (log-in, keep-alive) goes at once; `game` commands go before `other` ones. Chat has its own gap.
"""

from __future__ import annotations

from collections import deque

MAX_CHAT_WAITING = 3
MAX_CONTROL_WAITING = 20
CHAT_GAP = 5.5
"""A little more than the 5 s people are promised, for a line that is delivered late."""


class CommandQueue:
    def __init__(self, gap: float) -> None:
        self._gap = gap
        self._control: deque[str] = deque()
        self._game: deque[str] = deque()
        self._other: deque[str] = deque()
        self._chat: deque[str] = deque()
        self._next = float("-inf")
        self._next_chat = float("-inf")

    def control(self, command: str) -> None:
        if len(self._control) < MAX_CONTROL_WAITING:
            self._control.append(command)

    def game(self, command: str) -> None:
        self._game.append(command)

    def other(self, command: str) -> None:
        if command not in self._other:
            self._other.append(command)

    def chat(self, command: str) -> None:
        """Beyond `MAX_CHAT_WAITING` lines chat is dropped."""
        if command and len(self._chat) < MAX_CHAT_WAITING:
            self._chat.append(command)

    def take_chat(self, now: float) -> str | None:
        """The next line of chat if it may go out now, taken out of its turn."""
        if not self._chat or self._next_chat > now:
            return None
        self._next_chat = now + CHAT_GAP
        return self._chat.popleft()

    def drop_game(self) -> None:
        """Forget what was meant for a state of the game that is over."""
        self._game.clear()

    def drop_match(self) -> None:
        """Forget what was meant for a match that is over."""
        self._game.clear()
        self._chat.clear()
        self._other.clear()

    @property
    def game_waiting(self) -> bool:
        return bool(self._game)

    def next_time(self) -> float | None:
        """When the next command may go out; None if there is none."""
        if self._control:
            return float("-inf")
        if self._game or self._other:
            return self._next
        return max(self._next, self._next_chat) if self._chat else None

    def pop(self, now: float) -> str | None:
        """The next command if it may go out now."""
        due = self.next_time()
        if due is None or due > now:
            return None
        self._next = max(self._next, now) + self._gap
        for lane in (self._control, self._game, self._other):
            if lane:
                return lane.popleft()
        self._next_chat = now + CHAT_GAP
        return self._chat.popleft()
