"""Manners in chat: say who we are, answer people now and then, other programs never; play comes first.

The chat lane hands lines to the client, which sends them when nothing more urgent waits.
"""

from __future__ import annotations

import re

ANSWER_EVERY = 300.0
"""Seconds between two answers to the same person."""
REMEMBERED = 1000
"""People; a flood of names must not fill our memory."""

ARE_YOU_THERE = "Are you still there? It is your turn."
ANSWER = "I am a computer player and do not chat. Invite me to play! To wake me in a match: kibitz move"
ANSWER_AT_TABLE = "I am a computer player and do not chat. Enjoy the game! To wake me, say: move"
_PROGRAM = re.compile(r"bot(_|\d|$)|^(bot|BOT)_|RepBot|MissManners|Big_Brother", re.IGNORECASE)
_WAKE_WORDS = frozenset({"move", "roll", "join", "board"})


class ChatManners:
    """Decides what of the chat gets an answer. `name` is our own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last: dict[str, float] = {}

    def may_write_to(self, name: str, now: float) -> bool:
        """Whether to write to this person now; counts as done if so."""
        if self.is_program(name):
            return False
        last = self._last.pop(name, None)  # taken out and put back: the dict stays in order of time
        allowed = last is None or now - last >= ANSWER_EVERY
        self._last[name] = now if allowed or last is None else last
        while len(self._last) > REMEMBERED:
            del self._last[next(iter(self._last))]
        return allowed

    def is_program(self, name: str) -> bool:
        """Ourselves, our family (same name but for the tail) and whoever calls himself a bot."""
        return _stem(name) == _stem(self._name) or _PROGRAM.search(name) is not None


def _stem(name: str) -> str:
    """`GammonBot_XII` and `GammonBot_3` are of one family."""
    return re.sub(r"_+[IVXLC\d]*$|\d+$", "", name)


def is_wake_word(text: str) -> bool:
    """A player's customary way to tell a program that it seems stuck."""
    return text.strip().lower() in _WAKE_WORDS
