#include "rows.h"
#include "fail.h"
#include "text.h"
#include <sqlite3.h>
#include <unistd.h>

enum { AT_ONCE = 50, SLOTS = 1 << 19 };

/* Tables as narrow as the server's, and the one index that finds repeats; but no checksums, no
   first events, and no index for reports. */
static const char schema[] =
    "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA "
    "cache_size=-65536;"
    "PRAGMA wal_autocheckpoint=1000;"
    "CREATE TABLE device(id INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT;"
    "CREATE TABLE resource(id INTEGER PRIMARY KEY, members TEXT NOT NULL) STRICT;"
    "CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;"
    "CREATE TABLE batch(id INTEGER PRIMARY KEY, device INTEGER NOT NULL, resource INTEGER NOT NULL,"
    " batch_id TEXT NOT NULL, received_at INTEGER NOT NULL, sequence INTEGER, dropped_events "
    "INTEGER NOT NULL,"
    " body_bytes INTEGER NOT NULL, accepted INTEGER NOT NULL, rejected INTEGER NOT NULL, "
    "first_time INTEGER,"
    " last_time INTEGER, sessions TEXT, attribute_keys TEXT) STRICT;"
    "CREATE UNIQUE INDEX batch_by_id ON batch(device, batch_id);"
    "CREATE TABLE event(id INTEGER PRIMARY KEY, name INTEGER NOT NULL, time INTEGER NOT NULL, "
    "session INTEGER,"
    " attributes TEXT) STRICT;";

/* Codes of 16-octet keys. */
struct codes {
    uint8_t keys[SLOTS][16];
    uint32_t codes[SLOTS], count;
};

struct rows {
    sqlite3 *database;
    sqlite3_stmt *many, *one, *batch, *device, *resource, *name, *begin, *commit;
    struct codes devices, resources, names;
    int64_t next;
};

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *s;
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL))
        fail(70, "limit: %s: %s", sql, sqlite3_errmsg(database));
    return s;
}

static void step(struct rows *r, sqlite3_stmt *s) {
    if (sqlite3_step(s) != SQLITE_DONE)
        fail(74, "limit: cannot write: %s", sqlite3_errmsg(r->database));
    sqlite3_reset(s);
}

