"""botd: a daemon that plays backgammon on online servers with its own engine."""

from importlib.metadata import version

__version__ = version("botd")
