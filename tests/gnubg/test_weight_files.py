"""Both forms of gnubg's weight files, and every kind of damage to them."""

from __future__ import annotations

import hashlib
import random
import re
import struct
from pathlib import Path

import pytest

from botd import _core
from botd.engine.types import STARTING_BOARD
from tests.gnubg.data_files import WEIGHTS_100, WEIGHTS_101

SHAPES = {
    "contact": (250, 128),
    "race": (214, 128),
    "crashed": (250, 128),
    "prune contact": (200, 16),
    "prune crashed": (200, 16),
    "prune race": (200, 8),
}
HEADER = 24  # bytes before the weights of a network
SIZE = 408016


def networks_of_labelled_text(text: str) -> dict[str, list[str]]:
    """The lines of each network by its label; a file of gnubg-nn has labels, gnubg's own has not."""
    networks: dict[str, list[str]] = {}
    for line in text.splitlines()[1:]:
        label = line.split(" contact250")[0]
        if label in SHAPES:
            networks[label] = lines = []
        else:
            lines.append(line)
    return networks


@pytest.fixture(scope="module")
def labelled() -> str:
    return WEIGHTS_101.read_text()


@pytest.fixture(scope="module")
def text(labelled: str) -> str:
    """The same in gnubg's own form."""
    networks = networks_of_labelled_text(labelled)
    return "\n".join(["GNU Backgammon 1.01", *[line for name in SHAPES for line in networks[name]], ""])


@pytest.fixture(scope="module")
def binary(labelled: str) -> bytes:
    """The same as a binary file."""
    parts = [struct.pack("<2f", 472.3782, 1.01)]
    networks = networks_of_labelled_text(labelled)
    for name, (inputs, hidden) in SHAPES.items():
        parts.append(struct.pack("<3Ii2f", inputs, hidden, 5, 1, 0.1, 1.0))
        numbers = [float(line) for line in networks[name][1:]]
        parts.append(struct.pack(f"<{len(numbers)}f", *numbers))
    return b"".join(parts)


def load(path: Path, content: bytes | str) -> _core.GnubgEvaluator:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return _core.GnubgEvaluator.load(path)


def refused(path: Path, content: bytes | str, message: str) -> None:
    with pytest.raises(_core.DataError, match=message) as error:
        load(path, content)
    assert str(error.value).startswith(f"{path}: ")
    assert "expected" in str(error.value)
    assert "\n" not in str(error.value)


def test_the_fixtures_are_the_published_files(text: str, binary: bytes) -> None:
    assert hashlib.sha256(text.encode()).hexdigest().startswith("d03c629d8b916236")
    assert hashlib.sha256(binary).hexdigest().startswith("bb045bb416c70706")
    assert WEIGHTS_100.stat().st_size == len(binary) == SIZE


def test_all_forms_mean_the_same(tmp_path: Path, labelled: str, text: str, binary: bytes) -> None:
    evaluators = [
        load(tmp_path / "labelled", labelled),
        load(tmp_path / "text", text),
        load(tmp_path / "dos", text.replace("\n", "\r\n")),
        load(tmp_path / "no line feed at the end", text.rstrip("\n")),
        load(tmp_path / "blank lines at the end", text + "\n \r\n\n"),
        load(tmp_path / "binary", binary),
    ]
    assert {e.weights_version for e in evaluators} == {"1.01"}
    race = (0, 0, 0, 0, 3, 3, 3, 3, 3, *[0] * 8, -5, -5, -5, *[0] * 6)
    crashed = (0, 5, 5, 0, 0, 0, *[0] * 17, -2, 2, 0)
    for board in (STARTING_BOARD, race, crashed):
        assert len({(e.network_outputs(board), e.pruning_outputs(board)) for e in evaluators}) == 1


def test_numbers_do_not_depend_on_the_locale(tmp_path: Path, text: str) -> None:
    refused(
        tmp_path / "weights",
        text.replace("-3.2630785", "-3,2630785"),
        r"line 3: '-3,2630785', expected a hidden",
    )


