"""The composed sessions seen from the client: it asks what they answer and sends what they send."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client_board import BoardLine
from botd_protocols.fibs.client_events import DecisionKind
from botd_protocols.fibs.client_moves import Step
from tests.fibs.client.spoken_line import Line

DATA = Path(__file__).parents[2] / "data" / "fibs-transcripts"
CARELESS = ("resign", "roll", "move")
"""What the sessions try although it will be refused; a client does not."""
TASTE = re.compile(r"toggle |set |tell ")
OPTIONAL = {"board", "show saved"}
MOVE = re.compile(r"(?:move|mov|mo|m)? ?((?:(?:bar|off|[0-9]+)[- ]?)+)\Z")


@dataclass(frozen=True)
class Turn:
    """What the server says up to our command, the command (empty at the end), and the first reply to it."""

    said: str
    command: str
    reply: str


def turns(name: str, start: str = "", stop: str = "") -> Iterator[Turn]:
    """From the remark that contains `start` to the one that contains `stop`."""
    said, active = "", not start
    previous: tuple[str, str] | None = None
    for raw in (DATA / name).read_text().splitlines():
        if raw.startswith("#"):
            if stop and active and stop in raw:
                break
            active = active or start in raw
        elif active and raw.startswith("S: "):
            if previous is not None:
                yield Turn(*previous, raw[3:])
                previous = None
            said += raw[3:] + "\r\n"
        elif active and raw.startswith("C: "):
            if previous is not None:
                yield Turn(*previous, "")
            previous, said = (said, raw[3:]), ""
    if previous is not None:
        yield Turn(*previous, "")
    yield Turn(said, "", "")


def pairs(command: str) -> Counter[tuple[str, str]]:
    """The steps of a move command in whatever spelling."""
    return Counter(spelt(command))


def spelt(command: str) -> list[tuple[str, str]]:
    match = MOVE.match(command)
    assert match, command
    words = re.split(r"[- ]", match[1].strip())
    return list(zip(words[::2], words[1::2], strict=True))


def steps(command: str, line: BoardLine) -> list[Step]:
    """The same in our own numbering."""

    def point(word: str) -> int:
        if word in ("bar", "off"):
            return 25 if word == "bar" else 0
        return int(word) if line.direction == -1 else 25 - int(word)

    return [(point(a), point(b)) for a, b in spelt(command)]


class Replay:
    """Plays the session's part: answers the client's questions as the transcript does."""

    def __init__(self, start: str) -> None:
        self.line = Line(start)
        self.checked = 0
        self.answered: set[int] = set()
        self.unasked = ""
        """The reply to a command that we have not sent."""

    def questions(self) -> list[ev.DecisionNeeded]:
        """The open one, if any."""
        gone = {e.key for e in self.line.seen(ev.DecisionWithdrawn)} | self.answered
        return [e for e in self.line.seen(ev.DecisionNeeded) if e.key not in gone]

    def open_question(self) -> ev.DecisionNeeded:
        (question,) = self.questions()
        self.answered.add(question.key)
        return question

    def take(self, turn: Turn) -> None:
        line = self.line
        before = len(self.commands)
        if turn.command == "leave" and "Type 'join'" in turn.said:
            line.client.leave_after_game()
        said, self.unasked = turn.said.removeprefix(self.unasked), ""
        line.say(said)
        line.wait(0.5)
        if not turn.command or turn.command in OPTIONAL or TASTE.match(turn.command):
            return
        if turn.reply.startswith("** ") and turn.command.startswith(CARELESS):
            self.unasked = turn.reply + "\r\n"
            return
        if len(self.commands) == before:  # else it has answered the prompt between games already
            self.do(turn.command)
            # The session has no reply to what we asked of our own accord; that ends by the time-out.
            line.wait(3.0 if line.sent and line.sent[-1] in OPTIONAL else 0.5)
        (sent,) = self.commands[before:]
        if MOVE.match(turn.command):
            assert pairs(sent) == pairs(turn.command)
        else:
            assert sent == turn.command
        self.checked += 1

    @property
    def commands(self) -> list[str]:
        return [command for command in self.line.sent if command not in OPTIONAL]

    def do(self, command: str) -> None:
        client = self.line.client
        word, *rest = command.split()
        if word == "invite":
            length = {"unlimited": 0}.get(rest[1]) if len(rest) > 1 else None
            client.invite(rest[0], int(rest[1]) if len(rest) > 1 and length is None else length)
        elif word == "join" and rest:
            assert self.line.seen(ev.InvitationReceived)[-1].name == rest[0]
            client.join(rest[0])
        elif word in ("roll", "double"):
            if not self.questions():
                self.line.wait(3)  # the server has not asked, but it is our turn
            question = self.open_question()
            assert question.kind is DecisionKind.ROLL_OR_DOUBLE
            (client.answer_roll if word == "roll" else client.answer_double)(question.key)
        elif word in ("accept", "reject"):
            question = self.open_question()
            assert question.kind in (DecisionKind.DOUBLE_OFFERED, DecisionKind.RESIGNATION_OFFERED)
            (client.answer_accept if word == "accept" else client.answer_reject)(question.key)
        elif word == "resign":
            client.resign("ngb".index(rest[0]) + 1)
        elif word == "leave" and not self.line.seen(ev.JoinPrompt):
            client.leave()
        elif MOVE.match(command):
            question = self.open_question()
            assert question.kind is DecisionKind.MOVE
            client.answer_move(question.key, steps(command, question.table))
        else:
            assert word in ("join", "leave"), command


PLAYING = "** You are now playing a {} point match with {}\r\n"
SESSIONS = {
    "03": ("03-match-3pt-full.txt", "", "", "", 20),
    "04": ("04-cube-as-X.txt", "", "", "", 18),
    "05 opponent resigns": ("05-resignation.txt", PLAYING.format(7, "bjorn"), "", "# --- another", 3),
    "05 we resign": ("05-resignation.txt", "", "# --- another match", "", 4),
    "06 before the break": ("06-reconnect-resume.txt", PLAYING.format(3, "anna"), "", "# !disconnect", 2),
    "06 after it": ("06-reconnect-resume.txt", "", "# ** = anna is logged in", "", 6),
    "09": ("09-unlimited-autodouble.txt", "", "", "", 10),
    "10": ("10-bearoff-auto-glued.txt", PLAYING.format(3, "anna"), "", "", 2),
}


@pytest.mark.parametrize("session", SESSIONS)
def test_the_client_does_what_the_composed_session_does(session: str) -> None:
    name, start, begin, end, commands = SESSIONS[session]
    replay = Replay(start)
    for turn in turns(name, begin, end):
        replay.take(turn)
    assert replay.checked >= commands
    assert not replay.line.seen(ev.Alarm)
    assert not replay.line.seen(ev.MoveRejected)


def test_a_match_that_is_only_watched_is_not_played() -> None:
    line = Line("")
    for turn in turns("07-watching.txt"):
        line.say(turn.said)
        line.wait(5)
    assert line.asked() == []
    assert not line.seen(ev.MatchStarted)
    assert [command for command in line.sent if command != "board"] == []
