"""Hosts and ports in words: IPv6 addresses with and without brackets, and how far away a host is."""

from __future__ import annotations

import ipaddress

_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost")
_HOME_DOMAINS = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa", ".test", ".example")


def bare_host(host: str) -> str:
    """Without the brackets that an IPv6 address may be written with."""
    return host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host


def bracketed(host: str) -> str:
    """As it stands in front of a colon and a port: `[::1]`, any other host unchanged."""
    host = bare_host(host)
    return f"[{host}]" if ":" in host else host


def endpoint(host: str, port: int) -> str:
    """`fibs.com:4321`, `[::1]:4321`."""
    return f"{bracketed(host)}:{port}"


def as_server(text: str) -> str:
    """A server, or the beginning of one, as logs and journal name it: brackets for a bare IPv6 address."""
    return bracketed(text) if _address(text) is not None else text


def split_endpoint(text: str, default_port: int | None = None) -> tuple[str, int]:
    """Inverse of `endpoint`; a host alone has the default port. Raises ValueError with what is wrong."""
    host, colon, port = text.rpartition(":")
    if text.startswith("[") and text.endswith("]"):
        host, port = text, ""
    elif not colon or (":" in host and not host.startswith("[")):
        host, port = text, ""  # a name, or a bare IPv6 address
    elif not port:
        raise ValueError(f"expected a port after the colon, got {text[:80]!r}")
    in_brackets = host.startswith("[")
    host = bare_host(host)
    if not host or any(character in host for character in "[] /@") or not host.isprintable():
        raise ValueError(f"expected HOST:PORT, got {text[:80]!r}")
    if in_brackets or ":" in host:
        check_host(f"[{host}]")
    if not port:
        if default_port is None:
            raise ValueError(f"expected HOST:PORT, got {text[:80]!r}")
        return host, default_port
    if not (port.isascii() and port.isdigit() and 1 <= int(port[:6]) <= 65535):
        raise ValueError(f"expected a port from 1 to 65535, got {port[:20]!r}")
    return host, int(port)


def check_host(host: str) -> None:
    """Raises ValueError for what looks like an IPv6 address and is none."""
    if (":" in host or "[" in host) and _address(host) is None:
        raise ValueError(f"expected an IPv6 address such as ::1 or [2001:db8::7], got {host[:60]!r}")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    address = _address(host)
    return host.lower() in _LOCAL_NAMES if address is None else address.is_loopback


def is_public(host: str) -> bool:
    """Whether it seems to be out on the internet, not on this machine or in this network."""
    address = _address(host)
    if address is not None:
        return address.is_global
    name = host.lower().rstrip(".")
    return "." in name and not name.endswith(_HOME_DOMAINS)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(bare_host(host))
    except ValueError:
        return None
