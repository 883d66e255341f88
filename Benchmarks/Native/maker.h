/* Makes the gzipped bodies of requests, one after the other, in the same memory. */
#ifndef MAKER_H
#define MAKER_H
#include "forms.h"

struct maker {
    struct workload workload;
    const struct form *form;
    int batches; /* in a body */
    struct libdeflate_compressor *compressor;
    struct batch batch;
    size_t room;
    char *inflated;
    uint8_t *gzip; /* the body that was made last */
};

/* Ends the program where there is no memory. */
struct maker maker_new(struct workload workload, const struct form *form, int batches);
void maker_free(struct maker *m);

/* Events in each body. */
static inline uint32_t maker_events(const struct maker *m) {
    return (uint32_t)((m->workload.events - m->workload.left_out) * m->batches);
}

/* Makes body `number`; returns its length, and sets `*inflated` to that before gzip. */
size_t make_body(struct maker *m, int number, size_t *inflated);

#endif
