"""Lines and who records, which come in masses where many play: read quickly, and the same as ever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd_protocols.fibs.client_lines import LOGIN_PROMPT, MAX_LINE, LineReader, LineTooLong
from botd_protocols.fibs.client_messages import WhoRecord, parse_clip, parse_line

PIECES = st.lists(
    st.one_of(
        st.binary(max_size=20),
        st.sampled_from(
            [b"\n", b"\r\n", b"> ", b"login: ", b"\xff\xfb\x01", b"\xff\xff", b"\xff", b"\x7f", b"\t"]
        ),
        st.text(" abc:>0", max_size=30).map(str.encode),
    ),
    max_size=30,
)


def read(chunks: list[bytes], *, prompts_until: int) -> list[str]:
    """The lines; the log-in prompt is expected until so many lines have come."""
    reader = LineReader()
    lines: list[str] = []
    for chunk in chunks:
        for line in reader.feed(chunk):
            lines.append(line)
            reader.expect_login = len(lines) < prompts_until
    return lines


@given(PIECES, st.integers(0, 4), st.data())
def test_lines_do_not_depend_on_how_the_bytes_come(
    pieces: list[bytes], prompts: int, data: st.DataObject
) -> None:
    stream = b"".join(pieces) + b"\n"
    whole = read([stream], prompts_until=prompts)
    assert read([bytes((byte,)) for byte in stream], prompts_until=prompts) == whole
    cut = data.draw(st.integers(0, len(stream)))
    assert read([stream[:cut], stream[cut:]], prompts_until=prompts) == whole


@given(st.lists(st.binary(max_size=40).filter(lambda part: b"\n" not in part), max_size=20))
def test_telnet_bytes_and_control_characters_are_no_part_of_a_line(parts: list[bytes]) -> None:
    reader = LineReader()
    reader.expect_login = False
    lines = list(reader.feed(b"".join(part.replace(b"\xff", b"\xff\xff") + b"\n" for part in parts)))
    kept = ["".join(c for c in part.decode("latin-1") if c == "\t" or c.isprintable()) for part in parts]
    expected = []
    for line in kept:
        text = line
        while text.startswith("> "):
            text = text[2:]
        expected.append(text.rstrip())
    assert lines == expected


@pytest.mark.parametrize("size", [1, 7, 4096, 2 * MAX_LINE])
@pytest.mark.parametrize("expect_login", [True, False])
def test_a_line_without_end_is_given_up_at_the_limit(size: int, expect_login: bool) -> None:
    reader = LineReader()
    reader.expect_login = expect_login
    for _ in range(MAX_LINE // size):
        assert list(reader.feed(b"x" * size)) == []
    with pytest.raises(LineTooLong):
        list(reader.feed(b"x" * size))
    assert list(reader.feed(b"next\n")) == ["next"]


def test_the_longest_line_is_read() -> None:
    reader = LineReader()
    reader.expect_login = False
    assert list(reader.feed(b"x" * MAX_LINE + b"\n")) == ["x" * MAX_LINE]
    reader.expect_login = True
    assert list(reader.feed(b"> login: ")) == [LOGIN_PROMPT]


WORD = st.text(st.characters(codec="latin-1", exclude_categories=["Cc", "Zs"]), min_size=1, max_size=12)
BLANKS = st.sampled_from([" ", "  ", "\t", " \t "])
SIGN = st.sampled_from(["", "+", "-"])
INTEGER = st.builds(str.__add__, SIGN, st.integers(0, 10**15 - 1).map(str))
RATING = st.builds(
    lambda s, a, b: f"{s}{a}{b}", SIGN, st.integers(0, 9_999_999), st.sampled_from(["", ".5", ".25"])
)


@given(
    st.tuples(
        WORD, WORD | st.just("-"), WORD | st.just("-"), st.sampled_from("01"), st.sampled_from("01"), RATING
    ),
    st.tuples(INTEGER, INTEGER, INTEGER),
    st.lists(WORD, max_size=4),
    BLANKS,
)
def test_a_who_record_is_read_whatever_the_blanks(
    head: tuple[str, ...], numbers: tuple[str, ...], rest: list[str], blanks: str
) -> None:
    record = parse_line("5 " + blanks.join([*head, *numbers, *rest]))
    name, opponent, watching, ready, away, rating = head
    assert record == WhoRecord(
        name,
        None if opponent == "-" else opponent,
        None if watching == "-" else watching,
        ready == "1",
        away == "1",
        float(rating),
        int(numbers[0]),
    )


GOOD = ["anna", "-", "-", "1", "0", "1500.00", "10", "3", "1796038422"]


@pytest.mark.parametrize(
    ("field", "value"),
    [(3, "2"), (3, "11"), (4, "x"), (5, "nan"), (5, "inf"), (5, "1e3"), (5, "1."), (5, "12345678")]
    + [(n, bad) for n in (6, 7, 8) for bad in ("x", "1.5", "1" * 16, "1x", "")],
)
def test_a_who_record_with_a_wrong_field_is_none(field: int, value: str) -> None:
    assert isinstance(parse_clip("5 " + " ".join(GOOD)), WhoRecord)
    words = [*GOOD[:field], value, *GOOD[field + 1 :]]
    assert parse_clip("5 " + " ".join(words)) is None
    assert parse_clip("5 " + " ".join(GOOD[:field])) is None


@pytest.mark.parametrize("code", [*range(9), *range(11, 32), *range(127, 161), 173])
def test_no_control_character_gets_into_a_line(code: int) -> None:
    name = bytes((code,)) + b"an" + bytes((code,)) + b"na"
    (line,) = LineReader().feed(name + b" wants to play a 3 point match with you.\n")
    assert line == "anna wants to play a 3 point match with you."
