"""Manners in chat: say who we are, answer people now and then, other programs never; play comes first.

The chat lane hands lines to the client, which sends them when nothing more urgent waits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version

ANSWER_EVERY = 300.0
"""Seconds between two answers to the same person."""
COMMAND_EVERY = 10.0
"""Seconds between two answers to questions of the same person that we understand."""
REMEMBERED = 1000
"""People; a flood of names must not fill our memory."""

ARE_YOU_THERE = "Are you still there? It is your turn."
ANSWER = "I am a computer player and do not chat. Invite me to play! To wake me in a match: kibitz move"
ANSWER_AT_TABLE = "I am a computer player and do not chat. Enjoy the game! To wake me, say: move"
_PROGRAM = re.compile(r"bot(_|\d|$)|^(bot|BOT)_|RepBot|MissManners|Big_Brother", re.IGNORECASE)
_WAKE_WORDS = frozenset({"move", "roll", "join", "board"})


_QUESTIONS: tuple[tuple[str, str], ...] = (
    (r"help|commands?|hilfe", "help"),
    (r"version", "version"),
    (r"level|ply|strength|how (strong|good) are you", "level"),
    (r"who (made|wrote|programmed|are) you|who is your (maker|author|owner)|author", "maker"),
    (r".*\b(eval(uation)?|equity|hint|best move|analy[sz]e|who is (ahead|winning))\b.*", "evaluation"),
)
_ANSWERS = {
    "help": "I know: help, version, level, who made you. To wake me in a match, say: move",
    "version": f"I am botd {version('botd')}.",
    "maker": "I am botd, a free backgammon program. Somebody lets me play here; the server rolls the dice.",
    "evaluation": "I do not talk about positions.",
}


class ChatManners:
    """Decides what of the chat gets an answer, and which. `name` is our own, `level` says how we play."""

    def __init__(self, name: str, level: Callable[[], str] = lambda: "") -> None:
        self._name = name
        self._level = level
        self._last: dict[str, float] = {}
        self._asked: dict[str, float] = {}

    def reply(self, name: str, text: str, now: float, otherwise: str) -> str | None:
        """What to say to this person: the answer to a question, else `otherwise`, or nothing."""
        question = question_of(text)
        if question is None:
            return otherwise if self.may_write_to(name, now) else None
        if self.is_program(name) or now - self._asked.get(name, float("-inf")) < COMMAND_EVERY:
            return None
        self._asked.pop(name, None)
        self._asked[name] = now
        while len(self._asked) > REMEMBERED:
            del self._asked[next(iter(self._asked))]
        return self._level() if question == "level" else _ANSWERS[question]

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
        """Ourselves, our family and whoever calls himself a bot."""
        return self.is_family(name) or _PROGRAM.search(name) is not None

    def is_family(self, name: str) -> bool:
        """Ourselves and who is called the same but for the tail."""
        return _stem(name) == _stem(self._name)


def _stem(name: str) -> str:
    """`GammonBot_XII` and `GammonBot_3` are of one family."""
    return re.sub(r"_+[IVXLC\d]*$|\d+$", "", name)


def question_of(text: str) -> str | None:
    """Which of the questions that we can answer this is."""
    plain = " ".join(text[:200].lower().strip(" \t!?./").split())
    return next((kind for pattern, kind in _QUESTIONS if re.fullmatch(pattern, plain)), None)


def is_wake_word(text: str) -> bool:
    """A player's customary way to tell a program that it seems stuck."""
    return text.strip().lower() in _WAKE_WORDS
