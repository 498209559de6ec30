"""Prometheus's configuration, rules and alerts: valid, and tested so that a broken one is noticed."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ops.monitoring import (
    FOLDER,
    OPERATING,
    RULE_TESTS,
    RULES,
    alerts,
    names_in,
    promtool,
    records,
    rule_tests,
    served_names,
    thresholds,
)

SECTION_5 = [
    "BotDown", "BotDeaf", "BotNotPlaying", "BotSlow", "BotDecisionTimeouts", "BotWorkerCrashLoop",
    "BotCommandRejected", "BotReconnectStorm", "BotEventsDropped", "BotLoopLag", "BotMemoryGrowth",
    "BotRestarting",
]  # fmt: skip


def test_the_files_are_valid() -> None:
    for arguments in (
        ("check", "rules", "--lint=all", "--lint-fatal", RULES),
        ("check", "config", FOLDER / "prometheus.yml"),
    ):
        done = promtool(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "FAILED" not in done.stdout + done.stderr


def test_the_rules_do_what_their_tests_say() -> None:
    done = promtool("test", "rules", RULE_TESTS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_says_what_how_bad_and_what_to_do() -> None:
    for name, alert in alerts().items():
        assert alert["labels"]["severity"] in ("page", "ticket"), name
        assert re.fullmatch(r"[1-9]\d*[mh]", alert["for"]), name
        assert set(alert["annotations"]) == {"summary", "description", "runbook"}, name
        assert all(alert["annotations"].values()), name
    assert set(SECTION_5) <= set(alerts())


def test_every_alert_has_its_place_in_the_runbook_and_no_other_has() -> None:
    anchors = re.findall(r'<a id="(bot\w+)"></a>`(Bot\w+)`', OPERATING.read_text())
    assert sorted(anchors) == sorted((name.lower(), name) for name in alerts())
    for name, alert in alerts().items():
        assert alert["annotations"]["runbook"] == f"docs/operating.md#{name.lower()}"


def test_limits_are_all_in_one_place() -> None:
    used = {
        name: re.findall(r'botd:threshold\{alert="(\w+)"\}', alert["expr"])
        for name, alert in alerts().items()
    }
    for name, of in used.items():
        assert of in ([], [name]), "an alert has its own limit or none"
        rest = re.sub(r'scalar\(botd:threshold\{alert="\w+"\}\)|\[\w+\]|"[^"]*"', "", alerts()[name]["expr"])
        numbers = set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?\b", rest))
        assert numbers <= {"0", "1", "86400", "21600"}, "flags, a day, six hours"
    assert {name for name, of in used.items() if of} == set(thresholds())


def test_the_rules_ask_for_what_is_served_or_recorded() -> None:
    known = served_names() | {rule["record"] for rule in records()}
    for rule in [*alerts().values(), *records()]:
        assert names_in(rule["expr"]) <= known, rule


def test_windows_hold_at_least_four_scrapes() -> None:
    interval = yaml.safe_load((FOLDER / "prometheus.yml").read_text())["global"]["scrape_interval"]
    assert interval == "15s"
    for rule in [*alerts().values(), *records()]:
        for window in re.findall(r"\[(\d+)m\]", rule["expr"]):
            assert int(window) * 60 >= 4 * 15


def cases(alert: str) -> list[dict[str, Any]]:
    found = [case for case in rule_tests()["tests"] if case["name"].split()[0] == alert]
    for case in found:
        assert {each["alertname"] for each in case["alert_rule_test"]} == {alert}, case["name"]
    return found


@pytest.mark.parametrize("alert", alerts())
def test_every_alert_is_seen_firing_and_quiet(alert: str) -> None:
    fires = [case for case in cases(alert) if any("exp_alerts" in each for each in case["alert_rule_test"])]
    quiet = [case for case in cases(alert) if case not in fires]
    assert fires
    assert quiet
    assert all("fires" in case["name"] for case in fires)
    assert all("quiet" in case["name"] for case in quiet)


def broken(alert: str) -> dict[str, dict[str, Any]]:
    """Ways to get one alert wrong: its rules by what was done to them."""
    rule = alerts()[alert]
    found: dict[str, dict[str, Any]] = {
        "never": {**rule, "expr": f"({rule['expr']}) and vector(1) == 0"},
        "at once": {**rule, "for": "0m"},
        "much later": {**rule, "for": "3d"},
        "another text": {**rule, "annotations": {**rule["annotations"], "summary": "x"}},
    }
    if limit := thresholds().get(alert):
        found["half the limit"] = {**rule, "expr": _with_limit(rule["expr"], limit / 2)}
        found["twice the limit"] = {**rule, "expr": _with_limit(rule["expr"], limit * 2)}
    elif alert in thresholds():
        found["below the limit"] = {**rule, "expr": _with_limit(rule["expr"], -1)}
        found["above the limit"] = {**rule, "expr": _with_limit(rule["expr"], 2)}
    else:
        turned = (
            re.sub("== 0", "== 7", rule["expr"])
            if "== 0" in rule["expr"]
            else re.sub("== 1|> 0", "> 7", rule["expr"])
        )
        always = re.sub("== 0|== 1|> 0", ">= 0", rule["expr"])
        found["another value"] = {**rule, "expr": turned}
        found["any value"] = {**rule, "expr": always}
    if re.search(r"^\s*/ ", rule["expr"], re.MULTILINE):
        undivided = re.sub(r"^\s*/ .*\n", "", rule["expr"], flags=re.MULTILINE)
        found["not divided"] = {**rule, "expr": undivided}
    first, *more = re.split(r"(?=\band on\b|\bor absent\b)", rule["expr"])
    for part in more:
        found[f"without {' '.join(part.split())[:60]}"] = {
            **rule,
            "expr": first + "".join(x for x in more if x != part),
        }
    return found


def _with_limit(expression: str, limit: float) -> str:
    return re.sub(r"scalar\([^)]*\)", f"{limit:f}", expression)


@pytest.mark.parametrize("alert", alerts())
def test_the_tests_notice_a_broken_alert(alert: str, tmp_path: Path) -> None:
    mutants = broken(alert)
    needed = [rule for rule in records() if rule["record"] in alerts()[alert]["expr"]]
    tests = {**rule_tests(), "tests": cases(alert), "rule_files": ["rules.yml"], "group_eval_order": ["one"]}

    def passes(how: str, rule: dict[str, Any]) -> bool:
        folder = tmp_path / how.replace("/", "_")
        folder.mkdir()
        group = {"name": "one", "rules": [*needed, rule]}
        (folder / "rules.yml").write_text(yaml.safe_dump({"groups": [group]}))
        (folder / "test.yml").write_text(yaml.safe_dump(tests))
        return promtool("test", "rules", folder / "test.yml").returncode == 0

    assert passes("as it is", alerts()[alert])
    with ThreadPoolExecutor(2) as pool:
        survivors = [
            how
            for how, passed in zip(mutants, pool.map(passes, mutants, mutants.values()), strict=True)
            if passed
        ]
    assert survivors == []