struct rows *rows_open(const char *path) {
    static const char *const endings[] = {"", "-wal", "-shm"};
    char name[4096], sql[2048], *p = put(sql, "INSERT INTO event VALUES (?,?,?,?,?)");
    struct rows *r = calloc(1, sizeof *r);
    for (int i = 0; i < 3; i++) snprintf(name, sizeof name, "%s%s", path, endings[i]), unlink(name);
    if (sqlite3_open_v2(
            path, &r->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
            NULL) ||
        sqlite3_exec(r->database, schema, NULL, NULL, NULL))
        fail(73, "limit: cannot make %s: %s", path, sqlite3_errmsg(r->database));
    *p = 0, r->one = prepare(r->database, sql);
    for (int i = 1; i < AT_ONCE; i++) p = put(p, ",(?,?,?,?,?)");
    *p = 0, r->many = prepare(r->database, sql);
    r->batch = prepare(r->database, "INSERT INTO batch VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    r->device = prepare(r->database, "INSERT INTO device VALUES (?,?)");
    r->resource = prepare(r->database, "INSERT INTO resource VALUES (?,?)");
    r->name = prepare(r->database, "INSERT INTO name VALUES (?,?)");
    r->begin = prepare(r->database, "BEGIN IMMEDIATE"), r->commit = prepare(r->database, "COMMIT");
    return r;
}

static uint32_t code_of(struct codes *c, const uint8_t key[16], int *is_new) {
    uint64_t hash;
    memcpy(&hash, key, 8);
    uint32_t at = (uint32_t)(hash ^ hash >> 32) % SLOTS;
    for (; c->codes[at]; at = (at + 1) % SLOTS)
        if (!memcmp(c->keys[at], key, 16)) return *is_new = 0, c->codes[at];
    if (c->count == SLOTS / 2) fail(70, "limit: too many devices");
    memcpy(c->keys[at], key, 16);
    *is_new = 1;
    return c->codes[at] = ++c->count;
}

/* The code of a text by 128 bits of a hash of it; its row is made where it is new. */
static uint32_t text_code(
    struct rows *r, struct codes *c, sqlite3_stmt *insert, const uint8_t *text, size_t n) {
    uint64_t key[2] = {n * 0x9e3779b97f4a7c15u + 1, n}, v;
    for (size_t i = 0; i < n; i += 8) {
        v = 0, memcpy(&v, text + i, n - i < 8 ? n - i : 8);
        key[0] = (key[0] ^ v) * 0xff51afd7ed558ccdu, key[0] ^= key[0] >> 32,
        key[1] = key[1] * 31 + key[0];
    }
    int is_new;
    uint32_t code = code_of(c, (uint8_t *)key, &is_new);
    if (is_new) {
        sqlite3_bind_int64(insert, 1, code);
        sqlite3_bind_text(insert, 2, (const char *)text, (int)n, SQLITE_STATIC);
        step(r, insert);
    }
    return code;
}

static size_t array_of(const struct texts *t, char *out) {
    char *p = out;
    *p++ = '[';
    for (uint32_t i = 0; i < t->count; i++) {
        if (i) *p++ = ',';
        *p++ = '"', memcpy(p, t->all[i].at, t->all[i].length), p += t->all[i].length, *p++ = '"';
    }
    *p++ = ']';
    return (size_t)(p - out);
}

static uint32_t resource_code(struct rows *r, const struct scanned *b) {
    uint8_t members[RESOURCES * 129], *p = members;
    for (int i = 0; i < RESOURCES; i++) {
        if (b->resource[i].length)
            memcpy(p, b->resource[i].at, b->resource[i].length), p += b->resource[i].length;
        *p++ = '\n';
    }
    return text_code(r, &r->resources, r->resource, members, (size_t)(p - members));
}

static void add_events(struct rows *r, const struct scanned *b, const uint32_t *names, int64_t id) {
    for (int i = 0; i < b->count;) {
        int take = b->count - i >= AT_ONCE ? AT_ONCE : 1, at = 0;
        sqlite3_stmt *s = take == AT_ONCE ? r->many : r->one;
        for (int end = i + take; i < end; i++) {
            const struct row *row = &b->rows[i];
            sqlite3_bind_int64(s, ++at, id << 13 | i);
            sqlite3_bind_int64(s, ++at, names[row->name]);
            sqlite3_bind_int64(s, ++at, row->time);
            if (row->session)
                sqlite3_bind_int(s, ++at, row->session - 1);
            else
                sqlite3_bind_null(s, ++at);
            sqlite3_bind_text(
                s, ++at, (const char *)b->octets + row->attributes, (int)row->attributes_length,
                SQLITE_STATIC);
        }
        step(r, s);
    }
}

void rows_begin(struct rows *r) { step(r, r->begin); }

void rows_commit(struct rows *r) { step(r, r->commit); }

void rows_add(
    struct rows *r, const struct scanned *b, const uint8_t *device, int64_t now, size_t body) {
    static char sessions[TEXTS_MOST * 70], keys[TEXTS_MOST * 70];
    uint32_t names[TEXTS_MOST];
    int64_t id = ++r->next, first = INT64_MAX, last = INT64_MIN;
    int is_new, at = 0;
    for (uint32_t i = 0; i < b->names.count; i++)
        names[i] = text_code(r, &r->names, r->name, b->names.all[i].at, b->names.all[i].length);
    uint32_t code = code_of(&r->devices, device, &is_new), resource = resource_code(r, b);
    if (is_new) {
        sqlite3_bind_int64(r->device, 1, code);
        sqlite3_bind_blob(r->device, 2, device, 16, SQLITE_STATIC);
        step(r, r->device);
    }
    for (int i = 0; i < b->count; i++) {
        if (b->rows[i].time < first) first = b->rows[i].time;
        if (b->rows[i].time > last) last = b->rows[i].time;
    }
    sqlite3_bind_int64(r->batch, ++at, id);
    sqlite3_bind_int64(r->batch, ++at, code);
    sqlite3_bind_int64(r->batch, ++at, resource);
    sqlite3_bind_text(
        r->batch, ++at, (const char *)b->batch_id.at, (int)b->batch_id.length, SQLITE_STATIC);
    sqlite3_bind_int64(r->batch, ++at, now);
    sqlite3_bind_int64(r->batch, ++at, b->sequence);
    sqlite3_bind_int64(r->batch, ++at, b->dropped);
    sqlite3_bind_int64(r->batch, ++at, (int64_t)body);
    sqlite3_bind_int(r->batch, ++at, b->count);
    sqlite3_bind_int(r->batch, ++at, b->rejected);
    sqlite3_bind_int64(r->batch, ++at, first);
    sqlite3_bind_int64(r->batch, ++at, last);
    sqlite3_bind_text(
        r->batch, ++at, sessions, (int)array_of(&b->sessions, sessions), SQLITE_STATIC);
    sqlite3_bind_text(r->batch, ++at, keys, (int)array_of(&b->keys, keys), SQLITE_STATIC);
    step(r, r->batch);
    add_events(r, b, names, id);
}

void rows_close(struct rows *r) {
    sqlite3_stmt *all[] = {r->many,     r->one,  r->batch, r->device,
                           r->resource, r->name, r->begin, r->commit};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sqlite3_finalize(all[i]);
    if (sqlite3_close(r->database)) fail(74, "limit: cannot close the database");
    free(r);
}
