"""Configuration, passwords, other daemons, journal and disk."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from botd.daemon.locks import account_lock, journal_lock
from botd.doctor import files, journal
from botd.doctor.findings import Patient, State
from botd.journal import Journal
from botd.journal.journal import new_match_key
from botd.journal.records import MatchStarted
from tests.doctor.patients import PASSWORD, account, bgammon, config_file, found, only, patient


async def test_a_configuration_that_is_wrong_or_odd(tmp_path: Path) -> None:
    file = config_file(tmp_path, account(1, "prot = 3"))
    (finding,) = await found(files.configuration, Patient(path=file))
    assert finding.state is State.PROBLEM
    assert "accounts[0].prot: unknown key" in finding.text
    who = patient(tmp_path, account(1))
    (tmp_path / "anna.pw").chmod(0o644)
    odd, fine = await found(files.configuration, who)
    assert (odd.state, fine.state) == (State.WARNING, State.OK)
    assert (await only(files.configuration, Patient())).state is State.NOT_TRIED


async def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    who = patient(tmp_path, f'[journal]\npath = "/proc/botd/j"\n{account(1)}')
    (finding,) = await found(files.configuration, who)
    assert finding.state is State.PROBLEM
    assert "/proc/botd: cannot be made in /proc" in finding.text


async def test_passwords(tmp_path: Path) -> None:
    guest = bgammon("127.0.0.1", 1).replace('password_file = "anna.pw"', "")
    credential = account(2).replace('password_file = "anna.pw"', 'password_credential = "anna"')
    who = patient(tmp_path, account(1) + credential.replace('"anna"', '"bert"', 1) + guest)
    read, passed, none = await found(files.passwords, who)
    assert (read.state, read.text) == (State.OK, "read (password_file)")
    assert passed.state is State.NOT_TRIED
    assert none.text == "none: plays as a guest"
    assert PASSWORD not in f"{read}{passed}{none}"


async def test_other_daemons(tmp_path: Path) -> None:
    who = patient(tmp_path, account(1))
    assert who.config is not None
    assert (await only(files.running, who)).text == "none plays these accounts or writes this journal"
    first = who.config.accounts[0]
    with journal_lock(who.config.journal.path):
        partly = await only(files.running, who)
        assert partly.state is State.PROBLEM
        assert "holds journal " in partly.text
        with account_lock(tmp_path / "state", first):
            whole = await only(files.running, who)
    assert whole.state is State.OK
    assert "being played by process" in whole.text
    assert not list((tmp_path / "state").glob("*.lock"))


async def test_a_service_has_its_locks_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    who = patient(tmp_path, account(1))
    assert who.config is not None
    monkeypatch.setattr(files, "SERVICE_STATE", tmp_path / "service")
    with (
        journal_lock(who.config.journal.path),
        account_lock(tmp_path / "service", who.config.accounts[0]),
    ):
        finding = await only(files.running, who)
    assert finding.state is State.OK
    assert "being played by process" in finding.text


async def test_two_daemons_that_share(tmp_path: Path) -> None:
    who = patient(tmp_path, account(1))
    assert who.config is not None
    code = (
        "import sys; from pathlib import Path; from botd.daemon.locks import journal_lock;"
        "lock = journal_lock(Path(sys.argv[1])); print('locked', flush=True); sys.stdin.read()"
    )
    arguments = [sys.executable, "-c", code, str(who.config.journal.path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:  # noqa: ASYNC220
        assert other.stdout is not None
        assert other.stdin is not None
        other.stdout.readline()
        with account_lock(tmp_path / "state", who.config.accounts[0]):
            finding = await only(files.running, who)
        other.stdin.close()
    assert finding.state is State.PROBLEM
    assert f"process {other.pid}" in finding.text


async def a_journal(path: Path) -> None:
    async with Journal(path) as it:
        for number in range(200):
            it.record(
                MatchStarted(
                    new_match_key(number), f"server{number}:4321", "anna", "bert", length=3, score=(0, 0)
                )
            )


async def test_a_journal_that_is_whole_absent_foreign_or_damaged(tmp_path: Path) -> None:
    who = patient(tmp_path, account(1))
    assert who.config is not None
    path = who.config.journal.path
    assert (await only(journal.journal, who)).state is State.NOT_TRIED
    await a_journal(path)
    whole = await only(journal.journal, who)
    assert whole.state is State.OK
    assert "200 matches" in whole.text
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(path.read_bytes())
    for at in range(8192, len(content) - 4096, 4096):
        content[at : at + 200] = b"\xff" * 200
    path.write_bytes(content)
    damaged = await only(journal.journal, who)
    assert damaged.state is State.PROBLEM
    assert "damaged" in damaged.text
    path.write_text("no journal")
    foreign = await only(journal.journal, who)
    assert foreign.state is State.PROBLEM
    assert "is no journal" in foreign.text


async def test_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    who = patient(tmp_path, f'[journal]\npath = "deep/er/j"\n{account(1)}')
    monkeypatch.setattr(journal, "LITTLE_ROOM", 1)
    monkeypatch.setattr(journal, "NO_ROOM", 0)
    assert (await only(journal.room, who)).state is State.OK
    monkeypatch.setattr(journal, "LITTLE_ROOM", 1 << 60)
    assert (await only(journal.room, who)).state is State.WARNING
    monkeypatch.setattr(journal, "NO_ROOM", 1 << 60)
    assert (await only(journal.room, who)).state is State.PROBLEM
