/* splitmix64: small, and good enough to draw batches and populations from. */
#ifndef RANDOM_H
#define RANDOM_H
#include <stdint.h>

static inline uint64_t draw(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A state of its own for number `n` of a seed. */
static inline uint64_t draw_state(uint64_t seed, uint64_t n) {
    return seed * 0x9e3779b97f4a7c15u ^ (n + 1) * 0xbf58476d1ce4e5b9u;
}

static inline uint64_t draw_below(uint64_t *state, uint64_t bound) { return draw(state) % bound; }

#endif
