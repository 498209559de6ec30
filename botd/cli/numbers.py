"""Numbers as arguments of commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole(least: int, most: int) -> Callable[[str], int]:
    """The `type` of an argument that is a whole number within these limits."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"expected a number from {least} to {most}, got {text[:40]!r}")
        return int(text)

    return parse
