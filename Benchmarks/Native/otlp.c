#include "otlp.h"
#include "forms.h"
#include "protobuf.h"
#include "text.h"

enum { INFO = 9 };
static const char scope_name[] = "load", scope_version[] = "1.0.0";

/* ---- protobuf: the fields of a message from the last to the first ---- */

/* The KeyValue in field `field` whose AnyValue stands from `p` to `end`. */
static char *key_value_before(char *p, int field, const char *key, const char *end) {
    return field_before(text_before(field_before(p, 2, end), 1, key), field, end);
}

static char *value_before(char *p, const struct attribute *a) {
    double real = (double)a->number / 100;
    switch (a->kind) {
    case TEXT: return text_before(p, 1, a->text);
    case NUMBER: return number_before(p, 3, (uint64_t)a->number);
    case HUNDREDTHS: return fixed_before(p, 4, &real);
    default: return number_before(p, 2, (uint64_t)a->number);
    }
}

static char *log_record_before(char *p, const struct event *e) {
    char *end = p;
    p = text_before(p, 12, e->name);
    p = fixed_before(p, 11, &e->observed_ns);
    for (int k = e->count - 1; k >= 0; k--)
        p = key_value_before(value_before(p, &e->attributes[k]), 6, e->attributes[k].key, p);
    p = text_before(p, 3, "INFO");
    p = number_before(p, 2, INFO);
    p = fixed_before(p, 1, &e->time_ns);
    return field_before(p, 2, end);
}

char *write_resource_logs(const struct batch *batch, char *out) {
    char *end = out + batch_room(batch->count), *p = end, *scope, *resource;
    for (int i = batch->count - 1; i >= 0; i--) p = log_record_before(p, &batch->events[i]);
    scope = p;
    p = text_before(text_before(p, 2, scope_version), 1, scope_name);
    p = field_before(field_before(p, 1, scope), 2, end);
    resource = p;
    for (int i = RESOURCE - 1; i >= 0; i--)
        p = key_value_before(text_before(p, 1, batch->resource[i]), 1, resource_keys[i], p);
    p = field_before(field_before(p, 1, resource), 1, end);
    memmove(out, p, (size_t)(end - p));
    return out + (end - p);
}

/* ---- JSON ---- */

static char *put_key(char *p, const char *key) {
    return put(put_quoted(put(p, "{\"key\":"), key), ",\"value\":{");
}

static char *put_value(char *p, const struct attribute *a) {
    switch (a->kind) {
    case TEXT: return put_quoted(put(p, "\"stringValue\":"), a->text);
    case NUMBER: return put(put_int(put(p, "\"intValue\":\""), a->number), "\"");
    case HUNDREDTHS: return put_hundredths(put(p, "\"doubleValue\":"), a->number);
    default: return put(p, a->number ? "\"boolValue\":true" : "\"boolValue\":false");
    }
}

static char *put_log_record(char *p, const struct event *e) {
    p = put(p, "{\"timeUnixNano\":\""), p = put_int(p, e->time_ns);
    p = put(p, "\",\"severityNumber\":"), p = put_int(p, INFO);
    p = put(p, ",\"severityText\":\"INFO\",\"attributes\":[");
    for (int k = 0; k < e->count; k++) {
        if (k) *p++ = ',';
        p = put_value(put_key(p, e->attributes[k].key), &e->attributes[k]), p = put(p, "}}");
    }
    p = put(p, "],\"observedTimeUnixNano\":\""), p = put_int(p, e->observed_ns);
    p = put(p, "\",\"eventName\":"), p = put_quoted(p, e->name);
    return put(p, "}");
}

char *write_resource_logs_json(const struct batch *batch, char *p) {
    p = put(p, "{\"resource\":{\"attributes\":[");
    for (int i = 0; i < RESOURCE; i++) {
        if (i) *p++ = ',';
        p = put(put_key(p, resource_keys[i]), "\"stringValue\":");
        p = put(put_quoted(p, batch->resource[i]), "}}");
    }
    p = put(p, "]},\"scopeLogs\":[{\"scope\":{\"name\":"), p = put_quoted(p, scope_name);
    p = put(p, ",\"version\":"), p = put_quoted(p, scope_version);
    p = put(p, "},\"logRecords\":[");
    for (int i = 0; i < batch->count; i++) {
        if (i) *p++ = ',';
        p = put_log_record(p, &batch->events[i]);
    }
    return put(p, "]}]}");
}
