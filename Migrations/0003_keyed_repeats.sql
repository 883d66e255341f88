-- By 32 bits of a hash that anyone can compute, ids could be chosen that all had to be looked at for each
-- of them. From now on `digest` is 64 bits of HMAC-SHA-256 over batch.batch_id, under a key that follows
-- from the master key: `repeat_digest` makes it. In order of the key, so that each page is written once.
DELETE FROM repeat_key;

INSERT INTO repeat_key (device, digest, batch)
SELECT device, repeat_digest(batch_id), id FROM batch ORDER BY 1, 2, 3;
