"""A daemon that plays on a local server, both as programs of their own, with the status page to look at."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

BOTD = (sys.executable, "-m", "botd.cli.main")
PATIENCE_S = 60.0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Playing:
    """`with` it: a server runs. `start` and `end` a daemon, as often as wanted, on the same port."""

    def __init__(self, folder: Path, *, seed: int = 5, server_port: int = 0) -> None:
        """server_port: of a server that runs already, instead of one of its own."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.journal = folder / "journal.sqlite3"
        self.log = folder / "botd.log"
        self.page_port = free_port()
        self.metrics_port = free_port()
        self._seed = seed
        self.server_port = server_port
        self._server: subprocess.Popen[bytes] | None = None
        self._daemon: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        if self.server_port:
            return self
        self._server = subprocess.Popen(
            [*BOTD, "serve", "--open", "--port", "0", "--seed", str(self._seed)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._server.stdout is not None
        line = self._server.stdout.readline().decode()
        assert line.startswith("listening on "), line
        self.server_port = int(line.split()[-1])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        if self._server is not None:
            self._server.kill()
            self._server.communicate()

    def paused(self) -> contextlib.AbstractContextManager[None]:
        """The server answers nobody, so that play stands still."""
        return _stopped(self._server)

    def halted(self) -> contextlib.AbstractContextManager[None]:
        """The daemon does nothing, as if it hung or its machine slept."""
        return _stopped(self._daemon)

    @property
    def url(self) -> str:
        """Of the status page."""
        return f"http://127.0.0.1:{self.page_port}/"

    def start(
        self,
        accounts: Mapping[str, str],
        *,
        engine: str = "ply = 0\nworkers = 1",
        page: str = "",
    ) -> None:
        """The daemon, playing these accounts with these policies; returns once its page is there."""
        (self.folder / "password").write_text("s3cret-pw")
        (self.folder / "password").chmod(0o600)
        config = self.folder / "botd.toml"
        config.write_text(
            f"[engine]\n{engine}\n[metrics]\nport = {self.metrics_port}\n"
            f"[status_page]\nport = {self.page_port}\n{page}\n"
            f'[journal]\npath = "{self.journal}"\nmat_directory = "{self.folder / "matches"}"\n'
            f'[daemon]\nstate_directory = "{self.folder / "state"}"\ndrain_s = 0\n'
            "[control]\nenabled = false\n"
            + "".join(
                f'[[accounts]]\nhost = "127.0.0.1"\nport = {self.server_port}\nname = "{name}"\n'
                f'password_file = "password"\nreconnect_s = 0.2\n[accounts.policy]\n{policy}\n'
                for name, policy in accounts.items()
            )
        )
        with self.log.open("ab") as log:
            self._daemon = subprocess.Popen(
                [*BOTD, "run", "--config", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        self._wait_for_page()

    def _wait_for_page(self) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.page_port), timeout=PATIENCE_S):
                    return
            except ConnectionRefusedError:
                assert self._daemon is None or self._daemon.poll() is None, self.log.read_text()
                assert time.monotonic() < give_up, self.log.read_text()
                time.sleep(0.05)

    def kill(self) -> None:
        """As `kill -9`, unless it has ended already."""
        if self._daemon is not None:
            self._daemon.kill()
            self._daemon.wait()
            self._daemon = None

    def stop(self) -> int:
        """As an operator would; the exit status."""
        assert self._daemon is not None
        self._daemon.terminate()
        return self.finish()

    def finish(self) -> int:
        """Wait until the daemon has played all it was to play; the exit status."""
        assert self._daemon is not None
        status = self._daemon.wait(5 * PATIENCE_S)
        self._daemon = None
        return status

    def get(self, path: str, **headers: str) -> bytes:
        """What the status page answers."""
        request = urllib.request.Request(self.url + path, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            content: bytes = answer.read()
            return content

    def live(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.get("api/live"))
        return document


@contextlib.contextmanager
def _stopped(program: subprocess.Popen[bytes] | None) -> Iterator[None]:
    assert program is not None
    program.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        program.send_signal(signal.SIGCONT)


def two_players(length: int | str, pause_s: float, *, more: str = "") -> dict[str, str]:
    """anna invites bert, and each waits so long before a move."""
    both = f'think_time_s = {pause_s}\ncommand_gap_s = 0\ngreeting = ""\nunlimited = true\n{more}\n'
    shown = f'"{length}"' if isinstance(length, str) else length
    return {"anna": f'{both}invite = {{ opponent = "bert", length = {shown} }}', "bert": both}
