"""The bar redraws itself when it changes, stays off what is no terminal, and erases itself."""

from __future__ import annotations

import io
from itertools import pairwise

from botd.terminal.progress_bar import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_grows_and_goes() -> None:
    out = Terminal()
    with ProgressBar(out, "work") as progress:
        for done in range(1001):
            progress(done / 1000)
    frames = out.getvalue().split("\r")
    assert frames[0] == ""
    assert frames[-1] == "\x1b[K"
    bars = frames[1:-1]
    assert len(bars) == 101
    assert bars[0] == f"work [{'.' * 40}]   0 %\x1b[K"
    assert bars[50] == f"work [{'#' * 20}{'.' * 20}]  50 %\x1b[K"
    assert bars[100] == f"work [{'#' * 40}] 100 %\x1b[K"
    assert all(before.count("#") <= after.count("#") for before, after in pairwise(bars))


def test_parts_outside_zero_to_one_are_cut_off() -> None:
    out = Terminal()
    with ProgressBar(out, "work") as progress:
        progress(-1)
        progress(7)
    assert "  0 %" in out.getvalue()
    assert "100 %" in out.getvalue()


def test_elsewhere_it_is_silent() -> None:
    out = io.StringIO()
    for stream in (out, None):
        with ProgressBar(stream, "work") as progress:
            progress(0.5)
    assert out.getvalue() == ""


def test_work_that_never_began_leaves_no_trace() -> None:
    out = Terminal()
    with ProgressBar(out, "work"):
        pass
    assert out.getvalue() == ""


def test_it_says_what_is_being_done() -> None:
    out = Terminal()
    with ProgressBar(out, "work") as progress:
        progress(0.5, "this")
        progress(0.5, "this")
        progress(0.5, "that")
    frames = out.getvalue().split("\r")[1:-1]
    assert [frame.rpartition("] ")[2] for frame in frames] == [" 50 % this\x1b[K", " 50 % that\x1b[K"]
