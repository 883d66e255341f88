/* The practical limit of ingest: the requests of `load --write-requests`, opened, inflated,
   scanned, judged, hashed and written by hand on one thread, without a network and without answers.
   Prints one JSON object. */
#define _GNU_SOURCE
#include "check.h"
#include "clock.h"
#include "fail.h"
#include "process.h"
#include "rows.h"
#include "seal.h"
#include "sha.h"
#include <libdeflate.h>

enum { GROUP = 64, INFLATED_MOST = 8 << 20 };

struct body {
    const uint8_t *at;
    size_t length;
};

struct limit {
    struct content_key *key;
    const char *app;
    struct hmac_key pepper;
    struct libdeflate_decompressor *inflater;
    uint8_t *opened, *json;
    struct scanned *batch;
};

/* The bodies in the file of requests. */
static struct body *read_bodies(const char *path, int *count) {
    FILE *file = fopen(path, "rb");
    struct body *bodies = NULL;
    uint32_t length;
    int room = 0;
    if (!file) fail(66, "limit: cannot open %s", path);
    for (*count = 0; fread(&length, 4, 1, file) == 1; ++*count) {
        if (*count == room)
            bodies = realloc(bodies, sizeof *bodies * (size_t)(room = room * 2 + 1024));
        uint8_t *octets = malloc(length);
        if (fread(octets, length, 1, file) != 1) fail(65, "limit: %s is cut off", path);
        const uint8_t *head = memmem(octets, length, "\r\n\r\n", 4);
        if (!head) fail(65, "limit: %s holds something else than requests", path);
        bodies[*count] = (struct body){head + 4, length - (size_t)(head + 4 - octets)};
    }
    fclose(file);
    return bodies;
}

/* How far a body goes. */
enum stage { OPENED, INFLATED, SCANNED, HASHED };

/* From a sealed body to what may be stored. */
static void accept_body(
    struct limit *l, struct body body, enum stage last, int64_t now, uint8_t device[32]) {
    size_t used, got;
    long n = unseal(l->key, body.at, body.length, l->opened);
    if (n < 0) fail(65, "limit: a body does not open");
    if (last == OPENED) return;
    if (libdeflate_gzip_decompress_ex(
            l->inflater, l->opened, (size_t)n, l->json, INFLATED_MOST, &used, &got) ||
        used != (size_t)n)
        fail(65, "limit: a body does not inflate");
    if (last == INFLATED) return;
    memset(l->json + got, 0, 64);
    if (scan(l->json, got, now, l->batch) || l->batch->rejected)
        fail(65, "limit: a batch was refused");
    if (last == SCANNED) return;
    SHA256_CTX state = l->pepper.inner;
    SHA256_Update(&state, l->app, strlen(l->app) + 1);
    SHA256_Update(&state, l->batch->device.at, l->batch->device.length);
    hmac_end(&l->pepper, &state, device);
}

/* CPU of all bodies up to a stage, in seconds. */
static double cpu_up_to(
    struct limit *l, enum stage last, const struct body *bodies, int count, int64_t now) {
    uint8_t device[32];
    double before = own_cpu();
    for (int i = 0; i < count; i++) accept_body(l, bodies[i], last, now, device);
    return own_cpu() - before;
}

int main(int argc, char **argv) {
    if (argc != 6) fail(64, "usage: limit REQUESTS KEY SECRET APP FOLDER");
    struct limit l = {
        .key = content_key_new(argv[2], argv[3]),
        .app = argv[4],
        .inflater = libdeflate_alloc_decompressor(),
        .opened = malloc(1 << 20),
        .json = malloc(INFLATED_MOST + 64),
        .batch = calloc(1, sizeof *l.batch)};
    char path[4096];
    int count;
    struct body *bodies = read_bodies(argv[1], &count);
    int64_t now = wall_ms(), events = 0;
    uint8_t device[32];
    l.batch->octets = malloc(2 * INFLATED_MOST);
    check_scan(l.batch, now);
    hmac_key_set(&l.pepper, (const uint8_t *)"a pepper of thirty-two octets ..", 32);
    snprintf(path, sizeof path, "%s/limit.db", argv[5]);
    struct rows *rows = rows_open(path);
    double cpu = own_cpu(), start = seconds_now();
    for (int i = 0; i < count;) {
        rows_begin(rows);
        for (int end = i + GROUP < count ? i + GROUP : count; i < end; i++) {
            accept_body(&l, bodies[i], HASHED, now, device);
            rows_add(rows, l.batch, device, now, bodies[i].length);
            events += l.batch->count;
        }
        rows_commit(rows);
    }
    double took = seconds_now() - start;
    cpu = own_cpu() - cpu;
    rows_close(rows);
    /* A hash is too short to be seen as a difference: it is told with all the others. */
    double stages[4], ns = 1e9 / (double)events;
    for (int stage = OPENED; stage <= HASHED; stage++)
        stages[stage] = cpu_up_to(&l, (enum stage)stage, bodies, count, now);
    printf(
        "{\"events\":%lld,\"seconds\":%.3f,\"events_per_s\":%.0f,\"cpu_us\":%.3f,\"open_ns\":%.1f,"
        "\"inflate_ns\":%.1f,\"judge_ns\":%.1f,\"accept_ns\":%.1f,"
        "\"write_ns\":%.1f}\n",
        (long long)events, took, (double)events / took, cpu * 1e6 / (double)events,
        stages[OPENED] * ns, (stages[INFLATED] - stages[OPENED]) * ns,
        (stages[SCANNED] - stages[INFLATED]) * ns, stages[HASHED] * ns,
        (cpu - stages[HASHED]) * ns);
    return 0;
}
