"""PureTD's files become our own, whatever their kind; damaged and hostile ones are refused in one line."""

from __future__ import annotations

import json
import pickle
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd import _core
from botd.engine.network_file import NetworkFile, NetworkKind, read_network
from botd.engine.puretd_file import parse_puretd
from botd.engine_cli.main import main
from tests.puretd.archives import Archive, Member, Raw, archive, make

# The eight kinds of files that PureTD has published: kind, hidden layers, where the tensors were.
PUBLISHED = [
    ("cubeful", (12, 12, 6, 6), "cpu", NetworkKind.CUBEFUL_EQUITY),
    ("cubeful", (12, 12, 6), "cpu", NetworkKind.CUBEFUL_EQUITY),
    ("cubeless", (12, 12, 6), "cpu", NetworkKind.CUBELESS_EQUITY),
    ("prob5", (12, 12, 6, 3), "cpu", NetworkKind.PROBABILITIES5),
    ("dmp", (12, 12, 6, 6), "cpu", NetworkKind.WIN),
    ("dmp", (12, 12, 6), "cpu", NetworkKind.WIN),
    ("dmp", (300, 300, 300), "cuda:0", NetworkKind.WIN),
    ("oldest", (12, 12, 6, 3), "cuda:0", NetworkKind.WIN),
]


def refusal(content: bytes) -> str:
    """Why a file is refused."""
    with pytest.raises(_core.DataError) as caught:
        parse_puretd(content, "file.pt")
    text = str(caught.value)
    assert text.startswith("file.pt: ")
    assert "\n" not in text
    assert "expected" in text
    return text


@pytest.mark.parametrize(("kind", "hidden", "place", "expected"), PUBLISHED)
def test_every_kind_that_is_published(
    kind: str, hidden: tuple[int, ...], place: str, expected: NetworkKind, tmp_path: Path
) -> None:
    made = make(hidden, kind=kind, place=place)
    path = tmp_path / "a.pt"
    path.write_bytes(made.content())
    assert main(["import-net", str(path), str(tmp_path / "a.botdnet")]) == 0
    network = read_network(tmp_path / "a.botdnet")
    assert network.kind is expected
    assert [layer.outputs for layer in network.layers] == [*hidden, 5 if kind == "prob5" else 1]
    parts = [part for layer in network.layers for part in (layer.weights, layer.biases)]
    assert parts == [data for _, _, data in made.tensors]
    assert network.licence == "not stated"
    assert "'a.pt'" in network.source


def test_what_is_said_of_an_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(make().content())
    assert main(["import-net", str(path), str(tmp_path / "b")]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["kind"] == "cubeful_equity"
    assert answer["layers"] == [5, 4, 1]
    assert answer["parameters"] == 200 * 5 + 5 + 5 * 4 + 4 + 4 + 1
    assert answer["bytes"] == (tmp_path / "b").stat().st_size


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["missing.pt", "out"], 3, "missing.pt"),
        ([".", "out"], 3, "not a regular file"),
        (["text.pt", "out"], 3, "expected a ZIP archive"),
        (["good.pt", "missing/out"], 3, "cannot be written"),
        (["good.pt"], 2, "required"),
    ],
)
def test_imports_that_fail(
    arguments: list[str],
    status: int,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.pt").write_bytes(make().content())
    Path("text.pt").write_text("no archive")
    try:
        found = main(["import-net", *arguments])
    except SystemExit as ended:
        found = int(ended.code or 0)
    assert found == status
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1
    assert not Path("out").exists()


def changed(change: Callable[[Archive], object], **how: str) -> bytes:
    made = make(**how)  # type: ignore[arg-type]
    change(made)
    return made.content()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (changed(lambda a: a.fields.update(activation="tanh")), "activation: expected 'relu', got 'tanh'"),
        (changed(lambda a: a.fields.update(input_size=196)), "input_size: expected 200"),
        (changed(lambda a: a.fields.update(input_size=True)), "input_size: expected 200, got True"),
        (changed(lambda a: a.fields.update(encoder_name="raw")), "encoder_name: expected 'perspective196'"),
        (changed(lambda a: a.fields.pop("encoder_name")), "encoder_name: expected 'perspective196'"),
        (changed(lambda a: a.fields.update(output_mode="logit")), "output_mode: expected 'equity'"),
        (changed(lambda a: a.fields.update(output_mode="probability")), "kind win with cube inputs"),
        (changed(lambda a: a.fields.update(model_type="prob3")), "model_type: expected 'prob5'"),
        (changed(lambda a: a.fields.update(raw_logits=True), kind="prob5"), "raw_logits: expected False"),
        (changed(lambda a: a.fields.update(hidden_sizes=[])), "hidden_sizes: expected"),
        (changed(lambda a: a.fields.update(hidden_sizes=[5, 5])), "expected a tensor of shape (5, 5)"),
        (changed(lambda a: a.fields.update(hidden_sizes=[5])), "state_dict: expected"),
        (changed(lambda a: a.fields.update(hidden_sizes=[5, True])), "hidden_sizes: expected"),
        (changed(lambda a: a.fields.update(hidden_sizes=[1] * 99)), "hidden_sizes: expected"),
        (changed(lambda a: a.fields.update(hidden_sizes="55")), "hidden_sizes: expected"),
        (changed(lambda a: a.tensors.pop()), "state_dict: expected"),
        (changed(lambda a: a.tensors.append(("more", (1,), bytes(4)))), "state_dict: expected"),
        (changed(lambda a: a.counts.update({"fc_output.bias": 7})), "a storage of 7 numbers"),
        (changed(lambda a: a.extra.append(Member("other/data.pkl", b"."))), "one member data.pkl"),
        (changed(lambda a: setattr(a, "folder", "..")), "expected a plain name"),
    ],
)
def test_a_description_of_something_else(content: bytes, text: str) -> None:
    assert text in refusal(content)