def test_the_training_counter_is_ignored(tmp_path: Path, text: str, binary: bytes) -> None:
    load(tmp_path / "text", text.replace("250 128 5 0 ", "250 128 5 123456 "))
    load(tmp_path / "binary", binary[:20] + b"\xff\xff\xff\xff" + binary[24:])


def test_missing_and_odd_files(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "absent", "no such file"), (tmp_path, "not a regular file")):
        with pytest.raises(
            _core.DataError, match=f"{re.escape(str(path))}: {why}, expected a weight file of gnubg"
        ):
            _core.GnubgEvaluator.load(path)
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(_core.DataError, match="bytes are too many"):
        _core.GnubgEvaluator.load(huge)


@pytest.mark.parametrize("name", ["two\nlines", "bell\a", "\udcff", "naïve", "x" * 255, "%s %n", "\x7f"])
def test_file_names_of_every_kind(tmp_path: Path, name: str) -> None:
    """The message names the file in one line; unprintable characters are escaped."""
    path = tmp_path / name
    shown = re.sub("[\x00-\x1f\x7f]", lambda c: f"\\x{ord(c[0]):02x}", str(path))
    with pytest.raises(_core.DataError) as error:
        _core.GnubgEvaluator.load(path)
    assert str(error.value).startswith(f"{shown}: no such file, expected ")
    path.write_bytes(b"x")
    with pytest.raises(_core.DataError) as error:
        _core.GnubgEvaluator.load(path)
    assert str(error.value).startswith(f"{shown}: offset 0: ")


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"GNU", b"GNU Backgammon", b"\x7fELF" * 9, b"GNU Backgammom 1.00\n"]
)
def test_files_that_are_something_else(tmp_path: Path, content: bytes) -> None:
    refused(
        tmp_path / "weights", content, "offset 0: neither the text 'GNU Backgammon ' nor the number 472.3782"
    )


# ---- text ----


def test_text_cut_after_any_line_of_the_start_and_anywhere_else(tmp_path: Path, text: str) -> None:
    path = tmp_path / "weights"
    ends = [i + 1 for i, c in enumerate(text) if c == "\n"]
    chosen = [*ends[:5], *random.Random(1).sample(ends[5:-1], 15), ends[32773], ends[32774], ends[-2]]
    for end in chosen:
        line = text.count("\n", 0, end) + 1
        refused(path, text[:end], rf"line {line}: the file ends, expected (a|the shape of the) ")


def test_text_swollen(tmp_path: Path, text: str) -> None:
    lines = text.count("\n")
    refused(tmp_path / "weights", text + "0.5\n", rf"line {lines + 1}: '0.5', expected the end of the file")
    refused(tmp_path / "weights", text + text, rf"line {lines + 1}: 'GNU Backgammon 1.01', expected the end")
    refused(
        tmp_path / "weights", text.replace("\n", "\n\n", 1), "line 2: '', expected the shape of the contact"
    )


@pytest.mark.parametrize("version", ["", "1.0", "1.02", "1.010", "0.17", "1,01", "1.01 beta"])
def test_other_versions_of_text(tmp_path: Path, text: str, version: str) -> None:
    refused(
        tmp_path / "weights",
        text.replace("1.01", version, 1),
        r"line 1: '.*', expected the version 1\.00 or 1\.01",
    )


@pytest.mark.parametrize(
    "shape",
    [
        "249 128 5 0 0.1 1.0",
        "250 127 5 0 0.1 1.0",
        "250 128 4 0 0.1 1.0",
        "250 128 5 0 0.2 1.0",
        "250 128 5 0 0.1 nan",
        "250 128 5 0 0.1",
        "250 128 5 0 0.1 1.0 7",
        "250 128 5 x 0.1 1.0",
        "-250 128 5 0 0.1 1.0",
        "99999999999999999999 128 5 0 0.1 1.0",
    ],
)
def test_other_shapes_in_text(tmp_path: Path, text: str, shape: str) -> None:
    changed = text.replace("250 128 5 0 0.1000000 1.0000000", shape, 1)
    expected = (
        rf"line 2: '{re.escape(shape[:40])}.*, expected the shape of the contact network: 250 128 5 0 0.1 1.0"
    )
    refused(tmp_path / "weights", changed, expected)


