#include "scan.h"
#include "scanner.h"
#include "text.h"

/* ---- texts ---- */

#define IS(t, word) ((t).length == sizeof(word) - 1 && !memcmp((t).at, word, sizeof(word) - 1))

static inline int equals(struct text t, const char *word) {
    return strlen(word) == t.length && !memcmp(word, t.at, t.length);
}

static inline uint32_t hash_of(struct text t) {
    uint64_t h = t.length * 0x9e3779b97f4a7c15u, v = 0;
    const uint8_t *p = t.at;
    uint32_t n = t.length;
    for (; n >= 8; n -= 8, p += 8)
        memcpy(&v, p, 8), h = (h ^ v) * 0xff51afd7ed558ccdu, h ^= h >> 32;
    v = 0, memcpy(&v, p, n);
    return (uint32_t)((h ^ v) * 0xff51afd7ed558ccdu >> 32);
}

/* The place of a text among those of the batch; -1 where there are too many. */
static inline int place_of(struct texts *t, struct text text) {
    uint32_t hash = hash_of(text), at = hash % TEXT_SLOTS;
    for (; t->slots[at]; at = (at + 1) % TEXT_SLOTS) {
        uint32_t place = t->slots[at] - 1u;
        if (t->hashes[place] == hash && t->all[place].length == text.length &&
            !memcmp(t->all[place].at, text.at, text.length))
            return (int)place;
    }
    if (t->count == TEXTS_MOST) return -1;
    t->all[t->count] = text, t->hashes[t->count] = hash;
    t->slots[at] = (uint16_t)++t->count;
    return (int)t->count - 1;
}

static void forget(struct texts *t) {
    memset(t->slots, 0, sizeof t->slots);
    t->count = 0;
}

/* ---- events ---- */

static const struct {
    const char *name, *needs;
} standard[] = {
    {"session.start", "session.id"},       {"session.resume", "session.id"},
    {"session.end", "session.id"},         {"screen.view", "app.screen.name"},
    {"usage.counter", "counter.name"},     {"content.view", "content.id"},
    {"content.complete", "content.id"},    {"video.enter_fullscreen", "video.id"},
    {"video.exit_fullscreen", "video.id"}, {"webview.event", "webview.event.name"},
};
enum { COUNTER = 4, STANDARD = sizeof standard / sizeof standard[0] };

