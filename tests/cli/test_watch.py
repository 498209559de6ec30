"""`botd watch` as a process: in a terminal of its own, in a pipe, with servers of all kinds."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import signal
import struct
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from botd.daemon import happenings as h
from botd.engine.types import STARTING_BOARD
from botd.journal.records import Side
from tests.live.happening import account_status, snapshot, told
from tests.web.serving import Bench, serving

WATCH = (sys.executable, "-m", "botd.cli.main", "watch")
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
HOSTILE = "\x1b]0;owned\x07\x1b[2J"


def playing(opponent: str = "bert") -> list[h.Happening]:
    return [
        told(h.MatchStarted, opponent=opponent, length=5, score=(1, 2), resumed=False),
        told(h.GameStarted, number=4, score=(1, 2), crawford=False),
        told(h.Rolled, side=Side.US, dice=(3, 1), board=STARTING_BOARD),
    ]


@asynccontextmanager
async def page(*, token: str | None = None, opponent: str = "bert") -> AsyncIterator[tuple[Bench, str]]:
    bench = Bench(snapshot(account_status("me"), account_status("you")))
    async with serving(bench, token=token) as server:
        bench.publish(*playing(opponent))
        yield bench, server.http.urls[0]


async def watch(*arguments: str, **environment: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *WATCH,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


class Terminal:
    """A terminal with `botd watch` in it."""

    def __init__(self, master: int, process: asyncio.subprocess.Process) -> None:
        self.master = master
        self.process = process
        self.seen = ""
        self._changed = asyncio.Event()
        asyncio.get_running_loop().add_reader(master, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self.master)
        self.seen += data.decode("utf-8", "replace")
        self._changed.set()

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        set_size(self.master, columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    async def see(self, text: str) -> None:
        """Wait for it; forgets what was before it."""
        async with asyncio.timeout(60):
            while text not in self.seen:
                self._changed.clear()
                await self._changed.wait()
        self.seen = self.seen.partition(text)[2]

    async def ended(self) -> int:
        async with asyncio.timeout(60):
            return await self.process.wait()


def set_size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@asynccontextmanager
async def terminal(*arguments: str, **environment: str) -> AsyncIterator[Terminal]:
    master, slave = pty.openpty()
    set_size(slave, 120, 40)
    process = await asyncio.create_subprocess_exec(
        *WATCH, *arguments,
        stdin=slave, stdout=slave, stderr=slave, env={**os.environ, "TERM": "xterm", **environment},
        start_new_session=True,
    )  # fmt: skip
    try:
        yield Terminal(master, process)
    finally:
        asyncio.get_running_loop().remove_reader(master)
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(slave)
        os.close(master)


def manners(descriptor: int) -> list[object]:
    return termios.tcgetattr(descriptor)[:4]


async def test_on_a_terminal_it_takes_the_screen_and_gives_it_back() -> None:
    async with page() as (bench, url), terminal("--url", url) as screen:
        before = manners(screen.master)
        await screen.see(ENTER)
        await screen.see("me - bert")
        await screen.see("3 1")
        assert manners(screen.master) != before, "keys are read one by one"
        bench.publish(told(h.Moved, side=Side.US, dice=(3, 1), notation="8/5 6/5", board=STARTING_BOARD))
        await screen.see("we 3-1: 8/5 6/5")
        screen.type("q")
        await screen.see(LEAVE)
        assert await screen.ended() == 0
        assert manners(screen.master) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_gives_the_terminal_back_too(number: signal.Signals) -> None:
    async with page() as (_, url), terminal("--url", url) as screen:
        before = manners(screen.master)
        await screen.see("me - bert")
        screen.process.send_signal(number)
        await screen.see(LEAVE)
        assert await screen.ended() == 0
        assert manners(screen.master) == before


async def test_stopping_it_gives_the_terminal_back_for_the_time() -> None:
    async with page() as (_, url), terminal("--url", url) as screen:
        before = manners(screen.master)
        await screen.see("me - bert")
        screen.process.send_signal(signal.SIGTSTP)
        await screen.see(LEAVE)
        while manners(screen.master) != before:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
        screen.process.send_signal(signal.SIGCONT)
        await screen.see(ENTER)
        await screen.see("me - bert")
        screen.type("q")
        assert await screen.ended() == 0


async def test_keys_and_a_new_size() -> None:
    async with page() as (bench, url), terminal("--url", url, NO_COLOR="1") as screen:
        bench.publish(
            told(h.MatchStarted, account="you", opponent="carl", length=0, score=(0, 0), resumed=False),
            told(h.GameStarted, account="you", number=1, score=(0, 0), crawford=False),
        )
        await screen.see("me - bert")
        await screen.see(">  me")
        screen.type("\x1b[B")
        await screen.see(">  you")
        await screen.see("you - carl")
        screen.type("1")
        await screen.see(">  me")
        screen.resize(200, 60)
        await screen.see("me - bert")
        await screen.see("you - carl")  # now there is room for both
        screen.type("t")
        await screen.see("me - bert")
        screen.type("q")
        assert await screen.ended() == 0


async def test_it_comes_back_with_the_daemon() -> None:
    bench = Bench(snapshot(account_status("me")))
    async with serving(bench) as server:
        port = server.http.addresses[0][1]
        url = server.http.urls[0]
        watching = terminal("--url", url)
        screen = await watching.__aenter__()
        await screen.see("No match is being played.")
    try:
        await screen.see("no connection")
        again = Bench(snapshot(account_status("me"), account_status("new_one")), instance="two")
        async with serving(again, port=port):
            await screen.see("new_one")
            screen.type("q")
            assert await screen.ended() == 0
    finally:
        await watching.__aexit__(None, None, None)


@pytest.mark.parametrize("form", ["--plain", "--json"])
async def test_without_a_screen_a_lost_connection_is_told_apart_from_the_lines(form: str) -> None:
    bench = Bench(snapshot(account_status("me")))
    async with serving(bench) as server:
        port = server.http.addresses[0][1]
        process = await asyncio.create_subprocess_exec(
            *WATCH, "--url", server.http.urls[0], form,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        first = (await process.stdout.readline()).decode()
    assert first
    told = (await process.stderr.readline()).decode()
    assert told.startswith("botd watch: ")
    assert "no connection (" in told
    async with serving(bench, port=port):
        assert "connected again" in (await process.stderr.readline()).decode()
        process.terminate()
        out, err = await process.communicate()
    assert "connect" not in out.decode()
    assert err == b"", "once is enough"


@pytest.mark.parametrize("arguments", [(), ("--once",), ("--plain",)])
async def test_hostile_names_never_reach_the_terminal(arguments: tuple[str, ...]) -> None:
    async with page(opponent=HOSTILE) as (_, url), terminal("--url", url, *arguments) as screen:
        await screen.see("\\x1b]0;owned\\x07")
        assert "\x1b]" not in screen.seen
        assert "\x1b[2J" not in screen.seen
        assert "\x07" not in screen.seen


async def test_in_a_pipe_it_is_a_line_for_each_event() -> None:
    async with page() as (bench, url):
        process = await asyncio.create_subprocess_exec(*WATCH, "--url", url, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None

        async def line(words: str) -> None:
            assert process.stdout is not None
            async with asyncio.timeout(60):
                while words not in (got := (await process.stdout.readline()).decode()):
                    assert got
            assert "\x1b" not in got

        await line("me: match with bert, 5 points, 1-2")
        bench.publish(told(h.Moved, side=Side.OPPONENT, dice=(6, 4), notation="24/14", board=STARTING_BOARD))
        await line("me: bert 6-4 24/14")
        bench.publish(told(h.GameOver, winner=Side.US, points=4, score=(5, 2)))
        await line("me: score 5-2")
        bench.publish(told(h.MatchOver, opponent="bert", winner=Side.US, score=(5, 2)))
        await line("me: won against bert 5-2")
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0


async def test_one_look() -> None:
    async with page() as (_, url):
        status, out, err = await watch("--url", url, "--once")
        assert (status, err) == (0, "")
        assert "me - bert" in out
        assert "\x1b" not in out
        assert "q quit" not in out
        status, out, _ = await watch("--url", url, "--once", "--account", "ME@here:4321", "--json")
        live = json.loads(out)
        assert [account["account"] for account in live["accounts"]] == ["me"]


@pytest.mark.parametrize(
    ("redirection", "status", "words"),
    [
        ("--once >/dev/full", 1, "No space left"),
        (">/dev/full", 1, "No space left"),
        ("| head -1", 0, ""),
        ("--once >&-", 0, ""),
        ("--once <&-", 0, ""),
    ],
)
async def test_standard_streams_as_they_may_be(redirection: str, status: int, words: str) -> None:
    async with page() as (bench, url):
        command = f"{' '.join(WATCH)} --url {url} {redirection}"
        process = await asyncio.create_subprocess_shell(
            command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        ending = asyncio.create_task(process.communicate())
        while not ending.done():  # who has lost his reader finds out with the next line
            bench.publish(*playing())
            await asyncio.wait({ending}, timeout=0.3)
        _, err = ending.result()
    assert process.returncode == status
    assert words in err.decode()
    assert "Traceback" not in err.decode()


async def test_the_token(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("correct-horse")
    token.chmod(0o600)
    async with page(token="correct-horse") as (_, url):
        status, _, err = await watch("--url", url, "--once")
        assert status == 1
        assert "--token-file" in err
        assert (await watch("--url", url, "--once", "--token-file", str(token)))[0] == 0
        token.write_text("wrong")
        status, _, err = await watch("--url", url, "--once", "--token-file", str(token))
        assert status == 1
        assert "that is not its token" in err
        assert "wrong" not in err


async def test_an_account_that_is_not_there() -> None:
    async with page() as (_, url):
        status, _, err = await watch("--url", url, "--account", "nobody")
        assert status == 1
        assert "known: me@here:4321, you@here:4321" in err


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://x", "expected a URL"),
        ("http://a:b@x/", "--token-file"),
        ("http://[::1", "not a URL"),
        ("x\x1b", "\\x1b"),
    ],
)
async def test_urls_that_are_none(url: str, words: str) -> None:
    status, _, err = await watch("--url", url)
    assert status == 2
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "the connection was closed"),
        (b"SSH-2.0-x\r\n", "no HTTP server"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "no status page of botd (status 404)"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello", "no status page of botd"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: live\ndata: {}\n\n",
            "not the live document",
        ),
        (
            b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: live\ndata: {"schema":9}\n\n',
            "schema 9",
        ),
        (b"HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n", "not now (503)"),
    ],
)
async def test_servers_that_are_none(answer: bytes, words: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        status, out, err = await watch("--url", f"http://127.0.0.1:{port}/", "--once")
    assert (status, out) == (1, "")
    assert words in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:9/", "http://127.0.0.1:9/: Connection refused; is botd running"),
        ("http://[::1]:9", "http://[::1]:9/: Connection refused"),
        ("nosuch.invalid", "http://nosuch.invalid:9465/: "),
        ("https://127.0.0.1:{port}/x/", "https://127.0.0.1:{port}/x/: no TLS there"),
    ],
)
async def test_what_cannot_be_reached(url: str, words: str) -> None:
    async with page() as (_, there):
        port = there.rsplit(":", 1)[1].strip("/")
        status, _, err = await watch("--url", url.format(port=port))
    assert status == 1
    assert err.startswith(f"botd watch: {words.format(port=port)}")
    assert err.count("\n") == 1
