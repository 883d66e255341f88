-- What nodes hand over (docs/scale.md, Tables). Times are milliseconds since 1970-01-01T00:00:00Z; '' is
-- not given. One statement a paragraph. ENGINE(v) stands for ReplacingMergeTree(v), or its replicated
-- form; SETTINGS for what the server knows of how rows are to be written.

-- An accepted batch with its events, whole in one row: there is no half batch. Rows of one key are copies
-- of one batch; the greatest version, the earliest arrival, counts. Read with FINAL.
CREATE TABLE IF NOT EXISTS batch (
    app String, device FixedString(16), batch_id String,
    version UInt64,
    node String, unit UInt64,
    received_at Int64, clock_shift Int64, profile String, key String,
    sequence Int64, dropped_events Int64, body_bytes Int64,
    accepted UInt32, rejected UInt32, shared UInt8,
    os_name String, os_version String, device_model String, device_manufacturer String,
    service_version String, app_build_id String, sdk_name String, sdk_version String,
    first_time Int64, last_time Int64,
    event Nested(place UInt16, time Int64, name String, session String, subject String, value Int64,
        keys Array(String), values Array(String), numbers Array(Float64)),
    rejection Nested(code String, events UInt32),
    done Nested(content String, time Int64)
) ENGINE(version) ORDER BY (app, device, batch_id) SETTINGS

-- How often a batch came to a node in a quarter of an hour, the first time included. Counts only grow: the
-- greatest counts.
CREATE TABLE IF NOT EXISTS arrival (
    app String, quarter Int64, device FixedString(16), batch_id String, node String,
    times UInt64, body_bytes Int64,
    os_name String, os_version String, device_model String, service_version String
) ENGINE(times) ORDER BY (app, quarter, device, batch_id, node) SETTINGS

-- Whole batches that a node refused in a quarter of an hour. Counts only grow.
CREATE TABLE IF NOT EXISTS refusal (
    app String, quarter Int64, code String, node String, batches UInt64
) ENGINE(batches) ORDER BY (app, quarter, code, node) SETTINGS

-- Apps, keys and tokens, as JSON, and the limit of the last prune. Of the first shard alone, as the next
-- three tables: what all nodes share.
CREATE TABLE IF NOT EXISTS registry (
    kind String, name String, version UInt64, body String
) ENGINE(version) ORDER BY (kind, name) SETTINGS

-- Up to which moment everything that a node answered 200 is handed over.
CREATE TABLE IF NOT EXISTS node (
    node String, version UInt64, complete_to Int64, retired UInt8
) ENGINE(version) ORDER BY node SETTINGS

-- Devices that were erased, by SHA-256 of app, a zero byte and hash, and which nodes have done so.
CREATE TABLE IF NOT EXISTS erasure (
    digest FixedString(32), erased_at Int64, node String
) ENGINE() ORDER BY (digest, erased_at) SETTINGS

CREATE TABLE IF NOT EXISTS erasure_done (
    digest FixedString(32), erased_at Int64, node String
) ENGINE() ORDER BY (digest, erased_at, node) SETTINGS

-- What this shard is: schema, master_key_check, shard.
CREATE TABLE IF NOT EXISTS meta (
    name String, version UInt64, value String
) ENGINE(version) ORDER BY name SETTINGS

-- A start of the server empties it: a node that does not find itself here knows of it.
CREATE TABLE IF NOT EXISTS alive (node String) ENGINE = Memory
