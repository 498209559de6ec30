"""Whole matches between two players who know nothing but what they read."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest

from botd_protocols.server_dice import SeededDice

from .board_check import Line, own_view, read_board
from .brute_force import legal_plays
from .harness import World, table

_MOVED = re.compile(r"(\w+) moves (.*) \.")


class RandomPlayer:
    """Answers prompts at random but legally, and checks every line it reads."""

    def __init__(self, world: World, conn: int, name: str, rng: random.Random) -> None:
        self.world, self.conn, self.name, self.rng = world, conn, name, rng
        self.board: Line | None = None
        self.results: list[str] = []
        self.over = False
        self.boards = 0
        self.colours: list[int] = []
        self._expected: tuple[int, ...] | None = None

    def step(self) -> bool:
        lines = self.world.read(self.conn)
        reply = ""
        for line in lines:
            reply = self._read(line) or reply
        if reply:
            self.world.send(self.conn, reply)
        return bool(lines)

    def _read(self, line: str) -> str:
        assert not line.startswith("**") or "joined" in line or "now playing" in line or "wait" in line, line
        if line.startswith("board:"):
            return self._read_board(line)
        if line.startswith("Starting a new game"):
            self.board, self._expected = None, None
        elif line.startswith("It's your turn. Please roll or double"):
            assert self.board is not None
            assert self.board.may[0] == 1
            return "double" if self.rng.random() < 0.05 else "roll"
        elif line.startswith("Please move"):
            assert self.board is not None
            assert int(line.split()[2]) == self.board.can_move
            return self._move(self.board)
        elif "doubles. Type" in line:
            return "accept" if self.rng.random() < 0.7 else "reject"
        elif line.startswith("It's your turn to move"):
            return "!"
        elif line.startswith("Type 'join' if"):
            return "join"
        elif re.match(r"(You win|\w+ wins) the \d+ point match", line):
            self.results.append(line)
            self.over = True
        elif (moved := _MOVED.match(line)) and self.board is not None:
            self._follow(moved[2])
        return ""

    def _follow(self, text: str) -> None:
        """Check the opponent's move against the rules and predict the board."""
        assert self.board is not None
        line = self.board
        other = Line(**{**line.__dict__, "colour": -line.colour, "bar": line.bar[::-1]})
        view = list(own_view(other))
        for pair in text.split():
            a, b = pair.split("-")
            source = 25 if a == "bar" else int(a) if other.colour == 1 else 25 - int(a)
            target = 0 if b == "off" else int(b) if other.colour == 1 else 25 - int(b)
            view[source] -= 1
            if target:
                if view[target] == -1:
                    view[target], view[0] = 0, view[0] + 1
                view[target] += 1
        after = tuple(view)
        assert after in {result for _, result in legal_plays(own_view(other), line.other_dice)}
        self._expected = (after[25], *(-after[25 - p] for p in range(1, 25)), after[0])

    def _read_board(self, text: str) -> str:
        line = read_board(text)
        self.boards += 1
        assert line.player == "You"
        if self._expected is not None:
            assert own_view(line) == self._expected
            self._expected = None
        first = self.board is None
        if self.board is not None and own_view(self.board) != own_view(line):
            # Between two lines only one side's checkers can have been moved forward by one roll.
            assert line.turn != self.board.turn
        self.board = line
        if first:
            self.colours.append(line.colour)
            if line.turn == line.colour:
                return self._move(line)
        return ""

    def _move(self, line: Line) -> str:
        steps, after = self.rng.choice(legal_plays(own_view(line), line.dice))
        self._expected = after

        def place(index: int, word: str) -> str:
            if index in (0, 25):
                return word
            return str(index if line.colour == 1 else 25 - index)

        return "move " + " ".join(f"{place(a, 'bar')}-{place(b, 'off')}" for a, b in steps)


def play_match(world: World, me: int, anna: int, seed: int) -> list[RandomPlayer]:
    rng = random.Random(seed)
    players = [RandomPlayer(world, me, "mybot", rng), RandomPlayer(world, anna, "anna", rng)]
    for _ in range(20_000):
        if all(p.over for p in players):
            return players
        stepped = [p.step() for p in players]
        assert any(stepped), "nobody has anything to say"
    raise AssertionError("the match does not end")


@pytest.mark.parametrize(("length", "seed"), [("1", 1), ("3", 2), ("5", 3), ("7", 4)])
def test_random_match_is_sound_line_by_line(length: str, seed: int) -> None:
    world, me, anna = table(length, SeededDice(seed), strict=True)
    players = play_match(world, me, anna, seed)
    assert len({p.results[0].split(" ", 2)[2].split("match ")[1] for p in players}) == 1
    assert all(p.boards > 20 for p in players)
    colours = players[0].colours
    assert all(a == -b for a, b in pairwise(colours)), "sides swap every game"
    assert world.server.match_of("mybot") is None
    assert world.server.violations == ()
    gained = sum(world.server.accounts[n].rating for n in ("mybot", "anna"))
    assert gained == pytest.approx(3000.0)
    assert {a.experience for a in world.server.accounts.values()} == {int(length)}
