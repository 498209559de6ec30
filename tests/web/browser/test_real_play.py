"""The page over the real daemon, which plays a real match on a local server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from botd.journal.reader import JournalReader
from tests.web.browser.chromium import Browser
from tests.web.browser.playing import Playing, two_players

# Notes every board that anna's card shows, as (game, board).
_WATCH = """
const card = document.querySelector('#cards .card[data-account^="anna@"]');
window.seen = [];
const note = () => {
  const drawing = card.querySelector('.board-drawing');
  if (drawing?.dataset.board) window.seen.push([Number(card.dataset.game), drawing.dataset.board]);
};
new MutationObserver(note).observe(card, { childList: true, subtree: true, attributes: true });
note();
"""
_SHOWN = """
const card = document.querySelector('#cards .card[data-account^="anna@"]');
const data = (css) => ({ ...card.querySelector(css)?.dataset });
return {
  game: Number(card.dataset.game), moves: Number(card.dataset.moves),
  board: data('.board-drawing').board, cube: data('.cube'), dice: data('.dice'),
  played: card.querySelector('.dice')?.classList.contains('played') ?? null,
  score: [...card.querySelectorAll('.score')].map((node) => Number(node.textContent)),
  pips: [...card.querySelectorAll('.pips')].map((node) => parseInt(node.textContent)),
  last: card.querySelector('.last').textContent,
  decisions: [...card.querySelectorAll('.decision')].map((node) => Number(node.dataset.at)),
};
"""


@pytest.fixture
def playing(browser: Browser, tmp_path: Path) -> Iterator[Playing]:
    with Playing(tmp_path) as playing:
        yield playing
        browser.open("about:blank")


def annas(document: dict[str, Any]) -> dict[str, Any]:
    """The match of anna's account."""
    match: dict[str, Any] = next(a for a in document["accounts"] if a["account"] == "anna")["match"]
    return match


def wanted(match: dict[str, Any]) -> dict[str, Any]:
    """What the page has to show of a match in the live document."""
    cube, last = match["cube"], match["last_move"]
    value = cube["value"] * (2 if cube["offered_by"] else 1)
    dice = match["dice"] or (last and not cube["offered_by"] and last["dice"])
    side = match["turn"] if match["dice"] else (last and last["side"])
    return {
        "game": match["game"],
        "moves": match["moves"],
        "board": " ".join(map(str, match["board"])),
        "cube": {
            "value": str(value),
            "owner": cube["owner"] or "",
            "offeredBy": cube["offered_by"] or "",
        },
        "dice": {"dice": "-".join(map(str, dice)), "side": side} if dice else {},
        "played": (not match["dice"]) if dice else None,
        "score": match["score"][::-1],
        "pips": match["pips"][::-1],
        "last": ""
        if last is None
        else f"{'anna' if last['side'] == 'us' else 'bert'} played {last['dice'][0]}-{last['dice'][1]}: "
        f"{last['notation'] or 'no move'}",
        "decisions": [decision["at"] for decision in match["decisions"]],
    }


def test_the_page_shows_the_match_that_is_played_and_keeps_up(browser: Browser, playing: Playing) -> None:
    playing.start(two_players(7, 0.3))
    browser.open(playing.url)
    browser.until(lambda: browser.all('#cards .card[data-account^="anna@"] .checker'), "anna's board")
    browser.js(_WATCH)

    # Whenever play stands still, the page comes to show what the daemon tells.
    compared: set[tuple[int, int]] = set()

    def agrees() -> bool:
        match = annas(playing.live())
        if match is None or match["board"] is None:
            return True
        shown, expected = browser.js(_SHOWN), wanted(match)
        if shown == expected:
            compared.add((match["game"], match["moves"]))
        return bool(shown == expected)

    while len(compared) < 12:
        with playing.paused():
            browser.until(agrees, "what the daemon tells")
        time.sleep(0.2)
    assert playing.stop() == 0

    # What was shown is what the journal has, in its order; consecutive boards hardly ever skip one.
    seen = [key for key, _ in groupby(tuple(item) for item in browser.js("return window.seen"))]
    with JournalReader(playing.journal) as journal:
        record = journal.record(next(s.key for s in journal.matches() if s.account == "anna"))
    boards = [
        (game.number, " ".join(map(str, board)))
        for game in record.games
        for turn in game.turns
        for board in (turn.before, turn.after)
        if board is not None
    ]
    at = 0
    for item in seen:
        assert item in boards[at:], f"{item} is not in the journal, or not in this order"
        at += boards[at:].index(item)
    assert len(seen) >= 12
    browser.until(lambda: browser.text("#connection") == "connection lost")
    assert all("ERR_" in line for line in browser.logged())


