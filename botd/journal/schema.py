"""Tables of the journal file and the way from every older schema to the present one.

`PRAGMA user_version` holds the schema version. A migration is applied once, in a transaction of its own, and
is never edited after a release: a new one is appended.
"""

from __future__ import annotations

import sqlite3

from botd.journal.transaction import transaction

_VERSION_1 = """
CREATE TABLE matches (
    match               TEXT PRIMARY KEY,
    server              TEXT NOT NULL,
    account             TEXT NOT NULL,
    opponent            TEXT NOT NULL,
    length              INTEGER NOT NULL,           -- points, 0 = unlimited
    crawford            INTEGER NOT NULL,
    jacoby              INTEGER NOT NULL,
    started_at          TEXT NOT NULL,
    ended_at            TEXT,
    state               TEXT NOT NULL CHECK (state IN ('playing', 'suspended', 'finished', 'discarded')),
    winner              TEXT,
    first_score_us      INTEGER NOT NULL,           -- when the journal first saw the match
    first_score_opponent INTEGER NOT NULL,
    score_us            INTEGER NOT NULL,
    score_opponent      INTEGER NOT NULL
);
CREATE INDEX matches_by_opponent ON matches (server, account, opponent, state);

CREATE TABLE sittings (
    match      TEXT NOT NULL,
    number     INTEGER NOT NULL,                    -- 1 is the start, 2... are resumptions
    started_at TEXT NOT NULL,
    ended_at   TEXT,
    how        TEXT CHECK (how IN ('finished', 'left', 'opponent_left', 'connection_lost')),
    PRIMARY KEY (match, number)
);

CREATE TABLE games (
    match          TEXT NOT NULL,
    game           INTEGER NOT NULL,
    started_at     TEXT NOT NULL,
    ended_at       TEXT,
    score_us       INTEGER NOT NULL,                -- before the game
    score_opponent INTEGER NOT NULL,
    crawford       INTEGER NOT NULL,
    complete       INTEGER NOT NULL,                -- 0: play had begun before the journal saw it, or a gap
    gap            TEXT,                            -- what was missed
    winner         TEXT,
    points         INTEGER,
    how            TEXT,
    PRIMARY KEY (match, game)
);

CREATE TABLE rolls (
    id       INTEGER PRIMARY KEY,
    match    TEXT NOT NULL,
    game     INTEGER NOT NULL,
    seq      INTEGER NOT NULL,                      -- order of all events of a game
    at       TEXT NOT NULL,
    side     TEXT,                                  -- who plays the dice; NULL: equal opening dice
    die1     INTEGER NOT NULL CHECK (die1 BETWEEN 1 AND 6),
    die2     INTEGER NOT NULL CHECK (die2 BETWEEN 1 AND 6),
    opening  INTEGER NOT NULL                       -- then die1 is ours, die2 the opponent's
);
CREATE INDEX rolls_by_game ON rolls (match, game, seq);

CREATE TABLE moves (
    id          INTEGER PRIMARY KEY,
    match       TEXT NOT NULL,
    game        INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    at          TEXT NOT NULL,
    side        TEXT NOT NULL,
    die1        INTEGER NOT NULL,
    die2        INTEGER NOT NULL,
    steps       TEXT NOT NULL,                      -- "24/23 13/11", 25 bar, 0 off; "" = dance
    notation    TEXT NOT NULL,
    position_id TEXT NOT NULL,
    automatic   INTEGER NOT NULL
);
CREATE INDEX moves_by_game ON moves (match, game, seq);

CREATE TABLE cube_actions (
    id     INTEGER PRIMARY KEY,
    match  TEXT NOT NULL,
    game   INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    at     TEXT NOT NULL,
    side   TEXT,
    action TEXT NOT NULL,
    cube   INTEGER NOT NULL
);
CREATE INDEX cube_actions_by_game ON cube_actions (match, game, seq);

CREATE TABLE resignations (
    id     INTEGER PRIMARY KEY,
    match  TEXT NOT NULL,
    game   INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    at     TEXT NOT NULL,
    side   TEXT NOT NULL,
    action TEXT NOT NULL,
    level  INTEGER NOT NULL
);
CREATE INDEX resignations_by_game ON resignations (match, game, seq);

CREATE TABLE decisions (
    id             INTEGER PRIMARY KEY,
    match          TEXT NOT NULL,
    game           INTEGER NOT NULL,
    seq            INTEGER NOT NULL,
    at             TEXT NOT NULL,
    kind           TEXT NOT NULL,
    position_id    TEXT NOT NULL,
    match_id       TEXT NOT NULL,
    die1           INTEGER,
    die2           INTEGER,
    chosen         TEXT NOT NULL,
    equity         REAL,                            -- of the choice, seen by the side on roll
    ply            INTEGER NOT NULL,
    source         TEXT NOT NULL,
    duration       REAL NOT NULL,                   -- seconds
    candidates     TEXT NOT NULL,                   -- JSON, see docs/journal.md
    engine_version TEXT NOT NULL,
    evaluator      TEXT NOT NULL,
    weights_sha256 TEXT NOT NULL,
    cpu_path       TEXT NOT NULL,
    met            TEXT NOT NULL,
    settings       TEXT NOT NULL                    -- JSON
);
CREATE INDEX decisions_by_game ON decisions (match, game, seq);

CREATE TABLE scores (
    id             INTEGER PRIMARY KEY,
    match          TEXT NOT NULL,
    game           INTEGER NOT NULL,                -- games finished so far
    at             TEXT NOT NULL,
    score_us       INTEGER NOT NULL,
    score_opponent INTEGER NOT NULL,
    event          TEXT NOT NULL                    -- start, resumed, game, suspended, end
);
CREATE INDEX scores_by_match ON scores (match, id);
"""

