"""Decisions of the puretd evaluator against their definitions, with small random networks of every kind."""

from __future__ import annotations

import random
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from botd import _core
from botd.engine import position_id, rules
from botd.engine.network_file import Layer, NetworkFile, NetworkKind, write_network
from botd.engine.protocol import Engine, EvaluatingEngine, UnsupportedGame, load_engine
from botd.engine.puretd_engine import MAX_PLY, DeadlineExceeded, PuretdEngine
from botd.engine.types import STARTING_BOARD, Board, CubeOwner, GameContext, Probabilities, TakeAction
from tests.puretd.conftest import KINDS
from tests.puretd.naive import Naive, inputs
from tests.puretd.vectors import board_of, records
from tests.tolerances import PURETD_VALUE

CONTEXTS = [GameContext(cube_owner=owner, jacoby=jacoby) for owner in CubeOwner for jacoby in (True, False)]
LAST_GAME = GameContext(match_length=5, score_player=4, score_opponent=4)


def context_for(name: str, context: GameContext) -> GameContext:
    return LAST_GAME if name == "win" else context


def some_positions(count: int) -> Iterator[tuple[Board, tuple[int, int]]]:
    """Positions of random games with a roll, the last ones of a game, too."""
    rng = random.Random(3)
    board = STARTING_BOARD
    while count:
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        yield board, dice
        count -= 1
        plays = _core.legal_plays(board, *dice)
        # Now and then a bear-off, so that games end.
        board = rules.mirrored(rng.choice(plays)[1] if plays else board)
        if rng.random() < 0.03 or rules.game_result(board):
            board = position_id.decode(rng.choice(["HwAAAAMAAAAAAA", "BwAAgAEAAAAAAA", "fwAAAAMAAAAAAA"]))


POSITIONS = list(some_positions(160))


def test_inputs_of_recorded_positions() -> None:
    for record in records("inputs"):
        expected = [record["input"].get(str(i), 0.0) for i in range(196)]
        assert _core.puretd_inputs(board_of(record)) == pytest.approx(expected, abs=1e-7)


def test_inputs_of_any_position() -> None:
    for board, _ in POSITIONS:
        assert _core.puretd_inputs(board) == pytest.approx(inputs(board), abs=1e-12)


def test_plays_where_the_larger_die_alone_is_playable() -> None:
    """PureTD finds none of these when the larger die comes first."""
    for record in records("movegen_defect_cases"):
        for dice in (record["dice"], record["dice"][::-1]):
            plays = rules.legal_plays(board_of(record), tuple(dice))
            assert len(plays) == record["legal"]
            # Recorded with the opponent on roll.
            results = {position_id.encode(rules.mirrored(play.board)) for play in plays}
            assert results == set(record["results"])


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("kernels", _core.dense_kernels())
def test_outputs(name: str, kernels: str, naives: dict[str, Naive], network_files: dict[str, Path]) -> None:
    evaluator = _core.PuretdEvaluator.load(network_files[name], kernels=kernels)
    boards = [board for board, _ in POSITIONS]
    for cube in CubeOwner:
        for moment in (False, True):
            found = evaluator.outputs(boards, cube.value, moment)
            for board, outputs in zip(boards, found, strict=True):
                expected = naives[name].outputs(board, cube, cube_moment=moment)
                assert outputs == pytest.approx(expected, abs=PURETD_VALUE)


@pytest.mark.parametrize("name", KINDS)
def test_plays_without_a_search(
    name: str, naives: dict[str, Naive], small_engines: dict[str, PuretdEngine]
) -> None:
    for i, (board, dice) in enumerate(POSITIONS):
        context = context_for(name, CONTEXTS[i % len(CONTEXTS)])
        decision = small_engines[name].choose_play(board, context, dice, ply=0)
        legal = rules.legal_plays(board, dice)
        assert decision.legal_count == len(legal)
        assert {entry.play.board for entry in decision.plays} == {play.board for play in legal} | (
            {board} if not legal else set()
        )
        equities = [entry.equity for entry in decision.plays]
        assert equities == sorted(equities, reverse=True)
        for entry in decision.plays:
            expected = naives[name].v(entry.play.board, context)
            assert entry.equity == pytest.approx(expected, abs=PURETD_VALUE)
            assert entry.ply == 0
            assert (entry.probabilities is None) == (name != "prob5")