static int is_name(struct text t) {
    int fresh = 1;
    if (!t.length || t.length > 64 || t.at[0] < 'a' || t.at[0] > 'z') return 0;
    for (uint32_t i = 0; i < t.length; i++) {
        uint8_t c = t.at[i];
        if (c == '.' && fresh) return 0;
        if (c != '.' && c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9')) return 0;
        fresh = c == '.';
    }
    return !fresh;
}

/* Which standard event it is, STANDARD for an own one, -1 where it is no name. */
static int standing_of(struct text name) {
    int place = 0;
    if (!is_name(name)) return -1;
    while (place < STANDARD && !equals(name, standard[place].name)) place++;
    return place;
}

/* Of an event's attributes, by the places of their keys. */
struct marks {
    uint64_t has[TEXTS_MOST / 64];  /* it is there */
    uint64_t fits[TEXTS_MOST / 64]; /* as a string of 1 to 128 octets */
    int has_bad_counter;
};

static int is_marked(const uint64_t *marks, int place) {
    return marks[place / 64] >> (place & 63) & 1;
}

static void mark(uint64_t *marks, int place) { marks[place / 64] |= 1ull << (place & 63); }

/* 1 good, 0 rejected, -1 no JSON. */
static int attributes(
    struct scanner *s, struct scanned *out, struct row *row, struct marks *marks) {
    uint8_t *to = out->octets + out->octets_length;
    int is_first = 1, more, good = 1, count = 0;
    struct text name;
    struct value v = {0};
    *to++ = '[';
    while ((more = member(s, &is_first, &name)) == 1) {
        enum kind kind = value(s, &v);
        if (kind == BAD) return -1;
        int place = place_of(&out->keys, name);
        if (place >= 0 && is_marked(marks->has, place)) return -1; /* a duplicate member */
        if (++count > 32 || place < 0 || !name.length || name.length > 64) good = 0;
        if (place >= 0) mark(marks->has, place);
        if (place >= 0 && kind == STRING && v.text.length >= 1 && v.text.length <= 128)
            mark(marks->fits, place);
        if (IS(name, "counter.value"))
            marks->has_bad_counter = kind != INTEGER || v.integer < 1 || v.integer > 1000000000;
        if (kind == OBJECT || kind == ARRAY || kind == NOTHING) {
            good = 0;
            if (!skip(s, kind, 5)) return -1;
            continue;
        }
        if (kind == STRING && v.text.length > 1024) good = 0;
        if (kind == INTEGER && (v.integer > largest || v.integer < -largest)) good = 0;
        if (IS(name, "session.id")) {
            int session = kind == STRING && v.text.length >= 1 && v.text.length <= 64
                              ? place_of(&out->sessions, v.text)
                              : -1;
            if (session < 0) good = 0;
            row->session = (uint16_t)(session + 1);
            continue;
        }
        if (!good) continue;
        if (to[-1] != '[') *to++ = ',';
        to = (uint8_t *)put_int((char *)to, place), *to++ = ',';
        uint32_t quotes = kind == STRING;
        memcpy(to, v.text.at - quotes, v.text.length + 2 * quotes),
            to += v.text.length + 2 * quotes;
    }
    *to++ = ']';
    row->attributes = (uint32_t)out->octets_length;
    row->attributes_length = (uint32_t)(to - out->octets - out->octets_length);
    return more < 0 ? -1 : good;
}

/* Whether a standard event has what it needs. */
static int is_complete(int standing, const struct texts *keys, const struct marks *marks) {
    if (standing == STANDARD) return 1;
    if (standing == COUNTER && marks->has_bad_counter) return 0;
    for (uint32_t key = 0; key < keys->count; key++)
        if (equals(keys->all[key], standard[standing].needs))
            return is_marked(marks->fits, (int)key);
    return 0;
}

/* 0 where it is no JSON. A rejected event is counted. */
static int event(struct scanner *s, int64_t now, struct scanned *out) {
    struct row *row = &out->rows[out->count];
    struct marks marks = {0};
    struct text name, event_name = {0};
    struct value v = {0};
    int is_first = 1, more, seen = 0, good = 1;
    *row = (struct row){0};
    if (value(s, &v) != OBJECT) return out->rejected++, skip(s, v.kind, 3);
    while ((more = member(s, &is_first, &name)) == 1) {
        int which = IS(name, "name") ? 1 : IS(name, "time") ? 2 : IS(name, "attributes") ? 4 : 0;
        enum kind kind = value(s, &v);
        if (kind == BAD || seen & which) return 0;
        seen |= which;
        if (which == 1 && kind == STRING)
            event_name = v.text;
        else if (which == 2 && kind == INTEGER) {
            row->time = v.integer;
            good &= v.integer >= now - 400ll * 86400000 && v.integer <= now + 86400000;
        } else if (which == 4 && kind == OBJECT) {
            int fine = attributes(s, out, row, &marks);
            if (fine < 0) return 0;
            good &= fine;
        } else {
            if (which) good = 0;
            if (!skip(s, kind, 4)) return 0;
        }
    }
    if (more < 0) return 0;
    uint32_t known = out->names.count;
    int place = good && (seen & 3) == 3 ? place_of(&out->names, event_name) : -1;
    if (place >= 0 && out->names.count > known) out->standing[place] = standing_of(event_name);
    if (place < 0 || out->standing[place] < 0 ||
        !is_complete(out->standing[place], &out->keys, &marks))
        return out->rejected++, 1;
    row->name = (uint16_t)place;
    out->octets_length += row->attributes_length;
    out->count++;
    return 1;
}

/* ---- the batch ---- */

static const char *const resource_names[RESOURCES] = {
    "os.name",         "os.version",   "device.model.identifier", "device.manufacturer",
    "service.version", "app.build_id", "telemetry.sdk.name",      "telemetry.sdk.version"};

static int resource(struct scanner *s, struct scanned *out) {
    struct text name;
    struct value v = {0};
    int is_first = 1, more;
    while ((more = member(s, &is_first, &name)) == 1) {
        if (!skip(s, value(s, &v), 2)) return 0;
        struct text *into = IS(name, "app.installation.id") ? &out->device : NULL;
        for (int i = 0; i < RESOURCES && !into; i++)
            if (equals(name, resource_names[i])) into = &out->resource[i];
        if (!into) continue;
        if (into->at || v.kind != STRING || v.text.length > (into == &out->device ? 256 : 128))
            return 0;
        *into = v.text;
    }
    return more == 0 && out->device.length > 0;
}

static int is_batch_id(struct text t) {
    for (uint32_t i = 0; i < t.length; i++) {
        int c = t.at[i], l = c | 32;
        if ((l < 'a' || l > 'z') && (c < '0' || c > '9') && !strchr("._:-", c)) return 0;
    }
    return t.length >= 1 && t.length <= 64;
}

int scan(const uint8_t *json, size_t n, int64_t now, struct scanned *out) {
    static const char *const names[] = {"events",   "resource",       "batch_id", "sent_at",
                                        "sequence", "dropped_events", "schema"};
    struct scanner s = {json};
    struct text name;
    struct value v = {0};
    int is_first = 1, more, seen = 0;
    forget(&out->names), forget(&out->sessions), forget(&out->keys);
    out->device = (struct text){0}, memset(out->resource, 0, sizeof out->resource);
    out->count = out->rejected = 0, out->octets_length = 0;
    if (value(&s, &v) != OBJECT) return 1;
    while ((more = member(&s, &is_first, &name)) == 1) {
        int which = 0;
        while (which < 7 && !equals(name, names[which])) which++;
        enum kind kind = value(&s, &v);
        if (kind == BAD || (which < 7 && seen >> which & 1)) return 1;
        seen |= 1 << which;
        if (which == 0) {
            int none = 1, next;
            if (kind != ARRAY) return 1;
            while ((next = element(&s, &none)) == 1)
                if (out->count == EVENTS_MOST || !event(&s, now, out)) return 1;
            if (next < 0) return 1;
        } else if (which == 1) {
            if (kind != OBJECT || !resource(&s, out)) return 1;
        } else if (which == 2) {
            if (kind != STRING || !is_batch_id(v.text)) return 1;
            out->batch_id = v.text;
        } else if (which < 7) {
            if (kind != INTEGER || v.integer < 0 || v.integer > largest ||
                (which == 6 && v.integer != 1))
                return 1;
            *(which == 3 ? &out->sent_at : which == 4 ? &out->sequence : &out->dropped) = v.integer;
        } else if (!skip(&s, kind, 2))
            return 1;
    }
    space(&s);
    return more < 0 || s.p != json + n || (seen & 7) != 7;
}
