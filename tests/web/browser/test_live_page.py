"""The live view with awkward documents: every board, hostile texts, broken streams, small screens."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from selenium.webdriver.common.keys import Keys

from botd.engine.notation import format_steps
from botd.engine.rules import legal_plays
from botd.engine.types import STARTING_BOARD, Board
from botd.live.documents import Live
from tests.web.browser import made_up
from tests.web.browser.chromium import Browser
from tests.web.browser.contrast import unreadable
from tests.web.browser.document_server import DocumentServer

EVIL = '<img src=x onerror="window.hacked=1">\'"&amp;</script><script>window.hacked=2</script>\u202e'


@pytest.fixture
def server(browser: Browser) -> Iterator[DocumentServer]:
    with DocumentServer(made_up.live(made_up.account("anna", made_up.match()))) as server:
        yield server
        browser.open("about:blank")


def show(browser: Browser, server: DocumentServer, live: dict[str, Any] | None = None) -> None:
    """Open the page and wait for what it was sent."""
    if live is not None:
        server.live = live
    browser.open(server.url)
    browser.until(
        lambda: browser.attribute("body", "data-instance") == server.live["instance"], "the document"
    )
    playing = [account for account in server.live["accounts"] if account["match"]]
    browser.until(lambda: len(browser.all("#cards .card")) == len(playing), "the matches")


def drawn(browser: Browser) -> Counter[tuple[str, int]]:
    """Checkers drawn on points and bar, by side and point of our numbering."""
    found: list[list[Any]] = browser.js(
        "return [...document.querySelectorAll('.checker')]"
        ".map((checker) => [checker.classList[1], Number(checker.dataset.point)])"
    )
    return Counter((side, point) for side, point in found)


def shown_accounts(browser: Browser) -> list[str]:
    """Whose matches are shown."""
    accounts: list[str] = browser.js(
        "return [...document.querySelectorAll('#cards .card')].map((card) => card.dataset.account)"
    )
    return accounts


def random_board(dice: random.Random) -> Board:
    """15 checkers a side anywhere, bar and off included."""
    board = [0] * 26
    points = list(range(1, 25))
    dice.shuffle(points)
    half = dice.randint(2, 22)
    for sign, mine, bar in ((1, points[:half], 25), (-1, points[half:], 0)):
        for _ in range(15):
            place = dice.random()
            if place < 0.1:
                board[bar] += 1
            elif place < 0.8:
                board[dice.choice(mine[: dice.randint(1, len(mine))])] += sign
    return tuple(board)


def test_the_documents_made_up_here_have_the_form_agreed_on() -> None:
    live = made_up.live(made_up.account("anna", made_up.match()), made_up.account("bob"))
    msgspec.convert(live, Live, strict=False)


def test_any_board_is_drawn_as_it_is(browser: Browser, server: DocumentServer) -> None:
    show(browser, server)
    dice = random.Random(4)
    for number in range(25):
        board = random_board(dice)
        account = made_up.account("anna", made_up.match(board=board, last_move=None, moves=100 + number))
        server.send("account", account)
        wanted = " ".join(map(str, board))
        browser.until(lambda wanted=wanted: browser.attribute(".board-drawing", "data-board") == wanted)
        expected: Counter[tuple[str, int]] = Counter()
        for point in range(1, 25):
            if board[point]:
                expected["us" if board[point] > 0 else "opponent", point] = min(5, abs(board[point]))
        for side, point in (("us", 25), ("opponent", 0)):
            if board[point]:
                expected[side, point] = min(4, board[point])
        assert drawn(browser) == expected
        high = sorted(abs(count) for count in board[1:25] if abs(count) > 5)
        high += [count for count in (board[25], board[0]) if count > 4]
        shown = browser.js(
            "return [...document.querySelectorAll('.checker-count')].map((t) => Number(t.textContent))"
        )
        assert sorted(shown) == sorted(high)
        off = browser.js(
            "return ['us', 'opponent'].map((side) => document.querySelectorAll(`.off.${side}`).length)"
        )
        ours = sum(count for count in board[1:26] if count > 0)
        theirs = board[0] - sum(count for count in board[1:25] if count < 0)
        assert off == [15 - ours, 15 - theirs]


def test_the_ways_of_checkers_are_read_from_any_notation(browser: Browser, server: DocumentServer) -> None:
    show(browser, server)
    dice = random.Random(7)
    cases = []
    board: Board = STARTING_BOARD
    for number in range(400):
        if number % 60 == 0:
            board = STARTING_BOARD
        plays = legal_plays(board, (dice.randint(1, 6), dice.randint(1, 6)))
        if plays:
            play = dice.choice(plays)
            cases.append((board, play))
            board = play.board
        board = made_up.mirrored(board)
    ways = browser.module(
        "moves.js",
        "return JSON.stringify(arguments_.map(m.ways))".replace(
            "arguments_", json.dumps([play.notation for _, play in cases])
        ),
    )
    for (before, play), found in zip(cases, json.loads(ways), strict=True):
        change: Counter[int] = Counter()
        for start, end in play.steps:
            change[start] -= 1
            change[end] += 1
        seen: Counter[int] = Counter()
        for way in found:
            seen[way[0]] -= 1
            seen[way[-1]] += 1
        assert {k: v for k, v in seen.items() if v} == {k: v for k, v in change.items() if v}, play.notation
        assert format_steps(before, play.steps) == play.notation
    rubbish = ["", "12", "26/3", "1/2/", "x/y", "13/7(9)", "8/5(2)(2)", EVIL, "13/7 " * 5000]
    assert browser.module("moves.js", f"return {json.dumps(rubbish)}.map(m.ways)") == [[]] * len(rubbish)


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"cube": {"value": 1, "owner": None, "offered_by": None}}, ("1", "", "")),
        ({"cube": {"value": 4, "owner": "us", "offered_by": None}}, ("4", "us", "")),
        ({"cube": {"value": 4, "owner": "opponent", "offered_by": None}}, ("4", "opponent", "")),
        ({"cube": {"value": 2, "owner": "us", "offered_by": "us"}, "dice": None}, ("4", "us", "us")),
        (
            {"cube": {"value": 1, "owner": None, "offered_by": "opponent"}, "dice": None},
            ("2", "", "opponent"),
        ),
    ],
)
def test_the_cube_is_where_it_is(
    browser: Browser, server: DocumentServer, changes: dict[str, Any], shown: tuple[str, str, str]
) -> None:
    show(browser, server, made_up.live(made_up.account("anna", made_up.match(**changes))))
    cube = tuple(browser.attribute(".cube", f"data-{name}") for name in ("value", "owner", "offered-by"))
    assert cube == shown
    offerer = {"us": "anna", "opponent": "bert"}.get(shown[2])
    assert (f"{offerer} offers the cube at {shown[0]}" in browser.text(".now")) == bool(offerer)


def test_a_one_point_match_has_no_cube_and_unlimited_ones_no_end(
    browser: Browser, server: DocumentServer
) -> None:
    show(browser, server, made_up.live(made_up.account("anna", made_up.match(length=1))))
    assert not browser.all(".cube")
    assert "1 point match" in browser.text("#cards .card-head")
    show(browser, server, made_up.live(made_up.account("anna", made_up.match(length=0))))
    assert "unlimited match" in browser.text("#cards .card-head")


def test_a_board_is_told_in_words(browser: Browser, server: DocumentServer) -> None:
    board = (1, -1, 0, 0, 0, 0, 5, *[0] * 12, -13, *[0] * 5, 2)
    last = {"side": "opponent", "dice": [2, 1], "notation": "6/4 5/4", "board": board}
    match = made_up.match(board=board, last_move=last, turn="us", dice=[5, 2])
    show(browser, server, made_up.live(made_up.account("anna", match)))
    words = browser.text(".board figcaption")
    assert "anna: 2 on the bar, 5 on 6, 8 borne off." in words
    assert "bert: 1 on the bar, 1 on 24, 13 on 6." in words
    assert "anna rolled 5 and 2." in words
    assert "Last move: bert 6/4 5/4." in words
    assert browser.attribute(".board-drawing", "aria-hidden") == "true"


def test_hostile_texts_stay_texts(browser: Browser, server: DocumentServer) -> None:
    last = {"side": "opponent", "dice": [6, 1], "notation": EVIL, "board": list(STARTING_BOARD)}
    decision = made_up.decision(EVIL, kind=EVIL, source=EVIL, position_id=EVIL, match_id=EVIL)
    match = made_up.match(
        opponent=EVIL, board=list(STARTING_BOARD), last_move=last, decisions=[decision], key=EVIL
    )
    account = made_up.account(
        EVIL,
        match,
        id=EVIL,
        server=EVIL,
        state=EVIL,
        level=EVIL,
        mode=EVIL,
        last_match={"key": EVIL, "number": 1, "opponent": EVIL, "winner": "us", "score": [5, 3]},
    )
    trouble = {"at": 0.0, "account": EVIL, "server": EVIL, "what": EVIL, "detail": EVIL}
    engine = dict.fromkeys(("evaluator", "mode", "cpu_path", "met", "weights"), EVIL)
    latency = [{"kind": EVIL, "ply": None, "count": 1, "p50": 0.1, "p95": 0.2, "p99": 0.3}]
    live = made_up.live(
        account, troubles=[trouble], engine=engine, version=EVIL, journal=EVIL, latency=latency
    )
    show(browser, server, live)
    assert EVIL in browser.text("#cards .card-head h2")
    assert EVIL in browser.text("#troubles")
    assert EVIL in browser.text(".decision .chosen")
    assert EVIL in browser.text(".last")
    assert browser.js("return window.hacked ?? null") is None
    assert browser.js("return [...document.images].map((i) => i.getAttribute('src'))") == ["assets/icon.svg"]
    assert browser.js("return document.scripts.length") == 1
    browser.view(360, 740)
    assert browser.too_wide() == []
    assert server.missing == []


@pytest.mark.parametrize(
    "data",
    [
        "{",
        "null",
        "7",
        '"text"',
        "[]",
        json.dumps({"instance": "x"}),
        json.dumps({"instance": "x", "schema": "1"}),
    ],
)
def test_a_document_that_cannot_be_read_costs_nothing(
    browser: Browser, server: DocumentServer, data: str
) -> None:
    show(browser, server)
    server.send_raw(
        f"event: live\ndata: {data}\n\nevent: account\ndata: {data}\n\nevent: latency\ndata: {data}\n\n"
    )
    after = made_up.account("anna", made_up.match(seed=9, moves=77))
    server.send("account", after)
    browser.until(lambda: browser.attribute("#cards .card", "data-moves") == "77", "the next move")
    assert browser.attribute("body", "data-instance") == "first"


def test_a_lost_connection_is_said_and_mended(browser: Browser, server: DocumentServer) -> None:
    show(browser, server)
    assert browser.attribute("#banner", "hidden") is not None
    assert browser.text("#connection") == "live"
    with server.unreachable():
        browser.until(lambda: browser.text("#connection") == "connection lost")
        assert browser.find("#banner").is_displayed()
        assert "No connection to botd" in browser.text("#banner")
        assert "grayscale" in browser.js("return getComputedStyle(document.querySelector('#live')).filter")
    # It comes back as another daemon, in which other accounts play.
    server.live = made_up.live(made_up.account("zoe", made_up.match(seed=5)), instance="second")
    browser.until(lambda: browser.attribute("body", "data-instance") == "second", "the new daemon")
    assert browser.attribute("#banner", "hidden") is not None
    browser.until(lambda: shown_accounts(browser) == ["zoe@127.0.0.1:4321"])
    assert all("ERR_" in line or "api/events" in line for line in browser.logged())


def test_without_a_stream_the_page_asks(browser: Browser, server: DocumentServer) -> None:
    """There are proxies that pass none, and a daemon has only so many."""
    server.failing["events"] = (503, {"error": "too many"})
    show(browser, server)
    assert browser.text("#connection") == "live"
    server.live = made_up.live(made_up.account("anna", made_up.match(moves=55)))
    browser.until(lambda: browser.attribute("#cards .card", "data-moves") == "55", "what came since")
    del server.failing["events"]
    browser.until(lambda: server.listening == 1, "the stream")
    assert all("503" in line for line in browser.logged())


def test_a_page_that_was_left_holds_no_connection(browser: Browser, server: DocumentServer) -> None:
    # A browser keeps it to go back to, and has six connections for a server.
    for _ in range(8):
        show(browser, server)
    browser.until(lambda: server.listening == 1, "the end of the other streams")
    browser.open("about:blank")
    browser.until(lambda: server.listening == 0, "the end of the last")
    browser.driver.back()
    browser.until(lambda: browser.text("#connection") == "live", "the page again")
    browser.until(lambda: server.listening == 1)
    server.send("account", made_up.account("anna", made_up.match(moves=88)))
    browser.until(lambda: browser.attribute("#cards .card", "data-moves") == "88", "what came since")


def test_another_version_is_said(browser: Browser, server: DocumentServer) -> None:
    show(browser, server)
    server.send("live", made_up.live(schema=2, accounts=None))
    browser.until(lambda: browser.text("#connection") == "other version")
    assert "another version than this page" in browser.text("#banner")


def test_matches_come_and_go(browser: Browser, server: DocumentServer) -> None:
    show(browser, server, made_up.live(made_up.account("anna"), made_up.account("bob")))
    assert browser.text("#no-matches") == "No match is being played. 2 accounts are ready for one."
    server.send("account", made_up.account("bob", made_up.match(seed=2)))
    browser.until(lambda: len(browser.all("#cards .card")) == 1)
    server.send("account", made_up.account("anna", made_up.match(seed=3)))
    browser.until(lambda: len(browser.all("#cards .card")) == 2)
    server.send("account", made_up.account("bob"))
    browser.until(lambda: shown_accounts(browser) == ["anna@127.0.0.1:4321"])


def test_what_the_reader_has_opened_stays_open(browser: Browser, server: DocumentServer) -> None:
    older = [made_up.decision(at=1000.0 + number, chosen=f"move {number}") for number in range(5, 0, -1)]
    show(browser, server, made_up.live(made_up.account("anna", made_up.match(decisions=older))))
    browser.until(lambda: len(browser.all(".decision")) == 5)
    third = browser.all(".decision summary")[2]
    third.click()
    newer = [made_up.decision(at=2000.0, chosen="newest"), *older]
    server.send("account", made_up.account("anna", made_up.match(decisions=newer)))
    browser.until(lambda: "newest" in browser.text(".decision"))
    states = browser.js(
        "return [...document.querySelectorAll('.decision')]"
        ".map((d) => [d.querySelector('.chosen').textContent, d.open])"
    )
    assert states == [
        ["newest", True],
        ["move 5", False],
        ["move 4", False],
        ["move 3", True],
        ["move 2", False],
        ["move 1", False],
    ]
    assert browser.js("return document.activeElement.textContent").startswith("Play")


def test_the_curve_tells_its_figures_to_keys_and_pointer(browser: Browser, server: DocumentServer) -> None:
    curve = [
        {"n": 1, "game": 1, "win": 0.5, "equity": 0.01},
        {"n": 2, "game": 1, "win": None, "equity": -1.25},
        {"n": 3, "game": 2, "win": 0.7312, "equity": 0.5},
    ]
    show(browser, server, made_up.live(made_up.account("anna", made_up.match(curve=curve))))
    plot = browser.find(".curve-plot")
    assert browser.text(".curve-readout") == "win 73.1 %equity +0.500now"
    assert len(browser.all(".game-edge")) == 1
    browser.js("arguments[0].focus()", plot)
    browser.press(Keys.ARROW_LEFT)
    assert plot.get_attribute("aria-valuetext") == "Game 1, decision 2: win chance –, equity −1.250"
    browser.press(Keys.HOME)
    assert plot.get_attribute("aria-valuetext") == "Game 1, decision 1: win chance 50.0 %, equity +0.010"
    assert "game 1, decision 1" in browser.text(".curve-readout")


def test_a_keyboard_is_enough(browser: Browser, server: DocumentServer) -> None:
    show(browser, server)
    browser.press(Keys.TAB)
    assert browser.focused().text == "Skip to content"
    assert browser.focused().rect["y"] >= 0
    browser.press(Keys.ENTER)
    assert browser.focused().get_attribute("id") == "main"
    browser.js("document.querySelector('.skip').focus()")
    browser.press(Keys.TAB)
    assert browser.focused().get_attribute("id") == "tab-live"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.focused().get_attribute("id") == "tab-matches"
    assert browser.find("#matches").is_displayed()
    assert not browser.find("#live").is_displayed()
    browser.press(Keys.END)
    assert browser.focused().get_attribute("id") == "tab-dice"
    # There are none here, as with a daemon that does not count them.
    browser.until(lambda: browser.text("#dice") == "This botd does not count dice.")
    browser.press(Keys.ARROW_RIGHT)  # around to the first
    assert browser.focused().get_attribute("id") == "tab-live"

    # Everything that can be used is reached, and is seen to have the focus.
    seen = []
    for _ in range(40):
        browser.press(Keys.TAB)
        element = browser.focused()
        if element.tag_name == "body":
            break
        outline = browser.js(
            "const s = getComputedStyle(arguments[0]); return [s.outlineStyle, parseFloat(s.outlineWidth)]",
            element,
        )
        assert outline[0] == "solid", element.get_attribute("outerHTML")
        assert outline[1] >= 2
        seen.append(element.get_attribute("class") or element.tag_name)
    assert {"curve-plot", "decision-list", "summary"} <= set(seen)
    assert all("404" in line for line in browser.logged())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_by_day_and_by_night(browser: Browser, server: DocumentServer, scheme: str) -> None:
    browser.view(scheme=scheme)
    live = made_up.live(
        made_up.account("anna", made_up.match()),
        made_up.account("bob", made_up.match(seed=2, crawford=True)),
        made_up.account("carl", state="waiting", paused=True, last_message_at=1.0),
        made_up.account("dora", state="refused"),
        journal="cannot be written",
        workers={"total": 2, "failing": 1},
        troubles=[{"at": 1.0, "account": "carl", "server": "s", "what": "reconnecting", "detail": "refused"}],
    )
    show(browser, server, live)
    browser.until(lambda: browser.all(".accounts .bad"))
    ground = browser.js("return getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in ground[4:-1].split(",")) > 384) == (scheme == "light")
    assert unreadable(browser) == []
    assert browser.nameless() == []


@pytest.mark.parametrize("width", [320, 360, 414, 768, 1024])
def test_no_screen_is_too_narrow(browser: Browser, server: DocumentServer, width: int) -> None:
    browser.view(width, 740)
    long_name = "a_very_long_name_without_any_place_to_break_it"
    accounts = [
        made_up.account(f"{long_name}{n}", made_up.match(seed=n, opponent=long_name)) for n in range(3)
    ]
    show(browser, server, made_up.live(*accounts))
    assert browser.too_wide() == []
    columns = {card.rect["x"] for card in browser.all("#cards .card")}
    assert len(columns) == (1 if width < 860 else 2)


def test_who_wants_no_motion_gets_none(browser: Browser, server: DocumentServer) -> None:
    moving = (
        "return document.getAnimations({subtree: true}).length +"
        " [...document.querySelectorAll('.arrow')]"
        ".filter((arrow) => getComputedStyle(arrow).animationName != 'none').length"
    )
    show(browser, server, made_up.live(made_up.account("anna", made_up.match(plies=1))))
    assert browser.js(moving) > 0
    browser.view(motion=False)
    show(browser, server)
    assert browser.js(moving) == 0


def test_it_works_below_a_path(browser: Browser) -> None:
    live = made_up.live(made_up.account("anna", made_up.match()))
    with DocumentServer(live, prefix="/bots/botd/") as server:
        show(browser, server)
        assert server.missing == []
        browser.open("about:blank")