@pytest.mark.parametrize("name", KINDS)
def test_plays_one_roll_deep(
    name: str, naives: dict[str, Naive], small_engines: dict[str, PuretdEngine]
) -> None:
    few = [(board, dice) for board, dice in POSITIONS if len(rules.legal_plays(board, dice)) in (0, 1, 2)][:8]
    assert len(few) > 3
    for i, (board, dice) in enumerate(few):
        context = context_for(name, CONTEXTS[i % len(CONTEXTS)])
        decision = small_engines[name].choose_play(board, context, dice, ply=1)
        for entry in decision.plays:
            expected = naives[name].play_1ply(entry.play.board, context)
            assert entry.equity == pytest.approx(expected, abs=PURETD_VALUE)
            assert entry.ply == 1


@pytest.mark.parametrize("ply", range(MAX_PLY + 1))
def test_cube_decisions(ply: int, naives: dict[str, Naive], small_engines: dict[str, PuretdEngine]) -> None:
    names = set()
    for i, (board, _) in enumerate(POSITIONS[: 160 if ply == 0 else 12]):
        context = CONTEXTS[i % len(CONTEXTS)]
        naive = naives["cubeful"]
        theirs = GameContext(cube_owner=CubeOwner.OPPONENT, jacoby=context.jacoby)
        if ply == 0:
            nd = naive.n(board, context.cube_owner, cube_moment=False)
            dt = 2 * naive.n(board, CubeOwner.OPPONENT, cube_moment=False)
        else:
            nd, dt = naive.v1(board, context), 2 * naive.v1(board, theirs)
        doubles, takes, value = naive.cube(nd, dt, context)
        available = context.cube_owner is not CubeOwner.OPPONENT
        decision = small_engines["cubeful"].cube_action(board, context, ply=ply)
        assert decision.no_double == pytest.approx(nd, abs=PURETD_VALUE)
        assert decision.double_take == pytest.approx(dt, abs=PURETD_VALUE)
        assert decision.double_pass == 1
        if min(abs(dt - 1), abs(dt - nd), abs(nd - 1)) > PURETD_VALUE:
            assert decision.double == (doubles and available)
            assert decision.response == (TakeAction.TAKE if takes else TakeAction.PASS)
            assert decision.optimal == pytest.approx(value if available else nd, abs=PURETD_VALUE)
        assert decision.probabilities is None
        assert decision.cubeless_equity is None
        names.add(decision.decision)
        assert small_engines["cubeful"].take_action(board, context, ply=ply) == decision
    if ply == 0:
        assert {
            *("DOUBLE_TAKE", "DOUBLE_PASS", "NODOUBLE_TAKE", "TOOGOOD_PASS", "NOT_AVAILABLE"),
            *("REDOUBLE_TAKE", "REDOUBLE_PASS", "NO_REDOUBLE_TAKE", "TOOGOODRE_PASS"),
        } == names


def test_too_good_to_double_is_for_gammons_only(small_engines: dict[str, PuretdEngine]) -> None:
    """Under the Jacoby rule a centred cube is always turned when the opponent would pass."""
    held = 0
    for board, _ in POSITIONS:
        plain = small_engines["cubeful"].cube_action(board, GameContext(), ply=0)
        jacoby = small_engines["cubeful"].cube_action(board, GameContext(jacoby=True), ply=0)
        if plain.decision == "TOOGOOD_PASS":
            held += 1
            assert jacoby.decision == "DOUBLE_PASS"
    assert held


@pytest.mark.parametrize("name", ["cubeless", "prob5", "win"])
def test_cubeless_networks_never_double_and_take_everything(
    name: str, small_engines: dict[str, PuretdEngine]
) -> None:
    for board, _ in POSITIONS[:40]:
        for context in [LAST_GAME] if name == "win" else CONTEXTS:
            decision = small_engines[name].cube_action(board, context, ply=0)
            assert not decision.double
            assert decision.response == TakeAction.TAKE
            assert decision.decision == ("NODOUBLE_DEADCUBE" if name == "win" else "NOT_AVAILABLE")


