"""Whom we have played lately."""

from botd.daemon.encounters import REMEMBERED, ROW_FORGOTTEN, Encounters
from botd.journal.records import Lately


def test_matches_in_a_row_with_one_opponent() -> None:
    lately = Encounters()
    assert lately.in_a_row("anna", 0) == 0
    lately.match_ended("anna", 10)
    lately.match_ended("anna", 20)
    assert (lately.in_a_row("anna", 21), lately.in_a_row("bert", 21)) == (2, 0)
    lately.match_ended("bert", 30)
    assert (lately.in_a_row("anna", 31), lately.in_a_row("bert", 31)) == (0, 1)
    lately.match_ended("anna", 40)
    assert lately.in_a_row("anna", 41) == 1


def test_a_row_is_forgotten_after_a_while() -> None:
    lately = Encounters()
    lately.match_ended("anna", 0)
    assert lately.in_a_row("anna", ROW_FORGOTTEN - 1) == 1
    assert lately.in_a_row("anna", ROW_FORGOTTEN) == 0
    lately.match_ended("anna", ROW_FORGOTTEN + 1)
    assert lately.in_a_row("anna", ROW_FORGOTTEN + 2) == 1


def test_how_long_ago() -> None:
    lately = Encounters()
    assert lately.since("anna", 5) is None
    lately.match_ended("anna", 10)
    assert lately.since("anna", 15) == 5


def test_memory_is_bounded() -> None:
    lately = Encounters()
    for number in range(2 * REMEMBERED):
        lately.match_ended(f"eve{number}", number)
    assert lately.since("eve0", 1e6) is None
    assert lately.since(f"eve{2 * REMEMBERED - 1}", 1e6) is not None
    assert len(lately._ended) == REMEMBERED


def test_earlier_lives_are_remembered() -> None:
    lately = Encounters()
    lately.recall(Lately((("anna", 900.0), ("bert", 940.0), ("bert", 970.0)), (("carl", 990.0),)), 50, 1000)
    assert (lately.since("anna", 50), lately.since("bert", 50), lately.since("dora", 50)) == (100, 30, None)
    assert (lately.in_a_row("bert", 50), lately.in_a_row("anna", 50)) == (2, 0)
    assert lately.asked_within("carl", 50, 11)
    assert not lately.asked_within("carl", 50, 10)


def test_what_happened_meanwhile_is_newer_than_what_is_recalled() -> None:
    lately = Encounters()
    lately.match_ended("bert", 49)
    lately.asked("carl", 48)
    lately.recall(Lately((("bert", 940.0),), (("carl", 900.0), ("dora", 999.0))), 50, 1000)
    assert lately.since("bert", 50) == 1
    assert lately.in_a_row("bert", 50) == 2
    assert lately.asked_within("carl", 50, 3)
    assert lately.asked_within("dora", 50, 2)


def test_a_clock_that_was_put_back_does_not_make_a_future() -> None:
    lately = Encounters()
    lately.recall(Lately((("anna", 5000.0),), (("bert", 5000.0),)), 50, 1000)
    assert lately.since("anna", 50) == 0
    assert lately.asked_within("bert", 50, 1)


def test_whoever_is_asked_is_told_of_once_each_time() -> None:
    told: list[str] = []
    lately = Encounters(told.append)
    lately.asked("anna", 1)
    lately.recall(Lately((), (("bert", 1.0),)), 2, 2)
    lately.asked("anna", 3)
    assert told == ["anna", "anna"]
