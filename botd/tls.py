"""TLS as a client, with the authorities that a person may name."""

from __future__ import annotations

import ssl
from pathlib import Path

from botd.files import expect_regular_file


def client_tls(authorities: Path | None) -> ssl.SSLContext:
    """TLS that trusts the system's authorities, or those in a PEM file. Raises OSError, ssl.SSLError too."""
    if authorities is not None:
        expect_regular_file(authorities)  # OpenSSL would wait for a pipe
    return ssl.create_default_context(cafile=authorities)
