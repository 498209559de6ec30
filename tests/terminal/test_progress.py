"""Happenings become lines, or a board that redraws itself."""

from __future__ import annotations

import io
import re

from botd.daemon import happenings as h
from botd.engine import rules
from botd.engine.types import STARTING_BOARD
from botd.journal.records import CubeActionKind, ResignationAction, Side
from botd.terminal.progress import Progress

A = {"account": "anna", "server": "here"}
B = {"account": "bob", "server": "here"}


def story(progress: Progress) -> None:
    after = rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5)))
    reply = rules.apply_steps(rules.mirrored(after), ((24, 18), (18, 13)))
    progress.title("first match")
    progress.happened(h.Connected(**A))
    progress.happened(h.Connected(**B))
    progress.happened(h.MatchStarted(**A, opponent="bob", length=3, score=(0, 0), resumed=False))
    progress.happened(h.GameStarted(**A, number=1, score=(0, 0), crawford=False))
    progress.happened(h.Rolled(**A, side=Side.US, dice=(3, 1), board=STARTING_BOARD))
    progress.happened(h.Moved(**A, side=Side.US, dice=(3, 1), notation="8/5 6/5", board=after, equity=0.16))
    progress.happened(h.Moved(**B, side=Side.OPPONENT, dice=(3, 1), notation="8/5 6/5", board=after))
    progress.happened(h.Rolled(**A, side=Side.OPPONENT, dice=(6, 5), board=rules.mirrored(after)))
    progress.happened(h.Moved(**A, side=Side.OPPONENT, dice=(6, 5), notation="24/13", board=reply))
    progress.happened(h.Moved(**B, side=Side.US, dice=(6, 5), notation="24/13", board=reply, equity=-0.05))
    progress.happened(h.CubeActed(**A, side=Side.US, action=CubeActionKind.DOUBLE, cube=2, equity=0.4))
    progress.happened(h.CubeActed(**A, side=Side.OPPONENT, action=CubeActionKind.TAKE, cube=2))
    progress.happened(h.Resigned(**A, side=Side.OPPONENT, action=ResignationAction.OFFER, level=1))
    progress.happened(h.Resigned(**A, side=Side.US, action=ResignationAction.ACCEPT, level=1))
    progress.happened(h.GameOver(**A, winner=Side.US, points=2, score=(2, 0)))
    progress.happened(h.MatchSuspended(**A, opponent="bob", reason="left", score=(2, 0)))
    progress.finish()


def test_plain_lines_off_a_terminal() -> None:
    out = io.StringIO()
    story(Progress(out, shown="anna", opponent="bob", live=False))
    assert out.getvalue().splitlines() == [
        "== first match",
        "anna is logged in at here",
        "3 point match begins with bob",
        "game 1 begins at 0-0",
        "anna rolls 3 1",
        "anna plays 8/5 6/5                 equity +0.160",
        "bob rolls 6 5",
        "bob plays 24/13                   equity -0.050",
        "anna doubles to 2                  equity +0.400",
        "bob takes; cube 2",
        "bob offers to resign a single game",
        "anna accepts the resignation",
        "anna wins 2 points; score 2-0",
        "the match is left at 2-0; the server keeps it (left)",
    ]


def test_the_other_account_may_be_quicker_or_silent() -> None:
    out = io.StringIO()
    progress = Progress(out, shown="anna", opponent="bob", live=False)
    progress.happened(h.Moved(**B, side=Side.US, dice=(6, 5), notation="24/13", board=None, equity=0.5))
    progress.happened(h.Moved(**A, side=Side.OPPONENT, dice=(6, 5), notation="24/13", board=None))
    progress.happened(h.Moved(**A, side=Side.OPPONENT, dice=(6, 5), notation="", board=None))
    progress.happened(h.Rolled(**A, side=Side.US, dice=(2, 1), board=None))
    assert [line.split("  ")[0] for line in out.getvalue().splitlines()] == [
        "bob plays 24/13",
        "bob plays cannot move",
        "anna rolls 2 1",
    ]
    assert "+0.500" in out.getvalue()


def test_on_a_terminal_one_board_is_redrawn() -> None:
    out = io.StringIO()
    story(Progress(out, shown="anna", opponent="bob", live=True, clock=lambda: 75.0))
    screen: list[str] = []
    for part in re.split(r"(\x1b\[\d+F\x1b\[J)", out.getvalue()):
        up = re.fullmatch(r"\x1b\[(\d+)F\x1b\[J", part)
        if up:
            assert int(up[1]) <= len(screen)
            del screen[-int(up[1]) :]
        else:
            screen += part.splitlines()
    assert screen[0] == "== first match"
    assert sum("13 14 15 16 17 18" in line for line in screen) == 1
    assert screen[-1] == " first match | game 1 | move 2 | 0:00"
    assert any("anna  2/3" in line for line in screen)
    assert any("[cube 2]" in line for line in screen)
    assert any("the match is left" in line for line in screen)
