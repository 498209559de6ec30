"""compare: what counts as a deviation, files of any quality, and an installed gnubg as the other side."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.engine_cli.compare.cases import (
    Case,
    Context,
    Cube,
    CubeAnalysis,
    LevelAnswer,
    Luck,
    PlayAnalysis,
    PlyValue,
    PositionValue,
)
from botd.engine_cli.compare.criteria import (
    TOLERANCE,
    Comparison,
    Deviation,
    Verdict,
    compare_context,
    compare_level,
    compare_luck,
    compare_ply,
)
from botd.engine_cli.compare.files import read_files
from botd.engine_cli.compare.gnubg_program import ask_program, find_program, program_version
from botd.engine_cli.compare.own_values import own_values
from botd.engine_cli.errors import AnswerError, ErrorKind
from botd.engine_cli.main import main
from botd.engine_cli.requests import Settings
from tests.tolerances import SINGLE_PRECISION_DIFFERENCE

DATA = Path(__file__).parents[1] / "data" / "gnubg-reference.jsonl"
LINES = DATA.read_text().splitlines()
RAW: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, LINES)}
CASES_A = {case.id: case for case in read_files(DATA, profile="A")[0] if isinstance(case, Case)}
CASES_B = {case.id: case for case in read_files(DATA, profile="B")[0] if isinstance(case, Case)}


def changed(value: PlyValue, path: str, new: Any) -> Any:
    """A copy of a value with the field at `path` (keys and indices with dots between) replaced."""
    tree = msgspec.to_builtins(value)
    *way, last = path.split(".")
    node = tree
    for key in way:
        node = node[int(key)] if key.isdigit() else node[key]
    node[last] = new(node[last]) if callable(new) else new
    return msgspec.convert(tree, type(value))


def deviations(case: Case, ply: int, got: PlyValue, *, own_networks: bool = False) -> list[Deviation]:
    out = Comparison()
    compare_ply(case, ply, case.plies[ply], got, out, own_networks=own_networks)
    return out.deviations


def verdict(case: Case, ply: int, path: str, new: Any, **options: bool) -> Verdict | None:
    """The verdict on one changed field; None if it is no deviation."""
    found = deviations(case, ply, changed(case.plies[ply], path, new), **options)
    assert len(found) <= 1
    return found[0].verdict if found else None


def test_files_hold_what_they_should() -> None:
    assert len(CASES_A) == len(CASES_B) == 19
    kinds = {type(value) for case in CASES_B.values() for value in case.plies.values()}
    assert kinds == {PositionValue, PlayAnalysis, CubeAnalysis}
    start = CASES_B["opening-31"]
    assert isinstance(start.context, Context)
    assert start.plies[0] != CASES_A["opening-31"].plies[0]
    assert CASES_B["opening-52"].sensitive == {"2": {"moves": 0.0042}}
    assert CASES_A["opening-52"].sensitive == {}


@pytest.mark.parametrize("profile", ["A", "B"])
def test_numbers_agree_with_themselves(profile: str) -> None:
    cases = CASES_A if profile == "A" else CASES_B
    for case in cases.values():
        for ply, value in case.plies.items():
            assert deviations(case, ply, value) == []


@pytest.mark.parametrize(
    "path",
    [
        "evaluation.equity",
        "evaluation.probabilities.lose_gammon",
        "moves.ranking.3.equity",
        "moves.ranking.9.probabilities.win",
    ],
)
def test_numbers_fail_beyond_the_tolerance(path: str) -> None:
    case = CASES_B["opening-31"]
    assert verdict(case, 0, path, lambda value: value + 0.99 * TOLERANCE) is None
    assert verdict(case, 0, path, lambda value: value - 1.01 * TOLERANCE) is Verdict.FAILS
    assert verdict(case, 0, path, float("nan")) is Verdict.FAILS
    assert verdict(case, 0, path, 9.0, own_networks=True) is Verdict.REPORTED


def test_counts_and_notations_fail_for_everybody() -> None:
    case = CASES_B["opening-31"]
    for own_networks in (False, True):
        found = verdict(case, 0, "moves.legal_move_count", 17, own_networks=own_networks)
        assert found is Verdict.FAILS
        found = verdict(case, 0, "moves.ranking.4.move", "13/10 13/12*", own_networks=own_networks)
        assert found is Verdict.FAILS


def test_depths_are_reported_and_their_numbers_left_alone() -> None:
    case = CASES_B["opening-31"]
    tree = changed(case.plies[2], "moves.ranking.5.ply", 2)
    tree = changed(tree, "moves.ranking.5.equity", 5.0)
    (found,) = deviations(case, 2, tree)
    assert (found.verdict, found.got) == (Verdict.REPORTED, 2)


def test_marked_parts_are_version_sensitive() -> None:
    case = CASES_B["opening-52"]
    assert verdict(case, 2, "moves.ranking.3.equity", 5.0) is Verdict.SENSITIVE
    assert verdict(case, 2, "evaluation.equity", 5.0) is Verdict.FAILS
    assert verdict(case, 0, "moves.ranking.3.equity", 5.0) is Verdict.FAILS
    assert verdict(CASES_A["opening-52"], 2, "moves.ranking.3.equity", 5.0) is Verdict.FAILS


def test_the_best_move_may_differ_where_equities_are_close() -> None:
    case = CASES_B["opening-31"]
    value = case.plies[0]
    assert isinstance(value, PositionValue)
    assert value.moves is not None

    def second_first(gap: float) -> list[Deviation]:
        first, second, *rest = msgspec.to_builtins(value.moves)["ranking"]
        near = changed(value, "moves.ranking.1.equity", first["equity"] - gap)
        second["equity"] = first["equity"] - gap
        return deviations(case_of(case, near), 0, changed(near, "moves.ranking", [second, first, *rest]))

    (close,) = second_first(0.9 * TOLERANCE)
    assert (close.field, close.verdict) == ("best move", Verdict.CLOSE)
    (far,) = second_first(1.1 * TOLERANCE)
    assert (far.field, far.verdict) == ("best move", Verdict.FAILS)


def case_of(case: Case, value: PlyValue) -> Case:
    return Case(case.id, case.position_id, case.match_id, case.context, {0: value})


def cube_case(**equities: float) -> Case:
    numbers = {"no_double": 0.5, "double_take": 0.7, "double_pass": 1.0, "optimal": 0.7, **equities}
    cube = Cube(**numbers, decision="DOUBLE_TAKE", decision_text="Double, take")
    value = msgspec.structs.replace(CASES_B["cube-double-take-01"].plies[0], cube=cube)
    return case_of(CASES_B["cube-double-take-01"], value)


@pytest.mark.parametrize(
    ("equities", "expected"),
    [
        ({}, Verdict.FAILS),
        ({"no_double": 0.6985}, Verdict.CLOSE),
        ({"no_double": 0.6975}, Verdict.FAILS),
        ({"double_take": 0.9985}, Verdict.CLOSE),
        ({"no_double": 1.0015}, Verdict.CLOSE),
        ({"no_double": -0.5, "double_take": -0.001}, Verdict.CLOSE),
    ],
)
def test_decisions_may_differ_near_a_limit(equities: dict[str, float], expected: Verdict) -> None:
    case = cube_case(**equities)
    assert verdict(case, 0, "cube.decision", "DOUBLE_PASS") is expected
    assert verdict(case, 0, "cube.decision_text", "Double, drop") is Verdict.FAILS
    assert verdict(case, 0, "cube.decision", "DOUBLE_PASS", own_networks=True) in (
        expected,
        Verdict.REPORTED,
    )


def test_skills_may_differ_near_a_limit() -> None:
    case = CASES_B["cube-10-double-cube-beaver-02"]
    value = case.plies[0]
    for loss, expected in ((-0.061, Verdict.CLOSE), (-0.07, Verdict.FAILS), (-0.0285, Verdict.CLOSE)):
        near = case_of(case, changed(value, "equity_loss", loss))
        assert verdict(near, 0, "skill", "none") is expected


def test_luck_and_levels() -> None:
    case = CASES_B["move-08-snake-02"]
    for expected, got, verdicts in (
        (Luck(0.5, "very_lucky"), Luck(0.5, "very_lucky"), []),
        (Luck(0.5, "very_lucky"), Luck(0.5, "lucky"), [Verdict.FAILS]),
        (Luck(0.0605, "very_lucky"), Luck(0.0595, "lucky"), [Verdict.CLOSE]),
        (Luck(-0.0305, "unlucky"), Luck(-0.0295, "none"), [Verdict.CLOSE]),
        (Luck(0.5, "very_lucky"), Luck(0.51, "very_lucky"), [Verdict.FAILS]),
    ):
        out = Comparison()
        compare_luck(case, expected, got, out, own_networks=False)
        assert [deviation.verdict for deviation in out.deviations] == verdicts
    for noise, expected_verdict in ((0.0, Verdict.FAILS), (0.05, Verdict.REPORTED)):
        out = Comparison()
        moves = [LevelAnswer(noise=noise, move=move) for move in ("8/5 6/5", "24/20")]
        compare_level(case, "casual", *moves, out, own_networks=False)
        assert [deviation.verdict for deviation in out.deviations] == [expected_verdict]


def test_contexts_are_read_from_the_identifiers() -> None:
    for case in CASES_B.values():
        out = Comparison()
        compare_context(case, own_values(case_of_nothing(case), Settings(ply=0)).context, out)
        assert out.exact == 9
        assert out.deviations == []
    out = Comparison()
    compare_context(CASES_B["opening-31"], {"cube_value": 2}, out)
    assert [deviation.verdict for deviation in out.deviations] == [Verdict.FAILS]


def case_of_nothing(case: Case) -> Case:
    return Case(case.id, case.position_id, case.match_id, case.context, {})


def test_own_answers_have_the_form_of_the_recorded_ones() -> None:
    """What we say, written down as a reference, is met by what we say again."""
    case = CASES_B["move-26-opening-42"]
    shallow = Case(
        case.id,
        case.position_id,
        case.match_id,
        case.context,
        {0: case.plies[0]},
        played_move=case.played_move,
        luck=case.luck,
    )
    own = own_values(shallow, Settings())
    again = Case(
        case.id,
        case.position_id,
        case.match_id,
        case.context,
        own.plies,
        played_move=case.played_move,
        luck=own.luck,
    )
    out = Comparison()
    compare_ply(again, 0, own.plies[0], own_values(again, Settings()).plies[0], out, own_networks=False)
    assert out.deviations == []
    assert len(out.differences) > 100


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        status = main(["compare", *arguments])
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_an_evaluator_with_networks_of_its_own_is_held_to_exact_things(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text, _ = run(capsys, str(DATA), "--plies", "0")
    assert status == 0
    *lines, last = text.splitlines()
    assert last == "passed"
    assert "19 cases, 0 of them unanswered" in lines
    assert any("numbers reported only" in line for line in lines)
    rows = [line.split("\t") for line in lines if "\t" in line]
    assert len(rows) > 100
    assert {len(row) for row in rows} == {6}
    assert {row[5] for row in rows} <= {"reported", "close"}


def test_wrong_counts_fail(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    case = json.loads(json.dumps(RAW["opening-31"]))
    case["plies"]["0"]["moves"]["legal_move_count"] = 15
    case["context"]["cube_value"] = 2
    file = tmp_path / "case.json"
    file.write_text(json.dumps(case))
    status, text, _ = run(capsys, str(tmp_path), "--plies", "0", "--json")
    assert status == 1
    objects = [json.loads(line) for line in text.splitlines()]
    failed = [o["deviation"] for o in objects if o.get("deviation", {}).get("verdict") == "fails"]
    assert [(d["field"], d["expected"], d["got"]) for d in failed] == [
        ("context.cube_value", 2, 1),
        ("legal_move_count", 15, 16),
    ]
    assert objects[-1]["summary"]["passed"] is False
    assert objects[-1]["summary"]["deviations"]["fails"] == 2


def test_jobs_and_limits_change_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    one = run(capsys, str(DATA), "--plies", "0", "--limit", "6")
    assert run(capsys, str(DATA), "--plies", "0", "--limit", "6", "--jobs", "2") == one
    assert "6 cases" in one[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b"\xff\xfe", "malformed"),
        (b"[" * 100_000, "nest|recursion|truncated|depth"),
        (b"[]", "expected cases"),
        (b"{}", "expected cases"),
        (b'{"id": 1, "type": "move", "position_id": 2}', "str"),
        (b'{"id": "a", "type": "dance", "position_id": "b", "match_id": "c"}', "dance"),
        (b'[{"id": "a"}]', "required field"),
        (b'[{"id": "a", "type": "move", "position_id": "b", "match_id": "c"}]', "position ID|stock"),
        (
            b'[{"id": "a", "type": "move", "position_id": "4HPwATDgc/ABMA", "match_id": "cAkFAAAAAAAA", '
            b'"plies": {"x": {}}}]',
            "plies",
        ),
        (
            b'[{"id": "a", "type": "move", "position_id": "4HPwATDgc/ABMA", "match_id": "cAkFAAAAAAAA", '
            b'"plies": {"0": {"evaluation": 7}}}]',
            "evaluation",
        ),
    ],
)
def test_damaged_files_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "case.json"
    file.write_bytes(content)
    status, text, error = run(capsys, str(file))
    assert (status, text) == (2, "")
    assert error.count("\n") == 1
    assert any(part in error.lower() for part in message.lower().split("|")), error
    assert str(file) in error or "case a" in error


def test_missing_files_and_bad_options_exit_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments in (
        [str(tmp_path / "none")],
        [str(tmp_path)],
        [],
        [str(DATA), "--plies", "a"],
        [str(DATA), "--limit", "0"],
        [str(DATA), "--against", "nobody"],
        [str(DATA), "--level", "easy"],
    ):
        status, text, error = run(capsys, *arguments)
        assert (status, text) == (2, "")
        assert error.count("\n") == 1


def test_only_files_are_opened(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")  # reading it would never end
    (tmp_path / "folder.json").mkdir()
    for path in (tmp_path / "pipe.json", tmp_path, Path("/dev/zero")):
        status, text, error = run(capsys, str(path))
        assert (status, text) == (2, "")
        assert error.endswith("not a file, expected reference cases\n")


@given(
    data=st.binary(max_size=200) | st.sampled_from(LINES).map(lambda line: line[: len(line) // 2].encode())
)
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.mktemp("fuzz") / "case.jsonl"
    file.write_bytes(data)
    with pytest.raises(AnswerError) as error:
        read_files(file, profile="B")
    assert error.value.kind is ErrorKind.REQUEST


# The installed program.


def test_the_installed_program_says_what_is_recorded_of_its_version() -> None:
    program = find_program()
    assert program_version(program).startswith("1.07")
    cases = [case for case in CASES_A.values() if isinstance(case.plies.get(1), PositionValue)]
    assert len(cases) == 12
    out = Comparison()
    for answer in ask_program(program, cases, [0, 1]):
        assert answer.error is None
        case = cases[answer.index]
        for ply in (0, 1):
            compare_ply(case, ply, case.plies[ply], answer.plies[ply], out, own_networks=False)
    assert out.deviations == []
    assert max(difference.size for difference in out.differences) <= SINGLE_PRECISION_DIFFERENCE
    assert len(out.differences) > 800


@pytest.mark.parametrize("profile", ["A", "B"])
def test_a_program_is_asked_about_bare_positions_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, profile: str
) -> None:
    """Files of one's own hold no recorded numbers, of neither profile."""
    keys = ("id", "type", "position_id", "match_id")
    file = tmp_path / "own.jsonl"
    file.write_text(
        "\n".join(json.dumps({key: case[key] for key in keys}) for case in list(RAW.values())[:2])
    )
    options = ["--evaluator", "gnubg", "--profile", profile, "--against", "gnubg", "--plies", "0", "--json"]
    _, text, _ = run(capsys, str(file), *options)
    summary = json.loads(text.splitlines()[-1])["summary"]
    assert (summary["cases"], summary["profile"]) == (2, profile)
    assert summary["differences"]["ply 0"]["count"] > 20


