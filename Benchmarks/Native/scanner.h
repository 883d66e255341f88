/* I-JSON, value by value (RFC 7493). The zeros behind the text end every loop. */
#ifndef SCANNER_H
#define SCANNER_H
#include "scan.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum kind { BAD, STRING, INTEGER, REAL, BOOLEAN, NOTHING, OBJECT, ARRAY };
enum { DEPTH_MOST = 16 };
static const int64_t largest = 9007199254740991;

struct value {
    enum kind kind;
    struct text text; /* of a string its inside, of others as it was sent */
    int64_t integer;
};

struct scanner {
    const uint8_t *p;
};

static inline void space(struct scanner *s) {
    while (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t') s->p++;
}

static inline const uint8_t *plain_run(const uint8_t *p) {
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'),
                  control = _mm_set1_epi8(0x1f);
    for (;; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)p);
        __m128i hit = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, slash)),
            _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(x, control), x), x));
        unsigned mask = (unsigned)_mm_movemask_epi8(hit);
        if (mask) return p + __builtin_ctz(mask);
    }
#else
    while (*p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\') p++;
    return p;
#endif
}

/* Octets of the UTF-8 sequence beyond ASCII at p; 0 where it is none (RFC 3629). */
static inline size_t utf8(const uint8_t *p) {
    uint8_t low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    size_t n = p[0] >= 0xc2 && p[0] <= 0xdf   ? 2
               : (p[0] & 0xf0) == 0xe0        ? 3
               : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                              : 0;
    if (!n || p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return n;
}

static inline int hex4(const uint8_t *p, uint32_t *out) {
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int c = p[i], d = c >= '0' && c <= '9'                 ? c - '0'
                          : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                               : -1;
        if (d < 0) return 0;
        *out = *out << 4 | (uint32_t)d;
    }
    return 1;
}

/* Octets of the escape at p; 0 where it is none that I-JSON allows. */
static inline size_t escape(const uint8_t *p) {
    uint32_t high, low;
    if (p[1] && strchr("\"\\/bfnrt", p[1])) return 2;
    if (p[1] != 'u' || !hex4(p + 2, &high) || high == 0 || (high >= 0xdc00 && high <= 0xdfff))
        return 0;
    if (high < 0xd800 || high > 0xdbff) return 6;
    return p[6] == '\\' && p[7] == 'u' && hex4(p + 8, &low) && low >= 0xdc00 && low <= 0xdfff ? 12
                                                                                              : 0;
}

static inline int string(struct scanner *s, struct text *out) {
    const uint8_t *start = ++s->p, *p = start;
    for (;;) {
        p = plain_run(p);
        if (*p == '"') break;
        size_t n = *p == '\\' ? escape(p) : *p >= 0x80 ? utf8(p) : 0;
        if (!n) return 0;
        p += n;
    }
    *out = (struct text){start, (uint32_t)(p - start)};
    s->p = p + 1;
    return 1;
}

static inline enum kind number(struct scanner *s, struct value *v) {
    const uint8_t *start = s->p, *p = start + (*start == '-'), *first = p;
    uint64_t n = 0;
    if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9')) return BAD;
    for (; *p >= '0' && *p <= '9'; p++) n = n * 10 + (*p - '0');
    if (p - first > 16) n = (uint64_t)largest + 1;
    v->integer = *start == '-' ? -(int64_t)n : (int64_t)n;
    enum kind kind = INTEGER;
    if (*p == '.') {
        kind = REAL;
        if (p[1] < '0' || p[1] > '9') return BAD;
        for (p++; *p >= '0' && *p <= '9';) p++;
    }
    if ((*p | 32) == 'e') {
        kind = REAL, p++, p += *p == '+' || *p == '-';
        if (*p < '0' || *p > '9') return BAD;
        while (*p >= '0' && *p <= '9') p++;
    }
    v->text = (struct text){start, (uint32_t)(p - start)};
    s->p = p;
    return kind;
}

static inline enum kind literal(
    struct scanner *s, struct value *v, const char *word, uint32_t n, enum kind kind) {
    if (memcmp(s->p, word, n)) return BAD;
    v->text = (struct text){s->p, n}, s->p += n;
    return kind;
}

/* A scalar whole; of an object or array the opening octet. */
static inline enum kind value(struct scanner *s, struct value *v) {
    space(s);
    switch (*s->p) {
    case '"': return v->kind = string(s, &v->text) ? STRING : BAD;
    case '{': s->p++; return v->kind = OBJECT;
    case '[': s->p++; return v->kind = ARRAY;
    case 't': return v->kind = literal(s, v, "true", 4, BOOLEAN);
    case 'f': return v->kind = literal(s, v, "false", 5, BOOLEAN);
    case 'n': return v->kind = literal(s, v, "null", 4, NOTHING);
    default: return v->kind = number(s, v);
    }
}

/* To the value of an object's next member: 1, 0 at its end, -1 where it is broken. */
static inline int member(struct scanner *s, int *is_first, struct text *name) {
    space(s);
    if (*s->p == '}') return s->p++, 0;
    if (!*is_first && *s->p++ != ',') return -1;
    *is_first = 0;
    space(s);
    if (*s->p != '"' || !string(s, name)) return -1;
    space(s);
    return *s->p++ == ':' ? 1 : -1;
}

static inline int element(struct scanner *s, int *is_first) {
    space(s);
    if (*s->p == ']') return s->p++, 0;
    if (!*is_first && *s->p++ != ',') return -1;
    *is_first = 0;
    return 1;
}

/* Over the rest of a value; 0 where it is broken. */
static inline int skip(struct scanner *s, enum kind kind, int depth) {
    struct value v = {0};
    struct text name;
    int is_first = 1, more;
    if (kind != OBJECT && kind != ARRAY) return kind != BAD;
    if (depth > DEPTH_MOST) return 0;
    while ((more = kind == OBJECT ? member(s, &is_first, &name) : element(s, &is_first)) == 1)
        if (!skip(s, value(s, &v), depth + 1)) return 0;
    return more == 0;
}

#endif
