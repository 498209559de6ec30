"""The screen of `botd watch`, for documents of every kind and terminals of every size."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine.types import STARTING_BOARD
from botd.live import documents as d
from botd.terminal.board import Style
from botd.terminal.live_view import Choice, screen
from botd.terminal.sparkline import sparkline
from botd.terminal.text_width import clip, fill, width

PLAIN = Style(unicode=True, colour=False)
HOSTILE = "\x1b[2J\x07\r\n<x>\u202e\u0301漢"


def a_match(opponent: str = "bert", **fields: object) -> d.Match:
    candidates = (
        d.Candidate(move="8/5 6/5", equity=0.16, loss=0.0, win=0.55, ply=2),
        d.Candidate(move="24/21 8/7", equity=0.1, loss=0.06, win=0.53, ply=2),
    )
    decided = d.Decided(
        at=1.0, game=2, kind="play", dice=(3, 1), chosen="8/5 6/5", equity=0.16, ply=2, source="search",
        duration_s=0.01, win=0.55, position_id="", match_id="", candidates=candidates, chosen_index=0,
    )  # fmt: skip
    usual: dict[str, object] = {
        "key": "k", "opponent": opponent, "length": 5, "score": (1, 2), "crawford": False, "game": 2,
        "started_at": 1.0, "board": STARTING_BOARD, "turn": "us", "dice": (6, 4), "cube": d.Cube(value=1),
        "pips": (167, 167), "resignation": None, "moves": 3, "decisions": (decided,),
        "last_move": d.LastMove(side="opponent", dice=(3, 1), notation="8/5 6/5", board=STARTING_BOARD),
        "curve": (d.Point(n=1, game=2, win=0.4, equity=-0.1), d.Point(n=2, game=2, win=0.55, equity=0.16)),
    }  # fmt: skip
    return d.Match(**(usual | fields))  # type: ignore[arg-type]


def an_account(name: str = "anna", match: d.Match | None = None) -> d.Account:
    return d.Account(
        id=f"{name}@here:4321", account=name, server="here:4321", state="playing" if match else "ready",
        since=10.0, last_message_at=99.0, paused=False, level=None, ply=2, mode="fast", rating=None,
        matches=1, wins=1, losses=0, match=match, last_match=None,
    )  # fmt: skip


def a_live(*accounts: d.Account, **fields: object) -> d.Live:
    usual: dict[str, object] = {
        "version": "0.1", "instance": "one", "at": 100.0, "state": "running", "uptime_s": 3700.0,
        "engine": d.Engine(evaluator="sage", mode="fast", cpu_path="avx2", met="", weights=""),
        "workers": d.Workers(total=2, failing=0), "journal": "ok", "latency": (), "troubles": (),
    }  # fmt: skip
    return d.Live(accounts=accounts, **(usual | fields))  # type: ignore[arg-type]


def shown(live: d.Live, size: tuple[int, int] = (140, 50), **options: object) -> str:
    choice = options.pop("choice", Choice())
    assert isinstance(choice, Choice)
    return "\n".join(screen(live, choice, PLAIN, size=size, now=100.0, **options))  # type: ignore[arg-type]


def test_one_match_with_what_the_bot_thinks() -> None:
    text = shown(a_live(an_account(match=a_match())))
    for words in (
        "botd 0.1", "up 1:01:40", "anna - bert", "5 points, game 2", "bert  2/5", "anna  1/5", "167 pips",
        "6 ⚃ 4", "win 55.0 %", "equity +0.160", "▄▅", "opponent 3-1: 8/5 6/5", "* 8/5 6/5", "+0.160",
        "(-0.060)", "q quit",
    ):  # fmt: skip
        assert words in text, words
    assert "1:30" in text, "so long in this state"


def test_the_cube_offered_and_a_resignation() -> None:
    doubled = a_match(
        dice=None, cube=d.Cube(value=2, owner="opponent", offered_by="opponent"), turn="opponent"
    )
    assert "doubles: cube 4" in shown(a_live(an_account(match=doubled)))
    resigning = a_match(resignation=d.Resignation(side="opponent", level=2))
    assert "bert offers to resign a gammon" in shown(a_live(an_account(match=resigning)))


def test_a_board_not_seen_yet() -> None:
    match = a_match(board=None, pips=None, last_move=None, curve=(), decisions=())
    assert "not been seen yet" in shown(a_live(an_account(match=match)))


def test_nobody_plays() -> None:
    assert "No match is being played." in shown(a_live(an_account()))
    assert "no accounts" in shown(a_live())


def test_several_matches_side_by_side_or_one_of_them() -> None:
    accounts = [an_account(name, a_match(f"foe{name}")) for name in ("a1", "a2", "a3", "a4", "a5")]
    live = a_live(*accounts)
    many = shown(live, (160, 60))
    assert [f"{name} - foe{name}" in many for name in ("a1", "a2", "a3", "a4", "a5")] == [True] * 4 + [False]
    later = shown(live, (160, 60), choice=Choice(account=4))
    assert "a5 - foea5" in later
    one = shown(live, (160, 60), choice=Choice(account=2, tiled=False))
    assert "a3 - foea3" in one
    assert "a1 - foea1" not in one
    assert "* 8/5 6/5" in one


def test_accounts_scroll_with_the_selected_one() -> None:
    live = a_live(*(an_account(f"a{number}") for number in range(100)))
    text = shown(live, (100, 25), choice=Choice(account=77))
    assert re.search(r"^>\s+a77 ", text, re.MULTILINE)
    assert "97 more" in text


def test_a_usual_terminal_has_room_for_a_whole_board() -> None:
    accounts = [an_account(name, a_match()) for name in ("a1", "a2", "a3", "a4", "a5")]
    text = shown(a_live(*accounts), (80, 24))
    assert "13 14 15 16 17 18" in text
    assert "12 11 10  9  8  7" in text
    assert "win 55.0 %" in text
    assert "q quit" in text


def test_latencies_and_troubles() -> None:
    latency = d.Latency(kind="play", ply=None, count=7, p50=0.001, p95=2.5, p99=10.0)
    trouble = d.Trouble(at=40.0, account="anna", server="", what="stuck", detail="why")
    text = shown(a_live(an_account(), latency=(latency,), troubles=(trouble,)))
    assert re.search(r"play +more +7 +1.0 ms +2.50 s +10.00 s", text)
    assert "! 1:00 ago  anna  stuck  why" in text


def test_a_lost_connection_is_said_first() -> None:
    assert shown(a_live(), note="no connection (refused)").startswith(" no connection (refused)")


SIZES = st.tuples(st.integers(1, 250), st.integers(1, 100))


@settings(max_examples=150)
@given(SIZES, st.integers(0, 6), st.booleans(), st.booleans())
def test_it_fits_every_terminal(size: tuple[int, int], number: int, tiled: bool, colour: bool) -> None:
    accounts = [an_account(f"a{n}", a_match() if n % 2 else None) for n in range(number)]
    latency = d.Latency(kind="play", ply=1, count=1, p50=1.0, p95=1.0, p99=1.0)
    live = a_live(*accounts, latency=(latency,) * 5)
    style = Style(unicode=True, colour=colour)
    lines = screen(live, Choice(3, tiled), style, size=size, now=100.0)
    assert len(lines) <= size[1]
    assert all(width(line) <= size[0] for line in lines)


def strings_replaced(value: object) -> object:
    """The document with every free text hostile."""
    if isinstance(value, dict):
        seats = {"side", "owner", "offered_by", "turn", "winner"}
        return {key: item if key in seats else strings_replaced(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strings_replaced(item) for item in value]
    return HOSTILE if isinstance(value, str) else value


@pytest.mark.parametrize("tiled", [True, False])
def test_no_text_of_others_reaches_the_terminal_raw(tiled: bool) -> None:
    trouble = d.Trouble(at=40.0, account="anna", server="", what="stuck", detail="why")
    latency = d.Latency(kind="play", ply=1, count=7, p50=0.001, p95=2.5, p99=10.0)
    live = a_live(an_account(match=a_match()), an_account("x"), latency=(latency,), troubles=(trouble,))
    hostile = msgspec.convert(strings_replaced(msgspec.to_builtins(live)), d.Live)
    text = shown(hostile, (200, 60), choice=Choice(tiled=tiled), note=HOSTILE)
    assert not set(text) & set("\x1b\x07\r\u202e")
    assert "\\x1b[2J" in text


@pytest.mark.parametrize(
    "fields",
    [
        {"dice": (0, 77)},
        {"board": (99, *[-(10**9)] * 24, -5)},
        {"board": (1, 2, 3)},
        {"board": ()},
        {"score": (10**18, -(10**18))},
        {"cube": d.Cube(value=-(2**60))},
        {
            "curve": (
                d.Point(n=1, game=1, win=1e300, equity=-1e300),
                d.Point(n=1, game=1, win=-5.0, equity=None),
            )
        },
        {"resignation": d.Resignation(side="us", level=99)},
        {"length": -1},
    ],
)
def test_nonsense_in_a_document_is_shown_somehow(fields: dict[str, object]) -> None:
    lines = screen(a_live(an_account(match=a_match(**fields))), Choice(), PLAIN, size=(120, 40), now=-1e300)
    assert all(width(line) <= 120 for line in lines)


def test_widths() -> None:
    assert [width(text) for text in ("abc", "\x1b[1mabc\x1b[0m", "漢字", "e\u0301")] == [3, 3, 4, 1]
    assert clip("\x1b[1mabcdef\x1b[0m", 3) == "\x1b[1mabc\x1b[0m"
    assert clip("漢字", 3) == "漢"
    assert (fill("ab", 4), fill("abcdef", 4)) == ("ab  ", "abcd")


def test_a_sparkline() -> None:
    assert sparkline([0.0, 0.5, 1.0], 10, unicode=True) == "▁▅█"
    assert sparkline([0.0, 0.5, 1.0], 10, unicode=False) == "_=#"
    line = sparkline([n / 100 for n in range(101)], 10, unicode=True)
    assert len(line) == 10
    assert line[-1] == "█", "the newest is there"
    assert sparkline([], 10, unicode=True) == ""
