"""The Grafana dashboard as far as it can be judged without Grafana: what is in the file, and what its
expressions ask for. `test_try_metrics` has a real Prometheus answer them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from tests.ops.monitoring import (
    DASHBOARD,
    ROOT,
    alerts,
    dashboard,
    names_in,
    panels,
    promtool,
    records,
    served_names,
    thresholds,
)

ROWS = ["Is it playing?", "People", "Latency by ply", "Workers", "Links", "Log, events and the process"]


def expressions() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def test_it_can_be_provisioned_anywhere() -> None:
    found = dashboard()
    assert found["id"] is None
    assert found["uid"] == "botd-overview"
    others = [path for path in ROOT.glob("ops/**/*.json") if path != DASHBOARD]
    uids = [json.loads(path.read_text()).get("uid") for path in others]
    assert found["uid"] not in uids
    text = DASHBOARD.read_text()
    assert "${DS_" not in text
    assert "__inputs" not in text
    assert set(re.findall(r'"uid": "([^"]*)"', text)) == {"${datasource}", "-- Grafana --", "botd-overview"}


def test_its_variables() -> None:
    variables = {variable["name"]: variable for variable in dashboard()["templating"]["list"]}
    assert list(variables) == ["datasource", "instance", "server", "ply"]
    assert (variables["datasource"]["type"], variables["datasource"]["query"]) == ("datasource", "prometheus")
    served = served_names()
    for name in ("instance", "server", "ply"):
        variable = variables[name]
        assert variable["datasource"]["uid"] == "${datasource}"
        assert (variable["multi"], variable["includeAll"], variable["allValue"]) == (True, True, ".*")
        assert names_in(variable["definition"]) <= served
        assert any(f"${name}" in expression for expression in expressions())


def test_rows_are_in_the_order_in_which_one_asks() -> None:
    headings = [panel["title"] for panel in dashboard()["panels"] if panel["type"] == "row"]
    assert [heading.partition(" (")[0] for heading in headings] == ROWS
    assert "0-ply is the static evaluation" in headings[2]
    numbers = [panel["id"] for panel in dashboard()["panels"]]
    assert len(set(numbers)) == len(numbers)


def test_panels_do_not_overlap_and_fill_the_width() -> None:
    cells: dict[tuple[int, int], str] = {}
    for panel in dashboard()["panels"]:
        where = panel["gridPos"]
        for x in range(where["x"], where["x"] + where["w"]):
            for y in range(where["y"], where["y"] + where["h"]):
                assert 0 <= x < 24
                assert (x, y) not in cells, (panel["title"], cells[x, y])
                cells[x, y] = panel["title"]
    assert len(cells) == 24 * (max(y for _, y in cells) + 1)


def test_every_panel_says_what_it_shows_and_in_which_unit() -> None:
    assert len(panels()) <= 20
    for panel in panels():
        title = panel["title"]
        assert len(panel["description"]) > 20, title
        assert panel["datasource"]["uid"] == "${datasource}", title
        unit = panel["fieldConfig"]["defaults"]["unit"]
        assert unit in {"none", "s", "ops", "cps", "percentunit", "bytes"}, title
        references = [target["refId"] for target in panel["targets"]]
        assert len(set(references)) == len(references), title
        for target in panel["targets"]:
            if "duration" in target["expr"] or "latency" in target["expr"] or "lag" in target["expr"]:
                assert unit == "s" or panel["type"] == "heatmap", title
            assert re.search(r"\$instance|botd:threshold", target["expr"]), title


def test_its_limits_are_those_of_the_alerts() -> None:
    limits = thresholds()
    shown = {}
    for panel in panels():
        named = [name for name in re.findall(r"\bBot[A-Z]\w+", panel["description"]) if name in limits]
        steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
        value = steps[-1]["value"]
        if value is None or panel["title"] == "Daemons that answer":  # red unless there is at least one
            assert all(limits[name] == 0 for name in named), panel["title"]
            continue
        (name,) = named
        assert value == limits[name], panel["title"]
        shown[name] = panel
    assert set(shown) == {name for name, limit in limits.items() if limit} - {"BotRestarting"}
    for name, panel in shown.items():
        if panel["type"] == "timeseries":  # and as a line, from the rules themselves
            assert panel["targets"][-1]["expr"] == f'botd:threshold{{alert="{name}"}}'


def test_every_alert_it_names_exists() -> None:
    named = set(re.findall(r"\bBot[A-Z][A-Za-z]+", " ".join(panel["description"] for panel in panels())))
    assert named <= set(alerts())


def test_its_expressions_are_valid_and_ask_for_what_is_served(tmp_path: Path) -> None:
    known = served_names() | {rule["record"] for rule in records()}
    rules = []
    for number, expression in enumerate(expressions()):
        assert names_in(expression) <= known, expression
        plain = re.sub(r"\$(instance|server|ply)", ".*", expression).replace("$__rate_interval", "1m")
        assert "$" not in plain, expression
        rules.append({"record": f"expression:{number}", "expr": plain})
    path = tmp_path / "expressions.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = promtool("check", "rules", path)
    assert done.returncode == 0, done.stderr


def test_provisioning_files_say_where_the_dashboard_is() -> None:
    folder = ROOT / "ops" / "grafana" / "provisioning"
    (provider,) = yaml.safe_load((folder / "dashboards" / "botd.yml").read_text())["providers"]
    assert provider["type"] == "file"
    assert provider["options"]["path"] in (ROOT / "docs" / "operating.md").read_text()
    (source,) = yaml.safe_load((folder / "datasources" / "botd.yml").read_text())["datasources"]
    assert source["type"] == "prometheus"
    scrape = yaml.safe_load((ROOT / "ops" / "prometheus" / "prometheus.yml").read_text())["global"]
    assert source["jsonData"]["timeInterval"] == scrape["scrape_interval"]
