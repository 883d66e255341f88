#include "batch.h"
#include "random.h"
#include "text.h"
#include "words.h"

static char *attributes(char *p, const char *name, uint64_t *r) {
    if (name[0] == 's' && name[1] == 'c') {
        p = put(p, ",\"app.screen.name\":\""), p = put(p, screens[draw_below(r, SCREENS)]);
        p = put(p, "\",\"screen.load_ms\":"), p = put_int(p, 8 + (int64_t)draw_below(r, 1900));
    } else if (name[0] == 'u') {
        p = put(p, ",\"counter.name\":\""), p = put(p, counters[draw_below(r, COUNTERS)]);
        p = put(p, "\",\"counter.value\":"), p = put_int(p, 1 + (int64_t)draw_below(r, 5));
    } else if (name[0] == 'c') {
        p = put(p, ",\"content.id\":\"a-"), p = put_hex(p, 1000 + draw_below(r, 800), 8);
        p = put(p, "\",\"content.offline\":"), p = put(p, draw_below(r, 8) ? "false" : "true");
    } else if (name[0] == 'o') {
        p = put(p, ",\"order.price\":"), p = put_int(p, (int64_t)draw_below(r, 90)),
        p = put(p, ".25");
        p =
            put(p, ",\"order.label\":\"cr\xc3\xa8me br\xc3\xbbl\xc3\xa9"
                   "e\"");
    }
    return p;
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

size_t batch_json(const struct workload *w, uint64_t number, char *out) {
    uint64_t r = draw_state(w->seed, number), device = draw_below(&r, (uint64_t)w->devices);
    uint64_t traits = draw_state(w->seed ^ 0x5bd1e995, device);
    uint64_t a = draw(&traits), b = draw(&traits);
    const struct platform *platform = &platforms[draw_below(&traits, PLATFORMS)];
    int64_t time = w->now - 3600000 + (int64_t)draw_below(&r, 600000);
    uint64_t step = w->events > 100 ? 2900000u / (unsigned)w->events : 28000u, session = draw(&r);
    int place = 0, length = 8 + (int)draw_below(&r, 12);
    char *p = out;

    p = put(p, "{\"schema\":1,\"batch_id\":\""), p = put_uuid(p, draw(&r), draw(&r));
    p = put(p, "\",\"sent_at\":"), p = put_int(p, w->now);
    p = put(p, ",\"sequence\":"), p = put_int(p, (int64_t)number);
    p = put(p, ",\"dropped_events\":0,\"resource\":{\"app.installation.id\":\""),
    p = put_uuid(p, a, b);
    p = put(p, "\",\"os.name\":\""), p = put(p, platform->os);
    p = put(p, "\",\"os.version\":\""), p = put(p, platform->version);
    p = put(p, "\",\"device.model.identifier\":\""), p = put(p, platform->model);
    p = put(p, "\",\"device.manufacturer\":\""), p = put(p, platform->maker);
    p = put(p, "\",\"service.version\":\""), p = put(p, releases[draw_below(&traits, RELEASES)]);
    p = put(
        p, "\",\"telemetry.sdk.name\":\"load\",\"telemetry.sdk.version\":\"1.0.0\"},\"events\":[");
    for (int i = 0; i < w->events; i++) {
        const char *name = event_name(place, length - 1, &r);
        time += 200 + (int64_t)draw_below(&r, step);
        if (i) *p++ = ',';
        p = put(p, "{\"name\":\""), p = put(p, name), p = put(p, "\",\"time\":"),
        p = put_int(p, time);
        p = put(p, ",\"attributes\":{\"session.id\":\""), p = put_hex(p, session, 16), *p++ = '"';
        p = attributes(p, name, &r);
        p = put(p, "}}");
        if (++place == length) place = 0, length = 8 + (int)draw_below(&r, 12), session = draw(&r);
    }
    p = put(p, "]}");
    return (size_t)(p - out);
}
