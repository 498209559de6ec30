"""A headless Chromium, and what the tests ask of it."""

from __future__ import annotations

import base64
import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--lang=en-GB",
)
PATIENCE_S = 60.0
"""How long a page may take on a busy machine."""


class Browser:
    """One tab. `end` closes it and everything that was started for it."""

    def __init__(self, folder: Path) -> None:
        """folder: empty, for the profile and downloads."""
        options = webdriver.ChromeOptions()
        for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
            options.add_argument(flag)
        self.downloads = folder / "downloads"
        self.downloads.mkdir(parents=True)
        options.add_experimental_option("prefs", {"download.default_directory": str(self.downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(
            options=options, service=Service(executable_path="/usr/bin/chromedriver")
        )
        self.view()

    def end(self) -> None:
        self.driver.quit()

    def view(
        self, width: int = 1280, height: int = 900, *, scheme: str = "light", motion: bool = True
    ) -> None:
        """A screen of this size and what its user prefers; a narrow one is a phone's."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        motions = "no-preference" if motion else "reduce"
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motions},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, url: str) -> None:
        """Always loads: the same address with another fragment would not."""
        self.driver.get("about:blank")
        self.driver.get(url)

    def js(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def module(self, name: str, script: str, *arguments: object) -> Any:
        """What `script` returns with `m` being a module of the page."""
        return self.driver.execute_async_script(
            f"const done = arguments[arguments.length - 1];"
            f"import(new URL('assets/{name}', location.href)).then((m) => (() => {{ {script} }})())"
            ".then(done, (error) => done(String(error)))",
            *arguments,
        )

    def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        """The first true value of `condition()`; fails after PATIENCE_S with what the page shows."""
        give_up = time.monotonic() + PATIENCE_S
        while not (value := condition()):
            if time.monotonic() > give_up:
                raise AssertionError(f"never came: {what or condition}\n{self.text('body')}\n{self.logged()}")
            time.sleep(0.02)
        return value

    def find(self, css: str) -> WebElement:
        found: WebElement = self.until(lambda: self.all(css), css)[0]
        return found

    def all(self, css: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, css: str) -> str:
        """What stands in the first such element, seen or not."""
        return str(self.js("return document.querySelector(arguments[0])?.textContent ?? ''", css))

    def attribute(self, css: str, name: str) -> str | None:
        value = self.js(
            "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null", css, name
        )
        return None if value is None else str(value)

    def press(self, *keys: str) -> None:
        """On whatever has the focus."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    @contextlib.contextmanager
    def offline(self) -> Iterator[None]:
        """Meanwhile no request gets an answer."""
        line = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **line})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **line})

    def focused(self) -> WebElement:
        return self.driver.switch_to.active_element

    def nameless(self) -> list[str]:
        """What can be used or looked at but has no name for a screen reader."""
        wanted = {
            "button",
            "link",
            "tab",
            "textbox",
            "combobox",
            "slider",
            "region",
            "tabpanel",
            "img",
            "table",
        }
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        seen = [node for node in nodes if not node["ignored"] and node["role"]["value"] in wanted]
        assert len(seen) > 5
        return [
            str(node["role"]["value"]) for node in seen if not node.get("name", {}).get("value", "").strip()
        ]

    def logged(self) -> list[str]:
        """New messages of the console (violations of the CSP too) that are errors or warnings."""
        entries: list[dict[str, Any]] = self.driver.get_log("browser")
        return [entry["message"] for entry in entries if entry["level"] in {"SEVERE", "WARNING"}]

    def too_wide(self) -> list[str]:
        """What makes the page wider than the screen, so that it scrolls sideways."""
        found: list[str] = self.js(
            "const width = document.documentElement.clientWidth;"
            "if (document.documentElement.scrollWidth <= width) return [];"
            "return [...document.querySelectorAll('body, body *')]"
            ".filter((e) => e.getBoundingClientRect().right > width + 0.5)"
            ".map((e) => e.outerHTML.slice(0, 200))"
        )
        return found

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """As PNG: what is to be seen, or the whole page."""
        size = self.js(
            "const d = document.documentElement;"
            "return [d.clientWidth, arguments[0] ? d.scrollHeight : d.clientHeight, scrollY]",
            whole,
        )
        clip = {"x": 0, "y": 0 if whole else size[2], "width": size[0], "height": size[1], "scale": 1}
        answer = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"captureBeyondViewport": whole, "clip": clip}
        )
        path.write_bytes(base64.b64decode(answer["data"]))
