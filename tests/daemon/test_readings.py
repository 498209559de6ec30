"""What is looked up whenever the metrics are read."""

from __future__ import annotations

import asyncio
from pathlib import Path

from botd.daemon.background import background
from botd.daemon.readings import watch_journal_size
from tests.waiting import until


async def test_the_size_of_a_journal_is_that_of_its_file_and_its_log(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    sizes: list[int] = []
    with background(watch_journal_size(path, sizes.append, interval_s=0.01), "size"):
        await until(lambda: sizes)
        assert sizes[-1] == 0, "there is none yet"
        await asyncio.to_thread(path.write_bytes, b"x" * 1000)
        await until(lambda: sizes[-1] == 1000)
        await asyncio.to_thread(path.with_name("j.sqlite3-wal").write_bytes, b"x" * 234)
        await until(lambda: sizes[-1] == 1234)
