"""The files of the status page, read once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from http import HTTPStatus
from importlib import resources
from typing import Final

from botd.web.server import Request, Response

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True)
class Asset:
    content_type: str
    content: bytes
    tag: str
    """Its entity tag."""

    def answer(self, request: Request) -> Response:
        """The file, or that the browser has it already."""
        headers = (("Cache-Control", "no-cache"), ("ETag", self.tag))
        known = request.headers.get("if-none-match", "").split(",")
        if self.tag in (tag.strip().removeprefix("W/") for tag in known):
            return Response(HTTPStatus.NOT_MODIFIED, self.content_type, b"", headers)
        return Response(HTTPStatus.OK, self.content_type, self.content, headers)


def load_assets() -> dict[str, Asset]:
    """All files by name."""
    found: dict[str, Asset] = {}
    for file in (resources.files("botd.web") / "assets").iterdir():
        content_type = _TYPES.get("." + file.name.rpartition(".")[2])
        if content_type is not None:
            content = file.read_bytes()
            found[file.name] = Asset(content_type, content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
    return found
