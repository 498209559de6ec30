"""PureTD's network files, PyTorch archives (`.pt`), as networks of our own. No code of a file is ever run."""

from __future__ import annotations

import array
import hashlib
import math
import sys
from pathlib import Path
from typing import Any

from botd import _core
from botd.engine import inert_pickle
from botd.engine.inert_pickle import Tensor
from botd.engine.network_file import Layer, NetworkFile, NetworkKind
from botd.engine.stored_zip import shown, stored_members

DataError = _core.DataError

PURETD_LICENCE = "MIT, Copyright (c) 2026 alexstrehl"
_RELEASED = frozenset(
    {
        "b4516316645cc7c9",
        "261e07f5db82f9d8",
        "97b575245b5b0e72",
        "b20fa396ab86fcbc",
        "20711fde081b6dc8",
        "772504de345eccab",
        "a96c355662aa756f",
        "4285cfbada2f5cd5",
    }
)
"""How the SHA-256 of PureTD's released files begin."""

_INPUTS = {"perspective196": 196, "cubeful_perspective196": 200}
_DESCRIPTION = "/data.pkl"
_MAX_LAYERS = 63
_MAX_UNITS = 65536


def read_puretd(path: Path) -> NetworkFile:
    """The network in one of PureTD's files, of any of its kinds.

    Raises OSError if the file cannot be read, and DataError, which names the file, the place and what was
    expected, for one that is damaged or something else.
    """
    if path.exists() and not path.is_file():
        raise DataError(f"{path}: not a regular file, expected one of PureTD's network files")
    size = path.stat().st_size
    if size > _core.LARGEST_NETWORK_FILE:
        raise DataError(f"{path}: {size} bytes, expected at most {_core.LARGEST_NETWORK_FILE}")
    return parse_puretd(path.read_bytes(), str(path))


def parse_puretd(content: bytes, source: str) -> NetworkFile:
    """The same from a file's content; `source` names it in errors and in the network's description."""
    try:
        return _parse(content, source)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(str(error)) from None


def _parse(content: bytes, source: str) -> NetworkFile:
    members = stored_members(content, source)
    descriptions = [name for name in members if name.endswith(_DESCRIPTION)]
    if len(descriptions) != 1:
        raise DataError(f"{source}: expected one member data.pkl in a folder, got {len(descriptions)}")
    folder = descriptions[0].removesuffix(_DESCRIPTION)
    byte_order = bytes(members.get(f"{folder}/byteorder", memoryview(b"little"))[:20])
    if byte_order != b"little":
        raise DataError(f"{source}: member 'byteorder': expected 'little', got {byte_order!r}")
    place = f"{source}: member {shown(descriptions[0])}"
    description = _Description(inert_pickle.load(bytes(members[descriptions[0]]), place), place)
    kind, encoding = description.kind()
    layers = []
    for weight, bias, (outputs, inputs) in description.tensors(kind):
        numbers = [
            _numbers(members, folder, tensor, source)
            for tensor in (
                description.tensor(weight, (outputs, inputs)),
                description.tensor(bias, (outputs,)),
            )
        ]
        layers.append(Layer(inputs, outputs, *numbers))
    digest = hashlib.sha256(content).hexdigest()
    released = digest[:16] in _RELEASED
    return NetworkFile(
        kind=kind,
        encoding=encoding,
        layers=tuple(layers),
        source=f"PureTD, {Path(source).name!a:.200}, SHA-256 {digest}",
        licence=PURETD_LICENCE if released else "not stated",
    )


