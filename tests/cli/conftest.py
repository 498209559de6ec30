"""A correct configuration, for the commands that look at one."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFIG = """\
[[accounts]]
host = "localhost"
name = "anna"
password_file = "anna.password"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "botd.toml"
    path.write_text(CONFIG)
    password = tmp_path / "anna.password"
    password.write_text("hunter2\n")
    password.chmod(0o600)
    return path