def test_positions_are_put_to_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    status, text, _ = run(capsys, str(DATA), "--against", "gnubg", "--plies", "0", "--limit", "3", "--json")
    assert status == 0
    summary = json.loads(text.splitlines()[-1])["summary"]
    assert summary["against"].endswith("1.07.001")
    assert (summary["cases"], summary["unanswered"]) == (3, 0)
    assert summary["differences"]["all"]["count"] > 100


def fake_program(tmp_path: Path, body: str) -> str:
    """A program in the place of gnubg that does as `body` says with `answers` and `requests`."""
    program = tmp_path / "gnubg"
    program.write_text(
        f"#!{sys.executable}\n"
        "import json, os, sys, time\n"
        "requests = [json.loads(line) for line in open(os.environ['BOTD_REQUESTS'])]\n"
        "answers = open(os.environ['BOTD_ANSWERS'], 'w', buffering=1)\n" + body
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


FIRST_THREE = list(CASES_A.values())[:3]


def test_a_program_that_falls_silent_is_ended_and_asked_again(tmp_path: Path) -> None:
    body = (
        "for request in requests:\n"
        "    if request['index'] == 1: time.sleep(600)\n"
        "    answers.write(json.dumps({'index': request['index'], 'plies': {}}) + '\\n')\n"
    )
    program = fake_program(tmp_path, body)
    replies = list(ask_program(program, FIRST_THREE, [0], silence_s=0.5))
    assert [reply.index for reply in replies] == [0, 1, 2]
    assert [reply.error for reply in replies] == [None, "no answer within 0.5 s", None]


def test_a_program_that_ends_early_costs_one_position(tmp_path: Path) -> None:
    body = (
        "for request in requests:\n"
        "    if request['index'] == 1: sys.exit(1)\n"
        "    answers.write(json.dumps({'index': request['index']}) + '\\n')\n"
    )
    replies = list(ask_program(fake_program(tmp_path, body), FIRST_THREE, [0]))
    assert [reply.error for reply in replies] == [None, "the program ended without an answer", None]


@pytest.mark.parametrize(
    "body",
    [
        "sys.exit(0)\n",
        "answers.write('nonsense\\n'); time.sleep(600)\n",
        "answers.write('{\"index\": 5}\\n'); time.sleep(600)\n",
        'answers.write(\'{"index": 0, "plies": {"x": 1}}\\n\'); time.sleep(600)\n',
        "answers.buffer.write(b'\\xff\\xfe\\n'); answers.flush(); time.sleep(600)\n",
    ],
)
def test_a_program_that_makes_no_sense_is_a_data_error(tmp_path: Path, body: str) -> None:
    with pytest.raises(AnswerError) as error:
        list(ask_program(fake_program(tmp_path, body), FIRST_THREE, [0], silence_s=5.0))
    assert error.value.kind is ErrorKind.DATA
    assert "\n" not in error.value.message


def test_no_program_is_a_data_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botd.engine_cli.compare.gnubg_program._PROGRAMS", ("gnubg-that-is-not-there",))
    with pytest.raises(AnswerError, match="no such program") as error:
        find_program()
    assert error.value.kind is ErrorKind.DATA


def test_an_interrupted_comparison_leaves_no_program_behind(tmp_path: Path) -> None:
    body = "open('" + str(tmp_path / "pid") + "', 'w').write(str(os.getpid()))\n"
    body += "answers.write(json.dumps({'index': 0}) + '\\n')\ntime.sleep(600)\n"
    asking = ask_program(fake_program(tmp_path, body), FIRST_THREE, [0])
    next(asking)
    asking.close()
    pid = (tmp_path / "pid").read_text()
    assert not Path(f"/proc/{pid}").exists()
