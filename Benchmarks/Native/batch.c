#include "batch.h"
#include "random.h"
#include "text.h"
#include "words.h"

const char *const resource_keys[RESOURCE] = {
    "app.installation.id", "os.name",         "os.version",         "device.model.identifier",
    "device.manufacturer", "service.version", "telemetry.sdk.name", "telemetry.sdk.version",
};

static struct attribute *add(struct event *e, const char *key, int kind) {
    struct attribute *a = &e->attributes[e->count++];
    a->key = key, a->kind = kind;
    return a;
}

static void add_text(struct event *e, const char *key, const char *text) {
    *put(add(e, key, TEXT)->text, text) = 0;
}

static void add_hex(
    struct event *e, const char *key, const char *before, uint64_t value, int digits) {
    *put_hex(put(add(e, key, TEXT)->text, before), value, digits) = 0;
}

static void add_number(struct event *e, const char *key, int kind, uint64_t number) {
    add(e, key, kind)->number = (int64_t)number;
}

static void draw_attributes(struct event *e, uint64_t *r) {
    switch (e->name[1]) {
    case 'c':
        add_text(e, "app.screen.name", screens[draw_below(r, SCREENS)]);
        add_number(e, "screen.load_ms", NUMBER, 8 + draw_below(r, 1900));
        break;
    case 's':
        add_text(e, "counter.name", counters[draw_below(r, COUNTERS)]);
        add_number(e, "counter.value", NUMBER, 1 + draw_below(r, 5));
        break;
    case 'o':
        add_hex(e, "content.id", "a-", 1000 + draw_below(r, 800), 8);
        add_number(e, "content.offline", TRUTH, !draw_below(r, 8));
        break;
    case 'r':
        add_number(e, "order.price", HUNDREDTHS, draw_below(r, 90) * 100 + 25);
        add_text(e, "order.label", "cr\xc3\xa8me br\xc3\xbbl\xc3\xa9" "e");
    }
}

static const char *event_name(int place, int last, uint64_t *r) {
    uint64_t kind = draw_below(r, 100);
    if (place == 0) return "session.start";
    if (place == last) return "session.end";
    return kind < 45   ? "screen.view"
           : kind < 70 ? "usage.counter"
           : kind < 90 ? "content.view"
                       : "order.changed";
}

/* Returns the state from which the batch is drawn on. */
static uint64_t draw_head(const struct workload *w, uint64_t number, struct batch *out) {
    uint64_t r = draw_state(w->seed, number), device = draw_below(&r, (uint64_t)w->devices);
    uint64_t traits = draw_state(w->seed ^ 0x5bd1e995, device);
    uint64_t a = draw(&traits), b = draw(&traits);
    const struct platform *platform = &platforms[draw_below(&traits, PLATFORMS)];
    const char *resource[RESOURCE] = {
        out->device,
        platform->os,
        platform->version,
        platform->model,
        platform->maker,
        releases[draw_below(&traits, RELEASES)],
        "load",
        "1.0.0"};
    *put_uuid(out->device, a, b) = 0;
    memcpy(out->resource, resource, sizeof resource);
    out->sequence = number, out->sent_at = w->now;
    return r;
}

void draw_batch(const struct workload *w, uint64_t number, struct batch *out) {
    uint64_t r = draw_head(w, number, out), fine = draw_state(w->seed ^ 0x2545f491, number);
    int64_t time = w->now - 3600000 + (int64_t)draw_below(&r, 600000);
    uint64_t step = w->events > 100 ? 2900000u / (unsigned)w->events : 28000u, session = draw(&r);
    int place = 0, length = 8 + (int)draw_below(&r, 12);
    uint64_t low = draw(&r), high = draw(&r);

    *put_uuid(out->id, high, low) = 0;
    out->count = 0;
    for (int i = 0; i < w->events; i++) {
        struct event *e = &out->events[out->count];
        e->name = event_name(place, length - 1, &r), e->count = 0;
        e->time = time += 200 + (int64_t)draw_below(&r, step);
        e->time_ns = time * 1000000 + (int64_t)draw_below(&fine, 1000000);
        e->observed_ns = e->time_ns + 2000 + (int64_t)draw_below(&fine, 50000);
        add_hex(e, "session.id", "", session, 16);
        if (place && place < length - 1) draw_attributes(e, &r);
        if (++place == length) place = 0, length = 8 + (int)draw_below(&r, 12), session = draw(&r);
        out->count += i >= w->left_out;
    }
}
