-- What is kept, as rows that a person can read with `sqlite3`. Times are milliseconds since
-- 1970-01-01T00:00:00Z. `name` is what the outside calls a thing, `id` what rows call it. `checksum`
-- tells `sojourn verify` whether a row is what was written: XXH64 over all other columns but `id`, in
-- `batch` over everything the batch says. Who changes a row by hand breaks it.

-- Single facts about this database: which master key it belongs to.
CREATE TABLE meta (
    name     TEXT PRIMARY KEY,
    value    ANY     NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE app (
    id                 INTEGER PRIMARY KEY,
    name               TEXT    NOT NULL UNIQUE,
    title              TEXT    NOT NULL,
    time_zone          TEXT    NOT NULL,
    session_timeout_ms INTEGER NOT NULL,
    allow_plain        INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    checksum           INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Ingest keys. The secret (symmetric) or private key (PKCS#8 DER) is wrapped by the master key.
CREATE TABLE key (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    app        INTEGER NOT NULL REFERENCES app,
    profile    TEXT    NOT NULL,
    alg        TEXT,
    wrapped    BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    checksum   INTEGER NOT NULL DEFAULT 0
) STRICT;

-- How often a key was used for a stored batch, and when last.
CREATE TABLE key_use (
    key       INTEGER PRIMARY KEY REFERENCES key,
    batches   INTEGER NOT NULL,
    last_used INTEGER NOT NULL,
    checksum  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Bearer tokens: only SHA-256 of one is kept. Without an app it counts for all.
CREATE TABLE token (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    hash       BLOB    NOT NULL UNIQUE,
    scope      TEXT    NOT NULL,
    app        INTEGER REFERENCES app,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    checksum   INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One installation of one app: the keyed hash of its id, never the id. `first_*` is its earliest
-- event ever (ties: smallest batch_id, then index), null until it has one.
CREATE TABLE device (
    id             INTEGER PRIMARY KEY,
    app            INTEGER NOT NULL REFERENCES app,
    hash           BLOB    NOT NULL,
    shared         INTEGER NOT NULL,
    first_time     INTEGER,
    first_batch_id TEXT,
    first_index    INTEGER,
    first_resource INTEGER REFERENCES resource,
    checksum       INTEGER NOT NULL DEFAULT 0,
    UNIQUE (app, hash)
) STRICT;

-- What batches say of the device and the app; '' is not given.
CREATE TABLE resource (
    id                  INTEGER PRIMARY KEY,
    os_name             TEXT NOT NULL,
    os_version          TEXT NOT NULL,
    device_model        TEXT NOT NULL,
    device_manufacturer TEXT NOT NULL,
    service_version     TEXT NOT NULL,
    app_build_id        TEXT NOT NULL,
    sdk_name            TEXT NOT NULL,
    sdk_version         TEXT NOT NULL,
    UNIQUE (os_name, os_version, device_model, device_manufacturer, service_version, app_build_id,
            sdk_name, sdk_version)
) STRICT;

-- Names of events.
CREATE TABLE name (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- An accepted batch, immutable. `profile`: 1 aes128gcm, 2 jwe, 3 plain, 4 legacy.
-- `clock_shift` is what was added to every time of the batch. `sessions` and `attribute_keys` are
-- JSON arrays of texts, to which its events refer by place. `accepted` is what was answered; `pruned`
-- of these events have been deleted since for their age, and the times are of those that are left.
CREATE TABLE batch (
    id             INTEGER PRIMARY KEY,
    app            INTEGER NOT NULL REFERENCES app,
    device         INTEGER NOT NULL REFERENCES device,
    resource       INTEGER NOT NULL REFERENCES resource,
    batch_id       TEXT    NOT NULL,
    received_at    INTEGER NOT NULL,
    clock_shift    INTEGER NOT NULL,
    profile        INTEGER NOT NULL,
    key            INTEGER REFERENCES key,
    sequence       INTEGER,
    dropped_events INTEGER NOT NULL,
    body_bytes     INTEGER NOT NULL,
    accepted       INTEGER NOT NULL,
    rejected       INTEGER NOT NULL,
    first_time     INTEGER,
    last_time      INTEGER,
    sessions       TEXT,
    attribute_keys TEXT,
    pruned         INTEGER NOT NULL DEFAULT 0,
    checksum       INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A batch is known by its device (and so its app) and its id.
CREATE UNIQUE INDEX batch_by_id ON batch (device, batch_id);

-- Which batches have events in a range of time. Few batches span more than a day; they stand apart,
-- so that a search needs to look only a day back for all others.
CREATE INDEX batch_by_time ON batch (app, first_time) WHERE last_time - first_time <= 86400000;
CREATE INDEX batch_by_long_time ON batch (app, first_time, last_time)
    WHERE last_time - first_time > 86400000;

-- An accepted event. id = batch << 13 | index as sent, so that rows are only ever appended.
-- `time` is corrected. `session`: place in the batch's `sessions`. `attributes`: a JSON array of
-- key and value in turn, keys as places in the batch's `attribute_keys`, without session.id:
-- [0,"menu",1,3]; null without any.
CREATE TABLE event (
    id         INTEGER PRIMARY KEY,
    name       INTEGER NOT NULL REFERENCES name,
    time       INTEGER NOT NULL,
    session    INTEGER,
    attributes TEXT
) STRICT;

-- Events of stored batches that were rejected, by code, with the place of the first as sent. Not
-- their content.
CREATE TABLE rejection (
    batch       INTEGER NOT NULL REFERENCES batch,
    code        TEXT    NOT NULL,
    events      INTEGER NOT NULL,
    first_index INTEGER NOT NULL,
    PRIMARY KEY (batch, code)
) STRICT, WITHOUT ROWID;

-- Repeats of stored batches, by the quarter hour (received_at / 900000) in which they came.
CREATE TABLE repeat (
    quarter    INTEGER NOT NULL,
    batch      INTEGER NOT NULL REFERENCES batch,
    times      INTEGER NOT NULL,
    body_bytes INTEGER NOT NULL,
    checksum   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (quarter, batch)
) STRICT, WITHOUT ROWID;

-- Whole batches that were refused with a 4xx, by the quarter hour in which they came.
CREATE TABLE refusal (
    app      INTEGER NOT NULL REFERENCES app,
    quarter  INTEGER NOT NULL,
    code     TEXT    NOT NULL,
    batches  INTEGER NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (app, quarter, code)
) STRICT, WITHOUT ROWID;
