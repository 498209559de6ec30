"""The training of the rough network, in small, and the network that comes with botd."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from botd import _core, paths
from botd.engine.network_file import read_network
from botd.training import rough_network
from botd.training.ranking import Ranking
from botd.training.report import position_classes, rough_values
from botd.training.teacher import Boards, SiblingSets, load_teacher, sibling_sets
from tests import tolerances

SMALL = ["--seed", "7", "--sets", "600", "--epochs", "2", "--hidden", "8", "--test-sets", "200"]
RECORDED = Path(__file__).parents[1] / "data" / "sibling-sets.jsonl"


@pytest.fixture(scope="module")
def teacher() -> _core.SageEvaluator:
    return load_teacher()


@pytest.fixture(scope="module")
def sets(teacher: _core.SageEvaluator) -> SiblingSets:
    return sibling_sets(teacher, 3, 300)


def recorded_sets() -> SiblingSets:
    """Positions and Sage's equities as they were recorded, so that only the network makes a difference."""
    records = [json.loads(line) for line in RECORDED.read_text().splitlines()]

    def boards(identifiers: list[str]) -> Boards:
        return np.array([_core.board_from_position_id(text) for text in identifiers], np.int8)

    cubeless = np.array([equity for r in records for equity in r["cubeless"]], np.float32)
    return SiblingSets(
        unmoved=boards([r["unmoved"] for r in records]),
        network=np.zeros(len(records), np.uint8),
        sizes=np.array([len(r["boards"]) for r in records], np.intp),
        boards=boards([text for r in records for text in r["boards"]]),
        cubeless=cubeless,
        cubeful=cubeless,
    )


def test_training_runs_and_repeats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert rough_network.main([*SMALL, str(first)]) == 0
    report = capsys.readouterr().out
    assert rough_network.main([*SMALL, str(second)]) == 0
    assert capsys.readouterr().out == report
    assert "cubeless: the best play is within" in report
    assert "other contact" in report
    assert first.read_bytes() == second.read_bytes()
    network = read_network(first)
    assert [layer.outputs for layer in network.layers] == [8, 1]
    assert "--seed 7 --sets 600 --epochs 2 --hidden 8" in network.source


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--seed", "-1", "expected 0 to"),
        ("--sets", "49", "expected 50 to"),
        ("--sets", "9" * 40, "expected 50 to"),
        ("--epochs", "0", "expected 1 to"),
        ("--hidden", "1025", "expected 1 to 1024"),
        ("--hidden", "many", "expected 1 to 1024"),
    ],
)
def test_wrong_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, expected: str
) -> None:
    with pytest.raises(SystemExit) as leaving:
        rough_network.main([option, value, str(tmp_path / "out")])
    assert leaving.value.code == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("out", ["", "missing/out"])