@pytest.mark.parametrize("name", KINDS)
def test_evaluations(name: str, naives: dict[str, Naive], small_engines: dict[str, PuretdEngine]) -> None:
    for i, (board, _) in enumerate(POSITIONS[:30]):
        context = context_for(name, CONTEXTS[i % len(CONTEXTS)])
        probabilities, equity = small_engines[name].evaluate(board, context, ply=0)
        naive = naives[name]
        assert equity == pytest.approx(
            naive.n(board, context.cube_owner, cube_moment=False), abs=PURETD_VALUE
        )
        if i < 3:
            _, deep = small_engines[name].evaluate(board, context, ply=1)
            assert deep == pytest.approx(naive.v1(board, context), abs=PURETD_VALUE)
        if name != "prob5":
            assert probabilities is None
            continue
        assert probabilities is not None
        assert probabilities.win_backgammon <= probabilities.win_gammon <= probabilities.win
        assert probabilities.lose_backgammon <= probabilities.lose_gammon <= 1 - probabilities.win + 1e-7
        p = probabilities
        cubeless = 2 * p.win - 1 + p.win_gammon + p.win_backgammon - p.lose_gammon - p.lose_backgammon
        assert equity == pytest.approx(cubeless, abs=PURETD_VALUE)


def test_probabilities_one_roll_deep_belong_to_the_equity(small_engines: dict[str, PuretdEngine]) -> None:
    for board, dice in POSITIONS[:6]:
        p, equity = small_engines["prob5"].evaluate(board, GameContext(), ply=1)
        assert p is not None
        assert equity == pytest.approx(_cubeless(p), abs=PURETD_VALUE)
        for entry in small_engines["prob5"].choose_play(board, GameContext(), dice, ply=1).plays[:2]:
            assert entry.probabilities is not None
            assert entry.equity == pytest.approx(_cubeless(entry.probabilities), abs=PURETD_VALUE)
            assert entry.cubeless_equity == entry.equity


def _cubeless(p: Probabilities) -> float:
    return 2 * p.win - 1 + p.win_gammon + p.win_backgammon - p.lose_gammon - p.lose_backgammon


def test_equal_values_are_settled_by_what_comes_without_the_double(tmp_path: Path) -> None:
    """A network that says about -0.8: the opponent doubles out every play, all are worth exactly -1."""
    rng = random.Random(1)
    weights = [rng.uniform(-0.01, 0.01) for _ in range(200)]
    layer = Layer(200, 1, struct.pack("<200f", *weights), struct.pack("<f", -0.8))
    file = NetworkFile(NetworkKind.CUBEFUL_EQUITY, "cubeful_perspective196", (layer,), "a test", "MIT")
    write_network(file, tmp_path / "network")
    engine = PuretdEngine.load(tmp_path / "network")
    decision = engine.choose_play(STARTING_BOARD, GameContext(), (6, 5), ply=1)
    assert {entry.equity for entry in decision.plays} == {-1.0}
    without = [-Naive(file).v1(rules.mirrored(entry.play.board), GameContext()) for entry in decision.plays]
    assert without == pytest.approx(sorted(without, reverse=True), abs=PURETD_VALUE)
    assert without[0] > without[-1] + PURETD_VALUE


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("cubeful", GameContext(match_length=1)),
        ("cubeful", GameContext(match_length=5, score_player=2)),
        ("cubeless", GameContext(match_length=7)),
        ("prob5", LAST_GAME),
        ("win", GameContext()),
        ("win", GameContext(match_length=5, score_player=4)),
        ("win", GameContext(match_length=5, score_player=3, score_opponent=3)),
    ],
)
def test_games_that_a_network_does_not_know(
    name: str, context: GameContext, small_engines: dict[str, PuretdEngine]
) -> None:
    engine = small_engines[name]
    for ask in (
        lambda: engine.choose_play(STARTING_BOARD, context, (3, 1), ply=0),
        lambda: engine.cube_action(STARTING_BOARD, context, ply=0),
        lambda: engine.take_action(STARTING_BOARD, context, ply=0),
        lambda: engine.evaluate(STARTING_BOARD, context, ply=0),
        lambda: engine.offer_resignation(STARTING_BOARD, context, ply=0),
        lambda: engine.judge_resignation(STARTING_BOARD, context, 1, on_roll=True, ply=0),
    ):
        with pytest.raises(UnsupportedGame, match=r"^puretd: a network of kind .*, expected .*, got "):
            ask()


