"""Locks hold between processes, end with them, and name their holder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from botd.config import AccountConfig
from botd.daemon.locks import Lock, LockError, account_lock, journal_lock, state_directory

HOLD = "import sys; from pathlib import Path; from botd.daemon.locks import Lock; "
HOLD += "lock = Lock(Path(sys.argv[1]), 'it'); print('held', flush=True); sys.stdin.read()"


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that holds the lock until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_lock_names_its_holder_and_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "it.lock"
    with holder(path) as process:
        with pytest.raises(LockError) as caught:
            Lock(path, "account anna")
        assert str(caught.value) == (
            f"account anna: already in use by process {process.pid} (lock file {path})"
        )
        process.kill()
        process.wait()
        assert path.exists()  # a killed process leaves its file, but not its lock
        Lock(path, "account anna").release()
    assert not path.exists()


def test_a_child_process_does_not_keep_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "it.lock"
    lock = Lock(path, "it")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False) as child:
        lock.release()
        Lock(path, "it").release()
        child.communicate(b"\n")


def test_a_lock_file_removed_behind_our_back_is_no_lock_of_others(tmp_path: Path) -> None:
    path = tmp_path / "it.lock"
    first = Lock(path, "it")
    first.release()
    second = Lock(path, "it")
    first.release()  # again, which must not remove the second one's file
    with pytest.raises(LockError, match=rf"process {os.getpid()} "):
        Lock(path, "it")
    second.release()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"-1", b"0", b"1; rm -rf /", b"9" * 100])
def test_a_lock_file_with_anything_inside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "it.lock"
    lock = Lock(path, "it")
    path.write_bytes(content)
    with pytest.raises(LockError, match="already in use by another process"):
        Lock(path, "it")
    lock.release()


def test_what_cannot_be_a_lock_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder.lock").mkdir()
    with pytest.raises(LockError, match=r"it: cannot open the lock file .*folder\.lock: Is a directory"):
        Lock(tmp_path / "folder.lock", "it")
    (tmp_path / "link.lock").symlink_to(tmp_path / "target")
    with pytest.raises(LockError, match="cannot open the lock file"):
        Lock(tmp_path / "link.lock", "it")
    assert not (tmp_path / "target").exists()


def test_accounts_and_journals_have_locks_of_their_own(tmp_path: Path) -> None:
    anna = AccountConfig(host="FIBS.com", name="anna", password_env="X")
    with account_lock(tmp_path, anna), journal_lock(tmp_path / "journal.sqlite3"):
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            "anna@fibs.com_4321.lock",
            "journal.sqlite3.lock",
        ]
        for name in ("anna", "Anna", "ANNA"):  # servers do not tell these apart
            with pytest.raises(LockError, match=rf"account {name} on fibs\.com:4321: already in use"):
                account_lock(tmp_path, AccountConfig(host="fibs.com", name=name, password_env="X"))
        with pytest.raises(LockError, match=r"journal .*journal\.sqlite3: already in use"):
            journal_lock(tmp_path / "journal.sqlite3")
        account_lock(
            tmp_path, AccountConfig(host="fibs.com", name="anna", port=4322, password_env="X")
        ).release()


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"STATE_DIRECTORY": "/var/lib/botd:/var/lib/botd/one", "XDG_STATE_HOME": "/x"}, "/var/lib/botd"),
        ({"XDG_STATE_HOME": "/home/anna/state"}, "/home/anna/state/botd"),
        ({"XDG_STATE_HOME": "relative"}, str(Path.home() / ".local/state/botd")),
        ({}, str(Path.home() / ".local/state/botd")),
    ],
)
def test_where_locks_lie(environment: dict[str, str], folder: str) -> None:
    assert state_directory(environment) == Path(folder)