_VERSION_2 = """
ALTER TABLE games ADD COLUMN gap_seq INTEGER;       -- events from this seq on come after a gap; NULL: no gap
UPDATE games SET gap_seq = 0 WHERE complete = 0;

CREATE VIEW results AS
SELECT server, account, opponent, length, count(*) AS matches,
       sum(winner IS 'us') AS won, sum(winner IS 'opponent') AS lost,
       sum(state = 'suspended') AS suspended
FROM matches GROUP BY server, account, opponent, length;
"""

_VERSION_3 = """
ALTER TABLE decisions ADD COLUMN mode TEXT NOT NULL DEFAULT 'exact';    -- or fast; once there was one only
"""

_VERSION_4 = """
CREATE TABLE asked (                                -- whom the account invited unasked, and when last
    server  TEXT NOT NULL,
    account TEXT NOT NULL,
    player  TEXT NOT NULL,
    at      TEXT NOT NULL,
    PRIMARY KEY (server, account, player)
);
CREATE INDEX matches_by_end ON matches (server, account, state, ended_at);
"""

_VERSION_5 = """
CREATE TABLE meta (                                 -- what the journal remembers of itself
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

ALTER TABLE matches ADD COLUMN number INTEGER;      -- for people: 1, 2, ... as matches began, none used twice
UPDATE matches SET number = placed.number
    FROM (SELECT match, row_number() OVER (ORDER BY started_at, match) AS number FROM matches) AS placed
    WHERE placed.match = matches.match;
CREATE UNIQUE INDEX matches_by_number ON matches (number);
INSERT INTO meta (key, value) SELECT 'last_number', coalesce(max(number), 0) FROM matches;

CREATE TABLE ratings (                              -- the account's own, as its server told it
    id         INTEGER PRIMARY KEY,
    server     TEXT NOT NULL,
    account    TEXT NOT NULL,
    at         TEXT NOT NULL,
    rating     REAL NOT NULL,
    experience INTEGER,
    match      TEXT                                 -- after which match; NULL: told at another time
);
CREATE INDEX ratings_by_account ON ratings (server, account, at);

UPDATE sittings SET ended_at = NULL, how = NULL     -- cut off by a kill, but given the end of the one after
    WHERE EXISTS (SELECT 1 FROM sittings AS later WHERE later.match = sittings.match
                  AND later.number > sittings.number AND later.ended_at = sittings.ended_at);
"""

MIGRATIONS: tuple[str, ...] = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4, _VERSION_5)
"""`MIGRATIONS[n]` leads from version n to version n + 1; an empty file has version 0."""

SCHEMA_VERSION = len(MIGRATIONS)


class SchemaError(Exception):
    """The file is of a newer schema than this program knows, or no journal at all."""


def version_of(connection: sqlite3.Connection) -> int:
    """The file's schema version; 0 for an empty one. Raises SchemaError for a file from a newer program or of
    another one."""
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found > SCHEMA_VERSION:
        raise SchemaError(
            f"has schema version {found}, but this program knows versions up to {SCHEMA_VERSION}; "
            "it was written by a newer botd"
        )
    if found == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        raise SchemaError("is a database, but no journal of botd")
    return found


def migrate(connection: sqlite3.Connection, target: int = SCHEMA_VERSION) -> int:
    """Bring the file to schema version `target`; return the version found.

    The connection must be in autocommit mode. Raises SchemaError as `version_of` does and sqlite3.Error as
    SQLite does; after an error the file is at the last version reached in full.
    """
    found = version_of(connection)
    for version in range(found, target):
        with transaction(connection):
            for statement in _statements(MIGRATIONS[version]):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")
    return found


def _statements(script: str) -> list[str]:
    """Split a script; `executescript` would commit our transaction."""
    statements: list[str] = []
    text = ""
    for line in script.splitlines(keepends=True):
        text += line
        if sqlite3.complete_statement(text):
            statements.append(text.strip())
            text = ""
    return statements
