"""PureTD's own networks and answers; its files are the user's, in the folder that BOTD_PURETD_DIR names."""

from __future__ import annotations

import array
import os
from pathlib import Path
from typing import Any

import pytest

from botd import _core
from botd.engine import position_id, rules
from botd.engine.fast_engine import FastEngine
from botd.engine.network_file import NetworkFile, NetworkKind, read_network, write_network
from botd.engine.puretd_engine import PuretdEngine
from botd.engine.puretd_file import PURETD_LICENCE, read_puretd
from botd.engine.settings import SearchSettings
from botd.engine.types import CubeOwner, GameContext, Probabilities
from tests.puretd.vectors import OWNERS, board_of, context_of, records
from tests.tolerances import PURETD_INTEGER, PURETD_VALUE

FOLDER = os.environ.get("BOTD_PURETD_DIR")
pytestmark = pytest.mark.skipif(not FOLDER, reason="BOTD_PURETD_DIR names no folder with PureTD's networks")

NAMES = {"cubeful": "cubeful_money_512_512_256_256.pt", "prob5": "cubeless_prob5_512_512_256_128.pt"}
KERNELS = _core.dense_kernels()

# Sums and sums of absolute values of the tensors, in the order of the file.
TENSOR_SUMS = {
    "cubeful": [
        (-3561.4355, 13766.3298),
        (-49.4635, 108.8054),
        (910.6073, 30877.7878),
        (-30.8653, 43.5069),
        (-1190.3194, 16554.0012),
        (-17.4630, 27.8549),
        (-642.5735, 4850.1592),
        (-21.9163, 23.2261),
        (20.6518, 28.8433),
        (0.0429, 0.0429),
    ],
    "prob5": [
        (-2103.0221, 10933.2049),
        (-73.1383, 100.5101),
        (-512.1864, 27201.9038),
        (-33.2066, 78.0528),
        (-740.3070, 14899.3737),
        (-20.6533, 39.5306),
        (-326.5835, 3756.9842),
        (-1.9938, 21.1046),
        (-34.3866, 53.1391),
        (-2.7372, 2.7372),
    ],
}


@pytest.fixture(scope="module", name="networks")
def _networks() -> dict[str, NetworkFile]:
    assert FOLDER is not None
    return {name: read_puretd(Path(FOLDER, file)) for name, file in NAMES.items()}


