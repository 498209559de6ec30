"""Whatever stands on the command line: an exit status of the contract and at most one line of error."""

from __future__ import annotations

import contextlib
import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine_cli.main import main

_WORDS = st.sampled_from(
    [
        *("reference", "legal", "bestmove", "cube", "analysemove", "analysecube", "luck", "levels", "resign"),
        *("perft", "info", "compare"),
        *(
            "4HPwATDgc/ABMA",
            "cAkAAAAAAAAA",
            "cAkFAAAAAAAA",
            "9N5LAAC6u0sAAA",
            "bdsBCBhzuwEAAA",
            "UQmgABAAGAAA",
        ),
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10",
        "xgid=",
        *("0", "1", "3", "6", "7", "-1", "99999999999999999999", "1e3", "٣"),
        *("8/5", "6/5", "24/23*", "bar/off(4)", "take", "double", "offer"),
        *(
            "--ply",
            "--level",
            "--evaluator",
            "--mode",
            "--profile",
            "--weights",
            "--met",
            "--filter",
            "--threads",
        ),
        *("--prune", "--no-prune", "--json", "--plies", "--limit", "--", "-h", "--ply=0", "--level=easy"),
        *(
            "sage",
            "puretd",
            "exact",
            "fast",
            "A",
            "B",
            "easy",
            "hard",
            "normal",
            "0,8,0.1",
            "/",
            "/dev/null",
            ".",
        ),
        *("", " ", "\n", "\x00", "\udcff", "💣", "%s%n", "x" * 5000),
    ]
)


@settings(max_examples=400)
@given(words=st.lists(_WORDS | st.text(max_size=6), max_size=9))
def test_any_command_line_ends_in_a_known_way(words: list[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(["--ply", "0", *words])
        except SystemExit as exit_:
            status = int(exit_.code or 0)
    assert status in (0, 1, 2, 3, 4)
    text = err.getvalue()
    assert "Traceback" not in text
    if status == 0:
        assert text == ""
        if not {"-h", "--help", "--version", "compare"} & set(words) and out.getvalue().startswith("{"):
            assert isinstance(json.loads(out.getvalue()), dict)
    elif status > 1:
        assert out.getvalue() == ""
        assert text.count("\n") == 1, text
        assert len(text) < 1500, text
