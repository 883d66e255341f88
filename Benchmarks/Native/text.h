/* Writing text forward: each function returns the place behind what it wrote. */
#ifndef TEXT_H
#define TEXT_H
#include <stdint.h>
#include <string.h>

static inline char *put(char *p, const char *text) {
    size_t n = strlen(text);
    memcpy(p, text, n);
    return p + n;
}

static inline char *put_int(char *p, int64_t value) {
    char digits[24];
    int n = 0;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0) *p++ = '-';
    do digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    while (n) *p++ = digits[--n];
    return p;
}

/* For texts without anything that JSON escapes. */
static inline char *put_quoted(char *p, const char *text) {
    *p++ = '"', p = put(p, text), *p++ = '"';
    return p;
}

/* With two digits after the point; not below zero. */
static inline char *put_hundredths(char *p, int64_t value) {
    p = put_int(p, value / 100), *p++ = '.';
    *p++ = (char)('0' + value / 10 % 10), *p++ = (char)('0' + value % 10);
    return p;
}

static inline char *put_hex(char *p, uint64_t value, int digits) {
    for (int i = digits - 1; i >= 0; i--) *p++ = "0123456789abcdef"[value >> (4 * i) & 15];
    return p;
}

/* A UUID of version 4 from 16 octets; 36 characters. */
static inline char *put_uuid(char *p, uint64_t a, uint64_t b) {
    p = put_hex(p, a >> 32, 8), *p++ = '-';
    p = put_hex(p, a >> 16, 4), *p++ = '-';
    p = put_hex(p, 0x4000 | (a & 0xfff), 4), *p++ = '-';
    p = put_hex(p, 0x8000 | (b >> 48 & 0x3fff), 4), *p++ = '-';
    return put_hex(p, b, 12);
}

#endif
