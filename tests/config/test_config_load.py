"""Loading: everything wrong with a file is named with file, line and key, and hostile files do no harm."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.config import AccountConfig, ConfigError, IdleConfig, Loaded, LogConfig, Secret, parse_config
from botd.config.load import MAX_BYTES, load_config
from botd.config.schema import JournalConfig
from botd.engine.levels import DoublingHabit, PlayingLevel, find_level
from botd.engine.types import EngineMode

GOOD = """\
[engine]
ply = 2

[[accounts]]
host = "localhost"
name = "anna"
password_env = "PW"
"""
ENVIRONMENT = {"PW": "open-sesame"}


def parse(text: str | bytes, environment: dict[str, str] | None = None) -> Loaded:
    content = text.encode() if isinstance(text, str) else text
    return parse_config(
        content,
        file="b.toml",
        base=Path("/base"),
        environment=ENVIRONMENT if environment is None else environment,
    )


def problems(text: str | bytes, environment: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse(text, environment)
    assert str(caught.value).splitlines() == [str(problem) for problem in caught.value.problems]
    return [str(problem) for problem in caught.value.problems]


def test_a_minimal_file_gets_defaults() -> None:
    loaded = parse(GOOD)
    assert loaded.config.engine.ply == 2
    assert loaded.config.engine.deadline_s == 10.0
    assert loaded.config.accounts == (AccountConfig(host="localhost", name="anna", password_env="PW"),)
    assert loaded.config.accounts[0].server == "localhost:4321"
    assert loaded.config.journal.path == Path("/base/botd.sqlite3")
    assert [each.login.reveal() for each in loaded.credentials] == ["open-sesame"]
    assert loaded.warnings == ()


def test_values_are_shown_as_the_file_has_them() -> None:
    assert problems(f"[metrics]\nport = 2026-11-30\n{GOOD}") == [
        "b.toml:2: metrics.port: expected an integer from 0 to 65535, got 2026-11-30"
    ]
    assert problems(f"[metrics]\nport = false\n{GOOD}") == [
        "b.toml:2: metrics.port: expected an integer from 0 to 65535, got false"
    ]


@pytest.mark.parametrize(
    ("text", "name"), [("[log]\n[log]\n", "log"), ("[a.b]\n[a.b]\n", "a.b"), ("['a\"b']\n['a\"b']\n", 'a"b')]
)
def test_a_table_that_is_there_twice(text: str, name: str) -> None:
    (problem,) = problems(text)
    assert problem.startswith(f"b.toml:2: not valid TOML: Cannot declare [{name}] twice (column ")


def test_a_number_of_too_many_digits() -> None:
    assert problems(f"x = {'9' * 5000}\n{GOOD}") == ["b.toml: not usable: a number of too many digits"]


def test_the_example_file_loads_and_shows_the_defaults(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "config" / "botd.example.toml"
    (tmp_path / "botd.toml").write_text(example.read_text())
    password = tmp_path / "my_bot.password"
    password.write_text("secret\n")
    password.chmod(0o600)
    loaded = load_config(tmp_path / "botd.toml", {})
    assert loaded.warnings == ()
    shown = loaded.config
    defaults = parse(GOOD.replace("ply = 2", "")).config
    for table in ("engine", "metrics", "log", "daemon", "control", "mqtt", "levels"):
        assert getattr(shown, table) == getattr(defaults, table)
    assert shown.accounts[0].policy == defaults.accounts[0].policy
    assert shown.accounts[0].port == defaults.accounts[0].port


def test_the_commented_examples_are_valid_too(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "config" / "botd.example.toml").read_text()
    lines = []
    for line in text.splitlines():
        uncommented = line[2:] if line.startswith("# ") and ("= " in line[:30] or line[2] == "[") else line
        skip = line.startswith(
            ("password_file", "# password_credential", '# password_env = "MQTT', "# level =", "# tls_ca_file")
        )
        lines.append("" if skip else uncommented)
    text = "\n".join(lines).replace("tls = false", "tls = true")  # what ca_file is for
    loaded = parse(text, {"BOTD_PASSWORD": "pw", "TABLE_PASSWORD": "pw", "STATUS_TOKEN": "pw"})
    account = loaded.config.accounts[0]
    assert account.ply == 0
    assert account.policy.invite is not None
    assert account.policy.invite.length == 5
    assert account.policy.idle == IdleConfig(min_rating=1400)
    assert loaded.config.engine.plies.double == 2
    assert (loaded.config.engine.mode, loaded.config.engine.budget_s) == (EngineMode.FAST, 1.0)
    assert account.mode is EngineMode.EXACT
    bgammon = loaded.config.accounts[1]
    assert (bgammon.protocol, bgammon.server) == ("bgammon", "ws.bgammon.org:443")
    assert bgammon.create.lengths == (3,)
    assert loaded.config.journal.mat_directory == Path("/base/matches")
    assert loaded.config.mqtt.ca_file == Path("/base/ca.crt")
    assert loaded.config.mqtt.username == "botd"
    assert loaded.config.status_page.names == ("bot.example.org",)
    assert loaded.status_token == Secret("pw")


@pytest.mark.parametrize(
    ("engine", "problem"),
    [
        ('mode = "quick"', "engine.mode: "),
        ("mode = 1", "engine.mode: "),
        ("budget_s = 0", "engine.budget_s: expected a number from 0.01 to 60, got 0"),
        ("budget_s = nan", "engine.budget_s: "),
        ("budget_s = 5\ndeadline_s = 2", "engine.budget_s: budget_s (5) is larger than deadline_s (2)"),
    ],
)
def test_modes_and_budgets_that_cannot_be(engine: str, problem: str) -> None:
    (found,) = problems(GOOD.replace("ply = 2", engine))
    assert found.startswith(("b.toml:2: ", "b.toml:3: "))
    assert problem in found


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("min_rating = 1800.0\nmax_rating = 1500.0", "policy.min_rating: min_rating (1800) is larger than"),
        ("min_experience = 9\nmax_experience = 8", "policy.min_experience: min_experience (9) is larger"),
        ('allow = ["Bert"]\nblock = ["bert"]', "policy.block: bert is both allowed and blocked"),
        ('block = "bert"', "policy.block: expected a list of at most 10000 players"),
        ('block = ["bert", "a b"]', "policy.block: expected a list of at most 10000 players"),
        ("block = [3]", "policy.block: expected a list of at most 10000 players"),
        ("remind_s = 700.0", "policy.remind_s: remind_s (700) comes too late: at leave_s (600)"),
        ("max_saved = -1", "policy.max_saved: expected an integer from 0 to 1000, got -1"),
        ('rematch = "perhaps"', 'policy.rematch: expected "accept" or "offer" or "never"'),
        ('rematch = "offer"\ncooldown_s = 9.0', 'policy.rematch: with "offer" expected cooldown_s = 0'),
        (
            'rematch = "offer"\nmax_in_a_row = 1',
            'policy.rematch: with "offer" expected max_in_a_row = 0 or at',
        ),
        ('resign = "always"', 'policy.resign: expected "never" or "proven" or "likely"'),
        ("resign_threshold = 0.5", "policy.resign_threshold: expected a number from 0.9 to 1, got 0.5"),
        ("resign_threshold = nan", "policy.resign_threshold: expected a number from 0.9 to 1, got nan"),
        ("resign_after = 0", "policy.resign_after: expected an integer from 1 to 100, got 0"),
        ('goodbye = "\\n"', "policy.goodbye: expected at most 150 printable ASCII characters"),
        ("idle = true", "policy.idle: expected a table"),
        ("idle.after_s = 1.0", "policy.idle.after_s: expected a number from 5 to 86400, got 1.0"),
        ("idle.again_s = 0.0", "policy.idle.again_s: expected a number from 60 to 604800, got 0.0"),
        ("idle.lengths = [0]", "policy.idle.lengths: expected a list of 1 to 16 match lengths"),
        ('idle.bot_names = ["a b"]', "policy.idle.bot_names: expected a list of at most 1000 names"),
        ("idle.min_rating = 9.0\nidle.max_rating = 8.0", "policy.idle.min_rating: min_rating (9) is larger"),
        ("idle.bots = false", "policy.idle.bots: invites nobody"),
        ("idle.bot_names = []", "policy.idle.bot_names: invites nobody"),
    ],
)
def test_policies_that_cannot_be(settings: str, problem: str) -> None:
    assert any(problem in text for text in problems(f"{GOOD}[accounts.policy]\n{settings}\n"))


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        (
            '[[accounts]]\nhost = "a"\nname = "b"\npassword_env = "PW"\nlevel = "godlike"',
            "accounts[1].level: expected",
        ),
        (
            '[[accounts]]\nhost = "a"\nname = "b"\npassword_env = "PW"\nlevel = "hard"\nply = 1',
            "accounts[1].level: expected either ply or level",
        ),
        ("[levels.easy]\neasy_noise = 1.5", "levels.easy.easy_noise: expected a number from 0 to 1, got 1.5"),
        ("[levels.easy]\nleast_wins = 0.7", "levels.easy: expected least_wins and most_wins"),
        ("[levels.hard]\nleast_wins = 0.9", "levels.hard: least_wins (0.9) is larger than most_wins (0.82)"),
        ("[levels.godlike]\nplies = 4", "levels.godlike: unknown key"),
    ],
)
def test_levels_that_cannot_be(tables: str, problem: str) -> None:
    assert any(problem in text for text in problems(f"{GOOD}\n{tables}\n"))


def test_levels_have_the_figures_of_the_file() -> None:
    easy = "[levels.easy]\neasy_noise = 0.5\nleast_wins = 0.7\nmost_wins = 0.9\n"
    levels = parse(f"{GOOD}{easy}[levels.hard]\nmost_wins = 0.8\n").config.levels
    loose, hard, other = levels.level("easy"), levels.level("Hard"), levels.level("world-class")
    assert isinstance(loose, PlayingLevel)
    assert isinstance(hard, PlayingLevel)
    assert loose.easy_noise == 0.5
    assert loose.doubling == DoublingHabit(0.7, 0.9)
    assert hard.doubling == DoublingHabit(0.66, 0.8)
    assert (hard.plies, hard.candidates) == (2, 15)
    assert other == find_level("world class")


MQTT = "[mqtt]\nenabled = true\n"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ('username = "botd"', "mqtt.username: expected exactly one of password_file, password_env, "),
        ('password_env = "PW"', "mqtt.password_env: expected a username with it"),
        ('username = "b"\npassword_env = "NO"', "mqtt.password_env: the environment variable NO is not set"),
        ('username = "b c"\npassword_env = "PW"', "mqtt.username: expected 1 to 128 printable ASCII"),
        ('password = "x"', "mqtt.password: a password does not belong in this file"),
        ('tls = true\nkey_file = "x"', "mqtt.key_file: expected certificate_file and key_file together"),
        ('ca_file = "x"', "mqtt.ca_file: has no effect without tls = true"),
        ('instance = "a/b"', "mqtt.instance: expected 1 to 64 letters"),
        ('prefix = "#"', "mqtt.prefix: expected 1 to 64 letters"),
        ('instance = ""', "mqtt.instance: expected 1 to 64 letters"),
        ('format = "xml"', 'mqtt.format: expected "json" or "msgpack", got'),
        ("queue = 0", "mqtt.queue: expected an integer from 10 to 1000000, got 0"),
    ],
)
def test_mqtt_settings_that_cannot_be(settings: str, problem: str) -> None:
    assert any(problem in text for text in problems(f"{GOOD}{MQTT}{settings}\n"))


def test_the_password_of_a_broker_is_read_and_counted_among_the_secrets() -> None:
    settings = 'username = "botd"\npassword_env = "MQTT"\n'
    loaded = parse(f"{GOOD}{MQTT}{settings}", ENVIRONMENT | {"MQTT": "other-secret"})
    assert [secret.reveal() for secret in loaded.secrets] == ["open-sesame", "other-secret"]
    assert parse(f"{GOOD}[mqtt]\n{settings}").mqtt_password is None  # not enabled: not even looked for


def test_the_port_of_a_broker_depends_on_tls() -> None:
    assert parse(GOOD + MQTT).config.mqtt.actual_port == 1883
    assert parse(f"{GOOD}{MQTT}tls = true").config.mqtt.actual_port == 8883
    assert parse(f"{GOOD}{MQTT}port = 1").config.mqtt.actual_port == 1


def test_all_problems_are_reported_at_once_with_their_lines() -> None:
    text = """\
