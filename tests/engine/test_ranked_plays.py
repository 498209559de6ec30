"""The plays of a decision: made when they are looked at, and yet plain values."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine import rules
from botd.engine.engine import SageEngine
from botd.engine.gnubg_engine import GnubgEngine
from botd.engine.ranked_plays import packed, unpacked
from botd.engine.types import (
    STARTING_BOARD,
    Board,
    GameContext,
    Play,
    PlayDecision,
    Probabilities,
    RankedPlay,
)
from tests.rules.strategies import boards, dice

MONEY = GameContext()


@pytest.fixture(scope="session", params=["sage", "gnubg"])
def either(request: pytest.FixtureRequest, engine: SageEngine) -> SageEngine | GnubgEngine:
    return engine if request.param == "sage" else GnubgEngine.load(profile="A")


def choose(engine: SageEngine | GnubgEngine, dice: tuple[int, int] = (3, 1)) -> PlayDecision:
    return engine.choose_play(STARTING_BOARD, MONEY, dice, ply=0)


def written_out(plays: Sequence[RankedPlay]) -> tuple[RankedPlay, ...]:
    """The same entries, every field given by hand."""
    return tuple(
        RankedPlay(
            Play(entry.play.steps, entry.play.board, entry.play.notation),
            entry.equity,
            entry.cubeless_equity,
            Probabilities(*dataclasses.astuple(entry.probabilities)),
            entry.ply,
        )
        for entry in plays
    )


@settings(max_examples=60, deadline=None)
@given(board=boards(), roll=dice)
def test_every_legal_play_is_there_with_its_way_and_name(
    either: SageEngine | GnubgEngine, board: Board, roll: tuple[int, int]
) -> None:
    decision = either.choose_play(board, MONEY, roll, ply=0)
    legal = rules.legal_plays(board, roll)
    assert decision.legal_count == len(legal)
    made = [entry.play for entry in decision.plays]
    assert sorted(made, key=lambda play: play.board) == sorted(
        legal or [rules.no_play(board)], key=lambda play: play.board
    )


def test_they_act_as_a_tuple(either: SageEngine | GnubgEngine) -> None:
    plays = choose(either).plays
    plain = tuple(plays)
    assert len(plays) == len(plain) == 16
    assert plays == plain
    assert plain == plays
    assert plays == choose(either).plays
    assert plays != plain[1:]
    assert plays != list(plain)
    assert plays != choose(either, (2, 1)).plays
    assert hash(plays) == hash(plain)
    assert repr(plays) == repr(plain)
    assert plays[-1] == plain[-1]
    assert plays[2:7:2] == plain[2:7:2]
    assert list(reversed(plays)) == list(reversed(plain))
    assert plain[3] in plays
    assert plays.index(plain[3]) == 3
    assert plays.count(plain[0]) == 1
    assert isinstance(plays, Sequence)
    for place in (16, -17):
        with pytest.raises(IndexError):
            plays[place]


def test_an_entry_is_made_once(either: SageEngine | GnubgEngine) -> None:
    plays = choose(either).plays
    assert plays[1] is plays[1]
    assert plays[-1] is plays[15]
    assert plays[0].play is plays[0].play
    assert choose(either).best.probabilities == plays[0].probabilities


def test_entries_are_plain_values(either: SageEngine | GnubgEngine) -> None:
    plain = written_out(choose(either).plays)
    untouched = choose(either).plays
    assert untouched == plain
    assert repr(choose(either).best) == repr(plain[0])
    assert repr(plain[0]).startswith("RankedPlay(play=Play(steps=((8, 5), (6, 5)), board=(0, -2,")
    assert hash(choose(either).best) == hash(plain[0])
    assert dataclasses.asdict(choose(either).best) == dataclasses.asdict(plain[0])
    assert dataclasses.replace(choose(either).best, ply=3) == dataclasses.replace(plain[0], ply=3)
    match choose(either).best:
        case RankedPlay(play=Play(notation=notation), ply=0):
            assert notation == "8/5 6/5"
        case other:
            pytest.fail(f"{other!r} is no such value")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_decisions_and_their_parts_can_be_copied(either: SageEngine | GnubgEngine, copied) -> None:
    decision = choose(either)
    assert copied(decision) == decision
    assert copied(choose(either).plays) == decision.plays
    assert copied(choose(either).best) == decision.best
    assert dataclasses.replace(decision, plays=decision.plays[:3]).plays == decision.plays[:3]


@pytest.mark.parametrize("name", ["plays", "equities", "_ranking", "__deepcopy__"])
def test_other_names_are_no_attributes(name: str) -> None:
    entry = RankedPlay(rules.no_play(STARTING_BOARD), 0.0, 0.0, Probabilities(0.5, 0, 0, 0, 0), 0)
    assert not hasattr(entry, name)
    with pytest.raises(AttributeError):
        getattr(entry, name)


def test_entries_cannot_be_changed(either: SageEngine | GnubgEngine) -> None:
    decision = choose(either)
    with pytest.raises(dataclasses.FrozenInstanceError):
        decision.best.equity = 1.0
    with pytest.raises(TypeError):
        decision.plays[0] = decision.plays[1]


def test_they_outlive_their_engine() -> None:
    plays = SageEngine.load().choose_play(STARTING_BOARD, MONEY, (6, 5), ply=0).plays
    assert plays[0].play.notation == "24/13"


def test_a_dance_is_one_play_without_steps(either: SageEngine | GnubgEngine) -> None:
    closed = (0, *[2] * 6, *[0] * 12, *[-2] * 6, 3)
    decision = either.choose_play(closed, MONEY, (6, 1), ply=0)
    assert (len(decision.plays), decision.legal_count, decision.source) == (1, 0, "forced")
    assert decision.best.play == Play((), closed, "")


@pytest.mark.parametrize("field", ["match_length", "score_player", "cube_value", "max_cube", "seat"])
@pytest.mark.parametrize("value", ["1", 1.5, 10**30, -(10**30), (), b"1"])
def test_a_context_of_other_types_is_refused(
    either: SageEngine | GnubgEngine, field: str, value: object
) -> None:
    context = dataclasses.replace(GameContext(match_length=5), **{field: value})
    with pytest.raises(ValueError, match="expected"):
        either.choose_play(STARTING_BOARD, context, (3, 1), ply=0)


@pytest.mark.parametrize("field", ["cube_owner", "scoring"])
@pytest.mark.parametrize("value", ["", "nobody", None, 3, "player\0"])
def test_names_in_a_context_are_checked(either: SageEngine | GnubgEngine, field: str, value: object) -> None:
    context = dataclasses.replace(GameContext(match_length=5), **{field: value})
    with pytest.raises(ValueError, match="expected"):
        either.choose_play(STARTING_BOARD, context, (3, 1), ply=0)


def test_boards_and_dice_may_be_any_iterables(either: SageEngine | GnubgEngine) -> None:
    plain = choose(either)
    assert either.choose_play(list(STARTING_BOARD), MONEY, [3, 1], ply=0) == plain
    assert either.choose_play((n for n in STARTING_BOARD), MONEY, iter((3, 1)), ply=0) == plain
    for dice_ in ((3,), (3, 1, 1), (0, 1), (3, 7), (3, 1.0), (True, 3), "31", (3, 10**30)):
        with pytest.raises(ValueError, match="dice: expected two integers from 1 to 6"):
            either.choose_play(STARTING_BOARD, MONEY, dice_, ply=0)
    for no_dice in (None, 3):
        with pytest.raises(TypeError):
            either.choose_play(STARTING_BOARD, MONEY, no_dice, ply=0)


@settings(max_examples=60, deadline=None)
@given(board=boards(), roll=dice)
def test_a_packed_decision_is_the_same_on_arrival(
    either: SageEngine | GnubgEngine, board: Board, roll: tuple[int, int]
) -> None:
    decision = either.choose_play(board, MONEY, roll, ply=0)
    data = packed(decision)
    assert data is not None
    assert len(data) < 100 * len(decision.plays)
    assert unpacked(data) == decision


def test_decisions_that_were_changed_or_made_by_hand_are_not_packed(either: SageEngine | GnubgEngine) -> None:
    decision = choose(either)
    for changed in ({"source": "book"}, {"ply": 1}, {"legal_count": 3}, {"plays": tuple(decision.plays)}):
        assert packed(dataclasses.replace(decision, **changed)) is None


@settings(max_examples=300)
@given(data=st.data())
def test_bytes_that_no_decision_packs_to_are_refused(engine: SageEngine, data: st.DataObject) -> None:
    roll = data.draw(dice)
    good = packed(choose(engine, roll))
    assert good is not None
    cut = data.draw(st.integers(0, len(good)))
    bad = data.draw(
        st.sampled_from([good[:cut], good[cut:], good + good[:cut], b""])
        | st.binary(max_size=200)
        | st.builds(lambda byte: good[:cut] + bytes([byte]) + good[cut + 1 :], st.integers(0, 255))
    )
    try:
        decision = unpacked(bad)
    except ValueError as error:
        assert str(error).startswith("ranking: expected")  # noqa: PT017
    else:  # a digit of a number
        legal = {play.board for play in rules.legal_plays(STARTING_BOARD, roll)}
        assert {entry.play.board for entry in decision.plays} == legal


@pytest.mark.parametrize(
    ("at", "value", "expected"),
    [
        (0, 16, "position"),
        (26, 7, "dice"),
        (28, 101, "depth"),
        (29, 2, "flag"),
        (30 + 7, 0x7F, "finite"),
        (30 + 36, 1, "results of the roll"),
    ],
)
def test_each_part_of_a_packed_decision_is_checked(
    engine: SageEngine, at: int, value: int, expected: str
) -> None:
    data = bytearray(packed(choose(engine)) or b"")
    data[at] = value
    if expected == "finite":
        data[at - 1] = 0xF0
    with pytest.raises(ValueError, match=expected):
        unpacked(bytes(data))


def test_a_result_cannot_be_there_twice_or_missing(engine: SageEngine) -> None:
    data = packed(choose(engine)) or b""
    size = (len(data) - 30) // 16
    with pytest.raises(ValueError, match="every result once"):
        unpacked(data[: 30 + size] + data[30 : 30 + size] + data[30 + 2 * size :])
    with pytest.raises(ValueError, match="every result of the roll"):
        unpacked(data[:-size])
