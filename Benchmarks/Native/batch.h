/* Batches for measuring ingest: some 150 octets of JSON an event, in the hour before now. */
#ifndef BATCH_H
#define BATCH_H
#include <stddef.h>
#include <stdint.h>

struct workload {
    uint64_t seed; /* the same seed and now: the same batches */
    int events;    /* in a batch */
    int devices;   /* distinct ones */
    int64_t now;   /* milliseconds since 1970 */
};

static inline size_t batch_room(int events) { return 1024 + (size_t)events * 256; }

/* Writes batch `number` as JSON, every event of it good; returns its length. */
size_t batch_json(const struct workload *w, uint64_t number, char *out);

#endif
