-- For batches of profile 5 (otlp), whose records come again in other company (docs/schema.md).

-- By what the events of a batch are known one by one, those that are left: 8 bytes each, highest first, in the order of
-- their ids.
CREATE TABLE fingerprint (
    batch    INTEGER PRIMARY KEY REFERENCES batch,
    list     BLOB    NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The first and the last time of such a batch as it was stored: with which of a device's batches another is compared.
-- NULL for all others.
ALTER TABLE repeat_key ADD COLUMN first_time INTEGER;
ALTER TABLE repeat_key ADD COLUMN last_time INTEGER;

DROP VIEW v_batches;

-- Accepted batches, with what they say of the device.
CREATE VIEW v_batches AS
SELECT b.id AS batch, a.name AS app, lower(hex(d.hash)) AS device, b.batch_id,
    b.received_at AS received_ms,
    strftime('%Y-%m-%d %H:%M:%S', b.received_at / 1000, 'unixepoch') AS received,
    CASE b.profile WHEN 1 THEN 'aes128gcm' WHEN 2 THEN 'jwe' WHEN 3 THEN 'plain'
        WHEN 4 THEN 'legacy' WHEN 5 THEN 'otlp' END AS profile,
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
