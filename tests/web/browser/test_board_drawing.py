"""Boards as they are drawn and told: any position, cube, dice, and moves."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from botd.engine.notation import format_steps
from botd.engine.rules import legal_plays
from botd.engine.types import STARTING_BOARD, Board
from tests.web.browser import made_up
from tests.web.browser.chromium import Browser
from tests.web.browser.document_server import DocumentServer, show
from tests.web.browser.made_up import EVIL


def drawn(browser: Browser) -> Counter[tuple[str, int]]:
    """Checkers drawn on points and bar, by side and point of our numbering."""
    found: list[list[Any]] = browser.js(
        "return [...document.querySelectorAll('.checker')]"
        ".map((checker) => [checker.classList[1], Number(checker.dataset.point)])"
    )
    return Counter((side, point) for side, point in found)


# Where things are drawn: [side, point, x, y] of checkers, [x, y] of numbers, dice and cube; the middle of the
# board is the origin, and the board two wide and two high.
_PLACES = """
const frame = document.querySelector('.board-drawing').getBoundingClientRect();
const middle = (node) => {
  const box = node.getBoundingClientRect();
  return [(box.left + box.right - frame.left - frame.right) / frame.width,
          (box.top + box.bottom - frame.top - frame.bottom) / frame.height];
};
const all = (css) => [...document.querySelectorAll(css)];
return {
  checkers: all('.checker').map((c) => [c.classList[1], Number(c.dataset.point), ...middle(c)]),
  numbers: Object.fromEntries(all('.point-number').map((t) => [t.textContent, middle(t)])),
  dice: all('.dice').map(middle), cube: all('.cube').map(middle),
  ghosts: all('.ghost').map(middle), heads: all('.arrow-head').map(middle),
};
"""


def assert_in_place(places: dict[str, Any]) -> None:
    """Each checker lies in the column of its point and on its side, those on the bar in the middle."""
    numbers = {int(name): place for name, place in places["numbers"].items()}
    assert sorted(numbers) == list(range(1, 25))
    # Our home is at the lower right, and points count on around the board.
    assert {point for point in numbers if numbers[point][1] > 0} == set(range(1, 13))
    assert sorted(range(1, 13), key=lambda point: -numbers[point][0]) == list(range(1, 13))
    assert all(abs(numbers[point][0] - numbers[25 - point][0]) < 0.01 for point in range(1, 13))
    for side, point, x, y in places["checkers"]:
        if point in numbers:
            assert abs(x - numbers[point][0]) < 0.01
            assert y * numbers[point][1] > 0
        else:  # on the bar, each in the half of the board where it comes in
            assert numbers[7][0] < x < numbers[6][0]
            assert (y < 0) == (side == "us")


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
        assert_in_place(browser.js(_PLACES))
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
    [(x, y)] = browser.js(_PLACES)["cube"]
    if shown[2]:  # in the field of whom it is offered to
        assert (x < 0) == (shown[2] == "us")
        assert abs(y) < 0.01
    else:
        assert x < -0.8
        assert {"": abs(y) < 0.01, "us": y > 0.5, "opponent": y < -0.5}[shown[1]]
    offerer = {"us": "anna", "opponent": "bert"}.get(shown[2])
    assert (f"{offerer} offers the cube at {shown[0]}" in browser.text(".now")) == bool(offerer)


@pytest.mark.parametrize("side", ["us", "opponent"])
def test_dice_lie_on_the_side_of_who_rolled(browser: Browser, server: DocumentServer, side: str) -> None:
    match = made_up.match(turn=side, dice=[5, 2])
    show(browser, server, made_up.live(made_up.account("anna", match)))
    [(x, y)] = browser.js(_PLACES)["dice"]
    assert (x > 0) == (side == "us")
    assert abs(y) < 0.01
    faces = "[...document.querySelectorAll('.die')].map((die) => die.querySelectorAll('circle').length)"
    pips = browser.js(f"return {faces}")
    assert pips == [5, 2]
    assert browser.attribute(".dice", "data-side") == side


@pytest.mark.parametrize(
    ("side", "notation", "left", "reached"),
    [("us", "11/5 14/8", (11, 14), (5, 8)), ("opponent", "11/5 14/8", (14, 11), (20, 17))],
)
def test_arrows_go_from_where_checkers_stood_to_where_they_are(
    browser: Browser,
    server: DocumentServer,
    side: str,
    notation: str,
    left: tuple[int, int],
    reached: tuple[int, int],
) -> None:
    """Moves are told in the mover's numbers, the board has ours."""
    board = [0] * 26
    board[5], board[8], board[20], board[17] = 1, 1, -1, -1
    last = {"side": side, "dice": [3, 3], "notation": notation, "board": board}
    match = made_up.match(board=board, last_move=last)
    show(browser, server, made_up.live(made_up.account("anna", match)))
    places = browser.js(_PLACES)
    for found, points in ((places["ghosts"], left), (places["heads"], reached)):
        for (x, y), point in zip(found, points, strict=True):
            assert abs(x - places["numbers"][str(point)][0]) < 0.06, point
            assert y * places["numbers"][str(point)][1] > 0, point


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
