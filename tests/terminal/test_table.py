"""Whole matches between a scripted person and the real engine."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from botd.engine.engine import SageEngine
from botd.terminal.board import Style
from botd.terminal.engine_seat import EngineSeat
from botd.terminal.local_match import Dice, LocalMatch, Phase, Seat
from botd.terminal.table import Table


@pytest.fixture(scope="module")
def engine() -> SageEngine:
    return SageEngine.load()


def dice(seed: int) -> Callable[[], Dice]:
    generator = random.Random(seed)
    return lambda: (generator.randint(1, 6), generator.randint(1, 6))


class Person:
    """Answers every prompt legally, now and then wrongly first, and remembers what was said."""

    def __init__(self, engine: SageEngine, match: LocalMatch, seed: int, games: int = 10**6) -> None:
        self.match = match
        self.seat = EngineSeat(engine, 0)
        self.said: list[str] = []
        self.prompts: list[str] = []
        self.random = random.Random(seed)
        self.games = games

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if prompt.startswith("Another game"):
            return "yes" if self.match.game < self.games else "no"
        if self.random.random() < 0.1:
            return self.random.choice(
                ["hint", "pips", "help", "board", "nonsense", "1/9", "", "beaver", "\0"]
            )
        match self.match.phase:
            case Phase.ROLL:
                may = not self.match.why_no_double(Seat.PERSON)
                return "double" if may and self.random.random() < 0.2 else "roll"
            case Phase.MOVE:
                return self.seat.best_play(self.match).best.play.notation
            case Phase.RESIGNING:
                return self.random.choice(["accept", "reject"])
            case _:
                return self.random.choice(["take", "take", "pass"])

    def say(self, text: str) -> None:
        self.said.append(text)


def sit_down(engine: SageEngine, match: LocalMatch, seed: int, games: int = 10**6) -> tuple[Table, Person]:
    person = Person(engine, match, seed, games)
    table = Table(match, EngineSeat(engine, 0), ask=person.ask, say=person.say, style=Style(unicode=False))
    return table, person


@pytest.mark.parametrize("seed", range(4))
def test_a_match_to_its_end(engine: SageEngine, seed: int) -> None:
    match = LocalMatch(5, dice(seed))
    table, person = sit_down(engine, match, seed)
    assert table.play()
    said = "\n".join(person.said)
    winner = "You win" if match.winner is Seat.PERSON else "The engine wins"
    assert f"{winner} the match {match.score[Seat.PERSON]}-{match.score[Seat.ENGINE]}." in said
    assert len(re.findall(r"^Game \d+\.", said, re.M)) == match.game
    assert max(match.score.values()) >= 5


def test_matches_together_show_every_kind_of_event(engine: SageEngine) -> None:
    said = ""
    prompts: set[str] = set()
    for seed in range(10, 22):
        table, person = sit_down(engine, LocalMatch(3 + seed % 5, dice(seed)), seed)
        assert table.play()
        said += "\n".join(person.said)
        prompts |= {re.sub(r"\d+", "n", prompt) for prompt in person.prompts}
    for text in ("Crawford game", "Engine takes", "Engine passes", "You double to 2", "Engine doubles to"):
        assert text in said, text
    assert "The engine doubles to n: take or pass? " in prompts
    assert "is no command" in said
    assert "double and take" in said


def test_money_play_goes_on_as_long_as_wanted(engine: SageEngine) -> None:
    match = LocalMatch(0, dice(3), jacoby=True, beavers=True)
    table, _ = sit_down(engine, match, 3, games=6)
    assert not table.play()
    assert match.game == 6
    assert table.score_line().startswith("Score (money play): ")


def test_the_person_resigns_and_the_engine_judges(engine: SageEngine) -> None:
    match = LocalMatch(5, dice(2))
    lines = iter(["resign 3", *["quit"] * 9])
    said: list[str] = []
    match.start_game()
    table = Table(match, EngineSeat(engine, 0), ask=lambda _: next(lines), say=said.append, style=Style())
    assert not table.play()
    assert match.score[Seat.ENGINE] == 3
    assert any("Engine accepts" in text for text in said)


def test_an_offer_too_small_is_refused(engine: SageEngine) -> None:
    """All of the person's checkers are far from home and the engine has one left: a sure backgammon."""
    match = LocalMatch(5, dice(2))
    match.start_game()
    board = [0] * 26
    board[24], board[22], board[19] = -1, 5, 10
    match._board = tuple(board)
    match.phase, match.on_roll, match.dice = Phase.ROLL, Seat.PERSON, None
    match.resign(Seat.PERSON, 1)
    done = EngineSeat(engine, 0).act(match)
    assert done.text == "plays on"
    assert match.phase is Phase.ROLL


def test_end_of_input_leaves_the_match(engine: SageEngine) -> None:
    def ask(prompt: str) -> str:
        raise EOFError

    match = LocalMatch(3, dice(1))
    table = Table(match, EngineSeat(engine, 0), ask=ask, say=lambda _: None, style=Style())
    assert not table.play()