def test_a_place_that_cannot_be_written_is_found_before_the_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    monkeypatch.setattr(rough_network, "load_teacher", lambda: pytest.fail("the work began"))
    assert rough_network.main([*SMALL, str(tmp_path / out)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert str(tmp_path) in error
    assert error.count("\n") == 1


def test_training_learns(sets: SiblingSets) -> None:
    plan = rough_network.TrainingPlan(sets=len(sets.sizes), epochs=10, hidden=16, batch=10)
    untrained = rough_network.Learner(plan.hidden, np.random.default_rng(plan.seed))
    learner = rough_network.train(sets, plan, lambda done: None)

    def loss(of: rough_network.Learner) -> float:
        values = of.values(of.hidden_units(rough_network.board_inputs(sets.boards)))
        return Ranking(values, sets.cubeless, sets.sizes).pruned(count=1).loss

    assert loss(learner) < 0.5 * loss(untrained)


def test_the_slope_is_the_derivative_of_the_loss() -> None:
    random = np.random.default_rng(2)
    sizes = np.array([3, 2, 6])
    starts = np.cumsum(sizes) - sizes
    owners = np.repeat(np.arange(3), sizes)
    target = random.standard_normal(11).astype(np.float32)
    values = random.standard_normal(11)
    plan = rough_network.TrainingPlan(temperature=0.5, value_weight=0.3)

    def loss(at: npt.NDArray[np.float64]) -> float:
        powers = np.exp(target / plan.temperature)
        wanted = powers / np.bincount(owners, powers)[owners]
        given = at / plan.temperature - np.log(np.bincount(owners, np.exp(at / plan.temperature)))[owners]
        squares = 0.5 * plan.value_weight * (at - target) ** 2
        return float(np.mean(squares - plan.temperature * wanted * given))

    slope = rough_network.loss_slope(values.astype(np.float32), target, starts, sizes, plan)
    for i in range(len(values)):
        step = np.zeros(11)
        step[i] = 1e-4
        numeric = (loss(values + step) - loss(values - step)) / 2e-4
        assert slope[i] == pytest.approx(numeric, abs=1e-5)


def test_gradients_are_derivatives_of_the_values(sets: SiblingSets) -> None:
    random = np.random.default_rng(4)
    learner = rough_network.Learner(3, random)
    # In double precision, so that small steps show the slope.
    learner.first, learner.bias, learner.output, learner.output_bias = (
        p.astype(np.float64) for p in learner.parameters
    )
    inputs = rough_network.board_inputs(sets.boards[:20]).astype(np.float64)
    slope = random.standard_normal(20)
    gradients = learner.gradients(inputs, learner.hidden_units(inputs), slope)

    def total() -> float:
        return float(slope @ learner.values(learner.hidden_units(inputs)))

    for parameter, gradient in zip(learner.parameters, gradients, strict=True):
        flat = parameter.reshape(-1)
        for i in random.integers(0, flat.size, 20):
            before = flat[i]
            flat[i] = before + 1e-6
            above = total()
            flat[i] = before - 1e-6
            below = total()
            flat[i] = before
            assert gradient.reshape(-1)[i] == pytest.approx((above - below) / 2e-6, abs=1e-7)


@pytest.mark.parametrize("cpu_path", _core.cpu_paths())
def test_the_loaded_network_is_the_trained_one(tmp_path: Path, sets: SiblingSets, cpu_path: str) -> None:
    file = tmp_path / "small"
    rough_network.main([*SMALL, str(file)])
    first, second = read_network(file).layers
    weights = np.frombuffer(first.weights, "<f4").reshape(first.outputs, first.inputs)
    inputs = rough_network.board_inputs(sets.boards)
    hidden = np.maximum(inputs @ weights.T + np.frombuffer(first.biases, "<f4"), 0.0)
    expected = hidden @ np.frombuffer(second.weights, "<f4") + np.frombuffer(second.biases, "<f4")
    net = _core.PruneNet.load(file, cpu_path)
    assert net.cpu_path == cpu_path
    values = rough_values(net, sets)
    over = np.array([_core.game_result(board) for board in sets.boards.tolist()])
    assert np.all(values[over != 0] == over[over != 0])
    assert np.abs(values - expected)[over == 0].max() < tolerances.ROUGH_ROUNDING


def test_self_played_sets_are_what_sage_says(teacher: _core.SageEvaluator, sets: SiblingSets) -> None:
    again = sibling_sets(teacher, 3, 300)
    assert np.array_equal(sets.boards, again.boards)
    assert np.array_equal(sets.cubeless, again.cubeless)
    assert not np.array_equal(sets.boards[:100], sibling_sets(teacher, 4, 300).boards[:100])
    assert sets.sizes.min() >= 2
    assert sets.sizes.sum() == len(sets.boards) == len(sets.cubeful)
    for s, start in list(enumerate(sets.starts))[::17]:
        unmoved = sets.unmoved[s].tolist()
        assert teacher.route(unmoved) == sets.network[s]
        boards = [tuple(b) for b in sets.boards[start : start + sets.sizes[s]].tolist()]
        assert any(
            {play[1] for play in _core.legal_plays(unmoved, die1, die2)} == set(boards)
            for die1 in range(1, 7)
            for die2 in range(1, 7)
        )
        for board, equity in zip(boards, sets.cubeless[start:], strict=False):
            if _core.game_result(board) != 0 or teacher.covered(board):
                continue
            (p,) = teacher.evaluate_raw([board], teacher.route(board))
            cubeless = 2 * p[0] - 1 + p[1] + p[2] - p[3] - p[4]
            assert equity == pytest.approx(cubeless, abs=tolerances.CPU_PATH_EQUITY)


def test_every_roll_has_one_class(sets: SiblingSets) -> None:
    classes = position_classes(sets)
    assert np.all(np.sum(list(classes.values()), axis=0) == 1)
    for unmoved in sets.unmoved[classes["bear-off"]].tolist():
        assert _core.is_race(unmoved)
        assert max(unmoved[7:]) == 0
        assert min(unmoved[:19]) == 0
    assert any(chosen.any() for name, chosen in classes.items() if name != "other contact")


def test_the_network_of_botd_ranks_recorded_plays() -> None:
    data = recorded_sets()
    net = _core.PruneNet.load(paths.rough_network())
    ranking = Ranking(rough_values(net, data), data.cubeless, data.sizes)
    assert ranking.pruned(margin=0.12).missed <= tolerances.ROUGH_MISSED
    assert ranking.pruned(margin=0.12).loss <= tolerances.ROUGH_LOSS
    assert ranking.pruned(count=8).loss <= tolerances.ROUGH_LOSS_OF_EIGHT


@pytest.mark.parametrize(
    ("boards", "unmoved", "sizes", "error"),
    [
        (b"\x00" * 25, b"", [], "25 bytes, expected a multiple of 26"),
        (b"\x00" * 25 + b"\x10", b"\x00" * 26, [1], "board 0: "),
        (b"", bytes([*range(2), *[0] * 24]), [], "sizes"),
        (b"", b"", [1], "sizes"),
    ],
)
def test_impossible_boards_are_refused(boards: bytes, unmoved: bytes, sizes: list[int], error: str) -> None:
    net = _core.PruneNet.load(paths.rough_network())
    with pytest.raises(ValueError, match=error):
        net.evaluate(boards, unmoved, sizes)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    content = paths.rough_network().read_bytes()
    for damaged in (b"", content[:-1], content[:100], content[:-40] + b"\x00" * 40):
        file = tmp_path / "rough"
        file.write_bytes(damaged)
        with pytest.raises(_core.DataError, match="expected"):
            _core.PruneNet.load(file)
    with pytest.raises(_core.DataError, match="nothing"):
        _core.PruneNet.load(tmp_path / "nothing")
    with pytest.raises(ValueError, match="unknown CPU path"):
        _core.PruneNet.load(paths.rough_network(), "mmx")
