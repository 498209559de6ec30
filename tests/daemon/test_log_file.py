"""No line of a log file is lost or torn, whatever becomes of the file and the disk."""

from __future__ import annotations

import gzip
import logging
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from botd.daemon.log_file import LogFile, LogFileError, Rotation
from tests.waiting import until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def _private() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def write(log: LogFile, *texts: str) -> None:
    for text in texts:
        log.handle(logging.makeLogRecord({"msg": text}))


def lines(path: Path) -> list[str]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    assert data.endswith(b"\n") or not data
    return data.decode().splitlines()


def everything(path: Path) -> list[str]:
    """Of all files, the oldest first."""
    olds = sorted(
        path.parent.glob(f"{path.name}.*"),
        key=lambda old: -int(old.name.removesuffix(".gz").rpartition(".")[2]),
    )
    return [line for old in (*olds, path) for line in lines(old)]


@pytest.mark.usefixtures("_private")
def test_a_new_file_can_be_read_by_its_group(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "botd.log")
    write(log, "one", "two\u00e4 \udc80")
    log.close()
    assert lines(tmp_path / "botd.log") == ["one", "two\u00e4 \\udc80"]
    assert (tmp_path / "botd.log").stat().st_mode & 0o777 == 0o640


def test_a_file_that_is_there_is_added_to_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "botd.log"
    path.write_text("before\n")
    path.chmod(0o604)
    log = LogFile(path)
    write(log, "after")
    log.close()
    assert lines(path) == ["before", "after"]
    assert path.stat().st_mode & 0o777 == 0o604


@pytest.mark.parametrize("what", ["folder", "pipe", "absent/botd.log"])
def test_what_cannot_be_a_log_file_is_refused(tmp_path: Path, what: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LogFileError, match=rf"log.file {tmp_path}/{what}: cannot be opened: "):
        LogFile(tmp_path / what)


@pytest.mark.parametrize("compress", [False, True])
def test_files_stay_below_the_size_and_every_line_is_in_one_of_them(tmp_path: Path, compress: bool) -> None:
    path = tmp_path / "botd.log"
    log = LogFile(path, Rotation(bytes=5000, keep=1000, compress=compress))

    def talk(name: int) -> None:
        for number in range(500):
            write(log, f"{name} {number} {'x' * (number % 90)}")

    threads = [threading.Thread(target=talk, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    found = everything(path)
    assert len(found) == 2000
    for name in range(4):
        own = [line for line in found if line.startswith(f"{name} ")]
        assert own == [f"{name} {number} {'x' * (number % 90)}" for number in range(500)]
    olds = list(tmp_path.glob("botd.log.*"))
    assert len(olds) > 15
    assert {old.suffix == ".gz" for old in olds} == {compress}
    sizes = [len("\n".join(lines(old))) + 1 for old in olds]
    assert max(sizes) <= 5000
    assert min(sizes) > 4500
    assert all(old.stat().st_mode & 0o777 == 0o640 for old in olds)


def test_only_the_newest_files_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "botd.log"
    for compress in (False, True, False):  # the setting may change between two starts
        log = LogFile(path, Rotation(bytes=10, keep=3, compress=compress))
        for number in range(7):
            write(log, f"line {number} of {compress}")
            log.flush()
        log.close()
    assert sorted(old.name for old in tmp_path.iterdir()) == [
        *("botd.log", "botd.log.1", "botd.log.2", "botd.log.3"),
    ]
    assert everything(path) == [f"line {number} of False" for number in range(3, 7)]


def test_a_new_day_is_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "botd.log"
    path.write_text("of yesterday\n")
    yesterday = time.time() - 86_400
    os.utime(path, (yesterday, yesterday))
    log = LogFile(path, Rotation(days=1))
    write(log, "today", "today, too")
    log.flush()
    assert everything(path) == ["of yesterday", "today", "today, too"]
    assert lines(path) == ["today", "today, too"]
    future = time.time() + 40 * 86_400  # the clock was wrong, and was set right
    os.utime(path, (future, future))
    write(log, "back")
    log.close()
    assert lines(path) == ["today", "today, too", "back"]


def test_a_file_that_was_moved_away_is_opened_anew(tmp_path: Path) -> None:
    path = tmp_path / "botd.log"
    log = LogFile(path)
    for number in range(20):
        write(log, f"line {number}")
        log.flush()
        path.rename(tmp_path / f"botd.log.{99 - number}")
    write(log, "last")
    log.close()
    assert everything(path) == [*(f"line {number}" for number in range(20)), "last"]


def test_told_to_reopen_it_makes_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "botd.log"
    log = LogFile(path)
    write(log, "one")
    log.flush()
    path.unlink()
    log.reopen()
    while not path.exists():
        time.sleep(0.001)
    log.close()
    assert lines(path) == []


def test_the_real_logrotate_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "botd.log"
    text = (ROOT / "ops/logrotate/botd").read_text()
    assert "/var/log/botd/*.log" in text
    text = text.replace("/var/log/botd/*.log", str(path))
    user = f"{os.getuid()} {os.getgid()}"
    names = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()
    group = subprocess.run(["id", "-gn"], check=True, capture_output=True, text=True).stdout.strip()
    assert user
    text = text.replace("botd botd", f"{names} {group}")
    (tmp_path / "conf").write_text(text)
    (tmp_path / "conf").chmod(0o600)
    tmp_path.chmod(0o755)
    log = LogFile(path)
    number = 0
    for _ in range(4):
        rotating = subprocess.Popen(
            ["/usr/sbin/logrotate", "-f", "-s", tmp_path / "state", tmp_path / "conf"]
        )
        while rotating.poll() is None:
            write(log, f"line {number}")
            number += 1
            time.sleep(0.0005)
        assert rotating.returncode == 0
    log.close()
    assert len(list(tmp_path.glob("botd.log.*.gz"))) >= 2
    assert everything(path) == [f"line {n}" for n in range(number)]


FULL_DISK = """
    import logging, resource, sys, time
    from pathlib import Path
    from botd.daemon.log_file import LogFile

    log = LogFile(Path(sys.argv[1]))
    most = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_007, most))
    for number in range(1000):
        log.handle(logging.makeLogRecord({"msg": f"line {number} " + "x" * 40}))
        time.sleep(0.0002)
    while Path(sys.argv[1]).stat().st_size < 9900:
        time.sleep(0.001)
    print("still here", flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    log.flush()
    log.handle(logging.makeLogRecord({"msg": "last"}))
    log.close()
"""


def test_on_a_full_disk_lines_wait_and_none_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "botd.log"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_DISK), path],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    assert done.stdout == "still here\n"
    assert done.stderr.count("botd: log file") == 1
    assert "File too large; lines wait" in done.stderr
    assert lines(path) == [*(f"line {number} {'x' * 40}" for number in range(1000)), "last"]


