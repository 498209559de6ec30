"""The live view with awkward documents: every board, hostile texts, broken streams, small screens."""

from __future__ import annotations

import json

import msgspec
import pytest
from selenium.webdriver.common.keys import Keys

from botd.engine.types import STARTING_BOARD
from botd.live.documents import Live
from tests.web.browser import made_up
from tests.web.browser.chromium import Browser
from tests.web.browser.contrast import unreadable
from tests.web.browser.document_server import DocumentServer, show
from tests.web.browser.made_up import EVIL


def shown_accounts(browser: Browser) -> list[str]:
    """Whose matches are shown."""
    accounts: list[str] = browser.js(
        "return [...document.querySelectorAll('#cards .card')].map((card) => card.dataset.account)"
    )
    return accounts


def test_the_documents_made_up_here_have_the_form_agreed_on() -> None:
    live = made_up.live(made_up.account("anna", made_up.match()), made_up.account("bob"))
    msgspec.convert(live, Live, strict=False)


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
    """A browser keeps it to go back to, and has six connections for a server."""
    leave = "dispatchEvent(new PageTransitionEvent(arguments[0], { persisted: true }))"
    show(browser, server)
    browser.until(lambda: server.listening == 1)
    browser.js(leave, "pagehide")
    browser.until(lambda: server.listening == 0, "the end of the stream")
    browser.js(leave, "pageshow")
    browser.until(lambda: server.listening == 1, "the stream again")
    server.send("account", made_up.account("anna", made_up.match(moves=88)))
    browser.until(lambda: browser.attribute("#cards .card", "data-moves") == "88", "what came since")
    browser.open("about:blank")
    browser.driver.back()
    browser.until(lambda: browser.text("#connection") == "live", "the page again")


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
    server.send("account", made_up.account("bob", made_up.match(seed=4)))
    browser.until(lambda: len(shown_accounts(browser)) == 2, "the next match")


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


def test_the_line_of_equities_begins_anew_where_the_cube_is_turned(
    browser: Browser, server: DocumentServer
) -> None:
    cubes = [1, 1, 1, 2, 2, 4, 4, None, 4]  # of an unknown one the line goes on
    curve = [
        {"n": n, "game": 1, "win": 0.5, "equity": -1.0 if n < 3 else 0.0, "cube": cube}
        for n, cube in enumerate(cubes, 1)
    ]
    curve += [{"n": n, "game": 2, "win": 0.5, "equity": 0.0, "cube": 1} for n in (10, 11)]
    show(browser, server, made_up.live(made_up.account("anna", made_up.match(curve=curve))))
    assert [label.text for label in browser.all(".curve .cube-label")] == ["×2", "×4"]
    assert len(browser.all(".curve .cube-edge")) == 2
    assert len(browser.all(".curve path.line.equity")) == 4
    assert len(browser.all(".curve path.line.win")) == 2, "a chance to win has no unit"


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