def _numbers(members: dict[str, memoryview], folder: str, tensor: Tensor, source: str) -> bytes:
    name = f"{folder}/data/{tensor.storage.key}"
    data = members.get(name)
    if data is None:
        raise DataError(f"{source}: expected a member {shown(name)}, found none")
    if len(data) != 4 * tensor.storage.count:
        raise DataError(
            f"{source}: member {shown(name)}: {len(data)} bytes, expected {4 * tensor.storage.count}"
        )
    numbers = array.array("f", bytes(data))
    if sys.byteorder == "big":
        numbers.byteswap()
    for i, number in enumerate(numbers):
        if not math.isfinite(number):
            raise DataError(f"{source}: member {shown(name)}: number {i} is {number}, expected a finite one")
    return bytes(data)


class _Description:
    """The dictionary of a file, checked as it is read."""

    def __init__(self, value: object, place: str) -> None:
        self._place = place
        if not isinstance(value, dict):
            raise self._error("expected a dictionary")
        self._fields: dict[str, Any] = value

    def kind(self) -> tuple[NetworkKind, str]:
        """What the outputs are, and the name of the inputs."""
        encoding = self._expect("encoder_name", *_INPUTS)
        self._expect("activation", "relu")
        self._expect("input_size", _INPUTS[encoding])
        cubeful = encoding == "cubeful_perspective196"
        if "model_type" in self._fields:
            self._expect("model_type", "prob5")
            self._expect("raw_logits", False)
            kind = NetworkKind.PROBABILITIES5
        elif (
            "output_mode" not in self._fields
            or self._expect("output_mode", "equity", "probability") == "probability"
        ):
            kind = NetworkKind.WIN
        else:
            return (NetworkKind.CUBEFUL_EQUITY if cubeful else NetworkKind.CUBELESS_EQUITY), encoding
        if cubeful:
            raise self._error(f"kind {kind.value} with cube inputs, expected an equity")
        return kind, encoding

    def tensors(self, kind: NetworkKind) -> list[tuple[str, str, tuple[int, int]]]:
        """Names of weights and biases of all layers, in order, and the shape of the weights."""
        hidden = self._fields.get("hidden_sizes")
        if (
            type(hidden) is not list
            or not 1 <= len(hidden) <= _MAX_LAYERS
            or not all(type(n) is int and 1 <= n <= _MAX_UNITS for n in hidden)
        ):
            raise self._error(f"hidden_sizes: expected a list of up to {_MAX_LAYERS} sizes")
        if kind is NetworkKind.PROBABILITIES5:
            names, sizes = [f"trunk.{2 * k}" for k in range(len(hidden))], [*hidden, 5]
            names.append("head")
        else:
            names, sizes = [f"hidden_layers.{k}" for k in range(len(hidden))], [*hidden, 1]
            names.append("fc_output")
        expected = {f"{name}.{part}" for name in names for part in ("weight", "bias")}
        state = self._fields.get("state_dict")
        if type(state) is not dict or state.keys() != expected:
            raise self._error(f"state_dict: expected the weights and biases of {', '.join(names)[:200]}")
        inputs = [self._fields["input_size"], *hidden]
        shapes = list(zip(sizes, inputs, strict=True))
        return [(f"{name}.weight", f"{name}.bias", shape) for name, shape in zip(names, shapes, strict=True)]

    def tensor(self, name: str, shape: tuple[int, ...]) -> Tensor:
        value = self._fields["state_dict"][name]
        if not isinstance(value, Tensor) or value.shape != shape:
            got = value.shape if isinstance(value, Tensor) else type(value).__name__
            raise self._error(f"{name}: expected a tensor of shape {shape}, got {got}")
        return value

    def _expect(self, key: str, *choices: Any) -> Any:
        value = self._fields.get(key)
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            names = " or ".join(repr(choice) for choice in choices)
            got = "none" if value is None else _brief(value)
            raise self._error(f"{key}: expected {names}, got {got}")
        return value

    def _error(self, text: str) -> DataError:
        return DataError(f"{self._place}: {text}")


def _brief(value: object) -> str:
    """A value from a file in an error; a container could hold itself."""
    return repr(value)[:60] if isinstance(value, str | int | float) else f"a {type(value).__name__}"
