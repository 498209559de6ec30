"""The views of past matches and of dice over the real daemon, after real matches."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from botd.journal import Journal
from botd.journal.reader import JournalReader, MatchRecord, MatchSummary
from tests.web.browser.chromium import PATIENCE_S, Browser
from tests.web.browser.contrast import unreadable
from tests.web.browser.playing import Playing, two_players
from tests.web.short_matches import play


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playing]:
    """anna and bert have played two matches and are in a third."""
    with Playing(tmp_path_factory.mktemp("played"), seed=8) as playing:
        playing.start(two_players(3, 0))
        give_up = time.monotonic() + PATIENCE_S
        while sum(account["matches"] for account in playing.live()["accounts"]) < 4:
            assert time.monotonic() < give_up, playing.log.read_text()[-3000:]
            time.sleep(0.1)
        assert playing.stop() == 0
        playing.start({"carl": ""})
        yield playing


@pytest.fixture
def away(browser: Browser, played: Playing) -> Iterator[Playing]:
    """The same, and no page of it is open when the test ends."""
    yield played
    browser.open("about:blank")


@pytest.fixture
def many(browser: Browser, crowded: Playing) -> Iterator[Playing]:
    """More matches than two pages hold, a page of them against even; no page of it is open afterwards."""
    yield crowded
    browser.open("about:blank")


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playing]:
    with Playing(tmp_path_factory.mktemp("crowded")) as playing:
        asyncio.run(_crowd(playing.journal))
        playing.start({"carl": ""})
        yield playing


async def _crowd(path: Path) -> None:
    async with Journal(path) as journal:
        for number in range(1, 64):
            play(journal, "even" if number % 2 == 0 and number <= 50 else "odd")


def summaries(played: Playing) -> list[MatchSummary]:
    """Newest first, as the page lists them."""
    with JournalReader(played.journal) as journal:
        return journal.matches()[::-1]


def first(played: Playing) -> MatchRecord:
    """anna's first match."""
    with JournalReader(played.journal) as journal:
        return journal.record(next(s.key for s in journal.matches() if s.account == "anna"))


def rows(browser: Browser) -> list[str]:
    found: list[str] = browser.js(
        "return [...document.querySelectorAll('.matches tbody tr')].map((r) => r.dataset.key)"
    )
    return found


def board(browser: Browser) -> str | None:
    return browser.attribute(".replay .board-drawing", "data-board")


def open_match(browser: Browser, played: Playing, key: str) -> None:
    browser.open(f"{played.url}#match/{key}")
    browser.until(lambda: browser.all(".replay .board-drawing"), "the match")


def test_the_list_has_all_matches_and_finds_some(browser: Browser, away: Playing) -> None:
    browser.open(f"{away.url}#matches")
    every = summaries(away)
    assert len(every) >= 4
    browser.until(lambda: rows(browser) == [summary.key for summary in every], "all matches")
    shown = browser.text(".matches tbody tr:last-child")
    assert every[-1].opponent in shown
    assert f"{every[-1].score[0]} – {every[-1].score[1]}" in shown
    assert ("won" if every[-1].winner == "us" else "lost") in shown

    field = browser.find("input[name=account]")
    field.send_keys("anna", Keys.ENTER)
    browser.until(lambda: rows(browser) == [s.key for s in every if s.account == "anna"], "anna's")
    field.clear()
    field.send_keys("nobody", Keys.ENTER)
    browser.until(lambda: "No match found." in browser.text("#matches"))
    assert rows(browser) == []


def test_older_matches_come_page_by_page(browser: Browser, many: Playing) -> None:
    every = [summary.key for summary in summaries(many)]
    assert len(every) == 63
    browser.open(f"{many.url}#matches")
    for shown in (25, 50, 63):
        browser.until(lambda: rows(browser) == every[:shown], f"{shown} matches")  # noqa: B023 - used at once
        older = browser.find(".matches ~ button")
        browser.until(lambda: older.is_displayed() == (shown < 63), "a button while there are older ones")  # noqa: B023
        if shown < 63:
            older.click()
    assert len(set(every)) == 63


def test_older_matches_of_a_choice_come_page_by_page(browser: Browser, many: Playing) -> None:
    odd = [summary.key for summary in summaries(many) if summary.opponent == "odd"]
    browser.open(f"{many.url}#matches")
    browser.until(lambda: len(rows(browser)) == 25, "the newest of all")
    browser.find("input[name=opponent]").send_keys("odd", Keys.ENTER)
    browser.until(lambda: rows(browser) == odd[:25], "the newest of one")
    browser.find(".matches ~ button").click()
    browser.until(lambda: rows(browser) == odd, "all of one")
    assert not browser.find(".matches ~ button").is_displayed()


def test_a_page_that_is_just_full_has_nothing_older(browser: Browser, many: Playing) -> None:
    even = [summary.key for summary in summaries(many) if summary.opponent == "even"]
    assert len(even) == 25
    browser.open(f"{many.url}#matches")
    browser.find("input[name=opponent]").send_keys("even", Keys.ENTER)
    browser.until(lambda: rows(browser) == even, "all of one")
    assert not browser.find(".matches ~ button").is_displayed()


def test_what_is_typed_but_not_sent_chooses_nothing(browser: Browser, many: Playing) -> None:
    every = [summary.key for summary in summaries(many)]
    browser.open(f"{many.url}#matches")
    browser.until(lambda: rows(browser) == every[:25], "the newest")
    browser.find("input[name=opponent]").send_keys("odd")
    browser.find(".matches ~ button").click()
    browser.until(lambda: rows(browser) == every[:50], "older ones of all")


