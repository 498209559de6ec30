"""Chat: one answer in five minutes to a person, none to programs, memory bounded."""

import pytest

from botd.daemon.chat import (
    ANSWER,
    ANSWER_EVERY,
    COMMAND_EVERY,
    REMEMBERED,
    ChatManners,
    is_wake_word,
    question_of,
)


def test_one_answer_in_five_minutes_for_each_person() -> None:
    manners = ChatManners("my_bot")
    assert manners.may_write_to("anna", 0)
    assert not manners.may_write_to("anna", 1)
    assert manners.may_write_to("bjorn", 1)
    assert not manners.may_write_to("anna", ANSWER_EVERY - 1)
    assert manners.may_write_to("anna", ANSWER_EVERY)
    assert not manners.may_write_to("anna", ANSWER_EVERY + 1)


@pytest.mark.parametrize(
    "name", ["RepBot", "GammonBot_XII", "BOT_wildbg", "otherbot", "my_bot", "my_bot_II", "MissManners"]
)
def test_programs_get_no_answer(name: str) -> None:
    assert not ChatManners("me_I").may_write_to(name, 0)


@pytest.mark.parametrize("name", ["anna", "bottleneck", "abbott", "robotta", "meike"])
def test_people_do(name: str) -> None:
    assert ChatManners("me_I").may_write_to(name, 0)


def test_memory_is_bounded() -> None:
    manners = ChatManners("my_bot")
    for number in range(10 * REMEMBERED):
        manners.may_write_to(f"eve{number}", number / 1000)
    assert len(manners._last) == REMEMBERED


def test_wake_words() -> None:
    assert is_wake_word(" Move ")
    assert not is_wake_word("move 13-7")
    assert len(ANSWER) < 150


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("help", "help"),
        ("  Help! ", "help"),
        ("!version", "version"),
        ("/version", "version"),
        ("LEVEL?", "level"),
        ("how strong are you?", "level"),
        ("who made you?", "maker"),
        ("who are   you", "maker"),
        ("what is your equity", "evaluation"),
        ("eval", "evaluation"),
        ("best move please", "evaluation"),
        ("hello", None),
        ("helpless", None),
        ("", None),
        ("move", None),
        ("x" * 100_000, None),
    ],
)
def test_questions_that_are_understood(text: str, question: str | None) -> None:
    assert question_of(text) == question


def test_questions_are_answered_sooner_than_other_chat_but_not_in_a_flood() -> None:
    manners = ChatManners("my_bot", lambda: "I search 2-ply.")
    assert manners.reply("anna", "hi", 0, "I do not chat.") == "I do not chat."
    assert manners.reply("anna", "hi", 1, "I do not chat.") is None
    assert manners.reply("anna", "level", 2, "") == "I search 2-ply."
    assert manners.reply("anna", "help", 3, "") is None
    assert manners.reply("anna", "help", 2 + COMMAND_EVERY, "") is not None
    assert manners.reply("GammonBot_I", "help", 100, "") is None


def test_no_answer_tells_an_evaluation() -> None:
    manners = ChatManners("my_bot", lambda: "I search 2-ply.")
    answer = manners.reply("anna", "what is the equity here?", 0, "")
    assert answer == "I do not talk about positions."


@pytest.mark.parametrize("question", ["help", "version", "level", "who made you", "eval"])
def test_every_answer_is_one_short_line(question: str) -> None:
    answer = ChatManners("my_bot", lambda: "I search 2-ply.").reply("anna", question, 0, "")
    assert answer
    assert len(answer) <= 150
    assert answer.isascii()
    assert answer.isprintable()


def test_the_memory_of_questions_is_bounded() -> None:
    manners = ChatManners("my_bot")
    for number in range(2 * REMEMBERED):
        manners.reply(f"eve{number}", "help", number / 1000, "")
    assert len(manners._asked) == REMEMBERED
