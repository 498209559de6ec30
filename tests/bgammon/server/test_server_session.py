"""The sample session of the specification (section 16), line by line."""

from __future__ import annotations

import json

from botd_protocols.server_dice import ScriptedDice

from .harness import NOW, last_board, notices, only, put, started, types, view, world


def test_one_point_match_from_greeting_to_the_next_match() -> None:
    w = world(ScriptedDice([(4, 2), (6, 6), (5, 3)], [True]))
    me = w.connect()
    assert w.raw(me).startswith(b"hello Welcome to")
    w.send(me, "lj botd-1.0.0/en BOT_acme")
    lines = w.lines(me)
    assert lines[0] == '{"Type":"welcome","Player":"","PlayerName":"BOT_acme","Clients":1,"Games":0}'
    assert lines[1] == '{"Type":"list","Player":"","Games":null}'
    assert [json.loads(line)["Type"] for line in lines[2:]] == ["notice"]
    w.send(me, "create public 1 0 Quick game")
    lines = w.lines(me)
    assert lines[0] == '{"Type":"joined","Player":"BOT_acme","GameID":1,"PlayerNumber":1}'
    assert lines[1] == (
        '{"Type":"board","Player":"","Started":0,"Ended":0,'
        '"Player1":{"Number":1,"Name":"BOT_acme","Rating":0,"Points":0,"Entered":true,"Inactive":0,"Icon":0},'
        '"Player2":{"Number":2,"Name":"","Rating":0,"Points":0,"Entered":true,"Inactive":0,"Icon":0},'
        '"Variant":0,"Board":[0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0,0,0],'
        '"Turn":0,"Roll1":0,"Roll2":0,"Roll3":0,"Moves":null,"Winner":0,"Points":1,"Crawford":0,'
        '"DoubleValue":1,"DoublePlayer":0,"DoubleOffered":false,"Reroll":false,"PlayerNumber":1,'
        '"Available":null,"Forced":false,"Spectating":false}'
    )
    assert lines[2] == '{"Type":"notice","Player":"","Message":"Created match: Quick game"}'
    assert json.loads(lines[3])["Message"].startswith("Note: ")
    assert len(lines) == 4

    w.pass_time(30)
    assert w.lines(me) == [f'{{"Type":"ping","Player":"","Message":"{int(NOW) + 30}"}}']
    assert w.ask(me, f"pong {int(NOW) + 30}") == []

    alice = w.log_in("alice")
    w.send(alice, "join 1")
    events = w.read(me)
    assert types(events) == ["joined", "board"]
    assert events[0] == {"Type": "joined", "Player": "Guest_alice", "GameID": 1, "PlayerNumber": 2}
    assert (events[1]["Player2"]["Name"], events[1]["Turn"]) == ("Guest_alice", 0)

    w.send(me, "roll")
    first = '{"Type":"rolled","Player":"BOT_acme","Roll1":4,"Roll2":0,"Roll3":0,"Selected":false}'
    assert w.lines(me) == [first]
    w.send(alice, "roll")
    events = w.read(me)
    assert types(events) == ["rolled", "board"]
    assert (events[0]["Player"], events[0]["Roll1"], events[0]["Roll2"]) == ("Guest_alice", 4, 2)
    board = events[1]
    assert (board["Turn"], board["Roll1"], board["Roll2"], board["Moves"]) == (1, 4, 2, None)
    assert board["Available"] == [[24, 22], [24, 20], [13, 11], [13, 9], [8, 6], [8, 4], [6, 4], [6, 2]]
    assert board["Started"] == int(NOW) + 30

    events = w.ask(me, "move 8/4")
    assert types(events) == ["moved", "board"]
    assert events[0] == {"Type": "moved", "Player": "BOT_acme", "Moves": [[8, 4]]}
    assert events[1]["Moves"] == [[8, 4]]
    assert events[1]["Available"] == [[24, 22], [13, 11], [8, 6], [6, 4], [4, 2]]
    board = last_board(w.ask(me, "move 6/4"))
    assert board["Moves"] == [[8, 4], [6, 4]]
    assert not board["Available"]

    events = w.ask(me, "ok")
    assert types(events) == ["rolled", "board"], "in a 1-point match the server rolls"
    assert (events[0]["Player"], events[0]["Roll1"], events[0]["Roll2"]) == ("Guest_alice", 6, 6)
    assert (events[1]["Turn"], events[1]["Moves"]) == (2, [])
    assert events[1]["Available"] == [[17, 23], [12, 18], [1, 7]]
    for step in ("24/18", "24/18", "13/7", "13/7"):
        assert types(w.ask(alice, f"move {step}")) == ["moved", "board"]
    assert types(w.read(me)) == ["moved", "board"] * 4
    w.send(alice, "ok")
    events = w.read(me)
    assert types(events) == ["rolled", "board"]
    assert (events[0]["Player"], events[1]["Turn"], events[1]["Roll1"]) == ("BOT_acme", 1, 5)

    put(w, view({2: 1}, {24: 3, 20: 5}))
    events = w.ask(me, "move 2/off")
    assert types(events) == ["moved", "board", "win", "board"]
    assert events[0]["Moves"] == [[2, 0]]
    assert (events[1]["Winner"], events[1]["Player1"]["Points"]) == (1, 0)
    assert events[2] == {"Type": "win", "Player": "BOT_acme", "Points": 0, "Rating": 0, "Resigned": ""}
    assert (events[3]["Winner"], events[3]["Player1"]["Points"], events[3]["Points"]) == (1, 1, 1)
    assert w.ask(me, "leave") == [{"Type": "left", "Player": "BOT_acme"}]
    assert types(w.ask(me, "create public 1 0 Quick game"))[:2] == ["joined", "board"]


