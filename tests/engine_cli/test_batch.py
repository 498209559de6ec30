"""Batches, through the installed program: the reference positions, order, bad lines."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.engine_cli.batch import MAX_LINE, answer_line, split_lines
from botd.engine_cli.requests import Settings

REFERENCE: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "reference-positions.jsonl").read_text().splitlines()
]
PROGRAM = [sys.executable, "-m", "botd.engine_cli.main"]
START = {"position_id": "4HPwATDgc/ABMA", "match_id": "cAkAAAAAAAAA"}
STATIC = Settings(ply=0)


def batch(text: str, *options: str) -> list[dict[str, Any]]:
    done = subprocess.run([*PROGRAM, *options], input=text.encode(), capture_output=True, check=True)
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def one(request: Any) -> dict[str, Any]:
    line = request if isinstance(request, bytes) else json.dumps(request).encode()
    answer: dict[str, Any] = json.loads(answer_line(line, STATIC))
    return answer


def error_kind(request: Any) -> str:
    kind: str = one(request)["error"]["kind"]
    return kind


def test_all_reference_positions_are_answered() -> None:
    requests = [{key: case[key] for key in ("id", "position_id", "match_id")} for case in REFERENCE]
    text = "\n".join(map(json.dumps, requests))
    answers = batch(text, "--ply", "1", "batch", "--jobs", "2")
    assert [answer["id"] for answer in answers] == [case["id"] for case in REFERENCE]
    for case, answer in zip(REFERENCE, answers, strict=True):
        assert "error" not in answer, answer
        if case["type"] == "move":
            assert answer["moves"]["legal_move_count"] == case["legal_move_count"], case["id"]
            assert len(answer["moves"]["ranking"]) == min(10, case["legal_move_count"])
        else:
            assert "cube" in answer
            assert ("DEADCUBE" in answer["cube"]["decision"]) == ("DEADCUBE" in case["decision"]), case["id"]
            if "DEADCUBE" in case["decision"]:
                assert answer["cube"]["decision"] == case["decision"]
    assert sum(case.get("decision") == "NODOUBLE_DEADCUBE" for case in REFERENCE) >= 1


def test_jobs_change_neither_order_nor_answers() -> None:
    requests = [
        {"id": i, "dice": [1 + i % 6, 1 + i // 6 % 6], **START} if i % 5 else {"id": i} for i in range(60)
    ]
    text = "\n".join(map(json.dumps, requests))
    assert batch(text, "--ply", "0", "batch", "--jobs", "3") == batch(text, "--ply", "0", "batch")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_answer_does_not_wait_for_the_next_question(jobs: str) -> None:
    command = [*PROGRAM, "batch", "--jobs", jobs]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            line = json.dumps({"id": number, "op": "legal", "dice": [3, 1], **START})
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert (answer["id"], answer["count"]) == (number, 16)
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_reader_that_stops_early_ends_the_batch_quietly(jobs: str) -> None:
    line = json.dumps({"op": "legal", "dice": [3, 1], **START}).encode() + b"\n"
    command = [*PROGRAM, "batch", "--jobs", jobs]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(line)
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(line)
        process.stdin.flush()
        assert process.wait() == 1
        assert process.stderr.read() == b""
        process.stdin.close()


def test_output_that_cannot_be_written_is_reported() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*PROGRAM, "perft", "0"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"No space left" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_bad_lines_do_not_stop_a_batch() -> None:
    good = json.dumps({"id": "good", "op": "legal", "dice": [3, 1], **START})
    answers = batch(f"nonsense\n\n[1]\n{good}\n\x00\n{good}\n{{", "batch")
    assert [answer.get("id") for answer in answers] == [None, None, "good", None, "good", None]
    assert ["error" in answer for answer in answers] == [True, True, False, True, False, True]


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (b"\xff\xfe", "request"),
        (b'{"id": 1, "id"', "request"),
        (b"[" * 100_000, "request"),
        (b'{"id": ' * 5000, "request"),
        (b" " * MAX_LINE + b"{}", "request"),
        (b'"text"', "request"),
        ({}, "request"),
        ({"op": "fly"}, "request"),
        ({"op": 3}, "request"),
        ({"op": "bestmove", **START}, "request"),
        ({"op": "batch", **START}, "request"),
        ({"op": "compare", **START}, "request"),
        ({"op": "cube", "dice": [3, 1], **START}, "request"),
        ({"op": "analysemove", "dice": [3, 1], **START}, "position"),
        ({"op": "analysemove", "dice": [3, 1], "move": "8/1", **START}, "position"),
        ({"op": "analysemove", "dice": [3, 1], "move": 7, **START}, "request"),
        ({"op": "analysecube", **START}, "request"),
        ({"op": "analysecube", "action": "raise", **START}, "request"),
        ({"op": "resign", "offer": 4, **START}, "request"),
        ({"op": "resign", "offer": True, **START}, "request"),
        ({"op": "luck", **START}, "request"),
        ({**START, "ply": 1, "level": "easy"}, "request"),
        ({**START, "level": "nobody"}, "request"),
        ({**START, "profile": "A"}, "unsupported"),
        ({**START, "profile": "x"}, "request"),
        ({"unknown": 1}, "request"),
        ({**START, "dice": [3]}, "request"),
        ({**START, "dice": ["3", "1"]}, "request"),
        ({**START, "dice": [3, 10**30]}, "position"),
        ({**START, "dice": [3, 7]}, "position"),
        ({**START, "match_id": "x"}, "position"),
        ({**START, "position_id": "\ud83c\udfb2"}, "position"),
        ({**START, "xgid": "x"}, "request"),
        ({"xgid": "x"}, "position"),
        ({**START, "ply": -1}, "request"),
        ({**START, "ply": 10**30}, "unsupported"),
        ({**START, "ply": 9}, "unsupported"),
        ({**START, "mode": "slow"}, "request"),
        ({**START, "budget_s": 1}, "unsupported"),
        ({**START, "mode": "fast", "budget_s": 0}, "request"),
        ({**START, "mode": "fast", "budget_s": "soon"}, "request"),
        ({**START, "evaluator": "nobody"}, "request"),
        ({**START, "evaluator": "puretd"}, "unsupported"),
        ({**START, "evaluator": "gnubg", "ply": 5}, "unsupported"),
        ({"op": "perft"}, "request"),
        ({"op": "perft", "depth": 99}, "request"),
        ({"op": "legal", "position_id": "4HPwATDgc/ABMA"}, "request"),
    ],
)
def test_errors_have_a_kind(request_: Any, kind: str) -> None:
    assert error_kind(request_) == kind


def test_missing_data_is_an_error_of_its_line(tmp_path: Path) -> None:
    settings = Settings(ply=0, weights=str(tmp_path / "none"))
    answer = json.loads(answer_line(json.dumps({"id": 7, **START}).encode(), settings))
    assert (answer["id"], answer["error"]["kind"]) == (7, "data")


def test_an_identifier_of_any_kind_comes_back() -> None:
    for identity in ("a1", 7, None, [1, {"x": "\u2028"}], 1.5):
        assert one({"id": identity, "op": "legal", "dice": [3, 1], **START})["id"] == identity
        assert one({"id": identity, "op": "fly"})["id"] == identity


def test_fields_of_a_line_override_the_options() -> None:
    answer = one({**START, "dice": [3, 1], "ply": 1})
    assert {entry["ply"] for entry in answer["moves"]["ranking"]} == {1}


def test_an_xgid_stands_for_both_identifiers() -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"
    by_identifiers = one({**START, "dice": [1, 3]})
    assert one({"xgid": xgid}) == by_identifiers
    assert one({"xgid": xgid.removeprefix("XGID=")}) == by_identifiers
    assert one({"position_id": xgid}) == by_identifiers


@given(chunks=st.lists(st.binary(min_size=1, max_size=20) | st.just(b"\n"), max_size=20))
def test_lines_do_not_depend_on_how_they_arrive(chunks: list[bytes]) -> None:
    arriving = iter(chunks)
    lines = list(split_lines(lambda _: next(arriving, b"")))
    whole = b"".join(chunks)
    expected = whole.split(b"\n")
    assert lines == (expected if expected[-1] else expected[:-1])


def test_an_endless_line_is_cut() -> None:
    text = b"x" * (5 * MAX_LINE) + b"\nnext"
    first, second = split_lines(io.BytesIO(text).read)
    assert len(first) == MAX_LINE + 1
    assert second == b"next"


@given(line=st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
def test_any_line_has_an_answer(line: bytes) -> None:
    assert "id" in json.loads(answer_line(line, STATIC))


def test_jobs_without_semaphores_are_refused_by_name() -> None:
    """Without room in /dev/shm (here: no file may grow) the fault is named, and one job still works."""
    limited = f"ulimit -f 0; exec {shlex.quote(sys.executable)} -m botd.engine_cli.main batch --jobs"
    for jobs, status in ((2, 1), (1, 0)):
        result = subprocess.run(
            ["/bin/sh", "-c", f"{limited} {jobs}"], input=b"", capture_output=True, timeout=60, check=False
        )
        assert result.returncode == status, result.stderr
        assert (b"/dev/shm" in result.stderr) == (jobs == 2)
        assert b"Traceback" not in result.stderr


def test_a_request_beyond_the_memory_does_not_stop_the_batch() -> None:
    """All positions of four rolls are some billions."""
    requests = [{"id": 1, "op": "perft", "depth": 4}, {"id": 2, "op": "legal", **START, "dice": [3, 1]}]
    limit = 400 << 20
    done = subprocess.run(
        ["prlimit", f"--as={limit}", *PROGRAM, "batch"],
        input="\n".join(map(json.dumps, requests)),
        capture_output=True,
        text=True,
        check=True,
    )
    refused, answer = map(json.loads, done.stdout.splitlines())
    assert refused["id"] == 1
    assert refused["error"] == {
        "kind": "unsupported",
        "message": "perft: not enough memory, expected less depth or fewer threads",
    }
    assert (answer["id"], answer["count"]) == (2, 16)