def tensor_member(a: Archive, data: bytes) -> None:
    name, shape, _ = a.tensors[1]
    a.tensors[1] = (name, shape, data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (bytes(16), "16 bytes, expected 20"),
        (bytes(24), "24 bytes, expected 20"),
        (struct.pack("<5f", 0, 1, float("nan"), 3, 4), "number 2 is nan"),
        (struct.pack("<5f", 0, 1, 2, 3, float("-inf")), "number 4 is -inf"),
        (struct.pack("<5f", 0, 1, 2, 3, 2e6), "expected a finite number of at most a million"),
    ],
)
def test_tensors_that_are_none(
    data: bytes, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(changed(lambda a: tensor_member(a, data)))
    assert main(["import-net", str(path), str(tmp_path / "out")]) == 3
    error = capsys.readouterr().err
    assert text in error
    assert str(path) in error


def members(change: Callable[[list[Member]], object], **how: int) -> bytes:
    parts = make().members()
    change(parts)
    return archive(parts, count=how.get("count"))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "got an empty file"),
        (b"PK\x05\x06" + bytes(18), "one member data.pkl in a folder, got 0"),
        (members(lambda m: setattr(m[3], "crc", 1)), "checksum (CRC-32)"),
        (members(lambda m: setattr(m[3], "method", 8)), "expected it stored"),
        (members(lambda m: setattr(m[3], "flags", 1)), "expected it stored"),
        (members(lambda m: setattr(m[3], "size", 1 << 31)), "expected its end in the file"),
        (members(lambda m: setattr(m[3], "header", 1 << 31)), "expected the header of a member"),
        (members(lambda m: setattr(m[3], "header", 3)), "expected the header of a member"),
        (members(lambda m: setattr(m[3], "local_name", "other")), "as in the directory"),
        (members(lambda m: m.append(m[3])), "expected one member"),
        (members(lambda m: m.append(Member("/etc/passwd", b""))), "expected a plain name"),
        (members(lambda m: m.append(Member("a/../../b", b""))), "expected a plain name"),
        (members(lambda m: m.append(Member("a\\b", b""))), "expected a plain name"),
        (members(lambda m: m.append(Member("a\nb", b""))), "expected a plain name"),
        (members(lambda m: m.append(Member("", b""))), "expected a plain name"),
        (members(lambda m: None, count=1), "expected the end of the directory"),
        (members(lambda m: None, count=60), "expected a directory of 60 members"),
        (members(lambda m: None, count=60000), "expected at most 1000"),
        (members(lambda m: setattr(m[2], "data", b"big")), "expected 'little'"),
        (members(lambda m: m.pop(4)), "found none"),
        (make().content() + b"more", "expected the end of the archive to fit the file"),
        (make().content()[:-1], "expected a ZIP archive"),
    ],
)
def test_archives_that_are_damaged_or_hostile(content: bytes, text: str) -> None:
    assert text in refusal(content)


def test_overlapping_members() -> None:
    inner = archive([Member("inner", bytes(100))])
    outer = Member("outer", inner)
    content = archive([outer, Member("inner", bytes(100))])
    start = content.index(b"PK\x03\x04", 4)
    made = archive([outer, Member("inner", bytes(100), header=start)])
    assert "overlap" in refusal(made)


def test_an_archive_with_a_comment() -> None:
    made = make()
    network = parse_puretd(archive(made.members(), comment=b"a comment"), "file.pt")
    assert network.layers == parse_puretd(made.content(), "file.pt").layers


def described(code: bytes) -> bytes:
    return archive([Member("run/data.pkl", code)])