def test_it_recovers_when_the_daemon_is_killed_and_started_again(browser: Browser, playing: Playing) -> None:
    players = two_players(25, 0.2)
    playing.start(players)
    browser.open(playing.url)
    browser.until(lambda: browser.all('#cards .card[data-account^="anna@"] .checker'), "anna's board")
    instance = browser.attribute("body", "data-instance")
    assert instance == playing.live()["instance"]

    playing.kill()
    browser.until(lambda: browser.text("#connection") == "connection lost", "the loss")
    assert browser.find("#banner").is_displayed()
    assert "No connection to botd" in browser.text("#banner")

    playing.start(players)
    browser.until(
        lambda: browser.attribute("body", "data-instance") not in {instance, None}, "the new daemon"
    )
    assert browser.attribute("body", "data-instance") == playing.live()["instance"]
    assert not browser.find("#banner").is_displayed()
    # The match goes on where the server has kept it, and the page follows.
    browser.until(lambda: browser.all('#cards .card[data-account^="anna@"] .checker'), "anna's board again")
    moves = int(browser.attribute('#cards .card[data-account^="anna@"]', "data-moves") or 0)
    browser.until(
        lambda: int(browser.attribute('#cards .card[data-account^="anna@"]', "data-moves") or 0) > moves + 3,
        "more moves",
    )
    assert all("ERR_" in line for line in browser.logged())


def test_a_daemon_that_hangs_is_not_called_live(browser: Browser, playing: Playing) -> None:
    """Its port still takes connections, as far as the system can tell; nothing is ever answered."""
    playing.start(two_players(25, 0.5))
    browser.open(playing.url)
    browser.until(lambda: browser.text("#connection") == "live", "a connection")
    with playing.halted():
        browser.until(lambda: browser.text("#connection") == "connection lost", "the loss")
        assert "No connection to botd" in browser.text("#banner")
    browser.until(lambda: browser.text("#connection") == "live", "the daemon going on")
    assert not browser.find("#banner").is_displayed()


def test_a_page_left_open_is_told_when_a_token_is_asked_for(browser: Browser, playing: Playing) -> None:
    players = two_players(1, 0.5)
    playing.start(players)
    browser.open(playing.url)
    browser.until(lambda: browser.text("#connection") == "live")
    playing.kill()
    (playing.folder / "token").write_text("open-sesame")
    (playing.folder / "token").chmod(0o600)
    playing.start(players, page='token_file = "token"')
    browser.until(lambda: browser.text("#connection") == "not logged in")
    browser.find("#banner a").click()
    field = browser.find("input[name=token]")
    field.send_keys("open-sesame")
    field.submit()
    browser.until(lambda: browser.text("#connection") == "live")
    assert all("401" in line or "ERR_" in line for line in browser.logged())


def test_who_has_the_token_logs_in(browser: Browser, playing: Playing) -> None:
    (playing.folder / "token").write_text("open-sesame&more+%20")
    (playing.folder / "token").chmod(0o600)
    playing.start(two_players(1, 0.5), page='token_file = "token"')
    browser.open(playing.url)
    field = browser.find("input[name=token]")
    assert browser.focused() == field
    assert browser.js("return getComputedStyle(document.querySelector('.login')).display") == "grid"
    field.send_keys("wrong")
    field.submit()
    browser.until(lambda: "not the token" in browser.text("body"))
    field = browser.find("input[name=token]")
    field.send_keys("open-sesame&more+%20")
    field.submit()
    browser.until(lambda: browser.all("#accounts li"), "the page")
    assert browser.driver.current_url == playing.url
    browser.until(lambda: browser.text("#connection") == "live")
    assert all("401" in line for line in browser.logged())
