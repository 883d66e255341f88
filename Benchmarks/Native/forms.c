#include "forms.h"
#include "otlp.h"
#include "text.h"

static char *put_value(char *p, const struct attribute *a) {
    switch (a->kind) {
    case TEXT: return put_quoted(p, a->text);
    case NUMBER: return put_int(p, a->number);
    case HUNDREDTHS: return put_hundredths(p, a->number);
    default: return put(p, a->number ? "true" : "false");
    }
}

/* As docs/protocol.md has it: some 150 bytes an event. */
static char *write_batch(const struct batch *batch, char *p) {
    p = put(p, "{\"schema\":1,\"batch_id\":"), p = put_quoted(p, batch->id);
    p = put(p, ",\"sent_at\":"), p = put_int(p, batch->sent_at);
    p = put(p, ",\"sequence\":"), p = put_int(p, (int64_t)batch->sequence);
    p = put(p, ",\"dropped_events\":0,\"resource\":{");
    for (int i = 0; i < RESOURCE; i++) {
        if (i) *p++ = ',';
        p = put_quoted(p, resource_keys[i]), *p++ = ':', p = put_quoted(p, batch->resource[i]);
    }
    p = put(p, "},\"events\":[");
    for (int i = 0; i < batch->count; i++) {
        const struct event *e = &batch->events[i];
        if (i) *p++ = ',';
        p = put(p, "{\"name\":"), p = put_quoted(p, e->name);
        p = put(p, ",\"time\":"), p = put_int(p, e->time);
        p = put(p, ",\"attributes\":{");
        for (int k = 0; k < e->count; k++) {
            if (k) *p++ = ',';
            p = put_quoted(p, e->attributes[k].key), *p++ = ':';
            p = put_value(p, &e->attributes[k]);
        }
        p = put(p, "}}");
    }
    return put(p, "]}");
}

static const struct form forms[] = {
    {"sealed", "application/json", "gzip, aes128gcm", 1, 0, "", "", "", write_batch, NULL},
    {"plain", "application/json", "gzip", 0, 0, "", "", "", write_batch, NULL},
    {"otlp", "application/x-protobuf", "gzip", 0, 1, "", "", "", write_resource_logs, ""},
    {"otlp-json", "application/json", "gzip", 0, 1, "{\"resourceLogs\":[", ",", "]}",
     write_resource_logs_json, "{}"},
};

const struct form *form_named(const char *name) {
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (!strcmp(forms[i].name, name)) return &forms[i];
    return NULL;
}
