"""One Chromium for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.browser import made_up
from tests.web.browser.chromium import Browser
from tests.web.browser.document_server import DocumentServer


@pytest.fixture(scope="session")
def _chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    try:
        yield browser
    finally:
        browser.end()


@pytest.fixture
def browser(_chromium: Browser) -> Iterator[Browser]:
    """With an ordinary screen, nothing stored and nothing logged; a test must read the errors it provokes."""
    _chromium.view()
    _chromium.open("about:blank")
    _chromium.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    _chromium.logged()
    yield _chromium
    assert _chromium.logged() == []


@pytest.fixture
def server(browser: Browser) -> Iterator[DocumentServer]:
    """Serves made-up documents, at first those of one running match."""
    with DocumentServer(made_up.live(made_up.account("anna", made_up.match()))) as server:
        yield server
        browser.open("about:blank")
