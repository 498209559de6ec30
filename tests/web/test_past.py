"""Past matches for the page, of a journal that real games have filled."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from botd.engine import rules
from botd.engine.types import STARTING_BOARD
from botd.journal import Journal
from botd.journal.reader import JournalReader
from botd.journal.records import MatchKey
from botd.web import past
from botd.web.past import PastMatches
from botd.web.server import Request, Response
from tests.waiting import until
from tests.web.short_matches import play

OPPONENT = '=cmd|"x"<script>'


@pytest.fixture
async def keys(tmp_path: Path) -> AsyncIterator[list[MatchKey]]:
    async with Journal(tmp_path / "j.sqlite3") as journal:
        keys = [play(journal, name) for name in ("anna", "bert", OPPONENT)]
        await until(lambda: not journal.status().pending)
        yield keys


LOOKS = [
    "/api/matches",
    "/api/matches/1",
    "/api/matches/1.mat",
    "/api/matches/1.jsonl",
    "/api/matches/nobody",
    "/api/dice",
]
_A_PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM matches").fetchone()[0])
connection.close()
"""


@pytest.mark.parametrize("path", LOOKS)
async def test_looking_takes_no_lock_from_who_writes(path: str, tmp_path: Path) -> None:
    """A program that leaves an SQLite file takes the log with it if it believes to be the last."""
    file = tmp_path / "j.sqlite3"

    async def counted_by_another_program() -> int:
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _A_PROGRAM, str(file), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await program.communicate()
        return int(out)

    async with Journal(file) as journal:
        for number in (1, 2, 3):
            play(journal, f"player_{number}")
            await until(lambda: not journal.status().pending)
            await ask(PastMatches(file), path)
            assert await counted_by_another_program() == number
    with JournalReader(file) as reader:
        assert len(reader.matches()) == 3


@pytest.fixture
def matches(tmp_path: Path, keys: list[MatchKey]) -> PastMatches:
    return PastMatches(tmp_path / "j.sqlite3")


async def ask(matches: PastMatches, path: str, **query: str) -> Response:
    answer = await matches.answer(Request("GET", path, query, {}))
    assert answer is not None
    return answer


async def test_the_list_newest_first_page_by_page(matches: PastMatches, keys: list[MatchKey]) -> None:

    async def numbers(**query: str) -> list[int]:
        answer = await ask(matches, "/api/matches", **query)
        assert answer.status == 200
        return [match["number"] for match in json.loads(answer.body)["matches"]]

    assert await numbers() == [3, 2, 1]
    assert await numbers(limit="2") == [3, 2]
    assert await numbers(limit="2", before="2") == [1]
    assert await numbers(opponent="Anna") == [1]
    assert await numbers(opponent="nobody") == []
    assert await numbers(server="here", account="me", limit="") == [3, 2, 1]


@pytest.mark.parametrize(
    "query",
    [
        {"limit": "0"},
        {"limit": "201"},
        {"limit": "x"},
        {"limit": "²"},
        {"before": "-1"},
        {"opponent": "x" * 999},
    ],
)
async def test_questions_that_are_none(matches: PastMatches, query: dict[str, str]) -> None:
    answer = await ask(matches, "/api/matches", **query)
    assert answer.status == 400
    assert next(iter(query)) in json.loads(answer.body)["error"]


async def test_a_match_move_by_move(matches: PastMatches, keys: list[MatchKey]) -> None:
    record = json.loads((await ask(matches, f"/api/matches/{keys[0]}")).body)
    assert (record["summary"]["opponent"], record["summary"]["winner"]) == ("anna", "us")
    turn, offer, accept = record["games"][0]["turns"]
    assert (turn["kind"], turn["side"], turn["move"]["notation"]) == ("move", "us", "8/5 6/5")
    assert turn["before"] == list(STARTING_BOARD)
    assert turn["after"] == list(rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5))))
    assert (offer["kind"], accept["kind"]) == ("offer", "accept")


async def test_downloads_have_harmless_names(matches: PastMatches, keys: list[MatchKey]) -> None:
    for ending, begin in (("mat", b";"), ("jsonl", b'{"type":"match"')):
        answer = await ask(matches, f"/api/matches/{keys[2]}.{ending}")
        assert answer.body.startswith(begin)
        (name, value), *_ = answer.headers
        assert name == "Content-Disposition"
        assert value == f'attachment; filename="{keys[2]}-here_4321-me-_cmd__x__script_.{ending}"'


@pytest.mark.parametrize(
    "name", ["none", "..", "../../etc/passwd", "x.mat", "x.jsonl", "%", "1 OR 1=1", "2026"]
)
async def test_matches_that_are_not_there(matches: PastMatches, name: str) -> None:
    """`2026` is the beginning of several."""
    answer = await matches.answer(Request("GET", f"/api/matches/{name}", {}, {}))
    assert answer is None or answer.status == 404


async def test_what_is_too_large_is_refused(
    matches: PastMatches, keys: list[MatchKey], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(past, "MAX_DECISIONS", -1)
        assert (await ask(matches, f"/api/matches/{keys[0]}")).status == 413
    monkeypatch.setattr(past, "MAX_BYTES", 100)
    for path in ("", ".jsonl", ".mat"):
        answer = await ask(matches, f"/api/matches/{keys[0]}{path}")
        assert answer.status == 413
        assert "botd export" in json.loads(answer.body)["error"]


async def test_only_so_many_wait(matches: PastMatches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "MAX_WAITING", 3)
    answers = await asyncio.gather(*(ask(matches, "/api/matches") for _ in range(10)))
    assert sorted({answer.status for answer in answers}) == [200, 503]
    assert sum(answer.status == 200 for answer in answers) == 3
    assert (await ask(matches, "/api/matches")).status == 200


async def test_a_journal_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "no.sqlite3").write_bytes(b"garbage" * 1000)
    for name in ("no.sqlite3", "absent.sqlite3"):
        answer = await ask(PastMatches(tmp_path / name), "/api/matches")
        assert answer.status == 503
        assert name in json.loads(answer.body)["error"]


async def test_dice_by_server(matches: PastMatches) -> None:
    first = await ask(matches, "/api/dice")
    (server,) = json.loads(first.body)["servers"]
    assert (server["scope"], server["matches"], server["rolls"]) == ("here:4321", 3, 3)
    assert await ask(matches, "/api/dice") is first, "counted again only after a while"


async def test_a_match_between_two_accounts_of_ours_is_counted_once(tmp_path: Path) -> None:
    async with Journal(tmp_path / "j.sqlite3") as journal:
        for account, opponent in (("botd", "other"), ("other", "botd")):
            match = journal.match_started(server="here:4321", account=account, opponent=opponent, length=3)
            game = journal.game_started(match, 1, (0, 0))
            journal.opening_rolled(game, *((3, 1) if account == "botd" else (1, 3)))
    answer = await ask(PastMatches(tmp_path / "j.sqlite3"), "/api/dice")
    (server,) = json.loads(answer.body)["servers"]
    assert (server["matches"], server["recorded_twice"], server["rolls"]) == (1, 1, 1)
