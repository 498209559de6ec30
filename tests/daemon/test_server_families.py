"""The real daemon on servers that behave as the relatives of FIBS do, each started as a user starts it."""

from __future__ import annotations

import asyncio
import re
import sys
from typing import Any

import pytest

from tests.daemon.conftest import PASSWORDS, account

World = Any
"""`World` of conftest.py."""


@pytest.mark.parametrize("family", ["jibs", "baldlies"])
async def test_a_match_is_played_without_being_told_on_which_server(world: World, family: str) -> None:
    names = world.folder / "accounts.toml"
    names.write_text("".join(f'{name} = "{password}"\n' for name, password in PASSWORDS.items()))
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "botd.cli.serve", "--accounts", str(names), "--port", "0"),
        *("--like", family, "--strict", "--seed", "3"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert server.stdout is not None
        listening = re.search(r"port ([0-9]+)", (await server.stdout.readline()).decode())
        assert listening
        port = int(listening[1])
        policy = 'max_matches = 1\ninvite = { opponent = "bert", length = 1 }'
        accounts = account("anna", port, policy) + account("bert", port, "max_matches = 1")
        daemon = await world.start(world.config(accounts))
        assert await daemon.finish() == 0, daemon.raw
    finally:
        server.terminate()
        _, errors = await server.communicate()
    matches = world.query("SELECT account, length, state, score_us, score_opponent FROM matches")
    scores = {row[0]: row[3:] for row in matches}
    assert {row[:3] for row in matches} == {("anna", 1, "finished"), ("bert", 1, "finished")}
    assert scores["anna"] == scores["bert"][::-1]
    assert [line for line in errors.decode().splitlines() if ": error-reply: " not in line] == []
    assert "alarm" not in daemon.raw
