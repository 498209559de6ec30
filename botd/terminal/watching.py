"""Follows a status page and shows it: as a whole screen, as plain lines or as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import ssl
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, replace

import msgspec

from botd.config.secret import Secret
from botd.live.documents import Account, Live
from botd.live.event_source import SourceUrl, read_events
from botd.live.follower import Follower, FollowError
from botd.printable import printable
from botd.terminal.board import Style
from botd.terminal.colours import is_capable
from botd.terminal.full_screen import FullScreen
from botd.terminal.live_lines import LiveLines
from botd.terminal.live_view import Choice, screen

FIRST_WAIT, LONGEST_WAIT = 0.5, 10.0
"""Seconds before the next attempt to connect again."""
TICK_S = 1.0
"""Ages are shown in seconds."""
_ENDLESS = 1000
"""Lines of a screen that is none."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    account: str | None = None
    """NAME or NAME@HOST:PORT; None is all."""
    once: bool = False
    """One look only."""
    plain: bool = False
    json: bool = False


class Watch:
    """`run` once."""

    def __init__(self, url: SourceUrl, token: Secret | None, options: WatchOptions) -> None:
        self._url = url
        self._token = token
        self._options = options
        self._follower = Follower()
        self._note = ""
        """What is wrong with the connection."""
        self._on_screen = False
        self._choice = Choice()

    async def run(self) -> None:
        """Until the user has had enough, or after one look. Raises FollowError for what cannot be shown."""
        async with contextlib.aclosing(self._events()) as events:
            if self._options.once:
                await anext(events)
                self._print_once()
            elif self._options.json or self._options.plain or not is_capable(sys.stdout):
                await self._print_lines(events)
            else:
                await anext(events)  # what can be wrong at all is told on the screen as it was
                await self._take_screen(events)

    # -- three ways to show it -------------------------------------------------------------------------------

    def _print_once(self) -> None:
        if self._options.json:
            print(msgspec.json.encode(self._live).decode())
            return
        columns = shutil.get_terminal_size((120, 24)).columns
        lines = self._lines((columns, _ENDLESS), keys=False)
        print("\n".join(line.rstrip() for line in lines).rstrip())

    async def _print_lines(self, events: AsyncIterator[Account | None]) -> None:
        lines = LiveLines()
        async for account in events:
            if account is not None and not self._is_wanted(account):
                continue
            if self._options.json:
                document: Live | Account = self._live if account is None else account
                print(msgspec.json.encode(document).decode(), flush=True)
                continue
            for line in lines.everything(self._live) if account is None else lines.account(account):
                print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)

    async def _take_screen(self, events: AsyncIterator[Account | None]) -> None:
        changed, enough = asyncio.Event(), asyncio.Event()

        async def follow() -> None:
            async for _ in events:
                changed.set()

        def press(key: str) -> None:
            self._press(key)
            (enough if key in ("q", "Q") else changed).set()

        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, enough.set)
        following = asyncio.create_task(follow())
        leaving = asyncio.create_task(enough.wait())
        try:
            self._on_screen = True
            with FullScreen(press, changed.set) as terminal:
                while not (leaving.done() or following.done()):
                    changed.clear()
                    terminal.draw(self._lines(terminal.size))
                    waking = asyncio.create_task(changed.wait())
                    await asyncio.wait(
                        {following, leaving, waking}, timeout=TICK_S, return_when="FIRST_COMPLETED"
                    )
                    waking.cancel()
            if following.done():
                following.result()
        finally:
            leaving.cancel()
            following.cancel()
            await asyncio.gather(leaving, following, return_exceptions=True)

    # -- inside ----------------------------------------------------------------------------------------------

    async def _events(self) -> AsyncGenerator[Account | None]:
        """An account that has changed, or None for everything; the document is up to date then. For ever,
        once there was a connection. Raises FollowError."""
        wait = FIRST_WAIT
        while True:
            try:
                async with contextlib.aclosing(read_events(self._url, self._token)) as events:
                    async for kind, data in events:
                        account = self._follower.take(kind, data)
                        self._noted("")
                        wait = FIRST_WAIT
                        self._check_account()
                        yield account
            except (OSError, EOFError) as error:  # a time-out is an OSError
                reason = _reason(error)
                if self._follower.live is None:
                    hint = "is botd running, with its status page enabled?"
                    raise FollowError(f"{self._url}: {reason}; {hint}") from error
                self._noted(f"no connection ({reason}), trying again")
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def _noted(self, note: str) -> None:
        """How it stands with the connection. Where there is no screen to show it, a change is told."""
        if bool(note) != bool(self._note) and not self._on_screen:
            words = note or "connected again"
            print(f"botd watch: {time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)
        self._note = note

    def _lines(self, size: tuple[int, int], *, keys: bool = True) -> list[str]:
        style = Style.of(sys.stdout)
        live = self._live
        return screen(live, self._choice, style, size=size, now=time.time(), note=self._note, keys=keys)

    @property
    def _live(self) -> Live:
        """The document, but for accounts that nobody asked for."""
        live = self._follower.live
        assert live is not None
        if self._options.account is None:
            return live
        return msgspec.structs.replace(live, accounts=tuple(filter(self._is_wanted, live.accounts)))

    def _is_wanted(self, account: Account) -> bool:
        wanted = self._options.account
        return wanted is None or wanted.lower() in (account.account.lower(), account.id.lower())

    def _check_account(self) -> None:
        """Raises FollowError if there is none of the name asked for."""
        live = self._follower.live
        if live is None or any(map(self._is_wanted, live.accounts)) or self._options.account is None:
            return
        known = ", ".join(printable(account.id, 100) for account in live.accounts[:20]) or "none"
        raise FollowError(f"there is no account {printable(self._options.account, 100)}; known: {known}")

    def _press(self, key: str) -> None:
        last = max(0, len(self._live.accounts) - 1)
        at = min(self._choice.account, last)
        match key:
            case "down" | "right" | "\t" | "j" | "n":
                at = 0 if at == last else at + 1
            case "up" | "left" | "k" | "p":
                at = last if at == 0 else at - 1
            case "t" | "T":
                self._choice = replace(self._choice, tiled=not self._choice.tiled)
            case digit if len(digit) == 1 and digit in "123456789":
                at = min(int(digit) - 1, last)
        self._choice = replace(self._choice, account=at)


def _reason(error: OSError | EOFError) -> str:
    """In the system's words where it has some: asyncio's have the address in them once more."""
    text = str(error)
    if isinstance(error, ssl.SSLError):
        text = getattr(error, "verify_message", "") or f"no TLS there ({error.reason})"
    elif isinstance(error, socket.gaierror):
        text = error.strerror or text
    elif isinstance(error, OSError) and error.errno is not None:
        text = os.strerror(error.errno)
    return printable(text or "no answer", 200)
