"""The guest dialogue as the specification has it: each step, each refusal, each way to break it off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd_protocols.fibs.client_guest import (
    MAX_LINES,
    GuestRegistration,
    check_guest_name,
    check_guest_password,
)
from botd_protocols.game_events import Event
from botd_protocols.registration import STEP_LIMIT, NotRegistered, Progress, Refusal, Registered

WELCOME = (
    b"\r\nWelcome to FIBS. You just logged in as guest.\r\nPlease register before using this server:\r\n"
    b"\r\nType 'name username' where name is the word 'name' and\r\n"
    b"username is the login name you want to use.\r\n"
    b"\r\nONE USERNAME PER PERSON ONLY!!!\r\n> "
)
NAMED = (
    b"Your name will be mybot\r\nType in no password and hit Enter/Return if you want to change it now.\r\n"
    b"\xff\xfb\x01Please give your password: "
)
RETYPE = b"\r\nPlease retype your password: "
DONE = b"\r\nYou are registered.\r\nType 'help beginner' to get started.\r\n\xff\xfc\x01> "
SCRIPT = [
    (b"\r\n  * a banner *\r\n\r\nlogin: ", "guest"),
    (WELCOME, "name mybot"),
    (NAMED, "s3cretpw"),
    (RETYPE, "s3cretpw"),
    (DONE, "bye"),
]


class Dialogue:
    """A client, the time, and what has come of it."""

    def __init__(self) -> None:
        self.client = GuestRegistration("mybot", "s3cretpw")
        self.now = 100.0
        self.events: list[Event] = self.client.advance(self.now)

    def hear(self, data: bytes) -> str:
        """What the client says to these bytes."""
        self.events += self.client.receive_data(data, self.now)
        return self.client.data_to_send().decode()

    def up_to(self, step: int) -> Dialogue:
        """As the first steps of the script."""
        for data, answer in SCRIPT[:step]:
            assert self.hear(data) == f"{answer}\r\n"
        return self

    @property
    def outcome(self) -> Registered | NotRegistered | None:
        ends = [event for event in self.events if not isinstance(event, Progress)]
        assert len(ends) <= 1
        assert all(isinstance(end, Registered | NotRegistered) for end in ends)
        return ends[0] if ends else None  # type: ignore[return-value]


def test_the_whole_dialogue() -> None:
    dialogue = Dialogue().up_to(5)
    assert dialogue.outcome == Registered("mybot")
    assert dialogue.client.receive_eof(dialogue.now) == []
    assert dialogue.client.closed
    assert "s3cret" not in repr(dialogue.client)
    assert "s3cret" not in repr(dialogue.events)


@given(st.lists(st.integers(1, 20), min_size=1))
def test_however_the_bytes_are_divided(sizes: list[int]) -> None:
    dialogue = Dialogue()
    for data, answer in SCRIPT:
        said, at, turn = "", 0, 0
        while at < len(data):
            size = sizes[turn % len(sizes)]
            said += dialogue.hear(data[at : at + size])
            at, turn = at + size, turn + 1
        assert said == f"{answer}\r\n"
    assert dialogue.outcome == Registered("mybot")


REFUSALS = [
    (1, b"Your site is not allowed to create new accounts.\r\n", Refusal.CLOSED, "Your site is not"),
    (1, b"\r\nlogin: ", Refusal.CLOSED, "knows no guests"),
    (
        2,
        b"** Your name may only contain letters and the underscore character _ .\r\n> ",
        Refusal.NAME_REFUSED,
        "Your name may only",
    ),
    (2, b"** Please use a name with at most 20\r\ncharacters.\r\n> ", Refusal.NAME_REFUSED, "at most 20"),
    (
        2,
        b"** Please use another name. 'mybot' is already used by someone else.\r\n> ",
        Refusal.NAME_TAKEN,
        "already used",
    ),
    (2, b"Your site is not allowed to create new accounts.\r\n> ", Refusal.CLOSED, "not allowed"),
    (2, b"** No.\r\n> ", Refusal.REFUSED, "No."),
    (
        3,
        b"\r\nMinimal password length is 4 characters.\r\nPlease give your password: ",
        Refusal.PASSWORD_REFUSED,
        "Minimal password length",
    ),
    (
        3,
        b"\r\nYour password may not contain ':'\r\nPlease give your password: ",
        Refusal.PASSWORD_REFUSED,
        "may not contain",
    ),
    (
        3,
        b"\r\n** No password given. Please choose a new name\r\n> ",
        Refusal.PASSWORD_REFUSED,
        "No password given",
    ),
    (
        4,
        b"\r\n** The two passwords were not identical. Please give them again. Password: ",
        Refusal.PASSWORD_REFUSED,
        "not identical",
    ),
    (
        4,
        b"\r\n** Please use another name. 'mybot' is already used by someone else.\r\n> ",
        Refusal.NAME_TAKEN,
        "already used",
    ),
]


@pytest.mark.parametrize(("step", "data", "why", "text"), REFUSALS)
def test_a_refusal(step: int, data: bytes, why: Refusal, text: str) -> None:
    dialogue = Dialogue().up_to(step)
    assert dialogue.hear(data) == ""
    outcome = dialogue.outcome
    assert isinstance(outcome, NotRegistered)
    assert (outcome.why, outcome.unsure) == (why, False)
    assert text in outcome.text
    assert dialogue.client.closed
    assert dialogue.hear(DONE) == ""


@pytest.mark.parametrize("step", range(5))
def test_a_hang_up_and_silence_at_each_step(step: int) -> None:
    hung = Dialogue().up_to(step)
    hung.events += hung.client.receive_eof(hung.now)
    silent = Dialogue().up_to(step)
    due = silent.client.next_timer()
    assert due == silent.now + STEP_LIMIT
    assert silent.client.advance(due - 0.01) == []
    silent.events += silent.client.advance(due)
    for dialogue, why in ((hung, Refusal.HUNG_UP), (silent, Refusal.SILENT)):
        outcome = dialogue.outcome
        assert isinstance(outcome, NotRegistered)
        assert (outcome.why, outcome.unsure) == (why, step == 4)
        assert dialogue.client.next_timer() is None


def test_a_server_that_shuts_down_says_so() -> None:
    dialogue = Dialogue()
    dialogue.hear(b"The server will shutdown. No login allowed.\r\n")
    dialogue.events += dialogue.client.receive_eof(dialogue.now)
    assert isinstance(dialogue.outcome, NotRegistered)
    assert dialogue.outcome.text == "The server will shutdown. No login allowed."


def test_prompts_in_the_text_of_lines_are_none() -> None:
    dialogue = Dialogue()
    assert dialogue.hear(b"type login: or Please give your password: or > here\r\n") == ""
    assert dialogue.hear(b"login: ") == "guest\r\n"
    assert dialogue.hear(b"a login: b\r\n") == ""
    assert dialogue.hear(b"Please retype your password: ") == ""  # not its turn


def test_a_prompt_that_comes_twice_is_no_refusal() -> None:
    dialogue = Dialogue().up_to(2)
    assert dialogue.hear(b"> ") == ""
    assert dialogue.outcome is None
    assert dialogue.hear(b"\r\n" + NAMED) == "s3cretpw\r\n"


@pytest.mark.parametrize("step", range(5))
def test_hostile_text(step: int) -> None:
    dialogue = Dialogue().up_to(step)
    dialogue.hear(b"** \x1b]0;owned\x07\x1b[2J\x9b31m evil\r\n> ")
    dialogue.hear(b"x" * 100_000)
    dialogue.events += dialogue.client.receive_eof(dialogue.now)
    outcome = dialogue.outcome
    assert isinstance(outcome, NotRegistered)
    assert outcome.text.isprintable()
    assert len(outcome.text) <= 200


def test_a_welcome_without_end() -> None:
    dialogue = Dialogue().up_to(1)
    dialogue.hear(b"more\r\n" * (MAX_LINES + 1))
    assert isinstance(dialogue.outcome, NotRegistered)
    assert dialogue.outcome.why is Refusal.NOT_UNDERSTOOD


@given(
    st.lists(
        st.sampled_from([data for data, _ in SCRIPT] + [data for _, data, _, _ in REFUSALS]) | st.binary()
    )
)
def test_any_bytes_end_in_one_outcome_at_most(pieces: list[bytes]) -> None:
    dialogue = Dialogue()
    sent = "".join(dialogue.hear(piece) for piece in pieces)
    dialogue.events += dialogue.client.receive_eof(dialogue.now)
    assert dialogue.outcome is not None
    assert sent.count("guest\r\n") <= 1
    assert sent.count("s3cretpw\r\n") <= 2
    assert sent.count("name mybot\r\n") <= 1


@pytest.mark.parametrize(
    "name", ["my2bot", "a b", "", "a" * 21, "é", "a__b", "_", "guest", "You", "a\n", "a-b"]
)
def test_names_that_fibs_refuses(name: str) -> None:
    with pytest.raises(ValueError, match=r"expected|means something else"):
        check_guest_name(name)


@pytest.mark.parametrize("name", ["my_bot", "A", "_x", "a" * 20])
def test_names_that_it_takes(name: str) -> None:
    check_guest_name(name)


@pytest.mark.parametrize("password", ["abc", "a:bcd", "a bcd", "abcdé", "", "x" * 61, "abcd\n"])
def test_passwords_that_it_refuses(password: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        check_guest_password(password)