def test_double_and_take_seen_by_the_one_who_is_doubled() -> None:
    w, me, alice = started(3, [(1, 3), (4, 3), (6, 5), (3, 1)])
    for step in ("8/5", "6/5"):
        w.send(alice, f"move {step}")
    w.send(alice, "ok")
    w.send(me, "roll", "move 13/9", "move 13/10", "ok")
    w.raw(me)
    w.send(alice, "double")
    events = w.read(me)
    assert notices(events) == ["Guest_alice offers a double (2 points)."]
    board = last_board(events)
    shown = [board[k] for k in ("Turn", "Roll1", "Roll2", "DoubleValue", "DoublePlayer", "DoubleOffered")]
    assert shown == [2, 0, 0, 1, 0, True]
    events = w.ask(me, "ok")
    assert types(events) == ["notice", "board"]
    assert notices(events) == ["Accepted double."]
    board = last_board(events)
    shown = [board[k] for k in ("Turn", "DoubleValue", "DoublePlayer", "DoubleOffered")]
    assert shown == [2, 2, 1, False]
    w.send(alice, "roll")
    events = w.read(me)
    assert types(events) == ["rolled", "board"]
    assert (events[1]["Turn"], events[1]["Roll1"], events[1]["Roll2"]) == (2, 6, 5)


def test_drop_costs_three_points_with_the_back_checkers_at_home() -> None:
    w, me, alice = started(5, [(1, 3), (4, 3)])
    w.send(alice, "move 8/5", "move 6/5", "ok")
    w.send(me, "roll", "move 13/9", "move 13/10", "ok")
    w.send(alice, "double")
    w.raw(alice)
    events = w.ask(me, "resign")
    assert types(events) == ["notice", "win", "board"]
    assert notices(events) == ["Declined double offer."]
    assert events[1] == {
        "Type": "win", "Player": "Guest_alice", "Points": 3, "Rating": 0, "Resigned": "BOT_acme",
    }  # fmt: skip
    board = events[2]
    assert (board["Winner"], board["Turn"], board["Roll1"]) == (0, 0, 0)
    assert (board["Player1"]["Points"], board["Player2"]["Points"], board["Crawford"]) == (0, 3, 0)
    assert types(only(w.read(alice), "win")) == ["win"]