[engine]
evaluator = "gnu"
ply = true
wokers = 3
deadline_s = nan

[metrics]
port = "x"

[[accounts]]
host = "local host"
name = "anna"
password_env = "NOT_SET"

[[accounts]]
name = "bob"
[accounts.policy]
min_length = 9
max_length = 3
invite = { opponent = "bob", length = "long" }
"""
    assert problems(text) == [
        "b.toml:2: engine.evaluator: expected sage, gnubg, gnubg:A or gnubg:B, perhaps after puretd:/FILE+, "
        "got 'gnu'; did you mean \"gnubg\"?",
        "b.toml:3: engine.ply: expected an integer from 0 to 4, got true",
        "b.toml:4: engine.wokers: unknown key; did you mean workers?",
        "b.toml:5: engine.deadline_s: expected a number from 0.1 to 600, got nan",
        "b.toml:8: metrics.port: expected an integer from 0 to 65535, got 'x'",
        "b.toml:11: accounts[0].host: expected a host name or address, got 'local host'",
        "b.toml:15: accounts[1].host: is missing; it has no default",
        "b.toml:15: accounts[1]: expected exactly one of password_file, password_env, password_credential, "
        "found none",
        "b.toml:18: accounts[1].policy.min_length: min_length (9) is larger than max_length (3)",
        'b.toml:20: accounts[1].policy.invite.length: expected an integer from 1 to 64 or "unlimited", '
        "got 'long'",
    ]


@pytest.mark.parametrize("key", ["password", "passwd", "Password", "pass"])
def test_an_inline_password_is_refused_and_not_shown(key: str) -> None:
    (message,) = problems(
        GOOD.replace('password_env = "PW"', f'{key} = "hunter2-secret"\npassword_env = "PW"')
    )
    assert message.startswith(f"b.toml:7: accounts[0].{key}: a password does not belong in this file")
    assert "password_file" in message
    assert "hunter2" not in message


def test_a_password_in_the_wrong_key_is_not_shown() -> None:
    (message,) = problems(GOOD.replace('"PW"', '"my secret pass word"'))
    assert (
        message
        == "b.toml:7: accounts[0].password_env: expected the name of an environment variable, got a string"
    )


def test_missing_environment_variable_is_named() -> None:
    assert problems(GOOD, {}) == [
        "b.toml:7: accounts[0].password_env: the environment variable PW is not set"
    ]


def test_two_sources_of_a_password() -> None:
    (message,) = problems(GOOD + 'password_credential = "x"\n')
    assert message.startswith("b.toml:8: accounts[0].password_credential: expected exactly one of")


BGAMMON = """\
[[accounts]]
protocol = "bgammon"
host = "localhost"
name = "BOT_anna"
"""


def test_a_bgammon_account_needs_little() -> None:
    loaded = parse(BGAMMON)
    (account,) = loaded.config.accounts
    assert (account.transport, account.port, account.own_server) == ("websocket", 443, False)
    assert account.create.lengths == (3,)
    assert [each.login.reveal() for each in loaded.credentials] == [""]
    assert parse(BGAMMON + 'transport = "tcp"').config.accounts[0].port == 1337
    assert parse(BGAMMON + 'password_env = "PW"').credentials[0].login.reveal() == "open-sesame"


def test_the_password_of_private_matches() -> None:
    loaded = parse(BGAMMON + 'create.password_env = "PW"')
    assert [(each.login.reveal(), each.table.reveal()) for each in loaded.credentials] == [
        ("", "open-sesame")
    ]
    assert Secret("open-sesame") in loaded.secrets
    assert "open-sesame" not in repr(loaded)
    (problem,) = problems(BGAMMON + 'create.password_env = "MISSING"')
    assert "create.password_env: the environment variable MISSING is not set" in problem
    (problem,) = problems(BGAMMON + 'create.password_env = "PW"\ncreate.password_file = "x"')
    assert "create.password_env: expected at most one of" in problem


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (("BOT_anna", "anna"), "name that begins with BOT_"),
        (("BOT_anna", "BOT_" + "a" * 15), "1 to 18 letters"),
        (("BOT_anna", "12345"), "not only digits"),
        (("", 'transport = "telnet"'), 'expected "tcp" or "websocket"'),
        (("", 'transport = "tcp"\ntls_ca_file = "ca.pem"'), 'is for transport = "websocket" only'),
        (("", 'tls_ca_file = "missing.pem"'), "cannot be read: No such file"),
        (("", "policy.command_gap_s = 0.05"), "at least 0.1"),
        (("", 'policy.invite.opponent = "BOT_bert"'), "bots join nobody"),
        (("", "policy.idle.after_s = 60.0"), 'policy.idle: is for protocol = "fibs" only'),
        (("", "own_server = true\npolicy.idle.after_s = 60.0"), 'policy.idle: is for protocol = "fibs" only'),
        (("", "create.lengths = []"), "a list of 1 to 16 match lengths"),
        (("", "create.lengths = [0]"), "a list of 1 to 16 match lengths"),
        (("", "create.lengths = 3"), "a list of 1 to 16 match lengths"),
        (("", 'create.name = "\u00e9"'), "printable ASCII"),
        (("", 'create.password = "x"'), "does not belong in this file"),
        (("", 'password_env = "PW"\npassword_file = "x"'), "expected exactly one of"),
    ],
)
def test_what_no_bgammon_server_should_get(change: tuple[str, str], found: str) -> None:
    old, new = change
    text = BGAMMON.replace(old, new) if old else BGAMMON + new
    assert any(found in problem for problem in problems(text)), problems(text)


def test_a_bgammon_name_in_another_case_is_the_same_account() -> None:
    (problem,) = problems(BGAMMON + BGAMMON.replace("BOT_anna", "bot_Anna"))
    assert "is already accounts[0]" in problem


def test_our_own_bgammon_server_allows_more() -> None:
    text = BGAMMON.replace("BOT_anna", "anna") + "own_server = true\npolicy.command_gap_s = 0\n"
    (account,) = parse(text + 'policy.invite.opponent = "BOT_bert"').config.accounts
    assert account.policy.invite is not None


def test_a_certificate_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    text = BGAMMON + f'tls_ca_file = "{tmp_path}/ca.pem"'
    assert "certificates in PEM format" in problems(text)[0]


@pytest.mark.parametrize("key", ['transport = "tcp"', "own_server = true", "create.lengths = [3]"])
def test_keys_of_bgammon_mean_nothing_elsewhere(key: str) -> None:
    assert 'is for protocol = "bgammon" only' in problems(GOOD + key)[0]


@pytest.mark.parametrize(
    ("host", "name"), [("LOCALHOST", "anna"), ("localhost", "ANNA"), ("Localhost", "Anna")]
)
def test_the_same_account_twice(host: str, name: str) -> None:
    account = GOOD[GOOD.index("[[") :]
    (message,) = problems(GOOD + account.replace("localhost", host).replace("anna", name))
    assert message.startswith(f"b.toml:10: accounts[1].name: {name} on {host}:4321 is already accounts[0]")


def test_an_account_cannot_invite_itself() -> None:
    (message,) = problems(GOOD + '[accounts.policy.invite]\nopponent = "anna"\n')
    assert message == "b.toml:9: accounts[0].policy.invite.opponent: an account cannot invite itself"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "b.toml: accounts: is missing; it has no default"),
        ("accounts = []", "b.toml:1: accounts: expected at least one [[accounts]] table"),
        (
            "accounts = 3",
            "b.toml:1: accounts: expected a list of tables, written [[accounts]], got",
        ),
        ("[accounts]", "b.toml:1: accounts: expected a list of tables, written [[accounts]], got a table"),
        ("accounts = []\nengine = 1979-05-27", "b.toml:2: engine: expected a table, got a date or time"),
        ("a = 1\na = 2", "b.toml:2: not valid TOML: Cannot overwrite a value"),
        ("[engine]\n[engine]", "b.toml:2: not valid TOML"),
        (
            "ply",
            "b.toml:1: not valid TOML: Expected '=' after a key",
        ),
        ("x = " + "[" * 5000, "b.toml: not usable: values nested too deeply"),
        ("x = " + "9" * 5000, "b.toml: not usable"),
        ("x = 1\ny = '\0'", "b.toml:2: expected text, found a NUL byte"),
        (b"x = 1\ny = '\xff'", "b.toml:2: expected UTF-8 text, found byte 0xff"),
        ("#" * (MAX_BYTES + 1), "b.toml: larger than"),
    ],
)
def test_hostile_files(text: str | bytes, message: str) -> None:
    assert any(found.startswith(message) for found in problems(text))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("host", "localhost"),
        ("name", "anna"),
        ("password_file", "anna.password"),
        ("password_env", "PW"),
        ("password_credential", "anna"),
        ("policy.greeting", "Hello"),
        ("policy.invite.opponent", "bert"),
    ],
)
def test_no_value_that_goes_to_a_server_ends_with_a_newline(key: str, value: str) -> None:
    keys = {"host": '"a"', "name": '"a"', "password_env": '"PW"'} | {key: f'"{value}\\n"'}
    text = "[[accounts]]\n" + "".join(f"{name} = {text}\n" for name, text in keys.items())
    assert any(f"accounts[0].{key}: expected" in problem for problem in problems(text))


def test_messages_hold_no_control_characters() -> None:
    for message in problems('"\\u001b[31mred" = 1\n[engine]\nmode = "\\u001b[2J"\n'):
        assert message.isprintable()


def test_byte_order_mark_and_crlf_are_accepted() -> None:
    assert parse(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()).config.engine.ply == 2


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file or directory"):
        load_config(tmp_path / "missing.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_config(tmp_path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config("a\0b")


def test_an_endless_file_is_cut_off() -> None:
    with pytest.raises(ConfigError, match="larger than"):
        load_config("/dev/zero")


TOML_PIECES = st.sampled_from(
    [
        *GOOD.splitlines(keepends=True),
        "[accounts.policy]\n",
        "policy = {invite = {length = 3}}\n",
        "min_length = 0\n",
        "[[accounts.policy.invite]]\n",
        "[engine.plies]\n",
        'x = """a\n[b]\n"""\n',
        "ply = [1,\n2]\n",
        "'ply' = 9\n",
        "a.b.c = 1\n",
        "\r",
        "\x00",
        "é = 1\n",
        "=",
        '"',
        "'''",
    ]
)


def refusal(content: str | bytes) -> list[str] | None:
    try:
        parse(content)
    except ConfigError as error:
        return [str(problem) for problem in error.problems]
    return None


@given(st.lists(TOML_PIECES, max_size=12).map("".join) | st.text(max_size=60))
def test_any_text_loads_or_is_refused_with_a_reason(text: str) -> None:
    found = refusal(text)
    assert found is None or all(message.startswith("b.toml") and message.isprintable() for message in found)
    assert found != []


@given(st.binary(max_size=60))
def test_any_bytes_load_or_are_refused_with_a_reason(content: bytes) -> None:
    assert refusal(content)


@pytest.mark.parametrize(
    "evaluator",
    [
        "puretd",
        "puretd:/a",
        "puretd:a+sage",
        "puretd:/a+random",
        "puretd:/a\\nb+sage",
        "sage+sage",
        "botd.x:y",
    ],
)
def test_evaluators_that_cannot_play_everything(evaluator: str) -> None:
    assert (
        "engine.evaluator: expected sage"
        in problems(GOOD.replace("ply = 2", f'evaluator = "{evaluator}"'))[0]
    )


def test_a_network_for_money_beside_another_evaluator() -> None:
    parsed = parse(GOOD.replace("ply = 2", 'evaluator = "puretd:/some/where+else/a.net+gnubg:B"'))
    assert parsed.config.engine.evaluator == "puretd:/some/where+else/a.net+gnubg:B"


def test_tables_with_file_names_keep_their_other_keys() -> None:
    tables = (
        '[journal]\nmat_directory = "m"\nkeep_days = 365\nkeep_decisions_days = 30.5\nvacuum = "off"\n'
        '[log]\nlevel = "debug"\nfile = "botd.log"\n'
        "rotate_mb = 10\nrotate_days = 1\nkeep = 3\ncompress = true\n"
    )
    config = parse(tables + GOOD).config
    assert config.journal == JournalConfig(Path("/base/botd.sqlite3"), Path("/base/m"), 365, 30.5, "off")
    assert config.log == LogConfig("debug", "auto", Path("/base/botd.log"), 10, 1, 3, True)
