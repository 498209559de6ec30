"""The door of the status page: host names and the token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.config.secret import Secret
from botd.web.access import Access
from botd.web.server import Request, Response

TOKEN = "correct-horse-battery"


def asked(path: str = "/api/live", query: dict[str, str] | None = None, **headers: str) -> Request:
    return Request("GET", path, query or {}, {"host": "localhost:9465"} | headers)


def refused(access: Access, request: Request) -> Response:
    response = access.refused(request)
    assert response is not None
    return response


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:9465",
        "127.0.0.1:9465",
        "127.8.8.8",
        "[::1]:9465",
        "bot.example.org:443",
        "[2001:db8::1]",
    ],
)
def test_a_page_on_this_machine_answers_to_its_names(host: str) -> None:
    assert Access("127.0.0.1", None, ["Bot.Example.org", "[2001:DB8::1]"]).refused(asked(host=host)) is None


@pytest.mark.parametrize(
    "host", ["", "evil.example", "127.0.0.1.evil.example", "[::2]", "[", "localhost.", "10.0.0.1"]
)
def test_and_to_no_other(host: str) -> None:
    """Else the page of another site could have its own name point here and read."""
    assert refused(Access("127.0.0.1", None), asked(host=host)).status == 421


def test_a_page_open_to_others_answers_to_any_name() -> None:
    assert Access("0.0.0.0", None).refused(asked(host="bot.example.org")) is None


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_token_as_a_header(host: str) -> None:
    access = Access(host, Secret(TOKEN))
    assert access.refused(asked(authorization=f"Bearer {TOKEN}")) is None
    assert access.refused(asked(authorization=f"bearer  {TOKEN} ")) is None
    for wrong in ("", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", "Bearer", "Bearer é"):
        response = refused(access, asked(authorization=wrong))
        assert response.status == 401
        assert dict(response.headers)["WWW-Authenticate"].startswith("Bearer")
        assert TOKEN.encode() not in response.body


def test_the_token_once_in_the_address_gives_a_cookie() -> None:
    access = Access("127.0.0.1", Secret(TOKEN))
    response = refused(access, asked("/", {"token": TOKEN}))
    headers = dict(response.headers)
    assert (response.status, headers["Location"]) == (303, "./")
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie, "the cookie jar of a browser need not know it"
    assert access.refused(asked(cookie=f"other=1; {cookie.partition(';')[0]}")) is None
    assert Access("127.0.0.1", Secret(TOKEN)).refused(asked(cookie=cookie.partition(";")[0])) is None, (
        "also after a restart"
    )
    assert (
        refused(Access("127.0.0.1", Secret("another")), asked(cookie=cookie.partition(";")[0])).status == 401
    )


def test_elsewhere_the_address_does_not_help() -> None:
    assert refused(Access("127.0.0.1", Secret(TOKEN)), asked("/api/live", {"token": TOKEN})).status == 401


def cookie_of(token: str) -> str:
    """What a browser sends that has given it."""
    response = refused(Access("127.0.0.1", Secret(token)), asked("/", {"token": token}))
    return dict(response.headers)["Set-Cookie"].partition(";")[0]


def may_read(cookie: str) -> bool:
    return Access("127.0.0.1", Secret(TOKEN)).refused(asked(cookie=cookie)) is None


WORTHLESS = ["", "é", "abc", TOKEN, "=", '"', cookie_of("another").partition("=")[2]]


@pytest.mark.parametrize("value", WORTHLESS)
def test_wrong_cookies(value: str) -> None:
    name = cookie_of(TOKEN).partition("=")[0]
    assert not may_read(f"{name}={value}")
    assert not may_read(f"{name}={value}; {cookie_of('another')}")
    assert not may_read(value)


@pytest.mark.parametrize(
    "other",
    [
        "a=1", 'a={"x": 1}', 'a="b"c"', "a=b c", "a b", "a", "=", "", "a=é", "a[b]=1", "$Version=1", "a=\\",
        "a=b,c", cookie_of("another"),
    ],
)  # fmt: skip
def test_cookies_of_other_services_on_this_host_do_not_matter(other: str) -> None:
    ours = cookie_of(TOKEN)
    assert may_read(f"{other}; {ours}")
    assert may_read(f"{ours}; {other}")


@given(st.text(st.characters(max_codepoint=255)), st.text(st.characters(max_codepoint=255)))
def test_whatever_else_is_among_the_cookies(before: str, after: str) -> None:
    assert may_read(f"{before};{cookie_of(TOKEN)};{after}")
    assert not may_read(f"{before};{after}")


@pytest.mark.parametrize(
    ("query", "words"),
    [({}, b"needs its token"), ({"token": "wrong"}, b"not the token"), ({"token": "\ud800"}, b"not")],
)
def test_the_page_asks_for_it(query: dict[str, str], words: bytes) -> None:
    response = refused(Access("127.0.0.1", Secret(TOKEN)), asked("/", query))
    assert response.status == 401
    assert words in response.body
    assert b'name="token"' in response.body
    assert b"<script" not in response.body
    for inline in (b"<style", b"style="):
        assert inline not in response.body, "the policy of the page forbids it"


def test_the_pages_own_files_are_no_secret() -> None:
    access = Access("127.0.0.1", Secret(TOKEN))
    assert access.refused(asked("/assets/style.css")) is None
    assert refused(access, asked("/assets")).status == 401
    assert refused(access, asked("/assets/../api/live", host="evil.example")).status == 421
    asks = refused(access, asked("/"))
    assert b'href="assets/style.css"' in asks.body
