-- What is kept, as rows that a person can read with `sqlite3`. Times are milliseconds since
-- 1970-01-01T00:00:00Z. `name` is what the outside calls a thing, `id` what rows call it. `checksum`
-- tells `sojourn verify` whether a row is what was written: XXH64 over all other columns but `id`, in
-- `batch` over everything the batch says. Who changes a row by hand breaks it.

-- Single facts about this database: which master key it belongs to, how far `repeat_key` reaches.
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

-- Those that are shared, which reports leave out: few.
CREATE INDEX device_shared ON device (app) WHERE shared <> 0;

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

-- Keys of attributes.
CREATE TABLE attribute_key (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- An accepted batch, immutable. `profile`: 1 aes128gcm, 2 jwe, 3 plain, 4 legacy.
-- `clock_shift` is what was added to every time of the batch. To `sessions`, a JSON array of texts,
-- and `attribute_keys`, one of rows of `attribute_key`, its events refer by place. `accepted` is what
-- was answered; `pruned` of these events have been deleted since for their age, and the times are of
-- those that are left.
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

-- A batch is known by its device (and so its app) and its id: by which batches a repeat is looked for.
-- `digest`: 32 bits of a hash of batch.batch_id; the batch's row tells whether it is the one. Batches
-- are entered late, many at once in the order of the key: those up to meta.repeat_keys_to are in it, of
-- later ones some.
CREATE TABLE repeat_key (
    device INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    batch  INTEGER NOT NULL,
    PRIMARY KEY (device, digest, batch)
) STRICT, WITHOUT ROWID;

-- The last batch up to which all are in `repeat_key`.
CREATE VIEW repeat_keys_to AS
SELECT coalesce((SELECT value FROM meta WHERE name = 'repeat_keys_to'), 0) AS batch;

-- All batches of a device, each once. For one device at a time, given as a number: the batches that are
-- not in `repeat_key` yet are searched, some ten thousand rows.
CREATE VIEW device_batch AS
SELECT device, batch FROM repeat_key WHERE batch <= (SELECT batch FROM repeat_keys_to)
UNION ALL
SELECT device, id AS batch FROM batch WHERE id > (SELECT batch FROM repeat_keys_to);

-- Which batches have events in a range of time. Few batches span more than a day; they stand apart,
-- so that a search needs to look only a day back for all others.
CREATE INDEX batch_by_time ON batch (app, first_time) WHERE last_time - first_time <= 86400000;
CREATE INDEX batch_by_long_time ON batch (app, first_time, last_time)
    WHERE last_time - first_time > 86400000;

-- An accepted event. id = batch << 13 | index as sent, so that rows are only ever appended.
-- Its corrected time is the batch's `received_at` − `late`. `session`: place in the batch's `sessions`.
-- `attributes`: the elements of a JSON array, key and value in turn, keys as places in the batch's
-- `attribute_keys`, without session.id: 0,"menu",1,3; null without any.
CREATE TABLE event (
    id         INTEGER PRIMARY KEY,
    name       INTEGER NOT NULL REFERENCES name,
    late       INTEGER NOT NULL,
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

-- A device's first completion of a content, where a prune has deleted its event: together with the
-- events that are left it tells which completion was the first ever. `content`: the text of content.id.
-- `event`: the id that the event had.
CREATE TABLE completion (
    device   INTEGER NOT NULL REFERENCES device,
    content  TEXT    NOT NULL,
    time     INTEGER NOT NULL,
    event    INTEGER NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (device, content)
) STRICT, WITHOUT ROWID;

-- A copy of events, by app and UTC day (days since 1970-01-01), packed in columns: what reports read.
-- Made of some 65,536 events at a time, in order of batches; docs/design.md, Segments, has the form.
CREATE TABLE segment (
    id       INTEGER PRIMARY KEY,
    app      INTEGER NOT NULL REFERENCES app,
    day      INTEGER NOT NULL,
    events   INTEGER NOT NULL,
    parts    BLOB    NOT NULL,
    sessions BLOB    NOT NULL,
    times    BLOB    NOT NULL,
    names    BLOB    NOT NULL,
    subjects BLOB    NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0
) STRICT;

-- With the checksum: who keeps in memory what stood in a row sees whether it still does.
CREATE INDEX segment_by_day ON segment (app, day, checksum);

-- Up to which batch the events of an app stand in segments. Those behind it are read as rows.
CREATE TABLE segmented (
    app        INTEGER PRIMARY KEY REFERENCES app,
    last_batch INTEGER NOT NULL,
    checksum   INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Days of which rows of events have been deleted since their segments were made: the rows count.
CREATE TABLE stale_day (
    app INTEGER NOT NULL REFERENCES app,
    day INTEGER NOT NULL,
    PRIMARY KEY (app, day)
) STRICT, WITHOUT ROWID;

-- Devices whose erasure has begun: what is left of them goes at the next start.
CREATE TABLE erasing (
    device INTEGER PRIMARY KEY
) STRICT;

-- For people. Times are milliseconds, and beside them text in UTC. docs/schema.md tells more.

CREATE VIEW v_apps AS
SELECT name AS app, title, time_zone, session_timeout_ms / 1000.0 AS session_timeout_s,
    allow_plain,
    strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch') AS created
FROM app;

-- Installations. `hash` is what the reports call `device`.
CREATE VIEW v_devices AS
SELECT a.name AS app, lower(hex(d.hash)) AS device, d.shared, d.first_time AS first_seen_ms,
    strftime('%Y-%m-%d %H:%M:%S', d.first_time / 1000, 'unixepoch') AS first_seen,
    nullif(r.os_name, '') AS os_name, nullif(r.os_version, '') AS os_version,
    nullif(r.device_model, '') AS device_model,
    nullif(r.service_version, '') AS service_version,
    (SELECT count(*) FROM repeat_key AS k
        WHERE k.device = d.id AND k.batch <= (SELECT batch FROM repeat_keys_to))
        + coalesce(newest.batches, 0) AS batches
FROM device AS d JOIN app AS a ON a.id = d.app LEFT JOIN resource AS r ON r.id = d.first_resource
    LEFT JOIN (
        SELECT device, count(*) AS batches FROM batch
        WHERE id > (SELECT batch FROM repeat_keys_to) GROUP BY device
    ) AS newest ON newest.device = d.id
WHERE d.id NOT IN (SELECT device FROM erasing);

-- Accepted batches, with what they say of the device.
CREATE VIEW v_batches AS
SELECT b.id AS batch, a.name AS app, lower(hex(d.hash)) AS device, b.batch_id,
    b.received_at AS received_ms,
    strftime('%Y-%m-%d %H:%M:%S', b.received_at / 1000, 'unixepoch') AS received,
    CASE b.profile WHEN 1 THEN 'aes128gcm' WHEN 2 THEN 'jwe' WHEN 3 THEN 'plain'
        WHEN 4 THEN 'legacy' END AS profile,
    k.name AS "key", b.sequence, b.dropped_events, b.body_bytes, b.accepted, b.rejected,
    b.clock_shift AS clock_shift_ms,
    b.first_time AS first_ms, b.last_time AS last_ms,
    nullif(r.os_name, '') AS os_name, nullif(r.os_version, '') AS os_version,
    nullif(r.device_model, '') AS device_model,
    nullif(r.device_manufacturer, '') AS device_manufacturer,
    nullif(r.service_version, '') AS service_version, nullif(r.app_build_id, '') AS app_build_id,
    nullif(r.sdk_name, '') AS sdk_name, nullif(r.sdk_version, '') AS sdk_version
FROM batch AS b JOIN app AS a ON a.id = b.app JOIN device AS d ON d.id = b.device
    JOIN resource AS r ON r.id = b.resource LEFT JOIN key AS k ON k.id = b.key
WHERE d.id NOT IN (SELECT device FROM erasing);

-- Accepted events. `attributes` is a JSON object, without session.id.
CREATE VIEW v_events AS
SELECT a.name AS app, lower(hex(d.hash)) AS device, n.text AS name,
    b.received_at - e.late AS time_ms,
    strftime('%Y-%m-%d %H:%M:%S', (b.received_at - e.late) / 1000, 'unixepoch') AS time,
    b.sessions ->> e.session AS session,
    CASE WHEN e.attributes IS NULL THEN '{}' ELSE (
        SELECT json_group_object(
            (SELECT text FROM attribute_key WHERE id = b.attribute_keys ->> k.value),
            json('[' || e.attributes || ']' -> (k.key + 1)))
        FROM json_each('[' || e.attributes || ']') AS k WHERE k.key % 2 = 0) END AS attributes,
    b.batch_id, e.id & 8191 AS place, b.id AS batch, d.shared,
    nullif(r.os_name, '') AS os_name, nullif(r.os_version, '') AS os_version,
    nullif(r.device_model, '') AS device_model,
    nullif(r.service_version, '') AS service_version
FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 JOIN name AS n ON n.id = e.name
    JOIN app AS a ON a.id = b.app JOIN device AS d ON d.id = b.device
    JOIN resource AS r ON r.id = b.resource
WHERE d.id NOT IN (SELECT device FROM erasing);

-- Sessions, as docs/reports.md, Sessions, has them: all events of one device with one session.id.
CREATE VIEW v_sessions AS
WITH step AS (
    SELECT b.app, b.device, b.sessions ->> e.session AS session, b.received_at - e.late AS time,
        n.text AS name, b.resource,
        row_number() OVER in_order AS number,
        lag(b.received_at - e.late) OVER in_order AS before, lag(n.text) OVER in_order AS name_before,
        lead(e.late) OVER in_order IS NULL AS is_last
    FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 JOIN name AS n ON n.id = e.name
    WHERE e.session IS NOT NULL AND b.device NOT IN (SELECT device FROM erasing)
    WINDOW in_order AS (
        PARTITION BY b.device, b.sessions ->> e.session
        ORDER BY b.received_at - e.late, CASE n.text WHEN 'session.start' THEN 0 WHEN 'session.end' THEN 2
            WHEN 'session.resume' THEN 3 ELSE 1 END, b.batch_id, e.id & 8191)
),
folded AS (
    SELECT app, device, session, min(time) AS start_ms, max(time) AS end_ms, count(*) AS events,
        max(CASE number WHEN 1 THEN resource END) AS resource,
        max(CASE WHEN is_last THEN name END) AS last_name,
        max(name = 'session.start') = 0 AS start_inferred,
        sum(CASE WHEN name_before <> 'session.end' AND time - before <= (
                SELECT session_timeout_ms FROM app WHERE app.id = step.app)
            THEN time - before ELSE 0 END) AS duration_ms
    FROM step GROUP BY device, session
)
SELECT a.name AS app, lower(hex(d.hash)) AS device, d.shared, f.session, f.start_ms,
    strftime('%Y-%m-%d %H:%M:%S', f.start_ms / 1000, 'unixepoch') AS start, f.start_inferred,
    f.end_ms, strftime('%Y-%m-%d %H:%M:%S', f.end_ms / 1000, 'unixepoch') AS "end",
    f.duration_ms / 1000.0 AS duration_s,
    CASE WHEN f.last_name = 'session.end' THEN 'closed'
        WHEN (julianday('now') - 2440587.5) * 86400000 - f.end_ms < a.session_timeout_ms
        THEN 'open' ELSE 'inferred' END AS state,
    f.events, nullif(r.os_name, '') AS os_name, nullif(r.os_version, '') AS os_version,
    nullif(r.device_model, '') AS device_model,
    nullif(r.service_version, '') AS service_version
FROM folded AS f JOIN app AS a ON a.id = f.app JOIN device AS d ON d.id = f.device
    JOIN resource AS r ON r.id = f.resource;

-- Rejected events of stored batches, by code.
CREATE VIEW v_rejections AS
SELECT a.name AS app, lower(hex(d.hash)) AS device, b.batch_id, b.received_at AS received_ms,
    strftime('%Y-%m-%d %H:%M:%S', b.received_at / 1000, 'unixepoch') AS received,
    j.code, j.events, j.first_index
FROM rejection AS j JOIN batch AS b ON b.id = j.batch JOIN app AS a ON a.id = b.app
    JOIN device AS d ON d.id = b.device
WHERE d.id NOT IN (SELECT device FROM erasing);

-- Batches that were refused as a whole, by code and quarter hour.
CREATE VIEW v_refusals AS
SELECT a.name AS app, f.quarter * 900000 AS time_ms,
    strftime('%Y-%m-%d %H:%M:%S', f.quarter * 900, 'unixepoch') AS time, f.code, f.batches
FROM refusal AS f JOIN app AS a ON a.id = f.app;
