"""botd's own format for neural networks of dense layers: reading and writing.

A file holds layers of float32 numbers, a description and a SHA-256; core_cpp/nets/network_file.hpp defines
the format, and its reader decides what is valid, for writing too.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from botd import _core

MAGIC = b"botdnet1"
_ALIGNMENT = 64
_LENGTH = struct.Struct("<I")


class NetworkKind(StrEnum):
    """What the outputs are, seen by the side to play unless the encoding says otherwise."""

    CUBEFUL_EQUITY = "cubeful_equity"
    """One number: points per unit of the present cube."""
    CUBELESS_EQUITY = "cubeless_equity"
    """One number: points."""
    PROBABILITIES5 = "probabilities5"
    """Win, win gammon, win backgammon, lose gammon, lose backgammon."""
    WIN = "win"
    """The chance to win a game where gammons do not count."""
    ROUGH_EQUITY = "rough_equity"
    """One number in points, good enough to rank plays."""

    @property
    def output_activation(self) -> str:
        return "logistic" if self in (NetworkKind.PROBABILITIES5, NetworkKind.WIN) else "linear"


@dataclass(frozen=True, slots=True)
class Layer:
    """One dense layer; numbers are float32, little-endian."""

    inputs: int
    outputs: int
    weights: bytes
    """outputs x inputs numbers, all weights of one output together."""
    biases: bytes
    """outputs numbers."""


@dataclass(frozen=True, slots=True)
class NetworkFile:
    """A network with ReLU after every layer but the last, which passes the kind's output activation."""

    kind: NetworkKind
    encoding: str
    """Name of the inputs, as `perspective196`: lower-case letters, digits and underscores."""
    layers: tuple[Layer, ...]
    source: str
    """Where the network came from, for people."""
    licence: str

    @property
    def parameters(self) -> int:
        return sum(layer.outputs * (layer.inputs + 1) for layer in self.layers)


def read_network(path: Path) -> NetworkFile:
    """The network in a file. Raises DataError, a ValueError, for one that is missing or damaged."""
    return _network(*_core.read_network(path))


def parse_network(content: bytes, name: str) -> NetworkFile:
    """The network in a file's content; `name` stands for the file in errors. Raises DataError."""
    return _network(*_core.parse_network(content, name))


def network_bytes(network: NetworkFile, *, name: str = "the network to write") -> bytes:
    """The content of the network's file. Raises DataError, with `name`, for one that no file can hold."""
    first = network.layers[0].inputs if network.layers else 0
    header = {
        "kind": network.kind.value,
        "encoding": network.encoding,
        "inputs": first,
        "layers": [layer.outputs for layer in network.layers],
        "hidden_activation": "relu",
        "output_activation": network.kind.output_activation,
        "source": network.source,
        "licence": network.licence,
    }
    text = json.dumps(header).encode()
    text += b" " * (-(len(MAGIC) + _LENGTH.size + len(text)) % _ALIGNMENT)
    parts = [MAGIC, _LENGTH.pack(len(text)), text]
    parts.extend(part for layer in network.layers for part in (layer.weights, layer.biases))
    content = b"".join(parts)
    content += hashlib.sha256(content).digest()
    if parse_network(content, name) != network:
        raise _core.DataError(f"{name}: expected layers whose sizes fit their numbers")
    return content


def write_network(network: NetworkFile, path: Path) -> None:
    """Write the file, which appears under its name only when complete.

    Raises DataError for a network that no file can hold, OSError if it cannot be written.
    """
    write_content(network_bytes(network), path)


def write_content(content: bytes, path: Path) -> None:
    """Write a file, which appears under its name only when complete. Raises OSError."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The mask of new files' modes, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _network(
    kind: str, encoding: str, layers: list[tuple[int, int, bytes, bytes]], source: str, licence: str
) -> NetworkFile:
    return NetworkFile(
        kind=NetworkKind(kind),
        encoding=encoding,
        layers=tuple(Layer(*layer) for layer in layers),
        source=source,
        licence=licence,
    )
