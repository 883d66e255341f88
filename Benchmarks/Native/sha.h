/* HMAC-SHA-256 over copied states: no look-up of an algorithm for each message. */
#ifndef SHA_H
#define SHA_H
#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations" /* SHA256_*: a state that can be copied */

struct hmac_key {
    SHA256_CTX inner, outer;
};

/* At most 64 octets of key. */
static inline void hmac_key_set(struct hmac_key *k, const uint8_t *key, size_t n) {
    uint8_t pad[64] = {0};
    memcpy(pad, key, n);
    for (int i = 0; i < 64; i++) pad[i] ^= 0x36;
    SHA256_Init(&k->inner), SHA256_Update(&k->inner, pad, 64);
    for (int i = 0; i < 64; i++) pad[i] ^= 0x36 ^ 0x5c;
    SHA256_Init(&k->outer), SHA256_Update(&k->outer, pad, 64);
}

/* `state` began as a copy of the key's `inner`. */
static inline void hmac_end(const struct hmac_key *k, SHA256_CTX *state, uint8_t out[32]) {
    SHA256_Final(out, state);
    *state = k->outer;
    SHA256_Update(state, out, 32), SHA256_Final(out, state);
}

static inline void hmac(const struct hmac_key *k, const void *data, size_t n, uint8_t out[32]) {
    SHA256_CTX state = k->inner;
    SHA256_Update(&state, data, n);
    hmac_end(k, &state, out);
}

#endif
