-- By the first event's time a batch went anywhere into the index, and took a page of the log and one of
-- the file for itself. By its hour, and by row within the hour, batches that come together stand together.
DROP INDEX batch_by_time;

-- Which batches have events in a range of time. Few batches span more than a day; they stand apart
-- (`batch_by_long_time`), so that a search needs to look only a day back for all others.
CREATE INDEX batch_by_hour ON batch (app, first_time / 3600000)
    WHERE last_time - first_time <= 86400000;
