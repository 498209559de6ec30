"""Whom we have played lately."""

from botd.daemon.encounters import REMEMBERED, ROW_FORGOTTEN, Encounters


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