def test_older_matches_can_be_asked_for_again_after_a_failure(browser: Browser, many: Playing) -> None:
    every = [summary.key for summary in summaries(many)]
    browser.open(f"{many.url}#matches")
    browser.until(lambda: rows(browser) == every[:25], "the newest")
    with browser.offline():
        browser.find(".matches ~ button").click()
        browser.until(lambda: browser.text(".matches ~ [role=status]"), "a word about it")
        assert rows(browser) == every[:25]
    browser.find(".matches ~ button").click()
    browser.until(lambda: rows(browser) == every[:50], "older ones")
    assert all("ERR_INTERNET_DISCONNECTED" in line for line in browser.logged())


def test_a_match_is_stepped_through_by_keys(browser: Browser, away: Playing) -> None:
    record = first(away)
    open_match(browser, away, record.summary.key)
    expected: list[tuple[int, str]] = []
    for game in record.games:
        start = next(turn.before for turn in game.turns if turn.before)
        expected.append((game.number, " ".join(map(str, start))))
        for turn in game.turns:
            expected.append((game.number, " ".join(map(str, turn.after or turn.before or ()))))
    assert len(expected) > 30
    for index, (game, wanted) in enumerate(expected):
        assert board(browser) == wanted, f"step {index}"
        assert browser.js("return document.querySelector('.steps select').value") == str(game)
        assert browser.driver.current_url.endswith(f"/{index}")
        assert browser.js("return document.querySelectorAll('.turns [aria-current]').length") == 1
        assert browser.js(
            "const list = document.querySelector('.turns').getBoundingClientRect();"
            "const item = document.querySelector('.turns [aria-current]').getBoundingClientRect();"
            "return item.top >= list.top - 1 && item.bottom <= list.bottom + 1"
        )
        browser.press(Keys.ARROW_RIGHT)
    assert board(browser) == expected[-1][1]  # there it ends
    browser.press(Keys.HOME)
    assert board(browser) == next(wanted for game, wanted in expected if game == expected[-1][0])
    browser.press(Keys.ARROW_LEFT)
    if record.games[1:]:
        assert browser.js("return document.querySelector('.steps select').value") == str(
            record.games[-2].number
        )

    # The address of a step leads there again.
    address = browser.driver.current_url
    shown = board(browser)
    browser.open(address)
    browser.until(lambda: board(browser) == shown, "the same step")


def test_a_turn_shows_what_was_decided(browser: Browser, away: Playing) -> None:
    record = first(away)
    open_match(browser, away, record.summary.key)
    told = json.loads(away.get(f"api/matches/{record.summary.key}"))
    looked = 0
    for index, turn in enumerate([None, *told["games"][0]["turns"]]):
        if turn and turn["decisions"]:
            looked += 1
            browser.until(lambda index=index: browser.driver.current_url.endswith(f"/{index}") or index == 0)
            tables = browser.js(
                "return [...document.querySelectorAll('.decided section')].map((s) =>"
                " [...s.querySelectorAll('tbody tr')].map((r) => [r.querySelector('th').textContent,"
                " r.classList.contains('chosen')]))"
            )
            assert tables == [
                [
                    [candidate["move"] or "no move", place == decision["chosen_index"]]
                    for place, candidate in enumerate(decision["candidates"])
                ]
                for decision in turn["decisions"]
            ]
        browser.press(Keys.ARROW_RIGHT)
    assert looked > 3


@pytest.mark.parametrize("ending", ["mat", "jsonl"])
def test_downloads_are_what_the_daemon_gives(browser: Browser, away: Playing, ending: str) -> None:
    key = first(away).summary.key
    open_match(browser, away, key)
    before = set(browser.downloads.iterdir())
    browser.find(f'.downloads a[href$=".{ending}"]').click()

    def arrived() -> list[Path]:
        new = set(browser.downloads.iterdir()) - before
        return [path for path in new if path.suffix == f".{ending}"]

    file = browser.until(arrived, "the download")[0]
    content = away.get(f"api/matches/{key}.{ending}")
    browser.until(lambda: file.read_bytes() == content, "the whole file")
    assert content
    if ending == "mat":
        assert b"3 point match" in content
        assert file.name == next((away.folder / "matches").glob(f"{key}*.mat")).name


def test_a_match_that_is_not_there_is_said(browser: Browser, away: Playing) -> None:
    browser.open(f"{away.url}#match/no-such-match")
    browser.until(lambda: "not in the journal" in browser.text(".replay"))
    assert all("404" in line for line in browser.logged())


@pytest.mark.parametrize("view", ["matches", "match", "dice"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_is_readable_and_named_and_fits_a_phone(
    browser: Browser, away: Playing, view: str, scheme: str
) -> None:
    browser.view(360, 740, scheme=scheme)
    there = {"matches": ".matches tbody tr", "match": ".replay .board-drawing", "dice": ".dice-report"}[view]
    address = f"match/{first(away).summary.key}/4" if view == "match" else view
    browser.open(f"{away.url}#{address}")
    browser.until(lambda: browser.all(there), view)
    assert browser.too_wide() == []
    assert unreadable(browser) == []
    assert browser.nameless() == []


def test_the_dice_are_the_daemons_figures(browser: Browser, away: Playing) -> None:
    browser.open(away.url)
    browser.until(lambda: browser.find("#tab-dice").is_displayed(), "the view of dice")
    browser.find("#tab-dice").click()
    browser.until(lambda: browser.all(".dice-report"))
    told: list[dict[str, Any]] = json.loads(away.get("api/dice"))["servers"]
    assert [report["scope"] for report in told] == [browser.text(".dice-report h2")]
    assert browser.text(".dice-report .message") == told[0]["message"]
    assert f"{told[0]['rolls']} rolls in {told[0]['matches']} matches" in browser.text(".dice-report .fine")
    assert browser.js("return document.querySelectorAll('.pairs rect').length") == 42
