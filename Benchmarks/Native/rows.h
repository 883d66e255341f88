/* Batches as rows of SQLite, many to a commit. */
#ifndef ROWS_H
#define ROWS_H
#include "scan.h"

struct rows;

/* A new database at `path`; what is there is removed. */
struct rows *rows_open(const char *path);
void rows_begin(struct rows *r);
/* `device` is its hash, 16 octets. */
void rows_add(
    struct rows *r, const struct scanned *batch, const uint8_t *device, int64_t now, size_t body);
/* Returns when it is on disk. */
void rows_commit(struct rows *r);
void rows_close(struct rows *r);

#endif
