-- For nodes that hand over to an engine (docs/scale.md). In others these tables are empty.

-- When batches were handed over: all up to `last_batch`, at `at` (milliseconds) at the latest. A row a
-- minute or so; no row: none was.
CREATE TABLE handed_over (
    last_batch INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL
) STRICT;

-- Repeats and refusals that were counted since their sums were handed over.
CREATE TABLE repeat_change (
    app     INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    batch   INTEGER NOT NULL,
    PRIMARY KEY (app, quarter, batch)
) STRICT, WITHOUT ROWID;

CREATE TABLE refusal_change (
    app     INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    code    TEXT    NOT NULL,
    PRIMARY KEY (app, quarter, code)
) STRICT, WITHOUT ROWID;

-- Which version of an app, a key or a token (`kind`) all nodes know this one has. What has no row here is
-- known to this node alone.
CREATE TABLE registry_version (
    kind    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
