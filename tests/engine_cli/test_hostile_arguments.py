"""Whatever stands on the command line: an exit status of the contract and at most one line of error."""

from __future__ import annotations

import contextlib
import io
import json

import pytest
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
            "--budget",
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
            "-1,0,0",
            "/no\n\x1b[2Jthing",
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


@pytest.mark.parametrize("character", ["\n", "\r", "\x00", "\x1b[2J", "\x85", "\u2028", "\udcff"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "{}"),
        ("legal", "{}", "3", "1"),
        ("--evaluator", "gnubg", "--weights", "{}", "info"),
        ("--weights", "{}", "info"),
        ("--met", "{}", "info"),
        ("--level", "{}", "info"),
        ("--filter", "{}", "info"),
        ("--threads", "{}", "info"),
        ("bearoff", "check", "{}"),
        ("bearoff", "show", "{}", "4HPwATDgc/ABMA"),
        ("bearoff", "generate", "two-sided", "--points", "2", "-o", "{}/file"),
    ],
)
def test_no_argument_ends_the_line_of_an_error_or_steers_the_terminal(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], character: str
) -> None:
    try:
        status = main([word.format(f"/no{character}thing") for word in arguments])
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    assert status in (2, 3)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert err.removesuffix("\n").isprintable()


@pytest.mark.parametrize("option", ["--weights", "--met"])
def test_an_empty_file_name_is_not_the_default(capsys: pytest.CaptureFixture[str], option: str) -> None:
    with pytest.raises(SystemExit) as exit_:
        main([option, "", "info"])
    assert exit_.value.code == 2
    assert "expected the name of a file" in capsys.readouterr().err
