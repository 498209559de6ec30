"""Numbers as the engine has them: 32-bit floats, written with the fewest digits that restore them."""

from __future__ import annotations

import math
import struct
from typing import Any

_SINGLE = struct.Struct("<f")
_MAX_DIGITS = 9  # always enough for a 32-bit float


def to_float32(value: float) -> float:
    """The nearest 32-bit float, as a Python float; infinite beyond its range."""
    try:
        single: float = _SINGLE.unpack(_SINGLE.pack(value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return single


def shortest(value: float) -> float:
    """The number with the fewest digits that rounds to the 32-bit float nearest to `value`.

    Its `repr` and so its JSON form has just these digits. Raises ValueError for what has no finite one.
    """
    single = to_float32(value)
    if not math.isfinite(single):
        raise ValueError(f"expected a finite 32-bit number, got {value}")
    for digits in range(1, _MAX_DIGITS):
        candidate = float(f"{single:.{digits}g}")
        if to_float32(candidate) == single:
            return candidate
    return float(f"{single:.{_MAX_DIGITS}g}")


def shortened(answer: Any) -> Any:
    """A JSON value with every float in it shortened."""
    if isinstance(answer, float):
        return shortest(answer)
    if isinstance(answer, dict):
        return {key: shortened(value) for key, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [shortened(value) for value in answer]
    return answer
