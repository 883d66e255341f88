/* A file of gzipped batches, in the order in which they are to be posted: made once, posted often.
 */
#ifndef POOL_H
#define POOL_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pool_entry {
    uint64_t offset; /* of the gzip member in the file */
    uint32_t length, json_length;
    uint32_t accepted, rejected; /* what the answer to it has to say */
    int64_t order;               /* smaller ones are posted earlier */
};

struct pool_writer {
    FILE *file;
    struct pool_entry *entries;
    size_t count, room;
    uint64_t offset;
};

struct pool {
    const uint8_t *octets;
    const struct pool_entry *entries;
    size_t count;
};

/* They end the program where the file cannot be made, written or read. */
void pool_create(struct pool_writer *w, const char *path);
void pool_add(struct pool_writer *w, const uint8_t *gzip, struct pool_entry entry);
void pool_finish(struct pool_writer *w);
struct pool pool_map(const char *path);

#endif
