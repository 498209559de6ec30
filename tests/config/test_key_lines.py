"""The scanner must find keys where `tomllib` does, in every way TOML lets one write them."""

import tomllib

from botd.config.lines import KeyLines

TEXT = '''\
# a comment with [brackets] and key = value
top = 1
"quoted key" = "# not a comment"
dotted.inner = [
  1, # [x]
  2,
]
text = """
[not.a.table]
fake = 1
"""
after = 'x'

[ table . sub ]
value = { one = 1, two = [ { three = 3 } ] }

[[list]]
a = 1
[list.inner]
b = 2
[[list]]
a = 3
[[list.deep]]
c = 4
[[list.deep]]
c = 5
'''


def test_lines_of_keys() -> None:
    tomllib.loads(TEXT)
    lines = KeyLines(TEXT)
    expected = {
        ("top",): 2,
        ("quoted key",): 3,
        ("dotted", "inner"): 4,
        ("dotted", "inner", 1): 4,
        ("text",): 8,
        ("after",): 12,
        ("table", "sub"): 14,
        ("table", "sub", "value"): 15,
        ("table", "sub", "value", "two", 0, "three"): 15,
        ("list", 0, "a"): 18,
        ("list", 0, "inner", "b"): 20,
        ("list", 1): 21,
        ("list", 1, "a"): 22,
        ("list", 1, "deep", 0, "c"): 24,
        ("list", 1, "deep", 1, "c"): 26,
        ("list", 1, "missing"): 21,
    }
    assert {path: lines.line(path) for path in expected} == expected
    assert lines.line(()) is None
    assert lines.line(("fake",)) is None
