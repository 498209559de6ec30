"""The files under ops/prometheus and ops/grafana, read."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from botd.engine.random_player import RandomPlayer
from botd.metrics.registry import Metrics

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "ops" / "prometheus"
RULES = FOLDER / "botd.rules.yml"
RULE_TESTS = FOLDER / "tests" / "botd.test.yml"
DASHBOARD = ROOT / "ops" / "grafana" / "botd-dashboard.json"
OPERATING = ROOT / "docs" / "operating.md"


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def alerts() -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for rule in rules() if "alert" in rule}


def records() -> list[dict[str, Any]]:
    return [rule for rule in rules() if "record" in rule]


def thresholds() -> dict[str, float]:
    """The limit of each alert that has one."""
    return {
        rule["labels"]["alert"]: float(rule["expr"])
        for rule in records()
        if rule["record"] == "botd:threshold"
    }


def rule_tests() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(RULE_TESTS.read_text())
    return found


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DASHBOARD.read_text())
    return found


def panels() -> list[dict[str, Any]]:
    """Without the rows' headings."""
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["promtool", *map(str, arguments)], capture_output=True, text=True, check=False, cwd=FOLDER
    )


def names_in(expression: str) -> set[str]:
    """Metrics of botd, recorded ones too, that an expression asks for."""
    without_labels = re.sub(r"\{[^}]*\}", "", expression)
    return set(re.findall(r"\b(?:\w+:)*botd[_:]\w+(?::\w+)*", without_labels))


def served_names() -> set[str]:
    """Names of all samples that a daemon serves."""
    metrics = Metrics(["server:1"])
    metrics.set_build_info(RandomPlayer().info)
    metrics.set_accounts([("server:1", "anna", "ready")])
    page = metrics.render().decode()
    return set(re.findall(r"^(\w+)[{ ]", page, re.MULTILINE))
