"""The guest dialogue of the server: every refusal of the specification, and a closed registration."""

from __future__ import annotations

import pytest

from .harness import World, world

WILL, WONT = b"\xff\xfb\x01", b"\xff\xfc\x01"
LETTERS = "** Your name may only contain letters and the underscore character _ ."


def guest(**options: object) -> tuple[World, int]:
    """A connection at the guest's prompt."""
    it = world(**options)  # type: ignore[arg-type]
    connection = it.connect()
    it.send(connection, "guest")
    assert it.raw(connection).endswith(b"ONE USERNAME PER PERSON ONLY!!!\r\n> ")
    return it, connection


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("my2bot", LETTERS),
        ("my-bot", LETTERS),
        ("", LETTERS),
        ("two names", LETTERS),
        ("a" * 21, "** Please use a name with at most 20 characters."),
        ("guest", "** Please use another name. 'guest' is already used by someone else."),
        ("house_amy", "** Please use another name. 'house_amy' is already used by someone else."),
    ],
)
def test_names_it_refuses(name: str, reply: str) -> None:
    it, connection = guest()
    it.send(connection, f"name {name}")
    assert it.raw(connection) == f"{reply}\r\n> ".encode()


@pytest.mark.parametrize(
    ("password", "reply"),
    [
        ("abc", "Minimal password length is 4 characters."),
        ("abc:d", "Your password may not contain ':'"),
    ],
)
def test_passwords_it_refuses(password: str, reply: str) -> None:
    it, connection = guest()
    it.send(connection, "name newbot")
    it.raw(connection)
    it.send(connection, password)
    assert it.raw(connection) == f"\r\n{reply}\r\nPlease give your password: ".encode()
    assert "newbot" not in it.server.accounts


def test_no_password_goes_back_to_the_name() -> None:
    it, connection = guest()
    it.send(connection, "name newbot")
    assert it.raw(connection).endswith(WILL + b"Please give your password: ")
    it.send(connection, "")
    assert it.raw(connection) == b"\r\n** No password given. Please choose a new name\r\n" + WONT + b"> "
    it.send(connection, "name other", "s3cretpw", "s3cretpw")
    assert b"You are registered.\r\n" in it.raw(connection)
    assert set(it.server.accounts) == {"other"}


def test_a_closed_registration_and_good_bye() -> None:
    it, connection = guest(registration=False)
    it.send(connection, "name newbot")
    assert it.raw(connection) == b"Your site is not allowed to create new accounts.\r\n> "
    it.send(connection, "shout hello")
    assert it.raw(connection).startswith(b"** Unknown command: 'shout'")
    it.send(connection, "bye")
    assert connection in it.closed
