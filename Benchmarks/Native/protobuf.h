/* Writing protobuf backward, from a message's end to its start, so that each length is known when
   it is written: each function returns the first byte of what it wrote before `p`. */
#ifndef PROTOBUF_H
#define PROTOBUF_H
#include <stdint.h>
#include <string.h>

enum wire { VARINT = 0, FIXED64 = 1, LENGTH = 2 };

static inline char *varint_before(char *p, uint64_t value) {
    char octets[10];
    int n = 0;
    for (; value > 127; value >>= 7) octets[n++] = (char)(value | 128);
    octets[n++] = (char)value;
    return memcpy(p - n, octets, (size_t)n);
}

static inline char *tag_before(char *p, int field, enum wire wire) {
    return varint_before(p, (uint64_t)field << 3 | wire);
}

static inline char *number_before(char *p, int field, uint64_t value) {
    return tag_before(varint_before(p, value), field, VARINT);
}

static inline char *fixed_before(char *p, int field, const void *octets) {
    return tag_before(memcpy(p - 8, octets, 8), field, FIXED64);
}

/* The field whose content stands from `p` to `end`. */
static inline char *field_before(char *p, int field, const char *end) {
    return tag_before(varint_before(p, (uint64_t)(end - p)), field, LENGTH);
}

static inline char *text_before(char *p, int field, const char *text) {
    size_t n = strlen(text);
    return field_before(memcpy(p - n, text, n), field, p);
}

#endif
