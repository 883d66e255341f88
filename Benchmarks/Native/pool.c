#include "pool.h"
#include "fail.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Octets of the machine that made it: header, gzip members, then the entries. */
struct header {
    char magic[8];
    uint64_t entries_at, count;
};

static const char magic[8] = "SJPOOL2\n";

void pool_create(struct pool_writer *w, const char *path) {
    struct header empty = {{0}, 0, 0};
    *w = (struct pool_writer){.file = fopen(path, "wb"), .offset = sizeof empty};
    if (!w->file) fail(73, "cannot create %s: %s", path, strerror(errno));
    if (fwrite(&empty, sizeof empty, 1, w->file) != 1) fail(74, "cannot write %s", path);
}

void pool_add(struct pool_writer *w, const uint8_t *gzip, struct pool_entry entry) {
    if (w->count == w->room) {
        w->room = w->room * 2 + 4096;
        w->entries = realloc(w->entries, w->room * sizeof *w->entries);
        if (!w->entries) fail(71, "no memory for %zu batches", w->room);
    }
    entry.offset = w->offset;
    w->entries[w->count++] = entry;
    if (fwrite(gzip, entry.length, 1, w->file) != 1)
        fail(74, "cannot write the pool: %s", strerror(errno));
    w->offset += entry.length;
}

static int by_order(const void *a, const void *b) {
    const struct pool_entry *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void pool_finish(struct pool_writer *w) {
    struct header header = {.entries_at = (w->offset + 7) & ~7ull, .count = w->count};
    memcpy(header.magic, magic, sizeof magic);
    qsort(w->entries, w->count, sizeof *w->entries, by_order);
    int bad = fseek(w->file, (long)header.entries_at, SEEK_SET) ||
              fwrite(w->entries, sizeof *w->entries, w->count, w->file) != w->count ||
              fseek(w->file, 0, SEEK_SET) || fwrite(&header, sizeof header, 1, w->file) != 1;
    if (fclose(w->file) || bad) fail(74, "cannot write the pool: %s", strerror(errno));
    free(w->entries);
}

struct pool pool_map(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) fail(66, "cannot open %s: %s", path, strerror(errno));
    size_t size = (size_t)st.st_size;
    const uint8_t *octets = mmap(NULL, size ? size : 1, PROT_READ, MAP_PRIVATE, fd, 0);
    struct header header;
    close(fd);
    if (octets == MAP_FAILED || size < sizeof header) fail(65, "%s is not a pool of batches", path);
    memcpy(&header, octets, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) ||
        header.entries_at + header.count * sizeof(struct pool_entry) != size)
        fail(65, "%s is not a whole pool of batches", path);
    return (struct pool){octets, (const void *)(octets + header.entries_at), header.count};
}
