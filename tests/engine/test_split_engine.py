"""One engine for money play, another for matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from botd.engine.fast_engine import FastEngine
from botd.engine.network_file import Layer, NetworkFile, NetworkKind, write_network
from botd.engine.protocol import Engine, load_engine
from botd.engine.puretd_engine import PuretdEngine
from botd.engine.random_player import RandomPlayer
from botd.engine.split_engine import SplitEngine
from botd.engine.types import STARTING_BOARD, GameContext

MONEY, MATCH = GameContext(), GameContext(match_length=3)


@pytest.fixture(name="network")
def _network(tmp_path: Path) -> Path:
    layer = Layer(200, 1, bytes(800), bytes(4))
    network = NetworkFile(NetworkKind.CUBEFUL_EQUITY, "cubeful_perspective196", (layer,), "a test", "MIT")
    write_network(network, tmp_path / "a+b.net")
    return tmp_path / "a+b.net"


def test_every_decision_is_that_of_the_engine_for_the_game() -> None:
    money, matches = RandomPlayer(seed=1), RandomPlayer(seed=2)
    engine = SplitEngine(money, matches)
    assert isinstance(engine, Engine)
    assert engine.info.evaluator == "random+random"
    for context, player in ((MONEY, money), (MATCH, matches)):
        for dice in ((3, 1), (6, 5), (2, 2), (4, 4), (5, 1)):
            play = engine.choose_play(STARTING_BOARD, context, dice, ply=0)
            assert play == player.choose_play(STARTING_BOARD, context, dice, ply=0)
        assert engine.cube_action(STARTING_BOARD, context, ply=0) == player.cube_action(
            STARTING_BOARD, context, ply=0
        )
        assert engine.take_action(STARTING_BOARD, context, ply=0) == player.take_action(
            STARTING_BOARD, context, ply=0
        )
        assert engine.offer_resignation(STARTING_BOARD, context, ply=0) == player.offer_resignation(
            STARTING_BOARD, context, ply=0
        )
        assert engine.judge_resignation(
            STARTING_BOARD, context, 1, on_roll=True, ply=0
        ) == player.judge_resignation(STARTING_BOARD, context, 1, on_roll=True, ply=0)


def test_a_network_for_money_beside_sage_for_matches(network: Path) -> None:
    engine = load_engine(f"puretd:{network}+sage")
    assert isinstance(engine, SplitEngine)
    assert isinstance(engine.money, PuretdEngine)
    assert engine.info.evaluator == "puretd+sage"
    assert engine.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=0).best.probabilities is None
    assert engine.choose_play(STARTING_BOARD, MATCH, (3, 1), ply=0).best.probabilities is not None
    assert engine.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=3).ply == 1  # the deepest there is
    fast = load_engine(f"fast:puretd:{network}+sage")
    assert isinstance(fast, SplitEngine)
    assert isinstance(fast.money, FastEngine)
    assert isinstance(fast.matches, FastEngine)
    assert isinstance(load_engine(f"puretd:{network}"), PuretdEngine)  # a plus in its name
