/* A batch's text, scanned and judged by hand: what the contract asks of one, as fast as we know to
   write it. Strings with escapes are checked, and kept as they were sent; members that no rule
   names may come twice. */
#ifndef SCAN_H
#define SCAN_H
#include <stddef.h>
#include <stdint.h>

struct text {
    const uint8_t *at;
    uint32_t length;
};

enum { TEXTS_MOST = 512, TEXT_SLOTS = 2048, RESOURCES = 8, EVENTS_MOST = 5000 };

/* Texts of one batch, each with the place at which it was seen first. */
struct texts {
    struct text all[TEXTS_MOST];
    uint32_t hashes[TEXTS_MOST], count;
    uint16_t slots[TEXT_SLOTS];
};

struct row {
    int64_t time;
    uint16_t name, session;                 /* places; session + 1, 0 for none */
    uint32_t attributes, attributes_length; /* in `octets`: [key place, value, ...] */
};

struct scanned {
    struct text batch_id, device, resource[RESOURCES];
    int64_t sequence, sent_at, dropped;
    struct texts names, sessions, keys;
    int8_t standing[TEXTS_MOST]; /* of each name, what it is */
    struct row rows[EVENTS_MOST];
    int count, rejected;
    uint8_t *octets; /* room for twice the text */
    size_t octets_length;
};

/* `json` has 64 octets of zeros behind it. 0 where it is a good batch at the moment `now`
 * (milliseconds). */
int scan(const uint8_t *json, size_t n, int64_t now, struct scanned *out);

#endif
