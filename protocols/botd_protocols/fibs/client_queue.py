"""Commands on their way out: one at a time, each after a reply to the one before, with a gap."""

from __future__ import annotations

from collections import deque

MAX_QUEUED = 200
MAX_COMMAND = 200


def command_line(text: str) -> str:
    """Printable ASCII on one line: nothing a person wrote can become a second command."""
    return "".join(c for c in text if " " <= c <= "~")[:MAX_COMMAND].strip()


class CommandQueue:
    """Holds commands back until the server has answered the last one, or a time-out has passed."""

    def __init__(self, gap: float, reply_timeout: float) -> None:
        self._gap = gap
        self._reply_timeout = reply_timeout
        self._urgent: deque[str] = deque()
        self._normal: deque[str] = deque()
        self._sent_at: float | None = None
        self._waiting = False
        self.last = ""
        """The command sent last."""

    def push(self, command: str, *, urgent: bool = False) -> None:
        """Add a command; game commands are urgent and overtake chat. Beyond `MAX_QUEUED` chat is dropped."""
        line = command_line(command)
        if line and (urgent or len(self._normal) < MAX_QUEUED):
            (self._urgent if urgent else self._normal).append(line)

    def drop_urgent(self) -> None:
        """Forget game commands not yet sent: the game they were meant for is over or has changed."""
        self._urgent.clear()

    @property
    def waits_for_reply(self) -> bool:
        return self._waiting

    def answered(self) -> None:
        """The reply to the last command came."""
        self._waiting = False

    def next_time(self) -> float | None:
        """When the next command may go out; None if there is none."""
        if not self._urgent and not self._normal:
            return None
        if self._sent_at is None:
            return float("-inf")
        return self._sent_at + (max(self._gap, self._reply_timeout) if self._waiting else self._gap)

    def pop(self, now: float) -> str | None:
        """The next command if it may go out now."""
        due = self.next_time()
        if due is None or due > now:
            return None
        command = (self._urgent or self._normal).popleft()
        self._sent_at = now
        self._waiting = True
        self.last = command
        return command

    def __contains__(self, command: str) -> bool:
        return command in self._urgent or command in self._normal

    def __len__(self) -> int:
        return len(self._urgent) + len(self._normal)