@pytest.mark.parametrize(
    "number",
    ["nan", "inf", "-inf", "1e7", "-1000001", "1e99", "1e-99", "", "0x10", "1.5 2.5", "+1", "1.5\0", "--1"],
)
def test_absurd_numbers_in_text(tmp_path: Path, text: str, number: str) -> None:
    refused(
        tmp_path / "weights",
        text.replace("-3.2630785", number, 1),
        r"line 3: '.*', expected a hidden weight of the contact network, a finite number of at most",
    )


def test_a_line_without_end(tmp_path: Path) -> None:
    content = "GNU Backgammon 1.01\n" + "7" * (1 << 20)
    refused(
        tmp_path / "weights", content, r"line 2: '7{40}\.\.\.', expected the shape of the contact network"
    )


def test_labels_of_other_or_the_same_networks(tmp_path: Path, labelled: str) -> None:
    refused(
        tmp_path / "weights", labelled.replace("race\n", "rice\n", 1), "line 2: 'rice', expected the shape of"
    )
    refused(
        tmp_path / "weights",
        labelled.replace("crashed\n", "race\n", 1),
        r"line \d+: '250 128 .*', expected each network once, but this is another race",
    )


def test_mutations_of_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "weights"
    rng = random.Random(2)
    original = text.encode()
    for _ in range(60):
        damaged = bytearray(original[: rng.choice([len(original), rng.randrange(len(original))])])
        for _ in range(rng.choice([1, 1, 5, 300])):
            if damaged:
                damaged[rng.randrange(len(damaged))] = rng.choice(
                    [rng.randrange(256), *b"0123456789.-\n \r\0e"]
                )
        loads_or_is_refused(path, bytes(damaged))


# ---- binary ----


def test_binary_of_other_sizes(tmp_path: Path, binary: bytes) -> None:
    for content in (binary[:4], binary[:8], binary[:31], binary[:-1], binary + b"\0", binary * 2):
        refused(tmp_path / "weights", content, rf": {len(content)} bytes, expected a file of 408016 bytes")


def test_every_header_bit_matters(tmp_path: Path, binary: bytes) -> None:
    path = tmp_path / "weights"
    starts = [8]
    for inputs, hidden in SHAPES.values():
        starts.append(starts[-1] + HEADER + 4 * (hidden * (inputs + 6) + 5))
    assert starts.pop() == SIZE
    fields = [0, 4, *[start + offset for start in starts for offset in (0, 4, 8, 16, 20)]]
    for field in fields:
        for bit in range(32):
            damaged = bytearray(binary)
            damaged[field + bit // 8] ^= 1 << bit % 8
            refused(path, bytes(damaged), rf"offset {field}: .*expected")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 1e30, -1.1e6])
def test_absurd_numbers_in_binary(tmp_path: Path, binary: bytes, value: float) -> None:
    for offset, what in (
        (32, "hidden weight of the contact network"),
        (SIZE - 4, "output threshold of the pruning race"),
    ):
        content = binary[:offset] + struct.pack("<f", value) + binary[offset + 4 :]
        refused(tmp_path / "weights", content, rf"offset {offset}: {what}.* is .*, expected a finite number")


def test_mutations_of_binary(tmp_path: Path, binary: bytes) -> None:
    path = tmp_path / "weights"
    rng = random.Random(3)
    for _ in range(60):
        damaged = bytearray(binary)
        for _ in range(rng.choice([1, 10, 2000])):
            bit = rng.randrange(len(damaged) * 8)
            damaged[bit // 8] ^= 1 << bit % 8
        loads_or_is_refused(path, bytes(damaged))


def loads_or_is_refused(path: Path, content: bytes) -> None:
    """A changed weight cannot be told from a real one; the values must still be probabilities."""
    try:
        evaluator = load(path, content)
    except _core.DataError:
        return
    outputs = (*evaluator.network_outputs(STARTING_BOARD), *evaluator.pruning_outputs(STARTING_BOARD))
    assert all(0.0 <= p <= 1.0 for p in outputs)
