-- The names of events and keys of attributes that an app's stored events have: what `max-names` counts
-- (docs/protocol.md, Names; those that the protocol names are here too, and do not count), and by which a
-- name that nothing stored uses any more is known.
CREATE TABLE app_name (
    app  INTEGER NOT NULL REFERENCES app,
    name INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (app, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE app_attribute_key (
    app           INTEGER NOT NULL REFERENCES app,
    attribute_key INTEGER NOT NULL REFERENCES attribute_key,
    PRIMARY KEY (app, attribute_key)
) STRICT, WITHOUT ROWID;

INSERT INTO app_name (app, name)
SELECT DISTINCT b.app, e.name FROM event AS e CROSS JOIN batch AS b WHERE b.id = e.id >> 13;

-- A batch of which some events were pruned lists keys that only these had: there the events tell. What is
-- no JSON is damage, which `sojourn verify` finds.
WITH used AS MATERIALIZED (
    SELECT DISTINCT b.id AS batch, a.value AS place
    FROM batch AS b CROSS JOIN event AS e CROSS JOIN json_each(
        iif(json_valid('[' || e.attributes || ']'), '[' || e.attributes || ']', '[]')) AS a
    WHERE b.pruned > 0 AND e.id >= b.id << 13 AND e.id < (b.id + 1) << 13 AND a.key % 2 = 0
)
INSERT INTO app_attribute_key (app, attribute_key)
SELECT DISTINCT b.app, k.value
FROM batch AS b CROSS JOIN json_each(
    iif(json_valid(b.attribute_keys), b.attribute_keys, '[]')) AS k
WHERE k.type = 'integer'
  AND (b.pruned = 0 OR EXISTS (SELECT 1 FROM used AS u WHERE u.batch = b.id AND u.place = k.key));

-- An erasure in a database that did not say what apps have leaves words that nobody uses.
DELETE FROM name WHERE id NOT IN (SELECT name FROM app_name);
DELETE FROM attribute_key WHERE id NOT IN (
    SELECT k.value FROM batch AS b CROSS JOIN json_each(
        iif(json_valid(b.attribute_keys), b.attribute_keys, '[]')) AS k WHERE k.type = 'integer');