@pytest.fixture(scope="module", name="files")
def _files(networks: dict[str, NetworkFile], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("networks")
    for name, network in networks.items():
        write_network(network, folder / name)
    return {name: folder / name for name in networks}


@pytest.fixture(scope="module", name="engines")
def _engines(files: dict[str, Path]) -> dict[str, PuretdEngine]:
    return {name: PuretdEngine.load(file) for name, file in files.items()}


@pytest.mark.parametrize("name", NAMES)
def test_tensor_sums(name: str, networks: dict[str, NetworkFile]) -> None:
    tensors = [part for layer in networks[name].layers for part in (layer.weights, layer.biases)]
    for tensor, (total, absolute) in zip(tensors, TENSOR_SUMS[name], strict=True):
        numbers = array.array("f", tensor)
        assert sum(numbers) == pytest.approx(total, abs=6e-5)
        assert sum(map(abs, numbers)) == pytest.approx(absolute, abs=6e-5)


def test_what_the_files_are(networks: dict[str, NetworkFile], files: dict[str, Path]) -> None:
    assert networks["cubeful"].kind is NetworkKind.CUBEFUL_EQUITY
    assert networks["prob5"].kind is NetworkKind.PROBABILITIES5
    assert [network.parameters for network in networks.values()] == [562_945, 528_389]
    for name, network in networks.items():
        assert network.licence == PURETD_LICENCE
        assert NAMES[name] in network.source
        assert read_network(files[name]) == network


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("arithmetic", ["float", "int16"])
def test_network_outputs(kernels: str, arithmetic: str, files: dict[str, Path]) -> None:
    found = records("network")
    boards = [board_of(record) for record in found]
    tolerance = PURETD_VALUE if arithmetic == "float" else PURETD_INTEGER
    cubeful = _core.PuretdEvaluator.load(files["cubeful"], kernels=kernels, arithmetic=arithmetic)
    for key, cube, moment in (
        ("centered_play", "centered", False),
        ("centered_cube", "centered", True),
        ("own_play", "player", False),
        ("own_cube", "player", True),
        ("opponent_play", "opponent", False),
    ):
        outputs = cubeful.outputs(boards, cube, moment)
        for record, (value,) in zip(found, outputs, strict=True):
            assert value == pytest.approx(record["cubeful"][key], abs=tolerance), (record["position_id"], key)
    prob5 = _core.PuretdEvaluator.load(files["prob5"], kernels=kernels, arithmetic=arithmetic)
    for record, values in zip(found, prob5.outputs(boards), strict=True):
        assert values == pytest.approx(record["prob5_raw"], abs=tolerance), record["position_id"]


def test_probabilities(engines: dict[str, PuretdEngine]) -> None:
    for record in records("network"):
        board = board_of(record)
        if rules.game_result(board) != 0:
            continue
        probabilities, equity = engines["prob5"].evaluate(board, GameContext(), ply=0)
        assert equity == pytest.approx(record["prob5_equity"], abs=PURETD_VALUE)
        assert isinstance(probabilities, Probabilities)
        assert probabilities.win == pytest.approx(record["prob5"][0], abs=PURETD_VALUE)
        assert probabilities.lose_gammon == pytest.approx(record["prob5"][3], abs=PURETD_VALUE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ply", [0, 1])
def test_plays(ply: int, name: str, engines: dict[str, PuretdEngine]) -> None:
    for record in records(f"plays_{ply}ply"):
        decision = engines[name].choose_play(board_of(record), context_of(record), record["dice"], ply=ply)
        assert decision.legal_count == record["legal"]
        expected = record[name]
        if record["legal"] == 0:
            assert expected == []
            continue
        # Results have the opponent on roll.
        values = {
            position_id.encode(rules.mirrored(entry.play.board)): entry.equity for entry in decision.plays
        }
        for identifier, value in expected:
            assert values[identifier] == pytest.approx(value, abs=PURETD_VALUE), record
        best = position_id.encode(rules.mirrored(decision.best.play.board))
        if len(expected) > 1 and expected[0][1] - expected[1][1] > PURETD_VALUE:
            assert best == expected[0][0]


@pytest.mark.parametrize("ply", [0, 1])
def test_cube_decisions(ply: int, engines: dict[str, PuretdEngine]) -> None:
    for record in records("cubes"):
        expected = record[f"ply{ply}"]
        decision = engines["cubeful"].cube_action(board_of(record), context_of(record), ply=ply)
        assert decision.no_double == pytest.approx(expected["no_double"], abs=PURETD_VALUE), record
        assert decision.double_take == pytest.approx(expected["double_take"], abs=PURETD_VALUE), record
        assert decision.double == expected["double"], record
        assert (decision.response == "take") == expected["take"], record


def test_values_one_roll_deep(engines: dict[str, PuretdEngine]) -> None:
    def value(record: dict[str, Any], owner: CubeOwner, *, jacoby: bool) -> float:
        context = GameContext(cube_owner=owner, jacoby=jacoby)
        return engines["cubeful"].evaluate(board_of(record), context, ply=1)[1]

    for record in records("values_1ply"):
        for key, owner in OWNERS.items():
            assert value(record, owner, jacoby=True) == pytest.approx(record[key], abs=PURETD_VALUE), record
        without = value(record, CubeOwner.CENTERED, jacoby=False)
        assert without == pytest.approx(record["centered_no_jacoby"], abs=PURETD_VALUE), record
        _, equity = engines["prob5"].evaluate(board_of(record), GameContext(), ply=1)
        assert equity == pytest.approx(record["prob5_equity"], abs=PURETD_VALUE), record


def test_fast_search_one_roll_deep(engines: dict[str, PuretdEngine]) -> None:
    """Without pruning its worth of rolling on is PureTD's own, but for 16-bit arithmetic."""
    fast = FastEngine(engines["cubeful"], SearchSettings(prune=False))
    for record in records("cubes"):
        decision = fast.cube_action(board_of(record), context_of(record), ply=1)
        assert decision.no_double == pytest.approx(record["ply1"]["no_double"], abs=PURETD_INTEGER), record
