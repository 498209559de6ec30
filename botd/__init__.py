"""botd: a daemon that plays backgammon on online servers with its own engine."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str


def __getattr__(name: str) -> str:
    """`__version__`, looked up when it is asked for: that takes longer than to load the engine."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        return version("botd")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
