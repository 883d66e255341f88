-- Attributes of the events of a segment in columns, those of few values for their number: what reports
-- read instead of rows. Made after the segment, and again with it; where there is none, rows are read.
-- `id` is that of the segment, `of` its checksum: so a row never tells of another segment that has got
-- the same id. docs/decisions/0058 has the form of `columns`.
CREATE TABLE segment_attributes (
    id       INTEGER PRIMARY KEY REFERENCES segment,
    of       INTEGER NOT NULL,
    columns  BLOB    NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Which segments have their attributes, without going through all pages of these.
CREATE INDEX segment_attributes_of ON segment_attributes (of);

-- Whoever deletes a segment deletes what was made of it.
CREATE TRIGGER segment_attributes_end AFTER DELETE ON segment BEGIN
    DELETE FROM segment_attributes WHERE id = old.id;
END;

-- When devices were first seen, of those that reports count: a report asks for a range of times. Before, it went
-- through all rows of `device`, whose texts and hashes it does not need.
CREATE INDEX device_first ON device (app, first_time, first_resource)
    WHERE shared = 0 AND first_time IS NOT NULL;