class _Ran:
    """What a pickle must never reach."""

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return eval, ("__import__('pathlib').Path('/tmp/botd-was-here').touch()",)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (pickle.dumps(_Ran(), protocol=2), "refers to '__builtin__ eval'"),
        (pickle.dumps({"a": 1}, protocol=4), "protocol 2"),
        (b"\x80\x02cos\nsystem\n.", "refers to 'os system'"),
        (b"\x80\x02ctorch._utils\n_rebuild_tensor_v3\n.", "refers to"),
        (b"\x80\x02c" + b"a" * 5000, "the name of a module"),
        (b"\x80\x02ccollections\nOrderedDict\n(K\x01tR.", "a call, expected an empty OrderedDict"),
        (b"\x80\x02})R.", "a call, expected an empty OrderedDict"),
        (b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R.", "expected a tensor of a storage"),
        (b"\x80\x02)Q.", "expected a storage"),
        (b"\x80\x02}K\x01K\x02s.", "expected pairs of a text and a value"),
        (b"\x80\x02}(K\x01u.", "expected pairs of a text and a value"),
        (b"\x80\x02}}}.", "expected one value at the end"),
        (b"\x80\x02.", "expected one value at the end"),
        (b"\x80\x02}.}", "expected nothing behind the end"),
        (b"\x80\x02}", "expected more"),
        (b"\x80\x02K", "expected more"),
        (b"\x80\x02X\xff\xff\xff\xff", "expected more"),
        (b"\x80\x02X\x01\0\0\0\xff.", "expected a text in UTF-8"),
        (b"\x80\x02h\x05.", "expected a value remembered as 5"),
        (b"\x80\x02(q\x05.", "expected a value to remember"),
        (b"\x80\x02t.", "expected a mark"),
        (b"\x80\x02e.", "expected a mark"),
        (b"\x80\x02(e.", "expected a list"),
        (b"\x80\x02)b.", "expected a dict"),
        (b"\x80\x02].", "expected a dictionary"),
        (b"\x80\x02K\x01.", "expected a dictionary"),
        (b"\x80\x02}q\x00X\x01\0\0\0ah\x00s.", "expected"),
        (b"\x80\x02" + b"(" * 1000 + b".", "expected"),
        (b"\x80\x02" + b")\x85" + b"\x85" * 900_000 + b".", "expected a dictionary"),
        (b"\x80\x02" + b"N" * (2 << 20) + b".", "expected at most"),
        (b"\x80\x02" + b"Nr" + b"".join(struct.pack("<I", n) + b"r" for n in range(20_000)), "at most 10000"),
    ],
)
def test_pickles_that_are_something_else(code: bytes, text: str) -> None:
    assert text in refusal(described(code))
    assert not Path("/tmp/botd-was-here").exists()


def test_deep_values_where_plain_ones_belong() -> None:
    """Errors about them do not follow them down, and values that hold themselves do no harm."""
    deep = Raw(b"]" + b"]" * 50_000 + b"a" * 50_000)
    for key in ("hidden_sizes", "activation", "encoder_name", "output_mode"):
        assert f"{key}: expected" in refusal(changed(lambda a, key=key: a.fields.update({key: deep})))  # type: ignore[misc]
    itself = Raw(b"]r\x00\x01\x00\x00j\x00\x01\x00\x00a")
    assert "hidden_sizes: expected" in refusal(changed(lambda a: a.fields.update(hidden_sizes=itself)))


def test_what_training_runs_add_does_no_harm() -> None:
    more = Raw(b"}(X\x02\0\0\0lrG?PbM\xd2\xf1\xa9\xfcX\x01\0\0\0a\x88X\x01\0\0\0bNu")
    made = make()
    plain = parse_puretd(made.content(), "file.pt")
    made.fields["train_params"] = more
    assert parse_puretd(made.content(), "file.pt").layers == plain.layers


def test_a_file_cut_anywhere() -> None:
    content = make((3,), kind="prob5").content()
    for size in range(0, len(content), 7):
        refusal(content[:size])


def _survives(content: bytes) -> NetworkFile | None:
    try:
        return parse_puretd(content, "file.pt")
    except _core.DataError as error:
        text = str(error)
    assert text.startswith("file.pt: ")
    assert "expected" in text
    return None


def test_flipped_bits_and_random_damage() -> None:
    made = make((3,))
    content = made.content()
    rng = random.Random(5)
    for _ in range(1500):
        damaged = bytearray(content)
        for _ in range(rng.choice((1, 1, 2, 20))):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        _survives(bytes(damaged))


@given(st.data())
def test_damaged_descriptions(data: st.DataObject) -> None:
    """With a fitting checksum, so that the description itself is read."""
    made = make((3,))
    code = bytearray(made.description())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(code) - 1))
        code[place] = data.draw(st.integers(0, 255))
    parts = made.members()
    parts[0].data = bytes(code)
    _survives(archive(parts))


@given(st.binary(max_size=300))
def test_any_description(code: bytes) -> None:
    _survives(described(b"\x80\x02" + code))