def test_what_does_not_fit_the_buffer_is_counted_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botd.daemon.log_file._BUFFER", 3)
    monkeypatch.setattr("botd.daemon.log_file._RETRY", 0.01)
    folder = tmp_path / "logs"
    folder.mkdir()
    log = LogFile(folder / "botd.log")
    (folder / "botd.log").unlink()
    folder.rename(tmp_path / "away")  # a disk that is not there
    write(log, "first")
    while not log._failing:
        time.sleep(0.001)
    write(log, *"abcdefgh")
    (tmp_path / "away").rename(folder)
    log.close()
    found = lines(folder / "botd.log")
    assert found[0].endswith("lines of this log were lost: the disk was full or too slow")
    assert int(found[0].split()[0]) == 9 - (len(found) - 1)
    assert found[1:] == ["first", *"abcdefgh"][: len(found) - 1]


def test_where_files_cannot_be_renamed_the_log_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "botd.log"
    (tmp_path / "botd.log.3" / "somebody's").mkdir(parents=True)
    log = LogFile(path, Rotation(bytes=100, keep=3))
    for number in range(50):
        write(log, f"line {number}")
        log.flush()
    log.close()
    assert lines(path) == [f"line {number}" for number in range(50)]
    assert capsys.readouterr().err.count("cannot be rotated") == 1


KILLED = """
    import logging, sys
    from pathlib import Path
    from botd.daemon.log_file import LogFile, Rotation

    log = LogFile(Path(sys.argv[1]), Rotation(bytes=2000, keep=10_000, compress=True))
    number = 0
    while True:
        log.handle(logging.makeLogRecord({"msg": f"line {number}"}))
        number += 1
        if number % 10 == 0:
            log.flush()
        if number == 3000:
            print("under way", flush=True)
"""


def test_a_killed_process_leaves_whole_lines_without_a_hole(tmp_path: Path) -> None:
    path = tmp_path / "botd.log"
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), path], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    for partial in tmp_path.glob(".*.partial"):
        partial.unlink()
    log = LogFile(path, Rotation(bytes=2000, keep=10_000, compress=True))  # the next life goes on
    write(log, "next life")
    log.close()
    found = [line for line in everything_once(path) if line != "next life"]
    assert len(found) >= 3000
    assert found == [f"line {number}" for number in range(len(found))]


def everything_once(path: Path) -> list[str]:
    """A file that was being compressed at the kill is there twice, whole in both forms or whole in one."""
    for old in path.parent.glob(f"{path.name}.*.gz"):
        plain = old.with_suffix("")
        if plain.exists():
            assert lines(old) == lines(plain)
            old.unlink()
    return everything(path)


async def test_nobody_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that hangs holds up the log's own thread only."""
    hung, go_on = threading.Event(), threading.Event()
    real = os.write

    def hanging(descriptor: int, data: bytes) -> int:
        hung.set()
        go_on.wait()
        return real(descriptor, data)

    log = LogFile(tmp_path / "botd.log")
    monkeypatch.setattr("botd.daemon.log_file.os.write", hanging)
    write(log, "one")
    await until(hung.is_set)
    write(log, "two", "three")
    go_on.set()
    log.close()
    assert lines(tmp_path / "botd.log") == ["one", "two", "three"]
