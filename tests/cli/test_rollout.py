"""`botd rollout`: tables, JSON, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys

import pytest

from botd.cli import rollout
from botd.cli.main import main
from botd.engine import match_id, rollout_file
from botd.engine.engine import SageEngine
from botd.engine.network_file import write_content
from botd.engine.rollout_file import read_rollout
from tests.waiting import until

START = "4HPwATDgc/ABMA:cAkAAAAAAAAA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:3:0:10"
QUICK = ["--games", "36", "--truncate", "3"]


def run(capsys, *arguments):
    status = main(["rollout", *arguments])
    output = capsys.readouterr()
    return status, output.out, output.err


def test_a_cube_decision_as_a_table(capsys):
    status, out, err = run(capsys, START, *QUICK)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("No double")
    assert [line[:12].strip() for line in lines[3:6]] == ["no double", "double, take", "double, pass"]
    assert lines[-1].startswith("level 1T, 36 games each, cut off after 3 half-moves, seed 42, sage (")


def test_plays_side_by_side(capsys):
    status, out, err = run(capsys, START, "--dice", "31", "--plays", "3", *QUICK)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[1].split()[:3] == ["1", "8/5", "6/5"]
    assert len(lines) == 1 + 16 + 2


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_json_does_not_depend_on_the_jobs(capsys, jobs):
    _, expected, _ = run(capsys, START, "--dice", "64", "--json", "--jobs", "1", *QUICK)
    status, out, _ = run(capsys, START, "--dice", "64", "--json", "--jobs", jobs, *QUICK)
    assert (status, out) == (0, expected)
    document = json.loads(out)
    assert document["settings"]["games"] == 36
    assert document["engine"]["cpu_path"] in ("plain", "avx2", "avx512")
    best = document["plays"]["plays"][0]
    assert best["games"] == 36
    assert best["equity_error"] > 0.0


def test_the_roll_of_an_identifier_is_used(capsys):
    _, out, _ = run(capsys, XGID.format(dice="31"), "--json", *QUICK)
    assert json.loads(out)["plays"]["legal_count"] == 16
    _, out, _ = run(capsys, XGID.format(dice="00"), "--json", *QUICK)
    assert json.loads(out)["cube"]["games"] == 36


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["4HPwATDgc/ABMA"], "position: expected POSITION_ID:MATCH_ID or XGID=..., got '4HPwATDgc/ABMA'"),
        (["\x1b[31m"], "position: expected POSITION_ID:MATCH_ID or XGID=..., got '\\x1b[31m'"),
        (["x:y"], "position ID"),
        ([START, "--dice", "7"], "--dice: expected two numbers from 1 to 6 as in 31, got '7'"),
        ([START, "--dice", "٣1"], "--dice: expected two numbers"),
        ([XGID.format(dice="31"), "--dice", "64"], "--dice: expected 31 as in the identifier, got 64"),
        (["AAAAAAAAAAAAAA:cAkAAAAAAAAA"], "position"),
    ],
)
def test_wrong_arguments_are_one_line_and_status_2(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("botd rollout: ")
    assert message.lower() in err.lower()
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "option",
    [
        "--games=0",
        "--truncate=-1",
        "--seed=4294967296",
        "--target=0",
        "--target=nan",
        "--target=x",
        "--jobs=0",
        "--level=4T",
    ],
)
def test_options_out_of_range_are_refused(capsys, option):
    with pytest.raises(SystemExit) as exit_info:
        main(["rollout", START, option])
    assert exit_info.value.code == 2
    assert "expected" in (err := capsys.readouterr().err) or "invalid choice" in err


def test_saved_resumed_and_extended(capsys, tmp_path):
    file = str(tmp_path / "rollout.json")
    start = [START, "--dice", "31", "--plays", "3", "--truncate", "3", "--json"]
    _, whole, _ = run(capsys, *start, "--games", "144")
    assert run(capsys, *start, "--games", "72", "--save", file)[0] == 0
    status, out, err = run(capsys, "--resume", file, "--games", "144", "--jobs", "1", "--json")
    assert (status, out, err) == (0, whole, "")
    assert run(capsys, *start, "--resume", file) == (0, whole, "")  # nothing is left to do
    best, *others = json.loads(whole)["plays"]["plays"]
    assert best["difference_error"] == 0.0
    assert sum((play["difference_error"] or 0.0) > 0.0 for play in others) >= 2


def test_an_interrupt_keeps_what_is_done(tmp_path):
    """As a person does it: Ctrl-C in the middle of a process of its own."""
    file = tmp_path / "roll out.json"
    arguments = [
        sys.executable,
        "-c",
        "import sys; from botd.cli.main import main; sys.exit(main())",
        "rollout",
    ]
    asked = [START, "--dice", "31", "--level", "full", "--jobs", "1"]
    process = subprocess.Popen(
        [*arguments, *asked, "--games", "360000", "--save", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        asyncio.run(until(file.exists))  # it is written before the first game
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (130, "")
    assert err.count("\n") == 1
    assert err.startswith("botd rollout: interrupted; ")
    assert err.endswith(f"go on with botd rollout --resume '{file}'\n")
    saved = read_rollout(file)
    assert saved.settings.games == 360000
    assert saved.question.dice == (3, 1)


def test_a_target_is_reached_or_not(capsys, tmp_path):
    file = str(tmp_path / "rollout.json")
    status, out, _ = run(capsys, START, *QUICK, "--target", "9", "--save", file)
    assert status == 0
    assert out.splitlines()[-1].startswith("level 1T, 36 games each, standard error 9 reached, cut off")
    status, out, _ = run(capsys, "--resume", file, "--target", "1e-6")
    assert out.splitlines()[-1].startswith("level 1T, 576 games each, standard error 1e-06 not reached, ")
    assert run(capsys, "--resume", file, "--games", "720")[0] == 2


def test_while_it_lasts_the_file_is_brought_up_to_date(capsys, tmp_path, monkeypatch):
    file, seen = tmp_path / "rollout.json", []

    def written(content, path):
        write_content(content, path)
        seen.append(sum(games.trials for games in games_in(path)))

    monkeypatch.setattr(rollout_file, "write_content", written)
    monkeypatch.setattr(rollout, "_SAVE_EVERY_S", 0.0)
    assert run(capsys, START, "--games", "144", "--truncate", "2", "--save", str(file))[0] == 0
    assert seen == [0, 0, 36, 72, 108, 144]


def games_in(path):
    engine = SageEngine.load()
    return read_rollout(path).games(engine.info, match_id.decode(START.partition(":")[2]).context).values()


def test_a_result_that_cannot_be_kept_is_shown(capsys, tmp_path, monkeypatch):
    file = tmp_path / "rollout.json"

    def full_later(content, path):
        if path.exists():
            raise OSError(28, "No space left on device")
        write_content(content, path)

    monkeypatch.setattr(rollout_file, "write_content", full_later)
    monkeypatch.setattr(rollout, "_SAVE_EVERY_S", 0.0)
    status, out, err = run(capsys, START, *QUICK, "--save", str(file))
    assert (status, err) == (1, f"botd rollout: {file}: No space left on device\n")
    assert out.startswith("No double")


def test_a_link_stays_one(capsys, tmp_path):
    file, link = tmp_path / "rollout.json", tmp_path / "link.json"
    assert run(capsys, START, *QUICK, "--save", str(file))[0] == 0
    link.symlink_to(file)
    assert run(capsys, "--resume", str(link), "--games", "72")[0] == 0
    assert link.is_symlink()
    assert read_rollout(file).settings.games == 72


def test_nothing_else_is_gone_on_with(capsys, tmp_path):
    file = str(tmp_path / "rollout.json")
    assert run(capsys, XGID.format(dice="31"), *QUICK, "--save", file)[0] == 0
    for arguments, message in (
        ([START], "POSITION: expected 'XGID="),
        (["--level", "2T"], "--level: expected '1T' as in"),
        (["--plays", "9"], "--plays: expected 2 as in"),
        (["--truncate", "5"], "--truncate: expected 3 as in"),
        (["--seed", "1"], "--seed: expected 42 as in"),
        (["--dice", "64"], "--dice: expected 31 as in the file, got 64"),
        (["--games", "35"], "expected 36 games or more, got 35"),
        (["--games", "40"], "expected a multiple of 36 games"),
        (["--save", file[:-5] + "/x.json"], "No such file or directory"),
    ):
        status, out, err = run(capsys, "--resume", file, *arguments)
        assert (status, out) == (1 if "--save" in arguments else 2, "")
        assert message in err
        assert err.count("\n") == 1
    cube = str(tmp_path / "cube.json")
    assert run(capsys, START, *QUICK, "--save", cube)[0] == 0
    status, _, err = run(capsys, "--resume", cube, "--dice", "31")
    assert (status, err) == (2, f"botd rollout: --dice: expected none as in {cube}, got 31\n")
    status, _, err = run(capsys, START, *QUICK, "--save", file)
    assert status == 2
    assert "--save: expected a new file" in err
    for arguments in ([], ["--resume", file + ".none"], ["--resume", str(tmp_path)]):
        status, _, err = run(capsys, *arguments)
        assert status == 2
        assert err.startswith("botd rollout: ")
        assert err.count("\n") == 1
