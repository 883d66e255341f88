-- The views anew. DuckDB writes a view in its own words before it has SQLite run it, and SQLite does not know what it
-- makes of `NOT IN (SELECT …)` and `count(*)`; `=` binds closer than `->>` there. And in `v_sessions` what follows a
-- session.end is in the background until the next start or resume, whatever else comes meanwhile (docs/reports.md,
-- Sessions).
DROP VIEW v_devices;
DROP VIEW v_batches;
DROP VIEW v_events;
DROP VIEW v_sessions;
DROP VIEW v_rejections;

-- Installations. `hash` is what the reports call `device`.
CREATE VIEW v_devices AS
SELECT a.name AS app, lower(hex(d.hash)) AS device, d.shared, d.first_time AS first_seen_ms,
    strftime('%Y-%m-%d %H:%M:%S', d.first_time / 1000, 'unixepoch') AS first_seen,
    nullif(r.os_name, '') AS os_name, nullif(r.os_version, '') AS os_version,
    nullif(r.device_model, '') AS device_model,
    nullif(r.service_version, '') AS service_version,
    (SELECT count(k.batch) FROM repeat_key AS k
        WHERE k.device = d.id AND k.batch <= (SELECT batch FROM repeat_keys_to))
        + coalesce(newest.batches, 0) AS batches
FROM device AS d JOIN app AS a ON a.id = d.app LEFT JOIN resource AS r ON r.id = d.first_resource
    LEFT JOIN (
        SELECT device, count(id) AS batches FROM batch
        WHERE id > (SELECT batch FROM repeat_keys_to) GROUP BY device
    ) AS newest ON newest.device = d.id
WHERE NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.device = d.id);

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
WHERE NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.device = d.id);

-- Accepted events. `attributes` is a JSON object, without session.id.
CREATE VIEW v_events AS
SELECT a.name AS app, lower(hex(d.hash)) AS device, n.text AS name,
    b.received_at - e.late AS time_ms,
    strftime('%Y-%m-%d %H:%M:%S', (b.received_at - e.late) / 1000, 'unixepoch') AS time,
    b.sessions ->> e.session AS session,
    CASE WHEN e.attributes IS NULL THEN '{}' ELSE (
        SELECT json_group_object(
            (SELECT text FROM attribute_key WHERE id = (b.attribute_keys ->> k.value)),
            json(('[' || e.attributes || ']') -> (k.key + 1)))
        FROM json_each('[' || e.attributes || ']') AS k WHERE k.key % 2 = 0) END AS attributes,
    b.batch_id, e.id & 8191 AS place, b.id AS batch, d.shared,
    nullif(r.os_name, '') AS os_name, nullif(r.os_version, '') AS os_version,
    nullif(r.device_model, '') AS device_model,
    nullif(r.service_version, '') AS service_version
FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 JOIN name AS n ON n.id = e.name
    JOIN app AS a ON a.id = b.app JOIN device AS d ON d.id = b.device
    JOIN resource AS r ON r.id = b.resource
WHERE NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.device = d.id);

-- Sessions, as docs/reports.md, Sessions, has them: all events of one device with one session.id.
CREATE VIEW v_sessions AS
WITH step AS (
    SELECT b.app, b.device, b.sessions ->> e.session AS session, b.received_at - e.late AS time,
        n.text AS name, b.resource,
        row_number() OVER in_order AS number,
        lead(b.received_at - e.late) OVER in_order AS next
    FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 JOIN name AS n ON n.id = e.name
    WHERE e.session IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.device = b.device)
    WINDOW in_order AS (
        PARTITION BY b.device, b.sessions ->> e.session
        ORDER BY b.received_at - e.late, CASE n.text WHEN 'session.start' THEN 0 WHEN 'session.end' THEN 2
            WHEN 'session.resume' THEN 3 ELSE 1 END, b.batch_id, e.id & 8191)
),
-- In the foreground from the first event on, and from each start and resume until the next end.
placed AS (
    SELECT app, device, session, time, name, resource, number, next,
        coalesce(max(CASE WHEN name = 'session.end' THEN number END) OVER so_far, 0)
            <= coalesce(max(CASE WHEN name IN ('session.start', 'session.resume') THEN number END)
                OVER so_far, 0) AS in_foreground
    FROM step WINDOW so_far AS (PARTITION BY device, session ORDER BY number)
),
folded AS (
    SELECT p.app, p.device, p.session, min(p.time) AS start_ms, max(p.time) AS end_ms,
        count(p.number) AS events,
        max(CASE WHEN p.number = 1 THEN p.resource END) AS resource,
        max(CASE WHEN p.next IS NULL THEN p.in_foreground END) AS ends_in_foreground,
        max(p.name = 'session.start') = 0 AS start_inferred,
        sum(CASE WHEN p.in_foreground AND p.next - p.time <= a.session_timeout_ms
            THEN p.next - p.time ELSE 0 END) AS duration_ms
    FROM placed AS p JOIN app AS a ON a.id = p.app GROUP BY p.device, p.session
)
SELECT a.name AS app, lower(hex(d.hash)) AS device, d.shared, f.session, f.start_ms,
    strftime('%Y-%m-%d %H:%M:%S', f.start_ms / 1000, 'unixepoch') AS start, f.start_inferred,
    f.end_ms, strftime('%Y-%m-%d %H:%M:%S', f.end_ms / 1000, 'unixepoch') AS "end",
    f.duration_ms / 1000.0 AS duration_s,
    CASE WHEN NOT f.ends_in_foreground THEN 'closed'
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
WHERE NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.device = d.id);
