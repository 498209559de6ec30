"""Our own network files: what is written is read back, and nothing else is."""

from __future__ import annotations

import dataclasses
import itertools
import stat
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd import _core
from botd.engine.network_file import (
    Layer,
    NetworkFile,
    NetworkKind,
    network_bytes,
    parse_network,
    read_network,
    write_network,
)

_WEIGHTS = st.floats(-1e6, 1e6, width=32)
# JSON can carry lone surrogates, UTF-8 cannot.
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def _layer(inputs: int, outputs: int) -> Layer:
    return Layer(inputs, outputs, bytes(4 * inputs * outputs), bytes(4 * outputs))


def _network(*sizes: int, kind: NetworkKind = NetworkKind.WIN) -> NetworkFile:
    layers = tuple(_layer(a, b) for a, b in itertools.pairwise(sizes))
    return NetworkFile(kind, "perspective196", layers, "a test", "MIT")


@st.composite
def _networks(draw: st.DrawFn) -> NetworkFile:
    kind = draw(st.sampled_from(NetworkKind))
    sizes = [*draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))]
    sizes.append(5 if kind is NetworkKind.PROBABILITIES5 else 1)
    layers = []
    for inputs, outputs in itertools.pairwise(sizes):
        count = (inputs + 1) * outputs
        numbers = struct.pack(f"<{count}f", *draw(st.lists(_WEIGHTS, min_size=count, max_size=count)))
        split = 4 * inputs * outputs
        layers.append(Layer(inputs, outputs, numbers[:split], numbers[split:]))
    encoding = draw(st.from_regex(r"[a-z0-9_]{1,64}", fullmatch=True))
    return NetworkFile(kind, encoding, tuple(layers), draw(_TEXTS), draw(_TEXTS))


@given(_networks())
def test_what_is_written_is_read_back(network: NetworkFile) -> None:
    content = network_bytes(network)
    assert parse_network(content, "file") == network
    header_end = 12 + struct.unpack("<I", content[8:12])[0]
    assert header_end % 64 == 0
    assert len(content) == header_end + 4 * network.parameters + 32


def test_a_file_on_disk(tmp_path: Path) -> None:
    network = _network(196, 3, 1)
    path = tmp_path / "network.botdnet"
    path.write_bytes(b"what was there before")
    write_network(network, path)
    assert read_network(path) == network
    assert [entry.name for entry in tmp_path.iterdir()] == ["network.botdnet"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        (_network(3), "inputs is 0"),
        (_network(3, 2), "the last layer has 2 outputs"),
        (_network(3, 2, 1, kind=NetworkKind.PROBABILITIES5), "expected 5"),
        (dataclasses.replace(_network(3, 1), encoding="a b"), "encoding"),
        (dataclasses.replace(_network(3, 1), source="\ud800"), "surrogates"),
        (dataclasses.replace(_network(3, 1), layers=(Layer(3, 1, bytes(8), bytes(4)),)), "bytes, expected"),
        (dataclasses.replace(_network(3, 1), layers=(Layer(3, 1, bytes(8), bytes(8)),)), "sizes fit"),
        (
            dataclasses.replace(
                _network(3, 1), layers=(Layer(3, 1, bytes(8) + struct.pack("<f", float("nan")), bytes(4)),)
            ),
            "finite number",
        ),
        (
            dataclasses.replace(_network(3, 2, 1), layers=(_layer(3, 2), _layer(3, 1))),
            "bytes, expected",
        ),
    ],
)
def test_a_network_that_no_file_can_hold(network: NetworkFile, expected: str, tmp_path: Path) -> None:
    with pytest.raises(_core.DataError, match=expected):
        write_network(network, tmp_path / "network")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_network(_network(3, 1), tmp_path / "missing" / "network")


@given(st.binary(max_size=200))
def test_other_content_is_refused(content: bytes) -> None:
    with pytest.raises(_core.DataError, match="expected"):
        parse_network(b"botdnet1" + content, "file")
    with pytest.raises(_core.DataError, match="expected"):
        parse_network(content, "file")
