"""Who may read the status page: whoever asks under a name of its own and, if it has a token, knows that."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from html import escape
from http import HTTPStatus
from typing import Final

from botd.addresses import bare_host, is_loopback, split_endpoint
from botd.config.secret import Secret
from botd.web.server import Request, Response, json

COOKIE: Final = "botd_status_"
"""Its name begins so. Browsers keep one jar for all ports of a host, so the rest tells two botd apart."""

_COOKIE_SECONDS: Final = 90 * 86_400
_SCHEME: Final = "bearer "

_ASK: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>botd</title>
<link rel="icon" href="assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="assets/style.css">
<main class="panel login">
<h1>botd</h1>
<p>{why}</p>
<form>
<label>Token <input name="token" type="password" autocomplete="current-password" required autofocus></label>
<button>Show</button>
</form>
</main>
</html>
"""


class Access:
    """The door."""

    def __init__(self, host: str, token: Secret | None, names: Iterable[str] = ()) -> None:
        """`host` is what the server is bound to, `names` others under which a proxy passes requests on."""
        self._token = None if token is None else token.reveal().encode()
        self._local = is_loopback(host)
        self._names = frozenset(bare_host(name).lower() for name in (host, "localhost", *names))

    def refused(self, request: Request) -> Response | None:
        """The answer instead of what was asked for; None to whoever may have it."""
        if self._local and not self._is_ours(request.headers.get("host", "")):
            # Another site's page may have had its name point at this machine.
            message = "this name is not the status page's; see status_page.names"
            return json(HTTPStatus.MISDIRECTED_REQUEST, {"error": message})
        # The page's own files say nothing about anybody, and the question for the token looks like the page.
        if self._token is None or request.path.startswith("/assets/") or self._may_read(request):
            return None
        if request.path != "/":
            challenge = (("WWW-Authenticate", 'Bearer realm="botd"'),)
            body = json(HTTPStatus.UNAUTHORIZED, {"error": "expected the token of the status page"})
            return Response(body.status, body.content_type, body.body, challenge)
        given = request.query.get("token")
        if given is not None and self._is_token(given):
            cookie = f"{self._cookie}={self._pass}; Max-Age={_COOKIE_SECONDS}; HttpOnly; SameSite=Strict"
            headers = (("Location", "./"), ("Set-Cookie", cookie))
            return Response(HTTPStatus.SEE_OTHER, "text/plain", b"", headers)
        why = "This page needs its token." if given is None else "That is not the token of this page."
        page = _ASK.format(why=escape(why)).encode()
        return Response(HTTPStatus.UNAUTHORIZED, "text/html; charset=utf-8", page)

    @property
    def _pass(self) -> str:
        """What the cookie holds: proof that the token was known, but not the token."""
        assert self._token is not None
        return hmac.new(self._token, b"botd status page", hashlib.sha256).hexdigest()

    @property
    def _cookie(self) -> str:
        return COOKIE + hashlib.sha256(self._pass.encode()).hexdigest()[:8]

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(self._token or b"", given.encode("utf-8", "replace"))

    def _may_read(self, request: Request) -> bool:
        authorization = request.headers.get("authorization", "")
        scheme, given = authorization[: len(_SCHEME)].lower(), authorization[len(_SCHEME) :].strip()
        if scheme == _SCHEME and self._is_token(given):
            return True
        # Other services of this host put what they like into the same header, also what no standard allows.
        pairs = (pair.partition("=") for pair in request.headers.get("cookie", "").split(";"))
        given = next((value.strip() for name, _, value in pairs if name.strip() == self._cookie), "")
        return hmac.compare_digest(self._pass.encode(), given.encode())

    def _is_ours(self, host: str) -> bool:
        try:
            name, _ = split_endpoint(host, default_port=80)
        except ValueError:
            return False
        return name.lower() in self._names or is_loopback(name)
