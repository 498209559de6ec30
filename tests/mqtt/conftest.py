"""The daemon's world and a broker in it."""

from tests.daemon.conftest import socket_folder, world

__all__ = ["socket_folder", "world"]
