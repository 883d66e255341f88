-- For nodes that hand over to an engine (docs/scale.md). In others these tables are empty.

-- When batches were handed over: all up to `last_batch`, at `at` (milliseconds) at the latest. A row a
-- minute or so; no row: none was.
CREATE TABLE handed_over (
    last_batch INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL
) STRICT;

-- When sums of repeats and refusals were handed over (milliseconds); NULL: they have changed since.
CREATE TABLE repeat_change (
    app         INTEGER NOT NULL,
    quarter     INTEGER NOT NULL,
    batch       INTEGER NOT NULL,
    handed_over INTEGER,
    PRIMARY KEY (app, quarter, batch)
) STRICT, WITHOUT ROWID;

CREATE INDEX repeat_change_waiting ON repeat_change (batch) WHERE handed_over IS NULL;

CREATE TABLE refusal_change (
    app         INTEGER NOT NULL,
    quarter     INTEGER NOT NULL,
    code        TEXT    NOT NULL,
    handed_over INTEGER,
    PRIMARY KEY (app, quarter, code)
) STRICT, WITHOUT ROWID;

CREATE INDEX refusal_change_waiting ON refusal_change (app) WHERE handed_over IS NULL;

-- Which version of an app, a key or a token (`kind`) all nodes know this one has. What has no row here is
-- known to this node alone.
CREATE TABLE registry_version (
    kind    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
