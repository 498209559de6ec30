"""Makes the pictures and sample data of the documentation, over bots that really play on this machine.

    python -m docs.make_screenshots                  all of them, into docs/images and docs/samples
    python -m docs.make_screenshots live match.mat   those whose names contain one of these words
    python -m docs.make_screenshots --list           what there is to make

Run from the top of a checkout after `make build`, with Debian's chromium and chromium-driver. Two bots
play a dozen short matches, then a long one at 2-ply, which is halted for the pictures: a minute or two.

To add something: a function below with `@makes("images/NAME.png")` or `@makes("samples/NAME")` that takes the
`Scene` and returns the bytes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from botd.journal.reader import JournalReader
from tests.web.browser.chromium import Browser
from tests.web.browser.playing import BOTD, Playing

DOCS = Path(__file__).resolve().parent
US, OPPONENT = "anna_bot", "bert_bot"
_SHORT_MATCHES = 12
_LARGEST = 200_000
"""Bytes of a picture."""


@dataclass(frozen=True)
class Scene:
    """A match in progress that stands still, some before it in the journal, and a browser."""

    playing: Playing
    browser: Browser
    match: str
    """Key of a finished match of ours."""

    @property
    def journal(self) -> Path:
        return self.playing.journal

    def picture(self, fragment: str, wait_for: str, width: int, height: int, scheme: str) -> bytes:
        """The page at `#fragment` on such a screen, as a small PNG."""
        self.browser.view(width, height, scheme=scheme, motion=False)
        self.browser.open(f"{self.playing.url}#{fragment}")
        self.browser.until(lambda: self.browser.all(wait_for), wait_for)
        self.browser.until(lambda: self.browser.text("#connection") == "live", "the connection")
        file = self.playing.folder / "shot.png"
        self.browser.screenshot(file)
        return _small(file)

    def botd(self, *arguments: str) -> bytes:
        """What a command writes."""
        command = (*BOTD, *arguments)
        return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout  # noqa: S603 - our own


def _small(file: Path) -> bytes:
    """The picture with 255 colours, which is plenty for what is drawn here."""
    with Image.open(file) as image:
        small = io.BytesIO()
        image.convert("RGB").quantize(255, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    assert len(small.getvalue()) < _LARGEST
    return small.getvalue()


Maker = Callable[[Scene], bytes]
MAKERS: dict[str, Maker] = {}
"""By file name below `docs/`."""


def makes(name: str) -> Callable[[Maker], Maker]:
    """The function makes this file."""

    def remember(maker: Maker) -> Maker:
        MAKERS[name] = maker
        return maker

    return remember


_BOARD = "#cards .checker"


@makes("images/live-light.png")
def _live_light(scene: Scene) -> bytes:
    return scene.picture("live", _BOARD, 1200, 840, "light")


@makes("images/live-dark.png")
def _live_dark(scene: Scene) -> bytes:
    return scene.picture("live", _BOARD, 1200, 840, "dark")


@makes("images/live-phone.png")
def _live_phone(scene: Scene) -> bytes:
    return scene.picture("live", _BOARD, 390, 844, "light")


@makes("images/past-matches.png")
def _past_matches(scene: Scene) -> bytes:
    return scene.picture("matches", ".matches tbody tr", 1200, 420, "light")


@makes("images/past-match.png")
def _past_match(scene: Scene) -> bytes:
    return scene.picture(f"match/{scene.match}/13", ".replay .checker", 1200, 900, "light")


@makes("images/dice.png")
def _dice(scene: Scene) -> bytes:
    return scene.picture("dice", ".dice-report", 1200, 840, "light")


@makes("images/stats.png")
def _stats(scene: Scene) -> bytes:
    file = scene.playing.folder / "stats.png"
    scene.botd("stats", "--journal", str(scene.journal), "--state", "finished", "--plot", str(file))
    return _small(file)


@makes("samples/live.json")
def _live(scene: Scene) -> bytes:
    """The live document, the longest lists cut."""
    live = scene.playing.live()
    for account in live["accounts"]:
        if account["match"]:
            for name, most in (("curve", 3), ("decisions", 2)):
                account["match"][name] = account["match"][name][:most]
    text = json.dumps(live, indent=1)
    # Numbers of a board, dice or score belong on one line.
    return re.sub(r"\[[-\d,\s]*\]", lambda found: " ".join(found[0].split()), text).encode() + b"\n"


@makes("samples/match.mat")
def _mat(scene: Scene) -> bytes:
    return scene.playing.get(f"api/matches/{scene.match}.mat")


def _policy(*lines: str) -> str:
    return "\n".join(("command_gap_s = 0", 'greeting = ""', *lines))


@contextlib.contextmanager
def scene(folder: Path) -> Iterator[Scene]:
    """Play, and halt in the middle of a match."""

    def invite(length: int) -> str:
        return f'invite = {{ opponent = "{OPPONENT}", length = {length} }}'

    with (
        Playing(folder / "ours", seed=20) as ours,
        Playing(folder / "theirs", server_port=ours.server_port) as theirs,
    ):
        few, quick = f"max_matches = {_SHORT_MATCHES}", "think_time_s = 0"
        print(f"{_SHORT_MATCHES} short matches ...", flush=True)
        theirs.start({OPPONENT: _policy(quick, few)})
        ours.start({US: _policy(quick, few, invite(3))}, engine="ply = 1\nworkers = 1")
        for player in (ours, theirs):
            player.finish()
        print("a long one ...", flush=True)
        slow = "think_time_s = 0.05"
        theirs.start({OPPONENT: _policy(slow)}, engine="ply = 1\nworkers = 1")
        ours.start({US: _policy(slow, invite(7))}, engine="ply = 2\nworkers = 1")
        browser = Browser(folder / "browser")
        try:
            browser.until(lambda: _is_worth_a_picture(ours), "a middle game")
            with ours.paused(), JournalReader(ours.journal) as journal:
                yield Scene(ours, browser, journal.matches()[0].key)
        finally:
            browser.end()


def _is_worth_a_picture(playing: Playing) -> bool:
    """Some games were played, and in this one we have just moved in a position with contact."""
    for account in playing.live()["accounts"]:
        match = account["match"]
        if match and match["game"] >= 3 and match["moves"] >= 10 and match["last_move"]:
            return bool(match["last_move"]["side"] == "us" and match["turn"] == "opponent")
    return False


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="WORD", help="only files whose names contain one of these"
    )
    parser.add_argument("--output", type=Path, default=DOCS, metavar="DIR", help="default: docs")
    parser.add_argument("--list", action="store_true", help="name what there is to make")
    args = parser.parse_args()
    wanted = [name for name in MAKERS if not args.names or any(word in name for word in args.names)]
    if args.list or not wanted:
        print("\n".join(MAKERS))
        return 0 if args.list else 2
    with tempfile.TemporaryDirectory(prefix="botd-docs-") as folder, scene(Path(folder)) as ready:
        for name in wanted:
            content = MAKERS[name](ready)
            path = args.output / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"{path}  {len(content):,} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
