-- What a report of one app reads begins with the app: all its batches in order of their rows, and rejected
-- events and repeats of them. Before, they were picked from those of all apps.
CREATE INDEX batch_by_app ON batch (app);

-- Events of stored batches that were rejected, by code, with the place of the first as sent. Not
-- their content.
DROP VIEW v_rejections;
ALTER TABLE rejection RENAME TO old_rejection;
CREATE TABLE rejection (
    app         INTEGER NOT NULL REFERENCES app,
    batch       INTEGER NOT NULL REFERENCES batch,
    code        TEXT    NOT NULL,
    events      INTEGER NOT NULL,
    first_index INTEGER NOT NULL,
    PRIMARY KEY (app, batch, code)
) STRICT, WITHOUT ROWID;

INSERT INTO rejection (app, batch, code, events, first_index)
SELECT b.app, r.batch, r.code, r.events, r.first_index
FROM old_rejection AS r CROSS JOIN batch AS b WHERE b.id = r.batch;
DROP TABLE old_rejection;

-- Rejected events of stored batches, by code.
CREATE VIEW v_rejections AS
SELECT a.name AS app, lower(hex(d.hash)) AS device, b.batch_id, b.received_at AS received_ms,
    strftime('%Y-%m-%d %H:%M:%S', b.received_at / 1000, 'unixepoch') AS received,
    j.code, j.events, j.first_index
FROM rejection AS j JOIN batch AS b ON b.id = j.batch JOIN app AS a ON a.id = b.app
    JOIN device AS d ON d.id = b.device
WHERE d.id NOT IN (SELECT device FROM erasing);

-- Repeats of stored batches, by the quarter hour (received_at / 900000) in which they came.
ALTER TABLE repeat RENAME TO old_repeat;
CREATE TABLE repeat (
    app        INTEGER NOT NULL REFERENCES app,
    quarter    INTEGER NOT NULL,
    batch      INTEGER NOT NULL REFERENCES batch,
    times      INTEGER NOT NULL,
    body_bytes INTEGER NOT NULL,
    checksum   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (app, quarter, batch)
) STRICT, WITHOUT ROWID;

-- A row that was damaged stays one: its checksum must not come to fit.
INSERT INTO repeat (app, quarter, batch, times, body_bytes, checksum)
SELECT b.app, r.quarter, r.batch, r.times, r.body_bytes,
    row_checksum('repeat', b.app, r.quarter, r.batch, r.times, r.body_bytes)
        + (r.checksum <> row_checksum('repeat', r.quarter, r.batch, r.times, r.body_bytes))
FROM old_repeat AS r CROSS JOIN batch AS b WHERE b.id = r.batch ORDER BY 1, 2, 3;
DROP TABLE old_repeat;
