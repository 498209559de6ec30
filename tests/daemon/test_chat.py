"""Chat: one answer in five minutes to a person, none to programs, memory bounded."""

import pytest

from botd.daemon.chat import ANSWER, ANSWER_EVERY, REMEMBERED, ChatManners, is_wake_word


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
