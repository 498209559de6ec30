"""Past matches whose records are hostile or full of holes, and answers that are errors."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from botd.engine.types import STARTING_BOARD
from tests.web.browser import made_up
from tests.web.browser.chromium import Browser
from tests.web.browser.document_server import DocumentServer
from tests.web.browser.made_up import EVIL

START = list(STARTING_BOARD)


def summary(**changes: Any) -> dict[str, Any]:
    return {
        "number": 1,
        "key": "key",
        "server": "fibs.com:4321",
        "account": "anna",
        "opponent": "bert",
        "length": 5,
        "started_at": 1.7e9,
        "ended_at": None,
        "state": "finished",
        "winner": "us",
        "score": [5, 3],
        "games": 1,
        "sittings": 1,
        "seconds": 60.0,
        "moves": 20,
        "mode": "fast",
        "level": None,
    } | changes


def turn(number: int, kind: str = "move", **changes: Any) -> dict[str, Any]:
    return {
        "number": number,
        "kind": kind,
        "seq": number,
        "at": 1.7e9,
        "sitting": 1,
        "side": "us",
        "dice": [6, 1],
        "opening": False,
        "move": {"notation": "13/7 8/7"},
        "cube": None,
        "level": None,
        "before": START,
        "after": START,
        "cube_before": {"value": 1, "owner": None},
        "decisions": [],
        "gap": "",
    } | changes


def record(*turns: dict[str, Any], **changes: Any) -> dict[str, Any]:
    game = {
        "number": 1,
        "started_at": 1.7e9,
        "ended_at": None,
        "score": [0, 0],
        "crawford": False,
        "turns": list(turns),
        "gap": "",
        "winner": None,
        "points": 0,
        "how": None,
    }
    summed = summary(**changes)
    return {
        "summary": summed,
        "crawford": True,
        "jacoby": False,
        "first_score": [0, 0],
        "sittings": [],
        "games": [game],
    }


def show(browser: Browser, server: DocumentServer, found: dict[str, Any]) -> None:
    server.answers["matches/key"] = found
    browser.open(f"{server.url}#match/key")
    browser.until(lambda: browser.all(".replay .steps"), "the match")


def test_hostile_texts_of_the_past_stay_texts(browser: Browser, server: DocumentServer) -> None:
    told = made_up.decision(EVIL, kind=EVIL, source=EVIL, position_id=EVIL, match_id=EVIL)
    evil = turn(1, EVIL, move={"notation": EVIL}, decisions=[told], gap=EVIL)
    hostile = {"opponent": EVIL, "account": EVIL, "server": EVIL, "state": EVIL, "winner": None, "key": EVIL}
    server.answers["matches"] = {"matches": [summary(**hostile)]}
    browser.open(f"{server.url}#matches")
    browser.until(lambda: EVIL in browser.text(".matches tbody"))
    show(browser, server, record(turn(1, move={"notation": EVIL}), evil, **hostile))
    for _ in range(2):
        browser.press(Keys.ARROW_RIGHT)
    assert EVIL in browser.text(".replay h2")
    assert EVIL in browser.text(".decided")
    assert EVIL in browser.text(".turns")
    links = browser.js("return [...document.querySelectorAll('.downloads a')].map((a) => a.href)")
    assert all(link.startswith(f"{server.url}api/matches/%3Cimg%20src") for link in links)
    assert browser.js("return window.hacked ?? null") is None
    assert browser.js("return document.images.length") == 1
    browser.view(360, 740)
    assert browser.too_wide() == []


@pytest.mark.parametrize(
    ("turns", "last"),
    [
        ([], "Game 1 begins."),
        ([turn(1, before=None, after=None, cube_before=None)], "anna 6-1: 13/7 8/7."),
        ([turn(1, move=None, dice=None, side=None, before=None, after=None)], "Game 1 no move."),
        ([turn(1, gap="the line was lost")], "Something is missing here: the line was lost."),
        ([turn(1, "tie", side=None, dice=[3, 3], move=None)], "Game 1 3-3: equal opening dice."),
        ([turn(1, "double", cube=2, dice=None, move=None)], "anna offers the cube at 2."),
        ([turn(1, "take", cube=2, dice=None, move=None, side="opponent")], "bert takes. Cube 2, bert’s."),
        ([turn(1, "pass", cube=2, dice=None, move=None, side="opponent")], "bert passes."),
        ([turn(1, "offer", level=2, dice=None, move=None)], "anna offers to resign a gammon."),
        ([turn(1, "reject", dice=None, move=None, side="opponent")], "bert rejects the resignation."),
        ([turn(1, "something new", dice=None, move=None)], "anna something new."),
        (
            [turn(1, decisions=[made_up.decision(candidates=[], chosen_index=None, equity=None, win=None)])],
            "13/7",
        ),
    ],
)
def test_a_record_with_holes_is_shown_as_far_as_it_goes(
    browser: Browser, server: DocumentServer, turns: list[dict[str, Any]], last: str
) -> None:
    show(browser, server, record(*turns))
    browser.press(*[Keys.ARROW_RIGHT] * len(turns))
    assert last in browser.text(".replay .now")


def test_a_match_without_games_is_told_of(browser: Browser, server: DocumentServer) -> None:
    empty = record()
    empty["games"] = []
    show(browser, server, empty)
    assert "Nothing of this match was recorded" in browser.text(".replay .now")
    browser.press(Keys.ARROW_RIGHT, Keys.HOME, Keys.END)


def test_a_running_match_is_read_anew(browser: Browser, server: DocumentServer) -> None:
    server.answers["matches"] = {"matches": [summary(state="playing", winner=None)]}
    show(browser, server, record(turn(1), state="playing", winner=None))
    assert len(browser.all(".turns li")) == 2
    browser.find(".back").click()
    server.answers["matches/key"] = record(turn(1), turn(2), state="playing", winner=None)
    browser.until(lambda: browser.all(".matches tbody a"))
    browser.find(".matches tbody a").click()
    browser.until(lambda: len(browser.all(".turns li")) == 3, "the new turn")


@pytest.mark.parametrize("view", ["matches", "match/key", "dice"])
@pytest.mark.parametrize(
    ("failure", "words"),
    [
        ((503, {"error": "journal.sqlite3: is no journal"}), "journal.sqlite3: is no journal"),
        ((500, {}), "botd answered 500."),
        ((200, None), ""),
        ((401, {}), "asks for its token"),
    ],
)
def test_an_answer_that_is_none_is_told_in_a_line(
    browser: Browser, server: DocumentServer, view: str, failure: tuple[int, Any], words: str
) -> None:
    path = view.replace("match/", "matches/")
    server.failing[path] = failure
    browser.open(f"{server.url}#{view}")
    section = "#dice" if view == "dice" else "#matches"
    nothing = {"matches": "No match found.", "match/key": "not in the journal", "dice": "does not count dice"}
    browser.until(lambda: (words or nothing[view]) in browser.text(section), "the line")
    assert all(str(failure[0]) in line for line in browser.logged())
