"""Decisions, analysis and levels: answers on the command line and in batches."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine import match_id, position_id, rules
from botd.engine.levels import LEVELS
from botd.engine.match_id import MatchState
from botd.engine.types import Board, GameContext
from botd.engine_cli.answers import answer
from botd.engine_cli.batch import answer_line
from botd.engine_cli.main import main
from botd.engine_cli.requests import Request, Settings
from tests.rules.strategies import boards, dice

START = "4HPwATDgc/ABMA"
MONEY = "cAkAAAAAAAAA"
GOOD = "9N5LAAC6u0sAAA"
DANCE = ("a9s2AADvAACAAA", "cAkGAAAAAAAA")
STATIC = Settings(ply=0)
BEAR_OFF: Board = (0, 1, 2, 2, 2, 2, 2, *(0,) * 12, -2, -2, -2, -2, -2, -1, 0)
LOST_RACE: Board = (0, *(0,) * 6, 5, 5, 5, *(0,) * 14, -1, 0)
"""One opposing checker on its ace point against fifteen far from home, none borne off: a gammon is lost."""


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status = main(arguments)
    captured = capsys.readouterr()
    assert (status, captured.err) == (0, "")
    result: dict[str, Any] = json.loads(captured.out)
    return result


def batch(**fields: Any) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(answer_line(json.dumps(fields).encode(), STATIC))
    return result


def test_bestmove_is_the_first_of_the_ranking(capsys: pytest.CaptureFixture[str]) -> None:
    best = ask(capsys, "--ply", "1", "bestmove", START, MONEY, "5", "2")
    first = ask(capsys, "--ply", "1", "reference", START, MONEY, "2", "5")["moves"]["ranking"][0]
    assert (best["move"], best["equity"], best["ply"]) == (first["move"], first["equity"], 1)
    assert best["source"] == "search"
    legal = ask(capsys, "legal", START, "5", "2")
    assert best["position_id"] == legal["positions"][legal["moves"].index(best["move"])]


@pytest.mark.parametrize(
    ("position", "roll", "options", "source"),
    [
        (START, (3, 1), [], "search"),
        (START, (3, 1), ["--level", "easy"], "book"),
        (START, (6, 5), ["--level", "easy"], "search"),
        (position_id.encode(BEAR_OFF), (6, 1), [], "bearoff"),
        (DANCE[0], (4, 1), [], "forced"),
        ("AgAAgAAAAAAAAA", (2, 1), [], "forced"),
    ],
)
def test_bestmove_says_where_it_is_from(
    capsys: pytest.CaptureFixture[str], position: str, roll: tuple[int, int], options: list[str], source: str
) -> None:
    depth = options or ["--ply", "0"]
    assert ask(capsys, *depth, "bestmove", position, MONEY, *map(str, roll))["source"] == source


def test_a_dance_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    best = ask(capsys, "--ply", "0", "bestmove", *DANCE)
    assert (best["move"], best["position_id"], best["source"]) == ("", DANCE[0], "forced")
    analysis = ask(capsys, "--ply", "0", "analysemove", *DANCE)
    assert (analysis["move_count"], analysis["ranking"], analysis["equity_loss"]) == (0, [], 0)


def test_cube_is_that_of_reference_with_an_action(capsys: pytest.CaptureFixture[str]) -> None:
    for position, action, response in ((START, "no_double", "beaver"), (GOOD, "double", "take")):
        cube = ask(capsys, "--ply", "1", "cube", position, MONEY)
        assert (cube.pop("action"), cube.pop("response")) == (action, response)
        assert cube == ask(capsys, "--ply", "1", "reference", position, MONEY)["cube"]


def test_levels_play_the_cube_by_habit(capsys: pytest.CaptureFixture[str]) -> None:
    actions = {
        level: ask(capsys, "--level", level, "cube", GOOD, MONEY)["action"]
        for level in ("easy", "medium", "hard")
    }
    assert actions == {"easy": "no_double", "medium": "double", "hard": "double"}


def test_a_level_brings_its_filter(capsys: pytest.CaptureFixture[str]) -> None:
    ranking = ask(capsys, "--level", "world-class", "reference", START, MONEY, "5", "2")["moves"]["ranking"]
    depths = [play["ply"] for play in ranking]
    assert depths[0] == 2
    assert depths == sorted(depths, reverse=True)
    assert 0 in depths


def test_noisy_levels_repeat(capsys: pytest.CaptureFixture[str]) -> None:
    answers = [ask(capsys, "--level", "beginner", "reference", START, MONEY, "6", "2") for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0] != ask(capsys, "--level", "expert", "reference", START, MONEY, "6", "2")


def test_analysemove_judges_a_play(capsys: pytest.CaptureFixture[str]) -> None:
    analysis = ask(capsys, "--ply", "0", "analysemove", START, MONEY, "3", "1", "6/3", "24/23")
    assert list(analysis) == [
        "played_move",
        "played_position_id",
        "move_count",
        "rank",
        "played_equity",
        "best_move",
        "best_equity",
        "equity_loss",
        "skill",
        "ranking",
    ]
    assert analysis["played_move"] == "24/23 6/3"
    assert analysis["best_move"] == "8/5 6/5"
    assert analysis["skill"] == "very_bad"
    played = analysis["ranking"][analysis["rank"] - 1]
    assert (played["move"], played["equity"]) == ("24/23 6/3", analysis["played_equity"])
    assert analysis["equity_loss"] == played["equity_diff"]
    # Words, one argument, dice from the identifier, a batch: the same question.
    assert ask(capsys, "--ply", "0", "analysemove", START, MONEY, "1", "3", "24/23 6/3") == analysis
    rolled = match_id.encode(MatchState(GameContext(jacoby=True), dice=(3, 1)))
    assert ask(capsys, "--ply", "0", "analysemove", START, rolled, "24/23", "6/3") == analysis
    line = batch(
        op="analysemove", position_id=START, match_id=MONEY, dice=[3, 1], move="6/3, 24/23", level="0ply"
    )
    assert line == {"id": None, **analysis}


def test_the_ranking_reaches_down_to_the_play_made(capsys: pytest.CaptureFixture[str]) -> None:
    legal = ask(capsys, "legal", START, "3", "1")["moves"]
    lengths = {
        analysis["rank"]: len(analysis["ranking"])
        for move in legal
        for analysis in [ask(capsys, "--ply", "0", "analysemove", START, MONEY, "3", "1", move)]
    }
    assert lengths == {rank: max(10, rank) for rank in range(1, 17)}


def test_analysecube_judges_an_action(capsys: pytest.CaptureFixture[str]) -> None:
    losses = {}
    for action in ("no_double", "double", "take", "pass"):
        analysis = ask(capsys, "--ply", "1", "analysecube", GOOD, MONEY, action)
        assert analysis["analysed"] is True
        assert analysis["cube"] == ask(capsys, "--ply", "1", "reference", GOOD, MONEY)["cube"]
        losses[action] = analysis["equity_loss"]
    cube = analysis["cube"]
    assert losses["double"] == losses["take"] == 0
    assert losses["no_double"] == pytest.approx(cube["no_double"] - cube["double_take"], abs=1e-6)
    assert losses["pass"] == pytest.approx(cube["double_take"] - 1, abs=1e-6)
    assert analysis["skill"] in ("bad", "very_bad")
    start = ask(capsys, "analysecube", START, MONEY, "double")
    assert start == {"analysed": False, "cube": None, "equity_loss": 0, "skill": "none"}


def test_luck_has_a_value_and_a_rating(capsys: pytest.CaptureFixture[str]) -> None:
    good = ask(capsys, "luck", START, MONEY, "3", "1")
    assert good["value"] > 0
    assert good["rating"] == "very_lucky"
    assert ask(capsys, "--ply", "2", "luck", START, MONEY, "1", "3") == good
    poor = ask(capsys, "luck", GOOD, MONEY, "2", "1")
    assert poor["rating"] == "very_unlucky"


def test_levels_are_listed_with_their_figures(capsys: pytest.CaptureFixture[str]) -> None:
    by_name = {level["name"]: level for level in ask(capsys, "levels")["levels"]}
    assert list(by_name) == list(LEVELS)
    assert all({"plies", "noise", "filter", "prune"} <= level.keys() for level in by_name.values())
    assert by_name["world class"] == {
        "name": "world class",
        "plies": 2,
        "noise": 0,
        "filter": "normal",
        "prune": True,
    }
    assert by_name["beginner"]["noise"] == 0.06
    assert by_name["easy"]["parameters"]["easy_noise"] == 0.3
    assert by_name["medium"]["parameters"]["doubling"]["most_wins"] == 0.88
    assert by_name["hard"]["filter"] == "15,0,0"


def test_a_certain_loss_is_resigned_and_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    lost = position_id.encode(LOST_RACE)
    resign = ask(capsys, "--ply", "1", "resign", lost, "UQkAAAAAAAAA")  # the cube was turned: gammons count
    assert resign["resign"] >= 1
    assert resign["resign_equity"] == -resign["resign"]
    assert ask(capsys, "--ply", "1", "resign", START, MONEY)["resign"] == 0
    offer = str(resign["resign"])
    assert ask(capsys, "resign", START, MONEY, offer)["accept"] is True
    assert ask(capsys, "resign", START, MONEY, "offer", offer)["decides"] == "player"


def test_offers_are_judged_by_the_side_to_act(capsys: pytest.CaptureFixture[str]) -> None:
    """A gammon lost for certain, offered as a single game: a refusal if the other side decides."""
    context = GameContext(cube_value=2)
    state = MatchState(context, resignation_offered=1)
    lost = position_id.encode(LOST_RACE)
    answered = dataclasses.replace(state, to_act=1 - state.on_roll)
    by_opponent = ask(capsys, "--ply", "1", "resign", lost, match_id.encode(answered))
    assert (by_opponent["offer"], by_opponent["accept"], by_opponent["decides"]) == (1, False, "opponent")
    assert by_opponent["resign_equity"] == -1
    assert by_opponent["equity"] < -1.9
    two = match_id.encode(dataclasses.replace(answered, resignation_offered=2))
    assert ask(capsys, "--ply", "1", "resign", lost, two)["accept"] is True
    by_player = ask(capsys, "--ply", "1", "resign", lost, match_id.encode(state))
    assert (by_player["accept"], by_player["decides"], by_player["resign_equity"]) == (True, "player", 1)


def test_offers_in_argument_and_identifier_must_agree(capsys: pytest.CaptureFixture[str]) -> None:
    state = match_id.encode(MatchState(GameContext(), resignation_offered=2))
    assert ask(capsys, "--ply", "0", "resign", START, state, "2")["offer"] == 2
    assert main(["--ply", "0", "resign", START, state, "1"]) == 2
    assert "offer: expected 2 as in the identifier, got 1" in capsys.readouterr().err


def test_an_offer_after_the_roll_is_judged_after_the_best_play(capsys: pytest.CaptureFixture[str]) -> None:
    rolled = match_id.encode(MatchState(GameContext(), dice=(6, 6), resignation_offered=1))
    before = ask(capsys, "--ply", "1", "resign", GOOD, MONEY, "1")
    after = ask(capsys, "--ply", "1", "resign", GOOD, rolled)
    assert after["equity"] > before["equity"]


def test_a_ply_of_a_line_replaces_the_level_of_the_options() -> None:
    line = {"op": "bestmove", "position_id": START, "match_id": MONEY, "dice": [3, 1]}
    level = Settings(level="easy")
    assert json.loads(answer_line(json.dumps(line).encode(), level))["source"] == "book"
    assert json.loads(answer_line(json.dumps({**line, "ply": 0}).encode(), level))["source"] == "search"


@settings(max_examples=40)
@given(board=boards(), roll=dice)
def test_answers_agree_on_any_position(board: Board, roll: tuple[int, int]) -> None:
    """reference, bestmove, legal and analysemove see the same plays."""
    fields = {"settings": STATIC, "position_id": position_id.encode(board), "match_id": MONEY, "dice": roll}
    best = answer(Request(op="bestmove", **fields))
    moves = answer(Request(op="reference", **fields))["moves"]
    plays = rules.legal_plays(board, roll)
    assert moves["legal_move_count"] == len(plays)
    analysis = answer(Request(op="analysemove", move=best["move"], **fields))
    assert (analysis["rank"], analysis["equity_loss"], analysis["played_move"]) == (1, 0, best["move"])
    assert analysis["ranking"] == moves["ranking"]
    assert analysis["played_position_id"] == best["position_id"]


_WORDS = st.sampled_from([START, MONEY, GOOD, *DANCE, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"])
_LINES = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(),
        "op": st.sampled_from(
            [
                "reference",
                "legal",
                "bestmove",
                "cube",
                "analysemove",
                "analysecube",
                "luck",
                "levels",
                "resign",
            ]
        )
        | st.text(max_size=5),
        "position_id": _WORDS | st.text(max_size=14),
        "match_id": _WORDS | st.text(max_size=12),
        "xgid": _WORDS,
        "dice": st.lists(st.integers(-1, 7), min_size=1, max_size=3),
        "move": st.sampled_from(["8/5 6/5", "8/5*", "bar/off(4)", "6/off"]) | st.text(max_size=12),
        "action": st.sampled_from(["double", "take", "no_double", "pass", ""]),
        "offer": st.integers(-1, 4),
        "ply": st.integers(-1, 1) | st.just(9),
        "level": st.sampled_from(["easy", "medium", "expert", "beginner", "1ply", "?"]),
        "evaluator": st.sampled_from(["sage", "gnubg", "puretd", "nobody"]),
        "mode": st.sampled_from(["exact", "fast", ""]),
        "budget_s": st.sampled_from([0.001, 0, -1, 1e9]),
        "profile": st.sampled_from(["A", "B", "C"]),
    },
)


@settings(max_examples=300)
@given(line=_LINES)
def test_any_request_has_one_line_of_answer(line: dict[str, Any]) -> None:
    text = answer_line(json.dumps(line).encode(), STATIC)
    assert "\n" not in text
    result = json.loads(text)
    assert result["id"] == line.get("id")
    if "error" in result:
        assert set(result["error"]) == {"kind", "message"}
        assert result["error"]["kind"] in ("request", "position", "data", "unsupported")
        assert 0 < len(result["error"]["message"]) < 600
        assert "\n" not in result["error"]["message"]