def test_resignations(small_engines: dict[str, PuretdEngine]) -> None:
    engine = small_engines["cubeful"]
    # He needs one roll, we many: a gammon is lost if none of ours is off yet.
    board = [0] * 26
    board[20], board[24] = 15, -1
    lost = engine.offer_resignation(tuple(board), GameContext(cube_owner=CubeOwner.OPPONENT), ply=0)
    assert lost.level == 3
    assert lost.resign_equity == -3
    assert engine.offer_resignation(tuple(board), GameContext(jacoby=True), ply=0).level == 1
    assert engine.offer_resignation(STARTING_BOARD, GameContext(), ply=0).level == 0
    for on_roll in (True, False):
        for level in (1, 2, 3):
            judged = engine.judge_resignation(
                STARTING_BOARD, GameContext(cube_owner=CubeOwner.OPPONENT), level, on_roll=on_roll, ply=0
            )
            assert judged.resign_equity == level
            assert judged.accept == (level >= judged.equity)
            assert judged.probabilities is None
    with pytest.raises(ValueError, match="level 1, 2 or 3"):
        engine.judge_resignation(STARTING_BOARD, GameContext(), 4, on_roll=True, ply=0)


def test_impossible_input(small_engines: dict[str, PuretdEngine]) -> None:
    engine = small_engines["cubeful"]
    over = tuple(-1 if i == 1 else 0 for i in range(26))
    with pytest.raises(ValueError, match="game in progress"):
        engine.choose_play(over, GameContext(), (3, 1), ply=0)
    with pytest.raises(ValueError, match="board"):
        engine.evaluate((1, 2), GameContext(), ply=0)
    with pytest.raises(ValueError, match="dice"):
        engine.choose_play(STARTING_BOARD, GameContext(), (7, 1), ply=0)
    for ply in (-1, MAX_PLY + 1):
        with pytest.raises(ValueError, match="ply"):
            engine.cube_action(STARTING_BOARD, GameContext(), ply=ply)


def test_a_deadline_that_has_passed(small_engines: dict[str, PuretdEngine]) -> None:
    engine = small_engines["cubeful"]
    with pytest.raises(DeadlineExceeded):
        engine.choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=1, deadline_s=0.0)
    with pytest.raises(DeadlineExceeded):
        engine.cube_action(STARTING_BOARD, GameContext(), ply=0, deadline_s=-1.0)
    assert (
        engine.choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=1, deadline_s=600.0).legal_count == 16
    )


def test_threads_share_an_engine(small_engines: dict[str, PuretdEngine]) -> None:
    engine = small_engines["cubeful"]
    expected = [engine.choose_play(board, GameContext(), dice, ply=0) for board, dice in POSITIONS]
    wrong: list[int] = []

    def work() -> None:
        for i, (board, dice) in enumerate(POSITIONS):
            if engine.choose_play(board, GameContext(), dice, ply=0) != expected[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_loading(network_files: dict[str, Path], tmp_path: Path) -> None:
    engine = load_engine(f"puretd:{network_files['cubeful']}")
    assert isinstance(engine, PuretdEngine)
    assert isinstance(engine, Engine)
    assert isinstance(engine, EvaluatingEngine)
    assert engine.info.evaluator == "puretd"
    assert engine.info.cpu_path in _core.cpu_paths()
    assert list(engine.info.weights_files) == [str(network_files["cubeful"])]
    assert engine.licence == "MIT"
    assert PuretdEngine.load(network_files["win"], cpu_path="plain").info.cpu_path == "plain"
    with pytest.raises(ValueError, match="puretd:FILE"):
        load_engine("puretd")
    with pytest.raises(_core.DataError, match="no such file"):
        load_engine(f"puretd:{tmp_path / 'missing'}")
    with pytest.raises(ValueError, match="expected one of plain"):
        PuretdEngine.load(network_files["win"], cpu_path="sparc")


@pytest.mark.parametrize(
    ("kind", "encoding", "size", "expected"),
    [
        (NetworkKind.CUBEFUL_EQUITY, "perspective196", 196, "expected 'cubeful_perspective196', 200 of them"),
        (NetworkKind.WIN, "cubeful_perspective196", 200, "expected 'perspective196', 196 of them"),
        (NetworkKind.WIN, "perspective196", 195, "196 of them"),
        (NetworkKind.ROUGH_EQUITY, "perspective196", 196, "expected one that values positions"),
    ],
)
def test_networks_of_other_inputs(
    kind: NetworkKind, encoding: str, size: int, expected: str, tmp_path: Path
) -> None:
    layer = Layer(size, 1, bytes(4 * size), bytes(4))
    write_network(NetworkFile(kind, encoding, (layer,), "a test", "MIT"), tmp_path / "network")
    with pytest.raises(_core.DataError, match=expected):
        PuretdEngine.load(tmp_path / "network")
