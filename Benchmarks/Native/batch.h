/* Batches for measuring ingest, drawn as values; forms.h writes them. Their events are all good,
   and in the hour before now. */
#ifndef BATCH_H
#define BATCH_H
#include <stdint.h>

struct workload {
    uint64_t seed; /* the same seed and now: the same batches */
    int events;    /* in a batch */
    int devices;   /* distinct ones */
    int64_t now;   /* milliseconds since 1970 */
    int left_out;  /* so many of each batch's first events are drawn and then left out */
};

enum { ATTRIBUTES = 3, RESOURCE = 8 };

struct attribute {
    const char *key;
    enum { TEXT, NUMBER, HUNDREDTHS, TRUTH } kind;
    char text[24];
    int64_t number; /* of all kinds but TEXT */
};

struct event {
    const char *name;
    int64_t time;        /* milliseconds since 1970 */
    int64_t time_ns;     /* the same moment in nanoseconds, with what milliseconds leave off */
    int64_t observed_ns; /* when a logger saw it, a little later */
    int count;
    struct attribute attributes[ATTRIBUTES];
};

struct batch {
    uint64_t sequence;
    char id[37], device[37];
    int64_t sent_at;
    const char *resource[RESOURCE]; /* the values of `resource_keys` */
    int count;
    struct event *events;
};

extern const char *const resource_keys[RESOURCE];

/* Draws batch `number` into `out`, whose `events` have room for all of a batch. */
void draw_batch(const struct workload *w, uint64_t number, struct batch *out);

#endif
