"""Every transcript, replayed from the server's side."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import HouseUser, ServerConfig
from botd_protocols.fibs.server_board import UNLIMITED_LENGTH
from botd_protocols.fibs.server_info import time_text
from botd_protocols.fibs.server_match import Match, Phase
from botd_protocols.fibs.server_quirks import ServerQuirks
from botd_protocols.server_dice import ScriptedDice

from .board_check import read_board
from .brute_force import legal_plays
from .harness import NOW, World
from .replay import Item, Replayer, items

HOUSE = (
    HouseUser("anna", "-", "-", True, False, 1611.90, 1204, 12, 1793748000, "host7.example.net"),
    HouseUser(
        "bjorn", "carla_k", "-", False, False, 1480.05, 87, 3, 1793749100, "203.0.113.9", "JavaFIBS2001",
    ),
    HouseUser(
        "carla_k", "bjorn", "-", False, False, 1702.44, 5519, 3, 1793747000, "198.51.100.4*", "3DFiBs",
        "carla@example.net",
    ),
    HouseUser("dora", "-", "bjorn", False, True, 1390.10, 2210, 640, 1793740000, "192.0.2.77"),
)  # fmt: skip
MOTD = (
    "+--------------------------------------------------------------------+",
    "|  Example message of the day.                                       |",
    "|  5 this line is inside the MOTD and is not a who record            |",
    "+--------------------------------------------------------------------+",
)
BANNER = ("", "          * Example banner, free text, several lines *", "")
RATINGS = {
    "mybot": (1543.27, 412), "anna": (1611.90, 1204), "bjorn": (1480.05, 87), "carla_k": (1702.44, 5519),
    "erik": (1500.0, 0), "dora": (1390.10, 2210),
}  # fmt: skip


def make_world(
    names: tuple[str, ...],
    rolls: list[tuple[int, int]] | None = None,
    inviter_is_x: tuple[bool, ...] = (),
    **options: object,
) -> World:
    quirks = options.pop("quirks", ServerQuirks())
    settings = {"banner": BANNER, "motd": MOTD, **options}
    config = ServerConfig(accounts=dict.fromkeys(names, "s3cretpw"), quirks=quirks, **settings)  # type: ignore[arg-type]
    world = World(FibsServer(config, ScriptedDice(rolls or [], inviter_is_x), legal_plays))
    for name in names:
        account = world.server.accounts[name]
        account.rating, account.experience = RATINGS[name]
        account.last_login, account.last_host = 1793749000, "bot.example.org"
        account.settings.variables["boardstyle"] = "3"
        account.settings.toggles |= {"moreboards": True, "ready": True, "telnet": False, "silent": True}
    return world


def log_in(world: World, *names: str) -> list[int]:
    conns = [world.log_in(name, "s3cretpw", "mybot_1.0") for name in names]
    for conn in conns:
        world.raw(conn)
    return conns


def rolls_in(todo: list[Item]) -> list[tuple[int, int]]:
    """The dice of a transcript, in order of appearance."""
    found = []
    for item in todo:
        if item.kind != "S":
            continue
        if (m := re.search(r"You rolled (\d), \w+ rolled (\d)", item.text)) or (
            m := re.search(r"(?:You roll|\b\w+ rolls) (\d) and (\d)", item.text)
        ):
            found.append((int(m[1]), int(m[2])))
    return found


def match_from(text: str, length: int | None = None, **changes: object) -> Match:
    """A match in the state that a board line of `mybot` shows, `mybot` being side 0."""
    line = read_board(text)
    match = Match(("mybot", line.opponent), length or line.length, list(line.scores))
    match.games = 1
    match.board = line.points
    match.x_side = 0 if line.colour == -1 else 1
    match.turn = 0 if line.turn == line.colour else 1
    dice = line.dice if match.turn == 0 else line.other_dice
    match.dice = dice if dice != (0, 0) else None
    match.phase = Phase.MOVE if match.dice else Phase.ROLL
    match.cube = line.cube
    match.cube_owner = None if line.may == (1, 1) else 0 if line.may[0] else 1
    match.can_move = [line.can_move, 0]
    match.post_crawford = bool(line.flags[1])
    for key, value in changes.items():
        setattr(match, key, value)
    return match


class Opponent:
    """Does what the transcript says the other player did."""

    def __init__(self, world: World, conn: int, name: str) -> None:
        self.world, self.conn, self.name = world, conn, name

    def act(self, item: Item) -> None:
        name, text = self.name, item.text
        if m := re.match(rf"{name} moves (.*) \.", text):
            self.send("move " + m[1])
        elif re.match(rf"{name} rolls", text):
            self.send("roll")
        elif text.startswith(f"{name} doubles"):
            self.send("double")
        elif text.startswith(f"{name} accepts"):
            self.send("accept")
        elif text.startswith((f"{name} gives up", f"{name} rejects")):
            self.send("reject")
        elif m := re.match(rf"{name} wants to resign. You will win (\d+)", text):
            match = self.world.server.match_of(name)
            assert match is not None
            self.send("resign " + " ngb"[int(m[1]) // match.cube])
        elif text.startswith("Starting a new game"):
            self.send("join")
        elif m := re.match(r"\w+ wants to play an? (\w+)", text):
            self.send(f"invite mybot {m[1]}")
        elif text.startswith(("** Player", "Player", f"{name} has joined")):
            self.send("leave" if "left" in text else "join mybot")
        elif text.startswith("5 ") and "left" in text:
            self.send("leave")
        else:
            raise AssertionError(f"no idea how {name} brings about {text!r} (line {item.number})")

    def send(self, line: str) -> None:
        self.world.send(self.conn, line)


def replay(world: World, file: str, todo: list[Item], me: int, act: object) -> Replayer:
    replayer = Replayer(world, file, todo)
    replayer.conn = me
    replayer.run(act)  # type: ignore[arg-type]
    expected = sum(1 for i in todo if i.kind.startswith("S") and i.text.strip())
    assert replayer.matched == expected
    return replayer


def test_01_login_setup() -> None:
    file = "01-login-setup.txt"
    world = make_world(("mybot", "erik"), house=HOUSE)
    for opponent, length, scores in (
        ("anna", 5, [2, 1]),
        ("bjorn", 3, [0, 0]),
        ("dora", UNLIMITED_LENGTH, [4, 2]),
    ):
        world.server.saved.put(Match(("mybot", opponent), length, scores))
    account = world.server.accounts["mybot"]
    account.settings.toggles |= {"automove": True, "moreboards": False, "ready": False, "silent": False}
    account.settings.variables |= {"boardstyle": "1", "sortwho": "name"}
    account.email = "bot@example.org"
    # What people who are only scenery say and do cannot be brought about here.
    scenery = re.compile(r"12 dora|bjorn wins|5 bjorn - - 1|9 dora")
    shown = {
        # The info line of the transcript stands for other toggles than the list it shows later.
        "2 mybot 1 1 0 0 0 0 1 1 412 0 1 0 1 1543.27 0 0 0 1 1 UTC":
            "2 mybot 1 1 0 1 0 0 1 1 412 0 0 0 1 1543.27 0 0 0 1 0 UTC",
        # The who list of the transcript has dora logged in, so her saved match needs a star.
        "  dora              unlimited                4 -  2":
            " *dora              unlimited                4 -  2",
        "5 mybot - - 1 0 1543.27 412 1 1793750400 bot.example.org mybot_1.0 bot@example.org":
            "5 mybot - - 1 0 1543.27 412 0 1793750400 bot.example.org mybot_1.0 bot@example.org",
        "5 erik - - 0 0 1500.00 0 0 1793750460 192.0.2.15 - -":
            "5 erik - - 1 0 1500.00 0 0 1793750460 192.0.2.15 - -",
        "Monday, November 30 02:20:00 UTC   ( Mon Nov 30 02:20:00 2026 UTC )": time_text(NOW + 60),
    }  # fmt: skip
    todo = [replace(i, text=shown.get(i.text, i.text)) for i in items(file)]
    gone = [n for n, i in enumerate(todo) if i.kind == "S" and scenery.match(i.text)]
    gone += [n + 1 for n in gone if todo[n].text.startswith("5 bjorn")]
    todo = [i for n, i in enumerate(todo) if n not in gone]
    replayer = Replayer(world, file, todo)
    erik = 0

    def act(item: Item) -> None:
        nonlocal erik
        if item.text.startswith("7 erik"):
            world.now += 60
            erik = world.connect("192.0.2.15")
            world.send(erik, "login - 1008 erik s3cretpw")
        elif item.text.startswith("8 erik"):
            world.drop(erik)

    replayer.conn = world.connect()
    replayer.run(act)
    assert replayer.conn in world.closed


def test_time_text_is_that_of_the_transcript() -> None:
    wanted = next(i.text for i in items("01-login-setup.txt") if i.text.startswith("Monday"))
    moment = datetime(2026, 11, 30, 2, 20, tzinfo=UTC)
    assert time_text(moment.timestamp()) == wanted


def test_02_refused_guest_duplicate() -> None:
    file = "02-login-failures-guest.txt"
    house = tuple(h for h in HOUSE if h.name == "anna")
    sessions = [
        items(file, f"session {s}", f"session {t}") for s, t in (("A", "B"), ("B", "C"), ("C", "---"))
    ]
    for number, todo in enumerate(sessions):
        names = ("mybot",) if number != 1 else ()
        world = make_world(names, house=house if number == 1 else (), motd=("| motd |",), banner=())
        if names:
            world.server.accounts["mybot"].settings.toggles["ready"] = False
        older = log_in(world, "mybot")[0] if number == 2 else 0
        if older:
            world.server.accounts["mybot"].last_login = 1793749000
        text = "\n".join(i.text for i in todo if i.kind.startswith("S"))
        assert text
        conn = world.connect()
        # Prompts glue to nothing here, so the byte stream as a whole is compared.
        wanted = got = b""
        for item in todo:
            if item.kind == "C":
                got += world.raw(conn)
                assert got == wanted, f"{file}:{item.number}"
                world.send(conn, item.text)
                wanted = got = b""
            else:
                line = item.text
                for mark, real in (("<IAC WILL ECHO>", "\xff\xfb\x01"), ("<IAC WONT ECHO>", "\xff\xfc\x01")):
                    line = line.replace(mark, real)
                wanted += line.encode("latin-1") + (b"\r\n" if item.kind == "S" else b"")
        got += world.raw(conn)
        if number == 1:
            assert got.startswith(wanted)
            assert "mybot" in world.server.accounts
        else:
            assert got == wanted
        if older:
            assert older in world.closed
            assert "Closed old connection with user mybot." in world.read(older)


def test_03_whole_match() -> None:
    file = "03-match-3pt-full.txt"
    todo = items(file)
    world = make_world(("mybot", "anna"), anna_first(todo), (True,), house=())
    world.server.accounts["mybot"].email = "bot@example.org"
    me, anna = log_in(world, "mybot", "anna")
    other = Opponent(world, anna, "anna")
    todo = [i for i in todo if not i.text.startswith("5 anna")]
    replay(world, file, todo, me, other.act)
    assert world.server.accounts["mybot"].rating == pytest.approx(1543.27 + 3.700772, abs=1e-5)
    assert world.server.accounts["anna"].rating == pytest.approx(1611.90 - 3.700772, abs=1e-5)


def anna_first(todo: list[Item]) -> list[tuple[int, int]]:
    """As `rolls_in`, with opening rolls turned for a match to which mybot was invited."""
    rolls = []
    for item in todo:
        for roll in rolls_in([item]):
            rolls.append(roll[::-1] if "You rolled" in item.text else roll)
    return rolls


def test_04_cube_as_x() -> None:
    file = "04-cube-as-X.txt"
    todo = items(file)
    quirks = ServerQuirks(glue_accept=True)
    world = make_world(("mybot", "carla_k"), rolls_in(todo), (True,), house=(), quirks=quirks)
    world.server.accounts["mybot"].email = "bot@example.org"
    me, carla = log_in(world, "mybot", "carla_k")
    other = Opponent(world, carla, "carla_k")
    todo = [i for i in todo if not i.text.startswith("5 carla_k")]
    replay(world, file, todo, me, other.act)
    saved = world.server.saved.get("mybot", "carla_k")
    assert saved is not None
    assert saved.scores == [2, 0]


def test_05_resignation() -> None:
    file = "05-resignation.txt"
    parts = [items(file, "We join in mid game", "another match"), items(file, "another match")]
    # Nobody can double in a 1-point match, so the server rolls for bjorn before mybot can resign; the
    # transcript leaves that out.
    cut = next(n for n, i in enumerate(parts[1]) if i.text == "resign n")
    moved = parts[1][cut - 1]
    rolled = moved.text.replace(":1:0:0:0:0:1:1:1:0:-1:1:", ":1:0:0:1:2:1:1:1:0:-1:1:")
    parts[1][cut:cut] = [replace(moved, text="bjorn rolls 1 and 2."), replace(moved, text=rolled)]
    rolls = rolls_in(parts[0]) + anna_first(parts[1])
    world = make_world(("mybot", "bjorn"), rolls, (False,), house=())
    world.server.accounts["mybot"].email = "bot@example.org"
    me, bjorn = log_in(world, "mybot", "bjorn")
    board = next(i.text for i in parts[0] if i.text.startswith("board:"))
    world.server.install_match(match_from(board))
    other = Opponent(world, bjorn, "bjorn")
    for todo in parts:
        # The opponent's record is compared without host and client, which the transcript invents.
        kept = [i for i in todo if not i.text.startswith("5 bjorn")]
        replay(world, file, kept, me, other.act)
    assert f"{world.server.accounts['bjorn'].rating:.2f}" == "1468.82"


def test_06_reconnect_and_resume() -> None:
    file = "06-reconnect-resume.txt"
    todo = items(file)
    world = make_world(("mybot", "anna"), rolls_in(todo), house=())
    world.server.accounts["mybot"].email = "bot@example.org"
    world.server.accounts["mybot"].settings.toggles["ready"] = True
    me, anna = log_in(world, "mybot", "anna")
    match = Match(("mybot", "anna"), 3, [1, 0], games=1, x_side=0)
    world.server.install_match(match)
    world.send(me, "join")
    world.raw(me)
    world.raw(anna)
    other = Opponent(world, anna, "anna")
    cut = next(n for n, i in enumerate(todo) if i.kind == "!")
    replay(world, file, todo[:cut], me, other.act)
    world.drop(me)
    assert "mybot drops connection. The game was saved." in world.read(anna)
    world.server.accounts["mybot"].last_login = 1793749000
    me = world.connect()
    # Who else is logged in, and the banner, are scenery.
    rest = [
        i
        for i in todo[cut + 1 :]
        if i.kind == "C" or not re.match(r"5 (anna|bjorn|carla_k|dora)|login:", i.text)
    ]
    world.raw(me)

    def act(item: Item) -> None:
        if item.text.startswith("anna drops connection"):
            world.drop(other.conn)
        elif item.text.startswith("7 anna"):
            other.conn = world.log_in("anna", "s3cretpw")
        elif item.text.startswith("anna wants to resume"):
            other.send("invite mybot")
        else:
            other.act(item)

    replay(world, file, rest, me, act)


def test_07_watching() -> None:
    file = "07-watching.txt"
    todo = items(file)
    world = make_world(("mybot", "bjorn", "carla_k"), rolls_in(todo), house=HOUSE[3:])
    me, bjorn, carla = log_in(world, "mybot", "bjorn", "carla_k")
    text = next(i.text for i in todo if i.text.startswith("board:"))
    match = match_from(text)
    match.players = ("bjorn", "carla_k")
    world.server.install_match(match)
    players = [Opponent(world, bjorn, "bjorn"), Opponent(world, carla, "carla_k")]

    def act(item: Item) -> None:
        next(p for p in players if item.text.startswith(p.name)).act(item)

    # House user dora watches in the transcript's world; what matters is the refusal.
    replay(world, file, todo, me, act)


def test_08_move_errors() -> None:
    file = "08-move-errors.txt"
    todo = items(file)
    world = make_world(("mybot", "anna"), rolls_in(todo), house=HOUSE[1:2])
    me, _ = log_in(world, "mybot", "anna")
    text = next(i.text for i in todo if i.text.startswith("board:"))
    world.server.install_match(match_from(text))
    replay(world, file, todo, me, None)


def test_09_unlimited_with_automatic_double() -> None:
    file = "09-unlimited-autodouble.txt"
    todo = items(file)
    # mybot owns the cube, so the server rolls for erik before he can resign; the transcript leaves that out.
    cut = next(n for n, i in enumerate(todo) if i.text.startswith("erik wants to resign"))
    before = [i for i in todo[:cut] if i.text.startswith("board:")][-1]
    rolled = re.sub(r":1:0:0:0:0:4:", ":1:0:0:1:2:4:", before.text)
    todo[cut:cut] = [replace(before, text="erik rolls 1 and 2."), replace(before, text=rolled)]
    world = make_world(("mybot", "erik"), rolls_in(todo), (True,), house=())
    for name in ("mybot", "erik"):
        world.server.accounts[name].settings.toggles["autodouble"] = True
    world.server.accounts["mybot"].email = "bot@example.org"
    world.server.accounts["erik"].settings.variables["redoubles"] = "unlimited"
    me, erik = log_in(world, "mybot", "erik")
    other = Opponent(world, erik, "erik")
    todo = [i for i in todo if not i.text.startswith("5 erik")]
    replay(world, file, todo, me, other.act)


def test_10_greedy_and_glued_lines() -> None:
    file = "10-bearoff-auto-glued.txt"
    todo = items(file)
    quirks = ServerQuirks(glue_board="question", glue_move_list=True)
    world = make_world(("mybot", "anna"), rolls_in(todo), house=(), quirks=quirks)
    world.server.accounts["mybot"].settings.toggles["automove"] = True
    me, anna = log_in(world, "mybot", "anna")
    text = next(i.text for i in todo if i.text.startswith("board:"))
    world.server.install_match(match_from(text))
    replay(world, file, todo, me, Opponent(world, anna, "anna").act)
